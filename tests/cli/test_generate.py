"""``tsgkit generate``: a story goes in, graphs come out, and interrupted work goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import CommandLine
from model_server import Running, model_server

from tsgkit.library.documents.reader import read_file

PICK = "person -> verb -> pick-up\npick-up -> dobj -> cup\npick-up -> with -> hand1"
RINSE = "person -> verb -> rinse\nrinse -> dobj -> cups\nrinse -> with -> hand1"
REPLIES = {
    "Break a sentence": "1. pick up the cup\n2. rinse the cup",
    "List the elements": "objects: cup, tap\nverbs: pick-up, rinse\nprepositions: with, under",
    "number 1 of": PICK,
    "number 2 of": RINSE,
}


@pytest.fixture(autouse=True)
def story(folder: Path) -> None:
    (folder / "story.txt").write_text("She takes a cup and rinses it.\nShe does it again.\n")


def telling(server: Running, out: str, more: str = "") -> str:
    return f"generate story.txt -o {out} --model openai/x --model-arg api_base={server.base} {more}"


def test_stories_become_graphs_with_a_vocabulary_and_nothing_is_asked_twice(tsgkit: CommandLine) -> None:
    with model_server(replies=REPLIES) as server:
        summary = tsgkit(telling(server, "out.jsonl", "--open --json")).json
        assert [summary[name] for name in ("graphs", "sentences", "calls", "requests")] == [4, 2, 7, 7]
        [entry] = read_file("out.jsonl").entries
        assert entry.narrative.descriptions[0].text == "She takes a cup and rinses it."
        assert entry.narrative.graphs[1].triplets[1] == ("rinse", "dobj", "cup"), "cups is not in L"
        assert json.loads(Path("out.jsonl.vocabulary.json").read_text())["verb"] == ["pick-up", "rinse"]
        assert Path("out.jsonl.changes.jsonl").read_text().count("out-of-vocabulary") == 2
        tsgkit(telling(server, "out.jsonl", "--open --json"))
        assert server.stats()["seen"] == 7


def test_budgets_leave_a_partial_result_that_goes_on(tsgkit: CommandLine) -> None:
    with model_server(replies=REPLIES) as server:
        ended = tsgkit(telling(server, "out.json", "--max-requests 4"), code=4)
        assert "2 graphs for 1 of 2 sentences" in ended.out and "the result is partial" in ended.err
        assert len(read_file("out.json").entries[0].narrative.graphs) == 2
        tsgkit(telling(server, "out.json"))
        assert len(read_file("out.json").entries[0].narrative.graphs) == 4
        assert server.stats()["seen"] == 6


def test_failing_models_say_why_and_write_what_they_told(tsgkit: CommandLine) -> None:
    with model_server(faults={"500": 1.0}) as server:
        err = tsgkit(telling(server, "out.json", "--attempts 1"), code=1).err
    assert "this is error 500" in err and "no graphs were generated; output not written" in err
    assert not Path("out.json").exists()
    with model_server(replies=REPLIES, always={"number 2 of": "500"}) as server:
        err = tsgkit(telling(server, "part.json", "--attempts 1"), code=1).err
    assert "sentence 0: write/2 brought no answer: api error: " in err
    assert len(read_file("part.json").entries[0].narrative.graphs) == 2, "the first action of each sentence"


def test_generate_refuses_invalid_arguments(tsgkit: CommandLine) -> None:
    Path("empty.txt").write_text("\n \n")
    tsgkit.refuses(
        {
            "story.txt -o -": "graphs go into a file",
            "story.txt -o out.json --open --vocabulary L.json": "leave out one of the two",
            "story.txt -o out.what": "no format has the ending",
            "story.txt -o story.txt": "this is the file being read",
            "story.txt -o out.json --counts 1,two": "not numbers",
            "story.txt -o out.json --model baseline/rules": "no model to ask",
            "empty.txt -o out.json": "has no sentence",
        },
        "generate --model x/y",
    )


def test_former_options_of_the_effort_are_taken_for_a_level(tsgkit: CommandLine) -> None:
    with model_server(replies=REPLIES | {"Compare action graphs": "none"}) as server:
        for former, level in {"--critique": "medium", "--rounds 3": "low", "--critique --rounds 4": "high"}.items():
            out = f"{level}.json"
            assert f"is now called --effort {level}" in tsgkit(telling(server, out, former)).err
            asked = server.stats()["seen"]
            tsgkit(telling(server, out, f"--effort {level}"))
            assert server.stats()["seen"] == asked, former
