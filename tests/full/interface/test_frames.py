"""Frames of pandas, and figures of matplotlib, of a run."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from hostile_run import hostile_run

import tsgkit as tk
from tsgkit.interface.samples import COLUMNS


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tk.Run:
    return hostile_run(tmp_path_factory.mktemp("run") / "run")


def test_pandas_frame_has_a_row_a_sample_and_figures_are_drawn_for_papers(run: tk.Run, tmp_path: Path) -> None:
    pandas = import_module("pandas")
    frame = run.frame("pandas", texts=True)
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 16
    assert tuple(frame.columns[: len(COLUMNS)]) == COLUMNS
    assert {"strict.exact_match", "official.exact_match", "group.domain", "usage.cost"} <= {*frame.columns}
    assert list(frame.columns[-2:]) == ["prompt", "reply"]
    assert frame["usage.cost"].isna().all(), "nobody told what it cost"
    assert frame["usage.cost"].dtype == frame["official.exact_match"].dtype == "float64"
    assert len(run.samples.of(style="cot").frame("pandas")) == 8
    assert run.figure("exact_match", by="style").save(tmp_path / "f.pdf").read_bytes().startswith(b"%PDF")
    compared = tk.compare(run, "sgqa", baseline="zero-shot")
    for figure in (compared.figure(), compared.figure(items=True)):
        assert "<svg" in figure._repr_svg_()
        assert "<script" not in figure._repr_svg_() + figure.alt
