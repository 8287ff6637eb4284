"""The page of ``tsgkit view``: the runs that were opened, and labels about their samples. Nothing else can be named."""

from __future__ import annotations

import getpass
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import quote

from pydantic import ValidationError

from tsgkit.errors import TsgkitError, UsageError, first_fault
from tsgkit.library.files import refuse_to_replace_data, require_folder, write_text
from tsgkit.report import html
from tsgkit.serve.local_server import LocalServer, Page, number_of
from tsgkit.serve.viewed_runs import SentLabel, ViewedRuns

Images = Literal["thumbnails", "linked"]
Place = str | PathLike[str]
IMAGE_KINDS = {f".{name}": f"image/{name}" for name in ("png", "jpeg", "webp", "gif", "bmp")} | {".jpg": "image/jpeg"}


def view(*runs: Place, annotator: str | None = None, data: Place | None = None, port: int = 0) -> View:
    """Serve runs, or folders of runs, to this machine's browser until the view is closed.

        with tk.view(run) as page:
            print(page.address)

    ``annotator`` names those whose labels are saved (None: the user).
    """
    server, opened = server_of(runs, annotator=annotator, data=data, port=port)
    return View(server, place_of(opened))


class View:
    """A page that is served to the browser; in a notebook it is shown as its link."""

    def __init__(self, server: LocalServer, place: str, listening: socket.socket | None = None) -> None:
        self._listening = server.bound() if listening is None else listening
        self._serving = server.server()
        run = {"sockets": [self._listening]}
        self._thread = threading.Thread(target=self._serving.run, kwargs=run, name="tsgkit-view", daemon=True)
        self.address = server.address + place
        """The link, which holds the token."""
        self._thread.start()

    def close(self) -> None:
        """End the server."""
        self._serving.should_exit = True
        self._thread.join()
        self._listening.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return self.address

    def _repr_html_(self) -> str:
        return html.tag("a", html.text(self.address), href=self.address, target="_blank", rel="noreferrer")


def server_of(
    runs: Sequence[Place], *, annotator: str | None = None, data: Place | None = None, port: int = 0
) -> tuple[LocalServer, ViewedRuns]:
    """Return a server of runs, and the runs. Raise ``ExtraMissing`` without the extra ``view``."""
    opened = _opened(runs, data)
    return LocalServer(runs_page(opened, annotator_of(annotator)), port=port), opened


def runs_page(runs: ViewedRuns, annotator: str = "") -> Page:
    """Return the page of runs; the name of the annotator stands in the labels that are saved."""

    def samples(query: Mapping[str, str]) -> dict[str, Any]:
        run = runs.open(query["run"])
        columns = run.samples()
        run.begin_search()
        return columns

    def comparison(query: Mapping[str, str]) -> dict[str, Any]:
        try:
            return runs.compared(_row(query["first"]), _row(query["second"]))
        except TsgkitError as error:
            return {"problem": str(error)}

    def save_label(query: Mapping[str, str], body: bytes) -> dict[str, Any]:
        if not annotator:
            raise UsageError("labels need the name of the annotator", hint="tsgkit view --annotator NAME")
        try:
            label = SentLabel.model_validate_json(body)
        except ValidationError as error:
            raise UsageError(f"not a label: {first_fault(error)}") from None
        return runs.save_label(query["run"], annotator, label)

    def image(query: Mapping[str, str]) -> tuple[Path, str] | None:
        _, panels = runs.open(query["run"]).sample(number_of(query, "number"))
        try:
            path = panels[number_of(query, "panel")].images[query["name"]]
        except (IndexError, KeyError):
            return None
        kind = IMAGE_KINDS.get(path.suffix.lower())
        return (path, kind) if kind is not None and path.is_file() else None

    asking = {
        "runs": lambda _: {**runs.value(), "annotator": annotator, "can_label": bool(annotator)},
        "run": lambda query: {"id": query["run"], **runs.open(query["run"]).value()},
        "groups": lambda query: runs.open(query["run"]).groups(query["by"]),
        "samples": samples,
        "sample": lambda query: runs.open(query["run"]).sample(number_of(query, "number"))[0],
        "search": lambda query: {"numbers": runs.open(query["run"]).search(query["text"])},
        "comparison": comparison,
        "labels": lambda query: runs.labels(query["run"]),
    }
    return Page("live.js", asking, {"labels": save_label}, {"image": image}, close=runs.close)


def _row(text: str) -> tuple[str, int]:
    """Return the run and the number of a row named as RUN/3."""
    run, _, number = text.rpartition("/")
    return run, number_of({"row": number}, "row")


def annotator_of(name: str | None) -> str:
    """Return the name of the annotator; None stands for the user, whose name is empty where the system has none."""
    if name is not None:
        return name.strip()
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return ""


def place_of(runs: ViewedRuns) -> str:
    """Return the place in the page to begin at: a single run, or the list of runs."""
    ids = list(runs.found())
    return f"#/run/{quote(ids[0], safe='')}" if len(ids) == 1 else ""


def write_view(
    run: Place,
    output: Place,
    *,
    images: Images = "thumbnails",
    data: Place | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a run as one HTML file that needs neither tsgkit nor a network.

        tk.write_view(run, "run.html")

    ``images`` selects thumbnails or links; ``progress`` is called with the number of samples done, and of all.
    """
    from tsgkit.serve.exported_page import write_page

    target = Path(output)
    if images not in ("thumbnails", "linked"):
        raise UsageError(f"images={images}: expected thumbnails or linked")
    if target.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{target}: a page is HTML", hint="give it a name that ends in .html")
    require_folder(target)
    refuse_to_replace_data(target, "<!doctype html>")
    opened = _opened([run], data)
    try:
        ids = list(opened.found())
        if len(ids) != 1:
            names = f": {', '.join(ids[:5])}{' ...' * (len(ids) > 5)}" if ids else ""
            message = f"a file holds one run; here are {len(ids):,}{names}"
            raise UsageError(message, hint=f"tsgkit view RUN -o {target}")
        show = progress or (lambda done, total: None)
        write_text(target, write_page(opened, ids[0], target, linked=images == "linked", progress=show))
    finally:
        opened.close()
    return target


def _opened(runs: Sequence[Place], data: Place | None) -> ViewedRuns:
    return ViewedRuns([Path(run) for run in runs], None if data is None else str(data))
