"""Panels of this suite's samples: candidates, given graphs, and lists of names.

>>> list(set_rows(["cup", "lid"], ["jar", "cup"]))
[('=', 'cup'), ('-', 'lid'), ('+', 'jar')]
>>> list(order_rows(["take", "fill"], ["take", "dip", "fill"]))
[('=', 'take', 'take'), ('+', '', 'dip'), ('=', 'fill', 'fill')]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from tsgkit.graph.folding import fold, fold_graph, fold_vocabulary
from tsgkit.suites.panels import Panel, SampleView, differences_panel, graphs_panel, table_panel
from tsgkit.suites.task import Graphs
from tsgkit.suites.tsg.items import LETTERS, ActionsSample, NodesSample, QuestionSample, RefineSample, SelectionSample

SIGNS = {"equal": "=", "delete": "-", "insert": "+", "replace": "~"}


def view(shown: SampleView) -> Iterator[Panel]:
    """Yield the panels of a sample that its kind has beside the graphs of reference and answer."""
    sample, answer = shown.sample, shown.judged.answer
    names = [str(name) for name in answer] if isinstance(answer, list) else []
    match sample:
        case RefineSample():
            originals, spoilt = (fold_graph(sample.original),), (fold_graph(sample.spoilt),)
            graphs = Graphs(originals, spoilt, fold_vocabulary(sample.vocabulary))
            yield differences_panel("Reference and the graph that was given", graphs)
        case SelectionSample():
            options = [
                {"label": letter, "text": text, "is_key": index == sample.position, "is_answer": letter == answer}
                for index, (letter, text) in enumerate(zip(LETTERS, sample.candidates, strict=False))
            ]
            yield Panel("choices", "Candidates", {"options": options})
            yield graphs_panel("Graph to describe", [sample.graph])
            if sample.context:
                yield graphs_panel("Graphs before it", sample.context)
        case QuestionSample():
            sign = "-" if answer is None else "=" if answer == fold(sample.answer) else "~"
            yield table_panel("Answer", ["", "wanted", "answered"], [[sign, sample.answer, answer]])
            yield graphs_panel("Graphs that were asked about", sample.graphs)
        case NodesSample():
            yield table_panel("Nodes", ["", "node"], set_rows(sample.nodes, names))
        case ActionsSample():
            yield table_panel("Actions in order", ["", "wanted", "answered"], order_rows(sample.actions, names))


def set_rows(wanted: Sequence[str], answered: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield a sign and a name: wanted names that were said or not, then others that were said."""
    folded = dict.fromkeys(map(fold, wanted))
    yield from (("=" if name in answered else "-", name) for name in folded)
    yield from (("+", name) for name in dict.fromkeys(answered) if name not in folded)


def order_rows(wanted: Sequence[str], answered: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield a sign, a wanted and a said name, so that common names in order stand side by side."""
    folded = [fold(name) for name in wanted]
    for kind, start, end, first, last in SequenceMatcher(None, folded, answered, autojunk=False).get_opcodes():
        for expected, name in zip_longest(folded[start:end], answered[first:last], fillvalue=""):
            yield SIGNS[kind] if expected and name else "-" if expected else "+", expected, name
