"""The captions that come with the package, their graphs, and the texts of their prompts."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from typing import Any

import pytest
from tsgkit.lexicon import fold, mentions
from tsgkit.library.cards import card_from
from tsgkit.library.templates import Template
from tsgkit.replies.tuples import Tuples, tuples_text

from caption_graphs.parsing import KINDS, METRICS, CaptionGraph, graph_of, of_kind, read_tuples, scores

PACKAGE = files("caption_graphs")


def rows(path: str) -> list[dict[str, Any]]:
    text = PACKAGE.joinpath("tasks/captions", path).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def row_graph(row: dict[str, Any]) -> CaptionGraph:
    return graph_of([*([name] for name in row["objects"]), *row["attributes"], *row["relations"]])


CAPTIONS = rows("data/parse.jsonl")
EXAMPLES = rows("examples/captions.jsonl")
FIELDS = {"input": ("caption",), "examples": ("examples",), "example": ("number", "input", "answer"),
          "example-reasoned": ("number", "input", "rationale", "answer")}  # fmt: skip
PARTS = ("statement", "rules", "reasoning", "answer", "answer-reasoned", "answer-structured", *FIELDS)


@pytest.mark.parametrize("row", CAPTIONS + EXAMPLES, ids=lambda row: row["item_id"])
def test_graph_of_a_caption_names_all_its_objects_and_nothing_that_the_caption_does_not(row: dict[str, Any]) -> None:
    graph, caption = row_graph(row), row["caption"]
    objects, *lists = ([list(names) for names in of_kind(graph, kind)] for kind in KINDS)
    assert [[name for (name,) in objects], *lists] == [row[kind] for kind in KINDS]
    assert 6 <= len(caption.split()) <= 18
    for name in {name for one in graph for name in one}:
        assert mentions(caption, fold(name).split("-")[0]), name
    assert read_tuples(tuples_text(graph)) == Tuples(graph)
    assert scores(graph, graph, caption)["soft_f1"].value == 1


def test_captions_have_ids_of_their_own_and_a_tag_each() -> None:
    assert (
        len({row["item_id"] for row in CAPTIONS + EXAMPLES})
        == len({row["caption"] for row in CAPTIONS + EXAMPLES})
        == 50
    )
    counts = Counter(tag for row in CAPTIONS for tag in row["tags"])
    assert counts == {"plain": 20, "quantity": 5, "negation": 5, "pronoun": 5, "same-name": 5}


def test_examples_have_a_rationale_without_tuples() -> None:
    assert all(row["rationale"] and "(" not in row["rationale"] for row in EXAMPLES)


@pytest.mark.parametrize("part", PARTS)
def test_prompt_part_is_a_template_with_its_fields(part: str) -> None:
    text = PACKAGE.joinpath("prompts/captions/parse", f"{part}.txt").read_text(encoding="utf-8")
    assert Template.of(text, required=FIELDS.get(part, ()), source=part).fields == set(FIELDS.get(part, ()))


def test_card_declares_the_metrics_that_are_scored() -> None:
    text = PACKAGE.joinpath("tasks/captions/parse.yaml").read_text(encoding="utf-8")
    card = card_from(text, "captions/parse", "parse.yaml")
    assert tuple(card.metrics) == tuple(METRICS)
    assert [name for name, metric in card.metrics.items() if metric.better == "less"] == ["hallucinated"]
    assert all((PACKAGE / "tasks" / path).is_file() for path in (card.data, str(card.examples)))
