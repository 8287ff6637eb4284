"""The timeline of a narrative: touched objects, hands, and queries about before, after and between."""

from __future__ import annotations

import networkx as nx
from refusals import refusal

from tsgkit.errors import UsageError
from tsgkit.graph import ActionGraph, Description, Kind, Narrative, Node, Timeline, Vocabulary
from tsgkit.graph.timeline import Mention, Moment


def act(action: str, thing: str, *more: tuple[str, str]) -> ActionGraph:
    return ActionGraph.of(("person", "verb", action), (action, "dobj", thing), *((action, *edge) for edge in more))


STORY = Narrative(
    (
        Description("First.", (act("take", "spoon", ("with", "hand1")), act("open", "lid", ("with", "hand2")))),
        Description("Then.", (act("stir", "soup", ("with", "spoon"), ("with", "hand1"), ("in", "pot")),)),
        Description(
            "At last.",
            (act("put-down", "spoon", ("on", "table"), ("with", "hand1")), act("open", "lid", ("with", "hand1"))),
        ),
    )
)
TIME = Timeline(STORY)


def test_steps_know_their_roles_and_are_found_by_all_names_before_after_and_between_events() -> None:
    stir = TIME.step("stir")
    assert (stir.index, stir.description, stir.action) == (2, 1, "stir")
    assert (stir.objects, stir.tools, stir.places, stir.hands) == (("soup",), ("spoon",), ("pot",), ("hand1",))
    assert stir.handled == ("soup", "spoon")
    assert [step.index for step in TIME.find("open", "lid")] == [1, 4]
    assert TIME.find("open", "spoon") == TIME.find() == TIME.between(1, 2) == ()
    found = (TIME.first("spoon"), TIME.last("spoon"), TIME.before("stir"), TIME.after("stir"))
    assert [step.index for step in found if step] == [0, 3, 1, 3]
    assert TIME.first("fork") is TIME.last("fork") is TIME.before(0) is TIME.after(4) is None
    assert TIME.handled_between("take", "put-down") == ("lid", "soup", "spoon")
    assert TIME.handled_between(("open", "lid"), ("open", "lid")) == ("soup", "spoon")
    drills = Timeline(Narrative.of([act("drill", "hole"), act("clean", "drill")]))
    assert [step.index for step in drills.find("drill")] == [0, 1]
    assert [step.index for step in drills.touched("drill")] == [1]
    assert [step.index for step in TIME.touched("hand1")] == [0, 2, 3, 4]


def test_timeline_in_hand_gives_the_content_when_an_event_began() -> None:
    assert TIME.in_hand("hand1", before=("open", "lid")) == ("spoon",)
    assert TIME.in_hand("hand2", before="stir") == TIME.in_hand("hand1", before=4) == ()
    assert TIME.holders("spoon", before="stir") == ("hand1",)
    unknown = Narrative((Description("Who knows."), Description(None, (act("open", "lid"),))))
    assert Timeline(unknown).in_hand("hand1", before="open") is None


def test_events_that_never_happen_and_a_third_hand_are_named() -> None:
    events: list[tuple[int | str | tuple[str, ...], str]] = [
        (9, "no step 9"), (-1, "no step -1"), ("fly", "mentions 'fly'"), (("open", "spoon"), "'open', 'spoon'"),
    ]  # fmt: skip
    for event, message in events:
        assert message in refusal(UsageError, TIME.step, event), event
    assert "after step 3 mentions 'stir'" in refusal(UsageError, TIME.between, "put-down", "stir")
    assert "'hand3' is no hand" in refusal(UsageError, TIME.in_hand, "hand3", before=0)


def test_the_graph_links_mentions_steps_and_descriptions_along_time() -> None:
    relations: dict[str, list[tuple[object, object]]] = {}
    for source, target, data in TIME.graph.edges(data=True):
        relations.setdefault(data["relation"], []).append((source, target))
    spoon = Node(Kind.OBJECT, "spoon")
    again = [pair for pair in relations["again"] if Mention(2, spoon) in pair]
    assert again == [(Mention(0, spoon), Mention(2, spoon)), (Mention(2, spoon), Mention(3, spoon))]
    assert (Moment("step", 1), Mention(0, spoon)) in relations["holds"]
    assert (Moment("step", 3), Moment("step", 4)) in relations["next"]
    assert nx.has_path(TIME.graph, Moment("description", 0), Moment("step", 4))
    assert TIME.graph.nodes[Moment("description", 1)]["text"] == "Then."


def test_a_held_thing_that_l_calls_a_verb_and_an_empty_narrative_have_a_graph() -> None:
    vocabulary = Vocabulary((), ("dobj",), ("take", "brush", "walk"))
    narrative = Narrative.of([act("take", "brush", ("with", "hand1")), act("walk", "home")], vocabulary)
    assert Timeline(narrative).graph.number_of_nodes() > 4
    assert (Timeline(Narrative()).steps, len(Timeline(Narrative()).graph)) == ((), 0)
