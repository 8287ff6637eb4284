"""Rewriting of image prompts by a text model, whose calls are recorded beside those of the image model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.asker import ask_for, settings_for
from tsgkit.llm.door import Door
from tsgkit.llm.images import Messages
from tsgkit.llm.reply import Budget, Ending, Reply
from tsgkit.llm.scripts import RecordedModel
from tsgkit.llm.settings import Settings
from tsgkit.replies import Unreadable
from tsgkit.replies.reasoning import spoken
from tsgkit.runs.agent_calls import asker_of
from tsgkit.runs.plan import BASELINE
from tsgkit.runs.run_setup import asks_a_model
from tsgkit.runs.subjects import Limits
from tsgkit.suites.paintable import Painting

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

    def asker(self, limits: Limits, budget: Budget) -> Door | RecordedModel:
        """Return who is asked. Raise ``UsageError`` where a limit of money could not be kept."""
        prices = () if self.price is None else (self.price,)
        own = Limits(concurrency=limits.concurrency, prices=prices, patience=limits.patience, max_cost=limits.max_cost)
        return asker_of(self.model, self.arguments, own, budget, option="--rewriter-price")

    def prompt(self, painting: Painting) -> Messages:
        """Return what it is asked."""
        return [{"role": "user", "content": self.template.render(prompt=painting.prompt)}]

    async def rewritten(self, painting: Painting, asker: Door | RecordedModel) -> str:
        """Return the request in the model's words; ``NotRewritten`` where it has none."""
        from langchain_core.messages import HumanMessage

        ask = ask_for(asker, painting.item_id, task="images")
        return text_of(await ask([HumanMessage(self.prompt(painting)[0]["content"])], label=REWRITE))


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
