"""Made-up rows in the layout of the published repository: valid, and with the slips known from the published ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Row = dict[str, Any]
TOOLS = ("brush", "cloth", "spoon", "knife", "sponge", "wrench")
FOLDERS = {"sgqa": "understanding", "sgds": "understanding", "sa-sgg": "generation", "ma-sgg": "generation"}
ROWS = {"sgqa": 100, "sgds": 250, "sa-sgg": 250, "ma-sgg": 500}


def graph(number: int) -> list[list[str]]:
    """Return one clean graph of five triplets."""
    tool, surface = TOOLS[number % len(TOOLS)], f"shelf{number % 7}"
    edges = [["dobj", surface], ["with", tool], ["with", "hand1"]]
    return [["person", "verb", "wipe"], *(["wipe", *edge] for edge in edges), [surface, "in", "kitchen"]]


def sgqa_row(number: int) -> Row:
    asked = [f"What tool is used first, asked for the {n}th time?" for n in range(5)]
    return {
        "data_id": f"clip-{number}",
        "doc_index": number % 8,
        "text_part_index": number,
        "context_graphs": [graph(number), graph(number + 7)],
        "qa_pairs": [{"Q": question, "A": TOOLS[number % len(TOOLS)]} for question in asked],
    }


def sgds_row(number: int) -> Row:
    candidates = [f"You wipe shelf {n} with item {number}." for n in range(5)]
    position = number % 5
    others = [graph(number) if n == position else graph(number + n) for n in range(5)]
    return {
        "target_sentence": candidates[position],
        "position": position,
        "variations": candidates,
        "triplet": graph(number),
        "context_graphs": [graph(number + 1)] * (number % 3),
    } | ({"variation_triplets": others} if number % 2 else {})


def sgg_row(number: int, k: int) -> Row:
    graphs = [graph(number + n) for n in range(k)]
    names = {name for triplets in graphs for source, _, target in triplets for name in (source, target)}
    space = {"object": sorted(names - {"wipe"}), "relationship": ["verb", "dobj", "with", "in"], "verb": ["wipe"]}
    return {
        "context": "Before that, nothing." if number % 2 else ["Before that,", "nothing."],
        "target_sentence": f"You wipe {k} shelves ({number}).",
        "mandatory_space": space,
        "graphs": [{"action_id": n, "triplets": triplets} for n, triplets in enumerate(graphs)],
        "more": {"unknown": number},
    }


def rows(task: str, count: int | None = None) -> list[Row]:
    """Return rows of a task, as many as its made-up file has."""
    makers: dict[str, Callable[[int], Row]] = {
        "sgqa": sgqa_row,
        "sgds": sgds_row,
        "sa-sgg": lambda number: sgg_row(number, 1),
        "ma-sgg": lambda number: sgg_row(number, 2 + number % 3),
    }
    return [makers[task](number) for number in range(ROWS[task] if count is None else count)]


def data(made: list[Row]) -> bytes:
    """Return the bytes of a file of rows, without a final newline, as published."""
    return "\n".join(json.dumps(row) for row in made).encode()


def write_layout(folder: Path, **files: bytes) -> Path:
    """Return a folder laid out as the published repository; ``files`` replace made-up ones (``sa_sgg`` for sa-sgg)."""
    for task, kind in FOLDERS.items():
        path = folder / "resource" / "dataset" / kind / f"{task}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files.get(task.replace("-", "_"), data(rows(task))))
    return folder
