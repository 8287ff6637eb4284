"""``tsgkit refine`` and ``tsgkit generate``: what they repair, ask and write, and how they end."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, write_lines
from model_server import Running, model_server
from seeded_faults import spoilt_narratives

from tsgkit.cli.review import TypedLines
from tsgkit.graph import ActionGraph, Description, Narrative
from tsgkit.graph.notation import arrow, narratives, node_link
from tsgkit.library.documents.reader import read_file

SLIP = ActionGraph.of(("fill", "verb", "person"), ("fill", "dobj", "kettle"), ("fill", "with", "hand1"))
GOOD, VASE, CUP = (
    ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", thing), ("fill", "with", "hand1"))
    for thing in ("kettle", "vase", "cup")
)
TAKE = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "kettle"), ("take", "with", "hand1"))
HANDLESS = (
    TAKE,
    ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup")),
    ActionGraph.of(("person", "verb", "put-down"), ("put-down", "dobj", "cup"), ("put-down", "with", "hand2")),
)
BETTER = "1: fill -> dobj -> kettle"
REFINE = "refine g.txt -o out.txt --vocabulary L.json"
SCRIPT = "--model script:said.jsonl"
STORY = {
    "Break a sentence": "1. pick up the cup\n2. rinse the cup",
    "List the elements": "objects: cup, tap\nverbs: pick-up, rinse\nprepositions: with, under",
    "number 1 of": "person -> verb -> pick-up\npick-up -> dobj -> cup\npick-up -> with -> hand1",
    "number 2 of": "person -> verb -> rinse\nrinse -> dobj -> cups\nrinse -> with -> hand1",
}


@pytest.fixture(autouse=True)
def sources(folder: Path) -> None:
    allowed = {"object": ["kettle", "cup"], "relationship": ["verb", "dobj", "with"], "verb": ["fill", "pour"]}
    (folder / "L.json").write_text(json.dumps(allowed))
    (folder / "story.txt").write_text("She takes a cup and rinses it.\nShe does it again.\n")
    write_lines("said.jsonl", {"item_id": "0/0", "reply": {"look": "none"}})


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


def test_what_was_repaired_is_written_in_the_format_it_came_in_with_a_reason_and_a_summary(tsgkit: CommandLine) -> None:
    Path("nodes.json").write_text(node_link.write([SLIP, GOOD]))
    summary = tsgkit("refine nodes.json -o out.json --json").json
    assert (read_file("out.json").format, graphs("out.json")) == ("node-link", [GOOD, GOOD])
    (change,) = changes("out.json")
    assert change == {
        "item": "0", "graph": 0, "before": ["fill", "verb", "person"], "after": ["person", "verb", "fill"],
        "code": "verb-source", "reason": "verb starts at fill, not at person", "by": "exact", "round": 0, "sure": None,
    }  # fmt: skip
    assert summary == {
        "file": "nodes.json", "format": "node-link", "graphs": 2, "graphs_touched": 1, "changes": {"exact": 1},
        "repairs": {"rules, reversed": 1}, "proposed": [], "findings_after": {}, "undecided": 0,
        "refused": 0, "findings_before": dict.fromkeys(("verb-source", "person-target", "dobj-source", "no-action"), 1),
        "stopped": "", "failures": [], "notes": [], "report": None,
        "calls": 0, "requests": 0, "tokens": 0, "cost": 0.0,
    }  # fmt: skip


def test_spoilt_data_are_mended_where_one_remedy_exists_by_several_processes_as_by_one(
    monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    spoilt = spoilt_narratives(seed=4)[:16]
    Path("in.jsonl").write_text("".join(narratives.write(one.spoilt) for one in spoilt))
    summary = tsgkit("refine in.jsonl -o out.jsonl --json").json
    assert sum(summary["findings_after"].values()) < sum(summary["findings_before"].values())
    for one, entry in zip(spoilt, read_file("out.jsonl").entries, strict=True):
        for number, clean in enumerate(one.clean.graphs):
            assert number in one.kinds or entry.narrative.graphs[number].triplets == clean.triplets
    assert {(change["by"], change["sure"]) for change in changes("out.jsonl")} == {("exact", None)}
    assert summary["undecided"] == 9
    monkeypatch.setattr("tsgkit.cli.refine.SHOWN", 3)
    said = tsgkit("refine in.jsonl -o less.jsonl").out
    assert "\nnot decided (9):\n" in said and "  ... and 6 more (tsgkit check less.jsonl)" in said
    monkeypatch.setattr("tsgkit.cli.refine.MANY_GRAPHS", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert tsgkit("refine in.jsonl -o two.jsonl --json").json == summary
    assert Path("out.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
    assert changes("out.jsonl") == changes("two.jsonl")


def test_the_page_shows_every_change_beside_its_sentence(tsgkit: CommandLine) -> None:
    given(SLIP, story="She fills the kettle with one hand.\n")
    words = f"{REFINE} --narrative story.txt --report"
    out = tsgkit(words, "page.html").out
    assert "rules          0        0           0         1    1" in out
    assert out.endswith("written: out.txt, out.txt.changes.jsonl, page.html\n")
    page = Path("page.html").read_text()
    assert "She fills the kettle with one hand." in page and "verb starts at fill, not at person" in page
    assert "<svg" in page
    tsgkit(words, "page.html", "--new", "--force")
    tsgkit(words, "page.html")
    Path("rows.jsonl").write_text('{"item_id": 1}\n')
    tsgkit.refuses({f"{words} g.txt --force": "g.txt", f"{words} rows.jsonl": "rows.jsonl", f"{words} out.txt": "one"})


def test_reviewers_see_doubts_of_the_model_and_ctrl_c_keeps_what_is_decided(
    tsgkit: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(CUP)
    doubt = "graph 1: mismatched: fill -> dobj -> cup => fill -> dobj -> kettle (30)"
    write_lines("said.jsonl", {"item_id": "0/0", "reply": {"look": doubt}})
    words = f"{REFINE} {SCRIPT}".replace("out.txt", "doubted.txt")
    out = tsgkit(words).out
    assert "proposed (1; --review asks you):\n  item 0, graph 1: fill -> dobj -> kettle" in out
    assert (graphs("doubted.txt"), changes("doubted.txt")) == ([CUP], [])
    monkeypatch.setattr("sys.stdin", io.StringIO("a\n"))
    assert "(proposed, 30 %)" in tsgkit(f"{words} --review").out
    assert graphs("doubted.txt") == [GOOD] and [one["by"] for one in changes("doubted.txt")] == ["proposed"]
    given(SLIP, SLIP)
    keys = iter("a")

    def typed(_: TypedLines) -> str:
        if key := next(keys, ""):
            return f"{key}\n"
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(TypedLines, "next", typed)
        err = tsgkit(f"{REFINE} --review", code=130).err
    assert err == (
        "tsgkit: interrupted: out.txt was not written\n  what was answered and decided is kept; "
        "the same command goes on\n"
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("r\n"))
    ended = tsgkit(f"{REFINE} --review --json")
    assert ended.json["graphs_touched"] == 1 and graphs("out.txt") == [GOOD, SLIP]
    assert ended.err.startswith("2 of 2: item 0, graph 2 (exact)")
    message = "--review reads decisions from standard input, and IN is standard input too"
    tsgkit.refuses({"refine - -o out.jsonl --review": message})


def test_hands_are_repaired_where_asked_for_and_each_repair_says_how_sure_it_is(tsgkit: CommandLine) -> None:
    given(SLIP, *HANDLESS)
    tsgkit("refine g.txt -o out.txt")
    assert [change["by"] for change in changes("out.txt")] == ["exact"]
    assert "changes: 1 exact, 1 less sure" in tsgkit("refine g.txt -o hands.txt --repair hands").out
    change = changes("hands.txt")[1]
    assert (change["graph"], change["after"], change["by"]) == (2, ["take", "with", "hand2"], "less sure")
    assert 0.9 <= change["sure"] < 1 and "what the hands hold" in change["reason"]


def test_models_put_right_what_exact_repairs_left_within_a_budget_and_are_not_asked_twice(tsgkit: CommandLine) -> None:
    given(VASE)
    out = tsgkit(REFINE, "--force").out
    assert "1 graph, 0 touched; changes: none" in out and "not decided (1):" in out and "vase is not in L" in out
    given(VASE, SLIP, VASE, VASE, story="She fills something.\nShe fills it again.\n" * 2)
    with model_server(replies={"Compare action graphs": BETTER}) as server:
        words = f"{REFINE} --narrative story.txt --force --json {model(server)}"
        ended = tsgkit(f"{words} --effort low --max-requests 2", code=4)
        assert [ended.json[name] for name in ("calls", "requests", "tokens")] == [2, 2, 220]
        assert "2 of 2 requests" in ended.err and graphs("out.txt") == [GOOD, GOOD, GOOD, VASE]
        assert "She fills something." in str(server.stats()["last"])
        out = tsgkit(words.replace("--json", "--effort low")).out
        assert "asked: 3 calls, 3 requests, 330 tokens, cost unknown\n" in out
        assert server.stats()["seen"] == 3 and graphs("out.txt") == [GOOD] * 4
        assert [(one["graph"], one["by"]) for one in changes("out.txt")] == [
            *((0, "model"), (1, "exact"), (2, "model"), (3, "model"))
        ]
        assert tsgkit(words.replace("out.txt", "medium.txt")).json["calls"] == 4
    assert "fill -> verb -> person" not in Path("medium.txt.calls/prompts.jsonl").read_text()


def test_lines_left_out_of_a_broken_file_are_named_and_end_in_1(tsgkit: CommandLine) -> None:
    Path("in.jsonl").write_text(narratives.write(Narrative.of([SLIP])) + '{"id": "two", "descr')
    tsgkit.refuses({"refine in.jsonl -o out.jsonl": "in.jsonl: line 2: broken JSON"})
    assert "left out: line 2: broken JSON" in tsgkit("refine in.jsonl -o out.jsonl --keep-going", code=1).err
    assert graphs("out.jsonl") == [GOOD]
    Path("in.jsonl").write_text('{"id": "two", "descr\n')
    tsgkit.refuses(dict.fromkeys(("", "--keep-going"), "in.jsonl: line 1: broken JSON"), "refine in.jsonl -o o.jsonl")


def test_calls_of_other_repairs_are_refused(tsgkit: CommandLine) -> None:
    given(SLIP)
    tsgkit(f"{REFINE} {SCRIPT} --repair none")
    assert graphs("out.txt") == [SLIP]
    assert "another run lies here (effort: repair differs)" in tsgkit(f"{REFINE} {SCRIPT}", code=2).err
    tsgkit(f"{REFINE} {SCRIPT} --new")
    assert graphs("out.txt") == [GOOD]


def test_models_that_fail_or_cannot_be_used_are_told_with_item_and_graphs(tsgkit: CommandLine) -> None:
    Path("in.jsonl").write_text(narratives.write(Narrative.of([GOOD])) + narratives.write(Narrative.of([GOOD, GOOD])))
    look = {"look": "It all looks fine to me."}
    write_lines("said.jsonl", *({"item_id": name, "reply": look} for name in ("0/0", "1/0", "1/1")))
    err = tsgkit(f"refine in.jsonl -o out.jsonl {SCRIPT}").err
    places = ("item 0, graph 1", "item 1, graph 1", "item 1, graph 2")
    assert all(f"{place}: look/1 could not be read: no answer to a finding" in err for place in places)
    worse = {"look": "graph 1: redundant: 1\ngraph 1: reversed: 3"}
    write_lines("said.jsonl", *({"item_id": name, "reply": worse} for name in ("0/0", "1/0", "1/1")))
    err = tsgkit(f"refine in.jsonl -o out.jsonl --new --force {SCRIPT}").err
    assert "of 6 changes that the model named 6 add a fault: not made" in err and graphs("out.jsonl") == [GOOD] * 3
    two = Narrative((Description("She fills it twice.", (VASE, VASE)),))
    Path("in.jsonl").write_text(narratives.write(two))
    write_lines("said.jsonl", {"item_id": "0/0", "reply": {"write": "none"}})
    err = tsgkit(f"refine in.jsonl -o out.jsonl --new --force {SCRIPT}", code=1).err
    assert "item 0, graphs 1 to 2: look/1 brought no answer: missing: the script has no look/1 in the line" in err
    given(VASE, SLIP, *[VASE] * 4)
    with model_server(faults={"500": 1.0}) as server:
        err = tsgkit(f"{REFINE} --repair exact --attempts 1 {model(server)}", code=1).err
        assert server.stats()["seen"] == 3, "after three failures in a row it is not asked any more"
    assert "this is error 500" in err and "the result is partial" in err
    assert graphs("out.txt") == [VASE, GOOD, *[VASE] * 4]


def test_refine_and_generate_refuse_invalid_arguments_and_agents_are_drawn_from_what_runs(tsgkit: CommandLine) -> None:
    given(SLIP, story="She fills it.")
    text = "Camera wearer - verb - pick; pick - direct object - cup:1"
    clip = {"graphs": [[52, 40, 60, [text, "pick", "cup"]]], "split": "val"}
    Path("easg.json").write_text(json.dumps({"clip": clip}))
    tsgkit.refuses(
        {
            "g.txt -o -": "cleaned graphs go into a file",
            "g.txt -o g.txt": "this is the file being read",
            "g.txt -o nowhere/out.txt": "there is no folder nowhere",
            "g.txt -o out --report nowhere/page.html": "there is no folder nowhere",
            "g.txt -o out --hint missing": "--hint is for a model",
            "g.txt -o out --effort most": "--effort",
            "g.txt -o out --model baseline/rules": "no model to ask",
            "easg.json -o out": "easg is read, never written",
        },
        "refine",
    )
    Path("empty.txt").write_text("\n \n")
    tsgkit.refuses(
        {
            "story.txt -o -": "graphs go into a file",
            "story.txt -o out.json --open --vocabulary L.json": "leave out one of the two",
            "story.txt -o story.txt": "this is the file being read",
            "story.txt -o out.json --counts 1,two": "not numbers",
            "empty.txt -o out.json": "has no sentence",
        },
        "generate --model x/y",
    )
    out = tsgkit("agents draw").out
    assert "%% refiner" in out and "%% decomposer" in out and "repair --> check;" in out
    tsgkit("agents draw dreamer", code=2)


def telling(server: Running, out: str, more: str = "") -> str:
    return f"generate story.txt -o {out} {model(server)} {more}"


def test_stories_become_graphs_with_a_vocabulary_and_nothing_is_asked_twice(tsgkit: CommandLine) -> None:
    with model_server(replies=STORY | {"Compare action graphs": "none"}) as server:
        summary = tsgkit(telling(server, "out.jsonl", "--open --json")).json
        assert summary == {
            "sentences": 2, "sentences_without_graphs": 0, "graphs": 4, "changes": 2, "undecided": 0, "stopped": "",
            "failures": [], "notes": [], "calls": 7, "requests": 7, "tokens": 770, "cost": None,
        }  # fmt: skip
        [entry] = read_file("out.jsonl").entries
        assert entry.narrative.descriptions[0].text == "She takes a cup and rinses it."
        assert entry.narrative.graphs[1].triplets[1] == ("rinse", "dobj", "cup"), "cups is not in L"
        assert json.loads(Path("out.jsonl.vocabulary.json").read_text())["verb"] == ["pick-up", "rinse"]
        assert [one["code"] for one in changes("out.jsonl")] == ["out-of-vocabulary"] * 2
        tsgkit(telling(server, "out.jsonl", "--open --json"))
        assert server.stats()["seen"] == 7
        tsgkit(telling(server, "high.json", "--effort high"))
        asked = server.stats()["seen"]
        tsgkit(telling(server, "high.json", "--effort high"))
        assert server.stats()["seen"] == asked


def test_budgets_and_failures_leave_a_partial_story_that_goes_on(tsgkit: CommandLine) -> None:
    with model_server(replies=STORY) as server:
        ended = tsgkit(telling(server, "out.json", "--max-requests 4"), code=4)
        assert "2 graphs for 1 of 2 sentences" in ended.out and "the result is partial" in ended.err
        assert len(graphs("out.json")) == 2
        assert tsgkit(telling(server, "out.json")).out.endswith("written: out.json\n")
        assert len(graphs("out.json")) == 4 and server.stats()["seen"] == 6
    with model_server(faults={"500": 1.0}) as server:
        err = tsgkit(telling(server, "none.json", "--attempts 1"), code=1).err
    assert "this is error 500" in err and "no graphs were generated; output not written" in err
    assert not Path("none.json").exists()
    with model_server(replies=STORY, always={"number 2 of": "500"}) as server:
        err = tsgkit(telling(server, "part.json", "--attempts 1"), code=1).err
    assert "sentence 1: write/2 brought no answer: api error: " in err
    assert len(graphs("part.json")) == 2, "the first action of each sentence"
