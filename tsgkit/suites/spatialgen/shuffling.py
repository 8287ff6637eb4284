"""Options in another order for every round, so that a judge's liking for a letter cannot look like knowing.

>>> from tsgkit.suites.spatialgen.rows import question_from
>>> question = question_from("Where?  Options: A: up, B: down, C: left, D: right, E: None", "B")
>>> order = permutation(question, seed=1, item="000001", number=2, round=0)
>>> order.record, order.shown(question).written()
('CDBA', 'Where?  Options: A: left, B: right, C: down, D: up, E: None')
>>> order.shown(question).key, order.undo("C"), order.undo("E")
('C', 'B', 'E')

The order depends on the seed, the item, the question's number (from 0) and the round alone. "None" stays last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.suites.spatialgen.rows import Question


class Permutation(NamedTuple):
    """Which option stands where: ``own[i]`` is the letter, in the data, of what is shown as ``letters[i]``."""

    letters: tuple[str, ...]
    own: tuple[str, ...]

    @property
    def record(self) -> str:
        """The order as a record keeps it: the data's letters in the order in which their options were shown."""
        return "".join(self.own)

    def shown(self, question: Question) -> Question:
        """The question as a judge sees it, its key moved along."""
        texts = {shown: question.options[own] for shown, own in zip(self.letters, self.own, strict=True)}
        key = dict(zip(self.own, self.letters, strict=True)).get(question.key, question.key)
        return replace(question, options={**question.options, **texts}, key=key)

    def undo(self, letter: str) -> str:
        """The data's letter of the option that was shown under this one; any other letter is left alone."""
        return dict(zip(self.letters, self.own, strict=True)).get(letter, letter)


def permutation(question: Question, *, seed: int, item: str, number: int, round: int) -> Permutation:  # noqa: A002
    """The order of one question's options in one round."""
    own = list(question.choices)
    Random(f"{seed}/{item}/{number}/{round}").shuffle(own)
    return Permutation(question.choices, tuple(own))


def recorded(question: Question, record: str) -> Permutation:
    """Return the order that a record tells of; letters that it does not name were shown as in the data."""
    if len(set(record)) < len(record) or not set(record) <= set(question.choices):
        found = "".join(question.choices)
        raise UsageError(f"the order {record} is none of the options {found}", hint="the data changed since the run")
    return Permutation(tuple(sorted(record)), tuple(record))


def unshuffled(questions: Iterable[Question]) -> tuple[Permutation, ...]:
    """The order of the data, for every question."""
    return tuple(Permutation(question.choices, question.choices) for question in questions)
