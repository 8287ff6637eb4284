"""Rewriting of image prompts by a text model.

options = RewriterOptions("openai/gpt-4o")
rewriter = open_rewriter(options, Path("images"), Limits())
text = await rewriter.rewritten(Painting("7", "A red cup left of a blue plate."))

Every call is stored in a folder beside the images, so that the same command resumes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.asker import ask_for, settings_for
from tsgkit.llm.cache import canonical
from tsgkit.llm.door import Door
from tsgkit.llm.prices import Budget, Price
from tsgkit.llm.reply import Ending
from tsgkit.llm.settings import Settings
from tsgkit.replies import Unreadable
from tsgkit.replies.reasoning import spoken
from tsgkit.runs.agent_calls import AgentCalls, open_calls
from tsgkit.runs.plan import BASELINE
from tsgkit.runs.run_setup import asks_a_model
from tsgkit.runs.subjects import Limits, prices_of
from tsgkit.suites.paintable import Painting

FOLDER = "rewriting"
LABEL = "rewrite"


@dataclass(frozen=True)
class RewriterOptions:
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
    def known_price(self) -> Price | None:
        """Its price, given or known."""
        given = () if self.price is None else (self.price,)
        settings = self.settings
        return None if settings is None else prices_of((self.model,), given, {self.model: settings})[self.model]

    @property
    def identity(self) -> str:
        """The hash of everything that can change what it writes."""
        settings = self.settings
        how = None if settings is None else [settings.endpoint, settings.parameters]
        return hashlib.sha256(canonical([self.model, how, self.template.text]).encode()).hexdigest()[:32]

    def check(self, limits: Limits) -> None:
        """``UsageError`` where a limit of money could not be kept."""
        if limits.max_cost is not None and asks_a_model(self.model) and self.known_price is None:
            hint = "give --rewriter-price IN,OUT (dollars per million tokens), or a limit of requests"
            raise UsageError(f"the price of {self.model} is not known, so --max-cost cannot be kept", hint=hint)


class NotRewritten(Exception):
    """The reason why a prompt was not rewritten; ``refused`` if the model refused."""

    def __init__(self, reason: str, *, refused: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.refused = refused


@dataclass
class Rewriter:
    """A text model that rewrites prompts, with its earlier calls."""

    options: RewriterOptions
    calls: AgentCalls
    was_asked: bool = False
    """True if a model was asked, now or before."""

    async def rewritten(self, painting: Painting) -> str:
        """Return the request in the model's words; ``NotRewritten`` where it has none."""
        from langchain_core.messages import HumanMessage

        ask = ask_for(self.calls.asker, painting.item_id, task="images")
        prompt = self.options.template.render(prompt=painting.prompt)
        reply = await ask([HumanMessage(content=prompt)], label=LABEL)
        self.was_asked |= reply.source == "model"
        said = spoken(reply.text or "")
        if reply.ending is not Ending.COMPLETE:
            why = reply.error or reply.refusal or str(reply.ending).replace("_", " ")
            raise NotRewritten(f"the prompt was not rewritten: {why}", refused=reply.ending is Ending.REFUSED)
        if isinstance(said, Unreadable) or not said.text.strip():
            why = said.reason if isinstance(said, Unreadable) else "there is no text in the reply"
            raise NotRewritten(f"the prompt was not rewritten: {why}", refused=False)
        return said.text.strip()

    @property
    def is_unpriced(self) -> bool:
        """True if requests were made at an unknown price."""
        return self.was_asked and self.options.known_price is None

    def share(self, budget: Budget) -> None:
        """Count earlier and future requests against a budget."""
        budget.add(self.calls.folder.requests, self.calls.folder.spent)
        if isinstance(self.calls.asker, Door):
            self.calls.asker.budget = budget


def open_rewriter(options: RewriterOptions, images: Path, limits: Limits) -> Rewriter:
    """Open the rewriter of an image folder. Raise ``UsageError`` if another one began the folder."""
    prices = () if options.price is None else (options.price,)
    asked = {"work": "images", "template": options.template.text}
    own = Limits(concurrency=limits.concurrency, prices=prices, patience=limits.patience)
    calls = open_calls(images / FOLDER, options.model, options.arguments, asked, own)
    return Rewriter(options, calls, was_asked=calls.folder.requests > 0)
