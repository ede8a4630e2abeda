"""One fit of k-means-constrained on Adult, in a process of its own: its solver's library clashes with HiGHS.

    python benchmarks/constrained.py CENTERS SMALLEST LARGEST LABELS

reads first centers from the file CENTERS, writes labels to LABELS, and prints seconds and iterations.
"""

import sys
import time

import numpy as np
from k_means_constrained import KMeansConstrained

from data import DATA

if __name__ == "__main__":
    centers, smallest, largest, labels = sys.argv[1:]
    X, _ = DATA["adult"]()
    init = np.load(centers)
    model = KMeansConstrained(len(init), int(smallest), int(largest), init=init, n_init=1, max_iter=100)
    start = time.perf_counter()
    model.fit(X)
    print(time.perf_counter() - start, model.n_iter_)
    np.save(labels, model.labels_)
