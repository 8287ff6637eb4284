"""The narratives of the tests with a share of their graphs spoilt, each in one of the four seeded ways."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from shipped import DATA

from tsgkit.errors import EditError
from tsgkit.graph import Corruption, Narrative, corrupt
from tsgkit.library.documents.reader import read_file

BUNDLED = DATA / "narratives.jsonl"


@dataclass(frozen=True)
class Spoilt:
    """A narrative, the same with some graphs spoilt, and how each of those was."""

    clean: Narrative
    spoilt: Narrative
    kinds: dict[int, Corruption]


def bundled() -> list[Narrative]:
    return [entry.narrative for entry in read_file(BUNDLED).entries]


def spoilt_narratives(
    share: float = 0.25, seed: int = 0, narratives: Sequence[Narrative] | None = None
) -> list[Spoilt]:
    choice, found = random.Random(seed), []
    for narrative in bundled() if narratives is None else narratives:
        assert narrative.vocabulary is not None
        graphs, kinds = list(narrative.graphs), dict[int, Corruption]()
        for number, graph in enumerate(graphs):
            if choice.random() >= share:
                continue
            kind = choice.choice(list(Corruption))
            with suppress(EditError):
                graphs[number] = corrupt(graph, kind, narrative.vocabulary, seed=f"spoilt/{number}").graph
                kinds[number] = kind
        found.append(Spoilt(narrative, narrative.with_graphs(graphs), kinds))
    return found
