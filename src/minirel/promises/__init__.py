"""What is asked: shares, numbers of clusters, sizes, and the list of rows that all solvers read."""
