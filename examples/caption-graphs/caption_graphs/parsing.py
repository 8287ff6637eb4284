"""The task ``captions/parse``: a caption becomes a scene graph of objects, attributes and relations.

Rows are JSON, or lines as they are common in this field: ``caption<TAB>( man , ride , horse ) , ( horse , brown )``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tsgkit.replies import Unreadable
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judgement import AnswerScores, Judged
from tsgkit.suites.solvers.protocols import AsAsked, Reading
from tsgkit.suites.solvers.vote_rules import majority
from tsgkit.suites.text_task import RowItem, RowTask

from caption_graphs.rules import parse
from caption_graphs.scoring import METRICS, scores
from caption_graphs.tuples import KINDS, CaptionGraph, TupleReading, read_tuples, write_tuples


@dataclass(frozen=True)
class Caption(RowItem):
    """A caption with its graph."""

    text: str
    graph: CaptionGraph


class Parsing(RowTask[Caption, TupleReading]):
    """Captions parsed into tuples."""

    metrics = METRICS
    groups = ("tag",)
    shown = ("folded_f1", "exact_f1", "soft_f1", "hallucinated")
    asked_fields = ("caption",)
    baselines = MappingProxyType({"rules": lambda item, seed: write_tuples(parse(item.text))})

    def row_of(self, line: str) -> Mapping[str, Any]:
        """Return a row of JSON, or a caption and its tuples with a tab between them."""
        caption, tab, graph = line.partition("\t")
        return {"caption": caption.strip(), "graph": graph} if tab and line[0] != "{" else super().row_of(line)

    def item_of(self, row: Mapping[str, Any], number: int) -> Caption:
        """Return the caption of a row, whose graph is a text of tuples or three lists of them."""
        text = row["caption"]
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"caption: expected a sentence, not {text!r}")
        found = read_tuples(str(row["graph"]) if "graph" in row else json.dumps({kind: row[kind] for kind in KINDS}))
        if isinstance(found, Unreadable):
            raise ValueError(f"graph: {found.reason}")  # noqa: TRY004
        tags = tuple(map(str, row.get("tags", ())))
        return Caption(str(row.get("item_id", number)), text, found.graph, groups={"tag": tags})

    def fields(self, item: Caption) -> Mapping[str, str]:
        """Return the caption."""
        return {"caption": item.text}

    def shown_answer(self, item: Caption) -> str:
        """Return the tuples."""
        return write_tuples(item.graph)

    def schema(self, item: Caption) -> dict[str, Any]:
        """Return the schema of three lists."""
        name = {"type": "string"}
        several = [name, *({"type": "array", "items": name, "minItems": n, "maxItems": n} for n in (2, 3))]
        lists = {kind: {"type": "array", "items": one} for kind, one in zip(KINDS, several, strict=True)}
        return {"type": "object", "properties": lists, "required": list(KINDS), "additionalProperties": False}

    def read_text(self, item: Caption, text: str) -> TupleReading | Unreadable:
        """Read tuples."""
        return read_tuples(text)

    def answer_scores(self, item: Caption, answer: TupleReading | None, asked: AsAsked | None) -> AnswerScores:
        """Score the tuples; the evidence is what was missing and extra."""
        found = scores(item.graph, answer.graph if answer else None, item.text)
        evidence = found["folded_f1"].evidence
        told, notes = (self.told(answer), answer.notes) if answer else (None, ())
        return AnswerScores(found, answer=told, evidence=evidence, notes=notes)

    def told(self, answer: TupleReading) -> str:
        """Return the tuples."""
        return write_tuples(answer.graph)

    def trace(self, judged: Judged) -> tuple[str, ...]:
        """Return the tuples that were missing and those that were too many."""
        sides = ((side, (judged.evidence or {}).get(side)) for side in ("missing", "extra"))
        return tuple(f"{side}: " + " , ".join(f"( {' , '.join(one)} )" for one in said) for side, said in sides if said)

    def vote(self, item: Caption, answers: Sequence[TupleReading]) -> Reading[Any]:
        """Return the tuples that most draws have."""
        kept = majority([answer.graph.tuples for answer in answers], key=lambda one: one)
        if not kept:
            return Reading(Outcome.UNREADABLE, Unreadable("no tuple has a majority"))
        return Reading(Outcome.ANSWERED, TupleReading(CaptionGraph.of(kept)))
