"""Analysis from Python: compare, rescore, explain, merge and export runs; audit data; score replies; draw graphs.

>>> from tsgkit.graph import ActionGraph
>>> draw(ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid")), title="Opening").svg[:4]
'<svg'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from tsgkit.errors import UsageError
from tsgkit.graph.drawing import draw_diff, draw_graph, draw_narrative
from tsgkit.graph.drawing.svg import Markup
from tsgkit.graph.edits import diff
from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.interface.arguments import checked_path, text_of
from tsgkit.interface.options import (
    CompareOptions,
    ExplainOptions,
    GridOptions,
    LogOptions,
    RescoreOptions,
    settings_of,
    several,
    shows,
)
from tsgkit.interface.progress import waited_job
from tsgkit.interface.run import Explanation, Run, Tabled, written
from tsgkit.lexicon import meant
from tsgkit.library.documents.reader import read_file
from tsgkit.library.files import write_report
from tsgkit.library.row_sources import pinned
from tsgkit.report import comparison, comparison_formats, html
from tsgkit.report import grid as report_grid
from tsgkit.report.audit_report import TaskAudit, audits_of
from tsgkit.report.exports import Exported
from tsgkit.report.figures import percent
from tsgkit.report.plain_text import Foreign, count
from tsgkit.report.results_table import score_lines
from tsgkit.report.table import Line, Table
from tsgkit.runs import rescore_job, shard_merge
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.suites import foreign_replies, suite
from tsgkit.suites.metrics import check_profile
from tsgkit.suites.scoreboard import ScoreReport

if TYPE_CHECKING:
    from tsgkit.report.paper import Figure

Place = str | PathLike[str]
"""A run, or its folder."""
MOST_SHOWN = 10


class ShownScene(Protocol):
    """A furnished room read from a file."""

    @property
    def name(self) -> str:
        """Its name, as its file says it."""

    @property
    def objects(self) -> tuple[str, ...]:
        """The ids of its objects, in the order of the file."""

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems of the file, and the repairs made in reading it."""

    @property
    def findings(self) -> Mapping[str, Any]:
        """The findings of strict: ``objects`` by id, ``openings``, ``navigability``, and ``scores`` as (sum,
        weight)."""

    @property
    def svg(self) -> str:
        """The view from above."""

    def save(self, path: str | Path) -> Path:
        """Write the view from above into a file that ends in ``.svg``."""

    def _repr_svg_(self) -> str: ...


class Comparison(comparison.ComparedRows):
    """All pairs of rows as a table."""

    def _repr_html_(self) -> str:
        return html.fragment(comparison_formats.comparison_document(self))

    def __repr__(self) -> str:
        return "\n".join(comparison_formats.terminal(self))

    def report(self, output: str | Path | None = None, *, format: str | None = None, items: bool = False) -> str:
        """Return the tables that ``tsgkit compare`` writes; ``output`` is a file that they are written into as well."""
        return written(partial(comparison_formats.write, self, with_items=items), output, format, "comparison", "")

    def figure(self, *, items: bool = False) -> Figure:
        """Draw the difference of each pair with its interval, or how many items each got right and wrong."""
        from tsgkit.report.paper import comparison_figure, paired_figure

        return paired_figure(self) if items else comparison_figure(self)


@dataclass(frozen=True, repr=False)
class Grid(report_grid.ResultsGrid):
    """Styles by tasks for every model as a table."""

    def __repr__(self) -> str:
        return comparison_formats.write(self, "terminal")

    def _repr_html_(self) -> str:
        return html.fragment(comparison_formats.grid_document(self))

    def report(self, output: str | Path | None = None, *, format: str | None = None) -> str:
        """Return the table that ``tsgkit compare --grid`` writes; ``output`` is a file that it is written into too."""
        return written(partial(comparison_formats.write, self), output, format, "comparison", "")


@dataclass(frozen=True, repr=False)
class Scores(ScoreReport):
    """Scores of replies collected elsewhere, in both profiles."""

    data: str = ""

    def value(self, metric: str, *, profile: str = "strict") -> float | None:
        """Return one figure; None if no item counts in the profile, ``UsageError`` for an unknown name."""
        check_profile(profile)
        board = self.board.profiles[profile] or {}
        if metric not in board:
            raise UsageError(f"{self.task} has no metric {metric} in {profile}", hint=meant(metric, board))
        return None if (value := board[metric]) is None else value.value

    def __repr__(self) -> str:
        return "\n".join(score_lines(self, self.data))


class Audits(tuple[TaskAudit, ...]):
    """Audits of several tasks, one after the other."""

    def __repr__(self) -> str:
        return "\n\n".join(map(str, self))

    def _repr_html_(self) -> str:
        return Markup("".join(audit._repr_html_() for audit in self))


class Rescored(Tabled, rescore_job.RescoredRun):
    """The results of a run before and after rescoring, with the changes."""

    @property
    def table(self) -> Table:
        """Every metric of strict that changed, and every sample that is read differently."""
        changed: list[tuple[str, ...]] = []
        for old, new in zip(self.before, self.after, strict=True):
            before, after = (result.board.profiles["strict"] or {} for result in (old, new))
            changed += [
                (Foreign(new.cell.title), name, percent(before.get(name)), percent(after.get(name)))
                for name in dict.fromkeys([*before, *after])
                if before.get(name) != after.get(name)
            ]
        notes: list[Line] = [(f"{count(len(self.reread), 'sample')} read differently",)]
        for sample in self.reread[:MOST_SHOWN]:
            readings = (f"{outcome} {answer!r:.60}" for outcome, answer in (sample.before, sample.after))
            notes.append((Foreign(f"{sample.item_id} ({sample.cell.title}): {' -> '.join(readings)}"),))
        title = f"{count(len(self.after), 'row')} scored again, {count(len(changed), 'value')} changed"
        return Table((title,), ("row", "metric", "was", "is"), tuple(changed), tuple(notes), words=2)


@shows(CompareOptions)
def compare(
    runs: Place | Sequence[Place], task: str | Sequence[str] = (), **options: Unpack[CompareOptions]
) -> Comparison:
    """Compare runs, or the rows of one run, item by item: differences, intervals, tests, smallest detectable
    difference.
    """
    settings = settings_of(options, CompareOptions)
    return Comparison(**vars(comparison.compare(_paths(runs), tasks=several(task), **settings)))


@shows(GridOptions)
def grid(runs: Place | Sequence[Place], task: str | Sequence[str] = (), **options: Unpack[GridOptions]) -> Grid:
    """Return styles by tasks for every model, with marks where a style is shown to differ from the model's first."""
    return Grid(**vars(report_grid.grid(_paths(runs), tasks=several(task), **settings_of(options, GridOptions))))


@shows(RescoreOptions)
def rescore(run: Place, **options: Unpack[RescoreOptions]) -> Rescored:
    """Score every recorded reply of a run again with today's readers and metrics; no model is called."""
    settings = settings_of(options, RescoreOptions)
    job = Rescoring(checked_path(run, "run"), settings["data"], settings["executor"])
    return Rescored(**vars(waited_job(job.acarry_out, quiet=settings["quiet"])))


@shows(ExplainOptions)
def explain(run: Place, item: str, **options: Unpack[ExplainOptions]) -> Explanation:
    """Explain one item of a run: prompt, reply, reading, scores and reasons."""
    narrowing: dict[str, Any] = {**options}
    return _opened(run, narrowing.pop("data", None)).explain(item, **narrowing)


def audit(data: str | Path | None = None, *, task: str | Sequence[str] = (), run: Place | None = None) -> Audits:
    """Return how much of a benchmark can be answered without understanding, and the defects of its items."""
    return Audits(audits_of(text_of(data), several(task), None if run is None else checked_path(run, "run")))


@shows(LogOptions)
def score(task: str, data: str | Path, replies: str | Path, **options: Unpack[LogOptions]) -> Scores:
    """Score replies to a task that were collected elsewhere; ``UsageError`` where the task takes none.

    ``source`` is ``inspect`` or ``lm-eval`` if ``replies`` is a log of that harness; ``epoch`` chooses one of several
    repetitions in it.
    """
    settings, place = settings_of(options, LogOptions), pinned(str(data))
    settings["by"] = several(settings["by"])
    return Scores(**vars(foreign_replies.score(task, place, replies, **settings)), data=place)


def merge(sources: Sequence[Place], output: str | Path, *, data: str | Path | None = None) -> shard_merge.Merged:
    """Merge shards of one run, of calls or of images into one folder; the result names what is missing."""
    if not sources:
        raise UsageError("nothing to merge", hint="name the folders of the shards")
    return shard_merge.merge(_paths(sources), Path(output), text_of(data))


def export(run: Place, *, to: str, path: str | Path, data: str | Path | None = None, force: bool = False) -> Exported:
    """Write a run for another tool and return the files: ``to`` is ``inspect``, ``parquet``, ``csv`` or ``jsonl``.

    ``path`` is a folder, or a file where the run gives one. ``force`` replaces files that lie there.
    """
    if not isinstance(to, str):
        raise UsageError(f"to: {to!r:.40} is no name of a format", hint="as in to='parquet'")
    return _opened(run, data).export(to, path, force=force)


@dataclass(frozen=True)
class Drawing:
    """A drawing as SVG."""

    svg: str

    def save(self, path: str | Path) -> Path:
        """Write it into a file."""
        if Path(path).suffix.lower() != ".svg":
            raise UsageError(f"{path}: an image is SVG", hint="give it a name that ends in .svg")
        write_report(path, self.svg)
        return Path(path)

    def __repr__(self) -> str:
        return f"<a drawing of {len(self.svg):,} bytes; .save(path) writes it>"

    def _repr_svg_(self) -> str:
        return self.svg


def draw(
    what: ActionGraph | Narrative | str | Path,
    against: ActionGraph | None = None,
    *,
    vocabulary: Vocabulary | None = None,
    title: str = "",
) -> Drawing:
    """Draw a graph, how it differs from another one, a narrative along time, or the first item of a file."""
    if isinstance(what, (str, Path)):
        document = read_file(str(what))
        if not document.entries:
            raise UsageError(f"{what}: nothing to draw", hint="tsgkit check says what is wrong with it")
        narrative = document.entries[0].narrative
        what = narrative.graphs[0] if len(narrative.graphs) == 1 else narrative
    if isinstance(what, Narrative):
        if against is not None:
            raise UsageError("a narrative is drawn alone", hint="give one of its graphs")
        return Drawing(draw_narrative(what, title=title))
    graph: Any = what
    if not isinstance(graph, ActionGraph):
        hint = "give a graph, a narrative, or the path of a file"
        raise UsageError(f"{type(graph).__name__} cannot be drawn", hint=hint)
    if against is not None:
        return Drawing(draw_diff(against, graph, diff(against, graph, vocabulary).changes, title=title))
    return Drawing(draw_graph(graph, vocabulary, title=title))


def read_scene(
    path: str | Path, *, assets: Mapping[str, str | Path] | Sequence[str] = (), missing: str = "error"
) -> ShownScene:
    """Read a furnished room. In a notebook it shows itself from above, with the findings of strict.

    ``assets`` maps layouts to folders of meshes (``{"hssd": "models"}``). ``missing="box"`` replaces a missing mesh by
    its box. It needs the extra ``scenes``.

        room = tk.read_scene("rooms/scene_3.json")
        room                                        # the view from above
        room.findings["objects"]["bed"]["reasons"]
    """
    reader = next(suite.loaded(each.scenes) for each in suite.suites() if each.scenes)
    scene: ShownScene = reader(path, assets=assets, missing=missing)
    return scene


def _opened(run: Place, data: str | Path | None) -> Run:
    """Return a run; ``data`` overrides the place of its data."""
    return run if isinstance(run, Run) and data is None else Run(run, data)


def _paths(runs: Place | Sequence[Place]) -> list[Path]:
    return [checked_path(run, "run") for run in several(runs)]
