"""Every statement of the schema has a finding, and what the schema allows has none."""

from __future__ import annotations

from tsgkit.graph import RULES, ActionGraph, Description, Narrative, Vocabulary, check_graph, check_narrative
from tsgkit.graph.rules import Finding

L = Vocabulary(("cup", "lid", "screw"), ("verb", "dobj", "with", "on"), ("wash", "hold", "screw"))


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


def test_a_graph_against_a_rule_has_the_finding_with_its_place_and_hint() -> None:
    for code, (text, expected) in FINDINGS.items():
        [finding] = [one for one in found(text) if one.code == code]
        hint = f" ({finding.hint})" if finding.hint else ""
        assert f"{finding.place.triplet}: {finding.message}{hint}" == expected, code
        assert finding.severity == RULES[code].severity, code
    assert set(FINDINGS) | BY_OTHER_MEANS | BY_HANDS | {"wrong-hand", "not-held"} == set(RULES)


def test_a_hint_says_what_was_probably_meant() -> None:
    rows: list[tuple[str, str, str]] = [
        ("person -> verb -> screw-in | screws -> dobj -> cup", "disconnected", "screw-in for screws?"),
        ("person -> verb -> hold | cup -> dobj -> hold", "dobj-source", "the other way round?"),
        ("hold -> verb -> person | hold -> dobj -> cup", "verb-source", "the other way round?"),
        ("person -> verb -> hold | hold -> dobj -> tea_bag", "not-hyphenated", "tea-bag?"),
        ("person -> verb -> hold | hold -> Dobj -> cup", "edge-misspelt", "dobj?"),
    ]
    for text, code, hint in rows:
        assert {finding.code: finding.hint for finding in found(text)}[code] == hint, text
    findings = found("person -> verb -> hold | hold -> dobj -> cupp | hold -> onto -> lid", L)
    assert [(finding.code, finding.place.triplet, finding.hint) for finding in findings] == [
        ("out-of-vocabulary", 1, "cup?"),
        ("out-of-vocabulary", 2, "on?"),
    ]


def test_a_narratives_findings_know_their_graph_and_bring_the_hands() -> None:
    pick = "person -> verb -> pick-up | pick-up -> dobj -> {} | pick-up -> with -> hand1"
    graphs = (graph(pick.format("cup")), graph("hold -> dobj -> cup"), graph(pick.format("lid")))
    findings = check_narrative(Narrative((Description(None, graphs),)))
    assert [(finding.place.graph, finding.code) for finding in findings] == [
        (1, "dobj-source"),
        (1, "no-action"),
        (2, "hand-occupied"),
    ]


def test_messages_of_many_findings_stay_short() -> None:
    text = " | ".join(f"person -> verb -> act{number}" for number in range(9))
    assert "9 actions in one graph: act0, act1, act2, act3, act4 and 4 more" in [one.message for one in found(text)]
    many = [triplet for n in range(2000) for triplet in (("person", "verb", f"a{n}"), (f"b{n}", "dobj", f"c{n}"))]
    findings = check_graph(ActionGraph(many))
    assert sum(len(finding.message) for finding in findings) < 400 * len(findings)


def test_valid_graphs_have_no_finding_and_loose_parts_a_warning() -> None:
    for text, codes in {
        BASE: [],
        f"{BASE} | hold -> with -> hand1 | hold -> with -> hand2": [],
        "hold -> dobj -> cup | person -> verb -> hold | cup -> from -> table": [],
        f"{BASE} | cup -> in -> hand1": [],
        f"{BASE} | hand1 -> in -> cup": [],
        f"{BASE} | hand1 -> with -> hold": [],
        f"{BASE} | table -> under -> hold | cup -> on -> table": [],
        f"{BASE} | hold -> out-of -> box | hold -> away-from -> wall | hold -> next-to -> sink": [],
        "person -> verb -> pick-up | pick-up -> dobj -> tea-bag | pick-up -> with -> hand2": [],
        "person -> verbs -> hold | hold -> dobj -> cup": ["edge-misspelt", "no-action", "dobj-source"],
    }.items():
        assert sorted(finding.code for finding in found(text)) == sorted(codes), text
    assert [finding.code for finding in check_graph(ActionGraph())] == ["empty-graph"]


def test_l_decides_what_is_a_verb_and_always_lists_person_hands_and_the_two_fixed_labels() -> None:
    for text, codes in {
        "hold -> with -> hand1": [],
        "hold -> with -> wash": ["action-action"],
        "hold -> dobj -> wash": ["several-dobj", "dobj-action"],
        "hold -> dobj -> screw": ["several-dobj"],
    }.items():
        assert sorted(finding.code for finding in found(f"{BASE} | {text}", L)) == sorted(codes), text
