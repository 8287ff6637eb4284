"""Benchmark: overhead of judging a folder of images: requests a second, and memory.

    python eval/bench/judging_images.py [--items 1230] [--bare 1230]

A judge on loopback answers after 50 ms; 64 requests are in flight; every image (a JPEG of 512 x 512) is shown five
times, as published. The rival sends the same prompts and images through a bare ``litellm.acompletion`` loop, which
reads and encodes every image anew for every request, and keeps, checks and counts nothing; its requests are
``--bare`` times five. Each runs in a fresh process. What it takes to decode and check every image once is measured
alone, since the rival does not do it. The limits: without that, 1.25 times the rival's wall for as many requests, and
for all images no more than 40 MiB above the peak of a tenth of them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path

from smoke import printed, sized

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT))
from spatial_judge import spatial_judge  # noqa: E402

CLIENT = sized("litellm", "direct")  # LiteLLM takes seconds to load
IN_FLIGHT, DELAY, SIDE, ROUNDS = 64, 0.05, 512, 5
MOST_TIME, MOST_MEMORY = 1.25, 40.0
PEAK = """
import re
peak = int(re.search(r"VmHWM:[^0-9]+([0-9]+)", open("/proc/self/status").read())[1]) / 1024
"""
BARE = """
import asyncio, base64, json, os, sys, time
os.environ.update({"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"})
import litellm
base, prompts, in_flight = sys.argv[1], json.load(open(sys.argv[2])), int(sys.argv[3])
async def asked(text, path):
    url = "data:image/jpeg;base64," + base64.b64encode(open(path, "rb").read()).decode()
    parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]
    await litellm.acompletion(model="openai/x", messages=[{"role": "user", "content": parts}], temperature=1.0,
                              api_base=base, api_key="none", timeout=300, max_retries=0, num_retries=0)
async def main():
    left = iter(prompts)
    async def worker():
        for text, path in left:
            await asked(text, path)
    await asked(*prompts[0])
    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(in_flight)))
    print(time.perf_counter() - began, end=" ")
asyncio.run(main())
""" + PEAK + "print(peak)"  # fmt: skip
LOOKING = """
import sys, time
from tsgkit.suites.images import ImageFolder
folder = ImageFolder("bench", sys.argv[1], sys.argv[2])
began = time.perf_counter()
for name in range(1, int(sys.argv[3]) + 1):
    folder.look(f"{name:06d}")
print(time.perf_counter() - began, end=" ")
""" + PEAK + "print(peak)"  # fmt: skip
OURS = """
import sys, time
from pathlib import Path
from tsgkit.runs.evaluation import RunOptions, carry_out
from tsgkit.runs.jobs import JobWatch
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import prepare
from tsgkit.runs.subjects import Limits
base, data, images, in_flight, out, limit = *sys.argv[1:4], int(sys.argv[4]), Path(sys.argv[5]), int(sys.argv[6])
client = sys.argv[7]
if client == "litellm":
    from tsgkit.llm.litellm_calls import load
    load()
plan = Plan(tasks=("spatialgen/questions",), images=(f"bench={images}",), judge="openai/x", data=data, limit=1,
            model_args=(f"api_base={base}", "seed=1"))
warm = RunOptions(out=out.with_suffix(".warm"), cache=False, limits=Limits(client=client))
carry_out(prepare(plan), warm, JobWatch())
prepared = prepare(plan.model_copy(update={"limit": limit, "model_args": plan.model_args[:1]}))
began = time.perf_counter()
limits = Limits(concurrency=in_flight, client=client)
finished = carry_out(prepared, RunOptions(out=out, cache=False, limits=limits), JobWatch())
wall = time.perf_counter() - began
assert finished.complete and finished.results[0].board.counts["votes"] == limit * 50, finished
""" + PEAK + "print(wall, peak)"  # fmt: skip


def rows_of(items: int, target: Path) -> list[str]:
    """Our rows again and again under other ids; the result is the ids."""
    lines = (ROOT / "tasks/spatialgen/data/questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) | {"id": f"{number:06d}"} for number, line in enumerate(islice(cycle(lines), items), 1)]
    target.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return [row["id"] for row in rows]


def draw(folder: Path, ids: list[str]) -> None:
    """An image with noise in it for every id."""
    from PIL import Image

    folder.mkdir()
    for name in ids:
        small = Image.frombytes("RGB", (SIDE // 8, SIDE // 8), os.urandom(3 * (SIDE // 8) ** 2))
        small.resize((SIDE, SIDE)).save(folder / f"{name}.jpg")


def python(program: str, *arguments: object, cache: Path) -> tuple[float, float]:
    """Seconds and the peak of memory in MiB that a program in a fresh process prints."""
    wall, peak = printed(program, *arguments, TSGKIT_CACHE_HOME=str(cache), PYTHONPATH=str(ROOT)).split()[-2:]
    return float(wall), float(peak)


def prompts_of(data: Path, images: Path, items: int) -> list[tuple[str, str]]:
    """Return what is sent: every prompt five times, with the image that goes along."""
    from tsgkit.library.cards import load_card
    from tsgkit.suites.spatialgen.judge_requests import QuestionPrompts, parse_protocol
    from tsgkit.suites.spatialgen.rows import rows_in

    words = QuestionPrompts(load_card("spatialgen/questions"), parse_protocol("published"))
    rows = islice(rows_in(data), items)
    return [(words.text(row.questions), str(images / f"{row.id}.jpg")) for row in rows for _ in range(ROUNDS)]


def main() -> None:
    """Measure and say whether the aims are met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=sized(1230, 10))
    parser.add_argument("--bare", type=int, default=sized(1230, 2))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, images, prompts = folder / "rows.jsonl", folder / "pictures", folder / "prompts.json"
        draw(images, rows_of(arguments.items, data))
        size = sum(path.stat().st_size for path in images.iterdir()) / arguments.items
        prompts.write_text(json.dumps(prompts_of(data, images, arguments.bare)), encoding="utf-8")
        measured = []
        for limit in (arguments.items // 10, arguments.items):
            with spatial_judge(mode="constant:C", delay=DELAY) as server:
                given = (server.base, data, images, IN_FLIGHT, folder / f"run{limit}", limit, CLIENT)
                wall, peak = python(OURS, *given, cache=folder)
            measured.append((limit * ROUNDS, wall, peak))
        looking, _ = python(LOOKING, images, folder / "kept", arguments.items, cache=folder)
        with spatial_judge(mode="constant:C", delay=DELAY) as server:
            wall, peak = python(BARE, server.base, prompts, IN_FLIGHT, cache=folder)
    bare_rate = arguments.bare * ROUNDS / wall
    print(f"images of {size:,.0f} bytes, a judge that takes {1000 * DELAY:.0f} ms, {IN_FLIGHT} in flight")
    print(
        f"bare litellm  {arguments.bare * ROUNDS:6,} requests: {wall:6.1f} s, {bare_rate:4.0f} a second, {peak:.0f} MiB"
    )
    for requests, wall, peak in measured:
        print(f"tsgkit eval   {requests:6,} requests: {wall:6.1f} s, {requests / wall:4.0f} a second, {peak:.0f} MiB")
    print(f"looking at every image once, alone: {looking:.1f} s")
    ratio, more = bare_rate * (measured[1][1] - looking) / measured[1][0], measured[1][2] - measured[0][2]
    met = "met" if ratio <= MOST_TIME and more <= MOST_MEMORY else "not met"
    print(
        f"aims: {MOST_TIME} times the bare loop without looking ({ratio:.2f}) and {MOST_MEMORY:.0f} MiB more for all "
        f"({more:+.1f}): {met}"
    )


if __name__ == "__main__":
    main()
