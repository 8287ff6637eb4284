"""Image generation from Python: the options of ``tsgkit images`` as arguments.

def grey(prompt, seed):
    return PIL.Image.new("RGB", (64, 48), (seed, seed, seed))

made = tk.images("spatialgen", {"grey": grey}, "pictures/grey", limit=2, seed=128)
made.paths                                     # the image of each item, by its id
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from tsgkit.errors import UsageError
from tsgkit.interface.arguments import checked_path, name_of_model, names_of_models
from tsgkit.interface.options import ImageOptions, check_kinds, options_in, shows
from tsgkit.interface.progress import waited_job, watch_of
from tsgkit.lexicon import meant
from tsgkit.library.row_sources import pinned
from tsgkit.llm.settings import arguments_of
from tsgkit.llm.user_models import is_own
from tsgkit.report.image_text import painted_lines, trouble_lines
from tsgkit.runs import image_generation, subjects
from tsgkit.runs.executors import RAY, checked_executor
from tsgkit.runs.image_folder import ImageCalls, image_of, is_there
from tsgkit.runs.image_generation import Painter, PaintingJob, PaintingOutcome, Rewriter
from tsgkit.runs.jobs import Watch
from tsgkit.runs.shards import shard_of
from tsgkit.suites.item_choice import ItemChoice
from tsgkit.suites.paintable import Painting, PaintingOptions, paintable_task
from tsgkit.suites.suite import task_named

CONCURRENCY = 4
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


@shows(ImageOptions)
def images(task: str, model: Any, out: str | Path, **options: Unpack[ImageOptions]) -> PaintedImages:  # noqa: ANN401
    """Make an image of each item of a task, in a folder that the same call resumes.

    ``model`` is a LiteLLM name of an image model, or a function of a prompt and a seed that returns an image (of
    Pillow, an array, the bytes of a PNG, a path), also as ``{"name": function}``. Existing images are not requested
    again. ``evaluate`` judges the folder: ``tk.evaluate("spatialgen", images={"mine": folder})``.
    """
    job, watch = _job(task, model, out, dict(options))
    return PaintedImages(**vars(waited_job(job.acarry_out, watch)))


@shows(ImageOptions)
async def aimages(task: str, model: Any, out: str | Path, **options: Unpack[ImageOptions]) -> PaintedImages:  # noqa: ANN401
    """Do the same as ``images`` in the running event loop; a cancellation loses no image."""
    job, watch = _job(task, model, out, dict(options))
    return PaintedImages(**vars(await job.acarry_out(watch)))


def _job(task: str, model: Any, out: str | Path, options: dict[str, Any]) -> tuple[PaintingJob, Watch]:  # noqa: ANN401
    check_kinds(options, ImageOptions)
    quiet = options.pop("quiet", False)
    named = names_of_models(model)
    if len(named) > 1:
        raise UsageError("images of several models", hint="call images once for each, with a folder of its own")
    asked = {"task": task, "model": named[0], "out": checked_path(out, "out"), **options}
    return job_of(asked), watch_of(quiet=quiet)


def job_of(options: Mapping[str, Any], drawings: Path | None = None) -> PaintingJob:
    """Return the job that options describe; ``drawings`` is the folder for drawn layouts, if another one.

    A user's function is called one at a time by default, or once in every actor of a cluster.
    """
    shard = None if options.get("shard") is None else shard_of(options["shard"])
    whole = Path(options["out"])
    folder = whole if shard is None else shard.beside(whole)
    executor = checked_executor(options.get("executor"))
    usual = (None if executor == RAY else 1) if is_own(options["model"]) else CONCURRENCY
    named = {name: value for name, value in options.items() if value is not None}
    limits = subjects.limits_of({"concurrency": usual, **named, "price": None})  # of an image, not of tokens
    painter = _painter(options)
    paintings = _paintings(options, drawings or folder / "drawings")
    if shard is not None:
        paintings = tuple(one for one in paintings if shard.takes(one.item_id))
    return PaintingJob(paintings, painter, folder, replace(limits, executor=executor), shard)


def _painter(options: Mapping[str, Any]) -> Painter:
    """Return the image model that options name, with its arguments, and the model that rewrites prompts."""
    price, size, seed = options.get("price"), options.get("size"), options.get("seed")
    arguments = arguments_of(options.get("model_arg") or ())
    if size is not None:
        if not SIZE.fullmatch(str(size)):
            raise UsageError(f"--size {size}: no size of an image", hint="as in --size 1024x1024")
        arguments.append(f"size={size}")
    if seed is not None:
        arguments.append(f"seed={seed}")
    rewriter, rewriter_args = options.get("rewriter"), arguments_of(options.get("rewriter_arg") or ())
    rewriter_price = options.get("rewriter_price")
    if rewriter is None and (rewriter_args or rewriter_price):
        raise UsageError("--rewriter-arg and --rewriter-price are about a rewriter", hint="name it: --rewriter M")
    how = None if rewriter is None else Rewriter(name_of_model(rewriter), tuple(rewriter_args), rewriter_price)
    return image_generation.painter_of(options["model"], arguments, None if price is None else str(price), how)


def _paintings(options: Mapping[str, Any], drawings: Path) -> tuple[Painting, ...]:
    condition: Any = options.get("condition") or "none"
    layouts, conditions = options.get("layouts"), options_in(ImageOptions)["condition"].choices
    if condition not in conditions:
        raise UsageError(f"there is no condition {condition}", hint=meant(str(condition), conditions))
    if (condition == "none") != (layouts is None):
        alone = f"--condition {condition}" if layouts is None else "--layouts"
        raise UsageError(f"{alone} alone: --condition and --layouts go together", hint="give both, or neither")
    if options.get("no_instruction") and layouts is None:
        raise UsageError("--no-instruction leaves nothing to ask for", hint="add --condition and --layouts")
    place = None if layouts is None else Path(layouts)
    how = PaintingOptions(condition, place, not options.get("no_instruction"), drawings)
    data, ids = options.get("data"), options.get("ids") or ()
    task = paintable_task(task_named(options["task"]))
    chosen = ItemChoice((ids,) if isinstance(ids, str) else tuple(ids), options.get("limit"), options.get("first"))
    paintings = tuple(task.paintings(None if data is None else pinned(str(data)), chosen, how))
    if not paintings:
        raise UsageError(f"{options['task']}: no item is chosen, so there is no image to make")
    return paintings
