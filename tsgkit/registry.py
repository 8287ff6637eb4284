"""Places (``"package.module:name"``) that packages above ``suites`` and suites name, imported on use."""

from typing import NamedTuple

SOLVERS: dict[str, str] = {}
"""Solvers of packages above ``suites``, by the first word of their names.

``tsgkit/__init__.py`` fills the table, so that it is complete in every process before a package is loaded.
"""


class Command(NamedTuple):
    """A command of a suite: its module, and a summary for lists."""

    module: str
    summary: str
