"""Generation of images in a folder that the same call resumes; no image is paid for twice.

Blocked prompts are not requested again unless the request changes; errors of the service are retried by the next call.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tsgkit.errors import BUDGET_REACHED, FINISHED_WITH_ERRORS, GOOD, INTERRUPTED, FileProblem, UsageError
from tsgkit.llm.asker import MemoryRecorder
from tsgkit.llm.cache import canonical
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.door import Door, prompt_hash
from tsgkit.llm.failures import NotFinished, Unasked
from tsgkit.llm.images import Messages, messages_for
from tsgkit.llm.litellm_calls import LiteLlmImages
from tsgkit.llm.prices import Budget, ImagePrice, image_price_given, image_price_of, is_local
from tsgkit.llm.reply import Ending, Reply, reply_value
from tsgkit.llm.settings import IMAGE_PARAMETERS, Settings, parse, secrets_of, settings_of
from tsgkit.llm.spans import Tracing, Value
from tsgkit.llm.spans import unit as observed
from tsgkit.llm.user_code import OWN, PREFIX
from tsgkit.llm.user_models import UserImageModel
from tsgkit.runs.executors import RAY
from tsgkit.runs.executors.model_actors import HeldModel
from tsgkit.runs.executors.ray_cluster import Cluster
from tsgkit.runs.folder import locked
from tsgkit.runs.image_folder import (
    API_ERROR,
    BLOCKED,
    FIELDS,
    PAINTED,
    PaintingLog,
    drop_image,
    finish_names,
    image_of,
    is_there,
    keep,
    name_image,
)
from tsgkit.runs.jobs import Engine, Part, Watch
from tsgkit.runs.journal import Journal
from tsgkit.runs.plan import BASELINE
from tsgkit.runs.prompt_rewriter import NotRewritten, Rewriter, RewriterOptions, open_rewriter
from tsgkit.runs.run_setup import asks_a_model
from tsgkit.runs.subjects import Limits
from tsgkit.suites.image_decoder import require_pillow
from tsgkit.suites.images import PAINTINGS, is_file_id
from tsgkit.suites.paintable import Painting
from tsgkit.version import __version__

WHAT = "these images"


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
    rewriter: RewriterOptions | None = None

    def request(self, painting: Painting) -> str:
        """Return the identity of a request: everything that could change the image."""
        settings, prompt = self.settings, prompt_hash(messages_for(painting.prompt, painting.image))
        what = [settings.model, settings.endpoint, settings.parameters, prompt]
        what += [] if self.rewriter is None else [self.rewriter.identity]
        return hashlib.sha256(canonical(what).encode()).hexdigest()[:32]

    @property
    def is_own(self) -> bool:
        """True if images are made by user code in this process."""
        return self.settings.model.startswith(PREFIX)

    @property
    def all_settings(self) -> list[Settings]:
        """Return the settings of the image model, and of the model that rewrites its prompts."""
        rewriter = None if self.rewriter is None else self.rewriter.settings
        return [self.settings, *([] if rewriter is None else [rewriter])]

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

    def door(self, limits: Limits, log: PaintingLog, provider: LiteLlmImages | UserImageModel | HeldModel) -> Door:
        """Return the door to the model; what was used before counts."""
        budget = Budget(limits.max_requests, limits.max_tokens, limits.max_cost)
        budget.add(log.requests, log.spent)
        return Door(
            name=self.settings.model,
            provider=provider,
            endpoint=self.settings.endpoint,
            parameters=self.settings.parameters,
            flow=RequestQueue(_places(limits, provider), requests_per_minute=limits.requests_per_minute),
            budget=budget,
            recorder=MemoryRecorder(),
            secrets=secrets_of([self.settings]),
            patience=limits.patience,
            price=self.price,
        )


def _places(limits: Limits, provider: LiteLlmImages | UserImageModel | HeldModel) -> int:
    """Return the number of images that are made at a time."""
    return provider.slots if isinstance(provider, HeldModel) else limits.in_flight


def painter_of(
    model: str, arguments: Sequence[str], price: str | None = None, rewriter: RewriterOptions | None = None
) -> Painter:
    """Return an image model with its arguments (``size=1024x1024``) and its price per image, if known."""
    if not asks_a_model(model) or model.startswith(BASELINE) or is_local(model):
        raise UsageError(f"{model} makes no images", hint="name an image model as PROVIDER/NAME")
    given = parse(arguments, [model], IMAGE_PARAMETERS)
    if model.startswith(PREFIX):
        return _own_painter(model, {one.name: one.value for one in given}, rewriter)
    settings = settings_of(model, given, {})
    size, quality = (str(settings.parameters.get(name, "")) for name in ("size", "quality"))
    known = image_price_of(model, size, quality) if price is None else image_price_given(price)
    return Painter(settings, known, rewriter)


def _own_painter(model: str, given: dict[str, Any], rewriter: RewriterOptions | None) -> Painter:
    """Return a function of the user's as an image model: it takes a seed alone, and costs nothing."""
    if other := [name for name in given if name != "seed"]:
        hint = "decide that in the function itself"
        raise UsageError(f"{model}: --model-arg {other[0]} has no use: it is given a prompt and a seed", hint=hint)
    seed = given.get("seed", 0)
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise UsageError(f"--model-arg seed={seed}: not a whole number")
    return Painter(Settings(model, {"seed": seed}, {}, {"api_base": OWN}), ImagePrice(0.0, OWN), rewriter)


def messages_of(painting: Painting) -> Messages:
    """Return what is asked for an image."""
    return messages_for(painting.prompt if painting.rewritten is None else painting.rewritten, painting.image)


def to_paint(paintings: Iterable[Painting], painter: Painter, folder: Path, log: PaintingLog) -> PaintingWork:
    """Return the work that is left. Raise ``UsageError`` if an id is no valid file name, or the folder holds other
    images.
    """
    wanted = tuple(paintings)
    _check_ids(wanted)
    left: list[Painting] = []
    counts: Counter[str] = Counter()
    for painting in wanted:
        last = log.last.get(painting.item_id)
        same = last is not None and last.request == painter.request(painting)
        if is_there(folder, painting.item_id):
            if last is not None and last.outcome == PAINTED and not same:
                hint = "another model, size, prompt or seed needs a folder of its own: give another -o"
                raise UsageError(f"{image_of(folder, painting.item_id)} was asked for otherwise", hint=hint)
            counts[PAINTED] += 1
        elif last is not None and last.outcome == BLOCKED and same:
            counts[BLOCKED] += 1
        else:
            left.append(painting)
    return PaintingWork(tuple(left), counts[PAINTED], counts[BLOCKED])


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
) -> PaintingOutcome:
    """Make the missing images until none is left or a limit is reached."""
    with _job(paintings, painter, Path(folder), limits, watch) as job:
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
) -> PaintingOutcome:
    """Make the missing images in the running event loop. Signals are not handled; a cancellation is raised."""
    with _job(paintings, painter, Path(folder), limits, watch) as job:
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
        painter.rewriter.check(limits)


@contextmanager
def _job(
    paintings: Iterable[Painting], painter: Painter, folder: Path, limits: Limits | None, watch: Watch | None
) -> Iterator[ImageJob]:
    """Lock the folder and return the work to do; nothing is written if the model cannot be asked."""
    limits, wanted = limits or Limits(concurrency=4), tuple(paintings)
    require_pillow()
    check_budget(painter, limits)
    conditioned = any(painting.image is not None for painting in wanted)
    provider = painter.provider(limits, conditioned=conditioned)
    if to_paint(wanted, painter, folder, PaintingLog.of(folder)).left:
        provider.prepare()  # before there is a folder
    with locked(folder, WHAT), closing(Journal(folder / PAINTINGS, *FIELDS)) as journal, ExitStack() as opened:
        log = PaintingLog.of(folder)
        finish_names(folder, log)
        todo = to_paint(wanted, painter, folder, log)
        door = painter.door(limits, log, provider)
        rewriter = None if painter.rewriter is None else open_rewriter(painter.rewriter, folder, limits)
        if rewriter is not None:
            opened.callback(rewriter.calls.close)
            rewriter.share(door.budget)
        askers = (door,) if rewriter is None else (door, rewriter.calls.asker)
        there = f"{todo.there:,} images are there already, {todo.blocked:,} were blocked"
        engine = Engine(askers, watch or Watch(), noun="image", there=there if todo.there or todo.blocked else "")
        tracing = Tracing(limits.traces, secrets_of(painter.all_settings), "tsgkit images", painter.span_attributes)
        workers = min(_places(limits, provider), len(todo.left))
        job = ImageJob(folder, journal, painter, door, todo, workers, engine, rewriter, tracing)
        engine.parts, job.unpriced = job.parts, log.unpriced
        yield job


@dataclass
class ImageJob:
    """Images as the units of a job."""

    folder: Path
    journal: Journal
    painter: Painter
    door: Door
    todo: PaintingWork
    workers: int
    engine: Engine
    rewriter: Rewriter | None
    tracing: Tracing
    painted: int = 0
    blocked: list[tuple[str, str]] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    unpriced: int = 0
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
            knows_cost=not self.unpriced,
            door=self.door,
            began=self.began,
            busy=self.engine.busy,
        )
        return [part]

    async def work(self) -> None:
        """Work until nothing is left, or something stops it."""

        def gave_up(why: Unasked) -> None:
            self.given_up = why.message

        await self.engine.each(self.todo.left, self._traced, workers=self.workers, gave_up=gave_up)

    async def _traced(self, painting: Painting) -> None:
        with observed("image", lambda: {"tsgkit.item.id": painting.item_id}):
            await self._paint(painting)

    async def _paint(self, painting: Painting) -> None:
        if self.rewriter is not None:
            try:
                painting = replace(painting, rewritten=await self.rewriter.rewritten(painting))
            except NotRewritten as why:
                self._leave_out(painting, why)
                return
        try:
            reply = await self.door.fetch(messages_of(painting))
        except NotFinished as why:
            if why.attempts:  # requests were made: they count, and the image is to be asked for again
                self._record(painting, _unfinished(why), {"outcome": API_ERROR, "reason": why.message})
            raise
        said = await asyncio.to_thread(keep, self.folder, painting.item_id, reply)
        try:
            self._record(painting, reply, said)
        except FileProblem:
            drop_image(self.folder, painting.item_id)
            raise
        if said["outcome"] == PAINTED:
            name_image(self.folder, painting.item_id)
        self._count(painting.item_id, reply, said)
        self.engine.changed()

    def _leave_out(self, painting: Painting, why: NotRewritten) -> None:
        """Record an image that was not requested because its prompt could not be rewritten."""
        reply = Reply(text=None, ending=Ending.API_ERROR, error=why.reason)
        said = {"outcome": BLOCKED if why.refused else API_ERROR, "reason": why.reason}
        self._record(painting, reply, said)
        self._count(painting.item_id, reply, said)
        self.engine.changed()

    def _count(self, item_id: str, reply: Reply, said: dict[str, Any]) -> None:
        outcome, reason = said["outcome"], said.get("reason", "")
        if outcome == PAINTED:
            self.painted += 1
        else:
            (self.blocked if outcome == BLOCKED else self.failures).append((item_id, reason))
        self.unpriced += reply.image is not None and reply.usage.cost is None

    def _record(self, painting: Painting, reply: Reply, said: dict[str, Any]) -> None:
        """Write one log line: request, result and usage."""
        value, settings = reply_value(reply), self.painter.settings
        line = {
            "id": painting.item_id,
            "outcome": said["outcome"],
            "request": self.painter.request(painting),
            "model": settings.model,
            "endpoint": settings.endpoint,
            "parameters": settings.parameters,
            "prompt": hashlib.sha256(painting.prompt.encode("utf-8", "surrogatepass")).hexdigest(),
            "shown": None if painting.image is None else painting.image.sha256,
            **self._rewriting(painting),
            **said,
            "attempts": value.get("attempts", []),
            "usage": value.get("usage", {}),
            "cost": reply.usage.cost,
            "seconds": reply.seconds,
        }
        clean = self.door.secrets.redact_value(line)
        assert isinstance(clean, dict)  # noqa: S101  (redaction keeps the shape)
        self.journal.add(clean)

    def _rewriting(self, painting: Painting) -> dict[str, Any]:
        if self.rewriter is None:
            return {}
        return {"rewriter": self.rewriter.options.model, "rewritten": painting.rewritten}

    def result(self) -> PaintingOutcome:
        """Return what became of it."""
        provider, used = self.door.provider, self.door.budget
        is_unpriced = self.unpriced or (used.used_requests and not used.used_cost and self.painter.price is None)
        return PaintingOutcome(
            folder=self.folder,
            total=self.todo.total,
            there=self.todo.there,
            painted=self.painted,
            blocked=self.todo.blocked + len(self.blocked),
            failures=tuple(self.failures),
            refusals=tuple(self.blocked),
            requests=used.used_requests,
            cost=None if is_unpriced or (self.rewriter and self.rewriter.is_unpriced) else used.used_cost,
            seconds=round(time.monotonic() - self.began, 3),
            interrupted=self.engine.interrupted,
            budget=self.engine.budget,
            given_up=self.given_up,
            trouble=self.engine.trouble,
            notices=tuple(provider.notices) if isinstance(provider, (LiteLlmImages, UserImageModel)) else (),
            unsent_spans=self.tracing.trouble,
        )


def _unfinished(why: NotFinished) -> Reply:
    return Reply(text=None, ending=Ending.API_ERROR, error=why.message, attempts=why.attempts)
