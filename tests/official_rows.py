"""Published rows made into rows of graphs to generate: sentence and target graph, with L of all the row's graphs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

VERB, PERSON = "verb", "person"


def generation_rows(folder: str) -> list[dict[str, Any]]:
    """Return a row of one graph for every target graph of the published choices, those of one story once."""
    lines = Path(folder, "tsg_sgds_sample.jsonl").read_text(encoding="utf-8").splitlines()
    made: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(lines):
        row = json.loads(line)
        graphs = [*row["context_graphs"], row["triplet"]]
        verbs = sorted({target for graph in graphs for _, edge, target in graph if edge == VERB})
        nodes = {name for graph in graphs for source, _, target in graph for name in (source, target)}
        made.setdefault(
            row["target_sentence"],
            {
                "item_id": f"published-{number}",
                "scenario_id": str(row.get("data_id", number)),
                "context": [],
                "target_sentence": row["target_sentence"],
                "mandatory_space": {
                    "object": sorted(nodes - set(verbs) - {""}),
                    "relationship": sorted({edge for graph in graphs for _, edge, _ in graph}),
                    "verb": verbs,
                },
                "graphs": [{"triplets": row["triplet"]}],
            },
        )
    return list(made.values())
