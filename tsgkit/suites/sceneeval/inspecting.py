"""Says of a file's bytes whether they are annotations of this suite, and what is wrong with them.

>>> columns = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
>>> found = inspect((columns + '\\n0,easy,A den.,"eq,1,sofa",,,\\n').encode(), "a.csv")
>>> found.rows, found.counts, found.problem
(1, {}, '')
>>> inspect(b"a,b\\n", "b.csv").problem
'b.csv: there is no column ID'
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tsgkit.errors import TsgkitError
from tsgkit.graph.rules import Finding
from tsgkit.suites.sceneeval.annotation_files import RULES, read_annotations

TASK = "annotations"
FINDING_RULES = RULES


@dataclass(frozen=True)
class Inspection:
    """How many annotations a file holds, what was found in them, and why they cannot be used, if so."""

    rows: int
    findings: tuple[Finding, ...]
    problem: str = ""
    task: str = TASK

    @property
    def counts(self) -> dict[str, int]:
        """How many findings of each code, in the order of the rules."""
        counts = Counter(finding.code for finding in self.findings)
        return {code: counts[code] for code in FINDING_RULES if counts[code]}


def inspect(data: bytes, file: str, task: str | None = None) -> Inspection:
    """What a file holds."""
    try:
        found = read_annotations(data.decode("utf-8-sig"), file)
    except UnicodeDecodeError:
        return Inspection(0, (), f"{file}: this is not UTF-8 text")
    except TsgkitError as error:
        return Inspection(0, (), error.message)
    try:
        found.usable()
    except TsgkitError as error:
        return Inspection(len(found.annotations), found.findings, error.message)
    return Inspection(len(found.annotations), found.findings)
