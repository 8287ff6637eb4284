"""All that a scene is made of, by names that stay when its folders move: what decides whether two runs saw the same.

>>> [piece.name for piece in pieces_of_scene(Path("rooms/scene_0.glb"), ())]
['scene_0.glb']

Collections of assets are large: only the meshes that the scene names are told, with their textures and materials, and
what the collection's tables say of these assets.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from tsgkit.errors import FileProblem
from tsgkit.library.files import read_bytes, read_text
from tsgkit.suites.sceneeval.assets import FolderSource
from tsgkit.suites.sceneeval.folders import LooksBeside
from tsgkit.suites.sceneeval.simple import meshes_of
from tsgkit.suites.sceneeval.states import models_of
from tsgkit.suites.task import Piece


def pieces_of_scene(path: Path, sources: Sequence[FolderSource]) -> Iterator[Piece]:
    """A scene's file, the meshes beside it that it names, and the assets that it names."""
    yield Piece(path.name, path)
    if path.suffix.lower() == ".glb":
        return
    try:
        text = read_text(path)
    except FileProblem:  # told when the scene is looked at, as the reason why it cannot be read
        return
    for mesh in dict.fromkeys(meshes_of(text, path.name, path.parent)):
        yield from _mesh(mesh, path.parent, "")
    at_hand = {source.prefix: source for source in sources}
    for prefix, asset_id in dict.fromkeys(models_of(text, path.name, at_hand)):
        if prefix in at_hand:
            yield from _asset(at_hand[prefix], asset_id)


def _asset(source: FolderSource, asset_id: str) -> Iterator[Piece]:
    """What a collection says of an asset, and its mesh; nothing of one that cannot be looked up."""
    try:
        asset = source.asset(asset_id, asset_id)
    except FileProblem:
        return
    told = (asset.category, asset.description, asset.rotation, asset.box, asset.mend_winding)
    yield Piece(f"{source.name}={asset_id}", json.dumps(told))
    if asset.mesh.is_file():
        yield from _mesh(asset.mesh, source.folder, f"{source.name}/")


def _mesh(mesh: Path, folder: Path, before: str) -> Iterator[Piece]:
    for path in (mesh, *LooksBeside(mesh).named_in(read_bytes(mesh))):
        yield Piece(f"{before}{path.relative_to(folder).as_posix()}", path)
