"""The command line, for all tests of runs."""

from __future__ import annotations

from command_line import tsgkit

__all__ = ["tsgkit"]
