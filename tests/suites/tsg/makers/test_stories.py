"""Import of stories, and the folder of a benchmark in the making."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.model import HANDS, ActionGraph, Description, Frames, Narrative, Vocabulary
from tsgkit.graph.notation import narratives
from tsgkit.library.documents.reader import read_document
from tsgkit.suites.tsg.makers.allowed_elements import ElementPool, with_vocabulary
from tsgkit.suites.tsg.makers.balance import Balance, Option
from tsgkit.suites.tsg.makers.description_sizes import grouped, parse_mix, repeated
from tsgkit.suites.tsg.makers.generation_rows import generation_rows, synonyms_of
from tsgkit.suites.tsg.makers.sentences import Sentence
from tsgkit.suites.tsg.makers.stage_files import StageFolder
from tsgkit.suites.tsg.makers.stories import Imported, import_stories


def act(verb: str, thing: str, *hands: str) -> ActionGraph:
    rows = [("person", "verb", verb), (verb, "dobj", thing)]
    return ActionGraph.of(*rows, *((verb, "with", hand) for hand in hands))


def imported(*stories: Narrative) -> Imported:
    text = "".join(map(narratives.write, stories))
    return import_stories([read_document(text, "stories.jsonl")])


def test_imported_stories_number_hands_by_first_use_and_follow_time() -> None:
    steps = [act("take", "cup", "hand2"), act("put", "cup", "hand2"), act("take", "lid", "hand1")]
    found = imported(Narrative.of(steps))
    used = [t.target for graph in found.stories[0].graphs for t in graph if t.target in HANDS]
    assert used == ["hand1", "hand1", "hand1"] and found.changes["hands-renumbered"] == 2
    late = Description("Then she washes it.", (act("wash", "cup"),), Frames(50, 40, 60))
    early = Description("She takes a cup.", (act("take", "cup", "hand1"),), Frames(20, 10, 30))
    found = imported(Narrative((late, early), id="tea"))
    assert [one.text for one in found.stories[0].descriptions] == [early.text, late.text]
    assert found.changes["time-reordered"] == 2


def test_a_graph_beyond_repair_leaves_a_gap_and_a_story_that_begins_another_is_left_out() -> None:
    broken = ActionGraph.of(("person", "verb", "take"), ("person", "verb", "put"), ("put", "dobj", "cup"))
    story = Narrative((Description("Takes.", (act("take", "cup"),)), Description("Does both.", (broken,))), id="tea")
    found = imported(story)
    assert [one.text for one in found.stories[0].descriptions] == ["Takes.", None]
    assert found.dropped[0].reason.startswith("several-actions") and found.dropped[0].story == "tea"
    graphs = [act("take", "cup", "hand1"), act("wash", "cup", "hand1"), act("put", "cup", "hand1")]
    found = imported(Narrative.of(graphs[:2]), Narrative.of(graphs))
    assert len(found.stories) == 1 and "the beginning of another story's" in found.dropped[0].reason


def test_rows_of_one_scenario_become_one_story() -> None:
    graphs = [[list(t) for t in act(verb, "cup", "hand1")] for verb in ("take", "wash", "put")]
    shared = {"position": 0, "variations": [*"abcde"], "target_sentence": "a", "scenario_id": "tea"}
    rows = [shared | {"context_graphs": graphs[:number], "triplet": graphs[number]} for number in (1, 2)]
    found = import_stories([read_document("".join(json.dumps(row) + "\n" for row in rows), "rows.jsonl")])
    assert [story.id for story in found.stories] == ["tea"] and len(found.stories[0].graphs) >= 2


def test_a_mix_gives_groups_of_its_sizes_and_only_actions_that_move_nothing_are_repeated() -> None:
    story = Narrative.of([act("press", f"cup-{number}") for number in range(200)])
    made = grouped(story, {1: 1.0, 3: 1.0}, Random(1))
    sizes = [len(one.graphs) for one in made.descriptions]
    assert made.graphs == story.graphs and {*sizes[:-1]} == {1, 3} and 30 < sizes.count(3) < 70
    for text in ("9:1", "0", "1:-1", "a:b", "", "1:0"):
        with pytest.raises(UsageError):
            parse_mix(text)
    story = grouped(Narrative.of([act("take", "cup", "hand1"), act("wash", "cup", "hand1")] * 20), {2: 1.0}, Random(1))
    made = repeated(story, 1.0, Random(1))
    assert len(made.graphs) > len(story.graphs)
    assert sum(graph.actions == ("take",) for graph in made.graphs) == 20


def test_added_elements_mean_nothing_in_the_story() -> None:
    pool = ElementPool()
    for thing in ("cups", "plank", "lid", "trestle", "jar"):
        pool.add(
            Narrative.of([ActionGraph.of(("person", "verb", "saw"), ("saw", "dobj", thing), ("saw", "out-of", "box"))])
        )
    story = Narrative((Description("She takes the cup off a trestle.", (act("take", "cup"),)),))
    words = ("jar",)
    given = with_vocabulary(story, pool, 9.0, Random(1), words).vocabulary
    assert given is not None and {"plank", "lid", "box"} <= {*given.objects}
    assert not {"cups", "trestle", "jar"} & {*given.objects} and "saw" in given.verbs


def test_rows_say_which_other_words_stand_for_elements() -> None:
    graph = act("take", "towel", "hand1")
    sentence = Sentence("Take the cloth.", {"take": ("Take",), "towel": ("the cloth", "it")}, ("hand1",))
    vocabulary = Vocabulary.of([graph])
    assert synonyms_of(sentence, vocabulary) == {"cloth": "towel"}
    story = Narrative((Description(sentence.text, (graph,)),), vocabulary, "tea")
    [row] = generation_rows(story, {0: sentence})
    assert row["tags"] == ["synonym"] and row["synonyms"] == {"cloth": "towel"} and row["scenario_id"] == "tea"


def written(folder: StageFolder, seed: int, text: str) -> None:
    with folder.writing("import", {"seed": seed}, ("stories.jsonl",)) as files:
        files.add("stories.jsonl", {"id": text})


def test_a_stage_is_current_while_settings_and_files_stay_and_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    folder = StageFolder(tmp_path / "made")
    written(folder, 1, "thé")
    assert folder.file("stories.jsonl").read_text(encoding="utf-8") == '{"id": "thé"}\n'
    assert folder.is_current("import", {"seed": 1}) and not folder.is_current("import", {"seed": 2})
    assert StageFolder(folder.path).is_current("import", {"seed": 1})
    with pytest.raises(RuntimeError), folder.writing("import", {"seed": 2}, ("stories.jsonl",)) as files:
        files.add("stories.jsonl", {"id": "half"})
        raise RuntimeError
    assert [one["id"] for one in folder.values("stories.jsonl")] == ["thé"] and folder.is_current("import", {"seed": 1})
    assert not list(folder.path.glob(".*"))
    folder.file("stories.jsonl").unlink()
    assert not folder.is_current("import", {"seed": 1})


def test_changes_by_hand_are_not_replaced_without_force(tmp_path: Path) -> None:
    folder = StageFolder(tmp_path)
    written(folder, 1, "tea")
    folder.refuse_to_overwrite("import", ["stories.jsonl"], force=False)
    folder.file("stories.jsonl").write_text('{"id": "mine"}\n')
    folder.file("other.jsonl").write_text("x")
    for name, lost in (("stories.jsonl", "changes made by hand"), ("other.jsonl", "what lies there already")):
        with pytest.raises(FileProblem, match=f"{lost} would be lost"):
            folder.refuse_to_overwrite("import", [name], force=False)
        folder.refuse_to_overwrite("import", [name], force=True)


def test_a_record_of_something_else_and_a_broken_line_are_named(tmp_path: Path) -> None:
    (tmp_path / "stories.jsonl").write_text('{"id": "tea"}\n{"id":\n')
    with pytest.raises(FileProblem, match=r"line 2: not JSON"):
        list(StageFolder(tmp_path).values("stories.jsonl"))
    for text in ("no json", "[]", '{"stages": []}'):
        (tmp_path / "make.json").write_text(text)
        with pytest.raises(FileProblem, match="no record of tsgkit make tsg"):
            StageFolder(tmp_path)


def test_a_balance_keeps_sums_at_chance_within_groups() -> None:
    balance = Balance()
    for number in range(200):
        options = [Option("right", (1.0,), 0.2, "ab"[number % 2]), Option("wrong", (0.0,), 0.2, "ab"[number % 2])]
        balance.choose(options)
    assert all(abs(sums[0]) <= 1 for sums in balance.excess.values()) and set(balance.excess) == {"", "a", "b"}
