"""Whether it can be promised at all, decided on counts; if not, why, and what could be."""
