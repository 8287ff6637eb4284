"""The rules of graphs, the hand rule, and the timeline: what is touched before, after and between."""

from __future__ import annotations

import itertools

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from tsgkit.errors import UsageError
from tsgkit.graph import (
    RULES,
    ActionGraph,
    Description,
    HandRule,
    Kind,
    Narrative,
    Node,
    Timeline,
    Vocabulary,
    check_graph,
    check_narrative,
    trace,
)
from tsgkit.graph.hands import held
from tsgkit.graph.rules import Finding
from tsgkit.graph.timeline import Mention, Moment

KNOWN = Vocabulary(("cup", "lid", "screw"), ("verb", "dobj", "with", "on"), ("wash", "hold", "screw"))


def found(text: str, vocabulary: Vocabulary | None = None) -> list[Finding]:
    return check_graph(graph(text), vocabulary)


def graph(text: str) -> ActionGraph:
    return ActionGraph(tuple(part.strip() for part in line.split("->")) for line in text.split("|"))


BASE = "person -> verb -> hold | hold -> dobj -> cup"
FINDINGS = {
    "empty-name": (f"{BASE} | hold -> on ->", "2: a node has no name"),
    "not-lower-case": ("person -> verb -> hold | hold -> dobj -> Cup", "1: Cup is not in lower case (cup?)"),
    "not-hyphenated": (f"{BASE} | hold -> on -> big table", "2: big table holds a space or an underscore (big-table?)"),
    "instance-suffix": ("person -> verb -> hold | hold -> dobj -> cup:1", "1: cup:1 carries an instance number (cup?)"),
    "hand-name": (
        f"{BASE} | hold -> with -> left-hand",
        "2: left-hand is not a hand's name (hand1, hand2, or both in two triplets)",
    ),
    "no-action": (
        "hold -> dobj -> cup",
        "None: no triplet leads from person by verb to an action (person -> verb -> ...?)",
    ),
    "several-actions": (
        f"{BASE} | person -> verb -> wash | wash -> with -> cup",
        "None: 2 actions in one graph: hold, wash",
    ),
    "verb-source": (f"{BASE} | cup -> verb -> wash", "2: verb starts at cup, not at person (person -> verb -> wash?)"),
    "verb-hand": ("person -> verb -> hand1 | hand1 -> dobj -> cup", "0: hand1 stands where an action belongs"),
    "person-target": (f"{BASE} | hold -> with -> person", "2: with ends at person"),
    "person-edge": (f"{BASE} | person -> with -> cup", "2: person is joined by with; only verb may start there"),
    "edge-misspelt": (f"{BASE} | person -> verbs -> hold", "2: the edge is labelled verbs (verb?)"),
    "edge-kind-word": (
        f"{BASE} | hold -> prep -> table",
        "2: the edge is labelled prep (write the preposition itself: with, on, from ...)",
    ),
    "not-a-preposition": (f"{BASE} | hold -> manner -> gently", "2: manner is not a known preposition"),
    "dobj-source": (f"{BASE} | cup -> dobj -> lid", "2: dobj starts at cup, which is not the graph's action (hold)"),
    "dobj-hand": (f"{BASE} | hold -> dobj -> hand1", "2: the direct object is hand1 (with?)"),
    "no-dobj": ("person -> verb -> hold | hold -> on -> table", "None: the action hold has no direct object"),
    "several-dobj": (f"{BASE} | hold -> dobj -> lid", "None: 2 direct objects: cup, lid"),
    "action-target": (
        f"{BASE} | hand1 -> with -> hold",
        "2: with ends at the action hold (the other way round?)",
    ),
    "action-action": (
        f"{BASE} | person -> verb -> wash | hold -> with -> wash",
        "3: with joins the actions hold and wash",
    ),
    "hand-hand": (f"{BASE} | hold -> with -> hand1 | hand1 -> on -> hand2", "3: on joins hand1 and hand2"),
    "self-loop": (f"{BASE} | cup -> on -> cup", "2: on begins and ends at cup"),
    "homonym-loop": (
        "person -> verb -> screw | screw -> dobj -> screw",
        "1: screw is both the action and where dobj ends (fine where the word means both, as in to screw a screw)",
    ),
    "duplicate": (f"{BASE} | hold -> dobj -> cup", "2: hold -> dobj -> cup is written twice"),
    "disconnected": (f"{BASE} | lid -> on -> jar", "None: lid, jar: not linked to the rest"),
}
BY_OTHER_MEANS = {"empty-graph", "dobj-action", "out-of-vocabulary"}
BY_HANDS = {code for code in RULES if code.startswith("hand") and code not in ("hand-name", "hand-hand")}


def test_a_graph_against_a_rule_has_the_finding_with_its_place_and_a_hint_of_what_was_meant() -> None:
    for code, (text, expected) in FINDINGS.items():
        [finding] = [one for one in found(text) if one.code == code]
        hint = f" ({finding.hint})" if finding.hint else ""
        assert f"{finding.place.triplet}: {finding.message}{hint}" == expected, code
        assert finding.severity == RULES[code].severity, code
    assert set(FINDINGS) | BY_OTHER_MEANS | BY_HANDS | {"wrong-hand", "not-held"} == set(RULES)
    rows: list[tuple[str, str, str]] = [
        ("person -> verb -> screw-in | screws -> dobj -> cup", "disconnected", "screw-in for screws?"),
        ("person -> verb -> hold | cup -> dobj -> hold", "dobj-source", "the other way round?"),
        ("hold -> verb -> person | hold -> dobj -> cup", "verb-source", "the other way round?"),
        ("person -> verb -> hold | hold -> dobj -> tea_bag", "not-hyphenated", "tea-bag?"),
        ("person -> verb -> hold | hold -> Dobj -> cup", "edge-misspelt", "dobj?"),
        (f"{BASE} | hold -> with -> hnad2", "hand-name", "hand2?"),
    ]
    for text, code, hint in rows:
        assert {finding.code: finding.hint for finding in found(text)}[code] == hint, text
    findings = found("person -> verb -> hold | hold -> dobj -> cupp | hold -> onto -> lid", KNOWN)
    assert [(finding.code, finding.place.triplet, finding.hint) for finding in findings] == [
        ("out-of-vocabulary", 1, "cup?"),
        ("out-of-vocabulary", 2, "on?"),
    ]


def test_findings_of_narratives_know_their_graph_and_bring_the_hands_and_messages_of_many_stay_short() -> None:
    pick = "person -> verb -> pick-up | pick-up -> dobj -> {} | pick-up -> with -> hand1"
    graphs = (graph(pick.format("cup")), graph("hold -> dobj -> cup"), graph(pick.format("lid")))
    findings = check_narrative(Narrative((Description(None, graphs),)))
    assert [(finding.place.graph, finding.code) for finding in findings] == [
        (1, "dobj-source"),
        (1, "no-action"),
        (2, "hand-occupied"),
    ]
    text = " | ".join(f"person -> verb -> act{number}" for number in range(9))
    assert "9 actions in one graph: act0, act1, act2, act3, act4 and 4 more" in [one.message for one in found(text)]
    many = [triplet for n in range(2000) for triplet in (("person", "verb", f"a{n}"), (f"b{n}", "dobj", f"c{n}"))]
    findings = check_graph(ActionGraph(many))
    assert sum(len(finding.message) for finding in findings) < 400 * len(findings)


def test_valid_graphs_have_no_finding_and_l_decides_what_is_a_verb() -> None:
    for text, codes in {
        BASE: [],
        f"{BASE} | hold -> with -> hand1 | hold -> with -> hand2": [],
        "hold -> dobj -> cup | person -> verb -> hold | cup -> from -> table": [],
        f"{BASE} | cup -> in -> hand1": [],
        f"{BASE} | hand1 -> in -> cup": [],
        f"{BASE} | hand1 -> with -> hold | table -> under -> hold": ["action-target"] * 2,
        f"{BASE} | table -> under -> hold | cup -> on -> table": [],
        "person -> verb -> brush | brush -> dobj -> wall | paint -> on -> brush": [],
        "person -> verb -> grasp | grasp -> with -> grasp | cup -> on -> grasp": ["homonym-loop", "no-dobj"],
        f"{BASE} | hold -> out-of -> box | hold -> away-from -> wall | hold -> next-to -> sink": [],
        "person -> verb -> pick-up | pick-up -> dobj -> tea-bag | pick-up -> with -> hand2": [],
        "person -> verbs -> hold | hold -> dobj -> cup": ["edge-misspelt", "no-action", "dobj-source"],
    }.items():
        assert sorted(finding.code for finding in found(text)) == sorted(codes), text
    assert [finding.code for finding in check_graph(ActionGraph())] == ["empty-graph"]
    for text, codes in {
        "hold -> with -> hand1": [],
        "hold -> with -> hand1x": ["hand-name"],
        "hold -> with -> wash": ["action-action"],
        "cup -> on -> hold": ["action-target"],
        "hold -> with -> lid | lid -> on -> hold": ["action-target"],
        "hold -> dobj -> wash": ["several-dobj", "dobj-action"],
        "hold -> dobj -> screw": ["several-dobj"],
    }.items():
        assert sorted(finding.code for finding in found(f"{BASE} | {text}", KNOWN)) == sorted(codes), text


def act(words: str) -> ActionGraph:
    """``take cup with hand1``: action, direct objects, then pairs of a preposition and a name."""
    action, *rest = words.split()
    objects = []
    while rest and rest[0] not in ("with", "from", "to", "in", "into", "on"):
        objects.append((action, "dobj", rest.pop(0)))
    pairs = [(action, edge, name) for edge, name in zip(rest[::2], rest[1::2], strict=True)]
    return ActionGraph.of(("person", "verb", action), *objects, *pairs)


def breaches(lines: str) -> list[tuple[int, str]]:
    steps = trace(Narrative.of(act(line) for line in lines.split("; ")))
    return [(step.index, breach.code) for step in steps for breach in step.breaches]


KEPT = {
    "one thing": "take cup with hand1; put-down cup with hand1",
    "a second thing": "take cup with hand1; take lid with hand2; put-down lid with hand2",
    "starts again": "take cup with hand1; place cup on table with hand1; take lid with hand1",
    "both hands": "lift box with hand1 with hand2; put-down box with hand1 with hand2; take cup with hand1",
    "a tool": "take knife with hand1; hold bread with hand2; cut bread with knife with hand1",
    "held again": "take cup with hand1; hold cup with hand1",
    "the other hand helps": "take jar with hand1; hold jar with hand1 with hand2; put-down jar with hand1",
    "a free hand works": "take cup with hand1; open door with hand2",
    "passed on": "take cup with hand1; pass cup from hand1 to hand2; take lid with hand1",
    "passed without saying where": "take cup with hand1; switch cup; take lid with hand1",
    "released by the hand alone": "take cup with hand1; release with hand1; take lid with hand1",
    "released from a hand": "take cup with hand1; release cup from hand1; take lid with hand1",
    "one thing in each hand": "pick-up fork knife with hand1 with hand2; put-down knife with hand2",
    "a spoon passes no rice": "take spoon with hand1; transfer rice from pot into bowl with spoon with hand1; "
    "put-down spoon with hand1",
    "a lamp is switched": "switch lamp with hand1; take cup with hand1",
    "a rope passes to a post": "take rope with hand1; pass rope to post with hand1; put-down rope with hand1",
    "a hand nobody can name": "take cup with hand1; take jug with hand3; take lid with left_hand",
}
BROKEN = {
    "hand2-first": "take cup with hand2",
    "hand-occupied": "take cup with hand1; take lid with hand1",
    "hands-full": "take cup with hand1; take lid with hand2; take jug with hand1",
    "hand-busy": "take sponge with hand1; open tap with hand1",
    "hand-unstated": "take cup",
    "wrong-hand": "take cup with hand1; put-down cup with hand2",
    "not-held": "put-down cup with hand1",
}


def test_the_rule_is_kept_a_breach_is_found_where_it_happens_and_after_gaps_nothing_is_known() -> None:
    assert {name: found for name, lines in KEPT.items() if (found := breaches(lines))} == {}
    for code, lines in BROKEN.items():
        assert breaches(lines) == [(lines.count("; "), code)], code
    for lines, expected in {
        "take cup with hand1; take knife with hand2; cut bread with knife with hand1": [
            (2, "hand-busy"),
            (2, "wrong-hand"),
        ],
        "take cup with hand1; take lid with hand2; pass cup to hand2": [(2, "hand-occupied")],
        "take cup with hand1; pass cup from hand2 to hand1": [(1, "wrong-hand")],
    }.items():
        assert breaches(lines) == expected, lines
    graphs = (act("put-down cup with hand2"), act("take cup with hand1"), act("take lid with hand1"))
    steps = trace(Narrative((Description("Things happen."), Description(None, graphs))))
    assert str(steps[0]).startswith("0 put-down cup: hand1 unknown, hand2 unknown => hand1 unknown, hand2 free")
    assert [(step.index, breach.code) for step in steps for breach in step.breaches] == [(2, "hand-occupied")]
    released = (act("release with hand1"), *graphs[1:2])
    steps = trace(Narrative((Description("Things happen."), Description(None, released))))
    assert held(steps[-1].after) == {"hand1": ("cup",)} and not steps[-1].breaches


def test_the_rule_follows_its_verbs_either_end_of_with_and_graphs_without_an_action() -> None:
    rule = HandRule(grasps=frozenset({"nab"}), releases=frozenset({"dump"}))
    graphs = map(act, ("nab cup with hand1", "take lid with hand2", "dump cup with hand1"))
    assert [held(step.after) for step in trace(Narrative.of(graphs), rule)] == [{"hand1": ("cup",)}] * 2 + [{}]
    narrative = Narrative.of([act("take cup with hand1"), ActionGraph.of(("cup", "on", "table")), ActionGraph()])
    assert held(trace(narrative)[-1].after) == {"hand1": ("cup",)}
    graph = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup"), ("hand1", "with", "take"))
    steps = trace(Narrative.of([graph, act("take jug with hand3")]))
    assert held(steps[0].after) == {"hand1": ("cup",)} and not steps[0].breaches
    assert str(steps[1].after) == "hand1 unknown, hand2 unknown"


def test_steps_are_values_that_nobody_can_change_for_others() -> None:
    steps, again = (trace(Narrative.of([act("take cup with hand1")])) for _ in range(2))
    assert hash(steps[0]) == hash(again[0])
    with pytest.raises(TypeError):
        steps[0].before[0] = ("ghost",)  # type: ignore[index]


NAMES = st.sampled_from(["person", "hold", "take", "cup", "lid", "hand1", "hand2", "table"])
LABELS = st.sampled_from(["verb", "dobj", "with", "on", "from"])
GRAPHS = st.lists(st.tuples(NAMES, LABELS, NAMES), max_size=7).map(ActionGraph)
L = Vocabulary(("cup", "lid", "table"), ("verb", "dobj", "with", "on", "from"), ("hold", "take"))


@given(graphs=st.lists(GRAPHS, max_size=6))
def test_any_narrative_can_be_linted_followed_and_put_on_a_timeline(graphs: list[ActionGraph]) -> None:
    narrative = Narrative.of(graphs, L)
    steps = trace(narrative)
    assert len(steps) == len(graphs)
    assert all(earlier.after == later.before for earlier, later in itertools.pairwise(steps))
    assert all(0 <= (finding.place.graph or 0) < len(graphs) for finding in check_narrative(narrative))
    assert Timeline(narrative).graph.number_of_nodes() >= len(graphs)


STORY = Narrative(
    (
        Description("First.", (act("take spoon with hand1"), act("open lid with hand2"))),
        Description("Then.", (act("stir soup with spoon with hand1 in pot"),)),
        Description("At last.", (act("put-down spoon on table with hand1"), act("open lid with hand1"))),
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
    drills = Timeline(Narrative.of([act("drill hole"), act("clean drill")]))
    assert [step.index for step in drills.find("drill")] == [0, 1]
    assert [step.index for step in drills.touched("drill")] == [1]
    assert [step.index for step in TIME.touched("hand1")] == [0, 2, 3, 4]


def test_a_timeline_gives_what_is_held_when_an_event_began_and_names_impossible_events() -> None:
    assert TIME.in_hand("hand1", before=("open", "lid")) == ("spoon",)
    assert TIME.in_hand("hand2", before="stir") == TIME.in_hand("hand1", before=4) == ()
    assert TIME.holders("spoon", before="stir") == ("hand1",)
    unknown = Narrative((Description("Who knows."), Description(None, (act("open lid"),))))
    assert Timeline(unknown).in_hand("hand1", before="open") is None
    events: list[tuple[int | str | tuple[str, ...], str]] = [
        (9, "no step 9"), (-1, "no step -1"), ("fly", "mentions 'fly'"), (("open", "spoon"), "'open', 'spoon'"),
    ]  # fmt: skip
    for event, message in events:
        assert message in refusal(UsageError, TIME.step, event), event
    assert "after step 3 mentions 'stir'" in refusal(UsageError, TIME.between, "put-down", "stir")
    assert "'hand3' is no hand" in refusal(UsageError, TIME.in_hand, "hand3", before=0)


def test_the_graph_links_mentions_steps_and_descriptions_along_time_and_empty_narratives_have_one() -> None:
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
    vocabulary = Vocabulary((), ("dobj",), ("take", "brush", "walk"))
    narrative = Narrative.of([act("take brush with hand1"), act("walk home")], vocabulary)
    assert Timeline(narrative).graph.number_of_nodes() > 4
    assert (Timeline(Narrative()).steps, len(Timeline(Narrative()).graph)) == ((), 0)
