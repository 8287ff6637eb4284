"""The metrics, based on questions whose keys enough rounds gave, and the scoreboard.

>>> METRICS["foundation"].made_of, METRICS["accuracy"].made_of[-1], PUBLISHED[-2:]
(('object', 'attribute'), 'causal', ('accuracy', 'spatial'))

The scoreboard is built as in other suites, except that published scores are rounded before means are taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import fmean

from tsgkit.scoring.combination import mean_of_all
from tsgkit.scoring.tally import Tally
from tsgkit.suites.metrics import Metric
from tsgkit.suites.scoreboard import Board, Value
from tsgkit.suites.spatialgen.terms import DOMAINS, MEANING, SUB_DOMAINS
from tsgkit.suites.spatialgen.votes import NEEDED, ROUNDS

COLUMNS = tuple(name.lower() for name in SUB_DOMAINS)
"""The metrics of the ten sub-domains, in the order of the questions."""
VOTES = tuple(f"votes_{needed}" for needed in range(1, ROUNDS + 1))
ACCURACY, SINGLE, AGREE = "accuracy", "single_round", "rounds_agree"


def _mean(meaning: str, names: tuple[str, ...], *, is_headline: bool = True) -> Metric:
    return Metric(meaning, is_headline=is_headline, made_of=names, made_by=mean_of_all)


def _extra(meaning: str) -> Metric:
    return Metric(meaning, is_headline=False)


METRICS = {
    **{
        domain.lower(): _mean(f"mean of {' and '.join(names)}", tuple(name.lower() for name in names))
        for domain, names in DOMAINS.items()
    },
    **{column: Metric(MEANING[name]) for column, name in zip(COLUMNS, SUB_DOMAINS, strict=True)},
    ACCURACY: _mean(f"questions whose key {NEEDED} of {ROUNDS} rounds said, mean of the ten sub-domains", COLUMNS),
    "spatial": _mean("mean of the eight sub-domains after the first two", COLUMNS[2:], is_headline=False),
    SINGLE: _extra("what one round alone gets, on average: no vote"),
    **{name: _extra(f"questions whose key at least {name[-1]} of {ROUNDS} rounds said") for name in VOTES},
    AGREE: _extra("pairs of rounds that say the same of a question, right or not"),
}
SHOWN_BY_POSITION = "shown_by_position"
"""The name of the count of items that were shown a file not named after them."""
PUBLISHED = (*(domain.lower() for domain in DOMAINS), *COLUMNS, ACCURACY, "spatial")
"""The metrics that the published code or paper computes from votes."""


NOTHING_COUNTED = "the published code counts no image: none has five replies of ten lines"
LEFT_OUT = "left out, as published (E1), for want of an image or of five replies of ten lines"
PAIRED = "images are paired with items by sorted position, as published (E3); shown a file not named after them"
OWN_COUNTS = ("questions", "votes", "votes_unread", "votes_none", "replies_rejected", SHOWN_BY_POSITION)
"""Names of further counts: questions; expected votes, votes without a letter, votes for "None"; replies that the
published code rejects; items that were shown a file not named after them."""


def reasons(style: str, tally: Tally) -> Mapping[str, str]:
    """Return why the published scores rest on fewer images than there are items."""
    skipped = tally.counts["skipped_official"]
    return {"official.n": f"{LEFT_OUT}: {skipped}; strict counts these as wrong"} if skipped else {}


def finish(board: Board, tally: Tally) -> Board:
    """Return the scoreboard with rounded published scores, all counts of this suite, and the pairing of images."""
    if (official := board.profiles["official"]) is not None:
        rounded = {name: _rounded(name, value, tally) for name, value in official.items()}
        board = replace(board, profiles=board.profiles | {"official": rounded})
    if shifted := board.counts.get(SHOWN_BY_POSITION, 0):
        board = replace(board, reasons=board.reasons | {"pairing": f"{PAIRED}: {shifted} of {board.n}"})
    return board.with_counts(*OWN_COUNTS)


def _rounded(name: str, value: Value | None, tally: Tally) -> Value | None:
    """Return a published score: columns rounded to three digits, and means of those."""
    if value is None:
        return None
    shares = [_share(tally, column) for column in METRICS[name].made_of or (name,)]
    return replace(value, value=fmean(round(share, 3) for share in shares))


def _share(tally: Tally, column: str) -> float:
    parts = tally.parts("official", column)
    return sum(part.sum for part in parts) / sum(part.weight for part in parts)
