"""Pictures in folders, shown to a judge: grounded and verified (knolling), or judged clause by clause (natural)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.llm.reply import Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.formalimg import grounding, natural
from tsgkit.suites.formalimg.formula_task import FormulaTask
from tsgkit.suites.formalimg.grounding import Grounding, Scenes
from tsgkit.suites.formalimg.natural import Judgements, Judging
from tsgkit.suites.formalimg.painting import paintings_of
from tsgkit.suites.formalimg.prompts import Texts
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.formalimg.viewing import PictureJudge
from tsgkit.suites.judges.images import Images
from tsgkit.suites.judges.judge import Judge, outcome_of
from tsgkit.suites.painting import Painting, PaintingOptions
from tsgkit.suites.pictures import ENDINGS, is_file_id
from tsgkit.suites.previews import Preview, PreviewOptions
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.scoreboard import ScoreReport
from tsgkit.suites.solvers.families import refuse_solver
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.solvers.unasked import Recorded
from tsgkit.suites.styles import style_of
from tsgkit.suites.task import OURS, PUBLISHED, Dataset, Kind, Piece, Viewing

ONE_WAY = style_of("zero-shot")
"""The one style in which a judge is told what to do."""
FOLDER = "name a folder of pictures: --images NAME=DIR --judge MODEL"


class PictureTask(FormulaTask):
    """A task that takes folders of pictures."""

    takes: tuple[Kind, ...] = ("images",)

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        self.protocols = (PUBLISHED, OURS) if self.is_grounded else (PUBLISHED,)

    @property
    def is_grounded(self) -> bool:
        """Whether the judge finds objects, and a program judges."""
        return self.kind == "knolling"

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:
        """Names of styles and prompts are true ones; a solver is for models that answer."""
        style_of(style)
        refuse_solver(solver, self.key)
        self._texts(prompts)

    def _texts(self, prompts: str | None) -> Texts:
        return Texts.of("grounding" if self.is_grounded else "natural", prompts)

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Where each part of what a judge is told comes from."""
        return self._texts(prompts).sources

    def preview(self, options: PreviewOptions) -> Preview:
        """What a judge would be told beside the picture of one item, as published."""
        if options.style != ONE_WAY.name or options.shots is not None:
            raise UsageError(f"{self.key}: a judge is told one thing, so --style and --shots have no use")
        (_, sample), texts = self.item(options), self._texts(options.prompts)
        text, role, note = self._told(sample, texts)
        return Preview(
            task=self.key,
            style=ONE_WAY,
            item_id=sample.item_id,
            text=text,
            messages=({"role": role, "content": text},),
            schema=None,
            fingerprint=texts.fingerprint(*texts.sources),
            notes=(note,),
        )

    def _told(self, sample: FormulaSample, texts: Texts) -> tuple[str, str, str]:
        """The words of the first call about an item, who says them, and what is sent besides."""
        if not self.is_grounded:
            return natural.instructions(texts, sample), "user", "the picture follows in the same message"
        if not sample.classes:
            raise UsageError(f"{sample.item_id}: the formula names no class, so nothing is looked for")
        first, *others = sample.classes
        more = f"; {', '.join(others)}: a call each in the same words" if others else ""
        note = f"a message of the user with the picture alone follows{more}"
        return grounding.instructions(texts, (first,), PUBLISHED), "system", note

    def viewer(self, viewing: Viewing, dataset: Dataset) -> Solver:
        """A solver for a folder of pictures."""
        looker = PictureJudge(Judge(viewing.formats), Images.of(viewing))
        texts = self._texts(viewing.prompts)
        if self.is_grounded:
            return Grounding(viewing.protocol, looker=looker, texts=texts, form=viewing.form)
        return Judging(viewing.protocol, looker=looker, texts=texts)

    def pieces_of(self, viewing: Viewing, samples: Iterable[FormulaSample]) -> Iterable[Piece]:
        """The pictures of these items."""
        names = (sample.number for sample in samples)
        paths = (viewing.folder.path / f"{name}{ending}" for name in names if is_file_id(name) for ending in ENDINGS)
        return (Piece(path.name, path) for path in paths if path.is_file())

    def recorded(self, solver: str, style: str) -> Recorded:
        """Looks of which only the transcripts are left."""
        return Recorded(Scenes(solver) if self.is_grounded else Judgements(solver), solver)

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """No model answers here."""
        raise UsageError(f"{self.key}: pictures are judged here, not what models say", hint=FOLDER)

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Solver:
        """No program makes pictures."""
        raise UsageError(f"{self.key}: pictures are judged here, and {subject} makes none", hint=FOLDER)

    def score_replies(
        self, data: str, replies: str, *, style: str | None = None, by: Sequence[str] = (), seed: int = 0
    ) -> ScoreReport:
        """Pictures are looked at, not scored from replies."""
        hint = f"tsgkit eval --task {self.key} --images NAME=DIR --judge MODEL"
        raise UsageError(f"{self.key}: pictures are judged by looking at them, not by replies", hint=hint)

    def readings(self, sample: FormulaSample, reply: Reply, solver: Solver) -> TwoReadings:
        """What the judge said, as it said it: both profiles read several calls together."""
        outcome = outcome_of(reply)
        if outcome is Outcome.UNREADABLE:  # it ended as it should, and has text
            outcome = Outcome.ANSWERED
        return TwoReadings(outcome, reply.text, "", (), reply.text, solver.unpublished, ())

    def paintings(
        self, data: str | None, ids: Sequence[str], limit: int | None, options: PaintingOptions
    ) -> Iterable[Painting]:
        """The pictures to be made of the chosen items."""
        rows = self.dataset(data)
        samples = [rows.sample(number) for number in rows.chosen(self.full_ids(rows, ids), limit)]
        return paintings_of(samples, rows.item_ids, options)
