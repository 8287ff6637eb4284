"""Shards: every unit in exactly one of them, each a run of its own; merged, they are the undivided run."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import resource
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from exported_runs import largest_file
from hypothesis import given, settings
from hypothesis import strategies as st
from image_server import image_server, png
from image_suite import install
from model_server import Running, model_server
from run_files import contents, lines, samples, write_lines
from shipped import DATA

from tsgkit.cli import main
from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.graph.notation import narratives
from tsgkit.runs import shard_merge
from tsgkit.runs.evaluation import RunOptions, evaluate
from tsgkit.runs.folder import FORMAT, locked
from tsgkit.runs.plan import Plan
from tsgkit.runs.shard_merge import merge
from tsgkit.runs.shards import Shard, shard_of, whole_of
from tsgkit.version import __version__


def words(server: Running, *more: str, out: str = "run") -> list[str]:
    model = ["--model", "openai/x", "--model-arg", f"api_base={server.base}"]
    return ["eval", "--task", "sgqa", *model, "--no-cache", "--quiet", "--out", out, *more]


@pytest.fixture(scope="module")
def place(server: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run, and its three shards."""
    folder = tmp_path_factory.mktemp("shards")
    items = "pcr/q2 pcr/q3 pcr/q4 pcr/q7 pcr/7/mixed pcr/8/mixed pcr/10/mixed pcr/12/mixed"  # some in every shard
    asked = f"--task sgds --solver vote:3 --style zero-shot --style cot --ids {items}".split()
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        for more in ((), *(("--shard", f"{number}/3") for number in (1, 2, 3))):
            typed = words(server, *asked, *more)
            patch.setattr(sys, "argv", ["tsgkit", *typed])  # the commands that go on are made of it
            assert main(typed) == 0
    return folder


def parts(place: Path) -> list[Path]:
    return [place / f"run.shard-{number}-of-3" for number in (1, 2, 3)]


def copied(place: Path, folder: Path) -> list[Path]:
    return [Path(shutil.copytree(part, folder / part.name)) for part in parts(place)]


def table(tsgkit: CommandLine, *runs: Path) -> str:
    """Return the report of runs, without what no two runs have alike."""
    said = tsgkit("report", *runs, "--format", "csv", "--by", "domain").out
    return "\n".join(line.rpartition("/run,")[2] for line in said.splitlines() if ",seconds," not in line)


def without_seconds(run: Path) -> list[dict[str, object]]:
    found = lines(run / "samples.jsonl")
    for one in found:
        del one["usage"]["seconds"], one["digest"]
    return found


def test_every_unit_is_in_exactly_one_shard_which_is_read_from_its_name_and_lies_beside_the_whole() -> None:
    keys = [f"tsg/sgqa/pcr/{number}" for number in range(200)]
    for of in (1, 2, 7, 16):
        taken = [[shard.takes(key) for shard in (Shard(number, of) for number in range(1, of + 1))] for key in keys]
        assert all(sum(row) == 1 for row in taken), of
        assert min(map(sum, zip(*taken, strict=True))) > 0, "200 units leave no shard of 16 empty"
    for text in ("", "3", "0/3", "4/3", "1/0", "-1/3", "1/3/4", "a/b", "1/10001", "9999999/9999999"):
        with pytest.raises(UsageError, match="expected") as refused:
            shard_of(text)
        assert refused.value.hint == "the third of sixteen is --shard 3/16", text
    assert [shard_of(text) for text in ("1/1", "3/3", "10000/10000")] == [Shard(1, 1), Shard(3, 3), Shard(10**4, 10**4)]
    beside = shard_of("3/16").beside("runs/mine")
    assert beside == Path("runs/mine.shard-3-of-16") and whole_of(beside) == Path("runs/mine")
    assert whole_of(Path("runs/shards")) == Path("runs/shards")


def test_a_shard_goes_on_as_itself_alone(server: Running, tsgkit: CommandLine, tmp_path: Path) -> None:
    first = words(server, "--limit", "12", "--shard", "1/2")
    tsgkit("", *first, "--max-requests", "2", code=4)
    assert len(lines(tmp_path / "run.shard-1-of-2/samples.jsonl")) == 2
    tsgkit("", *first)
    (tmp_path / "run.shard-1-of-2").rename(tmp_path / "run.shard-2-of-2")
    for more, message in (
        (("--shard", "2/2"), "shard 1/2 lies here, not shard 2/2"),
        (("--out", "run.shard-2-of-2"), "shard 1/2 lies here, not all of it"),
    ):
        assert message in tsgkit("", *words(server, "--limit", "12", *more), code=2).err
    (tmp_path / "g.txt").write_text("person -> verb -> lift\nlift -> with -> hand1\n")
    refused = tsgkit("refine g.txt -o out.txt --shard 1/2", code=2).err
    assert "--shard parts what a model is asked, and none is named" in refused


def test_shards_share_the_items_of_a_run_and_are_listed_and_counted(
    place: Path, server: Running, tsgkit: CommandLine
) -> None:
    found = [samples(part) for part in parts(place)]
    assert {key: one for part in found for key, one in part.items()} == samples(place / "run")
    assert sum(map(len, found)) == len(samples(place / "run")) == 16
    styles = [{(key[5], key[3]) for key in part} for part in found]
    assert all({(item, "cot") for item, _ in part} <= part for part in styles), "all styles of an item lie together"
    listed = tsgkit("runs list --json", place).json["runs"]
    assert sorted(str(one["shard"]) for one in listed) == ["1/3", "2/3", "3/3", "None"]
    assert "shard 1/3" in tsgkit("runs list", place).out
    assert "samples of shard 2/3" in tsgkit("runs show", parts(place)[1]).out
    dry = ("--limit", "12", "--dry-run", "--json", "--shard")
    counts = [tsgkit("", *words(server, *dry, f"{number}/2")).json["estimates"][0]["samples"] for number in (1, 2)]
    assert sum(counts) == 12 and min(counts) > 0


def test_merged_shards_are_the_whole_in_whatever_order_they_are_merged(
    place: Path, tmp_path: Path, tsgkit: CommandLine
) -> None:
    one, two, three = parts(place)
    tsgkit("runs merge", one, two, three, "-o", tmp_path / "run")
    assert without_seconds(tmp_path / "run") == without_seconds(place / "run")
    assert table(tsgkit, tmp_path / "run") == table(tsgkit, place / "run")
    (tmp_path / "link").symlink_to(one)
    merge([three, two], tmp_path / "some")
    merge([tmp_path / "some", one], tmp_path / "again")
    more = [tmp_path / "again", tmp_path / "run", two, two, one, tmp_path / "link"]
    assert merge(more, tmp_path / "more").sources == 4
    assert contents(tmp_path / "run") == contents(tmp_path / "again") == contents(tmp_path / "more")
    tsgkit("rescore", tmp_path / "run")
    assert without_seconds(tmp_path / "run") == without_seconds(place / "run")
    for number in (1, 2, 3):  # two of them have no item
        tsgkit(f"eval --task sgqa --limit 1 --quiet --out {tmp_path}/one --shard {number}/3")
    assert merge(sorted(tmp_path.glob("one.*")), tmp_path / "one").complete
    assert len(lines(tmp_path / "one/samples.jsonl")) == 1


def command_in(said: str) -> list[list[str]]:
    """Return the commands that do what is missing, as words."""
    found = [line.partition("missing: ")[2] for line in said.splitlines() if "to do what is missing" in line]
    return [command.split()[1:] for command in found]


def test_what_is_missing_is_named_with_its_command(
    place: Path, server: Running, tmp_path: Path, tsgkit: CommandLine
) -> None:
    one, _, three = parts(place)
    said = tsgkit("runs merge", one, three, "-o", "run", code=1).err
    assert "shards that were not given: 2/3" in said and "missing: openai/x tsg/sgqa zero-shot vote:3: " in said
    [command] = command_in(said)
    assert command[-2:] == ["--shard", "2/3"] and "--out" not in command
    seen = server.stats()["seen"]
    tsgkit("", *command[:-2], "--out", "run")
    assert server.stats()["seen"] > seen and without_seconds(tmp_path / "run") == without_seconds(place / "run")
    shutil.rmtree("run")
    shards = [part.name for part in copied(place, tmp_path)]
    calls = lines(tmp_path / shards[1] / "calls.jsonl")
    write_lines(tmp_path / shards[1] / "calls.jsonl", calls[:-3])
    union, going_on = command_in(tsgkit("report", *shards).err)
    assert union[:2] == ["runs", "merge"] and going_on[-2:] == ["--out", "run"]
    tsgkit("", *union, code=1)
    tsgkit("", *going_on)
    assert without_seconds(tmp_path / "run") == without_seconds(place / "run")


def test_shards_are_reported_and_compared_as_one_run(place: Path, tmp_path: Path, tsgkit: CommandLine) -> None:
    shards = parts(place)
    assert table(tsgkit, *shards) == table(tsgkit, place / "run")
    said = tsgkit("report", *shards)
    assert "3 shards are taken as one run: run" in said.err and f"run: {place / 'run'}" in said.out
    pairs = tsgkit("compare", *shards, place / "run", "--baseline", shards[1], "--json").json["comparisons"]
    assert pairs and {pair["difference"]["value"] for pair in pairs} == {0}
    assert {pair[side]["run"] for pair in pairs for side in ("first", "second")} == {str(place / "run")}
    tsgkit("compare", *shards, "--grid", "-o", tmp_path / "grid.tex")
    assert f"% run: {place / 'run'}\n" in (tmp_path / "grid.tex").read_text()


def test_rows_come_from_whichever_shard_keeps_them(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    shutil.copy(DATA / "sgds.jsonl", data)
    plan = Plan(tasks=("tsg/sgds",), models=("baseline/rules",), data=str(data), first=6)
    one, two = (
        evaluate(plan, RunOptions(out=tmp_path / "run", shard=Shard(number, 2), keep_data=number == 1)).path
        for number in (1, 2)
    )
    data.unlink()
    merge([two, one], tmp_path / "merged")
    merge([one, two], tmp_path / "again")
    assert contents(tmp_path / "merged") == contents(tmp_path / "again")


def test_an_answer_beats_an_error_two_answers_are_told_and_calls_stay_in_their_order(
    place: Path, tmp_path: Path
) -> None:
    one, two, three = copied(place, tmp_path)
    spoilt = Path(shutil.copytree(two, tmp_path / "spoilt"))
    told = lines(two / "calls.jsonl")
    asked = [call for call in told if call["reply"].get("source") == "model"]
    asked[0]["reply"] |= {"ending": "api_error", "text": None, "error": "error 500"}
    asked[1]["reply"] |= {"text": "[something else]"}
    write_lines(spoilt / "calls.jsonl", told)
    merged = merge([one, spoilt, two, three], tmp_path / "all")
    assert merged.conflicts == 1 and asked[1]["sample"] in merged.example and merged.complete
    calls = lines(tmp_path / "all/calls.jsonl")
    assert all(call["reply"]["ending"] == "complete" for call in calls)
    again = merge([three, two, one, spoilt], tmp_path / "again")
    assert (again.conflicts, contents(tmp_path / "again")) == (1, contents(tmp_path / "all"))

    labels = ["write/1", "critique/1", "revise/1", "critique/2"]
    template = lines(one / "calls.jsonl")[0] | {"sample": "odd"}
    for run, chosen in ((one, labels), (two, [*labels[:2], "note/1"])):
        write_lines(run / "calls.jsonl", [template | {"label": label} for label in chosen])
    both = ["write/1", "critique/1", "note/1", "revise/1", "critique/2"]
    for name, parts_of, said in (
        ("alone", [one], labels), ("both", [two, one], both), ("other", [one, two], both),
        ("third", [tmp_path / "both", one], both),
    ):  # fmt: skip
        merge(parts_of, tmp_path / name)
        assert [call["label"] for call in lines(tmp_path / name / "calls.jsonl")] == said, name
    assert contents(tmp_path / "third") == contents(tmp_path / "both") == contents(tmp_path / "other")


def test_merge_refuses_other_plans_kinds_and_places_and_leaves_nothing(
    place: Path, server: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    one, two, three = copied(place, tmp_path)
    tsgkit("", *words(server, "--first", "1", out=f"{tmp_path}/other"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    broken = Path(shutil.copytree(two, tmp_path / "broken"))
    with (broken / "calls.jsonl").open("a") as file:
        file.write("{}\n")
    whole = tmp_path / "all"
    before = sorted(tmp_path.iterdir())
    for folders, target, message in (
        ([one, tmp_path / "other"], whole, "another plan than that of"),
        ([one, tmp_path / "nowhere"], whole, "no run lies here"),
        ([one, two], two, "is one of the folders"),
        ([one, two], tmp_path / "full", "something lies there already"),
        ([one, two], tmp_path / "full/file", "something lies there already"),
        ([one, two], tmp_path / "full/file/all", "cannot be written"),
        ([one, broken], whole, r"calls\.jsonl: line \d+"),
    ):
        with pytest.raises(TsgkitError, match=message):
            merge(folders, target)
    with locked(two), pytest.raises(UsageError, match="another process is working on"):
        merge([one, two], whole)
    for size in (500, 2_000, 8_000):
        with largest_file(size), pytest.raises(FileProblem, match="cannot be written"):
            merge([one, two, three], whole)
    assert "gone" in tsgkit("runs merge", one, two, "-o", whole, "--data", tmp_path / "gone", code=2).err

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shard_merge, "_derive_samples", interrupted)
    with pytest.raises(KeyboardInterrupt):
        merge([one, two], whole)
    assert sorted(tmp_path.iterdir()) == before


def test_more_folders_than_files_may_be_open_and_odd_headers_are_merged(place: Path, tmp_path: Path) -> None:
    folders = copied(place, tmp_path)
    header = json.loads((folders[1] / "run.json").read_text())
    (folders[1] / "run.json").write_text(json.dumps(header | {"shards": 7, "models": [1]}))
    folders += [Path(shutil.copytree(folders[0], tmp_path / f"copy-{number}")) for number in range(90)]
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + 80, before[1]))
        assert merge(folders, tmp_path / "all").complete
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert json.loads((tmp_path / "all/run.json").read_text())["models"] == header["models"]


def test_calls_of_shards_make_the_product_without_asking(tsgkit: CommandLine) -> None:
    vase = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "with", "hand1"))
    Path("g.jsonl").write_text(narratives.write(Narrative.of([vase])) * 6)
    with model_server(replies={"Compare action graphs": "1: fill -> dobj -> kettle"}) as server:
        told = f"refine g.jsonl --model openai/x --model-arg api_base={server.base} --quiet"
        tsgkit(f"{told} -o whole.jsonl")
        said = [tsgkit(f"{told} -o out.jsonl --shard {number}/3").out for number in (1, 2, 3)]
        assert not Path("out.jsonl").exists() and "is written when all shards are there" in said[-1]
        shards = sorted(Path().glob("out.jsonl.shard-*.calls"))
        ended = tsgkit("runs merge", *shards[:2], "-o", "some.calls", code=1)
        assert "shards that were not given: " in ended.err
        tsgkit("runs merge", *shards, "-o", "out.jsonl.calls")
        seen = server.stats()["seen"]
        tsgkit(f"{told} -o out.jsonl")
        assert server.stats()["seen"] == seen, "nothing is asked again"
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()


def test_images_of_shards_become_one_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    install(tmp_path, {f"c{number}": f"Cup number {number}." for number in range(8)}, monkeypatch)
    with image_server(always={"number 2.": "blocked"}) as server:
        told = f"images --task demo/cups --model openai/m --model-arg api_base={server.base} --model-arg api_key=k"
        for more in ("whole", "out --shard 1/2", "out --shard 2/2"):
            tsgkit(f"{told} --quiet -o {more}")
        shards = [Path("out.shard-1-of-2"), Path("out.shard-2-of-2")]
        tsgkit("runs merge", *shards, "-o", "out")
        seen = server.stats()["seen"]
        tsgkit(f"{told} --quiet -o out")
        assert server.stats()["seen"] == seen
    images = [{path.name: path.read_bytes() for path in Path(name).glob("*.png")} for name in ("whole", "out")]
    assert images[0] == images[1] and len(images[0]) == 7
    tsgkit("runs pack out -o out.zip")
    assert "again: the calls of images" in tsgkit("runs unpack out.zip -o again").out
    tsgkit.refuses({"runs pack out --no-data": "there are only calls", "rescore again": "but the calls of images"})
    kept = [{path.name: path.read_bytes() for path in Path(name).glob("[!.]*")} for name in ("out", "again")]
    assert kept[0] == kept[1] and "prompts.jsonl" in kept[1]
    shutil.rmtree("again")
    other = Path(shutil.copytree(shards[1], "other"))
    assert merge([*shards, other], Path("same")).conflicts == 0
    log = lines(other / "calls.jsonl")
    changed = next(line for line in log if line["reply"]["ending"] == "complete")
    (other / f"{changed['sample']}.png").write_bytes(png("another"))
    changed["reply"]["sha256"] = hashlib.sha256(png("another")).hexdigest()
    write_lines(other / "calls.jsonl", log)
    differing = merge([*shards, other], Path("differing"))
    assert (differing.conflicts, differing.problems) == (1, ()) and changed["sample"] in differing.example
    next(shards[0].glob("*.png")).write_bytes(b"spoilt")
    merged = merge(shards, Path("again"))
    assert not merged.complete and "is to be made again" in merged.problems[0]
    assert len([*Path("again").glob("*.png")]) == 6
    (unreadable := next(shards[1].glob("*.png"))).unlink()
    unreadable.mkdir()
    tsgkit.refuses({f"runs merge {shards[0]} {shards[1]} -o never": f"{unreadable}: this is a folder, not a file"})
    (tmp_path / "victim.png").write_bytes(png("another"))
    for name in ("../victim", "a/b", "/victim", "x/../../victim", ".hidden", ""):
        write_lines(other / "calls.jsonl", [changed | {"sample": name}])
        with pytest.raises(FileProblem, match="cannot be the name of an image"):
            merge([other], Path("hostile"))
        assert not Path("hostile").exists(), name


REPLIES = st.sampled_from([
    {"ending": "complete", "text": "[cup]", "seconds": 1.0}, {"ending": "complete", "text": "[cup]", "seconds": 2.0},
    {"ending": "complete", "text": "[lid] \u2028 é", "seconds": 1.0},
    {"ending": "api_error", "text": None, "error": "503"},
    {"ending": "api_error", "text": None, "error": "400", "final": True},
])  # fmt: skip
CALLS = st.fixed_dictionaries({
    "sample": st.sampled_from(["0", "1", "a/b", "é"]), "label": st.sampled_from(["write/1", "critique/1", "revise/1"]),
    "draw": st.integers(0, 11), "reply": REPLIES,
})  # fmt: skip
PARTS = st.lists(st.lists(CALLS, max_size=8), min_size=2, max_size=4)


def folder(path: Path, calls: list[dict[str, Any]], shard: int) -> Path:
    path.mkdir()
    header = {"format": FORMAT, "tsgkit": __version__, "identity": "x", "asked": {}, "written": "", "command": ["t"]}
    (path / "run.json").write_text(json.dumps(header | {"begun": f"2026-01-0{shard}", "shard": f"{shard}/9"}))
    fixed = {"subject": "m", "task": "agents", "solver": "agent", "repeat": 0, "prompt": ""}
    write_lines(path / "calls.jsonl", [fixed | call for call in calls])
    return path


@settings(deadline=None, max_examples=50)
@given(PARTS, st.randoms())
def test_order_grouping_and_repetition_change_no_byte_and_an_answer_beats_an_error(
    given_parts: list[list[dict[str, Any]]], draw: random.Random
) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        shards = [folder(place / f"part-{number}", calls, number) for number, calls in enumerate(given_parts, 1)]
        merge(shards, place / "all")
        mixed = [*shards, draw.choice(shards)]
        draw.shuffle(mixed)
        cut = draw.randint(1, len(mixed) - 1)
        merge(mixed[:cut], place / "some")
        merge([*mixed[cut:], place / "some"], place / "grouped")
        merge([place / "all", place / "grouped", *shards[:1]], place / "again")
        assert contents(place / "grouped") == contents(place / "all") == contents(place / "again")
        found = {(call["sample"], call["label"], call["draw"]): call for call in lines(place / "all/calls.jsonl")}
        assert len(found) == len(lines(place / "all/calls.jsonl")), "every call is there once"
    told = [call for calls in given_parts for call in calls]
    told.sort(key=lambda call: call["reply"]["ending"] == "complete")
    best = {(call["sample"], call["label"], call["draw"]): call["reply"]["ending"] for call in told}
    assert {key: call["reply"]["ending"] for key, call in found.items()} == best
