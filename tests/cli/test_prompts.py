"""``tsgkit prompts`` lists what there is and shows exactly what a model would be sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, write_lines
from formula_items import CAT, ROWS, lines
from prompt_items import STYLES, TASKS, pool, row

from tsgkit.library.bundle import ROOMS
from tsgkit.library.cards import card_names, load_card
from tsgkit.suites.previews import Preview, PreviewOptions, preview_of
from tsgkit.suites.suite import task_of


@pytest.fixture
def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a project with data and pools of its own for every task."""
    for name in ROOMS:
        (folder / name).mkdir()
    pools = folder / "tasks/tsg/data/few-shot"
    pools.mkdir(parents=True)
    (pools.parent / "tsgkit-2").mkdir()
    monkeypatch.delenv("TSGKIT_DATASET")
    for task in TASKS:
        write_lines(pools / f"{task}.jsonl", *(entry.row for entry in pool(task).entries))
        rows = row(task, "first"), row(task, "second", "mug\x1b[31m\u202e")
        write_lines(pools.parent / f"tsgkit-2/{task}.jsonl", *rows)
    (folder / "rows.jsonl").write_text(lines(ROWS))


def preview(task: str, **options: Any) -> Preview:  # noqa: ANN401  (fields of the options)
    return preview_of(task_of(load_card(task)), PreviewOptions(**options))


def shown(tsgkit: CommandLine, words: str) -> Any:  # noqa: ANN401  (as JSON has it)
    return tsgkit(f"prompts show {words} --json").json


def listed(tsgkit: CommandLine, more: str = "") -> dict[str, Any]:
    return {task["task"]: task for task in tsgkit(f"prompts list --json {more}").json["tasks"]}


def test_list_names_tasks_styles_and_where_the_texts_are(tsgkit: CommandLine) -> None:
    out = tsgkit("prompts list").out
    assert all(f"\ntsg/{task}: " in f"\n{out}" for task in TASKS) and "statement, " in out
    for style, described in {
        "zero-shot": "the answer at once",
        "cot": "step by step, then the answer",
        "few-shot": "the answer at once, after 10 worked examples",
        "structured": "the answer at once, as JSON in a schema",
    }.items():
        assert f"\n  {style:<13} {described}\n" in out, style
    tasks = listed(tsgkit)
    assert set(tasks) == set(card_names())
    assert {"statement", "rules", "answer-structured"} <= set(tasks["formalimg/layout"]["parts"])
    assert set(tasks["formalimg/knolling"]["parts"]) == {"one-class", "all-classes"}
    assert list(tasks["formalimg/natural"]["parts"]) == ["judge"]
    assert not any(task["problem"] for task in tasks.values())


@pytest.mark.usefixtures("project")
def test_json_shows_exactly_what_a_notebook_gets(tsgkit: CommandLine) -> None:
    for task, style in [(task, style) for task in TASKS for style in STYLES]:
        item = "second/0" if task == "sgqa" else "second"
        value = shown(tsgkit, f"tsg/{task} --style {style} --item {item}")
        expected = preview(f"tsg/{task}", style=style, item=item)
        assert value["messages"] == [{"role": "user", "content": expected.text}], (task, style)
        assert "mug\x1b[31m\u202e" in expected.text
        assert value["fingerprint"] == expected.fingerprint, (task, style)
        assert (value["schema"] is not None) == (style == "structured"), (task, style)
        assert len(value["examples"]) == value["shots"] == (10 if "few-shot" in style else 0), (task, style)


@pytest.mark.usefixtures("project")
def test_prompts_of_judges_are_shown_with_what_goes_along(tsgkit: CommandLine) -> None:
    natural = shown(tsgkit, "formalimg/natural --data rows.jsonl")
    [message] = natural["messages"]
    assert message["role"] == "user"
    assert "A black cat on a sofa." in message["content"] and CAT.split("'")[1] in message["content"]
    assert natural["notes"] == ["the image follows in the same message"]
    knolling = shown(tsgkit, "formalimg/knolling --data rows.jsonl --item 0")
    [message] = knolling["messages"]
    assert message["role"] == "system"
    assert "cup" in message["content"] and "pen" not in message["content"].split()
    assert knolling["notes"][0].endswith("; pen: one call each with the same prompt")


@pytest.mark.usefixtures("project")
def test_prompts_refuses_invalid_arguments(tsgkit: CommandLine) -> None:
    write_lines("shared.jsonl", row("sgds", "asked") | {"scenario_id": "scene of shown-3"})
    sgds = "show tsg/sgds"
    tsgkit.refuses(
        {
            "": "missing: list|show",
            "shwo": "shwo",
            "show tsg/sgd": "there is no task tsg/sgd\n  tsg/sgds?",
            f"{sgds} --style cto": "there is no style cto\n  cot?",
            f"{sgds} --item frist": "no item frist\n  first?",
            f"{sgds} --item 9": "there is no item 9\n  choose from first, second",
            f"{sgds} --shots 3": "style zero-shot shows no examples",
            f"{sgds} --style few-shot --data shared.jsonl": "example shown-3 and item asked are of one scenario",
            f"{sgds} --data tasks/tsg/data/tsgkit-2/sgqa.jsonl": "sgds is made of sgds rows",
            f"{sgds} --prompts nowhere": "nowhere: no such folder",
            "show formalimg/layot": "there is no task formalimg/layot\n  formalimg/layout?",
            "show formalimg/layout --item x9": "there is no item knolling/x9",
            "show formalimg/knolling --shots 3": "judges have one prompt",
            "show formalimg/natural --style cot": "--style and --shots do not apply",
        },
        "prompts",
    )
