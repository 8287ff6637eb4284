"""Scenes of other tools' making as files that are scored here, and what is lost on the way.

=================  ===============================================================================================
``holodeck``       houses of Holodeck (as AI2-THOR and ProcTHOR have them)
``layoutvlm``      layouts of LayoutVLM beside their configurations
``layoutgpt``      lines of CSS, or the records of published files;  ``css``: reads them
``registry``       which forms there are (others join by an entry point), and which one a file is in
``given``          what a converter is given: a file, and how a person wants it read
``arrangements``   what it finds: things in our world, what is built, what is lost
``writing``        from there to a room of ours or a published scene state
``measures``       numbers of other tools' files, sizes of assets
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

from tsgkit.suites.sceneeval.converting.arrangements import Arrangement, Ledger, Loss, Thing
from tsgkit.suites.sceneeval.converting.batches import (
    Batch,
    Entry,
    Outcome,
    convert_each,
    convert_file,
    entries_of,
    write_scene,
)
from tsgkit.suites.sceneeval.converting.given import Assumption, Converter, Given, Options
from tsgkit.suites.sceneeval.converting.registry import converter_of, known_converters, recognised
from tsgkit.suites.sceneeval.converting.writing import Converted, Scenes, Unconverted, room_of, state_of

__all__ = [
    "Arrangement",
    "Assumption",
    "Batch",
    "Converted",
    "Converter",
    "Entry",
    "Given",
    "Ledger",
    "Loss",
    "Options",
    "Outcome",
    "Scenes",
    "Thing",
    "Unconverted",
    "convert_each",
    "convert_file",
    "converter_of",
    "entries_of",
    "known_converters",
    "recognised",
    "room_of",
    "state_of",
    "write_scene",
]
