"""Markup for pages: that of `minirel.points.markup`, which escapes all text."""

from minirel.points.markup import Attribute, Child, Markup, document, join, raw, tag, text

__all__ = ["Attribute", "Child", "Markup", "document", "join", "raw", "tag", "text"]
