"""A task of this suite as runs see it: annotations, folders of rooms, scores.

>>> from tsgkit.library.cards import load_card
>>> task = SceneTask(load_card("sceneeval/plausibility"))
>>> task.takes, [name for name in task.metrics if not name.endswith("_per_scene")][:3]
(('scenes',), ['col_ob', 'col_sc', 'sup'])
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.cards import Card
from tsgkit.library.projects import find, text_of
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.tally import Tally
from tsgkit.suites.cards import check_metrics, task_named
from tsgkit.suites.judged import Scores, Verdict
from tsgkit.suites.metrics import Metric
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.sceneeval.annotation_files import AnnotationFile, read_annotation_file, read_annotations
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_value, in_words
from tsgkit.suites.sceneeval.answers import said_in
from tsgkit.suites.sceneeval.assets import sources_of
from tsgkit.suites.sceneeval.judging import UNKNOWN, judge, troubles
from tsgkit.suites.sceneeval.loading import files_of_scene, scene_file
from tsgkit.suites.sceneeval.measuring import Rooms, value_of
from tsgkit.suites.sceneeval.metrics import METRICS, PER_SCENE
from tsgkit.suites.sceneeval.questions import Words, outcome_of
from tsgkit.suites.sceneeval.solvers import Looking, Recorded, judge_of
from tsgkit.suites.sceneeval.verdicts import of_demands, of_objects
from tsgkit.suites.scoreboard import Board, Rules
from tsgkit.suites.scoreboard import board_of as made_board
from tsgkit.suites.solving import Solver
from tsgkit.suites.tasks import Dataset, Folder, Items, Kind, Task, Viewing
from tsgkit.suites.transcript import LOCAL, Said, Transcript

SUITE = "sceneeval/"
ORDER = ("easy", "medium", "hard")


class SceneTask(Task):
    """One task, as a card declares it."""

    takes: tuple[Kind, ...] = ("scenes",)
    groups: tuple[str, ...] = ("difficulty", "room")
    computes = True

    def __init__(self, card: Card) -> None:
        self.card = card
        self.kind = task_named(card, SUITE, METRICS)
        check_metrics(card, self.metrics)
        self.shown = tuple(name for name, metric in self.metrics.items() if metric.is_headline)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What it is judged by."""
        return METRICS[self.kind]

    @property
    def published_metrics(self) -> Collection[str]:
        """All of them: the published code tells each scene's, and the figures pool them."""
        return tuple(self.metrics)

    def dataset(self, data: str | None) -> Items:
        """The annotations of a file, or (None) those the card names."""
        found = self._file(data)
        samples = found.usable()
        content = json.dumps([annotation_value(sample) for sample in samples])
        return Items(found.file, hashlib.sha256(content.encode()).hexdigest(), samples)

    def _file(self, data: str | None) -> AnnotationFile:
        if data is not None:
            return read_annotation_file(Path(data))
        named = find("tasks", self.card.data)
        return read_annotations(text_of(named), str(named))

    def viewer(self, viewing: Viewing, dataset: Dataset) -> Looking:
        """A solver for a folder of rooms."""
        rooms = Rooms(viewing.folder.path, sources_of(viewing.assets), viewing.missing)
        return Looking(self.kind, rooms, judge_of(viewing.judge, viewing.prompts), viewing.protocol)

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

    def in_order(self, members: Iterable[str], group: str) -> list[str]:
        """Difficulties from easy to hard; rooms by name."""
        return sorted(members, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))

    def verdicts(self, record: Mapping[str, Any], sample: Annotation, metric: str) -> Iterable[Verdict]:
        """What was found of each demand, or of each object."""
        return of_demands(record, sample) if self.kind == "fidelity" else of_objects(record)

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Where the words come from in which a judge that is a model is asked."""
        return Words.of(prompts).sources

    def question(self, sample: Annotation, *, briefly: bool = False) -> str:
        """The description."""
        return sample.description

    def reference(self, sample: Annotation) -> str:
        """The demands, in words; of plausibility none."""
        return "\n".join(in_words(spec) for spec in sample.specifications) if self.kind == "fidelity" else ""

    def reference_value(self, sample: Annotation) -> object:
        """The annotation."""
        return annotation_value(sample)

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
        why = () if strict == official else ("the profiles measure differently; the reasons say what",)
        unreadable = "" if judged.evidence is not None else "; ".join(judged.notes[:1])
        return TwoReadings(judged.outcome, None if unreadable else strict, unreadable, (), official, "", why)


def _ended(reply: Reply, said: str | None) -> Outcome:
    complete = reply.ending is Ending.COMPLETE
    return Outcome.ANSWERED if complete and said is not None else outcome_of(reply)


def _in_words(scores: Scores) -> str:
    listed = {name: one for name, one in scores.items() if not name.endswith(PER_SCENE) and one.weight}
    return ", ".join(f"{name} {one.sum:g}/{one.weight:g}" for name, one in listed.items())


def kinds_of(file: Path) -> tuple[str, ...]:
    """Both tasks where a file holds annotations, by its first line."""
    try:
        with file.open(encoding="utf-8-sig") as lines:
            first = next(lines, "")
            is_twin = first.strip() == "{" and "tsgkit/annotations" in next(lines, "")
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(METRICS) if is_twin or {"ObjCount", "OARel"} <= set(first.strip().split(",")) else ()
