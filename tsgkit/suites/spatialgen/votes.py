"""Votes of several rounds as we trust them: a round without a readable letter is a vote for nothing, never left out.

>>> sure = Ballot("B", ("B", "B", "B", "B", None))
>>> torn = Ballot("B", ("B", "B", "A", "A", "E"))
>>> sure.right(), torn.right(), vote_curve([sure, torn])
(True, False, (1.0, 1.0, 0.5, 0.5, 0.0))
>>> single_round_accuracy([sure, torn])
0.6

``official`` demands four votes of five and so do we; the curve shows what one, two, three and five would have made of
the same rounds.
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
    """The key of one question and what each round said; None where a round said nothing that could be read.

    Fewer rounds than were wanted are filled up with None: a question that was never asked is not right.
    """

    key: str
    letters: tuple[str | None, ...]
    rounds: int = ROUNDS

    @property
    def for_key(self) -> int:
        """How many rounds said the key."""
        return self.letters[: self.rounds].count(self.key)

    def right(self, needed: int = NEEDED) -> bool:
        """Whether at least so many rounds said the key."""
        return self.for_key >= needed


def plurality(letters: Sequence[str | None]) -> str | None:
    """Return the letter said most often, the published rule for what was seen; None where two are, or none was read.

    >>> plurality(["B", "A", "B", None, "C"]), plurality(["A", "B"]), plurality([None])
    ('B', None, None)
    """
    ranked = Counter(letter for letter in letters if letter is not None).most_common(2)
    is_tied = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    return ranked[0][0] if ranked and not is_tied else None


def accuracy(ballots: Sequence[Ballot], needed: int = NEEDED) -> float | None:
    """The share of questions that enough rounds got right; None of no questions."""
    return fmean(ballot.right(needed) for ballot in ballots) if ballots else None


def vote_curve(ballots: Sequence[Ballot], rounds: int = ROUNDS) -> tuple[float | None, ...]:
    """The share of right questions if one round were enough, two, and so on up to all; it never rises."""
    return tuple(accuracy(ballots, needed) for needed in range(1, rounds + 1))


def single_round_accuracy(ballots: Sequence[Ballot]) -> float | None:
    """The mean accuracy of one round: what would be measured without voting."""
    asked = sum(ballot.rounds for ballot in ballots)
    return sum(ballot.for_key for ballot in ballots) / asked if asked else None


def agreement_between_rounds(ballots: Sequence[Ballot], rounds: int = ROUNDS) -> Agreement:
    """Krippendorff's alpha of the rounds as raters of the questions; what could not be read is a missing rating.

    Undo shuffled options before: the letters are those of the data.

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
    """How often a letter drawn anew every round passes the vote: under one per cent for five options.

    >>> round(right_by_chance(5), 5)
    0.00672
    """
    chance = 1 / options
    return sum(comb(rounds, k) * chance**k * (1 - chance) ** (rounds - k) for k in range(needed, rounds + 1))
