"""Figures that the paper gives as numbers: Table 1, seconds with Gurobi 10 (mean and standard deviation)."""

from collections.abc import Mapping
from typing import TypeAlias

Time: TypeAlias = tuple[float, float]  # mean, standard deviation
_ROWS: tuple[tuple[int, Time, Time, Time, Time, Time, Time], ...] = (
    #   iris: k-means, MiniReL    adult                      default
    (4, (0.0, 0.0), (0.3, 0.13), (0.6, 0.03), (13.4, 0.25), (0.3, 0.02), (10.8, 0.18)),
    (5, (0.0, 0.0), (0.4, 0.13), (0.7, 0.04), (14.3, 0.37), (0.4, 0.03), (11.2, 0.14)),
    (6, (0.0, 0.0), (0.4, 0.24), (0.8, 0.04), (15.8, 1.08), (0.5, 0.05), (12.0, 0.33)),
    (7, (0.0, 0.0), (0.3, 0.11), (0.9, 0.04), (15.8, 1.03), (0.6, 0.05), (12.3, 0.35)),
    (8, (0.0, 0.0), (0.3, 0.05), (1.0, 0.05), (17.2, 0.54), (0.8, 0.09), (13.3, 0.29)),
    (9, (0.0, 0.0), (0.3, 0.07), (1.1, 0.06), (17.8, 0.91), (0.8, 0.08), (13.5, 0.37)),
    (10, (0.0, 0.0), (0.4, 0.09), (1.3, 0.04), (19.1, 0.9), (0.9, 0.07), (14.8, 0.29)),
    (11, (0.0, 0.0), (0.4, 0.1), (1.4, 0.04), (19.6, 1.16), (1.0, 0.06), (14.4, 0.3)),
    (12, (0.0, 0.0), (0.4, 0.17), (1.4, 0.04), (21.4, 3.77), (1.1, 0.11), (15.6, 0.55)),
    (13, (0.0, 0.0), (0.4, 0.09), (1.5, 0.05), (20.9, 3.01), (1.3, 0.18), (16.0, 0.36)),
    (14, (0.0, 0.0), (0.4, 0.09), (1.7, 0.07), (22.8, 3.02), (1.5, 0.21), (16.7, 0.35)),
    (15, (0.0, 0.01), (0.5, 0.08), (1.8, 0.08), (21.4, 1.7), (1.5, 0.11), (17.5, 1.68)),
)

# By data set and number of clusters: k-means, MiniReL.
TABLE_1: Mapping[str, Mapping[int, tuple[Time, Time]]] = {
    "iris": {row[0]: (row[1], row[2]) for row in _ROWS},
    "adult": {row[0]: (row[3], row[4]) for row in _ROWS},
    "default": {row[0]: (row[5], row[6]) for row in _ROWS},
}
# The last row of the table: over all K and seeds.
OVERALL: Mapping[str, tuple[Time, Time]] = {
    "iris": ((0.0, 0.01), (0.4, 0.13)),
    "adult": ((1.2, 0.39), (18.3, 3.43)),
    "default": ((0.9, 0.41), (14.0, 2.17)),
}
