"""Groups of samples: fields of their rows, and properties computed from their texts.

``k`` (how many graphs), ``domain`` and ``tag`` stand in the data. Of a generation sample, and of what is
derived from one, the published analyses tell three things more, which are computed here:

``implicit``         ``implicit``: at least one action of the references is not mentioned in the sentence, in any
                     inflected form; ``explicit``: all are. Particles may stand apart (*takes the lid off*).
``repetition``       ``repetition``: the sentence holds a cue word: *times*, *repeat* in any form, *twice*, *thrice*,
                     *again*, a number from two on, in letters or digits; ``no repetition``: none.
``descriptiveness``  words of the sentence for each edge of the references, in steps of one.

>>> repeats("Whisk the eggs again."), repeats("Whisk 3 eggs."), repeats("Whisk the eggs, sometimes."), repeats("Use 1.")
(True, True, False, False)
>>> bin_of(0.4), bin_of(1.0), bin_of(7.5)
('under 1', '1 to 2', '5 and more')

Graphs to mend are grouped by their ``error``, by the ``source`` of their faults and by the number of ``faults`` too.

Not covered: whether a number counts repetitions or things (*two eggs* is a cue too, as published), and synonyms of an
action, which are no mention of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from tsgkit.errors import UsageError
from tsgkit.lexicon import forms, meant, mentions
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.faults import ERRORS, SOURCES
from tsgkit.suites.tsg.items import DerivedSample, GenerationSample, Sample

STORED = ("k", "domain", "tag")
"""Groups from the data."""
NONE = "(none)"
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_NUMBERS = word_set(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand"
)
_CUES = (
    word_set("times twice thrice again repeat repeatedly repetition repetitions")
    | frozenset(forms("repeat"))
    | _NUMBERS
)
LONGEST_NUMBER = 9
WIDEST = 5
BINS = ("under 1", *(f"{low} to {low + 1}" for low in range(1, WIDEST)), f"{WIDEST} and more")
"""The steps of words per edge; a step holds its lower end."""


def repeats(sentence: str) -> bool:
    """Return whether a sentence holds a word that speaks of doing something more than once."""
    words = (match.group().lower() for match in _PART.finditer(sentence))
    return any(word in _CUES or (word.isdecimal() and (len(word) > LONGEST_NUMBER or int(word) > 1)) for word in words)


def bin_of(ratio: float) -> str:
    """Return the step of words per edge that a ratio lies in."""
    return BINS[min(int(ratio), WIDEST)]


def words_per_edge(sample: GenerationSample) -> float:
    """Return how many words of the sentence there are for each edge of the references; a hyphenated word is one."""
    edges = sum(len(graph.triplets) for graph in sample.references)
    return len(_WORD.findall(sample.sentence)) / edges


def _implicit(sample: GenerationSample) -> str:
    actions = {action for graph in sample.references for action in graph.actions}
    return "explicit" if all(mentions(sample.sentence, action) for action in actions) else "implicit"


def _repetition(sample: GenerationSample) -> str:
    return "repetition" if repeats(sample.sentence) else "no repetition"


def _descriptiveness(sample: GenerationSample) -> str:
    return bin_of(words_per_edge(sample))


COMPUTED: dict[str, Callable[[GenerationSample], str]] = {
    "implicit": _implicit,
    "repetition": _repetition,
    "descriptiveness": _descriptiveness,
}
"""Groups computed from the texts of generation samples."""
GROUPS = (*STORED, *COMPUTED)
OF_REPAIRS = ("error", "source", "faults")
"""The groups of repair tasks: by kind of error, by the source of the faults, by their number."""
REPAIRS = ("refine", "refine-hinted")
WITH_WORDS = ("sa-sgg", "ma-sgg")
_ORDERS = {
    "implicit": ("explicit", "implicit"),
    "repetition": ("repetition", "no repetition"),
    "descriptiveness": BINS,
    "error": ERRORS,
    "source": SOURCES,
}


def no_group(group: str, kinds: Sequence[str]) -> UsageError:
    """Return why items of these tasks cannot be grouped so: there is no such group, or it needs other tasks."""
    if group not in (*GROUPS, *OF_REPAIRS):
        return UsageError(f"there is no group {group}", hint=meant(group, (*GROUPS, *OF_REPAIRS)))
    of_repairs = "graphs to mend", REPAIRS
    needed, fitting = of_repairs if group in OF_REPAIRS else ("a sentence and graphs to write", WITH_WORDS)
    named = ", ".join(f"tsg/{kind}" for kind in fitting)
    return UsageError(
        f"{', '.join(f'tsg/{kind}' for kind in kinds)}: cannot be grouped by {group}",
        hint=f"it needs {needed}: {named}; else by {', '.join(STORED)}",
    )


def groups_of(sample: Sample, group: str) -> tuple[str, ...]:
    """Return the names of the group's members that a sample belongs to."""
    if group in sample.groups:
        return sample.groups[group]
    source = sample.source if isinstance(sample, DerivedSample) else sample
    if group not in COMPUTED or not isinstance(source, GenerationSample):
        raise UsageError(f"item {sample.item_id}: cannot be grouped by {group}")
    return (COMPUTED[group](source),)


def in_order(names: Iterable[str], group: str) -> list[str]:
    """Return the members of a group as people expect them: by their order where they have one, else by number, then
    name.
    """
    order = _ORDERS.get(group, ())
    return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), _number(name), name))


def _number(name: str) -> tuple[bool, int]:
    is_number = name.isascii() and name.isdecimal() and len(name) < 10
    return not is_number, int(name) if is_number else 0
