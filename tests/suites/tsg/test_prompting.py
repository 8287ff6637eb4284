"""Prompts say all that a task requires, hold an item's values as they are, and show no example that is asked.

Rows of the published files are shown as they are.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import tsg_tasks as tsg
from prompt_items import HOSTILE, STYLES, TASKS, document, graph, row
from samples import lines
from shipped import OFFICIAL_DATA, needs_official_data
from tsg_tasks import KINDS, SOURCES

from tsgkit.errors import UsageError
from tsgkit.graph.folding import fold_graph
from tsgkit.library.cards import card_from, load_card
from tsgkit.library.documents.reader import read_file
from tsgkit.replies.sections import Section, answer_section
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.solvers.examples import Pool
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.styles import PRESETS, Style, style_of
from tsgkit.suites.suite import task_of
from tsgkit.suites.tsg.items import AnySample, QuestionSample, RefineSample, SelectionSample

WILD = " ".join(HOSTILE)
WHOLE = {
    "sgqa": "Scene: {scene_graph}\nAsked: {question}\n",
    "sgds": "{context} | {triplet} | {sentences}",
    "sa-sgg": "{context} | {target_sentence} | {available_nodes} | {available_edges}",
    "ma-sgg": "{context} | {target_sentence} | {available_nodes} | {available_edges} | {num_scene_graphs}",
}
L: dict[str, list[str]] = {
    "object": ["person", "hand1", "hand2", "cup", "lid"], "relationship": ["verb", "dobj", "with", "on", "from"],
    "verb": ["wash", "dry", "take"],
}  # fmt: skip


def row_of(kind: str, name: str, word: str = "cup", **more: Any) -> dict[str, Any]:  # noqa: ANN401  (fields of a row)
    if kind in TASKS:
        return row(kind, name, word, **more)
    made = row(SOURCES[kind][0], name, word, **more)
    return made | {"mandatory_space": L | {"object": [*L["object"], word]}}


def sample_of(kind: str, word: str = "cup", **fields: object) -> AnySample:
    found: AnySample = tsg.samples_of(document(row_of(kind, "asked", word) | fields), kind)[0]
    return found


def pool(kind: str, word: str = "plate") -> Pool:
    rows = (row_of(kind, f"shown-{n}", word, rationale=f"Step {n} with {word}.") for n in range(12))
    return tsg.pool_of(document(*rows, file="pool.jsonl"), kind)


def prompter(kind: str, style: str, word: str = "plate") -> Prompter:
    return tsg.prompter_of(kind, style, None, pool(kind, word).drawn(PRESETS[style].shots))


def parts(folder: Path, task: str, **texts: str) -> Path:
    (folder / "tsg" / task).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / "tsg" / task / f"{name.replace('_', '-')}.txt").write_text(text)
    return folder


def is_right(item: AnySample, text: str) -> bool:
    judged = tsg.judge(item, CollectedReply(text))
    [metric] = {"accuracy", "exact_match"} & set(judged.scores["strict"])
    return judged.scores["strict"][metric].value == 1


DIGESTS = {
    "sgqa": "5e82e8 f16610 ab3e0d 6f16aa cad227", "sgds": "8b11b3 00521e cf48e9 477b08 72a4f7",
    "sa-sgg": "bf0f5d d85891 761352 135e85 b9faf1", "ma-sgg": "f883b1 e56adf 328a92 027eda 3ac280",
    "actions": "9f0357 d27690 a925a7 a303da ad2e12", "edges-ma": "f9bba1 1c0d1e f37d1e d45698 1f127c",
    "edges-sa": "0a01b2 f66e20 bc6a69 1a98df 24f606", "nodes-ma": "1b93f9 916646 5c3edd d0d510 10ca3c",
    "nodes-sa": "128467 ff7a10 b941d8 c96a1d 7ec5cc", "refine": "ae0eee 1a8ba0 6fa308 30a2d8 4d8d90",
    "refine-hinted": "9a4b7e 9d155e 36f172 325f52 c90936",
}  # fmt: skip


def test_prompts_and_schemas_are_the_same_as_ever_in_every_style() -> None:
    """Digests of the texts: after a deliberate change of a prompt they are to be made anew."""
    assert tuple(PRESETS) == STYLES
    found = {}
    for kind in KINDS:
        sample = sample_of(kind)
        asked = [(prompter(kind, style).text(sample), prompter(kind, style).schema(sample)) for style in STYLES]
        found[kind] = " ".join(hashlib.sha256(json.dumps(one).encode()).hexdigest()[:6] for one in asked)
        section = answer_section(asked[1][0])
        assert isinstance(section, Section), kind
        assert section.label in ("Final answer:", "Final graph:", "Final graphs:"), kind
    assert found == DIGESTS
    first = sample_of("sgds", context_graphs=[])
    assert "Context graphs:\n\n(nothing: the scene begins here)\n" in prompter("sgds", "zero-shot").text(first)
    two = tsg.samples_of(document(row_of("refine-hinted", "asked")), "refine-hinted")[4]
    assert "Kind of error: {} and {}\n".format(*two.kinds) in prompter("refine-hinted", "zero-shot").text(two)


def test_an_answer_by_the_strict_schema_is_read_and_right_and_its_lists_end() -> None:
    names = ("source", "edge", "target")
    for kind in KINDS:
        sample = sample_of(kind)
        schema: Any = prompter(kind, "structured").schema(sample)
        (field,) = schema["properties"]
        right: Any = tsg.shown_answer(sample)
        if field == "graphs":
            blocks = [[line.split(" -> ") for line in block.split("\n")] for block in right.split("\n\n")]
            right = [[dict(zip(names, one, strict=True)) for one in block] for block in blocks]
            ends = [schema["properties"][field], schema["$defs"]["graph"]]
            assert [(one["minItems"], one["maxItems"]) for one in ends] == [(len(right), len(right)), (1, 6)], kind
        elif field == "answer" and kind in TASKS:
            right = right.strip("[]")
            assert right in schema["properties"][field]["enum"], kind
        else:
            right = right.split("\n")
            allowed = schema["properties"][field]
            assert set(right) <= set(allowed["items"]["enum"]) and allowed["maxItems"] == 6, kind
        assert is_right(sample, json.dumps({field: right})), kind


def test_a_schema_allows_exactly_the_names_of_the_item_and_those_of_every_l() -> None:
    few = {"object": ["cup"], "relationship": ["on"], "verb": ["wash"]}
    sample, asker = sample_of("sa-sgg", mandatory_space=few), prompter("sa-sgg", "structured")
    names: Any = asker.schema(sample)
    nodes, edges = ["cup", "wash", "person", "hand1", "hand2"], ["on", "verb", "dobj"]
    assert [names["$defs"][kind]["enum"] for kind in ("node", "edge")] == [nodes, edges]
    assert f"Available nodes: {', '.join(nodes)}\n\nAvailable edges: {', '.join(edges)}\n" in asker.text(sample)
    sample, asker = sample_of("sgds", variations=row("sgds", "asked")["variations"][:4]), prompter("sgds", "structured")
    assert "A, B, C, D)" in asker.text(sample) and "E: " not in asker.text(sample)
    schema: Any = asker.schema(sample)
    assert schema["properties"] == {"answer": {"type": "string", "enum": ["A", "B", "C", "D"]}}


def test_hostile_values_come_out_as_they_are_and_change_nothing_else() -> None:
    for task in TASKS:
        plain = prompter(task, "structured").text(sample_of(task, "qqq")).replace("qqq", WILD)
        [message] = prompter(task, "structured").messages(sample_of(task, WILD))
        assert WILD in plain and (message.type, message.content) == ("human", plain), task
        text, plain = (prompter(task, "cot-few-shot", word).text(sample_of(task, word)) for word in (WILD, "qqq"))
        assert plain.count("qqq") >= 20 and text == plain.replace("qqq", WILD), task
    for kind in SOURCES:
        text, plain = (
            prompter(kind, "cot").text(sample_of(kind, target_sentence=words, context=["B.", words]))
            for words in (WILD, "qqq")
        )
        assert plain.count("qqq") == 2 and text == plain.replace("qqq", WILD), kind


def test_a_style_shows_as_many_examples_as_it_is_given_and_only_where_it_shows_any() -> None:
    assert (style_of("few-shot", 3), style_of("cot").shots) == (Style("few-shot", shots=3), 0)
    bare = tsg.pool_of(document(row("sgqa", "shown")), "sgqa").drawn(1)
    mine = Style("mine", reasoning=True, schema=True)
    for make, message in (
        (lambda: style_of("few-shot", 0), "at least one"),
        (lambda: tsg.prompter_of("sgqa", "few-shot"), "style few-shot shows 10 examples, and 0 were given"),
        (lambda: tsg.prompter_of("sgqa", "cot", None, bare), "style cot shows no examples"),
        (lambda: tsg.prompter_of("sgqa", mine), "has neither reasoning nor examples"),
        (lambda: tsg.prompter_of("sgqa", "cot-few-shot", None, bare), "example shown/0 has no rationale"),
        (lambda: tsg.pool_of(document(row("sgds", "a") | {"rationale": 3}), "sgds"), "rationale: expected a text"),
    ):
        with pytest.raises(UsageError, match=message):
            make()
    with pytest.raises(UsageError, match="there is no style few-shots") as caught:
        style_of("few-shots")
    assert caught.value.hint == "few-shot?"


def test_an_example_that_is_asked_is_refused_and_those_of_repairs_reason_about_each_error() -> None:
    for kind in KINDS:
        asked = [sample_of(kind)]
        pool(kind).check_disjoint(asked)
        same = row_of(kind, "asked") | {"item_id": "shown", "scenario_id": "elsewhere"}
        near = row_of(kind, "shown", "plate", rationale="So.") | {"scenario_id": "scene of asked"}
        for shown, message in ((same, r"example shown\S* is item asked"), (near, "are of one scenario scene of asked")):
            with pytest.raises(UsageError, match=message):
                tsg.pool_of(document(shown), kind).check_disjoint(asked)
    found = pool("refine")
    chosen = found.drawn(12)
    assert len({example.item.source.item_id for example in chosen}) == 12, "from as many rows as there are"
    assert chosen[:5] == found.drawn(5)
    for example in found.examples:
        assert example.rationale.startswith("Step ")
        assert example.rationale.count("In the given graph") == len(example.item.changes)


def test_a_folder_replaces_the_parts_it_holds_and_the_fingerprint_changes_with_what_is_shown(tmp_path: Path) -> None:
    def of(style: str, seed: int = 0, folder: Path | None = None) -> str:
        return tsg.prompter_of("sgds", style, folder, pool("sgds").drawn(PRESETS[style].shots, seed)).fingerprint

    mine = parts(tmp_path / "mine", "sgds", statement="Choose well.\n")
    other = parts(tmp_path / "other", "sgds", reasoning="Think.\n")
    assert len({of(style) for style in STYLES} | {of("few-shot", 1), of("zero-shot", 0, mine)}) == 7
    assert of("few-shot") == of("few-shot")
    assert of("zero-shot", 0, other) == of("zero-shot")
    assert of("cot", 0, other) != of("cot")
    sample = sample_of("sgds")
    source = Path(load_card("tsg/sgds").source).read_text()
    card = card_from(source.replace("prompts: tsg/sgds", "prompts: tsg/choices"), "mine/choices", "choices.yaml")
    renamed = tsg.tsg_task(card).prompt
    assert renamed is not None
    asker = tsg.prompter_of("sgds", "zero-shot", renamed.texts(parts(tmp_path, "choices", statement="Mine.\n")))
    assert asker.text(sample).startswith("Mine.\n\nWhat the graphs are\n"), "a card may have a folder of its own"
    with pytest.raises(UsageError, match="prompts has no tsg/choices"):
        renamed.texts(None)
    parts(tmp_path, "sa-sgg", hand_rules="", answer="")
    (tmp_path / "tsg/sa-sgg/statement.txt").write_bytes(b"Write.\r\nNow.\r\n")
    text = tsg.prompter_of("sa-sgg", "zero-shot", tmp_path).text(sample_of("sa-sgg"))
    assert text.startswith("Write.\nNow.\n\nRules for the graph\n")
    assert "Rules for hands" not in text and "\n\n\n" not in text, "an emptied part leaves no gap"
    assert text.endswith("edges: verb, dobj, with\n\nContext:\nBefore cup.\n\nTarget sentence:\nasked has cup.")


def test_broken_parts_are_refused_and_whole_prompts_are_written_as_published(tmp_path: Path) -> None:
    for part, text, message in (
        ("statment", "x", r"statment\.txt: there is no prompt part statment"),
        ("statement", "Choose {candidates}.", r"statement\.txt: line 1: there is no field \{candidates\}"),
        ("input", "{context}\n{graph}", r"input\.txt: the text lacks \{candidates\}"),
        ("answer", 'as {"answer": x}', r"answer\.txt: line 1: .* only a plain name"),
    ):
        with pytest.raises(UsageError, match=message):
            tsg.prompt("sgds").texts(parts(tmp_path / part, "sgds", **{part: text}))
    with pytest.raises(UsageError, match="has no prompts for tsg/sgqa") as caught:
        tsg.prompt("sgqa").texts(tmp_path)
    assert "sgqa.txt" in caught.value.hint
    (parts(tmp_path / "both", "sgqa", statement="x") / "sgqa.txt").write_text(WHOLE["sgqa"])
    with pytest.raises(UsageError, match="a whole prompt, and parts too"):
        tsg.prompt("sgqa").texts(tmp_path / "both")
    for task, text in WHOLE.items():
        (tmp_path / f"{task}.txt").write_text(text)
    wash, dry = graph("wash", "it's"), graph("dry", "it's")
    one = "[\"Before it's.\"] | asked has it's. | person, hand1, hand2, cup, it's, wash, dry | verb, dobj, with"
    doings = ("A: asked drops", "B: asked washes", "C: asked breaks", "D: asked hides", "E: asked seeks")
    expected = {
        "sgqa": f"Scene: {[wash, dry]!r}\nAsked: What of it's is washed in asked?\n",
        "sgds": f"{[dry]!r} | {wash!r} | " + "\n".join(f"{one} it's" for one in doings),
        "sa-sgg": one,
        "ma-sgg": one + " | 2",
    }
    for task, text in expected.items():
        asker = tsg.prompter_of(task, "zero-shot", tmp_path)
        assert asker.text(sample_of(task, "it's")) == text
    sample = sample_of("sa-sgg", context="One. Two.")
    assert tsg.prompter_of("sa-sgg", "zero-shot", tmp_path).text(sample).startswith("One. Two. | asked has cup. | ")
    with pytest.raises(UsageError, match="which can only be asked in style zero-shot, not cot"):
        tsg.prompter_of("sgds", "cot", tmp_path)
    (tmp_path / "sgqa.txt").write_text("{scene_graph}\n{questions}")
    with pytest.raises(UsageError, match=r"sgqa\.txt: line 2: there is no field \{questions\}"):
        tsg.prompt("sgqa").texts(tmp_path)
    (tmp_path / "refine.txt").write_text("{context}")
    with pytest.raises(UsageError, match="has no published prompt"):
        tsg.prompter_of("refine", "zero-shot", tmp_path)


def test_the_shipped_cards_declare_what_the_suite_measures_and_any_other_is_refused() -> None:
    for kind in KINDS:
        card = load_card(f"tsg/{kind}")
        declared = [(name, one.headline) for name, one in card.metrics.items()]
        assert declared == [(name, one.is_headline) for name, one in tsg.METRICS[kind].items()], kind
        assert card.on_request == (kind in SOURCES)
    source = Path(load_card("tsg/sgqa").source).read_text()
    for old, new, message, hint in (
        ("task: tsg/sgqa", "task: tsg/sgq", "task: there is no tsg/sgq", "tsg/sgqa?"),
        ("exact_match:", "exact_mach:", "tsg/sgqa has no exact_mach", "exact_match?"),
        ("better: less", "better: more", "metrics.not_a_node.better: it is less, not more", ""),
        ("pooling: pooled", "pooling: per-item", "pooling: it is pooled, not per-item", ""),
    ):
        with pytest.raises(UsageError, match=f"x.yaml: .*{message}") as caught:
            task_of(card_from(source.replace(old, new), "x/x", "x.yaml"))
        assert caught.value.hint.startswith(hint)


PUBLISHED = {"sgqa": ["context_graphs"], "sgds": ["context_graphs", "triplet"]}
FIELDS = {"sgqa": "{scene_graph} {question}", "sgds": "{context} {triplet} {sentences}"}


def published(task: str) -> tuple[Path, tuple[QuestionSample | SelectionSample, ...]]:
    path = OFFICIAL_DATA / f"tsg_{task}_sample.jsonl"
    return path, tsg.samples_of(read_file(path), task)


@needs_official_data
def test_graphs_are_shown_whole_in_every_style_and_as_python_writes_them_and_no_answer_is(tmp_path: Path) -> None:
    for task, fields in PUBLISHED.items():
        path, samples = published(task)
        for style in STYLES:
            asker = prompter(task, style)
            for sample in samples:
                graphs = sample.graphs if isinstance(sample, QuestionSample) else (*sample.context, sample.graph)
                text = asker.text(sample)
                assert all("\n".join(map(str, graph)) in text for graph in graphs), (style, sample.item_id)
                asked = text.split("These were the examples")[-1]
                assert tsg.shown_answer(sample) not in asked, (style, sample.item_id)
        (tmp_path / f"{task}.txt").write_text(FIELDS[task])
        shown = "\n".join(map(tsg.prompter_of(task, "zero-shot", tmp_path).text, samples))
        for line in path.read_text(encoding="utf-8").splitlines():
            assert all(repr(json.loads(line)[field]) in shown for field in fields), line[:80]


@needs_official_data
def test_rules_know_more_than_half_and_guesses_are_right_as_often_as_chance() -> None:
    def accuracy(task: str, name: str, seed: int = 0) -> float:
        samples = published(task)[1]
        right: list[bool] = [
            tsg.read_reply(one, CollectedReply(tsg.BASELINES[name](one, seed)))[1] == one.answer for one in samples
        ]
        return sum(right) / len(right)

    for task, low, high in (("sgds", 0.1, 0.3), ("sgqa", 0.0, 0.2)):
        assert accuracy(task, "rules") > 0.5, task
        assert low < sum(accuracy(task, "random", seed) for seed in range(40)) / 40 < high, task


@needs_official_data
def test_graphs_with_faults_differ_from_their_originals_by_the_stated_changes(tmp_path: Path) -> None:
    rows = []
    for number, line in enumerate(published("sgds")[0].read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        triplets = [triplet for graph in (*row["context_graphs"], row["triplet"]) for triplet in graph]
        verbs = {target for _, edge, target in triplets if edge == "verb"}
        nodes = {name for source, _, target in triplets for name in (source, target)} - verbs - {""}
        edges = {edge for _, edge, _ in triplets}
        space = {"object": sorted(nodes), "relationship": sorted(edges), "verb": sorted(verbs)}
        told = {"item_id": str(number), "context": [], "target_sentence": row["target_sentence"]}
        rows.append(told | {"mandatory_space": space, "graphs": [{"triplets": row["triplet"]}]})
    (tmp_path / "rows.jsonl").write_text(lines(*rows))
    origins = set()
    for sample in tsg.rows_in(tmp_path / "rows.jsonl", "refine"):
        assert isinstance(sample, RefineSample)
        original, spoilt = (set(fold_graph(graph)) for graph in (sample.original, sample.spoilt))
        assert original - spoilt == {change.reference for change in sample.changes} - {None}, sample.item_id
        assert spoilt - original == {change.candidate for change in sample.changes} - {None}, sample.item_id
        origins.add(sample.origin)
    assert origins == {"seeded", "published", "reading", "annotator", "none"}
