"""Tasks that judge folders of scenes, and their solvers.

The questions, measurements and scores are specific to each task: :mod:`~tsgkit.suites.sceneeval.fidelity` and
:mod:`~tsgkit.suites.sceneeval.plausibility`.

For a missing scene, ``strict`` leaves every demand unmet and gives each plausibility metric its worst value.
``official`` skips it, since the published tool starts from the existing files. An unreadable scene counts the same in
``strict``; in ``official`` it counts as an empty room of 6 by 6 metres, as published.

If a model judge gave no usable answer, ``strict`` treats everything that depends on it as unknown, and counts it. If
the judge's service failed, the sample has failed: it shows the known results, and has no ``official`` score, since the
published tool stops there. A scene that exceeds its time limit is an error, scored as if it were missing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.geometry import bare_room, check_libraries
from tsgkit.library.cards import Card
from tsgkit.llm.reply import Ask, Ending, Reply
from tsgkit.scoring.pooling import FAILURES, TOO_LONG, Outcome, Score
from tsgkit.suites.judgement import Judged, Scores, TwoReadings
from tsgkit.suites.judges.judge import Judge, ResponseFormats, outcome_of
from tsgkit.suites.metrics import PER_ITEM, PROFILES, Metric
from tsgkit.suites.rows import Dataset
from tsgkit.suites.sceneeval.annotation_files import GROUPS, ROWS
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.judges.answers import ended, last_json_in, unknowns
from tsgkit.suites.sceneeval.judges.model import OBJECTS, ROOM, JudgePrompts, ModelJudge, SceneJudge
from tsgkit.suites.sceneeval.judges.rules import NAME as RULES
from tsgkit.suites.sceneeval.judges.rules import RulesJudge
from tsgkit.suites.sceneeval.official_results import OFFICIAL_NAMES, official_results
from tsgkit.suites.sceneeval.scene_files.assets import FolderSource, sources_of
from tsgkit.suites.sceneeval.scene_files.folder import (
    ASK_NOBODY,
    ENDINGS,
    check_boxes,
    name_of,
    pieces_of_scene,
    read_scene,
    scene_file,
)
from tsgkit.suites.sceneeval.scene_files.loaded_scene import FAULTS, MISSING, LoadedScene, TimeLimit, TooLong
from tsgkit.suites.solvers.offline_solvers import PREFIX
from tsgkit.suites.solvers.solver import Compute, Expected, Solver
from tsgkit.suites.task import JudgedContent, Looks, Official, OfficialResults, Task, View, Viewing
from tsgkit.suites.transcript import LOCAL, LabelledReply, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Found = TypeVar("Found")
RAISE = "raise --scene-time (0: no limit)"
"""The hint for a scene that exceeded its time limit."""
SEEN, ABSENT, BROKEN = "seen", "missing", "unreadable"
PER_SCENE = "_per_scene"
UNKNOWN = "unknown"
"""The name of the count of things that are unknown in ``strict``."""
UNMATCHED = "(none)"
"""The category of an object that matches none that the description names."""
NOT_JUDGED, STOPPED = "not judged yet", "the run was stopped before it was measured"
NOT_SEEN = "the published tool starts from the scene files there are"
FAILED = "the judge's service failed, where the published tool stops"
OUTCOMES = {ABSENT: Outcome.MISSING, BROKEN: Outcome.UNREADABLE}
"""The outcomes of samples without a scene that could be judged."""


def with_averages(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Return each metric twice: pooled, as in the published figures, and averaged over scenes."""
    averages = {
        name + PER_SCENE: Metric(f"{metric.meaning}: the average over scenes", PER_ITEM, metric.more_is_better, False)
        for name, metric in metrics.items()
    }
    return {**metrics, **averages}


@dataclass(frozen=True)
class SceneChecks:
    """The checks of a task: what a judge is asked about a scene, what is measured, and the scores of the findings.

    It is pickled with the solvers that hold it, so its functions are those of modules.
    """

    kind: str
    """The kind of the task, for which a judge estimates its calls."""
    ask_judge: Callable[[Annotation, LoadedScene, SceneJudge, Ask | None], Awaitable[Any]]
    """Asks a judge all questions about a scene. The result has an attribute with all its answers."""
    measure: Callable[[Annotation, LoadedScene, Any], dict[str, Any]]
    """Measures the scene, using the judge's answers, and returns all findings as JSON."""
    scores: Callable[[Annotation, Mapping[str, Any], str], Scores]
    """Scores the findings under a profile."""
    answer: Callable[[Mapping[str, Any]], dict[str, Any]]
    """Returns a short summary of the findings."""
    evidence: Callable[[Mapping[str, Any]], dict[str, Any]]
    """Returns the evidence for the scores."""
    troubles: Callable[[Mapping[str, Any], str], list[str]]
    """Returns the problems of a scene under a profile, one per line."""
    unknown: Callable[[Mapping[str, Any]], int]
    """Returns the number of things that are unknown in ``strict``."""


def scene_task(card: Card, checks: SceneChecks, metrics: Mapping[str, Metric], view: View) -> Task:
    """Return the task that judges scenes by these checks.

    All metrics are published: the official code reports each of them per scene, and the published figures pool them.
    """
    return Task(
        card=card,
        rows=ROWS,
        metrics=metrics,
        view=view,
        groups=GROUPS,
        official=Official(
            metrics=tuple(metrics),
            unpublished=lambda _, __: "",
            without_weight="no scene has a known value of this kind",
            results=partial(_official_results, checks),
            categories=_categories,
        ),
        looks=Looks(
            kind="scenes",
            viewer=partial(_viewer, checks),
            pieces=_pieces,
            scorer=lambda *_: SceneScorer(checks),
            readings=partial(_readings, checks),
            hint="name a folder of scenes: --scenes NAME=DIR",
            sources=lambda prompts: JudgePrompts.of(prompts).sources,
            shared_labels=(OBJECTS, ROOM),
        ),
        shown=tuple(name for name, metric in metrics.items() if metric.is_headline),
        finish=lambda board, _: board.with_counts(UNKNOWN),
        computes="solving",
    )


def _viewer(checks: SceneChecks, task: Task, viewing: Viewing, dataset: Dataset) -> SceneFolderSolver:
    """Return a solver for a folder of scenes."""
    judge = judge_named(viewing.judge, viewing.prompts, formats=viewing.formats)
    rooms = SceneFolder(viewing.folder.path, sources_of(viewing.assets), viewing.missing, viewing.seconds)
    try:
        names = {path.name for path in viewing.folder.path.iterdir()}
    except OSError as error:
        raise FileProblem(f"{viewing.folder.path}: cannot be read: {error.strerror}") from None
    if not any(name_of(item_id) + ending in names for item_id in dataset.item_ids for ending in ENDINGS):
        example = next((name for name in sorted(names) if name.endswith(ENDINGS)), "")
        hint = f"the scene of an item is named {name_of(dataset.item_ids[0])}.json" + (
            f", not {example}" if example else ""
        )
        raise UsageError(f"{viewing.folder.path}: no scene in this folder is named after an item", hint=hint)
    if isinstance(judge, ModelJudge) and not viewing.boxes and not viewing.judge.startswith(ASK_NOBODY):
        check_boxes(viewing.folder.path, viewing.folder.name, dataset.item_ids, rooms.sources)
    return SceneFolderSolver(checks, rooms, judge, viewing.protocol)


def _pieces(viewing: Viewing, samples: Iterable[Annotation]) -> Iterator[JudgedContent]:
    """Yield the scene files of these items, and the meshes they name, beside them or among the assets."""
    sources = sources_of(viewing.assets)
    for sample in samples:
        yield from _pieces_of(viewing.folder.path, sample.item_id, sources)


def _pieces_of(folder: Path, item_id: str, sources: Sequence[FolderSource]) -> Iterable[JudgedContent]:
    try:
        path = scene_file(folder, item_id)
    except FileProblem:  # reported when the scene is judged
        return ()
    return () if path is None else pieces_of_scene(path, sources)


def _official_results(
    checks: SceneChecks, task: Task, folder: Path, samples: Iterable[Annotation]
) -> Sequence[OfficialResults]:
    """Return the results of the official code in a folder, method by method."""

    def score(sample: Annotation, findings: Mapping[str, Any]) -> Judged:
        reply = Reply(text=json.dumps({"found": SEEN, **findings}), source=LOCAL)
        return SceneScorer(checks).judge(sample, Transcript((LabelledReply(LOCAL, reply),)))

    names = {name: OFFICIAL_NAMES[name.removesuffix(PER_SCENE)] for name in task.metrics}
    return official_results(folder, samples, names, score)


def _categories(record: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the category that each object was matched to, if the task matches objects."""
    matched = (record["evidence"] or {}).get("matched", {})
    return {name: category or UNMATCHED for name, category in matched.items()}


def _readings(checks: SceneChecks, task: Task, sample: Annotation, reply: Reply, solver: Solver) -> TwoReadings:
    """Describe the findings on a scene under both profiles. For a reply of the judge, return its content."""
    if reply.source != LOCAL:
        answer = last_json_in(reply.text or "")
        unsaid = "" if answer is not None else "there is no JSON in the reply"
        outcome = Outcome.ANSWERED if reply.ending is Ending.COMPLETE and answer is not None else outcome_of(reply)
        return TwoReadings(outcome, answer, unsaid, (), answer, unsaid, ())
    transcript = Transcript((LabelledReply(LOCAL, reply),))
    judged, value = SceneScorer(checks).judge(sample, transcript), value_of(transcript) or {"found": ABSENT}
    is_judged = value["found"] not in OUTCOMES
    troubles = {profile: checks.troubles(value, profile) if is_judged else [] for profile in PROFILES}
    texts = []
    for profile in ("strict", "official"):
        pooled = {name: score for name, score in judged.scores[profile].items() if not name.endswith(PER_SCENE)}
        scores = ", ".join(f"{name} {of.sum:g}/{of.weight:g}" for name, of in pooled.items() if of.weight)
        texts.append("\n".join([scores, *troubles[profile]]))
    strict, official = texts
    why: tuple[str, ...] = ("the profiles measure differently; the reasons say what",) if strict != official else ()
    unreadable = "" if judged.evidence is not None else "; ".join(judged.notes[:1])
    why += () if unreadable else judged.notes
    return TwoReadings(judged.outcome, None if unreadable else strict, unreadable, (), official, "", why)


def judge_named(name: str, prompts: str | None = None, *, formats: ResponseFormats | None = None) -> SceneJudge:
    """Return the judge with this name: rules, or a model, with the prompts of a folder or the bundled ones."""
    check_libraries()
    if name == RULES:
        if prompts is not None:
            raise UsageError("--prompts has no effect with --judge rules", hint="name a model: --judge PROVIDER/MODEL")
        return RulesJudge()
    if name.startswith(PREFIX):
        raise UsageError(f"{name}: a baseline cannot judge scenes", hint=f"--judge {RULES}, or PROVIDER/MODEL")
    return ModelJudge(name, JudgePrompts.of(prompts), Judge(formats or ResponseFormats()))


@dataclass(frozen=True)
class SceneScorer:
    """Scores the findings on the scenes of a folder."""

    checks: SceneChecks
    style: str = field(default="", kw_only=True)
    unpublished: str = field(default="", kw_only=True)

    def judge(self, sample: Annotation, transcript: Transcript | None) -> Judged:
        """Score the recorded findings (None: the scene was not judged)."""
        value, given_up = value_of(transcript), False
        if value is None:
            calls = transcript.said if transcript else ()
            failed = calls[-1].reply if calls else None
            given_up = any(call.label == TOO_LONG for call in calls)
            value = {"found": ABSENT, "reason": (failed.error or STOPPED) if failed else NOT_JUDGED}
            outcome = Outcome.MISSING
            if failed and failed.error:  # of the work on the scene, or of the service
                outcome = Outcome.ERROR if failed.source == LOCAL else Outcome.API_ERROR
        else:
            outcome = OUTCOMES.get(value["found"]) or Outcome(_judge_record(value)["ended"])
        is_judged = value["found"] not in OUTCOMES
        scores = {profile: self.checks.scores(sample, value, profile) for profile in PROFILES}
        if outcome is Outcome.API_ERROR and value["found"] == SEEN:
            scores["official"] = dict.fromkeys(scores["official"], Score.missing(FAILED))
        counts = {"items": 1, str(outcome): 1, UNKNOWN: self.checks.unknown(value) if is_judged else 0}
        if value["found"] == ABSENT or outcome in FAILURES:
            counts["skipped_official"] = 1
        if given_up:
            counts[TOO_LONG] = 1
        both = {
            name: of_profile | {f"{metric}{PER_SCENE}": score for metric, score in of_profile.items()}
            for name, of_profile in scores.items()
        }
        answer, evidence = (self.checks.answer(value), self.checks.evidence(value)) if is_judged else (None, None)
        notes = (
            *([value["reason"]] if value.get("reason") else []),
            *value.get("notes", ()),
            *value.get("problems", ()),
        )
        return Judged(
            sample,
            outcome,
            answer,
            both,
            (
                notes
                + tuple(
                    ": ".join(filter(None, (metric["label"], metric["reason"])))
                    for metric in _judge_record(value)["unknown"]
                )
            ),
            evidence,
            counts,
        )

    def unfinished(self, transcript: Transcript) -> str:
        """Return the reason why a transcript is unfinished, or an empty text. Findings are recorded last."""
        return "" if value_of(transcript) is not None else "nothing is recorded of what was found"


@dataclass(frozen=True)
class SceneFolderSolver(SceneScorer):
    """A solver that judges a folder of scenes."""

    rooms: SceneFolder
    scene_judge: SceneJudge
    name: str
    compute: Compute | None = None
    """What measures the scenes that a model judges; None for a thread."""

    @property
    def fingerprint(self) -> str:
        """The judge with its tables or prompts, and the layouts of the available asset collections."""
        layouts = ",".join(sorted(source.name for source in self.rooms.sources))
        return f"{self.checks.kind}/{self.scene_judge.fingerprint}/{layouts}/{self.rooms.missing}"

    async def solve(self, sample: Annotation, ask: Ask | None) -> Transcript:
        """Read the scene, ask the judge and measure. With a model judge, few scenes are in memory at a time."""
        if not isinstance(self.scene_judge, ModelJudge):
            return await judge_scene(self.checks, sample, self.rooms, self.scene_judge, ask)
        async with self.scene_judge.turn:
            self.scene_judge.go_on()
            return await judge_scene(self.checks, sample, self.rooms, self.scene_judge, ask, self.compute)

    def spread_by(self, compute: Compute) -> SceneFolderSolver:
        """Return the same solver, whose scenes are measured by a function."""
        return replace(self, compute=compute)

    @property
    def folder(self) -> Path | None:
        """The folder of the scenes; None where assets of other folders are named."""
        return None if self.rooms.sources else self.rooms.folder

    @property
    def folders(self) -> Sequence[Path]:
        """The folder of the scenes, and those of the assets."""
        return (self.rooms.folder, *(source.folder for source in self.rooms.sources))

    def files_of(self, sample: Annotation) -> Iterable[Path]:
        """Return the file of a scene, and the meshes beside it that it names."""
        pieces = _pieces_of(self.rooms.folder, sample.item_id, ())
        return [piece.held for piece in pieces if isinstance(piece.held, Path)]

    def in_folder(self, folder: Path) -> SceneFolderSolver:
        """Return the same solver for another folder."""
        return replace(self, rooms=replace(self.rooms, folder=folder))

    def expected(self, sample: Annotation) -> Expected:
        """Return the calls that the judge would make: none for a missing or unreadable scene."""
        try:
            scene = self.rooms.scene(sample.item_id)
        except (TsgkitError, MemoryError, RecursionError, OSError):
            return Expected()
        return Expected() if scene is None else self.scene_judge.expected(self.checks.kind, sample, scene)


@dataclass(frozen=True)
class SceneFolder:
    """A folder of scenes, and the sources of the meshes they name."""

    folder: Path
    sources: tuple[FolderSource, ...] = ()
    missing: str = MISSING[0]
    seconds: float | None = None
    """The time limit for the work on a scene, in seconds; None for no limit."""

    def scene(self, item_id: str) -> LoadedScene | None:
        """Return the scene of an item, or None if there is none. Raise FileProblem if it cannot be read."""
        path = scene_file(self.folder, item_id)
        return None if path is None else read_scene(path, self.sources, missing=self.missing)


@dataclass
class RecordingAsk:
    """A wrapper of ``ask`` that records the replies. A repeated request replaces the earlier reply."""

    ask: Ask
    compute: Compute | None = None
    """What measures the scene, elsewhere; None for a thread."""
    replies: dict[tuple[str, int], Reply] = field(default_factory=dict)

    async def __call__(
        self, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
    ) -> Reply:
        """Ask the model and record the reply."""
        reply = await self.ask(messages, label=label, draw=draw, schema=schema)
        self.replies[label, draw] = reply
        return reply

    @property
    def said(self) -> tuple[LabelledReply, ...]:
        """All calls, by label, in the order of their first replies."""
        return tuple(LabelledReply(label, reply) for (label, _), reply in self.replies.items())


async def judge_scene(
    checks: SceneChecks,
    annotation: Annotation,
    rooms: SceneFolder,
    judge: SceneJudge,
    ask: Ask | None,
    compute: Compute | None = None,
) -> Transcript:
    """Judge one scene. Return a transcript of the judge's calls, then the findings."""
    recorder = None if ask is None else RecordingAsk(ask, compute)
    try:
        value = await _findings_of(checks, annotation, rooms, judge, recorder)
        outcome = LabelledReply(LOCAL, Reply(text=json.dumps(value), source=LOCAL))
    except TooLong as error:
        outcome = LabelledReply(TOO_LONG, Reply(None, Ending.API_ERROR, error=f"{error}; {RAISE}", source=LOCAL))
    return Transcript((*(recorder.said if recorder is not None else ()), outcome))


async def _findings_of(
    checks: SceneChecks, annotation: Annotation, rooms: SceneFolder, judge: SceneJudge, recorder: RecordingAsk | None
) -> Mapping[str, Any]:
    limit = TimeLimit(rooms.seconds)
    try:
        scene = await _in_thread(recorder, lambda: rooms.scene(annotation.item_id), limit)
    except (TsgkitError, MemoryError, RecursionError, OSError) as error:
        unread = f"it cannot be read: {type(error).__name__}: {error}"
        reason = error.message if isinstance(error, TsgkitError) else unread
        return await _measure_empty_room(checks, annotation, recorder, reason)
    if scene is None:
        return {"found": ABSENT, "reason": "there is no scene of this id"}
    scene = replace(scene, limit=limit)
    try:
        value = await _judge_and_measure(checks, annotation, scene, judge, recorder)
    except _NotMeasured as error:
        return await _measure_empty_room(checks, annotation, recorder, str(error))
    notes = [*scene.notes, *await _in_thread(recorder, lambda: scene.texture_faults, limit)]
    return {"found": SEEN, "notes": notes, **value}


class _NotMeasured(Exception):
    """A scene that cannot be measured, with the reason. Errors of the judge's calls never raise this."""


@contextmanager
def _scene_faults() -> Iterator[None]:
    """Convert errors into ``_NotMeasured``: the scene causes any error in this block."""
    try:
        yield
    except (*FAULTS, TsgkitError) as error:
        words = " ".join(str(error).split())[:200]
        raise _NotMeasured(f"it cannot be measured: {type(error).__name__}: {words}") from error


async def _judge_and_measure(
    checks: SceneChecks, annotation: Annotation, scene: LoadedScene, judge: SceneJudge, recorder: RecordingAsk | None
) -> dict[str, Any]:
    """Return the findings and, of a model judge, how its calls ended and the questions it could not answer."""
    with _scene_faults():
        await _in_thread(recorder, lambda: (scene.stage.bodies, scene.stage.floors), scene.limit)
    if recorder is None:  # rules measure; for a model, waiting does not count as work
        with _scene_faults(), scene.limit.working():
            answers = await checks.ask_judge(annotation, scene, judge, None)
    else:
        answers = await checks.ask_judge(annotation, scene, judge, recorder)
    if recorder is None or recorder.compute is None:
        with _scene_faults():
            value = await _in_thread(recorder, lambda: checks.measure(annotation, scene, answers), scene.limit)
    else:
        to_send = replace(scene, limit=scene.limit.rest)  # without what was computed of it, and cannot be sent
        measured = await recorder.compute(measured_alone, checks, (annotation, to_send, answers))
        if isinstance(measured, Exception):
            raise measured
        value = measured
    if recorder is None:
        return value
    unknown = [
        {"label": answer.label, "outcome": answer.outcome and str(answer.outcome), "reason": answer.reason}
        for answer in unknowns(answers.all_answers)
    ]
    return value | {"judge": {"ended": str(ended(answers.all_answers)), "unknown": unknown}}


def measured_alone(checks: SceneChecks, judged: tuple[Annotation, LoadedScene, Any]) -> dict[str, Any] | Exception:
    """Return the findings on a scene, or the reason why there are none, in a process that may be another one."""
    annotation, scene, answers = judged
    try:
        with _scene_faults(), scene.limit.working():
            value = checks.measure(annotation, scene, answers)
            scene.limit.check()
    except (_NotMeasured, TooLong) as error:
        return error
    return value


async def _in_thread(recorder: RecordingAsk | None, work: Callable[[], Found], limit: TimeLimit) -> Found:
    """Run work in a thread if the event loop serves other scenes, and count its time."""
    with limit.working():
        result = work() if recorder is None else await asyncio.to_thread(work)
        limit.check()
    return result


async def _measure_empty_room(
    checks: SceneChecks, annotation: Annotation, recorder: RecordingAsk | None, reason: str
) -> dict[str, Any]:
    """Measure an empty room in place of a scene that cannot be read, as the published code does. No model is asked."""
    empty = LoadedScene(bare_room(f"scene_{annotation.item_id}"))
    answers = await checks.ask_judge(annotation, empty, RulesJudge(), None)
    value = await _in_thread(recorder, lambda: checks.measure(annotation, empty, answers), empty.limit)
    return {"found": BROKEN, "reason": reason, **value}


def value_of(transcript: Transcript | None) -> dict[str, Any] | None:
    """Return the findings in a transcript, or None if the solver did not finish."""
    calls = transcript.said if transcript else ()
    text = next((call.reply.text for call in calls if call.label == LOCAL), None)
    if text is None:
        return None
    value: dict[str, Any] = json.loads(text)
    return value


def _judge_record(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return how the judge's calls ended, and the questions it could not answer. For rules, nothing is recorded."""
    record: Mapping[str, Any] = value.get("judge", {"ended": Outcome.ANSWERED, "unknown": ()})
    return record
