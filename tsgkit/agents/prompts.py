"""Prompts of the agents: templates in ``prompts/agents``, and the values inserted into them.

>>> sorted(template("write").fields)
['action', 'context', 'edges', 'hands', 'nodes', 'number', 'sentence']
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache

from tsgkit.agents.passages import Passage
from tsgkit.graph.hands import State
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.prompt_text import NOTHING_BEFORE, allowed_edges, allowed_nodes
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template

FIELDS = {
    "look": ("context", "sentence", "nodes", "edges", "hands", "graphs", "findings", "count"),
    "decompose": ("context", "sentence", "verbs", "count"),
    "write": ("context", "sentence", "nodes", "edges", "hands", "number", "action"),
    "vocabulary": ("story",),
}
UNTOLD = "(no sentence is known; judge the graphs by themselves and by what came before)"
ANY_NAME = "any that the sentences need, in lower case with hyphens"
ANY_EDGE = "verb, dobj, and any preposition"
NO_FINDING = "(the checks found nothing)"


@cache
def template(name: str) -> Template:
    """Return the checked template of this name: the working project's, else the shipped one."""
    return load_template(find("prompts", f"agents/{name}.txt"), required=FIELDS[name])


def fingerprint() -> str:
    """Return a SHA-256 of all templates."""
    texts = "\0".join(template(name).text for name in FIELDS)
    return hashlib.sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()


def told(context: Sequence[str], sentence: str) -> dict[str, str]:
    """Return the template fields for the story."""
    return {"context": "\n".join(context) or NOTHING_BEFORE, "sentence": sentence or UNTOLD}


def allowed(vocabulary: Vocabulary | None) -> dict[str, str]:
    """Return the fields of L."""
    if vocabulary is None:
        return {"nodes": ANY_NAME, "edges": ANY_EDGE}
    return {"nodes": ", ".join(allowed_nodes(vocabulary)), "edges": ", ".join(allowed_edges(vocabulary))}


def hands(state: State) -> str:
    """Return what the hands hold, in words."""
    return str(state)


def look_prompt(passage: Passage, graphs: Sequence[ActionGraph], findings: Sequence[str]) -> str:
    """Return the prompt that asks what has to change in graphs; ``findings`` are texts, numbered here from 1."""
    values = told(passage.context, passage.sentence) | allowed(passage.vocabulary)
    return template("look").render(
        **values,
        hands=hands(passage.hands()),
        graphs=_shown(graphs) or "(none)",
        findings="\n".join(f"{number}: {finding}" for number, finding in enumerate(findings, 1)) or NO_FINDING,
        count=str(len(graphs) if passage.count is None else passage.count),
    )


def _shown(graphs: Sequence[ActionGraph]) -> str:
    """Return graphs with numbered triplets."""
    return "\n\n".join(
        "\n".join([f"Graph {number}:", *(f"{line}. {triplet}" for line, triplet in enumerate(graph.triplets, 1))])
        for number, graph in enumerate(graphs, 1)
    )
