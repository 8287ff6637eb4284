"""Rows of the hub, of Parquet and of CSV wherever data are named, on the command line and from Python."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hub_server import Hub, hub_server

import tsgkit
from tsgkit.cli import main
from tsgkit.errors import GOOD, WRONG_USAGE, UsageError
from tsgkit.library import hub_store
from tsgkit.library.bundle import bundled
from tsgkit.suites.suite import tasks_of_data

DATA = Path(str(bundled("tasks")))
SGQA, SGDS = (DATA / f"tsg/data/tsgkit-1/{task}.jsonl" for task in ("sgqa", "sgds"))
ROWS = {
    "tsg/sgqa": SGQA,
    "spatialgen/questions": DATA / "spatialgen/data/questions.jsonl",
    "formalimg/layout": DATA / "formalimg/data/knolling.jsonl",
    "sceneeval/annotate": DATA / "sceneeval/data/annotations.csv",
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "no-token"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with hub_server() as served:
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        yield served


def header(run: str = "run") -> Any:  # noqa: ANN401  (JSON)
    return json.loads((Path(run) / "run.json").read_text())


def table_of(source: Path, name: str, **renamed: str) -> str:
    """Write rows of ours as a table with other names of columns; what is no text is JSON there."""
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    names = {field: renamed.get(field, field) for field in rows[0]}
    cells = [
        {names[field]: value if isinstance(value, str) else json.dumps(value) for field, value in row.items()}
        for row in rows
    ]
    if name.endswith(".parquet"):
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(cells), name)
    else:
        with Path(name).open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(cells[0]))
            writer.writeheader()
            writer.writerows(cells)
    rules = {
        field: names[field] if isinstance(rows[0][field], str) else {"column": names[field], "json": True}
        for field in rows[0]
    }
    Path("m.yaml").write_text(json.dumps({"fields": rules}))
    return name


@pytest.mark.parametrize("task", ROWS)
def test_every_suite_takes_rows_of_the_hub(task: str, hub: Hub) -> None:
    if task == "formalimg/layout":
        pytest.importorskip("ortools", reason="its baseline solves formulas: the extra tsgkit[logic]")
    commit = hub.commit("lab/rows", {ROWS[task].name: ROWS[task].read_bytes()}, lfs=True)
    assert main(["eval", "--task", task, "--data", "hf://lab/rows", "--first", "3", "--out", "run"]) == GOOD
    assert header()["plan"]["data"] == f"hf://lab/rows@{commit}"
    assert header()["data"] == {task: f"hf://lab/rows@{commit}/{ROWS[task].name}"}
    (origin,) = header()["sources"].values()
    assert origin["source"] == f"hf://lab/rows@{commit}"


def test_the_rows_are_the_same_as_from_a_file(hub: Hub) -> None:
    hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes()})
    assert main(["eval", "--data", "hf://lab/rows", "--out", "run"]) == GOOD
    assert main(["eval", "--data", str(SGQA), "--out", "other"]) == GOOD
    assert header()["identity"] == header("other")["identity"]
    assert "sources" not in header("other")


def test_a_run_is_shown_and_repeated_from_its_header_when_main_has_moved(
    hub: Hub, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes()}, lfs=True)
    assert main(["eval", "--data", "hf://lab/rows", "--out", "run"]) == GOOD
    hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes().split(b"\n", 1)[1]}, lfs=True)
    monkeypatch.setattr(hub_store, "_seen", {})
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    capsys.readouterr()
    for words in ("report run", "samples run", "rescore run", "runs show run", "audit --run run"):
        assert main(words.split()) == GOOD, words
    assert capsys.readouterr().err == ""
    assert main(["eval", "--data", header()["plan"]["data"], "--out", "again"]) == GOOD
    assert header("again")["identity"] == header()["identity"]


def test_a_run_that_is_read_makes_nobody_ask_a_hub_or_open_a_device(
    hub: Hub, place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.commit("lab/stories", {"sgqa.jsonl": SGQA.read_bytes()})
    assert (
        main(["eval", "--task", "sgqa", "--data", "hf://lab/stories", "--first", "3", "--no-data", "--out", "run"]) == 0
    )
    asked = len(hub.asked)
    assert main(["rescore", "run"]) == GOOD, "what is on this machine is used"
    shutil.rmtree(place / "home")
    monkeypatch.setattr(hub_store, "_seen", {})
    for data in (header()["plan"]["data"], "hf://evil/beacon", "/dev/zero"):
        (place / "run/run.json").write_text(json.dumps(header() | {"plan": header()["plan"] | {"data": data}}))
        capsys.readouterr()
        assert main(["report", "run"]) == GOOD
        assert "its rows were not kept: --data D says where they lie" in capsys.readouterr().err
    shutil.rmtree(place / "run/asked")
    assert main(["report", "run"]) == WRONG_USAGE
    assert "neither a file nor a folder" in capsys.readouterr().err
    assert len(hub.asked) == asked


def test_all_tasks_of_a_dataset_are_found(hub: Hub) -> None:
    hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes(), "sgds.jsonl": SGDS.read_bytes(), "README.md": b"x"})
    assert set(tasks_of_data("hf://lab/rows")) >= {"tsg/sgqa", "tsg/sgds"}
    hub.commit("lab/one", {"data/test.jsonl": SGDS.read_bytes()})
    assert tasks_of_data("hf://lab/one") == ("tsg/sgds",)
    assert tasks_of_data("hf://lab/rows/sgqa.jsonl") == ("tsg/sgqa",)


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv"])
def test_a_table_with_a_mapping_is_asked_as_rows_are(name: str) -> None:
    pytest.importorskip("pyarrow")
    table_of(SGQA, name, item_id="identifier", triplets="graphs")
    assert main(["eval", "--data", name, "--mapping", "m.yaml", "--out", "run"]) == GOOD
    assert header()["plan"]["data"] == f"{name}#m.yaml"
    assert header()["samples"] == 90
    (origin,) = header()["sources"].values()
    assert set(origin) == {"source", "files", "mapping"}
    assert main(["report", "run"]) == GOOD
    assert main(["audit", name, "--mapping", "m.yaml"]) == GOOD
    assert main(["check", name, "--mapping", "m.yaml"]) == GOOD
    assert main(["prompts", "show", "tsg/sgqa", "--data", name, "--mapping", "m.yaml"]) == GOOD


def test_a_changed_table_is_not_taken_for_the_one_that_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    table_of(SGQA, "rows.csv")
    assert main(["eval", "--data", "rows.csv", "--mapping", "m.yaml", "--out", "run"]) == GOOD
    lines = Path("rows.csv").read_text()
    Path("rows.csv").write_text(lines.replace("bread", "cake"))
    assert main(["report", "run"]) == GOOD, "the run keeps its rows"
    assert main(["report", "run", "--data", "rows.csv#m.yaml"]) == WRONG_USAGE
    assert "rows.csv#m.yaml: not the data that were asked about" in capsys.readouterr().err


def test_a_mapping_in_the_dataset_says_how_its_table_is_read(hub: Hub) -> None:
    pytest.importorskip("pyarrow")
    table_of(SGQA, "rows.parquet", item_id="identifier")
    files = {
        "data/test-00000-of-00001.parquet": Path("rows.parquet").read_bytes(),
        "data/train-00000-of-00001.parquet": b"not this one",
        "tsgkit.yaml": json.dumps({"split": "test"} | json.loads(Path("m.yaml").read_text())).encode(),
    }
    commit = hub.commit("lab/table", files, lfs=True)
    assert main(["eval", "--data", "hf://lab/table", "--out", "run"]) == GOOD
    assert header()["data"] == {"tsg/sgqa": f"hf://lab/table@{commit}/data/test.parquet"}
    assert not any("train" in path for path in hub.paths)


def test_annotations_of_scenes_may_lie_in_parquet() -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    with ROWS["sceneeval/annotate"].open(newline="", encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), "rows.parquet")
    words = ["eval", "--task", "sceneeval/annotate", "--first", "3"]
    assert main([*words, "--data", "rows.parquet", "--out", "run"]) == GOOD
    assert main([*words, "--data", str(ROWS["sceneeval/annotate"]), "--out", "other"]) == GOOD
    assert header()["identity"] == header("other")["identity"]


def test_replies_are_scored_on_rows_of_the_hub(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    commit = hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes()})
    Path("replies.jsonl").write_text(json.dumps({"item_id": "bread/q0", "reply": "Answer: [x]"}) + "\n")
    assert main(["score", "--task", "sgqa", "--data", "hf://lab/rows", "--replies", "replies.jsonl"]) == GOOD
    assert f"90 items of hf://lab/rows@{commit}" in capsys.readouterr().out


def test_data_get_fetches_the_rows_and_data_list_names_them(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    commit = hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes(), "README.md": b"x", "../x.jsonl": b"x"}, lfs=True)
    assert main(["data", "get", "hf://lab/rows"]) == GOOD
    told = capsys.readouterr().out
    assert told.startswith(f"hf://lab/rows@{commit}\n  sgqa.jsonl: 74.3 kB, sha256:")
    assert "1 file left out: their names are no plain paths" in told
    assert main(["data", "list"]) == GOOD
    assert f"hf://lab/rows: from the hub, at 1 commit\n  {commit}" in capsys.readouterr().out
    assert main(["data", "get", "hf://lab/rows", "--json"]) == GOOD
    assert json.loads(capsys.readouterr().out)["files"][0]["path"] == "sgqa.jsonl"
    assert main(["data", "import", "hf://lab/rows", "x"]) == WRONG_USAGE


def test_an_error_of_the_hub_is_two_lines_and_exit_code_2(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--data", "hf://lab/nothing"]) == WRONG_USAGE
    assert capsys.readouterr().err == (
        "tsgkit: hf://lab/nothing: there is no such dataset, or it is private\n  check the name; if it is private, "
        "log in with `hf auth login` (or `huggingface-cli login`), or set HF_TOKEN\n"
    )


def test_a_folder_of_tables_is_asked_without_naming_its_tasks() -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    Path("tables").mkdir()
    rows = [json.loads(line) for line in SGQA.read_text().splitlines()]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), "tables/sgqa.parquet")
    assert main(["eval", "--data", "tables", "--out", "run"]) == GOOD
    assert header()["data"] == {"tsg/sgqa": "tables/sgqa.parquet"}


def test_a_table_of_other_columns_hints_at_a_mapping(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rows.csv").write_text("a,b\n1,2\n")
    assert main(["eval", "--data", "rows.csv", "--task", "sgqa"]) == WRONG_USAGE
    assert "need a mapping: --mapping FILE" in capsys.readouterr().err


def test_a_web_address_is_no_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--data", "https://me:w0rd@huggingface.co/datasets/lab/rows"]) == WRONG_USAGE
    told = capsys.readouterr().err
    assert "hf://OWNER/NAME" in told
    assert "w0rd" not in told


def test_a_mapping_without_data_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--mapping", "m.yaml"]) == WRONG_USAGE
    assert "no data are named that it is for" in capsys.readouterr().err


def test_a_row_that_does_not_fit_is_named_by_the_dataset_and_its_line(
    hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    commit = hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes() + b'{"broken": \n'})
    assert main(["eval", "--task", "sgqa", "--data", "hf://lab/rows"]) == WRONG_USAGE
    told = capsys.readouterr().err
    assert f"hf://lab/rows@{commit}/sgqa.jsonl: line 19" in told
    assert "huggingface/lab--rows" not in told


def test_python_takes_the_same_names(hub: Hub) -> None:
    commit = hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes()})
    run = tsgkit.evaluate("tsg/sgqa", data="hf://lab/rows", out="run", first=3)
    assert header()["data"] == {"tsg/sgqa": f"hf://lab/rows@{commit}/sgqa.jsonl"}
    assert tsgkit.open_run(run.path).explain("bread/q0")
    assert tsgkit.audit("hf://lab/rows", task="tsg/sgqa")
    table_of(SGQA, "rows.csv")
    assert tsgkit.evaluate("tsg/sgqa", data="rows.csv#m.yaml", out="other", first=3)
    with pytest.raises(UsageError, match="no such dataset"):
        tsgkit.evaluate("tsg/sgqa", data=Path("hf://lab/nothing"))


def test_rows_are_kept_when_the_cache_is_lost(hub: Hub, place: Path) -> None:
    table_of(SGQA, "rows.csv")
    files = {"sgqa.csv": Path("rows.csv").read_bytes(), "tsgkit.yaml": Path("m.yaml").read_bytes()}
    hub.commit("lab/table", files)
    assert main(["eval", "--task", "sgqa", "--data", "hf://lab/table", "--out", "run"]) == GOOD
    asked = len(hub.asked)
    shutil.rmtree(place / "cache")
    assert main(["report", "run"]) == GOOD
    assert len(hub.asked) == asked
