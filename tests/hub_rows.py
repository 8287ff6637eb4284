"""Rows of ours on a hub or in a table, for tests of where data may lie."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hub_server import hub as hub
from hub_server import without_login
from shipped import DATA, TASKS

SGQA, SGDS = (DATA / f"{task}.jsonl" for task in ("sgqa", "sgds"))
ROWS = {
    "tsg/sgqa": SGQA,
    "spatialgen/questions": TASKS / "spatialgen/data/questions.jsonl",
    "formalimg/layout": TASKS / "formalimg/data/knolling.jsonl",
    "sceneeval/annotate": TASKS / "sceneeval/data/annotations.csv",
}
HOME = "home"


@pytest.fixture(autouse=True)
def hub_settings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_login(folder, monkeypatch)


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
