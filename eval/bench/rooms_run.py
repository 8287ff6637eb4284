"""Time a run over 200 scenes of 20 objects, here, in processes, and on a Ray cluster; one scene is broken.

python eval/bench/rooms_run.py              # both tasks, some minutes
python eval/bench/rooms_run.py --scenes 40

The rival is the same work without processes; the limit is as many times faster as there are processors. Ray on this
machine may take 1.25 times as long as processes, its start told apart; two of its nodes are timed beside one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from smoke import SMOKE, sized

from tsgkit.runs.evaluation import RunOptions, evaluate
from tsgkit.runs.executors.executor import processors
from tsgkit.runs.plan import Plan
from tsgkit.runs.subjects import Limits

HEAD = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
DEMANDS = (
    '"ge,3,chair;ge,1,table;ge,1,lamp",,"ge,1,next_to,0,table,chair;ge,1,on,0,table,lamp","ge,1,against,table,wall"'
)
SIZES = {"table": (1.2, 0.8, 0.75), "chair": (0.45, 0.45, 0.9), "lamp": (0.2, 0.2, 0.4), "shelf": (0.8, 0.3, 1.8)}


def main() -> None:
    """Print seconds, and the ratio of both ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=sized(200, 2))
    count = parser.parse_args().scenes
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _write(folder, count)
        for task in sized(("plausibility", "fidelity"), ("fidelity",)):
            many, alone = _seconds(folder, task, processors()), _seconds(folder, task, 1)
            print(
                f"{task}: {count} scenes of 20 objects, one of them broken: {many:.1f} s in {processors()} processes, "
                f"{alone:.1f} s in one; {alone / many:.2f} times as fast (limit {processors()})",
                flush=True,
            )
        if SMOKE:
            print("Ray: a cluster takes too long to start for a smoke run")
        elif find_spec("ray") is None:
            print("Ray is not installed: the extra ray")
        else:
            _ray(folder, "fidelity", many)


def _ray(folder: Path, task: str, processes: float) -> None:
    """Print the seconds on clusters of this machine, the start, and the memory that processes took at most."""
    started, seconds, worker = _on_nodes(folder, task, 1, processors())
    print(
        f"{task} on Ray, {processors()} workers: {seconds:.1f} s, {seconds / processes:.2f} times as long as processes "
        f"(limit 1.25), after {started:.1f} s to start; at most {_most_memory('self'):,.0f} MB in the driver, "
        f"{worker:,.0f} MB in a worker",
        flush=True,
    )
    (_, one, _), (_, two, _) = _on_nodes(folder, task, 1, 1), _on_nodes(folder, task, 2, 1)
    print(f"{task} on Ray: {one:.1f} s on a node with one processor, {two:.1f} s on two: {one / two:.2f} times as fast")


def _on_nodes(folder: Path, task: str, nodes: int, cpus: int) -> tuple[float, float, float]:
    """Return the seconds to start a cluster, those of a run on it, and the most megabytes of one of its workers."""
    from ray.cluster_utils import Cluster as Nodes

    from tsgkit.runs.executors.ray_cluster import Cluster

    began = time.perf_counter()
    head = {"num_cpus": cpus, "include_dashboard": False}
    made = Nodes(initialize_head=True, head_node_args=head)
    for _ in range(nodes - 1):
        made.add_node(num_cpus=cpus)
    os.environ["RAY_ADDRESS"] = made.address
    joined = Cluster()
    try:
        joined.connect()
        started = time.perf_counter() - began
        out = folder / f"run-{task}-ray-{nodes}-{cpus}"
        plan = Plan(tasks=(f"sceneeval/{task}",), scenes=(f"mine={folder / 'rooms'}",), data=str(folder / "a.csv"))
        began = time.perf_counter()
        evaluate(plan, RunOptions(out=out, executor="ray"))
        seconds = time.perf_counter() - began
        workers = [one.name for one in Path("/proc").iterdir() if one.name.isdigit() and _is_worker(one)]
        return started, seconds, max(map(_most_memory, workers), default=0.0)
    finally:
        joined.close()
        made.shutdown()  # type: ignore[no-untyped-call]
        del os.environ["RAY_ADDRESS"]


def _is_worker(process: Path) -> bool:
    try:
        return (process / "cmdline").read_bytes().startswith(b"ray::")
    except OSError:
        return False


def _most_memory(process: str) -> float:
    """Return the most megabytes that a process had."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


def _write(folder: Path, count: int) -> None:
    (folder / "rooms").mkdir()
    rows = [f"{number},medium,A room,{DEMANDS}" for number in range(count)]
    (folder / "a.csv").write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
    for number in range(count):
        text = "{" if number == count // 2 else json.dumps(_room(random.Random(number)))
        (folder / f"rooms/scene_{number}.json").write_text(text, encoding="utf-8")


def _room(chance: random.Random) -> dict[str, object]:
    names = [name for name in SIZES for _ in range(5)]
    things = [
        {
            "id": f"{name}_{place}",
            "category": name,
            "size": SIZES[name],
            "at": [chance.uniform(0.5, 7.5), chance.uniform(0.5, 5.5), 0],
            "yaw": chance.uniform(-180, 180),
        }
        for place, name in enumerate(names)
    ]
    door = {"wall": "south", "kind": "door", "at": 1, "width": 0.9, "height": 2}
    rooms = [{"name": "room", "from": [0, 0], "to": [8, 6], "openings": [door]}]
    return {"format": "tsgkit/room", "rooms": rooms, "objects": things}


def _seconds(folder: Path, task: str, processes: int) -> float:
    """Return the seconds of a whole run; its one broken scene is one unreadable row."""
    plan = Plan(tasks=(f"sceneeval/{task}",), scenes=(f"mine={folder / 'rooms'}",), data=str(folder / "a.csv"))
    start = time.perf_counter()
    finished = evaluate(plan, RunOptions(out=folder / f"run-{task}-{processes}", limits=Limits(concurrency=processes)))
    seconds = time.perf_counter() - start
    counts = finished.results[0].board.counts
    if counts["unreadable"] != 1 or counts["answered"] != counts["items"] - 1:
        raise SystemExit(f"not every scene got its row: {counts}")
    return seconds


if __name__ == "__main__":
    main()
