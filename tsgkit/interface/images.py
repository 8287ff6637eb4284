"""Image generation from Python: the options of ``tsgkit images`` as arguments.

def grey(prompt, seed):
    return PIL.Image.new("RGB", (64, 48), (seed, seed, seed))

made = tk.images("spatialgen", {"grey": grey}, "pictures/grey", limit=2, seed=128)
made.paths                                     # the image of each item, by its id
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.interface.arguments import checked_path, name_of_model, names_of_models
from tsgkit.interface.options import ImageOptions, check_kinds, options_in, several, shows
from tsgkit.interface.progress import waited_job, watch_of
from tsgkit.lexicon import meant
from tsgkit.library.cards import card_names, load_card
from tsgkit.library.row_sources import pinned
from tsgkit.llm.settings import arguments_of
from tsgkit.llm.user_models import is_own
from tsgkit.report.plain_text import count, inert
from tsgkit.runs import image_generation, subjects
from tsgkit.runs.executors import RAY, checked_executor
from tsgkit.runs.image_folder import ImageCalls, image_of, is_there
from tsgkit.runs.image_generation import Painter, PaintingJob, PaintingOutcome, Rewriter
from tsgkit.runs.shards import shard_of
from tsgkit.suites.rows import ItemChoice
from tsgkit.suites.suite import task_named, task_of
from tsgkit.suites.task import Painting, PaintingOptions

CONCURRENCY = 4
SHOWN = 5
"""The number of blocked and of failed images that are named."""
SIZE = re.compile(r"[1-9]\d{0,4}x[1-9]\d{0,4}")


class PaintedImages(PaintingOutcome):
    """The result of image generation; its folder may be given as ``images=``."""

    @property
    def paths(self) -> Mapping[str, Path]:
        """The image of each item that has one, by its id."""
        made = ImageCalls(self.folder).images()
        return {item_id: image_of(self.folder, item_id) for item_id, _ in made if is_there(self.folder, item_id)}

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        return "\n".join([*painted_lines(self), *trouble_lines(self)])


def painted_lines(painted: PaintingOutcome) -> Iterator[str]:
    """Yield how many there are, what they cost, and where they lie."""
    parts = [f"{painted.painted:,} painted", f"{painted.there:,} there already", f"{painted.blocked:,} blocked"]
    parts.append(f"{len(painted.failures):,} failed")
    if painted.unasked:
        parts.append(f"{painted.unasked:,} not asked")
    yield f"{count(painted.total, 'image')}: {', '.join(parts)}"
    cost = "cost unknown" if painted.cost is None else f"${painted.cost:.4f}"
    yield f"asked: {count(painted.requests, 'request')} in all, {cost}"
    yield f"written: {inert(str(painted.folder))}"


def trouble_lines(painted: PaintingOutcome) -> Iterator[str]:
    """Yield blocked and failed images, the reason for stopping or waiting, and spans that were not sent."""
    yield from map(inert, painted.notices)
    for what, of_items in (("blocked", painted.refusals), ("failed", painted.failures)):
        yield from (inert(f"{item_id} {what}: {reason}") for item_id, reason in of_items[:SHOWN])
        if len(of_items) > SHOWN:
            yield inert(f"and {len(of_items) - SHOWN} more {what}: see {painted.folder}/calls.jsonl")
    if not painted.complete:
        for why in filter(None, (painted.budget, painted.given_up, "interrupted" if painted.interrupted else "")):
            yield inert(f"stopped: {why}; {count(painted.unasked, 'image')} not asked for")
        yield from (inert(f"while waiting for {why}") for why in painted.trouble)
    if painted.unsent_spans:
        yield inert(painted.unsent_spans)


@shows(ImageOptions)
def images(task: str, model: Any, out: str | Path, **options: Unpack[ImageOptions]) -> PaintedImages:  # noqa: ANN401
    """Make an image of each item of a task, in a folder that the same call resumes.

    ``model`` is a LiteLLM name of an image model, or a function of a prompt and a seed that returns an image (of
    Pillow, an array, the bytes of a PNG, a path), also as ``{"name": function}``. Existing images are not requested
    again. ``evaluate`` judges the folder: ``tk.evaluate("spatialgen", images={"mine": folder})``.
    """
    job = _job(task, model, out, options)
    return PaintedImages(**vars(waited_job(job.acarry_out, quiet=options.get("quiet"))))


@shows(ImageOptions)
async def aimages(task: str, model: Any, out: str | Path, **options: Unpack[ImageOptions]) -> PaintedImages:  # noqa: ANN401
    """Do the same as ``images`` in the running event loop; a cancellation loses no image."""
    job = _job(task, model, out, options)
    return PaintedImages(**vars(await job.acarry_out(watch_of(quiet=options.get("quiet")))))


def _job(task: str, model: Any, out: str | Path, options: Mapping[str, Any]) -> PaintingJob:  # noqa: ANN401
    check_kinds(options, ImageOptions)
    names = names_of_models(model)
    if len(names) > 1:
        raise UsageError("images of several models", hint="call images once for each, with a folder of its own")
    return job_of({**options, "task": task, "model": names[0], "out": checked_path(out, "out")})


def job_of(options: Mapping[str, Any], drawings: Path | None = None) -> PaintingJob:
    """Return the job that options describe; ``drawings`` is the folder for drawn layouts, if another one.

    A user's function is called one at a time by default, or once in every actor of a cluster.
    """
    given = {name: value for name, value in options.items() if value is not None}
    shard = shard_of(given["shard"]) if "shard" in given else None
    folder = Path(given["out"]) if shard is None else shard.beside(Path(given["out"]))
    executor = checked_executor(given.get("executor"))
    usual = (None if executor == RAY else 1) if is_own(given["model"]) else CONCURRENCY
    limits = subjects.limits_of({"concurrency": usual, **given, "price": None})  # of an image, not of tokens
    painter = _painter(given)
    paintings = _paintings(given, drawings or folder / "drawings")
    if shard is not None:
        paintings = tuple(painting for painting in paintings if shard.takes(painting.item_id))
    return PaintingJob(paintings, painter, folder, replace(limits, executor=executor), shard)


def _painter(given: Mapping[str, Any]) -> Painter:
    """Return the image model that options name, with its arguments, and the model that rewrites prompts."""
    if not SIZE.fullmatch(str(given.get("size", "1x1"))):
        raise UsageError(f"--size {given['size']}: no size of an image", hint="as in --size 1024x1024")
    arguments = arguments_of(given.get("model_arg", ()))
    arguments += [f"{name}={given[name]}" for name in ("size", "seed") if name in given]
    rewriter_args, rewriter_price = arguments_of(given.get("rewriter_arg", ())), given.get("rewriter_price")
    if "rewriter" not in given and (rewriter_args or rewriter_price):
        raise UsageError("--rewriter-arg and --rewriter-price are about a rewriter", hint="name it: --rewriter M")
    rewriter = None
    if "rewriter" in given:
        rewriter = Rewriter(name_of_model(given["rewriter"]), tuple(rewriter_args), rewriter_price)
    price = str(given["price"]) if "price" in given else None
    return image_generation.painter_of(given["model"], arguments, price, rewriter)


def _paintings(given: Mapping[str, Any], drawings: Path) -> tuple[Painting, ...]:
    """Return the items that options choose, and how each is to be painted."""
    condition, conditions = given.get("condition", "none"), options_in(ImageOptions)["condition"].choices
    layouts = Path(given["layouts"]) if "layouts" in given else None
    if condition not in conditions:
        raise UsageError(f"there is no condition {condition}", hint=meant(str(condition), conditions))
    if (condition == "none") != (layouts is None):
        alone = f"--condition {condition}" if layouts is None else "--layouts"
        raise UsageError(f"{alone} alone: --condition and --layouts go together", hint="give both, or neither")
    has_instruction = not given.get("no_instruction")
    if not has_instruction and layouts is None:
        raise UsageError("--no-instruction leaves nothing to ask for", hint="add --condition and --layouts")
    data = pinned(str(given["data"])) if "data" in given else None
    chosen = ItemChoice(tuple(several(given.get("ids", ()))), given.get("limit"), given.get("first"))
    how = PaintingOptions(condition, layouts, has_instruction, drawings)
    task = task_of(load_card(task_named(given["task"])))
    if task.paint is None:
        others = ", ".join(name for name in card_names() if _has_images(name))
        hint = f"tasks that have: {others}" if others else "no task that is installed has any"
        raise UsageError(f"{task.key} has no images to make", hint=hint)
    paintings = tuple(task.paint(task, data, chosen, how))
    if not paintings:
        raise UsageError(f"{given['task']}: no item is chosen, so there is no image to make")
    return paintings


def _has_images(name: str) -> bool:
    try:
        return task_of(load_card(name)).paint is not None
    except TsgkitError:  # a broken card raises where it is used, not in this list
        return False
