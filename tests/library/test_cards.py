"""Cards declare tasks: read as plain data, refused with the file and the field where something does not fit."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from tsgkit.errors import UsageError
from tsgkit.library.bundle import ROOMS
from tsgkit.library.cards import Card, card_from, card_names, load_card

GOOD = """title: A task
citation: Somebody
task: tsg/sgqa
version: 1
data: tsg/data/sgqa.jsonl
prompts: tsg/sgqa
metrics:
  exact_match: {pooling: pooled, better: more, headline: true}
"""


def card(text: str) -> Card:
    return card_from(text, "mine/x", "x.yaml")


def project(folder: Path, text: str) -> Path:
    for room in ROOMS:
        (folder / room).mkdir(parents=True)
    (folder / "tasks/tsg").mkdir()
    (folder / "tasks/tsg/sgqa.yaml").write_text(text)
    (folder / "tasks/tsg/others.yaml").write_text("datasets: []\n")
    return folder


def test_every_shipped_card_loads_and_runs_without_a_model(tmp_path: Path) -> None:
    rows: list[str] = ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"]
    for name in rows:
        shipped = load_card(name, start=tmp_path)
        assert (shipped.name, shipped.task, shipped.prompts) == (name, name, name), name
        assert (shipped.subject, shipped.temperature) == ("baseline/rules", 0.1), name
        assert any(metric.headline for metric in shipped.metrics.values()), name


def test_a_card_keeps_where_it_came_from_and_a_hash_of_its_text(tmp_path: Path) -> None:
    project(tmp_path, GOOD)
    loaded = load_card("tsg/sgqa", start=tmp_path)
    assert loaded.source == str(tmp_path / "tasks/tsg/sgqa.yaml")
    assert loaded.sha256 == hashlib.sha256(GOOD.encode()).hexdigest()


def test_a_misspelt_name_gets_a_hint(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no task tsg/sgq") as caught:
        load_card("tsg/sgq", start=tmp_path)
    assert caught.value.hint == "tsg/sgqa?"


def test_a_name_that_is_none_is_refused() -> None:
    rows: list[str] = ["", "/etc/x", "../x", "nothing/like/it"]
    for name in rows:
        assert "there is no task" in refusal(UsageError, load_card, name)


def test_card_errors_name_file_and_field() -> None:
    rows: list[tuple[str, str]] = [
        ("", "a card is fields and values, not nothing"),
        ("- a\n", "not a list"),
        ("word\n", "not one value"),
        (GOOD + "title: again\n", "line 9: the field title stands here twice"),
        (GOOD + "  exact_match: {pooling: pooled}\n", "line 9: the field exact_match stands here twice"),
        (GOOD + "titel: x\n", "there is no field titel"),
        (GOOD.replace("version: 1\n", ""), "missing: version"),
        (GOOD.replace("version: 1", "version: one"), "version: Input should be a valid integer"),
        (GOOD.replace("version: 1", "version: true"), "version: Input should be a valid integer"),
        (GOOD.replace("version: 1", "version: 0"), "version: "),
        (GOOD.replace("version: 1", f"version: {'9' * 5000}"), "a value that YAML cannot read"),
        (GOOD.replace("A task", "2026-99-99"), "a value that YAML cannot read"),
        (GOOD.replace("A task", "[a]"), "title: Input should be a valid string"),
        (GOOD.replace("A task", "''"), "title: "),
        (GOOD.replace("tsg/data/sgqa.jsonl", "../../etc/passwd"), "data: Value error, a path inside its room"),
        (GOOD.replace("tsg/data/sgqa.jsonl", "/etc/passwd"), "data: Value error, a path inside its room"),
        (GOOD.replace("task: tsg/sgqa", "task: tsg.suites.sgqa"), "task: "),
        (GOOD.replace("pooled", "summed"), "metrics.exact_match.pooling: "),
        (GOOD.replace("headline: true", "headline: maybe"), "metrics.exact_match.headline: "),
        (GOOD + "temperature: hot\n", "temperature: "),
        (GOOD + "temperature: .nan\n", "temperature: "),
        (GOOD + "temperature: -1\n", "temperature: "),
        (GOOD + "sha256: abc\n", "sha256: tsgkit sets this field, so a card must not have it"),
        (GOOD + "1: x\n", "1: the name of a field is a text"),
        (GOOD + "judge: !!python/object/apply:os.system ['true']\n", "could not determine a constructor"),
        (GOOD + "judge: &a x\nsubject: *a\n", "line 10: an alias"),
        (GOOD + "judge: [\n", "line 10: "),
        (GOOD + "judge: \x07\n", "not YAML"),
        (GOOD + "? {a: 1}\n: x\n", "x.yaml: "),
        (GOOD + "judge: " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        (GOOD + "# " + "x" * 200_000, "a declaration has at most"),
    ]
    for text, message in rows:
        found = refusal(UsageError, card, text)
        assert found.startswith("x.yaml: ") and message in found and "\n" not in found, (text[:300], found)


def test_a_misspelt_field_gets_a_hint() -> None:
    with pytest.raises(UsageError) as caught:
        card(GOOD + "exampels: x\n")
    assert caught.value.hint == "examples?"


def test_a_card_cannot_be_changed() -> None:
    loaded = card(GOOD)
    with pytest.raises(ValueError, match="frozen"):
        loaded.version = 2


def test_names_are_those_of_all_places_and_of_cards_alone(tmp_path: Path) -> None:
    project(tmp_path, GOOD)
    (tmp_path / "tasks/mine").mkdir()
    (tmp_path / "tasks/mine/x.yaml").write_text(GOOD)
    names = card_names(start=tmp_path)
    assert {"mine/x", "tsg/sgqa", "tsg/ma-sgg"} <= set(names) - {"tsg/others"}
    assert list(names) == sorted(set(names))


PIECES = [
    *GOOD.splitlines(keepends=True), "? ", ": ", "- ", "[", "]", "{", "}", ",", "\n", "  ", "\t", "#", "|", ">", "'",
    '"', "&a ", "*a", "<<: ", "!!", "!!bool x", "!!timestamp x", "!!int ''", "!!float ''", "!!set ", "!!omap ",
    "!!pairs ", "!!binary =", "!!null x", "---\n", "...\n", "%YAML 1.1\n", "0x", "1:99:99", ".inf", "2026-13-41", "~",
    "\x00", "\ud800",
]  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=20).map("".join))


def is_card_or_refused(text: str) -> bool:
    """Return whether a text gives a whole card, or a refusal that names the file; any other error goes through."""
    try:
        return bool(card_from(text, "x/x", "x.yaml").metrics)
    except UsageError as error:
        return error.message.startswith("x.yaml")


@given(TEXTS)
def test_any_text_and_any_value_of_a_field_is_a_card_or_a_usage_error(text: str) -> None:
    assert is_card_or_refused(text)
    assert is_card_or_refused(f"{GOOD}judge: {text}\n")


@given(st.data())
def test_a_card_with_a_line_gone_or_doubled_is_a_card_or_a_usage_error(data: st.DataObject) -> None:
    lines = GOOD.splitlines(keepends=True)
    place = data.draw(st.integers(0, len(lines) - 1))
    others = data.draw(st.lists(st.sampled_from(lines)))
    assert is_card_or_refused("".join(lines[:place] + others + lines[place + 1 :]))
