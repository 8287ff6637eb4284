"""The user's folders outside projects: data (datasets) and cache (may be deleted at any time)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def cache_home(environment: Mapping[str, str] | None = None) -> Path:
    """Return ``TSGKIT_CACHE_HOME``, else ``tsgkit`` in the user's cache folder."""
    found = os.environ if environment is None else environment
    if own := found.get("TSGKIT_CACHE_HOME"):
        return Path(own)
    return Path(found.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tsgkit"


def data_home() -> Path:
    """Return the folder that holds all datasets of this user."""
    if own := os.environ.get("TSGKIT_DATA_HOME"):
        return Path(own).expanduser().absolute()
    shared = os.environ.get("XDG_DATA_HOME", "")
    base = Path(shared) if Path(shared).is_absolute() else Path("~/.local/share").expanduser()
    return base / "tsgkit" / "data"
