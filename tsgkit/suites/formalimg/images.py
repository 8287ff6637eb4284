"""The common part of the image tasks: a judge is shown the images of a folder, and its transcripts are scored.

``knolling`` and ``natural`` define the questions to the judge, and how its replies are read and scored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tsgkit.errors import UsageError
from tsgkit.llm.images import ImageFile
from tsgkit.llm.reply import Ask, Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.formalimg.image_prompts import FolderTexts
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.formalimg.verdicts import Findings, scores_of
from tsgkit.suites.images import image_files
from tsgkit.suites.judgement import Judged, TwoReadings
from tsgkit.suites.judges.images import Images, ShownImage, sight_of, unfinished, unshown
from tsgkit.suites.judges.judge import Judge, Question, a_model, outcome_of
from tsgkit.suites.rows import Dataset
from tsgkit.suites.solvers.prompter import Preview, PreviewOptions
from tsgkit.suites.solvers.solver import Expected, Solver
from tsgkit.suites.styles import style_of
from tsgkit.suites.task import Looks, Piece, Task, Viewing, item_to_preview
from tsgkit.suites.transcript import Transcript, gather_all

ONE_WAY = style_of("zero-shot")
"""The only prompt style for judges."""
FOLDER = "give a folder of images: --images NAME=DIR --judge MODEL"


@dataclass(frozen=True, kw_only=True)
class ImageQuestions:
    """The questions of a task to a judge about the image of an item, and what its replies come to."""

    texts: Callable[[str | None], FolderTexts]
    """Returns the judge's prompts from a folder (None: the working project, then the built-in ones)."""
    tries: Mapping[str, int]
    """The protocols, with the number of calls for a question until a reply is readable."""
    preview: Callable[[FormulaSample, FolderTexts], tuple[str, str, str]]
    """Returns the text of the first call about an item, the role it is sent with, and a note on what is sent
    besides."""
    about: Callable[[FormulaSample, ImageFile, str, FolderTexts], Sequence[Question[None]]]
    """Returns the questions of a protocol about the image of an item."""
    expected: Callable[[FormulaSample, str], Expected]
    """Returns the calls expected for an item in a protocol, without format retries."""
    unseen: Callable[[FormulaSample, str, Outcome, str], Findings]
    """Returns the findings in a protocol for an item whose image could not be shown: its outcome, and why."""
    seen: Callable[[FormulaSample, str, Mapping[str, Reply], ShownImage], tuple[Outcome, Findings]]
    """Returns the findings in a protocol from the last replies under each label."""


@dataclass(frozen=True)
class TranscriptScorer:
    """Scorer of transcripts with a judge's replies about the image of an item."""

    task: Task
    questions: ImageQuestions
    name: str
    """The name of the protocol."""
    style: str = ""

    @property
    def unpublished(self) -> str:
        """The reason why official figures do not apply; empty if they do."""
        return self.task.official.unpublished(self.style, self.name)

    def unfinished(self, transcript: Transcript) -> str:
        """Return what a transcript lacks; empty if the solver finished."""
        return unfinished(transcript)

    def judge(self, sample: FormulaSample, transcript: Transcript | None) -> Judged:
        """Score the last reply under each label."""
        sight = sight_of(transcript)
        if without := unshown(transcript):
            outcome, findings = without[0], self.questions.unseen(sample, self.name, *without)
        else:
            assert transcript is not None  # noqa: S101  (an image was shown)
            assert sight is not None  # noqa: S101
            replies = {call.label: call.reply for call in transcript.said}
            outcome, findings = self.questions.seen(sample, self.name, replies, sight)
        image = None if sight is None else sight.sha256 or None
        return scores_of(sample, replace(findings, evidence={"image": image})).judged(sample, outcome)


@dataclass(frozen=True)
class ImageJudge(TranscriptScorer):
    """Solver that shows the images of a folder to a judge."""

    asker: Judge = field(kw_only=True)
    images: Images = field(kw_only=True)
    texts: FolderTexts = field(kw_only=True)

    @property
    def fingerprint(self) -> str:
        """The protocol, the number of tries and the prompt texts."""
        return f"{self.name}/{self.questions.tries[self.name]}/{self.texts.fingerprint}"

    def expected(self, sample: FormulaSample) -> Expected:
        """Return the calls expected for an item; none for an image that cannot be shown."""
        sides = self.images.sides(sample.number)
        if sides is None:
            return Expected()
        expected = self.questions.expected(sample, self.name)
        return expected._replace(images=[sides] * expected.calls[1], worst=self.questions.tries[self.name])

    async def solve(self, sample: FormulaSample, ask: Ask | None) -> Transcript:
        """Ask all questions about the image of an item concurrently. The record of the image comes last."""
        model = a_model(ask, "images")
        sight, image = await self.images.of_item(sample.number)
        asked = () if image is None else self.questions.about(sample, image, self.name, self.texts)
        answers = await gather_all(*(self.asker.answer(model, question) for question in asked))
        return Transcript((*(said for answer in answers for said in answer.said), sight.said))


def image_looks(questions: ImageQuestions) -> Looks:
    """Return the judging of folders of images by these questions."""
    return Looks(
        kind="images",
        viewer=partial(_viewer, questions),
        pieces=_images_of,
        scorer=lambda task, protocol, _: TranscriptScorer(task, questions, protocol),
        readings=_reply_as_it_is,
        hint=FOLDER,
        check=partial(_check, questions),
        sources=lambda prompts: questions.texts(prompts).sources,
        preview=partial(_preview, questions),
        protocols=tuple(questions.tries),
    )


def _viewer(questions: ImageQuestions, task: Task, viewing: Viewing, dataset: Dataset) -> Solver:
    asker, images, texts = Judge(viewing.formats), Images.of(viewing), questions.texts(viewing.prompts)
    return ImageJudge(task, questions, viewing.protocol, asker=asker, images=images, texts=texts)


def _images_of(viewing: Viewing, samples: Iterable[FormulaSample]) -> Iterable[Piece]:
    """Return the images of these items."""
    paths = image_files(viewing.folder.path, (sample.number for sample in samples))
    return (Piece(path.name, path) for path in paths)


def _reply_as_it_is(task: Task, sample: FormulaSample, reply: Reply, solver: Solver) -> TwoReadings:
    """Return the judge's reply as it is: both profiles read several calls together."""
    outcome = outcome_of(reply)
    if outcome is Outcome.UNREADABLE:  # complete, with text
        outcome = Outcome.ANSWERED
    return TwoReadings(outcome, reply.text, "", (), reply.text, solver.unpublished, ())


def _check(questions: ImageQuestions, style: str, prompts: str | None) -> None:
    style_of(style)
    questions.texts(prompts)


def _preview(questions: ImageQuestions, task: Task, options: PreviewOptions) -> Preview:
    """Return the published prompt that a judge gets with the image of one item."""
    if options.style != ONE_WAY.name or options.shots is not None:
        raise UsageError(f"{task.key}: judges have one prompt, so --style and --shots do not apply")
    (_, sample), texts = item_to_preview(task, options), questions.texts(options.prompts)
    text, role, note = questions.preview(sample, texts)
    return Preview(
        task=task.key,
        style=ONE_WAY,
        item_id=sample.item_id,
        text=text,
        messages=({"role": role, "content": text},),
        schema=None,
        fingerprint=texts.fingerprint,
        notes=(note,),
    )
