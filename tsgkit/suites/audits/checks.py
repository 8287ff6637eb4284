"""Checks for defects of items: each has a name and a description, and sees all items at once.

>>> items = [Item(str(n), str(n), "Which?", options=("a cup", "a pen"), key=1) for n in range(2)]
>>> [(slip.item_id, slip.message) for slip in duplicates(items)]
[('1', 'the same question as 0')]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tsgkit.lexicon.tables import word_set
from tsgkit.suites.audits.items import LETTERS, Item, Slip, content, words

_WHOLE_NAME = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_BETWEEN_WORDS = r"[\s_-]+"
_QUANTIFIERS = word_set("a all any both each every the")


@dataclass(frozen=True)
class Check:
    """A check for one kind of defect."""

    code: str
    looks_for: str
    find: Callable[[Sequence[Item]], Iterable[Slip]]
    is_error: bool = True
    """True if such an item is unusable; else the finding is a remark."""
    is_folded: bool = False
    """True if people see only the number of findings; JSON lists all."""


def duplicates(items: Sequence[Item]) -> Iterator[Slip]:
    """Yield the same question about the same thing with the same options."""
    seen: dict[object, str] = {}
    for item in items:
        what = (item.context, item.question, frozenset(item.options), item.answer)
        if (first := seen.setdefault(what, item.item_id)) != item.item_id:
            yield Slip("duplicate", item.item_id, f"the same question as {first}")


def twins(items: Sequence[Item]) -> Iterator[Slip]:
    """Yield the same question and right answer about the same thing, with other distractors."""
    seen: dict[object, Item] = {}
    for item in items:
        if not item.has_key:
            continue
        first = seen.setdefault((item.context, item.question, item.right_text), item)
        if first is not item and frozenset(first.options) != frozenset(item.options):
            yield Slip("twin", item.item_id, f"differs from {first.item_id} in its wrong options only")


def repeated_questions(items: Sequence[Item]) -> Iterator[Slip]:
    """Yield the same words asked about different things; harmless unless they are remembered."""
    seen: dict[object, Item] = {}
    for item in items:
        first = seen.setdefault((item.question, item.options), item)
        if first is not item and first.context != item.context and len(words(item.question)) > 4 and item.options:
            yield Slip("repeated-question", item.item_id, f"word for word the question and options of {first.item_id}")


def no_key(items: Sequence[Item]) -> Iterator[Slip]:
    """Questions whose key is none of their options, or that have no right answer."""
    for item in items:
        if item.options and not item.has_key:
            yield Slip("no-key", item.item_id, "its key is none of its options, so no answer can be right")
        elif not item.options and not item.answer:
            yield Slip("no-key", item.item_id, "it has no right answer")


def few_options(items: Sequence[Item]) -> Iterator[Slip]:
    """Questions with fewer options than the others."""
    usual = Counter(len(item.options) for item in items if item.options).most_common(1)
    for item in items:
        if usual and item.options and len(item.options) < usual[0][0]:
            yield Slip("few-options", item.item_id, f"{len(item.options)} options where most have {usual[0][0]}")


def repeated_options(items: Sequence[Item]) -> Iterator[Slip]:
    """Questions that hold an option twice."""
    for item in items:
        counts = Counter(" ".join(words(option)) for option in item.options)
        for text, number in counts.items():
            if number > 1:
                both = " and ".join(
                    LETTERS[place] for place, option in enumerate(item.options) if " ".join(words(option)) == text
                )
                yield Slip("repeated-option", item.item_id, f"options {both} are the same")


def outside_answers(items: Sequence[Item]) -> Iterator[Slip]:
    """Find open questions whose answer does not occur in their context."""
    for item in items:
        if item.pool and item.answer and item.answer not in item.pool:
            yield Slip("answer-outside", item.item_id, f"{item.answer} is nowhere in what is asked about")


def leaks(items: Sequence[Item]) -> Iterator[Slip]:
    """Questions that hold their own answer, and no other answer as well."""
    for item in items:
        if item.options:
            asked = content(item.question)
            held = [place for place in item.choices if (said := content(item.options[place])) and said <= asked]
            if item.has_key and held == [item.key]:
                yield Slip("answer-in-question", item.item_id, f"says its answer: {item.right_text}")
        elif item.answer and _names(item.question, item.answer, item.pool):
            yield Slip("answer-in-question", item.item_id, f"says its answer: {item.answer}")


def _names(question: str, answer: str, pool: Iterable[str]) -> bool:
    """Return whether a question holds all words of a name, and not in a longer name only, as *mouse-button*."""
    wanted, text = set(words(answer)), question.lower()
    longer_names = [words(name) for name in pool if wanted < set(words(name)) - _QUANTIFIERS]
    for name in sorted(longer_names, key=len, reverse=True):
        text = re.sub(rf"\b{_BETWEEN_WORDS.join(map(re.escape, name))}\b", " ", text)
    apart = [name for name in _WHOLE_NAME.findall(text) if "-" not in name or set(words(name)) <= wanted]
    return bool(wanted) and wanted <= {word for name in apart for word in words(name)}


CHECKS = (
    Check("duplicate", "the same question about the same thing with the same options", duplicates),
    Check("twin", "the same question and answer about the same thing, with other wrong options", twins, is_error=False),
    Check(
        "repeated-question",
        "the same question and options, word for word, about different things",
        repeated_questions,
        is_error=False,
    ),
    Check("no-key", "questions that no answer is right to", no_key),
    Check("few-options", "questions with fewer options than the others", few_options),
    Check("repeated-option", "questions that hold an option twice", repeated_options),
    Check("answer-outside", "open questions whose answer is nowhere in what they are asked about", outside_answers),
    Check("answer-in-question", "questions that say their own answer", leaks),
)
