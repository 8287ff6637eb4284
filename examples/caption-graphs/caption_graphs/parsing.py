"""The task ``captions/parse``: a caption becomes a scene graph of objects, attributes and relations.

>>> read_tuples("Scene graph: ( man , ride , horse ) , ( horse , brown )").tuples
(('man',), ('horse',), ('horse', 'brown'), ('man', 'ride', 'horse'))

One element is an object, two are an object and its attribute, three a subject, a relation and an object. Scores are F1
over tuples in three strictnesses, F1 of each kind, and hallucinated objects. Tuples are a set: what is said twice
counts once. The notation knows objects by name alone, so "a brown dog and a black dog" is one object ``dog`` with two
attributes: a graph gains nothing by naming it twice and loses nothing by naming it once, and an attribute that was
given to the wrong one of the two goes unnoticed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, ClassVar

from pydantic import Field
from tsgkit.graph.model import ActionGraph
from tsgkit.lexicon import Synonyms, mentions
from tsgkit.library.cards import Card
from tsgkit.replies import Unreadable
from tsgkit.replies.tuples import Tuples, tuples, tuples_text
from tsgkit.scoring import Score
from tsgkit.scoring.set_scores import match, overlap, shared_tuples
from tsgkit.suites.audits.rows import audit_rows
from tsgkit.suites.judgement import AnswerScores, Given, Judged
from tsgkit.suites.metrics import PER_ITEM, Metric
from tsgkit.suites.panels import Panel, SampleView, table_panel
from tsgkit.suites.rows import Item, json_row, json_rows
from tsgkit.suites.solvers.offline_solvers import programs
from tsgkit.suites.solvers.prompt_files import closed, list_of, row_prompt
from tsgkit.suites.solvers.scorers import majority
from tsgkit.suites.task import Graphs, Groups, Task, View

from caption_graphs.rules import parse

Names = tuple[str, ...]
CaptionGraph = tuple[Names, ...]
KINDS = ("objects", "attributes", "relations")
"""The kinds of tuples: those of one, two and three names."""
FORMS = {("object",), ("object", "attribute"), ("subject", "relation", "object")}
"""The notation itself, which replies like to repeat."""
same = Synonyms(files("caption_graphs").joinpath("synonyms.txt").read_text(encoding="utf-8")).same
"""Say whether two names mean the same but for spelling, inflection and the synonyms we know."""
METRICS = {
    "folded_f1": Metric("F1 of tuples whose names are the same but for spelling, inflection and synonyms", PER_ITEM),
    "exact_f1": Metric("F1 of tuples with the same names", PER_ITEM, is_headline=False),
    "soft_f1": Metric("F1 of tuples by the share of names that are the same", PER_ITEM, is_headline=False),
    **{f"{kind}_f1": Metric(f"folded_f1 of {kind} alone", PER_ITEM, is_headline=False) for kind in KINDS},
    "hallucinated": Metric("objects that neither reference nor caption has", more_is_better=False, is_headline=False),
}
NAME: Mapping[str, object] = {"type": "string"}
ENTRIES = {"objects": NAME, "attributes": list_of(NAME, 2, 2), "relations": list_of(NAME, 3, 3)}
SCHEMA = closed({kind: list_of(entry) for kind, entry in ENTRIES.items()})


def graph_of(elements: Iterable[Sequence[str]]) -> CaptionGraph:
    """Return the graph of some tuples: objects, attributes, then relations, each once and in the order of mention.

    Whatever has an attribute or a relation is an object too, and ( horse , is , brown ) is an attribute.
    """
    graph: dict[Names, None] = {}
    for element in elements:
        names = tuple(map(tidy, element))
        if len(names) == 3 and names[1] in ("is", "are"):
            names = names[::2]
        graph.update(dict.fromkeys([*((name,) for name in names[::2]), names]))  # first and third are objects
    return tuple(sorted(graph, key=len))


def of_kind(graph: CaptionGraph, kind: str) -> CaptionGraph:
    """Return the tuples of a kind."""
    return tuple(names for names in graph if len(names) == KINDS.index(kind) + 1)


def tidy(name: str) -> str:
    """Return a name in lower case, without articles, quotes and a final period.

    >>> tidy('"The  Stop_Sign".')
    'stop sign'
    """
    words = re.sub(r"[\"“”_\s]+", " ", name.lower())
    return re.sub(r"^(?:[\s'`‘’]+|(?:an?|the)\s+)+|[\s.'`‘’]+$", "", words)


def read_tuples(reply: str) -> Tuples | Unreadable:
    """Read the graph that a reply says; one without any tuple, or with one of four, cannot be read."""
    reading = tuples(reply, fields=("tuples", *KINDS), forms=FORMS)
    return reading if isinstance(reading, Unreadable) else reading._replace(tuples=graph_of(reading.tuples))


class Caption(Item):
    """A caption with its graph."""

    caption: str = Field(pattern=r"\S")
    graph: CaptionGraph
    tags: tuple[str | int, ...] = ()
    grouped_by: ClassVar = {"tag": "tags"}


def row_of(line: str) -> Mapping[str, Any]:
    """Return the row in a line: JSON whose graph is a text of tuples or three lists, or a caption, a tab and tuples."""
    caption, tab, graph = line.partition("\t")
    row = {"caption": caption.strip(), "graph": graph} if tab and line[0] != "{" else json_row(line)
    reading = read_tuples(str(row["graph"]) if "graph" in row else json.dumps({kind: row[kind] for kind in KINDS}))
    if isinstance(reading, Unreadable):
        raise ValueError(f"graph: {reading.reason}")  # noqa: TRY004  (the reason why a line is no row)
    return {**row, "graph": reading.tuples}


def score(item: Caption, answer: Tuples | None, given: Given) -> AnswerScores:
    """Score the tuples; the evidence is what was matched, missing and extra."""
    graph, notes = answer or Tuples(())
    results = scores(item.graph, graph, item.caption)
    text = tuples_text(graph) if answer else None
    return AnswerScores(results, answer=text, evidence=results["folded_f1"].evidence, notes=notes)


def scores(reference: CaptionGraph, answer: CaptionGraph, caption: str) -> dict[str, Score]:
    """Return all scores of an answer; one without tuples is worth nothing, and weighs as much as a wrong one."""
    exact = overlap(frozenset(reference), frozenset(answer))
    shared = shared_tuples(reference, answer, same)
    return {
        "folded_f1": folded_f1(reference, answer),
        "exact_f1": Score(exact.f1, 1, f"{exact.right} the same of {exact.wanted} wanted and {exact.said} said"),
        "soft_f1": Score(2 * shared / (len(reference) + len(answer)), 1, f"{shared:.2f} in common"),
        **{f"{kind}_f1": folded_f1(of_kind(reference, kind), of_kind(answer, kind)) for kind in KINDS},
        "hallucinated": hallucinated(reference, answer, caption),
    }


def folded_f1(wanted: Sequence[Names], answered: Sequence[Names]) -> Score:
    """Return F1 over tuples that mean the same, with the tuples that do and do not as evidence."""
    if not wanted and not answered:
        return Score.missing("none wanted and none said")
    matched = match(wanted, answered, lambda one, other: len(one) == len(other) and all(map(same, one, other)))
    reason = f"{len(matched.pairs)} mean the same of {len(wanted)} wanted and {len(answered)} said"
    return Score(matched.overlap.f1, 1, reason, matched._asdict())


def hallucinated(reference: CaptionGraph, answer: CaptionGraph, caption: str) -> Score:
    """Return the share of answered objects that the reference has not, nor the caption in any inflected form."""
    wanted, answered = ([name for (name,) in of_kind(graph, "objects")] for graph in (reference, answer))
    if not answered:
        return Score.missing("no objects said")
    new = [name for name in answered if not (mentions(caption, name) or any(same(name, one) for one in wanted))]
    return Score(len(new), len(answered), f"{len(new)} of {len(answered)} objects", new)


def vote(answers: Sequence[Tuples]) -> Tuples | Unreadable:
    """Return the tuples that most draws have."""
    kept = majority([answer.tuples for answer in answers], key=lambda names: names)
    return Tuples(graph_of(kept)) if kept else Unreadable("no tuple has a majority")


def sides(judged: Judged) -> dict[str, Sequence[Names]]:
    """Return the wanted tuples that were matched, those that were missing, and those that were too many."""
    evidence = judged.evidence or {}
    matched = [wanted for wanted, _ in evidence.get("pairs", ())]
    return {"matched": matched, "missing": evidence.get("missing", ()), "extra": evidence.get("extra", ())}


def trace(judged: Judged) -> tuple[str, ...]:
    """Return the tuples that were missing and those that were too many."""
    return tuple(f"{side}: {tuples_text(sides(judged)[side])}" for side in ("missing", "extra") if sides(judged)[side])


def graphs(item: Caption, judged: Judged) -> Graphs:
    """Return the graphs wanted and given; a tuple that means the same as a wanted one is drawn as that one."""
    answer = triplets_of([*sides(judged)["matched"], *sides(judged)["extra"]])
    return Graphs((triplets_of(item.graph),), () if judged.answer is None else (answer,))


def triplets_of(graph: Sequence[Names]) -> ActionGraph:
    """Return relations and attributes as triplets; objects alone have none."""
    return ActionGraph.of(*((names[0], "is", names[1]) if len(names) == 2 else names for names in graph if names[1:]))


def view(shown: SampleView) -> Iterator[Panel]:
    """Yield a table of all tuples, the signs in front of them as in graphs."""
    signed = zip("=-+", sides(shown.judged).values(), strict=True)
    rows = [[sign, tuples_text([names])] for sign, side in signed for names in side]
    yield table_panel("Tuples", ["", "tuple"], rows)


def parsing(card: Card) -> Task:
    """Return the task that parses captions into tuples."""
    rows = json_rows("parse", Caption, row_of=row_of)
    return Task(
        card=card,
        rows=rows,
        prompt=row_prompt(
            card,
            rows,
            fields=lambda item: {"caption": item.caption},
            asked=("caption",),
            answer=lambda item: tuples_text(item.graph),
            schema=lambda item, most: SCHEMA,
        ),
        read=lambda text, item: read_tuples(text),
        score=score,
        metrics=METRICS,
        shown=("folded_f1", "exact_f1", "soft_f1", "hallucinated"),
        groups=Groups(names=("tag",)),
        vote=vote,
        view=View(
            question=lambda item: item.caption,
            reference=lambda item: tuples_text(item.graph),
            told=lambda answer: tuples_text(answer.tuples),
            trace=trace,
            graphs=graphs,
        ),
        baselines=programs({"rules": lambda item, seed: tuples_text(graph_of(parse(item.caption)))}),
        audit=audit_rows,
    )
