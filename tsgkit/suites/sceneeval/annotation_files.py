"""Annotation files (the published CSV or JSON), their findings, and the rows, groups and view of all tasks on them.

>>> text = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel\\n0,easy,A den.,\\"eq,1,sofa; ge,x,lamp\\",,,\\n"
>>> found = read_annotations(text, "annotations.csv")
>>> found.annotations[0].counts[0].text
'eq,1,sofa'
>>> print(found.findings[0])
error bad-entry: line 2, item 0: ObjCount: 'ge,x,lamp': x is no number from 0 on

The published reader finds a row by its position, not by its ID, and some defects make it stop with an error. Here each
defect is a finding, and rows are found by their IDs. ``tsgkit scene check`` lists all findings; scoring refuses a file
with errors.

>>> found = inspect(text.encode(), "a.csv")
>>> found.rows, found.counts, found.problem
(1, {'bad-entry': 1}, "a.csv: line 2, item 0: ObjCount: 'ge,x,lamp': x is no number from 0 on")
>>> inspect(b"a,b\\n", "b.csv").problem
'b.csv: column ID is missing'
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from pydantic import StrictInt, StrictStr, ValidationError

from tsgkit.errors import FileProblem, NotationError, TsgkitError, UsageError
from tsgkit.graph.rules import ERROR, WARNING, Finding, Place, Rule
from tsgkit.library.files import read_text
from tsgkit.suites.importers import Inspection
from tsgkit.suites.rows import Items, Rows, Source, text_at
from tsgkit.suites.sceneeval.annotations import (
    DIFFICULTIES,
    KINDS,
    NO_ANCHOR,
    NONE,
    PARSERS,
    Annotation,
    Kind,
    Specification,
    annotation_value,
    is_built,
    spaced,
)
from tsgkit.suites.sceneeval.scene_files.files import NAME, FileModel, json_of, problem_of
from tsgkit.suites.sceneeval.word_meanings import RELATIONS, element_of, relation_table
from tsgkit.suites.task import Groups, View

COLUMNS = ("ID", "Difficulty", "Description", "ObjCount", "ObjAttr", "OORel", "OARel")
CELLS = dict(zip(KINDS, COLUMNS[3:], strict=True))
FORMAT = "tsgkit/annotations"
ROOMS = ("tsgkit/room", "sceneState")
"""The formats of room files, which are easily mistaken for annotation files."""
MOST = 1_000_000
"""The maximum number of characters in a cell."""
RULES = {
    "bad-entry": Rule(ERROR, "an entry is not of the form of its column"),
    "bad-id": Rule(ERROR, "an ID cannot be used in a file name scene_ID.json"),
    "repeated-id": Rule(ERROR, "an ID occurs twice"),
    "out-of-place": Rule(
        WARNING, "an ID differs from the row number (from 0), by which the published reader finds the row"
    ),
    "no-counts": Rule(ERROR, "there are no counts, so no object can be matched"),
    "uncounted-category": Rule(WARNING, "a category has no ObjCount entry; the published code fails on it"),
    "repeated-entry": Rule(WARNING, "an entry is repeated; it counts once"),
    "unknown-difficulty": Rule(WARNING, "the difficulty is none of easy, medium, hard"),
    "unknown-reference": Rule(WARNING, "a room relation refers to neither a built element nor a type of room"),
    "no-anchor": Rule(WARNING, "a relation names no anchor, so the first object is used"),
    "several-objects": Rule(WARNING, "a relation other than surround names more than two objects"),
    "empty-description": Rule(WARNING, "there is no description"),
    "cut-description": Rule(WARNING, "the description contains a semicolon, where the published reader cuts it off"),
    "unmapped-relation": Rule(WARNING, "a relation has no measured meaning; strict counts it as unknown"),
    "more-columns": Rule(WARNING, "a column is not used"),
}

ANNOTATIONS = "annotations"
"""The name of the rows in a dataset."""
KINDS_OF_TASKS = ("annotate", "fidelity", "plausibility")


@dataclass(frozen=True)
class AnnotationFile:
    """The annotations of a file, and the findings on it."""

    file: str
    annotations: tuple[Annotation, ...]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are errors."""
        return tuple(finding for finding in self.findings if finding.severity == ERROR)

    def usable(self) -> tuple[Annotation, ...]:
        """Return the annotations. Raise UsageError with the first error if the file has any."""
        if self.errors:
            more = f" (and {len(self.errors) - 1} more)" if len(self.errors) > 1 else ""
            first = self.errors[0]
            hint = f"tsgkit scene check {self.file} lists all findings"
            raise UsageError(f"{self.file}: {first.place}: {first.message}{more}", hint=hint)
        if not self.annotations:
            raise UsageError(f"{self.file}: it has no annotations")
        return self.annotations


Entries = tuple[str, ...]


class AnnotationRow(FileModel):
    """An annotation in JSON."""

    item_id: StrictStr | StrictInt
    difficulty: StrictStr = ""
    room: StrictStr = ""
    description: StrictStr = ""
    counts: tuple[StrictStr, ...] = ()
    attributes: tuple[StrictStr, ...] = ()
    object_relations: tuple[StrictStr, ...] = ()
    room_relations: tuple[StrictStr, ...] = ()

    @property
    def entries(self) -> tuple[Entries, Entries, Entries, Entries]:
        """The entries of each kind."""
        return self.counts, self.attributes, self.object_relations, self.room_relations


class _File(FileModel):
    format: StrictStr
    annotations: tuple[AnnotationRow, ...]


@dataclass(frozen=True)
class _RawRow:
    """A row as written, in either format."""

    line: int | None
    item_id: str
    difficulty: str
    description: str
    entries: Mapping[Kind, Sequence[str]]
    room: str = ""

    def finding(self, code: str, message: str, hint: str = "") -> Finding:
        """Return a finding on this row."""
        return Finding(code, RULES[code].severity, message, hint, Place(line=self.line, item=self.item_id))


def read_annotations(text: str, file: str) -> AnnotationFile:
    """Read annotations from a text: JSON if it starts with ``{``, else the published CSV."""
    findings = list[Finding]()
    rows = _json_rows(text, file) if text.lstrip().startswith("{") else list(_csv_rows(text, file, findings))
    annotations = list[Annotation]()
    for raw in rows:
        specs: dict[Kind, list[Specification]] = {kind: [] for kind in KINDS}
        for kind in KINDS:
            for entry in raw.entries[kind]:
                try:
                    specs[kind].append(PARSERS[kind](entry))
                except NotationError as error:
                    findings.append(raw.finding("bad-entry", f"{CELLS[kind]}: {error.message}"))
        counts, attributes, pairs, built = map(tuple, specs.values())
        room = "" if raw.room == NONE else raw.room
        annotation = Annotation(raw.item_id, raw.difficulty, raw.description, counts, attributes, pairs, built, room)
        annotations.append(annotation)
        findings += _findings_on_row(raw, annotation)
    known_ids: set[str] = set()
    for number, raw in enumerate(rows):
        if raw.item_id in known_ids:
            findings.append(raw.finding("repeated-id", f"the ID {raw.item_id} occurs twice"))
        known_ids.add(raw.item_id)
        if raw.item_id != str(number):
            findings.append(raw.finding("out-of-place", f"ID {raw.item_id} stands in row {number}"))
    return AnnotationFile(file, tuple(annotations), tuple(findings))


def _csv_rows(text: str, file: str, findings: list[Finding]) -> Iterator[_RawRow]:
    csv.field_size_limit(MOST)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        names = [name.strip() for name in reader.fieldnames or ()]
        if missing := [column for column in COLUMNS if column not in names]:
            raise FileProblem(f"{file}: column {missing[0]} is missing", hint=f"expected columns: {', '.join(COLUMNS)}")
        unused = [name for name in names if name not in (*COLUMNS, "Room")]
        code = "more-columns"
        findings += [Finding(code, RULES[code].severity, f"the column {name!r:.60}") for name in unused]
        reader.fieldnames = names
        for row in reader:
            if None in row or None in row.values():
                raise FileProblem(
                    f"{file}: line {reader.line_num}: the number of cells differs from the number of columns",
                    hint="quote cells that contain commas",
                )
            cell = {name: str(row[name]).strip() for name in row if name}
            yield _RawRow(
                reader.line_num,
                cell["ID"],
                cell["Difficulty"].lower(),
                cell["Description"],
                {kind: [part.strip() for part in cell[CELLS[kind]].split(";") if part.strip()] for kind in KINDS},
                cell.get("Room", ""),
            )
    except csv.Error as error:
        raise FileProblem(f"{file}: line {reader.line_num}: {error}") from None


def _json_rows(text: str, file: str) -> list[_RawRow]:
    value = json_of(text, file)
    if isinstance(value, dict) and "annotations" not in value and value.get("format") in ROOMS:
        raise FileProblem(f"{file}: this is a room, not annotations", hint="tsgkit scene show draws a room")
    try:
        read = _File.model_validate(value)
    except ValidationError as error:
        raise problem_of(error, file) from None
    if read.format != FORMAT:
        raise FileProblem(f"{file}: format: {read.format!r:.60} is not {FORMAT}")
    return [
        _RawRow(None, str(row.item_id), row.difficulty, row.description, dict(zip(KINDS, row.entries, strict=True)),
                row.room)
        for row in read.annotations
    ]  # fmt: skip


def _findings_on_row(raw: _RawRow, annotation: Annotation) -> Iterator[Finding]:
    if not NAME.fullmatch(raw.item_id) or ".." in raw.item_id:
        yield raw.finding("bad-id", f"the ID {raw.item_id!r:.60}", "letters, digits, hyphens and underscores")
    if raw.difficulty not in DIFFICULTIES:
        yield raw.finding("unknown-difficulty", f"the difficulty {raw.difficulty!r:.60}")
    if not raw.description:
        yield raw.finding("empty-description", "no description")
    if ";" in raw.description and raw.line is not None:
        yield raw.finding("cut-description", "the description holds a semicolon")
    if not annotation.counts:
        yield raw.finding("no-counts", "no ObjCount entry")
    counted = {spec.category for spec in annotation.counts}
    for name in annotation.categories:
        if name not in counted:
            message = f"{name} stands in no ObjCount entry"
            yield raw.finding("uncounted-category", message, "add one, such as ge,1,NAME")
    for kind in KINDS:
        for entry, times in Counter(raw.entries[kind]).items():
            if times > 1:
                yield raw.finding("repeated-entry", f"{CELLS[kind]}: {entry} is written {times} times")
    for spec in annotation.object_relations:
        if spec.anchor_place == NO_ANCHOR:
            yield raw.finding("no-anchor", f"{spec.text}: no anchor")
        if len(spec.objects) > 2 and "surround" not in spec.relation.lower():
            yield raw.finding("several-objects", f"{spec.text}: {len(spec.objects)} objects", "write a pair an entry")
    for spec in annotation.room_relations:
        for name in spec.elements:
            if not is_built(name):
                yield raw.finding("unknown-reference", f"{spec.text}: {name} is nothing built")


def as_csv(annotations: Sequence[Annotation]) -> str:
    """Return the annotations as the published CSV."""
    out = io.StringIO(newline="")
    plain = csv.writer(out, lineterminator="\n")
    quoting = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)  # the plain one does not see a bare return
    plain.writerow(COLUMNS)
    for each in annotations:
        lists = (each.counts, each.attributes, each.object_relations, each.room_relations)
        cells = [";".join(spec.text for spec in specs) for specs in lists]
        row = [each.item_id, each.difficulty, each.description, *cells]
        (quoting if any("\r" in cell for cell in row) else plain).writerow(row)
    return out.getvalue()


def as_json(annotations: Sequence[Annotation]) -> str:
    """Return the annotations in the JSON format."""
    value = {"format": FORMAT, "annotations": list(map(annotation_value, annotations))}
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def read_annotation_file(path: Path) -> AnnotationFile:
    """Read the annotations of a file."""
    return read_annotations(read_text(path), str(path))


def unmapped_relations(annotations: Iterable[Annotation]) -> Iterator[Finding]:
    """Yield a finding for each relation that the table (the working project's or the bundled one) does not map."""
    table, code = relation_table(), "unmapped-relation"
    hint = f"write what it means into tasks/{RELATIONS}"
    for annotation in annotations:
        for spec in (*annotation.of_kind("oor"), *annotation.of_kind("oar")):
            phrase = spaced(spec.relation)
            if spec.kind == "oor":
                is_mapped = table.between_objects(spec.relation) is not None
            else:
                element = element_of(spec.elements[0])
                is_mapped = element is not None and table.to_room(spec.relation, element) is not None
                phrase += f" {spaced(spec.elements[0])}"
            if not is_mapped:
                where = Place(item=annotation.item_id)
                yield Finding(code, RULES[code].severity, f"{spec.text}: {phrase}", hint, where)


def inspect(data: bytes, file: str, task: str | None = None) -> Inspection:
    """Inspect the content of a file."""
    rows, findings, problem = 0, tuple[Finding, ...](), ""
    try:
        content = read_annotations(data.decode("utf-8-sig"), file)
        rows, findings = len(content.annotations), content.findings
        content.usable()
    except UnicodeDecodeError:
        problem = f"{file}: this is not UTF-8 text"
    except TsgkitError as error:
        problem = error.message
    return Inspection(ANNOTATIONS, rows, findings, RULES, problem)


def kinds_of(file: Path) -> tuple[str, ...]:
    """Return all tasks of this suite if the first lines of a file look like annotations, else none."""
    try:
        with file.open(encoding="utf-8-sig") as lines:
            first = next(lines, "")
            is_twin = first.strip() == "{" and FORMAT in next(lines, "")
    except (OSError, UnicodeDecodeError):
        return ()
    return KINDS_OF_TASKS if is_twin or {"ObjCount", "OARel"} <= set(first.strip().split(",")) else ()


class Annotations(Items):
    """The annotations of a file as samples."""

    ending = ".json"

    def written(self, numbers: Iterable[int]) -> Iterator[str]:
        """Yield these annotations as a file of them."""
        yield as_json([self.sample(number) for number in numbers])


def load_annotations(source: Source) -> Annotations:
    """Return the annotations of a file. Raise UsageError with the first error if it has any."""
    samples = read_annotations(text_at(source), str(source)).usable()
    content = json.dumps([annotation_value(sample) for sample in samples])
    return Annotations(str(source), hashlib.sha256(content.encode()).hexdigest(), samples)


def _in_order(members: Iterable[str], group: str) -> list[str]:
    """Sort difficulties from easy to hard, and rooms by name."""
    order = [*DIFFICULTIES]
    return sorted(members, key=lambda name: (order.index(name) if name in order else len(order), name))


ROWS = Rows(
    stored=ANNOTATIONS, load=load_annotations, formats=(".csv",), is_folder=True, clusters="descriptions"
)  # annotation files in a folder may have any name
GROUPS = Groups(names=("difficulty", "room"), order=_in_order)
VIEW = View(question=attrgetter("description"), reference=lambda _: "", value=annotation_value)
"""The description; a room has no reference in words."""
