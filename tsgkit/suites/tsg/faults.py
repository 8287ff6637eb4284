"""Faults drawn into a graph that is to be mended, by their sources, and the graph as it is.

For each graph, as far as it and L leave a way to them:

``seeded``     one of each of the four kinds of error; ``several``, ``three`` and ``four``: so many (``several``: two)
               of different kinds that leave each other alone
``published``  one error as the paper's benchmark makes them
``reading``    what tolerant reading leaves of a graph that was written carelessly
``annotator``  a slip as they stand in the published files
``model``      a graph as a model wrote it: only from rows that hold one (``tsgkit make repairs``)
``none``       the graph as it is

That is one clean graph for ten spoilt ones: seven seeded, since kinds and numbers of errors are compared there with all
else equal, and one of each other source, since these draw among many kinds. An evaluation without a model stays a
matter of seconds. Draws depend on :data:`SEED` and the item's id, so that the same row always makes the same items.

>>> from tsgkit.graph.model import Vocabulary
>>> graph = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "pot"), ("fill", "with", "hand1"))
>>> L = Vocabulary(("pot", "cup"), ("verb", "dobj", "with", "from"), ("fill", "pour"))
>>> [(fault.error, len(fault.changes)) for fault in faults_of(graph, (), L, "0/a/0")][-4:]
[('published-mismatched', 1), ('reading-articles', 1), ('annotator-not-a-preposition', 1), ('none', 0)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import permutations
from random import Random
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from tsgkit.errors import EditError, NotationError, first_fault
from tsgkit.graph.careless_texts import WRITINGS, careless_reading
from tsgkit.graph.corruptions import Corrupted, Corruption, corrupt
from tsgkit.graph.edits import Change, diff
from tsgkit.graph.folding import fold_graph
from tsgkit.graph.model import ActionGraph, Triplet, Vocabulary
from tsgkit.graph.slips import KINDS, SLIPS, Slipped, annotator_slip, published_error

GIVEN = "given"
"""The field of a row that holds a graph as a model wrote it."""
SEED = 0
"""The seed of the faults, recorded with every score; the hash of the data covers what was drawn."""
SEEDED, PUBLISHED, READING, ANNOTATOR, MODEL, NONE = "seeded", "published", "reading", "annotator", "model", "none"
SOURCES = (SEEDED, PUBLISHED, READING, ANNOTATOR, MODEL, NONE)
SEVERAL = {"several": 2, "three": 3, "four": 4}
"""The error types of graphs with several errors, and how many they have."""
ATTEMPTS = 8
GRAPHS_KEPT = 512
"""The graphs whose faults are remembered: a report opens the same data once for each run, a pool reads it twice."""
ERRORS = (
    *map(str, Corruption),
    *SEVERAL,
    *(f"{PUBLISHED}-{kind}" for kind in Corruption),
    *(f"{READING}-{name}" for name in WRITINGS),
    *(f"{ANNOTATOR}-{name}" for name in SLIPS),
    *(f"{MODEL}-{kind}" for kind in (*Corruption, "several")),
    NONE,
)
"""All names of errors, in the order of tables."""


class Fault(NamedTuple):
    """A graph to be mended, the name and source of what is wrong in it, and all that differs from the original."""

    error: str
    origin: str
    graph: ActionGraph
    changes: tuple[Change, ...]
    kinds: tuple[Corruption, ...]


def faults_of(
    graph: ActionGraph, siblings: Sequence[ActionGraph], vocabulary: Vocabulary, seed: str
) -> Iterator[Fault]:
    """Yield the graph with faults, and at last as it is; a fault that graph and L leave no way to is left out.

    ``siblings`` are all graphs of the same sentence.
    """
    # by their triplets: graphs are equal in any order, but faults are drawn from the order that is written
    yield from _drawn(graph.triplets, tuple(sibling.triplets for sibling in siblings), vocabulary, seed)
    yield Fault(NONE, NONE, graph, (), ())


@lru_cache(GRAPHS_KEPT)
def _drawn(
    triplets: tuple[Triplet, ...], siblings: tuple[tuple[Triplet, ...], ...], vocabulary: Vocabulary, seed: str
) -> tuple[Fault, ...]:
    graph, graphs_beside = ActionGraph(triplets), tuple(map(ActionGraph, siblings))
    faults: list[Fault] = []
    for error in (*map(str, Corruption), *SEVERAL):
        with suppress(EditError):
            if error in SEVERAL:
                steps = _several(graph, SEVERAL[error], vocabulary, f"{seed}/{error}")
            else:
                steps = [corrupt(graph, Corruption(error), vocabulary, seed=seed)]
            changes, kinds = tuple(step.change for step in steps), tuple(step.kind for step in steps)
            faults.append(Fault(error, SEEDED, steps[-1].graph, changes, kinds))
    makers: dict[str, Callable[[str], Slipped]] = {
        PUBLISHED: lambda seed: published_error(graph, vocabulary, seed=seed),
        READING: lambda seed: careless_reading(graph, graphs_beside, seed=seed),
        ANNOTATOR: lambda seed: annotator_slip(graph, vocabulary, seed=seed),
    }
    for origin, maker in makers.items():
        with suppress(EditError):
            for attempt in range(ATTEMPTS):
                slip = maker(f"{seed}/{attempt}" if attempt else seed)
                if all(slip.graph != fault.graph for fault in faults):  # no other source has drawn it
                    name = f"{origin}-{slip.name}"
                    faults.append(Fault(name, origin, slip.graph, slip.changes, _kinds(slip.changes)))
                    break
    return tuple(faults)


def written_fault(original: ActionGraph, written: ActionGraph) -> Fault | None:
    """Return what is wrong in a graph as a model wrote it; None where nothing is."""
    changes = diff(fold_graph(original), fold_graph(written)).changes
    if not changes:
        return None
    kinds = _kinds(changes)
    return Fault(f"{MODEL}-{kinds[0] if len(changes) == 1 else 'several'}", MODEL, written, changes, kinds)


def _kinds(changes: Sequence[Change]) -> tuple[Corruption, ...]:
    return tuple(dict.fromkeys(KINDS[change.kind] for change in changes))


def _several(graph: ActionGraph, number: int, vocabulary: Vocabulary, seed: str) -> list[Corrupted]:
    """Return the steps that put so many errors into a graph, of different kinds, which leave each other alone."""
    orders = list(permutations(Corruption, number))
    if number > SEVERAL["several"]:  # a redundant triplet takes longest to draw, and those before it may fail
        orders = [kinds for kinds in orders if Corruption.REDUNDANT not in kinds[:-1]]
    Random(seed).shuffle(orders)
    for attempt in range(ATTEMPTS):
        for kinds in orders:
            with suppress(EditError):
                return _steps(graph, kinds, vocabulary, f"{seed}/{attempt}" if attempt else seed)
    raise EditError(f"no {number} errors of different kinds go together in this graph")


def _steps(graph: ActionGraph, kinds: Sequence[Corruption], vocabulary: Vocabulary, seed: str) -> list[Corrupted]:
    """Return an error of each kind in turn; ``EditError`` where one touches or undoes an earlier one."""
    steps: list[Corrupted] = []
    touched: set[Triplet | None] = set()
    for kind in kinds:
        step = corrupt(graph, kind, vocabulary, seed=seed)
        right, wrong = step.change.reference, step.change.candidate
        if touched & {right, wrong}:
            raise EditError("one error touches another")
        touched |= {right, right and right.reversed, wrong} - {None}
        steps.append(step)
        graph = step.graph
    return steps


class GivenGraph(BaseModel):
    """A graph as a model wrote it, in the field ``given`` of a row of generation tasks.

    ``number`` is the place of the reference among the row's graphs, ``triplets`` the graph as it was written;
    ``subject``, ``solver``, ``style``, ``repeat``, ``task`` and ``item_id`` name who wrote it, and to what item.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    number: Annotated[StrictInt, Field(ge=0)]
    triplets: Annotated[list[Annotated[list[StrictStr], Field(min_length=3, max_length=3)]], Field(min_length=1)]
    subject: StrictStr = ""
    solver: StrictStr = ""
    style: StrictStr = ""
    repeat: StrictInt = 0
    task: StrictStr = ""
    item_id: StrictStr = ""

    @property
    def graph(self) -> ActionGraph:
        """The graph as it was written."""
        return ActionGraph(Triplet(*triplet) for triplet in self.triplets)


def given_in(row: Mapping[str, Any], item: str) -> GivenGraph | None:
    """Return the graph that a row gives, None if it gives none; ``NotationError`` where it cannot be used.

    >>> row = {"graphs": [{"triplets": [["person", "verb", "wash"]]}],
    ...        "given": {"number": 0, "triplets": [["person", "verb", "dry"]], "subject": "openai/x"}}
    >>> given_in(row, "7").graph == ActionGraph.of(("person", "verb", "dry"))
    True
    """
    if GIVEN not in row:
        return None
    try:
        model_graph = GivenGraph.model_validate(row[GIVEN])
    except ValidationError as error:
        raise NotationError(f"item {item}: {GIVEN}.{first_fault(error)}") from None
    if model_graph.number >= (count := len(row["graphs"])):
        raise NotationError(
            f"item {item}: {GIVEN}.number: {model_graph.number}, and the row has {count} graphs, counted from 0"
        )
    return model_graph
