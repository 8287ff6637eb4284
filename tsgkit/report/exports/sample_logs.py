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

from tsgkit.graph.model import ActionGraph
from tsgkit.report.explanation import reading_value
from tsgkit.report.exports.exported_run import ExportedRun, file_name, mark_of, whole
from tsgkit.report.recorded_sample import RecordedSample, SampleCall, in_a_line
from tsgkit.runs.results import RowState
from tsgkit.suites.metrics import PROFILES

ENDING = ".jsonl"
SHORT = 8
"""Characters of the hash that tells two files of one name apart."""


def names(run: ExportedRun) -> Sequence[str]:
    """Return the names of the files, one for each row."""
    return list(_named(run))


def write(run: ExportedRun, folder: Path) -> None:
    """Write the files one after the other."""
    for name, state in _named(run).items():
        file, parameters = folder / name, run.parameters_of(state.row)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="ascii", newline="\n") as stream:
            for sample in run.recorded_of(state):
                stream.writelines(json.dumps(line) + "\n" for line in lines_of(sample, parameters))


def _named(run: ExportedRun) -> dict[str, RowState]:
    """Return the rows by the names of their files."""
    rows: dict[str, RowState] = {}
    time = file_name(str(run.header["begun"])[:19].replace(":", "-"))
    for states in run.logs().values():
        for state in states:
            cell = state.row.cell
            repeat = f"repeat{cell.repeat + 1}" if len(states) > 1 else ""
            way = file_name(cell.task, *cell.ways, repeat)
            name = f"{file_name(cell.subject)}/samples_{way}_{time}{ENDING}"
            if name in rows:
                name = name.replace("/samples_", f"-{mark_of(run.opened, *cell)[:SHORT]}/samples_")
            rows[name] = state
    return rows


def lines_of(sample: RecordedSample, parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the line of each profile: the calls that count, the draws of one prompt together as a request.

    What lm-eval has no field for stands under ``tsgkit``, where each call names its place in ``resps``.
    """
    row, record = sample.row, sample.record
    counted = [call for call in sample.calls if not call.made_again]
    by_prompt: dict[str, list[SampleCall]] = {}
    for call in counted:
        by_prompt.setdefault(call.prompt_hash or call.label, []).append(call)
    requests = list(by_prompt.values())
    question, reference = row.task.view.question(sample.item), row.task.view.value_of(sample.item)
    doc = whole({"item_id": sample.item_id, "question": question, "reference": reference})
    target = whole(sample.key)
    messages = [json.dumps(calls[0].messages, ensure_ascii=False) for calls in requests]
    readings = [calls[-1].readings for calls in requests]
    resps = {
        (call.label, call.draw): [position, n]
        for position, calls in enumerate(requests)
        for n, call in enumerate(calls)
    }
    about = {
        **row.cell.value,
        "run": sample.run.opened.header["identity"],
        **{name: record[name] for name in ("outcome", "error", "cluster", "groups", "notes")},
        "calls": [
            {
                "label": call.label,
                "draw": call.draw,
                "ending": str(call.reply.ending),
                "resp": resps[call.label, call.draw],
            }
            for call in counted
        ],
    }
    for profile in PROFILES:
        scores = sample.scores.get(profile)
        if scores is None:
            continue
        values = {name: value for name, value in scores.items() if value is not None}
        texts = [_in_words(both.strict if profile == "strict" else both.official) for both in readings]
        if texts and profile == "strict":  # the last request has the sample's answer
            texts[-1] = in_a_line(record["answer"])
        yield {
            "doc_id": sample.number_in_data,
            "doc": doc,
            "target": target,
            "arguments": {
                f"gen_args_{position}": {"arg_0": sent, "arg_1": parameters} for position, sent in enumerate(messages)
            },
            "resps": [[call.reply.text or "" for call in calls] for calls in requests],
            "filtered_resps": whole(texts),
            "filter": profile,
            "metrics": list(values),
            "doc_hash": _hash(json.dumps(doc, indent=2, ensure_ascii=False)),
            "prompt_hash": _hash(messages[0] if messages else ""),
            "target_hash": _hash(target),
            **values,
            "tsgkit": whole(about),
        }


def _in_words(reading: str | tuple[ActionGraph, ...] | None) -> str:
    return in_a_line(reading_value(reading)) if isinstance(reading, tuple) else reading or ""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
