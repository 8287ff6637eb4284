"""The first hour of a new user: each likely mistake gets one line that names it and the one thing to change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from model_server import model_server
from shipped import DATA

import tsgkit
from tsgkit.cli import ELSEWHERE, commands, main
from tsgkit.library.cards import card_names, load_card
from tsgkit.suites.suite import suites, task_of


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 2) -> str:
    """Return what a command says when it ends with this code: its error where it has one, else its output."""
    assert main(words) == code, capsys.readouterr().err
    said = capsys.readouterr()
    assert "Traceback" not in said.err + said.out
    return said.err if code else said.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["evla"], "tsgkit: there is no command evla\n  eval?\n"),
        (["list"], "tsgkit: there is no command list\n  tsgkit tasks, tsgkit runs list or tsgkit data list\n"),
        (["run"], "tsgkit: there is no command run\n  tsgkit eval evaluates a model; tsgkit runs list lists what"),
        (["test", "x"], "tsgkit: there is no command test\n  tsgkit eval\n"),
        (["frobnicate"], "tsgkit: there is no command frobnicate\n  tsgkit --help lists the commands\n"),
        (["--verbose"], "tsgkit: there is no option --verbose\n"),
        (["eval", "--tasks", "sgqa"], "tsgkit: there is no option --tasks\n  --task?\n"),
        (["eval", "--modle=x"], "tsgkit: there is no option --modle\n  --model?\n"),
        (["runs", "list", "--jsn"], "tsgkit: there is no option --jsn\n  --json?\n"),
        (["eval", "--zzz"], "tsgkit: there is no option --zzz\n  tsgkit eval --help shows what there is\n"),
        (["eval", "sgqa"], "tsgkit: unexpected: sgqa\n"),
        (["eval", "--task"], "tsgkit: --task: a value is missing\n"),
        (["eval", "--task", "sgqa,,sgds"], "tsgkit: --task: 'sgqa,,sgds': a name is missing beside a comma\n"),
        (["eval", "--limit", "ten"], "tsgkit: --limit: 'ten' is no whole number\n"),
        (["eval", "--timeout", "x"], "tsgkit: --timeout: 'x' is no number\n"),
        (["data", "gte"], "tsgkit: there is no verb gte\n  get?\n"),
        (["make", "formalimgs"], "tsgkit: there is no maker formalimgs\n  formalimg?\n"),
        (["eval", "--protocol"], "tsgkit: --protocol: a value is missing\n"),
        (["compare", "x", "--format", "htm"], "tsgkit: there is no format htm\n  choose from terminal, markdown"),
        (["refine"], "tsgkit: missing: IN, -o/--out\n"),
    ],
)
def test_mistyped_word_is_named_with_the_one_that_was_meant(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, *words).startswith(expected)


def test_verbs_of_other_tools_are_none_of_ours() -> None:
    assert not ELSEWHERE.keys() & commands().keys()
    named = {word for hint in ELSEWHERE.values() for part in hint.split("tsgkit ")[1:] for word in part.split()[:1]}
    assert {word.strip(",;") for word in named} - {"--version"} <= commands().keys()


def test_help_groups_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, "--help", code=0)
    assert all(f"\n{group}:\n" in out for group in ("evaluate", "look", "clean and make", "data", "suites"))
    assert told(capsys, "help", "eval", code=0) == told(capsys, "eval", "--help", code=0)


def test_tasks_are_listed_with_what_they_need_and_without_paths(capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, "tasks", code=0)
    assert [line.split()[1] for line in out.splitlines() if line.startswith("* ")] == [
        "tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg",
    ]  # fmt: skip
    assert all(f" {name} " in out for name in card_names())
    assert str(Path(__file__).anchor + "work") not in out and str(Path.cwd()) not in out
    assert "needs images and a judge: --images NAME=DIR --judge M" in out
    listed = json.loads(told(capsys, "tasks", "--json", code=0))["tasks"]
    assert {one["task"] for one in listed} == set(card_names())
    assert max(map(len, out.splitlines())) <= 120


def test_manifests_tell_of_every_task_that_no_model_answers_in_words() -> None:
    from tsgkit.suites.text_task import TextTask

    told_of = {f"{suite.name}/{kind}" for suite in suites() for kind in suite.needs}
    cards = [load_card(name) for name in card_names()]
    assert told_of == {card.task for card in cards if not isinstance(task_of(card), TextTask)}


KEY = "sk-none"


def evaluated(base: str, out: Path, *more: str) -> list[str]:
    words = ["eval", "--task", "sgqa,sgds", "--model", "openai/x", "--model-arg", f"api_base={base}", "--no-cache"]
    return [*words, "--limit", "20", "--out", str(out), "--quiet", *more]


@pytest.mark.parametrize(
    ("fault", "cause", "change"),
    [
        ("401", "AuthenticationError: this is error 401", "check the key: the provider's ..._API_KEY"),
        ("404", "NotFoundError: this is error 404 (404 at {base})", "check the model's name (--model) and the address"),
        ("quota", "RateLimitError: You exceeded your plan", "its account has no credit or quota left"),
        ("toolong", "3 prompts were too long for it, none was short enough", "raise the context of the server"),
    ],
)
def test_subject_that_cannot_be_asked_is_one_error_with_its_cause_and_no_table(
    fault: str, cause: str, change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with model_server(status_of={"x": fault}) as server:
        assert main(evaluated(server.base, tmp_path / "run", "--concurrency", "2")) == 1
        assert server.stats()["seen"] <= 5
        base = server.base
    said = capsys.readouterr()
    assert said.err.startswith(f"tsgkit: openai/x never answered: {cause.format(base=base)}")
    assert f"\n  {change}" in said.err and "go on with" not in said.err
    assert said.out == f"openai/x: never answered, so there is nothing to show\nrun: {tmp_path / 'run'}\n"


def test_prompts_that_are_too_long_fail_alone_where_shorter_ones_are_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with model_server(always={"Example 1": "toolong"}) as server:
        words = evaluated(server.base, tmp_path / "run", "--style", "few-shot,zero-shot", "--json")
        assert main([*words, "--concurrency", "1"]) == 1
    results = {(one["task"], one["style"]): one for one in json.loads(capsys.readouterr().out)["results"]}
    assert {one["counts"]["answered"] for (_, style), one in results.items() if style == "zero-shot"} == {20}
    assert {one["counts"]["api_error"] for (_, style), one in results.items() if style == "few-shot"} == {20}


def test_figures_of_an_unfinished_run_are_over_what_ended_and_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    with model_server(replies={"": "[nothing]"}) as server:
        assert main(evaluated(server.base, run, "--max-requests", "12")) == 4
    out = capsys.readouterr().out
    rows = [line.split()[:5] for line in out.splitlines() if line.startswith("  tsg/")]
    assert rows == [
        ["tsg/sgqa", "zero-shot", "exact_match", "0/20", "-"],
        ["tsg/sgds", "zero-shot", "accuracy", "12/20", "0.0"],
    ]
    assert "  unfinished: 28 of 40 samples not asked; the figures are over the others\n" in out
    rows = json.loads(told(capsys, "report", str(run), "--format", "json", code=0))["rows"]
    assert [(row["n"], row["unasked"], row["counts"]["missing"]) for row in rows] == [(0, 20, 0), (12, 8, 0)]
    gate = told(capsys, "report", str(run), "--fail-under", "sgds.accuracy=0", code=3)
    assert "accuracy is unfinished: 8 of 20 samples were not asked" in gate


def test_replies_that_were_cut_off_say_which_parameter_to_raise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with model_server(always={"": "length"}) as server:
        out = told(capsys, *evaluated(server.base, tmp_path / "run"), code=0)
    assert "20 truncated\n  give replies more room: --model-arg max_tokens=N\n" in out
    report = told(capsys, "report", str(tmp_path / "run"), code=0)
    assert "20 replies were cut off: give replies more room: --model-arg max_tokens=N" in report


def test_requests_that_were_tried_again_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with model_server(first=[200, 429, 500, 200], retry_after="0.1") as server:
        out = told(capsys, *evaluated(server.base, tmp_path / "run", "--concurrency", "1"), code=0)
    assert "  2 requests failed and were tried again\n" in out


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for room in ("tasks/mine", "prompts", "eval/plans"):
        (tmp_path / room).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_card_names_the_field_that_was_meant_and_all_that_are_missing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = project / "tasks/mine/a.yaml"
    card.write_text("title: a\ntask: tsg/sgqa\nmetriks: {f1: {pooling: pooled, better: more, headline: true}}\n")
    said = told(capsys, "eval", "--task", "mine/a")
    assert "a.yaml: there is no field metriks; missing: citation, version, data, metrics\n  metrics?\n" in said
    card.write_text("task: tsg/sgqa\n")
    assert "a.yaml: missing: title, citation, version, data, metrics\n" in told(capsys, "eval", "--task", "mine/a")


def test_plan_names_the_setting_that_was_meant_or_those_there_are(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = project / "eval/plans/p.yaml"
    plan.write_text("modles: [x]\n")
    assert told(capsys, "eval", "--plan", "p").endswith("p.yaml: there is no setting modles\n  models?\n")
    plan.write_text("xyzzy: 1\n")
    assert "\n  the settings: title, tasks, models, styles, solvers, " in told(capsys, "eval", "--plan", "p")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff", "a PNG image"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "a JPEG image"),
        (b"RIFF\xff\xff\xff\xffWEBPVP8 ", "a WebP image"),
        (b"PK\x03\x04\x14\xff\xff", "a ZIP archive (or an Office document)"),
        (b"\x1f\x8b\x08\x00\xff", "a gzip archive"),
        (b"%PDF-1.7\n\xff\xff", "a PDF document"),
    ],
)
@pytest.mark.parametrize("command", ["check", "convert", "refine"])
def test_file_that_is_no_text_is_called_what_it_is(
    command: str, data: bytes, kind: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "graphs.jsonl").write_bytes(data)
    words = {"check": [], "convert": ["out.jsonl"], "refine": ["-o", "out.jsonl"]}[command]
    assert told(capsys, command, "graphs.jsonl", *words) == f"tsgkit: graphs.jsonl: {kind}, not text\n"


def test_model_without_provider_at_an_address_is_offered_one(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["eval", "--quiet", "--model", "qwen", "--model-arg", "api_base=http://127.0.0.1:9/v1"]
    assert told(capsys, *words).endswith("asked with --model openai/qwen\n")
    assert "for a server of your own add --model-arg api_base=" in told(capsys, "eval", "--quiet", "--model", "qwen")
    for typed in ("OpenAI/gpt-4o", "opnai/gpt-4o"):
        assert told(capsys, "eval", "--quiet", "--model", typed).endswith("\n  openai/gpt-4o?\n")


def test_report_into_a_file_of_no_format_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--quiet", "--task", "sgqa", "--limit", "2", "--out", "run"]) == 0
    capsys.readouterr()
    said = told(capsys, "report", "run", "-o", "t.pdf")
    assert said.startswith("tsgkit: t.pdf: no report ends in .pdf\n  name it .md, .csv, .json, .tex, .html")
    assert "--figure METRIC:G for a drawing" in said and not (project / "t.pdf").exists()
    for name in ("t", "t.txt"):
        told(capsys, "report", "run", "-o", name, code=0)
        assert "exact_match" in (project / name).read_text()


def test_rows_of_another_task_name_the_task_that_takes_them(capsys: pytest.CaptureFixture[str]) -> None:
    choices, questions = DATA / "sgds.jsonl", DATA.parents[2] / "spatialgen/data/questions.jsonl"
    said = told(capsys, "eval", "--task", "sgqa", "--data", str(choices))
    assert said.endswith("and this is sgds\n  these rows are of tsg/sgds: --task tsg/sgds\n")
    said = told(capsys, "score", "--task", "sgqa", "--data", str(choices), "--replies", "x")
    assert said.endswith("\n  these rows are of tsg/sgds: --task tsg/sgds\n")
    said = told(capsys, "eval", "--task", "ma-sgg", "--data", str(questions))
    assert said.endswith("\n  these rows are of spatialgen/questions: --task spatialgen/questions\n")


def test_missing_extra_has_one_wording_everywhere() -> None:
    source = Path(tsgkit.__file__).parent
    own = {file.name for file in source.rglob("*.py") if 'pip install "tsgkit[' in file.read_text(encoding="utf-8")}
    assert own <= {"errors.py", "make.py"}, "others raise ExtraMissing (make.py tells of its extra in its help)"


def test_names_may_stand_between_commas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run")
    words = ["eval", "--task", "sgqa,sgds", "--task", "sa-sgg", "--limit", "1", "--quiet", "--json", "--out", out]
    results = json.loads(told(capsys, *words, code=0))["results"]
    assert [one["task"] for one in results] == ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg"]
    by_group = told(capsys, "report", out, "--by", "k,domain", code=0)
    assert "by k" in by_group and "by domain" in by_group
