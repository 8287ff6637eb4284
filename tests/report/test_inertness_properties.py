"""Whatever a model, a file or an item is called, and whatever a reply holds: a page shows it and obeys none of it."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

import tempfile
import unicodedata
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
from pages import Page
from report_runs import ROWS, recorded

from tsgkit.report import html
from tsgkit.report.explanation import explain
from tsgkit.report.explanation_page import write_explanation
from tsgkit.report.page import write
from tsgkit.report.plain_text import HIDDEN
from tsgkit.report.report_rows import gather

HOSTILE = (
    "</style><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" \'',
    "]]></title></svg><script>x</script><!--",
    "&lt;b&gt; &amp; &#x3c;script&#x3e;",
    "\x1b[31mred\x1b]0;title\x07",
    "\u202eevil\u2066\u200f",
    "person -> verb -> </pre><script>\nwash -> dobj -> <svg onload=alert(1)>",
    "{{7*7}} ${7*7} javascript:alert(1)",
)
ANYTHING = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=60))


def hidden_in(source: str) -> set[str]:
    return {letter for letter in source if unicodedata.category(letter) in HIDDEN} - {"\n", "\t"}


@given(ANYTHING)
@example("\r\n\t\n<")
def test_text_stays_text_between_tags_and_in_attributes(value: str) -> None:
    body = [html.text(value), html.name(value), html.block(value), html.tag("p", title_="", aria_label=value)]
    source = html.whole_page(value, *body)
    problems = [problem for problem in Page(source).problems if "title" not in problem]
    assert problems == []
    assert hidden_in(source) == set()


@given(reply=ANYTHING, item=ANYTHING.map(str.strip).filter(bool), name=st.sampled_from(HOSTILE))
@settings(max_examples=25)
def test_pages_of_hostile_runs_are_whole_and_hold_nothing_but_ours(reply: str, item: str, name: str) -> None:
    item = item.encode("utf-8", "replace").decode()
    script = "".join("_" if letter in "/\0" else letter for letter in name) + ".jsonl"
    rows = [ROWS["ma-sgg"][0] | {"item_id": item, "domain": name, "tags": [name, reply], "target_sentence": name}]
    with tempfile.TemporaryDirectory() as folder:
        run = recorded(Path(folder), "ma-sgg", {item: reply}, rows=rows, script=script)
        for source in (write(gather([run], ["tag", "domain"])), write_explanation(explain(run, item))):
            assert Page(source).problems == []
            assert hidden_in(source) == set()
            assert "<script" not in source.lower()
