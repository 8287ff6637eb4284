"""Messages of expected errors, for tests that loop over a table of inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

import pytest

P = ParamSpec("P")


def refusal(kind: type[Exception], call: Callable[P, object], *args: P.args, **options: P.kwargs) -> str:
    """Return the message of the error that the call raises; fail, naming its arguments, where it raises none."""
    try:
        result = call(*args, **options)
    except kind as error:
        return str(error)
    pytest.fail(f"no {kind.__name__} for {args} {options}, but {result!r}")
