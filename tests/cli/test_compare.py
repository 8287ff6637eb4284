"""``tsgkit compare``, and ``report`` and ``agree`` beside results of the official SceneEval code."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from compared_runs import IDS, evaluate, write_questions, write_script
from pages import Page
from shipped import TASKS

from tsgkit.report.spreadsheet import csv_text

STYLES = {"zero-shot": IDS[:4], "cot": IDS[:5], "few-shot": IDS}
FORMATS = ("terminal", "markdown", "csv", "latex", "html")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two runs, ``old`` and ``new``, and one of each style of a model."""
    folder = tmp_path_factory.mktemp("compared")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_questions(Path("questions.jsonl"), IDS)
        write_script(Path("good.jsonl"), IDS, IDS[:22])
        write_script(Path("bad.jsonl"), IDS, IDS[20:], missing=IDS[:1])
        evaluate("old", "script:good.jsonl")
        evaluate("new", "script:bad.jsonl")
        for style, right in STYLES.items():
            write_script(Path("model.jsonl"), IDS, right)
            evaluate(style, "script:model.jsonl", more=("--style", style))
    return folder


@pytest.fixture(autouse=True)
def runs(template: Path, folder: Path) -> None:
    shutil.copytree(template, folder, dirs_exist_ok=True)


def table(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out)))


def test_two_rows_are_one_block_that_says_everything_and_every_format_holds_every_number(tsgkit: CommandLine) -> None:
    ended = tsgkit("compare old new --items")
    assert ended.err == ""
    for part in (
        "tsg/sgqa: exact_match, strict; 24 items in 12 clusters",
        "script:good.jsonl zero-shot  91.7 [",
        "script:bad.jsonl zero-shot   16.7 [",
        "difference                   +75.0 [+",
        "Holm-corrected 0.0117 (sign-flip test over clusters, all rearrangements)",  # 24 of 2,048
        "better on 20 items, worse on 2, the same on 2",
        "smallest difference that such items would probably show: ",
        "verdict: script:good.jsonl zero-shot is better",
        "1 sample has no answer (1 missing); they count as wrong",
        "no answer, tsg/sgqa: script:bad.jsonl zero-shot: missing s0-0",
        "after Holm's correction over 1 comparison.",
        "  won: 20 items\n    s0-0  1.000 against 0.000\n",
        "  lost: 2 items\n    s11-0  0.000 against 1.000\n",
    ):
        assert part in ended.out, part
    value = tsgkit("compare old new --seed 5 --items --json").json
    assert (value["profile"], value["seed"], value["level"], value["alpha"]) == ("strict", 5, 0.95, 0.05)
    [pair] = value["comparisons"]
    assert pair["difference"]["value"] == pytest.approx(0.75)
    assert pair["difference"]["low"] < 0.75 < pair["difference"]["high"]
    assert (pair["items"], pair["clusters"], pair["won"], pair["lost"], pair["tied"]) == (24, 12, 20, 2, 2)
    assert (pair["differs"], pair["better"], pair["resolvable"]["value"] > 0) == (True, "first", True)
    assert pair["second"]["unanswered"] == {"missing": ["s0-0"]}
    assert pair["lost_items"][0] == {"item_id": "s11-0", "first": 0.0, "second": 1.0}
    ended = tsgkit("compare old new --format csv")
    [row] = table(ended.out)
    assert (float(row["difference"]), row["verdict"]) == (0.75, "script:good.jsonl zero-shot is better")
    assert "note: tsg/sgqa: script:bad.jsonl zero-shot: 1 sample has no answer" in ended.err
    rows = table(tsgkit("compare old new --format csv --items").out)
    assert [one["result"] for one in rows] == ["won"] * 20 + ["lost"] * 2
    lines = tsgkit("compare old new --format markdown --items").out.splitlines()
    assert "`script:bad.jsonl zero-shot` | the first is better | 24 | 12 | 91.7 [" in lines[6]
    assert "| +75.0 [" in lines[6] and sum("| `won` |" in line for line in lines) == 20
    ended = tsgkit("compare old new --json -o out.txt")
    assert (ended.out, ended.err.splitlines()[0]) == ("", "tsgkit: written: out.txt")
    assert len(json.loads(Path("out.txt").read_text())["comparisons"]) == 1


def test_hostile_names_are_inert_everywhere(tsgkit: CommandLine) -> None:
    hostile = "script:a\x1b[2J|<img src=x>\u202e.jsonl"
    ids = ["=HYPERLINK(1)-0", "+1-0", "a\x1b[31m-0", *IDS]
    write_questions(Path("hostile.jsonl"), ids)
    write_script(Path(hostile.removeprefix("script:")), ids, ids)
    write_script(Path("none.jsonl"), ids, [], missing=ids[:3])
    evaluate("evil", hostile, "script:none.jsonl", data="hostile.jsonl")
    for more, pipes in (("--items", 2), ("--grid", 1)):
        shown = {form: tsgkit(f"compare evil --format {form} {more}").out for form in FORMATS}
        assert not {"\x1b", "\u202e"} & {*"".join(shown.values())}, more
        assert "`script:a\\x1b[2J\\x7c<img src=x>\\u202e.jsonl" in shown["markdown"]
        assert len({line.count("|") for line in shown["markdown"].splitlines() if line.startswith("| ")}) == pipes
        assert Page(shown["html"]).problems == []
        assert "script:a\\x1b[2J|&lt;img src=x&gt;\\u202e.jsonl" in shown["html"]
        assert "textbackslash{}x1b{[}2J\\textbar{}" in shown["latex"].replace("\\allowbreak{}", "")
    rows = table(tsgkit("compare evil --format csv --items").out)
    assert [row["item_id"] for row in rows[:3]] == ["'=HYPERLINK(1)-0", "'+1-0", "a\\x1b[31m-0"]
    assert csv_text([("=1+1", -0.5, None, "@x", "-y")]) == "'=1+1,-0.5,,'@x,'-y\n"


def test_grid_marks_styles_that_really_differ_and_many_rows_have_numbers_for_names(tsgkit: CommandLine) -> None:
    names = " ".join(STYLES)
    out = tsgkit(f"compare {names} old --grid").out
    lines = out.splitlines()[1:]
    assert lines[0].split() == ["model", "style", "tsg/sgqa", "exact_match"]
    assert lines[1].split()[:2] == ["script:model.jsonl", "zero-shot"]
    assert [line.endswith("(+)") for line in lines[1:5]] == [False, False, True, False]
    assert "(+) better, (-) worse than the model's first style" in out
    assert "without a mark no difference is shown" in out
    value: Any = tsgkit(f"compare {names} --grid --json").json
    assert [row["tasks"]["tsg/sgqa"]["mark"] for row in value["rows"]] == [None, None, "better"]
    rows = table(tsgkit(f"compare {names} --grid --format csv").out)
    assert [(row["style"], row["mark"]) for row in rows] == [("zero-shot", ""), ("cot", ""), ("few-shot", "better")]
    evaluate("all", "script:good.jsonl", "script:bad.jsonl", "baseline/random")
    lines = tsgkit("compare all").out.splitlines()
    assert lines[2].startswith("  1  script:good.jsonl zero-shot    91.7")
    assert [line.split("  ")[1] for line in lines[8:11]] == ["1 - 2", "1 - 3", "2 - 3"]
    assert lines[8].split("  ")[2] == "1 is better"


def test_gates_are_missed_where_a_row_is_worse_and_incomparable_rows_are_refused(tsgkit: CommandLine) -> None:
    err = tsgkit("compare old new --fail-if-worse", code=3).err
    assert "gate missed: tsg/sgqa: script:bad.jsonl zero-shot against script:good.jsonl zero-shot" in err
    for words in ("new old --fail-if-worse", "old old --fail-if-worse", "old new --baseline old"):
        tsgkit(f"compare {words}")
    tsgkit.refuses(
        {
            "old --fail-if-worse": "worse than what?",
            "old new --grid --items": "--grid and --items do not go together",
            "old new --grid --baseline old": "--grid and --baseline do not go together",
            "old new --baseline '' --fail-if-worse": "the baseline has no name",
            "old new -o f.docx": "no comparison ends in .docx",
            "old new -o f.pdf": "or --figure FILE for a drawing",
            "old new -o old/f.tex": "whose files are not touched",
            "old new -o none/f.tex": "there is no folder none",
            "old new --json --format latex": "--json and --format latex do not go together",
            "old new -o f.svg --format html --figure f.svg": "two outputs name one file",
            "old new --figure f.gif": "no figure has the ending gif",
            "old new --figure f.pdf --grid": "--grid and --figure do not go together",
            "old new --columns 2": "--columns is said of a figure",
        },
        "compare",
    )


GOOD = TASKS / "sceneeval/data/rooms/good"
BATHROOM = {"toilet_1": "toilet", "washbasin_1": "washbasin", "mirror_1": "mirror"}


def demands(met: str = "", unmet: str = "") -> dict[str, Any]:
    return {text: {"satisfied": text in met.split()} for text in f"{met} {unmet}".split()}


def each(field: str, *names: str) -> dict[str, Any]:
    return {name: {field: name in names} for name in BATHROOM}


SIDES = {kind: {"occlusion_info": {"opening_occluded": kind == "door"}} for kind in ("door", "window")}
METRICS = {
    "ObjCountMetric": demands("eq,1,toilet eq,1,washbasin", "eq,1,mirror"),
    "ObjAttributeMetric": demands("eq,1,toilet,white", "eq,1,mirror,round"),
    "ObjObjRelationshipMetric": demands("", "eq,1,above,0,washbasin,mirror"),
    "ObjArchRelationshipMetric": demands("eq,1,against,toilet,wall eq,1,on,mirror,wall"),
    "CollisionMetric": {"scene_in_collision": True, "collision_results": each("in_collision", "toilet_1")},
    "SupportMetric": each("supported", "toilet_1", "washbasin_1"),
    "NavigabilityMetric": {"navigability": 0.5},
    "AccessibilityMetric": {"toilet_1": {"front": 0.25, "max": 0.25}, "mirror_1": {"max": -1}},
    "OutOfBoundMetric": each("out_of_bound", "toilet_1"),
    "OpeningClearanceMetric": {f"{kind}_clearance": {kind: [side]} for kind, side in SIDES.items()},
}
"""The data of every official metric on the bathroom, with one verdict of each kind that is not ours."""


def official(scene: str = "0", method: str = "Holodeck", **data: object) -> None:
    value = {
        "method": method,
        "scene_id": scene,
        "object_matching_per_category": {"toilet": {"toilet_1": "is one"}, "washbasin": {"washbasin_1": "is one"}},
        "not_matched_objects": {"mirror_1": "it is a painting"},
        "results": {name: {"message": "", "data": of} for name, of in (METRICS | data).items()},
    }
    written(f"{method}/scene_{scene}/eval_result.json", json.dumps(value))


def written(name: str, text: str) -> None:
    Path("output", name).parent.mkdir(parents=True, exist_ok=True)
    Path("output", name).write_text(text)


@pytest.fixture
def run(tsgkit: CommandLine) -> CommandLine:
    tsgkit(f"eval --task sceneeval --scenes mine={GOOD} --ids 0 1 --out run --quiet")
    return tsgkit


def test_official_figures_and_answers_stand_beside_ours_over_the_scenes_that_both_have(run: CommandLine) -> None:
    official()
    rows = run("report run --against output --format json").json["published"]
    assert {one["metric"]: one["value"] for row in rows for one in row["figures"]} == {
        "cnt": pytest.approx(2 / 3), "atr": 0.5, "oor": 0, "oar": 1, "col_ob": pytest.approx(1 / 3), "col_sc": 1,
        "sup": pytest.approx(2 / 3), "nav": 0.5, "acc": 0.25, "oob": pytest.approx(1 / 3), "opc": 0.5,
    }  # fmt: skip
    fidelity, plausibility = (row["ours"]["profiles"]["strict"] for row in rows)
    assert (fidelity["cnt"]["n"], plausibility["nav"]["n"]) == (3, 1)
    assert rows[0]["differences"] == [
        "scenes only here: 1 (1)",
        "figures of 1 scene: cnt in 1, atr in 1, oor in 1",
        "scene 0: cnt 3/3 here, 2/3 there; atr 2/2 here, 1/2 there; oor 1/1 here, 0/1 there",
    ]
    out = run("report run --against output/Holodeck").out
    assert "sceneeval/fidelity beside results of the official code on Holodeck" in out and "here, strict" in out
    fidelity, plausibility = run("agree run --with output --json").json["rows"]
    assert "official answers: 5 of 8 equal" in fidelity["notes"] and "categories: 2 of 3 equal" in fidelity["notes"]
    unlike = [one for one in fidelity["differing"] if one["on"] == "categories"]
    assert unlike == [{"on": "categories", "item_id": "0", "question": "mirror_1", "here": "mirror", "there": "(none)"}]
    assert {one["kind"] for one in fidelity["measures"]} == {None, "CNT", "ATR", "OOR", "OAR"}
    assert "strict answers: 6 of 9 equal" in plausibility["notes"]
    out = run("agree run --with output").out
    assert "mirror_1: is it held?" in out and "toilet_1: is it held?" not in out


def test_what_cannot_be_compared_is_counted_and_named(run: CommandLine) -> None:
    odd: dict[str, Any] = {"NavigabilityMetric": {"navigability": math.nan}, "PhysicsMetric": {}, "SupportMetric": None}
    official(**odd, ObjCountMetric=demands("eq,1,cat"), AccessibilityMetric={"toilet_1": {"max": 1e300}})
    official("77")
    written("Holodeck/scene_1/obj_matching_result.json", "{}")
    written("Holodeck/scene_2/eval_result.json", '{"method": "Holodeck"')
    out = run("report run --against output").out
    for words in (
        "metrics that cannot be read there: 3 (SupportMetric in Holodeck/scene_0/eval_result.json: Input should be",
        "NavigabilityMetric in Holodeck/scene_0/eval_result.json: Input should be a finite number",
        "eval_result.json: toilet_1: Input should be less than or equal to 1",
        "metrics unknown here: 1 (PhysicsMetric in Holodeck/scene_0/eval_result.json)",
        "scenes without a readable NavigabilityMetric there: 1 (0)",
        "entries only there: 1 (eq,1,cat of scene 0)",
        "entries only here: 3 (eq,1,toilet of scene 0",
        "scenes only there: 1 (77)",
        "scenes not evaluated there: 1 (Holodeck/scene_1)",
        "files that cannot be read there: 1 (Holodeck/scene_2/eval_result.json: line 1: broken JSON",
    ):
        assert words in out, words


def test_folders_without_usable_results_are_refused(run: CommandLine) -> None:
    Path("empty").mkdir()
    official("77")
    official(method="HSM")
    written("../broken/eval_result.json", "[]")
    run.refuses(
        {
            "report run --against nowhere": "--against nowhere: no such folder",
            "report run --against empty": "empty: no eval_result.json anywhere in this folder",
            "report run --against broken": "eval_result.json: Input should be",
            "report run --against output": "output: results on HSM, Holodeck, while the run has mine",
            "report run --against output/Holodeck": "no scene of the run has results on Holodeck",
            "agree run --with output --subject other": "run: no subject is called other",
        }
    )
