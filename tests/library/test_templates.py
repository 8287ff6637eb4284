"""A template is checked when it is loaded and filled literally, once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.templates import Template, load_template


def test_fields_are_filled_and_doubled_braces_become_one() -> None:
    template = Template.of('{a} and {b}: {{"x": {a}}}', required=("a", "b"))
    assert template.render(a="1", b="2") == '1 and 2: {"x": 1}'


def test_values_without_a_field_are_left_out() -> None:
    assert Template.of("{a}", required=("a",), optional=("b",)).render(a="1", b="2") == "1"


def test_anything_but_a_plain_name_in_balanced_braces_is_refused_with_its_line() -> None:
    for text in [
        "{a.b}",
        "{a[0]}",
        "{a!r}",
        "{a:>10}",
        "{}",
        "{0}",
        '{"a":1}',
        "{a.__class__.__mro__}",
        "{A}",
        "{a-b}",
    ]:
        message = refusal(UsageError, Template.of, f"one\ntwo\n{text}", optional=("a",), source="x.txt")
        assert message.startswith("x.txt: line 3: ") and "only a plain name may stand in braces" in message, text
    for text in ["{", "}", "{a", "a}", "{{a}", "{a}}", "{\na}", "{{{a}}"]:
        message = refusal(UsageError, Template.of, f"one\n{text}", optional=("a",), source="x.txt")
        assert re.match(r"x\.txt: line 2: a brace [{}] without its partner", message), text


def test_an_unknown_field_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"line 2: there is no field \{sentense\} here") as caught:
        Template.of("\n{sentense}", required=("sentence",), optional=("nodes",))
    assert caught.value.hint == "{sentence}?"


def test_a_missing_field_is_refused() -> None:
    with pytest.raises(UsageError, match=r"the text lacks \{b\}"):
        Template.of("{a}", required=("a", "b"))


def test_a_field_without_a_text_is_refused_when_rendering() -> None:
    rows: list[dict[str, Any]] = [{}, {"a": 1}, {"a": None}]
    for values in rows:
        with pytest.raises(UsageError, match=r"no text was given for \{a\}"):
            Template.of("{a}", required=("a",)).render(**values)


def test_a_file_is_named_in_what_is_said_of_it(tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_text("{b}")
    with pytest.raises(UsageError, match=r"input\.txt: line 1: there is no field \{b\}"):
        load_template(tmp_path / "input.txt", required=("a",))
    (tmp_path / "input.txt").write_bytes(b"\xff\xfea")
    with pytest.raises(FileProblem, match="UTF-16"):
        load_template(tmp_path / "input.txt")


SYNTAX = ["{", "}", "{{", "}}", "{a}", "{b}", "{{a}}", "{a.x}", "{0}", "{% x %}", "<a>", "!r", ":>9", "$a", "%s", "\n"]
VALUES = st.one_of(st.text(), st.lists(st.sampled_from([*SYNTAX, "word", " "])).map("".join))
LITERALS = st.lists(st.one_of(st.sampled_from(SYNTAX), st.text(max_size=5)), max_size=5).map("".join)


def escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


@given(VALUES, VALUES, LITERALS, LITERALS, LITERALS)
def test_values_and_literal_text_come_out_as_they_are(a: str, b: str, first: str, second: str, third: str) -> None:
    text = f"{escaped(first)}{{a}}{escaped(second)}{{b}}{escaped(third)}"
    assert Template.of(text, required=("a", "b")).render(a=a, b=b) == f"{first}{a}{second}{b}{third}"


@given(LITERALS)
def test_templates_accept_what_python_formats_and_refuse_the_rest(text: str) -> None:
    try:
        template = Template.of(text, optional=("a", "b"))
    except UsageError:
        return
    assert template.render(a="A", b="B") == text.format(a="A", b="B")
