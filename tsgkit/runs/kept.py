"""Copies of what a run asked, in its folder, which can so be read anywhere: cards, prompts, the plan, and the rows.

``asked/`` in a run folder is a small project:

``tasks/SUITE/TASK.yaml``   the cards, as they were
``prompts/``                the parts of the prompts; those of several ``--prompts`` in ``prompt-sets/NAME``
``eval/plans/run.yaml``     the plan
``rows/SUITE/TASK.jsonl``   the rows that were asked, as they were; with ``--no-data`` only their hashes are kept
``items/SUITE/TASK.jsonl``  ids, clusters and groups; with questions and references, if the task's code is not ours
``asked.json``              how each task is shown where its code is not here, and the hashes of the rows
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from pydantic import ValidationError

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.library.cards import Card, card_from, declared, load_card
from tsgkit.library.files import read_text, write_text
from tsgkit.library.projects import find, search_path, text_of
from tsgkit.llm.user_code import LOADED_FILES
from tsgkit.runs.journal import KEPT
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import RunSetup
from tsgkit.suites.judgement import error_in_words
from tsgkit.suites.recorded_task import description_of, metrics_of, recorded_items, recorded_task
from tsgkit.suites.rows import Dataset, Items
from tsgkit.suites.solvers.prompt_files import SHARED
from tsgkit.suites.suite import code_of, task_of
from tsgkit.suites.task import Task, with_parts

ASKED = "asked"
MANIFEST = "asked.json"
FORMAT = 1
OURS = "tsgkit"
CHANGED_FILE = "the file was changed by hand; name the data: --data D, or unpack the run again"
NAME = r"[^\s./\\:*?\"<>|][^/\\:*?\"<>|\x00-\x1f]*"
TASK = re.compile(rf"{NAME}(/{NAME})+")
INSIDE = re.compile(rf"(rows|items)(/{NAME})+\.jsonl?")


class NamedData(NamedTuple):
    """The data of a task as the run names them."""

    file: str
    sha256: str


def keep(prepared: RunSetup, path: Path, *, rows: bool) -> None:
    """Write what a run keeps into its folder; ``rows`` says whether the rows themselves are kept."""
    home = path / ASKED
    described = {name: _kept_task(home, *items, rows=rows) for name, items in prepared.items.items()}
    _keep_prompts(home, prepared)
    usual = Plan().model_dump(mode="json")
    settings = {name: value for name, value in prepared.plan.model_dump(mode="json").items() if value != usual[name]}
    plan: Any = prepared.secrets.redact_value({"title": prepared.name, **settings})
    _write(home / "eval/plans/run.yaml", declared(plan))
    ways = {_way(row.cell.task, row.solver.name, row.solver.style): row.solver.unpublished for row in prepared.rows}
    value = {
        "format": FORMAT,
        "code": list(LOADED_FILES),
        "tasks": described,
        "unpublished": dict(sorted(ways.items())),
    }
    write_text(home / MANIFEST, json.dumps(prepared.secrets.redact_value(value), indent=2) + "\n")


def keeps_rows(path: Path) -> bool:
    """Return whether a run keeps its rows."""
    return any(task.get("rows") for task in kept_in(path).value["tasks"].values())


def _kept_task(home: Path, task: Task, dataset: Dataset, numbers: Sequence[int], *, rows: bool) -> dict[str, Any]:
    described = description_of(task, dataset)
    if task.card.source != task.key:  # that of a task made in a program has no file
        _write(home / f"tasks/{task.key}.yaml", text_of(find("tasks", f"{task.key}.yaml")))
    described["rows"] = _keep_rows(home, task, dataset, numbers) if rows else None
    if described["rows"] is None or task.package != OURS:
        lines = (_item_line(task, dataset, number, shown=rows) for number in numbers)
        described["items"] = _keep_lines(home, f"items/{task.key}.jsonl", lines)
    if described["rows"] is None or "ids" in described["rows"]:
        described["numbers"] = list(numbers)
    return described | {"package": task.package, "code": [file] if (file := code_of(task.key)) else []}


def _item_line(task: Task, dataset: Dataset, number: int, *, shown: bool) -> str:
    """Return what is kept of an item where its row alone cannot show it, or is not kept: then the hash of its row."""
    sample = dataset.sample(number)
    groups = {name: list(members) for name, members in sample.groups.items()}
    value = {"item_id": sample.item_id, "cluster": sample.cluster, "groups": groups}
    if shown:
        for name, words in (("question", task.view.question), ("reference", task.view.reference)):
            try:
                value[name] = words(sample)
            except Exception as error:  # noqa: BLE001 - code of users and suites fails in every way there is
                value[name] = f"(not shown: {error_in_words(error, task)})"
    elif row := "".join(dataset.written([number])):
        value["sha256"] = hashlib.sha256(row.encode("utf-8", "surrogatepass")).hexdigest()
    return json.dumps(value) + "\n"


def _keep_rows(home: Path, task: Task, dataset: Dataset, numbers: Sequence[int]) -> dict[str, Any] | None:
    """Keep the rows of the chosen items; all rows, where these alone would be read as other items."""
    name = f"rows/{task.key}{dataset.ending}"
    if len(numbers) < len(dataset):
        kept = _keep_lines(home, name, dataset.written(numbers))
        if kept is not None and _has_same(task, home / name, dataset, numbers):
            return kept | {"ids": [dataset.item_ids[number] for number in numbers]}
    return _keep_lines(home, name, dataset.written(range(len(dataset))))


def _has_same(task: Task, file: Path, dataset: Dataset, numbers: Sequence[int]) -> bool:
    """Return whether these samples of a dataset are found in a file of rows as they were."""
    try:
        found = task.dataset(str(file))
    except TsgkitError:
        return False
    places = {item_id: position for position, item_id in enumerate(found.item_ids)}
    if not all(dataset.item_ids[number] in places for number in numbers):
        return False
    pairs = ((dataset.sample(number), found.sample(places[dataset.item_ids[number]])) for number in numbers)
    return all((first.cluster, first.groups) == (second.cluster, second.groups) for first, second in pairs)


def _keep_lines(home: Path, name: str, pieces: Iterable[str]) -> dict[str, Any] | None:
    """Write a file piece by piece; None where there is nothing to write."""
    file = home / name
    new_file = file.with_name(f".{file.name}.new")  # the rows may be read from the file that they replace
    digest, written = hashlib.sha256(), False
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with new_file.open("wb") as stream:
            for piece in pieces:
                data, written = piece.encode("utf-8", "surrogatepass"), True
                digest.update(data)
                stream.write(data)
        if written:
            new_file.replace(file)
    except OSError as error:
        raise FileProblem(f"{file}: cannot be written: {error.strerror}", hint=KEPT) from None
    finally:
        new_file.unlink(missing_ok=True)
    if not written:
        return None
    return {"file": name, "sha256": digest.hexdigest()}


def _keep_prompts(home: Path, prepared: RunSetup) -> None:
    """Keep the parts of prompts that models are asked with, and the worked examples that are shown."""
    sets = prepared.plan.prompt_names
    places = dict[str, None]()
    for row in prepared.rows:
        if "prompts" in row.depends:
            parts = row.task.card.prompts
            places |= dict.fromkeys((parts, str(PurePosixPath(parts).parent / SHARED)))
    for number, (name, folder) in enumerate(sets.items(), 1):
        safe = re.sub(r"[^\w-]", "-", name)
        room = home / "prompts" if len(sets) == 1 else home / "prompt-sets" / f"{number}-{safe}"
        folders = () if folder is None else (Path(folder),)
        for subfolder in places:
            for part in sorted(_parts_in(subfolder, folders)):
                _write(room / subfolder / part, text_of(find("prompts", f"{subfolder}/{part}", folders)))
    for card in {row.task.key: row.task.card for row in prepared.rows if "shots" in row.depends}.values():
        if card.examples is not None:
            _write(home / "tasks" / card.examples, text_of(find("tasks", card.examples)))


def _parts_in(subfolder: str, folders: Sequence[Path]) -> set[str]:
    """Return the names of the parts of prompts at a place of the search path."""
    above = [folder.joinpath(*subfolder.split("/")) for folder in search_path("prompts", folders)]
    return {file.name for folder in above if folder.is_dir() for file in folder.iterdir() if file.name.endswith(".txt")}


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise FileProblem(f"{file}: cannot be written: {error.strerror}", hint=KEPT) from None


def _way(task: str, solver: str, style: str) -> str:
    return f"{task} {solver} {style}"


@dataclass(frozen=True)
class Kept:
    """The copies in a run folder, opened for reading."""

    home: Path
    value: Mapping[str, Any]

    def described(self, name: str) -> Mapping[str, Any]:
        """Return the description of a task."""
        dataset = self.value["tasks"].get(name)
        if dataset is None:
            raise FileProblem(f"{self.home / MANIFEST}: tasks: there is no {name}", hint=CHANGED_FILE)
        described: Mapping[str, Any] = dataset
        return described

    def card(self, name: str) -> Card:
        """Return the card of a task as it was."""
        file = self.home / f"tasks/{name}.yaml"
        return card_from(read_text(file), name, str(file)) if file.is_file() else self._told_card(name)

    def _told_card(self, name: str) -> Card:
        try:
            return Card.model_validate(self.described(name)["card"])
        except (ValidationError, KeyError):
            raise FileProblem(f"{self.home / MANIFEST}: tasks: {name}: not a card", hint=CHANGED_FILE) from None

    def task(self, name: str) -> Task | None:
        """Return a task by its own card, else by that of its name here; None where its code is not here."""
        package = self.described(name).get("package")
        for card in (self.card, load_card) if package else (load_card,):
            with suppress(UsageError):
                return task_of(card(name))
        return None

    def lacking(self, name: str) -> str:
        """Return what has to be loaded for the code of a task."""
        package = self.described(name).get("package")
        files = self.value.get("code", ()) if package else self.described(name).get("code", ())
        if package and package != OURS:
            return f"the package {package} is not installed"
        if files:
            return f"its code is not loaded: {' '.join(f'--code {file}' for file in files)}"
        return "its code is not here: the program that defined it has to do so first"

    def unpublished(self, task: str, solver: str, style: str) -> str:
        """Return why official figures did not apply."""
        return str(self.value["unpublished"].get(_way(task, solver, style), ""))

    def rows(self, name: str, task: Task, asked: NamedData) -> Dataset | None:
        """Return the rows that were asked; None where they were not kept."""
        file = self._checked(self.described(name).get("rows"))
        if file is None:
            return None
        dataset = task.dataset(str(file))
        dataset.file, dataset.sha256 = asked.file, asked.sha256
        return dataset

    def chosen(self, name: str, dataset: Dataset) -> Sequence[int] | None:
        """Return the items that were asked of rows that were chosen from others; None where all rows were kept."""
        rows = self.described(name).get("rows")
        ids = rows.get("ids") if isinstance(rows, dict) else None
        if not isinstance(ids, list):
            return None
        places = {item_id: position for position, item_id in enumerate(dataset.item_ids)}
        return [places[item_id] for item_id in ids if item_id in places]

    def numbers(self, name: str, dataset: Dataset) -> dict[str, int] | None:
        """Return the places in the data of the items that were asked, by id; None where all rows were kept, none where
        the places were not.
        """
        described = self.described(name)
        rows, numbers = described.get("rows"), described.get("numbers")
        ids = rows.get("ids") if isinstance(rows, dict) else list(dataset.item_ids)
        if not isinstance(ids, list):
            return None
        if isinstance(numbers, list) and len(numbers) == len(ids) and all(type(number) is int for number in numbers):
            return dict(zip(ids, numbers, strict=True))
        return {}

    def items(self, name: str, asked: NamedData) -> Items | None:
        """Return the items as they are described; None where they are not."""
        file = self._checked(self.described(name).get("items"))
        if file is None:
            return None
        try:
            values = [json.loads(line) for line in read_text(file).split("\n") if line]
            return recorded_items(asked.file, asked.sha256, values)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise FileProblem(f"{file}: not items of a run", hint=CHANGED_FILE) from None

    def shown_task(self, name: str) -> Task:
        """Return a task by which results are shown, without its data."""
        dataset = self.task(name)
        if dataset is None:
            return self.recorded_task(name, Items("", "", ()), self.lacking(name))
        return self.with_recorded_metrics(name, dataset)[0]

    def recorded_task(self, name: str, items: Items, lacking: str) -> Task:
        """Return a task that shows what was recorded."""
        try:
            return recorded_task(self._told_card(name), self.described(name), items, lacking)
        except (KeyError, TypeError, ValueError):
            raise FileProblem(f"{self.home / MANIFEST}: tasks: {name}: not a task", hint=CHANGED_FILE) from None

    def with_recorded_metrics(self, name: str, task: Task) -> tuple[Task, str]:
        """Return a task with the metrics that only code of the user's can compute, and their names."""
        try:
            described, card = metrics_of(self.described(name)), self.described(name)["card"].get("sha256")
        except (KeyError, TypeError, ValueError, AttributeError):
            hint = f"use the version that wrote it; or {CHANGED_FILE}"
            raise FileProblem(f"{self.home / MANIFEST}: tasks: {name}: not a task", hint=hint) from None
        missing = {metric: first for metric, first in described.items() if metric not in task.metrics}
        if not missing or card != task.card.sha256:
            return task, ""
        return with_parts(task, metrics={**task.metrics, **missing}), ", ".join(missing)

    def _checked(self, entry: object) -> Path | None:
        """Return a file whose content is what was kept."""
        if entry is None:
            return None
        name = entry.get("file") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(name, str) or not INSIDE.fullmatch(name):
            raise FileProblem(f"{self.home / MANIFEST}: no name of a file of rows", hint=CHANGED_FILE)
        file = self.home / name
        try:
            with file.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise FileProblem(f"{file}: cannot be read: {error.strerror}", hint=CHANGED_FILE) from None
        if digest != entry.get("sha256"):
            raise FileProblem(f"{file}: not the rows that were kept", hint=CHANGED_FILE)
        return file


def kept_in(path: Path) -> Kept:
    """Return what a run folder keeps; ``FileProblem`` where it keeps nothing."""
    file = path / ASKED / MANIFEST
    if not file.is_file():
        raise FileProblem(f"{file}: no such file", hint="copy the whole folder, or give the command of the run again")
    try:
        value = json.loads(read_text(file))
    except (ValueError, RecursionError):
        raise FileProblem(f"{file}: not JSON", hint=CHANGED_FILE) from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise UsageError(f"{file}: another format than {FORMAT}", hint="use the version that wrote it")
    tasks, ways = value.get("tasks"), value.get("unpublished")
    if (
        not isinstance(tasks, dict)
        or not isinstance(ways, dict)
        or not all(TASK.fullmatch(name) and isinstance(task, dict) for name, task in tasks.items())
    ):
        raise FileProblem(f"{file}: not what a run has there", hint=CHANGED_FILE)
    return Kept(path / ASKED, value)


def without_rows(prepared: RunSetup, kept: Kept) -> Iterator[tuple[str, str]]:
    """Yield what is left of what a run keeps when its rows are taken away: names of files, and their texts."""
    tasks = {}
    for name, (task, dataset, numbers) in prepared.items.items():
        lines = "".join(_item_line(task, dataset, number, shown=False) for number in numbers)
        file = {"file": f"items/{name}.jsonl", "sha256": hashlib.sha256(lines.encode()).hexdigest()}
        yield file["file"], lines
        places = {} if name in prepared.numbers_in_data else {"numbers": list(numbers)}
        tasks[name] = {**places, **kept.described(name), "rows": None, "items": file}
    yield MANIFEST, json.dumps({**kept.value, "tasks": tasks}, indent=2) + "\n"


def unite(folders: Sequence[Path], new_file: Path) -> None:
    """Copy what parts of one run keep into a new folder: the rows of a part that has them, and the ways of all."""
    keeping = sorted(folders, key=keeps_rows, reverse=True)
    try:
        shutil.copytree(keeping[0] / ASKED, new_file / ASKED)
    except OSError as error:
        raise FileProblem(f"{new_file}: cannot be written: {error.strerror}", hint=KEPT) from None
    values = [kept_in(path).value for path in keeping]
    ways = {way: why for value in values for way, why in value["unpublished"].items()}
    value = {**values[0], "unpublished": dict(sorted(ways.items()))}
    write_text(new_file / ASKED / MANIFEST, json.dumps(value, indent=2) + "\n")
