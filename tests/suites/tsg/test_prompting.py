"""Prompts say all that a task requires, hold an item's values as they are, and show no example that is asked."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from prompt_items import HOSTILE, STYLES, TASKS, document, graph, row
from tsg_tasks import (
    DERIVATIONS,
    KINDS,
    METRICS,
    judge,
    pool_of,
    prompt_set,
    prompter_of,
    samples_of,
    shown_answer,
    tsg_task,
)
from tsg_tasks import STYLES as NAMES

from tsgkit.errors import UsageError
from tsgkit.library.cards import card_from, load_card
from tsgkit.library.documents.reader import Document, read_file
from tsgkit.replies.sections import Section, answer_section
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.styles import PRESETS, Style, style_of
from tsgkit.suites.tsg.items import AnySample

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
WILD = " ".join(HOSTILE)
WHOLE = {
    "sgqa": "Scene: {scene_graph}\nAsked: {question}\n",
    "sgds": "{context} | {triplet} | {sentences}",
    "sa-sgg": "{context} | {target_sentence} | {available_nodes} | {available_edges}",
    "ma-sgg": "{context} | {target_sentence} | {available_nodes} | {available_edges} | {num_scene_graphs}",
}
L: dict[str, list[str]] = {
    "object": ["person", "hand1", "hand2", "cup", "lid"],
    "relationship": ["verb", "dobj", "with", "on", "from"],
    "verb": ["wash", "dry", "take"],
}


def row_of(kind: str, name: str, word: str = "cup", **more: Any) -> dict[str, Any]:  # noqa: ANN401  (fields of a row)
    if kind in TASKS:
        return row(kind, name, word, **more)
    made = row(DERIVATIONS[kind].sources[0], name, word, **more)
    return made | {"mandatory_space": L | {"object": [*L["object"], word]}}


def sample_of(kind: str, word: str = "cup") -> AnySample:
    found: AnySample = samples_of(document(row_of(kind, "asked", word)), kind)[0]
    return found


def pool(kind: str, word: str = "plate") -> Document:
    rows = (row_of(kind, f"shown-{n}", word, rationale=f"Step {n} with {word}.") for n in range(12))
    return document(*rows, file="pool.jsonl")


def prompter(kind: str, style: str, word: str = "plate") -> Prompter[AnySample]:
    shots = PRESETS[style].shots
    return prompter_of(kind, style, None, pool_of(pool(kind, word), kind).drawn(shots) if shots else ())


def parts(folder: Path, task: str, **texts: str) -> Path:
    (folder / "tsg" / task).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / "tsg" / task / f"{name.replace('_', '-')}.txt").write_text(text)
    return folder


def is_right(item: AnySample, text: str) -> bool:
    judged = judge(item, Reply(text))
    [metric] = {"accuracy", "exact_match"} & set(judged.scores["strict"])
    return judged.scores["strict"][metric].value == 1


UNDERSTANDING = """[node, edge, node]; person; action; objects; hand1; hand2; relation; verb; dobj; direct object
spatial or contextual"""
GENERATION = """source -> edge -> target; one or more triplets; starts at the node person; Use only the available
four kinds; starting node; recover it from the context; synonym of an available node; hand for grasping
both hands are empty goes to hand1; one hand is busy goes to the other one, hand2; everything has been released
never overlap; implies both hands; three kinds; from the person to an action; from an action to its direct object
an action and an object, an action and a hand, an object and another object; an object and a hand
synonym of an available edge; Available nodes:; Available edges:; Target sentence:"""
REQUIRED = {
    "sgqa": UNDERSTANDING + "; found in them; single word; hyphenated name counts as one; square brackets",
    "sgds": UNDERSTANDING + "; earlier; target graph; best matches; given the context; letter; brackets",
    "sa-sgg": GENERATION + "; At least one triplet; one a line; nothing else",
    "ma-sgg": GENERATION
    + """; exactly 2 graphs; one action that would be visible; distribute them; infer further relevant
take the closest available; coherent; that action is a node; Exactly one triplet of each graph
one blank line between two graphs; in the order; nothing else""",
}


def test_a_zero_shot_prompt_conveys_every_requirement() -> None:
    for task, terms in REQUIRED.items():
        text = prompter(task, "zero-shot").text(sample_of(task))
        assert [term for term in terms.replace("\n", "; ").split("; ") if term not in text] == [], task
        assert "xample" not in text, task


def test_each_style_asks_for_reasoning_examples_or_json_as_its_name_says() -> None:
    assert tuple(PRESETS) == NAMES == STYLES
    for kind, style in [(kind, style) for kind in KINDS for style in STYLES]:
        asker, sample = prompter(kind, style), sample_of(kind)
        text, case = asker.text(sample), (kind, style)
        assert ("step by step" in text) == ("cot" in style), case
        assert ("Example 10" in text) == ("few-shot" in style), case
        assert (asker.schema(sample) is not None) == ("JSON" in text) == (style == "structured"), case
        if kind not in ("sgqa", "sgds"):
            assert "Before cup." in text and "asked has cup." in text, case
        if "cot" in style:
            assert text.index('"Reasoning:"') < text.index('"Final '), case
            assert "write nothing after" in text.lower(), case
            section = answer_section(text)
            assert isinstance(section, Section), case
            assert section.label in ("Final answer:", "Final graph:", "Final graphs:"), case
        if kind in TASKS:
            is_guarded = kind.endswith("sgg") and "cot" in style
            assert ("do not run ahead and predict the next scene" in text) == is_guarded, case


def test_a_reasoned_example_is_read_back_as_its_right_answer() -> None:
    for kind in KINDS:
        (example,) = pool_of(pool(kind), kind).drawn(1)
        text = prompter_of(kind, "cot-few-shot", None, (example,)).text(sample_of(kind))
        start = text.index("Reasoning:\nStep")
        reply = text[start : text.index("\n\nThese were the examples", start)]
        assert reply.index(example.rationale) < reply.index("Final"), kind
        assert is_right(example.item, reply), kind
        assert not judge(example.item, Reply(reply)).counts.get("repaired"), kind


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


def test_an_answer_by_the_strict_schema_is_read_and_right() -> None:
    names = ("source", "edge", "target")
    for kind in KINDS:
        sample = sample_of(kind)
        schema: Any = prompter(kind, "structured").schema(sample)
        assert closed(schema), kind
        (field,) = schema["properties"]
        right: Any = shown_answer(sample)
        if field == "graphs":
            blocks = [[line.split(" -> ") for line in block.split("\n")] for block in right.split("\n\n")]
            right = [[dict(zip(names, one, strict=True)) for one in block] for block in blocks]
        elif field == "answer" and kind in TASKS:
            right = right.strip("[]")
            assert right in schema["properties"][field]["enum"], kind
        else:
            right = right.split("\n")
            assert set(right) <= set(schema["properties"][field]["items"]["enum"]), kind
        assert is_right(sample, json.dumps({field: right})), kind


def test_a_schema_allows_exactly_the_names_of_the_item_and_those_of_every_l() -> None:
    schema: Any = prompter("sgqa", "structured").schema(sample_of("sgqa", "mug"))
    assert schema["properties"]["answer"]["enum"] == ["person", "wash", "mug", "hand1", "dry"]
    few = {"object": ["cup"], "relationship": ["on"], "verb": ["wash"]}
    for space, nodes, edges in (
        (row("sa-sgg", "a", "mug")["mandatory_space"], "person, hand1, hand2, cup, mug, wash, dry", "verb, dobj, with"),
        (few, "cup, wash, person, hand1, hand2", "on, verb, dobj"),
    ):
        sample = samples_of(document(row("sa-sgg", "a", "mug") | {"mandatory_space": space}), "sa-sgg")[0]
        asker = prompter("sa-sgg", "structured")
        names: Any = asker.schema(sample)
        assert [names["$defs"][kind]["enum"] for kind in ("node", "edge")] == [nodes.split(", "), edges.split(", ")]
        assert f"Available nodes: {nodes}\n\nAvailable edges: {edges}\n" in asker.text(sample)
    four = row("sgds", "a") | {"variations": row("sgds", "a")["variations"][:4]}
    sample, asker = samples_of(document(four), "sgds")[0], prompter("sgds", "structured")
    assert "A, B, C, D)" in asker.text(sample) and "E: " not in asker.text(sample)
    schema = asker.schema(sample)
    assert schema["properties"] == {"answer": {"type": "string", "enum": ["A", "B", "C", "D"]}}


def test_hostile_values_come_out_as_they_are_and_change_nothing_else() -> None:
    for task in TASKS:
        asker = prompter(task, "structured")
        plain = asker.text(sample_of(task, "qqq"))
        assert "qqq" in plain and asker.text(sample_of(task, WILD)) == plain.replace("qqq", WILD), task
        [message] = asker.messages(sample_of(task, WILD))
        assert (message.type, message.content) == ("human", plain.replace("qqq", WILD)), task
        text, plain = (prompter(task, "cot-few-shot", word).text(sample_of(task)) for word in (WILD, "qqq"))
        assert plain.count("qqq") >= 20 and text == plain.replace("qqq", WILD), task
    for kind in DERIVATIONS:
        asker, asked = prompter(kind, "cot"), row_of(kind, "asked")
        text, plain = (
            asker.text(samples_of(document(asked | {"target_sentence": words, "context": ["B.", words]}), kind)[0])
            for words in (WILD, "qqq")
        )
        assert plain.count("qqq") == 2 and text == plain.replace("qqq", WILD), kind


def test_prompts_show_graphs_in_blocks_and_hold_back_what_is_asked() -> None:
    texts = {kind: prompter(kind, "zero-shot").text(sample_of(kind)) for kind in KINDS}
    assert "Graph 2:\nperson -> verb -> dry\ndry -> dobj -> cup\ndry -> with -> hand1\n" in texts["sgqa"]
    first = samples_of(document(row("sgds", "a") | {"context_graphs": []}), "sgds")[0]
    assert "Context graphs:\n\n(nothing: the scene begins here)\n" in prompter("sgds", "zero-shot").text(first)
    assert "Nodes of the graphs: person, hand1, cup\n" in texts["actions"]
    assert "Number of graphs" not in texts["actions"]
    assert "Graph 1: verb, dobj, with\n" in texts["nodes-sa"]
    assert "Graph 1: person, hand1, cup, wash\nGraph 2: person, hand1, cup, dry\n" in texts["edges-ma"]
    assert "Number of graphs: 2\n" in texts["edges-ma"]
    assert "\nKind of error: not told\n" in texts["refine"]
    assert texts["refine-hinted"] == texts["refine"].replace("Kind of error: not told", "Kind of error: redundant")
    two = samples_of(document(row_of("refine-hinted", "asked")), "refine-hinted")[4]
    hint = f"Kind of error: {two.kinds[0]} and {two.kinds[1]}\n"
    assert hint in prompter("refine-hinted", "zero-shot").text(two)
    with pytest.raises(UsageError, match="is no item of sgds"):
        prompter("sgds", "zero-shot").text(sample_of("sgqa"))


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


def test_examples_must_be_as_many_as_the_style_shows_and_reasoned_where_it_reasons() -> None:
    bare = pool_of(document(row("sgqa", "shown")), "sgqa").drawn(1)
    for style, examples, message in (
        ("few-shot", (), "style few-shot shows 10 examples, and 0 were given"),
        ("cot", bare, "style cot shows no examples"),
        (Style("mine", reasoning=True, schema=True), (), "has neither reasoning nor examples"),
        ("cot-few-shot", bare, "example shown/0 has no rationale"),
    ):
        with pytest.raises(UsageError, match=message):
            prompter_of("sgqa", style, None, examples)
    assert "shown" in prompter_of("sgqa", "few-shot", None, bare).text(sample_of("sgqa"))
    with pytest.raises(UsageError, match="rationale: expected a text"):
        pool_of(document(row("sgds", "shown") | {"rationale": 3}), "sgds")
    with pytest.raises(UsageError, match=r"pool\.jsonl: the pool has 12, --shots 20 asks for more"):
        pool_of(pool("sgds"), "sgds").drawn(20)


def test_an_example_that_is_asked_or_of_a_scenario_that_is_asked_is_refused() -> None:
    for kind in KINDS:
        asked = [sample_of(kind)]
        pool_of(pool(kind), kind).check_disjoint(asked)
        same = row_of(kind, "asked") | {"item_id": "shown", "scenario_id": "elsewhere"}
        near = row_of(kind, "shown", "plate", rationale="So.") | {"scenario_id": "scene of asked"}
        for shown, message in ((same, r"example shown\S* is item asked"), (near, "are of one scenario scene of asked")):
            with pytest.raises(UsageError, match=message):
                pool_of(document(shown), kind).check_disjoint(asked)
    shown = row("sgqa", "shown", "plate") | {"scenario_id": "renamed", "data_id": "clip"}
    clip = {name: value for name, value in row("sgqa", "asked").items() if name != "scenario_id"} | {"data_id": "clip"}
    with pytest.raises(UsageError, match="are of one scenario clip"):
        pool_of(document(shown), "sgqa").check_disjoint(samples_of(document(clip), "sgqa"))


def test_examples_of_repairs_come_from_as_many_rows_as_there_are_and_reason_about_each_error() -> None:
    found = pool_of(pool("refine"), "refine")
    chosen = found.drawn(12)
    assert len({example.item.source.item_id for example in chosen}) == 12
    assert chosen[:5] == found.drawn(5)
    for example in found.examples:
        assert example.rationale.startswith("Step ")
        assert example.rationale.count("In the given graph") == len(example.item.changes)
    for kind in DERIVATIONS:
        task = tsg_task(load_card(f"tsg/{kind}"))
        data = task.dataset(None)
        solver: Any = task.solver("single", "cot-few-shot", data, shots=None, seed=0, prompts=None)
        assert "Example 10" in solver.prompter.text(data.sample(0)), "the bundled pools have enough of other stories"


def test_the_fingerprint_changes_with_style_texts_and_examples_and_with_nothing_else(tmp_path: Path) -> None:
    def of(style: str, seed: int = 0, folder: Path | None = None) -> str:
        examples = pool_of(pool("sgds"), "sgds").drawn(PRESETS[style].shots, seed)
        return prompter_of("sgds", style, folder, examples).fingerprint

    mine = parts(tmp_path / "mine", "sgds", statement="Choose well.\n")
    other = parts(tmp_path / "other", "sgds", reasoning="Think.\n")
    assert of("few-shot") == of("few-shot")
    assert len({of(style) for style in STYLES} | {of("few-shot", 1), of("zero-shot", 0, mine)}) == 7
    assert of("zero-shot", 0, other) == of("zero-shot")
    assert of("cot", 0, other) != of("cot")


def test_a_folder_replaces_the_parts_it_holds_and_takes_the_rest_from_ours(tmp_path: Path) -> None:
    sample = sample_of("sgds")
    asker = prompter_of("sgds", "zero-shot", parts(tmp_path, "sgds", statement="Choose well.\n"))
    assert asker.text(sample).startswith("Choose well.\n\nWhat the graphs are\n")
    project = tmp_path / "project"
    parts(project / "prompts", "sgds", statement="Choose better.\n")
    assert prompter_of("sgds", "cot", str(project)).text(sample).startswith("Choose better.\n\n")
    source = Path(load_card("tsg/sgds").source).read_text().replace("prompts: tsg/sgds", "prompts: tsg/choices")
    card = card_from(source, "mine/choices", "choices.yaml")
    asker = prompter_of("sgds", "zero-shot", prompt_set(parts(tmp_path, "choices", statement="Mine.\n"), card))
    assert asker.text(sample).startswith("Mine.\n\nWhat the graphs are\n"), "a card may have a folder of its own"
    with pytest.raises(UsageError, match="prompts has no tsg/choices"):
        prompt_set(None, card)
    parts(tmp_path, "sa-sgg", hand_rules="", answer="")
    (tmp_path / "tsg/sa-sgg/statement.txt").write_bytes(b"Write.\r\nNow.\r\n")
    text = prompter_of("sa-sgg", "zero-shot", tmp_path).text(sample_of("sa-sgg"))
    assert text.startswith("Write.\nNow.\n\nRules for the graph\n")
    assert "Rules for hands" not in text and "\n\n\n" not in text, "an emptied part leaves no gap"
    assert text.endswith("Available edges: verb, dobj, with")


def test_broken_parts_and_folders_are_refused_when_they_are_loaded(tmp_path: Path) -> None:
    for number, (texts, message) in enumerate(
        (
            ({"statment": "x"}, r"statment\.txt: there is no prompt part statment"),
            ({"statement": "Choose {candidates}."}, r"statement\.txt: line 1: there is no field \{candidates\}"),
            ({"input": "{context}\n{graph}"}, r"input\.txt: the text lacks \{candidates\}"),
            (
                {"input": "{context}{graph}\n{candidates[0]}"},
                r"input\.txt: line 2: \{candidates\[0\]\}: only a plain name",
            ),
            ({"answer": 'as {"answer": x}'}, r"answer\.txt: line 1: .* only a plain name"),
            ({"example": "{input}"}, r"example\.txt: the text lacks \{number\}, \{answer\}"),
        )
    ):
        with pytest.raises(UsageError, match=message):
            prompt_set(parts(tmp_path / str(number), "sgds", **texts), load_card("tsg/sgds"))
    questions = load_card("tsg/sgqa")
    with pytest.raises(UsageError, match="has no prompts for tsg/sgqa") as caught:
        prompt_set(tmp_path, questions)
    assert "sgqa.txt" in caught.value.hint
    with pytest.raises(UsageError, match="no such folder of prompts"):
        prompt_set(tmp_path / "nowhere", questions)
    (parts(tmp_path, "sgqa", statement="x") / "sgqa.txt").write_text(WHOLE["sgqa"])
    with pytest.raises(UsageError, match="a whole prompt, and parts too"):
        prompt_set(tmp_path, questions)


@pytest.fixture
def published(tmp_path: Path) -> Path:
    for task, text in WHOLE.items():
        (tmp_path / f"{task}.txt").write_text(text)
    return tmp_path


def test_whole_prompts_hold_values_as_the_published_code_writes_them(published: Path) -> None:
    wash, dry = graph("wash", "it's"), graph("dry", "it's")
    one = "[\"Before it's.\"] | asked has it's. | person, hand1, hand2, cup, it's, wash, dry | verb, dobj, with"
    doings = ("drops", "washes", "breaks", "hides", "seeks")
    sentences = [f"{letter}: asked {does} it's" for letter, does in zip("ABCDE", doings, strict=True)]
    expected = {
        "sgqa": f"Scene: {[wash, dry]!r}\nAsked: What of it's is washed in asked?\n",
        "sgds": f"{[dry]!r} | {wash!r} | " + "\n".join(sentences),
        "sa-sgg": one,
        "ma-sgg": one + " | 2",
    }
    for task, text in expected.items():
        asker = prompter_of(task, "zero-shot", published)
        assert asker.text(sample_of(task, "it's")) == text
        wild = asker.text(sample_of(task, WILD))
        assert WILD in wild and (repr(WILD) in wild) == (task in ("sgqa", "sgds")), task
    sample = samples_of(document(row("sa-sgg", "a") | {"context": "One. Two."}), "sa-sgg")[0]
    assert prompter_of("sa-sgg", "zero-shot", published).text(sample).startswith("One. Two. | a has cup. | ")


def test_whole_prompts_are_asked_zero_shot_only_and_with_their_own_fields(published: Path) -> None:
    for style in STYLES[1:]:
        chosen = pool_of(pool("sgds"), "sgds").drawn(PRESETS[style].shots)
        with pytest.raises(UsageError, match=f"which can only be asked in style zero-shot, not {style}"):
            prompter_of("sgds", style, published, chosen)
    (published / "sgqa.txt").write_text("{scene_graph}\n{questions}")
    with pytest.raises(UsageError, match=r"sgqa\.txt: line 2: there is no field \{questions\}"):
        prompt_set(published, load_card("tsg/sgqa"))
    (published / "refine.txt").write_text("{context}")
    with pytest.raises(UsageError, match="has no published prompt"):
        prompter_of("refine", "zero-shot", published)


def test_the_shipped_cards_declare_exactly_what_the_suite_measures() -> None:
    for kind in KINDS:
        card = load_card(f"tsg/{kind}")
        declared = {name: one.headline for name, one in card.metrics.items()}
        assert list(declared.items()) == [(name, one.is_headline) for name, one in METRICS[kind].items()], kind
        assert (tsg_task(card).kind, card.on_request) == (kind, kind in DERIVATIONS)


def test_a_card_that_says_what_the_suite_does_not_do_is_refused() -> None:
    source = Path(load_card("tsg/sgqa").source).read_text()
    for old, new, message, hint in (
        ("task: tsg/sgqa", "task: tsg/sgq", "task: there is no tsg/sgq", "tsg/sgqa?"),
        ("task: tsg/sgqa", "task: formalimg/sgqa", "task: there is no formalimg/sgqa", "formalimg/layout?"),
        ("exact_match:", "exact_mach:", "tsg/sgqa has no exact_mach", "exact_match?"),
        ("better: less", "better: more", "metrics.not_a_node.better: it is less, not more", ""),
        ("pooling: pooled", "pooling: per-item", "pooling: it is pooled, not per-item", ""),
    ):
        with pytest.raises(UsageError, match=f"x.yaml: .*{message}") as caught:
            tsg_task(card_from(source.replace(old, new), "x/x", "x.yaml"))
        assert caught.value.hint.startswith(hint)


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
def test_published_rows_are_shown_whole_in_every_style_and_as_python_writes_them(published: Path) -> None:
    for task, fields in (("sgqa", ["context_graphs"]), ("sgds", ["context_graphs", "triplet"])):
        path = Path(OFFICIAL, f"tsg_{task}_sample.jsonl")
        samples: tuple[Any, ...] = samples_of(read_file(path), task)
        for style in STYLES:
            asker = prompter(task, style)
            for sample in samples:
                text = asker.text(sample)
                graphs = sample.graphs if task == "sgqa" else (*sample.context, sample.graph)
                assert all("\n".join(map(str, graph)) in text for graph in graphs), (style, sample.item_id)
                asked = text.split("These were the examples")[-1]
                assert shown_answer(sample) not in asked, (style, sample.item_id)
        whole = prompter_of(task, "zero-shot", published)
        texts = "\n".join(map(whole.text, samples))
        for line in path.read_text(encoding="utf-8").splitlines():
            assert all(repr(json.loads(line)[field]) in texts for field in fields), line[:80]
