"""Minimum representation fair clustering, with a proof of quality on every answer."""

__version__ = "0.1.0.dev0"
