"""The command line, and an empty folder to work in, for all tests of runs."""

from __future__ import annotations

from command_line import folder, server, tsgkit

__all__ = ["folder", "server", "tsgkit"]
