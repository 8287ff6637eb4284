"""Prompts of derived tasks show what is given, hold back what is asked, and their examples come from the same pools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from prompt_items import HOSTILE, STYLES, document, row
from tsg_tasks import DERIVATIONS, METRICS, judge, pool_of, prompter_of, read_reply, samples_of, shown_answer, tsg_task

from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.library.documents.reader import Document, read_document
from tsgkit.library.projects import find, text_of
from tsgkit.replies.sections import Section, answer_section
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.styles import PRESETS
from tsgkit.suites.tsg.items import AnySample, RefineSample

L = {
    "object": ["person", "hand1", "hand2", "cup", "lid"],
    "relationship": ["verb", "dobj", "with", "on", "from"],
    "verb": ["wash", "dry", "take"],
}


def rows(task: str, name: str, word: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401  (fields of a row)
    one = row(DERIVATIONS[task].sources[0], name, word, **more)
    return one | {"mandatory_space": L | {"object": [*L["object"], word]}}


def sample_of(task: str, word: str = "cup") -> AnySample:
    found: AnySample = samples_of(document(rows(task, "asked", word)), task)[0]
    return found


def pool(task: str, word: str = "plate") -> Document:
    return document(*(rows(task, f"shown-{n}", word, rationale=f"Step {n} with {word}.") for n in range(12)))


def prompter(task: str, style: str) -> Prompter[AnySample]:
    return prompter_of(task, style, None, pool_of(pool(task), task).drawn(PRESETS[style].shots))


@pytest.mark.parametrize("task", DERIVATIONS)
def test_a_card_declares_exactly_what_its_task_does_and_is_run_on_request(task: str) -> None:
    card = load_card(f"tsg/{task}")
    assert tsg_task(card).kind == task
    assert list(card.metrics) == list(METRICS[task])
    headline = {name for name, metric in METRICS[task].items() if metric.is_headline}
    assert {name for name, metric in card.metrics.items() if metric.headline} == headline
    assert card.on_request


@pytest.mark.parametrize("task", DERIVATIONS)
@pytest.mark.parametrize("style", STYLES)
def test_every_style_has_a_prompt_and_only_one_a_schema(task: str, style: str) -> None:
    sample, asker = sample_of(task), prompter(task, style)
    text = asker.text(sample)
    assert "Before cup." in text
    assert "asked has cup." in text
    assert ("step by step" in text) == ("cot" in style)
    assert ("Example 10" in text) == ("few-shot" in style)
    assert (asker.schema(sample) is not None) == (style == "structured")
    assert ("JSON" in text) == (style == "structured")
    if "cot" in style:
        section = answer_section(text)
        assert isinstance(section, Section)
        assert section.label in ("Final answer:", "Final graph:", "Final graphs:")
        assert "write nothing after" in text.lower()


@pytest.mark.parametrize("task", DERIVATIONS)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_texts_come_out_as_they_are_and_change_nothing_else(task: str, hostile: str) -> None:
    def asked(words: str) -> str:
        told = rows(task, "asked", "cup") | {"target_sentence": words, "context": ["Before.", words]}
        return prompter(task, "cot").text(samples_of(document(told), task)[0])

    assert asked("qqq").count("qqq") == 2
    assert asked(hostile) == asked("qqq").replace("qqq", hostile)


@pytest.mark.parametrize("task", DERIVATIONS)
def test_a_reasoned_example_is_read_back_as_its_right_answer(task: str) -> None:
    (example,) = pool_of(pool(task), task).drawn(1)
    text = prompter_of(task, "cot-few-shot", None, (example,)).text(sample_of(task))
    start = text.index("Reasoning:\nStep")
    found = judge(example.item, Reply(text[start : text.index("\n\nThese were the examples", start)]))
    assert found.outcome is Outcome.ANSWERED
    assert found.scores["strict"]["exact_match"].value == 1


@pytest.mark.parametrize("task", DERIVATIONS)
def test_a_structured_answer_is_read(task: str) -> None:
    sample = sample_of(task)
    schema: Any = prompter(task, "structured").schema(sample)
    (field,) = schema["properties"]
    right = shown_answer(sample)
    if field == "graphs":
        names = ("source", "edge", "target")
        blocks = [[line.split(" -> ") for line in block.split("\n")] for block in right.split("\n\n")]
        said: Any = [[dict(zip(names, one, strict=True)) for one in block] for block in blocks]
    else:
        said = right.split("\n")
        assert set(said) <= set(schema["properties"][field]["items"]["enum"])
    found = judge(sample, Reply(json.dumps({field: said})))
    assert found.scores["strict"]["exact_match"].value == 1


def test_prompts_do_not_contain_the_answer() -> None:
    text = prompter("actions", "zero-shot").text(sample_of("actions"))
    assert "Nodes of the graphs: person, hand1, cup\n" in text
    assert "Number of graphs" not in text
    text = prompter("nodes-sa", "zero-shot").text(sample_of("nodes-sa"))
    assert "Graph 1: verb, dobj, with\n" in text


def test_nodes_are_given_graph_by_graph() -> None:
    text = prompter("edges-ma", "zero-shot").text(sample_of("edges-ma"))
    assert "Graph 1: person, hand1, cup, wash\nGraph 2: person, hand1, cup, dry\n" in text
    assert "Number of graphs: 2\n" in text


def test_a_hint_is_one_line_and_nothing_else_differs() -> None:
    plain, hinted = (prompter(task, "zero-shot").text(sample_of(task)) for task in ("refine", "refine-hinted"))
    assert "\nKind of error: not told\n" in plain
    assert hinted == plain.replace("Kind of error: not told", "Kind of error: redundant")


def test_several_errors_are_told_by_their_types() -> None:
    sample = samples_of(document(rows("refine-hinted", "asked", "cup")), "refine-hinted")[4]
    assert isinstance(sample, RefineSample)
    one, other = sample.kinds
    assert f"Kind of error: {one} and {other}\n" in prompter("refine-hinted", "zero-shot").text(sample)


def test_the_reasoning_of_a_repair_goes_on_to_its_errors() -> None:
    for example in pool_of(pool("refine"), "refine").examples:
        sample = example.item
        assert isinstance(sample, RefineSample)
        assert example.rationale.startswith("Step ")
        assert example.rationale.count("In the given graph") == len(sample.changes)


def test_examples_of_repairs_come_from_as_many_rows_as_there_are() -> None:
    chosen = pool_of(pool("refine"), "refine").drawn(12)
    sources = [example.item.source.item_id for example in chosen if isinstance(example.item, RefineSample)]
    assert len(set(sources)) == 12
    assert chosen[:5] == pool_of(pool("refine"), "refine").drawn(5)


@pytest.mark.parametrize("task", DERIVATIONS)
def test_an_example_of_the_scenario_that_is_asked_about_is_refused(task: str) -> None:
    shown = rows(task, "shown", "plate", rationale="So.") | {"scenario_id": "scene of asked"}
    with pytest.raises(UsageError, match="are of one scenario"):
        pool_of(document(shown), task).check_disjoint([sample_of(task)])


@pytest.mark.parametrize("task", DERIVATIONS)
def test_the_bundled_pools_have_enough_examples_that_share_nothing_with_the_data(task: str) -> None:
    one = tsg_task(load_card(f"tsg/{task}"))
    data = one.dataset(None)
    solver = one.solver("single", "cot-few-shot", data, shots=None, seed=0, prompts=None)
    assert "Example 10" in solver.prompter.text(data.sample(0))  # type: ignore[attr-defined]


@pytest.mark.parametrize("task", DERIVATIONS)
def test_there_is_no_published_prompt_to_be_used_whole(task: str, tmp_path: Path) -> None:
    (tmp_path / f"{task}.txt").write_text("{context}")
    with pytest.raises(UsageError, match="has no published prompt"):
        prompter_of(task, "zero-shot", tmp_path)


@pytest.mark.parametrize("task", DERIVATIONS)
def test_a_folder_of_rows_is_read_where_their_task_has_them(task: str, tmp_path: Path) -> None:
    source = DERIVATIONS[task].sources[0]
    (tmp_path / f"{source}.jsonl").write_text(json.dumps(rows(task, "asked", "cup")) + "\n")
    data = tsg_task(load_card(f"tsg/{task}")).dataset(str(tmp_path))
    assert data.item_ids == [one.item_id for one in samples_of(document(rows(task, "asked", "cup")), task)]
    assert [one.item_id for one in data] == list(data.item_ids)


def test_bundled_references_are_answers_that_can_be_read() -> None:
    for task in DERIVATIONS:
        found = find("tasks", load_card(f"tsg/{task}").data)
        lines = text_of(found).splitlines(keepends=True)[:12]
        for sample in samples_of(read_document("".join(lines), "rows.jsonl"), task):
            assert read_reply(sample, Reply(shown_answer(sample)))[0] is Outcome.ANSWERED
            strict = judge(sample, Reply(shown_answer(sample))).scores["strict"]
            is_clean = isinstance(sample, RefineSample) and sample.is_clean
            assert (strict["clean_touched"].value == 0) if is_clean else (strict["exact_match"].value == 1)
