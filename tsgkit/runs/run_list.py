"""Runs in a folder: those that can be shown, and the problems of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem, UsageError
from tsgkit.runs.folder import HEADER, RECORDS, SAMPLES, SHARD, check_evaluation, check_number, read_header, samples_in
from tsgkit.runs.plan import Cell
from tsgkit.scoring.pooling import FAILURES, Outcome


class Listing(NamedTuple):
    """The runs of a folder, the latest last, and the problems of files that hold none."""

    runs: list[dict[str, Any]]
    problems: list[FileProblem]


def runs_in(folder: Path) -> Listing:
    """List the runs in a folder, or the run that it is; folders of agents and other formats are skipped."""
    if (folder / HEADER).is_file():
        return Listing([_summary(folder)], [])
    runs: list[dict[str, Any]] = []
    problems: list[FileProblem] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if (path / HEADER).is_file():
            try:
                if "plan" in read_header(path):  # the calls of an agent have none
                    runs.append(_summary(path))
            except FileProblem as problem:
                problems.append(problem)
            except UsageError:  # another format
                continue
    return Listing(sorted(runs, key=lambda run: str(run["begun"])), problems)


def _summary(path: Path) -> dict[str, Any]:
    header = read_header(path)
    plan = check_evaluation(header, path)
    ended, outcomes = dict[str, bool](), dict[str, set[str]]()
    for _, value in samples_in(path / SAMPLES):
        outcomes.setdefault(value["subject"], set()).add(value["outcome"])
        ended[repr((Cell.of(value), value["item_id"]))] = value["outcome"] not in FAILURES
    check_number(len(ended), header.get(RECORDS, 0), path / SAMPLES)
    return {
        "run": str(path),
        "identity": header["identity"],
        "begun": header["begun"],
        "styles": list(plan.styles),
        "limit": plan.limit,
        "first": plan.first,
        "models": list(plan.models),
        "tasks": list(plan.tasks),
        "samples": header["samples"],
        "recorded": sum(ended.values()),
        "never_answered": [subject for subject, ends in outcomes.items() if ends == {Outcome.API_ERROR}],
        "shard": header.get(SHARD),
    }
