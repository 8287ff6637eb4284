"""A template is checked when it is loaded and filled literally, once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.templates import Template, load_template


def test_fields_are_filled_and_doubled_braces_become_one() -> None:
    template = Template.of('{a} and {b}: {{"x": {a}}}', required=("a", "b"))
    assert template.render(a="1", b="2") == '1 and 2: {"x": 1}'


def test_a_text_without_fields_is_itself() -> None:
    assert Template.of("plain\n").render() == "plain\n"


def test_values_without_a_field_are_left_out() -> None:
    assert Template.of("{a}", required=("a",), optional=("b",)).render(a="1", b="2") == "1"


@pytest.mark.parametrize(
    "text",
    ["{a.b}", "{a[0]}", "{a!r}", "{a:>10}", "{}", "{0}", "{ a }", '{"a": 1}', "{a.__class__.__mro__}", "{A}", "{a-b}"],
)
def test_anything_but_a_plain_name_in_braces_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(UsageError, match=r"x\.txt: line 3: .* only a plain name may stand in braces"):
        Template.of(f"one\ntwo\n{text}", optional=("a",), source="x.txt")


@pytest.mark.parametrize("text", ["{", "}", "{a", "a}", "{{a}", "{a}}", "{\na}", "{{{a}}"])
def test_an_unbalanced_brace_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(UsageError, match=r"x\.txt: line 2: a brace [{}] without its partner"):
        Template.of(f"one\n{text}", optional=("a",), source="x.txt")


def test_an_unknown_field_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"line 2: there is no field \{sentense\} here") as caught:
        Template.of("\n{sentense}", required=("sentence",), optional=("nodes",))
    assert caught.value.hint == "{sentence}?"


def test_a_missing_field_is_refused() -> None:
    with pytest.raises(UsageError, match=r"the text lacks \{b\}"):
        Template.of("{a}", required=("a", "b"))


@pytest.mark.parametrize("values", [{}, {"a": 1}, {"a": None}])
def test_a_field_without_a_text_is_refused_when_rendering(values: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=r"no text was given for \{a\}"):
        Template.of("{a}", required=("a",)).render(**values)


def test_a_file_is_named_in_what_is_said_of_it(tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_text("{b}")
    with pytest.raises(UsageError, match=r"input\.txt: line 1: there is no field \{b\}"):
        load_template(tmp_path / "input.txt", required=("a",))
    (tmp_path / "input.txt").write_bytes(b"\xff\xfea")
    with pytest.raises(FileProblem, match="UTF-16"):
        load_template(tmp_path / "input.txt")


def test_loading_a_template_does_not_import_langchain() -> None:
    code = (
        "import sys; from tsgkit.library.templates import Template; Template.of('{a}', required=('a',));"
        "print([name for name in sys.modules if name.startswith('langchain')])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
