"""Texts for the fuzzer: replies, files and noise made up from a seed, most of them then spoilt.

>>> from random import Random
>>> make_up(Random(1)) == make_up(Random(1))
True

Every kind of text is a function in :data:`KINDS`; every way of spoiling one is a function in :data:`SPOILERS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from model_replies import ROWS

MODEL_REPLIES = [row.reply for row in ROWS.values()]
Triple = tuple[str, str, str]
LONG = 0.001
"""How many of the texts are repeated until they are ``LONGEST`` characters long."""
LONGEST = 20_000
LONGEST_OF_MOST = 500
"""Beyond this a text is cut when it is spoilt."""


def _parts(*lines: str, at: str = "|") -> list[str]:
    return [part for line in lines for part in line.split(at)]


VERBS = _parts("wash pick-up put-down screw open pour stir hold turn-over peel pass", at=" ")
THINGS = _parts("cup lid spoon screw kettle tea-bag table paper-towel oil-can hand1 hand2 person", at=" ")
EDGES = _parts("verb dobj with on from into under of out-of", at=" ")
FIELDS = _parts("id text graphs descriptions triplets source edge target nodes edges links from to label", at=" ")
ARROWS = _parts("->|-->|→|=>|⇒|==>|—>|–>|--->|- >|<-|&gt;|⟶|~>|-")
MARKS = _parts("[ ] { } ( ) < > \" ' ` * _ # - = > | : ; , . \\ / & ~ -> [[ ]] ``` ** :1 1. \n \n\n \t", at=" ")
NASTIES = _parts(
    "\u200b|\ufeff|\u202e|\u2028|\u2029|\x85|\x0b|\x0c|\x1c|\x00|\x7f|\r|\r\n|\ud83d|\udc00|🏳️\u200d🌈|é|İ|ſ|ﬁ|٣|²|①",
    "\xa0|\u3000|\u0301|\U0010ffff|\ufffe|»|“|”|‘|´|…|｛|［|－>",
)
ODD_NAMES = _parts(
    """Cup|left_hand|tea bag|CUP|cup:1|both hands|Hand 1|tasse-à-thé|чашка|茶碗|"cup"|(cup)|**cup**|`cup`|cup.|...|-""",
    "--|->|a -> b|null|None|0|1.|a)|graph 1:|step|{}|[]|[x]|<b>|&gt;|&amp;|x;y|x,y|'|\"|\\|\\n|\ud800|\x00|\x1b[31m",
    "\x85|\u2028|\ufeff|\u200bcup|e\u0301|🍵|ß|İ| cup|cup |\t|person |PERSON|Verb||",
)
PROSE = _parts(
    "Sure! Here is the graph:|I hope this helps!|The person picks up the cup, then washes it.|Note: hand1 is free.",
    "Step 2: open the lid|Graph 1|**Graph 2**|## Action graph 3|Answer:|<think>|</think>|Let me think step by step.",
    "1. First, find the verb.|- the cup is on the table|Scene graph: a -> b|---|***|===|Here (see below) [1] {maybe}",
    '[Graph 1]|[note] nothing held|(no graph)|{"ok": true}|> quoted|```json|```|~~~|$$|source, edge, target|Total: 3',
)


def make_up(rng: Random) -> str:
    text = rng.choice(KINDS)(rng)
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3, 6))):
        text = rng.choice(SPOILERS)(text, rng)[:LONGEST_OF_MOST]
    if rng.random() < LONG:
        text = f"{text}\n" * (LONGEST // (len(text) + 1))
    return text


def name(rng: Random, usual: list[str]) -> str:
    return rng.choice(ODD_NAMES) if rng.random() < 0.02 else rng.choice(usual)


def graph(rng: Random) -> list[Triple]:
    verb = name(rng, VERBS)
    triples = [("person", "verb", verb)] if rng.random() < 0.95 else []
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        start = verb if rng.random() < 0.8 else name(rng, THINGS)
        triples.append((start, name(rng, EDGES), name(rng, THINGS)))
    return triples


def graphs(rng: Random) -> list[list[Triple]]:
    return [graph(rng) for _ in range(rng.choice((1, 1, 1, 1, 2, 3)))]


def arrow_text(rng: Random) -> str:
    return "\n\n".join("\n".join(" -> ".join(triple) for triple in one) for one in graphs(rng)) + rng.choice(("", "\n"))


def reply(rng: Random) -> str:
    pieces = [rng.choice(PIECES)(rng) for _ in range(rng.randrange(1, 5))]
    return rng.choice(("\n", "\n\n")).join(pieces)


def prose(rng: Random) -> str:
    return "\n".join(rng.choice(PROSE) for _ in range(rng.randrange(1, 4)))


def decorated(rng: Random) -> str:
    arrow, bullet = rng.choice(ARROWS), rng.choice(("", "- ", "* ", "1. ", "a) ", "> ", "Triplet 1: ", "• "))
    quote = rng.choice(("", "", "**", "`", '"', "'"))
    end = rng.choice(("\n", "\n", "\n", "; ", ",\n", ".\n"))
    shown = (f" {arrow} ".join(f"{quote}{part}{quote}" for part in triple) for triple in graph(rng))
    return end.join(bullet + line for line in shown)


def labelled_arrows(rng: Random) -> str:
    form = rng.choice(
        ("({0})-[{1}]->({2})", "{0} -{1}-> {2}", "{0} --{1}--> {2}", "{0}-[:{1}]->{2}", "[{0}] -{1}> [{2}]")
    )
    return "\n".join(form.format(*triple) for triple in graph(rng))


def table(rng: Random) -> str:
    rows = [("source", "edge", "target"), ("---", ":--", "--:"), *graph(rng)]
    numbered = rng.random() < 0.3
    cells = [(str(number), *row) if numbered else row for number, row in enumerate(rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in cells)


def groups(rng: Random) -> str:
    form = rng.choice(
        ("({0}, {1}, {2})", "[{0}, {1}, {2}]", "<{0}, {1}, {2}>", "('{0}', '{1}', '{2}'),", "{0}, {1}, {2}")
    )
    return "\n".join(form.format(*triple) for triple in graph(rng))


def labelled(rng: Random) -> str:
    lead = rng.choice(
        ("Graph {0}: ", "**Graph {0}:** ", "graph_{0} = ", "Action {0} (wash): ", "{0}. ", "- Step {0} - ", "Cutting: ")
    )
    return "\n".join(lead.format(number) + _on_a_line(rng, one) for number, one in enumerate(graphs(rng), 1))


def _on_a_line(rng: Random, triples: list[Triple]) -> str:
    lists = [list(triple) for triple in triples]
    form = rng.choice(("({0}, {1}, {2})", "('{0}', '{1}', '{2}')", "{0} -> {1} -> {2}", "[{0}, {1}, {2}]"))
    together = rng.choice((", ", "; ", " ")).join(form.format(*triple) for triple in triples)
    nodes = "[" + ", ".join(dict.fromkeys(end for triple in triples for end in (triple[0], triple[2]))) + "]"
    arrows = json.dumps([" -> ".join(triple) for triple in triples])
    return rng.choice((together, together, f"[{together}]", json.dumps(lists), str(lists), arrows, nodes))


def json_shape(rng: Random) -> str:
    value = rng.choice(SHAPES)(rng)
    text = json.dumps(value, indent=rng.choice((None, None, 1, 2)), ensure_ascii=rng.random() < 0.5)
    return f"```json\n{text}\n```" if rng.random() < 0.2 else text


def python_literal(rng: Random) -> str:
    value: object = rng.choice(SHAPES)(rng)
    return repr(tuple(value) if isinstance(value, list) and rng.random() < 0.3 else value)


def cut_json(rng: Random) -> str:
    text = json_shape(rng)
    return text[: rng.randrange(len(text) + 1)]


def triplet_lists(rng: Random) -> Any:  # noqa: ANN401  (any JSON)
    """Return a graph, or several, as lists."""
    many = [[list(triple) for triple in one] for one in graphs(rng)]
    return rng.choice((many, many[0], {"graphs": many}, {f"graph {place}": one for place, one in enumerate(many)}))


def triplet_objects(rng: Random) -> Any:  # noqa: ANN401  (any JSON)
    """Return a graph as objects under one of the names models use, some with more fields."""
    names = rng.choice((("source", "edge", "target"), ("subject", "predicate", "object"), ("from", "label", "to")))
    objects: list[dict[str, Any]] = [dict(zip(names, triple, strict=True)) for triple in graph(rng)]
    if objects and rng.random() < 0.3:
        rng.choice(objects)[rng.choice(("id", "score", "graphs", names[0]))] = rng.choice(
            (1, None, 0.5, "x", [["a", "b", "c"]])
        )
    return rng.choice((objects, {"triplets": objects}, [{"action": "wash", "triplets": objects}]))


def strings(rng: Random) -> Any:  # noqa: ANN401  (any JSON)
    """Return a graph as arrow lines in a JSON list, or several in fields or in strings of their own."""
    many = [[" -> ".join(triple) for triple in one] for one in graphs(rng)]
    fields = {f"graph_{place}": one for place, one in enumerate(many, 1)}
    beside = {"nodes": ["cup", "lid", "spoon"], "steps": many}
    return rng.choice((many[0], many[0], many, fields, beside, ["\n".join(one) for one in many]))


def any_value(rng: Random, depth: int = 0) -> Any:  # noqa: ANN401  (any JSON)
    """JSON of no meaning, a few levels deep."""
    if depth > 3 or rng.random() < 0.3:
        return rng.choice((None, True, 0, -1.5, 1e400, 10**30, "", "cup", name(rng, THINGS), "a -> b -> c", [], {}))
    if rng.random() < 0.5:
        return [any_value(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {rng.choice(FIELDS): any_value(rng, depth + 1) for _ in range(rng.randrange(5))}


def vocabulary(rng: Random) -> dict[str, list[str]]:
    return {"object": rng.sample(THINGS, 9), "relationship": rng.sample(EDGES, 7), "verb": rng.sample(VERBS, 8)}


def narrative(rng: Random) -> dict[str, Any]:
    value: dict[str, Any] = {"descriptions": [description(rng) for _ in range(rng.randrange(4))]}
    options = {
        "id": name(rng, THINGS),
        "vocabulary": vocabulary(rng),
        "summaries": [rng.choice(PROSE)],
        "facts": {"split": "val"},
    }
    return value | {key: option for key, option in options.items() if rng.random() < 0.5}


def description(rng: Random) -> dict[str, Any]:
    options = {"text": rng.choice(PROSE), "graphs": graphs(rng), "frames": [rng.randrange(99) for _ in range(3)]}
    return {key: option for key, option in options.items() if rng.random() < 0.7}


def sgqa(rng: Random) -> dict[str, Any]:
    questions = [{"Q": rng.choice(PROSE), "A": name(rng, THINGS)} for _ in range(rng.randrange(3))]
    return {"data_id": rng.choice(("7", 7, None)), "context_graphs": graphs(rng), "qa_pairs": questions}


def sgds(rng: Random) -> dict[str, Any]:
    texts = [rng.choice(PROSE) for _ in range(rng.choice((0, 4, 5, 5)))]
    row: dict[str, Any] = {
        "item_id": name(rng, THINGS),
        "context_graphs": graphs(rng),
        "triplet": graph(rng),
        "target_sentence": texts[0] if texts else "x",
        "position": rng.choice((0, 0, 1, -1, 10**20, "0")),
        "variations": texts,
    }
    return row | ({"variation_triplets": [graph(rng) for _ in texts]} if rng.random() < 0.5 else {})


def sgg(rng: Random) -> dict[str, Any]:
    return {
        "context": rng.choice(("", "Before.", ["Once.", "Twice."])),
        "target_sentence": rng.choice(PROSE),
        "mandatory_space": vocabulary(rng),
        "graphs": [{"triplets": one} for one in graphs(rng)],
    }


def node_link(rng: Random) -> dict[str, Any]:
    one = graph(rng)
    ids = {
        end: rng.choice((end, place)) for place, end in enumerate(dict.fromkeys(e for t in one for e in (t[0], t[2])))
    }
    edges: list[dict[str, Any]] = [
        {"source": ids[source], "target": ids[target], rng.choice(("label", "label", "relation", "x")): edge}
        | ({"order": rng.choice((order, -order, "a", 0.5))} if rng.random() < 0.5 else {})
        for order, (source, edge, target) in enumerate(one)
    ]
    nodes = [{"id": node, "name": end} if rng.random() < 0.9 else {"id": node} for end, node in ids.items()]
    return {"directed": True, "nodes": nodes, rng.choice(("edges", "links")): edges}


def easg(rng: Random) -> dict[str, Any]:
    ends = ["Camera wearer", "right_hand", "both hands", "wooden cup:1", *VERBS, *THINGS]
    edges = ["verb", "direct object", "with", "in"]

    def entry() -> list[Any]:
        parts = [" - ".join((name(rng, ends), name(rng, edges), name(rng, ends))) for _ in range(rng.randrange(5))]
        return [52, rng.randrange(60), 60, [rng.choice(("; ", ";", "\n")).join(parts), "pick", "cup"]]

    clips: dict[str, dict[str, Any]] = {
        f"clip-{number}": {"graphs": [entry() for _ in range(rng.randrange(4))]} for number in range(2)
    }
    clips["clip-0"]["split"] = rng.choice(("val", 3, None))
    return clips


def json_lines(rng: Random) -> str:
    makers = (sgqa, sgds, sgg, narrative, node_link, triplet_lists)
    maker = rng.choice(makers)
    chosen = [maker if rng.random() < 0.95 else rng.choice(makers) for _ in range(rng.randrange(1, 5))]
    return "".join(json.dumps(make(rng), ensure_ascii=rng.random() < 0.5) + "\n" for make in chosen)


def graphml(rng: Random) -> str:
    key = '<key id="d{0}" for="{1}" attr.name="{2}" attr.type="{3}"/>'
    keys = [
        key.format(0, "node", rng.choice(("name", "label", "x")), "string"),
        key.format(1, "edge", rng.choice(("label", "relation")), "string"),
        key.format(2, "edge", "order", rng.choice(("int", "double", "string", "what"))),
    ]
    head = f'<graphml xmlns="{rng.choice(("http://graphml.graphdrawing.org/xmlns", "", "urn:x"))}">'
    first = "<?xml version='1.0'?>" if rng.random() < 0.95 else '<!DOCTYPE g [<!ENTITY a "b">]>'
    return "\n".join([first, head, *keys, *(graphml_graph(one) for one in graphs(rng)), "</graphml>"])


def graphml_graph(triples: list[Triple]) -> str:
    ends = dict.fromkeys(end for source, _, target in triples for end in (source, target))
    lines = ['<graph id="g" edgedefault="directed">']
    lines += [f'<node id="{end}"><data key="d0">{end}</data></node>' for end in ends]
    for order, (source, edge, target) in enumerate(triples):
        data = f'<data key="d1">{edge}</data><data key="d2">{order}</data>'
        lines.append(f'<edge source="{source}" target="{target}">{data}</edge>')
    return "\n".join([*lines, "</graph>"])


def noise(rng: Random) -> str:
    sources: tuple[list[str], ...] = (MARKS, NASTIES, ODD_NAMES, VERBS, ARROWS, EDGES)
    chosen = rng.choice((sources, (MARKS,), (MARKS, NASTIES), (ARROWS, VERBS, ["\n"])))
    return rng.choice(("", " ")).join(rng.choice(rng.choice(chosen)) for _ in range(rng.randrange(60)))


def any_characters(rng: Random) -> str:
    highest = rng.choice((0x80, 0x800, 0x3000, 0x110000))
    return "".join(chr(rng.randrange(highest)) for _ in range(rng.randrange(80)))


def deep(rng: Random) -> str:
    opening, closing = rng.choice(
        (("[", "]"), ("{", "}"), ('{"a":', "}"), ("(", ")"), ("[[", "]]"), ("[\n", "]\n"), ("<g>", "</g>"))
    )
    depth = rng.choice((3, 19, 20, 21, 22, 100, 500))
    inside = rng.choice(("", '["a", "b", "c"]', "a -> b -> c", '"x"', "1"))
    return opening * depth + inside + closing * rng.choice((depth, depth, depth - 1, 0))


def model_reply(rng: Random) -> str:
    return rng.choice(MODEL_REPLIES)


def nothing(rng: Random) -> str:
    return rng.choice(
        ("", " ", "\n", "\r", "[]", "{}", "[[]]", "[[[]]]", "null", "[null]", "0", '""', "<", "<graphml", "[", "{")
    )


def _shown(make: Callable[[Random], Any]) -> Callable[[Random], str]:
    return lambda rng: json.dumps(make(rng), ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, None, 2)))


SHAPES: tuple[Callable[[Random], Any], ...] = (
    triplet_lists, triplet_lists, triplet_objects, strings, any_value, node_link,
)  # fmt: skip
PIECES: tuple[Callable[[Random], str], ...] = (
    arrow_text, prose, prose, decorated, decorated, labelled_arrows, table, groups, labelled, json_shape,
    python_literal, cut_json, model_reply, model_reply,
)  # fmt: skip
KINDS: tuple[Callable[[Random], str], ...] = (
    arrow_text, arrow_text, reply, reply, reply, *PIECES, json_lines, json_lines, _shown(narrative),
    _shown(lambda rng: [node_link(rng) for _ in range(rng.randrange(3))]),
    _shown(lambda rng: [rng.choice((sgqa, sgds, sgg))(rng)]), _shown(easg), _shown(any_value), graphml, noise,
    noise, any_characters, deep, nothing,
)  # fmt: skip


def span(text: str, rng: Random) -> tuple[int, int]:
    start = rng.randrange(len(text) + 1)
    return start, min(len(text), start + rng.choice((0, 1, 1, 2, 5, 20, 100)))


def delete(text: str, rng: Random) -> str:
    start, end = span(text, rng)
    return text[:start] + text[end:]


def duplicate(text: str, rng: Random) -> str:
    start, end = span(text, rng)
    return text[:end] + text[start:]


def repeat(text: str, rng: Random) -> str:
    start, end = span(text, rng)
    return text[:start] + text[start:end] * rng.choice((3, 3, 10, 3000)) + text[end:]


def swap(text: str, rng: Random) -> str:
    (one, end_of_one), (other, end_of_other) = sorted((span(text, rng), span(text, rng)))
    if other < end_of_one:
        return text
    first, between, second = text[one:end_of_one], text[end_of_one:other], text[other:end_of_other]
    return text[:one] + second + between + first + text[end_of_other:]


def flip(text: str, rng: Random) -> str:
    start, end = span(text, rng)
    other = rng.choice(rng.choice((MARKS, NASTIES)))
    return text[:start] + other + text[min(end, start + rng.randrange(2)) :]


def splice(text: str, rng: Random) -> str:
    other = rng.choice(KINDS)(rng)
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]


def truncate(text: str, rng: Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def swap_lines(text: str, rng: Random) -> str:
    lines = text.split("\n")
    if rng.random() < 0.5:
        rng.shuffle(lines)
    return rng.choice(("\n", "\n", "\r\n", "\r", " ", "\n\n")).join(lines)


SPOILERS: tuple[Callable[[str, Random], str], ...] = (
    delete, duplicate, repeat, swap, flip, flip, splice, truncate, swap_lines,
)  # fmt: skip
