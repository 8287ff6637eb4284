"""Made-up stories with consistent hands, for tests that need many of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from tsgkit.graph.model import HANDS, ActionGraph, Narrative
from tsgkit.lexicon.folding import word_set

THINGS = sorted(
    word_set(
        "cup lid spoon towel brush bottle sponge candle rope nail ribbon apple book key coin glove button stick plate",
        "needle pebble thermometer watering-can rolling-pin envelope string chisel funnel",
    )
)
PLACES = sorted(
    word_set("table shelf drawer box basket bucket crate tray bench cupboard sink wall cart bag chest stool")
)
LEAVING = ("from", "off", "out-of")
REACHING = ("onto", "into", "on", "in", "under", "behind", "to", "next-to", "beside", "between", "over")
TOOLS = {"cut": "knife", "paint": "paintbrush", "sand": "sandpaper", "measure": "ruler", "wipe": "cloth"}
OTHERS = ("measure", "label", "oil", "wrap", "heat", "mend", "soak", "tie", "crush")
PATHS = ("across", "along", "over", "through", "around")


def made_up_story(number: int, steps: int = 30) -> Narrative:
    """Return a story; the same number gives the same one."""
    choice = Random(f"story {number}")
    things, places = choice.sample(THINGS, 9), choice.sample(PLACES, 6)
    graphs = _graphs(choice, things, places)
    return Narrative(
        Narrative.of([next(graphs) for _ in range(steps)]).descriptions,
        id=f"made-up-{number}",
        facts=(("domain", "nothing"),),
    )


def possible_steps(story: Narrative) -> Narrative:
    """Return what else could be done to the things of a story."""
    things = sorted({one.target for graph in story.graphs for one in graph if one.edge == "dobj"})
    graphs = [_graph(action, HANDS, (("dobj", thing),)) for thing in things for action in OTHERS]
    return replace(Narrative.of(graphs), id=story.id)


def _graphs(choice: Random, things: list[str], places: list[str]) -> Iterator[ActionGraph]:
    while True:
        thing, hand = choice.choice(things), choice.choice((HANDS[:1], HANDS[1:], HANDS))
        source, goal = choice.sample(places, 2)
        kind = choice.random()
        if kind < 0.6:
            action = choice.choice(("take", "lift", "pull", "draw"))
            yield _graph(action, hand, (("dobj", thing), (choice.choice(LEAVING), source)))
            action = choice.choice(("put", "hang", "throw", "lay"))
            yield _graph(action, hand, (("dobj", thing), (choice.choice(REACHING), goal)))
        elif kind < 0.75:
            edges = (("dobj", thing), (choice.choice(LEAVING), source), (choice.choice(REACHING[:2]), goal))
            yield _graph(choice.choice(("tip", "move-over", "shift")), hand, edges)
        elif kind < 0.9:
            action = choice.choice(sorted(TOOLS))
            edges = (("dobj", thing), (choice.choice(("on", "in", *PATHS)), goal), ("with", TOOLS[action]))
            yield _graph(action, hand, edges)
        else:
            yield _graph(choice.choice(("open", "close", "turn")), hand, (("dobj", goal),))


def _graph(action: str, hands: tuple[str, ...], edges: tuple[tuple[str, str], ...]) -> ActionGraph:
    own = [(action, edge, target) for edge, target in edges]
    return ActionGraph.of(("person", "verb", action), *own, *((action, "with", hand) for hand in hands))
