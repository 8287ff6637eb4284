"""Expected errors, for tests that loop over a table of inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def refuses(kind: type[Exception], message: str, row: object) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Assert that the block raises an error with a message like this; name the row of the table where it does not."""
    try:
        with pytest.raises(kind, match=message) as error_info:
            yield error_info
    except (AssertionError, pytest.fail.Exception) as error:
        raise AssertionError(f"{row!r}: {error}") from error
