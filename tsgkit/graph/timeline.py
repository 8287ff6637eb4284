"""Timeline of a narrative: what was touched when, the content of each hand, and queries about before, after and
between.

>>> from tsgkit.graph.model import ActionGraph, Narrative
>>> def act(action, thing, *more):
...     return ActionGraph.of(("person", "verb", action), (action, "dobj", thing), *((action, *edge) for edge in more))
>>> time = Timeline(Narrative.of([
...     act("pick-up", "spoon", ("with", "hand1")),
...     act("open", "lid", ("with", "hand2")),
...     act("stir", "soup", ("with", "spoon"), ("with", "hand1")),
...     act("put-down", "spoon", ("with", "hand1")),
... ]))
>>> time.in_hand("hand1", before=("open", "lid"))
('spoon',)
>>> time.handled_between(("open", "lid"), "put-down")
('soup', 'spoon')
>>> time.after("open").action, [step.index for step in time.touched("spoon")]
('stir', [0, 2, 3])

An *event* names a step: the step itself, its number, or words that all occur in it (``("open", "lid")``, or just
``"open"``). If words match several steps, the first one counts; for the later end of a span, the first one after the
earlier end. :attr:`Timeline.graph` is the whole narrative as one networkx graph, for other queries.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.graph.hands import DEFAULT_RULE, HandRule, HandStep, trace
from tsgkit.graph.model import DOBJ, HANDS, PERSON, WITH, ActionGraph, Kind, Narrative, Node, target_kind

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Step:
    """An action of the narrative (``index`` from 0), its description, and its effect on the hands."""

    index: int
    description: int
    graph: ActionGraph
    hand_step: HandStep

    @property
    def action(self) -> str:
        """The action; empty if the graph names none."""
        return self.hand_step.action

    @property
    def objects(self) -> tuple[str, ...]:
        """The direct objects."""
        return self._targets(DOBJ)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools, without hands."""
        return self._targets(WITH)

    @property
    def hands(self) -> tuple[str, ...]:
        """The hands the graph names, in any role."""
        return tuple(dict.fromkeys(name for name in self.names if name in HANDS))

    @property
    def places(self) -> tuple[str, ...]:
        """All other objects: locations, sources, destinations."""
        roles = {*self.objects, *self.tools, self.action, PERSON, *HANDS}
        return tuple(name for name in self.names if name not in roles)

    @property
    def handled(self) -> tuple[str, ...]:
        """Direct objects and tools."""
        return tuple(dict.fromkeys((*self.objects, *self.tools)))

    @property
    def names(self) -> tuple[str, ...]:
        """Every node name in the graph."""
        ends = (name for triplet in self.graph.triplets for name in (triplet.source, triplet.target))
        return tuple(dict.fromkeys(ends))

    def _targets(self, edge: str) -> tuple[str, ...]:
        targets = (triplet.target for triplet in self.graph.triplets if triplet.edge == edge)
        return tuple(dict.fromkeys(name for name in targets if name not in HANDS))


Event = Step | int | str | tuple[str, ...]


class Moment(NamedTuple):
    """A node of the timeline's graph: a description or a step, with its number from 0."""

    what: str
    number: int


class Mention(NamedTuple):
    """A node of the timeline's graph: a name in a step, with its role."""

    step: int
    node: Node


class Timeline:
    """The steps of a narrative in order, with queries."""

    def __init__(self, narrative: Narrative, rule: HandRule = DEFAULT_RULE) -> None:
        self.narrative = narrative
        owners = [number for number, description in enumerate(narrative.descriptions) for _ in description.graphs]
        hand_steps = trace(narrative, rule)
        self.steps = tuple(
            Step(index, owner, graph, hand_step)
            for index, (owner, graph, hand_step) in enumerate(zip(owners, narrative.graphs, hand_steps, strict=True))
        )

    def find(self, *names: str) -> tuple[Step, ...]:
        """Return every step in which all these names occur, as action, thing or hand."""
        places = [self._where.get(name, frozenset[int]()) for name in names]
        common = frozenset.intersection(*places) if places else frozenset[int]()
        return tuple(self.steps[index] for index in sorted(common))

    def step(self, event: Event) -> Step:
        """Return the step an event names; ``UsageError`` where there is none."""
        return self._step(event, after=-1)

    def first(self, *names: str) -> Step | None:
        """Return the first step in which all these names occur."""
        return next(iter(self.find(*names)), None)

    def last(self, *names: str) -> Step | None:
        """Return the last step in which all these names occur."""
        return next(reversed(self.find(*names)), None)

    def before(self, event: Event) -> Step | None:
        """Return the step immediately before an event; None before the first."""
        index = self.step(event).index
        return self.steps[index - 1] if index else None

    def after(self, event: Event) -> Step | None:
        """Return the step immediately after an event; None after the last."""
        index = self.step(event).index + 1
        return self.steps[index] if index < len(self.steps) else None

    def between(self, start: Event, end: Event) -> tuple[Step, ...]:
        """Return the steps after ``start`` and before ``end``."""
        first = self.step(start)
        return self.steps[first.index + 1 : self._step(end, after=first.index).index]

    def handled_between(self, start: Event, end: Event) -> tuple[str, ...]:
        """Return the direct objects and tools between two events, in order of first use."""
        return tuple(dict.fromkeys(name for step in self.between(start, end) for name in step.handled))

    def touched(self, name: str) -> tuple[Step, ...]:
        """Return every step that touches a thing or uses a hand, in whatever role; an action of that name does not
        count.
        """
        return tuple(
            step
            for step in self.find(name)
            if any(
                node.name == name and node.kind is not Kind.ACTION
                for node in step.graph.nodes(self.narrative.vocabulary)
            )
        )

    def in_hand(self, hand: str, *, before: Event) -> tuple[str, ...] | None:
        """Return the content of a hand when an event began; None if unknown."""
        if hand not in HANDS:
            raise UsageError(f"{hand!r} is no hand", hint=f"the hands are called {' and '.join(HANDS)}")
        return self.step(before).hand_step.before.of(hand)

    def holders(self, thing: str, *, before: Event) -> tuple[str, ...]:
        """Return the hands that held a thing when an event began."""
        state = self.step(before).hand_step.before
        return tuple(hand for hand in HANDS if thing in (state.of(hand) or ()))

    @cached_property
    def graph(self) -> nx.MultiDiGraph[Moment | Mention]:
        """The narrative as one graph. Edges say their ``relation``:

        ``next`` (description to description, step to step), ``tells`` (description to step), ``mentions`` (step to
        mention), ``triplet`` (mention to mention, with its ``label``), ``again`` (a mention to the next one of the
        same node), ``holds`` (step to the last mention of what ``hand`` held when it began).
        """
        import networkx as nx

        graph: nx.MultiDiGraph[Moment | Mention] = nx.MultiDiGraph()
        for number, description in enumerate(self.narrative.descriptions):
            graph.add_node(Moment("description", number), text=description.text)
        _link(graph, [Moment("description", number) for number in range(len(self.narrative.descriptions))])
        last: dict[Node, Mention] = {}
        for step in self.steps:
            moment = Moment("step", step.index)
            graph.add_node(moment, action=step.action)
            graph.add_edge(Moment("description", step.description), moment, relation="tells")
            for hand, things in zip(HANDS, step.hand_step.before, strict=True):
                for thing in things or ():
                    kind = target_kind(DOBJ, thing, self.narrative.vocabulary)
                    graph.add_edge(moment, last[Node(kind, thing)], relation="holds", hand=hand)
            for node in step.graph.nodes(self.narrative.vocabulary):
                mention = Mention(step.index, node)
                graph.add_edge(moment, mention, relation="mentions")
                if node in last:
                    graph.add_edge(last[node], mention, relation="again")
                last[node] = mention
            for source, label, target in step.graph.typed(self.narrative.vocabulary):
                graph.add_edge(
                    Mention(step.index, source), Mention(step.index, target), relation="triplet", label=label
                )
        _link(graph, [Moment("step", step.index) for step in self.steps])
        return graph

    @cached_property
    def _where(self) -> dict[str, frozenset[int]]:
        where: dict[str, set[int]] = {}
        for step in self.steps:
            for name in step.names:
                where.setdefault(name, set()).add(step.index)
        return {name: frozenset(indices) for name, indices in where.items()}

    def _step(self, event: Event, after: int) -> Step:
        if isinstance(event, Step):
            return event
        if isinstance(event, int):
            if 0 <= event < len(self.steps):
                return self.steps[event]
            raise UsageError(f"there is no step {event}", hint=f"this narrative has {len(self.steps)} steps, from 0")
        words = (event,) if isinstance(event, str) else event
        for step in self.find(*words):
            if step.index > after:
                return step
        later = f" after step {after}" if after >= 0 else ""
        raise UsageError(f"no step{later} mentions {', '.join(map(repr, words))}")


def _link(graph: nx.MultiDiGraph[Moment | Mention], moments: Iterable[Moment]) -> None:
    for earlier, later in pairwise(moments):
        graph.add_edge(earlier, later, relation="next")
