"""Projects and what they declare: tasks, datasets and templates; what is wrong is refused with its file and place."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.bundle import ROOMS, bundled
from tsgkit.library.cards import Card, card_from, card_names, load_card
from tsgkit.library.catalogue import catalogue, known
from tsgkit.library.projects import find, working_project
from tsgkit.library.templates import Template, load_template

EXAMPLE = "tsg/examples/tea.jsonl"
GOOD = """title: A task
citation: Somebody
task: tsg/sgqa
version: 1
data: tsg/data/sgqa.jsonl
prompts: tsg/sgqa
metrics:
  exact_match: {pooling: pooled, better: more, headline: true}
"""


def project(folder: Path, **files: str) -> Path:
    """Return a project with these files below its tasks; ``a_b_yaml`` stands for ``a/b.yaml``."""
    for room in ROOMS:
        (folder / room).mkdir(parents=True)
    for name, text in files.items():
        path = folder / "tasks" / ".".join(name.replace("_", "/").rsplit("/", 1))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


# Projects


def test_things_are_found_in_the_caller_s_folders_then_the_working_project_then_the_shipped_one(tmp_path: Path) -> None:
    assert working_project(tmp_path) is None
    assert '"tea"' in find("tasks", EXAMPLE, start=tmp_path).read_text()
    work, named = (project(tmp_path / name, tsg_examples_tea_jsonl=name) for name in ("work", "named"))
    deep = work / "tasks" / "tsg"
    assert working_project(deep) == work
    assert find("tasks", EXAMPLE, start=deep).read_text() == "work"
    assert find("tasks", EXAMPLE, [named], start=deep).read_text() == "named"
    assert find("tasks", EXAMPLE, [named / "tasks"], start=deep).read_text() == "named", "the room itself"
    (tmp_path / "tasks").mkdir()
    (tmp_path / "prompts").mkdir()
    assert working_project(tmp_path) is None, "two of three rooms make no project"
    with pytest.raises(UsageError, match=r"tasks has no tsg/none\.yaml") as caught:
        find("tasks", "tsg/none.yaml", start=work)
    assert str(work / "tasks") in caught.value.hint
    for name in ("", "/etc/passwd", "../secrets", "tsg/../../x"):
        with pytest.raises(UsageError, match="no name inside"):
            find("tasks", name)
    with pytest.raises(UsageError, match="no such folder"):
        find("tasks", EXAMPLE, [tmp_path / "nowhere"])
    with pytest.raises(UsageError, match="no folder 'bench'"):
        bundled("bench")


# Cards


def card(text: str) -> Card:
    return card_from(text, "mine/x", "x.yaml")


def test_every_shipped_card_loads_and_runs_without_a_model(tmp_path: Path) -> None:
    for name in ("tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"):
        shipped = load_card(name, start=tmp_path)
        assert (shipped.name, shipped.task, shipped.prompts) == (name, name, name), name
        assert (shipped.subject, shipped.temperature) == ("baseline/rules", 0.1), name
        assert any(metric.headline for metric in shipped.metrics.values()), name


def test_a_card_is_found_by_its_name_and_keeps_where_it_came_from(tmp_path: Path) -> None:
    project(tmp_path, tsg_sgqa_yaml=GOOD, tsg_others_yaml="datasets: []\n", mine_x_yaml=GOOD)
    loaded = load_card("tsg/sgqa", start=tmp_path)
    assert loaded.source == str(tmp_path / "tasks/tsg/sgqa.yaml")
    assert loaded.sha256 == hashlib.sha256(GOOD.encode()).hexdigest()
    with pytest.raises(UsageError, match="there is no task tsg/sgq") as caught:
        load_card("tsg/sgq", start=tmp_path)
    assert caught.value.hint == "tsg/sgqa?"
    for name in ("", "/etc/x", "../x", "nothing/like/it"):
        assert "there is no task" in refusal(UsageError, load_card, name)
    with pytest.raises(ValueError, match="frozen"):
        loaded.version = 2
    names = card_names(start=tmp_path)
    assert {"mine/x", "tsg/sgqa", "tsg/ma-sgg"} <= set(names) - {"tsg/others"}
    assert list(names) == sorted(set(names))


def test_card_errors_name_file_and_field() -> None:
    outside, integer = "data: Value error, a path inside its room", "version: Input should be a valid integer"
    rows: list[tuple[str, str]] = [
        ("", "a card is fields and values, not nothing"),
        ("- a\n", "not a list"),
        ("word\n", "not one value"),
        (GOOD + "title: again\n", "line 9: the field title stands here twice"),
        (GOOD + "  exact_match: {pooling: pooled}\n", "line 9: the field exact_match stands here twice"),
        (GOOD + "titel: x\n", "there is no field titel"),
        (GOOD.replace("version: 1\n", ""), "missing: version"),
        (GOOD.replace("version: 1", "version: one"), integer),
        (GOOD.replace("version: 1", "version: true"), integer),
        (GOOD.replace("version: 1", "version: 0"), "version: "),
        (GOOD.replace("version: 1", f"version: {'9' * 5000}"), "a value that YAML cannot read"),
        (GOOD.replace("A task", "2026-99-99"), "a value that YAML cannot read"),
        (GOOD.replace("A task", "[a]"), "title: Input should be a valid string"),
        (GOOD.replace("A task", "''"), "title: "),
        (GOOD.replace("tsg/data/sgqa.jsonl", "../../etc/passwd"), outside),
        (GOOD.replace("tsg/data/sgqa.jsonl", "/etc/passwd"), outside),
        (GOOD.replace("task: tsg/sgqa", "task: tsg.suites.sgqa"), "task: "),
        (GOOD.replace("pooled", "summed"), "metrics.exact_match.pooling: "),
        (GOOD.replace("headline: true", "headline: maybe"), "metrics.exact_match.headline: "),
        *((GOOD + f"temperature: {value}\n", "temperature: ") for value in ("hot", ".nan", "-1")),
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
    with pytest.raises(UsageError) as caught:
        card(GOOD + "exampels: x\n")
    assert caught.value.hint == "examples?"


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
        return bool(card(text).metrics)
    except UsageError as error:
        return error.message.startswith("x.yaml")


@given(TEXTS, st.data())
def test_any_text_any_value_of_a_field_and_any_change_of_lines_is_a_card_or_a_usage_error(
    text: str, data: st.DataObject
) -> None:
    assert is_card_or_refused(text)
    assert is_card_or_refused(f"{GOOD}judge: {text}\n")
    lines = GOOD.splitlines(keepends=True)
    place = data.draw(st.integers(0, len(lines) - 1))
    others = data.draw(st.lists(st.sampled_from(lines)))
    assert is_card_or_refused("".join(lines[:place] + others + lines[place + 1 :]))


# Known datasets

FINE = """
mine:
  about: rows of my own
  base: https://data.example
  repository: me/rows
  commit: v1
  licence: MIT
  files:
    - {name: a.jsonl, task: a, path: data/a.jsonl}
"""


def test_the_published_benchmark_is_known_with_an_address_and_a_checksum_for_every_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dataset = known("tsg-bench")
    assert dataset.tasks == ("sgqa", "sgds", "sa-sgg", "ma-sgg")
    assert [file.rows for file in dataset.files] == [100, 250, 1188, 853]
    assert all(file.check and file.name == f"{file.task}.jsonl" for file in dataset.files)
    assert "no licence" in dataset.licence
    path = "/docworlds/tsg-bench/29a1ce44c99689ccc12e38b31a04cc0ccba3f26e/resource/dataset/understanding/sgds.jsonl"
    assert dataset.url(dataset.file("sgds")) == "https://raw.githubusercontent.com" + path
    monkeypatch.setenv("TSGKIT_SOURCE", "http://127.0.0.1:1/")
    assert dataset.url(dataset.file("sgds")) == "http://127.0.0.1:1" + path
    assert dataset.url(dataset.file("sgds"), "http://here") == "http://here" + path
    with pytest.raises(UsageError, match="no dataset is called tsgbench") as caught:
        known("tsgbench")
    assert caught.value.hint == "tsg-bench?"
    with pytest.raises(UsageError, match="has no data of layout"):
        dataset.file("layout")


def test_a_project_adds_datasets_whose_wrong_declarations_are_refused_with_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = project(tmp_path, own_datasets_yaml=FINE) / "tasks/own/datasets.yaml"
    monkeypatch.chdir(tmp_path)
    assert list(catalogue()) == ["mine", "formalimg", "sceneeval", "spatialgeneval", "tsg-bench"]
    assert (known("mine").suite, known("mine").file("a").check) == ("own", None)
    licensed = "  licence: MIT\n"
    for old, new, message in (
        ("mine:", "../mine:", "name"),
        ("mine:", "Mine:", "name"),
        ("https://data.example", "file:///etc", "base"),
        ("me/rows", "me/../rows", "repository"),
        ("v1", "a/b", "commit"),
        ("name: a.jsonl", "name: ../a.jsonl", "files.0.name"),
        ("path: data/a.jsonl", "path: /etc/passwd", "files.0.path"),
        ("path: data/a.jsonl", "path: data/../../a", "files.0.path"),
        ("path: data/a.jsonl}", "path: a, check: md5:00}", "files.0.check"),
        ("path: data/a.jsonl}", "path: a, rows: many}", "files.0.rows"),
        ("path: data/a.jsonl}", "path: a, size: 3}", "files.0.size"),
        (licensed, "", "licence: Field required"),
        ("    - {name", "    - {name: b.jsonl, task: a, path: b}\n    - {name", "two files of one name or task"),
        ("  base: https://data.example\n", "", "base, repository and commit must be given together"),
        (FINE, "mine: [", "line 1: expected the node content"),
        (FINE, "- mine", "expected datasets by name"),
        (FINE, "mine: 3", "expected the fields of a dataset"),
        (FINE, "!!python/object/apply:os.getcwd []", "line 1: could not determine a constructor"),
    ):
        assert old in FINE, old
        declared.write_text(FINE.replace(old, new, 1))
        found = refusal(UsageError, catalogue)
        assert message in found and "own/datasets.yaml" in found, (old, found)
    declared.write_text(re.sub(r"  (base|repository|commit).*\n", "", FINE))
    with pytest.raises(UsageError, match="mine: it has no download address") as caught:
        known("mine").url(known("mine").files[0])
    assert caught.value.hint.endswith("tsgkit data import mine FILE")


# Templates


def test_fields_are_filled_literally_once_and_must_all_be_given() -> None:
    template = Template.of('{a} and {b}: {{"x": {a}}}', required=("a", "b"))
    assert template.render(a="1", b="2") == '1 and 2: {"x": 1}'
    assert Template.of("{a}", required=("a",), optional=("b",)).render(a="1", b="2") == "1"
    rows: list[dict[str, Any]] = [{}, {"a": 1}, {"a": None}]
    for values in rows:
        with pytest.raises(UsageError, match=r"no text was given for \{a\}"):
            Template.of("{a}", required=("a",)).render(**values)


def test_anything_but_a_known_name_in_balanced_braces_is_refused_with_its_line(tmp_path: Path) -> None:
    odd = ["a.b", "a[0]", "a!r", "a:>10", "", "0", '"a":1', "a.__class__.__mro__", "A", "a-b"]
    for text in odd:
        message = refusal(UsageError, Template.of, f"one\ntwo\n{{{text}}}", optional=("a",), source="x.txt")
        assert message.startswith("x.txt: line 3: ") and "only a plain name may stand in braces" in message, text
    for text in ["{", "}", "{a", "a}", "{{a}", "{a}}", "{\na}", "{{{a}}"]:
        message = refusal(UsageError, Template.of, f"one\n{text}", optional=("a",), source="x.txt")
        assert re.match(r"x\.txt: line 2: a brace [{}] without its partner", message), text
    with pytest.raises(UsageError, match=r"line 2: there is no field \{sentense\} here") as caught:
        Template.of("\n{sentense}", required=("sentence",), optional=("nodes",))
    assert caught.value.hint == "{sentence}?"
    with pytest.raises(UsageError, match=r"the text lacks \{b\}"):
        Template.of("{a}", required=("a", "b"))
    (tmp_path / "input.txt").write_text("{b}")
    with pytest.raises(UsageError, match=r"input\.txt: line 1: there is no field \{b\}"):
        load_template(tmp_path / "input.txt", required=("a",))
    (tmp_path / "input.txt").write_bytes(b"\xff\xfea")
    with pytest.raises(FileProblem, match="UTF-16"):
        load_template(tmp_path / "input.txt")


SYNTAX = ["{", "}", "{{", "}}", "{a}", "{b}", "{{a}}", "{a.x}", "{0}", "{% x %}", "<a>", "!r", ":>9", "$a", "%s", "\n"]
VALUES = st.one_of(st.text(), st.lists(st.sampled_from([*SYNTAX, "word", " "])).map("".join))
LITERALS = st.lists(st.one_of(st.sampled_from(SYNTAX), st.text(max_size=5)), max_size=5).map("".join)


@given(VALUES, VALUES, LITERALS, LITERALS)
def test_values_and_literal_text_come_out_as_python_formats_them(a: str, b: str, first: str, second: str) -> None:
    escaped = [text.replace("{", "{{").replace("}", "}}") for text in (first, second)]
    template = Template.of(f"{escaped[0]}{{a}}{escaped[1]}{{b}}{escaped[0]}", required=("a", "b"))
    assert template.render(a=a, b=b) == f"{first}{a}{second}{b}{first}"
    try:
        template = Template.of(first, optional=("a", "b"))
    except UsageError:
        return
    assert template.render(a=a, b=b) == first.format(a=a, b=b)
