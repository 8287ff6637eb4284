"""A run as one file: everything inside, each text once, nothing from elsewhere, nothing that could run."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from served import Client

from tsgkit.browser.modules import allowed
from tsgkit.cli import main
from tsgkit.serve.exported_page import Texts

pytest.importorskip("uvicorn", reason="the extra view is not installed")
Captured = pytest.CaptureFixture[str]
BLOCK = re.compile(r'<script type="application/octet-stream" id="block-([\w-]+)">([A-Za-z0-9+/=]*)</script>')


@pytest.fixture(scope="module")
def page(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("page") / "mine.html"
    assert main(["view", str(finished), "-o", str(out)]) == 0
    return out.read_text()


def blocks_of(page: str) -> dict[str, Any]:
    return {name: json.loads(gzip.decompress(base64.b64decode(data))) for name, data in BLOCK.findall(page)}


def whole(value: Any, texts: list[str]) -> Any:  # noqa: ANN401
    """Return a value with its texts, as the browser puts them in."""
    if isinstance(value, list):
        return [whole(one, texts) for one in value]
    if isinstance(value, dict):
        if "$" in value:
            return texts[value["$"]]
        if "$json" in value:
            return json.loads(texts[value["$json"]])
        return {name: whole(one, texts) for name, one in value.items()}
    return value


def samples_in(blocks: dict[str, Any]) -> list[dict[str, Any]]:
    texts = [text for number in range(len(blocks["head"]["texts"])) for text in blocks[f"texts-{number}"]]
    assert len(texts) == len(set(texts))
    names = sorted((name for name in blocks if name.startswith("samples-")), key=lambda name: int(name.split("-")[1]))
    return [whole(one, texts) for name in names for one in blocks[name]]


def test_every_sample_is_in_the_file_as_the_live_page_has_it(page: str, client: Client) -> None:
    samples = samples_in(blocks_of(page))
    assert len(samples) == client.data("samples", run="mine")["n"]
    for number, sample in enumerate(samples):
        live = client.data("sample", run="mine", number=number)
        for panel in sample["panels"]:
            assert panel.pop("images") == {}
        assert sample == live


def test_results_groups_comparisons_and_columns_are_in_the_file(page: str, client: Client) -> None:
    blocks = blocks_of(page)
    live = client.data("run", run="mine")
    assert blocks["head"]["run"] == live
    assert blocks["samples"] == client.data("samples", run="mine")
    assert blocks["head"]["groups"]["domain"] == client.data("groups", run="mine", by="domain")
    rows = [row["row"] for row in live["rows"] if row["task"] == "tsg/sgqa"]
    told = client.data("comparison", first=f"mine/{rows[0]}", second=f"mine/{rows[1]}")
    assert blocks["head"]["comparisons"][f"{rows[0]}/{rows[1]}"] == told | {"notes": []}


def test_the_file_refers_to_nothing_and_allows_its_own_script_and_style_alone(page: str) -> None:
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    policy = policy.replace("&#x27;", "'")
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src {allowed(script)};" in policy
    assert f"style-src {allowed(style)};" in policy
    assert "connect-src" not in policy
    assert "unsafe" not in policy
    frame = page.replace(script, "").replace(style, "")
    assert "src=" not in frame
    assert re.findall(r'href="([^"]*)"', frame) == ["data:,"]


def test_texts_are_kept_once() -> None:
    texts = Texts()
    long = "the same long text " * 10
    first, second = texts.shortened([long, {"a": long}]), texts.shortened("short")
    assert first == [{"$": 0}, {"a": {"$": 0}}]
    assert second == "short"
    assert texts.blocks == [[long]]


def test_many_texts_are_kept_in_several_blocks_that_can_be_found() -> None:
    texts = Texts()
    numbers = [texts.number(f"{number} " * 20_000) for number in range(30)]
    assert numbers == list(range(30))
    assert len(texts.blocks) > 3
    assert texts.starts == [sum(map(len, texts.blocks[:place])) for place in range(len(texts.blocks))]


def test_a_run_of_hostile_texts_stays_data(finished: Path, tmp_path: Path) -> None:
    run = tmp_path / "odd"
    shutil.copytree(finished, run)
    odd = "</script><script>alert(1)</script>"
    for name in ("calls.jsonl", "samples.jsonl", "prompts.jsonl"):
        text = (run / name).read_text()
        (run / name).write_text(text.replace("I do not know.", odd))
    assert main(["view", str(run), "-o", str(tmp_path / "odd.html")]) == 0
    page = (tmp_path / "odd.html").read_text()
    assert "alert(1)" not in page
    assert any(odd in json.dumps(sample) for sample in samples_in(blocks_of(page)))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["nowhere", "-o", "x.html"], "there is no such folder"),
        (["{run}", "-o", "x.txt"], "a page is HTML"),
        (["{runs}", "-o", "x.html"], "a file holds one run; here are 2"),
        (["{empty}", "-o", "x.html"], "a file holds one run; here are 0"),
        (["{run}", "--port", "70000"], "ports go from 0 to 65535"),
        (["{run}", "-o", "no/folder/x.html"], "there is no folder"),
    ],
)
def test_wrong_use_is_told(
    words: list[str], problem: str, finished: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        shutil.copytree(finished, tmp_path / "runs" / name)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    places = {"run": str(finished), "runs": "runs", "empty": "empty"}
    assert main(["view", *(word.format(**places) for word in words)]) == 2
    assert problem in capsys.readouterr().err


def test_without_a_folder_of_runs_the_next_step_is_told(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["view"]) == 2
    told = capsys.readouterr().err
    assert "there is no folder runs here" in told
    assert "tsgkit eval" in told
