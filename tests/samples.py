"""One small sample of every format, for tests that want them all."""

from __future__ import annotations

import json

from tsgkit.graph import ActionGraph
from tsgkit.graph.notation import arrow, graphml, json_triplets, node_link

WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
GRAPH = [list(triplet) for triplet in WASH]
SGQA = {"data_id": "clip", "context_graphs": [GRAPH, GRAPH], "qa_pairs": [{"Q": "What is washed?", "A": "cup"}]}
SGDS = {
    "target_sentence": "A", "position": 1, "variations": ["B", "A", "C", "D", "E"], "triplet": GRAPH,
    "context_graphs": [GRAPH], "variation_triplets": [[["b", "on", "c"]], GRAPH, GRAPH, GRAPH, GRAPH],
}  # fmt: skip
SGG = {
    "context": ["Before.", "Then."],
    "target_sentence": "She washes it.",
    "mandatory_space": {"object": ["cup"], "relationship": ["verb", "dobj", "with"], "verb": ["wash"]},
    "graphs": [{"action_id": 3, "triplets": GRAPH}],
}
NARRATIVE = {"id": "tea", "descriptions": [{"text": "She washes it.", "graphs": [GRAPH]}]}
EASG = {"uid": {"graphs": [[2, 1, 3, ["Camera wearer - verb - cut", "cut", ""]]], "split": "val", "summaries": []}}


def lines(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


FORMATS = {
    "arrow": arrow.write([WASH, WASH]), "triplets": json_triplets.write([WASH, WASH]),
    "triplet-lines": lines(GRAPH, GRAPH), "narrative": lines(NARRATIVE, NARRATIVE | {"id": "more"}),
    "node-link": node_link.write([WASH, WASH]), "graphml": graphml.write([WASH, WASH]), "easg": json.dumps(EASG),
    "sgqa": lines(SGQA), "sgds": lines(SGDS), "sgg": lines(SGG, SGG | {"item_id": "x"}),
}  # fmt: skip
