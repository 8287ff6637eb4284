"""Prompts about images: the texts for judges and image models, and items as prompts for an image model.

>>> texts = FolderTexts.of("natural", {"judge": ("prompt", "formula", "clauses")})
>>> list(texts.sources)
['judge']

An image model is sent the style of the image, the instruction, and a layout to follow. Layouts come from a file of
replies to ``formalimg/layout``, or from the solver (``--layouts baseline/solver``). The prompt includes them as text,
or as a drawn plan: boxes with the names of the objects.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.image_decoder import require_pillow
from tsgkit.llm.images import ImageFile
from tsgkit.logic.layouts import CANVAS
from tsgkit.suites.formalimg.layout import SOLVER, layout_text, needs_solver, solved
from tsgkit.suites.formalimg.rows import KNOLLING, FormulaSample
from tsgkit.suites.formalimg.strict import LayoutAnswer, Thing, layout_in, text_of_reply
from tsgkit.suites.images import keep_image
from tsgkit.suites.replies import Reply, read_replies
from tsgkit.suites.rows import ItemChoice
from tsgkit.suites.solvers.offline_solvers import PREFIX
from tsgkit.suites.solvers.prompter import BETWEEN
from tsgkit.suites.task import Painting, PaintingOptions, Task

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
        for place in folders:
            if not place.is_dir():
                raise UsageError(f"{place}: no such folder of prompts")
            own = (place / "prompts" if (place / "prompts").is_dir() else place) / SUITE / room
            if not own.is_dir():
                raise UsageError(f"{place}: has no prompts for this task", hint=f"parts lie in {own}/")
            for file in sorted(own.glob("*.txt")):
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


def paintings_of(task: Task, data: str | None, choice: ItemChoice, options: PaintingOptions) -> Iterable[Painting]:
    """Return the images to be made of the chosen items."""
    rows = task.dataset(data)
    wanted = replace(choice, ids=tuple(task.rows.full_id(rows, name) for name in choice.ids))
    samples: list[FormulaSample] = [rows.sample(number) for number in rows.chosen(wanted)]
    texts, layouts = FolderTexts.of("pictures", PARTS), _layouts(samples, rows.item_ids, options)

    def painting(sample: FormulaSample) -> Painting:
        layout = layouts.get(sample.item_id)
        image = _plan(sample, layout or [], options.drawings) if options.condition == "drawn" else None
        return Painting(sample.number, prompt_of(texts, sample, options, layout), image)

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


def _layouts(
    samples: Sequence[FormulaSample], known: Sequence[str], options: PaintingOptions
) -> dict[str, list[Thing]]:
    """Return the layout of each item; empty if no layouts are used."""
    if options.condition == "none" or options.layouts is None:
        return {}
    if others := [sample.item_id for sample in samples if sample.scenario != KNOLLING]:
        raise UsageError(f"{others[0]}: natural scenes have no layouts to follow", hint="leave out --condition")
    source = str(options.layouts)
    if source == f"{PREFIX}{SOLVER}" and not options.layouts.exists():
        needs_solver()
        return {sample.item_id: _layout(sample, Reply(solved(sample, 0)), source) for sample in samples}
    replies = read_replies(options.layouts, known, text_of_reply)
    return {sample.item_id: _layout(sample, replies.get(sample.item_id), source) for sample in samples}


def _layout(sample: FormulaSample, reply: Reply | None, source: str) -> list[Thing]:
    """Return the layout in a reply. Raise ``UsageError`` if there is none."""
    read = None if reply is None else layout_in(reply.text or "")
    if isinstance(read, LayoutAnswer) and read.objects:
        return read.objects
    why = "no layout" if read is None else "an empty one" if isinstance(read, LayoutAnswer) else read.reason
    raise UsageError(f"{source}: item {sample.item_id}: {why}", hint="choose items that have a layout: --ids")


def _plan(sample: FormulaSample, layout: Sequence[Thing], drawings: Path) -> ImageFile:
    """Draw the layout as a plan and store it in a folder."""
    try:
        return keep_image(drawings, plan_png(layout), (SIDE, SIDE))
    except (TypeError, ValueError, KeyError) as error:
        hint = "choose other items with --ids, or give layouts as text"
        raise UsageError(f"item {sample.item_id}: a box cannot be drawn: {error}", hint=hint) from None


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
