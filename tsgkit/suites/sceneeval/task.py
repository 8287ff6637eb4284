"""The tasks that look at rooms, as runs see them: annotations, folders, scores; and which task a card declares.

>>> from tsgkit.library.cards import load_card
>>> task = SceneTask(load_card("sceneeval/plausibility"))
>>> task.takes, [name for name in task.metrics if not name.endswith("_per_scene")][:3]
(('scenes',), ['col_ob', 'col_sc', 'sup'])
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem, UsageError
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.tally import Tally
from tsgkit.suites.judged import Scores, Verdict
from tsgkit.suites.judges.judge import outcome_of
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.sceneeval.annotations import Annotation, in_words
from tsgkit.suites.sceneeval.answers import said_in
from tsgkit.suites.sceneeval.assets import sources_of
from tsgkit.suites.sceneeval.bare_boxes import ASK_NOBODY, check_boxes
from tsgkit.suites.sceneeval.description_task import DescriptionTask
from tsgkit.suites.sceneeval.judging import UNKNOWN, judge, troubles
from tsgkit.suites.sceneeval.loading import ENDINGS, name_of, scene_file
from tsgkit.suites.sceneeval.measuring import Rooms, value_of
from tsgkit.suites.sceneeval.metrics import PER_SCENE, TASKS
from tsgkit.suites.sceneeval.model_judge import OBJECTS, ROOM, ModelJudge
from tsgkit.suites.sceneeval.pieces import pieces_of_scene
from tsgkit.suites.sceneeval.questions import Words
from tsgkit.suites.sceneeval.solvers import Looking, SceneScorer, judge_of
from tsgkit.suites.sceneeval.verdicts import of_demands, of_objects
from tsgkit.suites.scoreboard import Board, Rules
from tsgkit.suites.scoreboard import board_of as made_board
from tsgkit.suites.solvers.families import refuse_solver
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.solvers.unasked import Recorded
from tsgkit.suites.task import Dataset, Kind, Piece, Viewing
from tsgkit.suites.transcript import LOCAL, Said, Transcript

FOLDER = "give folders of rooms: --scenes NAME=DIR"


class SceneTask(DescriptionTask):
    """One task, as a card declares it."""

    takes: tuple[Kind, ...] = ("scenes",)
    computes = True
    shared_labels = (OBJECTS, ROOM)

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
        return Looking(self.kind, rooms, looks, viewing.protocol)

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
        return Recorded(SceneScorer(self.kind), solver, style)

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """The values of a tally, of these metrics (None: all)."""
        metrics = {name: metric for name, metric in self.metrics.items() if only is None or name in only}
        nothing = "no scene has anything of this kind that could be told"
        board = made_board(tally, Rules(metrics, tuple(metrics), solver.unpublished, nothing, {}, seed))
        return replace(board, counts={**board.counts, UNKNOWN: board.counts.get(UNKNOWN, 0)})

    def verdicts(self, record: Mapping[str, Any], sample: Annotation, metric: str) -> Iterable[Verdict]:
        """What was found of each demand, or of each object."""
        return of_demands(record, sample) if self.kind == "fidelity" else of_objects(record)

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Where the words come from in which a judge that is a model is asked."""
        return Words.of(prompts).sources

    def reference(self, sample: Annotation) -> str:
        """The demands, in words; of plausibility none."""
        return "\n".join(in_words(spec) for spec in sample.specifications) if self.kind == "fidelity" else ""

    def readings(self, sample: Annotation, reply: Reply, solver: Solver) -> TwoReadings:
        """What both profiles find in one scene, in words; of a reply of the judge, what it says."""
        if reply.source != LOCAL:
            said = said_in(reply.text or "")
            unsaid = "" if said is not None else "there is no JSON in the reply"
            return TwoReadings(_ended(reply, said), said, unsaid, (), said, unsaid, ())
        transcript = Transcript((Said(LOCAL, reply),))
        judged, value = judge(self.kind, sample, transcript), value_of(transcript)
        strict, official = (
            "\n".join([_in_words(judged.scores[profile]), *troubles(self.kind, value, profile)])
            for profile in ("strict", "official")
        )
        why: tuple[str, ...] = ()
        if strict != official:
            why = ("the profiles measure differently; the reasons say what",)
        unreadable = "" if judged.evidence is not None else "; ".join(judged.notes[:1])
        why += () if unreadable else judged.notes
        return TwoReadings(judged.outcome, None if unreadable else strict, unreadable, (), official, "", why)


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


def kinds_of(file: Path) -> tuple[str, ...]:
    """All tasks where a file holds annotations, by its first line."""
    try:
        with file.open(encoding="utf-8-sig") as lines:
            first = next(lines, "")
            is_twin = first.strip() == "{" and "tsgkit/annotations" in next(lines, "")
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(TASKS) if is_twin or {"ObjCount", "OARel"} <= set(first.strip().split(",")) else ()
