"""The paper, rerun: its experiments, what came of them here, and what that says of its claims.

``minirel reproduce`` is the way in; it needs the extra ``minirel[reproduce]``.
"""
