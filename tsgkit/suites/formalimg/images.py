"""Images of items: prompts for image models, and a judge that is shown the images of a folder.

>>> texts = FolderTexts.of("natural", {"judge": ("prompt", "formula", "clauses")})
>>> list(texts.sources)
['judge']

An image model is sent the style of the image, the instruction, and a layout to follow. Layouts come from a file of
replies to ``formalimg/layout``, or from the solver (``--layouts baseline/solver``). The prompt includes them as text,
or as a drawn plan: boxes with the names of the objects.

``knolling`` and ``natural`` define the questions to the judge, and how its replies are read and scored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.image_decoder import require_pillow
from tsgkit.llm.images import ImageFile
from tsgkit.llm.reply import Ask, Reply
from tsgkit.logic.layouts import CANVAS
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.formalimg.layout import SOLVER, layout_text, needs_solver, solved
from tsgkit.suites.formalimg.rows import KNOLLING, FormulaSample
from tsgkit.suites.formalimg.strict import LayoutAnswer, Thing, layout_in, text_of_reply
from tsgkit.suites.formalimg.verdicts import Findings, scores_of
from tsgkit.suites.images import image_files, keep_image
from tsgkit.suites.judgement import Judged, TwoReadings
from tsgkit.suites.judges.images import Images, ShownImage, sight_of, unfinished, unshown
from tsgkit.suites.judges.judge import Judge, JudgeQuestion, a_model, outcome_of
from tsgkit.suites.replies import CollectedReply, read_replies
from tsgkit.suites.rows import Dataset, ItemChoice
from tsgkit.suites.solvers.offline_solvers import PREFIX
from tsgkit.suites.solvers.prompter import BETWEEN, Preview, PreviewOptions
from tsgkit.suites.solvers.solver import Expected, Solver
from tsgkit.suites.styles import style_of
from tsgkit.suites.task import JudgedContent, Looks, Painting, PaintingOptions, Task, Viewing, item_to_preview
from tsgkit.suites.transcript import Transcript, gather_all

ONE_WAY = style_of("zero-shot")
"""The only prompt style for judges."""
FOLDER = "give a folder of images: --images NAME=DIR --judge MODEL"
SUITE = "formalimg"
PARTS: dict[str, tuple[str, ...]] = {
    "knolling": (),
    "rules": (),
    "layout-text": ("layout",),
    "layout-drawn": (),
    "instruction": ("prompt",),
}
"""The parts of a prompt and their required fields."""
SIDE = 1024
LINE = 4
LETTERS = 26
INK, PAPER = "black", "white"


@dataclass(frozen=True)
class FolderTexts:
    """The texts of a prompt folder."""

    room: str
    templates: Mapping[str, Template]

    @classmethod
    def of(cls, room: str, fields: Mapping[str, Sequence[str]], folder: str | Path | None = None) -> FolderTexts:
        """Return the parts with these required fields from a folder that the caller names (None: the working project,
        then the built-in ones).

        Raise ``UsageError`` if the caller's folder has none of them, or contains a file that no prompt uses.
        """
        folders = () if folder is None else (Path(folder),)
        for home in folders:
            if not home.is_dir():
                raise UsageError(f"{home}: no such folder of prompts")
            parts = (home / "prompts" if (home / "prompts").is_dir() else home) / SUITE / room
            if not parts.is_dir():
                raise UsageError(f"{home}: has no prompts for this task", hint=f"parts lie in {parts}/")
            for file in sorted(parts.glob("*.txt")):
                if file.stem not in fields:
                    raise UsageError(f"{file}: there is no prompt part {file.stem}", hint=meant(file.stem, fields))
        templates = {}
        for name, required in fields.items():
            template = load_template(find("prompts", f"{SUITE}/{room}/{name}.txt", folders), required=required)
            templates[name] = replace(template, text=template.text.replace("\r\n", "\n").strip("\n"))
        return cls(room, templates)

    def render(self, name: str, **values: str) -> str:
        """Return a part with its fields filled in."""
        return self.templates[name].render(**values)

    @property
    def sources(self) -> dict[str, str]:
        """The source of each part."""
        return {name: template.source for name, template in self.templates.items()}

    @property
    def fingerprint(self) -> str:
        """A hash of all parts."""
        texts = json.dumps([self.room, *(template.text for template in self.templates.values())])
        return hashlib.sha256(texts.encode("ascii")).hexdigest()


# Prompts for image models


def paintings_of(task: Task, data: str | None, choice: ItemChoice, options: PaintingOptions) -> Iterable[Painting]:
    """Return the images to be made of the chosen items."""
    rows = task.dataset(data)
    wanted = replace(choice, ids=tuple(task.rows.full_id(rows, name) for name in choice.ids))
    samples: list[FormulaSample] = [rows.sample(number) for number in rows.chosen(wanted)]
    texts, layouts = FolderTexts.of("pictures", PARTS), layouts_of(samples, rows.item_ids, options)

    def painting(sample: FormulaSample) -> Painting:
        layout, plan = layouts.get(sample.item_id), None
        if options.condition == "drawn":
            try:
                plan = keep_image(options.drawings, plan_png(layout or []), (SIDE, SIDE))
            except (TypeError, ValueError, KeyError) as error:
                hint = "choose other items with --ids, or give layouts as text"
                raise UsageError(f"item {sample.item_id}: a box cannot be drawn: {error}", hint=hint) from None
        return Painting(sample.number, prompt_of(texts, sample, options, layout), plan)

    return map(painting, samples)


def prompt_of(
    texts: FolderTexts, sample: FormulaSample, options: PaintingOptions, layout: Sequence[Thing] | None
) -> str:
    """Return the prompt for an image model; for natural scenes, the instruction alone."""
    parts = [texts.render("knolling")] if sample.scenario == KNOLLING else []
    if options.instruction:
        parts += [texts.render("rules")] if sample.scenario == KNOLLING else []
        parts.append(texts.render("instruction", prompt=sample.prompt))
    if layout is not None and options.condition == "text":
        parts.append(texts.render("layout-text", layout=layout_text(layout)))
    if layout is not None and options.condition == "drawn":
        parts.append(texts.render("layout-drawn"))
    return BETWEEN.join(parts)


def layouts_of(
    samples: Sequence[FormulaSample], known: Sequence[str], options: PaintingOptions
) -> dict[str, list[Thing]]:
    """Return the layout of each item, empty if no layouts are used. Raise ``UsageError`` for an item without one."""
    if options.condition == "none" or options.layouts is None:
        return {}
    if natural := [sample.item_id for sample in samples if sample.scenario != KNOLLING]:
        raise UsageError(f"{natural[0]}: natural scenes have no layouts to follow", hint="leave out --condition")
    source, layouts = str(options.layouts), {}
    is_solver = source == f"{PREFIX}{SOLVER}" and not options.layouts.exists()
    if is_solver:
        needs_solver()
    replies = {} if is_solver else read_replies(options.layouts, known, text_of_reply)
    for sample in samples:
        reply = CollectedReply(solved(sample, 0)) if is_solver else replies.get(sample.item_id)
        read = None if reply is None else layout_in(reply.text or "")
        if not isinstance(read, LayoutAnswer) or not read.objects:
            why = "no layout" if read is None else "an empty one" if isinstance(read, LayoutAnswer) else read.reason
            raise UsageError(f"{source}: item {sample.item_id}: {why}", hint="choose items that have a layout: --ids")
        layouts[sample.item_id] = read.objects
    return layouts


def plan_png(layout: Sequence[Thing]) -> bytes:
    """Return labelled boxes on white as a PNG."""
    require_pillow()
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (SIDE, SIDE), PAPER)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(LETTERS)
    for thing in layout:
        left, top, right, bottom = (float(side) * SIDE / CANVAS for side in thing["box_2d"])
        pen.rectangle((left, top, right, bottom), outline=INK, width=LINE)
        words = " ".join(str(part) for part in (thing.get("color"), thing.get("label")) if part)
        centre = ((left + right) / 2, (top + bottom) / 2)
        pen.text(centre, words.replace("_", " "), fill=INK, font=font, anchor="mm")
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


# Questions to a judge


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
    about: Callable[[FormulaSample, ImageFile, str, FolderTexts], Sequence[JudgeQuestion[None]]]
    """Returns the questions of a protocol about the image of an item."""
    expected: Callable[[FormulaSample, str], Expected]
    """Returns the calls expected for an item in a protocol, without format retries."""
    unseen: Callable[[FormulaSample, str, Outcome, str], Findings]
    """Returns the findings in a protocol for an item whose image could not be shown: its outcome, and why."""
    seen: Callable[[FormulaSample, str, Mapping[str, Reply], ShownImage], tuple[Outcome, Findings]]
    """Returns the findings in a protocol from the last replies under each label."""

    def looks(self) -> Looks:
        """Return the judging of folders of images by these questions."""

        def viewer(task: Task, viewing: Viewing, dataset: Dataset) -> Solver:
            asker, images, texts = Judge(viewing.formats), Images.of(viewing), self.texts(viewing.prompts)
            return ImageJudge(task, self, viewing.protocol, asker=asker, images=images, texts=texts)

        def reply_as_it_is(task: Task, sample: FormulaSample, reply: Reply, solver: Solver) -> TwoReadings:
            """Return the judge's reply unread: both profiles read several calls together."""
            outcome = outcome_of(reply)
            if outcome is Outcome.UNREADABLE:  # complete, with text
                outcome = Outcome.ANSWERED
            return TwoReadings(outcome, reply.text, "", (), reply.text, solver.unpublished, ())

        def check(style: str, prompts: str | None) -> None:
            style_of(style)
            self.texts(prompts)

        def preview(task: Task, options: PreviewOptions) -> Preview:
            """Return the published prompt that a judge gets with the image of one item."""
            if options.style != ONE_WAY.name or options.shots is not None:
                raise UsageError(f"{task.key}: judges have one prompt, so --style and --shots do not apply")
            (_, sample), texts = item_to_preview(task, options), self.texts(options.prompts)
            text, role, note = self.preview(sample, texts)
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

        return Looks(
            kind="images",
            viewer=viewer,
            pieces=lambda viewing, samples: (
                JudgedContent(path.name, path)
                for path in image_files(viewing.folder.path, (sample.number for sample in samples))
            ),
            scorer=lambda task, protocol, _: TranscriptScorer(task, self, protocol),
            readings=reply_as_it_is,
            hint=FOLDER,
            check=check,
            sources=lambda prompts: self.texts(prompts).sources,
            preview=preview,
            protocols=tuple(self.tries),
        )


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
        questions = () if image is None else self.questions.about(sample, image, self.name, self.texts)
        answers = await gather_all(*(self.asker.answer(model, question) for question in questions))
        return Transcript((*(call for answer in answers for call in answer.said), sight.said))
