"""Hand-written sentences of the bundled narratives, with hand-written accounts of their words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from shipped import DATA

from tsgkit.graph.model import ActionGraph
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.tsg.makers.sentence_checks import Surroundings
from tsgkit.suites.tsg.makers.sentences import Sentence


class ToldSentence(NamedTuple):
    """A sentence, its graphs, and what is around it."""

    sentence: Sentence
    graphs: tuple[ActionGraph, ...]
    surroundings: Surroundings


ACCOUNTS = Path(__file__).parent / "suites" / "tsg" / "makers" / "hand_written_accounts.jsonl"


def told_sentences() -> Iterator[ToldSentence]:
    """Yield all sentences; whoever wrote the accounts had not seen the checks."""
    lines = map(json.loads, ACCOUNTS.read_text(encoding="utf-8").splitlines())
    accounts = {(line["story"], line["description"]): line for line in lines}
    for entry in read_file(DATA / "narratives.jsonl").entries:
        before: tuple[ActionGraph, ...] = ()
        for number, description in enumerate(entry.narrative.descriptions):
            line = accounts[entry.narrative.id, number]
            said = {node: tuple(phrases) for node, phrases in line["said"].items()}
            sentence = Sentence(description.text or "", said, tuple(line["implied"]))
            around = Surroundings(entry.narrative.vocabulary, frozenset(), before)
            yield ToldSentence(sentence, description.graphs, around)
            before += description.graphs
