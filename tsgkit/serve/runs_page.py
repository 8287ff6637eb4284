"""The page of ``tsgkit view``: the runs that were opened, and labels about their samples. Nothing else can be named."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.serve.local_server import Page, number_of
from tsgkit.serve.viewed_runs import SentLabel, ViewedRuns

IMAGES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif"}
IMAGES |= {".bmp": "image/bmp"}


def runs_page(runs: ViewedRuns, annotator: str = "") -> Page:
    """Return the page of runs; the name of the annotator stands in the labels that are saved."""

    def samples(asked: Mapping[str, str]) -> dict[str, Any]:
        run = runs.open(asked["run"])
        columns = run.samples()
        run.begin_search()
        return columns

    def comparison(asked: Mapping[str, str]) -> dict[str, Any]:
        try:
            return runs.compared(_row(asked["first"]), _row(asked["second"]))
        except TsgkitError as error:
            return {"problem": str(error)}

    def save_label(asked: Mapping[str, str], body: bytes) -> dict[str, Any]:
        if not annotator:
            raise UsageError("labels need the name of the annotator", hint="tsgkit view --annotator NAME")
        try:
            label = SentLabel.model_validate_json(body)
        except ValidationError as error:
            raise UsageError(f"not a label: {error.errors(include_url=False)[0]['msg']}") from None
        return runs.save_label(asked["run"], annotator, label)

    def image(asked: Mapping[str, str]) -> tuple[Path, str] | None:
        _, panels = runs.open(asked["run"]).sample(number_of(asked, "number"))
        try:
            path = panels[number_of(asked, "panel")].images[asked["name"]]
        except (IndexError, KeyError):
            return None
        kind = IMAGES.get(path.suffix.lower())
        return (path, kind) if kind is not None and path.is_file() else None

    asking = {
        "runs": lambda _: {**runs.value(), "annotator": annotator, "can_label": bool(annotator)},
        "run": lambda asked: {"id": asked["run"], **runs.open(asked["run"]).value()},
        "groups": lambda asked: runs.open(asked["run"]).groups(asked["by"]),
        "samples": samples,
        "sample": lambda asked: runs.open(asked["run"]).sample(number_of(asked, "number"))[0],
        "search": lambda asked: {"numbers": runs.open(asked["run"]).search(asked["text"])},
        "comparison": comparison,
        "labels": lambda asked: runs.labels(asked["run"]),
    }
    return Page("live.js", asking, {"labels": save_label}, {"image": image}, close=runs.close)


def _row(named: str) -> tuple[str, int]:
    """Return the run and the number of a row named as RUN/3."""
    run, _, number = named.rpartition("/")
    return run, number_of({"row": number}, "row")
