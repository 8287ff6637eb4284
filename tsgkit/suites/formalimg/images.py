"""The common part of the image tasks: a judge is shown the images of a folder, and its transcripts are scored.

``knolling`` and ``natural`` define the questions to the judge, and how its replies are read and scored.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tsgkit.errors import UsageError
from tsgkit.llm.images import ImageFile
from tsgkit.llm.reply import Ask, Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.tally import Tally
from tsgkit.suites.formalimg.image_prompts import paintings_of
from tsgkit.suites.formalimg.prompts import Texts
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.formalimg.task import FormulaTask
from tsgkit.suites.formalimg.verdicts import Findings, scores_of
from tsgkit.suites.gather_all import gather_all
from tsgkit.suites.images import ENDINGS, is_file_id
from tsgkit.suites.item_choice import ItemChoice
from tsgkit.suites.judgement import Judged, TwoReadings
from tsgkit.suites.judges.images import Images
from tsgkit.suites.judges.judge import Judge, Question, a_model, outcome_of
from tsgkit.suites.judges.shown_images import ShownImage, sight_of, unfinished, unshown
from tsgkit.suites.paintable import Painting, PaintingOptions
from tsgkit.suites.scoreboard import Board, ScoreReport
from tsgkit.suites.solvers.factories import refuse_solver
from tsgkit.suites.solvers.offline_solvers import Recorded
from tsgkit.suites.solvers.prompter import Preview, PreviewOptions
from tsgkit.suites.solvers.solver import Expected, Solver
from tsgkit.suites.styles import style_of
from tsgkit.suites.task import Dataset, Kind, Piece, Viewing
from tsgkit.suites.transcript import Transcript

ONE_WAY = style_of("zero-shot")
"""The only prompt style for judges."""
FOLDER = "give a folder of images: --images NAME=DIR --judge MODEL"


class ImageTask(FormulaTask):
    """A task that judges folders of images."""

    takes: tuple[Kind, ...] = ("images",)
    room: str
    """The folder of the judge's prompts."""
    parts: Mapping[str, Sequence[str]]
    """The parts of these prompts, with their fields."""

    # Implemented by each task

    @abstractmethod
    def judge_prompt(self, sample: FormulaSample, texts: Texts) -> tuple[str, str, str]:
        """Return the text of the first call about an item, the role it is sent with, and a note on what is sent
        besides."""

    @abstractmethod
    def questions(self, sample: FormulaSample, image: ImageFile, look: ImageJudge) -> Sequence[Question[None]]:
        """Return the questions to a judge about the image of an item."""

    @abstractmethod
    def expected(self, sample: FormulaSample, protocol: str) -> Expected:
        """Return the calls expected for an item, without format retries."""

    @abstractmethod
    def identified(self, look: ImageJudge) -> str:
        """Return the part of a fingerprint after the protocol: the prompt texts and the number of tries."""

    @abstractmethod
    def unseen(self, sample: FormulaSample, protocol: str, outcome: Outcome, why: str) -> Findings:
        """Return the findings for an item whose image could not be shown."""

    @abstractmethod
    def seen(
        self, sample: FormulaSample, protocol: str, replies: Mapping[str, Reply], sight: ShownImage
    ) -> tuple[Outcome, Findings]:
        """Return the findings from the last replies under each label."""

    def unpublished(self, protocol: str) -> str:
        """Return why a protocol has no official figures; empty if it has."""
        return ""

    # Solvers

    def viewer(self, viewing: Viewing, dataset: Dataset) -> Solver:
        """Return a solver for a folder of images."""
        asker, images = Judge(viewing.formats), Images.of(viewing)
        texts = self.texts(viewing.prompts)
        return ImageJudge(self, viewing.protocol, asker=asker, images=images, texts=texts)

    def pieces_of(self, viewing: Viewing, samples: Iterable[FormulaSample]) -> Iterable[Piece]:
        """Return the images of these items."""
        names = (sample.number for sample in samples)
        paths = (viewing.folder.path / f"{name}{ending}" for name in names if is_file_id(name) for ending in ENDINGS)
        return (Piece(path.name, path) for path in paths if path.is_file())

    def recorded(self, solver: str, style: str) -> Recorded:
        """Return a solver for recorded transcripts."""
        return Recorded(TranscriptScorer(self, solver), solver)

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """Return the values of a tally for the given metrics (None: all)."""
        return self.board_by(tally, seed, unpublished=solver.unpublished, only=only)

    def readings(self, sample: FormulaSample, reply: Reply, solver: Solver) -> TwoReadings:
        """Return the judge's reply as it is: both profiles read several calls together."""
        outcome = outcome_of(reply)
        if outcome is Outcome.UNREADABLE:  # complete, with text
            outcome = Outcome.ANSWERED
        return TwoReadings(outcome, reply.text, "", (), reply.text, solver.unpublished, ())

    # Judge prompts

    def texts(self, prompts: str | None) -> Texts:
        """Return the texts, from a folder the caller names (None: the working project, then the built-in ones)."""
        return Texts.of(self.room, self.parts, prompts)

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Return the source of each part of the judge's prompt."""
        return self.texts(prompts).sources

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:
        """Raise ``UsageError`` if the style or the prompts do not exist. Solvers apply only to models that answer."""
        style_of(style)
        refuse_solver(solver, self.key)
        self.texts(prompts)

    def preview(self, options: PreviewOptions) -> Preview:
        """Return the published prompt that a judge gets with the image of one item."""
        if options.style != ONE_WAY.name or options.shots is not None:
            raise UsageError(f"{self.key}: judges have one prompt, so --style and --shots do not apply")
        (_, sample), texts = self.item(options), self.texts(options.prompts)
        text, role, note = self.judge_prompt(sample, texts)
        return Preview(
            task=self.key,
            style=ONE_WAY,
            item_id=sample.item_id,
            text=text,
            messages=({"role": role, "content": text},),
            schema=None,
            fingerprint=texts.fingerprint,
            notes=(note,),
        )

    # Image generation

    def paintings(self, data: str | None, choice: ItemChoice, options: PaintingOptions) -> Iterable[Painting]:
        """Return the images to be made of the chosen items."""
        rows = self.dataset(data)
        wanted = replace(choice, ids=tuple(self.full_ids(rows, choice.ids)))
        samples = [rows.sample(number) for number in rows.chosen(wanted)]
        return paintings_of(samples, rows.item_ids, options)

    # Not supported for image tasks

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """Raise ``UsageError``: this task judges images, so no model answers."""
        raise UsageError(f"{self.key}: this task judges images, not replies of models", hint=FOLDER)

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Solver:
        """Raise ``UsageError``: baselines make no images."""
        raise UsageError(f"{self.key}: this task judges images, and {subject} makes none", hint=FOLDER)

    def score_replies(
        self, data: str, replies: str, *, style: str | None = None, by: Sequence[str] = (), seed: int = 0
    ) -> ScoreReport:
        """Raise ``UsageError``: images are judged, not scored from replies."""
        hint = f"tsgkit eval --task {self.key} --images NAME=DIR --judge MODEL"
        raise UsageError(f"{self.key}: this task judges images and cannot score replies", hint=hint)


@dataclass(frozen=True)
class TranscriptScorer:
    """Scorer of transcripts with a judge's replies about the image of an item."""

    task: ImageTask
    name: str
    """The name of the protocol."""
    style: str = ""

    @property
    def unpublished(self) -> str:
        """The reason why official figures do not apply; empty if they do."""
        return self.task.unpublished(self.name)

    def unfinished(self, transcript: Transcript) -> str:
        """Return what a transcript lacks; empty if the solver finished."""
        return unfinished(transcript)

    def judge(self, sample: FormulaSample, transcript: Transcript | None) -> Judged:
        """Score the last reply under each label."""
        sight = sight_of(transcript)
        if without := unshown(transcript):
            outcome, found = without[0], self.task.unseen(sample, self.name, *without)
        else:
            assert transcript is not None  # noqa: S101  (an image was shown)
            assert sight is not None  # noqa: S101
            replies = {one.label: one.reply for one in transcript.said}
            outcome, found = self.task.seen(sample, self.name, replies, sight)
        image = None if sight is None else sight.sha256 or None
        return scores_of(sample, replace(found, evidence={"image": image})).judged(sample, outcome)


@dataclass(frozen=True)
class ImageJudge(TranscriptScorer):
    """Solver that shows the images of a folder to a judge."""

    asker: Judge = field(kw_only=True)
    images: Images = field(kw_only=True)
    texts: Texts = field(kw_only=True)

    @property
    def fingerprint(self) -> str:
        """The protocol, the prompt texts and the number of tries."""
        return f"{self.name}/{self.task.identified(self)}"

    def expected(self, sample: FormulaSample) -> Expected:
        """Return the calls expected for an item; none for an image that cannot be shown."""
        sides = self.images.sides(sample.number)
        if sides is None:
            return Expected()
        expected = self.task.expected(sample, self.name)
        return expected._replace(images=[sides] * expected.calls[1])

    async def solve(self, sample: FormulaSample, ask: Ask | None) -> Transcript:
        """Ask all questions about the image of an item concurrently. The record of the image comes last."""
        model = a_model(ask, "images")
        sight, image = await self.images.of_item(sample.number)
        asked = () if image is None else self.task.questions(sample, image, self)
        answers = await gather_all(*(self.asker.answer(model, question) for question in asked))
        return Transcript((*(said for answer in answers for said in answer.said), sight.said))
