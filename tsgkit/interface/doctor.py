"""The doctor from Python.

>>> def mine(messages):
...     return "ready"
>>> found = doctor(mine)
>>> [check.name for check in found.checks if check.verdict == "works"]
['plain text', 'price']
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, Unpack

from tsgkit.interface.arguments import name_of_model
from tsgkit.interface.options import DoctorOptions, settings_of, shows
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
