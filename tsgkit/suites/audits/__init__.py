"""Audits of benchmarks: what can be answered without understanding, and defects of items.

``items`` is what every suite's samples become, ``checks`` look for slips, ``shortcuts`` answer without understanding,
``audit`` puts together what was found.
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
from tsgkit.suites.audits.checks import Check
from tsgkit.suites.audits.items import Item, Slip
from tsgkit.suites.audits.shortcuts import Answerer

__all__ = [
    "Answerer",
    "Audit",
    "Auditable",
    "Check",
    "GroupShare",
    "Item",
    "Shortcut",
    "Slip",
    "WithoutShortcuts",
    "audit",
    "without_shortcuts",
]
