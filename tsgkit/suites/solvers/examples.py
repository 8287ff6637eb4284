"""Worked examples for few-shot prompts, chosen by seed from a pool that does not overlap with the data.

The choice depends on the seed and the items' ids only, and fewer shots are a prefix of more, so that an ablation adds
examples to the previous ones.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.library.projects import find

MOST_NAMED = 3


@dataclass(frozen=True)
class WorkedExample:
    """An item with its right answer, and the reasoning that leads to it (may be empty)."""

    item: Any
    answer: str
    rationale: str = ""
    source: str = ""
    """The row of the example, if one row makes several items."""


class Identity(NamedTuple):
    """The identity of an item without its id: its content, and its scenarios."""

    contents: tuple[Hashable, ...]
    scenarios: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pool:
    """The examples of a file."""

    file: str
    examples: tuple[WorkedExample, ...]
    identity: Callable[[Any], Identity]
    lot: str = ""
    """A name mixed into the random choice beside seed and id."""

    def chosen(self, shots: int, seed: int, items: Iterable[Any]) -> tuple[WorkedExample, ...]:
        """Return a number of examples, after checking that the whole pool does not overlap with the items."""
        if not shots:
            return ()
        self.check_disjoint(items)
        return self.drawn(shots, seed)

    def drawn(self, shots: int, seed: int = 0) -> tuple[WorkedExample, ...]:
        """Return the examples that a seed chooses, the same for all items; those of one row one after the other."""
        if shots < 0:
            raise UsageError(f"--shots {shots}: the number of examples is not negative")
        if shots > len(self.examples):
            raise UsageError(
                f"{self.file}: the pool has {len(self.examples)}, --shots {shots} asks for more",
                hint=f"ask for at most {len(self.examples)}, or add examples to the pool",
            )

        def lot(example: WorkedExample) -> bytes:
            name = f"{seed}\n{self.lot}{example.item.item_id}"
            return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()

        turns = Counter[str]()
        placed: list[tuple[int, WorkedExample]] = []  # a second one of a row comes when every other row had its turn
        for example in sorted(self.examples, key=lot):
            placed.append((turns[example.source], example))
            turns[example.source] += bool(example.source)
        return tuple(example for _, example in sorted(placed, key=lambda turn: turn[0])[:shots])

    def check_disjoint(self, items: Iterable[Any]) -> None:
        """Refuse a pool with examples of scenarios that are asked about, or that are themselves asked."""
        contents: dict[Hashable, str] = {}
        scenarios: dict[str, str] = {}
        for example in self.examples:
            known = self.identity(example.item)
            for content in known.contents:
                contents.setdefault(content, example.item.item_id)
            for name in known.scenarios:
                scenarios.setdefault(name, example.item.item_id)
        clashes: dict[str, str] = {}  # by example, with the first item that it clashes with
        for item in items:
            traits = self.identity(item)
            duplicate = next((contents[content] for content in traits.contents if content in contents), None)
            shared = next((name for name in traits.scenarios if name in scenarios), None)
            example_id = duplicate or (scenarios[shared] if shared is not None else None)
            if example_id is None or example_id in clashes:
                continue
            of = f" {shared}" if shared and len(shared) <= 60 else ""
            alike = f"example {example_id} and item {item.item_id} are of one scenario{of}"
            clashes[example_id] = f"example {example_id} is item {item.item_id}" if duplicate else alike
            if len(clashes) > MOST_NAMED:
                break
        if clashes:
            more = "; and more" if len(clashes) > MOST_NAMED else ""
            raise UsageError(
                f"examples must share nothing with the data: {'; '.join([*clashes.values()][:MOST_NAMED])}{more}",
                hint="take examples of other items and scenarios than those that are asked about",
            )


def pool_file(card: Card) -> Traversable:
    """Return the file of a card's examples."""
    if card.examples is None:
        raise UsageError(f"{card.source}: the card names no examples", hint="add a field examples, or ask zero-shot")
    return find("tasks", card.examples)


def folded(text: str) -> str:
    """Return a text as contents are compared: without capitals and spare spaces."""
    return " ".join(text.lower().split())
