"""Items as prompts for an image model: the style of the image, the instruction, and a layout to follow.

Layouts come from a file of replies to ``formalimg/layout``, or from the solver (``--layouts baseline/solver``). The
prompt includes them as text, or as a drawn plan: boxes with the names of the objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.llm.image_decoder import require_pillow
from tsgkit.llm.images import ImageFile
from tsgkit.logic.layouts import CANVAS
from tsgkit.suites.formalimg.baselines import SOLVER, needs_solver, solved
from tsgkit.suites.formalimg.prompts import Texts, layout_text
from tsgkit.suites.formalimg.rows import KNOLLING, FormulaSample
from tsgkit.suites.formalimg.strict import LayoutAnswer, Thing, layout_in, text_of_reply
from tsgkit.suites.images import keep_image
from tsgkit.suites.paintable import Painting, PaintingOptions
from tsgkit.suites.replies import Reply, read_replies
from tsgkit.suites.solvers.offline_solvers import PREFIX
from tsgkit.suites.solvers.prompter import BETWEEN

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

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


def paintings_of(
    samples: Sequence[FormulaSample], known: Sequence[str], options: PaintingOptions
) -> Iterator[Painting]:
    """Yield the images to be made of these items; ``known`` are the ids of all items that layouts may refer to."""
    texts = Texts.of("pictures", PARTS)
    layouts = _layouts(samples, known, options)
    for sample in samples:
        layout = layouts.get(sample.item_id)
        image = _plan(sample, layout or [], options.drawings) if options.condition == "drawn" else None
        yield Painting(sample.number, prompt_of(texts, sample, options, layout), image)


def prompt_of(texts: Texts, sample: FormulaSample, options: PaintingOptions, layout: Sequence[Thing] | None) -> str:
    """Return the prompt for an image model; for natural scenes, the instruction alone."""
    parts = [texts.part("knolling").render()] if sample.scenario == KNOLLING else []
    if options.instruction:
        parts += [texts.part("rules").render()] if sample.scenario == KNOLLING else []
        parts.append(texts.part("instruction").render(prompt=sample.prompt))
    if layout is not None and options.condition == "text":
        parts.append(texts.part("layout-text").render(layout=layout_text(layout)))
    if layout is not None and options.condition == "drawn":
        parts.append(texts.part("layout-drawn").render())
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
    found = {sample.item_id: replies.get(sample.item_id) for sample in samples}
    return {sample.item_id: _layout(sample, found[sample.item_id], source) for sample in samples}


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
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (SIDE, SIDE), PAPER)
    pen = ImageDraw.Draw(image)
    for thing in layout:
        _draw_thing(pen, thing)
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _draw_thing(pen: ImageDraw, thing: Any) -> None:  # noqa: ANN401  (whatever a model put into its list)
    from PIL import ImageFont

    left, top, right, bottom = (float(side) * SIDE / CANVAS for side in thing["box_2d"])
    pen.rectangle((left, top, right, bottom), outline=INK, width=LINE)
    words = " ".join(str(part) for part in (thing.get("color"), thing.get("label")) if part)
    centre = ((left + right) / 2, (top + bottom) / 2)
    pen.text(centre, words.replace("_", " "), fill=INK, font=ImageFont.load_default(LETTERS), anchor="mm")
