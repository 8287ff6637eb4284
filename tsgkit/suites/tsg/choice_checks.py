"""Checks of choices by words and graphs: wrong candidates that may be right, and parts of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from tsgkit.graph.model import HANDS, PERSON, ActionGraph
from tsgkit.lexicon import contradictions, mentions
from tsgkit.lexicon.matching import INFLECTION
from tsgkit.lexicon.tables import word_set
from tsgkit.library.documents.rows import Entry
from tsgkit.suites.audits.items import LETTERS, Item, Slip, words
from tsgkit.suites.tsg.items import AnySample, SelectionSample

NEGATIONS = word_set(
    "not no never none nothing neither nor without skip skipped skipping ignore ignored ignoring avoid avoided "
    "avoiding instead fail failed failing forgot forgotten omit omitted prevent prevented untouched undone unused"
)
MOST_KINDS = 12
RANDOM, PERTURBED = "random half (with variation_triplets)", "perturbed half (without variation_triplets)"


def kinds_of_rows(entries: Sequence[Entry]) -> list[str]:
    """Return the known half or kind of each row; empty texts where the rows name none.

    Choices: their only tag, else whether ``variation_triplets`` occur in them, as only in the random half of the
    published file. Generation rows: the number of graphs.
    """
    rows = [entry.row or {} for entry in entries]
    found = [""] * len(rows)
    if all("variations" in row for row in rows):
        found = [str(row["tags"][0]) if _has_one_tag(row) else "" for row in rows]
        if not all(found):
            found = [PERTURBED if row.get("variation_triplets") is None else RANDOM for row in rows]
    elif all("mandatory_space" in row for row in rows):
        found = [f"k = {len(row['graphs'])}" for row in rows]
    return found if 1 < len(set(found)) <= MOST_KINDS else [""] * len(rows)


def earlier_steps(entries: Mapping[str, Entry], sample: AnySample) -> Iterator[Slip]:
    """Find wrong candidates that describe a graph of the context: by their own graphs, else by their words."""
    if not isinstance(sample, SelectionSample):
        return
    graphs = entries[sample.item_id].asides
    for place, text in enumerate(sample.candidates):
        if place == sample.position:
            continue
        if len(graphs) == len(sample.candidates):
            step = next((n for n, graph in enumerate(sample.context) if graph == graphs[place]), None)
        else:
            step = _step_told(sample, text)
        if step is not None:
            told = f"candidate {LETTERS[place % 26]} describes graph {step + 1} of the context"
            yield Slip("earlier-step", sample.item_id, told)


def better_options(sample: AnySample) -> Iterator[Slip]:
    """Find keyed candidates without the graph's action beside a wrong one that mentions all of the graph.

    The wrong one must mention two more names, since keyed candidates may use another word for an action. If the keyed
    one mentions the opposite action, it is enough that another mentions the action and as much beside it.
    """
    if not isinstance(sample, SelectionSample) or not 0 <= sample.position < len(sample.candidates):
        return
    names, actions = _names(sample.graph), sample.graph.actions
    keyed = sample.candidates[sample.position]
    if len(names) < 2 or _tells_any(keyed, actions):
        return
    told, is_opposite = _told(keyed, names), bool(contradictions(keyed, actions))
    for place, text in enumerate(sample.candidates):
        other = _told(text, names)
        is_whole = other == names and len(other - told) > 1 and not _denies(text)
        if place != sample.position and _tells_any(text, actions) and (is_whole or (is_opposite and told <= other)):
            more = ", ".join(sorted(other - told))
            message = f"candidate {LETTERS[place % 26]} tells {more} of the graph, the keyed one does not"
            yield Slip("better-option", sample.item_id, message)
            return


def fewest_denials(item: Item) -> tuple[int, ...]:
    """Return the candidates with the fewest words that deny."""
    counts = {place: _denials(item.options[place]) for place in item.choices}
    fewest = min(counts.values(), default=0)
    return tuple(place for place, number in counts.items() if number == fewest)


def _step_told(sample: SelectionSample, text: str) -> int | None:
    """Return the last graph of the context that a text mentions completely, if the text fits the asked graph
    less well."""
    asked = _names(sample.graph)
    for step in range(len(sample.context) - 1, -1, -1):
        graph = sample.context[step]
        names = _names(graph)
        if len(names) < 2 or names <= asked or not _tells_any(text, graph.actions) or _denies(text):
            continue
        if any(_is_named_as_thing(text, action, graph) for action in graph.actions):
            continue
        if _told(text, names) == names and not _told(text, asked) - names:
            return step
    return None


def _has_one_tag(row: Mapping[str, object]) -> bool:
    tags = row.get("tags")
    return isinstance(tags, list) and len(tags) == 1


def _names(graph: ActionGraph) -> frozenset[str]:
    """Return everything named in a graph but the person and hands."""
    return frozenset(name for triplet in graph for name in (triplet.source, triplet.target)) - {PERSON, *HANDS}


def _told(text: str, names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if mentions(text, name))


def _tells_any(text: str, actions: Iterable[str]) -> bool:
    return any(mentions(text, action) for action in actions)


def _is_named_as_thing(text: str, action: str, graph: ActionGraph) -> bool:
    """Return whether a text may mean the thing that has the action's name: the iron that one irons with."""
    found = mentions(text, action)
    is_thing = any(action == triplet.target for triplet in graph if triplet.source != PERSON)
    return is_thing and found is not None and found.by != INFLECTION


@lru_cache(maxsize=100_000)
def _denials(text: str) -> int:
    return sum(word in NEGATIONS for word in words(text))


def _denies(text: str) -> bool:
    return _denials(text) > 0
