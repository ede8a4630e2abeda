"""Who it is asked for: groups, weights, and the threads that pass over the points."""
