"""Pages of panels in a real browser, served from memory under the policy of the live page."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tsgkit.browser.modules import joined, text_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Route

BASE = "http://panels.test/"
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
CHROMIUM = shutil.which("chromium")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'"
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Panels</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/page.css">
<link rel="stylesheet" href="/browser/panels/panels.css"></head><body><main><h1>Sample</h1>
<div id="sample"></div></main>%s</body></html>"""
STYLE = """:root { color-scheme: light dark; }
body { margin: 1rem; font: 15px/1.45 system-ui, sans-serif; background: #fff; color: #1f262c; }
@media (prefers-color-scheme: dark) { body { background: #1a1e22; color: #e5e9ec; } }"""
START = """const root = document.getElementById("sample");
fetch("/panels.json").then((found) => found.json()).then((panels) => {
  const imageURL = (number) => (name) => `/image/${number}/${encodeURIComponent(name)}`;
  panels.forEach((panel, number) => {
    const part = document.createElement("section"), title = document.createElement("h2");
    title.textContent = panel.title;
    part.append(title, drawPanel(panel, imageURL(number)));
    root.append(part);
  });
  root.dataset.drawn = "yes";
});"""
AS_MODULES = 'import { drawPanel } from "/browser/panels/panels.js";\n'


@contextmanager
def chromium(*more: str) -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *more])
        yield browser
        browser.close()


def violations(page: Page, *impacts: str) -> list[tuple[str, list[str]]]:
    """Return what axe finds wrong with a page, of these impacts or of any: rules, each with its elements.

    Axe describes all elements of the violations alone, which takes a quarter of the time.
    """
    from axe_core_python.sync_playwright import Axe

    found = Axe().run(page, options={"resultTypes": ["violations"]})["violations"]
    wanted = [one for one in found if not impacts or one["impact"] in impacts]
    return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in wanted]


def _problems(said: ConsoleMessage) -> list[str]:
    """Return the text of an error or warning; that reading pixels takes time is none."""
    is_one = said.type in ("error", "warning") and "GPU stall due to ReadPixels" not in said.text
    return [said.text] if is_one else []


@contextmanager
def panel_page(
    browser: Browser,
    panels: Sequence[Mapping[str, Any]],
    images: Mapping[str, bytes] | None = None,
    *,
    modules: bool = False,
    **options: Any,  # noqa: ANN401  (those of a context)
) -> Iterator[Page]:
    """Yield a page of these panels, drawn; what goes wrong in it, and requests for anything else, fail the test."""
    scripts = ["/start.js"] if modules else ["/bundle.js", "/start.js"]
    kind = ' type="module"' if modules else ""
    page_text = PAGE % "".join(f'<script src="{name}"{kind}></script>' for name in scripts)
    texts = {
        "": (page_text, "text/html"),
        "page.css": (STYLE, "text/css"),
        "bundle.js": (joined("panels/panels.js"), "text/javascript"),
        "start.js": (AS_MODULES * modules + START, "text/javascript"),
        "panels.json": (json.dumps(list(panels)), "application/json"),
    }
    problems: list[str] = []

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(BASE)
        if name in texts:
            body, media = texts[name]
        elif name.startswith("browser/") and files("tsgkit.browser").joinpath(*name.split("/")[1:]).is_file():
            body, media = (
                text_of(name.removeprefix("browser/")),
                "text/css" if name.endswith("css") else "text/javascript",
            )
        elif name.startswith("image/") and name.rpartition("/")[2] in (images or {}):
            route.fulfill(body=(images or {})[name.rpartition("/")[2]], content_type="image/png")
            return
        else:
            problems.append(f"asked for {route.request.url}")
            route.abort()
            return
        route.fulfill(body=body, content_type=media, headers={"Content-Security-Policy": POLICY})

    def refuse(dialog: Dialog) -> None:
        problems.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.extend(_problems(said)))
    page.on("dialog", refuse)
    context.route("**/*", answer)
    page.goto(BASE)
    page.wait_for_selector("#sample[data-drawn]", state="attached")
    try:
        yield page
    finally:
        context.close()
    assert not problems, problems
