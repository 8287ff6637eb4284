"""``tsgkit prompts`` lists what there is and shows exactly what a model would be sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from formula_items import CAT, ROWS, lines
from prompt_items import STYLES, TASKS, pool, row
from tsg_tasks import prompter_of, samples_of

from tsgkit.cli import main
from tsgkit.library.bundle import ROOMS
from tsgkit.library.cards import card_names, load_card
from tsgkit.suites.previews import Preview, PreviewOptions, preview_of
from tsgkit.suites.solvers.model_solvers import Single
from tsgkit.suites.suite import task_of


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working project with data and pools of its own for every task."""
    for room in ROOMS:
        (tmp_path / room).mkdir()
    pools = tmp_path / "tasks/tsg/data/few-shot"
    pools.mkdir(parents=True)
    (rows_of := pools.parent / "tsgkit-2").mkdir()
    monkeypatch.delenv("TSGKIT_DATASET")
    for task in TASKS:
        rows = [entry.row for entry in pool(task).entries]
        (pools / f"{task}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
        data = [row(task, "first"), row(task, "second", "mug\x1b[31m\u202e")]
        (rows_of / f"{task}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in data))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def preview(task: str, **options: Any) -> Preview:  # noqa: ANN401  (fields of the options)
    return preview_of(task_of(load_card(task)), PreviewOptions(**options))


def out(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def test_the_list_names_tasks_styles_and_where_the_texts_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompts", "list"]) == 0
    text = out(capsys)
    assert all(f"\ntsg/{task}: " in f"\n{text}" for task in TASKS)
    assert all(f"\n  {style} " in text for style in STYLES)
    assert "statement, " in text


def test_the_list_of_a_folder_says_what_it_lacks(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "mine").mkdir()
    (project / "mine/sgqa.txt").write_text("{scene_graph}{question}")
    assert main(["prompts", "list", "--prompts", "mine", "--json"]) == 0
    tasks = {task["task"]: task for task in json.loads(out(capsys))["tasks"]}
    assert tasks["tsg/sgqa"]["parts"] == {"whole": str(Path("mine/sgqa.txt"))}
    assert "has no prompts for tsg/sgds" in tasks["tsg/sgds"]["problem"]
    assert main(["prompts", "list", "--prompts", "mine"]) == 0
    assert "  none: mine: has no prompts for tsg/sgds\n" in out(capsys)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("style", STYLES)
def test_json_shows_exactly_what_a_notebook_gets(
    task: str, style: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["prompts", "show", f"tsg/{task}", "--style", style, "--json"]
    item = "second/0" if task == "sgqa" else "second"
    assert main([*words, "--item", item]) == 0
    value = json.loads(out(capsys))
    found = preview(f"tsg/{task}", style=style, item=item)
    assert value["messages"] == [{"role": "user", "content": found.text}]
    assert "mug\x1b[31m\u202e" in found.text
    assert value["fingerprint"] == found.fingerprint
    assert (value["schema"] is not None) == (style == "structured")
    assert len(value["examples"]) == value["shots"] == (10 if "few-shot" in style else 0)


def test_the_text_is_the_message_with_control_characters_made_visible(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prompts", "show", "tsg/sgds", "--item", "second"]) == 0
    [_, sample] = samples_of(pool("sgds", 2), "sgds")
    shown = out(capsys)
    assert shown.replace("\\x1b", "\x1b").replace("\\u202e", "\u202e") == preview("tsg/sgds", item="second").text + "\n"
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown.split("\n")[0] == prompter_of("sgds").text(sample).split("\n")[0]


def test_the_default_item_is_the_first_and_data_may_be_any_file(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prompts", "show", "tsg/sgds", "--json"]) == 0
    assert json.loads(out(capsys))["item_id"] == "first"
    (project / "other.jsonl").write_text(json.dumps(row("sgds", "other")))
    assert main(["prompts", "show", "tsg/sgds", "--json", "--data", "other.jsonl"]) == 0
    assert json.loads(out(capsys))["item_id"] == "other"


def test_the_seed_chooses_the_examples(project: Path) -> None:
    chosen = {preview("tsg/sgds", style="few-shot", shots=3, seed=seed).examples for seed in range(5)}
    assert len(chosen) > 1
    assert preview("tsg/sgds", style="few-shot", shots=3).examples in chosen


def test_a_pool_that_shares_a_scenario_with_the_data_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "other.jsonl").write_text(json.dumps(row("sgds", "asked") | {"scenario_id": "scene of shown-3"}))
    assert main(["prompts", "show", "tsg/sgds", "--style", "few-shot", "--data", "other.jsonl"]) == 2
    assert "example shown-3 and item asked are of one scenario" in capsys.readouterr().err


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> Any:  # noqa: ANN401  (as JSON has it)
    assert main(["prompts", "show", *words, "--json"]) == 0
    return json.loads(out(capsys))


def test_the_list_has_the_tasks_of_every_suite(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompts", "list", "--json"]) == 0
    tasks = {task["task"]: task for task in json.loads(out(capsys))["tasks"]}
    assert set(tasks) == set(card_names())
    assert {"statement", "rules", "answer-structured"} <= set(tasks["formalimg/layout"]["parts"])
    assert set(tasks["formalimg/knolling"]["parts"]) == {"one-class", "all-classes"}
    assert list(tasks["formalimg/natural"]["parts"]) == ["judge"]
    assert not any(task["problem"] for task in tasks.values())


@pytest.mark.parametrize("style", STYLES)
def test_layouts_are_shown_as_a_model_is_asked_for_them(
    style: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("rows.jsonl").write_text(lines(ROWS))
    value = shown(capsys, "formalimg/layout", "--style", style, "--data", "rows.jsonl", "--item", "1")
    task = task_of(load_card("formalimg/layout"))
    dataset = task.dataset("rows.jsonl")
    solver = task.solver("single", style, dataset, shots=None, seed=0, prompts=None)
    assert isinstance(solver, Single)
    assert value["item_id"] == "knolling/1"
    assert value["messages"] == [{"role": "user", "content": solver.prompter.text(dataset.sample(1))}]
    assert value["fingerprint"] == solver.fingerprint
    assert (value["schema"] is not None) == (style == "structured")
    assert len(value["examples"]) == (10 if "few-shot" in style else 0)


def test_prompts_show_prints_a_judges_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("rows.jsonl").write_text(lines(ROWS))
    natural = shown(capsys, "formalimg/natural", "--data", "rows.jsonl")
    [message] = natural["messages"]
    assert message["role"] == "user"
    assert "A black cat on a sofa." in message["content"]
    assert CAT.split("'")[1] in message["content"]
    assert natural["notes"] == ["the image follows in the same message"]
    knolling = shown(capsys, "formalimg/knolling", "--data", "rows.jsonl", "--item", "0")
    [message] = knolling["messages"]
    assert message["role"] == "system"
    assert "cup" in message["content"]
    assert "pen" not in message["content"].split()
    assert knolling["notes"][0].endswith("; pen: one call each with the same prompt")
    assert main(["prompts", "show", "formalimg/natural", "--style", "cot"]) == 2
    assert "--style and --shots do not apply" in capsys.readouterr().err


def test_a_whole_prompt_for_layouts_is_one_part(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine").mkdir()
    Path("mine/layout.txt").write_text("Lay out: {prompt}")
    assert main(["prompts", "list", "--prompts", "mine", "--json"]) == 0
    tasks = {task["task"]: task for task in json.loads(out(capsys))["tasks"]}
    assert tasks["formalimg/layout"]["parts"] == {"whole": str(Path("mine/layout.txt"))}
    assert "has no prompts" in tasks["formalimg/natural"]["problem"]
    Path("rows.jsonl").write_text(lines(ROWS))
    found = shown(capsys, "formalimg/layout", "--prompts", "mine", "--data", "rows.jsonl")
    assert found["messages"][0]["content"] == "Lay out: A red cup left of a pen."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["prompts"], "missing: list|show"),
        (["prompts", "shwo"], "shwo"),
        (["prompts", "show", "tsg/sgd"], "there is no task tsg/sgd\n  tsg/sgds?"),
        (["prompts", "show", "tsg/sgds", "--style", "cto"], "there is no style cto\n  cot?"),
        (["prompts", "show", "tsg/sgds", "--item", "frist"], "no item frist\n  first?"),
        (["prompts", "show", "tsg/sgds", "--item", "9"], "there is no item 9\n  choose from first, second"),
        (["prompts", "show", "tsg/sgds", "--shots", "3"], "style zero-shot shows no examples"),
        (["prompts", "show", "tsg/sgds", "--style", "few-shot", "--shots", "20"], "the pool has 12, --shots 20 asks"),
        (["prompts", "show", "tsg/sgds", "--data", "nowhere.jsonl"], "nowhere.jsonl: no such file"),
        (["prompts", "show", "tsg/sgds", "--data", "tasks/tsg/data/tsgkit-2/sgqa.jsonl"], "sgds is made of sgds rows"),
        (["prompts", "show", "tsg/sgds", "--prompts", "nowhere"], "nowhere: no such folder"),
        (["prompts", "show", "formalimg/layot"], "there is no task formalimg/layot\n  formalimg/layout?"),
        (["prompts", "show", "formalimg/layout", "--item", "x9"], "there is no item knolling/x9"),
        (["prompts", "show", "formalimg/knolling", "--shots", "3"], "judges have one prompt"),
        (["prompts", "list", "--prompts", "nowhere"], "nowhere: no such folder"),
    ],
)
def test_wrong_usage_is_one_clear_line_and_exit_two(
    words: list[str], message: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert "Traceback" not in said.out + said.err
