"""Rows: parsing, writing, shuffled options, defects, import; and making questions and pairs, with checks."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from image_server import png
from shipped import TASKS

from tsgkit.cli import main
from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.library.cards import load_card
from tsgkit.library.datasets import dataset, known
from tsgkit.llm.asker import MemoryRecorder, ask_for
from tsgkit.llm.scripts import RecordedModel, Script
from tsgkit.suites.importers import import_dataset
from tsgkit.suites.spatialgen import rows as row_files
from tsgkit.suites.spatialgen.defects import RULES, findings, inspect, question_findings, row_findings
from tsgkit.suites.spatialgen.judge_requests import check_orders, in_order, orders_of, permutation, undone
from tsgkit.suites.spatialgen.maker import (
    QuestionItems,
    QuestionMaker,
    WrittenQuestion,
    draft_problems,
    facts_of,
    facts_text,
    rewrite_problems,
)
from tsgkit.suites.spatialgen.rows import SUB_DOMAINS, SpatialRow, rows_in, written
from tsgkit.suites.suite import task_of

FIVE = row_files.ImageQuestion(
    "Where?", {"A": "up", "B": "down", "C": "left", "D": "right", "E": "None"}, "B", "Position"
)
FOUR = row_files.ImageQuestion("?", {"A": "up", "B": "down", "C": "left", "E": "None"}, "D")
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PIECES = st.sampled_from(["Options: ", "  ", ", ", ". ", "A: ", "B: ", "C: ", "D: ", "E: ", "E: None", "cup", ",", ":"])
TEXTS = st.lists(PIECES | WORDS, max_size=14).map("".join)
COLUMN = st.lists(TEXTS, max_size=11)
OPTIONS = {"A": "sun", "B": "fog", "C": "ice", "D": "mud", "E": "None"}
LISTED = "A: sun, B: fog, C: ice, D: mud, E: None"


def value(**fields: object) -> dict[str, object]:
    told = {"id": "000001", "scene": "Forest", "prompt": "Trees.", "question_type": ["Position"]}
    return {**told, "questions": [FIVE.written()], "answers": ["B"], **fields}


def test_questions_are_split_into_options_and_written_back() -> None:
    for options, texts in {
        "A: A cup, a jug, B: Ham, C: A: b, D: 3, 4, and 5, E: None": "A cup, a jug|Ham|A: b|3, 4, and 5|None",
        "A: Red. B: Tan. C: Pink. D: Blue., E: None": "Red|Tan|Pink|Blue.|None",
        "A: Red. B: Tan. C: Pink. D: Blue, E: None": "Red|Tan|Pink|Blue|None",
        "A: A cup, a jug. B: Two, or so. C: Tin. D: A pot, E: None": "A cup, a jug|Two, or so|Tin|A pot|None",
        "A: By J. B. Hill, B: By B. Cole, C: Fig. B, D: A. B, E: None": "By J. B. Hill|By B. Cole|Fig. B|A. B|None",
        "A: A sign: Go. C: now, B: Up, C: Left, D: Down, E: None": "A sign: Go. C: now|Up|Left|Down|None",
        "A: Go, B: now. B: Up. C: Left. D: Down, E: None": "Go, B: now|Up|Left|Down|None",
        "A: Up. E: None yet, B: Left, C: Right, D: Down, E: None": "Up. E: None yet|Left|Right|Down|None",
    }.items():
        text = f"What colour is it?  Options: {options}"
        question = row_files.question_from(text, "B")
        assert question.options == dict(zip("ABCDE", texts.split("|"), strict=True)), options
        assert (question.refusal, question.choices, question.written()) == ("E", tuple("ABCD"), text), options
    skipped = row_files.question_from("What?  Options: A: plan, B: as in, A: above, E: None", "A")
    assert skipped.options == {"A": "plan", "B": "as in, A: above", "E": "None"}
    assert (
        row_files.question_from("Which Options: is up?  Options: A: up, E: None", "A").stem == "Which Options: is up?"
    )
    for text, letters, refusal, gap in (
        ("Where?  Options: A: up, B: down, C: left, E: None", "ABCE", "E", "  "),
        ("Where? Options: A: up, B: down, C: left, D: right, E: None of the above", "ABCDE", "E", " "),
        ("Where?  Options: A: up, B: None, C: left, D: right, E: None", "ABCDE", "E", "  "),
        ("Where?  Options: A: up, B: down, C: left, D: Nonetheless right", "ABCD", None, "  "),
        ("Where?", "", None, ""),
    ):
        question = row_files.question_from(text, "A")
        assert ("".join(question.options), question.refusal, question.gap) == (letters, refusal, gap), text
        assert question.choices == tuple(letter for letter in letters if letter != refusal), text
        assert question.written() == text


def test_rows_are_read_lazily_and_a_broken_one_is_named_by_line_and_field(tmp_path: Path) -> None:
    for broken, message in {
        b"{": "line 2: broken JSON, column 2",
        json.dumps(value(answers=[1])).encode(): r"line 2: not a row: answers\.0: Input should be a valid string",
        json.dumps(value(scene=None, prompt=3)).encode(): r"line 2: not a row: scene: .* \(and 1 more\)",
        b'{"id": "000001"}': "line 2: not a row: scene: Field required",
        b'{"id": "\xff"}': "line 2: not UTF-8 text",
        json.dumps(value(prompt="\ud800")).encode(): "line 2: not a row: prompt: .*half a character",
        json.dumps(value(note="\ud800")).encode(): "line 2: not a row: .*half a character",
    }.items():
        lines = row_files.read_rows([json.dumps(value()).encode(), broken], "x.jsonl")
        next(lines)
        with pytest.raises(UsageError, match=f"^x.jsonl: {message}"):
            next(lines)
    with pytest.raises(NotationError, match="not a row but null"):
        row_files.row_from(None)
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(value()).encode() + b"\n\nbroken\n")
    rows = row_files.rows_in(path)
    assert next(rows).id == "000001"
    with pytest.raises(UsageError, match="line 3"):
        next(rows)
    with pytest.raises(FileProblem, match="no such file") as missing:
        next(row_files.rows_in(tmp_path / "row.jsonl"))
    assert "rows.jsonl" in missing.value.hint
    with pytest.raises(FileProblem, match="a folder"):
        next(row_files.rows_in(tmp_path))


FIVE_TEXTS = st.tuples(*[WORDS.filter(lambda text: ":" not in text)] * len(row_files.LETTERS))


@given(TEXTS, FIVE_TEXTS, st.tuples(*[st.sampled_from([", ", ". "])] * (len(row_files.LETTERS) - 1)))
@settings(max_examples=50)
def test_any_question_comes_back_to_the_byte(text: str, texts: tuple[str, ...], separators: tuple[str, ...]) -> None:
    question = row_files.question_from(text, "A")
    assert question.written() == text
    assert list(question.options) == sorted(question.options)
    options = dict(zip(row_files.LETTERS, texts, strict=True))
    parts = zip(("", *separators), options.items(), strict=True)
    joined = "".join(f"{before}{letter}: {text}" for before, (letter, text) in parts)
    assert row_files.question_from(f"Where?  Options: {joined}", "A").options == options


@given(WORDS, TEXTS, COLUMN, COLUMN, COLUMN, st.dictionaries(WORDS, st.none() | WORDS, max_size=2))
@settings(max_examples=40)
def test_any_row_comes_back_to_the_byte(
    item: str, prompt: str, types: list[str], texts: list[str], answers: list[str], more: dict[str, object]
) -> None:
    fields = value(id=item, prompt=prompt, question_type=types, questions=texts, answers=answers)
    line = json.dumps({**fields, **{name: part for name, part in more.items() if name not in fields}})
    line = json.dumps(json.loads(line), ensure_ascii=False)
    (row,) = row_files.read_rows([line.encode()], "x")
    assert row_files.written(row) == line
    assert len(row.questions) == min(len(types), len(texts), len(answers))


def test_an_order_depends_on_its_place_and_undo_maps_shown_letters_to_data_letters() -> None:
    for question, turn in product((FIVE, FOUR), range(8)):
        order = permutation(question, seed=3, item="000001", number=0, round=turn)
        shown = in_order(question, order)
        assert (shown.options["E"], list(shown.options)) == ("None", list(question.options)), (question, turn)
        for letter, text in shown.options.items():
            assert question.options[undone(order, letter)] == text, (question, turn)
        assert undone(order, shown.key) == question.key
        assert (undone(order, "E"), undone(order, "F")) == ("E", "F")
        check_orders(row_files.row_of("1", "Park", "", [question]), [[order]])
    ((order,), *_) = orders_of(row_files.row_of("1", "Park", "", [FIVE]), "published", 0)
    assert (in_order(FIVE, order).options, order) == (FIVE.options, "ABCD")
    places = [(0, "1", 0, 0), (1, "1", 0, 0), (0, "2", 0, 0), (0, "1", 1, 0), (0, "1", 0, 1)]
    records = [permutation(FIVE, seed=s, item=i, number=n, round=r) for s, i, n, r in places]
    assert records == [permutation(FIVE, seed=s, item=i, number=n, round=r) for s, i, n, r in places]
    assert len(set(records)) > 1
    turns = product(range(400), range(5))
    orders = [permutation(FIVE, seed=0, item=str(item), number=0, round=turn) for item, turn in turns]
    said = [undone(order, "B") for order in orders]
    assert 0.22 < said.count(FIVE.key) / len(said) < 0.28, "and 100 % without shuffling"


def test_options_separated_by_periods_are_shuffled_and_old_records_of_fewer_options_are_read() -> None:
    """Old runs recorded one option where periods separate four; those were shown in the order of the data."""
    question = row_files.question_from("Hair?  Options: A: Red. B: Tan. C: Pink. D: Blue, E: None", "B")
    order = permutation(question, seed=1, item="000001", number=2, round=0)
    shown = in_order(question, order)
    assert (order, undone(order, shown.key)) == ("CDBA", "B")
    assert shown.written() == "Hair?  Options: A: Pink. B: Blue. C: Tan. D: Red, E: None"
    for record, letters in (("A", "ABCDE"), ("CA", "CBADE")):
        assert "".join(undone(record, letter) for letter in "ABCDE") == letters, record
    for record in ("ABCE", "AA"):
        with pytest.raises(UsageError, match=f"{record} is none of the options ABCD"):
            check_orders(row_files.row_of("1", "Park", "", [question]), [[record]])


def clean(item: str = "000001", keys: str = "ABCDABCDAB") -> row_files.SpatialRow:
    rows = zip("abcdefghij", keys, SUB_DOMAINS, strict=True)
    questions = [row_files.ImageQuestion(f"What {stem}{item}?", OPTIONS, key, name) for stem, key, name in rows]
    return row_files.row_of(item, "Forest", f"Trees {item}.", questions)


def of(text: str, key: str = "A", *others: str) -> list[str]:
    """Return the codes of one question, given the stems of others."""
    beside = [row_files.ImageQuestion(stem, OPTIONS, "A") for stem in others]
    row = row_files.row_of("000001", "Forest", "", [row_files.question_from(text, key), *beside])
    return [finding.code for finding in question_findings(row, 0)]


def test_wrong_options_and_keys_and_stems_that_speak_of_a_text_are_found() -> None:
    for options, key, found in (
        ("A: sun, B: fog, C: ice, E: None", "A", ["missing-option"]),
        ("A: sun, B: fog, C: ice, E: None", "D", ["missing-option", "key-without-option"]),
        ("A: sun. B: fog. C: ice. D: mud, E: None", "D", []),
        ("A: sun. B: fog. C: ice, E: None", "D", ["missing-option", "key-without-option"]),
        (LISTED, "E", ["key-is-refusal"]),
        ("A: sun, B: fog, C: ice, D: None, E: None", "A", ["second-none"]),
        ("A: sun, B: fog, C: ice, D: Sun., E: None", "A", ["repeated-option"]),
        ("A: sun, B: fog, C: ice, D: mud", "A", ["no-refusal"]),
        ("A: sun, B: , C: ice, D: mud, E: None", "A", ["empty-option"]),
    ):
        assert of(f"Where?  Options: {options}", key) == found, (options, key)
    assert of("Where?") == ["no-options"]
    for stem, speaks in (
        ("What is mentioned?", True),
        ("Which option can better describe it?", True),
        ("According to the scene, what is up?", True),
        ("What colour is the cup in the scene?", False),
        ("Which state is it in?", False),
    ):
        assert of(f"{stem}  Options: {LISTED}") == ["text-reference"] * speaks, stem
    for text, told in (
        (f"Where?  Options: {LISTED} of them", "is 'None of them', expected 'None'"),
        (f"Where? Options: {LISTED}", "' ' between the stem and its options, expected '  '"),
    ):
        [one] = question_findings(
            row_files.row_of("000001", "Park", "", [row_files.question_from(text, "A", "Object")]), 0
        )
        assert one.code == "refusal-form" and told in one.message, text


def test_stems_that_reveal_only_the_key_and_skewed_keys_are_found() -> None:
    options = "Options: A: in a circle, B: in a row, C: in a heap, D: apart, E: None"
    assert of(f"How are the cups of the circle arranged?  {options}") == ["own-stem"]
    assert of(f"Is the circle or the row complete?  {options}") == []
    assert of(f"How are the cups of the circle arranged?  {options}", "B") == []
    text = "What is there?  Options: A: a cup and a cart, B: a dog and a cart, C: a hat, D: a bed, E: None"
    assert of(text, "A", "Where is the cup?", "Who pushes the carts?") == ["other-stems"]
    assert of(text, "A", "Where is the cup?") == []
    assert of(text, "A", "Where is the cup?", "Who pushes the dog in the cart?") == []
    rows = [clean(f"{number:06d}", "C" * 10) for number in range(1, 13)]
    found = [finding for finding in findings(rows) if finding.code == "skewed-keys"]
    assert (len(found), {finding.item for finding in found}) == (11, {None})
    assert found[0].message == "all questions: C is the key too often (C 120)"
    long = {**OPTIONS, "A": "a long answer"}
    rows = [
        replace(row, texts=tuple(row_files.ImageQuestion(f"What {row.id}{n}?", long, "A").written() for n in range(10)))
        for row in (clean(f"{number:06d}", "AAAABAAAAC") for number in range(1, 13))
    ]
    messages = [finding.message for finding in findings(rows) if finding.code == "longest-is-key"]
    assert messages[0] == "all questions: the key is the longest option in 96 of 120"


def test_rows_of_another_shape_and_repeats_are_found() -> None:
    row = clean()
    for changed, found in (
        (replace(row, answers=row.answers[:9]), ["row-shape"]),
        (replace(row, types=(row.types[1], row.types[0], *row.types[2:])), ["row-shape"]),
        (replace(row, scene="forest"), ["unknown-scene"]),
        (replace(row, id="1"), ["id-form"]),
        (replace(row, prompt="red " * 77), []),
        (replace(row, prompt="red " * 77 + "."), ["long-prompt"]),
    ):
        assert [one.code for one in row_findings(changed)] == found, changed
    (finding,) = row_findings(replace(row, scene="Moon"))
    assert finding.severity == "error" == RULES[finding.code].severity
    assert list(findings([clean("000001"), clean("000002", "BCDABCDABC")])) == []
    repeated = list(findings([replace(clean(), line=2), replace(clean(), line=7)]))
    assert [finding.code for finding in repeated] == ["repeated-id", "repeated-prompt", *["repeated-question"] * 10]
    assert repeated[0].message == "as in 000001 (line 2)"
    assert (repeated[-1].question, repeated[-1].line) == (9, 7)


def test_a_published_file_is_imported_unless_its_rows_cannot_be_evaluated_and_its_defects_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    name, place = "spatialgeneval", "eval/SpatialGenEval_T2I_Prompts.jsonl"
    rows = (TASKS / "spatialgen" / "data" / "questions.jsonl").read_bytes()
    [file] = known(name).files
    assert (file.rows, known(name).repository) == (1230, "AMAP-ML/SpatialGenEval")
    assert known(name).url(file).endswith(f"8b294b5fd0bca204fcfbf2cd74b75d9c359e40f6/{place}")
    nine = json.loads(rows.splitlines()[0])
    nine["answers"].pop()
    Path("broken.jsonl").write_text(json.dumps(nine))
    with pytest.raises(FileProblem, match="line 1: item 000001: 9 questions, not one of each"):
        import_dataset(name, "broken.jsonl")
    assert not dataset(name).files
    Path("checkout/eval").mkdir(parents=True)
    Path("checkout", place).write_bytes(rows)
    [arrival] = import_dataset(name, "checkout").arrivals
    assert (arrival.stored.rows, arrival.stored.official, arrival.stored.findings) == (25, False, {})
    assert len(task_of(load_card("spatialgen/questions")).dataset(name)) == 25
    skewed = rows.replace(b"Which way is the ranger turned?", b"Which way is the ranger mentioned turned?")
    [finding] = inspect(skewed, "rows.jsonl").findings
    assert (finding.code, finding.place.line) == ("text-reference", 1)
    Path("mine.jsonl").write_bytes(skewed)
    assert main(["audit", "mine.jsonl", "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["audits"]
    told = {check["code"]: [one["item_id"] for one in check["found"]] for check in found["checks"] if check["found"]}
    assert told == {"text-reference": ["000001/3"]}


Captured = pytest.CaptureFixture[str]
FILE = TASKS / "spatialgen" / "data" / "questions.jsonl"
ROWS = list(rows_in(FILE))


def prompts_reply(row: SpatialRow) -> str:
    return json.dumps({"prompts": [row.prompt]})


def questions_reply(drafts: list[WrittenQuestion]) -> str:
    values = [{"kind": d.kind, "question": d.stem, "right": d.right, "wrong": list(d.wrong)} for d in drafts]
    return f"```json\n{json.dumps({'questions': values})}\n```"


def drafts_of(row: SpatialRow) -> list[WrittenQuestion]:
    wrong = [tuple(q.options[letter] for letter in q.choices if letter != q.key) for q in row.questions]
    return [
        WrittenQuestion(q.sub_domain, q.stem, q.options[q.key], w) for q, w in zip(row.questions, wrong, strict=True)
    ]


def replies_of(*rows: SpatialRow) -> dict[str, list[str]]:
    """Return the right replies to all that is asked about the scenes of some rows."""
    drafts = {f"{row.scene}/0": [questions_reply(drafts_of(row))] for row in rows}
    return {row.scene: [prompts_reply(row)] for row in rows} | drafts


def replaced_key(row: SpatialRow, number: int, letter: str) -> SpatialRow:
    """Return the row with another key for one question."""
    return replace(row, answers=(*row.answers[:number], letter, *row.answers[number + 1 :]))


def made(
    replies: dict[str, list[str]], scenes: list[str], count: int = 1, **more: object
) -> tuple[QuestionItems, MemoryRecorder]:
    kept = MemoryRecorder()
    asker = RecordedModel(Script(replies), kept)
    maker = QuestionMaker(lambda name: ask_for(asker, name), count, **more)  # type: ignore[arg-type]
    return asyncio.run(maker.make(scenes)), kept


def test_maker_spreads_keys_evenly() -> None:
    making, kept = made(replies_of(*ROWS), [row.scene for row in ROWS])
    assert [row.scene for row in making.rows] == [row.scene for row in ROWS] and not making.dropped
    assert making.calls == len(kept.calls) == 50
    for kind in SUB_DOMAINS:
        keys = Counter(q.key for row in making.rows for q in row.questions if q.sub_domain == kind)
        assert set(keys.values()) <= {6, 7} and set(keys) == set("ABCD")
    for new, old in zip(making.rows, ROWS, strict=True):
        assert [q.options[q.key] for q in new.questions] == [q.options[q.key] for q in old.questions]
        assert [set(q.options.values()) for q in new.questions] == [set(q.options.values()) for q in old.questions]
    assert {one.code for one in making.findings} <= {"longest-is-key", "skewed-keys"}


def spoilt(row: SpatialRow, number: int, **changes: Any) -> list[WrittenQuestion]:  # noqa: ANN401
    drafts = drafts_of(row)
    drafts[number] = drafts[number]._replace(**changes)
    return drafts


def test_drafts_with_problems_are_requested_again_with_the_problems() -> None:
    changed: list[tuple[dict[str, Any], str]] = [
        ({"stem": "What does the text mention?"}, "the stem speaks of a text"),
        ({"right": "A purple hippopotamus"}, "the text does not tell the right answer"),
        ({"wrong": ("Up", "Up", "Down")}, "say the same: Up"),
        ({"wrong": ("None", "Up", "Down")}, "says None"),
        ({"wrong": ("Up", "Down")}, "there are not three wrong answers"),
        ({"kind": "Colour"}, "not one of each of the ten kinds"),
        ({"wrong": ("x" * 90, "Up", "Down")}, "answers of very unlike lengths"),
    ]
    row = ROWS[0]
    for changes, problem in changed:
        assert any(problem in text for text in draft_problems(row.prompt, spoilt(row, 2, **changes))), problem
    leak = f"What is the squirrel doing while the ranger is turned {drafts_of(row)[3].right}?"
    problems = draft_problems(row.prompt, spoilt(row, 8, stem=leak))
    assert any(problem.startswith("Orientation: all words of") for problem in problems)
    bad = questions_reply(spoilt(row, 2, stem="What does the text mention?"))
    replies = {
        row.scene: ["no JSON here", prompts_reply(row)],
        f"{row.scene}/0": [bad, questions_reply(drafts_of(row))],
    }
    making, kept = made(replies, [row.scene])
    assert len(making.rows) == 1 and not making.dropped
    assert sorted(call.label for call in kept.calls) == ["prompts/0", "prompts/1", "questions/0", "questions/1"]
    making, _ = made(replies | {f"{row.scene}/0": [bad]}, [row.scene], tries=2)
    assert making.rows == [] and "speaks of a text" in making.dropped[0].problems[0]


def test_known_or_short_texts_are_dropped_and_a_rewrite_must_say_what_was_seen() -> None:
    row = ROWS[0]
    reply = json.dumps({"prompts": [row.prompt, "A short text.", row.prompt + " " + row.prompt]})
    making, _ = made({row.scene: [reply]}, [row.scene], 3, tries=1, known=(row.prompt,))
    problems = [problem for one in making.dropped for problem in one.problems]
    assert [problem.partition(" ")[2] for problem in problems if problem[0].isdigit()]
    assert sum(problem == "much like another text" for problem in problems) == 2 and not making.rows
    facts = facts_of(row, [*row.answers[:2], "A", *row.answers[3:5], None, *row.answers[6:]])
    assert [fact.kind for fact in facts if not fact.is_seen] == ["Position", "Comparison"] and len(facts) == 10
    assert "not clear, so do not mention it" in facts_text(facts).splitlines()[5]
    for text, problem in ((row.prompt, "the text was not changed"), ("", "there is no text in the reply")):
        assert rewrite_problems(text, row, facts)[0] == problem
    assert rewrite_problems(row.prompt.replace("bottom left", "top right"), row, facts) == []
    assert "it still says At the bottom left" in rewrite_problems(row.prompt + " So it is.", row, facts)[0]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a project whose own data are one row, so that other rows are new."""
    for room in ("tasks/spatialgen/data", "prompts", "eval"):
        (tmp_path / room).mkdir(parents=True)
    card = (TASKS / "spatialgen" / "questions.yaml").read_text()
    (tmp_path / "tasks/spatialgen/questions.yaml").write_text(card)
    (tmp_path / "tasks/spatialgen/data/questions.jsonl").write_text(written(ROWS[0]) + "\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def write_script(name: str, replies: dict[str, list[str]]) -> None:
    lines = ({"item_id": item, "reply": reply} for item, reply in replies.items())
    Path(name).write_text("\n".join(map(json.dumps, lines)))


def make(*words: str, out: str = "mine.jsonl") -> int:
    return main(["make", "spatialgen", "--model", "script:script.jsonl", "-o", out, "--quiet", *words])


def test_rows_are_written_the_same_command_resumes_and_similar_texts_are_refused(capsys: Captured) -> None:
    write_script("script.jsonl", replies_of(*ROWS[1:5]))
    scenes = [word for row in ROWS[1:5] for word in ("--scene", row.scene)]
    assert make(*scenes) == 0
    said = capsys.readouterr()
    assert "4 rows of 4 scenes; keys: A 10, B 10, C 10, D 10" in said.out and "dropped: 0 texts" in said.out
    assert [row.prompt for row in rows_in(Path("mine.jsonl"))] == [row.prompt for row in ROWS[1:5]]
    calls = Path("mine.jsonl.calls/calls.jsonl").read_bytes()
    assert make(*scenes, "--json") == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 4
    assert Path("mine.jsonl.calls/calls.jsonl").read_bytes() == calls
    for words, message in ((("--scene", "Kitchn"), "there is no scene 'Kitchn'"), (("--count", "0"), "at least 1")):
        assert make(*words) == 2
        assert message in capsys.readouterr().err
    write_script("script.jsonl", replies_of(ROWS[0]))
    assert make("--scene", ROWS[0].scene, "--rounds", "0", out="same.jsonl") == 1
    [dropped] = [json.loads(line) for line in Path("same.jsonl.dropped.jsonl").read_text().splitlines()]
    assert dropped["problems"] == ["much like another text"]


def judged(rows: Sequence[SpatialRow], rounds: Callable[[SpatialRow], Sequence[SpatialRow]]) -> None:
    """Judge an image of each row by a script. ``rounds`` returns the row whose keys each round gives."""
    Path("pictures").mkdir()
    for row in rows:
        Path(f"pictures/{row.id}.png").write_bytes(png(row.id))
    write_script("judge.jsonl", {row.id: ["\n".join(seen.answers) for seen in rounds(row)] for row in rows})
    words = ("--images", "mine=pictures", "--judge", "script:judge.jsonl", "--out", "run", "--quiet", "--no-cache")
    ids = [row.id for row in rows]
    assert main(["eval", "--task", "spatialgen/questions", "--data", str(FILE), "--ids", *ids, *words]) == 0


def pairs(capsys: Captured, *words: str) -> list[int]:
    """Make pairs of the run. Return the numbers of unchanged, rewritten and dropped texts."""
    capsys.readouterr()
    command = "make spatialt2i --from run --model script:says.jsonl -o pairs --quiet --json"
    assert main([*command.split(), *words]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["pairs"] == made["kept"] + made["rewritten"]
    return [made[name] for name in ("kept", "rewritten", "dropped")]


def test_images_become_pairs_with_texts_that_are_true_of_them(capsys: Captured) -> None:
    rows = ROWS[:3]
    seen = {rows[0].id: replaced_key(rows[0], 2, "A"), rows[2].id: replaced_key(rows[2], 2, "E")}
    judged(rows, lambda row: [seen.get(row.id, row)] * 5)
    rewritten = rows[0].prompt.replace("bottom left", "top right")
    replies = {f"mine-{rows[0].id}": [json.dumps({"prompt": rewritten})], f"mine-{rows[2].id}": ["I cannot."]}
    write_script("says.jsonl", replies)
    assert pairs(capsys) == [1, 1, 1]
    made_of = [json.loads(line) for line in Path("pairs/metadata.jsonl").read_text().splitlines()]
    texts = zip(rows, (rewritten, rows[1].prompt), strict=False)
    assert made_of == [{"file_name": f"mine-{row.id}.png", "text": text} for row, text in texts]
    assert Path(f"pairs/mine-{rows[0].id}.png").read_bytes() == png(rows[0].id)
    [first, _] = [json.loads(line) for line in Path("pairs/rewrites.jsonl").read_text().splitlines()]
    assert (first["original_prompt"], first["changed"]) == (rows[0].prompt, ["Position"])
    assert pairs(capsys) == [1, 1, 1], "the same command again"
    assert main(["make", "spatialt2i", "--from", "run", "--model", "script:says.jsonl", "-o", "pictures"]) == 2
    assert "3 files already here would be lost" in capsys.readouterr().err


def test_three_votes_show_a_fact_only_by_plurality_and_design_is_taken_on_request(capsys: Captured) -> None:
    row = ROWS[0]
    [design] = [row for row in ROWS if row.scene == "Cartoon Design"]
    torn = replaced_key(row, 4, "B")
    judged([row, design], lambda one: [row, row, row, torn, torn] if one is row else [one] * 5)
    text = row.prompt.replace("form a ring", "grow")
    write_script("says.jsonl", {f"mine-{row.id}": [json.dumps({"prompt": text})]})
    assert pairs(capsys, "--votes", "decided")[:2] == [0, 1]
    assert pairs(capsys, "--votes", "plurality", "--force")[:2] == [1, 0]
    assert pairs(capsys, "--votes", "plurality", "--design", "--force")[:2] == [2, 0]
