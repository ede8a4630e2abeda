"""A page to pass on: what was promised, who holds what, what it cost, and how to repeat it."""

from minirel.report.audit_page import audit_report
from minirel.report.fit_page import fit_report
from minirel.report.frontier_page import frontier_report
from minirel.report.source import Source

__all__ = ["Source", "audit_report", "fit_report", "frontier_report"]
