"""Make captions with their scene graphs from short lists of words; no model is asked.

  tsgkit make captions --n 20 --seed 0 -o new.jsonl

A caption is kept where the rules of the baseline parse it into the graph it was made of.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

from tsgkit.cli.make import add_row_options, write_rows
from tsgkit.lexicon.folding import word_set

from caption_graphs.parsing import graph_of
from caption_graphs.rules import parse

BEINGS = sorted(word_set("man woman boy girl dog cat horse bird"))
THINGS = sorted(word_set("chair table bench car boat tree basket box bottle bridge fence wall"))
ADJECTIVES = sorted(word_set("tall small big brown black white wet dusty clean dirty"))
VERBS = {"sits on": "sit on", "looks at": "look at", "carries": "carry", "follows": "follow", "touches": "touch"}
PLACES = ("behind", "beside", "under", "near", "in front of")


def composed(chance: Random) -> dict[str, Any] | str:
    """Return the row of a caption with two or three objects, or why it is none."""
    nouns = [chance.choice(BEINGS), *chance.sample(THINGS, 2)]
    adjectives = {noun: chance.sample(ADJECTIVES, chance.randint(0, 2)) for noun in nouns}
    who, what, where = (" ".join([*adjectives[noun], noun]) for noun in nouns)
    verb, place = chance.choice(list(VERBS)), chance.choice(PLACES)
    caption, relations = f"A {who} {verb} a {what}", [(nouns[0], VERBS[verb], nouns[1])]
    if chance.random() < 0.5:
        caption += f" {place} a {where}"
        relations.append((nouns[1], place, nouns[2]))
    objects = nouns[: len(relations) + 1]
    attributes = [(noun, adjective) for noun in objects for adjective in adjectives[noun]]
    elements = [*((noun,) for noun in objects), *attributes, *relations]
    if {*graph_of(parse(f"{caption}."))} != {*graph_of(elements)}:
        return "the rules parse it into another graph"
    lists = {"objects": objects, "attributes": attributes, "relations": relations}
    return {"caption": f"{caption}.", **lists, "tags": ["made"]}


add_arguments = add_row_options
run = partial(write_rows, composed)
