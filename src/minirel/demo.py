"""`make demo`: k-means on iris, who is left out, and a fair assignment to the same centers."""

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from minirel import fair_assignment

N_CLUSTERS, ALPHA, BETA = 9, 0.51, 3


def main() -> None:
    """Print two tables and what it cost to get from the first to the second."""
    iris = load_iris()
    species = iris.target_names[iris.target]
    kmeans = KMeans(N_CLUSTERS, n_init=10, random_state=0).fit(iris.data)
    costs = kmeans.transform(iris.data) ** 2
    fair = fair_assignment(costs, species, alpha=ALPHA, beta=BETA)

    names = iris.target_names.tolist()
    print(f"150 iris flowers of {len(names)} species in {N_CLUSTERS} clusters. A species counts in a cluster")
    print(f"where it makes up at least {ALPHA:.0%} of it; each is promised {BETA} such clusters.\n")
    _show("k-means", species, names, kmeans.labels_)
    _show("Fair assignment to the same centers", species, names, fair.labels)
    moved = int((fair.labels != kmeans.labels_).sum())
    print(f"Moved: {moved} of 150 flowers. Cost: {kmeans.inertia_:.2f} with k-means, {fair.cost:.2f} now.")
    print(f"Proof: no fair assignment to them costs less than {fair.lower_bound:.2f} ({fair.status}).")


def _show(title: str, species: NDArray[np.str_], names: list[str], labels: NDArray[np.integer]) -> None:
    """Shares by cluster, with a star where a species counts, and how many stars it has."""
    print(title)
    print(f"  {'cluster':<11}" + "".join(f"{k:>7}" for k in range(N_CLUSTERS)) + f"{'counts in':>14}")
    for name in names:
        shares = [float((species[labels == k] == name).mean()) for k in range(N_CLUSTERS)]
        held = sum(share >= ALPHA for share in shares)
        cells = "".join(f"{share:>6.0%}{'*' if share >= ALPHA else ' '}" for share in shares)
        print(f"  {name:<11}{cells}{held:>6} clusters" + ("  <- too few" if held < BETA else ""))
    sizes = np.bincount(labels, minlength=N_CLUSTERS)
    print(f"  {'flowers':<11}" + "".join(f"{size:>6} " for size in sizes) + "\n")


if __name__ == "__main__":
    main()
