"""Tolerant reader of graphs in model replies: bullets, bold, other arrows, JSON, headings, blank lines.

>>> reading = read('''Sure! Here is the graph:
... - **person** → verb → wash
... - wash --> dobj --> cup''')
>>> reading.graphs == (ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup")),)
True
>>> for note in reading.notes:
...     print(note)
line 1: ignored: a heading or lead-in: 'Sure! Here is the graph:'
line 2: repaired: bullet, decoration, arrow: '- **person** → verb → wash'
line 3: repaired: bullet, arrow: '- wash --> dobj --> cup'

One module each:

===============  ==========================================================================================
``line``         one line: usual characters, the words before its content, names, notes
``lines``        triplets on a line, with arrows and without; a break between graphs, or something else
``tables``       triplets whose parts are named: tables with a head, tags, block YAML
``diagrams``     Graphviz, Mermaid, Cypher
``values``       JSON, whole or broken
``corrections``  the choice of the graphs that are the answer, by the lines above them
``text``         the walk through all of it
``blocks``       the triplets that make one graph
``answers``      the graphs of a reply's answer alone, folded; where in the text their triplets stand
===============  ==========================================================================================

:func:`read` never raises, and every line that is neither blank nor a clean triplet leaves a note.

Nothing is invented. Three names with commas, bars, tabs or hyphens between them are a triplet only if the middle one is
certainly an edge (``verb``, ``dobj`` or a preposition) or a table header says so; the same holds for three names in
brackets after a title (``Nodes: [cup, lid, sink]``). Sentences with arrows, the requested format (``source -> edge ->
target``), text that is struck out, questioned or denied ("hand2? No."), graphs replaced by a correction, summaries of
the graphs before them, and graphs below "Given:" or "Do not write:" are noted.

Not covered: names are not lower-cased or matched to a vocabulary (scoring folds, edits snap); a chain of four arrows
without labels is not interpreted; reasoning is not separated from the answer (``answers`` does that).
"""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.graph.model import ActionGraph
from tsgkit.graph.reading.blocks import arrange
from tsgkit.graph.reading.line import Note
from tsgkit.graph.reading.text import find_blocks

__all__ = ["Note", "Reading", "read"]


@dataclass(frozen=True)
class Reading:
    """The result of reading: graphs, the line of each triplet, and notes on everything that was not clean."""

    graphs: tuple[ActionGraph, ...]
    lines: tuple[tuple[int, ...], ...]
    notes: tuple[Note, ...]

    @property
    def repaired(self) -> tuple[Note, ...]:
        """Notes on lines that were read although they were not written as asked."""
        return tuple(note for note in self.notes if note.kind == "repaired")

    @property
    def unread(self) -> tuple[Note, ...]:
        """Notes on lines that look like triplets and could not be read."""
        return tuple(note for note in self.notes if note.kind == "unread")

    @property
    def ignored(self) -> tuple[Note, ...]:
        """Notes on lines outside the graphs: prose, headings, fences."""
        return tuple(note for note in self.notes if note.kind == "ignored")


def read(text: str, k: int | None = None, *, are_listed: bool = False) -> Reading:
    """Return all graphs of a text, where ``k`` graphs were asked for (None: not known).

    Blank lines, headings and fences end a block; a block without a person-verb triplet belongs to the block before
    it, unless there are exactly k and none has one, or they are the k entries of a list (``are_listed``). Blocks with
    several person-verb triplets are split only when k is above 1 and fewer than k were found.
    """
    blocks, notes = find_blocks(text)
    arranged, more_notes = arrange(blocks, k, are_listed=are_listed)
    return Reading(
        graphs=tuple([ActionGraph([line.triplet for line in block]) for block in arranged]),
        lines=tuple([tuple([line.line for line in block]) for block in arranged]),
        notes=tuple(sorted([*notes, *more_notes], key=lambda note: note.line)),
    )
