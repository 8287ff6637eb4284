"""Generation of images in a folder that the same call resumes; no image is paid for twice.

Blocked prompts are not requested again unless the request changes; errors of the service are retried by the next call.
A text model may rewrite each prompt before; its calls are recorded beside those of the image model.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tsgkit.errors import BUDGET_REACHED, FINISHED_WITH_ERRORS, GOOD, INTERRUPTED, UsageError
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.asker import settings_for
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.door import Door
from tsgkit.llm.failures import Unasked
from tsgkit.llm.image_decoder import require_pillow
from tsgkit.llm.images import Messages, messages_for
from tsgkit.llm.litellm_calls import LiteLlmImages
from tsgkit.llm.prices import ImagePrice, image_price_given, image_price_of
from tsgkit.llm.reply import PAINT, CallBudget, Ending, Reply
from tsgkit.llm.scripts import RecordedModel
from tsgkit.llm.settings import IMAGE_PARAMETERS, Settings, is_local, parse, secrets_of, settings_of
from tsgkit.llm.spans import Tracing, Value
from tsgkit.llm.spans import unit as observed
from tsgkit.llm.user_code import OWN, PREFIX
from tsgkit.llm.user_models import UserImageModel
from tsgkit.replies import Unreadable
from tsgkit.replies.reasoning import spoken
from tsgkit.runs.agent_calls import asker_of, header_of
from tsgkit.runs.executors import RAY
from tsgkit.runs.executors.model_actors import HeldModel
from tsgkit.runs.executors.ray_cluster import Cluster
from tsgkit.runs.folder import same_run
from tsgkit.runs.image_folder import WORK, ImageCalls, ImageRun, call_about, image_of, is_there
from tsgkit.runs.jobs import Engine, JobPart, JobWatch
from tsgkit.runs.plan import BASELINE
from tsgkit.runs.run_setup import asks_a_model
from tsgkit.runs.shards import Shard
from tsgkit.runs.subjects import Limits
from tsgkit.suites.images import is_file_id
from tsgkit.suites.task import Painting
from tsgkit.version import __version__

REWRITE = "rewrite"


class NotRewritten(Exception):
    """The reason why a prompt was not rewritten; ``refused`` if the model refused."""

    def __init__(self, reason: str, *, refused: bool) -> None:
        super().__init__(f"the prompt was not rewritten: {reason}")
        self.refused = refused


@dataclass(frozen=True)
class Rewriter:
    """The text model that rewrites, with arguments as in ``--model-arg`` and its price as in ``--price``."""

    model: str
    arguments: Sequence[str] = ()
    price: str | None = None

    def __post_init__(self) -> None:
        if self.model.startswith(BASELINE):
            raise UsageError(f"{self.model} writes no text", hint="name PROVIDER/NAME, script:FILE or replay:RUN")

    @cached_property
    def template(self) -> Template:
        """The template of its prompt."""
        return load_template(find("prompts", "images/rewrite.txt"), required=("prompt",))

    @property
    def settings(self) -> Settings | None:
        """Its settings; None if a recording answers."""
        return settings_for(self.model, self.arguments) if asks_a_model(self.model) else None

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that can change what it writes."""
        settings = self.settings
        how = {} if settings is None else {"endpoint": settings.endpoint, "parameters": settings.parameters}
        return {"name": self.model, **how, "template": self.template.text}

    def asker(self, limits: Limits, budget: CallBudget) -> Door | RecordedModel:
        """Return who is asked. Raise ``UsageError`` where a limit of money could not be kept."""
        prices = () if self.price is None else (self.price,)
        own_limits = Limits(
            concurrency=limits.concurrency, prices=prices, patience=limits.patience, max_cost=limits.max_cost
        )
        return asker_of(self.model, self.arguments, own_limits, budget, option="--rewriter-price")

    def prompt(self, painting: Painting) -> Messages:
        """Return what it is asked."""
        return [{"role": "user", "content": self.template.render(prompt=painting.prompt)}]


def text_of(reply: Reply) -> str:
    """Return the prompt in a reply, without reasoning; ``NotRewritten`` where there is none."""
    if reply.ending is not Ending.COMPLETE:
        why = reply.error or reply.refusal or str(reply.ending).replace("_", " ")
        raise NotRewritten(why, refused=reply.ending is Ending.REFUSED)
    answer = spoken(reply.text or "")
    if isinstance(answer, Unreadable) or not answer.text.strip():
        why = answer.reason if isinstance(answer, Unreadable) else "there is no text in the reply"
        raise NotRewritten(why, refused=False)
    return answer.text.strip()


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

    def provider(self, limits: Limits, *, conditioned: bool) -> LiteLlmImages | UserImageModel | HeldModel:
        """Return who really makes the images: a function of the user's in this process, or in actors of a cluster."""
        if self.is_own:
            own_limits = UserImageModel(self.settings.model, self.settings.parameters["seed"], conditioned)
            return (
                HeldModel(own_limits, Cluster(needs_keys=True), limits.concurrency)
                if limits.executor == RAY
                else own_limits
            )
        return LiteLlmImages(self.settings, self.price, conditioned=conditioned)


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
    if unknown := [argument.name for argument in given if argument.name != "seed"]:
        hint = "decide that in the function itself"
        raise UsageError(f"{model}: --model-arg {unknown[0]} has no use: it is given a prompt and a seed", hint=hint)
    seed = next((argument.value for argument in given), 0)
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise UsageError(f"--model-arg seed={seed}: not a whole number")
    return Painter(Settings(model, {"seed": seed}, {}, {"api_base": OWN}), ImagePrice(0.0, OWN), rewriter)


def to_paint(paintings: Sequence[Painting], painter: Painter, folder: Path, calls: ImageCalls) -> PaintingWork:
    """Return the work that is left. Raise ``UsageError`` if an id is no valid file name, or the folder holds other
    images.
    """
    names = Counter(painting.item_id for painting in paintings)
    for item_id, number in names.items():
        if not is_file_id(item_id):
            hint = "an id is a plain name: no slash, no dot at its start, at most 200 bytes"
            raise UsageError(f"no image can be named after the item {item_id[:200]!r}", hint=hint)
        if number > 1:
            raise UsageError(f"two images are to be called {item_id}.png")
    left: list[Painting] = []
    there = blocked = 0
    for painting in paintings:
        reply = painter.recorded(painting, calls)
        if is_there(folder, painting.item_id):
            if calls.sha256(painting.item_id) is not None and (reply is None or not reply.sha256):
                hint = "another prompt needs a folder of its own: give another -o"
                raise UsageError(f"{image_of(folder, painting.item_id)} was asked for otherwise", hint=hint)
            there += 1
        elif reply is not None and reply.ending is Ending.REFUSED:
            blocked += 1
        else:
            left.append(painting)
    return PaintingWork(tuple(left), there, blocked)


@dataclass
class PaintingOutcome:
    """The outcome of the work."""

    folder: Path
    total: int
    there: int
    """The number of images that existed before."""
    painted: int = 0
    blocked: int = 0
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


def check_budget(painter: Painter, limits: Limits) -> None:
    """``UsageError`` where a limit of money could not be kept."""
    if limits.max_cost is not None and painter.price is None:
        hint = "give --price USD (dollars for an image), or a limit of requests"
        raise UsageError(f"the price of {painter.settings.model} is not known, so --max-cost cannot be kept", hint=hint)
    if painter.rewriter is not None:
        painter.rewriter.asker(limits, CallBudget())


@dataclass(frozen=True)
class PaintingJob:
    """Images to make, their model, and their folder; ``command`` and ``shard`` are recorded in it."""

    paintings: tuple[Painting, ...]
    painter: Painter
    folder: Path
    limits: Limits = field(default_factory=lambda: Limits(concurrency=4))
    shard: Shard | None = None
    command: tuple[str, ...] = ()

    def carry_out(self, watch: JobWatch | None = None) -> PaintingOutcome:
        """Make the missing images until none is left or a limit is reached."""
        with self._opened(watch or JobWatch()) as work:
            if work.todo.left:
                work.engine.carry_out(work.paint_all)
            return work.finished()

    async def acarry_out(self, watch: JobWatch | None = None) -> PaintingOutcome:
        """Do the same in the running event loop. Signals are not handled; a cancellation is raised."""
        with self._opened(watch or JobWatch()) as work:
            if work.todo.left:
                await work.engine.acarry_out(work.paint_all)
            return work.finished()

    @contextmanager
    def _opened(self, watch: JobWatch) -> Iterator[_OpenImages]:
        """Open the folder, with the work to do; nothing is written if the model cannot be asked."""
        painter, limits, settings = self.painter, self.limits, self.painter.settings
        require_pillow()
        check_budget(painter, limits)
        provider = painter.provider(limits, conditioned=any(painting.image is not None for painting in self.paintings))
        model = {"name": settings.model, "endpoint": settings.endpoint, "parameters": settings.parameters}
        rewriter = {} if painter.rewriter is None else {"rewriter": painter.rewriter.identity}
        secrets = secrets_of(painter.all_settings)
        header = header_of({"work": WORK, "model": model, **rewriter}, secrets, self.command, self.shard)
        same_run(self.folder, header, hint="another model, size or seed needs a folder of its own: give another -o")
        calls = ImageCalls(self.folder)
        if to_paint(self.paintings, painter, self.folder, calls).left:
            provider.prepare()  # before there is a folder
        with closing(ImageRun(self.folder, header, calls)) as run:
            todo = to_paint(self.paintings, painter, self.folder, calls)
            budget = CallBudget(limits.max_requests, limits.max_tokens, limits.max_cost)
            budget.add(run.requests, run.spent)
            places = provider.slots if isinstance(provider, HeldModel) else limits.in_flight
            door = Door(
                name=settings.model,
                provider=provider,
                endpoint=settings.endpoint,
                parameters=settings.parameters,
                flow=RequestQueue(places, requests_per_minute=limits.requests_per_minute),
                budget=budget,
                recorder=run,
                secrets=secrets_of([settings]),
                patience=limits.patience,
                price=painter.price,
            )
            rewriting = None if painter.rewriter is None else painter.rewriter.asker(limits, budget)
            if rewriting is not None:
                rewriting.recorder = run
            there = f"{todo.there:,} images are there already, {todo.blocked:,} were blocked"
            models = [settings.model, *([] if painter.rewriter is None else [painter.rewriter.model])]
            attributes: dict[str, Value] = {"tsgkit.version": __version__, "tsgkit.models": models}
            tracing = Tracing(limits.traces, secrets, "tsgkit images", lambda: attributes)
            engine = Engine((door,) if rewriting is None else (door, rewriting), watch, noun="image", tracing=tracing)
            engine.there = there if todo.there or todo.blocked else ""
            work = _OpenImages(run, painter, door, rewriting, todo, min(places, len(todo.left)), engine)
            engine.parts = work.parts
            yield work


@dataclass
class _OpenImages:
    """The images of an open folder as units of a job."""

    run: ImageRun
    painter: Painter
    door: Door
    rewriting: Door | RecordedModel | None
    """The model that rewrites prompts."""
    todo: PaintingWork
    workers: int
    engine: Engine
    began: float = field(default_factory=time.monotonic)
    outcome: PaintingOutcome = field(init=False)

    def __post_init__(self) -> None:
        self.outcome = PaintingOutcome(self.run.path, self.todo.total, self.todo.there, blocked=self.todo.blocked)

    @property
    def cost(self) -> float | None:
        """The cost of the requests; None where an answer came at an unknown price, or there is none to estimate by."""
        used = self.door.budget
        is_unknown = used.used_requests and not used.used_cost and self.painter.price is None
        return None if self.run.unpriced or is_unknown else used.used_cost

    def parts(self) -> list[JobPart]:
        """Return how far the images are."""
        outcome = self.outcome
        ended = outcome.painted + len(outcome.refusals) + len(outcome.failures)
        part = JobPart(
            title=self.painter.settings.model,
            done=outcome.there + outcome.painted,
            total=outcome.total,
            ended=ended,
            left=len(self.todo.left) - ended,
            failed=len(outcome.failures),
            blocked=outcome.blocked,
            spent=self.door.budget.used_cost,
            knows_cost=self.cost is not None,
            door=self.door,
            began=self.began,
            busy=self.engine.busy,
        )
        return [part]

    async def paint_all(self) -> None:
        """Work until nothing is left, or something stops it."""

        def gave_up(why: Unasked) -> None:
            self.outcome.given_up = why.message

        await self.engine.each(self.todo.left, self._paint, workers=self.workers, gave_up=gave_up)

    async def _paint(self, painting: Painting) -> None:
        item_id, outcome = painting.item_id, self.outcome
        with observed("image", lambda: {"tsgkit.item.id": item_id}):
            try:
                reply = await self._asked(painting)
                is_painted, is_blocked = bool(reply.sha256), reply.ending is Ending.REFUSED
                reason = reply.error or str(reply.ending)
            except NotRewritten as why:
                is_painted, is_blocked, reason = False, why.refused, str(why)
        outcome.painted += is_painted
        if not is_painted and is_blocked:
            outcome.blocked += 1
            outcome.refusals += ((item_id, reason),)
        elif not is_painted:
            outcome.failures += ((item_id, reason),)
        self.engine.changed()

    async def _asked(self, painting: Painting) -> Reply:
        """Return the reply to the request for an image, in the words of the model that rewrites it.

        ``NotRewritten`` where it has none.
        """
        from langchain_core.messages import HumanMessage

        item_id, rewriter, words = painting.item_id, self.painter.rewriter, painting.prompt
        if rewriter is not None and self.rewriting is not None:
            messages = [HumanMessage(rewriter.prompt(painting)[0]["content"])]
            words = text_of(await self.rewriting.ask(call_about(self.rewriting, item_id), messages, label=REWRITE))
        messages = [HumanMessage(messages_for(words, painting.image)[0]["content"])]
        reply = await self.door.ask(call_about(self.door, item_id), messages, label=PAINT)
        await self.run.recorded(item_id)
        return reply

    def finished(self) -> PaintingOutcome:
        """Return what became of it."""
        outcome, engine, provider = self.outcome, self.engine, self.door.provider
        outcome.requests, outcome.cost = self.door.budget.used_requests, self.cost
        outcome.seconds = round(time.monotonic() - self.began, 3)
        outcome.interrupted, outcome.budget, outcome.trouble = engine.interrupted, engine.budget, engine.trouble
        if isinstance(provider, (LiteLlmImages, UserImageModel)):
            outcome.notices = tuple(provider.notices)
        outcome.unsent_spans = engine.tracing.trouble
        return outcome
