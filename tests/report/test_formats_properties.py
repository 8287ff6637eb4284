"""Whatever a model, file or error is called, no format lets it be more than text."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable
from xml.etree import ElementTree

from hypothesis import example, given
from hypothesis import strategies as st
from reported import hostile

from tsgkit.report import json_value, junit, markdown, spreadsheet, summary, terminal
from tsgkit.report import latex as latex_tables
from tsgkit.report import latex_text as latex
from tsgkit.report.plain_text import HIDDEN, inert

NASTY = [
    "\x1b[31mred\x1b]0;title\x07",
    "\u202egnp.exe",
    "\u200b\ufeff\x00\x85",
    "\\input{/etc/passwd}\\write18{id}",
    "$x^2_{}$ & % # ~ [1] *",
    "=1+1",
    "+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "＝1",
    'a|b`c``d <b onload="x">[l](http://x) ![i](x) @user #1 https://x.y',
    '"]]><x/>&amp;&#1;',
    "\ud800\uffff",
    "`",
    "a",
    "\\",
    "a\nb\r\nc\u2028d",
    "",
    " ",
]
names = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from([*NASTY, *"\\{}$&#_%^~|`<>\"'=+-@\t\r\n\x1b"]), max_size=6).map("".join),
)


def nasty(test: Callable[[str], None]) -> Callable[[], None]:
    for name in NASTY:
        test = example(name)(test)
    return given(names)(test)


def hidden(text: str) -> set[str]:
    return {letter for letter in text if unicodedata.category(letter) in HIDDEN} - {"\n"}


@nasty
def test_a_terminal_gets_nothing_to_obey_and_as_many_lines_as_ever(name: str) -> None:
    text = terminal.write(hostile(name))
    assert not hidden(text)
    assert text.count("\n") == terminal.write(hostile("x")).count("\n")


@nasty
def test_markdown_keeps_names_in_code_spans_and_the_shape_of_its_tables(name: str) -> None:
    for write in (markdown.write, summary.write):
        text, plain = write(hostile(name)), write(hostile("x"))
        assert not hidden(text)
        lines, others = text.split("\n"), plain.split("\n")
        assert len(lines) == len(others)
        for line, other in zip(lines, others, strict=True):
            assert line.count("`") % 2 == 0
            assert line.count("|") == other.count("|")
            outside = re.sub(r"`[^`]*`", "", line)
            assert outside.replace("(blank)", "") == re.sub(r"`[^`]*`", "", other)


@nasty
def test_no_cell_of_a_spreadsheet_is_a_formula(name: str) -> None:
    text = spreadsheet.write(hostile(name))
    rows = list(csv.reader(io.StringIO(text, newline="")))
    plain = list(csv.reader(io.StringIO(spreadsheet.write(hostile("x")), newline="")))
    assert [len(row) for row in rows] == [len(row) for row in plain]
    assert not hidden(text.replace("\r\n", ""))
    for row in rows:
        for cell in row:
            number = re.fullmatch(r"-?[0-9.]+(e-?[0-9]+)?", cell)
            assert number or not cell.lstrip().startswith(spreadsheet.FORMULA), cell


@nasty
def test_latex_gets_only_its_own_commands(name: str) -> None:
    text = latex.escaped(name)
    assert set(text) <= latex.TYPESET | set(map(chr, range(32, 127)))
    own = r"\\(?:textbackslash|textless|textgreater|textbar|char34)\{\}|\\[`^~]\{\}|\\[ {}$&#_%]"
    for shown in (text, latex.breakable(name).replace("\\allowbreak{}", "")):
        left = re.sub(own, "", shown)
        assert not set(left) & set("\\$#%&~^_")
        assert not re.search(r"(?<!\{)[\[*]", left)
        assert re.sub(r"[^{}]|\{\}|\{[]\[*]\}", "", left) == ""


@nasty
def test_latex_comments_take_one_line_each(name: str) -> None:
    lines = latex_tables.write(hostile(name)).split("\n\n")[0].split("\n")
    assert len(lines) == 5
    assert all(line.startswith("% ") and not hidden(line) for line in lines)


@nasty
def test_json_carries_names_as_they_are_and_writes_plain_ascii(name: str) -> None:
    text = json_value.write(hostile(name))
    assert text.isascii()
    assert not hidden(text)
    assert json.loads(text)["rows"][0]["subject"] == name


@nasty
def test_junit_is_xml_whatever_it_names(name: str) -> None:
    tree = ElementTree.fromstring(junit.write(hostile(name)))  # noqa: S314  (our own)
    assert not hidden("".join(tree.itertext()))
    cases = tree.findall(".//testcase")
    assert len(cases) == 2
    assert inert(name).replace("\uffff", "\\uffff").replace("\ufffe", "\\ufffe") in cases[0].attrib["name"]


def test_latex_gets_the_letters_of_europe_and_numbers_for_others() -> None:
    assert latex.escaped("é ü Ł 茶") == latex.escaped("e\u0301 u\u0308 Ł 茶") == "é ü Ł {[}U+8336{]}"
