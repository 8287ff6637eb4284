"""Prompts say all that a task requires, hold an item's values as they are, and show no example that is asked."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from prompt_items import HOSTILE, STYLES, TASKS, document, graph, pool, row
from tsg_tasks import METRICS, pool_of, prompt_set, prompter_of, read_reply, samples_of, shown_answer, tsg_task
from tsg_tasks import STYLES as NAMES

from tsgkit.errors import UsageError
from tsgkit.graph.reading.answers import read_graphs
from tsgkit.library.cards import card_from, load_card
from tsgkit.library.documents.reader import read_file
from tsgkit.replies import Unreadable
from tsgkit.replies.sections import Section, answer_section
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.styles import PRESETS, Style, style_of
from tsgkit.suites.tsg.items import AnySample, GenerationSample, QuestionSample, SelectionSample

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
WHOLE = {
    "sgqa": "Scene: {scene_graph}\nAsked: {question}\n",
    "sgds": "{context} | {triplet} | {sentences}",
    "sa-sgg": "{context} | {target_sentence} | {available_nodes} | {available_edges}",
    "ma-sgg": "{context} | {target_sentence} | {available_nodes} | {available_edges} | {num_scene_graphs}",
}


def sample_of(task: str, word: str = "cup") -> AnySample:
    found: AnySample = samples_of(document(row(task, "asked", word)), task)[0]
    return found


def prompter(task: str, style: str, word: str = "plate") -> Prompter[AnySample]:
    shots = PRESETS[style].shots
    return prompter_of(task, style, None, pool_of(pool(task, word=word), task).drawn(shots))


def parts(folder: Path, task: str, **texts: str) -> Path:
    (folder / "tsg" / task).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / "tsg" / task / f"{name.replace('_', '-')}.txt").write_text(text)
    return folder


UNDERSTANDING = ["[node, edge, node]", "person", "action", "objects", "hand1", "hand2", "relation", "verb", "dobj",
                 "direct object", "spatial or contextual"]  # fmt: skip
GENERATION = [
    "source -> edge -> target", "one or more triplets", "starts at the node person", "Use only the available",
    "four kinds", "starting node", "recover it from the context", "synonym of an available node", "hand for grasping",
    "both hands are empty goes to hand1", "one hand is busy goes to the other one, hand2",
    "everything has been released", "never overlap", "implies both hands", "three kinds",
    "from the person to an action", "from an action to its direct object",
    "an action and an object, an action and a hand, an object and another object", "an object and a hand",
    "synonym of an available edge", "Available nodes:", "Available edges:", "Target sentence:",
]  # fmt: skip
REQUIRED = {
    "sgqa": [*UNDERSTANDING, "found in them", "single word", "hyphenated name counts as one", "square brackets"],
    "sgds": [*UNDERSTANDING, "earlier", "target graph", "best matches", "given the context", "letter", "brackets"],
    "sa-sgg": [*GENERATION, "At least one triplet", "one a line", "nothing else"],
    "ma-sgg": [
        *GENERATION, "exactly 2 graphs", "one action that would be visible", "distribute them",
        "infer further relevant", "take the closest available", "coherent", "that action is a node",
        "Exactly one triplet of each graph",
        "one blank line between two graphs", "in the order", "nothing else",
    ],
}  # fmt: skip


@pytest.mark.parametrize("task", TASKS)
def test_a_zero_shot_prompt_conveys_every_requirement_and_no_reasoning(task: str) -> None:
    text = prompter(task, "zero-shot").text(sample_of(task))
    assert [term for term in REQUIRED[task] if term not in text] == []
    assert "step by step" not in text
    assert "xample" not in text


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("style", ["cot", "cot-few-shot"])
def test_reasoning_is_asked_for_before_a_labelled_answer_with_nothing_after_it(task: str, style: str) -> None:
    text = prompter(task, style).text(sample_of(task))
    assert "step by step" in text
    assert text.index('"Reasoning:"') < text.index('"Final ')
    assert "write nothing after" in text.lower()
    assert ("do not run ahead and predict the next scene" in text) == task.endswith("sgg")
    section = answer_section(text)
    assert isinstance(section, Section)
    assert section.label in ("Final answer:", "Final graph:", "Final graphs:")


@pytest.mark.parametrize("task", TASKS)
def test_reasoned_examples_are_read_back_as_their_answers(task: str) -> None:
    chosen = pool_of(pool(task), task).drawn(1)
    text = prompter_of(task, "cot-few-shot", None, chosen).text(sample_of(task))
    start = text.index("Reasoning:\nStep")
    reply = text[start : text.index("\n\nThese were the examples", start)]
    sample = chosen[0].item
    assert reply.index(chosen[0].rationale) < reply.index("Final")
    if isinstance(sample, GenerationSample):
        answer = read_graphs(reply, sample.k)
        assert not isinstance(answer, Unreadable)
        assert answer.graphs == sample.references
        assert not answer.reading.repaired
    else:
        assert isinstance(sample, QuestionSample | SelectionSample)
        assert read_reply(sample, Reply(reply))[1] == sample.answer


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_items_come_out_as_they_are_and_change_nothing_else(task: str, style: str, hostile: str) -> None:
    mild = "qqq"
    asker = prompter(task, style)
    text, plain = (asker.text(sample_of(task, word)) for word in (hostile, mild))
    assert mild in plain
    assert text == plain.replace(mild, hostile)
    assert asker.messages(sample_of(task, hostile))[0].content == text


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("style", ["few-shot", "cot-few-shot"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_examples_come_out_as_they_are_too(task: str, style: str, hostile: str) -> None:
    mild = "qqq"
    text, plain = (prompter(task, style, word).text(sample_of(task)) for word in (hostile, mild))
    assert plain.count(mild) >= 20
    assert text == plain.replace(mild, hostile)


def test_a_prompt_is_one_message_of_a_user() -> None:
    messages = prompter("sgqa", "cot").messages(sample_of("sgqa"))
    assert [message.type for message in messages] == ["human"]


def test_graphs_are_shown_as_numbered_arrow_blocks_and_an_empty_context_in_words() -> None:
    text = prompter("sgqa", "zero-shot").text(sample_of("sgqa"))
    assert "Graph 2:\nperson -> verb -> dry\ndry -> dobj -> cup\ndry -> with -> hand1\n" in text
    sample = samples_of(document(row("sgds", "a") | {"context_graphs": []}), "sgds")[0]
    assert "Context graphs:\n\n(nothing: the scene begins here)\n" in prompter("sgds", "zero-shot").text(sample)


def test_a_choice_of_four_names_four_letters() -> None:
    four = row("sgds", "a")
    sample = samples_of(document(four | {"variations": four["variations"][:4]}), "sgds")[0]
    asker = prompter("sgds", "structured")
    assert "A, B, C, D)" in asker.text(sample)
    assert "E: " not in asker.text(sample)
    schema = asker.schema(sample)
    assert schema is not None
    assert schema["properties"] == {"answer": {"type": "string", "enum": ["A", "B", "C", "D"]}}


@pytest.mark.parametrize("task", TASKS)
def test_only_the_structured_style_has_a_schema(task: str) -> None:
    for style in STYLES:
        assert (prompter(task, style).schema(sample_of(task)) is not None) == (style == "structured")


def closed(value: object) -> bool:
    """Return whether every object of a schema names all its fields as required and allows no others."""
    if isinstance(value, list):
        return all(map(closed, value))
    if not isinstance(value, dict):
        return True
    if value.get("type") == "object":
        ours = value["additionalProperties"] is False and value["required"] == list(value["properties"])
        return ours and all(map(closed, value["properties"].values())) and closed(value.get("$defs", {}))
    return all(map(closed, value.values()))


@pytest.mark.parametrize("task", TASKS)
def test_a_schema_is_strict_and_allows_exactly_l(task: str) -> None:
    schema: Any = prompter(task, "structured").schema(sample_of(task, "mug"))
    assert closed(schema)
    if task == "sgqa":
        assert schema["properties"]["answer"]["enum"] == ["person", "wash", "mug", "hand1", "dry"]
    if task.endswith("sgg"):
        nodes, edges = schema["$defs"]["node"]["enum"], schema["$defs"]["edge"]["enum"]
        assert nodes == ["person", "hand1", "hand2", "cup", "mug", "wash", "dry"]
        assert edges == ["verb", "dobj", "with"]


def test_elements_allowed_in_every_l_are_offered() -> None:
    space = {"object": ["cup"], "relationship": ["on"], "verb": ["wash"]}
    sample = samples_of(document(row("sa-sgg", "a") | {"mandatory_space": space}), "sa-sgg")[0]
    asker = prompter("sa-sgg", "structured")
    schema: Any = asker.schema(sample)
    assert schema["$defs"]["node"]["enum"] == ["cup", "wash", "person", "hand1", "hand2"]
    assert schema["$defs"]["edge"]["enum"] == ["on", "verb", "dobj"]
    assert "Available nodes: cup, wash, person, hand1, hand2\n\nAvailable edges: on, verb, dobj\n" in asker.text(sample)


@pytest.mark.parametrize("task", TASKS)
def test_a_structured_answer_is_read_by_the_strict_reader(task: str) -> None:
    sample = sample_of(task)
    if isinstance(sample, GenerationSample):
        said = {"graphs": [[one._asdict() for one in graph] for graph in sample.references]}
        answer = read_graphs(json.dumps(said), sample.k)
        assert not isinstance(answer, Unreadable)
        assert answer.graphs == sample.references
    else:
        assert isinstance(sample, QuestionSample | SelectionSample)
        reply = json.dumps({"answer": sample.answer})
        assert read_reply(sample, Reply(reply))[1] == sample.answer


def test_the_presets_are_the_styles_that_scores_know() -> None:
    assert tuple(PRESETS) == NAMES == STYLES


def test_a_style_takes_shots_only_where_it_shows_examples() -> None:
    assert style_of("few-shot", 3) == Style("few-shot", shots=3)
    assert style_of("cot").shots == 0
    with pytest.raises(UsageError, match="style cot shows no examples"):
        style_of("cot", 3)
    with pytest.raises(UsageError, match="at least one"):
        style_of("few-shot", 0)
    with pytest.raises(UsageError, match="there is no style few-shots") as caught:
        style_of("few-shots")
    assert caught.value.hint == "few-shot?"


@pytest.mark.parametrize("task", TASKS)
def test_the_choice_of_examples_depends_on_the_seed_alone_and_grows(task: str) -> None:
    few, more = (pool_of(pool(task), task).drawn(shots, seed=1) for shots in (3, 8))
    assert more[:3] == few == pool_of(pool(task), task).drawn(3, seed=1)
    assert {pool_of(pool(task), task).drawn(3, seed=seed) for seed in range(5)} != {few}


def test_more_examples_than_the_pool_has_are_refused() -> None:
    with pytest.raises(UsageError, match=r"pool\.jsonl: the pool has 12, --shots 20 asks for more"):
        pool_of(pool("sgds"), "sgds").drawn(20)


def test_examples_must_be_as_many_as_the_style_shows() -> None:
    with pytest.raises(UsageError, match="style few-shot shows 10 examples, and 0 were given"):
        prompter_of("sgqa", "few-shot")
    with pytest.raises(UsageError, match="style cot shows no examples"):
        prompter_of("sgqa", "cot", None, pool_of(pool("sgqa"), "sgqa").drawn(2))
    with pytest.raises(UsageError, match="has neither reasoning nor examples"):
        prompter_of("sgqa", Style("mine", reasoning=True, schema=True))


def test_reasoned_examples_need_a_rationale() -> None:
    bare = document(row("sgqa", "shown"))
    chosen = pool_of(bare, "sgqa").drawn(1)
    assert "shown" in prompter_of("sgqa", "few-shot", None, chosen).text(sample_of("sgqa"))
    with pytest.raises(UsageError, match="example shown/0 has no rationale"):
        prompter_of("sgqa", "cot-few-shot", None, chosen)
    with pytest.raises(UsageError, match="rationale: expected a text"):
        pool_of(document(row("sgds", "shown") | {"rationale": 3}), "sgds")


@pytest.mark.parametrize("task", TASKS)
def test_a_pool_of_other_scenarios_is_disjoint(task: str) -> None:
    pool_of(pool(task), task).check_disjoint([sample_of(task)])


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("field", ["scenario_id", "data_id"])
def test_an_example_of_a_scenario_that_is_asked_about_is_refused(task: str, field: str) -> None:
    shown, asked = row(task, "shown", "plate"), row(task, "asked")
    for one in (shown, asked):
        del one["scenario_id"]
        one[field] = "kitchen"
    samples = samples_of(document(asked), task)
    with pytest.raises(UsageError, match=r"example shown\S* and item asked\S* are of one scenario kitchen"):
        pool_of(document(shown), task).check_disjoint(samples)


def test_a_scenario_is_recognised_by_any_of_its_ids() -> None:
    shown = row("sgqa", "shown", "plate") | {"scenario_id": "renamed", "data_id": "clip"}
    asked = {name: value for name, value in row("sgqa", "asked").items() if name != "scenario_id"} | {"data_id": "clip"}
    with pytest.raises(UsageError, match="are of one scenario clip"):
        pool_of(document(shown), "sgqa").check_disjoint(samples_of(document(asked), "sgqa"))


@pytest.mark.parametrize("task", TASKS)
def test_an_example_that_is_itself_asked_is_refused_whatever_its_scenario_is_called(task: str) -> None:
    shown = row(task, "asked") | {"item_id": "shown", "scenario_id": "elsewhere"}
    with pytest.raises(UsageError, match=r"example shown\S* is item asked"):
        pool_of(document(shown), task).check_disjoint([sample_of(task)])


def test_the_fingerprint_changes_with_style_texts_and_examples_and_with_nothing_else(tmp_path: Path) -> None:
    def of(style: str, seed: int = 0, folder: Path | None = None) -> str:
        return prompter_of(
            "sgds", style, folder, pool_of(pool("sgds"), "sgds").drawn(PRESETS[style].shots, seed)
        ).fingerprint

    mine = parts(tmp_path / "mine", "sgds", statement="Choose well.\n")
    other = parts(tmp_path / "other", "sgds", reasoning="Think.\n")
    assert of("few-shot") == of("few-shot")
    assert len({of(style) for style in STYLES} | {of("few-shot", 1), of("zero-shot", 0, mine)}) == 7
    assert of("zero-shot", 0, other) == of("zero-shot")
    assert of("cot", 0, other) != of("cot")


def test_a_folder_replaces_the_parts_it_holds_and_takes_the_rest_from_ours(tmp_path: Path) -> None:
    asker = prompter_of("sgds", "zero-shot", parts(tmp_path, "sgds", statement="Choose well.\n"))
    text = asker.text(sample_of("sgds"))
    assert text.startswith("Choose well.\n\nWhat the graphs are\n")
    project = tmp_path / "project"
    parts(project / "prompts", "sgds", statement="Choose better.\n")
    assert prompter_of("sgds", "cot", str(project)).text(sample_of("sgds")).startswith("Choose better.\n\n")


def test_an_emptied_part_leaves_no_gap_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    parts(tmp_path, "sa-sgg", hand_rules="", answer="")
    (tmp_path / "tsg/sa-sgg/statement.txt").write_bytes(b"Write.\r\nNow.\r\n")
    text = prompter_of("sa-sgg", "zero-shot", tmp_path).text(sample_of("sa-sgg"))
    assert text.startswith("Write.\nNow.\n\nRules for the graph\n")
    assert "Rules for hands" not in text
    assert "\n\n\n" not in text
    assert text.endswith("Available edges: verb, dobj, with")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"statment": "x"}, r"statment\.txt: there is no prompt part statment"),
        ({"statement": "Choose {candidates}."}, r"statement\.txt: line 1: there is no field \{candidates\}"),
        ({"input": "{context}\n{graph}"}, r"input\.txt: the text lacks \{candidates\}"),
        ({"input": "{context}{graph}\n{candidates[0]}"}, r"input\.txt: line 2: \{candidates\[0\]\}: only a plain name"),
        ({"answer": 'as {"answer": x}'}, r"answer\.txt: line 1: .* only a plain name"),
        ({"example": "{input}"}, r"example\.txt: the text lacks \{number\}, \{answer\}"),
    ],
)
def test_broken_parts_are_refused_when_they_are_loaded(texts: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        prompt_set(parts(tmp_path, "sgds", **texts), load_card("tsg/sgds"))


def test_a_folder_without_prompts_for_the_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no prompts for tsg/sgqa") as caught:
        prompt_set(tmp_path, load_card("tsg/sgqa"))
    assert "sgqa.txt" in caught.value.hint
    with pytest.raises(UsageError, match="no such folder of prompts"):
        prompt_set(tmp_path / "nowhere", load_card("tsg/sgqa"))


def test_a_folder_with_a_whole_prompt_and_parts_is_refused(tmp_path: Path) -> None:
    (parts(tmp_path, "sgqa", statement="x") / "sgqa.txt").write_text(WHOLE["sgqa"])
    with pytest.raises(UsageError, match="a whole prompt, and parts too"):
        prompt_set(tmp_path, load_card("tsg/sgqa"))


@pytest.fixture
def published(tmp_path: Path) -> Path:
    for task, text in WHOLE.items():
        (tmp_path / f"{task}.txt").write_text(text)
    return tmp_path


def test_whole_prompts_hold_values_as_the_published_code_writes_them(published: Path) -> None:
    wash, dry = graph("wash", "it's"), graph("dry", "it's")
    expected = {
        "sgqa": f"Scene: {[wash, dry]!r}\nAsked: What of it's is washed in asked?\n",
        "sgds": f"{[dry]!r} | {wash!r} | A: asked drops it's\nB: asked washes it's\nC: asked breaks it's\n"
        "D: asked hides it's\nE: asked seeks it's",
        "sa-sgg": "[\"Before it's.\"] | asked has it's. | "
        "person, hand1, hand2, cup, it's, wash, dry | verb, dobj, with",
    }
    expected["ma-sgg"] = expected["sa-sgg"] + " | 2"
    for task, text in expected.items():
        assert prompter_of(task, "zero-shot", published).text(sample_of(task, "it's")) == text


def test_a_context_that_is_one_text_stands_in_a_whole_prompt_verbatim(published: Path) -> None:
    sample = samples_of(document(row("sa-sgg", "a") | {"context": "One. Two."}), "sa-sgg")[0]
    assert prompter_of("sa-sgg", "zero-shot", published).text(sample).startswith("One. Two. | a has cup. | ")


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_items_come_out_of_whole_prompts_as_their_values(task: str, hostile: str, published: Path) -> None:
    text = prompter_of(task, "zero-shot", published).text(sample_of(task, hostile))
    assert hostile in text
    if task in ("sgqa", "sgds"):
        assert repr(hostile) in text


@pytest.mark.parametrize("style", [style for style in STYLES if style != "zero-shot"])
def test_whole_prompts_are_asked_zero_shot_only(style: str, published: Path) -> None:
    chosen = pool_of(pool("sgds"), "sgds").drawn(PRESETS[style].shots)
    with pytest.raises(UsageError, match=f"which can only be asked in style zero-shot, not {style}"):
        prompter_of("sgds", style, published, chosen)


def test_a_whole_prompt_with_other_fields_is_refused(published: Path) -> None:
    (published / "sgqa.txt").write_text("{scene_graph}\n{questions}")
    with pytest.raises(UsageError, match=r"sgqa\.txt: line 2: there is no field \{questions\}"):
        prompt_set(published, load_card("tsg/sgqa"))


def test_a_sample_of_another_task_is_refused() -> None:
    with pytest.raises(UsageError, match="is no item of sgds"):
        prompter("sgds", "zero-shot").text(sample_of("sgqa"))
    with pytest.raises(UsageError, match="there is no task sgdsx"):
        prompter_of("sgdsx")


def test_a_card_may_have_a_folder_of_its_own_and_share_the_rest(tmp_path: Path) -> None:
    source = Path(load_card("tsg/sgds").source).read_text().replace("prompts: tsg/sgds", "prompts: mine/choices")
    card = card_from(source, "mine/choices", "choices.yaml")
    (tmp_path / "mine" / "choices").mkdir(parents=True)
    (tmp_path / "mine" / "choices" / "statement.txt").write_text("Mine.\n")
    asker = prompter_of("sgds", "zero-shot", prompt_set(tmp_path, card))
    assert asker.text(sample_of("sgds")).startswith("Mine.\n\nWhat the graphs are\n")
    with pytest.raises(UsageError, match="prompts has no mine/choices"):
        prompt_set(None, card)


@pytest.mark.parametrize("task", TASKS)
def test_the_shipped_cards_declare_exactly_what_the_suite_measures(task: str) -> None:
    card = load_card(f"tsg/{task}")
    assert tsg_task(card).kind == task
    assert list(card.metrics) == list(METRICS[task])
    assert {name: one.headline for name, one in card.metrics.items()} == {
        name: one.is_headline for name, one in METRICS[task].items()
    }


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ("task: tsg/sgqa", "task: tsg/sgq", "task: there is no tsg/sgq", "tsg/sgqa?"),
        ("task: tsg/sgqa", "task: formalimg/sgqa", "task: there is no formalimg/sgqa", "formalimg/layout?"),
        ("exact_match:", "exact_mach:", "tsg/sgqa has no exact_mach", "exact_match?"),
        ("better: less", "better: more", "metrics.not_a_node.better: it is less, not more", ""),
        ("pooling: pooled", "pooling: per-item", "pooling: it is pooled, not per-item", ""),
    ],
)
def test_a_card_that_says_what_the_suite_does_not_do_is_refused(old: str, new: str, message: str, hint: str) -> None:
    text = Path(load_card("tsg/sgqa").source).read_text().replace(old, new)
    with pytest.raises(UsageError, match=f"x.yaml: .*{message}") as caught:
        tsg_task(card_from(text, "x/x", "x.yaml"))
    assert caught.value.hint.startswith(hint)


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
@pytest.mark.parametrize("task", ["sgqa", "sgds"])
@pytest.mark.parametrize("style", STYLES)
def test_published_rows_are_shown_whole_in_every_style(task: str, style: str) -> None:
    asker = prompter(task, style)
    for sample in samples_of(read_file(Path(OFFICIAL, f"tsg_{task}_sample.jsonl")), task):
        text = asker.text(sample)
        graphs = sample.graphs if task == "sgqa" else (*sample.context, sample.graph)
        assert all("\n".join(map(str, graph)) in text for graph in graphs)
        assert shown_answer(sample) not in text.split("These were the examples")[-1]


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
@pytest.mark.parametrize(("task", "fields"), [("sgqa", ["context_graphs"]), ("sgds", ["context_graphs", "triplet"])])
def test_published_rows_stand_in_whole_prompts_as_python_writes_them(
    task: str, fields: list[str], published: Path
) -> None:
    path = Path(OFFICIAL, f"tsg_{task}_sample.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    asker = prompter_of(task, "zero-shot", published)
    texts = "\n".join(asker.text(sample) for sample in samples_of(read_file(path), task))
    assert all(repr(row[field]) in texts for row in rows for field in fields)
