"""Whatever a value holds, it comes out of a template byte for byte, and nothing else changes."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.library.templates import Template

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
