"""The clustering loop: objectives, first centers, assignments, single moves, restarts, history."""
