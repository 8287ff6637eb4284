"""Tasks that look at rooms: folders of rooms beside descriptions, the judge, and what is found and scored of each room.

What is asked about a room, measured and scored is each task's own: :mod:`~tsgkit.suites.sceneeval.fidelity` and
:mod:`~tsgkit.suites.sceneeval.plausibility`.

A scene that is not there is missing: ``strict`` leaves every demand unmet and gives the worst value to every metric of
plausibility; ``official`` does not see it, since the published tool starts from the files there are. A scene that
cannot be read is unreadable: the same in ``strict``, and as published an empty room of 6 by 6 metres in ``official``.

Where a judge that is a model gave no answer that can be used, ``strict`` leaves open what depends on it, and counts it.
Where its service failed, the sample is one that failed: what is known is told, and the published tool, which stops
there, has no figure. A scene that is given up for its time is an error, with the reason, scored as if it were missing.
"""

from __future__ import annotations

import asyncio
import json
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.geometry import bare_room, check_libraries
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.outcomes import FAILURES, Outcome
from tsgkit.scoring.score import Score
from tsgkit.scoring.tally import Tally
from tsgkit.suites.judgement import Judged, Scores
from tsgkit.suites.judges.judge import Judge as Asking
from tsgkit.suites.judges.judge import outcome_of
from tsgkit.suites.judges.response_formats import ResponseFormats
from tsgkit.suites.metrics import PER_ITEM, PROFILES, Metric
from tsgkit.suites.profile_readings import TwoReadings
from tsgkit.suites.request_forms import NEWEST
from tsgkit.suites.sceneeval.annotation_files import DescriptionTask
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.judges.answers import said_in
from tsgkit.suites.sceneeval.judges.judge import Judge, ended, unknowns
from tsgkit.suites.sceneeval.judges.model import OBJECTS, ROOM, ModelJudge, Words
from tsgkit.suites.sceneeval.judges.rules import NAME as RULES
from tsgkit.suites.sceneeval.judges.rules import RulesJudge
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
from tsgkit.suites.sceneeval.scene_files.loaded_scene import FAULTS, MISSING, Furnished, TimeLimit, TooLong
from tsgkit.suites.scoreboard import Board, Rules, board_of
from tsgkit.suites.solvers.factories import refuse_solver
from tsgkit.suites.solvers.offline_solvers import PREFIX, Recorded
from tsgkit.suites.solvers.solver import Expected, Solver
from tsgkit.suites.task import Dataset, Kind, Piece, Viewing
from tsgkit.suites.transcript import LOCAL, Ask, Said, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Found = TypeVar("Found")
TOO_LONG, RAISE = "too_long", "raise --scene-time (0: no limit)"
"""The label of a scene that was given up, and what to do."""
SEEN, ABSENT, BROKEN = "seen", "missing", "unreadable"
FOLDER = "give folders of rooms: --scenes NAME=DIR"
PER_SCENE = "_per_scene"
UNKNOWN = "unknown"
"""The count of what strict cannot tell."""
NOT_LOOKED_AT, STOPPED = "nobody looked at it yet", "the run was stopped before it was measured"
NOT_SEEN = "the published tool starts from the scene files there are"
FAILED = "the judge's service failed, where the published tool stops"
OUTCOMES = {ABSENT: Outcome.MISSING, BROKEN: Outcome.UNREADABLE}
"""How samples end in whose rooms there was nothing to look at."""


def with_averages(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Return each metric, pooled as the published figures are in effect, and its average over scenes."""
    averages = {
        name + PER_SCENE: Metric(f"{one.meaning}: the average over scenes", PER_ITEM, one.more_is_better, False)
        for name, one in metrics.items()
    }
    return {**metrics, **averages}


class SceneTask(DescriptionTask):
    """A task that looks at rooms; what it asks of a judge, measures and scores is its own."""

    takes: tuple[Kind, ...] = ("scenes",)
    computes = True
    shared_labels = (OBJECTS, ROOM)

    @abstractmethod
    async def look(self, annotation: Annotation, scene: Furnished, judge: Judge, ask: Ask | None) -> Any:  # noqa: ANN401
        """Ask the judge all that has to be seen; what it said has the field ``told``."""

    @abstractmethod
    def measure(self, annotation: Annotation, scene: Furnished, looked: Any) -> dict[str, Any]:  # noqa: ANN401
        """Return all that is found with what the judge said, as JSON has it."""

    @abstractmethod
    def scores_of(self, sample: Annotation, value: Mapping[str, Any], profile: str) -> Scores:
        """Score what was found, under a profile."""

    @abstractmethod
    def answer_of(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a person wants to know first of what was found."""

    @abstractmethod
    def evidence_of(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return what stands behind the scores."""

    @abstractmethod
    def troubles_of(self, value: Mapping[str, Any], profile: str) -> list[str]:
        """Return what is wrong with a scene under a profile, a line each."""

    @abstractmethod
    def unknown_in(self, value: Mapping[str, Any]) -> int:
        """Return of how many things strict cannot tell what is asked."""

    @property
    def published_metrics(self) -> Collection[str]:
        """All of them: the published code tells each scene's, and the figures pool them."""
        return tuple(self.metrics)

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:
        """Solvers are for models that answer in words."""
        refuse_solver(solver, self.key)

    def viewer(self, viewing: Viewing, dataset: Dataset) -> Looking:
        """A solver for a folder of rooms."""
        looks = judge_of(viewing.judge, viewing.prompts, form=viewing.form, formats=viewing.formats)
        rooms = Rooms(viewing.folder.path, sources_of(viewing.assets), viewing.missing, viewing.seconds)
        _check_names(viewing.folder.path, dataset.item_ids)
        if isinstance(looks, ModelJudge) and not viewing.boxes and not viewing.judge.startswith(ASK_NOBODY):
            check_boxes(viewing.folder.path, viewing.folder.name, dataset.item_ids, rooms.sources)
        return Looking(self, rooms, looks, viewing.protocol)

    def pieces_of(self, viewing: Viewing, samples: Iterable[Annotation]) -> Iterator[Piece]:
        """The scenes of these items, and the meshes that they name, beside them or among the assets."""
        sources = sources_of(viewing.assets)
        for sample in samples:
            try:
                path = scene_file(viewing.folder.path, sample.item_id)
            except FileProblem:  # told when the scene is looked at, as the reason why it cannot be read
                continue
            if path is not None:
                yield from pieces_of_scene(path, sources)

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """None for models: rooms are furnished by others, and looked at here."""
        raise UsageError(f"{self.key}: rooms are judged here, not what models say", hint=FOLDER)

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Solver:
        """There is none: rooms are furnished by others."""
        raise UsageError(f"{self.key}: there is no {subject}", hint=FOLDER)

    def recorded(self, solver: str, style: str) -> Recorded:
        """Rooms that were looked at; only the transcripts are left."""
        return Recorded(SceneScorer(self), solver, style)

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """The values of a tally, of these metrics (None: all)."""
        metrics = {name: metric for name, metric in self.metrics.items() if only is None or name in only}
        nothing = "no scene has anything of this kind that could be told"
        board = board_of(tally, Rules(metrics, tuple(metrics), solver.unpublished, nothing, {}, seed))
        return replace(board, counts={**board.counts, UNKNOWN: board.counts.get(UNKNOWN, 0)})

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Where the words come from in which a judge that is a model is asked."""
        return Words.of(prompts).sources

    def judge(self, sample: Annotation, transcript: Transcript | None) -> Judged:
        """Judge what was found (None: nobody looked)."""
        value = value_of(transcript)
        given_up = value is None and transcript is not None and any(one.label == TOO_LONG for one in transcript.said)
        if value is None:
            failed = transcript.said[-1].reply if transcript and transcript.said else None
            value = {"found": ABSENT, "reason": (failed.error or STOPPED) if failed else NOT_LOOKED_AT}
            outcome = _outcome_of(failed) if failed and failed.error else Outcome.MISSING
        else:
            outcome = OUTCOMES.get(value["found"]) or Outcome(_judge(value)["ended"])
        seen = value["found"] not in OUTCOMES
        scores = {profile: self.scores_of(sample, value, profile) for profile in PROFILES}
        if outcome is Outcome.API_ERROR and value["found"] == SEEN:
            scores["official"] = dict.fromkeys(scores["official"], Score.missing(FAILED))
        counts = {"items": 1, str(outcome): 1, UNKNOWN: self.unknown_in(value) if seen else 0}
        if value["found"] == ABSENT or outcome in FAILURES:
            counts["skipped_official"] = 1
        if given_up:
            counts[TOO_LONG] = 1
        both = {name: own | {f"{one}{PER_SCENE}": score for one, score in own.items()} for name, own in scores.items()}
        answer, evidence = (self.answer_of(value), self.evidence_of(value)) if seen else (None, None)
        return Judged(sample, outcome, answer, both, _notes(value), evidence, counts)

    def readings(self, sample: Annotation, reply: Reply, solver: Solver) -> TwoReadings:
        """What both profiles find in one scene, in words; of a reply of the judge, what it says."""
        if reply.source != LOCAL:
            said = said_in(reply.text or "")
            unsaid = "" if said is not None else "there is no JSON in the reply"
            return TwoReadings(_ended(reply, said), said, unsaid, (), said, unsaid, ())
        transcript = Transcript((Said(LOCAL, reply),))
        judged, value = self.judge(sample, transcript), value_of(transcript) or {"found": ABSENT}
        seen = value["found"] not in OUTCOMES
        troubles = {profile: self.troubles_of(value, profile) if seen else [] for profile in PROFILES}
        strict, official = (
            "\n".join([_in_words(judged.scores[profile]), *troubles[profile]]) for profile in ("strict", "official")
        )
        why: tuple[str, ...] = ()
        if strict != official:
            why = ("the profiles measure differently; the reasons say what",)
        unreadable = "" if judged.evidence is not None else "; ".join(judged.notes[:1])
        why += () if unreadable else judged.notes
        return TwoReadings(judged.outcome, None if unreadable else strict, unreadable, (), official, "", why)


def judge_of(
    name: str, prompts: str | None = None, *, form: int = NEWEST, formats: ResponseFormats | None = None
) -> Judge:
    """The judge of a name: rules, or a model that is asked in our words or those of a folder."""
    check_libraries()
    if name == RULES:
        if prompts is not None:
            raise UsageError("--prompts is of no use: rules ask nobody", hint="name a model: --judge PROVIDER/MODEL")
        return RulesJudge()
    if name.startswith(PREFIX):
        raise UsageError(f"{name}: no baseline looks at rooms", hint=f"--judge {RULES}, or PROVIDER/MODEL")
    return ModelJudge(name, Words.of(prompts, form), Asking(formats or ResponseFormats()))


@dataclass(frozen=True)
class SceneScorer:
    """Scores what was found in the rooms of a folder."""

    task: SceneTask
    unpublished: str = field(default="", kw_only=True)

    def judge(self, sample: Annotation, transcript: Transcript | None) -> Judged:
        """What was found, scored."""
        return self.task.judge(sample, transcript)

    def unfinished(self, transcript: Transcript) -> str:
        """What was found comes last."""
        return "" if value_of(transcript) is not None else "nothing is recorded of what was found"


@dataclass(frozen=True)
class Looking(SceneScorer):
    """A folder of rooms, looked at by a judge."""

    rooms: Rooms
    looker: Judge
    name: str
    style: str = ""

    @property
    def fingerprint(self) -> str:
        """The judge with its tables or words, and which collections of assets are at hand, by their layouts."""
        layouts = ",".join(sorted(source.name for source in self.rooms.sources))
        return f"{self.task.kind}/{self.looker.fingerprint}/{layouts}/{self.rooms.missing}"

    async def solve(self, sample: Annotation, ask: Ask | None) -> Transcript:
        """Read the scene, ask the judge, measure; where replies are waited for, scenes take turns to bound memory."""
        if not isinstance(self.looker, ModelJudge):
            return await looked_at(self.task, sample, self.rooms, self.looker, ask)
        async with self.looker.turn:
            self.looker.go_on()
            return await looked_at(self.task, sample, self.rooms, self.looker, ask)

    def expected(self, sample: Annotation) -> Expected:
        """What the judge would ask; about a scene that is not there or cannot be read, nothing."""
        try:
            scene = self.rooms.scene(sample.item_id)
        except (TsgkitError, MemoryError, RecursionError, OSError):
            return Expected()
        return Expected() if scene is None else self.looker.expected(self.task.kind, sample, scene)


@dataclass(frozen=True)
class Rooms:
    """A folder of scenes, and where the meshes they name are looked for."""

    folder: Path
    sources: tuple[FolderSource, ...] = ()
    missing: str = MISSING[0]
    seconds: float | None = None
    """How long the work on a scene may take; None is for as long as it takes."""

    def scene(self, item_id: str) -> Furnished | None:
        """The scene of an id; None where there is none, ``FileProblem`` where it cannot be read."""
        path = scene_file(self.folder, item_id)
        return None if path is None else read_scene(path, self.sources, missing=self.missing)


@dataclass
class Heard:
    """Asks a model, and remembers its replies; one that was asked for again in other words stands in its place."""

    ask: Ask
    replies: dict[tuple[str, int], Reply] = field(default_factory=dict)

    async def __call__(
        self, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
    ) -> Reply:
        """The reply."""
        reply = await self.ask(messages, label=label, draw=draw, schema=schema)
        self.replies[label, draw] = reply
        return reply

    @property
    def said(self) -> tuple[Said, ...]:
        """All calls, label by label in the order in which they were first answered."""
        return tuple(Said(label, reply) for (label, _), reply in self.replies.items())


async def looked_at(task: SceneTask, annotation: Annotation, rooms: Rooms, judge: Judge, ask: Ask | None) -> Transcript:
    """The transcript of looking at one scene: the calls of the judge, then what was found."""
    heard = None if ask is None else Heard(ask)
    try:
        value = await _found(task, annotation, rooms, judge, heard)
        found = Said(LOCAL, Reply(text=json.dumps(value), source=LOCAL))
    except TooLong as error:
        found = Said(TOO_LONG, Reply(None, Ending.API_ERROR, error=f"{error}; {RAISE}", source=LOCAL))
    return Transcript((*(heard.said if heard is not None else ()), found))


async def _found(
    task: SceneTask, annotation: Annotation, rooms: Rooms, judge: Judge, heard: Heard | None
) -> Mapping[str, Any]:
    limit = TimeLimit(rooms.seconds)
    try:
        scene = await _beside(heard, lambda: rooms.scene(annotation.item_id), limit)
    except TsgkitError as error:
        return await _instead(task, annotation, heard, error.message)
    except (MemoryError, RecursionError, OSError) as error:
        return await _instead(task, annotation, heard, f"it cannot be read: {type(error).__name__}: {error}")
    if scene is None:
        return {"found": ABSENT, "reason": "there is no scene of this id"}
    scene = replace(scene, limit=limit)
    try:
        value = await _measured(task, annotation, scene, judge, heard)
    except _NotMeasured as error:
        return await _instead(task, annotation, heard, str(error))
    notes = [*scene.notes, *await _beside(heard, lambda: scene.texture_faults, limit)]
    return {"found": SEEN, "notes": notes, **value}


class _NotMeasured(Exception):
    """A scene that is too odd to be measured, with the reason. What asking raises is none of these."""


@contextmanager
def _of_the_scene() -> Iterator[None]:
    """Whatever goes wrong here lies with the scene."""
    try:
        yield
    except (*FAULTS, TsgkitError) as error:
        words = " ".join(str(error).split())[:200]
        raise _NotMeasured(f"it cannot be measured: {type(error).__name__}: {words}") from error


async def _measured(
    task: SceneTask, annotation: Annotation, scene: Furnished, judge: Judge, heard: Heard | None
) -> dict[str, Any]:
    with _of_the_scene():
        await _beside(heard, lambda: (scene.stage.bodies, scene.stage.floors), scene.limit)
    if heard is None:  # rules look by measuring; a model is waited for, and only its pictures are work
        with _of_the_scene(), scene.limit.working():
            looked = await task.look(annotation, scene, judge, None)
    else:
        looked = await task.look(annotation, scene, judge, heard)
    with _of_the_scene():
        value = await _beside(heard, lambda: task.measure(annotation, scene, looked), scene.limit)
    return value if heard is None else value | {"judge": _told(looked.told)}


def _told(told: Sequence[object]) -> dict[str, Any]:
    """How asking the judge ended, and what it could not tell."""
    unknown = [
        {"label": one.label, "outcome": one.outcome and str(one.outcome), "reason": one.reason}
        for one in unknowns(told)
    ]
    return {"ended": str(ended(told)), "unknown": unknown}


async def _beside(heard: Heard | None, work: Callable[[], Found], limit: TimeLimit) -> Found:
    """Beside the event loop where others wait for replies meanwhile; its time is counted."""
    with limit.working():
        found = work() if heard is None else await asyncio.to_thread(work)
        limit.check()
    return found


async def _instead(task: SceneTask, annotation: Annotation, heard: Heard | None, reason: str) -> dict[str, Any]:
    """As published, an empty room stands for a scene that cannot be read; nobody has to look at that."""
    empty = Furnished(bare_room(f"scene_{annotation.item_id}"))
    looked = await task.look(annotation, empty, RulesJudge(), None)
    value = await _beside(heard, lambda: task.measure(annotation, empty, looked), empty.limit)
    return {"found": BROKEN, "reason": reason, **value}


def value_of(transcript: Transcript | None) -> dict[str, Any] | None:
    """What a transcript says was found; None where the solver did not come to its end."""
    said = transcript.said if transcript else ()
    text = next((one.reply.text for one in said if one.label == LOCAL), None)
    if text is None:
        return None
    value: dict[str, Any] = json.loads(text)
    return value


def _check_names(folder: Path, item_ids: Sequence[str]) -> None:
    """``UsageError`` where no file of a folder is named after any item: then it is another kind of folder."""
    try:
        names = {path.name for path in folder.iterdir()}
    except OSError as error:
        raise FileProblem(f"{folder}: cannot be read: {error.strerror}") from None
    if not any(name_of(item_id) + ending in names for item_id in item_ids for ending in ENDINGS):
        found = next((name for name in sorted(names) if name.endswith(ENDINGS)), "")
        hint = f"the room of an item is called {name_of(item_ids[0])}.json" + (f", not {found}" if found else "")
        raise UsageError(f"{folder}: no room there is named after an item", hint=hint)


def _ended(reply: Reply, said: str | None) -> Outcome:
    complete = reply.ending is Ending.COMPLETE
    return Outcome.ANSWERED if complete and said is not None else outcome_of(reply)


def _in_words(scores: Scores) -> str:
    listed = {name: one for name, one in scores.items() if not name.endswith(PER_SCENE) and one.weight}
    return ", ".join(f"{name} {one.sum:g}/{one.weight:g}" for name, one in listed.items())


def _outcome_of(failed: Reply) -> Outcome:
    """Return how a sample ended whose last reply is an error: the service's, or that of the work on the scene."""
    return Outcome.ERROR if failed.source == LOCAL else Outcome.API_ERROR


def _judge(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """How asking the judge ended, and what it could not tell; rules always end well."""
    found: Mapping[str, Any] = value.get("judge", {"ended": Outcome.ANSWERED, "unknown": ()})
    return found


def _notes(value: Mapping[str, Any]) -> tuple[str, ...]:
    notes = (*([value["reason"]] if value.get("reason") else []), *value.get("notes", ()), *value.get("problems", ()))
    return notes + tuple(": ".join(filter(None, (one["label"], one["reason"]))) for one in _judge(value)["unknown"])
