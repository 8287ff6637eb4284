"""Every statement of the schema has a finding, and what the schema allows has none."""

from __future__ import annotations

import pytest

from tsgkit.graph import RULES, ActionGraph, Description, Narrative, Vocabulary, check_graph, check_narrative
from tsgkit.graph.notation import arrow
from tsgkit.graph.rules import Finding

L = Vocabulary(("cup", "lid", "screw"), ("verb", "dobj", "with", "on"), ("wash", "hold", "screw"))


def found(text: str, vocabulary: Vocabulary | None = None) -> list[Finding]:
    return check_graph(graph(text), vocabulary)


def graph(text: str) -> ActionGraph:
    return ActionGraph(tuple(part.strip() for part in line.split("->")) for line in text.split("|"))


BASE = "person -> verb -> hold | hold -> dobj -> cup"
ONE_OF_EACH = {
    "empty-name": f"{BASE} | hold -> on ->",
    "not-lower-case": "person -> verb -> hold | hold -> dobj -> Cup",
    "not-hyphenated": f"{BASE} | hold -> on -> big table",
    "instance-suffix": "person -> verb -> hold | hold -> dobj -> cup:1",
    "hand-name": f"{BASE} | hold -> with -> left-hand",
    "no-action": "hold -> dobj -> cup",
    "several-actions": f"{BASE} | person -> verb -> wash | wash -> with -> cup",
    "verb-source": f"{BASE} | cup -> verb -> wash",
    "verb-hand": "person -> verb -> hand1 | hand1 -> dobj -> cup",
    "person-target": f"{BASE} | hold -> with -> person",
    "person-edge": f"{BASE} | person -> with -> cup",
    "edge-misspelt": f"{BASE} | person -> verbs -> hold",
    "edge-kind-word": f"{BASE} | hold -> prep -> table",
    "not-a-preposition": f"{BASE} | hold -> manner -> gently",
    "dobj-source": f"{BASE} | cup -> dobj -> lid",
    "dobj-hand": f"{BASE} | hold -> dobj -> hand1",
    "no-dobj": "person -> verb -> hold | hold -> on -> table",
    "several-dobj": f"{BASE} | hold -> dobj -> lid",
    "action-action": f"{BASE} | person -> verb -> wash | hold -> with -> wash",
    "hand-hand": f"{BASE} | hold -> with -> hand1 | hand1 -> on -> hand2",
    "self-loop": f"{BASE} | cup -> on -> cup",
    "homonym-loop": "person -> verb -> screw | screw -> dobj -> screw",
    "duplicate": f"{BASE} | hold -> dobj -> cup",
    "disconnected": f"{BASE} | lid -> on -> jar",
}
BY_OTHER_MEANS = {"empty-graph", "dobj-action", "out-of-vocabulary"}
BY_HANDS = {code for code in RULES if code.startswith("hand") and code not in ("hand-name", "hand-hand")}


@pytest.mark.parametrize("code", ONE_OF_EACH)
def test_a_graph_against_a_rule_has_the_finding(code: str) -> None:
    codes = [finding.code for finding in found(ONE_OF_EACH[code])]
    assert code in codes
    assert codes.count(code) == 1


def test_every_rule_of_a_graph_has_an_example_here() -> None:
    assert set(ONE_OF_EACH) | BY_OTHER_MEANS | BY_HANDS | {"wrong-hand", "not-held"} == set(RULES)


@pytest.mark.parametrize(
    "text",
    [
        BASE,
        f"{BASE} | hold -> with -> hand1 | hold -> with -> hand2",
        "hold -> dobj -> cup | person -> verb -> hold | cup -> from -> table",
        f"{BASE} | cup -> in -> hand1",
        f"{BASE} | hand1 -> in -> cup",
        f"{BASE} | table -> under -> hold | cup -> on -> table",
        f"{BASE} | hold -> out-of -> box | hold -> away-from -> wall | hold -> next-to -> sink",
        "person -> verb -> pick-up | pick-up -> dobj -> tea-bag | pick-up -> with -> hand2",
    ],
)
def test_valid_graphs_have_no_finding(text: str) -> None:
    assert found(text) == [] or {finding.code for finding in found(text)} == {"disconnected"}
    assert not [finding for finding in found(text) if finding.severity == "error"]


def test_a_graph_without_triplets_is_an_error() -> None:
    assert [finding.code for finding in check_graph(ActionGraph())] == ["empty-graph"]


def test_an_element_out_of_l_is_named_with_the_nearest_of_l() -> None:
    findings = found("person -> verb -> hold | hold -> dobj -> cupp | hold -> onto -> lid", L)
    assert [(finding.code, finding.place.triplet, finding.hint) for finding in findings] == [
        ("out-of-vocabulary", 1, "cup?"),
        ("out-of-vocabulary", 2, "on?"),
    ]


def test_person_hands_and_the_two_fixed_labels_are_in_every_l() -> None:
    assert found("person -> verb -> hold | hold -> dobj -> cup | hold -> with -> hand1", L) == []


def test_a_direct_object_that_l_lists_as_a_verb_only_is_an_error() -> None:
    assert "dobj-action" in [finding.code for finding in found("person -> verb -> hold | hold -> dobj -> wash", L)]
    assert "dobj-action" not in [finding.code for finding in found("person -> verb -> hold | hold -> dobj -> screw", L)]


def test_a_preposition_to_a_verb_of_l_joins_two_actions() -> None:
    findings = found("person -> verb -> hold | hold -> dobj -> cup | hold -> with -> wash", L)
    assert [finding.code for finding in findings] == ["action-action"]


def test_misspelt_verb_edges_name_no_action() -> None:
    findings = found("person -> verbs -> hold | hold -> dobj -> cup")
    assert {finding.code: finding.hint for finding in findings} == {
        "edge-misspelt": "verb?",
        "no-action": "person -> verb -> ...?",
        "dobj-source": "",
    }


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("person -> verb -> screw-in | screws -> dobj -> cup", "disconnected", "screw-in for screws?"),
        ("person -> verb -> hold | cup -> dobj -> hold", "dobj-source", "the other way round?"),
        ("hold -> verb -> person | hold -> dobj -> cup", "verb-source", "the other way round?"),
        ("person -> verb -> hold | hold -> dobj -> tea_bag", "not-hyphenated", "tea-bag?"),
        ("person -> verb -> hold | hold -> Dobj -> cup", "edge-misspelt", "dobj?"),
    ],
)
def test_a_hint_says_what_was_probably_meant(text: str, code: str, hint: str) -> None:
    assert {finding.code: finding.hint for finding in found(text)}[code] == hint


def test_findings_know_their_triplet() -> None:
    assert [finding.place.triplet for finding in found(f"{BASE} | cup -> on -> cup | cup -> Under -> lid")] == [2, 3]


def test_a_narratives_findings_know_their_graph_and_bring_the_hands() -> None:
    pick = "person -> verb -> pick-up | pick-up -> dobj -> {} | pick-up -> with -> hand1"
    graphs = (graph(pick.format("cup")), graph("hold -> dobj -> cup"), graph(pick.format("lid")))
    findings = check_narrative(Narrative((Description(None, graphs),)))
    assert [(finding.place.graph, finding.code) for finding in findings] == [
        (1, "dobj-source"),
        (1, "no-action"),
        (2, "hand-occupied"),
    ]


def test_our_example_lines_are_arrow_text() -> None:
    assert arrow.parse(BASE.replace(" | ", "\n")) == (graph(BASE),)


def test_an_edge_that_points_to_the_action_links_what_it_comes_from() -> None:
    assert found("person -> verb -> hold | hold -> dobj -> cup | hand1 -> with -> hold") == []


def test_a_message_names_the_first_five_and_counts_the_rest() -> None:
    text = " | ".join(f"person -> verb -> act{number}" for number in range(9))
    messages = [finding.message for finding in found(text) if finding.code == "several-actions"]
    assert messages == ["9 actions in one graph: act0, act1, act2, act3, act4 and 4 more"]


def test_a_graph_of_thousands_of_actions_is_checked_to_its_end() -> None:
    graph_ = ActionGraph(
        triplet for n in range(2000) for triplet in (("person", "verb", f"a{n}"), (f"b{n}", "dobj", f"c{n}"))
    )
    findings = check_graph(graph_)
    assert sum(len(finding.message) for finding in findings) < 400 * len(findings)
