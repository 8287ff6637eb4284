"""The modules of all pages: written without markup, and joined into one script without a clash of names."""

from __future__ import annotations

import re

from tsgkit.browser.modules import TOP_LEVEL, in_order, joined, text_of

PAGES = ("live.js", "exported.js", "editing.js", "deciding.js", "room.js", "widget.js", "panels/panels.js")
MARKUP = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"


def test_modules_are_short_write_no_markup_share_no_name_and_are_joined_without_exports() -> None:
    modules = {module for page in PAGES for module in in_order(page)}
    assert len(modules) > 45
    for module in modules:
        text = text_of(module)
        assert text.startswith("// "), module
        assert len(text.splitlines()) < 350, module
        assert not re.search(MARKUP, text), module
    for page in PAGES:
        names = [name for module in in_order(page) for name in TOP_LEVEL.findall(text_of(module))]
        assert sorted({name for name in names if names.count(name) > 1}) == [], page
        assert "export " not in joined(page), page
