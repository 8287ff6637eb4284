"""Benchmark: overhead of an evaluation: HTTP against plain LiteLLM, offline samples a second, memory.

    python eval/bench/evaluating.py [--requests 2000] [--rounds 3] [--samples 20000]

HTTP: a loopback server answers after 100 ms; 64 requests in flight; the same prompts go through ``tsgkit eval`` (with
records, cache, judging) and through a bare ``litellm.acompletion`` loop, in turns, each in a fresh process, each after
one request that does not count. The limit is 1.10 times the bare loop's median wall.

A limit nobody told: a server that serves 100 requests in any second and turns the others away for a second; 1,000
requests; the limits are 1.06 times the ideal wall of 10 s and 30 requests turned away.

Offline: ``baseline/random`` with full records, in one run of the four tasks as the command makes it, and in a run of
each; the limit is 3,000 samples a second over the four together, and 2,000 for tsg/ma-sgg, of which a sample is several
graphs and takes the longest. Both are missed by about half on two slow processors: of a sample of tsg/ma-sgg, 58 % of
the time goes into scores (the best pairing of graphs, soft overlap, the evidence of differences), 13 % into reading the
answer, 9 % into indexing the file, 8 % into intervals, 7 % into the guess, 5 % into the record.

Memory: the peak of a run of 20,000 samples; the limit is 20 MiB above that of 2,000. That of 200,000 is to be below 150
MiB in all.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from smoke import printed, sized

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_server import model_server  # noqa: E402

IN_FLIGHT = 64
CLIENT = sized("litellm", "direct")  # LiteLLM takes seconds to load
TASKS = sized(("sgqa", "sgds", "sa-sgg", "ma-sgg"), ("sgqa",))
EACH = sized(2000, 8)
BARE = """
import asyncio, os, sys, time
os.environ.update({"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"})
import json, litellm
base, prompts, in_flight = sys.argv[1], json.load(open(sys.argv[2])), int(sys.argv[3])
async def main():
    left = iter(prompts)
    async def worker():
        for text in left:
            await litellm.acompletion(model="openai/x", messages=[{"role": "user", "content": text}], temperature=0.1,
                                      api_base=base, api_key="none", timeout=300, max_retries=0, num_retries=0)
    warm = [{"role": "user", "content": "warm"}]
    await litellm.acompletion(model="openai/x", messages=warm, api_base=base, api_key="none")
    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(in_flight)))
    print(time.perf_counter() - began)
asyncio.run(main())
"""
OURS = """
import sys, time
from pathlib import Path
from tsgkit.runs.evaluation import RunOptions, carry_out
from tsgkit.runs.jobs import JobWatch
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import prepare
from tsgkit.runs.subjects import Limits
base, data, in_flight, out, client = sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5]
if client == "litellm":
    from tsgkit.llm.litellm_calls import load
    load()
plan = Plan(tasks=("tsg/sgqa",), models=("openai/x",), data=data, model_args=(f"api_base={base}", "seed=1"), limit=1)
carry_out(prepare(plan), RunOptions(out=out.with_suffix(".warm"), limits=Limits(client=client)), JobWatch())
prepared = prepare(plan.model_copy(update={"limit": None, "model_args": plan.model_args[:1]}))
began = time.perf_counter()
finished = carry_out(prepared, RunOptions(out=out, limits=Limits(concurrency=in_flight, client=client)), JobWatch())
print(time.perf_counter() - began)
assert finished.complete, finished
"""
OFFLINE = """
import re, sys, time
from pathlib import Path
from tsgkit.runs.evaluation import RunOptions, evaluate
from tsgkit.runs.plan import Plan
tasks, data, out = sys.argv[1:]
plan = Plan(tasks=tasks.split(), models=("baseline/random",), data=data)
began = time.perf_counter()
finished = evaluate(plan, RunOptions(out=Path(out)))
status = Path("/proc/self/status").read_text()  # where ru_maxrss would hold the peak of the parent
peak = re.search(r"VmHWM:[^0-9]+([0-9]+)", status)
print(time.perf_counter() - began, int(peak[1]) / 1024)
assert finished.complete
"""


def rows_of(task: str, samples: int, target: Path) -> Path:
    """Return a file with so many samples: the bundled rows again and again, under other ids."""
    lines = (ROOT / f"tasks/tsg/data/tsgkit-2/{task}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    written = number = 0
    with target.open("w", encoding="utf-8") as file:
        while written < samples:
            row = json.loads(json.dumps(rows[number % len(rows)]))
            row["item_id"] = f"{row['item_id']}#{number}"
            pairs = row.get("qa_pairs", [])[: samples - written]
            for pair in pairs:
                pair["item_id"] = f"{pair['item_id']}#{number}"
                pair["Q"] = f"{pair['Q']} ({number})"
            if pairs:
                row["qa_pairs"] = pairs
            file.write(json.dumps(row) + "\n")
            written += len(pairs) or 1
            number += 1
    return target


def python(program: str, *arguments: object, cache: Path) -> list[float]:
    """Return the numbers that a program in a fresh process prints last."""
    text = printed(program, *arguments, TSGKIT_CACHE_HOME=str(cache), PYTHONPATH=str(ROOT))
    return [float(number) for number in text.split()[-2:]]


def over_http(requests: int, rounds: int, folder: Path) -> None:
    """Ours beside the bare loop, in turns."""
    data = rows_of("sgqa", requests, folder / "sgqa.jsonl")
    prompts = folder / "prompts.json"
    prompts.write_text(json.dumps(prompts_of(data)), encoding="utf-8")
    walls: dict[str, list[float]] = {"bare litellm": [], "tsgkit eval": []}
    for number in range(rounds):
        with model_server(delay=0.1) as server:
            walls["bare litellm"].append(python(BARE, server.base, prompts, IN_FLIGHT, cache=folder)[-1])
        with model_server(delay=0.1) as server:
            out, cache = folder / f"run{number}", folder / f"cache{number}"
            walls["tsgkit eval"].append(python(OURS, server.base, data, IN_FLIGHT, out, CLIENT, cache=cache)[-1])
    bare, ours = (statistics.median(found) for found in walls.values())
    pairs = [one / other for other, one in zip(*walls.values(), strict=True)]
    for name, found in walls.items():
        print(f"{name:<14} {requests} requests: " + ", ".join(f"{wall:.2f} s" for wall in found))
    print(f"median {ours:.2f} s beside {bare:.2f} s: ratio {ours / bare:.3f} (limit 1.10)")
    shown = ", ".join(f"{pair:.3f}" for pair in pairs)
    print(f"  in pairs, one after the other: {shown}; median {statistics.median(pairs):.3f}")


def at_a_limit(folder: Path) -> None:
    """A service that says "too many" above 100 requests a second."""
    requests = sized(1000, 8)
    data = rows_of("sgqa", requests, folder / "limited.jsonl")
    with model_server(delay=0.02, rate=100) as server:
        given = (server.base, data, IN_FLIGHT, folder / "limited", CLIENT)
        wall = python(OURS, *given, cache=folder / "limited-cache")[-1]
        counts = server.stats()["counts"]
    turned_away = counts.get("429", 0)
    shown = f"{wall:.2f} s, {turned_away} turned away"
    print(f"100 a second: {requests:,} requests in {shown}; {100 * wall / requests:.3f} of ideal (limits 1.06, 30)")


def prompts_of(data: Path) -> list[str]:
    """Return the prompts of a file of sgqa rows."""
    from tsg_tasks import prompter_of, rows_in

    prompter = prompter_of("sgqa")
    return [prompter.text(sample) for sample in rows_in(data, "sgqa")]


def offline(samples: int, folder: Path) -> None:
    """Samples a second, and what memory grows by."""
    rows = folder / "rows"
    rows.mkdir()
    for task in TASKS:
        rows_of(task, EACH, rows / f"{task}.jsonl")
    all_tasks, number = " ".join(f"tsg/{task}" for task in TASKS), EACH * len(TASKS)
    wall, _ = python(OFFLINE, all_tasks, rows, folder / "all", cache=folder)
    print(f"baseline/random, four tasks, {number:,} samples: {number / wall:,.0f} a second (limit 3,000)")
    for task in TASKS:
        wall, memory = python(OFFLINE, f"tsg/{task}", rows, folder / f"small-{task}", cache=folder)
        limit = " (limit 2,000)" if task == "ma-sgg" else ""
        print(f"  tsg/{task:<7} {EACH:,} samples: {EACH / wall:,.0f} a second{limit}, {memory:.0f} MiB")
        if task == "sgqa":
            large = rows_of(task, samples, folder / "large.jsonl")
            wall, more = python(OFFLINE, f"tsg/{task}", large, folder / "large", cache=folder)
            print(f"  {samples:,} samples: {samples / wall:,.0f} a second, {more - memory:+.1f} MiB (limit +20)")
            many = rows_of(task, 10 * samples, folder / "many.jsonl")
            _, all_of_it = python(OFFLINE, f"tsg/{task}", many, folder / "many", cache=folder)
            print(f"  {10 * samples:,} samples: {all_of_it:.0f} MiB in all (limit 150)")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=sized(2000, 8))
    parser.add_argument("--rounds", type=int, default=sized(3, 1))
    parser.add_argument("--samples", type=int, default=sized(20_000, 10))
    arguments = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        over_http(arguments.requests, arguments.rounds, Path(name))
        at_a_limit(Path(name))
        offline(arguments.samples, Path(name))
    print(f"measured in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
