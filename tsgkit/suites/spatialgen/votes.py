"""Votes of several rounds. A round without a readable letter counts as a vote for nothing; it is never left out.

>>> sure = Ballot("B", ("B", "B", "B", "B", None))
>>> torn = Ballot("B", ("B", "B", "A", "A", "E"))
>>> sure.right(), torn.right(), vote_curve([sure, torn])
(True, False, (1.0, 1.0, 0.5, 0.5, 0.0))
>>> single_round_accuracy([sure, torn])
0.6

Both profiles require four votes of five. The curve shows the results with other thresholds on the same rounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean

from tsgkit.scoring.agreement import Agreement, krippendorffs_alpha

ROUNDS = 5
NEEDED = 4


@dataclass(frozen=True)
class Ballot:
    """The key of one question and the letter of each round; None if a round has no readable letter.

    Missing rounds count as None: a question that was never asked is not right.
    """

    key: str
    letters: tuple[str | None, ...]
    rounds: int = ROUNDS

    @property
    def for_key(self) -> int:
        """The number of rounds that gave the key."""
        return self.letters[: self.rounds].count(self.key)

    def right(self, needed: int = NEEDED) -> bool:
        """Return True if at least ``needed`` rounds gave the key."""
        return self.for_key >= needed


def plurality(letters: Sequence[str | None]) -> str | None:
    """Return the most frequent letter (the published rule for what was seen), or None if there is a tie or no letter.

    >>> plurality(["B", "A", "B", None, "C"]), plurality(["A", "B"]), plurality([None])
    ('B', None, None)
    """
    ranked = Counter(letter for letter in letters if letter is not None).most_common(2)
    is_tied = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    return ranked[0][0] if ranked and not is_tied else None


def accuracy(ballots: Sequence[Ballot], needed: int = NEEDED) -> float | None:
    """Return the share of questions that enough rounds got right, or None if there are no questions."""
    return fmean(ballot.right(needed) for ballot in ballots) if ballots else None


def vote_curve(ballots: Sequence[Ballot], rounds: int = ROUNDS) -> tuple[float | None, ...]:
    """Return the share of right questions if one round is enough, two, and so on up to all. It never rises."""
    return tuple(accuracy(ballots, needed) for needed in range(1, rounds + 1))


def single_round_accuracy(ballots: Sequence[Ballot]) -> float | None:
    """Return the mean accuracy of a single round, that is, without voting."""
    asked = sum(ballot.rounds for ballot in ballots)
    return sum(ballot.for_key for ballot in ballots) / asked if asked else None


def agreement_between_rounds(ballots: Sequence[Ballot], rounds: int = ROUNDS) -> Agreement:
    """Return Krippendorff's alpha with rounds as raters of the questions. An unreadable letter is a missing rating.

    The letters must be those of the data: undo shuffled options first.

    >>> agreement_between_rounds([Ballot("B", ("B",) * 5), Ballot("C", ("A",) * 5)]).value
    1.0
    """
    raters = [
        {
            number: ballot.letters[place] if place < len(ballot.letters) else None
            for number, ballot in enumerate(ballots)
        }
        for place in range(rounds)
    ]
    return krippendorffs_alpha(raters)


def right_by_chance(options: int, rounds: int = ROUNDS, needed: int = NEEDED) -> float:
    """Return the probability that random letters pass the vote: under one per cent for five options.

    >>> round(right_by_chance(5), 5)
    0.00672
    """
    chance = 1 / options
    return sum(comb(rounds, k) * chance**k * (1 - chance) ** (rounds - k) for k in range(needed, rounds + 1))
