"""Import of stories, the folder of a benchmark in the making, and questions with one answer, confirmed twice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.model import HANDS, ActionGraph, Description, Frames, Narrative, Vocabulary
from tsgkit.graph.notation import narratives
from tsgkit.graph.timeline import Timeline
from tsgkit.library.documents.reader import read_document
from tsgkit.suites.tsg.makers.generation_rows import (
    ElementPool,
    generation_rows,
    grouped,
    parse_mix,
    repeated,
    synonyms_of,
    with_vocabulary,
)
from tsgkit.suites.tsg.makers.question_paths import answer, walk
from tsgkit.suites.tsg.makers.questions import MadeQuestion, draw_questions, objection
from tsgkit.suites.tsg.makers.second_reader import SecondReader
from tsgkit.suites.tsg.makers.sentences import GraphSentence
from tsgkit.suites.tsg.makers.stage_files import StageFolder
from tsgkit.suites.tsg.makers.stories import Imported, import_stories

ACTIONS = ("take", "put", "open", "close", "press", "brush", "pour", "pass", "lift", "drop")
THINGS = ("cup", "lid", "towel", "brush", "jar", "bowl", "shelf")
EDGES = ("from", "off", "into", "onto", "under", "on", "in", "with", "between")


@st.composite
def drawn_graphs(draw: st.DrawFn) -> ActionGraph:
    """Draw a graph of one action with up to three things, by one hand, both or none that is named."""
    action = draw(st.sampled_from(ACTIONS))
    things = draw(st.lists(st.sampled_from(THINGS), min_size=1, max_size=3, unique=True))
    edges = draw(st.lists(st.sampled_from(EDGES), min_size=2, max_size=2, unique=True))
    hands = draw(st.sampled_from(((), ("hand1",), ("hand2",), ("hand1", "hand2"))))
    rows = [(action, edge, thing) for edge, thing in zip(("dobj", *edges), things, strict=False)]
    return ActionGraph.of(("person", "verb", action), *rows, *((action, "with", hand) for hand in hands))


def act(verb: str, thing: str, *hands: str) -> ActionGraph:
    rows = [("person", "verb", verb), (verb, "dobj", thing)]
    return ActionGraph.of(*rows, *((verb, "with", hand) for hand in hands))


def imported(*stories: Narrative) -> Imported:
    text = "".join(map(narratives.write, stories))
    return import_stories([read_document(text, "stories.jsonl")])


def test_imported_stories_number_hands_follow_time_and_leave_gaps_and_beginnings_of_others_out() -> None:
    steps = [act("take", "cup", "hand2"), act("put", "cup", "hand2"), act("take", "lid", "hand1")]
    found = imported(Narrative.of(steps))
    used = [t.target for graph in found.stories[0].graphs for t in graph if t.target in HANDS]
    assert used == ["hand1", "hand1", "hand1"] and found.changes["hands-renumbered"] == 2
    late = Description("Then she washes it.", (act("wash", "cup"),), Frames(50, 40, 60))
    early = Description("She takes a cup.", (act("take", "cup", "hand1"),), Frames(20, 10, 30))
    found = imported(Narrative((late, early), id="tea"))
    assert [one.text for one in found.stories[0].descriptions] == [early.text, late.text]
    assert found.changes["time-reordered"] == 2
    broken = ActionGraph.of(("person", "verb", "take"), ("person", "verb", "put"), ("put", "dobj", "cup"))
    story = Narrative((Description("Takes.", (act("take", "cup"),)), Description("Does both.", (broken,))), id="tea")
    found = imported(story)
    assert [one.text for one in found.stories[0].descriptions] == ["Takes.", None]
    assert found.dropped[0].reason.startswith("several-actions") and found.dropped[0].story == "tea"
    graphs = [act("take", "cup", "hand1"), act("wash", "cup", "hand1"), act("put", "cup", "hand1")]
    found = imported(Narrative.of(graphs[:2]), Narrative.of(graphs))
    assert len(found.stories) == 1 and "the beginning of another story's" in found.dropped[0].reason
    told = [[list(t) for t in graph] for graph in graphs]
    shared = {"position": 0, "variations": [*"abcde"], "target_sentence": "a", "scenario_id": "tea"}
    rows = [shared | {"context_graphs": told[:number], "triplet": told[number]} for number in (1, 2)]
    found = import_stories([read_document("".join(json.dumps(row) + "\n" for row in rows), "rows.jsonl")])
    assert [story.id for story in found.stories] == ["tea"] and len(found.stories[0].graphs) >= 2


def test_a_mix_gives_groups_of_its_sizes_and_rows_say_which_other_words_stand_for_elements() -> None:
    story = Narrative.of([act("press", f"cup-{number}") for number in range(200)])
    made = grouped(story, {1: 1.0, 3: 1.0}, Random(1))
    sizes = [len(one.graphs) for one in made.descriptions]
    assert made.graphs == story.graphs and {*sizes[:-1]} == {1, 3}
    for text in ("9:1", "0", "1:-1", "a:b", "", "1:0"):
        with pytest.raises(UsageError):
            parse_mix(text)
    story = grouped(Narrative.of([act("take", "cup", "hand1"), act("wash", "cup", "hand1")] * 20), {2: 1.0}, Random(1))
    made = repeated(story, 1.0, Random(1))
    assert len(made.graphs) > len(story.graphs)
    assert sum(graph.actions == ("take",) for graph in made.graphs) == 20
    pool = ElementPool()
    for thing in ("cups", "plank", "lid", "trestle", "jar"):
        pool.add(Narrative.of([ActionGraph([*act("saw", thing), ("saw", "out-of", "box")])]))
    story = Narrative((Description("She takes the cup off a trestle.", (act("take", "cup"),)),))
    given = with_vocabulary(story, pool, 9.0, Random(1), ("jar",)).vocabulary
    assert given is not None and {"plank", "lid", "box"} <= {*given.objects}
    assert not {"cups", "trestle", "jar"} & {*given.objects} and "saw" in given.verbs
    graph = act("take", "towel", "hand1")
    sentence = GraphSentence("Take the cloth.", {"take": ("Take",), "towel": ("the cloth", "it")}, ("hand1",))
    vocabulary = Vocabulary.of([graph])
    assert synonyms_of(sentence, vocabulary) == {"cloth": "towel"}
    [row] = generation_rows(Narrative((Description(sentence.text, (graph,)),), vocabulary, "tea"), {0: sentence})
    assert (row["tags"], row["synonyms"], row["scenario_id"]) == (["synonym"], {"cloth": "towel"}, "tea")


def test_a_stage_is_current_while_settings_and_files_stay_and_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    folder = StageFolder(tmp_path / "made")
    with folder.writing("import", {"seed": 1}, ("stories.jsonl",)) as files:
        files.add("stories.jsonl", {"id": "thé"})
    assert folder.file("stories.jsonl").read_text(encoding="utf-8") == '{"id": "thé"}\n'
    assert folder.is_current("import", {"seed": 1}) and not folder.is_current("import", {"seed": 2})
    assert StageFolder(folder.path).is_current("import", {"seed": 1})
    with pytest.raises(RuntimeError), folder.writing("import", {"seed": 2}, ("stories.jsonl",)) as files:
        files.add("stories.jsonl", {"id": "half"})
        raise RuntimeError
    assert [one["id"] for one in folder.values("stories.jsonl")] == ["thé"] and folder.is_current("import", {"seed": 1})
    assert not list(folder.path.glob(".*"))
    folder.refuse_to_overwrite("import", ["stories.jsonl"], force=False)
    folder.file("stories.jsonl").write_text('{"id": "mine"}\n')
    folder.file("other.jsonl").write_text("x")
    for name, lost in (("stories.jsonl", "changes made by hand"), ("other.jsonl", "what lies there already")):
        with pytest.raises(FileProblem, match=f"{lost} would be lost"):
            folder.refuse_to_overwrite("import", [name], force=False)
        folder.refuse_to_overwrite("import", [name], force=True)
    folder.file("stories.jsonl").unlink()
    assert not folder.is_current("import", {"seed": 1})
    (tmp_path / "stories.jsonl").write_text('{"id": "tea"}\n{"id":\n')
    with pytest.raises(FileProblem, match=r"line 2: not JSON"):
        list(StageFolder(tmp_path).values("stories.jsonl"))
    for text in ("no json", "[]", '{"stages": []}'):
        (tmp_path / "make.json").write_text(text)
        with pytest.raises(FileProblem, match="no record of tsgkit make tsg"):
            StageFolder(tmp_path)


STEPS = {"take": ("off shelf", "with hand1"), "wash": ("with brush", "with hand2"), "put": ("on rack", "with hand1")}
STORY = Narrative.of(
    ActionGraph([("person", "verb", action), (action, "dobj", "cup"), *((action, *edge.split()) for edge in edges)])
    for action, edges in STEPS.items()
)


def test_both_evaluators_follow_a_path_to_its_answer_or_a_question_is_refused_with_its_reason() -> None:
    reader = SecondReader(STORY)
    for path, reply, text in (
        ("only shelf, again, hand", "hand2", "Find the only step in which the shelf played a part. Follow the thing "
         "handled there to the next step in which it played a part. In that step, which hand did the person use?"),
        ("between take cup and put cup, first, target with", "brush", "In the first step between taking the cup and "
         "putting the cup, the person did something. What did they use for it?"),
    ):  # fmt: skip
        assert answer(Timeline(STORY), path.split(", ")) == reply == reader.answer(text), text
    for path in ("first cup, next, next, next, action", "all, next, action", "only cup, action", "first cup, tool"):
        with pytest.raises(LookupError):
            answer(Timeline(STORY), path.split(", "))
    for path in ("only take cup, next, previous", "only take cup, next rack, previous shelf", "only wash cup, earlier"):
        with pytest.raises(LookupError, match="returns to a"):
            walk(Timeline(STORY), path.split(", "))
    again = SecondReader(Narrative.of([*STORY.graphs, act("put-back", "cup", "hand1")]))
    assert again.answer("Right before the cup was put, what did the person do?") == "", "it is put back as well"
    for text, reply, reason in (
        ("What was the cup washed with?", "towel", "the evaluators differ"),
        ("What was used?", "brush", "ambiguous in words"),
        ("When the cup was washed, what did the person do?", "wash", "the answer is in the question"),
    ):
        assert objection(reader, MadeQuestion(text, reply, (), "", 1)) == reason, text


@given(st.lists(drawn_graphs(), max_size=9), st.integers(0, 5))
@example([act("take", "cup", "hand1"), act("pass", "cup", "hand1"), act("take", "cup")], 0)
@settings(max_examples=50)
def test_two_evaluators_agree_on_any_story_whenever_the_second_one_knows(steps: list[ActionGraph], seed: int) -> None:
    drawn = draw_questions(Narrative.of(steps), Random(seed), 16)
    assert drawn.dropped["the evaluators differ"] == 0
    for sentence in ". ".join(question.text for question in drawn.questions).split(". "):
        assert len(re.findall(r"(?:right|immediately|steps) (?:after|before)|next step|last step before", sentence)) < 2
