"""Benchmark: a whole evaluation by the direct client against the ideal, a bare aiohttp loop and LiteLLM.

    python eval/bench/direct_client.py [--requests 2000] [--pairs 5] [--litellm]

A loopback server, in its own process, answers after 100 ms; 64 requests are in flight. The same prompts go through a
bare ``aiohttp`` loop and through ``tsgkit eval`` with records, cache and scoring, one after the other, each in a fresh
process, each after one request that does not count. The limits are 1.25 times the ideal wall (requests / 64 x 100 ms)
and 1.0 ms of processor time a sample beside scoring, by the median of the pairs. The bare loop shows what the machine
allows at that moment. ``--litellm`` adds the same evaluation by LiteLLM, once.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from smoke import sized

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).resolve().parent)]
from evaluating import prompts_of, python, rows_of  # noqa: E402
from model_server import model_server  # noqa: E402

IN_FLIGHT = 64
DELAY = 0.1
MOST_WALL = 1.25
MOST_MS = 1.0
BARE = """
import asyncio, json, sys, time
import aiohttp
base, prompts, in_flight = sys.argv[1], json.load(open(sys.argv[2])), int(sys.argv[3])
headers = {"Authorization": "Bearer none", "Content-Type": "application/json"}
async def main():
    left = iter(prompts)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async def ask(text):
            body = {"model": "x", "messages": [{"role": "user", "content": text}], "temperature": 0.1}
            data = json.dumps(body).encode()
            async with session.post(base + "/chat/completions", data=data, headers=headers) as response:
                json.loads(await response.read())
        async def worker():
            for text in left:
                await ask(text)
        await ask("warm")
        began, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(worker() for _ in range(in_flight)))
        print(time.perf_counter() - began, time.process_time() - cpu)
asyncio.run(main())
"""
OURS = """
import sys, time
from pathlib import Path
from tsgkit.runs.evaluation import RunOptions, carry_out
from tsgkit.runs.jobs import JobWatch
from tsgkit.runs.plan import Plan
from tsgkit.runs.records import Scoring
from tsgkit.runs.run_setup import prepare
from tsgkit.runs.subjects import Limits
base, data, in_flight, out, client = sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5]
scoring, judged = 0.0, Scoring.judged
def timed(*arguments):
    global scoring
    began = time.process_time()
    try:
        return judged(*arguments)
    finally:
        scoring += time.process_time() - began
Scoring.judged = timed
plan = Plan(tasks=("tsg/sgqa",), models=("openai/x",), data=data, model_args=(f"api_base={base}", "seed=1"), first=1)
carry_out(prepare(plan), RunOptions(out=out.with_suffix(".warm"), limits=Limits(client=client)), JobWatch())
prepared = prepare(plan.model_copy(update={"first": None, "model_args": plan.model_args[:1]}))
limits = Limits(concurrency=in_flight, client=client)
began, cpu, scoring = time.perf_counter(), time.process_time(), 0.0
finished = carry_out(prepared, RunOptions(out=out, limits=limits), JobWatch())
print(time.perf_counter() - began, time.process_time() - cpu - scoring)
assert finished.complete, finished
"""


def measured(requests: int, pairs: int, folder: Path, *, litellm: bool) -> None:
    """Print the walls and processor times of pairs, and whether the limits are kept."""
    data, prompts = rows_of("sgqa", requests, folder / "sgqa.jsonl"), folder / "prompts.json"
    prompts.write_text(json.dumps(prompts_of(data)), encoding="utf-8")
    ideal = requests / IN_FLIGHT * DELAY
    bare, ours = [], []
    for number in range(pairs):
        with model_server(delay=DELAY) as server:
            bare.append(python(BARE, server.base, prompts, IN_FLIGHT, cache=folder))
        ours.append(evaluated(data, folder / f"run{number}", "direct"))
    for name, found in (("bare aiohttp", bare), ("tsgkit eval", ours)):
        shown = ", ".join(f"{wall:.2f} s and {1000 * cpu / requests:.2f} ms" for wall, cpu in found)
        print(f"{name:<13} {requests:,} requests: {shown}")
    wall = statistics.median(wall for wall, _ in ours)
    cpu = 1000 * statistics.median(cpu for _, cpu in ours) / requests
    ratio = statistics.median(one[0] / other[0] for one, other in zip(ours, bare, strict=True))
    print(f"wall {wall:.2f} s, ideal {ideal:.2f} s: ratio {wall / ideal:.3f} (limit {MOST_WALL})")
    print(f"  in pairs, beside the bare loop: median {ratio:.3f}")
    print(f"processor time a sample beside scoring: {cpu:.2f} ms (limit {MOST_MS})")
    if litellm:
        wall, cpu = evaluated(data, folder / "litellm", "litellm")
        print(f"by LiteLLM: {wall:.2f} s and {1000 * cpu / requests:.2f} ms")


def evaluated(data: Path, out: Path, client: str) -> tuple[float, float]:
    """Return the wall and the processor time beside scoring of one evaluation, in seconds."""
    with model_server(delay=DELAY) as server:
        wall, cpu = python(OURS, server.base, data, IN_FLIGHT, out, client, cache=out.with_suffix(".cache"))
    return wall, cpu


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=sized(2000, 20))
    parser.add_argument("--pairs", type=int, default=sized(5, 1))
    parser.add_argument("--litellm", action="store_true", help="ask by LiteLLM too")
    arguments = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        measured(arguments.requests, arguments.pairs, Path(name), litellm=arguments.litellm)
    print(f"measured in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
