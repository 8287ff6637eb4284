"""The doctor from Python.

>>> def mine(messages):
...     return "ready"
>>> found = doctor(mine)
>>> [check.name for check in found.checks if check.verdict == "works"]
['plain text', 'price']
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any, Unpack

from tsgkit.interface.arguments import name_of_model
from tsgkit.interface.options import DoctorOptions, settings_of, shows
from tsgkit.library.files import write_report
from tsgkit.llm.event_loop import run_in_background
from tsgkit.llm.settings import arguments_of
from tsgkit.report.plain_text import count, inert
from tsgkit.runs import doctor as examining


class Examination(examining.ServerExamination):
    """The results of the doctor: ``checks`` holds each finding, ``options`` the options to set."""

    def save(self, path: str | Path) -> Path:
        """Write requests and replies without keys as JSON Lines, for ``tsgkit doctor --replay``."""
        write_report(path, examining.transcript_text(self))
        return Path(path)

    def __repr__(self) -> str:
        lines = [f"{self.model} at {self.endpoint}", *map(check_line, self.checks), *closing_lines(self)]
        if self.cause:
            lines += [f"never answered: {self.cause}", *([f"  {self.advice}"] if self.advice else [])]
        return "\n".join(map(inert, lines))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def check_line(check: examining.ServerCheck) -> str:
    """Return the result of one check as text."""
    return inert(f"  {check.name:<15}  {check.verdict:<8}  {check.said}")


def closing_lines(examination: examining.ServerExamination) -> Iterator[str]:
    """Yield what follows from all checks, and what they used; nothing of a model that never answered."""
    if examination.cause:
        return
    options = " ".join(examination.options)
    yield inert(f"options to set: {options}") if options else "no option needs to be set"
    if examination.reply_limit:
        yield inert(examination.reply_limit)
    tokens = "tokens unknown" if examination.tokens is None else f"{examination.tokens:,} tokens"
    cost = "cost unknown" if examination.cost is None else f"${examination.cost:.4f}"
    yield f"used: {count(examination.requests, 'request')}, {tokens}, {cost}"


@shows(DoctorOptions)
def doctor(model: Any, **options: Unpack[DoctorOptions]) -> Examination:  # noqa: ANN401
    """Test a model and its server with a dozen small requests: what works, and which options to set.

    ``model`` is a name, a function of messages or a chat model.
    """
    return run_in_background(lambda: adoctor(model, **options))


@shows(DoctorOptions)
async def adoctor(model: Any, **options: Unpack[DoctorOptions]) -> Examination:  # noqa: ANN401
    """Do the same as ``doctor`` in the running event loop."""
    settings = settings_of(options, DoctorOptions)
    arguments = arguments_of(settings.pop("model_arg") or ())
    return Examination(**vars(await examining.examined(name_of_model(model), arguments, **settings)))
