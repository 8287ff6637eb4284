"""The timeline of a narrative: touched objects, hands, and queries about before, after and between."""

from __future__ import annotations

import networkx as nx
import pytest

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


def test_steps_know_their_description_and_roles() -> None:
    stir = TIME.step("stir")
    assert (stir.index, stir.description, stir.action) == (2, 1, "stir")
    assert (stir.objects, stir.tools, stir.places, stir.hands) == (("soup",), ("spoon",), ("pot",), ("hand1",))
    assert stir.handled == ("soup", "spoon")


def test_find_wants_all_names_in_one_step() -> None:
    assert [step.index for step in TIME.find("open", "lid")] == [1, 4]
    assert TIME.find("open", "spoon") == ()
    assert TIME.find() == ()


def test_first_and_last() -> None:
    first, last = TIME.first("spoon"), TIME.last("spoon")
    assert first is not None
    assert last is not None
    assert (first.index, last.index) == (0, 3)
    assert TIME.first("fork") is None
    assert TIME.last("fork") is None


def test_immediately_before_and_after() -> None:
    before, after = TIME.before("stir"), TIME.after("stir")
    assert before is not None
    assert after is not None
    assert (before.action, after.action) == ("open", "put-down")
    assert TIME.before(0) is None
    assert TIME.after(4) is None


def test_objects_handled_between_two_events_is_one_call() -> None:
    assert TIME.handled_between("take", "put-down") == ("lid", "soup", "spoon")
    assert TIME.handled_between(("open", "lid"), ("open", "lid")) == ("soup", "spoon")
    assert TIME.between(1, 2) == ()


def test_touched_counts_any_role_but_the_action() -> None:
    narrative = Narrative.of([act("drill", "hole"), act("clean", "drill")])
    assert [step.index for step in Timeline(narrative).find("drill")] == [0, 1]
    assert [step.index for step in Timeline(narrative).touched("drill")] == [1]
    assert [step.index for step in TIME.touched("hand1")] == [0, 2, 3, 4]


def test_timeline_in_hand_gives_the_content_when_an_event_began() -> None:
    assert TIME.in_hand("hand1", before=("open", "lid")) == ("spoon",)
    assert TIME.in_hand("hand2", before="stir") == ()
    assert TIME.in_hand("hand1", before=4) == ()
    assert TIME.holders("spoon", before="stir") == ("hand1",)


def test_timeline_in_hand_is_unknown_after_a_missing_graph() -> None:
    narrative = Narrative((Description("Who knows."), Description(None, (act("open", "lid"),))))
    assert Timeline(narrative).in_hand("hand1", before="open") is None


@pytest.mark.parametrize(
    ("event", "message"),
    [(9, "no step 9"), (-1, "no step -1"), ("fly", "mentions 'fly'"), (("open", "spoon"), "'open', 'spoon'")],
)
def test_an_event_that_never_happens_is_named(event: int | str | tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        TIME.step(event)


def test_the_later_end_of_a_span_comes_after_the_earlier() -> None:
    with pytest.raises(UsageError, match="after step 3 mentions 'stir'"):
        TIME.between("put-down", "stir")


def test_a_third_hand_is_refused() -> None:
    with pytest.raises(UsageError, match="'hand3' is no hand"):
        TIME.in_hand("hand3", before=0)


def test_the_graph_links_every_mention_to_the_next() -> None:
    again = [
        (source.step, target.step)
        for source, target, data in TIME.graph.edges(data=True)
        if data["relation"] == "again" and isinstance(source, Mention) and isinstance(target, Mention)
        if source.node == Node(Kind.OBJECT, "spoon")
    ]
    assert again == [(0, 2), (2, 3)]


def test_the_graph_answers_what_was_in_a_hand_by_a_path() -> None:
    opened = Moment("step", 1)
    held = [target for _, target, data in TIME.graph.out_edges(opened, data=True) if data["relation"] == "holds"]
    assert held == [Mention(0, Node(Kind.OBJECT, "spoon"))]


def test_the_graph_follows_descriptions_and_steps_along_time() -> None:
    path = nx.shortest_path(TIME.graph, Moment("description", 0), Moment("step", 4))
    assert path[0] == Moment("description", 0)
    assert TIME.graph.nodes[Moment("description", 1)]["text"] == "Then."
    steps = [(source, target) for source, target, data in TIME.graph.edges(data=True) if data["relation"] == "next"]
    assert (Moment("step", 3), Moment("step", 4)) in steps


def test_triplets_stand_in_the_graph_with_their_labels() -> None:
    labels = [data["label"] for _, _, data in TIME.graph.edges(data=True) if data["relation"] == "triplet"]
    assert sorted(labels) == sorted(triplet.edge for graph in STORY.graphs for triplet in graph)


def test_a_held_thing_that_l_calls_a_verb_does_not_break_the_graph() -> None:
    vocabulary = Vocabulary((), ("dobj",), ("take", "brush", "walk"))
    narrative = Narrative.of([act("take", "brush", ("with", "hand1")), act("walk", "home")], vocabulary)
    assert Timeline(narrative).graph.number_of_nodes() > 4


def test_an_empty_narrative_has_an_empty_timeline() -> None:
    assert Timeline(Narrative()).steps == ()
    assert len(Timeline(Narrative()).graph) == 0
