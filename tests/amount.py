"""The amount of testing: a few cases of a long test in `make test`, all of them in `make test-all`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some(cases: Iterable[Any], *quick: Any) -> list[Any]:  # noqa: ANN401  (parameters of any kind)
    """Return cases of a test, those that are not quick marked as slow."""
    return [pytest.param(one, marks=() if one in quick else pytest.mark.slow) for one in cases]
