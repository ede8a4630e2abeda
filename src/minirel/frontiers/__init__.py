"""Many requests at once: what each promise costs, and which cannot be kept."""
