"""Assertions that a call is refused, for tests that go through a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def refusal(kind: type[Exception], said: str, row: object) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Assert that the block raises an error with a message like this; name the row of the table where it does not."""
    try:
        with pytest.raises(kind, match=said) as refused:
            yield refused
    except (AssertionError, pytest.fail.Exception) as error:
        raise AssertionError(f"{row!r}: {error}") from error
