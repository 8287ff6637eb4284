"""A run as one file, or served from Python: everything inside, nothing from elsewhere, nothing that could run."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from drawn_images import drawn, saved
from served import Client

import tsgkit as tk
from tsgkit.browser.modules import allowed
from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.report.thumbnails import thumbnail
from tsgkit.serve.exported_page import ImageAddresses, Texts

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


def test_file_refers_to_nothing_and_allows_its_own_script_and_style_alone(page: str) -> None:
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


def test_texts_are_kept_once_in_blocks_that_can_be_found() -> None:
    texts = Texts()
    long = "the same long text " * 10
    assert texts.shortened([long, {"a": long}]) == [{"$": 0}, {"a": {"$": 0}}]
    assert texts.shortened("short") == "short"
    assert texts.blocks == [[long]]
    many = Texts()
    assert [many.number(f"{number} " * 20_000) for number in range(30)] == list(range(30))
    assert len(many.blocks) > 3
    assert many.starts == [sum(map(len, many.blocks[:place])) for place in range(len(many.blocks))]


def test_run_of_hostile_texts_stays_data(finished: Path, tmp_path: Path) -> None:
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


def test_wrong_use_is_told(finished: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        shutil.copytree(finished, tmp_path / "folder" / name)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    run = str(finished)
    for words, problem in (
        (["nowhere", "-o", "x.html"], "there is no such folder"),
        ([run, "-o", "x.txt"], "a page is HTML"),
        (["folder", "-o", "x.html"], "a file holds one run; here are 2"),
        (["empty", "-o", "x.html"], "a file holds one run; here are 0"),
        ([run, "--port", "70000"], "ports go from 0 to 65535"),
        ([run, "-o", "no/folder/x.html"], "there is no folder"),
        ([], "there is no folder runs here"),
    ):
        assert main(["view", *words]) == 2, words
        told = capsys.readouterr().err
        assert problem in told, words
    assert "tsgkit eval" in told, "the next step"


def test_images_are_made_small_or_named_where_they_lie_or_left_out(tmp_path: Path) -> None:
    (tmp_path / "odd names").mkdir()
    image = tmp_path / "odd names" / "a #1?.png"
    image.write_bytes(saved(drawn(size=(1500, 900)), "PNG"))
    (linked,) = ImageAddresses(tmp_path / "out.html", linked=True).urls({"image": image})
    assert linked == ("image", "odd%20names/a%20%231%3F.png")
    (small,) = ImageAddresses(tmp_path / "out.html", linked=False).urls({"image": image})
    assert small[1].startswith("data:image/jpeg;base64,")
    assert len(small[1]) < 60_000
    for content in (b"", b"no image", b"\x89PNG\r\n\x1a\n cut"):
        image.write_bytes(content)
        assert thumbnail(image) == "", content
        assert list(ImageAddresses(tmp_path / "out.html", linked=False).urls({"image": image})) == []


def test_run_is_served_until_it_is_closed_or_written_from_python(finished: Path, tmp_path: Path) -> None:
    with tk.view(finished, annotator="ann") as page:
        address = page.address.partition("#")[0]
        with urllib.request.urlopen(address, timeout=20) as answer:  # noqa: S310
            assert answer.status == 200
        assert f'href="{page.address}"' in page._repr_html_()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=20)  # noqa: S310
    run = tk.open_run(finished)
    told: list[tuple[int, int]] = []
    written = tk.write_view(run, tmp_path / "mine.html", progress=lambda done, total: told.append((done, total)))
    assert written.read_text().startswith("<!doctype html>")
    assert told[-1] == (len(run.samples), len(run.samples))
    with pytest.raises(UsageError):
        tk.write_view(finished, tmp_path / "x.txt")
