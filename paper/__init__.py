"""The paper, rerun: its experiments, what came of them here, and what that says of its claims.

``make reproduce`` is the way in, or ``python -m paper`` at the top of the repository with the extra
``minirel[reproduce]`` installed. It is no part of the package that is installed.
"""
