"""A task of this suite as runs see it: its data, its solvers, its scores.

>>> from tsgkit.library.cards import load_card
>>> task = TsgTask(load_card("tsg/sgqa"))
>>> len(task.dataset(None)), task.baseline("baseline/rules", seed=0).name
(90, 'baseline')
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.library.catalogue import catalogue
from tsgkit.library.datasets import dataset_file, installed
from tsgkit.library.projects import find, text_of
from tsgkit.scoring.tally import Tally
from tsgkit.suites.solving import family_of
from tsgkit.suites.tsg.cards import check_card
from tsgkit.suites.tsg.dataset import Dataset
from tsgkit.suites.tsg.derived import DERIVATIONS
from tsgkit.suites.tsg.documents import read_document
from tsgkit.suites.tsg.metrics import METRICS, Metric
from tsgkit.suites.tsg.prompt_sets import prompt_set
from tsgkit.suites.tsg.prompting import Prompter, check_disjoint, examples_of, pool_of, style_of
from tsgkit.suites.tsg.samples import TASKS
from tsgkit.suites.tsg.scoreboard import Board, board_of, board_value, tally_for
from tsgkit.suites.tsg.solvers import Baseline, Solver, baseline_of, solver_of


class TsgTask:
    """One task, as a card declares it."""

    def __init__(self, card: Card) -> None:
        self.card = card
        self.kind = check_card(card)

    @property
    def key(self) -> str:
        """The name of its card."""
        return self.card.name

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What it is judged by."""
        return METRICS[self.kind]

    def dataset(self, data: str | None) -> Dataset:
        """The rows of a file, a folder, an installed dataset, or (None) those the card names."""
        return Dataset(self._source(data), self.kind)

    def _source(self, data: str | None) -> Path | Traversable:
        known = {*catalogue(), *(one.name for one in installed())}
        if data is None:
            named = self.card.data
            return dataset_file(named, self._file) if named in known else find("tasks", named)
        path = Path(data)
        if path.is_dir():
            return path / f"{self._file}.jsonl"
        if path.exists() or data not in known:
            return path
        return dataset_file(data, self._file)

    @property
    def _file(self) -> str:
        """The task whose file in a folder or dataset holds the rows: a derived task's first source."""
        return DERIVATIONS[self.kind].sources[0] if self.kind in DERIVATIONS else self.kind

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """A solver, with its prompts where it has none of its own; the pool of examples is held against the data."""
        family = family_of(name)
        if not family.styled:
            return family.solver(name, self.kind, None)
        chosen = style_of(style, shots)
        texts = prompt_set(prompts, self.card)
        if not chosen.shots:
            return solver_of(name, Prompter(self.kind, chosen, texts))
        if self.card.examples is None:
            raise UsageError(f"{self.card.source}: the card names no examples", hint="add a field examples")
        found = find("tasks", self.card.examples)
        pool = read_document(text_of(found), str(found))
        check_disjoint(pool_of(pool, self.kind), dataset)
        examples = examples_of(pool, self.kind, chosen.shots, seed)
        return solver_of(name, Prompter(self.kind, chosen, texts, examples))

    def baseline(self, subject: str, seed: int) -> Baseline:
        """A subject that asks nobody."""
        return baseline_of(subject, seed)

    def tally(self) -> Tally:
        """An empty tally of its metrics."""
        return tally_for(self.kind)

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """The values of a tally, of these metrics (None: all)."""
        return board_of(tally, self.kind, seed, style=solver.style, unpublished=solver.unpublished, only=only)

    def board_value(self, board: Board) -> dict[str, object]:
        """The JSON value of a board."""
        return board_value(board)


def kinds_of(file: Path) -> tuple[str, ...]:
    """The tasks whose rows a file holds, by its first row, or a folder, by its files; none where it cannot be told."""
    from tsgkit.errors import NotationError
    from tsgkit.graph.notation.json_triplets import load
    from tsgkit.suites.tsg.rows import row_kind

    if file.is_dir():
        return tuple(task for task in TASKS if (file / f"{task}.jsonl").exists())
    try:
        with file.open(encoding="utf-8-sig") as lines:
            value = load(next((line for line in lines if line.strip()), "null"))
    except (OSError, UnicodeDecodeError, NotationError):
        return ()
    kind = row_kind(value)
    if kind == "sgg" and isinstance(value, dict):
        return ("sa-sgg",) if len(value.get("graphs", ())) == 1 else ("ma-sgg",)
    return tuple(task for task, of in TASKS.items() if of == kind)
