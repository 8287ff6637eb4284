"""Stored runs of version 0.1.0: this version opens, reports, explains, rescores, compares and continues them.

``stored_runs/v0_1_0`` holds the runs by suite, with their inputs and expected figures; its README has the command that
made each. Every test works on a copy. The runs name a service that does not exist: a server on loopback stands in for
it as the proxy of all requests.
"""

from __future__ import annotations

import json
import re
import shutil
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from image_server import image_server
from model_server import Running, model_server
from run_files import lines, project_with_card

from tsgkit.cli import main

Captured = pytest.CaptureFixture[str]
Figures = dict[str, dict[str, Any]]
FOLDER = Path(__file__).parent / "stored_runs" / "v0_1_0"
LIMITS = ("--max-requests", "--concurrency")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
CELL = ("subject", "task", "solver", "style", "repeat")
SAMPLE = (*CELL, "item_id", "outcome", "answer", "parts")
SCRIPTED = "runs/script-said.jsonl-tsg-sgds-60552fb19babb377"


SUPERSEDED = -1
"""In place of requests left: its prompts are no more, so that it is read and scored, and not continued."""


class Stored(NamedTuple):
    """A stored run: the folder of its suite, its own folder there, one of its items, the number of requests that
    continuing it takes, and the optional package that its suite needs."""

    suite: str
    run: str
    item: str
    left: int = 0
    needs: str = ""

    @property
    def figures(self) -> dict[str, Figures]:
        """The expected figures by row, under ``stored`` and, once continued, ``continued``."""
        found: dict[str, dict[str, Figures]] = json.loads((FOLDER / self.suite / "figures.json").read_text("utf-8"))
        return found[self.run]

    @property
    def read_today(self) -> dict[str, Figures]:
        """The expected figures as today's reader reads the replies: those that differ are told in CHANGELOG.md."""
        file = FOLDER / self.suite / "figures_of_reader_2.json"
        found: dict[str, dict[str, Figures]] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
        return self.figures | found.get(self.run, {})


READ_DIFFERENTLY = {
    ("openai/m", "tsg/sgds", style, "campsite/2/perturbed"): ("answered", "D") for style in ("zero-shot", "cot")
}
"""What replies are read as today that 0.1.0 could not read: "The answer is D." """


STORED = (
    Stored("tsg", "complete", "siphon/q0"),
    Stored("tsg", "derived", "bread/0"),
    Stored("tsg", SCRIPTED, "campsite/2/perturbed"),
    Stored("tsg", "stopped", "bread/0", left=8),
    Stored("tsg", "agent", "campsite/0", left=SUPERSEDED),
    Stored("formalimg", "layout", "knolling/30", left=3),
    Stored("formalimg", "judged-knolling", "knolling/1", left=2, needs="PIL"),
    Stored("formalimg", "judged-natural", "natural/0", left=1, needs="PIL"),
    Stored("spatialgen", "judged", "000002", left=10, needs="PIL"),
    Stored("sceneeval", "rules", "1", needs="fcl"),
    Stored("sceneeval", "judged", "0", left=4, needs="fcl"),
    Stored("sceneeval", "annotated", "1", left=1),
)
each = pytest.mark.parametrize("stored", STORED, ids=lambda stored: f"{stored.suite}-{stored.run.partition('-')[0]}")


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
def suites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of all stored runs."""
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    return Path(shutil.copytree(FOLDER, tmp_path / "stored"))


@pytest.fixture
def run(suites: Path, stored: Stored, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a stored run; the working folder is a copy of its suite's."""
    if stored.needs:
        pytest.importorskip(stored.needs)
    monkeypatch.chdir(suites / stored.suite)
    return stored.run


@contextmanager
def behind(server: Running) -> Iterator[None]:
    """Use a server as the proxy of all requests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in PROXIES:
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


def command_of(header: str) -> list[str]:
    """Return the command in a run's header without the limits that stopped it."""
    words: list[str] = json.loads(Path(header).read_text("utf-8"))["command"][1:]
    kept = [name not in LIMITS and before not in LIMITS for before, name in zip(["", *words], words, strict=False)]
    return [word for word, is_kept in zip(words, kept, strict=True) if is_kept]


def continued(capsys: Captured, header: str, server: Running) -> int:
    """Continue a run by its own command; return the number of requests made."""
    capsys.readouterr()
    with behind(server):
        before = server.stats()["seen"]
        assert main(command_of(header)) == 0, capsys.readouterr().err
        return int(server.stats()["seen"] - before)


def reported(capsys: Captured, run: str) -> Figures:
    """Return the figures of a report by row, without intervals and zero counts."""
    rows = json.loads(output(capsys, "report", run, "--format", "json", "--metrics", "all"))["rows"]
    return {" ".join(str(row[name]) for name in CELL): figures_of(row) for row in rows}


def figures_of(row: dict[str, Any]) -> dict[str, Any]:
    profiles = {name: of and {metric: [one["value"], one["n"]] for metric, one in of.items() if one}
                for name, of in row["profiles"].items()}  # fmt: skip
    counts = {name: n for name, n in row["counts"].items() if n}
    return {"n": row["n"], "counts": counts, "unasked": row["unasked"], **profiles}


def check_figures(found: Figures, stored: Figures) -> None:
    """Check that all expected figures are found; other metrics may stand beside them.

    Version 0.1.0 took samples that nobody was asked about yet as missing, each with its weight and the worst score.
    """
    assert list(found) == list(stored)
    for row, expected in stored.items():
        unasked = found[row]["unasked"]
        for profile in ("strict", "official"):
            assert (found[row][profile] is None) is (expected[profile] is None), f"{row} {profile}"
            for metric, value in (expected[profile] or {}).items():
                figure = found[row][profile].get(metric, [0.0, 0.0])
                if unasked:
                    lost, weight = value[0] * value[1] - figure[0] * figure[1], value[1] - figure[1]
                    assert min(abs(lost), abs(lost - weight)) < 1e-6 * max(value[1], 1), f"{row} {profile} {metric}"
                else:
                    assert figure == pytest.approx(value), f"{row} {profile} {metric}"
        of_unasked = ("missing", "missing_graphs", "skipped_official") if unasked else ()
        counts = expected["counts"] | {"items": expected["counts"]["items"] - unasked}
        found_counts = {name: n for name, n in found[row]["counts"].items() if name not in of_unasked}
        assert found_counts == {name: n for name, n in counts.items() if n and name not in of_unasked}, row
        assert found[row]["n"] == expected["n"] - unasked, row
        assert expected["counts"].get("missing", 0) - found[row]["counts"].get("missing", 0) == unasked, row


def samples_of(run: str) -> list[dict[str, Any]]:
    return [{name: one[name] for name in SAMPLE} for one in lines(Path(run, "samples.jsonl"))]


def key_of(sample: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(sample[name] for name in (*CELL, "item_id"))


def as_stored(now: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Return a sample with the metrics that it had before, and as it was read before; later versions may read more."""
    place = (now["subject"], now["task"], now["style"], now["item_id"])
    if (now["outcome"], now["answer"]) == READ_DIFFERENTLY.get(place):
        return before
    parts = {
        profile: {name: part for name, part in values.items() if name in before["parts"].get(profile, {})}
        for profile, values in now["parts"].items()
    }
    return now | {"parts": parts}


@each
def test_a_stored_run_is_listed_and_shown(stored: Stored, run: str, capsys: Captured) -> None:
    header = json.loads(Path(run, "run.json").read_text())
    assert header["tsgkit"] == "0.1.0"
    (listed,) = json.loads(output(capsys, "runs", "list", run, "--json"))["runs"]
    assert (listed["identity"], listed["samples"]) == (header["identity"], header["samples"])
    assert (listed["recorded"] < listed["samples"]) is bool(stored.left)
    shown = output(capsys, "runs", "show", run)
    assert all(word in shown for word in (header["identity"], *header["plan"]["tasks"]))


@each
def test_a_report_of_a_stored_run_has_the_stored_figures(stored: Stored, run: str, capsys: Captured) -> None:
    check_figures(reported(capsys, run), stored.figures["stored"])


@each
def test_an_item_of_a_stored_run_is_explained(stored: Stored, run: str, capsys: Captured) -> None:
    rows = [one for one in samples_of(run) if one["item_id"] == stored.item]
    words = ("explain", run, "--item", stored.item)
    found = [one["outcome"] for one in json.loads(output(capsys, *words, "--json"))["rows"]]
    assert [outcome for outcome in found if outcome != "missing"] == [one["outcome"] for one in rows] != []
    output(capsys, *words, "--html", "page.html")
    assert stored.item in Path("page.html").read_text(encoding="utf-8")


@each
def test_a_stored_run_is_rescored_from_its_calls(stored: Stored, run: str, capsys: Captured) -> None:
    calls, before = Path(run, "calls.jsonl").read_bytes(), samples_of(run)
    output(capsys, "rescore", run)
    assert Path(run, "calls.jsonl").read_bytes() == calls
    assert [as_stored(one, old) for one, old in zip(samples_of(run), before, strict=True)] == before
    check_figures(reported(capsys, run), stored.read_today["stored"])


def renamed(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the ids that openings have since 0.1.0."""
    found: dict[str, Any] = json.loads(re.sub(r"\b(door|window)_(\d+)_wall_", r"\1_\2_", json.dumps(record)))
    return found


@pytest.mark.parametrize(
    "stored",
    [one for one in STORED if one.left != SUPERSEDED],
    ids=lambda one: f"{one.suite}-{one.run.partition('-')[0]}",
)
def test_continuing_a_stored_run_asks_only_what_is_missing(
    stored: Stored, run: str, server: Running, capsys: Captured
) -> None:
    calls, recorded = Path(run, "calls.jsonl").read_bytes(), samples_of(run)
    neighbours = set(Path(run).parent.iterdir())
    assert continued(capsys, f"{run}/run.json", server) == stored.left
    assert Path(run, "calls.jsonl").read_bytes().startswith(calls)
    now = {key_of(one): one for one in samples_of(run)}
    # A row that asks nobody is solved anew, and names openings as published since: door_0_3, not door_0_wall_3.
    kept = [(one, as_stored(now[key_of(one)], one)) for one in recorded if one["outcome"] != "api_error"]
    assert all(found in (one, renamed(one)) for one, found in kept)
    assert continued(capsys, f"{run}/run.json", server) == 0
    check_figures(reported(capsys, run), stored.read_today["continued"])
    assert set(Path(run).parent.iterdir()) == neighbours, "no other run was begun"


JUDGED = [stored for stored in STORED if stored.needs and stored.left]


def contents_of(run: str, calls: Iterable[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield the kinds of the parts of what a user says in some calls, in order."""
    prompts = {one["hash"]: one["messages"] for one in lines(Path(run, "prompts.jsonl"))}
    for call in calls:
        content = prompts[call["prompt"]][-1]["content"]
        yield [part["type"] for part in content] if isinstance(content, list) else ["text"]


@pytest.mark.parametrize("stored", JUDGED, ids=lambda stored: f"{stored.suite}-{stored.run}")
def test_a_stored_run_asks_what_is_missing_with_images_behind_the_question(
    stored: Stored, run: str, server: Running, capsys: Captured
) -> None:
    before = lines(Path(run, "calls.jsonl"))
    assert continued(capsys, f"{run}/run.json", server) == stored.left
    asked = [call for call in lines(Path(run, "calls.jsonl"))[len(before) :] if "prompt" in call]
    assert len(asked) >= stored.left
    assert all(parts[0] == "text" or parts == ["picture"] for parts in contents_of(run, asked))
    keys = ("task", "solver", "sample", "label", "draw")
    before_of = {tuple(call[name] for name in keys) for call in before}
    bodies = {tuple(call[name] for name in (*keys, "body")) for call in before if "body" in call}
    again = [call for call in asked if tuple(call[name] for name in keys) in before_of]
    assert all(tuple(call[name] for name in (*keys, "body")) in bodies for call in again), "asked in other words"
    assert "request_form" not in json.loads(Path(run, "run.json").read_text())


@pytest.mark.parametrize("stored", [STORED[2], STORED[3]], ids=["by-identity", "by-name"])
def test_a_stored_run_continues_after_its_cards_were_reworded(
    stored: Stored, run: str, server: Running, capsys: Captured
) -> None:
    for task in ("tsg/sgqa", "tsg/sgds", "tsg/sa-sgg"):
        project_with_card(task, "title: ", "title: New ", Path())
    neighbours = set(Path(run).parent.iterdir())
    assert continued(capsys, f"{run}/run.json", server) == stored.left
    assert set(Path(run).parent.iterdir()) == neighbours, "no other run was begun"


FOLDERS = [stored for stored in STORED if stored.run == "rules" or stored.run.startswith("judged")]


def with_solver(run: str, solver: str) -> None:
    """Make a run one that was begun with a solver; of folders that are judged, the identity has none."""
    file = Path(run, "run.json")
    header = json.loads(file.read_text(encoding="utf-8"))
    assert not any(solver in name for name in header["asked"]["prompts"])
    header["plan"]["solvers"] = [solver]
    header["command"][2:2] = ["--solver", solver]
    file.write_text(json.dumps(header), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("stored", FOLDERS, ids=lambda stored: f"{stored.suite}-{stored.run}")
def test_a_stored_run_continues_with_a_solver_that_does_nothing(
    stored: Stored, run: str, server: Running, capsys: Captured
) -> None:
    with_solver(run, "vote:3")
    neighbours = set(Path(run).parent.iterdir())
    assert continued(capsys, f"{run}/run.json", server) == stored.left
    assert capsys.readouterr().out.count("--solver vote:3 does nothing in this run") == 1
    assert continued(capsys, f"{run}/run.json", server) == 0
    output(capsys, "rescore", run)
    check_figures(reported(capsys, run), stored.read_today["continued"])
    assert set(Path(run).parent.iterdir()) == neighbours, "no other run was begun"


@pytest.mark.parametrize("stored", [STORED[7]], ids=["formalimg-judged-natural"])
def test_a_stored_run_in_its_own_folder_continues_with_a_solver_that_does_nothing(
    stored: Stored, run: str, server: Running, capsys: Captured
) -> None:
    with_solver(run, "vote:3")
    header = json.loads(Path(run, "run.json").read_text(encoding="utf-8"))
    place = header["command"].index("--out")
    del header["command"][place : place + 2]
    Path(run, "run.json").write_text(json.dumps(header), encoding="utf-8")
    moved = Path("runs", f"{header['name']}-{header['identity']}")
    moved.parent.mkdir(exist_ok=True)
    shutil.move(run, moved)
    assert continued(capsys, f"{moved}/run.json", server) == stored.left
    assert list(moved.parent.iterdir()) == [moved]


@pytest.mark.parametrize("stored", FOLDERS, ids=lambda stored: f"{stored.suite}-{stored.run}")
@pytest.mark.parametrize("words", [["--new"], ["--out", "other"], ["--solver", "vote:5"]], ids=lambda words: words[0])
def test_a_new_run_of_folders_is_refused_with_a_solver(
    stored: Stored, run: str, words: list[str], capsys: Captured
) -> None:
    with_solver(run, "vote:3")
    before = {file.name: file.read_bytes() for file in Path(run).iterdir()}
    assert main([*command_of(f"{run}/run.json"), *words]) == 2
    assert "leave out --solver" in capsys.readouterr().err
    assert {file.name: file.read_bytes() for file in Path(run).iterdir()} == before
    assert not Path("other").exists()


@pytest.mark.parametrize("stored", [STORED[5], STORED[11]], ids=["formalimg-layout", "sceneeval-annotated"])
def test_a_stored_run_continues_after_requests_are_built_otherwise(
    stored: Stored, run: str, server: Running, capsys: Captured
) -> None:
    calls = Path(run, "calls.jsonl")
    calls.write_text("".join(json.dumps(call | {"body": "0" * 32}) + "\n" for call in lines(calls)))
    assert continued(capsys, f"{run}/run.json", server) == stored.left
    check_figures(reported(capsys, run), stored.figures["continued"])


def test_rows_of_stored_runs_are_compared(suites: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(suites / "tsg")
    words = ("compare", "complete", "--task", "sgqa", "--baseline", "baseline/rules", "--json")
    pairs = json.loads(output(capsys, *words))["comparisons"]
    assert [(one["first"]["value"], one["second"]["value"], one["items"]) for one in pairs] == [
        (0.25, 0.75, 4),
        (0.5, 0.75, 4),
    ]
    assert "tsg/sa-sgg" in output(capsys, "compare", "complete", "stopped", "--common", "--task", "sa-sgg")
    assert "cot" in output(capsys, "compare", "complete", "--grid")


def test_agreement_is_measured_on_a_stored_run(suites: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PIL")
    monkeypatch.chdir(suites / "spatialgen")
    alone = json.loads(output(capsys, "agree", "judged", "--json"))["rows"]
    people = json.loads(output(capsys, "agree", "judged", "--human", "people.jsonl", "--json"))["rows"]
    assert alone and people[0]["rated"] == 20


def test_a_stored_run_is_audited(suites: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(suites / "tsg")
    (audit,) = json.loads(output(capsys, "audit", "--task", "tsg/sgds", "--run", "complete", "--json"))["audits"]
    assert {one["n"] for one in audit["runs"]} == {3}


@pytest.mark.parametrize("stored", [STORED[0]], ids=["tsg-complete"])
def test_a_stored_run_is_replayed(stored: Stored, run: str, capsys: Captured) -> None:
    ids = [item for item in dict.fromkeys(one["item_id"] for one in samples_of(run)) if "/q" in item]
    words = ("eval", "--task", "sgqa", "--model", f"replay:{run}#openai/m", "--ids", *ids, "--out", "again", "--quiet")
    output(capsys, *words)
    (found,) = reported(capsys, "again").values()
    check_figures({"": found}, {"": stored.figures["stored"]["openai/m tsg/sgqa single zero-shot 0"]})


@pytest.mark.parametrize("header", ["clean.jsonl.calls/run.json", "told.jsonl.calls/run.json", "agent/run.json"])
def test_stored_work_of_an_agent_whose_prompts_are_no_more_is_not_mixed_with_the_present_ones(
    header: str, server: Running, suites: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(suites / "tsg")
    before = contents()
    asked = server.stats()["seen"]
    with behind(server):
        assert main(command_of(header)) == 2
    said = capsys.readouterr().err
    assert "another run lies here" in said and "prompts" in said and "--new to begin afresh" in said
    assert server.stats()["seen"] == asked
    assert contents() == before


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file() and path.name != ".lock"}


@pytest.mark.parametrize("stored", [STORED[4]], ids=["tsg-agent"])
def test_a_stored_run_is_rescored_under_the_former_name_of_its_solver(
    stored: Stored, run: str, capsys: Captured
) -> None:
    """The replies labelled ``local`` are what counts, whatever the agent is called."""
    before = samples_of(run)
    for name in ("calls.jsonl", "samples.jsonl", "run.json"):
        file = Path(run, name)
        text = file.read_text("utf-8").replace('"solver":"agent"', '"solver":"agent:exact"')
        text = text.replace('"solver": "agent"', '"solver": "agent:exact"')
        file.write_text(text.replace('"agent"\n    ]', '"agent:exact"\n    ]'), "utf-8")
    output(capsys, "rescore", run)
    assert samples_of(run) == [one | {"solver": "agent:exact"} for one in before]
    (row,) = reported(capsys, run).values()
    check_figures({"": row}, {"": next(iter(stored.figures["stored"].values()))})


def test_a_stored_image_job_is_continued(suites: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PIL")
    monkeypatch.chdir(suites / "formalimg")
    image, log = Path("painted/0.png").read_bytes(), Path("painted/paintings.jsonl").read_bytes()
    words = ["images", "--task", "formalimg/knolling", "--model", "openai/painter", "--size", "64x64", "-o", "painted"]
    words += ["--model-arg", "api_base=http://model.test/v1", "--json", "--quiet", "--ids"]
    words += [f"knolling/{number}" for number in range(4)]
    with image_server(**json.loads(Path("painter.json").read_text())) as painter, behind(painter):
        summary = json.loads(output(capsys, *words))
        assert painter.stats()["seen"] == 2
    counts = {name: summary[name] for name in ("total", "painted", "there", "blocked", "failed", "unasked")}
    assert counts == {"total": 4, "painted": 2, "there": 1, "blocked": 1, "failed": 0, "unasked": 0}
    assert Path("painted/0.png").read_bytes() == image
    assert Path("painted/paintings.jsonl").read_bytes().startswith(log)


def test_stored_runs_hold_no_path_of_a_machine() -> None:
    text = b"\n".join(path.read_bytes() for path in FOLDER.rglob("*.json*") if path.is_file())
    for word in (b'"/', b"=/", b"/home/", b"/root", b"/tmp", b"localhost", b"127.0.0.1"):
        assert word not in text, word
