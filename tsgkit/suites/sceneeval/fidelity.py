"""The task ``sceneeval/fidelity``: check a room against the demands of its description.

Every demand is evaluated in both profiles, with the reason.

Every object or group that a demand could mean is checked, and the number of satisfying ones is compared with the number
demanded. In ``official``, attributes and relations of a category without objects are unsatisfied whatever the number, a
phrase without a measured relation is satisfied, and an object may be its own neighbour. In ``strict``, a category
without objects has a count of 0, and a phrase without a measured relation is unknown: counted separately, not scored.

If a judge gave no usable answer, ``official`` assigns the object to no category and treats the demand as unsatisfied.
In ``strict``, a demand is unknown if the missing answer could decide it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.geometry import MeasuredScene, Relation, groups, relation_of_objects, relation_to_room
from tsgkit.library.cards import Card
from tsgkit.llm.reply import Ask
from tsgkit.scoring.pooling import Score
from tsgkit.suites.judgement import QuestionVerdict, Scores
from tsgkit.suites.judges.judge import Unknown
from tsgkit.suites.metrics import Metric
from tsgkit.suites.sceneeval.annotation_files import VIEW
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation, Specification, in_words, spaced
from tsgkit.suites.sceneeval.judges.answers import AttributeAnswer, MeasuredRoomRelation
from tsgkit.suites.sceneeval.judges.model import SceneJudge
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.sceneeval.scenes import ABSENT, NOT_SEEN, OUTCOMES, SceneChecks, scene_task, with_averages
from tsgkit.suites.sceneeval.word_meanings import MeasuredRelation
from tsgkit.suites.task import Task
from tsgkit.suites.transcript import gather_all

MOST_GROUPS = 20_000
"""A demand with more possible groups than this is unknown."""
MOST_SHOWN = 12
"""The maximum number of groups in the evidence of a demand; satisfied ones come first."""
MOST_NAMED = 4
"""The maximum number of groups named in a reason."""
NOT_MEASURED = "means no relation that can be measured"
MET, UNMET = "met", "unmet"
METRICS = with_averages(
    {
        "cnt": Metric("demands on numbers of objects that are met"),
        "atr": Metric("demands on attributes that are met"),
        "oor": Metric("demands on relations between objects that are met"),
        "oar": Metric("demands on relations to the room that are met"),
    }
)


async def ask_judge(annotation: Annotation, scene: LoadedScene, judge: SceneJudge, ask: Ask | None) -> FidelityAnswers:
    """Ask the judge all questions, concurrently where possible.

    It is asked for the category of each object, and for the attributes of objects that the description asks about.
    """
    floors = {ground.id: ground.room for ground in scene.stage.floors}

    async def object_answers() -> tuple[Mapping[str, str | Unknown | None], Mapping[Specification, AttributeAnswer]]:
        answers = FidelityAnswers(await judge.categories(scene, annotation.categories, ask))
        questions = [(spec, names) for spec in annotation.of_kind("atr") if (names := answers.of(spec.category))]
        attributes = await gather_all(*(judge.attribute(scene, spec, names, ask) for spec, names in questions))
        return answers.matched, {spec: has for (spec, _), has in zip(questions, attributes, strict=True)}

    pairs, rooms, (matched, attributes) = await gather_all(
        judge.object_relations(annotation, ask),
        judge.room_relations(annotation, floors, ask),
        object_answers(),
    )
    return FidelityAnswers(matched, attributes, pairs, rooms)


def measure(annotation: Annotation, scene: LoadedScene, answers: FidelityAnswers) -> dict[str, Any]:
    """Return all results as JSON."""
    stages = scene.stages.items()
    return {
        "matched": {name: None if isinstance(of, Unknown) else of for name, of in answers.matched.items()},
        "specifications": [
            {
                "text": spec.text,
                "kind": spec.kind,
                "meant": _meaning(spec, answers),
                "profiles": {name: _VERDICTS[spec.kind](spec, stage, answers).value() for name, stage in stages},
            }
            for spec in annotation.specifications
        ],
        "problems": [str(problem) for problem in scene.stage.problems],
    }


def _scores(sample: Annotation, value: Mapping[str, Any], profile: str) -> Scores:
    """Score how many demands of each kind are met. Unknown demands are left out."""
    results = {result["text"]: result for result in value.get("specifications", ())}
    scores: Scores = {}
    for kind in KINDS:
        wanted = sample.of_kind(kind)
        if not wanted:
            scores[kind] = Score.missing("the description demands nothing of this kind")
        elif value["found"] == ABSENT and profile == "official":
            scores[kind] = Score.missing(NOT_SEEN)
        elif value["found"] in OUTCOMES and profile == "strict":
            scores[kind] = Score(0, len(wanted), value["reason"])
        else:
            scores[kind] = _share_met({spec.text: results[spec.text]["profiles"][profile] for spec in wanted})
    return scores


def _share_met(verdicts: Mapping[str, Mapping[str, Any]]) -> Score:
    known = [verdict["satisfied"] for verdict in verdicts.values() if verdict["satisfied"] is not None]
    if not known:
        return Score.missing(next(iter(verdicts.values()))["reason"])
    unmet = [f"{text}: {verdict['reason']}" for text, verdict in verdicts.items() if verdict["satisfied"] is False]
    why = f"; {unmet[0]}" + (f" (and {len(unmet) - 1} more)" if len(unmet) > 1 else "") if unmet else ""
    return Score(sum(known), len(known), f"{sum(known)} of {len(known)} demands are met{why}")


def _answer(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the demands that are met, unmet and unknown."""
    verdicts = {result["text"]: result["profiles"]["strict"]["satisfied"] for result in value["specifications"]}
    names = {"met": True, "unmet": False, "unknown": None}
    return {name: [text for text, met in verdicts.items() if met is wanted] for name, wanted in names.items()}


def _evidence(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the category of each object, the result of each demand, and how the judge's calls ended."""
    return {name: value[name] for name in ("matched", "specifications", "judge") if name in value}


def _troubles(value: Mapping[str, Any], profile: str) -> list[str]:
    """Return a line for each demand that is unmet or unknown."""
    shown = ((result["text"], result["profiles"][profile]) for result in value["specifications"])
    names = {False: "unmet", None: "unknown"}
    return [
        f"{names[result['satisfied']]} {text}: {result['reason']}" for text, result in shown if not result["satisfied"]
    ]


def _faults(answer: Mapping[str, Sequence[str]], evidence: object) -> Iterator[str]:
    """Yield the demands that are unmet or unknown."""
    yield from (f"{name} {text}" for name in ("unmet", "unknown") for text in answer[name])


def _unknown(value: Mapping[str, Any]) -> int:
    """Return the number of demands that are unknown in ``strict``."""
    return sum(result["profiles"]["strict"]["satisfied"] is None for result in value["specifications"])


def _verdicts(
    record: Mapping[str, Any], sample: Annotation, metric: str, profile: str = "strict"
) -> Iterator[QuestionVerdict]:
    """Yield the verdict on each demand, as a question of its kind, numbered from 0 in list order.

    Unknown demands, and all demands of a missing scene, have no label and count as wrong.
    """
    evidence = record["evidence"] or {}
    satisfied = {
        result["text"]: result["profiles"][profile]["satisfied"] for result in evidence.get("specifications", ())
    }
    for number, spec in enumerate(sample.specifications):
        met = satisfied.get(spec.text)
        label = None if met is None else MET if met else UNMET
        yield QuestionVerdict(str(number), label == MET, label, MET, spec.kind.upper(), text=in_words(spec))


@dataclass(frozen=True)
class DemandVerdict:
    """The result for a demand: met or not (None if unknown), how many objects or groups satisfy it, why, and the
    evidence."""

    satisfied: bool | None
    count: int | None
    reason: str
    groups: tuple[Mapping[str, Any], ...] = ()

    def value(self) -> dict[str, Any]:
        """Return the verdict as JSON."""
        return {"satisfied": self.satisfied, "count": self.count, "reason": self.reason, "groups": list(self.groups)}


class CheckedGroup(NamedTuple):
    """One object or group checked against a demand."""

    objects: tuple[str, ...]
    relations: tuple[Relation, ...]

    @property
    def satisfied(self) -> bool:
        """True if every relation holds."""
        return all(relation.satisfied for relation in self.relations)

    @property
    def nearness(self) -> float:
        """The lowest relation score: how close the group is to satisfying the demand."""
        return min((relation.score for relation in self.relations), default=1.0)

    @property
    def why(self) -> str:
        """The evidence of the relation with the lowest score."""
        return (
            min(self.relations, key=lambda relation: relation.score).evidence
            if self.relations
            else "nothing was demanded"
        )

    def value(self) -> dict[str, Any]:
        """Return the group as JSON."""
        relations = [
            {
                "type": relation.name,
                "score": round(relation.score, 6),
                "margin": round(relation.margin, 6),
                "evidence": relation.evidence,
            }
            for relation in self.relations
        ]
        return {"objects": list(self.objects), "satisfied": self.satisfied, "relations": relations}


@dataclass(frozen=True)
class FidelityAnswers:
    """The judge's answers on a scene."""

    matched: Mapping[str, str | Unknown | None]
    attributes: Mapping[Specification, AttributeAnswer] = field(default_factory=dict)
    pairs: Mapping[Specification, tuple[MeasuredRelation, ...] | Unknown | None] = field(default_factory=dict)
    rooms: Mapping[Specification, MeasuredRoomRelation | Unknown | None] = field(default_factory=dict)

    def of(self, category: str) -> tuple[str, ...]:
        """Return the objects of a category."""
        return tuple(name for name, match in self.matched.items() if match == category)

    def unsure(self, stage: MeasuredScene) -> Mapping[str, Unknown]:
        """Return the objects that may be of any category. In ``official`` they are of none, so there are no such
        objects."""
        if stage.profile.self_pairs:
            return {}
        return {name: category for name, category in self.matched.items() if isinstance(category, Unknown)}

    @property
    def all_answers(self) -> list[object]:
        """All answers of the judge."""
        return [
            answer for answers in (self.matched, self.attributes, self.pairs, self.rooms) for answer in answers.values()
        ]


def _count_verdict(spec: Specification, stage: MeasuredScene, answers: FidelityAnswers) -> DemandVerdict:
    names = answers.of(spec.category)
    listed = f": {', '.join(names)}" if names else ""
    what = f"{len(names)} {spaced(spec.category)}{listed}; {spec.wanted} needed"
    sure = DemandVerdict(spec.holds(len(names)), len(names), what)
    unsure = answers.unsure(stage)
    return _if_decided(spec, sure, len(names) + len(unsure), unsure)


def _if_decided(spec: Specification, sure: DemandVerdict, most: int, unsure: Mapping[str, Unknown]) -> DemandVerdict:
    """Return the verdict on what is known, if no possible count up to ``most`` would change it, else an unknown one."""
    least = sure.count or 0
    if not unsure or all(spec.holds(count) == sure.satisfied for count in range(least, most + 1)):
        return sure
    name, why = next(iter(unsure.items()))
    return DemandVerdict(None, None, f"it is not known what {name} is ({why}); without it: {sure.reason}", sure.groups)


def _attribute_verdict(spec: Specification, stage: MeasuredScene, answers: FidelityAnswers) -> DemandVerdict:
    answer, unsure = answers.attributes.get(spec), answers.unsure(stage)
    if answer is None:
        return _if_decided(spec, _verdict_without_objects(spec, stage, spec.category, 0, 1), len(unsure), unsure)
    if answer.failed is not None and stage.profile.self_pairs:
        return DemandVerdict(False, None, f"{answer.failed}; unsatisfied, as published")
    sure = [name for name, has in answer.instances.items() if has]
    open_ = [name for name, has in answer.instances.items() if has is None]
    possible = {spec.holds(count) for count in range(len(sure), len(sure) + len(open_) + 1)}
    shown = tuple({"objects": [name], "satisfied": has} for name, has in answer.instances.items())
    if len(possible) > 1:
        return DemandVerdict(None, None, answer.reason, shown)
    listed = f": {', '.join(sure)}" if sure else ""
    more = f", {len(open_)} open" if open_ else ""
    what = f"{len(sure)} of {len(answer.instances)} are {spaced(spec.attribute)}{more}{listed}; {spec.wanted} needed"
    verdict = DemandVerdict(possible.pop(), len(sure), what, shown)
    return _if_decided(spec, verdict, len(sure) + len(open_) + len(unsure), unsure)


def _verdict_without_objects(
    spec: Specification, stage: MeasuredScene, category: str, count: int, needed: int
) -> DemandVerdict:
    """Return the verdict for too few objects: unsatisfied in ``official``, a count of 0 in ``strict``."""
    what = f"there {'is' if count == 1 else 'are'} {count or 'no'} {spaced(category)}, {needed} needed"
    if stage.profile.self_pairs:
        return DemandVerdict(False, 0, what)
    return DemandVerdict(spec.holds(0), 0, f"{what}; {spec.wanted} wanted")


def _missing_category(spec: Specification, answers: FidelityAnswers, more: int = 0) -> tuple[str, int, int] | None:
    """Return the first category with too few objects (even with ``more`` of them), the count and the number needed."""
    counts = ((name, len(answers.of(name)), needed) for name, needed in spec.named.items())
    return next(((name, count, needed) for name, count, needed in counts if count + more < needed), None)


def _verdict_without_relation(spec: Specification, stage: MeasuredScene, meant: Unknown | None) -> DemandVerdict:
    """Return the verdict for an unmapped relation. In ``official`` it is met, or unmet if the judge gave no answer."""
    published = stage.profile.self_pairs
    if meant is not None:
        unmet = DemandVerdict(False, None, f"{meant}; unsatisfied, as published")
        return unmet if published else DemandVerdict(None, None, f"it is not known what this means ({meant})")
    what = f"{spaced(spec.relation)} {NOT_MEASURED}"
    return (
        DemandVerdict(True, None, f"{what}; satisfied, as published") if published else DemandVerdict(None, None, what)
    )


def _object_relation_verdict(spec: Specification, stage: MeasuredScene, answers: FidelityAnswers) -> DemandVerdict:
    # The meaning of a phrase does not depend on the scene, so it is the same for every subject.
    meant, unsure = answers.pairs.get(spec), answers.unsure(stage)
    if lacking := _missing_category(spec, answers, len(unsure)):
        return _verdict_without_objects(spec, stage, *lacking)
    if meant is None or isinstance(meant, Unknown):
        return _verdict_without_relation(spec, stage, meant)
    could_be = [((*answers.of(name), *unsure), n) for name, n in Counter(spec.others).items()]
    listed = list(islice(groups((*answers.of(spec.anchor), *unsure), could_be, stage.profile), MOST_GROUPS + 1))
    if len(listed) > MOST_GROUPS:
        return DemandVerdict(None, None, f"more than {MOST_GROUPS:,} groups could be meant")
    checked = []
    for group in listed:
        relations = [
            _measured(each.type, relation_of_objects, stage, each.type, group.anchor, group.others, each.side)
            for each in meant
        ]
        checked.append(CheckedGroup((group.anchor, *group.others), tuple(relations)))
    return _verdict_on_known(spec, stage, answers, checked)


def _verdict_on_known(
    spec: Specification, stage: MeasuredScene, answers: FidelityAnswers, checked: Sequence[CheckedGroup]
) -> DemandVerdict:
    """Return the verdict on objects of known category, if objects of unknown category could not change it."""
    unsure = answers.unsure(stage)
    known = [group for group in checked if unsure.keys().isdisjoint(group.objects)]
    lacking = _missing_category(spec, answers)
    verdict = _verdict_without_objects(spec, stage, *lacking) if lacking else _verdict_from_groups(spec, known)
    return _if_decided(spec, verdict, sum(group.satisfied for group in checked), unsure)


def _measured(name: str, relation: Callable[..., Relation], *arguments: object, **options: object) -> Relation:
    """Return the measured relation. It is not satisfied if one of its objects cannot be measured."""
    try:
        return relation(*arguments, **options)
    except UsageError as error:
        return Relation(name, 0.0, False, -0.5, error.message)


def _room_relation_verdict(spec: Specification, stage: MeasuredScene, answers: FidelityAnswers) -> DemandVerdict:
    meant, unsure = answers.rooms.get(spec), answers.unsure(stage)
    if lacking := _missing_category(spec, answers, len(unsure)):
        return _verdict_without_objects(spec, stage, *lacking)
    if meant is None or isinstance(meant, Unknown):
        return _verdict_without_relation(spec, stage, meant)
    known = {ground.id for ground in stage.floors}
    floors = [name for name in meant.floors if name in known]
    names = (*answers.of(spec.category), *unsure)
    checked = []
    for name in names:
        relation = _measured(
            meant.type, relation_to_room, stage, meant.type, name, element=meant.element, floors=floors
        )
        checked.append(CheckedGroup((name,), (relation,)))
    return _verdict_on_known(spec, stage, answers, checked)


def _verdict_from_groups(spec: Specification, checked: Sequence[CheckedGroup]) -> DemandVerdict:
    good = [checked_group for checked_group in checked if checked_group.satisfied]
    bad = sorted(
        (checked_group for checked_group in checked if not checked_group.satisfied),
        key=lambda checked_group: -checked_group.nearness,
    )
    satisfied = spec.holds(len(good))
    head = f"{len(good)} of {len(checked)} satisfy it, {spec.wanted} needed"
    too_few = not satisfied and (len(good) < spec.n or spec.quantity == "gt")
    if too_few and bad:
        reason = bad[0].why if len(checked) == 1 else f"{bad[0].why} ({head})"
    else:
        group_names = "; ".join(" and ".join(group.objects) for group in good[:MOST_NAMED])
        reason = f"{head}: {group_names}" if good else head
    shown = tuple(checked_group.value() for checked_group in islice([*good, *bad], MOST_SHOWN))
    return DemandVerdict(satisfied, len(good), reason, shown)


_VERDICTS: Mapping[str, Callable[[Specification, MeasuredScene, FidelityAnswers], DemandVerdict]] = {
    "cnt": _count_verdict,
    "atr": _attribute_verdict,
    "oor": _object_relation_verdict,
    "oar": _room_relation_verdict,
}


def _meaning(spec: Specification, answers: FidelityAnswers) -> list[str] | None:
    """Return the measured relations that a relation was mapped to, as text."""
    meant = (answers.pairs if spec.kind == "oor" else answers.rooms).get(spec)
    if meant is None or isinstance(meant, Unknown):
        return None
    if isinstance(meant, MeasuredRoomRelation):
        return [f"{meant.type} {meant.element}", *meant.floors]
    return list(map(str, meant))


CHECKS = SceneChecks("fidelity", ask_judge, measure, _scores, _answer, _evidence, _troubles, _unknown)


def fidelity(card: Card) -> Task:
    """Return the task that checks rooms against the demands of their descriptions."""
    view = replace(
        VIEW,
        reference=lambda sample: "\n".join(map(in_words, sample.specifications)),
        faults=_faults,
        verdicts=_verdicts,
    )
    return scene_task(card, CHECKS, METRICS, view)
