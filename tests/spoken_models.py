"""Models for tests of agents: they say by label what they are told, fail when told so, and remember what was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.llm.reply import Reply, Usage

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

L = Vocabulary(
    ("kettle", "cup", "mug", "tap", "person", "hand1", "hand2"),
    ("verb", "dobj", "with", "on", "from"),
    ("fill", "pour", "pick-up", "put-down", "rinse"),
)
Said = str | Reply | Exception | Callable[[str], str]


def graph(text: str) -> ActionGraph:
    return ActionGraph(line.split(" ") for line in text.split("; "))


GOOD = graph("person verb fill; fill dobj kettle; fill with hand1")
VASE = graph("person verb fill; fill dobj vase; fill with hand1")
CUP = graph("person verb fill; fill dobj cup; fill with hand1")
RINSE = graph("person verb rinse; rinse dobj cup; rinse with hand1")
BETTER = "1: fill -> dobj -> kettle"
"""The finding that makes a vase or a cup the kettle."""


def arrows(*graphs: ActionGraph) -> str:
    return "\n\n".join("\n".join(map(str, one.triplets)) for one in graphs)


@dataclass
class Spoken:
    """Says something for each label, or for each kind of label; the prompts are remembered by label."""

    says: dict[str, Said]
    asked: list[tuple[str, str]] = field(default_factory=list)
    draws: list[int] = field(default_factory=list)
    schemas: list[dict[str, Any] | None] = field(default_factory=list)

    async def __call__(
        self, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
    ) -> Reply:
        prompt = str(messages[-1].content)
        self.asked.append((label, prompt))
        self.draws.append(draw)
        self.schemas.append(schema)
        said = self.says.get(label, self.says.get(label.partition("/")[0], ""))
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Reply):
            return said
        return Reply(said if isinstance(said, str) else said(prompt), usage=Usage(10, 5))

    @property
    def labels(self) -> list[str]:
        return [label for label, _ in self.asked]
