"""Settings of a benchmark in the making: what its stages are done with, and the folder that they fill."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from tsgkit.graph.model import Narrative
from tsgkit.suites.tsg.makers.description_sizes import DEFAULT_MIX, parse_mix
from tsgkit.suites.tsg.makers.stage_files import StageFiles, StageFolder

if TYPE_CHECKING:
    from tsgkit.runs.agent_calls import AgentCalls
    from tsgkit.runs.jobs import Engine

PATTERNS = "sentence patterns"
STORIES, DESCRIBED, SENTENCES, NARRATIVES = "stories.jsonl", "described.jsonl", "sentences.jsonl", "narratives.jsonl"
QUESTIONS, CHOICES, SINGLE, MULTI = "sgqa.jsonl", "sgds.jsonl", "sa-sgg.jsonl", "ma-sgg.jsonl"
TASKS = {QUESTIONS: "sgqa", CHOICES: "sgds", SINGLE: "sa-sgg", MULTI: "ma-sgg"}
"""The tasks of the files of rows."""


@dataclass(frozen=True)
class Settings:
    """The choices of a user that change what is made."""

    sources: tuple[Path, ...] = ()
    seed: int = 0
    mix: str = DEFAULT_MIX
    rewrite: bool = False
    implicit: float = 0.0
    repeated: float = 0.0
    bare: float = 0.0
    extra: float = 0.25
    questions: int = 8
    choices: int = 6
    possible: Path | None = None
    model: str | None = None
    rounds: int = 2
    canary: str = ""

    def __post_init__(self) -> None:
        parse_mix(self.mix)

    def of(self, *names: str) -> dict[str, Any]:
        """Return some settings by name."""
        return {name: getattr(self, name) for name in names}

    def draw(self, stage: str, story: Narrative) -> Random:
        """Return the lots of a stage for a story: they depend on no other story."""
        return Random(f"{self.seed}/{stage}/{story.id}")


@dataclass
class Making:
    """The work on one stage: the folder, the settings, and whoever is asked."""

    folder: StageFolder
    settings: Settings
    files: StageFiles
    engine: Engine
    calls: AgentCalls | None = None
    workers: int = 1
    executor: str | None = None
    """Where sentences are written by patterns; None for processes where they are worth it."""
    avoided: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """By story, what must not be drawn again: paths of questions, steps of choices."""
    removed: Mapping[str, str] = field(default_factory=dict)
    """The items that are left out of what was made, with reasons."""
    dropped: dict[str, int] = field(default_factory=dict)
    """The number of things that were left out for each reason."""
    failures: list[str] = field(default_factory=list)
    """The requests that gave no answer, in words."""

    def stories(self, name: str) -> Iterator[Narrative]:
        """Yield the stories of a file; their number is what progress counts."""
        with self.folder.file(name).open("rb") as file:
            self.engine.expected = sum(1 for line in file if line.strip())
        return self.folder.narratives(name)

    def avoids(self, story: Narrative) -> frozenset[Any]:
        """Return what must not be drawn again for a story."""
        found = self.avoided.get(story.id, ())
        return frozenset(tuple(one) if isinstance(one, list) else one for one in found)

    def removes(self, stage: str, story: str, item: Mapping[str, Any]) -> bool:
        """Return whether an item is left out, and note it with its reason."""
        reason = self.removed.get(item["item_id"])
        if reason is not None:
            self.drop(stage, story, item["item_id"], reason)
        return reason is not None

    def drop(self, stage: str, story: str, place: str, reason: str, *, times: int = 1, was: object = None) -> None:
        """Note something that is left out, with its reason."""
        value = {"story": story, "place": place, "reason": reason, "times": times, "was": was}
        self.files.add(dropped_file(stage), {name: one for name, one in value.items() if one not in (None, "")})
        short = reason.partition(": ")[0] if reason.partition(": ")[0].replace("-", "").isalpha() else reason
        self.dropped[short] = self.dropped.get(short, 0) + times


def dropped_file(stage: str) -> str:
    """Return the file of what a stage left out."""
    return f"{stage}.dropped.jsonl"


def checksum(path: Path) -> str:
    """Return the checksum of a source."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
