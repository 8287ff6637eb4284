"""What projects declare and how tables become rows; what is wrong is refused with its file and place."""

from __future__ import annotations

import csv
import datetime
import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.library import tables
from tsgkit.library.cards import Card, card_from, card_names, load_card
from tsgkit.library.datasets import catalogue, known
from tsgkit.library.projects import ROOMS, bundled, find, working_project
from tsgkit.library.row_sources import Wanted, chosen, parts_of, pinned, row_place, sets_of, with_mapping
from tsgkit.library.tables import FieldRule, RowMapping, mapping_for, mappings_in
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


def card(text: str) -> Card:
    return card_from(text, "mine/x", "x.yaml")


def test_every_shipped_card_loads_and_one_of_a_project_is_found_by_its_name(tmp_path: Path) -> None:
    for name in ("tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"):
        shipped = load_card(name, start=tmp_path)
        assert (shipped.name, shipped.task, shipped.prompts) == (name, name, name), name
        assert (shipped.subject, shipped.temperature) == ("baseline/rules", 0.1), name
        assert any(metric.headline for metric in shipped.metrics.values()), name
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
    outside, integer = "data: a path inside its room", "version: Input should be a valid integer"
    rows: list[tuple[str, str]] = [
        ("", "a card is fields and values, not nothing"), ("- a\n", "not a list"), ("word\n", "not one value"),
        (GOOD + "title: again\n", "line 9: the field title stands here twice"),
        (GOOD + "  exact_match: {pooling: pooled}\n", "line 9: the field exact_match stands here twice"),
        (GOOD + "titel: x\n", "there is no field titel"), (GOOD.replace("version: 1\n", ""), "missing: version"),
        (GOOD.replace("version: 1", "version: one"), integer), (GOOD.replace("version: 1", "version: true"), integer),
        (GOOD.replace("version: 1", f"version: {'9' * 5000}"), "a value that YAML cannot read"),
        (GOOD.replace("A task", "2026-99-99"), "a value that YAML cannot read"),
        (GOOD.replace("A task", "[a]"), "title: Input should be a valid string"),
        (GOOD.replace("A task", "''"), "title: "), (GOOD.replace("tsg/data/sgqa.jsonl", "../../etc/passwd"), outside),
        (GOOD.replace("tsg/data/sgqa.jsonl", "/etc/passwd"), outside),
        (GOOD.replace("task: tsg/sgqa", "task: tsg.suites.sgqa"), "task: "),
        (GOOD.replace("pooled", "summed"), "metrics.exact_match.pooling: "),
        (GOOD.replace("headline: true", "headline: maybe"), "metrics.exact_match.headline: "),
        *((GOOD + f"temperature: {value}\n", "temperature: ") for value in ("hot", ".nan", "-1")),
        *((GOOD + f"longest_answer: {value}\n", "longest_answer: ") for value in ("0", "1.5", "long")),
        (GOOD.replace("version: 1", "version: 0"), "version: "),
        (GOOD + "sha256: abc\n", "sha256: tsgkit sets this field, so a card must not have it"),
        (GOOD + "1: x\n", "1: the name of a field is a text"),
        (GOOD + "judge: !!python/object/apply:os.system ['true']\n", "could not determine a constructor"),
        (GOOD + "judge: &a x\nsubject: *a\n", "line 10: an alias"), (GOOD + "judge: [\n", "line 10: "),
        (GOOD + "judge: \x07\n", "not YAML"), (GOOD + "? {a: 1}\n: x\n", "x.yaml: "),
        (GOOD + "judge: " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        (GOOD + "# " + "x" * 200_000, "a declaration has at most"),
    ]  # fmt: skip
    for text, message in rows:
        found = refusal(UsageError, card, text)
        assert found.startswith("x.yaml: ") and message in found and "\n" not in found, (text[:300], found)
    with pytest.raises(UsageError) as caught:
        card(GOOD + "exampels: x\n")
    assert caught.value.hint == "examples?"


PIECES = [
    *GOOD.splitlines(keepends=True), "tasks:\n", "  sgqa:\n", "fields:\n", "  item_id: id\n", "others: keep\n",
    "  tags: {column: a, split: ';'}\n", "  graphs: {column: g, json: true}\n", "  domain: {value: 1}\n", "config: 1\n",
    "file: ../a.csv\n", "split: x\n", "? ", ": ", "- ", "[", "]", "{", "}", ",", "\n", "  ", "\t", "#", "|", ">", "'",
    '"', "&a ", "*a", "<<: ", "!!", "!!bool x", "!!timestamp x", "!!int ''", "!!float ''", "!!set ", "!!omap ",
    "!!pairs ", "!!binary =", "!!null x", "---\n", "...\n", "%YAML 1.1\n", "0x", "1:99:99", ".inf", ".nan",
    "2026-13-41", "~", "\x00", "\ud800",
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
        ("mine:", "../mine:", "name"), ("mine:", "Mine:", "name"), ("https://data.example", "file:///etc", "base"),
        ("me/rows", "me/../rows", "repository"), ("v1", "a/b", "commit"),
        ("name: a.jsonl", "name: ../a.jsonl", "files.0.name"),
        ("path: data/a.jsonl", "path: /etc/passwd", "files.0.path"),
        ("path: data/a.jsonl", "path: data/../../a", "files.0.path"),
        ("path: data/a.jsonl}", "path: a, check: md5:00}", "files.0.check"),
        ("path: data/a.jsonl}", "path: a, rows: many}", "files.0.rows"),
        ("path: data/a.jsonl}", "path: a, size: 3}", "files.0.size"), (licensed, "", "licence: Field required"),
        ("    - {name", "    - {name: b.jsonl, task: a, path: b}\n    - {name", "two files of one name or task"),
        ("  base: https://data.example\n", "", "base, repository and commit must be given together"),
        (FINE, "mine: [", "line 1: expected the node content"), (FINE, "- mine", "expected datasets by name"),
        (FINE, "mine: 3", "expected the fields of a dataset"),
        (FINE, "!!python/object/apply:os.getcwd []", "line 1: could not determine a constructor"),
    ):  # fmt: skip
        assert old in FINE, old
        declared.write_text(FINE.replace(old, new, 1))
        found = refusal(UsageError, catalogue)
        assert message in found and "own/datasets.yaml" in found, (old, found)
    declared.write_text(re.sub(r"  (base|repository|commit).*\n", "", FINE))
    with pytest.raises(UsageError, match="mine: it has no download address") as caught:
        known("mine").url(known("mine").files[0])
    assert caught.value.hint.endswith("tsgkit data import mine FILE")


def test_fields_are_filled_literally_once_and_must_all_be_given() -> None:
    template = Template.of('{a} and {b}: {{"x": {a}}}', required=("a", "b"))
    assert template.render(a="1", b="2") == '1 and 2: {"x": 1}'
    assert Template.of("{a}", required=("a",), optional=("b",)).render(a="1", b="2") == "1"
    wrong: list[dict[str, Any]] = [{}, {"a": 1}, {"a": None}]
    for values in wrong:
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
FILLINGS = st.one_of(st.text(), st.lists(st.sampled_from([*SYNTAX, "word", " "])).map("".join))
LITERALS = st.lists(st.one_of(st.sampled_from(SYNTAX), st.text(max_size=5)), max_size=5).map("".join)


@given(FILLINGS, FILLINGS, LITERALS, LITERALS)
def test_values_and_literal_text_come_out_as_python_formats_them(a: str, b: str, first: str, second: str) -> None:
    escaped = [text.replace("{", "{{").replace("}", "}}") for text in (first, second)]
    template = Template.of(f"{escaped[0]}{{a}}{escaped[1]}{{b}}{escaped[0]}", required=("a", "b"))
    assert template.render(a=a, b=b) == f"{first}{a}{second}{b}{first}"
    try:
        template = Template.of(first, optional=("a", "b"))
    except UsageError:
        return
    assert template.render(a=a, b=b) == first.format(a=a, b=b)


MAPPING = """
fields:
  item_id: id
  question: {column: text, strip: true}
  domain: {value: kitchen}
  tags: {column: labels, split: ";", strip: true}
  graphs: {column: graphs_json, json: true}
"""
GRAPHS = [[["person", "verb", "lift"]]]
COLUMNS = {"id": ["7"], "text": [" where? "], "labels": ["a; b"], "graphs_json": [json.dumps(GRAPHS)], "more": ["x"]}
ROW = {"item_id": "7", "question": "where?", "domain": "kitchen", "tags": ["a", "b"], "graphs": GRAPHS}


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache"


def write(name: str, columns: dict[str, list[Any]]) -> str:
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if name.endswith(".jsonl"):
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return name
    with Path(name).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, delimiter="\t" if name.endswith(".tsv") else ",")
        writer.writeheader()
        writer.writerows(rows)
    return name


def mapping(text: str = MAPPING, name: str = "m.yaml") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def rows_in(data: str, task: str = "", stored: str | None = None) -> list[dict[str, Any]]:
    place = row_place(data, stored)
    assert place is not None
    return [json.loads(line) for line in place.rows_of(task, stored).read_text().splitlines()]


def problem(data: str, task: str = "") -> str:
    with pytest.raises(TsgkitError) as raised:
        rows_in(data, task)
    assert "\n" not in str(raised.value)
    return f"{raised.value} | {raised.value.hint}"


def test_a_mapping_makes_the_same_rows_of_every_kind_of_table_named_or_beside_it() -> None:
    for name in ("rows.csv", "rows.tsv", "rows.jsonl"):
        assert rows_in(f"{write(name, COLUMNS)}#{mapping()}") == [ROW], name
    mapping(name="tsgkit.yaml")
    assert rows_in("rows.csv") == [ROW]
    mapping("fields: {item_id: id}\nothers: keep\n")
    assert set(rows_in("rows.csv#m.yaml")[0]) == {"item_id", "text", "labels", "graphs_json", "more"}
    hostile = ["{{ 7*7 }}", "{0.__class__}", "=HYPERLINK(1)", "$(id)", "../../etc/passwd", "!!python/object:x"]
    write("rows.csv", {"id": hostile})
    mapping("fields: {item_id: id, note: {value: '{item_id} ${HOME} !!x'}}")
    assert rows_in("rows.csv#m.yaml") == [{"item_id": one, "note": "{item_id} ${HOME} !!x"} for one in hostile]


def test_a_wrong_mapping_names_its_file_and_place() -> None:
    for text, expected in [
        ("fields: {a: {column: x, value: 1}}", "a column or a value is needed, and not both"),
        ("fields: {a: {split: ';'}}", "a column or a value is needed"),
        ("fields: {a: {column: x, split: ';', json: true}}", "split or json, not both"),
        ("fields: {a: {column: x, jsn: true}}", "there is no setting fields.a.jsn"),
        ("fields: {}", "fields"),
        ("field: {a: x}", "there is no setting field"),
        ("file: ../x.parquet", "not a path inside the dataset"),
        ("file: a.csv\nsplit: test", "file, or config and split, not both"),
        ("[1]", "a mapping is fields and values"),
        ("tasks: {sgqa: 3}", "tasks.sgqa: expected the fields of a mapping"),
        ("tasks: {sgqa: {fields: {a: x}}}\nsplit: test", "nothing beside tasks"),
        ("fields: {a: !!python/name:os.system }", "m.yaml"),
    ]:
        message = refusal(UsageError, mappings_in, text, "m.yaml")
        assert message.startswith("m.yaml: ") and expected in message, text


def test_a_cell_or_column_that_does_not_fit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    write("rows.csv", COLUMNS)
    mapping("fields: {item_id: ids}")
    assert problem("rows.csv#m.yaml") == "m.yaml: fields.item_id: rows.csv has no column ids | id?"
    Path("rows.parquet").write_bytes(b"")
    mapping()
    columns: list[tuple[dict[str, list[Any]], str]] = [
        ({"graphs_json": ["[]", "{"]}, "rows.parquet: row 2: column graphs_json: "),
        ({"labels": ["a", [1]]}, "rows.parquet: row 2: column labels: a text is needed, and this is a list"),
        ({"text": ["a", 3]}, "row 2: column text: a text is needed, and this is 3"),
        ({"id": ["a", b"\xff"]}, "row 2: item_id: binary data, which a row cannot hold"),
        ({"id": ["a", math.nan]}, "row 2: item_id: nan, which a row cannot hold"),
        ({"id": ["a", datetime.date(2020, 1, 1)]}, "row 2: item_id: a value of the kind date"),
    ]
    for column, expected in columns:
        table = {name: values * 2 for name, values in COLUMNS.items()} | column
        found = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
        monkeypatch.setattr(tables, "_parquet", lambda *_, found=found: iter(found))  # a column of Parquet has one type
        message = problem("rows.parquet#m.yaml")
        assert expected in message and "see m.yaml" in message


def test_a_broken_csv_file_leaves_nothing_in_the_cache_and_a_changed_one_is_read_anew(caches: Path) -> None:
    for text, expected in [
        (b"id,text\n1,a\n2\n", "rows.csv: row 2: 1 cells, and the header has 2"),
        (b"id,id\n1,2\n", "two columns are called 'id'"),
        (b'id\n"a"b\n', "line 2: not CSV"),
        (b'id\n"never closed\n', "not CSV"),
        (b"id\n\xff\n", "not UTF-8 text"),
    ]:
        Path("rows.csv").write_bytes(text)
        assert expected in problem("rows.csv"), text
    assert list((caches / "rows").iterdir()) == []
    for field, value in (("item_id", "7"), ("name", "7"), ("name", "8")):
        write("rows.csv", COLUMNS | {"id": [value]})
        mapping(f"fields: {{{field}: id}}")
        assert rows_in("rows.csv#m.yaml") == [{field: value}]
    assert len(list((caches / "rows").iterdir())) == 3


def test_places_of_rows_are_told_apart_and_what_is_not_there_is_named() -> None:
    found = mappings_in("tasks: {sgqa: {fields: {a: x}}, tsg/sgds: {fields: {b: y}}}", "m.yaml")
    assert mapping_for("tsg/sgqa", found) is found["sgqa"]
    assert mapping_for("tsg/sgds", found) is found["tsg/sgds"]
    write("rows.csv", COLUMNS)
    mapping("tasks: {sgqa: {fields: {a: id}}}")
    assert "there is no mapping for tsg/ma-sgg | it has sgqa" in problem("rows.csv#m.yaml", "tsg/ma-sgg")
    write("rows.jsonl", COLUMNS)
    assert row_place("rows.csv", native=(".csv",)) is None
    assert [row_place(name) for name in ("rows.jsonl", "tsg-bench", "-")] == [None] * 3
    assert pinned("rows.jsonl") == "rows.jsonl"
    write("a.csv#b.yaml", {"id": ["1"]})
    assert parts_of("a.csv#b.yaml") == ("a.csv#b.yaml", ""), "a name may have a hash"
    assert parts_of("b.csv#b.yaml") == ("b.csv", "b.yaml")
    assert "n.yaml: no such file" in problem("rows.csv#n.yaml")
    mapping()
    assert "row.csv: no such file or folder | rows.csv?" in problem("row.csv#m.yaml")
    Path("rows.bin").write_bytes(b"x")
    assert "rows.bin: no rows that m.yaml could map" in problem("rows.bin#m.yaml")
    with pytest.raises(UsageError, match="a mapping is a file in YAML"):
        with_mapping("rows.csv", "m.json")


def test_splits_and_configurations_choose_files() -> None:
    splits = ["data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet", "README.md", ".hidden/x.csv"]
    both = [f"{config}/{split}.csv" for config in ("easy", "hard") for split in ("train", "test")]
    assert chosen(splits, Wanted(split="test"), "x").paths == (splits[1],)
    assert chosen(both, Wanted(config="hard", split="test"), "x").paths == ("hard/test.csv",)
    for paths, wanted, reason in (
        (both, Wanted(split="test"), "several files could be meant: easy/test.csv, hard/test.csv"),
        (both, Wanted(split="dev"), "no rows of split dev in it"),
        ([f"test-0000{n}-of-00003.parquet" for n in (0, 2)], Wanted(), "test.parquet lacks 1 of its parts"),
    ):
        assert reason in refusal(UsageError, chosen, paths, wanted, "x")
    [parts] = sets_of(["default/test/0000.parquet", "default/test/0001.parquet"])
    assert parts.label == "default/test.parquet"


FIELDS = st.sampled_from(["a", "b", "c", "", "ünï", "__class__", "{a}", "a.b"])
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=3))
ROWS = st.dictionaries(FIELDS, VALUES | st.sampled_from(["[1]", "{", "a;b", " ; ", "NaN", "1e999"]))
NAMES = FIELDS.filter(bool)
RULES = st.one_of(
    NAMES,
    st.builds(lambda column, strip: {"column": column, "strip": strip}, NAMES, st.booleans()),
    st.builds(lambda column, split: {"column": column, "split": split}, NAMES, st.sampled_from([";", ", ", "aa"])),
    st.builds(lambda column: {"column": column, "json": True}, NAMES),
    st.builds(lambda value: {"value": value}, VALUES),
)
MAPPINGS = st.fixed_dictionaries(
    {"fields": st.dictionaries(NAMES, RULES, min_size=1)}, optional={"others": st.sampled_from(["keep", "drop"])}
)


@given(TEXTS, MAPPINGS)
def test_a_file_is_refused_by_name_or_a_mapping_whose_record_is_the_same_mapping(
    text: str, value: dict[str, Any]
) -> None:
    try:
        found = mappings_in(text, "m.yaml")
    except UsageError as error:
        assert error.message.startswith("m.yaml")
    else:
        assert all(len(one.sha256) == 64 for one in found.values())
    (first,) = mappings_in(json.dumps(value), "m.yaml").values()
    (again,) = mappings_in(json.dumps(first.value), "again").values()
    assert (again.mapping, again.sha256) == (first.mapping, first.sha256)


@given(MAPPINGS, ROWS)
def test_a_row_gets_the_fields_of_its_mapping_and_stays_as_it_is(value: dict[str, Any], row: dict[str, Any]) -> None:
    mapping, before = RowMapping.model_validate(value), json.dumps(row)
    rules = mapping.fields or {}
    try:
        found = mapping.of(row)
    except ValueError as error:
        assert any(str(error).startswith(f"column {rule.column}: ") for rule in rules.values())
    else:
        assert None not in found.values()
        assert set(found) <= set(rules) | (set(row) if mapping.keeps_others else set())
        assert {name for name, rule in rules.items() if rule.value is not None} <= set(found)
    assert json.dumps(row) == before


@given(st.lists(st.text(max_size=6), min_size=1), st.sampled_from([";", ", ", "aa"]), VALUES)
def test_a_list_comes_out_of_the_text_that_joins_it_and_a_value_out_of_its_json(
    parts: list[str], separator: str, value: object
) -> None:
    parts = [part.replace(separator[0], "") for part in parts]
    joined = separator.join(parts)
    rule = FieldRule.model_validate({"column": "c", "split": separator})
    assert rule.of({"c": joined}) == (parts if joined else [])
    assert FieldRule.model_validate({"column": "c", "json": True}).of({"c": json.dumps(value)}) == value
