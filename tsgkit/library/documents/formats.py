"""File formats of action graphs: names, endings, and the information that each can represent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tsgkit.errors import UsageError

TEXTS = "texts of descriptions"
VOCABULARIES = "vocabularies"
NARRATIVES = "borders between narratives"
DESCRIPTIONS = "borders between descriptions"
IDS = "ids and facts of narratives"
SUMMARIES = "summaries"
FRAMES = "frame numbers"
ROWS = "other fields of rows, such as questions and candidates"
STORY = frozenset({TEXTS, VOCABULARIES, NARRATIVES, DESCRIPTIONS, IDS, SUMMARIES, FRAMES})


@dataclass(frozen=True)
class Format:
    """A file format: its name, the file endings that select it for writing, and its description."""

    name: str
    endings: tuple[str, ...]
    meaning: str
    reads: bool = True
    writes: bool = True
    carries: frozenset[str] = frozenset()

    @property
    def is_lines(self) -> bool:
        """True if each item is a line of its own, whatever the others are."""
        return self.name in ("triplet-lines", "narrative", "sgqa", "sgds", "sgg")


FORMATS = {
    format.name: format
    for format in (
        Format("arrow", (".txt", ".arrow"), "source -> edge -> target lines, a blank line between graphs"),
        Format("triplets", (".json",), "JSON: a list of graphs, each a list of [source, edge, target]"),
        Format("triplet-lines", (), "JSON Lines: such a list, or one graph, a line", carries=frozenset({NARRATIVES})),
        Format("narrative", (".jsonl",), "JSON Lines: descriptions with texts and graphs, L", carries=STORY),
        Format("node-link", (), "JSON: networkx node-link graphs, with kinds"),
        Format("graphml", (".graphml", ".xml"), "GraphML, for graph editors"),
        Format("dot", (".dot", ".gv"), "Graphviz DOT", reads=False),
        Format("mermaid", (".mmd", ".mermaid"), "a Mermaid flowchart", reads=False),
        Format("easg", (), "EASG's downstream file; its clips become narratives", writes=False, carries=STORY),
        Format("sgqa", (), "rows of the question answering data", carries=frozenset({NARRATIVES, IDS, ROWS})),
        Format("sgds", (), "rows of the description selection data", carries=STORY | {ROWS}),
        Format("sgg", (), "rows of the generation data", carries=frozenset({TEXTS, VOCABULARIES, DESCRIPTIONS, ROWS})),
    )
}


def by_name(name: str) -> Format:
    """Return the format of this name."""
    if name not in FORMATS:
        raise UsageError(f"there is no format {name!r}", hint=f"the formats: {', '.join(FORMATS)}")
    return FORMATS[name]


def by_ending(path: str | Path) -> Format:
    """Return the format a file's ending chooses when it is written."""
    ending = Path(path).suffix.lower()
    for format in FORMATS.values():
        if ending in format.endings:
            return format
    endings = ", ".join(ending for format in FORMATS.values() for ending in format.endings)
    raise UsageError(
        f"{path}: no format has the ending {ending!r}",
        hint=f"use one of {endings}, or name the format with --to",
    )


def table() -> str:
    """Return all formats as a plain table, for help texts."""
    lines = []
    for format in FORMATS.values():
        ways = "in, out" if format.reads and format.writes else "in" if format.reads else "out"
        lines.append(f"  {format.name:<14} {ways:<8} {', '.join(format.endings):<17} {format.meaning}")
    return "\n".join(lines)
