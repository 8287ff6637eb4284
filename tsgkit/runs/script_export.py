"""Export of a run's replies as a script, to be edited and used with ``script:FILE``.

    for line in script_lines(Path("runs/mine"), subject="good"):
        print(line)                       # {"item_id": "9", "reply": {"match lamp_1": "...", "sides": "..."}}

Of repeated calls the last reply counts. Local results are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.retries import PROBE_LABEL
from tsgkit.runs.folder import CALLS, read_header
from tsgkit.runs.plan import AXES
from tsgkit.runs.run_files import calls_in
from tsgkit.suites.transcript import LOCAL

WAY = ("subject", "solver", "style", "repeat", *AXES)


def script_lines(run: Path, subject: str | None = None) -> Iterator[str]:
    """Return the script of a run, one line for each item. Raise ``UsageError`` if one label names two calls."""
    replies = _replies(run, subject)
    if not replies:
        raise UsageError(f"{run}: no model was asked in it", hint="rules and baselines have no replies to edit")
    return (json.dumps({"item_id": item, "reply": said}, ensure_ascii=False) for item, said in replies.items())


def _replies(run: Path, subject: str | None) -> Mapping[str, Mapping[str, str | None]]:
    read_header(run)
    found: dict[str, dict[str, str | None]] = {}
    made: dict[tuple[str, str], tuple[tuple[object, ...], int]] = {}
    for value in _asked(run, subject):
        place, way = (value["sample"], value["label"]), tuple(value.get(name, "") for name in ("task", *WAY))
        known, draw = made.get(place, (way, -1))
        if known != way:
            raise _two(run, place, known, way)
        if value["draw"] >= draw:
            made[place] = way, value["draw"]
            found.setdefault(place[0], {})[place[1]] = value["reply"]["text"]
    return found


def _asked(run: Path, subject: str | None) -> Iterator[Mapping[str, Any]]:
    """Yield the calls of a subject in order, without local results and probes of the service."""
    subjects: dict[str, None] = {}
    for _, value in calls_in(run / CALLS):
        subjects[value["subject"]] = None
        is_about_item = value["label"] != PROBE_LABEL and value["reply"].get("source") != LOCAL
        if subject in (None, value["subject"]) and is_about_item:
            yield value
    if subject is not None and subject not in subjects:
        raise UsageError(f"{run}: no subject is called {subject}", hint=meant(subject, sorted(subjects)))


def _two(run: Path, place: tuple[str, str], one: tuple[object, ...], other: tuple[object, ...]) -> UsageError:
    """Return why a label stands for two calls, and how to choose."""
    item, label = place
    differ = [name for name, a, b in zip(("task", *WAY), one, other, strict=True) if a != b]
    what = f"{run}: {label!r} about item {item} was asked twice, with another {' and '.join(differ)}"
    hint = "name one: --subject" if differ[0] == "subject" else "a script holds one reply for each item and label"
    return UsageError(what, hint=hint)
