"""Solvers of packages above ``suites``, by the first word of their names.

``tsgkit/__init__.py`` fills the table with their places (``"package.module:name"``), so that it is complete in every
process before a package is loaded. They are imported on use.
"""

SOLVERS: dict[str, str] = {}
