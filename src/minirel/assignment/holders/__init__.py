"""Which cluster serves which group."""
