"""Rewritten prompts that are true of the images made from them: training data for image models.

>>> from tsgkit.suites.spatialgen.rows import question_from, row_of
>>> asked = question_from("Where?  Options: A: up, B: down, E: None", "A", "Position")
>>> row = row_of("000001", "Park", "A kite is up.", [asked])
>>> facts = facts_of(row, ["B"])
>>> facts[0].is_seen, shown(facts)
(False, '- Position: Where? The text wants: up. In the picture: down.')

If the judge saw what the text wants, that part of the text is kept; otherwise the text must follow the image. A
question with an undecided vote counts as not seen, and its part must be removed. If everything was seen, the text is
kept unchanged and no model is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tsgkit.suites.spatialgen.maker import json_in
from tsgkit.suites.spatialgen.rows import Row
from tsgkit.suites.spatialgen.terms import content_words, folded

MOST_WORDS = 150
"""The maximum number of words in a rewritten prompt."""


class Fact(NamedTuple):
    """A question with the wanted and the seen option. ``seen`` is empty if none of the options was seen."""

    kind: str
    stem: str
    wanted: str
    seen: str
    is_decided: bool = True
    """True if the votes decide what is in the image."""

    @property
    def is_seen(self) -> bool:
        """True if the image shows the wanted option."""
        return self.is_decided and self.wanted == self.seen

    @property
    def in_image(self) -> str:
        """The description of the image for the model."""
        if not self.is_decided:
            return "not clear, so do not mention it"
        return self.seen or "none of what was asked about"


def facts_of(row: Row, letters: Sequence[str | None]) -> list[Fact]:
    """Return the facts of a row, by question. A letter of None is an undecided vote."""
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
    """Return the facts as text for the model."""
    return "\n".join(
        f"- {fact.kind}: {fact.stem} The text wants: {fact.wanted}. In the picture: {fact.in_image}." for fact in facts
    )


def read_rewrite(reply: str) -> str:
    """Return the text in a reply, or an empty text if there is none.

    >>> read_rewrite('{"prompt": "A  kite is down."}'), read_rewrite("A kite.")
    ('A kite is down.', '')
    """
    found = json_in(reply).get("prompt")
    return " ".join(found.split()) if isinstance(found, str) else ""


def rewrite_problems(text: str, row: Row, facts: Sequence[Fact]) -> list[str]:
    """Return the detectable problems of a new text.

    The text still claims an unseen fact if it has all words of the wanted option and lacks words of the seen one.
    """
    if not text:
        return ["there is no text in the reply"]
    problems = []
    if len(text.split()) > MOST_WORDS:
        problems.append(f"{len(text.split())} words, not at most {MOST_WORDS}")
    if folded(text) == folded(row.prompt):
        problems.append("the text was not changed")
    said = content_words(text)
    for fact in facts:
        wanted, seen = content_words(fact.wanted), content_words(fact.seen)
        own = wanted - seen
        if not fact.is_seen and own and own <= said and fact.seen and not (seen - wanted) & said:
            problems.append(f"{fact.kind}: it still says {fact.wanted}, and {fact.seen} was seen")
    return problems
