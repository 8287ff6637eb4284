"""Export of a run's replies as a script, to be edited and used with ``script:FILE``.

    for line in script_lines(Path("runs/mine"), subject="good"):
        print(line)                       # {"item_id": "9", "reply": {"match lamp_1": "...", "sides": "..."}}

Of repeated calls the last reply counts. Local results are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.retries import PROBE_LABEL
from tsgkit.runs.folder import CALLS, calls_in, read_header
from tsgkit.runs.plan import AXES
from tsgkit.suites.transcript import LOCAL

WAY = ("task", "subject", "solver", "style", "repeat", *AXES)
"""The fields in which calls differ, beside item and label."""


def script_lines(run: Path, subject: str | None = None) -> Iterator[str]:
    """Return the script of a run, one line for each item. Raise ``UsageError`` if one label names two calls."""
    read_header(run)
    subjects: dict[str, None] = {}
    replies: dict[str, dict[str, str | None]] = {}
    latest: dict[tuple[str, str], tuple[tuple[object, ...], int]] = {}
    for _, value in calls_in(run / CALLS):
        subjects[value["subject"]] = None
        is_about_item = value["label"] != PROBE_LABEL and value["reply"].get("source") != LOCAL
        if subject not in (None, value["subject"]) or not is_about_item:
            continue
        item, label, way = value["sample"], value["label"], tuple(value.get(name, "") for name in WAY)
        known, draw = latest.get((item, label), (way, -1))
        if known != way:
            differ = [name for name, first, second in zip(WAY, known, way, strict=True) if first != second]
            what = f"{run}: {label!r} about item {item} was asked twice, with another {' and '.join(differ)}"
            to_choose = differ[0] == "subject"
            hint = "name one: --subject" if to_choose else "a script holds one reply for each item and label"
            raise UsageError(what, hint=hint)
        if value["draw"] >= draw:
            latest[item, label] = way, value["draw"]
            replies.setdefault(item, {})[label] = value["reply"]["text"]
    if subject is not None and subject not in subjects:
        raise UsageError(f"{run}: no subject is called {subject}", hint=meant(subject, sorted(subjects)))
    if not replies:
        raise UsageError(f"{run}: no model was asked in it", hint="rules and baselines have no replies to edit")
    return (json.dumps({"item_id": item, "reply": texts}, ensure_ascii=False) for item, texts in replies.items())
