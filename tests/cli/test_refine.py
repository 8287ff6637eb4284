"""``tsgkit refine``: what it repairs, what it asks, what it writes, and how it ends."""

from __future__ import annotations

import hashlib
import io
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, write_lines
from model_server import Running, model_server
from prefork import Prefork
from run_files import good_calls
from seeded_faults import BUNDLED, spoilt_narratives

from tsgkit.graph import ActionGraph, Description, Narrative
from tsgkit.graph.notation import arrow, graphml, narratives, node_link
from tsgkit.library.documents.reader import read_file
from tsgkit.llm.cache import canonical

SLIP = ActionGraph.of(("fill", "verb", "person"), ("fill", "dobj", "kettle"), ("fill", "with", "hand1"))
GOOD = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "with", "hand1"))
VASE = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "vase"), ("fill", "with", "hand1"))
CUP = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "cup"), ("fill", "with", "hand1"))
LIKELY = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "kettle"), ("take", "with", "hand1"))
HANDLESS = (
    LIKELY,
    ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup")),
    ActionGraph.of(("person", "verb", "put-down"), ("put-down", "dobj", "cup"), ("put-down", "with", "hand2")),
)
BETTER = "1: fill -> dobj -> kettle"
REFINE = "refine g.txt -o out.txt --vocabulary L.json"
SCRIPT = "--model script:said.jsonl"
UNWANTED = ("Traceback", "Warning", "never", "Exception", "Error")


@pytest.fixture(autouse=True)
def vocabulary(folder: Path) -> None:
    allowed = {"object": ["kettle", "cup"], "relationship": ["verb", "dobj", "with"], "verb": ["fill", "pour"]}
    (folder / "L.json").write_text(json.dumps(allowed))


def given(*graphs: ActionGraph, story: str = "") -> None:
    """Write graphs into g.txt, and their sentences into story.txt."""
    Path("g.txt").write_text(arrow.write(graphs))
    Path("story.txt").write_text(story)


def changes(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(f"{out}.changes.jsonl").read_text().splitlines()]


def graphs(path: str) -> list[ActionGraph]:
    return [graph for entry in read_file(path).entries for graph in entry.narrative.graphs]


def model(server: Running) -> str:
    return f"--model openai/x --model-arg api_base={server.base}"


def unhelpful() -> None:
    """Write a script of a model that finds nothing wrong and puts nothing right."""
    write_lines("said.jsonl", {"item_id": "0/0", "reply": {"look": "none"}})


def test_every_format_goes_out_as_it_came_in_with_what_was_repaired(tsgkit: CommandLine) -> None:
    for name, text in {
        "g.txt": arrow.write([SLIP, GOOD]),
        "g.json": json.dumps([[list(one) for one in graph.triplets] for graph in (SLIP, GOOD)]),
        "g.jsonl": narratives.write(Narrative.of([SLIP, GOOD])),
        "nodes.json": node_link.write([SLIP, GOOD]),
        "g.graphml": graphml.write([SLIP, GOOD]),
    }.items():
        Path(name).write_text(text)
        summary = tsgkit(f"refine {name} -o out.{name} --json").json
        assert read_file(f"out.{name}").format == read_file(name).format == summary["format"]
        assert graphs(f"out.{name}") == [GOOD, GOOD], name
        assert (summary["graphs"], summary["graphs_touched"], summary["changes"]) == (2, 1, {"exact": 1}), name
        assert summary["calls"] == summary["cost"] == 0
        assert changes(f"out.{name}") == [
            {
                "item": "0",
                "graph": 0,
                "before": ["fill", "verb", "person"],
                "after": ["person", "verb", "fill"],
                "code": "verb-source",
                "reason": "verb starts at fill, not at person",
                "by": "exact",
                "round": 0,
                "sure": None,
            }
        ], name


def test_clean_data_go_through_byte_for_byte(tsgkit: CommandLine) -> None:
    for name in ("sgds", "narratives"):
        source = BUNDLED.with_name(f"{name}.jsonl")
        tsgkit(f"refine {source} -o {name}.jsonl")
        assert Path(f"{name}.jsonl").read_bytes() == source.read_bytes(), name
        assert changes(f"{name}.jsonl") == []


def test_spoilt_data_are_mended_where_one_remedy_exists_and_the_rest_is_told(tsgkit: CommandLine) -> None:
    spoilt = spoilt_narratives(seed=4)
    Path("in.jsonl").write_text("".join(narratives.write(one.spoilt) for one in spoilt))
    summary = tsgkit("refine in.jsonl -o out.jsonl --json").json
    assert sum(summary["findings_after"].values()) < sum(summary["findings_before"].values())
    for one, entry in zip(spoilt, read_file("out.jsonl").entries, strict=True):
        for number, clean in enumerate(one.clean.graphs):
            assert number in one.kinds or entry.narrative.graphs[number].triplets == clean.triplets
    assert {(change["by"], change["sure"]) for change in changes("out.jsonl")} == {("exact", None)}
    assert summary["undecided"] > 2 and "disconnected" in summary["findings_after"]
    assert any("hand" in code for code in summary["findings_after"]), "broken hand rules are told like other faults"
    assert f"not decided ({summary['undecided']}):" in tsgkit("refine in.jsonl -o said.jsonl").out


def test_several_processes_clean_a_large_file_as_one_does(monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine) -> None:
    Path("in.jsonl").write_text("".join(narratives.write(one.spoilt) for one in spoilt_narratives(seed=7)[:4]))
    summary = tsgkit("refine in.jsonl -o one.jsonl --json").json
    monkeypatch.setattr("tsgkit.cli.refine.MANY_GRAPHS", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert tsgkit("refine in.jsonl -o two.jsonl --json").json == summary
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
    assert changes("one.jsonl") == changes("two.jsonl") != []


def test_sentences_decide_what_rules_cannot_see_and_the_page_shows_it(tsgkit: CommandLine) -> None:
    given(CUP, story="She fills the kettle with one hand.\n")
    words = f"{REFINE} --narrative story.txt --report"
    out = tsgkit(words, "page.html").out
    [change] = changes("out.txt")
    assert (change["code"], change["by"], change["sure"]) == ("evidence-mismatched", "exact", None)
    assert change["reason"] == "the sentence mentions kettle" and graphs("out.txt") == [GOOD]
    assert "evidence          0        0           1         0    1" in out and "page.html" in out
    page = Path("page.html").read_text()
    assert "She fills the kettle with one hand." in page and "the sentence mentions kettle" in page and "<svg" in page
    tsgkit(words, "page.html", "--force", "--new")
    tsgkit.refuses({f"{words} g.txt --force": "g.txt", f"{words} page.html": "page.html"})


def test_likely_repairs_are_proposed_and_made_from_a_probability_on(tsgkit: CommandLine) -> None:
    shelved = {"object": ["kettle", "shelf"], "relationship": ["verb", "dobj", "with", "from"], "verb": ["take"]}
    Path("L.json").write_text(json.dumps(shelved))
    given(LIKELY, story="With one hand she takes the kettle from the shelf.\n")
    out = tsgkit(f"{REFINE} --narrative story.txt").out
    assert "proposed (" in out and "take -> from -> shelf, which was missing [evidence-missing]" in out
    assert graphs("out.txt") == [LIKELY] and changes("out.txt") == []
    words = "refine g.txt -o made.txt --vocabulary L.json --narrative story.txt --accept 0.5 --json"
    assert tsgkit(words).json["proposed"] == []
    [change] = changes("made.txt")
    assert change["by"] == "less sure" and change["sure"] >= 0.5 and change["after"] == ["take", "from", "shelf"]


def test_reviewers_decide_about_proposals(tsgkit: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    spoilt = next(one.spoilt for one in spoilt_narratives(seed=3) if one.clean.id == "shelf")
    Path("in.jsonl").write_text(narratives.write(spoilt))
    summary = tsgkit("refine in.jsonl -o plain.jsonl --json").json
    likely = [one for one in summary["proposed"] if one["sure"] >= 0.5]
    for key, accepted in (("a", len(likely)), ("r", 0)):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{key}\n" * 50))
        out = tsgkit(f"refine in.jsonl -o {key}.jsonl --review").out
        assert f"(proposed, {100 * likely[0]['sure']:.0f} %)" in out and likely[0]["reason"] in out
        assert sum(one["by"] == "proposed" for one in changes(f"{key}.jsonl")) == accepted
        assert (graphs(f"{key}.jsonl") == [*spoilt.graphs]) == (key == "r")
    given(SLIP)
    monkeypatch.setattr("sys.stdin", io.StringIO("a\n"))
    ended = tsgkit("refine g.txt -o out.txt --review --json")
    assert ended.json["graphs_touched"] == 1 and "1 of 1: item 0, graph 0 (exact)" in ended.err
    message = "--review reads decisions from standard input, and IN is standard input too"
    tsgkit.refuses({"refine - -o out.jsonl --review": message})


def test_hands_are_repaired_where_asked_for_and_each_repair_says_how_sure_it_is(tsgkit: CommandLine) -> None:
    given(*HANDLESS)
    tsgkit("refine g.txt -o exact.txt")
    assert changes("exact.txt") == [] and graphs("exact.txt") == [*HANDLESS]
    assert "changes: 1 less sure" in tsgkit("refine g.txt -o hands.txt --repair hands").out
    [change] = changes("hands.txt")
    assert (change["graph"], change["after"], change["by"]) == (1, ["take", "with", "hand2"], "less sure")
    assert 0.5 < change["sure"] <= 1 and f"{100 * change['sure']:.0f} % sure" in change["reason"]
    given(SLIP, *HANDLESS)
    assert "--repair sure is now called --repair exact" in tsgkit("refine g.txt -o out.txt --repair sure").err
    assert [change["by"] for change in changes("out.txt")] == ["exact"]


def test_findings_without_a_remedy_are_told(tsgkit: CommandLine) -> None:
    given(VASE)
    out = tsgkit(REFINE).out
    assert "1 graph, 0 touched; changes: none" in out and "not decided (1):" in out and "vase is not in L" in out


def test_models_put_right_what_exact_repairs_left_and_are_not_asked_twice(tsgkit: CommandLine) -> None:
    given(VASE, SLIP, story="She fills something.\nShe fills it again.\n")
    with model_server(replies={"Compare action graphs": BETTER}) as server:
        words = f"{REFINE} --json {model(server)}"
        summary = tsgkit(words, "--narrative", "story.txt", "--effort", "low").json
        assert summary["calls"] == summary["requests"] == 1 and summary["tokens"] == 110
        assert "She fills something." in str(server.stats()["last"])
        assert graphs("out.txt") == [GOOD, GOOD]
        assert [(one["graph"], one["by"]) for one in changes("out.txt")] == [(0, "model"), (1, "exact")]
        tsgkit(words, "--narrative", "story.txt", "--effort", "low")
        assert server.stats()["seen"] == 1
        assert tsgkit(words.replace("out.txt", "medium.txt")).json["calls"] == 2
    assert "fill -> verb -> person" not in Path("medium.txt.calls/prompts.jsonl").read_text()


def test_lines_left_out_of_a_broken_file_are_named_and_end_in_1(tsgkit: CommandLine) -> None:
    Path("in.jsonl").write_text(narratives.write(Narrative.of([SLIP])) + '{"id": "two", "descr')
    assert "in.jsonl: line 2: broken JSON" in tsgkit("refine in.jsonl -o out.jsonl", code=2).err
    assert "left out: line 2: broken JSON" in tsgkit("refine in.jsonl -o out.jsonl --keep-going", code=1).err
    assert graphs("out.jsonl") == [GOOD]
    [note] = tsgkit("refine in.jsonl -o out.jsonl --keep-going --json", code=1).json["notes"]
    assert note.startswith("left out: line 2: broken JSON")


def test_former_spellings_of_repair_and_effort_go_on_with_the_same_calls(tsgkit: CommandLine) -> None:
    given(VASE)
    unhelpful()
    tsgkit(f"{REFINE} {SCRIPT}")
    header = Path("out.txt.calls/run.json")
    value = json.loads(header.read_text())
    value["asked"]["effort"]["repair"] = "sure"
    value["identity"] = hashlib.sha256(canonical(value["asked"]).encode()).hexdigest()[:16]
    header.write_text(json.dumps(value))
    for more in ("", "--repair sure", "--repair exact"):
        tsgkit(f"{REFINE} {SCRIPT} {more}")
    assert "another run lies here" in tsgkit(f"{REFINE} {SCRIPT} --repair hands", code=2).err
    for former, level in {
        "--no-critique": "low",
        "--rounds 1": "low",
        "--rounds 5 --no-critique": "low",
        "--rounds 2": "medium",
        "--rounds 5": "high",
    }.items():
        err = tsgkit(f"{REFINE} {SCRIPT} --new {former}").err
        assert err.count(f"{former} is now called --effort {level}") == 1, former
        tsgkit(f"{REFINE} {SCRIPT} --effort {level}")
    shown = tsgkit("refine --help").out
    assert "--effort" in shown and "--no-critique" not in shown and "--rounds" not in shown


def test_calls_made_without_repairs_go_on_without_them(tsgkit: CommandLine) -> None:
    given(SLIP)
    unhelpful()
    words = f"{REFINE} {SCRIPT}"
    tsgkit(words, "--repair", "none")
    recorded = good_calls(Path("out.txt.calls"))
    err = tsgkit(words).err
    assert "out.txt.calls was begun with --repair none" in err and "--new" in err, "as earlier versions asked"
    assert graphs("out.txt") == [SLIP] and good_calls(Path("out.txt.calls")) == recorded
    assert "another run lies here (effort: repair differs)" in tsgkit(words, "--repair", "exact", code=2).err
    tsgkit(words, "--new")
    assert graphs("out.txt") == [GOOD]
    write_lines("other.jsonl", {"item_id": "0/0", "reply": "none at all"})
    assert "another run lies here (model differs)" in tsgkit(f"{REFINE} --model script:other.jsonl", code=2).err


def two_items(first: str = "a", second: str = "b") -> None:
    """Two narratives of one graph each: a slip with a thing that L lacks, and a cup that is none."""
    spoilt = ActionGraph((SLIP.triplets[0], *VASE.triplets[1:]))
    named = (Narrative.of([spoilt]), first), (Narrative.of([CUP]), second)
    Path("in.jsonl").write_text("".join(narratives.write(replace(one, id=name)) for one, name in named))


WATCHED = """\
item a: repair, 1 finding left, 0 calls
item a, graph 0: repair, 1 finding left, 0 calls
item a, graph 0: check, 1 finding left, 0 calls
item a, graph 0: look, 0 findings left, 1 call
item a, graph 0: repair, 0 findings left, 1 call
item a, graph 0: check, 0 findings left, 1 call
item b: repair, 0 findings left, 0 calls
item b, graph 0: repair, 0 findings left, 0 calls
item b, graph 0: check, 0 findings left, 0 calls
item b, graph 0: look, 1 finding left, 1 call
item b, graph 0: check, 1 finding left, 1 call
item b, graph 0: look, 0 findings left, 2 calls
item b, graph 0: repair, 0 findings left, 2 calls
item b, graph 0: check, 0 findings left, 2 calls
"""
WATCH = "refine in.jsonl -o out.jsonl --vocabulary L.json --watch"


def test_watch_tells_each_step_in_a_line_of_its_own_on_a_terminal_too(
    monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    two_items()
    named = "graph 1: mismatched: fill -> dobj -> cup"
    replies = {f"1: {named}": f"{BETTER} (90)", "1: out-of": BETTER, "1: graph 1: out": BETTER, "-> cup": named}
    told = io.StringIO()
    monkeypatch.setattr(told, "isatty", lambda: True, raising=False)
    with model_server(replies=replies) as server, monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", told)
        summary = tsgkit(f"{WATCH} --json {model(server)}").json
    lines = [line for line in told.getvalue().splitlines() if line.startswith("item ")]
    assert sorted(lines, key=lambda line: line[5]) == WATCHED.splitlines()
    assert summary["calls"] == 3 and graphs("out.jsonl") == [GOOD, GOOD]
    assert "\x1b" not in told.getvalue() and "openai/x:" not in told.getvalue(), "no line changes in place"


def test_watch_tells_of_repairs_without_a_model_and_goes_with_quiet(tsgkit: CommandLine) -> None:
    two_items("tea\x1b[2J", "\u202egnp.exe")
    err = tsgkit(WATCH).err
    assert err.count(": repair, ") == 2 and "1 finding left, 0 calls" in err
    assert "\x1b" not in err and "\u202e" not in err, "no name moves the cursor or turns the text round"
    two_items()
    replies = {"0/0": BETTER, "1/0": "none"}
    write_lines("said.jsonl", *({"item_id": name, "reply": {"look": look}} for name, look in replies.items()))
    words = f"{WATCH} --quiet --new --force {SCRIPT}"
    lines = tsgkit(words).err.splitlines()
    assert sum(line.startswith("item ") for line in lines) == 11
    assert tsgkit(words.replace("--watch ", "").replace("--new --force ", "")).err == ""


def test_replies_that_cannot_be_used_are_told_with_item_and_graphs(tsgkit: CommandLine) -> None:
    Path("in.jsonl").write_text(narratives.write(Narrative.of([GOOD])) + narratives.write(Narrative.of([GOOD, GOOD])))
    look = {"look": "It all looks fine to me."}
    write_lines("said.jsonl", *({"item_id": name, "reply": look} for name in ("0/0", "1/0", "1/1")))
    err = tsgkit(f"refine in.jsonl -o out.jsonl {SCRIPT}").err
    for place in ("item 0, graph 0", "item 1, graph 0", "item 1, graph 1"):
        assert f"{place}: look/1 could not be read: no answer to a finding" in err, place
    two = Narrative((Description("She fills it twice.", (VASE, VASE)),))
    Path("in.jsonl").write_text(narratives.write(two))
    for item_id, reply, message in (
        ("0/0", None, "item 0, graphs 0 to 1: look/1 brought no answer: empty"),
        ("vase", "none", "look/1 brought no answer: missing: the script has no line with item_id 0/0"),
        ("0/0", {"write": "none"}, "missing: the script has no look/1 in the line of item_id 0/0"),
    ):
        write_lines("said.jsonl", {"item_id": item_id, "reply": reply})
        assert message in tsgkit(f"refine in.jsonl -o out.jsonl --new --force {SCRIPT}", code=1).err, message


def test_failing_models_end_in_a_partial_result_with_the_reason(tsgkit: CommandLine) -> None:
    given(VASE, SLIP, VASE, VASE, VASE, VASE)
    with model_server(faults={"500": 1.0}) as server:
        err = tsgkit(f"{REFINE} --repair exact --attempts 1 {model(server)}", code=1).err
        assert server.stats()["seen"] == 3, "after three failures in a row it is not asked any more"
    assert "this is error 500" in err and "the result is partial" in err
    assert graphs("out.txt") == [VASE, GOOD, VASE, VASE, VASE, VASE]


def test_budgets_are_kept_and_raised_later(tsgkit: CommandLine) -> None:
    given(VASE, VASE, VASE)
    with model_server(replies={"Compare action graphs": BETTER}) as server:
        words = f"{REFINE} --effort low {model(server)}"
        assert "2 of 2 requests" in tsgkit(words, "--max-requests", "2", code=4).err
        assert graphs("out.txt") == [GOOD, GOOD, VASE]
        tsgkit(words)
        assert graphs("out.txt") == [GOOD, GOOD, GOOD] and server.stats()["seen"] == 3


def test_interrupted_refine_lets_requests_come_home_and_goes_on(commands: Prefork, folder: Path) -> None:
    Path("g.jsonl").write_text(narratives.write(Narrative.of([VASE] * 4)) * 3)
    with model_server(replies={"Compare action graphs": BETTER}, delay=0.2) as server:
        words = f"refine g.jsonl -o out.jsonl --vocabulary L.json {model(server)}".split()
        process = commands.start(*words, cwd=folder)
        while not process.ended() and server.stats()["seen"] < 5:
            time.sleep(0.01)
        process.signal(signal.SIGINT)
        process.wait()
        asked, recorded = server.stats()["seen"], good_calls(folder / "out.jsonl.calls")
        assert process.code == 130 and recorded == asked, "what was in flight is paid for, so it is kept"
        assert not Path("out.jsonl").exists() and not any(word in process.err for word in UNWANTED)
        assert f"interrupted: {recorded} calls are kept in out.jsonl.calls" in process.err
        assert "the same command goes on" in process.err
        assert commands.run(*words, cwd=folder).code == 0
        assert server.stats()["seen"] == good_calls(folder / "out.jsonl.calls")
    assert graphs("out.jsonl") == [GOOD] * 12


def test_interrupted_review_keeps_its_decisions() -> None:
    given(SLIP, SLIP)
    command = [sys.executable, "-m", "tsgkit", "refine", "g.txt", "-o", "out.txt", "--review"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True) as process:  # type: ignore[call-overload]
        process.stdin.write("a\n")
        process.stdin.flush()
        while "2 of 2" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()
        assert process.wait() == 130
    assert "decided is kept; the same command goes on" in err and not any(word in err for word in UNWANTED)
    again = subprocess.run(command, input="r\n", capture_output=True, text=True, check=False)
    assert again.returncode == 0 and "1 of 2" not in again.stdout and graphs("out.txt") == [GOOD, SLIP]


def test_refine_refuses_invalid_arguments_before_writing(tsgkit: CommandLine) -> None:
    given(SLIP)
    Path("broken.jsonl").write_text(narratives.write(Narrative.of([SLIP])) + "{\n" + narratives.write(Narrative()))
    text = "Camera wearer - verb - pick; pick - direct object - cup:1"
    clip = {"graphs": [[52, 40, 60, [text, "pick", "cup"]]], "split": "val"}
    Path("easg.json").write_text(json.dumps({"clip": clip}))
    tsgkit.refuses(
        {
            "g.txt -o -": "cleaned graphs go into a file",
            "g.txt -o g.txt": "this is the file being read",
            "missing.txt -o out": "no such file",
            "broken.jsonl -o out": "nothing was written",
            "g.txt -o nowhere/out.txt": "there is no folder nowhere",
            "g.txt -o out --hint missing": "--hint is for a model",
            "g.txt -o out --effort most": "--effort",
            "g.txt -o out --accept 0.2": "accept is a probability from 0.5 to 1, and 0.2 is none",
            "g.txt -o out --accept 2": "accept is a probability from 0.5 to 1",
            "g.txt -o out --accept 0.9 --repair none": "proposed repairs are made where repairs are made",
            "g.txt -o out --model baseline/rules": "no model to ask",
            "g.txt -o out --model openai/x --max-requests 0": "it must be more than 0",
            "easg.json -o out": "easg is read, never written",
        },
        "refine",
    )


def test_agents_are_drawn_from_what_runs(tsgkit: CommandLine) -> None:
    out = tsgkit("agents draw").out
    assert "%% refiner" in out and "%% decomposer" in out and "repair --> check;" in out
    tsgkit("agents draw dreamer", code=2)
