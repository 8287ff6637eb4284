"""Time images of rooms against a limit, and against what the rays and the tree over the faces cost alone.

python eval/bench/rendering.py          # about a minute
python eval/bench/rendering.py --quick  # the 80,000 faces only

The limit is a quarter of a second for 512 by 512 pixels of a scene of 80,000 faces whose tree stands; what building the
tree takes is said beside it. The floor below any image by rays is one ray for each pixel with nothing made of it,
which is timed in the same run. The best round counts, since other work on the machine only ever adds time.
"""

from __future__ import annotations

import argparse
import io
import resource
import time
from collections.abc import Callable

import numpy as np
import trimesh
from embreex import mesh_construction, rtcore_scene
from smoke import sized

from tsgkit.geometry import Camera, Paint, RenderedSurface, Sight, Texture, framing
from tsgkit.geometry.views import before

LIMIT = 0.25
"""Seconds for an image of 512 by 512 of at most so many faces."""
MANY = 82_000
ROUNDS = sized(9, 1)
SIZE = sized(512, 32)
FINE = {1280: 3, 5120: 4, 20480: 5, 81920: 6}
"""Faces of a ball, by how often an icosahedron is divided."""


def main() -> None:
    """Print seconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="no growth")
    quick = parser.parse_args().quick
    print(f"images of {SIZE} by {SIZE}, best of {ROUNDS} (limit {LIMIT} s at 80,000 faces)")
    _report("16 balls on a floor", _balls(16, 5120))
    _report("the same with textures", _balls(16, 5120, textured=True))
    if not quick:
        print("growth")
        for count, faces in sized(((4, 1280), (16, 1280), (16, 20480), (12, 81920)), ((4, 1280),)):
            _report(f"{count} balls", _balls(count, faces))


def _report(name: str, drawn: list[RenderedSurface]) -> None:
    camera = framing(np.concatenate([one.vertices for one in drawn]), before(np.array([0.0, -1, 0]), 30))
    building = _seconds(lambda: Sight([RenderedSurface(o.name, o.vertices, o.faces, o.paint, o.colour) for o in drawn]))
    sight = Sight(drawn)
    seconds = _seconds(lambda: sight.image(camera, SIZE))
    rays = _seconds(_bare_rays(drawn, camera))
    faces = sum(len(one.faces) for one in drawn)
    verdict = "" if faces > MANY else " (within)" if seconds < LIMIT else " (ABOVE)"
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"  {name:<24}{faces:>8,} faces: {seconds:5.2f} s, {seconds / LIMIT:4.2f} of the limit{verdict}, "
        f"{seconds / rays:4.1f} times bare rays ({rays:.3f} s); standing up {building:.2f} s; at most {memory:.0f} MB"
    )


def _seconds(work: Callable[[], object]) -> float:
    found = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


def _bare_rays(drawn: list[RenderedSurface], camera: Camera) -> Callable[[], object]:
    scene = rtcore_scene.EmbreeScene()
    corners = np.concatenate([one.corners for one in drawn]) - camera.eye
    mesh = mesh_construction.TriangleMesh(scene, corners.astype(np.float32))
    ways = camera.ways(SIZE)
    starts = np.zeros_like(ways)
    return lambda: (scene.run(starts, ways, output=True), mesh)


def _balls(count: int, faces: int, *, textured: bool = False) -> list[RenderedSurface]:
    ball = trimesh.creation.icosphere(subdivisions=FINE[faces], radius=0.5)
    corners, triangles = np.asarray(ball.vertices), np.asarray(ball.faces)
    paint = _painted(corners, triangles) if textured else None
    wide = int(np.ceil(np.sqrt(count)))
    balls = [
        RenderedSurface(f"ball_{n}", corners + np.array([1.1 * (n % wide), 1.1 * (n // wide), 0.5]), triangles, paint)
        for n in range(count)
    ]
    ground = trimesh.creation.box((1.4 * wide, 1.4 * wide, 0.01))
    middle = 1.1 * (wide - 1) / 2
    return [
        *balls,
        RenderedSurface("ground", ground.vertices + np.array([middle, middle, 0]), np.asarray(ground.faces)),
    ]


def _painted(corners: np.ndarray, faces: np.ndarray) -> Paint:
    from PIL import Image

    pixels = np.random.default_rng(1).integers(0, 256, (1024, 1024, 3), dtype=np.uint8)
    places = np.stack([np.arctan2(corners[:, 1], corners[:, 0]) / (2 * np.pi), corners[:, 2] + 0.5], axis=1)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    textures = (Texture(file.getvalue()),)
    return Paint(np.ones((len(faces), 3)), np.zeros(len(faces), dtype=np.int64), places, textures)


if __name__ == "__main__":
    main()
