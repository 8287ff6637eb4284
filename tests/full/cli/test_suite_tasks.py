"""Tasks of all suites at the command: baselines, scripts, scores, rooms, and their prompts."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, write_lines
from formula_items import CAT, CUP, KEYS, PEN, ROWS, lines
from prompt_items import STYLES, pool, row
from prompt_items import TASKS as TSG
from rooms_of_ours import ROOMS, room, thing
from shipped import DATA, TASKS

from tsgkit.library.cards import card_names, load_card
from tsgkit.library.projects import ROOMS as FOLDERS
from tsgkit.suites.sceneeval.annotate import METRICS
from tsgkit.suites.sceneeval.annotation_files import read_annotation_file, read_annotations, unmapped_relations
from tsgkit.suites.sceneeval.annotation_replies import answer_text
from tsgkit.suites.solvers.prompter import Preview, PreviewOptions
from tsgkit.suites.solvers.ways import preview_of
from tsgkit.suites.suite import task_of

GOOD = ROOMS / "rooms" / "good"
HEAD = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
BED = room(thing("bed_1", "bed", (2, 1.5, 0), (1.6, 2, 0.5)))
FIDELITY, PLAUSIBILITY = "--task sceneeval/fidelity", "--task sceneeval/plausibility"
LAYOUT = "eval --task formalimg/layout --data rows.jsonl"
SCORE = "score --task formalimg/layout --data rows.jsonl --replies replies.jsonl"
GUESSES = "eval --task formalimg/layout --model baseline/random"
TASK = "sceneeval/annotate"
EVAL = f"eval --task {TASK} --json"
SCRIPTED = f"{EVAL} --model script:right.jsonl --samples"
SAMPLES = read_annotation_file(TASKS / "sceneeval/data/annotations.csv").usable()
POOL = [json.loads(line) for line in (TASKS / "sceneeval/data/few-shot/annotate.jsonl").read_text().splitlines()]


@pytest.fixture(autouse=True)
def sources(folder: Path) -> None:
    (folder / "rows.jsonl").write_text(lines(ROWS))
    replies = {"knolling/0": [CUP, PEN], "knolling/1": json.dumps([CUP])}
    write_lines("replies.jsonl", *({"item_id": name, "reply": reply} for name, reply in replies.items()))
    right = ({"item_id": one.item_id, "reply": f"Here:\n```json\n{answer_text(one)}\n```"} for one in SAMPLES)
    write_lines("right.jsonl", *right)


def test_layouts_are_evaluated_without_a_model_reported_gated_drawn_against_k_and_scored_by_k(
    tsgkit: CommandLine,
) -> None:
    [result] = tsgkit("eval --task formalimg --data rows.jsonl --json --samples").json["results"]
    assert (result["subject"], result["task"], result["n"]) == ("baseline/solver", "formalimg/layout", 2)
    assert [result["profiles"][profile]["satisfied"]["value"] for profile in ("strict", "official")] == [1.0, 1.0]
    told = "natural items left out: 1 (no layout can be verified for them)"
    assert result["notes"] == [told]
    for more in ("", "--dry-run"):
        assert f"note: formalimg/layout: {told}\n" in tsgkit(f"{LAYOUT} --model baseline/random {more}").out
    [estimate] = tsgkit("eval --plan ten-objects --model baseline/random --dry-run --json").json["estimates"]
    assert (estimate["samples"], estimate["task"]) == (30, "formalimg/layout")
    [result] = tsgkit(f"{GUESSES} --limit 24 --out run --json").json["results"]
    assert "notes" not in result
    assert all(result["profiles"]["strict"][name] is not None for name in ("easy", "medium", "hard", "overall", "g"))
    assert "g is" in tsgkit(f"{GUESSES} --limit 24 --out run --fail-under formalimg/layout.g=9", code=3).err
    tsgkit(f"{GUESSES} --limit 24 --out run --fail-under formalimg/layout.satisfied=9", code=2)
    assert "Deepseek-V3.2-Thinking" in tsgkit("report run --against published").out
    tsgkit("report run --by predicate -o page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "objects that depend on each other" in page and "</bdi> by predicate" in page
    boards = tsgkit("report run --by predicate --format json").json["rows"][0]["by"]["predicate"]
    assert boards["Is"]["profiles"]["strict"]["failed"]["n"] == boards["Is"]["counts"]["clauses"]
    assert set(boards["Is"]["profiles"]["strict"]) == {"failed"}
    value = tsgkit(f"{SCORE} --by k --json --samples").json
    assert (value["n"], value["profiles"]["strict"]["satisfied"]["value"]) == (2, 0.5)
    groups = {k: group["profiles"]["official"]["satisfied"]["value"] for k, group in value["by"]["k"].items()}
    assert groups == {"1": 0.0, "2": 1.0}
    rows = DATA / "sgds.jsonl"
    message = "formalimg is a suite; one task is wanted\n  its tasks: formalimg/knolling, formalimg/layout"
    write_lines("other.jsonl", {"item_id": "knolling/7", "reply": [KEYS]})
    tsgkit.refuses(
        {
            SCORE.replace("/layout", ""): message,
            "prompts show formalimg": message,
            SCORE.replace("layout", "natural"): "--images NAME=DIR",
            SCORE.replace("replies.jsonl", "other.jsonl"): "the data have no item knolling/7",
            f"score --task sgqa --data {rows} --replies x": "\n  these rows are of tsg/sgds: --task tsg/sgds\n",
            SCORE.replace("rows.jsonl", "-").replace("replies.jsonl", "-"): "are both standard input",
            "score --task sgqa --data - --from inspect x": "--data: a file is needed beside a log",
        }
    )


def test_rules_beat_chance_and_right_annotations_are_right_in_every_figure(tsgkit: CommandLine) -> None:
    rules, chance = tsgkit(f"{EVAL} --model baseline/rules --model baseline/random --out baselines").json["results"]
    for result in (rules, chance):
        assert set(result["profiles"]["strict"]) == set(METRICS)
        assert (result["n"], result["counts"]["answered"], result["counts"]["unread_entries"]) == (30, 30, 0)
        assert result["profiles"]["official"] is None
        assert "no figures are published" in result["reasons"]["official"]
    assert rules["profiles"]["strict"]["f1"]["value"] > 0.6
    assert 0 < chance["profiles"]["strict"]["f1"]["value"] < 0.2
    [right] = tsgkit(f"{SCRIPTED} --style cot --out right").json["results"]
    figures = {name: one["value"] for name, one in right["profiles"]["strict"].items()}
    assert figures == {name: 0.0 if name == "unread" else 1.0 for name in METRICS}
    assert tsgkit("rescore right --json").json["results"][0]["profiles"]["strict"] == right["profiles"]["strict"]
    out = tsgkit("report baselines right --by difficulty --metrics all").out
    assert all(word in out for word in (TASK, "easy", "medium", "hard"))
    assert "annotate" not in tsgkit("eval --task sceneeval --dry-run").out, "the suite alone means rooms"


def test_examples_are_clean_and_share_nothing_with_what_is_asked(tsgkit: CommandLine) -> None:
    descriptions = {" ".join(one["description"].lower().split()) for one in POOL}
    assert len(descriptions) == len(POOL) >= 10
    assert not descriptions & {" ".join(one.description.lower().split()) for one in SAMPLES}
    rows = [{key: value for key, value in one.items() if key != "rationale"} for one in POOL]
    pool = read_annotations(json.dumps({"format": "tsgkit/annotations", "annotations": rows}), "pool")
    assert {finding.code for finding in pool.findings} <= {"out-of-place"}
    assert not list(unmapped_relations(pool.annotations))
    assert {one.difficulty for one in pool.annotations} == {"easy", "medium", "hard"}
    Path("twin.json").write_text(json.dumps({"format": "tsgkit/annotations", "annotations": rows[:1]}))
    words = f"eval --task {TASK} --data twin.json --model script:x --style few-shot"
    shots = f"the pool has {len(POOL)}, --shots 11 asks for more"
    tsgkit.refuses(
        {words: "examples must share nothing with the data", f"prompts show {TASK} --style few-shot --shots 11": shots}
    )


def evaluated(tsgkit: CommandLine, words: str, code: int = 0) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = tsgkit(f"eval {words} --json --samples --quiet", code=code).json["results"]
    return results


def own(**files: str) -> None:
    """Write scenes into the folder ``mine``."""
    Path("mine").mkdir()
    for name, text in files.items():
        Path(f"mine/{name}.json").write_text(text)


def test_missing_and_broken_scenes_are_rows_that_count_against_a_subject(tsgkit: CommandLine) -> None:
    shutil.copytree(GOOD, "mine")
    Path("mine/scene_1.json").unlink()
    Path("mine/scene_2.json").write_text("{")
    Path("mine/scene_3.json").unlink()
    os.mkfifo("mine/scene_3.json")
    words = f"--task sceneeval --scenes mine=mine --scenes good={GOOD} --first 4 --out run"
    results = evaluated(tsgkit, words)
    fidelity, plausibility = (one for one in results if one["subject"] == "mine")
    for result in (fidelity, plausibility):
        assert [result["counts"][name] for name in ("answered", "missing", "unreadable")] == [1, 1, 2]
        ends = [one["outcome"] for one in result["samples"]]
        assert ends == ["answered", "missing", "unreadable", "unreadable"]
    assert plausibility["profiles"]["strict"]["col_sc"]["value"] == pytest.approx(3 / 4)
    assert plausibility["profiles"]["official"]["col_sc"]["value"] == 0
    out = tsgkit("compare run --task plausibility").out
    assert (
        "3 samples have no answer (1 missing, 2 unreadable); they count as wrong" in out
        and "counts no fault" not in out
    )


def test_rooms_that_take_too_long_are_given_up_and_measured_when_the_run_goes_on(tsgkit: CommandLine) -> None:
    words = f"{FIDELITY} --scenes mine={GOOD} --ids 0 1 --out run"
    ended = tsgkit(f"eval {words} --json --samples --quiet --scene-time 1e-7", code=1)
    assert "2 scenes took longer to measure than --scene-time allows" in ended.err and "code" not in ended.err
    [result] = ended.json["results"]
    assert [result["counts"][name] for name in ("error", "api_error", "too_long")] == [2, 0, 2]
    sample = result["samples"][0]
    assert sample["notes"] == ["measuring it takes longer than 1e-07 seconds; raise --scene-time (0: no limit)"]
    assert sample["evidence"] is None
    assert set(result["profiles"]["official"].values()) == {None}
    assert result["profiles"]["strict"]["cnt"]["value"] == 0
    (again,) = evaluated(tsgkit, f"{words} --scene-time 0")
    assert (again["counts"]["answered"], "too_long" in again["counts"]) == (2, False)


def test_a_run_of_rooms_goes_on_and_is_rescored_and_another_room_is_another_run(tsgkit: CommandLine) -> None:
    own(scene_0=BED)
    words = f"{PLAUSIBILITY} --scenes mine=mine --first 1"
    first = evaluated(tsgkit, words)
    [run] = Path("runs").iterdir()
    before = (run / "samples.jsonl").read_bytes()
    assert evaluated(tsgkit, words) == first
    assert list(Path("runs").iterdir()) == [run]
    Path("mine/scene_0.json").write_text(room(thing("bed_1", "bed", (2, 1.5, 1), (1.6, 2, 0.5))))
    assert evaluated(tsgkit, words) != first
    assert len(list(Path("runs").iterdir())) == 2
    shutil.rmtree("mine")
    tsgkit(f"rescore {run}")
    assert (run / "samples.jsonl").read_bytes() == before, "judged again from what was found"


def test_scenes_and_figures_that_are_missing_are_named_below_the_table(tsgkit: CommandLine) -> None:
    own(scene_0=room({"id": "a", "category": "bed"}), scene_1=room({"id": "a", "category": "bed"}))
    out = tsgkit(f"eval {FIDELITY} --scenes mine=mine --first 2 --quiet").out
    assert (
        "mine sceneeval/fidelity published: 2 samples unreadable, the first: scene_0.json: object a: at: Field required"
    ) in out
    Path("mine/scene_0.json").write_text(BED)
    Path("a.csv").write_text(f'{HEAD}\n0,easy,A bedroom with a bed and a lamp,"eq,1,bed;eq,1,lamp",,,\n')
    out = tsgkit(f"eval {FIDELITY} --scenes mine=mine --data a.csv --quiet").out
    assert "  no official atr, oor, oar: no scene has a known value" in out


def test_eval_of_scenes_refuses_invalid_arguments(monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine) -> None:
    Path("here.json").write_text(room())
    folder = "--scenes mine=."
    tsgkit.refuses(
        {
            "--model openai/x": "this task judges scenes, not replies of models\n  name a folder of scenes",
            folder: (
                "no scene in this folder is named after an item\n  the scene of an item is named scene_0.json, not h"
            ),
            "--images mine=.": "takes scenes",
            f"{folder} --judge baseline/rules": "a baseline cannot judge scenes",
            f"{folder} --judge rules --prompts .": "--prompts has no effect with --judge rules",
            f"{folder} --judge script:x.jsonl --prompts .": "has no prompts for this task",
            "--scene-time -1": "seconds are needed, or 0 for no limit",
            "--scene-time nan": "seconds are needed, or 0 for no limit",
        },
        f"eval {FIDELITY}",
    )
    monkeypatch.setitem(sys.modules, "fcl", None)
    message = "rooms are measured with fcl, which is not installed"
    tsgkit.refuses({"eval --task sceneeval --first 1": message})


@pytest.fixture
def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a project with data and pools of its own for every task."""
    for name in FOLDERS:
        (folder / name).mkdir()
    pools = folder / "tasks/tsg/data/few-shot"
    pools.mkdir(parents=True)
    (pools.parent / "tsgkit-2").mkdir()
    monkeypatch.delenv("TSGKIT_DATASET")
    for task in TSG:
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
    assert all(f"\ntsg/{task}: " in f"\n{out}" for task in TSG) and "statement, " in out
    tasks = listed(tsgkit)
    assert set(tasks) == set(card_names())
    assert {"statement", "rules", "answer-structured"} <= set(tasks["formalimg/layout"]["parts"])
    assert set(tasks["formalimg/knolling"]["parts"]) == {"one-class", "all-classes"}
    assert list(tasks["formalimg/natural"]["parts"]) == ["judge"]
    assert not any(task["problem"] for task in tasks.values())


@pytest.mark.usefixtures("project")
def test_json_shows_exactly_what_a_notebook_gets(tsgkit: CommandLine) -> None:
    for task, style in [(task, style) for task in TSG for style in STYLES]:
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
            f"{sgds} --style cto": "there is no style cto\n  cot?",
            f"{sgds} --item 9": "there is no item 9\n  choose from first, second",
            f"{sgds} --shots 3": "style zero-shot shows no examples",
            f"{sgds} --style few-shot --data shared.jsonl": "example shown-3 and item asked are of one scenario",
            f"{sgds} --data tasks/tsg/data/tsgkit-2/sgqa.jsonl": "sgds is made of sgds rows",
            "show formalimg/layout --item x9": "there is no item knolling/x9",
            "show formalimg/knolling --shots 3": "judges have one prompt",
        },
        "prompts",
    )


def test_made_files_can_be_put_together_and_results_are_given_by_k(tsgkit: CommandLine) -> None:
    for number, words in enumerate(("--k 1 --k 3 --n 2", "--k 3 --n 2 --seed 7", "--k 3 --n 2 --objects 5")):
        assert tsgkit(f"make formalimg {words} -o {number}.jsonl").err == ""
    rows = "".join(Path(f"{number}.jsonl").read_text() for number in range(3))
    Path("all.jsonl").write_text(rows)
    ids = [json.loads(line)["id"] for line in rows.splitlines()]
    assert ids == [f"{made}-{n}" for made in ("k1-s0", "k3-s0", "k3-s7", "k3of5-s0") for n in (0, 1)]
    tsgkit("eval --task formalimg/layout --data all.jsonl --out run --quiet")
    lines = tsgkit("report run --by k").out.partition("layout by k\n")[2].partition("\n\n")[0].splitlines()[1:]
    assert [line.split()[2:5] for line in lines] == [["1", "satisfied", "2"], ["3", "satisfied", "6"]]
    assert "--k 1: from 1 to 10, each once" in tsgkit("make formalimg --k 1 --k 1 -o x.jsonl", code=2).err
