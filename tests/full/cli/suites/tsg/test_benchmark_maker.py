"""``tsgkit make tsg`` and ``make repairs``: benchmarks from stories, by patterns and models, and from wrong graphs."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from made_up_stories import made_up_story, possible_steps
from model_server import model_server
from shipped import DATA, OFFICIAL_DATA, needs_official_data
from tsg_tasks import rows_in

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.cli.suites.tsg import benchmark_work
from tsgkit.cli.suites.tsg.benchmark_work import Blame
from tsgkit.errors import UsageError
from tsgkit.graph.folding import fold_graph
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.notation import narratives
from tsgkit.suites.tsg.items import GenerationSample, RefineSample
from tsgkit.suites.tsg.makers.sentence_patterns import Manner, write

Captured = pytest.CaptureFixture[str]
ROWS = ("sgqa.jsonl", "sgds.jsonl", "sa-sgg.jsonl", "ma-sgg.jsonl")
OPTIONS = ("--implicit", "0.2", "--repeated", "0.1", "--bare", "0.1", "--choices", "3", "--possible", "more.jsonl")
AS_EVER = {
    "described.jsonl": "060dec3a", "narratives.jsonl": "294f9660", "sentences.jsonl": "5f6a4d94",
    "sgqa.jsonl": "90869f18", "sgds.jsonl": "4ff09d17", "sa-sgg.jsonl": "2dce1702", "ma-sgg.jsonl": "68d56775",
}  # fmt: skip
MAKE = ("make", "tsg", "stories.jsonl", "-o", "out", *OPTIONS)


def stories_file(count: int, steps: int = 14) -> Path:
    path = Path("stories.jsonl")
    stories = [made_up_story(number, steps) for number in range(count)]
    path.write_text("".join(map(narratives.write, stories)))
    Path("more.jsonl").write_text("".join(narratives.write(possible_steps(story)) for story in stories))
    return path


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four made-up stories and the benchmark that patterns make of them."""
    folder = tmp_path_factory.mktemp("base")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        stories_file(4, 20)
        assert main([*MAKE, "--quiet"]) == 0
    return folder


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def copied(base: Path, folder: None) -> None:
    """A copy of the stories and their benchmark in the working folder."""
    shutil.copytree(base, ".", dirs_exist_ok=True)


def rows(folder: str, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (Path(folder) / name).read_text(encoding="utf-8").splitlines()]


def made(*words: str) -> int:
    return main(["make", "tsg", *words, "--quiet"])


def test_patterns_make_the_same_benchmark_and_card_of_the_same_stories_as_ever_and_another_seed_others(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Digests of the files: after a deliberate change the bundled benchmark is to be made anew."""
    monkeypatch.chdir(base)
    found = {name: hashlib.sha256(Path("out", name).read_bytes()).hexdigest()[:8] for name in AS_EVER}
    assert found == AS_EVER
    assert json.loads(Path("out/audit.json").read_text())["gate"] == {"passed": True, "redrawn": 0, "blames": []}
    assert [main(["check", f"out/{name}"]) for name in ROWS] == [0] * 4
    card = json.loads(Path("out/card.json").read_text())
    assert (card["review"], card["licence"], card["gate"]["passed"]) == ("not reviewed by a person", "not stated", True)
    assert card["sources"][0]["format"] == "narrative" and len(card["sources"][0]["sha256"]) == 64
    assert [one["task"] for one in card["audit"]] == ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"]
    assert list(card["stages"]) == ["import", "describe", "elements", "questions", "choices", "generation"]
    describe = card["stages"]["describe"]
    assert (describe["sentences"], describe["tags"]) == ({"written": 51}, {"implicit": 5, "bare": 6, "repetition": 2})
    assert (card["stages"]["import"]["stories"], card["stages"]["import"]["graphs"]) == (4, 80)
    page = Path("out/card.md").read_text()
    assert "not reviewed by a person" in page and "sgds.jsonl | 12" in page and "the gate was passed" in page
    made("stories.jsonl", "-o", "other", *OPTIONS, "--seed", "8")
    for name, digest in AS_EVER.items():
        assert hashlib.sha256(Path("other", name).read_bytes()).hexdigest()[:8] != digest, name


@pytest.mark.usefixtures("copied")
def test_a_stage_that_is_up_to_date_is_not_done_again_and_a_change_by_hand_is_kept(capsys: Captured) -> None:
    main([*MAKE])
    assert {"everything was up to date", "audit: the gate is passed (audit.md)"} < {*capsys.readouterr()[0].split("\n")}
    with Path("more.jsonl").open("a") as file:
        file.write(Path("more.jsonl").read_text().partition("\n")[0] + "\n")
    main([*MAKE, "--questions", "3"])
    done = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert done == ["questions", "choices", "audit", "card"]
    path = Path("out/described.jsonl")
    first, *others = path.read_text().splitlines()
    story = json.loads(first)
    story["descriptions"][0]["text"] = "A person wrote this sentence."
    path.write_text("\n".join([json.dumps(story), *others]) + "\n")
    main([*MAKE])
    said = capsys.readouterr().out
    assert "describe: changed by hand and kept: described.jsonl" in said and "generation: " in said
    assert "A person wrote this sentence." in [row["target_sentence"] for name in ROWS[2:] for row in rows("out", name)]
    Path("more.jsonl").write_text(Path("more.jsonl").read_text().replace("made-up-0", "made-up-9"))
    assert main([*MAKE]) == 2 and "more.jsonl: no story has the id made-up-9" in capsys.readouterr().err
    main(["make", "tsg", "stories.jsonl", "-o", "fewer", "--only", "import,describe,elements,choices"])
    assert "few other actions with the same things\n  --possible FILE names" in capsys.readouterr().err


def test_stages_can_be_done_alone_and_wrong_usage_is_said_before_anything_is_made(capsys: Captured) -> None:
    stories_file(2)
    assert made("stories.jsonl", "-o", "alone", "--only", "import,describe") == 0
    assert not Path("alone/sgqa.jsonl").exists() and Path("alone/described.jsonl").exists()
    assert made("-o", "alone", "--only", "generation") == 2
    assert "narratives.jsonl: no such file" in capsys.readouterr().err
    assert made("-o", "alone", "--only", "elements,generation") == 0
    Path("empty").mkdir()
    Path("prose.json").write_text("person -> verb -> take\nperson -> verb -> put\n")
    for words, told in (
        ("", "no SOURCE is named"),
        ("--only audit", "no rows to audit"),
        ("stories.jsonl --only imports", "there is no stage 'imports'"),
        ("stories.jsonl --implicit 2", "expected a share from 0 to 1"),
        ("stories.jsonl --annotator ../me", "not a plain name"),
        ("stories.jsonl -o stories.jsonl", "this is a file, not a folder"),
        ("stories.jsonl --review 0", "expected a share above 0"),
        ("stories.jsonl --review", "needs a terminal"),
        ("empty", "no .json or .jsonl file in this folder"),
        ("prose.json", "no story in it: "),
        ("stories.jsonl --model script:none.jsonl", "none.jsonl: no such file"),
        ("stories.jsonl --possible mire.jsonl", "mire.jsonl: no such file"),
        ("--only questions --canary x", "--canary: the stage import is not among --only"),
    ):
        assert made("-o", "out", *words.split()) == 2, words
        assert told in capsys.readouterr().err and not Path("out").exists(), words
    with pytest.raises(UsageError, match="there is no option choises"):
        tk.make("tsg", "out", source="stories.jsonl", choises=3)


@pytest.mark.usefixtures("copied")
def test_files_of_other_work_are_refused_and_a_missed_gate_ends_with_the_items_to_blame(capsys: Captured) -> None:
    Path("others.jsonl").write_text(Path("stories.jsonl").read_text())
    assert made("others.jsonl", "-o", "out") == 2
    assert "made from other sources: stories.jsonl" in capsys.readouterr().err
    path = Path("out/sgds.jsonl")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[0].replace('"item_id": "', '"item_id": "twin-')]) + "\n")
    assert main([*MAKE]) == 3
    said = capsys.readouterr().out
    assert "the gate is missed" in said and "twin" in said and "--fix draws the items to blame anew" in said


@pytest.mark.usefixtures("copied")
def test_items_to_blame_are_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    question, choice = rows("out", "sgqa.jsonl")[0]["qa_pairs"][0], rows("out", "sgds.jsonl")[0]
    sentence = rows("out", "sa-sgg.jsonl")[0]["item_id"]
    blames = [
        Blame("tsg/sgqa", "answer", "in its own context", (question["item_id"],)),
        Blame("tsg/sgds", "twin", "there twice", (choice["item_id"],)),
        Blame("tsg/sa-sgg", "contradiction", "the opposite", (sentence,)),
    ]
    told = iter([blames])
    monkeypatch.setattr(benchmark_work, "blames_of", lambda audits: next(told, []))
    Path("out/audit.json").unlink()
    main([*MAKE, "--quiet", "--fix"])
    paths = [pair["path"] for pair in rows("out", "sgqa.jsonl")[0]["qa_pairs"]]
    assert question["path"] not in paths and len(paths) == 8
    steps = {row["item_id"].rsplit("/", 1)[0] for row in rows("out", "sgds.jsonl")}
    assert choice["item_id"].rsplit("/", 1)[0] not in steps
    assert sentence not in {row["item_id"] for row in rows("out", "sa-sgg.jsonl")}
    assert (len(rows("out", "sgds.jsonl")), len(rows("out", "sa-sgg.jsonl"))) == (12, 33)
    kept = {name: Path("out", name).read_bytes() for name in ROWS}
    main([*MAKE, "--quiet"])
    assert kept == {name: Path("out", name).read_bytes() for name in ROWS}


@pytest.mark.usefixtures("copied")
def test_what_people_drop_in_a_review_can_be_left_out(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def items() -> int:
        questions = sum(len(row["qa_pairs"]) for row in rows("out", "sgqa.jsonl"))
        return questions + sum(len(rows("out", name)) for name in ROWS[1:])

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    for name, first in (("ana", "d not clear\n"), ("ben", "a\n")):
        typed = iter([first, *["a\n"] * 400])
        monkeypatch.setattr("sys.stdin.readline", lambda typed=typed: next(typed))
        main([*MAKE, "--review", "0.5", "--annotator", name])
    capsys.readouterr()
    review = json.loads(Path("out/card.json").read_text())["review"]
    assert set(review["annotators"]) == {"ana", "ben"} and review["annotators"]["ana"]["drop"] == 1
    assert review["agreement"][0]["n"] == review["sampled"]
    before = items()
    main([*MAKE, "--quiet", "--apply-review"])
    assert items() == before - 1
    dropped = "".join(path.read_text() for path in Path("out").glob("*.dropped.jsonl"))
    assert "dropped by a person: ana: not clear" in dropped


def graphs_in(prompt: str) -> list[ActionGraph]:
    """Return the graphs at the end of a prompt, as a model would read them."""
    part = re.split(r"The (?:graphs|steps):\n", prompt)[-1].partition("\n\nThen give account")[0]
    blocks = part.partition("\nAn earlier try")[0].split("\n\n")
    found = [[line.split(" -> ") for line in block.splitlines() if line.count(" -> ") == 2] for block in blocks]
    return [ActionGraph(lines) for lines in found if lines]


def scripted(wrong: float = 0.0) -> Callable[[Sequence[Any]], str]:
    """Return a model that writes by patterns, and at first leaves something out in a share of its replies."""

    def reply(messages: Sequence[Any]) -> str:
        prompt = str(messages[-1]["content"])
        graphs, choice = graphs_in(prompt), Random(prompt)
        if "numbered" in prompt:
            steps = [write([graph], Manner("present", "named"), choice) for graph in graphs]
            return json.dumps([value(one, step) for step, one in enumerate(steps, 1)])
        if "An earlier try" not in prompt and choice.random() < wrong:
            graphs = graphs[:-1] if len(graphs) > 1 else [ActionGraph(graphs[0].triplets[:2])]
        return f"Here it is:\n{json.dumps(value(write(graphs, Manner('imperative', 'counted'), choice)))}"

    return reply


def value(sentence: Any, step: int = 0) -> dict[str, Any]:  # noqa: ANN401
    account = {node: list(words) for node, words in sentence.said.items()}
    return {"step": step, "sentence": sentence.text, "said": account, "implied": list(sentence.implied)}


def test_a_model_writes_and_is_asked_again_with_what_is_wrong_and_can_be_replayed() -> None:
    source = stories_file(2)
    found = tk.make("tsg", "out", source=source, possible="more.jsonl", model=scripted(0.5), concurrency=4)
    describe = found.summary["stages"]["describe"]
    assert found.code in (0, 3) and describe["sent_back"]["unsaid"] > 2 and describe["dropped"] == {}
    assert len(rows("out", "sentences.jsonl")) == describe["sentences"]["written"] > 10
    assert found.summary["stages"]["choices"]["items"]["sgds.jsonl"] >= 2
    again = tk.make("tsg", "again", source=source, model="replay:out/describe.calls", only="import,describe")
    assert again.code == 0
    for name in ("described.jsonl", "sentences.jsonl"):
        assert Path("out", name).read_bytes() == Path("again", name).read_bytes()


def test_a_model_that_gets_it_wrong_or_gives_no_answer_leaves_reasons_and_a_budget_no_half_stage() -> None:
    stages: dict[str, Any] = {"source": stories_file(1), "only": "import,describe"}
    found = tk.make("tsg", "wrong", model=lambda messages: "I cannot.", rounds=1, **stages)
    dropped = rows("wrong", "describe.dropped.jsonl")
    assert found.code == 0 and dropped and all("no JSON object" in one["reason"] for one in dropped)
    assert rows("wrong", "sentences.jsonl") == []
    first = tk.make("tsg", "out", model=scripted(), max_requests=3, **stages)
    assert first.code == 4 and not Path("out/described.jsonl").exists()
    second = tk.make("tsg", "out", model=scripted(), **stages)
    assert second.code == 0 and Path("out/described.jsonl").exists(), "the same command resumes"
    with model_server(always={"The graphs:": "filter"}) as server:
        words = ("--model-arg", f"api_base={server.base}", "--model-arg", "api_key=k", "--rounds", "0")
        assert made("stories.jsonl", "-o", "silent", "--only", "import,describe", "--model", "openai/m", *words) == 1
    unanswered = json.loads(Path("silent/make.json").read_text())["stages"]["describe"]["figures"]["without_answer"]
    assert unanswered == len(rows("silent", "describe.dropped.jsonl")) > 3


def items(task: str) -> list[GenerationSample]:
    return [rows_in(DATA / f"{task}.jsonl", task).sample(number) for number in range(6)]


def text(*graphs: ActionGraph) -> str:
    return "\n\n".join(map(str, graphs))


def wrongly(graph: ActionGraph) -> ActionGraph:
    """The graph with its last triplet turned round."""
    return ActionGraph([*graph.triplets[:-1], graph.triplets[-1].reversed])


def answered(task: str, *texts: str, out: str = "run") -> None:
    """Evaluate a scripted model on the first items of a task."""
    file = Path(f"{task}-rows.jsonl")
    file.write_text("".join((DATA / f"{task}.jsonl").read_text().splitlines(keepends=True)[: len(texts)]))
    said = ({"item_id": one.item_id, "reply": reply} for one, reply in zip(items(task), texts, strict=False))
    Path("said.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said))
    tk.evaluate(task, data=file, model="script:said.jsonl", out=out, quiet=True)


def test_every_wrong_graph_becomes_an_item_and_the_others_are_counted(capsys: Captured) -> None:
    asked = items("sa-sgg")
    references = [one.references[0] for one in asked]
    right, other = f"Here it is:\n{references[2]}", "person -> verb -> juggle\njuggle -> dobj -> moon"
    answered("sa-sgg", *map(text, map(wrongly, references[:2])), right, other, "I cannot say.", "")
    with pytest.raises(UsageError, match="was not asked in this run"):
        tk.make("repairs", "more.jsonl", source="run", subject="openai/x")
    found = tk.make("repairs", "repairs.jsonl", source="run", subject="script:said.jsonl")
    assert (found.complete, found.summary["items"], found.summary["dropped"]) == (
        True, 2, {"right": 1, "no triplet in common with a reference": 1, "unreadable": 1, "empty": 1},
    )  # fmt: skip
    told = [
        (*(row["given"][name] for name in ("item_id", "subject", "style", "task")),)
        for row in rows("", "repairs.jsonl")
    ]
    assert told == [(one.item_id, "script:said.jsonl", "zero-shot", "tsg/sa-sgg") for one in asked[:2]]
    samples: list[RefineSample] = list(rows_in(Path("repairs.jsonl"), "refine"))
    for sample, source in zip(samples, asked, strict=False):
        given, wanted = (sample.sentence, sample.context), (source.sentence, source.context)
        assert (given, sample.vocabulary, sample.original) == (wanted, source.vocabulary, source.references[0])
        assert sample.spoilt == fold_graph(wrongly(source.references[0]))
        assert (sample.error, sample.origin, sample.cluster) == ("model-reversed", "model", source.cluster)

    def refused(words: str) -> str:
        assert main(["make", "repairs", "--from", *words.split()]) == 2
        return capsys.readouterr().err

    Path("repairs.jsonl").write_text("mine\n")
    assert "repairs.jsonl" in refused("run")
    Path("sa-sgg-rows.jsonl").rename("moved.jsonl")
    assert tk.make("repairs", "more.jsonl", source="run").summary["items"] == 2, "the run keeps its rows"
    assert [main(words.split()) for words in ("runs pack run -o run.zip --no-data", "runs unpack run.zip -o bare")] == [
        0,
        0,
    ]
    assert "its rows were not kept" in refused("bare -o again.jsonl")
    assert tk.make("repairs", "again.jsonl", source="bare", data="moved.jsonl").summary["items"] == 2
    assert "nowhere: no run lies here" in refused("nowhere")
    tk.evaluate("sgqa", model="baseline/rules", out="asked", quiet=True)
    assert "asked: no graphs were asked for in this run, but tsg/sgqa" in refused("asked")
    answered("sa-sgg", *map(text, references), out="right")
    assert "right: no wrong graph to make an item of (right: 6)" in refused("right -o no.jsonl")
    assert not Path("no.jsonl").exists()


def test_graphs_of_several_are_paired_with_the_references_they_are_most_like() -> None:
    asked = items("ma-sgg")[:3]
    first, second, *rest = asked[0].references
    more, fewer = (*asked[1].references, ActionGraph.of(("person", "verb", "juggle"))), asked[2].references[:-1]
    answered("ma-sgg", text(second, wrongly(first), *rest), text(*more), text(*fewer))
    assert main(["make", "repairs", "--from", "run", "-o", "out.jsonl"]) == 0
    found = tk.make("repairs", "repairs.jsonl", source="run").summary
    assert (found["items"], found["dropped"]) == (1, {
        "right": sum(one.k for one in asked) - 2,
        "no graph written for the reference": 1,
        "more graphs written than there are references": 1,
    })  # fmt: skip
    (sample,) = rows_in(Path("out.jsonl"), "refine")
    assert (sample.number, sample.spoilt, sample.source.k) == (0, fold_graph(wrongly(first)), asked[0].k)


def test_rows_of_other_makers_are_refused_with_their_line() -> None:
    row = {
        "item_id": "a", "scenario_id": "s", "context": [], "target_sentence": "She washes it.",
        "mandatory_space": {"object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]},
        "graphs": [{"triplets": (wash := [["person", "verb", "wash"], ["wash", "dobj", "cup"]])}],
    }  # fmt: skip
    for given, said in (
        ({}, "given.number: Field required"),
        ({"number": 0, "triplets": []}, "given.triplets: List should have at least 1 item"),
        ({"number": 1, "triplets": wash}, "given.number: 1, and the row has 1 graphs"),
        ({"number": -1, "triplets": wash}, "given.number: Input should be greater than or equal to 0"),
        ({"number": 0, "triplets": wash}, "item a: given: nothing is wrong in this graph"),
        ({"number": 0, "triplets": [["Person", "verb", "wash"], *wash]}, "nothing is wrong in this graph"),
    ):
        Path("rows.jsonl").write_text(json.dumps(row | {"given": given}) + "\n")
        with pytest.raises(UsageError, match=r"rows\.jsonl: line 1: ") as error:
            rows_in(Path("rows.jsonl"), "refine")
        assert said in str(error.value)


def test_an_interrupt_leaves_finished_stages_and_no_half_one() -> None:
    source = stories_file(80, 30)
    command = [sys.executable, "-m", "tsgkit", "make", "tsg", str(source), "-o", "out", "--only"]
    process = subprocess.Popen([*command, "import,describe"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline().startswith("import: 80 stories")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    if process.returncode != 0:  # a fast machine may be done
        assert process.returncode == 130 and "goes on" in said and "Traceback" not in said
        assert not Path("out/described.jsonl").exists() and not list(Path("out").glob(".*.part"))
    assert made(str(source), "-o", "out", "--only", "describe") == 0


@needs_official_data
def test_published_clips_pass_the_gate() -> None:
    clips = json.loads((OFFICIAL_DATA / "easg_fit.json").read_text(encoding="utf-8"))
    Path("clips.json").write_text(json.dumps(dict([*clips.items()][:12])))
    assert made("clips.json", "-o", "out", "--questions", "4", "--fix") == 0
    assert len(rows("out", "stories.jsonl")) == 12 and len(rows("out", "ma-sgg.jsonl")) > 40
