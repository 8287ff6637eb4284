"""Stored runs of version 0.1.0: this version opens, reports, explains, rescores and continues them.

``tests/stored_runs/v0_1_0`` holds the runs by suite, with their inputs and expected figures; its README has the command
that made each. Every test works on copies. The runs name a service that does not exist: a server on loopback stands in
for it as the proxy of all requests.
"""

from __future__ import annotations

import json
import re
import shutil
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from image_server import image_server
from model_server import Running, model_server
from run_files import contents, lines, project_with_card, write_lines

from tsgkit.cli import main

Captured = pytest.CaptureFixture[str]
Figures = dict[str, dict[str, Any]]
FOLDER = Path(__file__).parents[2] / "stored_runs" / "v0_1_0"
LIMITS = ("--max-requests", "--concurrency")
REPLY = ("task", "solver", "sample", "label", "draw")
CELL = ("subject", "task", "solver", "style", "repeat")
SUPERSEDED = -1
"""In place of requests left: its prompts are no more, so that it is read and scored, and not continued."""


class Stored(NamedTuple):
    """A stored run: the folder of its suite, its own folder there, one of its items, and the requests left to make."""

    suite: str
    run: str
    item: str
    left: int = 0

    def figures(self, state: str, *, read_today: bool = False) -> Figures:
        """Return the expected figures by row, corrected where today's reader reads more (CHANGELOG.md tells of it)."""
        figures: dict[str, Figures] = {}
        for name in ("figures.json", "figures_of_reader_2.json")[: 1 + read_today]:
            if (file := FOLDER / self.suite / name).is_file():
                figures |= json.loads(file.read_text("utf-8")).get(self.run, {})
        return figures[state]


STORED = (
    Stored("tsg", "complete", "siphon/q0"),
    Stored("tsg", "derived", "bread/0"),
    SCRIPT := Stored("tsg", "runs/script-said.jsonl-tsg-sgds-60552fb19babb377", "campsite/2/perturbed"),
    STOPPED := Stored("tsg", "stopped", "bread/0", left=8),
    AGENT := Stored("tsg", "agent", "campsite/0", left=SUPERSEDED),
    Stored("formalimg", "layout", "knolling/30", left=3),
    Stored("formalimg", "judged-knolling", "knolling/1", left=2),
    NATURAL := Stored("formalimg", "judged-natural", "natural/0", left=1),
    Stored("spatialgen", "judged", "000002", left=10),
    RULES := Stored("sceneeval", "rules", "1"),
    Stored("sceneeval", "judged", "0", left=4),
    ANNOTATED := Stored("sceneeval", "annotated", "1", left=1),
)
Enter = Callable[[str], None]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    """Yield a server with the replies of all models and judges, which fails no request."""
    options: dict[str, dict[str, Any]] = {"replies": {}, "always": {}}
    for file in sorted(FOLDER.glob("*/server.json")):
        for name, part in json.loads(file.read_text("utf-8")).items():
            options[name] |= part
    with model_server(**options) as running:
        yield running


@pytest.fixture
def enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Enter:
    """Return a function that makes a fresh copy of a suite's folder the working folder."""
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)

    def copied(suite: str) -> None:
        folder = tmp_path / f"copy-{len(list(tmp_path.iterdir()))}"
        monkeypatch.chdir(shutil.copytree(FOLDER / suite, folder))

    return copied


@contextmanager
def behind(server: Running) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
            patch.delenv(name, raising=False)
            patch.delenv(name.lower(), raising=False)
        patch.setattr(urllib.request, "_opener", None)  # it keeps the proxies it was first used with
        patch.setenv("HTTP_PROXY", server.base.removesuffix("/v1"))
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield


def output(capsys: Captured, *words: str) -> str:
    """Return what a command prints; ``report`` ends with 1 where samples failed."""
    capsys.readouterr()
    assert main(list(words)) in ((0, 1) if words[0] == "report" else (0,)), capsys.readouterr().err
    return capsys.readouterr().out


def command_of(run: str) -> list[str]:
    """Return the command in a run's header without the limits that stopped it."""
    words: list[str] = json.loads(Path(run, "run.json").read_text("utf-8"))["command"][1:]
    return [word for before, word in zip(["", *words], words, strict=False) if not {before, word} & {*LIMITS}]


def continued(capsys: Captured, run: str, server: Running) -> tuple[int, str]:
    """Continue a run by its own command; return the number of requests made, and what is printed."""
    with behind(server):
        before = server.stats()["seen"]
        printed = output(capsys, *command_of(run))
        return int(server.stats()["seen"] - before), printed


def reported(capsys: Captured, run: str) -> Figures:
    """Return the figures of a report by row, without intervals and zero counts."""
    figures = {}
    for row in json.loads(output(capsys, "report", run, "--format", "json", "--metrics", "all"))["rows"]:
        profiles = {name: of and {metric: [one["value"], one["n"]] for metric, one in of.items() if one}
                    for name, of in row["profiles"].items()}  # fmt: skip
        counts = {name: n for name, n in row["counts"].items() if n}
        figures[key(row, *CELL)] = {"n": row["n"], "counts": counts, "unasked": row["unasked"], **profiles}
    return {" ".join(map(str, place)): of for place, of in figures.items()}


def check_figures(figures: Figures, stored: Figures) -> None:
    """Check that all expected figures are there; other metrics may stand beside them.

    Version 0.1.0 took samples that nobody was asked about yet as missing, with the worst score: a row with such samples
    is compared in its numbers alone.
    """
    assert list(figures) == list(stored)
    for row, expected in stored.items():
        of, unasked = figures[row], figures[row]["unasked"]
        assert of["n"] == expected["n"] - unasked, row
        assert expected["counts"].get("missing", 0) - of["counts"].get("missing", 0) == unasked, row
        if not unasked:
            assert of["counts"] == {name: n for name, n in expected["counts"].items() if n}, row
            for profile in ("strict", "official"):
                assert (of[profile] is None) is (expected[profile] is None), f"{row} {profile}"
                for metric, value in (expected[profile] or {}).items():
                    assert of[profile].get(metric, [0.0, 0.0]) == pytest.approx(value), f"{row} {profile} {metric}"


def key(record: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(record[name] for name in names)


def places_of(run: str) -> list[tuple[Any, ...]]:
    return [key(one, *CELL, "item_id") for one in lines(Path(run, "samples.jsonl"))]


def test_stored_runs_are_listed_shown_reported_explained_and_rescored(enter: Enter, capsys: Captured) -> None:
    for stored in STORED:
        suite, run, item, left = stored
        enter(suite)
        header = json.loads(Path(run, "run.json").read_text())
        assert header["tsgkit"] == "0.1.0", stored
        (listed,) = json.loads(output(capsys, "runs", "list", run, "--json"))["runs"]
        assert key(listed, "identity", "samples") == key(header, "identity", "samples"), stored
        assert (listed["recorded"] < listed["samples"]) is bool(left), stored
        shown = output(capsys, "runs", "show", run)
        assert all(word in shown for word in (header["identity"], *header["plan"]["tasks"])), stored
        check_figures(reported(capsys, run), stored.figures("stored"))
        before, calls = places_of(run), Path(run, "calls.jsonl").read_bytes()
        outcomes = [one["outcome"] for one in lines(Path(run, "samples.jsonl")) if one["item_id"] == item]
        rows = json.loads(output(capsys, "explain", run, "--item", item, "--json"))["rows"]
        assert [one["outcome"] for one in rows if one["outcome"] != "missing"] == outcomes != [], stored
        output(capsys, "rescore", run)
        assert Path(run, "calls.jsonl").read_bytes() == calls, stored
        assert places_of(run) == before, stored
        check_figures(reported(capsys, run), stored.figures("stored", read_today=True))


def test_continuing_a_stored_run_asks_only_what_is_missing_in_the_same_words(
    server: Running, enter: Enter, capsys: Captured
) -> None:
    for stored in (one for one in STORED if one.left != SUPERSEDED):
        suite, run, _, left = stored
        enter(suite)
        calls, before = Path(run, "calls.jsonl"), places_of(run)
        bytes_before, calls_before = calls.read_bytes(), lines(calls)
        neighbours = set(Path(run).parent.iterdir())
        assert continued(capsys, run, server)[0] == left, stored
        assert calls.read_bytes().startswith(bytes_before), stored
        assert set(places_of(run)) >= set(before), stored
        assert continued(capsys, run, server)[0] == 0, stored
        check_figures(reported(capsys, run), stored.figures("continued", read_today=True))
        assert set(Path(run).parent.iterdir()) == neighbours, f"{stored}: another run was begun"
        asked = [call for call in lines(calls)[len(calls_before) :] if "prompt" in call]
        assert len(asked) >= left, stored
        bodies = {key(call, *REPLY, "body") for call in calls_before if "body" in call}
        again = {key(one, *REPLY) for one in calls_before} & {key(one, *REPLY) for one in asked}
        if run.startswith("judged"):
            assert {key(one, *REPLY, "body") for one in asked if key(one, *REPLY) in again} <= bodies, stored
        assert "request_form" not in json.loads(Path(run, "run.json").read_text()), stored


def test_stored_runs_continue_where_cards_are_reworded_and_where_requests_are_built_otherwise(
    server: Running, enter: Enter, capsys: Captured
) -> None:
    for suite, run, _, left in (SCRIPT, STOPPED, ANNOTATED):
        enter(suite)
        for task in ("tsg/sgqa", "tsg/sgds", "tsg/sa-sgg"):
            project_with_card(task, "title: ", "title: New ", Path())
        calls = Path(run, "calls.jsonl")
        if suite == "sceneeval":
            write_lines(calls, [call | {"body": "0" * 32} for call in lines(calls)])
        neighbours = set(Path(run).parent.iterdir())
        assert continued(capsys, run, server)[0] == left, run
        assert set(Path(run).parent.iterdir()) == neighbours, f"{run}: another run was begun"


def test_a_stored_run_of_folders_continues_with_a_solver_that_does_nothing_and_no_new_run_has_one(
    server: Running, enter: Enter, capsys: Captured
) -> None:
    for stored in (RULES, NATURAL):
        enter(stored.suite)
        run = Path(stored.run)
        header = json.loads((run / "run.json").read_text(encoding="utf-8"))
        header["plan"]["solvers"] = ["vote:3"]
        header["command"][2:2] = ["--solver", "vote:3"]
        if stored is NATURAL:  # is moved to where it lies without --out
            place = header["command"].index("--out")
            del header["command"][place : place + 2]
            Path("runs").mkdir(exist_ok=True)
            run = run.rename(Path("runs", f"{header['name']}-{header['identity']}"))
        (run / "run.json").write_text(json.dumps(header), encoding="utf-8")
        before = contents(Path())
        for words in (["--new"], ["--out", "other"], ["--solver", "vote:5"]):
            assert main([*command_of(str(run)), *words]) == 2, words
            assert "leave out --solver" in capsys.readouterr().err, words
            assert contents(Path()) == before, words
        requests, printed = continued(capsys, str(run), server)
        assert requests == stored.left and printed.count("--solver vote:3 does nothing in this run") == 1, stored
        assert continued(capsys, str(run), server)[0] == 0, stored
        check_figures(reported(capsys, str(run)), stored.figures("continued", read_today=True))


def test_stored_work_of_an_agent_whose_prompts_are_no_more_is_refused_and_rescored_under_its_former_name(
    server: Running, enter: Enter, capsys: Captured
) -> None:
    enter(AGENT.suite)
    before, asked = contents(Path()), server.stats()["seen"]
    for run in ("clean.jsonl.calls", "told.jsonl.calls", "agent"):
        with behind(server):
            assert main(command_of(run)) == 2, run
        said = capsys.readouterr().err
        for words in ("another run lies here", "prompts", "--new to begin afresh"):
            assert words in said, run
    assert server.stats()["seen"] == asked and contents(Path()) == before
    samples = lines(Path("agent/samples.jsonl"))
    for name in ("calls.jsonl", "samples.jsonl", "run.json"):
        text = Path("agent", name).read_text("utf-8")
        Path("agent", name).write_text(re.sub(r'"agent"(?=,|\n    \])', '"agent:exact"', text), "utf-8")
    output(capsys, "rescore", "agent")
    now = [(one["solver"], one["outcome"], one["answer"]) for one in lines(Path("agent/samples.jsonl"))]
    assert now == [("agent:exact", one["outcome"], one["answer"]) for one in samples]
    (row,) = reported(capsys, "agent").values()
    check_figures({"": row}, {"": next(iter(AGENT.figures("stored").values()))})


def test_a_stored_image_job_is_continued(enter: Enter, capsys: Captured) -> None:
    enter("formalimg")
    image, log = Path("painted/0.png").read_bytes(), Path("painted/paintings.jsonl").read_bytes()
    words = ["images", "--task", "formalimg/knolling", "--model", "openai/painter", "--size", "64x64", "-o", "painted"]
    words += ["--model-arg", "api_base=http://model.test/v1", "--json", "--quiet", "--ids"]
    words += [f"knolling/{number}" for number in range(4)]
    with image_server(**json.loads(Path("painter.json").read_text())) as painter, behind(painter):
        summary = json.loads(output(capsys, *words))
        assert painter.stats()["seen"] == 2
    assert key(summary, "total", "painted", "there", "blocked", "failed", "unasked") == (4, 2, 1, 1, 0, 0)
    assert Path("painted/0.png").read_bytes() == image
    assert Path("painted/paintings.jsonl").read_bytes().startswith(log)
