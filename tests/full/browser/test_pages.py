"""Pages of reports, explanations and rooms in Chromium: legible on phones, in the dark, without scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from in_chromium import violations
from playwright.sync_api import Browser, ViewportSize
from suite_runs import RUNS, STORED, stored

from tsgkit.cli import main
from tsgkit.report.explanation import explain
from tsgkit.report.explanation_page import write_explanation
from tsgkit.report.page import write
from tsgkit.report.report_rows import HEADLINE, gather

ITEMS = {"tsg": "pcr/1", "formalimg": "knolling/1", "sceneeval": "1", "spatialgen": "000002"}
LOOKS: tuple[tuple[int, Literal["dark", "light"]], ...] = ((400, "dark"), (1280, "light"))
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made: dict[str, Path] = {}
    for suite, name in RUNS.items():
        run = stored(folder, name)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(run.parent)  # images and scenes lie there
            sources = {
                "report": write(gather([run], metrics=HEADLINE)),
                "item": write_explanation(explain(run, ITEMS[suite])),
            }
        for kind, source in sources.items():
            made[f"{suite}-{kind}"] = folder / f"{suite}-{kind}.html"
            made[f"{suite}-{kind}"].write_text(source, encoding="utf-8")
    made["room"] = folder / "room.html"
    assert main(["scene", "show", str(STORED / "sceneeval/rooms/scene_1.json"), "-o", str(made["room"])]) == 0
    return made


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_pages_fit_their_screen_load_nothing_and_are_accessible(
    pages: dict[str, Path], browser: Browser, width: int, scheme: Literal["dark", "light"]
) -> None:
    requests, said = list[str](), list[str]()
    size: ViewportSize = {"width": width, "height": 900}
    page = browser.new_page(viewport=size, color_scheme=scheme, bypass_csp=True)  # for axe, a script of the test
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    for name, path in pages.items():
        page.goto(path.as_uri())
        assert page.evaluate(OVERFLOW) <= 0, name
        assert violations(page) == [], name
        if scheme == "dark" and name in ("tsg-item", "room"):
            ground = page.locator("figure svg > rect").first.evaluate("(rect) => getComputedStyle(rect).fill")
            assert ground == page.evaluate("getComputedStyle(document.body).backgroundColor"), name
    assert [url for url in requests if not url.startswith("data:")] == [path.as_uri() for path in pages.values()]
    assert said == []
    page.close()
