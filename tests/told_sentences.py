"""Hand-written sentences of the bundled narratives, with accounts of their words made from names and synonyms."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from shipped import DATA

from tsgkit.graph.model import HANDS, ActionGraph
from tsgkit.lexicon import mentions
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.tsg.makers.sentence_checks import Surroundings
from tsgkit.suites.tsg.makers.sentences import Sentence
from tsgkit.suites.tsg.makers.told_text import nodes_of


class ToldSentence(NamedTuple):
    """A sentence, its graphs, and what is around it."""

    sentence: Sentence
    graphs: tuple[ActionGraph, ...]
    surroundings: Surroundings


@cache
def synonyms() -> dict[str, dict[str, list[str]]]:
    """Return by sentence and node the other words that stand for it."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in ("sa-sgg", "ma-sgg"):
        for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            for words, node in row.get("synonyms", {}).items():
                found[row["target_sentence"]][node].append(words)
    return found


def told_sentences() -> Iterator[ToldSentence]:
    """Yield the sentences that say every action under its own name; what has no word in them is implied."""
    for entry in read_file(DATA / "narratives.jsonl").entries:
        before: tuple[ActionGraph, ...] = ()
        for description in entry.narrative.descriptions:
            text = description.text or ""
            if all(mentions(text, action) for graph in description.graphs for action in graph.actions):
                sentence = Sentence(text, *_account(text, description.graphs))
                around = Surroundings(entry.narrative.vocabulary, frozenset(), before)
                yield ToldSentence(sentence, description.graphs, around)
            before += description.graphs


def _account(text: str, graphs: tuple[ActionGraph, ...]) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    said: dict[str, tuple[str, ...]] = {}
    nodes = dict.fromkeys(name for graph in graphs for name in nodes_of(graph))
    for node in nodes:
        words = list(synonyms()[text][node]) if text in synonyms() else []
        if found := mentions(text, node):
            words.append(" ".join(text[slice(*span)] for span in found.spans))
        if words:
            said[node] = tuple(words)
    pointers = [word for word in ("it", "them", "that") if f" {word} " in f" {text.lower().replace(',', ' ,')} "]
    for node in nodes:
        if node not in said and node not in HANDS and pointers:
            said[node] = (pointers[0],)
    return said, tuple(node for node in nodes if node not in said)
