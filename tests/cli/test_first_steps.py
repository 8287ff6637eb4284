"""The first hour of a new user: each likely mistake gets one line that names it and the one thing to change."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine
from model_server import model_server
from shipped import DATA

import tsgkit as tk
from tsgkit.cli import ELSEWHERE
from tsgkit.cli import commands as all_commands
from tsgkit.library.cards import card_names, load_card
from tsgkit.suites.suite import suites, task_of
from tsgkit.suites.text_task import TextTask

QUESTIONS = DATA.parents[2] / "spatialgen/data/questions.jsonl"


def test_mistyped_words_are_named_with_the_one_that_was_meant(tsgkit: CommandLine) -> None:
    for words, expected in {
        "evla": "there is no command evla\n  eval?\n",
        "list": "there is no command list\n  tsgkit tasks, tsgkit runs list or tsgkit data list\n",
        "run": "there is no command run\n  tsgkit eval evaluates a model; tsgkit runs list lists what",
        "test x": "there is no command test\n  tsgkit eval\n",
        "frobnicate": "there is no command frobnicate\n  tsgkit --help lists the commands\n",
        "--verbose": "there is no option --verbose\n",
        "eval --tasks sgqa": "there is no option --tasks\n  --task?\n",
        "eval --modle=x": "there is no option --modle\n  --model?\n",
        "runs list --jsn": "there is no option --jsn\n  --json?\n",
        "eval --zzz": "there is no option --zzz\n  tsgkit eval --help shows what there is\n",
        "eval sgqa": "unexpected: sgqa\n",
        "eval --task": "--task: a value is missing\n",
        "eval --task sgqa,,sgds": "--task: 'sgqa,,sgds': a name is missing beside a comma\n",
        "eval --limit ten": "--limit: 'ten' is no whole number\n",
        "eval --timeout x": "--timeout: 'x' is no number\n",
        "data gte": "there is no verb gte\n  get?\n",
        "make formalimgs": "there is no maker formalimgs\n  formalimg?\n",
        "compare x --format htm": "there is no format htm\n  choose from terminal, markdown",
        "refine": "missing: IN, -o/--out\n",
    }.items():
        assert tsgkit(words, code=2).err.startswith(f"tsgkit: {expected}"), words


def test_verbs_of_other_tools_lead_to_commands_of_ours() -> None:
    names = all_commands().keys()
    assert not ELSEWHERE.keys() & names
    named = {word for hint in ELSEWHERE.values() for part in hint.split("tsgkit ")[1:] for word in part.split()[:1]}
    assert {word.strip(",;") for word in named} - {"--version"} <= names


def test_tasks_are_listed_with_what_they_need_and_without_paths(folder: Path, tsgkit: CommandLine) -> None:
    out = tsgkit("tasks").out
    assert [line.split()[1] for line in out.splitlines() if line.startswith("* ")] == [
        "tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg",
    ]  # fmt: skip
    assert all(f" {name} " in out for name in card_names())
    assert f"{folder.anchor}work" not in out and str(folder) not in out
    assert "needs images and a judge: --images NAME=DIR --judge M" in out
    assert {one["task"] for one in tsgkit("tasks --json").json["tasks"]} == set(card_names())
    assert max(map(len, out.splitlines())) <= 120
    needy = {f"{suite.name}/{kind}" for suite in suites() for kind in suite.needs}
    cards = [load_card(name) for name in card_names()]
    assert needy == {card.task for card in cards if not isinstance(task_of(card), TextTask)}


def asking(base: str, *more: str) -> str:
    model = f"--model openai/x --model-arg api_base={base} --no-cache"
    return " ".join(("eval --task sgqa,sgds --limit 20 --out run --quiet", model, *more))


@pytest.mark.parametrize(
    ("fault", "cause", "change"),
    [
        ("401", "AuthenticationError: this is error 401", "check the key: the provider's ..._API_KEY"),
        ("404", "NotFoundError: this is error 404 (404 at {base})", "check the model's name (--model) and the address"),
        ("quota", "RateLimitError: You exceeded your plan", "its account has no credit or quota left"),
        ("toolong", "3 prompts were too long for it, none was short enough", "raise the context of the server"),
    ],
)
def test_model_that_cannot_be_asked_is_one_error_with_its_cause_and_no_table(
    fault: str, cause: str, change: str, tsgkit: CommandLine
) -> None:
    with model_server(status_of={"x": fault}) as server:
        ended = tsgkit(asking(server.base, "--concurrency 2"), code=1)
        assert server.stats()["seen"] <= 5
        base = server.base
    assert ended.err.startswith(f"tsgkit: openai/x never answered: {cause.format(base=base)}")
    assert f"\n  {change}" in ended.err and "go on with" not in ended.err
    assert ended.out == "openai/x: never answered, so there is nothing to show\nrun: run\n"


def test_prompts_that_are_too_long_fail_alone_where_shorter_ones_are_answered(tsgkit: CommandLine) -> None:
    with model_server(always={"Example 1": "toolong"}) as server:
        words = asking(server.base, "--style few-shot,zero-shot --json --concurrency 1")
        results = tsgkit(words, code=1).json["results"]
    counts = {(one["task"], one["style"]): one["counts"] for one in results}
    assert {one["answered"] for (_, style), one in counts.items() if style == "zero-shot"} == {20}
    assert {one["api_error"] for (_, style), one in counts.items() if style == "few-shot"} == {20}


def test_figures_of_an_unfinished_run_are_over_what_ended_and_marked(tsgkit: CommandLine) -> None:
    with model_server(replies={"": "[nothing]"}) as server:
        out = tsgkit(asking(server.base, "--max-requests 12"), code=4).out
    assert [line.split()[:5] for line in out.splitlines() if line.startswith("  tsg/")] == [
        ["tsg/sgqa", "zero-shot", "exact_match", "0/20", "-"],
        ["tsg/sgds", "zero-shot", "accuracy", "12/20", "0.0"],
    ]
    assert "  unfinished: 28 of 40 samples not asked; the figures are over the others\n" in out
    rows = tsgkit("report run --format json").json["rows"]
    assert [(row["n"], row["unasked"], row["counts"]["missing"]) for row in rows] == [(0, 20, 0), (12, 8, 0)]
    gate = tsgkit("report run --fail-under sgds.accuracy=0", code=3).err
    assert "accuracy is unfinished: 8 of 20 samples were not asked" in gate


def test_replies_that_were_cut_off_or_tried_again_are_told(tsgkit: CommandLine) -> None:
    with model_server(always={"": "length"}) as server:
        out = tsgkit(asking(server.base)).out
    assert "20 truncated\n  give replies more room: --model-arg max_tokens=N\n" in out
    assert "20 replies were cut off: give replies more room: --model-arg max_tokens=N" in tsgkit("report run").out
    with model_server(first=[200, 429, 500, 200], retry_after="0.1") as server:
        out = tsgkit(asking(server.base, "--concurrency 1 --new")).out
    assert "  2 requests failed and were tried again\n" in out


def test_files_that_are_no_text_are_called_what_they_are(tsgkit: CommandLine) -> None:
    Path("graphs.jsonl").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff")
    message = "tsgkit: graphs.jsonl: a PNG image, not text\n"
    tsgkit.refuses(
        dict.fromkeys(("check graphs.jsonl", "convert graphs.jsonl x.txt", "refine graphs.jsonl -o x"), message)
    )


def test_models_without_a_provider_are_offered_one(tsgkit: CommandLine) -> None:
    tsgkit.refuses(
        {
            "qwen --model-arg api_base=http://127.0.0.1:9/v1": "asked with --model openai/qwen\n",
            "qwen": "for a server of your own add --model-arg api_base=",
            "OpenAI/gpt-4o": "\n  openai/gpt-4o?\n",
            "opnai/gpt-4o": "\n  openai/gpt-4o?\n",
        },
        "eval --quiet --model",
    )


def test_rows_of_another_task_name_the_task_that_takes_them(tsgkit: CommandLine) -> None:
    rows = "\n  these rows are of tsg/sgds: --task tsg/sgds\n"
    tsgkit.refuses(
        {
            f"eval --task sgqa --data {DATA / 'sgds.jsonl'}": f"and this is sgds{rows}",
            f"score --task sgqa --data {DATA / 'sgds.jsonl'} --replies x": rows,
            f"eval --task ma-sgg --data {QUESTIONS}": (
                "\n  these rows are of spatialgen/questions: --task spatialgen/questions\n"
            ),
        }
    )


def test_missing_extras_have_one_wording_everywhere() -> None:
    source = Path(tk.__file__).parent
    own = {file.name for file in source.rglob("*.py") if 'pip install "tsgkit[' in file.read_text(encoding="utf-8")}
    assert own <= {"errors.py", "make.py"}, "others raise ExtraMissing (make.py tells of its extra in its help)"


@pytest.mark.usefixtures("nothing_else_given")
def test_projects_of_ones_own_run_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine) -> None:
    tsgkit("init mine")
    monkeypatch.chdir(folder / "mine")
    tsgkit("check tasks/my/data/actions.jsonl")
    [row] = tsgkit("eval --quiet --task my/actions --json").json["results"]
    assert (row["task"], row["n"], row["counts"]["answered"]) == ("my/actions", 10, 10)
    tsgkit("eval --quiet --plan first")
    words = "eval --code parts.py --task my/capitals --model python:./parts.py:model --quiet --json"
    (result,) = tsgkit(words, *["--style", "polite", "--solver", "doubted"]).json["results"]
    strict = {name: one["value"] for name, one in result["profiles"]["strict"].items()}
    assert strict == {"correct": 0.5, "letters": 4}
    assert "a project lies here already" in tsgkit("init ../mine", code=2).err


def test_next_step_asks_a_model_the_same_or_names_the_folder_and_judge_it_takes(tsgkit: CommandLine) -> None:
    sgds = "tsgkit eval --task tsg/sgds --model openai/gpt-4o --limit 10"
    images = "tsgkit eval --task spatialgen/questions --images NAME=DIR"
    for words, expected in {
        "--task tsg/sgds": [sgds, "tsgkit eval --task tsg/sgds --model openai/NAME"],
        "": ["tsgkit eval --model openai/gpt-4o --limit 10"],
        "--task spatialgen/questions": [f"{images} --judge", "tsgkit images --task spatialgen/questions --model"],
        "--task spatialgen/questions --task tsg/sgds --model baseline/random": [sgds, images],
    }.items():
        out = tsgkit(f"eval --limit 2 --quiet {words}").out
        assert all(part in out for part in expected), words
        assert ("--model openai/gpt-4o" in out) == (words != "--task spatialgen/questions"), words
