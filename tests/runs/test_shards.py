"""Shards: every unit in exactly one of them, each in a folder of its own, all together what the undivided run is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from model_server import Running, model_server
from prefork import Prefork
from run_files import lines, samples

from tsgkit.errors import UsageError
from tsgkit.runs.shards import Shard, shard_of, whole_of

KEYS = [f"tsg/sgqa/bread/{number}" for number in range(200)]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server() as running:
        yield running


def words(server: Running, *more: str, limit: int = 12) -> tuple[str, ...]:
    model = ("--model", "openai/x", "--model-arg", f"api_base={server.base}")
    return ("eval", "--task", "sgqa", *model, "--limit", str(limit), "--no-cache", "--quiet", *more)


def test_every_unit_is_in_exactly_one_shard() -> None:
    for of in (1, 2, 7, 16):
        taken = [[shard.takes(key) for shard in (Shard(number, of) for number in range(1, of + 1))] for key in KEYS]
        assert all(sum(row) == 1 for row in taken), of
        assert min(map(sum, zip(*taken, strict=True))) > 0, "200 units leave no shard of 16 empty"


def test_invalid_shards_are_refused_with_an_example() -> None:
    for text in ("", "3", "0/3", "4/3", "1/0", "-1/3", "1/3/4", "a/b", "1/10001", "9999999/9999999"):
        with pytest.raises(UsageError, match="expected") as refused:
            shard_of(text)
        assert refused.value.hint == "the third of sixteen is --shard 3/16", text


def test_a_shard_lies_beside_the_whole() -> None:
    beside = shard_of("3/16").beside("runs/mine")
    assert beside == Path("runs/mine.shard-3-of-16") and whole_of(beside) == Path("runs/mine")
    assert whole_of(Path("runs/shards")) == Path("runs/shards")


def test_shards_of_a_run_have_its_identity_and_share_its_items(
    server: Running, commands: Prefork, tmp_path: Path
) -> None:
    assert commands.run(*words(server, "--style", "zero-shot", "--style", "cot"), cwd=tmp_path).code == 0
    [whole] = (tmp_path / "runs").iterdir()
    for number in (1, 2, 3):
        more = ("--style", "zero-shot", "--style", "cot", "--shard", f"{number}/3")
        assert commands.run(*words(server, *more), cwd=tmp_path).code == 0
    parts = [samples(tmp_path / f"runs/{whole.name}.shard-{number}-of-3") for number in (1, 2, 3)]
    assert sorted(key for part in parts for key in part) == sorted(samples(whole))
    assert {key: one for part in parts for key, one in part.items()} == samples(whole)
    styles = [{(key[-1], key[3]) for key in part} for part in parts]
    assert all({(item, "cot") for item, _ in part} <= part for part in styles), "all styles of an item lie together"


def test_a_shard_goes_on_as_itself_alone(server: Running, commands: Prefork, tmp_path: Path) -> None:
    first = words(server, "--out", "run", "--shard", "1/2")
    stopped = commands.run(*first, "--max-requests", "2", cwd=tmp_path)
    assert stopped.code == 4 and len(lines(tmp_path / "run.shard-1-of-2/samples.jsonl")) == 2
    assert commands.run(*first, cwd=tmp_path).code == 0
    (tmp_path / "run.shard-1-of-2").rename(tmp_path / "run.shard-2-of-2")
    other = commands.run(*words(server, "--out", "run", "--shard", "2/2"), cwd=tmp_path)
    assert other.code == 2 and "shard 1/2 lies here, not shard 2/2" in other.err
    whole = commands.run(*words(server, "--out", "run.shard-2-of-2"), cwd=tmp_path)
    assert whole.code == 2 and "shard 1/2 lies here, not all of it" in whole.err


def test_a_shard_without_any_item_ends_well(server: Running, commands: Prefork, tmp_path: Path) -> None:
    ended = commands.run(*words(server, "--shard", "5/1000", limit=1), cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert not ended.err.strip() or "Traceback" not in ended.err


def test_a_dry_run_counts_the_shard(server: Running, commands: Prefork, tmp_path: Path) -> None:
    counts = [
        commands.run(*words(server, "--dry-run", "--json", "--shard", f"{number}/2"), cwd=tmp_path).json["estimates"]
        for number in (1, 2)
    ]
    assert sum(part[0]["samples"] for part in counts) == 12 and all(part[0]["samples"] < 12 for part in counts)


def test_work_of_one_unit_refuses_shards(commands: Prefork, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("person -> verb -> lift\nlift -> with -> hand1\n")
    ended = commands.run("refine", "g.txt", "-o", "out.txt", "--shard", "1/2", cwd=tmp_path)
    assert ended.code == 2 and "--shard parts what a model is asked, and none is named" in ended.err
