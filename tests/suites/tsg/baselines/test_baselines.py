"""The registry: one way to call, the same answers everywhere, nothing of the reference used."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from shipped import DATA
from tsg_tasks import BASELINES, samples_of

import tsgkit
from tsgkit.graph import ActionGraph, Triplet, Vocabulary
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.tsg.items import AnySample, GenerationSample, QuestionSample, SelectionSample

ROOT = Path(tsgkit.__file__).parents[1]


def of_all_kinds() -> tuple[AnySample, ...]:
    generation = samples_of(read_file(DATA / "ma-sgg.jsonl"), "ma-sgg")
    graphs = tuple(
        graph for sample in generation if isinstance(sample, GenerationSample) for graph in sample.references
    )
    texts = tuple(sample.sentence for sample in generation if isinstance(sample, GenerationSample))
    question = "What was handled before the water was poured?"
    doubtful = GenerationSample(
        item_id="g",
        cluster="",
        context=(),
        sentence="Take the axes and the leaves, lay the saws down and leave.",
        vocabulary=Vocabulary(("axe", "ax", "leave", "leaf", "see", "saw"), ("with",), ("take", "lie", "lay", "leave")),
        references=graphs[:4],
    )
    return (
        *generation,
        doubtful,
        QuestionSample(item_id="q", cluster="", graphs=graphs, question=question, answer="kettle"),
        SelectionSample(item_id="s", cluster="", context=graphs[:4], graph=graphs[4], candidates=texts[:5], position=1),
    )


def replies(seed: int = 3) -> str:
    return "\n=\n".join(BASELINES[name](sample, seed) for name in sorted(BASELINES) for sample in of_all_kinds())


@pytest.mark.parametrize("hash_seed", ["0", "1", "4711"])
def test_baselines_do_not_depend_on_the_hash_seed(hash_seed: str) -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import test_baselines; print(test_baselines.replies())"
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": f"{ROOT}:{Path(__file__).resolve().parents[3]}",
    }
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT)
    assert result.stdout == replies() + "\n"


def test_the_rules_leave_nothing_to_chance() -> None:
    assert all(BASELINES["rules"](sample, 0) == BASELINES["rules"](sample, 1) for sample in of_all_kinds())


@pytest.mark.parametrize("name", list(BASELINES))
def test_baselines_see_only_the_number_of_references(name: str) -> None:
    other = ActionGraph([Triplet("person", "verb", "vanish")])
    for sample in of_all_kinds():
        blind = (
            replace(sample, references=(other,) * sample.k)
            if isinstance(sample, GenerationSample)
            else replace(sample, position=0)
            if isinstance(sample, SelectionSample)
            else replace(sample, answer="")
            if isinstance(sample, QuestionSample)
            else sample
        )
        assert BASELINES[name](blind, 5) == BASELINES[name](sample, 5)


def test_hostile_text_is_answered() -> None:
    vocabulary = Vocabulary(("cup", "lid"), ("with", "on"), ("take",))
    for text in ("take cup " * 20000, "take" + " on the cup" * 10000, "and cup on lid and " * 10000):
        sample = GenerationSample(
            item_id="0", cluster="", context=(), sentence=text, vocabulary=vocabulary, references=(ActionGraph(),)
        )
        assert BASELINES["rules"](sample, 0)
