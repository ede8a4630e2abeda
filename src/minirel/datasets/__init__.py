"""Data for examples and for the paper's experiments, read from files that users have, or fetched."""

from minirel.datasets.alabama import Alabama, load_alabama
from minirel.datasets.billboard import Billboard, load_billboard
from minirel.datasets.dataset import Dataset
from minirel.datasets.islands import Islands, load_islands
from minirel.datasets.paper import load_adult, load_default, load_iris

__all__ = [
    "Alabama",
    "Billboard",
    "Dataset",
    "Islands",
    "load_adult",
    "load_alabama",
    "load_billboard",
    "load_default",
    "load_iris",
    "load_islands",
]
