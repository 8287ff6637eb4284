"""The command line in an empty folder, for all tests of commands."""

from __future__ import annotations

from command_line import folder, server, tsgkit

__all__ = ["folder", "server", "tsgkit"]
