"""The tasks that look at rooms, as runs see them: annotations, folders, scores; and which task a card declares.

>>> from tsgkit.library.cards import load_card
>>> task = SceneTask(load_card("sceneeval/plausibility"))
>>> task.takes, [name for name in task.metrics if not name.endswith("_per_scene")][:3]
(('scenes',), ['col_ob', 'col_sc', 'sup'])
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.cards import Card
from tsgkit.llm.reply import Reply
from tsgkit.scoring.tally import Tally
from tsgkit.suites.cards import task_named
from tsgkit.suites.judged import Scores
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.sceneeval.annotate_task import AnnotateTask
from tsgkit.suites.sceneeval.annotations import Annotation, in_words
from tsgkit.suites.sceneeval.assets import sources_of
from tsgkit.suites.sceneeval.description_task import SUITE, DescriptionTask
from tsgkit.suites.sceneeval.judging import UNKNOWN, judge, troubles
from tsgkit.suites.sceneeval.loading import files_of_scene, scene_file
from tsgkit.suites.sceneeval.measuring import Rooms, value_of
from tsgkit.suites.sceneeval.metrics import PER_SCENE, TASKS
from tsgkit.suites.sceneeval.solvers import Looking, Recorded, judge_of
from tsgkit.suites.scoreboard import Board, Rules
from tsgkit.suites.scoreboard import board_of as made_board
from tsgkit.suites.solving import Solver
from tsgkit.suites.tasks import Dataset, Folder, Kind, Viewing
from tsgkit.suites.transcript import LOCAL, Said, Transcript


class SceneTask(DescriptionTask):
    """One task, as a card declares it."""

    takes: tuple[Kind, ...] = ("scenes",)
    computes = True

    @property
    def published_metrics(self) -> Collection[str]:
        """All of them: the published code tells each scene's, and the figures pool them."""
        return tuple(self.metrics)

    def viewer(self, viewing: Viewing, dataset: Dataset) -> Looking:
        """A solver for a folder of rooms."""
        judge_of(viewing.judge)
        rooms = Rooms(viewing.folder.path, sources_of(viewing.assets), viewing.missing)
        return Looking(self.kind, rooms, viewing.judge, viewing.protocol)

    def files_of(self, folder: Folder, item_ids: Iterable[str]) -> Iterator[Path]:
        """The scenes of these items, and the meshes beside them that they name."""
        for item_id in item_ids:
            try:
                path = scene_file(folder.path, item_id)
            except FileProblem:  # told when the scene is looked at, as the reason why it cannot be read
                continue
            if path is not None:
                yield from files_of_scene(path)

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Solver:
        """There is none: rooms are furnished by others."""
        raise UsageError(f"{self.key}: there is no {subject}", hint="give folders of rooms: --scenes NAME=DIR")

    def recorded(self, solver: str, style: str) -> Recorded:
        """Rooms that were looked at; only the transcripts are left."""
        return Recorded(self.kind, solver, style)

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """The values of a tally, of these metrics (None: all)."""
        metrics = {name: metric for name, metric in self.metrics.items() if only is None or name in only}
        nothing = "no scene has anything of this kind that could be told"
        board = made_board(tally, Rules(metrics, tuple(metrics), solver.unpublished, nothing, {}, seed))
        return replace(board, counts={**board.counts, UNKNOWN: board.counts.get(UNKNOWN, 0)})

    def reference(self, sample: Annotation) -> str:
        """The demands, in words; of plausibility none."""
        return "\n".join(in_words(spec) for spec in sample.specifications) if self.kind == "fidelity" else ""

    def readings(self, sample: Annotation, reply: Reply, solver: Solver) -> TwoReadings:
        """What both profiles find in one scene, in words."""
        transcript = Transcript((Said(LOCAL, reply),))
        judged, value = judge(self.kind, sample, transcript), value_of(transcript)
        strict, official = (
            "\n".join([_in_words(judged.scores[profile]), *troubles(self.kind, value, profile)])
            for profile in ("strict", "official")
        )
        why = () if strict == official else ("the profiles measure differently; the reasons say what",)
        unreadable = "" if judged.evidence is not None else "; ".join(judged.notes[:1])
        return TwoReadings(judged.outcome, None if unreadable else strict, unreadable, (), official, "", why)


def _in_words(scores: Scores) -> str:
    listed = {name: one for name, one in scores.items() if not name.endswith(PER_SCENE) and one.weight}
    return ", ".join(f"{name} {one.sum:g}/{one.weight:g}" for name, one in listed.items())


def task_of_card(card: Card) -> DescriptionTask:
    """The task that a card declares."""
    return AnnotateTask(card) if task_named(card, SUITE, TASKS) == "annotate" else SceneTask(card)


def kinds_of(file: Path) -> tuple[str, ...]:
    """All tasks where a file holds annotations, by its first line."""
    try:
        with file.open(encoding="utf-8-sig") as lines:
            first = next(lines, "")
            is_twin = first.strip() == "{" and "tsgkit/annotations" in next(lines, "")
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(TASKS) if is_twin or {"ObjCount", "OARel"} <= set(first.strip().split(",")) else ()
