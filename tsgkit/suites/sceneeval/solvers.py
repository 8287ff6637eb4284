"""Solvers that judge a folder of rooms."""

from __future__ import annotations

from dataclasses import dataclass, field

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.geometry import check_libraries
from tsgkit.suites.judged import Judged
from tsgkit.suites.judges.judge import Judge as Asking
from tsgkit.suites.judges.response_formats import ResponseFormats
from tsgkit.suites.request_forms import NEWEST
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.judges import Judge
from tsgkit.suites.sceneeval.judging import judge
from tsgkit.suites.sceneeval.measuring import Rooms, looked_at, value_of
from tsgkit.suites.sceneeval.model_judge import ModelJudge
from tsgkit.suites.sceneeval.questions import Words
from tsgkit.suites.sceneeval.rules_judge import NAME as RULES
from tsgkit.suites.sceneeval.rules_judge import RulesJudge
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.solvers.unasked import PREFIX
from tsgkit.suites.transcript import Ask, Transcript


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

    kind: str
    unpublished: str = field(default="", kw_only=True)

    def judge(self, sample: Annotation, transcript: Transcript | None) -> Judged:
        """What was found, scored."""
        return judge(self.kind, sample, transcript)

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
        return f"{self.kind}/{self.looker.fingerprint}/{layouts}/{self.rooms.missing}"

    async def solve(self, sample: Annotation, ask: Ask | None) -> Transcript:
        """Read the scene, ask the judge, measure; where replies are waited for, scenes take turns to bound memory."""
        if not isinstance(self.looker, ModelJudge):
            return await looked_at(self.kind, sample, self.rooms, self.looker, ask)
        async with self.looker.turn:
            self.looker.go_on()
            return await looked_at(self.kind, sample, self.rooms, self.looker, ask)

    def expected(self, sample: Annotation) -> Expected:
        """What the judge would ask; about a scene that is not there or cannot be read, nothing."""
        try:
            scene = self.rooms.scene(sample.item_id)
        except (TsgkitError, MemoryError, RecursionError, OSError):
            return Expected()
        return Expected() if scene is None else self.looker.expected(self.kind, sample, scene)
