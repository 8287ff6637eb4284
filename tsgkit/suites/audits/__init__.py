"""Audits of benchmarks: what can be answered without understanding, and defects of items.

``items`` has the common form of all suites' items and checks for defects, ``shortcuts`` answer without understanding,
``classifier`` learns shortcuts that are not known, ``audit`` combines the findings.
"""

from tsgkit.suites.audits.audit import (
    Audit,
    Auditable,
    GroupShare,
    Shortcut,
    WithoutShortcuts,
    audit,
    without_shortcuts,
)
from tsgkit.suites.audits.items import AuditedItem, Check, Slip
from tsgkit.suites.audits.shortcuts import Answerer

__all__ = [
    "Answerer",
    "Audit",
    "Auditable",
    "AuditedItem",
    "Check",
    "GroupShare",
    "Shortcut",
    "Slip",
    "WithoutShortcuts",
    "audit",
    "without_shortcuts",
]
