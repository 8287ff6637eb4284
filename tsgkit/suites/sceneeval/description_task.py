"""What all tasks of this suite have in common: descriptions with their annotations, and how those are told."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from tsgkit.library.cards import Card
from tsgkit.library.catalogue import catalogue
from tsgkit.library.datasets import dataset_file, installed
from tsgkit.library.projects import find, text_of
from tsgkit.suites.metrics import Metric
from tsgkit.suites.sceneeval.annotation_files import AnnotationFile, read_annotation_file, read_annotations
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_value
from tsgkit.suites.sceneeval.metrics import TASKS
from tsgkit.suites.task import Dataset, Items, Task

SUITE = "sceneeval/"
ANNOTATIONS = "annotations"
"""What the file of a published dataset holds."""
ORDER = ("easy", "medium", "hard")


class DescriptionTask(Task):
    """A task whose items are descriptions."""

    groups: tuple[str, ...] = ("difficulty", "room")

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        self.shown = tuple(name for name, metric in self.metrics.items() if metric.is_headline)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What it is judged by."""
        return TASKS[self.kind]

    def clusters_are(self, dataset: Dataset) -> str:
        """Every description stands for itself."""
        return "descriptions"

    def dataset(self, data: str | None) -> Items:
        """The annotations of a file, an installed dataset, or (None) those the card names."""
        found = self._file(data)
        samples = found.usable()
        content = json.dumps([annotation_value(sample) for sample in samples])
        return Items(found.file, hashlib.sha256(content.encode()).hexdigest(), samples)

    def _file(self, data: str | None) -> AnnotationFile:
        if data is not None:
            path, names = Path(data), {*catalogue(), *(one.name for one in installed())}
            return read_annotation_file(path if path.exists() or data not in names else dataset_file(data, ANNOTATIONS))
        named = find("tasks", self.card.data)
        return read_annotations(text_of(named), str(named))

    def in_order(self, members: Iterable[str], group: str) -> list[str]:
        """Difficulties from easy to hard; rooms by name."""
        return sorted(members, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))

    def question(self, sample: Annotation, *, briefly: bool = False) -> str:
        """The description."""
        return sample.description

    def reference_value(self, sample: Annotation) -> object:
        """The annotation."""
        return annotation_value(sample)
