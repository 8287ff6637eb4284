"""Judges one annotation against the reference: outcome, answer, scores with their reasons, evidence, counts.

>>> from tsgkit.suites.sceneeval.annotation_wording import wording_of_tables
>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> asked = annotation_of("0", "easy", "A den.", ("eq,1,sofa", "ge,2,lamp"), (), ("eq,1,left,0,sofa,lamp",))
>>> said = '{"counts": ["eq,1,couch", "eq,2,lamp"], "object_relations": ["eq,1,left,1,sofa,lamp"]}'
>>> judged = judge_reply(asked, Reply(said), wording_of_tables())
>>> scores = judged.scores["strict"]
>>> scores["cnt_f1"].value, scores["oor_f1"].value, scores["quantities"].value, scores["anchors"].value
(0.5, 0.0, 0.5, 0.0)
>>> judged.evidence["nearly"][0]
{'said': 'eq,2,lamp', 'wanted': 'ge,2,lamp', 'differs': 'quantity'}

An entry is right if all of it agrees; one that is said twice counts once, and one that cannot be read is wrong. Without
an answer a sample counts as if as many entries had been said as are wanted, all of them wrong. A field of which nothing
is wanted and nothing said is right: 1 in the figures per item, without weight in the pooled ones. No figures of this
task are published, so there is no ``official``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.scoring.sets import Overlap
from tsgkit.suites.judged import Judged, Scores
from tsgkit.suites.replies import Reply
from tsgkit.suites.sceneeval.annotation_replies import FIELDS, AnnotationReading, BadEntry, read_annotation_reply
from tsgkit.suites.sceneeval.annotation_wording import LEVELS, Key, Level, Wording, rooms_named
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation, Kind, Specification
from tsgkit.suites.sceneeval.metrics import ANNOTATE
from tsgkit.suites.solvers.answerable import Reading

UNREAD = "unread_entries"
"""The count of entries that could not be read."""
NOTHING = "nothing is wanted and nothing was said"


@dataclass(frozen=True)
class Compared:
    """The entries of one kind on one level: those wanted and those said, by what they say."""

    wanted: Mapping[Key, Specification]
    said: Mapping[Key, Specification]
    bad: int
    """How many were said that cannot be read."""

    @property
    def right(self) -> int:
        """How many are right."""
        return len(self.wanted.keys() & self.said.keys())

    @property
    def total(self) -> int:
        """How many were said."""
        return len(self.said) + self.bad

    @property
    def missing(self) -> list[Specification]:
        """What was wanted and not said."""
        return [spec for key, spec in self.wanted.items() if key not in self.said]

    @property
    def extra(self) -> list[Specification]:
        """What was said and not wanted."""
        return [spec for key, spec in self.said.items() if key not in self.wanted]


def judge_reply(sample: Annotation, reply: Reply | None, wording: Wording) -> Judged:
    """The judgement on a reply (None: there is none)."""
    return judge_reading(sample, read_reply(reply), wording)


def judge_reading(sample: Annotation, read: Reading[AnnotationReading], wording: Wording) -> Judged:
    """The judgement on what was read."""
    outcome, reading = read
    answered = outcome is Outcome.ANSWERED
    wanted, said = _by_kind(sample.specifications), _by_kind(reading.specifications)
    one_room = rooms_named(sample.description) < 2
    levels = {level: _compared(wanted, said, reading.bad, _Keys(wording, level, one_room)) for level in LEVELS}
    counts = {"repaired": int(reading.is_repaired), UNREAD: len(reading.bad)}
    scores = _scores(levels, answered=answered) | _softer(levels["meaning"])
    return Judged(
        sample=sample,
        outcome=outcome,
        answer=answer_value(reading) if answered else None,
        scores={"strict": {name: scores[name] for name in ("f1", *ANNOTATE)}},
        notes=tuple(map(str, reading.findings)) or ((reading.unreadable,) if reading.unreadable else ()),
        evidence=_evidence(levels, reading) if answered else None,
        counts={"items": 1, outcome: 1, **counts},
    )


def read_reply(reply: Reply | None) -> Reading[AnnotationReading]:
    """The outcome and what was read; nothing where the sample is not answered."""
    if reply is None:
        return Reading(Outcome.MISSING, AnnotationReading())
    if reply.outcome is not None:
        return Reading(reply.outcome, AnnotationReading())
    if reply.is_empty:
        return Reading(Outcome.EMPTY, AnnotationReading())
    reading = read_annotation_reply(reply.text or "")
    return Reading(Outcome.UNREADABLE if reading.unreadable else Outcome.ANSWERED, reading)


def answer_value(reading: AnnotationReading) -> dict[str, list[str]]:
    """What was read, in the form that is asked for."""
    return {FIELDS[kind]: [spec.text for spec in specs] for kind, specs in _by_kind(reading.specifications).items()}


def _by_kind(specs: Iterable[Specification]) -> Mapping[Kind, list[Specification]]:
    kinds: dict[Kind, list[Specification]] = {kind: [] for kind in KINDS}
    for spec in specs:
        kinds[spec.kind].append(spec)
    return kinds


class _Keys(NamedTuple):
    """What entries say on a level."""

    wording: Wording
    level: Level
    one_room: bool

    def of(self, specs: Iterable[Specification]) -> dict[Key, Specification]:
        """The first entry of each key."""
        keyed: dict[Key, Specification] = {}
        for spec in specs:
            keyed.setdefault(self.wording.key(spec, self.level, one_room=self.one_room), spec)
        return keyed


def _compared(
    wanted: Mapping[Kind, list[Specification]],
    said: Mapping[Kind, list[Specification]],
    bad: Iterable[BadEntry],
    keys: _Keys,
) -> dict[Kind, Compared]:
    texts = {(one.kind, one.note.text) for one in bad}
    many = Counter(kind for kind, _ in texts)
    return {kind: Compared(keys.of(wanted[kind]), keys.of(said[kind]), many[kind]) for kind in KINDS}


def _scores(levels: Mapping[Level, Mapping[Kind, Compared]], *, answered: bool) -> Scores:
    scores: Scores = {}
    for level, fields in levels.items():
        ending = "" if level == "exact" else f"_{level}"
        for prefix, compared in {"": [*fields.values()], **{f"{kind}_": [fields[kind]] for kind in KINDS}}.items():
            found = _overlap(compared, answered=answered)
            pooled = _pooled(found, answered=answered)
            scores |= {f"{prefix}{name}{ending}": score for name, score in pooled.items()}
            if not ending:
                own = _per_item(found, pooled["f1"].reason, answered=answered)
                scores |= {f"{prefix}{name}_per_item": score for name, score in own.items()}
    return scores | _whole([*levels["exact"].values()], answered=answered)


def _overlap(compared: Sequence[Compared], *, answered: bool) -> Overlap:
    """How many entries of some kinds together are right, said and wanted."""
    wanted = sum(len(one.wanted) for one in compared)
    said = sum(one.total for one in compared) if answered else wanted
    return Overlap(sum(one.right for one in compared), said, wanted)


def _pooled(found: Overlap, *, answered: bool) -> Scores:
    """Precision, recall and F1 as a share of all entries."""
    right, said, wanted = found
    reason = f"{right} right, {said} said, {wanted} wanted" if answered else f"no answer, {wanted} wanted"
    parts = {"precision": (right, said), "recall": (right, wanted), "f1": (2 * right, said + wanted)}
    return {
        name: Score(total, weight, reason) if weight else Score.missing(reason if said + wanted else NOTHING)
        for name, (total, weight) in parts.items()
    }


def _per_item(found: Overlap, reason: str, *, answered: bool) -> Scores:
    """The same of a description by itself; without an answer nothing is right, even where nothing is wanted."""
    return {name: Score(answered * getattr(found, name), 1, reason) for name in ("precision", "recall", "f1")}


def _whole(compared: Sequence[Compared], *, answered: bool) -> Scores:
    wrong = sum(len(one.missing) + len(one.extra) + one.bad for one in compared)
    bad, said = sum(one.bad for one in compared), sum(one.total for one in compared)
    return {
        "exact_match": right_or_wrong(answered and not wrong, f"{wrong} entries missing or wrong"),
        "unread": Score(bad, said, f"{bad} of {said} cannot be read") if said else Score.missing("nothing was said"),
    }


def _softer(fields: Mapping[Kind, Compared]) -> Scores:
    """What of an entry is right if all else is: its comparison and number, and its anchor."""
    quantities = [_agreeing(one, _but_for_the_quantity, lambda key: key.quantity) for one in fields.values()]
    anchors = _agreeing(fields["oor"], _but_for_the_anchor, lambda key: key.anchor)
    return {
        "quantities": _share(quantities, "comparison and number"),
        "anchors": _share([anchors], "anchor"),
    }


def _but_for_the_quantity(key: Key) -> object:
    return key.kind, key.what, key.anchor


def _but_for_the_anchor(key: Key) -> object:
    """None where the anchor makes no difference."""
    return (key.quantity, key.what) if key.anchor and len(set(key.what[1:])) > 1 else None


def _agreeing(compared: Compared, rest: Callable[[Key], object], part: Callable[[Key], object]) -> tuple[int, int]:
    """Of the entries that agree in the rest, paired one to one: how many agree in this part too, of how many."""
    wanted, said = (_grouped(keys, rest, part) for keys in (compared.wanted, compared.said))
    pairs = [(wanted[one], said[one]) for one in wanted.keys() & said.keys()]
    return sum(len(left & right) for left, right in pairs), sum(min(len(left), len(right)) for left, right in pairs)


def _grouped(
    keys: Iterable[Key], rest: Callable[[Key], object], part: Callable[[Key], object]
) -> Mapping[object, set[object]]:
    groups: defaultdict[object, set[object]] = defaultdict(set)
    for key in keys:
        if (group := rest(key)) is not None:
            groups[group].add(part(key))
    return groups


def _share(parts: Iterable[tuple[int, int]], what: str) -> Score:
    right, of = (sum(numbers) for numbers in zip(*parts, strict=True))
    return Score(right, of, f"{right} of {of} agree in {what}") if of else Score.missing("no entry agrees in the rest")


def _evidence(levels: Mapping[Level, Mapping[Kind, Compared]], reading: AnnotationReading) -> dict[str, Any]:
    """What is right, missing, surplus and unread of each field, and which entries are nearly right."""
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
    nearly = [near for kind in KINDS for near in _nearly(exact[kind], meaning[kind])]
    return {"fields": fields, "nearly": nearly}


def _nearly(exact: Compared, meaning: Compared) -> Iterator[dict[str, str]]:
    """The entries said that are wrong in one thing, each beside one that was wanted and not said."""
    missing, extra = set(exact.missing), set(exact.extra)
    wanted = {key: spec for key, spec in meaning.wanted.items() if spec in missing}
    said = {key: spec for key, spec in meaning.said.items() if spec in extra}
    for what, rest in DIFFERENCES.items():
        waiting = {rest(key): key for key in reversed(wanted)}
        for key in [*said]:
            if (found := waiting.pop(rest(key), None)) is not None:
                yield {"said": said.pop(key).text, "wanted": wanted.pop(found).text, "differs": what}


DIFFERENCES: Mapping[str, Callable[[Key], object]] = {
    "words": lambda key: key,
    "quantity": _but_for_the_quantity,
    "anchor": lambda key: (key.quantity, key.what),
}
"""In what an entry can be wrong alone, and what agrees then."""
