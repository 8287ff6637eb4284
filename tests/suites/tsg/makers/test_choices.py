"""Choices of sentences, one true of the step, and claims of triplets: true where they may hold, else surely false."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from drawn_graphs import drawn_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_stories import made_up_story

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.graph.rules import ERROR, check_graph
from tsgkit.suites.audits.items import Item
from tsgkit.suites.audits.shortcuts import ANSWERERS, credit
from tsgkit.suites.tsg.makers.choice_designs import MIXED, ONE_ELEMENT, Drawing, designs
from tsgkit.suites.tsg.makers.choice_shortcuts import NAMES, ChoiceView, credits_of
from tsgkit.suites.tsg.makers.choices import Candidate, Choice, ChoiceChooser, Word, choice_row, choose_choices, unfit
from tsgkit.suites.tsg.makers.claims import may_be_same_action, may_be_same_thing, may_be_true
from tsgkit.suites.tsg.makers.sentence_patterns import STYLES, word
from tsgkit.suites.tsg.makers.wrong_steps import StoryView, wrong_steps


def step(action: str, *edges: str) -> ActionGraph:
    return ActionGraph([("person", "verb", action), *((action, *edge.split()) for edge in edges)])


OPEN = step("open", "dobj drawer", "with hand1")
PUT = step("put", "dobj cup", "into drawer", "with hand1")
TAKEN_OUT = step("put", "dobj cup", "out-of drawer")


def kinds_of(*graphs: ActionGraph, index: int = -1) -> dict[str, list[ActionGraph]]:
    """Return the wrong graphs of one step of a story by their kinds."""
    found: dict[str, list[ActionGraph]] = {}
    for one in wrong_steps(Narrative.of(graphs), index % len(graphs), Random(0), most=1000)[0]:
        found.setdefault(one.kind, []).append(one.graph)
    return found


def test_wrong_steps_change_places_hands_prepositions_actions_and_moments() -> None:
    found = kinds_of(OPEN, PUT)
    [swapped] = found["order"]
    assert ("put", "dobj", "drawer") in swapped and ("put", "into", "cup") in swapped
    for stands in (step("put", "dobj cup", "next-to jar"), step("screw", "dobj cover", "to case")):
        assert "order" not in kinds_of(OPEN, stands), "it means the same"
    hands = {frozenset(t.target for t in graph if "hand" in t.target) for graph in found["hand"]}
    assert hands == {frozenset({"hand2"}), frozenset({"hand1", "hand2"})}
    [turned] = kinds_of(OPEN, step("pass", "dobj cup", "from hand1", "to hand2"))["hand"]
    assert ("pass", "from", "hand2") in turned
    assert "close" in {graph.actions[0] for graph in kinds_of(PUT, OPEN)["action"]}
    assert kinds_of(OPEN, PUT, index=0)["moment"] == [PUT]
    assert [graph for graph in found["preposition"] if ("put", "from", "drawer") in graph]
    homonyms = kinds_of(step("cut", "dobj dough", "with hand1"), step("brush", "dobj dough", "with brush"))["action"]
    assert step("cut", "dobj dough", "with brush") in homonyms
    assert all(graph.actions != ("brush",) and ("brush" in {t.target for t in graph}) for graph in homonyms)


def test_what_happened_before_is_never_wrong_and_no_wrong_graph_breaks_a_rule() -> None:
    found, dropped = wrong_steps(Narrative.of([TAKEN_OUT, PUT]), 1, Random(0), most=1000)
    assert not any(("put", "from", "drawer") in one.graph for one in found)
    assert dropped["may be true of an earlier step"]
    story = made_up_story(3)
    for index in range(len(story.graphs)):
        for one in wrong_steps(story, index, Random(index))[0]:
            assert [finding for finding in check_graph(one.graph) if finding.severity == ERROR] == []


Made = tuple[list[tuple[Narrative, Choice]], ChoiceChooser, Counter[str]]


def by_patterns(story: Narrative, index: int) -> Word:
    return word


def made(stories: Iterable[Narrative], per_story: int, seed: int = 1) -> Made:
    """Return choices with their stories, the chooser, and the reasons why there are no more."""
    chooser, why = ChoiceChooser(seed), Counter[str]()
    found = []
    for story, chosen, dropped in choose_choices(stories, per_story, by_patterns, STYLES, chooser):
        why += dropped
        found += [(story, choice) for choice in chosen]
    return found, chooser, why


def test_what_other_things_hang_on_is_never_left_unsaid() -> None:
    spread = step("spread", "dobj paste", "along spine", "with brush", "with hand1")
    spread = ActionGraph([*spread.triplets[:3], ("spine", "of", "cover"), *spread.triplets[3:]])
    take = step("take", "dobj awl", "from jar")
    view = StoryView(Narrative.of([take, spread, take]))
    for seed in range(20):
        for design in designs(view, 1, MIXED, Drawing(Random(seed), ("imperative",))):
            assert ("spread", "along", "spine") in design.right.worded


VIEW = ChoiceView(
    ("Take the cup off the shelf.", "Put the cup on the shelf.", "Take the lid, not the cup, off the big shelf."),
    names=("take", "cup", "shelf"),
    elements=("take", "cup", "shelf", "off"),
    recent=("lid",),
)


def test_credits_of_shortcuts_are_those_of_the_audit_and_equal_options_share_them() -> None:
    shares = dict(zip(NAMES, credits_of(VIEW), strict=True))
    item = Item("", "", "", options=VIEW.sentences, key=0, names=frozenset(VIEW.names))
    audited = {one.name: one.answer for one in ANSWERERS}
    for mine, theirs in (
        ("longest", "the longest option"),
        ("most alike", "the option most like the others"),
        ("graph names", "the option that mentions most names of the graph"),
    ):
        answer = audited[theirs]
        assert answer is not None
        assert shares[mine] == credit(item, answer(item)), mine
    shared = ("fewest denials", "fewest commas", "graph names", "graph elements")
    assert [shares[name] for name in shared] == [0.5] * 4
    assert shares["recent names"] == 0


def test_kinds_and_keys_of_choices_are_even_a_seed_repeats_them_and_rows_show_the_right_one() -> None:
    choices = made(map(made_up_story, range(6)), 10)[0]
    tags = Counter(choice.tag for _, choice in choices)
    assert 0 <= tags[ONE_ELEMENT] - tags[MIXED] <= 1 and tags.total() > 50
    keys = Counter((choice.tag, choice.position) for _, choice in choices)
    for tag in (ONE_ELEMENT, MIXED):
        counts = [keys[tag, position] for position in range(5)]
        assert max(counts) - min(counts) <= 1
    stories = [made_up_story(number) for number in range(2)]
    assert made(stories, 6)[0] == made(stories, 6)[0] != made(stories, 6, seed=2)[0]
    story, choice = choices[0]
    denied = (*choice.candidates[:4], Candidate("Do not.", None, "negation"))
    row = choice_row(story, Choice(choice.index, choice.target, denied, choice.tag))
    assert row["target_sentence"] == row["variations"][row["position"]] == choice.candidates[0].sentence
    assert (row["kinds"][row["position"]], row["tags"]) == ("right", [choice.tag])
    assert "variation_triplets" not in row, "a denied action has no graph"


def test_a_small_story_says_why_it_has_no_choice() -> None:
    found, _, why = made([Narrative.of([OPEN, OPEN, step("open", "dobj drawer")])], 5)
    assert found == []
    reasons = ("step: nothing before it", "step: happened before", "step: fewer than three triplets")
    assert [why[reason] for reason in reasons] == [1, 1, 1]
    both = ActionGraph.of(("person", "verb", "open"), ("person", "verb", "shut"), ("open", "dobj", "jar"))
    assert unfit(StoryView(Narrative.of([both, both])), 1)


@given(st.lists(drawn_graphs(), max_size=8), st.integers(0, 5))
@settings(max_examples=40)
def test_each_choice_has_five_texts_and_one_true_of_what_happened(steps: list[ActionGraph], seed: int) -> None:
    story = Narrative.of(steps)
    [(_, chosen, _)] = choose_choices([story], 4, by_patterns, STYLES, ChoiceChooser(seed))
    for choice in chosen:
        right, *wrong = choice.candidates
        assert right.graph == choice.target
        assert len({text.lower() for text in choice.sentences}) == 5
        assert choice.target not in steps[: choice.index]
        assert choice_row(story, choice)["variations"][choice.position] == right.sentence
        for candidate in wrong:
            if candidate.graph is not None:
                is_said = " hand" in candidate.sentence
                is_counted = " both hands" in candidate.sentence or " one hand" in candidate.sentence
                for step in steps[: choice.index + 1]:
                    assert not may_be_true(candidate.graph, step, hands=is_said, counted=is_counted)


def graph(text: str) -> ActionGraph:
    """Return a graph from a text like ``loosen: dobj bolt, bolt on brake``."""
    action, _, edges = text.partition(": ")
    rows = [edge.split() for edge in edges.split(", ")]
    return ActionGraph([("person", "verb", action), *((action, *row) if len(row) == 2 else row for row in rows)])


TAKE = "take: dobj towel, off bowl, with hand1"
CUT = "cut: dobj bread, on board, with knife, with hand1, with hand2"
LOOSEN = "loosen: dobj bolt, bolt on brake, with hex-key, with hand1"


def test_a_claim_that_may_hold_is_true_and_one_that_surely_does_not_is_false() -> None:
    for step_told, true, false in (
        (TAKE, "take: dobj towel, from bowl", "take: dobj bowl, off towel"),
        (TAKE, "pick-up: dobj towels, off bowl", "take: dobj towel, onto bowl"),
        (TAKE, "take: dobj dish-towel", "take: dobj towel, off bowl, with hand2"),
        (TAKE, "move: dobj towel", "put: dobj towel, off bowl"),
        (CUT, "slice: dobj bread, upon board, with hand2", "cut: dobj knife, with bread"),
        (LOOSEN, "unscrew: dobj bolt, with key", "tighten: dobj bolt, bolt on brake"),
        (LOOSEN, "loosen: dobj bolt, bolt on brake", "loosen: dobj brake, brake on bolt"),
        ("put: dobj cup, under table", "place: dobj cup, beneath table", "put: dobj cup, over table"),
        ("put-down: dobj bolts, behind crate", "lay: dobj bolts, with hand1, with hand2", "lay: dobj crate"),
        ("hang: dobj poster, on wall", "put: dobj poster, on wall", "take: dobj poster, off wall"),
        ("drop: dobj twine, into bucket", "drop: dobj twine, over bucket", "drop: dobj bucket"),
    ):
        assert may_be_true(graph(true), graph(step_told)), true
        assert not may_be_true(graph(false), graph(step_told)), false


def test_hands_are_two_things_that_a_claim_may_count_or_leave_unsaid() -> None:
    assert not may_be_same_thing("hand1", "hand2")
    actions = (("open", "close"), ("fasten", "unfasten"), ("pick", "pick-up"))
    assert [may_be_same_action(*pair) for pair in actions] == [False, False, True]
    one = graph("cut: dobj bread, with hand1")
    assert may_be_true(one, graph(CUT))
    assert not may_be_true(one, graph(CUT), counted=True), "one hand is not both"
    other = graph("take: dobj towel, with hand2")
    assert may_be_true(other, graph(TAKE), counted=True)
    assert may_be_true(other, graph(TAKE), hands=False)


def test_claims_by_somebody_else_are_never_false_where_they_hold_and_mostly_false_where_they_do_not() -> None:
    """Whoever wrote these cases had not seen the code; denials and the number of hands are no claims of triplets."""
    lines = (Path(__file__).parent / "hard_claims.jsonl").read_text(encoding="utf-8").splitlines()
    assert Counter((case["verdict"], _verdict(case)) for case in map(json.loads, lines)) == {
        ("true-of-target", "true-of-target"): 24,
        ("true-of-earlier", "true-of-earlier"): 19,
        ("false", "false"): 35,
        ("false", "true-of-target"): 6,
        ("false", "true-of-earlier"): 4,
    }


def _verdict(case: dict[str, Any]) -> str:
    claimed, target, *context = (
        ActionGraph.of(*map(tuple, one)) for one in (case["claims"], case["target"], *case["context"])
    )
    if may_be_true(claimed, target):
        return "true-of-target"
    return "true-of-earlier" if any(may_be_true(claimed, step) for step in context) else "false"
