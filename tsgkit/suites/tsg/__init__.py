"""The tsg suite: action-centric scene graphs from and to text.

Files: ``formats`` names what they may look like, ``documents`` reads them, ``rows`` knows the datasets' rows,
``checking`` lints, ``writing`` converts.

Scores: ``samples`` makes rows into what is asked (``asked``, and ``derived`` for halves of graphs and repairs),
``sections`` finds the final answer, ``strict``, ``listing`` and ``official`` read
it, ``generation`` and ``derived_scores`` score it, ``judging`` judges one reply in both profiles, ``metrics`` says what
the numbers mean, ``scoreboard`` puts them together.

Prompts: ``cards`` checks what a card declares, ``prompt_sets`` loads the texts, ``examples`` reads worked examples,
``showing`` writes a sample's values, ``prompting`` has all of it for a prompt.

Runs: ``dataset`` reads samples when they are needed, ``baselines`` answer without a model, ``answers`` are read, scored
and put to a vote (``voting``), ``task`` is all of it for a run.
"""

from tsgkit.suites.scoreboard import ScoreReport, report_value
from tsgkit.suites.tsg.checking import FileReport, check, check_document
from tsgkit.suites.tsg.documents import Document, read_document, read_file
from tsgkit.suites.tsg.scoreboard import score
from tsgkit.suites.tsg.writing import Written, convert, write_document

__all__ = [
    "Document",
    "FileReport",
    "ScoreReport",
    "Written",
    "check",
    "check_document",
    "convert",
    "read_document",
    "read_file",
    "report_value",
    "score",
    "write_document",
]
