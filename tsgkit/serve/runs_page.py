"""The page of ``tsgkit view``: the runs that were opened, and labels about their samples. Nothing else can be named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.serve.local_server import Page, number_of
from tsgkit.serve.viewed_runs import LabelSaid, ViewedRuns

IMAGES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif"}
IMAGES |= {".bmp": "image/bmp"}


@dataclass
class RunsPage:
    """A page of runs; the name of the annotator stands in the labels that are saved."""

    runs: ViewedRuns
    annotator: str = ""

    def page(self) -> Page:
        """Return the page."""
        asking = {
            "runs": self._list,
            "run": self._run,
            "groups": self._groups,
            "samples": self._samples,
            "sample": self._sample,
            "search": self._search,
            "comparison": self._comparison,
            "labels": self._labels,
        }
        return Page("live.js", asking, {"labels": self._save_label}, {"image": self._image}, close=self.runs.close)

    def _list(self, _: Mapping[str, str]) -> dict[str, Any]:
        return {**self.runs.value(), "annotator": self.annotator, "can_label": bool(self.annotator)}

    def _run(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return {"id": asked["run"], **self.runs.open(asked["run"]).value()}

    def _groups(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return self.runs.open(asked["run"]).groups(asked["by"])

    def _samples(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return self.runs.open(asked["run"]).samples()

    def _sample(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return self.runs.open(asked["run"]).sample(number_of(asked, "number"))[0]

    def _search(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return {"numbers": self.runs.open(asked["run"]).search(asked["text"])}

    def _comparison(self, asked: Mapping[str, str]) -> dict[str, Any]:
        try:
            return self.runs.compared(_row(asked["first"]), _row(asked["second"]))
        except TsgkitError as error:
            return {"problem": str(error)}

    def _labels(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return self.runs.labels(asked["run"])

    def _save_label(self, asked: Mapping[str, str], body: bytes) -> dict[str, Any]:
        if not self.annotator:
            raise UsageError("labels need the name of the annotator", hint="tsgkit view --annotator NAME")
        try:
            said = LabelSaid.model_validate_json(body)
        except ValidationError as error:
            raise UsageError(f"not a label: {error.errors(include_url=False)[0]['msg']}") from None
        return self.runs.save_label(asked["run"], self.annotator, said)

    def _image(self, asked: Mapping[str, str]) -> tuple[Path, str] | None:
        _, panels = self.runs.open(asked["run"]).sample(number_of(asked, "number"))
        try:
            path = panels[number_of(asked, "panel")].images[asked["name"]]
        except (IndexError, KeyError):
            return None
        kind = IMAGES.get(path.suffix.lower())
        return (path, kind) if kind is not None and path.is_file() else None


def _row(named: str) -> tuple[str, int]:
    """Return the run and the number of a row named as RUN/3."""
    run, _, number = named.rpartition("/")
    return run, number_of({"row": number}, "row")
