"""``tsgkit make tsg``: a benchmark from stories, by patterns and by models that are right, wrong or away."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from made_up_stories import made_up_story
from model_server import model_server
from shipped import DATA

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.notation import narratives
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.tsg.commands import benchmark_fixes
from tsgkit.suites.tsg.commands.benchmark_gate import Blame
from tsgkit.suites.tsg.makers.sentence_patterns import Manner, write
from tsgkit.suites.tsg.makers.stage_files import StageFolder

Captured = pytest.CaptureFixture[str]
OURS = DATA / "narratives.jsonl"
OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
ROWS = ("sgqa.jsonl", "sgds.jsonl", "sa-sgg.jsonl", "ma-sgg.jsonl")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def stories_file(count: int, steps: int = 14) -> Path:
    path = Path("stories.jsonl")
    path.write_text("".join(narratives.write(made_up_story(number, steps)) for number in range(count)))
    return path


def rows(folder: str, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (Path(folder) / name).read_text(encoding="utf-8").splitlines()]


def made(*words: str) -> int:
    return main(["make", "tsg", *words, "--quiet"])


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The benchmark that patterns make of all our stories, described anew."""
    out = tmp_path_factory.mktemp("made") / "ours"
    share = ["--implicit", "0.2", "--repeated", "0.1", "--bare", "0.1"]
    assert made(str(OURS), "-o", str(out), "--rewrite", *share) == 0
    return out


def test_all_kinds_of_rows_of_our_stories_pass_the_gate(ours: Path) -> None:
    audit = json.loads((ours / "audit.json").read_text())
    assert audit["gate"] == {"passed": True, "redrawn": 0, "blames": []}
    counts = {name: len((ours / name).read_text().splitlines()) for name in ROWS}
    assert counts["sgqa.jsonl"] == 18 and counts["sgds.jsonl"] == 108
    assert counts["sa-sgg.jsonl"] > 90 and counts["ma-sgg.jsonl"] > 70
    for name in ROWS:
        assert main(["check", str(ours / name)]) == 0


def test_rows_are_labelled_by_what_was_asked_for(ours: Path) -> None:
    tags = Counter(tag for name in ROWS[2:] for row in rows(str(ours), name) for tag in row["tags"])
    assert min(tags["implicit"], tags["repetition"], tags["bare"]) >= 5
    questions = [pair for row in rows(str(ours), "sgqa.jsonl") for pair in row["qa_pairs"]]
    hops = Counter(pair["hops"] for pair in questions)
    assert len(questions) == 144 and min(hops[number] for number in (1, 2, 3, 4)) >= 15
    choices = Counter(row["tags"][0] for row in rows(str(ours), "sgds.jsonl"))
    assert choices["one-element"] == choices["mixed"] == 54
    assert set(Counter(row["position"] for row in rows(str(ours), "sgds.jsonl"))) == {0, 1, 2, 3, 4}


def test_the_card_has_every_figure_and_claims_no_reviewer(ours: Path) -> None:
    card = json.loads((ours / "card.json").read_text())
    assert card["review"] == "not reviewed by a person" and card["licence"] == "not stated"
    assert card["sources"][0]["format"] == "narrative" and len(card["sources"][0]["sha256"]) == 64
    assert card["gate"]["passed"] and {one["task"] for one in card["audit"]} == {
        "tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"
    }  # fmt: skip
    assert set(card["stages"]) == {"import", "describe", "elements", "questions", "choices", "generation"}
    page = (ours / "card.md").read_text()
    assert "not reviewed by a person" in page and "sgds.jsonl | 108" in page and "the gate was passed" in page


def test_models_are_evaluated_on_what_was_made(ours: Path) -> None:
    for task in ("sgqa", "sgds", "sa-sgg", "ma-sgg"):
        words = ["eval", "--task", task, "--data", str(ours / f"{task}.jsonl"), "--model", "baseline/rules"]
        assert main([*words, "--out", f"run-{task}", "--quiet"]) == 0


def test_the_same_seed_makes_the_same_files_and_another_seed_others() -> None:
    source = str(stories_file(4))
    for out, seed in (("one", "7"), ("two", "7"), ("three", "8")):
        made(source, "-o", out, "--seed", seed)
    for name in ROWS:
        first = (Path("one") / name).read_bytes()
        assert first == (Path("two") / name).read_bytes() != (Path("three") / name).read_bytes()


def test_where_sentences_are_written_changes_no_byte_of_them() -> None:
    source = str(stories_file(6))
    for name in ("here", "processes"):
        assert made(source, "-o", name, "--only", "import,describe", "--executor", name) == 0
    for file in ("described.jsonl", "sentences.jsonl"):
        assert Path("here", file).read_bytes() == Path("processes", file).read_bytes() != b""


def test_a_stage_that_is_up_to_date_is_not_done_again(capsys: Captured) -> None:
    source = str(stories_file(3))
    main(["make", "tsg", source, "-o", "out"])
    capsys.readouterr()
    main(["make", "tsg", source, "-o", "out"])
    assert "everything was up to date" in capsys.readouterr().out
    main(["make", "tsg", source, "-o", "out", "--questions", "3"])
    said = capsys.readouterr().out
    assert "questions: " in said and "choices: " not in said and "describe: " not in said


def test_what_a_person_changes_stays_and_later_stages_start_from_it(capsys: Captured) -> None:
    source = str(stories_file(3))
    made(source, "-o", "out")
    path = Path("out/described.jsonl")
    story = json.loads(path.read_text().splitlines()[0])
    story["descriptions"][0]["text"] = "A person wrote this sentence."
    path.write_text("\n".join([json.dumps(story), *path.read_text().splitlines()[1:]]) + "\n")
    main(["make", "tsg", source, "-o", "out"])
    said = capsys.readouterr().out
    assert "describe: changed by hand and kept: described.jsonl" in said and "generation: " in said
    told = [row["target_sentence"] for name in ROWS[2:] for row in rows("out", name)]
    assert "A person wrote this sentence." in told
    assert made(source, "-o", "out", "--seed", "5") == 2
    assert "changes made by hand would be lost" in capsys.readouterr().err
    assert json.loads(path.read_text().splitlines()[0])["descriptions"][0]["text"] == "A person wrote this sentence."
    assert made(source, "-o", "out", "--seed", "5", "--force") in (0, 3)


def test_stages_can_be_done_alone_and_say_what_they_need(capsys: Captured) -> None:
    source = str(stories_file(3))
    assert made(source, "-o", "out", "--only", "import,describe") == 0
    assert not (Path("out") / "sgqa.jsonl").exists() and (Path("out") / "described.jsonl").exists()
    assert made("-o", "out", "--only", "generation") == 2
    assert "narratives.jsonl: no such file" in capsys.readouterr().err
    assert made("-o", "out", "--only", "elements,generation") == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-o", "out"], "no SOURCE is named"),
        (["nothing.json", "-o", "out"], "no such file or folder"),
        (["stories.jsonl", "-o", "out", "--only", "imports"], "there is no stage 'imports'"),
        (["stories.jsonl", "-o", "out", "--mix", "9:1"], "a description has 1 to 8 graphs"),
        (["stories.jsonl", "-o", "out", "--implicit", "2"], "expected a share from 0 to 1"),
        (["stories.jsonl", "-o", "out", "--questions", "-1"], "expected a number from 0"),
        (["stories.jsonl", "-o", "stories.jsonl"], "this is a file, not a folder"),
        (["stories.jsonl", "-o", "out", "--review", "0"], "expected a share above 0"),
        (["stories.jsonl", "-o", "out", "--review"], "needs a terminal"),
        (["stories.jsonl", "-o", "out", "--annotator", "../me"], "not a plain name"),
        (["stories.jsonl", "-o", "out", "--executor", "rai"], "there is no such executor"),
        (["empty", "-o", "out"], "no .json or .jsonl file in this folder"),
        (["prose.json", "-o", "out"], "no story in it: "),
    ],
)
def test_wrong_usage_is_said_before_anything_is_made(words: list[str], told: str, capsys: Captured) -> None:
    stories_file(1)
    Path("empty").mkdir()
    Path("prose.json").write_text("person -> verb -> take\nperson -> verb -> put\n")
    assert made(*words) == 2
    assert told in capsys.readouterr().err and not list(Path().glob("out/*.jsonl"))


def test_files_of_other_work_are_refused_before_anything_is_made(capsys: Captured) -> None:
    source = str(stories_file(2))
    Path("out").mkdir()
    Path("out/sgds.jsonl").write_text("mine")
    assert made(source, "-o", "out") == 2 and [path.name for path in Path("out").iterdir()] == ["sgds.jsonl"]
    assert "what lies there already would be lost" in capsys.readouterr().err
    Path("out/sgds.jsonl").unlink()
    assert made(source, "-o", "out") in (0, 3)
    Path("others.jsonl").write_text(Path(source).read_text())
    assert made("others.jsonl", "-o", "out") == 2
    assert "made from other sources: stories.jsonl" in capsys.readouterr().err
    assert made("-o", "nothing", "--only", "audit") == 2 and "no rows to audit" in capsys.readouterr().err


def test_a_missed_gate_ends_with_the_items_to_blame_and_a_fix_draws_them_anew(capsys: Captured) -> None:
    source = str(stories_file(6, 20))
    assert made(source, "-o", "out") == 0
    path = Path("out/sgds.jsonl")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[0].replace('"item_id": "', '"item_id": "twin-')]) + "\n")
    assert main(["make", "tsg", source, "-o", "out"]) == 3
    said = capsys.readouterr().out
    assert "the gate is missed" in said and "twin" in said and "--fix draws the items to blame anew" in said


def test_items_to_blame_are_drawn_anew_and_stay_away(monkeypatch: pytest.MonkeyPatch) -> None:
    source = str(stories_file(4, 20))
    assert made(source, "-o", "out", "--choices", "3") in (0, 3)
    question, choice = rows("out", "sgqa.jsonl")[0]["qa_pairs"][0], rows("out", "sgds.jsonl")[0]
    sentence = rows("out", "sa-sgg.jsonl")[0]["item_id"]
    blames = [
        Blame("tsg/sgqa", "answer", "in its own context", (question["item_id"],)),
        Blame("tsg/sgds", "twin", "there twice", (choice["item_id"],)),
        Blame("tsg/sa-sgg", "contradiction", "the opposite", (sentence,)),
    ]
    told = iter([blames])
    monkeypatch.setattr(benchmark_fixes, "blames_of", lambda audits: next(told, []))
    before = {name: len(rows("out", name)) for name in ROWS}
    made(source, "-o", "out", "--choices", "3", "--fix")
    paths = [pair["path"] for row in rows("out", "sgqa.jsonl")[:1] for pair in row["qa_pairs"]]
    assert question["path"] not in paths and len(paths) == 8
    assert choice["item_id"].rsplit("/", 1)[0] not in {
        row["item_id"].rsplit("/", 1)[0] for row in rows("out", "sgds.jsonl")
    }
    assert sentence not in {row["item_id"] for row in rows("out", "sa-sgg.jsonl")}
    assert len(rows("out", "sgds.jsonl")) == before["sgds.jsonl"]
    assert len(rows("out", "sa-sgg.jsonl")) == before["sa-sgg.jsonl"] - 1
    kept = {name: (Path("out") / name).read_bytes() for name in ROWS}
    made(source, "-o", "out", "--choices", "3")
    assert kept == {name: (Path("out") / name).read_bytes() for name in ROWS}


def test_of_a_shortcut_as_many_items_are_drawn_anew_as_it_solves_too_many() -> None:
    made(str(stories_file(4, 20)), "-o", "out")
    audits = benchmark_fixes.audits_of_folder(StageFolder(Path("out")))
    [found] = [one for one in audits if one.task == "tsg/sgds"]
    shortcut = max((one for one in found.audit.shortcuts if one.is_blind), key=lambda one: one.value - one.chance)
    items = tuple(f"story/{number}/mixed" for number in range(50))
    blame = Blame("tsg/sgds", "shortcut", f"{shortcut.name}: too often", items)
    blamed = benchmark_fixes.to_blame(audits, [blame], Random(1))
    assert 1 <= len(blamed["choices"]) < 20


def test_an_interrupt_leaves_finished_stages_and_no_half_one() -> None:
    source = stories_file(80, 30)
    command = [sys.executable, "-m", "tsgkit", "make", "tsg", str(source), "-o", "out", "--only"]
    process = subprocess.Popen([*command, "import,describe"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline().startswith("import: 80 stories")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    if process.returncode != 0:  # a fast machine may be done
        assert process.returncode == 130 and "goes on" in said and "Traceback" not in said
        assert not (Path("out") / "described.jsonl").exists() and not list(Path("out").glob(".*.part"))
    assert made(str(source), "-o", "out", "--only", "describe") == 0


def test_people_review_a_share_and_what_they_drop_can_be_left_out(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = str(stories_file(2))
    assert made(source, "-o", "out") in (0, 3)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    typed = iter(["d not clear\n", *["a\n"] * 400])
    monkeypatch.setattr("sys.stdin.readline", lambda: next(typed))
    main(["make", "tsg", source, "-o", "out", "--review", "0.5", "--annotator", "ana"])
    typed = iter(["a\n"] * 400)
    main(["make", "tsg", source, "-o", "out", "--review", "0.5", "--annotator", "ben"])
    capsys.readouterr()
    review = json.loads(Path("out/card.json").read_text())["review"]
    assert set(review["annotators"]) == {"ana", "ben"} and review["annotators"]["ana"]["drop"] == 1
    assert review["agreement"][0]["n"] == review["sampled"]
    before = sum(len(rows("out", name)) for name in ROWS[1:]) + sum(
        len(row["qa_pairs"]) for row in rows("out", "sgqa.jsonl")
    )
    made(source, "-o", "out", "--apply-review")
    after = sum(len(rows("out", name)) for name in ROWS[1:]) + sum(
        len(row["qa_pairs"]) for row in rows("out", "sgqa.jsonl")
    )
    assert after == before - 1
    dropped = "".join(path.read_text() for path in Path("out").glob("*.dropped.jsonl"))
    assert "dropped by a person: ana: not clear" in dropped


# A model as the writer


def graphs_in(prompt: str) -> list[ActionGraph]:
    """The graphs at the end of a prompt, as a model would read them."""
    part = re.split(r"The (?:graphs|steps):\n", prompt)[-1].partition("\n\nThen give account")[0]
    part = part.partition("\nAn earlier try")[0]
    found = []
    for block in part.split("\n\n"):
        lines = [line.split(" -> ") for line in block.splitlines() if line.count(" -> ") == 2]
        if lines:
            found.append(ActionGraph.of(*((one, two, three) for one, two, three in lines)))
    return found


def scripted(wrong: float = 0.0) -> Callable[[Sequence[Any]], str]:
    """A model that writes by patterns, and at first leaves something out in a share of its replies."""
    seen: Counter[str] = Counter()

    def reply(messages: Sequence[Any]) -> str:
        prompt = str(messages[-1]["content"])
        graphs = graphs_in(prompt)
        choice = Random(prompt)
        if "numbered" in prompt:
            steps = [write([graph], Manner("present", "named"), choice) for graph in graphs]
            return json.dumps([value(one, step) for step, one in enumerate(steps, 1)])
        key = str(graphs)
        seen[key] += 1
        is_wrong = "An earlier try" not in prompt and choice.random() < wrong
        told = graphs[:-1] if is_wrong and len(graphs) > 1 else graphs
        if is_wrong and len(graphs) == 1:
            told = [ActionGraph(graphs[0].triplets[:2])]
        return f"Here it is:\n{json.dumps(value(write(told, Manner('imperative', 'counted'), choice)))}"

    return reply


def value(sentence: Any, step: int = 0) -> dict[str, Any]:  # noqa: ANN401
    account = {node: list(words) for node, words in sentence.said.items()}
    return {"step": step, "sentence": sentence.text, "said": account, "implied": list(sentence.implied)}


def test_a_model_writes_and_is_asked_again_with_what_is_wrong() -> None:
    source = stories_file(3)
    found = tk.make("tsg", "out", source=source, model=scripted(0.5), concurrency=4)
    assert found.code in (0, 3)
    describe = found.summary["stages"]["describe"]
    assert describe["sent_back"]["unsaid"] > 3 and describe["dropped"] == {}
    assert len(rows("out", "sentences.jsonl")) == describe["sentences"]["written"] > 15
    assert found.summary["stages"]["choices"]["items"]["sgds.jsonl"] >= 3


def test_work_of_a_model_is_repeatable_from_its_recorded_calls() -> None:
    source = stories_file(3)
    tk.make("tsg", "out", source=source, model=scripted(0.3), concurrency=8)
    again = tk.make("tsg", "again", source=source, model="replay:out/describe.calls", only="import,describe")
    assert again.code == 0
    for name in ("described.jsonl", "sentences.jsonl"):
        assert (Path("out") / name).read_bytes() == (Path("again") / name).read_bytes()


def test_a_budget_that_is_reached_leaves_no_half_stage_and_the_same_command_resumes() -> None:
    source = stories_file(4)
    reply = scripted()
    first = tk.make("tsg", "out", source=source, model=reply, max_requests=5)
    assert first.code == 4 and not (Path("out") / "described.jsonl").exists()
    second = tk.make("tsg", "out", source=source, model=reply)
    assert second.code in (0, 3) and (Path("out") / "described.jsonl").exists()


def test_a_model_that_never_gets_it_right_leaves_reasons() -> None:
    source = stories_file(2)
    found = tk.make("tsg", "out", source=source, model=lambda messages: "I cannot.", only="import,describe", rounds=1)
    assert found.code == 0
    dropped = rows("out", "describe.dropped.jsonl")
    assert dropped and all("no JSON object" in one["reason"] for one in dropped)
    assert rows("out", "sentences.jsonl") == []


def test_requests_without_an_answer_are_counted_and_end_with_exit_code_1(capsys: Captured) -> None:
    source = str(stories_file(1))
    with model_server(always={"The graphs:": "filter"}) as server:
        words = ["--model", "openai/m", "--model-arg", f"api_base={server.base}", "--model-arg", "api_key=k"]
        assert made(source, "-o", "out", "--only", "import,describe", "--rounds", "0", *words) == 1
    assert "describe/0/0 gave no answer" in capsys.readouterr().err
    record = json.loads(Path("out/make.json").read_text())
    assert record["stages"]["describe"]["figures"]["without_answer"] == len(rows("out", "describe.dropped.jsonl")) > 3


def test_an_unknown_option_is_refused_in_python() -> None:
    with pytest.raises(UsageError, match="there is no option choises"):
        tk.make("tsg", "out", source=stories_file(1), choises=3)


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA names no folder with published clips")
def test_official_clips_are_imported_and_described() -> None:
    clips = sorted(Path(OFFICIAL).glob("easg*.json"))
    assert made(*map(str, clips), "-o", "out", "--only", "import,describe") == 0
    known = [entry.narrative for path in clips for entry in read_file(path).entries]
    stories = rows("out", "stories.jsonl")
    dropped = [one for one in rows("out", "import.dropped.jsonl") if one["place"] == "story"]
    assert len(stories) + len(dropped) == len(known) and rows("out", "sentences.jsonl")
