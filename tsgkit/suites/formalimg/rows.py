"""Items as rows: an instruction, its formula, and the number of objects that depend on each other (K).

>>> row = {"scenario": "knolling", "id": 7, "prompt": "A cup.", "dsl": "(exists ?x (Is ?x 'cup'))", "k": 1}
>>> sample = sample_from(row, "rows.jsonl: line 1", 0)
>>> sample.item_id, sample.classes, sample.groups["quantifier"]
('knolling/7', ('cup',), ('exists',))

A row has ``prompt`` and ``dsl``, and may have ``cnf``, ``k`` and ``object_classes``, which are otherwise computed from
the formula. In JSON Lines it also has ``scenario`` and optionally ``id`` (default: its number). In the published
layout, with one file per item, the folder and the file name give both: ``knolling/7.json``. The name of an item is its
``item_id`` if given, else scenario and id.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from tsgkit.errors import FileProblem, NotationError, TsgkitError, UsageError, first_fault
from tsgkit.graph.notation.json_triplets import kind_of, load
from tsgkit.library.files import look_alike, read_text
from tsgkit.logic.clauses import clause_form, object_classes
from tsgkit.logic.evaluation import refuse_unjudgeable
from tsgkit.logic.formula import Forall, Formula, atoms_of, free_variables, walk
from tsgkit.logic.parser import parse
from tsgkit.suites.rows import Items, Source, text_at
from tsgkit.suites.task import by_number

KNOLLING, NATURAL = "knolling", "natural"
SCENARIOS = (KNOLLING, NATURAL)
SCENARIO_OF = {"layout": KNOLLING, "knolling": KNOLLING, "natural": NATURAL}
"""The scenario of each task's rows."""
ROWS = ".jsonl"
HINT = 'a row reads {"scenario": "knolling", "id": 0, "prompt": "...", "dsl": "(exists ?x ...)"}'


class FormulaRow(BaseModel):
    """A row as files have it."""

    model_config = ConfigDict(extra="allow", frozen=True)

    scenario: Literal["knolling", "natural"]
    id: StrictStr | StrictInt | None = None
    item_id: StrictStr | StrictInt | None = None
    prompt: StrictStr
    dsl: Annotated[StrictStr, Field(min_length=1)]
    cnf: StrictStr | None = None
    k: Annotated[StrictInt, Field(ge=0)] | None = None
    object_classes: list[StrictStr] | None = None


@dataclass(frozen=True)
class FormulaSample:
    """An item: an instruction and its formula."""

    item_id: str
    scenario: str
    number: str
    """The name used for images: the row's ``id``, or its ``item_id`` if it has only that, else its number."""
    prompt: str
    dsl: str
    formula: Formula
    k: int
    classes: tuple[str, ...]
    """The classes that the formula names, in the order of the row."""
    cnf: str

    @property
    def cluster(self) -> str:
        """The cluster of the item. Items with the same formula are not independent."""
        return self.dsl

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The groups the item belongs to, by kind of group."""
        has_forall = any(isinstance(part, Forall) for _, part in walk(self.formula))
        return {
            "k": (str(self.k),),
            "quantifier": ("forall" if has_forall else "exists",),
            "scenario": (self.scenario,),
            "predicate": tuple(sorted({atom.name for atom in atoms_of(self.formula)})),
        }


class RowValue(NamedTuple):
    """The value of a row, its place for messages, and its number in the file."""

    value: object
    place: str
    number: int


def load_items(scenario: str, source: str | Source, *, needs_prompts: bool = True) -> Items:
    """Return the items of a scenario in a file or folder; without ``needs_prompts`` a prompt may be empty."""
    samples = tuple(read_samples(source, needs_prompts=needs_prompts))
    chosen = [sample for sample in samples if sample.scenario == scenario]
    if not chosen:
        why = f"all {len(samples)} are of the scenario {samples[0].scenario}" if samples else "the file has none"
        raise UsageError(f"{source}: there are no {scenario} items in it: {why}")
    digest, lines = hashlib.sha256(), []  # of the content, however rows are split into files
    for sample in chosen:
        content: list[Any] = [sample.item_id, sample.prompt, sample.dsl, sample.k, sample.classes, sample.cnf]
        digest.update(json.dumps(content).encode("ascii") + b"\n")
        row = {
            "item_id": sample.item_id,
            "scenario": sample.scenario,
            "id": sample.number,
            "prompt": sample.prompt,
            "dsl": sample.dsl,
            "cnf": sample.cnf,
            "k": sample.k,
            "object_classes": list(sample.classes),
        }
        lines.append(json.dumps(row, ensure_ascii=False))
    left_out = [sample.item_id for sample in samples if sample.scenario != scenario]
    return Items(str(source), digest.hexdigest(), chosen, lines, left_out)


def kinds_of(file: Path) -> tuple[str, ...]:
    """Return the tasks whose items a file or folder contains, judged by its first row; empty if unknown."""
    try:
        first = next(iter(read_rows(file)), None)
    except TsgkitError:
        return ()
    value = first.value if first is not None else None
    if not isinstance(value, dict) or "dsl" not in value or "prompt" not in value:
        return ()
    scenario = value.get("scenario")
    return tuple(kind for kind, of in SCENARIO_OF.items() if of == scenario)


def read_samples(source: str | Source, *, needs_prompts: bool = True) -> tuple[FormulaSample, ...]:
    """Return the samples of a file or folder. ``UsageError`` names the first unusable row and the reason.

    Without ``needs_prompts`` a prompt may be empty, as when replies are scored.
    """
    return tuple(sample_from(row.value, row.place, row.number, needs_prompt=needs_prompts) for row in read_rows(source))


def read_rows(source: str | Source) -> Iterator[RowValue]:
    """Yield the rows of a file of rows, a file with one row, or a folder: of files of rows, or in the published layout,
    with folders named after scenarios, here or in ``benchmarks``."""
    home = Path(source) if isinstance(source, str) else source
    if not isinstance(home, Path) or not (home.is_dir() or home.suffix == ".json"):
        yield from _lines(text_at(home), str(home))
        return
    if not home.is_dir():
        yield _of_file(home, 0)
        return
    if files := [file for name in SCENARIOS if (file := home / f"{name}{ROWS}").is_file()]:
        for file in files:
            yield from _lines(read_text(file), str(file))
        return
    inner = home / "benchmarks"
    published = inner if inner.is_dir() else home
    folders = [published / name for name in SCENARIOS] if published.name not in SCENARIOS else [published]
    for folder in filter(Path.is_dir, folders):
        stems = by_number([path.stem for path in folder.glob("*.json")], "")
        files += [folder / f"{stem}.json" for stem in stems]
    if not files:
        wanted = f"{KNOLLING}{ROWS}, {NATURAL}{ROWS}, or folders {KNOLLING} and {NATURAL} of files 0.json, 1.json ..."
        raise FileProblem(f"{home}: no items in this folder", hint=f"looked for {wanted}")
    for number, path in enumerate(files):
        yield _of_file(path, number)


def _lines(text: str, file: str) -> Iterator[RowValue]:
    rows = [(line_number, line) for line_number, line in enumerate(text.split("\n"), 1) if line.strip()]
    for number, (line_number, line) in enumerate(rows):
        place = f"{file}: line {line_number}"
        try:
            yield RowValue(load(line), place, number)
        except NotationError as error:
            raise UsageError(f"{place}: {error.message}", hint="one JSON object per line") from None


def _of_file(path: Path, number: int) -> RowValue:
    if not path.is_file():
        raise FileProblem(f"{path}: no such file", hint=look_alike(path))
    try:
        value = load(read_text(path))
    except NotationError as error:
        raise UsageError(f"{path}: line {error.line or 1}: {error.message}") from None
    names = {"scenario": path.resolve().parent.name, "id": path.stem}
    return RowValue({**names, **value} if isinstance(value, dict) else value, str(path), number)


def sample_from(value: object, place: str, number: int, *, needs_prompt: bool = True) -> FormulaSample:
    """Return the sample of a row. ``UsageError`` names the place and the invalid field."""
    row = row_from(value, place)
    if needs_prompt and not row.prompt.strip():
        hint = "write the instruction for the formula; tsgkit score does not need one"
        raise UsageError(f"{place}: prompt: it is empty", hint=hint)
    try:
        formula = parse(row.dsl)
        if row.scenario == KNOLLING:
            refuse_unjudgeable(formula)  # predicates that a layout cannot decide
        elif free := sorted(variable.name for variable in free_variables(formula)):
            raise UsageError(f"nothing binds {', '.join(free)}", hint="write a quantifier around the formula")
        cnf = row.cnf if row.cnf is not None else clause_form(formula, official=True).text
        k = row.k if row.k is not None else clause_form(formula, official=True).k
    except TsgkitError as problem:
        raise UsageError(f"{place}: dsl: {problem}", hint=problem.hint) from None
    classes = object_classes(formula) if row.object_classes is None else dict.fromkeys(row.object_classes)
    item_id = "" if row.item_id is None else str(row.item_id)
    name = str(item_id.removeprefix(f"{row.scenario}/") or number if row.id is None else row.id)
    return FormulaSample(
        item_id=item_id or f"{row.scenario}/{name}",
        scenario=row.scenario,
        number=name,
        prompt=row.prompt,
        dsl=row.dsl,
        formula=formula,
        k=k,
        classes=tuple(classes),
        cnf=cnf,
    )


def row_from(value: object, place: str) -> FormulaRow:
    """Validate a JSON value as a row."""
    if not isinstance(value, dict):
        raise UsageError(f"{place}: expected an object, found {kind_of(value)}", hint=HINT)
    try:
        return FormulaRow.model_validate(value)
    except ValidationError as error:
        raise UsageError(f"{place}: {first_fault(error)}", hint=HINT) from None
