"""Write the example replies of a dataset of the suite tsg: ``python docs/example_replies.py [FOLDER]``.

No model is asked. A reply is the right answer or a wrong one in one of the forms that models use; both are drawn by
lot, with the item's id as the seed, so the same rows have the same replies. Of every sixty items one has no reply, and
five have replies that are empty, cut off, refused, unreadable, or were never received.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from tsgkit.errors import EditError
from tsgkit.graph import ActionGraph, Corruption, corrupt
from tsgkit.library.cards import load_card
from tsgkit.suites.suite import task_of
from tsgkit.suites.tsg.items import LETTERS, GenerationSample, QuestionSample, SelectionSample, TsgSample

BUNDLED = Path(__file__).resolve().parents[1] / "tasks/tsg/data/tsgkit-2"
SPECIAL: dict[int, dict[str, Any] | None] = {
    7: None,
    17: {"reply": ""},
    27: {"reply": "Let us look at the sentence step by step. First, the", "outcome": "truncated"},
    37: {"reply": None, "outcome": "refused"},
    47: {"reply": "I am sorry, but the text leaves that open."},
    57: {"reply": None, "outcome": "api_error"},
}
"""Replies without an answer, by an item's number modulo 60."""
WORDS = {
    "[{right}]": 12,
    "{right}": 2,
    "**[{right}]**": 2,
    "The answer is [{right}].": 2,
    "[the {right}]": 1,
    '{{"answer": "{right}"}}': 1,
    "[{right} of it]": 1,
    "I first thought of [{other}], but the answer is [{right}].": 1,
    'Looking at ["person", "verb", ...], I would say [{right}]': 1,
}
"""Forms of a reply to a question, and their weights."""
CHOICES = {
    "[{right}]": 12,
    "({right})": 2,
    "Answer: {right}": 2,
    "A careful reading leads to [{right}]": 2,
    "I think {other}.\nNo: [{right}]": 1,
    "[{other}] or [{right}]": 1,
}
"""Forms of a reply to a choice, and their weights; a fifth of the letters is in lower case."""


def arrows(graphs: list[ActionGraph]) -> str:
    """Return graphs as published prompts ask for them."""
    return "\n\n".join("\n".join(" -> ".join(triplet) for triplet in graph) for graph in graphs)


def listed(graphs: list[ActionGraph]) -> str:
    """Return graphs with titles, as lists of Markdown."""
    return "\n\n".join(
        "\n".join([f"Graph {number}:", *(f"- {' -> '.join(triplet)}" for triplet in graph)])
        for number, graph in enumerate(graphs, start=1)
    )


LAYOUTS: dict[Callable[[list[ActionGraph]], str], int] = {
    arrows: 12,
    listed: 3,
    lambda graphs: f"```\n{arrows(graphs)}\n```": 3,
    lambda graphs: arrows(graphs).replace("->", "→"): 3,
    lambda graphs: json.dumps([[list(triplet) for triplet in graph] for graph in graphs]): 3,
}
"""Forms of a reply of graphs, and their weights."""


def drawn(weights: dict[Any, int], lot: Random) -> Any:  # noqa: ANN401  (a text or a function)
    """Return one of these by its weight."""
    return lot.choices(list(weights), list(weights.values()))[0]


def spoilt(sample: GenerationSample, lot: Random) -> list[ActionGraph]:
    """Return the graphs of an item with mistakes: in triplets, and in the number of graphs."""
    graphs = list(sample.references)
    for place, graph in enumerate(graphs):
        if lot.random() < 0.5:
            with suppress(EditError):
                kind = lot.choice(list(Corruption))
                graphs[place] = corrupt(graph, kind, sample.vocabulary, seed=sample.item_id).graph
        if lot.random() < 0.1:
            graphs[place] = ActionGraph([*graphs[place], lot.choice(graph.triplets)])  # said twice
        if lot.random() < 0.05:
            word = lot.choice(["thing", "left_hand"])  # not in L
            graphs[place] = ActionGraph([*list(graphs[place])[:-1], graph.triplets[-1]._replace(target=word)])
    number = lot.random()
    if number < 0.3 and len(graphs) > 1:
        return graphs[: lot.randrange(1, len(graphs))]
    return [*graphs, lot.choice(graphs)] if number > 0.9 else graphs


def reply_to(sample: TsgSample) -> str:
    """Return what is replied to an item: right or wrong, in a form that is drawn."""
    lot = Random(sample.item_id)
    if isinstance(sample, GenerationSample):
        form = drawn(LAYOUTS, lot)
        return str(form(spoilt(sample, lot)))
    if isinstance(sample, QuestionSample):
        form, right, others = drawn(WORDS, lot), sample.answer, sorted(sample.nodes - {sample.answer})
    elif isinstance(sample, SelectionSample):
        form, right = drawn(CHOICES, lot), sample.answer
        others = [letter for letter in LETTERS[: len(sample.candidates)] if letter != right]
    else:
        raise TypeError(sample)
    other = lot.choice(others)
    if lot.random() < 0.3:
        right, other = other, right
    if isinstance(sample, SelectionSample) and lot.random() < 0.2:
        right = right.lower()
    return str(form.format(right=right, other=other))


def main() -> None:
    """Write the replies to the four tasks into the folder ``example-replies`` of the dataset."""
    folder = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else BUNDLED
    (folder / "example-replies").mkdir(exist_ok=True)
    for name in ("sgqa", "sgds", "sa-sgg", "ma-sgg"):
        lines = []
        for number, sample in enumerate(task_of(load_card(f"tsg/{name}")).dataset(str(folder))):
            reply = SPECIAL.get(number % 60, {}) if number % 60 in SPECIAL else {"reply": reply_to(sample)}
            if reply is not None:
                lines.append(json.dumps({"item_id": sample.item_id, **reply}, ensure_ascii=False) + "\n")
        (folder / "example-replies" / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        print(f"{name}: {len(lines)} replies")


if __name__ == "__main__":
    main()
