"""The loop: objectives, first centers, assignments, single moves, restarts, history."""
