"""Scores a file of replies against a file of data, in both profiles, and says what lies behind the numbers.

What the published code would not have counted, or crashed on, is a count or a reason, never a gap.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.library.documents.reading import read_file
from tsgkit.scoring.tally import Tally
from tsgkit.suites.item_errors import scored
from tsgkit.suites.judged import Judged
from tsgkit.suites.metrics import columns_of
from tsgkit.suites.replies import read_replies
from tsgkit.suites.scoreboard import Board, Rules, ScoreReport, add_judged
from tsgkit.suites.scoreboard import board_of as made_board
from tsgkit.suites.tsg.grouping import check_group, groups_of, in_order
from tsgkit.suites.tsg.judging import NO_READER, REASONING_STYLES, judge, unpublished
from tsgkit.suites.tsg.metrics import METRICS, PUBLISHED, STYLES
from tsgkit.suites.tsg.samples import AnySample, is_single, samples_of

SUITE = "tsg/"
NO_GRAPH = "no graph was found in any reply: the published code divides by zero here"
MOST_NAMED = 3
VIEW = "the published reader is shown what follows the last answer label"


def score(
    task: str,
    data: str | Path,
    replies: str | Path,
    *,
    style: str = "zero-shot",
    by: Sequence[str] = (),
    seed: int = 0,
) -> ScoreReport:
    """Score collected replies to a task (``sgqa``, ``ma-sgg``, ``refine`` ...)."""
    task = task.removeprefix(SUITE)
    _check_choice("style", style, STYLES)
    samples = samples_of(read_file(data), task)
    for group in by:
        check_group(group, task)
    if not samples:
        raise UsageError(f"{data}: there are no items in it")
    found = read_replies(replies, [sample.item_id for sample in samples])
    judging = functools.partial(judge, style=style)
    judged = [(sample, scored(judging, sample, found.get(sample.item_id)).judged) for sample in samples]
    everything = tuple(one for _, one in judged)
    groups = {group: _boards_by(group, judged, task, style, seed) for group in by}
    board = _board(everything, task, style, seed)
    notes = tuple(_single_items(samples))
    return ScoreReport(SUITE + task, style, seed, METRICS[task], board, groups, everything, notes)


def _single_items(samples: Sequence[AnySample]) -> Iterator[str]:
    """Note the items of one graph in a task of several."""
    single = [sample.item_id for sample in samples if is_single(sample)]
    if single:
        items = "1 item" if len(single) == 1 else f"{len(single):,} items"
        more = f" and {len(single) - MOST_NAMED:,} more" if len(single) > MOST_NAMED else ""
        named = ", ".join(single[:MOST_NAMED])
        yield f"{items} of one graph among items of several, scored as k = 1: {named}{more}"


def _check_choice(what: str, given: str, choices: Sequence[str]) -> None:
    if given not in choices:
        raise UsageError(f"there is no {what} {given}", hint=f"choose from {', '.join(choices)}")


def tally_for(task: str) -> Tally:
    """An empty tally of a task's metrics in both profiles."""
    return Tally({"strict": columns_of(METRICS[task]), "official": PUBLISHED.get(task, ())})


def board_of(
    tally: Tally,
    task: str,
    seed: int,
    *,
    style: str = "zero-shot",
    unpublished: str = "",
    only: Collection[str] | None = None,
) -> Board:
    """The values of a tally in both profiles; ``unpublished`` says why official figures do not apply.

    ``only`` names the metrics wanted (None: all); intervals take time, and none is made for the others.
    """
    rules = Rules(
        metrics={name: metric for name, metric in METRICS[task].items() if only is None or name in only},
        published=PUBLISHED.get(task, ()),
        unpublished=unpublished if task in PUBLISHED else NO_READER,
        without_weight=NO_GRAPH,
        own_reasons={"official.view": f"style {style}: {VIEW}"} if style in REASONING_STYLES else {},
        seed=seed,
    )
    return made_board(tally, rules)


def _boards_by(
    group: str, judged: Sequence[tuple[AnySample, Judged]], task: str, style: str, seed: int
) -> dict[str, Board]:
    members: dict[str, list[Judged]] = {}
    for sample, one in judged:
        for name in groups_of(sample, group):
            members.setdefault(name, []).append(one)
    return {name: _board(members[name], task, style, seed) for name in in_order(members, group)}


def _board(judged: Iterable[Judged], task: str, style: str, seed: int) -> Board:
    return board_of(add_judged(tally_for(task), judged), task, seed, style=style, unpublished=unpublished(style))
