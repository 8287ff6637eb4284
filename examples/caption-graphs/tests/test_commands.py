"""The commands of tsgkit on this suite, typed as a user types them: no key, no network but loopback."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
import tsgkit as tk
from model_server import model_server
from tsgkit.cli import main
from tsgkit.replies.tuples import Tuples

from caption_graphs.making import composed
from caption_graphs.parsing import read_tuples

ROWS = Path(str(files("caption_graphs"))) / "tasks/captions/data/parse.jsonl"
TABBED = "A man rides a brown horse.\t( man , ride , horse ) , ( horse , brown )\nA cat sits.\t( cat , sitting )\n"
HORSE = "( man ) , ( horse ) , ( river ) , ( horse , brown ) , ( river , shallow )"
STYLES = ("zero-shot", "cot", "few-shot", "cot-few-shot", "structured")


class Typed:
    """The output of commands."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *words: str | Path, code: int = 0) -> str:
        assert main([str(word) for word in words]) == code
        said = self.capsys.readouterr()
        return said.err if code else said.out


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    monkeypatch.chdir(tmp_path)
    for name in ("TSGKIT_DATA_HOME", "TSGKIT_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return Typed(capsys)


@pytest.fixture
def said(tmp_path: Path) -> Path:
    """Right replies to two items, and one that cannot be read."""
    replies = {
        "plain-01": HORSE,
        "plain-02": "( cat , sleep on , chair ) , ( chair , wooden )",
        "plain-03": "I cannot.",
    }
    file = tmp_path / "said.jsonl"
    file.write_text("".join(json.dumps({"item_id": name, "reply": text}) + "\n" for name, text in replies.items()))
    return file


def test_eval_without_a_model_scores_the_rules_on_our_captions(typed: Typed) -> None:
    out = typed("eval", "--task", "captions")
    assert "baseline/rules\n" in out and "captions/parse  -      folded_f1     40" in out
    assert "scenario" not in out
    Path("empty.jsonl").touch()
    assert "there are no items in it" in typed("eval", "--task", "captions", "--data", "empty.jsonl", code=2)
    assert "there is no task captions/pars\n  captions/parse?" in typed("eval", "--task", "captions/pars", code=2)


def test_eval_asks_a_model_in_five_styles_and_by_vote(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    styles = [word for style in STYLES for word in ("--style", style)]
    with model_server(replies={"Parse a caption": HORSE}) as server:
        given = ("--model", "openai/x", "--model-arg", f"api_base={server.base}", "--first", "2", "--json")
        out = typed("eval", "--task", "captions", *given, *styles, "--solver", "single", "--solver", "vote:3")
    results = json.loads(out)["results"]
    assert [(one["style"], one["solver"]) for one in results] == [
        (style, solver) for solver in ("single", "vote:3") for style in STYLES
    ]
    values = [one["profiles"]["strict"]["folded_f1"]["value"] for one in results]
    assert values == pytest.approx([5 / 12] * len(results))


def test_explain_report_compare_and_rescore_tell_of_a_run(typed: Typed, said: Path, tmp_path: Path) -> None:
    ids = ("--ids", "plain-01", "plain-02", "plain-03")
    typed("eval", "--task", "captions", *ids, "--model", f"script:{said}", "--out", "runs/said")
    typed("eval", "--task", "captions", *ids, "--out", "runs/rules")
    told = typed("explain", "runs/said", "--item", "plain-01")
    assert "missing: ( man , on , horse ) , ( man , cross , river )" in told
    assert "plain-01?" in typed("explain", "runs/said", "--item", "plain-1", code=2)
    by_tag = typed("report", "runs/said", "--by", "tag")
    assert "captions/parse by tag" in by_tag and "outside L" not in by_tag
    assert "there is no group tags\n  tag?" in typed("report", "runs/said", "--by", "tags", code=2)
    assert "3 items" in typed("compare", "runs/said", "runs/rules")
    assert "3 samples scored again, 0 of 1 row changed" in typed("rescore", "runs/said")
    assert "captions/parse" in typed("runs", "show", "runs/said")
    assert "2 of " not in typed("audit", "--run", "runs/said")
    typed("report", "runs/said", "--format", "html", "-o", "report.html")
    typed("explain", "runs/said", "--item", "plain-01", "--html", "item.html")
    assert "folded_f1" in (tmp_path / "report.html").read_text() and HORSE in (tmp_path / "item.html").read_text()


def test_score_takes_replies_collected_elsewhere(typed: Typed, said: Path) -> None:
    out = typed("score", "--task", "captions", "--data", ROWS, "--replies", said, "--by", "tag")
    assert "counts: 2 answered, 37 missing, 1 unreadable" in out and "tag same-name: 5 items" in out
    said.write_text('{"item_id": "nobody", "reply": ""}\n')
    assert "nobody" in typed("score", "--task", "captions", "--data", ROWS, "--replies", said, code=2)


def test_prompts_of_the_package_are_listed_and_shown(typed: Typed) -> None:
    assert "captions/parse: Captions parsed into objects" in typed("prompts", "list")
    shown = typed("prompts", "show", "captions", "--item", "plain-02", "--style", "few-shot")
    assert shown.count("Caption: ") == 11 and "A black cat sleeps on a wooden chair" in shown
    assert '"required": ["objects", "attributes", "relations"]' in typed(
        "prompts", "show", "captions", "--style", "structured"
    )


def test_audit_holds_the_rules_beside_answers_of_other_items(typed: Typed) -> None:
    (audited,) = json.loads(typed("audit", "--task", "captions", "--json"))["audits"]
    gains = {one["name"]: (one["value"], one["blind"]) for one in audited["shortcuts"]}
    assert gains["the answer to the next item"] == (0.0, True)
    assert gains["baseline/rules"][0] > 0.8 and not gains["baseline/rules"][1]
    assert not [one for one in audited["checks"] if one["found"]]


@pytest.mark.parametrize("text", [TABBED, json.dumps({"caption": "A cat sits.", "graph": "( cat , sitting )"})])
def test_files_in_the_notation_of_tuples_become_a_dataset(typed: Typed, tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.txt").write_text(text)
    rows = text.count("caption") or 2
    assert "my-captions: not on this machine" in typed("data", "list")
    assert f"parse    {rows} row" in typed("data", "import", "my-captions", "mine.txt")
    assert "captions/parse" in typed("audit", "my-captions")
    assert "captions/parse" in typed("eval", "--data", "mine.txt"), "the rows tell their task"
    result = json.loads(typed("eval", "--task", "captions", "--data", "my-captions", "--json"))["results"][0]
    assert result["n"] == rows
    (tmp_path / "other.txt").write_text("A dog.\t( dog )\n")
    assert "would be lost" in typed("data", "import", "my-captions", "other.txt", code=2)
    assert "in place of" in typed("data", "import", "my-captions", "other.txt", "--force")


def test_check_leaves_captions_to_audit(typed: Typed) -> None:
    assert "rows of captions/parse, which hold no action graphs\n  tsgkit audit" in typed("check", ROWS, code=2)


def test_import_says_what_is_wrong_with_a_file(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text(TABBED + "A dog runs.\t( dog , run , fast , home )\n")
    told = typed("data", "import", "my-captions", "bad.txt", code=2)
    assert "line 3: graph: tuple 1 has 4 elements: ( dog , run , fast , home )\n  nothing was imported" in told
    assert "it has no download address" in typed("data", "get", "my-captions", code=2)


def test_made_captions_are_checked_and_never_overwritten_unasked(typed: Typed, tmp_path: Path) -> None:
    make = ("make", "captions", "--n", "20", "-o", "new.jsonl")
    assert "20 items made by rules" in typed(*make, "--seed", "0")
    rows = [json.loads(line) for line in (tmp_path / "new.jsonl").read_text().splitlines()]
    assert len({row["caption"] for row in rows}) == len({row["item_id"] for row in rows}) == 20
    assert "would be lost" in typed(*make, "--seed", "1", code=2)
    typed(*make, "--seed", "1", "--force")
    assert tk.make("captions", "two.jsonl", n=2).complete and len(Path("two.jsonl").read_text().splitlines()) == 2
    assert "from 1 to" in typed("make", "captions", "--n", "0", "-o", "none.jsonl", code=2)
    scored = json.loads(typed("eval", "--data", "new.jsonl", "--task", "captions", "--json"))["results"][0]
    assert scored["profiles"]["strict"]["exact_f1"]["value"] == 1


def test_making_the_same_seed_makes_the_same_captions() -> None:
    from random import Random

    assert composed(Random(3)) == composed(Random(3))


def test_reply_with_two_alternatives_is_not_read() -> None:
    assert isinstance(read_tuples("Option 1:\n( man )"), Tuples)
    assert not isinstance(read_tuples("Option 1:\n( man )\nOption 2:\n( dog )"), Tuples)
