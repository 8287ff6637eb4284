"""Benchmark: a run of 20,880 samples in the browser: the first page, a filter, a search, the server's memory, one file.

    python eval/bench/viewing.py

The run asks a function model for 87 items of each bundled task: five subjects, four styles, three repeats. Chromium is
open before the command starts, as a person's browser is. The limits: the first page 2 s after the command, a filter
0.3 s (in the page alone 0.05 s, and never more than 0.1 s), the server 200 MiB at most, and an exported file open after
3 s. Needs the extra ``view``, Playwright and Chromium.
"""

from __future__ import annotations

import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from smoke import SMOKE, sized

import tsgkit as tk

if TYPE_CHECKING:
    from playwright.sync_api import Page

FIRST_PAGE, FILTER, DRAWN, LONGEST, MEMORY, OPEN = 2.0, 0.3, 0.05, 0.1, 200.0, 3.0
ITEMS, SAMPLES = sized((87, "20,880"), (2, "32"))
MODELS, STYLES, REPEATS = sized((5, 4, 3), (2, 2, 1))
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
PAINTED = """new MutationObserver(() => {
  if (window.seen || !document.querySelector("main table")) return;
  window.seen = true;
  requestAnimationFrame(() => setTimeout(() => (window.painted = performance.now())));
}).observe(document, { childList: true, subtree: true });"""
"""Notes in the page when its first table was painted, since a tool that looks from outside sees it later."""
REPLIES = (
    "Answer: A",
    "It is hard to say.",
    "Graph 1:\nperson -> verb -> pick-up\npick-up -> dobj -> cup\npick-up -> with -> hand1\n",
    "The cup was taken before anything else.\nAnswer: cup",
)


def subject(number: int) -> Callable[[list[dict[str, str]]], str]:
    """Return a model that answers at random."""
    choice = random.Random(number)

    def answer(messages: list[dict[str, str]]) -> str:
        return choice.choice(REPLIES)

    answer.__name__ = answer.__qualname__ = f"model_{number}"
    return answer


def seconds(page: Page, act: str, reached: str) -> float:
    """Return how long a step takes, from the first event until the page shows its result."""
    began = time.perf_counter()
    page.evaluate(act)
    page.wait_for_function(reached)
    return time.perf_counter() - began


def live(page: Page, run: Path) -> tuple[float, float, float, list[float], float]:
    """Return seconds to the first page, of a filter, of a search and of drawing, and the server's memory in MiB."""
    command = [sys.executable, "-m", "tsgkit", "view", str(run), "--no-open"]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            return *looked(page, server, began), peak(server.pid)
        finally:
            server.terminate()


def looked(page: Page, server: subprocess.Popen[str], began: float) -> tuple[float, float, float, list[float]]:
    """Return seconds to the first page, of a filter, of a search and of drawing."""
    line = server.stdout.readline() if server.stdout is not None else ""
    address = re.findall(r"http://\S+", line)[0]
    page.add_init_script(PAINTED)
    opened = time.perf_counter() - began
    page.goto(address)
    page.wait_for_function("() => window.painted")
    first = opened + page.evaluate("() => window.painted") / 1000
    page.goto(re.sub(r"(#/run/[^/]*).*", r"\1/samples", address))
    page.wait_for_selector("main [role=row] a")
    shown = "document.querySelector('main').innerText.includes"
    filtered = seconds(page, "location.hash += '?mark=w'", f"() => {shown}(' of {SAMPLES} samples: ')")
    is_other = "(before) => document.querySelector('main p.sum').innerText !== before"
    before = page.inner_text("main p.sum")
    page.fill("main input", "zzzz")  # what no text has
    page.wait_for_function(is_other, arg=before)  # the texts are read once
    before = page.inner_text("main p.sum")
    began = time.perf_counter()
    page.fill("main input", sized("scatter", "e"))
    page.wait_for_function(is_other, arg=before)
    searched = time.perf_counter() - began
    return first, filtered, searched, drawn(page)


def drawn(page: Page) -> list[float]:
    """Return the seconds that the page itself takes for each of some sorted filters."""
    page.evaluate("location.hash += '&sort=-item'")
    page.evaluate("performance.clearMeasures()")
    for text in ("c", "cu", "cup", "cup 1", "knife", ""):
        page.fill("main input", text)
        page.wait_for_timeout(300)
    took = page.evaluate("performance.getEntriesByName('filter samples').map((one) => one.duration)")
    return [milliseconds / 1000 for milliseconds in took]


def peak(process: int) -> float:
    """Return the most memory that a process has had, in MiB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024


def main() -> None:
    """Measure and print; exit with 1 where a limit is missed."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("there is no Chromium here")
    missed = False

    def told(what: str, value: float, limit: float, unit: str) -> None:
        nonlocal missed
        missed |= value > limit
        print(f"{what}: {value:.2f} {unit} (limit {limit:g}, ratio {value / limit:.2f})", flush=True)

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        run, file = Path(name) / "run", Path(name) / "run.html"
        models = [subject(number) for number in range(MODELS)]
        styles = ["zero-shot", "cot", "few-shot", "cot-few-shot"][:STYLES]
        tk.evaluate("tsg", model=models, style=styles, repeat=REPEATS, limit=ITEMS, out=run, concurrency=16, quiet=True)
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        first, filtered, searched, redrawn, memory = live(page, run)
        told("first page after the command", first, FIRST_PAGE, "s")
        told("a filter", filtered, FILTER, "s")
        told("a search in prompts and replies", searched, FILTER, "s")
        told("a sorted filter, in the page alone", statistics.median(redrawn), DRAWN, "s")
        told("the slowest of them", max(redrawn), LONGEST, "s")
        told("the server's memory", memory, MEMORY, "MiB")
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "tsgkit", "view", str(run), "-o", str(file)], check=True)
        size = file.stat().st_size / 1_000_000
        print(f"exported: {size:.1f} MB in {time.perf_counter() - began:.1f} s")
        page.goto("about:blank")
        began = time.perf_counter()
        page.goto(f"{file.as_uri()}#/run/{run.name}/samples")
        page.wait_for_selector("main [role=row] a")
        told("the exported file, open at its samples", time.perf_counter() - began, OPEN, "s")
        browser.close()
    raise SystemExit(missed and not SMOKE)


if __name__ == "__main__":
    main()
