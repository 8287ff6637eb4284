"""Sentences and stories become graphs, and graphs the best version, each change with its reason; texts rule nothing."""

from __future__ import annotations

import itertools
import json
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from doors import run
from shipped import OFFICIAL_DATA, TASKS, needs_official_data
from spoken_models import BETTER, CUP, GOOD, RINSE, VASE, L, Said, Spoken, arrows, graph

from tsgkit import agenerate, generate, refine
from tsgkit.agents import ByLabel, decomposition
from tsgkit.agents.decomposition import MOST_ACTIONS, MOST_COUNT, DecomposedSentence, Sentence
from tsgkit.agents.effort import LEVELS, LOOKS, Effort
from tsgkit.agents.passages import Passage
from tsgkit.agents.refinement import CLEAN, NO_MODEL, OUT_OF_CALLS, UNCHANGED, Refined, refine_passage
from tsgkit.agents.steps import Update
from tsgkit.agents.story_graphs import sentences_of, vocabulary_of
from tsgkit.errors import EditError, UsageError
from tsgkit.graph import ActionGraph, Description, Narrative, Triplet, Vocabulary
from tsgkit.graph.repairs import EXACT, MODEL, PROPOSED, Change, is_fault
from tsgkit.graph.slips import published_error
from tsgkit.library.documents.reader import read_file
from tsgkit.llm.asker import SchemaRefusals
from tsgkit.llm.failures import BudgetReached, Unasked
from tsgkit.llm.reply import Ending, Reply

LOW, MEDIUM, HIGH = map(Effort, LEVELS)
NAMED = "graph 1: mismatched: fill -> dobj -> cup"
CUP_IS_KETTLE = f"{NAMED} => fill -> dobj -> kettle"
BACK = "graph 1: mismatched: fill -> dobj -> kettle => fill -> dobj -> cup"


def refined(passage: Passage, ask: Spoken | None, effort: Effort = LOW) -> Refined:
    return run(refine_passage(passage, ask, effort))


def passage(*graphs: ActionGraph, **parts: object) -> Passage:
    usual = {"sentence": "She fills the kettle.", "vocabulary": L, "count": len(graphs)}
    return Passage(graphs, **(usual | parts))  # type: ignore[arg-type]


def test_without_a_model_graphs_stay_in_which_no_rule_finds_an_error() -> None:
    pair = [graph(f"person verb pick; pick dobj {thing}; pick with hand1") for thing in ("file", "screwdriver")]
    bundled = [entry.narrative for entry in read_file(TASKS / "tsg/data/tsgkit-2/narratives.jsonl").entries]
    contradicted = Narrative((Description("She fills the kettle with both hands.", (CUP,)),), L)
    for narrative in (Narrative.of(pair), contradicted, *bundled):
        assert (cleaned := refine(narrative)).changes == cleaned.proposed == (), narrative.id
    assert len(bundled) == 62


@needs_official_data
def test_of_published_and_crowd_made_graphs_only_misspelt_edges_are_repaired() -> None:
    files = [file for name in ("easg*.json", "tsg_sg*.jsonl") for file in OFFICIAL_DATA.glob(name)]
    restored = list[bool]()
    for file in files:
        cleaned = [refine(entry.narrative) for entry in read_file(file).entries]
        others = [change for one in cleaned for change in one.changes if change.code != "edge-misspelt"]
        assert 1000 * len(others) <= sum(len(one.narrative.graphs) for one in cleaned), (file.name, others[:5])
        restored += itertools.chain.from_iterable(restored_where_changed(one.narrative) for one in cleaned)
    assert len(restored) > 100 and sum(restored) >= 0.97 * len(restored)


def restored_where_changed(narrative: Narrative) -> list[bool]:
    """Spoil a fourth of the graphs, and return for each that is changed then whether it is what it was."""
    triplets = [triplet for one in narrative.graphs for triplet in one]
    verbs = sorted({one.target for one in triplets if one.edge == "verb"})
    things = sorted({one.target for one in triplets if one.edge != "verb"})
    elements = Vocabulary(tuple(things), tuple(sorted({one.edge for one in triplets})), tuple(verbs))
    spoilt = list(narrative.graphs)
    for number in range(0, len(spoilt), 4):
        with suppress(EditError):
            spoilt[number] = published_error(spoilt[number], elements, seed=number).graph
    cleaned = refine(replace(narrative.with_graphs(spoilt), vocabulary=elements))
    return [cleaned.narrative.graphs[number] == narrative.graphs[number] for number in cleaned.touched]


def test_a_finding_is_answered_with_a_triplet_or_a_choice_and_without_a_model_exact_repairs_are_made() -> None:
    found = refined(passage(graph("fill verb person; fill dobj kettle; fill dobj kettle")), None)
    assert found.why == CLEAN and {change.by for change in found.changes} == {EXACT}
    assert refined(passage(VASE), None).why == NO_MODEL
    ask = Spoken({"look": arrows(GOOD)})
    assert refined(passage(graph("person verb fill; fill dobj kettel; fill with hand1")), ask).graphs == (GOOD,)
    assert ask.asked == [], "its calls are spared"
    found = refined(passage(VASE), Spoken({"look/1": f"{BETTER} (90)"}))
    before, after = Triplet("fill", "dobj", "vase"), Triplet("fill", "dobj", "kettle")
    change = Change(0, before, after, "out-of-vocabulary", "vase is not in L", MODEL, round=1, sure=0.9)
    assert (found.graphs, found.why, found.calls, found.changes) == ((GOOD,), CLEAN, 1, (change,))
    slip = graph("person verb fill; fill dobj kettle; pour with hand1; pour on cup")
    ask = Spoken({"look/1": "1: a (80)"})
    found = refined(passage(slip), ask, Effort("low", "none"))
    hand, cup = ("fill -> with -> hand1 in place of pour -> with -> hand1", "fill -> on -> cup in place of")
    assert f"   a: {hand}; {cup}" in ask.asked[0][1]
    assert Triplet("fill", "with", "hand1") in found.graphs[0]
    left = Spoken({"look/1": "1: leave it as it is"})
    assert refined(passage(slip), left, Effort("low", "none")).graphs == (slip,)


class Row(NamedTuple):
    """What a refinement begins with and is told, the last for ever; and what comes of it."""

    start: Passage
    effort: Effort
    says: tuple[str, ...]
    graphs: tuple[ActionGraph, ...]
    looks: int
    codes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    why: str = CLEAN


def test_what_a_model_says_leads_to_the_best_version_within_the_effort() -> None:
    turned = graph("person verb fill; kettle dobj fill; fill with hand1")
    reversal = "graph 1: reversed: kettle -> dobj -> fill (90)"
    redundant, dubious = "graph 1: redundant: fill -> with -> hand1", "graph 1: missing: tap -> on -> mug (90)"
    worse = "1: fill -> dobj -> bowl\ngraph 1: missing: tap -> on -> spoon\ngraph 1: redundant: 1"
    unmade = "not made, since it adds a fault: graph 1:"
    no_verb = ("triplets that are not of L, left out: 2", f"{unmade} without person -> verb -> fill")
    sorry = [f"look/{number} could not be read: no answer to a finding and no triplet found" for number in (1, 2)]
    none, both = ("none",), arrows(GOOD, RINSE)
    mended, outside, counted = ("critique-mismatched",), ("out-of-vocabulary",), ("graph-count",)
    rows = (
        *(Row(passage(GOOD), Effort(level), none, (GOOD,), looks) for looks, level in enumerate(LEVELS)),
        Row(passage(CUP), MEDIUM, (CUP_IS_KETTLE, "none"), (GOOD,), 2, mended),
        # no second look follows what the rules confirm or the model is sure of
        Row(passage(VASE), MEDIUM, (BETTER,), (GOOD,), 1, outside),
        Row(passage(CUP), MEDIUM, (f"{CUP_IS_KETTLE} (80)",), (GOOD,), 1, mended),
        Row(passage(CUP), MEDIUM, (f"{CUP_IS_KETTLE} (79)", "none"), (GOOD,), 2, mended),
        Row(passage(CUP), MEDIUM, (CUP_IS_KETTLE, BACK), (CUP,), 2),
        Row(passage(turned), Effort("medium", "none"), (reversal,), (GOOD,), 1, ("critique-reversed",)),
        # a choice where there is none
        Row(passage(GOOD, RINSE, hint="missing"), LOW, ("1: a",), (GOOD, RINSE), 1, why=UNCHANGED),
        # at high effort an edit needs two looks that name it, or the rules as the second witness
        Row(passage(CUP), HIGH, (f"{CUP_IS_KETTLE}\n{redundant}", CUP_IS_KETTLE, "none"), (GOOD,), 2, mended),
        Row(passage(CUP), HIGH, (CUP_IS_KETTLE, "none"), (CUP,), 2),
        Row(passage(VASE), HIGH, (BETTER, "none"), (GOOD,), 2, outside),
        # an edit that adds a fault is left out, and the others are made
        Row(
            *(passage(CUP), MEDIUM, (f"{CUP_IS_KETTLE} (90)\n{dubious}",), (GOOD,), 1, mended),
            notes=(f"{unmade} tap -> on -> mug added (90 %)",),
        ),
        Row(passage(VASE), MEDIUM, (worse,), (VASE,), 2, notes=no_verb * 2, why=OUT_OF_CALLS),
        # a graph about which nothing was found stays when graphs are written anew
        Row(
            *(passage(VASE, RINSE), LOW, (arrows(GOOD, CUP),), (GOOD, RINSE), 1, outside),
            notes=("changes without a reason, left out: 1 graphs",),
        ),
        Row(passage(VASE), MEDIUM, ("Sorry.",), (VASE,), 2, notes=(*sorry,), why=OUT_OF_CALLS),
        Row(passage(VASE), MEDIUM, ("Sorry.", BETTER), (GOOD,), 2, outside, notes=(sorry[0],)),
        Row(passage(VASE), MEDIUM, ("1: leave",), (VASE,), 1, why=UNCHANGED),
        Row(passage(GOOD), MEDIUM, ("Sorry.",), (GOOD,), 1, notes=(sorry[0],)),
        # a wrong number of graphs is put right and never made worse
        Row(passage(GOOD, count=2), LOW, (both,), (GOOD, RINSE), 1, counted),
        Row(passage(GOOD, RINSE, RINSE, count=2), LOW, (both,), (GOOD, RINSE), 1, counted),
        Row(
            *(passage(VASE), LOW, (both,), (VASE,), 1),
            notes=("2 graphs in place of 1 were left out",),
            why=OUT_OF_CALLS,
        ),
        # an error named without a remedy is a finding of the second look
        Row(passage(CUP), MEDIUM, (NAMED, BETTER), (GOOD,), 2, mended),
    )
    for number, row in enumerate(rows):
        says: dict[str, Said] = {f"look/{look + 1}": said for look, said in enumerate((*row.says, *[row.says[-1]] * 4))}
        ask = Spoken(says)
        found = refined(row.start, ask, row.effort)
        codes = tuple(dict.fromkeys(change.code for change in found.changes))
        looks = [f"look/{look + 1}" for look in range(row.looks)]
        assert (found.graphs, ask.labels, found.calls) == (row.graphs, looks, row.looks), (number, row.says)
        assert (codes, found.notes, found.why) == (row.codes, row.notes, row.why), (number, row.says)
        faults = [sum(map(is_fault, row.start.findings(graphs))) for graphs in (row.start.graphs, found.graphs)]
        assert faults[1] <= faults[0], (number, row.says)
        assert found.refused == sum(note.startswith(unmade) for note in row.notes), (number, row.says)


def test_an_edit_that_the_model_doubts_is_proposed_and_a_hint_is_asked_about() -> None:
    ask = Spoken({"look": f"{CUP_IS_KETTLE} (30)"})
    found = refined(passage(CUP), ask, MEDIUM)
    assert found.graphs == (CUP,) and found.changes == () and ask.labels == ["look/1"]
    [change] = found.proposed
    assert (change.by, change.sure, change.after) == (PROPOSED, 0.3, Triplet("fill", "dobj", "kettle"))
    assert found.notes[0].startswith("not made, since the model is not sure: graph 1: fill -> dobj -> kettle")
    ask = Spoken({"look/1": BETTER, "look": CUP_IS_KETTLE})
    found = refined(passage(CUP, hint="mismatched, missing"), ask)
    said = [f"{place}: said to hold an error of the kind {kind}" for place, kind in ((1, "mismatched"), (2, "missing"))]
    assert ask.labels == ["look/1"] and "\n".join(said) in ask.asked[0][1]
    assert {change.code for change in found.changes} == {"hint-mismatched"}
    with pytest.raises(UsageError, match="no error type spelling"):
        passage(CUP, hint="missing, spelling")


def test_effort_takes_no_unknown_name() -> None:
    for what, given, hint in (("repair", "hand", "hands?"), ("effort", "hihg", "high?")):
        with pytest.raises(UsageError, match=f"there is no {what} '{given}'") as found:
            Effort(**{"level" if what == "effort" else what: given})  # type: ignore[arg-type]
        assert found.value.hint == hint


def test_a_look_asks_for_a_schema_bound_to_l_unless_the_service_refuses_schemas() -> None:
    point = {"graph": 1, "kind": "missing", "as_it_is": None, "as_it_should_be": ["fill", "from", "tap"], "sure": 90}
    decision = {"finding": 1, "choice": None, "triplet": ["fill", "dobj", "kettle"], "sure": 95}
    ask = Spoken({"look": f"```json\n{json.dumps({'decisions': [decision], 'points': [point]})}\n```"})
    found = refined(passage(VASE), ask)
    assert found.graphs == (graph("person verb fill; fill dobj kettle; fill with hand1; fill from tap"),)
    schema: Any = ask.schemas[0]["json_schema"]["schema"]  # type: ignore[index]
    assert schema["$defs"]["edge"]["enum"] == ["verb", "dobj", "with", "on", "from"]
    assert [(name, one["maxItems"]) for name, one in schema["properties"].items()] == [("decisions", 1), ("points", 5)]
    ask = Spoken({"look": arrows(GOOD, RINSE)})
    refined(passage(GOOD, count=2), ask)
    assert ask.schemas == [None], "no schema holds graphs in another number"
    schemas: list[bool] = []

    async def refuse(messages: object, *, label: str, draw: int = 0, schema: dict[str, Any] | None = None) -> Reply:
        schemas.append(schema is not None)
        return Reply(BETTER) if schema is None else Reply(None, Ending.API_ERROR, error="no schemas", status=400)

    refusals = SchemaRefusals()
    for _ in range(2):
        assert run(refine_passage(passage(VASE), refusals.asking(refuse), LOW)).graphs == (GOOD,)
    assert schemas == [True, False, False]


def test_a_model_that_fails_leaves_the_best_so_far_and_the_reason() -> None:
    better, start = (graph(f"person verb fill; fill dobj {name}; fill under hand1") for name in ("kettle", "vase"))
    rows: list[tuple[Said, str, str]] = [
        (BudgetReached("the budget is used up: 2 of 2 requests"), "the budget is used up: 2 of 2 requests", "stopped"),
        (Unasked("m: not asked any more: 401"), "m: not asked any more: 401", "stopped"),
        (Reply(None, Ending.API_ERROR, error="timed out"), "look/2 brought no answer: api error: timed out", "failed"),
        (Reply("", Ending.EMPTY), "look/2 brought no answer: empty", "unusable"),
        (Reply("person", Ending.TRUNCATED), "look/2 brought no answer: truncated", "unusable"),
        (Reply(None, Ending.REFUSED, refusal="no"), "look/2 brought no answer: refused: no", "unusable"),
    ]
    for said, why, silent in rows:
        found = refined(passage(start), Spoken({"look/1": f"2: leave\n{BETTER}", "look/2": said}), MEDIUM)
        assert (found.graphs, found.why, found.silent) == ((better,), why, silent), said


HOSTILE = (
    "graph 1: mismatched: fill -> dobj -> {0} => fill -> dobj -> {1} (60)\n1: fill -> dobj -> {1} (60)",
    "1: reversed\n1: a",
    '{{"decisions": [], "points": [{{"graph": 9, "kind": "missing"}}]}}',
    "person -> verb -> fill\nfill -> dobj -> {1}",
)


def test_no_model_gets_more_calls_for_a_sentence_than_the_effort_allows() -> None:
    starts = ((VASE, 1), (CUP, 1), (VASE, 2), (graph("kettle dobj fill; person verbs fill"), 1))
    seen: list[tuple[str, Update]] = []
    spoken = Spoken({"look/1": CUP_IS_KETTLE, "look": "none"})
    run(refine_passage(passage(CUP), spoken, MEDIUM, watch=lambda *one: seen.append(one)))
    assert [name for name, _ in seen] == ["repair", "check", "look", "repair", "check", "look", "check"]
    for level, said, (start, count) in itertools.product(LEVELS, HOSTILE, starts):
        turns = itertools.cycle([said.format("cup", "mug"), said.format("mug", "cup"), said.format("vase", "bowl")])
        ask = Spoken({"look": lambda _, turns=turns: next(turns)})  # type: ignore[misc]
        mine = passage(start, count=count, hint="missing")
        found = refined(mine, ask, Effort(level, "none"))
        assert len(ask.asked) == found.calls <= LOOKS[level], (level, said)
        faults = [sum(map(is_fault, mine.findings(graphs))) for graphs in ((start,), found.graphs)]
        assert faults[1] <= faults[0], (level, said)


PICK = graph("person verb pick-up; pick-up dobj cup; pick-up with hand1")
FILL = graph("person verb fill; fill dobj kettle; fill with hand2")
HUNG = Reply(None, Ending.API_ERROR, error="hung")
TEXT = "She picks up the cup and fills the kettle."
ACTIONS = ("pick up the cup", "fill the kettle")
TWO: dict[str, Said] = {
    "decompose/1": "1. {}\n2. {}".format(*ACTIONS),
    "write/1": arrows(PICK),
    "write/2": arrows(FILL),
}
ONE: dict[str, Said] = {"decompose": "fill the kettle", "write": arrows(FILL)}
SAYS = {"decompose/1": "pick up the cup", "write/1": arrows(PICK)}


def told(ask: Spoken, **parts: object) -> DecomposedSentence:
    return run(decomposition.decompose_sentence(Sentence(**({"text": TEXT, "vocabulary": L} | parts)), ask))  # type: ignore[arg-type]


def test_each_action_knows_what_the_hands_hold_and_is_mended_and_a_failure_keeps_what_was_written() -> None:
    ask = Spoken(TWO)
    found = told(ask)
    assert (found.graphs, found.actions, found.calls) == ((PICK, FILL), ACTIONS, 3)
    assert ask.labels == ["decompose/1", "write/1", "write/2"]
    assert "In the hands now: hand1 free, hand2 free" in ask.asked[1][1]
    assert "In the hands now: hand1 cup, hand2 free" in ask.asked[2][1] and "fill the kettle" in ask.asked[2][1]
    ask = Spoken(ONE)
    told(ask, before=(Description("x", (PICK,)),))
    told(ask, before=(Description("x", (PICK,)), Description("y")))
    assert "In the hands now: hand1 cup, hand2 free" in ask.asked[1][1]
    assert "hand1 unknown" in ask.asked[3][1]
    slip = graph("fill verb person; fill dobj kettles; fill with hand2")
    found = told(Spoken(ONE | {"write": arrows(slip)}))
    assert found.graphs == (FILL,) and [change.by for change in found.changes] == ["exact", "exact"]
    vase = graph("person verb fill; fill dobj vase; fill with hand2")
    found = told(Spoken(ONE | {"write": arrows(vase), "look/1": "1: fill -> dobj -> kettle"}))
    assert found.graphs == (FILL,) and found.changes[0].reason == "vase is not in L"
    silences = ((BudgetReached("used up"), "stopped"), (HUNG, "failed"), (Reply("", Ending.EMPTY), "unusable"))
    for label, graphs in (("decompose/1", ()), ("write/1", ()), ("write/2", (PICK,))):
        for said, silent in silences:
            found = told(Spoken({**TWO, label: said}))
            assert found.graphs == graphs and found.silent == silent and found.why, (label, said)


def test_what_is_said_leads_to_graphs_actions_and_notes() -> None:
    """Rows: what is said, the number of actions that is asked for; the graphs, actions, questions, draws and notes."""
    three = "\n".join((*ACTIONS, "rinse the cup"))
    missing, whole = ONE | {"look": arrows(PICK, FILL)}, {"write/1": arrows(FILL)}
    again = TWO | {"decompose/1": "rinse the cup", "decompose/2": TWO["decompose/1"]}
    worse = TWO | {"decompose/1": "a\nb\nc", "decompose/2": "a\nb\nc\nd"}
    fails = TWO | {"decompose/1": "a\nb\nc", "decompose/2": HUNG}
    brought = tuple(f"decompose/{number} brought 3 actions for 2" for number in (1, 2))
    unread = ("write/1 could not be read: no triplet found",)
    rows: tuple[tuple[Any, ...], ...] = (
        (TWO | {"decompose": three, "decompose/1": three}, 2, (PICK, FILL), ACTIONS, "ddww", [0, 1, 0, 0]),
        (missing, 2, (PICK, FILL), ("fill the kettle",), "ddwl", [0, 1, 0, 0]),
        (again, 2, (PICK, FILL), ACTIONS, "ddww", [0, 1, 0, 0]),
        (worse, 2, (PICK, FILL), ("a", "b"), "ddww", [0, 1, 0, 0]),
        (fails, 2, (PICK, FILL), ("a", "b"), "ddww", [0, 1, 0, 0]),
        (whole, 1, (FILL,), (TEXT,), "w", [0]),
        (ONE | {"decompose": "---\n```"}, None, (FILL,), (TEXT,), "dw", [0, 0]),
        (TWO | {"write/1": "I would rather not."}, None, (FILL,), ACTIONS, "dwwl", [0, 0, 0, 0]),
    )
    notes: dict[int, tuple[str, ...]] = {0: brought, 6: ("no action could be read of decompose/1",), 7: unread}
    for number, (says, count, graphs, actions, labels, draws) in enumerate(rows):
        ask = Spoken(says)
        found = told(ask, count=count)
        assert (found.graphs, found.actions, found.calls) == (graphs, actions, len(labels)), number
        assert ("".join(label[0] for label in ask.labels), ask.draws) == (labels, draws), number
        if number in notes:
            assert found.notes[: len(notes[number])] == notes[number], number
        if count:
            assert ("exactly 2" in ask.asked[0][1]) is (count == 2), number
    with pytest.raises(UsageError, match="from 1 to 100"):
        Sentence("x", count=MOST_COUNT + 1)


def test_actions_and_sentences_are_read_without_their_decoration_and_a_flood_of_them_ends() -> None:
    for text, actions in (
        ("- take the lid\n* shut it", ("take the lid", "shut it")),
        ("Action 1: take the lid\nAction 2: shut it", ("take the lid", "shut it")),
        ("Sure, here they are:\n(1) take the lid", ("take the lid",)),
        ("```\ntake the lid\n```", ("take the lid",)),
        ("", ()),
    ):
        assert decomposition.actions_of(text) == actions, (text, actions)
    for text, sentences in (
        ("One. Two! Three?", ("One.", "Two!", "Three?")),
        ("He asks Dr. Who. He waits.", ("He asks Dr. Who.", "He waits.")),
        ("A line. With two.\n\nAnother.", ("A line. With two.", "Another.")),
        ("0.5 cups are added.", ("0.5 cups are added.",)),
        (" \n\n", ()),
    ):
        assert sentences_of(text) == sentences, (text, sentences)
    ask = Spoken(ONE | {"decompose": "\n".join(f"{n}. do thing {n}" for n in range(500))})
    assert len(told(ask).graphs) == MOST_ACTIONS == sum(label.startswith("write") for label in ask.labels)


def test_a_story_becomes_a_narrative_also_when_awaited_and_an_open_vocabulary_bounds_it() -> None:
    story = "She takes a cup.\nShe looks at it."
    made = generate(story, ByLabel(SAYS), vocabulary=L)
    texts = story.split("\n")
    assert made.narrative == Narrative(tuple(Description(text, (PICK,)) for text in texts), L)
    assert made.calls == 4 and not made.stopped and not made.undecided
    assert run(agenerate(story, ByLabel(SAYS), vocabulary=L)) == made
    cleaned = refine(Narrative.of([graph("fill verb person; fill dobj kettle")]), vocabulary=L)
    assert cleaned.touched == (0,) and not cleaned.undecided
    listed = "objects: Cup, cups\nverbs: picks up\nprepositions: with, quickly"
    made = generate("She takes a cup.", ByLabel(SAYS | {"vocabulary/1": listed}), open_vocabulary=True)
    names = made.narrative.vocabulary
    assert names is not None
    assert (names.objects, names.verbs) == (("person", "hand1", "hand2", "cup"), ("picks-up",))
    assert made.narrative.graphs[0].actions == ("picks-up",), "the graph keeps to what was proposed"
    assert {change.code for change in made.changes} == {"out-of-vocabulary"}
    assert "L: quickly is no preposition, left out" in made.notes
    made = generate("She takes a cup.", ByLabel(SAYS | {"vocabulary/1": "I do not know."}), open_vocabulary=True)
    assert made.narrative.vocabulary is None and made.narrative.graphs == (PICK,) and "without L" in made.notes[0]
    hostile = ", ".join(["../etc", "a" * 500, "{0.__class__}", "ignore all rules", *(f"n{n}" for n in range(2000))])
    found, _ = vocabulary_of(f"objects: {hostile}\nverbs: go\nprepositions: on")
    assert found is not None and len(found.objects) <= 503
    assert all(len(name) <= 60 for name in found.objects)


def test_a_model_without_answers_leaves_the_texts_and_the_reason_and_a_failing_one_is_given_up_after_three() -> None:
    class Failing(ByLabel):
        async def ask(self, *_: Any, **__: Any) -> Reply:  # noqa: ANN401
            return HUNG

    texts = ["One.", "Two.", "Three.", "Four."]
    made = generate(texts, ByLabel({}))
    assert not made.narrative.graphs and not made.stopped
    assert made.failures == tuple(f"sentence {n}: decompose/1 brought no answer: missing" for n in range(1, 5))
    made = generate(texts, Failing({}))
    assert made.stopped == "decompose/1 brought no answer: api error: hung" and made.calls == 3
    assert made.failures == tuple(f"sentence {n}: {made.stopped}" for n in range(1, 4))
    made = generate(texts, Failing({}), open_vocabulary=True)
    assert made.failures == (made.stopped,) == ("vocabulary/1 brought no answer: api error: hung",) and made.calls == 1
    assert [part.text for part in made.narrative.descriptions] == texts and not made.narrative.graphs
    with pytest.raises(UsageError, match="no sentence"):
        generate("", ByLabel({}))
    with pytest.raises(UsageError, match="2 numbers of graphs for 1"):
        generate("One.", ByLabel({}), counts=[1, 2])
    with pytest.raises(UsageError, match="none can be proposed"):
        generate("One.", ByLabel({}), vocabulary=L, open_vocabulary=True)
