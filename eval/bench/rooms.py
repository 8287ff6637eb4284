"""Time what is measured of rooms against the published way of doing it, and watch time and memory grow with the room.

python eval/bench/rooms.py          # some minutes
python eval/bench/rooms.py --quick  # 20 objects of 1,280 faces only

The rival is written from the description of the published tool: a tree over both meshes for every pair and query, the
smallest box around every mesh before points are taken from it, a ray against every floor triangle for each point in
plain Python, every triangle before an opening filled by itself. Its images of the floor are ours; its figures, which
take most of its time, are left out.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

import fcl
import numpy as np
import trimesh
from numpy.typing import NDArray
from smoke import sized

from tsgkit.geometry import (
    OFFICIAL,
    STRICT,
    Architecture,
    MeasuredScene,
    Mesh,
    Object,
    Opening,
    Profile,
    Scene,
    Wall,
    clearances,
    collisions,
    navigability,
    out_of_bounds,
    rectangle,
    standing,
)
from tsgkit.geometry.bodies import Body
from tsgkit.geometry.raster import filled

Floats = NDArray[np.float64]
LIMITS = {1: 1.0, 3: 1.0, 5: 3.0}
"""Seconds for collisions, bounds, ways and openings together, by how often an icosahedron was divided."""
FACES = {1: 80, 3: 1280, 5: 20480}


def main() -> None:
    """Print seconds, ratios and memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small meshes only, no growth")
    quick = parser.parse_args().quick
    for fine in (3,) if quick else sized((3, 5), (1,)):
        _compare(fine)
    if not quick:
        for fine in sized((3, 5), (1,)):
            _grow(fine)


def _compare(fine: int) -> None:
    print(f"{sized(20, 3)} objects of {FACES[fine]:,} faces (limit {LIMITS[fine]:.0f} s for the four together)")
    measures: dict[str, Callable[[MeasuredScene], object]] = {
        "collisions": collisions,
        "bounds": out_of_bounds,
        "ways": navigability,
        "openings": clearances,
    }
    rivals = {"collisions": _rival_collisions, "bounds": _rival_bounds, "openings": _rival_openings}
    for profile in (STRICT, OFFICIAL):
        stage = _room(sized(20, 3), fine, profile)
        spent = {"placing": _seconds(partial(_place, stage))}
        spent |= {name: _seconds(partial(measure, stage)) for name, measure in measures.items()}
        total = sum(spent.values())
        words = ", ".join(f"{name} {seconds:.2f}" for name, seconds in spent.items())
        print(f"  {profile.name:8} {total:6.2f} s: {words} ({'within' if total < LIMITS[fine] else 'ABOVE'} the limit)")
    theirs = {name: _seconds(partial(rival, stage)) for name, rival in rivals.items()}
    for name, seconds in theirs.items():
        print(f"  rival    {name} {seconds:.2f} s: {seconds / max(spent[name], 1e-9):.0f} times official")
    ours = {frozenset((hit.one, hit.other)) for hit in collisions(stage).hits}
    print(f"  same hits as the rival: {ours == _rival_collisions(stage)} ({len(ours)} pairs)")


def _grow(fine: int) -> None:
    print(f"growth, strict, objects of {FACES[fine]:,} faces: seconds of all four, and the most memory so far")
    for count in sized((5, 20, 50, 100, 200), (2,)):
        stage = _room(count, fine, STRICT)
        seconds = _seconds(partial(_measure, stage))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  {count:4} objects {seconds:6.2f} s, {1000 * seconds / count:5.1f} ms each, {memory:6.0f} MB")


def _place(stage: MeasuredScene) -> None:
    _ = (stage.problems, stage.doors)


def _measure(stage: MeasuredScene) -> None:
    for measure in (collisions, out_of_bounds, navigability, clearances):
        measure(stage)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _room(count: int, fine: int, profile: Profile) -> MeasuredScene:
    """Bumpy closed objects about 0.6 m wide, each with a mesh of its own, a third of them in one another."""
    rng = np.random.default_rng(count + fine)
    side = 1.1 * float(np.sqrt(count))
    objects = []
    for n in range(count):
        x, y = rng.uniform(-side / 2 + 0.4, side / 2 - 0.4, 2)
        place = standing(at=(x, y, 0.35), yaw=float(rng.uniform(0, 360)))
        objects.append(Object(f"thing_{n}", _bumpy(fine, float(rng.uniform(0, 6))), place, category="thing"))
    plain = rectangle(-side / 2, -side / 2, side / 2, side / 2)
    doors = (Opening("door", (0.5, 0), (1.4, 2)), Opening("window", (2, 1), (3, 2)))
    walls = tuple(Wall(wall.name, wall.start, wall.end, wall.height, doors) for wall in plain.walls)
    return MeasuredScene(Scene(f"room of {count}", tuple(objects), Architecture(plain.floors, walls)), profile)


def _bumpy(fine: int, phase: float) -> Mesh:
    ball = trimesh.creation.icosphere(subdivisions=fine, radius=0.3)
    bumps = 1 + 0.1 * np.sin(9 * ball.vertices[:, :1] * 4 + phase) * np.sin(7 * ball.vertices[:, 1:2] * 4)
    return Mesh.of(ball.vertices * bumps, ball.faces)


def _tree(body: Body, moved: Floats | None = None) -> fcl.CollisionObject:
    model = fcl.BVHModel()
    model.beginModel(len(body.faces), len(body.vertices))
    model.addSubModel(body.vertices if moved is None else body.vertices + moved, body.faces)
    model.endModel()
    return fcl.CollisionObject(model)


def _contacts(one: Body, other: Body, moved: Floats | None = None) -> Floats:
    request = fcl.CollisionRequest(num_max_contacts=100_000, enable_contact=True)
    result = fcl.CollisionResult()
    fcl.collide(_tree(one), _tree(other, moved), request, result)
    return np.array([contact.pos for contact in result.contacts]).reshape(-1, 3)


def _rival_collisions(stage: MeasuredScene) -> set[frozenset[str]]:
    found = set()
    for one, other in combinations(stage.bodies.values(), 2):
        points = _contacts(one, other)
        if len(points):
            away = other.centroid - points.mean(axis=0)
            if len(_contacts(one, other, 0.005 * away / np.linalg.norm(away))):
                found.add(frozenset((one.id, other.id)))
    return found


def _rival_bounds(stage: MeasuredScene) -> dict[str, float]:
    rng = np.random.default_rng(42)
    triangles = [corners for ground in stage.floors for corners in ground.slab.vertices[ground.slab.faces][:, :, :2]]
    found = {}
    for body in stage.bodies.values():
        mesh = trimesh.Trimesh(body.vertices, body.faces, process=False)
        count = max(int(float(np.prod(mesh.bounding_box_oriented.primitive.extents)) * 5000), 1000)
        points = np.asarray(trimesh.sample.sample_surface(mesh, count, seed=int(rng.integers(1 << 30)))[0])
        found[body.id] = sum(any(_over(x, y, corners) for corners in triangles) for x, y, _ in points) / count
    return found


def _over(x: float, y: float, corners: Iterator[tuple[float, float]]) -> bool:
    (x0, y0), (x1, y1), (x2, y2) = corners
    one, two = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0), (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
    three = (x0 - x2) * (y - y2) - (y0 - y2) * (x - x2)
    return (one >= 0 and two >= 0 and three >= 0) or (one <= 0 and two <= 0 and three <= 0)


def _rival_openings(stage: MeasuredScene) -> int:
    hidden = 0
    for side in clearances(stage):
        board = next(board for board in (*stage.doors, *stage.windows) if board.id == side.opening)
        shape = tuple(int(np.ceil(200 * half)) for half in board.frame.half[[2, 0]])
        for name in side.objects:
            body, canvas = stage.body(name), np.zeros(shape, dtype=bool)
            off = body.vertices - board.frame.centre
            columns, rows = off @ board.frame.axes[:, 0] + board.frame.half[0], board.frame.half[2] - off[:, 2]
            seen = np.stack([columns, rows], axis=1)
            away = (off @ np.array(side.direction))[body.faces]
            reaching = (away.min(axis=1) <= side.depth) & (away.max(axis=1) >= 0)
            for triangle in (100 * seen[body.faces[reaching]]).astype(int):
                canvas |= filled([triangle], (shape[0], shape[1]))
            hidden += int(canvas.sum())
    return hidden


if __name__ == "__main__":
    main()
