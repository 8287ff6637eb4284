"""Samples of a run as JSON lines, in the form of the sample logs of lm-evaluation-harness.

A folder for each subject holds a file for each of its rows: ``samples_TASK_TIME.jsonl``. A sample has a line for each
profile, which stands as ``filter``: ``strict`` and, where the published protocol was followed, ``official``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tsgkit.report.explanation import Called, readings_in
from tsgkit.report.exports.recorded_run import RecordedRun, RecordedSample, file_name, mark_of, whole
from tsgkit.report.sample_list import in_a_line
from tsgkit.runs.results import RowState
from tsgkit.suites.judgement import TwoReadings
from tsgkit.suites.metrics import PROFILES

ENDING = ".jsonl"
WHAT = "files"
SHORT = 8
"""Characters of the hash that tells two files of one name apart."""


def check() -> None:
    """Nothing is needed that could be missing."""


def names(run: RecordedRun) -> Sequence[str]:
    """Return the names of the files, one for each row."""
    return list(_named(run))


def write(run: RecordedRun, folder: Path) -> None:
    """Write the files one after the other."""
    for name, state in _named(run).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="ascii", newline="\n") as stream:
            for sample in run.samples_of(state):
                stream.writelines(json.dumps(line) + "\n" for line in lines_of(sample))


def _named(run: RecordedRun) -> dict[str, RowState]:
    """Return the rows by the names of their files."""
    found: dict[str, RowState] = {}
    time = str(run.header["begun"])[:19].replace(":", "-")
    for states in run.logs().values():
        for state in states:
            cell = state.row.cell
            repeat = f"repeat{cell.repeat + 1}" if len(states) > 1 else ""
            way = file_name(cell.task, *cell.ways, repeat)
            name = f"{file_name(cell.subject)}/samples_{way}_{file_name(time)}{ENDING}"
            if name in found:
                name = name.replace("/samples_", f"-{mark_of(run, *cell)[:SHORT]}/samples_")
            found[name] = state
    return found


def lines_of(sample: RecordedSample) -> Iterator[dict[str, Any]]:
    """Yield the line of each profile."""
    requests = list(_requests(sample.calls))
    doc, target = _doc(sample), whole(sample.key)
    arguments = {f"gen_args_{place}": _arguments(sample, calls[0]) for place, calls in enumerate(requests)}
    first = next(iter(arguments.values()), {"arg_0": ""})["arg_0"]
    readings = [readings_in(sample.row, sample.item, calls[-1].reply) for calls in requests]
    for profile in PROFILES:
        scores = sample.scores.get(profile)
        if scores is None:
            continue
        values = {name: value for name, value in scores.items() if value is not None}
        yield {
            "doc_id": sample.number,
            "doc": doc,
            "target": target,
            "arguments": arguments,
            "resps": [[one.reply.text or "" for one in calls] for calls in requests],
            "filtered_resps": _filtered(sample, readings, profile),
            "filter": profile,
            "metrics": list(values),
            "doc_hash": _hash(json.dumps(doc, indent=2, ensure_ascii=False)),
            "prompt_hash": _hash(first),
            "target_hash": _hash(target),
            **values,
            "tsgkit": _about(sample, requests),
        }


def _requests(calls: Sequence[Called]) -> Iterator[list[Called]]:
    """Yield the calls that count, the draws of one prompt together."""
    found: dict[str, list[Called]] = {}
    for one in calls:
        if not one.made_again:
            found.setdefault(one.prompt_hash or one.label, []).append(one)
    yield from found.values()


def _doc(sample: RecordedSample) -> dict[str, Any]:
    value: dict[str, Any] = whole(
        {
            "item_id": sample.item_id,
            "question": sample.row.task.view.question(sample.item),
            "reference": sample.row.task.view.value_of(sample.item),
        }
    )
    return value


def _arguments(sample: RecordedSample, call: Called) -> dict[str, Any]:
    """Return a request: its messages as JSON, as the chat models of lm-eval have them, and its parameters."""
    return {"arg_0": json.dumps(call.messages, ensure_ascii=False), "arg_1": sample.run.parameters_of(sample.row)}


def _filtered(sample: RecordedSample, readings: Sequence[TwoReadings], profile: str) -> list[str]:
    """Return what a profile reads in each request; the last of them has the sample's answer."""
    read = [_in_words(both.strict if profile == "strict" else both.official) for both in readings]
    if read and profile == "strict":
        read[-1] = in_a_line(sample.record["answer"])
    return [whole(one) for one in read]


def _in_words(reading: Any) -> str:  # noqa: ANN401  (a text, or graphs)
    if reading is None or isinstance(reading, str):
        return reading or ""
    return in_a_line([[list(triplet) for triplet in graph] for graph in reading])


def _about(sample: RecordedSample, requests: Sequence[Sequence[Called]]) -> dict[str, Any]:
    """Return what lm-eval has no field for. Each call names its place in ``resps``."""
    record, cell = sample.record, sample.row.cell
    about = {name: record[name] for name in ("outcome", "error", "cluster", "groups", "notes")}
    resps = {(one.label, one.draw): [place, n] for place, calls in enumerate(requests) for n, one in enumerate(calls)}
    calls = [
        {"label": one.label, "draw": one.draw, "ending": str(one.reply.ending), "resp": resps[one.label, one.draw]}
        for one in sample.calls
        if not one.made_again
    ]
    value: dict[str, Any] = whole({**cell.value, "run": sample.run.identity, **about, "calls": calls})
    return value


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
