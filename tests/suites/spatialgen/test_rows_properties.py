"""Property tests: rows are written back unchanged, and parsing a question never fails."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.suites.spatialgen.rows import LETTERS, question_from, read_rows, written

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PIECES = st.sampled_from(["Options: ", "  ", ", ", ". ", "A: ", "B: ", "C: ", "D: ", "E: ", "E: None", "cup", ",", ":"])
TEXTS = st.lists(PIECES | WORDS, max_size=14).map("".join)
COLUMN = st.lists(TEXTS, max_size=11)


@given(TEXTS)
def test_a_question_comes_back_to_the_byte(text: str) -> None:
    question = question_from(text, "A")
    assert question.written() == text
    assert list(question.options) == sorted(question.options)


@given(
    st.tuples(*[WORDS.filter(lambda text: ":" not in text)] * len(LETTERS)),
    st.tuples(*[st.sampled_from([", ", ". "])] * (len(LETTERS) - 1)),
)
def test_options_without_colons_are_found_as_they_were_written(
    texts: tuple[str, ...], separators: tuple[str, ...]
) -> None:
    options = dict(zip(LETTERS, texts, strict=True))
    written_as = (
        f"{before}{letter}: {text}" for before, (letter, text) in zip(("", *separators), options.items(), strict=True)
    )
    assert question_from("Where?  Options: " + "".join(written_as), "A").options == options


@given(WORDS, WORDS, TEXTS, COLUMN, COLUMN, COLUMN, st.dictionaries(WORDS, st.none() | WORDS, max_size=2))
def test_a_row_comes_back_to_the_byte(
    item: str, scene: str, prompt: str, types: list[str], texts: list[str], answers: list[str], more: dict[str, object]
) -> None:
    fields = {"id": item, "scene": scene, "prompt": prompt, "question_type": types}
    columns = {"questions": texts, "answers": answers}
    others = {name: part for name, part in more.items() if name not in {*fields, *columns}}
    line = json.dumps({**fields, **columns, **others}, ensure_ascii=False)
    (row,) = read_rows([line.encode()], "x")
    assert written(row) == line
    assert len(row.questions) == min(len(types), len(texts), len(answers))
