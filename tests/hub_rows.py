"""Rows of ours on a hub or in a table, for tests of where data may lie."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hub_server import Hub, hub_server
from shipped import TASKS

SGQA, SGDS = (TASKS / f"tsg/data/tsgkit-1/{task}.jsonl" for task in ("sgqa", "sgds"))
ROWS = {
    "tsg/sgqa": SGQA,
    "spatialgen/questions": TASKS / "spatialgen/data/questions.jsonl",
    "formalimg/layout": TASKS / "formalimg/data/knolling.jsonl",
    "sceneeval/annotate": TASKS / "sceneeval/data/annotations.csv",
}
HOME = "home"


@pytest.fixture(autouse=True)
def hub_settings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(folder / HOME))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(folder / "no-token"))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with hub_server() as served:
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        yield served


def header(run: str = "run") -> Any:  # noqa: ANN401  (JSON)
    return json.loads((Path(run) / "run.json").read_text())


def table_of(source: Path, name: str, **renamed: str) -> None:
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
