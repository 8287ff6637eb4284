"""Merged shards are the undivided run: its samples, its tables, its products."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from image_server import image_server
from image_suite import install
from model_server import Running, model_server
from prefork import Prefork
from run_files import lines
from shipped import DATA

from tsgkit.cli import main
from tsgkit.errors import TsgkitError, UsageError
from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.graph.notation import narratives
from tsgkit.runs import shard_merge
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.folder import locked
from tsgkit.runs.plan import Plan
from tsgkit.runs.shard_merge import merge
from tsgkit.runs.shards import Shard

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server() as running:
        yield running


@pytest.fixture(scope="module")
def place(server: Running, commands: Prefork, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run, and its three shards."""
    folder = tmp_path_factory.mktemp("shards")
    words = [*("eval", "--task", "sgqa", "--task", "sgds", "--first", "8", "--solver", "vote:3", "--model", "openai/x")]
    words += ["--model-arg", f"api_base={server.base}", "--no-cache", "--quiet", "--out", "run"]
    for more in ((), *(("--shard", f"{number}/3") for number in (1, 2, 3))):
        assert commands.run(*words, *more, cwd=folder).code == 0
    return folder


def parts(place: Path) -> list[Path]:
    return [place / f"run.shard-{number}-of-3" for number in (1, 2, 3)]


def files(run: Path) -> dict[str, bytes]:
    found = (path for path in run.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(run).as_posix(): path.read_bytes() for path in found}


def table(capsys: Captured, *runs: Path) -> str:
    """Return the report of runs, without what no two runs have alike."""
    capsys.readouterr()
    assert main(["report", *map(str, runs), "--format", "csv", "--by", "domain"]) == 0
    said = capsys.readouterr().out
    return "\n".join(line.rpartition("/run,")[2] for line in said.splitlines() if ",seconds," not in line)


def without_seconds(run: Path) -> list[dict[str, object]]:
    found = lines(run / "samples.jsonl")
    for one in found:
        one["usage"].pop("seconds")
    return found


def test_merged_samples_and_tables_are_those_of_the_whole(place: Path, tmp_path: Path, capsys: Captured) -> None:
    assert main(["runs", "merge", *map(str, parts(place)), "-o", str(tmp_path / "run")]) == 0
    assert without_seconds(tmp_path / "run") == without_seconds(place / "run")
    assert table(capsys, tmp_path / "run") == table(capsys, place / "run")
    assert main(["rescore", str(tmp_path / "run")]) == 0
    assert without_seconds(tmp_path / "run") == without_seconds(place / "run")


def test_neither_order_nor_grouping_changes_a_byte(place: Path, tmp_path: Path) -> None:
    one, two, three = parts(place)
    merge([one, two, three], tmp_path / "all")
    merge([three, two], tmp_path / "some")
    merge([tmp_path / "some", one], tmp_path / "again")
    merge([tmp_path / "again", tmp_path / "all", two, two], tmp_path / "more")
    assert files(tmp_path / "all") == files(tmp_path / "again") == files(tmp_path / "more")


def test_merge_names_missing_samples_with_their_command(
    place: Path, server: Running, tmp_path: Path, commands: Prefork, capsys: Captured
) -> None:
    one, _, three = parts(place)
    assert main(["runs", "merge", str(one), str(three), "-o", str(tmp_path / "run")]) == 1
    said = capsys.readouterr().err
    assert "shards that were not given: 2/3" in said and "missing: openai/x tsg/sgqa zero-shot vote:3: " in said
    [command] = [line.partition("missing: ")[2] for line in said.splitlines() if "to do what is missing" in line]
    assert command.endswith("--shard 2/3") and "--out" not in command
    seen = server.stats()["seen"]
    words = [word for word in command.split()[1:] if word not in ("--shard", "2/3")]
    assert commands.run(*words, "--out", "run", cwd=tmp_path).code == 0
    assert server.stats()["seen"] > seen and without_seconds(tmp_path / "run") == without_seconds(place / "run")


def test_shards_are_reported_and_compared_as_one_run(place: Path, tmp_path: Path, capsys: Captured) -> None:
    assert table(capsys, *parts(place)) == table(capsys, place / "run")
    assert main(["report", *map(str, parts(place))]) == 0
    said = capsys.readouterr()
    assert "3 shards are taken as one run: run" in said.err and f"run: {place / 'run'}" in said.out
    words = ["compare", *map(str, parts(place)), str(place / "run"), "--baseline", str(parts(place)[1]), "--json"]
    assert main(words) == 0
    pairs = json.loads(capsys.readouterr().out)["comparisons"]
    assert pairs and {pair["difference"]["value"] for pair in pairs} == {0}
    assert {pair[side]["run"] for pair in pairs for side in ("first", "second")} == {str(place / "run")}
    assert main(["compare", *map(str, parts(place)), "--grid", "-o", str(tmp_path / "grid.tex")]) == 0
    assert f"% run: {place / 'run'}\n" in (tmp_path / "grid.tex").read_text()


def test_what_is_missing_of_shards_that_are_reported_is_done_where_they_lie(
    place: Path, tmp_path: Path, commands: Prefork
) -> None:
    for part in parts(place):
        shutil.copytree(part, tmp_path / part.name)
    samples = tmp_path / "run.shard-2-of-3/calls.jsonl"
    samples.write_text("".join(samples.read_text().splitlines(keepends=True)[:-3]))
    told = commands.run("report", *(part.name for part in parts(place)), cwd=tmp_path).err
    found = [line.partition("missing: ")[2].split() for line in told.splitlines() if "to do what is missing" in line]
    assert found[0][:3] == ["tsgkit", "runs", "merge"] and found[1][-2:] == ["--out", "run"]
    assert commands.run(*found[0][1:], cwd=tmp_path).code == 1, "something is missing"
    assert commands.run(*found[1][1:], cwd=tmp_path).code == 0
    assert without_seconds(tmp_path / "run") == without_seconds(place / "run")


def test_rows_come_from_whichever_shard_keeps_them(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    shutil.copy(DATA / "sgds.jsonl", data)
    plan = Plan(tasks=("tsg/sgds",), models=("baseline/rules",), data=str(data), first=6)
    one, two = (
        evaluate(plan, Options(out=tmp_path / "run", shard=Shard(number, 2), keep_data=number == 1)).path
        for number in (1, 2)
    )
    data.unlink()
    merge([two, one], tmp_path / "merged")
    merge([one, two], tmp_path / "again")
    assert files(tmp_path / "merged") == files(tmp_path / "again")


def test_an_answer_beats_an_error_and_two_answers_are_told(place: Path, tmp_path: Path) -> None:
    one, two, three = (Path(shutil.copytree(part, tmp_path / part.name)) for part in parts(place))
    spoilt = Path(shutil.copytree(two, tmp_path / "spoilt"))
    told = [json.loads(line) for line in (two / "calls.jsonl").read_text().splitlines()]
    asked = [call for call in told if call["reply"].get("source") == "model"]
    asked[0]["reply"] |= {"ending": "api_error", "text": None, "error": "error 500"}
    asked[1]["reply"] |= {"text": "[something else]"}
    (spoilt / "calls.jsonl").write_text("".join(json.dumps(call) + "\n" for call in told))
    merged = merge([one, spoilt, two, three], tmp_path / "all")
    assert merged.conflicts == 1 and "sgqa" in merged.example and merged.complete
    calls = lines(tmp_path / "all/calls.jsonl")
    found = {(call["sample"], call["draw"], call["label"]): call["reply"] for call in calls}
    assert found[asked[0]["sample"], asked[0]["draw"], asked[0]["label"]]["ending"] == "complete"
    again = merge([three, two, one, spoilt], tmp_path / "again")
    assert (again.conflicts, files(tmp_path / "again")) == (1, files(tmp_path / "all"))


def test_merge_refuses_other_plans_kinds_and_places(
    place: Path, server: Running, commands: Prefork, tmp_path: Path
) -> None:
    one, two, _ = parts(place)
    model = ("--model", "openai/x", "--model-arg", f"api_base={server.base}")
    words = ("eval", "--task", "sgqa", *model, "--first", "1", "--no-cache", "--quiet", "--out", "other")
    assert commands.run(*words, cwd=tmp_path).code == 0
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    refusals = {
        "another plan than that of": [one, tmp_path / "other"],
        "no run lies here": [one, tmp_path / "nowhere"],
        "is one of the folders": [one, tmp_path / "target"],
    }
    Path(shutil.copytree(two, tmp_path / "target"))
    for why, folders in refusals.items():
        with pytest.raises(UsageError, match=why):
            merge(folders, tmp_path / ("target" if why.startswith("is one") else "all"))
    with pytest.raises(UsageError, match="something lies there already"):
        merge([one, two], tmp_path / "full")
    with locked(two), pytest.raises(UsageError, match="another process is working on"):
        merge([one, two], tmp_path / "all")
    broken = Path(shutil.copytree(two, tmp_path / "broken"))
    with (broken / "calls.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(TsgkitError, match=r"calls\.jsonl: line \d+"):
        merge([one, broken], tmp_path / "all")
    assert not (tmp_path / "all").exists() and not [*tmp_path.glob(".*.merging")]


def test_calls_of_a_sample_stay_in_the_order_in_which_they_were_made(place: Path, tmp_path: Path) -> None:
    def told(run: Path) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for call in lines(run / "calls.jsonl"):
            found.setdefault(call["sample"], []).append(call["label"])
        return found

    labels = ["write/1", "critique/1", "revise/1", "critique/2"]
    one, two, _ = (Path(shutil.copytree(part, tmp_path / part.name)) for part in parts(place))
    template = lines(one / "calls.jsonl")[0]
    for run, chosen in ((one, labels), (two, [*labels[:2], "note/1"])):
        calls = [template | {"sample": "odd", "label": label} for label in chosen]
        (run / "calls.jsonl").write_text("".join(json.dumps(call) + "\n" for call in calls))
    merge([one], tmp_path / "alone")
    assert told(tmp_path / "alone") == {"odd": labels}
    merge([two, one], tmp_path / "both")
    assert told(tmp_path / "both") == {"odd": ["write/1", "critique/1", "note/1", "revise/1", "critique/2"]}
    merge([tmp_path / "both", one], tmp_path / "again")
    merge([one, two], tmp_path / "other")
    assert files(tmp_path / "again") == files(tmp_path / "both") == files(tmp_path / "other")


def test_an_interrupt_leaves_nothing_half_merged(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shard_merge, "_derive_samples", interrupted)
    with pytest.raises(KeyboardInterrupt):
        merge(parts(place), tmp_path / "all")
    assert [*tmp_path.iterdir()] == []


def test_a_killed_merge_is_made_whole_by_the_same_command(place: Path, tmp_path: Path, commands: Prefork) -> None:
    words = ("runs", "merge", *map(str, parts(place)), "-o", "all")
    process = commands.start(*words, cwd=tmp_path)
    while not process.ended() and not any(tmp_path.iterdir()):
        time.sleep(0.001)
    process.signal(signal.SIGKILL)
    ended = process.wait()
    if not (tmp_path / "all").exists():
        assert ended.code == -signal.SIGKILL
        assert commands.run(*words, cwd=tmp_path).code == 0
    assert merge([tmp_path / "all"], tmp_path / "again").complete
    assert merge(parts(place), tmp_path / "whole").complete
    assert files(tmp_path / "all") == files(tmp_path / "whole")


GOOD = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "vase"), ("fill", "with", "hand1"))
VASE = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "with", "hand1"))


def test_calls_of_shards_make_the_product_without_asking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.jsonl").write_text(narratives.write(Narrative.of([VASE])) * 6)
    replies = {"Compare action graphs": "1: fill -> dobj -> kettle"}
    with model_server(replies=replies) as server:
        words = ["refine", "g.jsonl", "--model", "openai/x", "--model-arg", f"api_base={server.base}", "--quiet"]
        assert main([*words, "-o", "whole.jsonl"]) == 0
        for number in (1, 2, 3):
            assert main([*words, "-o", "out.jsonl", "--shard", f"{number}/3"]) == 0
        assert not Path("out.jsonl").exists() and "is written when all shards are there" in capsys.readouterr().out
        shards = sorted(map(str, Path().glob("out.jsonl.shard-*.calls")))
        assert main(["runs", "merge", *shards[:2], "-o", "some.calls"]) == 1
        assert "shards that were not given: " in capsys.readouterr().err
        assert main(["runs", "merge", *shards, "-o", "out.jsonl.calls"]) == 0
        seen = server.stats()["seen"]
        assert main([*words, "-o", "out.jsonl"]) == 0
        assert server.stats()["seen"] == seen, "nothing is asked again"
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()


def test_images_of_shards_become_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, {f"c{number}": f"Cup number {number}." for number in range(8)}, monkeypatch)
    with image_server(always={"number 2.": "blocked"}) as server:
        words = ["images", "--task", "demo/cups", "--model", "openai/m", "--model-arg", f"api_base={server.base}"]
        words += ["--model-arg", "api_key=k", "--quiet", "-o"]
        assert main([*words, "whole"]) == 0
        for number in (1, 2):
            assert main([*words, "out", "--shard", f"{number}/2"]) == 0
        shards = ["out.shard-1-of-2", "out.shard-2-of-2"]
        assert main(["runs", "merge", *shards, "-o", "out"]) == 0
        seen = server.stats()["seen"]
        assert main([*words, "out"]) == 0 and server.stats()["seen"] == seen
    images = [{path.name: path.read_bytes() for path in Path(name).glob("*.png")} for name in ("whole", "out")]
    assert images[0] == images[1] and len(images[0]) == 7
    with pytest.raises(UsageError, match="no folder of images"):
        merge([Path("out"), tmp_path], Path("mixed"))
    next(Path(shards[0]).glob("*.png")).write_bytes(b"spoilt")
    merged = merge([Path(name) for name in shards], Path("again"))
    assert not merged.complete and "is to be made again" in merged.problems[0]
    assert len([*Path("again").glob("*.png")]) == 6


@pytest.mark.parametrize("name", ["../a", "/etc/a", "x/../../a", ""])
def test_an_id_that_leads_out_of_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    line = {"id": name, "outcome": "painted", "request": "r", "attempts": [], "model": "m"}
    (tmp_path / "one/paintings.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(TsgkitError, match="cannot be the name of an image"):
        merge([tmp_path / "one"], tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_more_folders_than_files_may_be_open_are_merged(place: Path, tmp_path: Path) -> None:
    folders = [*parts(place)]
    folders += [Path(shutil.copytree(folders[0], tmp_path / f"copy-{number}")) for number in range(90)]
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + 80, before[1]))
        assert merge(folders, tmp_path / "all").complete
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_full_disk_leaves_nothing_of_a_merged_run(place: Path, tmp_path: Path, commands: Prefork) -> None:
    words = ("runs", "merge", *map(str, parts(place)), "-o", "all")
    for size in (500, 12_000):
        ended = commands.run(*words, cwd=tmp_path, largest_file=size)
        assert ended.code == 2 and "cannot be written" in ended.err and "Traceback" not in ended.err, size
        assert [*tmp_path.iterdir()] == []


def test_data_that_moved_are_named_and_odd_headers_are_no_bug(place: Path, tmp_path: Path, capsys: Captured) -> None:
    one, two, three = (Path(shutil.copytree(part, tmp_path / part.name)) for part in parts(place))
    header = json.loads((one / "run.json").read_text())
    (two / "run.json").write_text(json.dumps(header | {"shards": 7, "models": [1], "shard": "2/3"}))
    assert main(["runs", "merge", str(one), str(two), str(three), "-o", str(tmp_path / "all")]) == 0
    assert json.loads((tmp_path / "all/run.json").read_text())["models"]
    words = ["runs", "merge", str(one), str(two), "-o", str(tmp_path / "other"), "--data", str(tmp_path / "nowhere")]
    assert main(words) == 2
    assert "nowhere" in capsys.readouterr().err and not (tmp_path / "other").exists()
