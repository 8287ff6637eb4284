"""Results of the official code of a task, beside those of runs.

    for row in official_rows(Path("runs/mine"), Path("results/Holodeck")):
        print(row.theirs, len(row.pairs), *row.notes)

Subjects are paired by name. Where a run and a folder have one subject each, these are compared whatever their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.lexicon import listed
from tsgkit.report.plain_text import count
from tsgkit.report.report_rows import PublishedFigure, PublishedMatch, Report, ReportRow
from tsgkit.runs.records import record_of, scores_of
from tsgkit.runs.results import NOWHERE
from tsgkit.runs.run_setup import PlannedRow
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.suites.task import OfficialResults
from tsgkit.suites.transcript import Transcript

DECIMALS = 3
"""Scores of an item that are equal in so many decimals do not differ."""


class RecordPair(NamedTuple):
    """An item with our record, and one of the same form with the official results."""

    sample: Any
    ours: Mapping[str, Any]
    theirs: Mapping[str, Any]


class OfficialRow(NamedTuple):
    """A row of a run beside the official results on the same subject."""

    row: PlannedRow
    theirs: str
    """The subject of the official results."""
    pairs: Mapping[str, RecordPair]
    """The items that both sides have."""
    notes: tuple[str, ...]
    """The items that are not compared, counted and named."""


def official_rows(
    run: Path, folder: Path, data: str | None = None, subject: str | None = None
) -> Iterator[OfficialRow]:
    """Yield the rows of a run whose subjects have official results in a folder."""
    with open_saved_run(run, data) as saved:
        rows = [saved.states[cell].row for cell in saved.cells(subject)]
        readers = {row.cell.task: read for row in rows if (read := row.task.official.results) is not None}
        rows = [row for row in rows if row.cell.task in readers]
        if not rows:
            words = f"{folder}: no results of the official code of a task of {run}"
            raise UsageError(words, hint="those of sceneeval are read; tsgkit runs list shows the runs")
        results: dict[str, Sequence[OfficialResults]] = {}
        for row in rows:
            samples = {row.dataset.item_ids[number]: row.dataset.sample(number) for number in row.numbers}
            if row.cell.task not in results:
                results[row.cell.task] = readers[row.cell.task](row.task, folder, samples.values())
            theirs = _partner(row.cell.subject, [each.cell.subject for each in rows], results[row.cell.task], folder)
            if theirs is None:
                continue
            pairs: dict[str, RecordPair] = {}
            alone: dict[str, list[str]] = {"scenes only here": [], "scenes not judged here yet": []}
            for (item, sample), offset in zip(samples.items(), saved.states[row.cell].places, strict=True):
                if (judged := theirs.judged.get(item)) is None:
                    alone["scenes only here"].append(item)
                elif offset == NOWHERE:
                    alone["scenes not judged here yet"].append(item)
                else:
                    record = record_of(row.cell, judged, Transcript(()))
                    pairs[item] = RecordPair(sample, saved.samples.read(offset), record)
            notes = tuple(note(kind, names) for kind, names in (alone | dict(theirs.problems)).items() if names)
            if not pairs:
                words = f"{folder}: no scene of the run has results on {theirs.subject}"
                raise UsageError(words, hint="; ".join(notes))
            yield OfficialRow(row, theirs.subject, pairs, notes)


def _partner(
    subject: str, subjects: Sequence[str], results: Sequence[OfficialResults], folder: Path
) -> OfficialResults | None:
    """Return the results on a subject; None if there are only results on other subjects of the run."""
    theirs = {result.subject: result for result in results}
    ours = dict.fromkeys(subjects)
    if not theirs.keys() & ours.keys():
        if len(theirs) == len(ours) == 1:
            return results[0]
        words = f"{folder}: results on {', '.join(theirs)}, while the run has {', '.join(ours)}"
        raise UsageError(words, hint=f"they are paired by name: --scenes {next(iter(theirs))}=DIR")
    partner = theirs.get(subject)
    alone = [name for name in theirs if name not in ours]
    return partner and replace(partner, problems={**partner.problems, "subjects only there": alone})


def note(kind: str, names: Sequence[str]) -> str:
    """Return a count with the first names.

    >>> note("scenes only there", ["4", "7"])
    'scenes only there: 2 (4, 7)'
    """
    return f"{kind}: {len(names):,} ({listed(names)})"


def against_official(report: Report, folder: Path) -> Report:
    """Return the report with the official results in a folder beside every row that there are some for."""
    rows = {(row.run, row.cell): row for row in report.rows}
    return replace(
        report,
        beside=tuple(
            _match(rows[run, official.row.cell], official, folder)
            for run in report.runs
            for official in official_rows(Path(run), folder, report.data)
        ),
    )


def _match(shown: ReportRow, official: OfficialRow, folder: Path) -> PublishedMatch:
    """Return a row over the items that both sides have, each metric over the items that have an official result."""
    row, names, pairs = official.row, tuple(shown.metrics), official.pairs
    ours, theirs = row.task.tally(), row.task.tally()
    differing: dict[str, dict[str, str]] = {}
    for item, pair in pairs.items():
        measured = [name for name in names if name in pair.theirs["parts"]["official"]]
        ours.add(pair.ours["cluster"], scores_of(pair.ours, measured), pair.ours["counts"])
        theirs.add(pair.ours["cluster"], scores_of(pair.theirs, measured), pair.theirs["counts"])
        for name in measured:
            here, there = (_score(record["parts"].get("official", {}).get(name)) for record in pair[1:])
            if here != there:
                differing.setdefault(item, {})[name] = f"{name} {here} here, {there} there"
    board, their_board = (row.task.board(tally, row.solver, shown.seed, only=names) for tally in (ours, theirs))
    figures = tuple(
        PublishedFigure("official code", official.theirs, name, value.value, len(pairs), "", value.is_share)
        for name in names
        if (value := their_board.value(name, "official")) is not None
    )
    differences = list(official.notes)
    if differing:
        counts = Counter(name for words in differing.values() for name in words)
        listed = ", ".join(f"{name} in {counts[name]:,}" for name in names if name in counts)
        differences.append(f"figures of {count(len(pairs), 'scene')}: {listed}")
    differences += [f"scene {item}: {'; '.join(words.values())}" for item, words in differing.items()]
    ours_alone = replace(shown, board=board, unasked=0)
    return PublishedMatch(ours_alone, official.theirs, figures, tuple(differences), str(folder), are_results=True)


def _score(part: Sequence[float] | None) -> str:
    return f"{round(part[0], DECIMALS):g}/{part[1]:g}" if part and part[1] else "none"
