"""What both profiles read in one reply, beside each other, and in words why they differ.

>>> from tsgkit.suites.tsg.samples import SelectionSample
>>> sample = SelectionSample(item_id="0", cluster="", context=(), graph=(), candidates=("a", "b", "c"), position=1)
>>> both = read_twice(sample, Reply("Answer A is tempting.\\n\\n[B]"))
>>> both.strict, both.official, both.why[0][:36]
('B', 'A', 'official takes the first [X] or capi')
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from tsgkit.graph.folding import fold_graph
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.replies import Unreadable
from tsgkit.replies.lists import Listed
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.derived import DerivedSample
from tsgkit.suites.tsg.judging import NO_READER, Answer, official_view, read_reply, unpublished
from tsgkit.suites.tsg.samples import AnySample, GenerationSample, SelectionSample

Graphs = tuple[ActionGraph, ...]
MOST_QUOTED = 3


def read_twice(sample: AnySample, reply: Reply | None, style: str = "zero-shot", solver: str = "single") -> TwoReadings:
    """Both readings of a reply (None: there is none)."""
    outcome, found = read_reply(sample, reply)
    answer = _shown(found)
    unreadable = found.reason if isinstance(found, Unreadable) else ""
    notes = found.reading.notes if isinstance(found, GraphAnswer) else ()
    text = (reply.text if reply is not None else None) or ""
    if refused := NO_READER if isinstance(sample, DerivedSample) else unpublished(style, solver):
        return TwoReadings(outcome, answer, unreadable, notes, None, refused, ())
    view = official_view(text, style)
    published = _official(sample, view)
    why = tuple(_differences(sample, outcome, answer, published, view))
    return TwoReadings(outcome, answer, unreadable, notes, published, "", why)


def _shown(found: Answer | Unreadable | None) -> str | Graphs | None:
    """What was read, as it is shown: graphs, a word, or names one a line."""
    if isinstance(found, Listed):
        return "\n".join(found.names)
    return found.graphs if isinstance(found, GraphAnswer) else found if isinstance(found, str) else None


def _official(sample: AnySample, text: str) -> str | Graphs | None:
    if isinstance(sample, GenerationSample):
        return official.graphs(text)
    return official.letter(text) if isinstance(sample, SelectionSample) else official.word(text)


def _differences(
    sample: AnySample, outcome: Outcome, answer: str | Graphs | None, published: str | Graphs | None, view: str
) -> Iterator[str]:
    if outcome not in (Outcome.ANSWERED, Outcome.UNREADABLE):
        if view.strip():
            yield f"the reply ended as {outcome}: strict gives it nothing, official reads what text there is"
        elif isinstance(sample, GenerationSample):
            yield "no text: strict counts the item as wrong, official leaves it out"
        return
    if isinstance(sample, GenerationSample):
        strict = answer if isinstance(answer, tuple) else ()
        yield from _graph_differences(sample, strict, published if isinstance(published, tuple) else ())
    elif answer != published:
        yield _letter_rule() if isinstance(sample, SelectionSample) else _word_rule()


def _letter_rule() -> str:
    return (
        "official takes the first [X] or capital letter A to E that stands alone, wherever it is; "
        "strict what is called the answer, else a sentence that answers, a letter alone, or brackets that agree"
    )


def _word_rule() -> str:
    return (
        "official takes what the first bracket holds, else the whole reply; "
        "strict what is called the answer, else a sentence that answers, a name alone, or brackets that agree"
    )


def _graph_differences(sample: GenerationSample, strict: Graphs, published: Graphs) -> Iterator[str]:
    if len(strict) != len(published):
        how = "only blank lines end a graph there, and only lines of exactly two arrows count"
        yield f"official finds {len(published)} graphs, strict {len(strict)}: {how}"
    for number, (mine, theirs) in enumerate(zip_longest(strict, published)):
        yield from _triplet_differences(number, mine or ActionGraph(), theirs or ActionGraph())
    if len(published) != sample.k:
        scored = min(len(published), sample.k)
        yield (
            f"official scores {scored} of {sample.k} graphs wanted, {len(published)} found, and forgets the others; "
            "strict counts a missing or surplus graph as wrong"
        )


def _triplet_differences(number: int, strict: ActionGraph, published: ActionGraph) -> Iterator[str]:
    """What only one of both readings has; folding alone makes no difference worth telling unless it costs a match."""
    only_strict = [triplet for triplet in strict if triplet not in set(published)]
    only_official = [triplet for triplet in published if triplet not in set(strict)]
    if only_strict and fold_graph(published) == strict:
        yield f"graph {number}: strict folds case, quotes and final periods, official does not: {_some(only_official)}"
        return
    if only_strict and len(only_strict) == len(only_official):
        more = f" ({len(only_strict)} triplets differ)" if len(only_strict) > 1 else ""
        yield f"graph {number}: strict reads {only_strict[0]}, official {only_official[0]}{more}"
        return
    if only_strict:
        yield f"graph {number}: only strict reads {_some(only_strict)}"
    if only_official:
        yield f"graph {number}: only official reads {_some(only_official)}"


def _some(triplets: Sequence[object]) -> str:
    more = f" and {len(triplets) - MOST_QUOTED} more" if len(triplets) > MOST_QUOTED else ""
    return "; ".join(map(str, triplets[:MOST_QUOTED])) + more
