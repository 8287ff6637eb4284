"""Benchmark: the linter after a key stroke in a narrative of 500 graphs that is edited in the browser.

    python eval/bench/editing.py

The graphs and sentences are those of the bundled narratives, one after the other, with all their names as L. The
server is a process of its own. A name is typed letter by letter into the first graph, which changes the hands of all
later ones. The limit: 0.1 s from the edit to the answer with all checks, as a browser's request has it, and 0.1 s from
the key event until its finding is painted. The slowest of 20 of each must keep it; so must a change of L, in 0.2 s, and
the drawing of a graph of 30 triplets, which every letter draws anew, in 0.1 s.
Needs the extra ``view``; without Playwright and Chromium only the server is measured.
"""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from importlib.util import find_spec
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from smoke import SMOKE, sized

from tsgkit.graph.model import Description, Narrative, Vocabulary
from tsgkit.graph.notation import narratives
from tsgkit.library.documents.reader import read_file

GRAPHS = sized(500, 20)
KEYS = sized(20, 2)
ANSWER, PAINTED, NEW_NAME, DRAWN = 0.1, 0.1, 0.2, 0.1
DATA = Path(__file__).resolve().parents[2] / "tasks/tsg/data/tsgkit-2/narratives.jsonl"
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
WATCHED = """(field) => {
  window.painted = [];
  let pressed = 0;
  field.addEventListener("keydown", () => (pressed = performance.now()), { capture: true });
  const rows = field.closest("table");
  new MutationObserver(() => {
    if (!pressed || !rows.textContent.includes(`${field.value} is not in L`)) return;
    const began = pressed;
    pressed = 0;
    requestAnimationFrame(() => setTimeout(() => window.painted.push(performance.now() - began)));
  }).observe(rows, { childList: true, subtree: true, characterData: true });
}"""
"""Notes in the page how long after its key event the finding about the typed name was painted."""


def story() -> Narrative:
    """Return a narrative of 500 graphs; sentences that occur again are numbered, so that none is known already."""
    entries = read_file(DATA).entries
    parts = (part for entry in cycle(entries) for part in entry.narrative.descriptions)
    numbered = (Description(f"{part.text} ({n})", part.graphs) for n, part in zip(count(), parts, strict=False))
    descriptions = list[Description]()
    while (left := GRAPHS - sum(len(part.graphs) for part in descriptions)) > 0:
        part = next(numbered)
        descriptions.append(Description(part.text, part.graphs[:left]))
    graphs = [graph for part in descriptions for graph in part.graphs]
    return Narrative(tuple(descriptions), Vocabulary.of(graphs), "long")


@contextmanager
def served(path: Path) -> Iterator[str]:
    """Serve the editor of a file in a process, and yield its address."""
    command = [sys.executable, "-m", "tsgkit", "view", str(path), "--edit", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline() if server.stdout is not None else ""
            yield re.findall(r"http://\S+", line)[0]
        finally:
            server.terminate()


class Server:
    """Requests on one connection, as a browser keeps it."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._connection, self._base = HTTPConnection(parts.hostname or "", parts.port), parts.path

    def ask(self, name: str, body: object = None) -> Any:  # noqa: ANN401  (as JSON has it)
        """Return the answer."""
        method, sent = ("GET", None) if body is None else ("POST", json.dumps(body))
        self._connection.request(method, f"{self._base}data/{name}", sent)
        answer = self._connection.getresponse()
        value = json.loads(answer.read())
        if answer.status != 200:
            raise SystemExit(f"{name}: {answer.status} {value}")
        return value

    def edited(self, op: dict[str, Any], revision: int) -> tuple[float, int, Any]:
        """Return the seconds that an edit takes, the new revision and the checks."""
        began = time.perf_counter()
        answer = self.ask("edit", {"number": 0, "revision": revision, "ops": [op]})
        return time.perf_counter() - began, answer["revision"], answer["checks"]


def answers(address: str) -> tuple[float, list[float], list[float]]:
    """Return the seconds of opening the item, of each letter of a name, and of each letter of a new name in L."""
    server = Server(address)
    began = time.perf_counter()
    item = server.ask("item?number=0")
    opened, revision = time.perf_counter() - began, item["revision"]
    times, listed = list[float](), list[float]()
    triplet, names = item["value"]["descriptions"][0]["graphs"][0][1], item["value"]["vocabulary"]
    for size in range(1, KEYS + 1):
        new = [triplet[0], triplet[1], "zx" * size]
        path = ["descriptions", 0, "graphs", 0]
        op = {"path": path, "start": 1, "removed": 1, "inserted": [new]}
        seconds, revision, checks = server.edited(op, revision)
        if not any(new[2] in one["message"] for one in checks["graphs"][0]["findings"]):
            raise SystemExit("the finding about the typed name is missing")
        times.append(seconds)
    for size in range(1, KEYS + 1):
        value = {**names, "object": [*names["object"], "zx" * size]}
        seconds, revision, _ = server.edited({"path": ["vocabulary"], "value": value}, revision)
        listed.append(seconds)
    return opened, times, listed


def painted(address: str, chromium: str) -> list[float]:
    """Return the seconds from each key event until its finding is painted."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(address)
        field = page.get_by_role("combobox", name="target of triplet 2", exact=True)
        field.click()
        field.evaluate(WATCHED)
        page.keyboard.press("End")
        for done, letter in enumerate(islice(cycle("zxqv"), KEYS), 1):
            page.keyboard.type(letter)
            page.wait_for_function("(done) => window.painted.length >= done", arg=done)
        times: list[float] = page.evaluate("() => window.painted")
        browser.close()
    return [milliseconds / 1000 for milliseconds in times]


def drawn(address: str) -> list[float]:
    """Return the seconds that the answers with drawings of a graph of 30 triplets take."""
    server, times = Server(address), list[float]()
    for size in range(1, KEYS + 1):
        things = (f"thing {number} {'zx' * size}" for number in range(29))
        star = [["person", "verb", "mix"], *(["mix", "with", thing] for thing in things)]
        began = time.perf_counter()
        server.ask("draw", {"triplets": star, "marks": []})
        times.append(time.perf_counter() - began)
    return times


def main() -> None:
    """Measure and print; exit with 1 where a limit is missed."""
    missed = False

    def told(what: str, times: list[float], limit: float) -> None:
        nonlocal missed
        missed |= max(times) > limit
        middle = statistics.median(times)
        print(f"{what}: {middle:.3f} s, slowest {max(times):.3f} s (limit {limit:g}, ratio {max(times) / limit:.2f})")

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "long.jsonl"
        narrative = story()
        path.write_text(narratives.write(narrative), encoding="utf-8")
        names = len(narrative.vocabulary.nodes) if narrative.vocabulary else 0
        print(f"{len(narrative.graphs)} graphs, {len(narrative.descriptions)} sentences, {names} names in L")
        with served(path) as address:
            opened, times, listed = answers(address)
            print(f"the item with all checks, for the first time: {opened:.2f} s")
            told("an edit, answered with all checks", times, ANSWER)
            told("a letter of a new name in L, answered with all checks", listed, NEW_NAME)
            told("a drawing of 30 triplets, answered", drawn(address), DRAWN)
        chromium = shutil.which("chromium")
        if chromium is None or find_spec("playwright") is None:
            print("there is no Chromium or no Playwright here: the page is not measured")
        else:
            path.with_name(".long.jsonl.draft").unlink(missing_ok=True)
            with served(path) as address:
                told("a key event, until its finding is painted", painted(address, chromium), PAINTED)
    raise SystemExit(missed and not SMOKE)


if __name__ == "__main__":
    main()
