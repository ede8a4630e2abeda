"""The holders: which clusters represent which groups (the paper's pre-fix)."""
