"""Tasks with images to make; for other tasks the error names those that have."""

from __future__ import annotations

from pathlib import Path

import pytest
from image_suite import Cups, install

from tsgkit.errors import UsageError
from tsgkit.suites.item_choice import ItemChoice
from tsgkit.suites.paintable import Painting, PaintingOptions, paintable_names, paintable_task


def test_a_task_of_another_package_offers_its_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, {"7": "A red cup.", "8": "A blue cup."}, monkeypatch)
    task = paintable_task("demo/cups")
    assert isinstance(task, Cups)
    found = list(task.paintings(None, ItemChoice(first=1), PaintingOptions()))
    assert found == [Painting("7", "A red cup.")]
    assert "demo/cups" in paintable_names() and "demo/words" not in paintable_names()


def test_a_task_without_images_names_those_that_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, {}, monkeypatch)
    for name in ("tsg/sgqa", "demo/words"):
        with pytest.raises(UsageError, match=f"{name} has no images to make") as error:
            paintable_task(name)
        assert error.value.hint.startswith("tasks that have: ") and "demo/cups" in error.value.hint
    (tmp_path / "tasks/demo/broken.yaml").write_text("task: nowhere/at-all\n")
    assert "demo/cups" in paintable_names(), "a card that is broken hides no other"
