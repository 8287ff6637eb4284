"""Tasks, solvers, metrics and styles of one's own: in a few lines, and as good as ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import tsgkit as tk
from tsgkit.errors import UsageError
from tsgkit.report import comparison_formats
from tsgkit.report.grid import grid

Messages = list[dict[str, Any]]
ROWS = [
    {"item_id": "fr", "country": "France", "answer": "Paris", "continent": "Europe"},
    {"item_id": "jp", "country": "Japan", "answer": "Tokyo", "continent": "Asia"},
    {"item_id": "pe", "country": "Peru", "answer": "Lima", "continent": "America"},
]


pytestmark = pytest.mark.usefixtures("nothing_else_given")


def knows_two(messages: Messages) -> str:
    asked = messages[-1]["content"]
    return "It is [Paris]." if "France" in asked else "Answer: tokyo" if "Japan" in asked else "<think>hm"


async def waits(one: object, other: object) -> str:
    return "x"


def capitals(name: str = "own/capitals", **more: object) -> tk.Task:
    return tk.Task(name, ROWS, "What is the capital of {country}?", by=["continent"], **more)  # type: ignore[arg-type]


def test_task_of_rows_and_a_template_is_evaluated_reported_and_explained(tmp_path: Path) -> None:
    run = tk.evaluate(
        capitals(), model={"two": knows_two}, style=["zero-shot", "cot"], out=tmp_path / "run", quiet=True
    )
    assert [(one.item_id, one.outcome, one.answer) for one in run.samples][:3] == [
        ("fr", "answered", "Paris"),
        ("jp", "answered", "tokyo"),
        ("pe", "unreadable", None),
    ]
    assert round(run.value("correct", style="cot"), 3) == 0.667
    assert "Think step by step" in run.samples[5].prompt[0].content
    assert "Asia" in run.table(by="continent").text
    one = tk.Task("own/single", iter(ROWS), "{country}", metrics="hit", by="continent")
    assert repr(one) == "Task('own/single', 3 rows)" and one.dataset(None).sample(0).item_id == "fr"
    assert "the reasoning never ends" in repr(run.explain("pe", style="cot"))
    opened = tk.open_run(tmp_path / "run")
    assert opened.results == run.results and tk.rescore(opened).reread == ()
    assert "better" in repr(tk.compare(run, "own/capitals")) or "difference" in repr(tk.compare(run, "own/capitals"))


def test_reading_and_scoring_are_functions_and_a_metric_is_a_name(tmp_path: Path) -> None:
    def read(text: str, row: Mapping[str, Any]) -> list[str]:
        if "?" in text:
            raise ValueError("it asks back")
        return text.split()

    def score(row: Mapping[str, Any], words: list[str]) -> dict[str, float]:
        return {"found": row["answer"] in words, "words": len(words) / 10}

    task = tk.Task(
        "own/words", ROWS, lambda row: f"{row['country']}?", read=read, score=score,
        metrics={"found": "share that names it", "words": "tenths of words"},
    )  # fmt: skip
    said = {"France?": "Paris it is", "Japan?": "Kyoto", "Peru?": "What?"}
    run = tk.evaluate(
        task, model={"said": lambda messages: said[messages[-1]["content"]]}, out=tmp_path / "run", quiet=True
    )
    silent = tk.Task("own/silent", ROWS, "{country}", read=lambda text, row: None)
    unread = tk.evaluate(silent, model={"two": knows_two}, out=tmp_path / "silent", quiet=True)
    assert [one.outcome for one in unread.samples] == ["unreadable"] * 3
    assert run.samples[2].outcome == "unreadable" and run.samples[2].notes == ("it asks back",)
    assert round(run.value("found"), 3) == 0.333 and round(run.value("words"), 3) == round((0.3 + 0.1) / 3, 3)


def test_answers_are_rated_by_a_model_whose_calls_are_kept_and_scored_again(tmp_path: Path) -> None:
    def judge(messages: Messages) -> str:
        asked = messages[-1]["content"]
        assert asked.startswith("France, in Europe?" if "Paris" in asked else "Japan, in Asia?"), asked
        return "Right, so **4/5**" if "Paris" in asked else "I cannot say"

    rated = tk.judged_by("{country}, in {continent}? {reply}", "openai/nobody")
    task = tk.Task("own/rated", ROWS, "What is the capital of {country}?", score=rated, by="continent")
    run = tk.evaluate(task, model={"two": knows_two}, judge={"strict": judge}, out=tmp_path / "run", quiet=True)
    assert [(one.item_id, one.outcome, (one.scores["strict"] or {})["rating"]) for one in run.samples] == [
        ("fr", "answered", 4.0),
        ("jp", "answered", None),
        ("pe", "unreadable", 1.0),
    ]
    assert run.value("rating") == 2.5 and run.samples[1].counts["unrated"] == 1, "what is unrated has no weight"
    assert "judged by python:strict" in repr(run) and "rating 4" in repr(run.explain("fr"))
    assert tk.open_run(tmp_path / "run").results == run.results
    for wrong, message in (
        (lambda: tk.judged_by("How kind?", "m/x"), "no {reply}"),
        (lambda: tk.judged_by("{reply}", "m/x", scale=(5, 1)), "the lowest rating"),
        (lambda: tk.evaluate(task, model={"two": knows_two}, judge="rules", quiet=True), "rated by a model"),
    ):
        with pytest.raises(UsageError, match=message):
            wrong()


def test_other_rows_and_the_code_of_a_style_are_another_run(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    task = tk.Task("own/filed", tmp_path / "rows.jsonl", "{country}")
    options: dict[str, Any] = {"model": {"two": knows_two}, "quiet": True, "out": tmp_path / "run"}
    assert tk.evaluate(task, **options).complete
    tk.Task("own/filed", ROWS[:2], "{country}")
    with pytest.raises(UsageError, match="another run lies here"):
        tk.evaluate("own/filed", **options)

    @tk.style("own-polite")
    def polite(prompt: str) -> str:
        return f"{prompt}\n\nThank you."

    options = {"model": {"two": knows_two}, "style": "own-polite", "limit": 2, "quiet": True}
    run = tk.evaluate("sgqa", out=tmp_path / "polite", **options)
    assert run.samples[0].prompt[0].content.endswith("Thank you.")

    @tk.style("own-polite")
    def rude(prompt: str) -> str:
        return prompt

    with pytest.raises(UsageError, match="another run lies here"):
        tk.evaluate("sgqa", out=tmp_path / "polite", **options)


def test_solver_asks_as_often_as_it_likes_and_what_it_returns_counts(tmp_path: Path) -> None:
    @tk.solver("doubted")
    async def doubted(prompt: str, ask: Callable[[str, str], Awaitable[str]]) -> str:
        first = await ask(prompt, "first")
        return await ask(f"{prompt}\n\nYou said {first}. Sure?", "second")

    def wavers(messages: Messages) -> str:
        return "[Lima]" if "You said" in messages[-1]["content"] else "[Paris]"

    task = capitals("own/doubted")
    run = tk.evaluate(task, model={"wavers": wavers}, solver=["single", "doubted"], out=tmp_path / "run", quiet=True)
    by_solver = {(one.solver, one.item_id): one.answer for one in run.samples}
    assert by_solver["single", "fr"] == "Paris" and by_solver["doubted", "fr"] == "Lima"
    assert [call.label for call in run.samples[-1].calls] == ["first", "second", "local"]
    assert tk.evaluate("sgqa", model={"wavers": wavers}, solver="doubted", limit=2, out=tmp_path / "b", quiet=True)

    def down(messages: Messages) -> str:
        raise LookupError("nobody is there")

    run = tk.evaluate(task, model={"down": down}, solver="doubted", out=tmp_path / "c", quiet=True)
    assert {one.outcome for one in run.samples} == {"api_error"}, "it is not laid to the solver"


def test_metric_counts_beside_those_of_a_task_and_stored_runs_are_scored_by_it(tmp_path: Path) -> None:
    run = tk.evaluate("sgqa", model={"cup": lambda _: "[cup]"}, limit=4, out=tmp_path / "run", quiet=True)

    @tk.metric("sgqa", "own_brevity", better="less")
    def letters(item: object, answer: str | None) -> float:
        """Letters of the answer."""
        return len(answer or "")

    rescored = tk.rescore(run)
    assert rescored.after[0].board.profiles["strict"]["own_brevity"].value == 3.0  # type: ignore[index, union-attr]
    tk.metric("formalimg/layout", "own_two")(lambda item, answer: 2.0)
    run = tk.evaluate("formalimg/layout", model={"none": lambda _: "[]"}, limit=1, out=tmp_path / "layout", quiet=True)
    assert run.value("own_two") == 2.0
    with pytest.raises(UsageError, match="has a metric exact_match already"):
        tk.metric("sgqa", "exact_match")(letters)
    with pytest.raises(UsageError, match="answer in words"):
        tk.metric("sceneeval/fidelity", "short")(letters)


def test_own_parts_refuse_invalid_definitions() -> None:
    mistakes: list[tuple[Callable[[], object], str]] = [
        (lambda: tk.Task("tsg/sgqa", ROWS, "{country}"), "there is a task tsg/sgqa already"),
        (lambda: tk.Task("own/none", [], "x").dataset(None), "there are no rows"),
        (
            lambda: tk.Task("own/odd", ROWS, "{town}").view.question(capitals().dataset(None).sample(0)),
            "no field {town}",
        ),
        (lambda: tk.solver("vote"), "there is a solver vote already"),
        (lambda: tk.style("cot")(str), "there is a style cot already"),
        (lambda: tk.evaluate(capitals(), model="openai/x", style="few-shot"), "cannot be asked in style few-shot"),
        (lambda: tk.evaluate(capitals(), model="openai/x", prompts="."), "has a prompt of its own"),
        (lambda: tk.metric("sgqa", better="up"), "more or less"),
        (lambda: tk.Task("own/a b!", ROWS, "x"), "own/a b!: not SUITE/TASK in small letters, digits and hyphens"),
        (lambda: tk.Task("own/x", ROWS[0], "x"), "own/x: row 0: 'item_id' is no mapping"),  # type: ignore[arg-type]
        (lambda: tk.Task("own/x", 5, "x"), "own/x: 5 is no list of rows"),  # type: ignore[arg-type]
        (lambda: tk.Task("own/x", ROWS, "x", read=len), "read of own/x cannot be called with (text, row)"),  # type: ignore[arg-type]
        (lambda: tk.Task("own/x", ROWS, "x", metrics=["a"], amounts=["b"]), "own/x: there is no metric b"),
        (lambda: tk.Task("own/x", ROWS, "x", by="contnent").dataset(None), "own/x: no row has the field contnent"),
        (lambda: tk.Task("own/x", [*ROWS, {"q": 1}], "x").dataset(None), "own/x: row 3 has no answer"),
        (lambda: capitals().judged(3, "x"), "own/capitals: there is no item 3: they are numbered from 0 to 2"),
        (lambda: tk.metric("sgqa", "x")(waits), "metric x is an async function, expected a plain one"),
        (lambda: tk.metric("sgqa")(lambda item, answer: 1), "<lambda>: no name for a metric"),
        (lambda: tk.metric(waits), "@metric needs the name of a task"),  # type: ignore[arg-type]
        (lambda: tk.style(str), "@style needs a name"),  # type: ignore[arg-type]
        (lambda: tk.solver(waits), "@solver needs a name"),  # type: ignore[arg-type]
        (lambda: tk.solver("own-x")(len), "solver own-x cannot be called with (prompt, ask)"),  # type: ignore[arg-type]
    ]
    for make, message in mistakes:
        with pytest.raises(UsageError) as told:
            make()
        assert message in str(told.value), message


def broken_plainly(*given: object) -> float:
    raise LookupError("no such thing\nand more")


def broken_with_a_key(*given: object) -> str:
    raise LookupError(f"denied: {os.environ['OWN_API_KEY']}")


async def number(prompt: str, ask: object) -> Any:  # noqa: ANN401
    return 5


async def says_nothing(prompt: str, ask: object) -> Any:  # noqa: ANN401
    return None


def test_mistakes_in_code_of_ones_own_are_counted_errors_with_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_API_KEY", "sk-0123456789")
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"score": lambda row, answer: 1 / 0}, "score of own/broken failed: ZeroDivisionError: division by zero"),
        ({"score": lambda row, answer: float("nan")}, "correct: a score is a number of at most 1e+12, not 'nan'"),
        ({"score": lambda row, answer: -1e308}, "not '-1e+308'"),
        ({"score": lambda row, answer: {"right": 1}}, "score of own/broken told right, expected correct"),
        ({"score": lambda row, answer: 5}, "correct: a share lies from 0 to 1, not at 5: name it in amounts="),
        ({"score": lambda row, answer: -0.1}, "correct: a share lies from 0 to 1, not at -0.1"),
        ({"read": broken_plainly}, "read of own/broken failed: LookupError: no such thing (test_own_parts.py:"),
        ({"prompt": broken_with_a_key}, "prompt of own/broken failed: LookupError: denied: [redacted] ("),
        ({"prompt": lambda row: None}, "prompt of own/broken returned NoneType, expected a text"),
        ({"metric": broken_plainly}, "metric own_metric failed: LookupError: no such thing (test_own_parts.py:"),
        ({"metric": lambda row, answer: 3}, "own_metric: a share lies from 0 to 1, not at 3: leave out share=True"),
        ({"style": broken_plainly}, "style own-style failed: LookupError: no such thing (test_own_parts.py:"),
        ({"solver": broken_plainly}, "solver own-solver failed: LookupError: no such thing (test_own_parts.py:"),
        ({"solver": number}, "solver own-solver returned int, expected a text"),
        ({"solver": says_nothing}, "solver own-solver returned NoneType, expected a text"),
    ]
    for count, (parts, message) in enumerate(mistakes):
        name, out = f"own/broken-{count}", tmp_path / str(count)
        task = tk.Task(name, ROWS, parts.get("prompt", "{country}"), read=parts.get("read"), score=parts.get("score"))
        how: dict[str, Any] = {"model": {"two": lambda messages: "[Paris]"}, "out": out, "quiet": True}
        if "metric" in parts:
            tk.metric(name, "own_metric", share=True)(parts["metric"])
        if "style" in parts:
            tk.style("own-style")(parts["style"])
            how["style"] = "own-style"
        if "solver" in parts:
            tk.solver("own-solver")(parts["solver"])
            how["solver"] = "own-solver"
        run = tk.evaluate(task, **how)
        expected = message.replace("own/broken", name)
        assert [one.outcome for one in run.samples] == ["error"] * 3, expected
        assert expected in (run.samples[0].error or "") and "\n" not in (run.samples[0].error or ""), expected
        assert expected.partition(" (test_own")[0] in repr(run), "the table says it too"


def test_code_of_an_installed_package_joins_by_an_entry_point(tmp_path: Path) -> None:
    folder = tmp_path / "polite-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: polite\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[tsgkit.code]\npolite = polite_parts\n")
    (tmp_path / "polite_parts.py").write_text(
        "import tsgkit as tk\n@tk.style('thanked')\ndef thanked(prompt):\n    return prompt + ' Thanks.'\n"
    )
    code = "import tsgkit as tk; print(tk.plan('sgqa', model='openai/x', style='thanked', limit=1)[0].cell.style)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (said.stdout, said.stderr) == ("thanked\n", "")


def test_amounts_are_nowhere_shown_in_percent(tmp_path: Path) -> None:
    rows = [{"item_id": f"{number}", "word": f"w{number}"} for number in range(12)]
    task = tk.Task(
        "own/lengths", rows, "{word}", score=lambda row, answer: {"some": 0.5, "letters": len(answer)},
        metrics={"letters": "letters said", "some": "a half"}, amounts=["letters"],
    )  # fmt: skip
    models = {"short": lambda messages: "cups", "long": lambda messages: "kettles"}
    run = tk.evaluate(task, model=models, out=tmp_path / "run", quiet=True)
    compared = tk.compare(run, metric="letters")
    assert "python:short zero-shot  4" in repr(compared) and "difference              -3" in repr(compared)
    assert "letters strict 4," in repr(run.explain("0", subject="python:short"))
    table = comparison_formats.write(grid([run.path]), "markdown")
    for shown in (repr(run), repr(compared), table, run.explain("0")._repr_html_()):
        assert not any(percent in shown for percent in ("400", "700", "300"))
    assert "in points" not in repr(compared)
    assert "minus python:long zero-shot: -3" in compared.figure().alt
    assert "50.0 [" in repr(tk.compare(run, metric="some"))
