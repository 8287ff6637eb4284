"""A run as an object: samples one by one, frames with stable columns, tables and explanations that are inert."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from refusals import refuses
from reported import HOSTILE, hostile_run
from shipped import TASKS

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import Lacking, UsageError
from tsgkit.interface.run import COLUMNS, Sample, _flat, frame_of
from tsgkit.llm.reply import Reply
from tsgkit.report.recorded_sample import Message

Messages = list[dict[str, Any]]
QUESTIONS = TASKS / "spatialgen/data/questions.jsonl"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tk.Run:
    return hostile_run(tmp_path_factory.mktemp("run") / "run")


def test_samples_hold_prompt_reply_reading_and_scores_and_are_chosen_by_fields(run: tk.Run) -> None:
    answered = [one for one in run.samples if one.outcome == "answered"]
    for one in answered:
        assert one.reply == f"[{HOSTILE}]" and "graph" in one.prompt[0].content.lower()
        assert one.scores["strict"] and one.scores["strict"]["exact_match"] == 0 and one.is_wrong
        assert [call.label for call in one.calls] == ["answer"]
    assert len(answered) + len(run.samples.unreadable) == 16 == len(run.samples.wrong) == len(run.samples)
    assert run.samples[-1].item_id == list(run.samples)[-1].item_id == run.samples[14:][1].item_id
    cot = run.samples.of(style="cot")
    assert len(cot) == 8 and [one.style for one in cot.of(item_id=cot[0].item_id)] == ["cot"]
    assert len(cot.wrong.of(style="zero-shot")) == 0
    assert run.value("exact_match", style="cot") == 0.0
    wrong: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (IndexError, "sample 16 of 16", lambda: run.samples[16]),
        (TypeError, r"of\(item_id=", lambda: run.samples["pcr/q0"]),  # type: ignore[call-overload]
        (UsageError, "samples have no stile", lambda: run.samples.of(stile="cot")),
        (UsageError, "where takes a function of a sample", lambda: run.samples.where("cot")),  # type: ignore[arg-type]
        (UsageError, "2 rows have strict exact_match", lambda: run.value("exact_match")),
        (UsageError, "no row has the metric f2", lambda: run.value("f2", style="cot")),
        (UsageError, "no row has style few-shot", lambda: run.value("exact_match", style="few-shot")),
        (UsageError, "a row has no stile", lambda: run.value("exact_match", stile="cot")),
        (UsageError, "there is no profile strickt", lambda: run.value("exact_match", profile="strickt")),
        (UsageError, "there is no library numpy", lambda: frame_of([], "numpy")),
        (UsageError, "item: 3 is no id of an item", lambda: run.explain(3)),  # type: ignore[arg-type]
        (UsageError, "no run lies here", lambda: tk.open_run(run.path.parent)),
        (UsageError, "run: None is no path", lambda: tk.open_run(None)),  # type: ignore[arg-type]
    ]
    for kind, message, call in wrong:
        with refuses(kind, message, message):
            call()


def test_frames_have_columns_in_order_and_those_without_values_have_types(monkeypatch: pytest.MonkeyPatch) -> None:
    def frame(columns: dict[str, Any], **options: object) -> tuple[dict[str, Any], dict[str, object]]:
        return columns, options

    library = SimpleNamespace(Int64="int", String="text", Float64="float", DataFrame=frame)
    monkeypatch.setattr("tsgkit.interface.run.find_spec", lambda name: name == "polars" or None)
    monkeypatch.setattr("tsgkit.interface.run.import_module", lambda name: library)
    first = {"reply": "r", "usage.cost": None, "strict.f1": 1.0, "seed": None, "style": None}
    columns, options = frame_of([first, {"item_id": "a", "strict.f1": 0.5}])
    assert list(columns.items()) == [
        ("seed", [None, None]),
        ("style", [None, None]),
        ("item_id", [None, "a"]),
        ("strict.f1", [1.0, 0.5]),
        ("usage.cost", [None, None]),
        ("reply", ["r", None]),
    ]
    assert options == {"strict": False, "schema_overrides": {"seed": "int", "style": "text", "usage.cost": "float"}}
    with pytest.raises(UsageError, match="pandas is not installed"):
        frame_of([], "pandas")


def test_sample_is_a_flat_row_of_a_frame_with_its_texts_where_they_are_asked_for(
    run: tk.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tsgkit.interface.run.frame_of", lambda rows, library: rows)
    cot = run.samples.of(style="cot")
    plain, whole = cot.frame(), cot.frame(texts=True)
    for one, row, with_texts in zip(cot, plain, whole, strict=True):
        [message] = one.prompt
        assert with_texts == row | {"prompt": message.content, "reply": one.reply}
    calls = (SimpleNamespace(prompt=(Message("system", "Be brief."), Message("user", "?")), reply=Reply("[A]")),)
    one = replace(
        cot[0],
        answer=["tea", "é"],
        scores={"strict": {"f1": 0.5, "em": None}, "official": None},
        groups={"domain": "kitchen", "predicate": ("Is", "On")},
        counts={"triplets": 3},
        usage={"calls": 1, "prompt": 7, "untold": 1, "cost": 0.5, "unpriced": 0, "seconds": 2.0},
    )
    monkeypatch.setattr(Sample, "calls", calls)
    row = _flat(one, texts=True)
    assert {name: row[name] for name in row if name not in COLUMNS} == {
        "strict.f1": 0.5, "strict.em": None, "group.domain": "kitchen", "group.predicate": "Is, On",
        "count.triplets": 3, "usage.calls": 1, "usage.requests": None, "usage.prompt": None, "usage.completion": None,
        "usage.cost": 0.5, "usage.seconds": 2.0, "prompt": "Be brief.\n\n?", "reply": "[A]",
    }  # fmt: skip
    assert (tuple(row)[: len(COLUMNS)], row["answer"]) == (COLUMNS, '["tea", "é"]')
    assert [_flat(replace(one, answer=answer), texts=False)["answer"] for answer in ("tea", None)] == ["tea", None]


def test_results_show_themselves_and_nothing_in_them_is_obeyed(run: tk.Run) -> None:
    explained = run.explain(run.samples.wrong[0].item_id, style="cot")
    compared = tk.compare(run, "sgqa", baseline="zero-shot")
    audited = tk.audit(task="tsg/sgds")
    planned = tk.plan("sgqa", model={HOSTILE: lambda messages: ""}, limit=2)
    samples: list[Any] = [run.samples, run.samples.wrong[0], tk.rescore(run)]
    shown: list[Any] = [run, run.table(by="domain"), explained, compared, audited, *audited, planned, *samples]
    for one in shown:
        page = one._repr_html_()
        assert "<script" not in page and "\x1b" not in page + repr(one)
        assert page.count("<table") >= 1
    assert "verdict" in repr(compared) and "what was asked" in repr(explained)


def test_opened_merged_rescored_and_explained_runs_are_the_same(run: tk.Run, tmp_path: Path) -> None:
    opened = tk.open_run(run.path)
    assert opened.results == run.results and opened.table().text == run.table().text
    assert repr(opened).splitlines()[:-1] == [line for line in repr(run).splitlines() if line][:-1]
    assert tk.rescore(run).reread == ()
    merged = tk.merge([run.path], tmp_path / "all")
    assert merged.complete and tk.open_run(tmp_path / "all").results == run.results
    item = run.samples[0].item_id
    assert repr(tk.explain(run.path, item)) == repr(tk.explain(run, item))


@pytest.mark.usefixtures("nothing_else_given")
def test_run_of_a_task_of_ones_own_asks_for_its_code_and_an_amount_has_no_full_marks(tmp_path: Path) -> None:
    from tsgkit.library import cards
    from tsgkit.suites import suite

    task = tk.Task("own/gone", [{"q": "a", "answer": "b"}], "{q}")
    run = tk.evaluate(task, model={"b": lambda messages: "b"}, out=tmp_path / "run", quiet=True)
    del cards._GIVEN["own/gone"], suite._GIVEN["own/gone"]
    with pytest.warns(Lacking, match="own/gone: shown as recorded: its code is not here"):
        assert tk.open_run(run.path).value("correct") == 1.0
    rows = [{"q": "a", "answer": "b"}]
    task = tk.Task("own/long", rows, "{q}", score=lambda row, answer: 0.5, metrics="letters", amounts="letters")
    run = tk.evaluate(task, model={"b": lambda messages: "b"}, out=tmp_path / "long", quiet=True)
    assert not run.samples.wrong, "an amount has no full marks"


def test_graphs_to_clean_may_be_lists_of_triplets_and_results_tell_themselves() -> None:
    allowed = tk.Vocabulary(objects=("kettle",), relationships=("verb", "dobj"), verbs=("fill",))
    triplets = [["fill", "verb", "person"], ["fill", "dobj", "kettle"]]
    cleaned = tk.refine([triplets], vocabulary=allowed)
    assert cleaned.changes == tk.refine(tk.ActionGraph(triplets), vocabulary=allowed).changes
    assert cleaned.changes == tk.refine([triplets], vocabulary=allowed, effort="low", repair="exact").changes
    assert repr(cleaned).startswith("1 graph, 1 change, ") and "person -> verb -> fill" in repr(cleaned)
    told = tk.generate("She fills the kettle.", lambda messages: "person -> verb -> fill", vocabulary=allowed)
    assert repr(told).startswith("1 graph, ") and "\x1b" not in repr(tk.refine([[["\x1b[31m", "verb", "x"]]]))
    odd: Any
    for odd in (5, "person -> verb -> fill", [["fill", "verb"]], [5]):
        with refuses(UsageError, "refine takes graphs or a narrative", odd):
            tk.refine(odd)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"vocab": allowed}, "there is no option vocab"),
        ({"vocabulary": {"object": ["kettle"]}}, "is no Vocabulary"),
        ({"repair": "all"}, "there is no repair"),
        ({"effort": "most"}, "there is no effort 'most'"),
    ]
    for options, message in wrong:
        with refuses(UsageError, message, options) as told_error:
            tk.refine([triplets], **options)
        assert "vocab" not in options or getattr(told_error.value, "hint", "") == "vocabulary?"
    with pytest.raises(UsageError, match="a story is a text or a list of sentences"):
        tk.generate(5, str)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="nothing to merge"):
        tk.merge([], "out")
    assert tk.refine([triplets], vocabulary=allowed, effort="low", repair="exact").changes
    with pytest.raises(AttributeError) as missing:
        tk.evalute  # noqa: B018
    assert missing.value.name == "evalute" and missing.value.obj is tk, "Python then says: did you mean 'evaluate'?"


def test_reports_comparisons_and_grids_are_those_of_the_commands(
    run: tk.Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = run.report(tmp_path / "r.md", by="domain", task="sgqa")
    assert (tmp_path / "r.md").read_text() == text
    assert main(["report", str(run.path), "--by", "domain", "--task", "sgqa", "--format", "markdown"]) == 0
    assert capsys.readouterr().out == text
    assert json.loads(run.report(format="json")) and run.report().startswith("#")
    with pytest.raises(UsageError, match=r"no report ends in \.xyz"):
        run.report(tmp_path / "r.xyz")
    compared, grid = tk.compare(run, "sgqa", baseline="zero-shot"), tk.grid(run, "sgqa")
    for found, words in ((compared, ["--baseline", "zero-shot"]), (grid, ["--grid"])):
        for name in ("t.tex", "t.html", "t.md", "t.csv", "t.json"):
            ours, theirs = tmp_path / f"ours.{name}", tmp_path / f"theirs.{name}"
            assert found.report(ours) == ours.read_text(encoding="utf-8")
            assert main(["compare", str(run.path), "--task", "sgqa", *words, "-o", str(theirs)]) == 0
            assert ours.read_bytes() == theirs.read_bytes(), (name, words)
            ours.unlink()
            theirs.unlink()
        assert found.report().startswith("## ")
        with pytest.raises(UsageError, match=r"no comparison ends in \.pdf"):
            found.report(tmp_path / "t.pdf")
    assert "item_id" in compared.report(format="csv", items=True)
    assert repr(grid).startswith("Styles by tasks, strict")
    assert "<script" not in grid._repr_html_()


def test_drawings_are_saved_and_shown(tmp_path: Path) -> None:
    (graph,) = tk.read("person -> verb -> wash; wash -> dobj -> cup").graphs
    other = tk.ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "<script>"))
    drawing = tk.draw(other, against=graph)
    assert "<script" not in drawing._repr_svg_()
    assert drawing.save(tmp_path / "d.svg").read_text() == drawing.svg
    with pytest.raises(UsageError, match="an image is SVG"):
        drawing.save(tmp_path / "d.png")
    with pytest.raises(UsageError, match="int cannot be drawn"):
        tk.draw(3)  # type: ignore[arg-type]


def test_scores_of_replies_give_their_figures_by_name(tmp_path: Path) -> None:
    replies = tmp_path / "replies.jsonl"
    replies.write_text(json.dumps({"item_id": "000001", "reply": ["\n".join("ACCADDCAAC")] * 5}))
    scores = tk.score("spatialgen/questions", QUESTIONS, replies)
    assert (scores.value("accuracy", profile="official"), scores.value("accuracy")) == (0.9, 0.036)
    with pytest.raises(UsageError, match="has no metric acuracy in strict") as refused:
        scores.value("acuracy")
    assert "accuracy" in (refused.value.hint or "")
    with pytest.raises(UsageError, match="there is no profile both"):
        scores.value("accuracy", profile="both")
