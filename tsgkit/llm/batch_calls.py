"""Requests of a model that are sent in batches, at half price, instead of one by one.

A request is built and its reply read by LiteLLM, as any other; only the way between differs: it waits in a
:class:`~tsgkit.llm.batches.Collector` for the result of its batch.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.llm.batch_services import AnthropicBatches, BatchService, OpenAiBatches, Result
from tsgkit.llm.batches import Collector, HeldRequest
from tsgkit.llm.door import REQUEST
from tsgkit.llm.failures import CallFailed, cannot_pay
from tsgkit.llm.images import Messages
from tsgkit.llm.litellm_calls import LiteLlm, carried_by, library_of
from tsgkit.llm.prices import provider_of
from tsgkit.llm.reply import Reply, Usage

SERVICES: dict[str, type[BatchService]] = {
    "openai": OpenAiBatches,
    "hosted_vllm": OpenAiBatches,
    "anthropic": AnthropicBatches,
}
LONGEST = 30 * 86_400.0
"""Seconds for one request: a batch takes up to a day, and a failed line waits for a further one."""


def batch_service(model: str) -> type[BatchService]:
    """Return the batch interface of a model; ``UsageError`` where it has none.

    >>> batch_service("hosted_vllm/llama").__name__
    'OpenAiBatches'
    """
    found = SERVICES.get(provider_of(model))
    if found is None:
        known = ", ".join(f"{name}/" for name in SERVICES)
        raise UsageError(
            f"--batch: no batch interface is known for {model}: only for {known}",
            hint="leave --batch out; a server that speaks OpenAI's protocol is asked as openai/NAME with api_base",
        )
    return found


@dataclass
class BatchCalls(LiteLlm):
    """A model behind LiteLLM whose requests are sent in batches."""

    collector: Collector | None = None

    @property
    def open_batches(self) -> int:
        """The number of batches that were left to the service."""
        return 0 if self.collector is None else self.collector.open

    def waits_for(self) -> str:
        """Return which batches are waited for."""
        return "" if self.collector is None else self.collector.waits_for()

    def leave(self) -> None:
        """Wait for no batch any more."""
        if self.collector is not None:
            self.collector.leave()

    async def send(self, messages: Messages, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Return one reply, when its batch is done; the time-out is one of single requests and does not hold here."""
        assert self.collector is not None  # noqa: S101  (it is given where the run is known)
        held = HeldRequest(REQUEST.get())
        try:
            with carried_by(partial(_carried, self.collector, held)):
                return await self._asked(messages, self._with_schema(schema), LONGEST)
        except CallFailed as failure:
            if held.ended is not None:
                raise copy(held.ended) from None  # one that ends many calls is of each its own
            failure.in_batch = True
            raise
        finally:
            self.collector.done_with(held)

    def _cost(self, usage: Usage, tier: str, counted: float | None) -> float | None:
        """Return the cost at the price of a batch, else half of what LiteLLM says."""
        if self.price is not None:
            return self.price.of(usage)
        return counted / 2 if counted else None

    async def close(self) -> None:
        """End the work on batches, which stay with the service, and close the connections."""
        if self.collector is not None:
            await self.collector.close()
        await super().close()


async def _carried(collector: Collector, held: HeldRequest, request: Any) -> Any:  # noqa: ANN401  (httpx)
    """Return the response to a request that LiteLLM built, out of its batch."""
    try:
        result: Result = await collector.ask(held, request)
    except TsgkitError as error:
        held.ended = error
        raise CallFailed(error.message) from None
    if result.failure:
        unpaid = cannot_pay(result.status, result.failure)
        raise CallFailed(result.failure, result.status, responded=True, unpaid=unpaid)
    head = {"content-type": "application/json"}
    return library_of(request).Response(result.status, headers=head, content=result.body)
