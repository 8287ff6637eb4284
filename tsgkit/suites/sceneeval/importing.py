"""Brings the published data of this suite to this machine, as :mod:`tsgkit.suites.importing` does it."""

from __future__ import annotations

from tsgkit.suites.importing import get_dataset, import_dataset
from tsgkit.suites.importing import meaning as meaning_in
from tsgkit.suites.intake import intake_value

__all__ = ["get_dataset", "import_dataset", "intake_value", "meaning"]


def meaning(code: str) -> str:
    """What a finding of a code means."""
    return meaning_in("sceneeval", code)
