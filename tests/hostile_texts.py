"""Long hostile texts, made of one piece that is repeated."""

from __future__ import annotations

import json

PIECES = {
    "arrows": "->", "dashes": "-", "open brackets": "[", "open bracket lines": "[\n", "cut triples": '["a",\n',
    "quotes": '["', "braces": '{"a":\n', "parts": " -> a", "stars": "* ", "cells": "|", "small values": "[1,\n2]\n",
    "blocks": "a -> b -> c\n\n", "actions": "person -> verb -> a\na -> b -> c\n",
    "repeated action": "person -> verb -> a\n", "hidden": "\u200b", "semicolons": "a -> b -> c;", "headings": "Graph ",
    "titles": "abc (x): ", "titled lists": "Objects: ('a', 'b', 'c')\n",
    "labelled lists": '"graph 1": ("a", "b", "c")\n', "arrow strings": '["a -> b -> c", ', "labelled chains": "A-->|x|",
    "labelled arrows": "lift -dobj-> ", "entries": "- source: a\n  edge: dobj\n", "mappings": "a:\n  on: b\n",
    "flowcharts": "graph TD\nA[b] -->|x| c\n", "digraphs": "digraph { a -> b [label=c]; } ",
    "tags": "<triplet><subj>a</subj>", "marked parts": "<triplet> a <subj> b <obj> c ",
    "graphs in a paragraph": "Graph 1: a -> b -> c. ", "headings in a sentence": "a Graph 1: ",
    "commands": r"\text{a} \rightarrow ", "open commands": r"\xrightarrow{", "struck out": "~~a ",
}  # fmt: skip


def hostile_texts(length: int) -> dict[str, str]:
    """Return a text of about this length of each kind, by name."""
    texts = {name: piece * (length // len(piece)) for name, piece in PIECES.items()}
    chain = "".join(f"n{n} -> on -> n{n + 1}\n" for n in range(length // 16))
    return texts | {
        "chains": "person -> verb -> a\nperson -> verb -> b\n" + chain,
        "strings of brackets": json.dumps(["[[[\n[[["] * (length // 12)),
        "strings in strings": json.dumps([json.dumps([json.dumps(["a", "b", "c"])] * 50)] * (length // 1500)),
    }
