"""The part of a task that solvers need: answers are read and scored, and can be voted on or drafted.

A task is ``Answerable`` if its suite can read and score replies, ``Votable`` if several answers to one item can be
combined (``vote:N``), and ``Draftable`` if an answer is the graphs of a sentence (``agent``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judgement import Judged, Sample
from tsgkit.suites.replies import Reply

Item = TypeVar("Item", bound=Sample)
Answer = TypeVar("Answer")
ItemIn = TypeVar("ItemIn", bound=Sample, contravariant=True)


class Reading(NamedTuple, Generic[Answer]):
    """The outcome of an item, and its answer or the reason why there is none."""

    outcome: Outcome
    answer: Answer


class AsAsked(NamedTuple):
    """The one reply that a published reader sees, and its style."""

    reply: Reply | None
    style: str


class Answerable(Protocol[ItemIn, Answer]):
    """A task whose replies can be read and scored."""

    @property
    def name(self) -> str:
        """The task as its suite declares it: ``tsg/sgqa``."""

    def read(self, item: ItemIn, reply: Reply | None) -> Reading[Answer]:
        """Read a reply (None: there is none) to an item."""

    def score(self, item: ItemIn, reading: Reading[Answer], asked: AsAsked | None) -> Judged:
        """Score an answer. ``asked`` is None if it was not read from one reply; official figures then do not apply."""

    def length(self, item: ItemIn) -> tuple[int, int]:
        """Return how many characters a right reply has, at least and at most, beside any reasoning."""

    def unpublished(self, style: str, solver: str) -> str:
        """Return why replies asked for in this way have no official figures; empty where they have."""


@runtime_checkable
class Votable(Answerable[ItemIn, Answer], Protocol[ItemIn, Answer]):
    """A task whose answers can be put to a vote."""

    def vote(self, item: ItemIn, answers: Sequence[Answer]) -> Reading[Answer]:
        """Combine the answers of one or more draws into one, which may be that there is no majority."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """The input for writing or repairing the graphs of a sentence."""

    sentence: str
    context: tuple[str, ...] = ()
    """The sentences before."""
    vocabulary: Vocabulary | None = None
    """The allowed names of nodes and edges; None if any name is allowed."""
    k: int = 1
    """How many graphs are asked for."""
    begins: bool
    """True if nothing happened before the sentence, so that the hands are free; else their content is unknown."""
    spoilt: ActionGraph | None = None
    """The graph to be mended; None where graphs are to be written."""
    hints: tuple[str, ...] = ()
    """The kinds of errors in it, if given: values of :class:`~tsgkit.graph.corruptions.Corruption`."""
    right: tuple[ActionGraph, ...] = ()
    """The right graphs, by which sizes are estimated; no prompt shows them."""


@runtime_checkable
class Draftable(Answerable[ItemIn, Answer], Protocol[ItemIn, Answer]):
    """A task whose answers are graphs of a sentence, as agents write and mend them."""

    def draft(self, item: ItemIn) -> Draft:
        """Return an agent's input for an item."""
