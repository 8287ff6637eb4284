"""The doctor from Python.

>>> def mine(messages):
...     return "ready"
>>> found = doctor(mine)
>>> [check.name for check in found.checks if check.verdict == "works"]
['plain text', 'price']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from tsgkit.interface.arguments import name_of_model
from tsgkit.library.overwrites import write_report
from tsgkit.llm.event_loop import run_in_background
from tsgkit.llm.settings import arguments_of
from tsgkit.report.doctor_text import examination_lines
from tsgkit.runs import doctor as examining


class Examination(examining.Examination):
    """The results of the doctor: ``checks`` holds each finding, ``options`` the options to set."""

    def save(self, path: str | Path) -> Path:
        """Write requests and replies without keys as JSON Lines, for ``tsgkit doctor --replay``."""
        write_report(path, examining.transcript_text(self))
        return Path(path)

    def __repr__(self) -> str:
        return "\n".join(examination_lines(self))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def doctor(
    model: Any,  # noqa: ANN401  (a name, a function of messages or a chat model)
    *,
    model_arg: Mapping[str, Any] | Sequence[str] = (),
    timeout: float = examining.TIMEOUT,
    price: str | None = None,
    client: str | None = None,
) -> Examination:
    """Test a model and its server with a dozen small requests: what works, and which options to set."""
    how: dict[str, Any] = {"model_arg": model_arg, "timeout": timeout, "price": price, "client": client}
    return run_in_background(lambda: adoctor(model, **how))


async def adoctor(
    model: Any,  # noqa: ANN401
    *,
    model_arg: Mapping[str, Any] | Sequence[str] = (),
    timeout: float = examining.TIMEOUT,
    price: str | None = None,
    client: str | None = None,
) -> Examination:
    """Do the same as ``doctor`` in the running event loop."""
    name, arguments = name_of_model(model), arguments_of(model_arg)
    return Examination(**vars(await examining.examined(name, arguments, timeout=timeout, price=price, client=client)))
