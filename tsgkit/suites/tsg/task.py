"""Parts that all tasks of this suite have: prompts, worked examples, displays, audits, groups.

Each task is a function of a card in :mod:`~tsgkit.suites.tsg.qa`, ``selection``, ``generation``, ``derived_tasks`` or
``repairs``, whose module reads top to bottom: what is asked, how an answer is read, scored and shown, and the value.

Groups of samples are fields of their rows, and properties computed from their texts. ``k`` (how many graphs),
``domain`` and ``tag`` stand in the data. Of a generation sample, and of what is derived from one, the published
analyses tell three things more, which are computed here:

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle
from types import MappingProxyType
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph
from tsgkit.lexicon import forms, meant, mentions
from tsgkit.lexicon.folding import word_set
from tsgkit.library.cards import Card
from tsgkit.library.documents.reader import Document
from tsgkit.replies import Read, Unreadable
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.judgement import AnswerScores, Given, Spans
from tsgkit.suites.solvers.examples import Pool, WorkedExample, pool_file
from tsgkit.suites.solvers.offline_solvers import programs
from tsgkit.suites.solvers.prompt_files import Prompt
from tsgkit.suites.solvers.scorers import plurality
from tsgkit.suites.task import Groups, Official, Task, View, source_of
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.audit import AuditRules, auditable
from tsgkit.suites.tsg.faults import ERRORS, SOURCES
from tsgkit.suites.tsg.items import DerivedSample, GenerationSample, TsgSample
from tsgkit.suites.tsg.rows import RowRules, document_at, tsg_rows

Fields = Callable[[Any], Mapping[str, str]]
"""Returns the values of an item for the fields of a prompt."""
EVERY_RULE = ("graphs", "graph-rules", "node-rules", "hand-rules", "edge-rules", "action-rules", "error-rules")
"""The rules in the prompts of all tasks, which may share folders."""
SINGLE_COUNT = "single_graph_items"
SINGLE_NOTE = "one graph among items of several: scored as k = 1"
NO_READER = "this task has no published reader"


def tsg_task(
    card: Card,
    rows: RowRules,
    *,
    fields: Fields,
    asked: tuple[str, ...],
    about: tuple[str, ...],
    answer: Callable[[Any], str],
    written: Callable[[Any], str],
    programs_of: Mapping[str, Callable[[Any, int], Any]],
    prompt: Mapping[str, Any],
    view: Mapping[str, Any],
    score: Callable[[Any, Any, Given], AnswerScores],
    audit: AuditRules,
    own_groups: tuple[str, ...] = (),
    k_counts: str = "",
    **parts: Any,  # noqa: ANN401  (the other parts of a task)
) -> Task:
    """Return a task of this suite: its own parts, with those that all have.

    ``about`` are the fields that describe an item to people, ``answer`` returns the right answer in the form that is
    asked for, ``written`` gives what a program answers that form; ``prompt`` and ``view`` are the other parts of both.
    """
    names = (*STORED, *(COMPUTED if rows.of == "sgg" else ()), *own_groups)
    parts.setdefault("official", Official(unpublished=lambda style, solver: NO_READER))

    def described(item: Any, *shown: str) -> str:  # noqa: ANN401  (of its task)
        """Describe an item to people by some fields of its prompt."""
        values = fields(item)
        return "\n\n".join(f"{name}:\n{values[name]}" for name in shown)

    def program(answered: Callable[[Any, int], Any], item: Any, seed: int) -> str:  # noqa: ANN401
        return written(answered(item, seed))

    def noting_single(item: Any, answer: Any, facts: Given) -> AnswerScores:  # noqa: ANN401
        """Score an answer; an item of one graph in a task of several is counted."""
        scored = score(item, answer, facts)
        notes = (SINGLE_NOTE, *scored.notes) if item.is_single else scored.notes
        return scored._replace(notes=notes, counts={**scored.counts, SINGLE_COUNT: int(item.is_single)})

    def audited(task: Task, data: str | None) -> Auditable:
        """Return the rows of a task, including defective ones, with the texts of prompts and worked examples."""
        assert task.prompt is not None  # noqa: S101  (all tasks of this suite have one)
        shown = () if task.card.examples is None else task.prompt.examples().examples
        texts = [template.text for template in task.prompt.texts(None).templates.values()]
        return auditable(document_at(source_of(task, data)), task, audit, shown, texts)

    return Task(
        card=card,
        rows=tsg_rows(rows),
        prompt=tsg_prompt(card, rows, fields=fields, asked=asked, answer=answer, **prompt),
        score=noting_single if rows.of_several else score,
        view=View(
            question=lambda item: described(item, *about),
            brief=lambda item: described(item, *about[:2]),
            **{"reference": answer, **view},
        ),
        groups=Groups(names=names, of=groups_of, order=in_order, k_counts=k_counts, refusal=no_group),
        baselines=programs({name: partial(program, answered) for name, answered in programs_of.items()}),
        audit=audited,
        **parts,
    )


def word_task(
    card: Card,
    rows: RowRules,
    *,
    locate: Callable[[str, Any], Read[str] | Unreadable],
    published: tuple[str, Callable[[str], Any], str],
    prompt: Mapping[str, Any],
    view: Mapping[str, Any] = MappingProxyType({}),
    **parts: Any,  # noqa: ANN401  (the other parts of a task of this suite)
) -> Task:
    """Return a task whose answer is one word in brackets: the ``answer`` of its items.

    ``locate`` returns the word in a reply; ``published`` are the published metric, its reader of a reply, and the rule
    by which both readers differ.
    """
    metric, official_word, rule = published

    def read(text: str, item: Any) -> str | Unreadable:  # noqa: ANN401  (of its task)
        word = locate(text, item)
        return word.value if isinstance(word, Read) else word

    def spans(item: Any, text: str) -> Spans:  # noqa: ANN401
        word = locate(text, item)
        return ((word.start, word.end),) if isinstance(word, Read) else ()

    def faults(answer: Any, evidence: Any) -> Iterator[str]:  # noqa: ANN401
        yield f"{answer}, expected {evidence['expected']}"

    def differences(item: Any, mine: Any, theirs: Any) -> Sequence[str]:  # noqa: ANN401
        return (rule,) if mine != theirs else ()

    return tsg_task(
        card,
        rows,
        answer=lambda item: f"[{item.answer}]",
        written="[{}]".format,
        prompt={"rules": ("graphs",), **prompt},
        read=read,
        official=official.published((metric,), official_word, differences),
        vote=plurality,
        view={"value": lambda item: item.answer, "spans": spans, "faults": faults, **view},
        **parts,
    )


# Prompts


def tsg_prompt(
    card: Card,
    rows: RowRules,
    *,
    answer: Callable[[Any], str],
    rationale: Callable[[Any, str], str] = lambda _, rationale: rationale,
    **parts: Any,  # noqa: ANN401  (the other parts of a prompt)
) -> Prompt:
    """Return the prompt of a task; ``rationale`` makes the reasoning about an item of that of its row."""
    prompt = Prompt(
        task=card.task,
        folder=card.prompts,
        homes=(f"tsg/{rows.kind}", "tsg/shared"),
        also=EVERY_RULE,
        answer=answer,
        pool=lambda: pool_in(document_at(pool_file(card)), rows, prompt, rationale),
        **parts,
    )
    return prompt


def pool_in(
    document: Document,
    rows: RowRules,
    prompt: Prompt,
    rationale: Callable[[Any, str], str] = lambda _, rationale: rationale,
) -> Pool:
    """Return the worked examples of a document: ordinary rows with a ``rationale``, or one for each question."""
    rows.items_in(document)  # refuses a pool with anything wrong in it
    examples = []
    for entry in document.entries:
        row = entry.row or {}
        rationales = [holder.get("rationale", "") for holder in row.get("qa_pairs", [row])]
        if not all(isinstance(text, str) for text in rationales):
            raise UsageError(f"{document.file}: item {entry.item}: rationale: expected a text")
        for item, text in zip(rows.items_from(entry, document.file), cycle(rationales), strict=False):
            source = getattr(item, "source", None)
            answer = prompt.answer(item) if prompt.answer else ""
            origin = "" if source is None else source.item_id
            examples.append(WorkedExample(item, answer, rationale(item, text.strip()), origin))
    return Pool(document.file, tuple(examples), prompt.identity_of, f"{rows.kind}\n")


def lists_of(graphs: Sequence[ActionGraph]) -> list[list[list[str]]]:
    """Return graphs as lists, as the published code holds them."""
    return [[list(triplet) for triplet in graph.triplets] for graph in graphs]


# Groups

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


def row_groups(row: Mapping[str, Any], k: int) -> dict[str, tuple[str, ...]]:
    """Return what a row says that its items can be grouped by."""
    tags = row.get("tags")
    return {
        "k": (str(k),),
        "domain": (str(row.get("domain") or NONE),),
        "tag": tuple(dict.fromkeys(str(tag) for tag in tags)) if isinstance(tags, list) and tags else (NONE,),
    }


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


COMPUTED: dict[str, Callable[[GenerationSample], str]] = {
    "implicit": lambda sample: (
        "explicit"
        if all(mentions(sample.sentence, action) for graph in sample.references for action in graph.actions)
        else "implicit"
    ),
    "repetition": lambda sample: "repetition" if repeats(sample.sentence) else "no repetition",
    "descriptiveness": lambda sample: bin_of(words_per_edge(sample)),
}
"""Groups computed from the texts of generation samples."""
GROUPS = (*STORED, *COMPUTED)
OF_REPAIRS = ("error", "source", "faults")
"""The groups of repair tasks: by kind of error, by the source of the faults, by their number."""
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
    fitting = "a sentence and graphs to write: tsg/sa-sgg, tsg/ma-sgg"
    if group in OF_REPAIRS:
        fitting = "graphs to mend: tsg/refine, tsg/refine-hinted"
    return UsageError(
        f"{', '.join(f'tsg/{kind}' for kind in kinds)}: cannot be grouped by {group}",
        hint=f"it needs {fitting}; else by {', '.join(STORED)}",
    )


def groups_of(sample: TsgSample, group: str) -> tuple[str, ...]:
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

    def rank(name: str) -> tuple[int, bool, int, str]:
        is_number = name.isascii() and name.isdecimal() and len(name) < 10
        position = order.index(name) if name in order else len(order)
        return position, not is_number, int(name) if is_number else 0, name

    return sorted(names, key=rank)
