"""Looking at the rooms of a folder; and judging what is left of having looked."""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.errors import UsageError
from tsgkit.suites.judged import Judged
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.judges import Judge
from tsgkit.suites.sceneeval.judging import judge
from tsgkit.suites.sceneeval.measuring import Rooms, looked_at, value_of
from tsgkit.suites.sceneeval.rules_judge import NAME as RULES
from tsgkit.suites.sceneeval.rules_judge import RulesJudge
from tsgkit.suites.solving import Expected
from tsgkit.suites.transcript import Ask, Transcript


def judge_of(name: str) -> Judge:
    """The judge of a name."""
    if name != RULES:
        raise UsageError(f"{name}: no model looks at rooms yet", hint=f"the judge that asks nobody: --judge {RULES}")
    return RulesJudge()


@dataclass(frozen=True)
class Looking:
    """A folder of rooms, looked at by a judge."""

    kind: str
    rooms: Rooms
    judge_name: str
    name: str
    style: str = ""
    unpublished: str = ""

    @property
    def fingerprint(self) -> str:
        """The judge with its tables, and which collections of assets are at hand, by their layouts."""
        layouts = ",".join(sorted(source.name for source in self.rooms.sources))
        return f"{self.kind}/{judge_of(self.judge_name).fingerprint}/{layouts}/{self.rooms.missing}"

    async def solve(self, sample: Annotation, ask: Ask | None) -> Transcript:
        """Read the scene, ask the judge, measure."""
        return await looked_at(self.kind, sample, self.rooms, judge_of(self.judge_name), ask)

    def judge(self, sample: Annotation, transcript: Transcript | None) -> Judged:
        """What was found, scored."""
        return judge(self.kind, sample, transcript)

    def expected(self, sample: Annotation) -> Expected:
        """Rules ask nobody."""
        return Expected()

    def unfinished(self, transcript: Transcript) -> str:
        """What was found comes last."""
        return "" if value_of(transcript) is not None else "nothing is recorded of what was found"


@dataclass(frozen=True)
class Recorded:
    """Rooms that were looked at; only the transcripts are left."""

    kind: str
    name: str
    style: str = ""
    unpublished: str = ""
    fingerprint: str = ""

    async def solve(self, sample: Annotation, ask: Ask | None) -> Transcript:
        """There is nothing to look at any more."""
        raise UsageError("of a recorded run only the transcripts are left")

    def judge(self, sample: Annotation, transcript: Transcript | None) -> Judged:
        """What was found, scored."""
        return judge(self.kind, sample, transcript)

    def expected(self, sample: Annotation) -> Expected:
        """It asks nobody."""
        return Expected()

    def unfinished(self, transcript: Transcript) -> str:
        """What was found comes last."""
        return "" if value_of(transcript) is not None else "nothing is recorded of what was found"
