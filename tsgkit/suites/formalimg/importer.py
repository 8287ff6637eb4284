"""Import of the published items: fetched as an archive of their repository, or read from a local copy.

    get_dataset("formalimg")
    import_dataset("formalimg", "checkout-of-the-repository")
    import_dataset("formalimg", "items.jsonl")

Thousands of small files become one file of rows per scenario. A copy with an unusable row is refused with the reason.
Oddities in other rows are counted and reported: a K or clauses that differ from those of the formula, names outside the
vocabulary, texts that the published programs read differently.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.graph.rules import WARNING, Finding, Place, Rule
from tsgkit.library.datasets import KnownDataset, dataset, known, refuse_to_replace, store
from tsgkit.library.downloads import PATIENT, Patience, download
from tsgkit.logic.clauses import clause_form, form_of_text
from tsgkit.logic.lint import check
from tsgkit.logic.parser import parse
from tsgkit.logic.vocabulary import SCENARIOS as VOCABULARIES
from tsgkit.suites.formalimg.rows import SCENARIOS, FormulaSample, RowValue, read_rows, row_from, sample_from
from tsgkit.suites.importers import Arrival, Inspection, Intake, Watch, incoming_file

RULES = {
    "k-differs": Rule(WARNING, "the K of a row differs from that of its formula"),
    "clauses-differ": Rule(WARNING, "the stored clauses differ from those of the formula"),
    "outside-vocabulary": Rule(WARNING, "a formula uses names outside the vocabulary of its scenario"),
    "readers-differ": Rule(WARNING, "the published programs read a formula differently"),
}
ARCHIVE = "archive.tar.gz"
MOST_ITEM_BYTES = 1_000_000
"""The maximum size of an item."""


def get_dataset(
    name: str,
    source: str | None = None,
    watch: Watch | None = None,
    patience: Patience = PATIENT,
    *,
    force: bool = False,
) -> Intake:
    """Fetch the items unless all are installed; other items are replaced only with ``force``.

    ``source`` is another base address.
    """
    wanted, present = known(name), dataset(name)
    if present.is_complete:
        return Intake(present, tuple(Arrival(file) for file in present.files))
    url = wanted.url(wanted.files[0], source)
    progress = None if watch is None else lambda so_far, total: watch(ARCHIVE, so_far, total)
    with incoming_file(present.folder, ARCHIVE) as target:
        download(url, target, None, progress, patience)
        with TemporaryDirectory(dir=target.parent) as unpacked:
            unpack(target, Path(unpacked), [file.path for file in wanted.files])
            return _taken(wanted, read_rows(unpacked), url, force=force)


def unpack(archive: Path, folder: Path, wanted: Sequence[str]) -> None:
    """Extract the files of some folders of an archive into a folder; write nothing outside it."""
    try:
        with tarfile.open(archive, "r:gz") as opened:
            for member in opened:
                home, _, name = member.name.partition("/")[2].rpartition("/")
                is_item = member.isfile() and home in wanted and name.endswith(".json")
                if is_item and member.size <= MOST_ITEM_BYTES:
                    stream = opened.extractfile(member)
                    (folder / home).mkdir(parents=True, exist_ok=True)
                    (folder / home / name).write_bytes(b"" if stream is None else stream.read())
    except (tarfile.TarError, EOFError, OSError) as error:
        raise FileProblem(f"{archive.name}: cannot be unpacked: {error}", hint="get the data again") from None


def import_dataset(name: str, *sources: str | Path, force: bool = False) -> Intake:
    """Import the items of folders or files into a dataset, all or none; others are replaced only with ``force``."""
    if not sources:
        raise UsageError("nothing to import", hint=f"tsgkit data import {name} DIR, or FILE...")
    origin = ", ".join(str(Path(source).absolute()) for source in sources)
    return _taken(known(name), (row for source in sources for row in read_rows(source)), origin, force=force)


def _taken(wanted: KnownDataset, rows: Iterable[RowValue], origin: str, *, force: bool) -> Intake:
    """Store the rows by scenario, with the findings about them."""
    items: dict[str, list[tuple[RowValue, FormulaSample]]] = {name: [] for name in SCENARIOS}
    places: dict[str, str] = {}
    for row in rows:
        sample = sample_from(row.value, row.place, row.number)
        if before := places.get(sample.item_id):
            raise UsageError(f"{row.place}: item {sample.item_id} is in {before} too", hint="name one of the two")
        places[sample.item_id] = row.place
        items[sample.scenario].append((row, sample))
    if not places:
        raise UsageError(f"{origin}: there are no items in it")
    contents: dict[str, tuple[bytes, Inspection]] = {}
    for name, pairs in items.items():
        lines, findings = [], list[Finding]()
        for number, (row, sample) in enumerate(pairs, 1):
            value = row_from(row.value, row.place).model_dump(exclude_none=True)
            lines.append(json.dumps({"scenario": name, "id": sample.number} | value) + "\n")
            place = Place(number, sample.item_id)
            for code, message in _oddities(sample, value):
                findings.append(Finding(code, RULES[code].severity, message, place=place))
        if pairs:
            contents[name] = "".join(lines).encode("ascii"), Inspection(name, len(lines), findings, RULES)
    for name, (data, _) in contents.items():
        refuse_to_replace(wanted, wanted.file(name), data, force=force)
    arrivals = []
    for name, (data, inspection) in contents.items():
        replaced = next((file for file in dataset(wanted.name).files if file.task == name), None)
        stored = store(wanted, wanted.file(name), data, origin, inspection.rows, inspection.counts)
        is_other = replaced is not None and replaced.sha256 != stored.sha256
        arrivals.append(Arrival(stored, inspection, replaced if is_other else None))
    return Intake(dataset(wanted.name), tuple(arrivals))


def _oddities(sample: FormulaSample, value: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Yield code and message of each finding about an item."""
    try:
        form = clause_form(sample.formula, official=True)
        if sample.k != form.k:
            yield "k-differs", f"K is {sample.k}, the formula's is {form.k}"
        if "cnf" in value and form_of_text(parse(sample.cnf)).unordered != form.unordered:
            yield "clauses-differ", "the stored clauses differ from those of the formula"
    except TsgkitError as error:
        yield "clauses-differ", str(error)
    by_code = {finding.code: finding for finding in check(sample.dsl, VOCABULARIES[sample.scenario]).findings}
    if differ := by_code.get("readers-differ"):
        yield "readers-differ", differ.message
    if wrong := next((finding for finding in by_code.values() if finding.severity == "error"), None):
        yield "outside-vocabulary", wrong.message
