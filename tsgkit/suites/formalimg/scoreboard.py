"""Scores a file of layouts against a file of items, in both profiles, and says what lies behind the numbers.

A reply is a string (what a model said) or the list of objects itself; ``[]`` is the empty scene. What the published
code leaves out is counted and told.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.notation.json_triplets import kind_of
from tsgkit.lexicon import meant
from tsgkit.scoring.tally import Tally
from tsgkit.suites.formalimg import predicates
from tsgkit.suites.formalimg.judging import judge_reply
from tsgkit.suites.formalimg.metrics import published
from tsgkit.suites.formalimg.rows import KNOLLING, NATURAL, FormulaSample, Rows, read_samples
from tsgkit.suites.item_errors import scored
from tsgkit.suites.judged import Judged
from tsgkit.suites.metrics import Metric, columns_of
from tsgkit.suites.replies import read_replies
from tsgkit.suites.scoreboard import Board, Rules, ScoreReport, add_judged
from tsgkit.suites.scoreboard import board_of as made_board
from tsgkit.suites.styles import style_of

GROUPS = ("k", "quantifier", "scenario", "predicate")
NOTHING_COUNTED = "the published code counts no item"
NO_LAYOUT = "no layout can be verified for them"
LEFT_OUT = "left out, as published, for want of a reply or a verdict"


def unpublished(style: str) -> str:
    """Why replies asked for in a style have no official figures; empty where they have."""
    return "replies in a JSON schema were not asked for in the published way" if style == "structured" else ""


def text_of_reply(value: object) -> str | None:
    """The text that a reply stands for; a list of objects is one as a model would write it.

    >>> text_of_reply([{"label": "cup"}]), text_of_reply("[]"), text_of_reply([])
    ('[{"label": "cup"}]', '[]', '[]')
    """
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, list):
        found = kind_of(value)
        raise NotationError(f"not a reply: reply: expected a string, a list of objects, or null, found {found}")
    if any(isinstance(one, str) for one in value):
        raise NotationError("not a reply: reply: expected a list of objects, found strings in it: one reply an item")
    return json.dumps(value)


def tally_for(metrics: Mapping[str, Metric]) -> Tally:
    """An empty tally of these metrics in both profiles."""
    theirs = {name: metrics[name] for name in published(metrics)}
    return Tally({"strict": columns_of(metrics), "official": columns_of(theirs)})


def board_of(
    tally: Tally,
    metrics: Mapping[str, Metric],
    seed: int,
    *,
    unpublished: str = "",
    only: Collection[str] | None = None,
) -> Board:
    """The values of a tally; ``only`` names the metrics wanted (None: all), as intervals take time."""
    skipped = tally.counts["skipped_official"]
    rules = Rules(
        metrics={name: metric for name, metric in metrics.items() if only is None or name in only},
        published=published(metrics),
        unpublished=unpublished,
        without_weight=NOTHING_COUNTED,
        own_reasons={"official.n": f"{LEFT_OUT}: {skipped}; strict counts these as wrong"} if skipped else {},
        seed=seed,
    )
    board = made_board(tally, rules)
    return replace(board, counts=board.counts | {"undecided": board.counts.get("undecided", 0)})


def score(
    metrics: Mapping[str, Metric],
    data: str | Path,
    replies: str | Path,
    *,
    style: str = "zero-shot",
    by: Sequence[str] = (),
    seed: int = 0,
) -> ScoreReport:
    """Score collected layouts."""
    style_of(style)
    for group in by:
        if group not in GROUPS:
            raise UsageError(f"there is no group {group}", hint=meant(group, GROUPS))
    every = read_samples(data, needs_prompts=False)
    rows = Rows(str(data), every, KNOLLING)
    found = read_replies(replies, [sample.item_id for sample in every], text_of_reply)
    everything = tuple(scored(judge_reply, sample, found.get(sample.item_id)).judged for sample in rows)
    why = unpublished(style)
    board = _board(everything, metrics, seed, why)
    groups = {group: boards_by(group, everything, metrics, seed, why) for group in by}
    unused = sum(sample.scenario == NATURAL and sample.item_id in found for sample in every)
    notes = rows.told(f"{NO_LAYOUT}; so are the replies to them: {unused}" if unused else NO_LAYOUT)
    return ScoreReport("formalimg/layout", style, seed, metrics, board, groups, everything, notes)


def boards_by(
    group: str, judged: Iterable[Judged], metrics: Mapping[str, Metric], seed: int, unpublished: str
) -> dict[str, Board]:
    """A board for each member of a group."""
    members: dict[str, list[Judged]] = {}
    for one in judged:
        for name in one.sample.groups[group]:
            if (part := _part(one, group, name)) is not None:
                members.setdefault(name, []).append(part)
    only = predicates.METRICS if group == predicates.GROUP else None
    return {name: _board(members[name], metrics, seed, unpublished, only) for name in in_order(members)}


def _part(judged: Judged, group: str, name: str) -> Judged | None:
    """What counts of an item for a member of a group: of predicates, the clauses about one."""
    if group != predicates.GROUP:
        return judged
    assert isinstance(judged.sample, FormulaSample)  # noqa: S101  (this suite judged it)
    part = predicates.part_of(judged.sample, judged.evidence, name)
    return None if part is None else replace(judged, scores=part.scores, counts=judged.counts | part.counts)


def in_order(members: Iterable[str]) -> list[str]:
    """Numbers by size, then names."""
    return sorted(members, key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0, name))


def _board(
    judged: Iterable[Judged],
    metrics: Mapping[str, Metric],
    seed: int,
    unpublished: str,
    only: Collection[str] | None = None,
) -> Board:
    return board_of(add_judged(tally_for(metrics), judged), metrics, seed, unpublished=unpublished, only=only)
