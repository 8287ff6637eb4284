"""Import of published datasets: downloaded, or copied from a local folder.

    get_dataset("tsg-bench")
    import_dataset("tsg-bench", "checkout-of-the-repository")
    import_dataset("tsg-bench", "sgqa.jsonl", "my-selection.jsonl")

A file is imported when it has been read completely and fits its task; it replaces the file of its task, and the others
stay. Defects of its rows are counted and reported. A file with the published checksum is imported with any defects.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Protocol

from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.rules import ERROR, WARNING, Finding, Place, Rule
from tsgkit.library.datasets import (
    SOURCE_VARIABLE,
    InstalledDataset,
    KnownDataset,
    KnownFile,
    StoredFile,
    dataset,
    dataset_value,
    is_official,
    known,
    make_folder,
    refuse_to_replace,
    store,
)
from tsgkit.library.downloads import PATIENT, Patience, checksum_of_bytes, download, refuse_login
from tsgkit.library.files import STDIN, decoded, read_bytes, walk
from tsgkit.suites.suite import Suite, suites
from tsgkit.suites.task import Task

Watch = Callable[[str, int, int | None], None]
"""A callback with a file's name, its bytes so far and, if known, the total."""
INCOMING = ".incoming"


@contextmanager
def incoming_file(folder: Path, name: str) -> Iterator[Path]:
    """Yield where a file of a dataset is downloaded to, in a folder of its own inside the dataset's.

    At the end it is removed, and so are both folders where nothing is left in them: no file, and no part of one.
    """
    incoming = folder / INCOMING
    make_folder(incoming)
    try:
        yield incoming / name
    finally:
        (incoming / name).unlink(missing_ok=True)
        with suppress(OSError):
            incoming.rmdir()
            folder.rmdir()


@dataclass(frozen=True)
class Inspection:
    """A report about a file of rows: the task whose rows they are, and the findings."""

    task: str
    rows: int
    """The number of rows."""
    findings: Sequence[Finding]
    rules: Mapping[str, Rule]
    """The rule of each code, in the order in which they are counted."""
    problem: str = ""
    """The reason why no task can use the file; else empty."""

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings of each code."""
        counts = Counter(finding.code for finding in self.findings)
        return {code: counts[code] for code in self.rules if counts[code]}


@dataclass(frozen=True)
class Arrival:
    """An imported file with its findings and the file it replaced; one that was present has no inspection."""

    stored: StoredFile
    inspection: Inspection | None = None
    replaced: StoredFile | None = None


@dataclass(frozen=True)
class Intake:
    """A dataset after an import."""

    dataset: InstalledDataset
    arrivals: tuple[Arrival, ...]


def intake_value(intake: Intake) -> dict[str, object]:
    """Return the JSON value of what went into a dataset."""
    arrived = [
        {
            "task": arrival.stored.task,
            "action": "kept" if arrival.inspection is None else "replaced" if arrival.replaced else "installed",
            "problem": arrival.inspection.problem if arrival.inspection else "",
        }
        for arrival in intake.arrivals
    ]
    return {"arrived": arrived, "dataset": dataset_value(intake.dataset)}


class Inspector(Protocol):
    """A module or object that inspects files of rows."""

    def inspect(self, data: bytes, file: str, task: str | None = None) -> Inspection:
        """Return the report about these bytes; without a task, the rows decide."""


class Importer(Protocol):
    """A module that imports the datasets of a suite."""

    def get_dataset(
        self,
        name: str,
        source: str | None = None,
        watch: Watch | None = None,
        patience: Patience = PATIENT,
        *,
        force: bool = False,
    ) -> Intake:
        """Fetch a dataset."""

    def import_dataset(self, name: str, *sources: str | Path, force: bool = False) -> Intake:
        """Take a copy of a dataset."""


def importer_of(name: str) -> Importer:
    """Return the module that brings a dataset to this machine: its suite's own, else this one."""
    suite = _suite(known(name).suite)
    if not suite.importer:
        inspector(suite.name)
    module: Importer = import_module(suite.importer or __name__)
    return module


def _suite(name: str) -> Suite:
    """Return the suite of a dataset; a project's catalogue may name one that is not installed."""
    return next((suite for suite in suites() if suite.name == name), Suite(name))


def inspector(name: str) -> Inspector:
    """Return the inspector of a suite, its own or that of tasks of rows; ``UsageError`` where it has neither."""
    suite = _suite(name)
    if suite.inspector:
        module: Inspector = import_module(suite.inspector)
        return module
    if not suite.importer and (tasks := suite.row_tasks()):
        return RowInspector(tasks)
    raise UsageError(
        f"datasets of the suite {name} cannot be fetched or imported", hint="no suite of this name brings any"
    )


NO_LOGIN = "fetch it yourself, then: tsgkit data import"


@dataclass(frozen=True)
class _ImportCandidate:
    """A file that was read and may be imported."""

    file: KnownFile
    data: bytes
    origin: str
    inspection: Inspection


def get_dataset(
    name: str,
    source: str | None = None,
    watch: Watch | None = None,
    patience: Patience = PATIENT,
    *,
    force: bool = False,
) -> Intake:
    """Fetch the files of a dataset that are not here as published; ``source`` is another base address.

    Each file is imported as soon as it is complete, so that nothing is downloaded twice. Other rows are replaced only
    with ``force``. A file without a published checksum is trusted when first downloaded, and downloaded again with
    ``force``.
    """
    wanted, present = known(name), dataset(name)
    refuse_login(source or os.environ.get(SOURCE_VARIABLE, ""), "--from" if source else SOURCE_VARIABLE, NO_LOGIN)
    inspector(wanted.suite)
    here: dict[str, StoredFile] = {}
    for stored in present.files:
        if namesakes := [file for file in wanted.files if file.name == stored.name]:
            data = read_bytes(present.folder / stored.name)
            published = any(is_official(file, data) is True for file in namesakes if file.task == stored.task)
            fetched = stored.origin.startswith(("http://", "https://"))
            unchecked = fetched and any(file.check is None for file in namesakes)
            if published or (unchecked and not force and checksum_of_bytes(data) == f"sha256:{stored.sha256}"):
                here[stored.task] = stored
    for file in wanted.files:
        path = present.folder / file.name
        if file.task not in here and not (path.is_file() and is_official(file, read_bytes(path))):
            refuse_to_replace(wanted, file, force=force)
    arrivals = []
    for file in wanted.files:
        if file.task in here:
            arrivals.append(Arrival(here[file.task]))
            continue
        url, progress = wanted.url(file, source), None if watch is None else partial(watch, file.name)
        if progress:
            progress(0, None)
        with incoming_file(dataset(name).folder, file.name) as target:
            download(url, target, file.check, progress, patience)
            arrivals.append(_put(wanted, _candidate(wanted, file, read_bytes(target), url)))
    return Intake(dataset(name), tuple(arrivals))


def import_dataset(name: str, *sources: str | Path, force: bool = False) -> Intake:
    """Copy files, or those of a folder that have the published names, into a dataset; all of them or none.

    Existing rows are replaced only with ``force``.
    """
    if not sources:
        raise UsageError("nothing to import", hint=f"tsgkit data import {name} DIR, or FILE...")
    wanted = known(name)
    candidates: dict[str, _ImportCandidate] = {}
    for candidate in chain.from_iterable(_candidates(wanted, source) for source in sources):
        earlier = candidates.setdefault(candidate.file.task, candidate)
        if earlier.data != candidate.data:
            raise UsageError(
                f"{earlier.origin} and {candidate.origin} are both data of {candidate.file.task}, and differ",
                hint="name the one you mean",
            )
    for candidate in candidates.values():
        refuse_to_replace(wanted, candidate.file, candidate.data, force=force)
    arrivals = tuple(_put(wanted, candidate) for candidate in candidates.values())
    return Intake(dataset(name), arrivals)


def _put(wanted: KnownDataset, candidate: _ImportCandidate) -> Arrival:
    inspection, task = candidate.inspection, candidate.file.task
    before = next((file for file in dataset(wanted.name).files if file.task == task), None)
    stored = store(wanted, candidate.file, candidate.data, candidate.origin, inspection.rows, dict(inspection.counts))
    return Arrival(stored, inspection, before if before and before.sha256 != stored.sha256 else None)


def _candidates(wanted: KnownDataset, source: str | Path) -> Iterator[_ImportCandidate]:
    """Yield the file that a source is, known by its name, else its checksum, else its rows, or those that a folder
    holds under the published names, at any depth; hidden folders are passed over."""

    def names(file: KnownFile) -> tuple[str, str]:
        return file.name, file.path.rpartition("/")[2]

    folder = Path(source)
    if not folder.is_dir():
        data = read_bytes(source)
        origin = "standard input" if str(source) == STDIN else str(folder.absolute())
        by_name = [file for file in wanted.files if folder.name in names(file)]
        by_content = [file for file in wanted.files if is_official(file, data)]
        yield _candidate(wanted, next(iter(by_name or by_content), None), data, origin)
        return
    published = {name: file for file in wanted.files for name in names(file)}
    paths = [
        (published[name], inner / name)
        for inner, files in walk(folder, skips=lambda inner: inner.name.startswith("."))
        for name in files
        if name in published
    ]
    if not paths:
        listed = ", ".join(file.name for file in wanted.files)
        hint = f"looked for {listed}; files of other names are imported one by one"
        raise UsageError(f"{source}: no file of {wanted.name} anywhere in this folder", hint=hint)
    for file, path in paths:
        yield _candidate(wanted, file, read_bytes(path), str(path.absolute()))


def _candidate(wanted: KnownDataset, file: KnownFile | None, data: bytes, origin: str) -> _ImportCandidate:
    """Return a file that fits its task, or is the published one; without a known file, its rows decide."""
    inspection = inspector(wanted.suite).inspect(data, origin, None if file is None else file.task)
    file = wanted.file(inspection.task) if file is None else file
    if inspection.problem and not is_official(file, data):
        has_own_check = inspection.rules is not RULES
        more = "; tsgkit check shows all that is wrong with a file" if has_own_check else ""
        raise FileProblem(inspection.problem, hint=f"nothing was imported{more}")
    return _ImportCandidate(file, data, origin, inspection)


# Files of rows of JSON, for suites without an inspector of their own

RULES = {
    "row": Rule(ERROR, "a line that is no row of the task"),
    "repeated-id": Rule(ERROR, "an item id occurs twice"),
    "repeated-item": Rule(WARNING, "two items ask the same"),
}


@dataclass(frozen=True)
class RowInspector:
    """The inspector of a suite with these tasks of rows."""

    tasks: tuple[Task, ...]

    def inspect(self, data: bytes, file: str, task: str | None = None) -> Inspection:
        """Return the report about these bytes; without a task, the one that takes most lines."""
        text = decoded(data, file)
        reports = [_inspected(taker, text, file) for taker in self.tasks if task in (None, taker.rows.stored)]
        if not reports:
            problem = f"{file}: there is no task of rows that is stored as {task}"
            return Inspection(task or "", 0, (), RULES, problem)
        return max(reports, key=lambda report: report.rows)


def _inspected(task: Task, text: str, file: str) -> Inspection:
    rows, findings = 0, list[Finding]()
    firsts: dict[object, str] = {}

    def note(code: str, message: str, where: Place) -> None:
        findings.append(Finding(code, RULES[code].severity, message, place=where))

    ids = set[str]()
    for line in () if task.rows.lines is None else task.rows.lines(text):
        if line.item is None:
            note("row", line.problem, Place(line.number))
            continue
        rows += 1
        item_id = line.item.item_id
        where = Place(line.number, item_id)
        if item_id in ids:
            note("repeated-id", f"the item id {item_id} occurs twice", where)
        ids.add(item_id)
        content = task.prompt.identity_of(line.item).contents if task.prompt else item_id
        first = firsts.setdefault(content, item_id)
        if first != item_id:
            note("repeated-item", f"asks the same as {first}", where)
    errors = [finding for finding in findings if finding.severity == ERROR]
    problem = "" if rows or errors else f"{file}: there are no rows in it"
    if errors:
        more = f" (the first of {len(errors):,} errors)" if len(errors) > 1 else ""
        problem = f"{file}: line {errors[0].place.line}: {errors[0].message}{more}"
    return Inspection(task.rows.stored, rows, findings, RULES, problem)
