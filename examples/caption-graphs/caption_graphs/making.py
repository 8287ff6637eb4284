"""Make captions with their scene graphs from short lists of words; no model is asked.

  tsgkit make captions --n 20 --seed 0 -o new.jsonl

A caption is kept where the rules of the baseline parse it into the graph it was made of.
"""

from __future__ import annotations

import argparse
from random import Random
from typing import Any

from tsgkit.cli.make import add_row_options, write_rows
from tsgkit.lexicon.tables import word_set

from caption_graphs.rules import parse
from caption_graphs.tuples import CaptionGraph

BEINGS = sorted(word_set("man woman boy girl dog cat horse bird"))
THINGS = sorted(word_set("chair table bench car boat tree basket box bottle bridge fence wall"))
ADJECTIVES = sorted(word_set("tall small big brown black white wet dusty clean dirty"))
VERBS = {"sits on": "sit on", "looks at": "look at", "carries": "carry", "follows": "follow", "touches": "touch"}
PLACES = ("behind", "beside", "under", "near", "in front of")
add_arguments = add_row_options


def run(arguments: argparse.Namespace) -> int:
    """Compose, check and write."""
    return write_rows(composed, arguments)


def composed(chance: Random) -> dict[str, Any] | str:
    """Return the row of a caption with two or three objects, or why it is none."""
    nouns = [chance.choice(BEINGS), *chance.sample(THINGS, 2)]
    who, what, where = ((noun, chance.sample(ADJECTIVES, chance.randint(0, 2))) for noun in nouns)
    verb, place = chance.choice(list(VERBS)), chance.choice(PLACES)
    text, things = f"A {' '.join([*who[1], who[0]])} {verb} a {' '.join([*what[1], what[0]])}", [who, what]
    relations = [(who[0], VERBS[verb], what[0])]
    if chance.random() < 0.5:
        text, things = f"{text} {place} a {' '.join([*where[1], where[0]])}", [*things, where]
        relations.append((what[0], place, where[0]))
    attributes = [(noun, adjective) for noun, adjectives in things for adjective in adjectives]
    graph = CaptionGraph.of([*([noun] for noun, _ in things), *attributes, *relations])
    if set(parse(f"{text}.").tuples) != set(graph.tuples):
        return "the rules parse it into another graph"
    return {"caption": f"{text}.", **graph._asdict(), "tags": ["made"]}
