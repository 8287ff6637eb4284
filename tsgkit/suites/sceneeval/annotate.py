"""The task ``sceneeval/annotate``: annotate a description with its demands, entry by entry.

>>> from tsgkit.library.cards import load_card
>>> from tsgkit.suites.replies import Reply
>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> from tsgkit.suites.solvers.scorers import judge_reading, read_reply
>>> task = annotate(load_card("sceneeval/annotate"))
>>> from tsgkit.suites.solvers.ways import baseline_of
>>> len(task.dataset(None)), baseline_of(task, "baseline/rules", 0, task.dataset(None)).name
(30, 'baseline')
>>> asked = annotation_of("0", "easy", "A den.", ("eq,1,sofa", "ge,2,lamp"), (), ("eq,1,left,0,sofa,lamp",))
>>> said = '{"counts": ["eq,1,couch", "eq,2,lamp"], "object_relations": ["eq,1,left,1,sofa,lamp"]}'
>>> judged = judge_reading(task, asked, read_reply(task, asked, Reply(said)))
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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from operator import attrgetter
from typing import Any

from pydantic import StrictStr, ValidationError

from tsgkit.errors import NotationError, UsageError
from tsgkit.library.cards import Card
from tsgkit.library.projects import text_of
from tsgkit.replies import Unreadable
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.scoring.sets import Overlap
from tsgkit.suites.judgement import AnswerScores, Given, Judged, Scores
from tsgkit.suites.metrics import PER_ITEM, POOLED, Metric
from tsgkit.suites.rows import Dataset
from tsgkit.suites.sceneeval.annotation_baselines import NAMES, annotator_named
from tsgkit.suites.sceneeval.annotation_entries import (
    EntryComparison,
    EntryMatcher,
    Level,
    compare_entries,
    entry_matcher,
    near_misses,
)
from tsgkit.suites.sceneeval.annotation_files import GROUPS, ROWS, VIEW, AnnotationRow
from tsgkit.suites.sceneeval.annotation_replies import FIELDS, AnnotationReading, answer_text, read_annotation_reply
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation, Kind, annotation_of
from tsgkit.suites.sceneeval.scene_files.files import json_of, problem_of
from tsgkit.suites.solvers.examples import Example, Identity, Pool, folded, pool_file
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
    matcher: Callable[[], EntryMatcher], item: Annotation, answer: AnnotationReading | None, given: Given
) -> AnswerScores:
    """Score the entries of an answer."""
    answered, reading = answer is not None, answer or AnnotationReading()
    levels = compare_entries(item, reading, matcher())
    scores = _scores(levels, answered=answered) | _partial_scores(levels["meaning"])
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
    bad = majority([draw.bad for draw in answers], lambda one: (one.kind, one.note.text))
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
    lines, near_by_entry = list[str](), {one["said"]: one for one in judged.evidence["nearly"]}
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


def _pool(card: Card) -> Pool:
    """Return the worked examples named by the card: JSON rows, each an annotation with a ``rationale``."""
    found = pool_file(card)
    lines = enumerate(text_of(found).split("\n"), 1)
    examples = tuple(_example(line, f"{found}: line {number}") for number, line in lines if line.strip())
    return Pool(str(card.examples), examples, _identity)


def _identity(item: Annotation) -> Identity:
    return Identity((folded(item.description),))


class _ExampleRow(AnnotationRow):
    item_id: StrictStr
    description: StrictStr
    counts: tuple[StrictStr, ...]
    rationale: StrictStr


def _example(line: str, place: str) -> Example:
    try:
        row = _ExampleRow.model_validate(json_of(line, place))
        annotation = annotation_of(row.item_id, row.difficulty, row.description, *row.entries)
    except ValidationError as error:
        raise problem_of(error, place) from None
    except NotationError as error:
        raise UsageError(f"{place}: {error.message}") from None
    return Example(annotation, answer_text(annotation), row.rationale)


def _scores(levels: Mapping[Level, Mapping[Kind, EntryComparison]], *, answered: bool) -> Scores:
    scores: Scores = {}
    for level, fields in levels.items():
        ending = "" if level == "exact" else f"_{level}"
        for prefix, held in {"": [*fields.values()], **{f"{kind}_": [fields[kind]] for kind in KINDS}}.items():
            found = _overlap(held, answered=answered)
            pooled = _pooled(found, answered=answered)
            scores |= {f"{prefix}{name}{ending}": score for name, score in pooled.items()}
            if not ending:
                own = _per_item(found, pooled["f1"].reason, answered=answered)
                scores |= {f"{prefix}{name}_per_item": score for name, score in own.items()}
    return scores | _whole_scores([*levels["exact"].values()], answered=answered)


def _overlap(held: Sequence[EntryComparison], *, answered: bool) -> Overlap:
    """Count the correct, given and expected entries of several kinds together."""
    wanted = sum(len(one.wanted) for one in held)
    said = sum(one.total for one in held) if answered else wanted
    return Overlap(sum(one.right for one in held), said, wanted)


def _pooled(found: Overlap, *, answered: bool) -> Scores:
    """Return precision, recall and F1 with all entries as weights."""
    right, said, wanted = found
    reason = f"{right} right, {said} said, {wanted} wanted" if answered else f"no answer, {wanted} wanted"
    parts = {"precision": (right, said), "recall": (right, wanted), "f1": (2 * right, said + wanted)}
    return {
        name: Score(total, weight, reason) if weight else Score.missing(reason if said + wanted else NO_ENTRIES)
        for name, (total, weight) in parts.items()
    }


def _per_item(found: Overlap, reason: str, *, answered: bool) -> Scores:
    """Return the scores of one description. Without an answer all are 0, even if no entry is expected."""
    return {name: Score(answered * getattr(found, name), 1, reason) for name in ("precision", "recall", "f1")}


def _whole_scores(held: Sequence[EntryComparison], *, answered: bool) -> Scores:
    wrong = sum(len(one.missing) + len(one.extra) + one.bad for one in held)
    bad, said = sum(one.bad for one in held), sum(one.total for one in held)
    return {
        "exact_match": right_or_wrong(answered and not wrong, f"{wrong} entries missing or wrong"),
        "unread": Score(bad, said, f"{bad} of {said} cannot be read") if said else Score.missing("nothing was said"),
    }


def _partial_scores(fields: Mapping[Kind, EntryComparison]) -> Scores:
    """Score two parts of entries that otherwise agree by meaning: the comparison with its number, and the anchor."""
    quantities = [one.agreeing_in_quantity() for one in fields.values()]
    return {
        "quantities": _share(quantities, "comparison and number"),
        "anchors": _share([fields["oor"].agreeing_in_anchor()], "anchor"),
    }


def _share(parts: Iterable[tuple[int, int]], what: str) -> Score:
    right, of = (sum(numbers) for numbers in zip(*parts, strict=True))
    return Score(right, of, f"{right} of {of} agree in {what}") if of else Score.missing("no entry agrees in the rest")


def _evidence(levels: Mapping[Level, Mapping[Kind, EntryComparison]], reading: AnnotationReading) -> dict[str, Any]:
    """Return the matched, missing, extra and unreadable entries of each field, and the near misses."""
    exact, meaning = levels["exact"], levels["meaning"]
    fields = {
        kind: {
            "matched": [spec.text for key, spec in one.said.items() if key in one.wanted],
            "missing": [spec.text for spec in one.missing],
            "extra": [spec.text for spec in one.extra],
            "unread": [{"entry": bad.note.text, "reason": bad.note.reason} for bad in reading.bad if bad.kind == kind],
        }
        for kind, one in exact.items()
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
