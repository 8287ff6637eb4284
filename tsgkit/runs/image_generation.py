"""Generation of images in a folder that the same call resumes; no image is paid for twice.

Blocked prompts are not requested again unless the request changes; errors of the service are retried by the next call.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tsgkit.errors import BUDGET_REACHED, FINISHED_WITH_ERRORS, GOOD, INTERRUPTED, UsageError
from tsgkit.llm.asker import ask_for
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.door import Door
from tsgkit.llm.failures import Unasked
from tsgkit.llm.image_decoder import require_pillow
from tsgkit.llm.images import messages_for
from tsgkit.llm.litellm_calls import LiteLlmImages
from tsgkit.llm.prices import ImagePrice, image_price_given, image_price_of
from tsgkit.llm.reply import PAINT, Budget, Ending, Reply
from tsgkit.llm.scripts import RecordedModel
from tsgkit.llm.settings import IMAGE_PARAMETERS, Settings, is_local, parse, secrets_of, settings_of
from tsgkit.llm.spans import Tracing, Value
from tsgkit.llm.spans import unit as observed
from tsgkit.llm.user_code import OWN, PREFIX
from tsgkit.llm.user_models import UserImageModel
from tsgkit.runs.agent_calls import header_of
from tsgkit.runs.executors import RAY
from tsgkit.runs.executors.model_actors import HeldModel
from tsgkit.runs.executors.ray_cluster import Cluster
from tsgkit.runs.folder import same_run
from tsgkit.runs.image_folder import WORK, ImageCalls, ImageRun, image_of, is_there
from tsgkit.runs.jobs import Engine, Part, Watch
from tsgkit.runs.plan import BASELINE
from tsgkit.runs.prompt_rewriter import REWRITE, NotRewritten, Rewriter, text_of
from tsgkit.runs.run_setup import asks_a_model
from tsgkit.runs.shards import Shard
from tsgkit.runs.subjects import Limits
from tsgkit.suites.images import is_file_id
from tsgkit.suites.paintable import Painting
from tsgkit.version import __version__


@dataclass(frozen=True)
class PaintingWork:
    """The work of a call: images to make, existing images, and blocked ones."""

    left: tuple[Painting, ...]
    there: int
    blocked: int

    @property
    def total(self) -> int:
        """The number of wanted images."""
        return len(self.left) + self.there + self.blocked


@dataclass(frozen=True)
class Painter:
    """An image model with its settings."""

    settings: Settings
    price: ImagePrice | None
    rewriter: Rewriter | None = None

    @property
    def is_own(self) -> bool:
        """True if images are made by user code in this process."""
        return self.settings.model.startswith(PREFIX)

    @property
    def all_settings(self) -> list[Settings]:
        """Return the settings of the image model, and of the model that rewrites its prompts."""
        rewriter = None if self.rewriter is None else self.rewriter.settings
        return [self.settings, *([] if rewriter is None else [rewriter])]

    def header(self, command: Sequence[str], shard: Shard | None) -> dict[str, Any]:
        """Return what a folder says of the images in it."""
        settings = self.settings
        model = {"name": settings.model, "endpoint": settings.endpoint, "parameters": settings.parameters}
        rewriter = {} if self.rewriter is None else {"rewriter": self.rewriter.identity}
        asked = {"work": WORK, "model": model, **rewriter}
        return header_of(asked, secrets_of(self.all_settings), command, shard)

    def recorded(self, painting: Painting, calls: ImageCalls) -> Reply | None:
        """Return what came of asking for an image: the image, or that it or its prompt was refused; None if nothing."""
        words = painting.prompt
        if self.rewriter is not None:
            reply = calls.reply(REWRITE, painting.item_id, self.rewriter.prompt(painting))
            try:
                words = "" if reply is None else text_of(reply)
            except NotRewritten:
                return reply
        return calls.reply(PAINT, painting.item_id, messages_for(words, painting.image))

    def span_attributes(self) -> dict[str, Value]:
        """Return the attributes of a job's span."""
        models = [self.settings.model, *([] if self.rewriter is None else [self.rewriter.model])]
        return {"tsgkit.version": __version__, "tsgkit.models": models}

    def provider(self, limits: Limits, *, conditioned: bool) -> LiteLlmImages | UserImageModel | HeldModel:
        """Return who really makes the images: a function of the user's in this process, or in actors of a cluster."""
        if self.is_own:
            own = UserImageModel(self.settings.model, self.settings.parameters["seed"], conditioned)
            return HeldModel(own, Cluster(needs_keys=True), limits.concurrency) if limits.executor == RAY else own
        return LiteLlmImages(self.settings, self.price, conditioned=conditioned)

    def door(self, limits: Limits, run: ImageRun, provider: LiteLlmImages | UserImageModel | HeldModel) -> Door:
        """Return the door to the model; what was used before counts."""
        budget = Budget(limits.max_requests, limits.max_tokens, limits.max_cost)
        budget.add(run.requests, run.spent)
        return Door(
            name=self.settings.model,
            provider=provider,
            endpoint=self.settings.endpoint,
            parameters=self.settings.parameters,
            flow=RequestQueue(_places(limits, provider), requests_per_minute=limits.requests_per_minute),
            budget=budget,
            recorder=run,
            secrets=secrets_of([self.settings]),
            patience=limits.patience,
            price=self.price,
        )


def _places(limits: Limits, provider: LiteLlmImages | UserImageModel | HeldModel) -> int:
    """Return the number of images that are made at a time."""
    return provider.slots if isinstance(provider, HeldModel) else limits.in_flight


def painter_of(
    model: str, arguments: Sequence[str], price: str | None = None, rewriter: Rewriter | None = None
) -> Painter:
    """Return an image model with its arguments (``size=1024x1024``) and its price per image, if known."""
    if not asks_a_model(model) or model.startswith(BASELINE) or is_local(model):
        raise UsageError(f"{model} makes no images", hint="name an image model as PROVIDER/NAME")
    given = parse(arguments, [model], IMAGE_PARAMETERS)
    if not model.startswith(PREFIX):
        settings = settings_of(model, given, {})
        size, quality = (str(settings.parameters.get(name, "")) for name in ("size", "quality"))
        known = image_price_of(model, size, quality) if price is None else image_price_given(price)
        return Painter(settings, known, rewriter)
    # A function of the user's takes a seed alone, and costs nothing.
    if other := [argument.name for argument in given if argument.name != "seed"]:
        hint = "decide that in the function itself"
        raise UsageError(f"{model}: --model-arg {other[0]} has no use: it is given a prompt and a seed", hint=hint)
    seed = next((argument.value for argument in given), 0)
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise UsageError(f"--model-arg seed={seed}: not a whole number")
    return Painter(Settings(model, {"seed": seed}, {}, {"api_base": OWN}), ImagePrice(0.0, OWN), rewriter)


def to_paint(paintings: Iterable[Painting], painter: Painter, folder: Path, calls: ImageCalls) -> PaintingWork:
    """Return the work that is left. Raise ``UsageError`` if an id is no valid file name, or the folder holds other
    images.
    """
    wanted = tuple(paintings)
    _check_ids(wanted)
    left: list[Painting] = []
    counts: Counter[Ending] = Counter()
    for painting in wanted:
        reply = painter.recorded(painting, calls)
        if is_there(folder, painting.item_id):
            if calls.sha256(painting.item_id) is not None and (reply is None or not reply.sha256):
                hint = "another prompt needs a folder of its own: give another -o"
                raise UsageError(f"{image_of(folder, painting.item_id)} was asked for otherwise", hint=hint)
            counts[Ending.COMPLETE] += 1
        elif reply is not None and reply.ending is Ending.REFUSED:
            counts[Ending.REFUSED] += 1
        else:
            left.append(painting)
    return PaintingWork(tuple(left), counts[Ending.COMPLETE], counts[Ending.REFUSED])


def _check_ids(paintings: Sequence[Painting]) -> None:
    seen = set[str]()
    for painting in paintings:
        if not is_file_id(painting.item_id):
            hint = "an id is a plain name: no slash, no dot at its start, at most 200 bytes"
            raise UsageError(f"no image can be named after the item {painting.item_id[:200]!r}", hint=hint)
        if painting.item_id in seen:
            raise UsageError(f"two images are to be called {painting.item_id}.png")
        seen.add(painting.item_id)


@dataclass(frozen=True)
class PaintingOutcome:
    """The outcome of the work."""

    folder: Path
    total: int
    there: int
    """The number of images that existed before."""
    painted: int
    blocked: int
    """Items that a content filter turned away, now or before."""
    failures: tuple[tuple[str, str], ...] = ()
    """Items that ended in an error of the service, with the reason."""
    refusals: tuple[tuple[str, str], ...] = ()
    requests: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    interrupted: bool = False
    budget: str = ""
    given_up: str = ""
    trouble: tuple[str, ...] = ()
    """The reason for waiting at the moment of interruption."""
    notices: tuple[str, ...] = ()
    unsent_spans: str = ""
    """The reason why spans could not be sent, with their number; empty if all were."""

    @property
    def unasked(self) -> int:
        """The number of items that were not asked."""
        return self.total - self.there - self.painted - self.blocked - len(self.failures)

    @property
    def complete(self) -> bool:
        """True if the same call would find nothing to do."""
        return not self.unasked and not self.failures

    @property
    def exit_code(self) -> int:
        """The code a command ends with."""
        if self.interrupted:
            return INTERRUPTED
        if self.budget:
            return BUDGET_REACHED
        return GOOD if self.complete else FINISHED_WITH_ERRORS


def paint_all(
    paintings: Iterable[Painting],
    painter: Painter,
    folder: str | Path,
    limits: Limits | None = None,
    watch: Watch | None = None,
    *,
    command: Sequence[str] = (),
    shard: Shard | None = None,
) -> PaintingOutcome:
    """Make the missing images until none is left or a limit is reached; ``command`` and ``shard`` are recorded."""
    with _job(paintings, painter, Path(folder), limits, watch, painter.header(command, shard)) as job:
        if job.todo.left:
            with job.tracing:
                job.engine.carry_out(job.work)
        return job.result()


async def apaint_all(
    paintings: Iterable[Painting],
    painter: Painter,
    folder: str | Path,
    limits: Limits | None = None,
    watch: Watch | None = None,
    *,
    shard: Shard | None = None,
) -> PaintingOutcome:
    """Make the missing images in the running event loop. Signals are not handled; a cancellation is raised."""
    with _job(paintings, painter, Path(folder), limits, watch, painter.header((), shard)) as job:
        if job.todo.left:
            async with job.tracing:
                await job.engine.acarry_out(job.work)
        return job.result()


def check_budget(painter: Painter, limits: Limits) -> None:
    """``UsageError`` where a limit of money could not be kept."""
    if limits.max_cost is not None and painter.price is None:
        hint = "give --price USD (dollars for an image), or a limit of requests"
        raise UsageError(f"the price of {painter.settings.model} is not known, so --max-cost cannot be kept", hint=hint)
    if painter.rewriter is not None:
        painter.rewriter.asker(limits, Budget())


@contextmanager
def _job(
    paintings: Iterable[Painting],
    painter: Painter,
    folder: Path,
    limits: Limits | None,
    watch: Watch | None,
    header: dict[str, Any],
) -> Iterator[ImageJob]:
    """Open the folder and return the work to do; nothing is written if the model cannot be asked."""
    limits, wanted = limits or Limits(concurrency=4), tuple(paintings)
    require_pillow()
    check_budget(painter, limits)
    provider = painter.provider(limits, conditioned=any(painting.image is not None for painting in wanted))
    same_run(folder, header, hint="another model, size or seed needs a folder of its own: give another -o")
    if to_paint(wanted, painter, folder, ImageCalls.of(folder)).left:
        provider.prepare()  # before there is a folder
    with closing(ImageRun(folder, header)) as run:
        todo = to_paint(wanted, painter, folder, ImageCalls.of(folder))
        door = painter.door(limits, run, provider)
        rewriting = None if painter.rewriter is None else painter.rewriter.asker(limits, door.budget)
        if rewriting is not None:
            rewriting.recorder = run
        askers = (door,) if rewriting is None else (door, rewriting)
        there = f"{todo.there:,} images are there already, {todo.blocked:,} were blocked"
        engine = Engine(askers, watch or Watch(), noun="image", there=there if todo.there or todo.blocked else "")
        tracing = Tracing(limits.traces, secrets_of(painter.all_settings), "tsgkit images", painter.span_attributes)
        workers = min(_places(limits, provider), len(todo.left))
        job = ImageJob(run, painter, door, rewriting, todo, workers, engine, tracing)
        engine.parts = job.parts
        yield job


@dataclass
class ImageJob:
    """Images as the units of a job."""

    run: ImageRun
    painter: Painter
    door: Door
    rewriting: Door | RecordedModel | None
    """The model that rewrites prompts."""
    todo: PaintingWork
    workers: int
    engine: Engine
    tracing: Tracing
    painted: int = 0
    blocked: list[tuple[str, str]] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    given_up: str = ""

    def parts(self) -> list[Part]:
        """Return how far the images are."""
        ended = self.painted + len(self.blocked) + len(self.failures)
        part = Part(
            title=self.painter.settings.model,
            done=self.todo.there + self.painted,
            total=self.todo.total,
            ended=ended,
            left=len(self.todo.left) - ended,
            failed=len(self.failures),
            blocked=self.todo.blocked + len(self.blocked),
            spent=self.door.budget.used_cost,
            knows_cost=not self.run.unpriced,
            door=self.door,
            began=self.began,
            busy=self.engine.busy,
        )
        return [part]

    async def work(self) -> None:
        """Work until nothing is left, or something stops it."""

        def gave_up(why: Unasked) -> None:
            self.given_up = why.message

        await self.engine.each(self.todo.left, self._paint, workers=self.workers, gave_up=gave_up)

    async def _paint(self, painting: Painting) -> None:
        with observed("image", lambda: {"tsgkit.item.id": painting.item_id}):
            try:
                reply = await self._asked(painting)
            except NotRewritten as why:
                (self.blocked if why.refused else self.failures).append((painting.item_id, str(why)))
            else:
                if reply.sha256:
                    self.painted += 1
                else:
                    turned = self.blocked if reply.ending is Ending.REFUSED else self.failures
                    turned.append((painting.item_id, reply.error or str(reply.ending)))
        self.engine.changed()

    async def _asked(self, painting: Painting) -> Reply:
        """Return the reply to the request for an image, in the words of the model that rewrites it."""
        from langchain_core.messages import HumanMessage

        rewriter, words = self.painter.rewriter, painting.prompt
        if rewriter is not None and self.rewriting is not None:
            words = await rewriter.rewritten(painting, self.rewriting)
        content = messages_for(words, painting.image)[0]["content"]
        return await ask_for(self.door, painting.item_id, task=WORK)([HumanMessage(content)], label=PAINT)

    def result(self) -> PaintingOutcome:
        """Return what became of it."""
        provider, used = self.door.provider, self.door.budget
        is_unpriced = self.run.unpriced or (used.used_requests and not used.used_cost and self.painter.price is None)
        return PaintingOutcome(
            folder=self.run.path,
            total=self.todo.total,
            there=self.todo.there,
            painted=self.painted,
            blocked=self.todo.blocked + len(self.blocked),
            failures=tuple(self.failures),
            refusals=tuple(self.blocked),
            requests=used.used_requests,
            cost=None if is_unpriced else used.used_cost,
            seconds=round(time.monotonic() - self.began, 3),
            interrupted=self.engine.interrupted,
            budget=self.engine.budget,
            given_up=self.given_up,
            trouble=self.engine.trouble,
            notices=tuple(provider.notices) if isinstance(provider, (LiteLlmImages, UserImageModel)) else (),
            unsent_spans=self.tracing.trouble,
        )
