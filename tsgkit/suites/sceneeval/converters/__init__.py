"""Conversion of other tools' scenes into files that can be scored here, with a report of losses.

=================  ===============================================================================================
``holodeck``       houses of Holodeck (as AI2-THOR and ProcTHOR have them)
``layoutvlm``      layouts of LayoutVLM beside their configurations and assets
``layoutgpt``      lines of CSS, or the records of published files;  ``css``: reads them
``atiss``          records of half sizes about the centroid of a floor
``hsm``            scene states of HSM, and the file beside them
``idesign``        scene graphs of I-Design
``sceneweaver``    layouts of SceneWeaver
``boxes``          arrays of DiffuScene and InstructScene
``front3d``        houses of 3D-FRONT
``registry``       the forms there are (others join by an entry point), and the one a file is in
``source``          the input of a converter: a file, and how a person wants it read
``arrangements``   its output: things in our world, what is built, what is lost
``writer``        from there to a room of ours or a published scene state
``measurements``       numbers of other tools' files, sizes of assets
``room_sizes``     tables of the real sizes of rooms
``batches``        files and folders, one after the other
=================  ===============================================================================================

>>> from pathlib import Path
>>> import tempfile
>>> layout = "bed {length: 1.8m; width: 2m; height: 0.5m; left: 1m; top: 1m; depth: 0m; orientation: 0 degrees;}"
>>> file = Path(tempfile.mkdtemp()) / "7.txt"
>>> _ = file.write_text(layout)
>>> outcome = convert_file(file, Batch())
>>> outcome.form, outcome.scenes[0].id, outcome.scenes[0].objects
('layoutgpt', '7', 1)
"""

from tsgkit.suites.sceneeval.converters.arrangements import Arrangement, Ledger, Loss, Thing
from tsgkit.suites.sceneeval.converters.batches import (
    Batch,
    Entry,
    Outcome,
    SceneIds,
    Tree,
    convert_each,
    convert_file,
    tree_of,
    write_scene,
)
from tsgkit.suites.sceneeval.converters.registry import converter_of, known_converters, recognised
from tsgkit.suites.sceneeval.converters.room_sizes import RoomSizes, room_sizes_of
from tsgkit.suites.sceneeval.converters.source import Assumption, Converter, Options, SourceFile
from tsgkit.suites.sceneeval.converters.writer import Converted, Scenes, Unconverted, room_of, state_of

__all__ = [
    "Arrangement",
    "Assumption",
    "Batch",
    "Converted",
    "Converter",
    "Entry",
    "Ledger",
    "Loss",
    "Options",
    "Outcome",
    "RoomSizes",
    "SceneIds",
    "Scenes",
    "SourceFile",
    "Thing",
    "Tree",
    "Unconverted",
    "convert_each",
    "convert_file",
    "converter_of",
    "known_converters",
    "recognised",
    "room_of",
    "room_sizes_of",
    "state_of",
    "tree_of",
    "write_scene",
]
