"""From tallied pictures to values: as everywhere, but that the published figures are rounded before means are taken."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from statistics import fmean

from tsgkit.scoring.tally import Tally
from tsgkit.suites.metrics import columns_of
from tsgkit.suites.scoreboard import Board, Rules, Value
from tsgkit.suites.scoreboard import board_of as made_board
from tsgkit.suites.spatialgen.judging import SHOWN_BY_POSITION
from tsgkit.suites.spatialgen.metrics import METRICS, PUBLISHED

NOTHING_COUNTED = "the published code counts no picture: none has five replies of ten lines"
LEFT_OUT = "left out, as published (E1), for want of a picture or of five replies of ten lines"
PAIRED = "pictures are paired with items by sorted position, as published (E3); shown a file not named after them"
OWN_COUNTS = ("questions", "votes", "votes_unread", "votes_none", "replies_rejected", SHOWN_BY_POSITION)
"""Counted besides: questions; votes wanted, without a letter, for "None"; replies that the published code rejects;
items shown a file that is not named after them."""


def tally_for() -> Tally:
    """An empty tally in both profiles."""
    theirs = {name: METRICS[name] for name in PUBLISHED}
    return Tally({"strict": columns_of(METRICS), "official": columns_of(theirs)})


def board_of(tally: Tally, seed: int, *, unpublished: str = "", only: Collection[str] | None = None) -> Board:
    """The values of a tally; ``only`` names the metrics wanted (None: all), as intervals take time."""
    skipped = tally.counts["skipped_official"]
    rules = Rules(
        metrics={name: metric for name, metric in METRICS.items() if only is None or name in only},
        published=PUBLISHED,
        unpublished=unpublished,
        without_weight=NOTHING_COUNTED,
        own_reasons={"official.n": f"{LEFT_OUT}: {skipped}; strict counts these as wrong"} if skipped else {},
        seed=seed,
    )
    board = made_board(tally, rules)
    if (official := board.profiles["official"]) is not None:
        rounded = {name: _rounded(name, value, tally) for name, value in official.items()}
        board = replace(board, profiles=board.profiles | {"official": rounded})
    counts = board.counts | {name: board.counts.get(name, 0) for name in OWN_COUNTS}
    pairing = {"pairing": f"{PAIRED}: {shifted} of {board.n}"} if (shifted := counts[SHOWN_BY_POSITION]) else {}
    return replace(board, counts=counts, reasons=board.reasons | pairing)


def _rounded(name: str, value: Value | None, tally: Tally) -> Value | None:
    """A published figure: columns to three digits, and means of those."""
    if value is None:
        return None
    shares = [_share(tally, column) for column in METRICS[name].made_of or (name,)]
    return replace(value, value=fmean(round(share, 3) for share in shares))


def _share(tally: Tally, column: str) -> float:
    parts = tally.parts("official", column)
    return sum(part.sum for part in parts) / sum(part.weight for part in parts)
