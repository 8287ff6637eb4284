"""List the samples of a run, one line each: outcome, answer, key, and the reason if it is not right.

  tsgkit samples RUN --wrong                          what went wrong, the first 40
  tsgkit samples RUN --unreadable --task ma-sgg       replies that could not be read
  tsgkit samples RUN --disagree zero-shot cot         what one style got right and the other wrong
  tsgkit samples RUN --wrong --grep "left hand"       a text in the prompt, the reply or the reason

tsgkit explain RUN --item ID shows all about one. No model is called.
"""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.options import add_options
from tsgkit.cli.parser import RepeatedOption as Names
from tsgkit.cli.terminal import count, inert, say, say_json, say_lines, screen
from tsgkit.errors import GOOD, UsageError
from tsgkit.interface.options import DataOptions, RowOptions
from tsgkit.report.plain_text import abridged, code_options

if TYPE_CHECKING:
    from tsgkit.interface.run import Run, Sample, Samples

MOST = 40
ROW = ("task", "subject", "style", "solver")
"""Properties of rows by which samples are chosen."""
VALUES = ("subject", "task", "solver", "style", "repeat", "item_id", "outcome", "answer", "key", "reply", "reason")
"""The fields of a sample in JSON, beside its scores."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--wrong", action="store_true", help="those that are not fully right, answered or not")
    kinds.add_argument("--right", action="store_true", help="those that are fully right")
    kinds.add_argument("--unreadable", action="store_true", help="those whose replies could not be read")
    kinds.add_argument("--outcome", metavar="O", help="those that ended so: answered, empty, truncated, api_error, ...")
    about = "where one of two is right, both one after the other: subjects, styles, 'SUBJECT STYLE'"
    parser.add_argument("--disagree", nargs=2, metavar=("A", "B"), help=about)
    parser.add_argument("--grep", metavar="TEXT", help="with this text in the prompt, the reply or the reason")
    parser.add_argument("--task", action=Names, default=[], metavar="T", help="only of these tasks: A,B")
    add_options(parser, RowOptions, after="task", until="subject")
    parser.add_argument("--style", action=Names, default=[], metavar="S", help="only in these styles: A,B")
    add_options(parser, RowOptions, after="style", until="solver")
    parser.add_argument("--limit", type=int, default=MOST, metavar="N", help=f"so many (default {MOST}; 0: all)")
    add_options(parser, DataOptions)
    parser.add_argument("--json", action="store_true", help="print one JSON object a line instead")


def run(arguments: argparse.Namespace) -> int:
    """List samples, then the next commands."""
    from tsgkit.interface.run import open_run
    from tsgkit.report.recorded_sample import in_a_line
    from tsgkit.report.sample_text import ListedSample, listed_lines

    limit = arguments.limit
    if limit < 0:
        raise UsageError(f"--limit {limit}: from 0")
    opened = open_run(arguments.run, arguments.data)
    samples: list[Sample] = []
    number = 0
    for number, sample in enumerate(_chosen(opened, arguments), 1):
        if not limit or number <= limit:
            samples.append(sample)
    if arguments.json:
        for sample in samples:
            value = {name: getattr(sample, name) for name in VALUES}
            say_json(value | {"wrong": sample.is_wrong, "scores": sample.scores}, None, ensure_ascii=False)
        return GOOD
    if not samples:
        outcomes = Counter(sample.outcome for sample in opened.samples)
        wrong = sum(1 for _ in opened.samples.wrong)
        known = ", ".join(f"{times:,} {name}" for name, times in outcomes.most_common())
        say(f"no sample fits; of {count(outcomes.total(), 'sample')}: {known}; {wrong:,} not fully right")
        return GOOD
    cells = [result.cell for result in opened.results]
    names = [name for name in ROW if len({getattr(cell, name) for cell in cells}) > 1]  # they distinguish the rows
    width = screen().width
    short = {} if width is None else abridged(cell.subject for cell in cells)
    listed = []
    for sample in samples:
        words = [getattr(sample, name) for name in names]
        row = " ".join(short.get(word, word).removeprefix("tsg/") for word in words if word)
        key = "; ".join(filter(None, (line.strip() for line in sample.key.splitlines())))
        listed.append(ListedSample(sample.item_id, row, sample.outcome, in_a_line(sample.answer), key, sample.reason))
    say_lines(listed_lines(listed, width))
    if number > len(samples):
        say(f"... and {number - len(samples):,} more (--limit 0 shows all)")
    first = samples[0]
    narrowing = [word for name in names for word in (f"--{name}", getattr(first, name)) if getattr(first, name)]
    command = shlex.join(["tsgkit", "explain", str(opened.path), "--item", first.item_id, *narrowing, *code_options()])
    say(f"all about the first: {inert(command)}")
    return GOOD


def _chosen(opened: Run, arguments: argparse.Namespace) -> Samples:
    """Return the samples that the options mean; ``UsageError`` for a name that the run does not have."""
    from tsgkit.scoring.pooling import Outcome

    samples = opened.samples
    for name in ROW:
        wanted = getattr(arguments, name) or []
        known = sorted({getattr(result.cell, name) for result in opened.results} - {""})
        names = [wanted] if isinstance(wanted, str) else wanted
        if values := {value for text in names for value in _meant(name, text, known)}:
            samples = samples.where(lambda sample, name=name, values=values: getattr(sample, name) in values)  # type: ignore[misc]
    samples = samples.disagree(*arguments.disagree) if arguments.disagree else samples
    if arguments.outcome:
        (outcome,) = _meant("outcome", arguments.outcome, sorted(map(str, Outcome)))
        samples = samples.of(outcome=outcome)
    for name in ("wrong", "right", "unreadable"):
        samples = getattr(samples, name) if getattr(arguments, name) else samples
    return samples.grep(arguments.grep) if arguments.grep else samples


def _meant(name: str, given: str, known: list[str]) -> list[str]:
    from tsgkit.lexicon import meant

    if values := [value for value in known if value == given or (name == "task" and given in value.split("/"))]:
        return values
    raise UsageError(f"--{name} {given}: the run has none", hint=meant(given, known) if known else "")
