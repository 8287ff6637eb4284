"""Items of any suite as an audit sees them, and the checks for their defects, which see all items at once.

>>> item = AuditedItem("7", "7", "Which is red?", options=("a cup", "a pen", "None"), key=1, refusal=2)
>>> item.choices, round(item.chance, 3), item.right_text, sorted(content("The cups of the painter"))
((0, 1), 0.5, 'a pen', ['cup', 'painter'])
>>> same = [AuditedItem(str(n), str(n), "Which?", options=("a cup", "a pen"), key=1) for n in range(2)]
>>> [(slip.item_id, slip.message) for slip in duplicates(same)]
[('1', 'the same question as 0')]
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tsgkit.lexicon.folding import word_set

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_DENIED = re.compile(r"\b(?:not|rather than|instead of|without)((?: [\w'’-]+){1,3})", re.IGNORECASE)
_WHOLE_NAME = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_BETWEEN_WORDS = r"[\s_-]+"
_QUANTIFIERS = word_set("a all any both each every the")
_STOP = word_set(
    "a an the of on in at to is are was were be been and or with for from by it its this that there which what who "
    "whom whose how where when why do does did has have had as into onto than then"
)


@dataclass(frozen=True)
class AuditedItem:
    """A question of a benchmark: its content, its options, and its context.

    With ``options`` the right answer is the one at ``key``; else it is ``answer``, one of ``pool``.
    """

    item_id: str
    cluster: str
    question: str
    options: tuple[str, ...] = ()
    key: int | None = None
    answer: str = ""
    pool: tuple[str, ...] = ()
    group: str = ""
    """The kind of question or the half of the data; within it keys may be skewed and shortcuts worth more."""
    context: str = ""
    """A hash of what the question is about, without its options."""
    beside: tuple[str, ...] = ()
    """Other questions that are asked together with this one."""
    prompt: str = ""
    """A text about the same content that the answerer does not see."""
    names: frozenset[str] = frozenset()
    """The names in the graph or image that the question is about."""
    refusal: int | None = None
    """The option that says that none is right, if there is one: never the key, and no distractor."""

    @property
    def choices(self) -> tuple[int, ...]:
        """The options that can be right, by place."""
        return tuple(index for index in range(len(self.options)) if index != self.refusal)

    @property
    def chance(self) -> float:
        """The score of blind guessing among the possible answers."""
        choices = len(self.choices) or len(self.pool)
        return 1 / choices if choices else 0.0

    @property
    def has_key(self) -> bool:
        """True if one of its options is right."""
        return self.key is not None and self.key in self.choices

    @property
    def right_text(self) -> str:
        """The right answer in words; empty where there is none."""
        if not self.options:
            return self.answer
        return self.options[self.key] if self.key is not None and self.key < len(self.options) else ""


Answer = Callable[[AuditedItem], tuple[int | str, ...]]
"""The answers between which a shortcut cannot decide, by position or name; its credit is the share that is right."""


class Slip(NamedTuple):
    """A finding about an item; ``code`` is the name of the check."""

    code: str
    item_id: str
    message: str


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, in lower case."""
    return tuple(match.lower() for match in _WORD.findall(text))


@lru_cache(maxsize=200_000)
def content(text: str) -> frozenset[str]:
    """Return the words of a text that say something, stemmed."""
    from tsgkit.lexicon import stem

    return frozenset(stem(word) for word in words(text) if word not in _STOP)


@lru_cache(maxsize=100_000)
def denied(text: str) -> frozenset[str]:
    """Return up to three words after one that denies.

    >>> sorted(denied("into, not out of, the pipe")), sorted(affirmed("into, not out of, the pipe"))
    (['of', 'out'], ['into', 'pipe', 'the'])
    """
    return frozenset(word for part in _DENIED.findall(text) for word in words(part))


@lru_cache(maxsize=100_000)
def affirmed(text: str) -> frozenset[str]:
    """Return the words of a text that it does not deny."""
    return frozenset(words(_DENIED.sub(" ", text)))


def context_hash(*parts: object) -> str:
    """Return the hash of a context."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()


# Checks


@dataclass(frozen=True)
class Check:
    """A check for one kind of defect."""

    code: str
    looks_for: str
    find: Callable[[Sequence[AuditedItem]], Iterable[Slip]]
    is_error: bool = True
    """True if such an item is unusable; else the finding is a remark."""
    is_folded: bool = False
    """True if people see only the number of findings; JSON lists all."""


def repeats(
    items: Iterable[AuditedItem], key: Callable[[AuditedItem], Hashable]
) -> Iterator[tuple[AuditedItem, AuditedItem]]:
    """Yield every item whose key an earlier one has, with the first of these."""
    firsts: dict[Hashable, AuditedItem] = {}
    pairs = ((item, firsts.setdefault(key(item), item)) for item in items)
    return ((item, first) for item, first in pairs if first is not item)


def duplicates(items: Sequence[AuditedItem]) -> Iterator[Slip]:
    """Yield the same question about the same thing with the same options."""
    for item, first in repeats(items, lambda item: (item.context, item.question, frozenset(item.options), item.answer)):
        if first.item_id != item.item_id:
            yield Slip("duplicate", item.item_id, f"the same question as {first.item_id}")


def twins(items: Sequence[AuditedItem]) -> Iterator[Slip]:
    """Yield the same question and right answer about the same thing, with other distractors."""
    keyed = (item for item in items if item.has_key)
    for item, first in repeats(keyed, lambda item: (item.context, item.question, item.right_text)):
        if frozenset(first.options) != frozenset(item.options):
            yield Slip("twin", item.item_id, f"differs from {first.item_id} in its wrong options only")


def repeated_questions(items: Sequence[AuditedItem]) -> Iterator[Slip]:
    """Yield the same words asked about different things; harmless unless they are remembered."""
    for item, first in repeats(items, lambda item: (item.question, item.options)):
        if first.context != item.context and len(words(item.question)) > 4 and item.options:
            yield Slip("repeated-question", item.item_id, f"word for word the question and options of {first.item_id}")


def no_key(items: Sequence[AuditedItem]) -> Iterator[Slip]:
    """Questions whose key is none of their options, or that have no right answer."""
    for item in items:
        if item.options and not item.has_key:
            yield Slip("no-key", item.item_id, "its key is none of its options, so no answer can be right")
        elif not item.options and not item.answer:
            yield Slip("no-key", item.item_id, "it has no right answer")


def few_options(items: Sequence[AuditedItem]) -> Iterator[Slip]:
    """Questions with fewer options than the others."""
    usual = Counter(len(item.options) for item in items if item.options).most_common(1)
    for item in items:
        if usual and item.options and len(item.options) < usual[0][0]:
            yield Slip("few-options", item.item_id, f"{len(item.options)} options where most have {usual[0][0]}")


def repeated_options(items: Sequence[AuditedItem]) -> Iterator[Slip]:
    """Questions that hold an option twice."""
    for item in items:
        counts = Counter(" ".join(words(option)) for option in item.options)
        for text, number in counts.items():
            if number > 1:
                both = " and ".join(
                    LETTERS[index] for index, option in enumerate(item.options) if " ".join(words(option)) == text
                )
                yield Slip("repeated-option", item.item_id, f"options {both} are the same")


def outside_answers(items: Sequence[AuditedItem]) -> Iterator[Slip]:
    """Find open questions whose answer does not occur in their context."""
    for item in items:
        if item.pool and item.answer and item.answer not in item.pool:
            yield Slip("answer-outside", item.item_id, f"{item.answer} is nowhere in what is asked about")


def leaks(items: Sequence[AuditedItem]) -> Iterator[Slip]:
    """Questions that hold their own answer, and no other answer as well."""
    for item in items:
        if item.options:
            options = {index: content(item.options[index]) for index in item.choices}
            contained = [index for index, option in options.items() if option and option <= content(item.question)]
            if item.has_key and contained == [item.key]:
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
