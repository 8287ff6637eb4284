"""Prompts that are true of the pictures made from them: material to train image models on.

>>> from tsgkit.suites.spatialgen.rows import question_from, row_of
>>> asked = question_from("Where?  Options: A: up, B: down, E: None", "A", "Position")
>>> row = row_of("000001", "Park", "A kite is up.", [asked])
>>> facts = facts_of(row, ["B"])
>>> facts[0].is_seen, shown(facts)
(False, '- Position: Where? The text wants: up. In the picture: down.')

Where a judge saw what the text wants, that part of the text stays; where it saw something else, the picture is right.
A question without a decided vote was not seen: its part has to go. A text all of whose parts were seen stays as it is,
and nobody is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tsgkit.suites.spatialgen.maker import json_in
from tsgkit.suites.spatialgen.rows import Row
from tsgkit.suites.spatialgen.terms import folded, telling

MOST_WORDS = 150
"""A text longer than this is no prompt any more."""


class Fact(NamedTuple):
    """One question: what the text wants and what was seen; an empty ``seen`` is none of the options."""

    kind: str
    stem: str
    wanted: str
    seen: str
    is_decided: bool = True
    """Whether the votes say what is in the picture."""

    @property
    def is_seen(self) -> bool:
        """Whether the picture shows what the text wants."""
        return self.is_decided and self.wanted == self.seen

    @property
    def in_picture(self) -> str:
        """What a model is told of the picture."""
        if not self.is_decided:
            return "not clear, so do not mention it"
        return self.seen or "none of what was asked about"


def facts_of(row: Row, letters: Sequence[str | None]) -> list[Fact]:
    """Return what was seen, question by question; None is a vote that decided nothing."""
    return [
        Fact(
            question.sub_domain,
            question.stem,
            question.options.get(question.key, ""),
            "" if letter is None or letter == question.refusal else question.options.get(letter, ""),
            letter is not None,
        )
        for question, letter in zip(row.questions, letters, strict=True)
    ]


def shown(facts: Iterable[Fact]) -> str:
    """The facts as a model is told them."""
    return "\n".join(
        f"- {fact.kind}: {fact.stem} The text wants: {fact.wanted}. In the picture: {fact.in_picture}."
        for fact in facts
    )


def read_rewrite(reply: str) -> str:
    """The text in a reply; empty where there is none.

    >>> read_rewrite('{"prompt": "A  kite is down."}'), read_rewrite("A kite.")
    ('A kite is down.', '')
    """
    found = json_in(reply).get("prompt")
    return " ".join(found.split()) if isinstance(found, str) else ""


def rewrite_problems(text: str, row: Row, facts: Sequence[Fact]) -> list[str]:
    """Why a new text cannot be used, as far as code can tell.

    A part that was not seen is still there where all words of what the text wanted are, and fewer of what was seen.
    """
    if not text:
        return ["there is no text in the reply"]
    problems = []
    if len(text.split()) > MOST_WORDS:
        problems.append(f"{len(text.split())} words, not at most {MOST_WORDS}")
    if folded(text) == folded(row.prompt):
        problems.append("the text was not changed")
    said = telling(text)
    for fact in facts:
        wanted, seen = telling(fact.wanted), telling(fact.seen)
        own = wanted - seen
        if not fact.is_seen and own and own <= said and fact.seen and not (seen - wanted) & said:
            problems.append(f"{fact.kind}: it still says {fact.wanted}, and {fact.seen} was seen")
    return problems
