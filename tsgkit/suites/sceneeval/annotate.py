"""The task ``sceneeval/annotate``: annotate a description with its demands, entry by entry.

>>> from tsgkit.library.cards import load_card
>>> from tsgkit.suites.replies import CollectedReply
>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> from tsgkit.suites.solvers.scorers import judge_reading, read_reply
>>> task = annotate(load_card("sceneeval/annotate"))
>>> from tsgkit.suites.solvers.ways import baseline_of
>>> len(task.dataset(None)), baseline_of(task, "baseline/rules", 0, task.dataset(None)).name
(30, 'baseline')
>>> asked = annotation_of("0", "easy", "A den.", ("eq,1,sofa", "ge,2,lamp"), (), ("eq,1,left,0,sofa,lamp",))
>>> said = '{"counts": ["eq,1,couch", "eq,2,lamp"], "object_relations": ["eq,1,left,1,sofa,lamp"]}'
>>> judged = judge_reading(task, asked, read_reply(task, asked, CollectedReply(said)))
>>> scores = judged.scores["strict"]
>>> scores["cnt_f1"].value, scores["oor_f1"].value, scores["quantities"].value, scores["anchors"].value
(0.5, 0.0, 0.5, 0.0)
>>> judged.evidence["nearly"][0]
{'said': 'eq,2,lamp', 'wanted': 'ge,2,lamp', 'differs': 'quantity'}

An entry is correct if all of its parts agree. A repeated entry counts once, and an unreadable one is wrong. A sample
without an answer counts as if it had as many entries as expected, all of them wrong. A field without expected and given
entries is correct: it scores 1 per item, and has no weight in pooled scores. No scores of this task are published, so
there is no ``official`` profile.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from pydantic import StrictStr, ValidationError

from tsgkit.errors import NotationError, UsageError
from tsgkit.lexicon.folding import word_set
from tsgkit.library.cards import Card
from tsgkit.library.projects import text_of
from tsgkit.replies import Unreadable
from tsgkit.scoring.pooling import Score, right_or_wrong
from tsgkit.scoring.set_scores import Overlap
from tsgkit.suites.judgement import AnswerScores, Given, Judged, Scores
from tsgkit.suites.metrics import PER_ITEM, POOLED, Metric
from tsgkit.suites.rows import Dataset
from tsgkit.suites.sceneeval.annotation_baselines import NAMES, annotator_named
from tsgkit.suites.sceneeval.annotation_files import GROUPS, ROWS, VIEW, AnnotationRow
from tsgkit.suites.sceneeval.annotation_replies import FIELDS, AnnotationReading, answer_text, read_annotation_reply
from tsgkit.suites.sceneeval.annotations import KINDS, ROOMS, Annotation, Kind, Specification, annotation_of, spaced
from tsgkit.suites.sceneeval.scene_files.files import json_of, problem_of
from tsgkit.suites.sceneeval.word_meanings import (
    CategorySynonyms,
    RelationTable,
    Words,
    element_of,
    plain,
    relation_table,
    synonyms_table,
    words_of,
)
from tsgkit.suites.solvers.examples import Identity, Pool, WorkedExample, folded, pool_file
from tsgkit.suites.solvers.prompt_files import Prompt
from tsgkit.suites.solvers.scorers import majority
from tsgkit.suites.solvers.solver import Baselines, Program
from tsgkit.suites.task import Official, Task

NO_FIGURES = "no figures are published for this task, and the published code does not score annotations"
NO_MAJORITY = "no entry has a majority"
NO_ENTRIES = "nothing is wanted and nothing was said"
UNREAD = "unread_entries"
"""The name of the count of unreadable entries."""
MARKS = {"matched": "✓", "missing": "✗ missing:", "extra": "✗ not wanted:"}
TEXT_LIST = {"type": "array", "items": {"type": "string"}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {FIELDS[kind]: TEXT_LIST for kind in KINDS},
    "required": [FIELDS[kind] for kind in KINDS],
    "additionalProperties": False,
}
Level = Literal["exact", "meaning"]
LEVELS: tuple[Level, ...] = ("exact", "meaning")
SYMMETRIC = word_set("next_to near across_from far middle_of")
"""The measured relations that are the same whichever object is the anchor."""
SPELT = {"gray": "grey", "coloured": "colored"}
CACHE_SIZE = 50_000
"""The number of normalised names and entries that are cached."""
SUBJECTS = {
    "cnt": "numbers of objects",
    "atr": "attributes",
    "oor": "relations between objects",
    "oar": "relations to the room",
}
"""The subject of each field, for the descriptions of metrics."""


def _extra(meaning: str, *, per_item: bool = False, more_is_better: bool = True) -> Metric:
    return Metric(meaning, PER_ITEM if per_item else POOLED, more_is_better, is_headline=False)


METRICS = {
    "precision": Metric("the share of the entries said that are right"),
    "recall": Metric("the share of the entries wanted that were said"),
    **{f"{field}_f1": Metric(f"f1 of the entries on {what}") for field, what in SUBJECTS.items()},
    "f1_meaning": Metric("f1 with relations, comparisons and rooms taken for what they mean"),
    "f1": Metric("the harmonic mean of precision and recall, all fields together"),
    "precision_meaning": _extra("precision with relations, comparisons and rooms taken for what they mean"),
    "recall_meaning": _extra("recall with relations, comparisons and rooms taken for what they mean"),
    **{f"{field}_f1_meaning": _extra(f"f1 by meaning of the entries on {what}") for field, what in SUBJECTS.items()},
    **{f"{field}_precision": _extra(f"precision of the entries on {what}") for field, what in SUBJECTS.items()},
    **{f"{field}_recall": _extra(f"recall of the entries on {what}") for field, what in SUBJECTS.items()},
    "f1_per_item": _extra("f1, every description counting the same", per_item=True),
    "precision_per_item": _extra("precision, every description counting the same", per_item=True),
    "recall_per_item": _extra("recall, every description counting the same", per_item=True),
    **{
        f"{field}_f1_per_item": _extra(f"f1 of the entries on {what}, every description the same", per_item=True)
        for field, what in SUBJECTS.items()
    },
    "exact_match": _extra("all entries of a description are right, none is missing or surplus"),
    "quantities": _extra("right comparisons and numbers, where by meaning all else of an entry is right"),
    "anchors": _extra("right anchors, where by meaning all else of a relation is right and the anchor matters"),
    "unread": _extra("entries that cannot be read, over all entries said", more_is_better=False),
}


class EntryKey(NamedTuple):
    """A normalised entry. Two entries are equal if their keys are equal."""

    kind: str
    quantity: tuple[str, int]
    what: tuple[object, ...]
    """Everything else in the entry."""
    anchor: Words = ()
    """The anchor; empty if there is none, or if it makes no difference."""


class EntryMatcher:
    """Rules for equality of entries on two levels: ``exact`` (the same words) and ``meaning``.

    >>> from tsgkit.suites.sceneeval.annotations import object_relation_of
    >>> matcher = entry_matcher()
    >>> left = object_relation_of("gt,1,beside,0,couch,Floor lamps")
    >>> right = object_relation_of("ge,2,next_to,0,floor_lamp,sofa")
    >>> matcher.key(left, "meaning") == matcher.key(right, "meaning"), matcher.key(left) == matcher.key(right)
    (True, False)
    >>> matcher.key(left).what == matcher.key(object_relation_of("eq,1,beside,1,floor_lamp,sofa")).what
    True

    Both levels ignore spelling variants, case, underscores, plurals, the numbers of instance marks, the order of
    objects other than the anchor, and the anchor itself if the measured relation is symmetric. Synonyms are equal
    (``tasks/sceneeval/categories.yaml``).

    ``exact`` compares the comparison, its number and the words of relations as written. On the level ``meaning``,
    relations are equal if they are measured alike (``tasks/sceneeval/relations.yaml``), ``gt,1`` equals ``ge,2``, and a
    type of room equals ``room`` if the description names only one type.
    """

    def __init__(self, relations: RelationTable, synonyms: Sequence[Sequence[str]]) -> None:
        self.relations, self.same = relations, CategorySynonyms.of(synonyms)
        self.category = lru_cache(CACHE_SIZE)(self._category)
        self._key_of = lru_cache(CACHE_SIZE)(self._build_key)

    def key(self, spec: Specification, level: Level = "exact", *, one_room: bool = True) -> EntryKey:
        """Return the key of an entry on a level. ``one_room``: the description names no second type of room."""
        return self._key_of(spec, level, one_room and level == "meaning")

    def is_symmetric(self, relation: str) -> bool:
        """Return True if the measured relation is the same whichever object is the anchor."""
        meant = self.relations.between_objects(relation)
        return bool(meant) and all(relation_type.type in SYMMETRIC for relation_type in meant or ())

    def _category(self, name: str) -> Words:
        """Return a category normalised for comparison."""
        words = tuple(SPELT.get(word, word) for word in spaced(name).replace("-", " ").split())
        return self.same.known(words_of(" ".join(words))) or words

    def _build_key(self, spec: Specification, level: Level, one_room: bool) -> EntryKey:
        by_meaning = level == "meaning"
        quantity = _normal(spec.quantity, spec.n) if by_meaning else (spec.quantity, spec.n)
        relation: object = plain(spec.relation, self.relations.ignored if by_meaning else frozenset())
        if spec.kind == "oor":
            if by_meaning:
                relation = self.relations.between_objects(spec.relation) or relation
            objects = tuple(sorted(map(self.category, spec.categories)))
            anchor = () if self.is_symmetric(spec.relation) else self.category(spec.anchor)
            return EntryKey(spec.kind, quantity, (relation, *objects), anchor)
        rest: tuple[object, ...] = ()
        if spec.kind == "atr":
            rest = (self.category(spec.attribute),)
        elif spec.kind == "oar":
            built = element_of(spec.elements[0])
            if by_meaning and built and (meant := self.relations.to_room(spec.relation, built)):
                relation = (meant,)
            elements = {
                (element,) if (element := element_of(name)) and (one_room or spaced(name) not in ROOMS)
                else self.category(name)
                for name in spec.elements
            }  # fmt: skip
            rest = (relation, *sorted(elements))
        return EntryKey(spec.kind, quantity, (self.category(spec.category), *rest))


def _normal(quantity: str, n: int) -> tuple[str, int]:
    """Return a comparison in its normal form.

    >>> _normal("gt", 1), _normal("lt", 3), _normal("le", 0)
    (('ge', 2), ('le', 2), ('eq', 0))
    """
    if quantity == "gt":
        return "ge", n + 1
    if quantity == "lt" and n:
        return _normal("le", n - 1)
    return ("eq", 0) if (quantity, n) == ("le", 0) else (quantity, n)


@lru_cache(CACHE_SIZE)
def rooms_named(description: str) -> int:
    """Return the number of types of room that a description names.

    >>> rooms_named("A flat: a living room with a sofa, and a kitchen."), rooms_named("A den with a sofa.")
    (2, 1)
    """
    words = f" {' '.join(words_of(description))} "
    return sum(f" {' '.join(words_of(name))} " in words for name in ROOMS[:-1])


def entry_matcher() -> EntryMatcher:
    """Build the rules from the tables of the working project, else the bundled ones."""
    return EntryMatcher(relation_table(), synonyms_table()[0])


@dataclass(frozen=True)
class EntryComparison:
    """The expected and given entries of one kind on one level, by key."""

    wanted: Mapping[EntryKey, Specification]
    said: Mapping[EntryKey, Specification]
    bad: int
    """The number of given entries that cannot be read."""

    @property
    def right(self) -> int:
        """The number of correct entries."""
        return len(self.wanted.keys() & self.said.keys())

    @property
    def total(self) -> int:
        """The number of given entries, with the unreadable ones."""
        return len(self.said) + self.bad

    @property
    def missing(self) -> list[Specification]:
        """The entries that are expected but not given."""
        return [spec for key, spec in self.wanted.items() if key not in self.said]

    @property
    def extra(self) -> list[Specification]:
        """The entries that are given but not expected."""
        return [spec for key, spec in self.said.items() if key not in self.wanted]

    def agreeing_in_quantity(self) -> tuple[int, int]:
        """Pair the entries that agree in all but the quantity. Return how many pairs agree in it too, and all pairs."""
        return self._agreeing(_without_quantity, attrgetter("quantity"))

    def agreeing_in_anchor(self) -> tuple[int, int]:
        """Pair the entries that agree in all but an anchor that matters. Return how many pairs agree in it, and all
        pairs."""
        return self._agreeing(
            lambda key: (key.quantity, key.what) if key.anchor and len(set(key.what[1:])) > 1 else None,
            attrgetter("anchor"),
        )

    def _agreeing(self, rest: Callable[[EntryKey], object], part: Callable[[EntryKey], object]) -> tuple[int, int]:
        """Group the entries by the rest (None: leave it out), and compare a part of them."""

        def grouped(keys: Iterable[EntryKey]) -> Mapping[object, set[object]]:
            groups: defaultdict[object, set[object]] = defaultdict(set)
            for key in keys:
                if (group := rest(key)) is not None:
                    groups[group].add(part(key))
            return groups

        wanted, answered = grouped(self.wanted), grouped(self.said)
        pairs = [(wanted[group], answered[group]) for group in wanted.keys() & answered.keys()]
        return sum(len(left & right) for left, right in pairs), sum(min(len(left), len(right)) for left, right in pairs)


def compare_entries(
    item: Annotation, reading: AnnotationReading, matcher: EntryMatcher
) -> dict[Level, dict[Kind, EntryComparison]]:
    """Compare the given entries with the expected ones, by kind, on each level. Repeated entries count once."""
    one_room = rooms_named(item.description) < 2
    bad = Counter(kind for kind, _ in {(entry.kind, entry.note.text) for entry in reading.bad})

    def keyed(specs: Iterable[Specification], kind: Kind, level: Level) -> dict[EntryKey, Specification]:
        """Return the first entry of each key."""
        by_key: dict[EntryKey, Specification] = {}
        for spec in specs:
            if spec.kind == kind:
                by_key.setdefault(matcher.key(spec, level, one_room=one_room), spec)
        return by_key

    wanted, answered = item.specifications, reading.specifications
    return {
        level: {
            kind: EntryComparison(keyed(wanted, kind, level), keyed(answered, kind, level), bad[kind]) for kind in KINDS
        }
        for level in LEVELS
    }


def _without_quantity(key: EntryKey) -> object:
    return key.kind, key.what, key.anchor


def near_misses(exact: EntryComparison, meaning: EntryComparison) -> Iterator[dict[str, str]]:
    """Yield each given entry that is wrong in one respect only, with the missing entry it is close to."""
    missing, extra = set(exact.missing), set(exact.extra)
    wanted = {key: spec for key, spec in meaning.wanted.items() if spec in missing}
    extra_by_key = {key: spec for key, spec in meaning.said.items() if spec in extra}
    for what, rest in DIFFERENCES.items():
        waiting = {rest(key): key for key in reversed(wanted)}
        for key in [*extra_by_key]:
            if (near_key := waiting.pop(rest(key), None)) is not None:
                yield {"said": extra_by_key.pop(key).text, "wanted": wanted.pop(near_key).text, "differs": what}


DIFFERENCES: Mapping[str, Callable[[EntryKey], object]] = {
    "words": lambda key: key,
    "quantity": _without_quantity,
    "anchor": lambda key: (key.quantity, key.what),
}
"""The respects in which an entry can be nearly right, each with the part of the key that must agree."""


def annotation_prompt(card: Card) -> Prompt:
    """Return what models are asked about a description."""
    return Prompt(
        task=card.task,
        folder=card.prompts,
        fields=lambda item: {"description": item.description},
        asked=("description",),
        rules=("entries", "rules"),
        answer=answer_text,
        schema=lambda _, __: SCHEMA,
        answer_name="annotation",
        identity=_identity,
        pool=partial(_pool, card),
    )


def _read(text: str, item: Annotation) -> AnnotationReading | Unreadable:
    """Read an annotation from a text, strictly."""
    reading = read_annotation_reply(text)
    return Unreadable(reading.unreadable) if reading.unreadable else reading


def _score(
    matcher: Callable[[], EntryMatcher], item: Annotation, answer: AnnotationReading | None, reply: Given
) -> AnswerScores:
    """Score the entries of an answer."""
    answered, reading = answer is not None, answer or AnnotationReading()
    levels = compare_entries(item, reading, matcher())
    scores = _scores(levels, answered=answered)
    return AnswerScores(
        {name: scores[name] for name in ("f1", *METRICS)},
        answer={FIELDS[kind]: [spec.text for spec in reading.of_kind(kind)] for kind in KINDS} if answered else None,
        evidence=_evidence(levels, reading) if answered else None,
        counts={"repaired": int(reading.is_repaired), UNREAD: len(reading.bad)},
        notes=tuple(map(str, reading.findings)),
    )


def _vote(matcher: Callable[[], EntryMatcher], answers: Sequence[AnnotationReading]) -> AnnotationReading | Unreadable:
    """Return the entries in more than half of the draws, each as it was first written.

    Two entries are equal if the exact scores treat them as equal. An unreadable entry votes by its text: if most
    draws have it, it is kept and counts as wrong.
    """
    entries = majority([draw.specifications for draw in answers], matcher().key)
    bad = majority([draw.bad for draw in answers], lambda entry: (entry.kind, entry.note.text))
    empty = sum(not draw.specifications and not draw.bad for draw in answers)
    if not entries and not bad and empty * 2 <= len(answers):
        return Unreadable(NO_MAJORITY)
    return AnnotationReading(tuple(entries), tuple(bad))


def _program(task: Task, subject: str, seed: int, dataset: Dataset | None) -> Program:
    samples = [] if dataset is None else [dataset.sample(number) for number in range(len(dataset))]
    return annotator_named(subject, seed, samples)


def _trace(judged: Judged) -> tuple[str, ...]:
    """Return a line for each given or expected entry, field by field."""
    if not judged.evidence:
        return ()
    lines, near_by_entry = list[str](), {near_miss["said"]: near_miss for near_miss in judged.evidence["nearly"]}
    for kind in KINDS:
        entries = judged.evidence["fields"][kind]
        for name, mark in MARKS.items():
            for entry in entries[name]:
                near = near_by_entry.get(entry) if name == "extra" else None
                why = f" ({near['differs']}: {near['wanted']} is wanted)" if near else ""
                lines.append(f"{FIELDS[kind]}: {mark} {entry}{why}")
        lines += [f"{FIELDS[kind]}: ✗ unread: {bad['entry']} ({bad['reason']})" for bad in entries["unread"]]
    return tuple(lines)


def _faults(answer: object, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Yield the entries that are missing and those that are too many."""
    for field in evidence["fields"].values():
        yield from (f"{side} {entry}" for side in ("missing", "extra") for entry in field[side])


class _ExampleRow(AnnotationRow):
    item_id: StrictStr
    description: StrictStr
    counts: tuple[StrictStr, ...]
    rationale: StrictStr


def _pool(card: Card) -> Pool:
    """Return the worked examples named by the card: JSON rows, each an annotation with a ``rationale``."""
    path = pool_file(card)
    examples = list[WorkedExample]()
    for number, line in enumerate(text_of(path).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}: line {number}"
        try:
            row = _ExampleRow.model_validate(json_of(line, where))
            annotation = annotation_of(row.item_id, row.difficulty, row.description, *row.entries)
        except ValidationError as error:
            raise problem_of(error, where) from None
        except NotationError as error:
            raise UsageError(f"{where}: {error.message}") from None
        examples.append(WorkedExample(annotation, answer_text(annotation), row.rationale))
    return Pool(str(card.examples), tuple(examples), _identity)


def _identity(item: Annotation) -> Identity:
    return Identity((folded(item.description),))


def _scores(levels: Mapping[Level, Mapping[Kind, EntryComparison]], *, answered: bool) -> Scores:
    """Return all scores. Without an answer, those of one description are 0, even if no entry is expected."""
    scores: Scores = {}
    for level, fields in levels.items():
        ending = "" if level == "exact" else f"_{level}"
        for prefix, kinds in {"": KINDS, **{f"{kind}_": (kind,) for kind in KINDS}}.items():
            compared = [fields[kind] for kind in kinds]
            right, wanted = sum(field.right for field in compared), sum(len(field.wanted) for field in compared)
            answered_count = sum(field.total for field in compared) if answered else wanted
            overlap = Overlap(right, answered_count, wanted)
            reason = (
                f"{right} right, {answered_count} said, {wanted} wanted" if answered else f"no answer, {wanted} wanted"
            )
            parts = {
                "precision": (right, answered_count),
                "recall": (right, wanted),
                "f1": (2 * right, answered_count + wanted),
            }
            absent = Score.missing(reason if answered_count + wanted else NO_ENTRIES)
            for name, (total, weight) in parts.items():
                pooled = Score(total, weight, reason) if weight else absent
                scores[f"{prefix}{name}{ending}"] = pooled
                if not ending:
                    per_item = Score(
                        answered * getattr(overlap, name), 1, reason if answered_count + wanted else NO_ENTRIES
                    )
                    scores[f"{prefix}{name}_per_item"] = per_item
    exact, meaning = levels["exact"].values(), levels["meaning"]
    wrong = sum(len(field.missing) + len(field.extra) + field.bad for field in exact)
    bad, answered_count = sum(field.bad for field in exact), sum(field.total for field in exact)
    quantities = [field.agreeing_in_quantity() for field in meaning.values()]
    return scores | {
        "exact_match": right_or_wrong(answered and not wrong, f"{wrong} entries missing or wrong"),
        "unread": Score(bad, answered_count, f"{bad} of {answered_count} cannot be read")
        if answered_count
        else Score.missing("nothing was said"),
        "quantities": _share(quantities, "comparison and number"),
        "anchors": _share([meaning["oor"].agreeing_in_anchor()], "anchor"),
    }


def _share(parts: Iterable[tuple[int, int]], what: str) -> Score:
    right, of = (sum(numbers) for numbers in zip(*parts, strict=True))
    return Score(right, of, f"{right} of {of} agree in {what}") if of else Score.missing("no entry agrees in the rest")


def _evidence(levels: Mapping[Level, Mapping[Kind, EntryComparison]], reading: AnnotationReading) -> dict[str, Any]:
    """Return the matched, missing, extra and unreadable entries of each field, and the near misses."""
    exact, meaning = levels["exact"], levels["meaning"]
    fields = {
        kind: {
            "matched": [spec.text for key, spec in comparison.said.items() if key in comparison.wanted],
            "missing": [spec.text for spec in comparison.missing],
            "extra": [spec.text for spec in comparison.extra],
            "unread": [{"entry": bad.note.text, "reason": bad.note.reason} for bad in reading.bad if bad.kind == kind],
        }
        for kind, comparison in exact.items()
    }
    almost = [near for kind in KINDS for near in near_misses(exact[kind], meaning[kind])]
    return {"fields": fields, "nearly": almost}


def annotate(card: Card) -> Task:
    """Return the task of annotating descriptions.

    The rules that decide if two entries are equal come from the tables of the working project, else the bundled ones.
    """
    matcher = cache(entry_matcher)
    return Task(
        card=card,
        rows=ROWS,
        metrics=METRICS,
        view=replace(
            VIEW,
            reference=answer_text,
            told=lambda answer: answer_text(answer.annotation("")),
            noted=attrgetter("findings"),
            spans=lambda _, text: read_annotation_reply(text).spans,
            trace=_trace,
            faults=_faults,
        ),
        groups=GROUPS,
        official=Official(unpublished=lambda _, __: NO_FIGURES),
        prompt=annotation_prompt(card),
        read=_read,
        score=partial(_score, matcher),
        baselines=Baselines(NAMES, _program),
        vote=partial(_vote, matcher),
        shown=tuple(name for name, metric in METRICS.items() if metric.is_headline),
        finish=lambda board, _: board.with_counts(UNREAD),
    )
