"""Conversion of other tools' scenes into files that can be scored here, with a report of losses.

=================  ===============================================================================================
``holodeck``       houses of Holodeck (as AI2-THOR and ProcTHOR have them)
``layoutvlm``      layouts of LayoutVLM beside their configurations and assets
``layoutgpt``      lines of CSS, or the records of published files
``front3d``        houses of 3D-FRONT; boxes of half sizes about the centroid of a floor: records of ATISS, arrays of
                   DiffuScene and InstructScene
``agents``         scene states of HSM, and the file beside them; scene graphs of I-Design; layouts of SceneWeaver
``source``         a converter, and its input: a file, the tables beside it, and how a person wants it read
``arrangements``   its output: things in our world, what is built, what is lost; as a room of ours or a scene state
``shapes``         what the files of all forms have: bounded numbers, names, faults that name an object; boxes, rooms
``batches``        the forms there are (others join by an entry point); files and folders, one after the other
=================  ===============================================================================================

>>> from pathlib import Path
>>> import tempfile
>>> layout = "bed {length: 1.8m; width: 2m; height: 0.5m; left: 1m; top: 1m; depth: 0m; orientation: 0 degrees;}"
>>> file = Path(tempfile.mkdtemp()) / "7.txt"
>>> _ = file.write_text(layout)
>>> outcome = convert_file(file, ConversionSettings())
>>> outcome.form, outcome.scenes[0].id, outcome.scenes[0].objects
('layoutgpt', '7', 1)
"""

from tsgkit.suites.sceneeval.converters.arrangements import ArrangedObject, Arrangement, Ledger
from tsgkit.suites.sceneeval.converters.batches import (
    ConversionOutcome,
    ConversionSettings,
    convert_each,
    convert_file,
    converter_of,
    known_converters,
    recognised,
    tree_of,
    write_scene,
)
from tsgkit.suites.sceneeval.converters.source import (
    Assumption,
    ConversionOptions,
    Converted,
    Converter,
    SceneDraft,
    SceneIds,
    SourceFile,
    Unconverted,
    room_sizes_of,
)

__all__ = [
    "ArrangedObject",
    "Arrangement",
    "Assumption",
    "ConversionOptions",
    "ConversionOutcome",
    "ConversionSettings",
    "Converted",
    "Converter",
    "Ledger",
    "SceneDraft",
    "SceneIds",
    "SourceFile",
    "Unconverted",
    "convert_each",
    "convert_file",
    "converter_of",
    "known_converters",
    "recognised",
    "room_sizes_of",
    "tree_of",
    "write_scene",
]
