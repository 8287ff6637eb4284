"""Analysis from Python: compare, rescore, explain, merge and export runs; audit data; score replies; draw graphs.

>>> from tsgkit.graph import ActionGraph
>>> draw(ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid")), title="Opening").svg[:4]
'<svg'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.graph.drawing import draw_diff, draw_graph, draw_narrative
from tsgkit.graph.edits import diff
from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.interface.arguments import checked_path, listed, text_of
from tsgkit.interface.notebook import Audits, Comparison, Explanation, Grid, Rescored, Scores
from tsgkit.interface.progress import waited_job, watch_of
from tsgkit.interface.run import Run
from tsgkit.library.documents.reader import read_file
from tsgkit.library.overwrites import write_report
from tsgkit.library.row_sources import pinned
from tsgkit.report import comparison
from tsgkit.report import grid as report_grid
from tsgkit.report.audit_report import audits_of
from tsgkit.report.exports import Exported, export_run
from tsgkit.runs import shard_merge
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.suites import suite
from tsgkit.suites.notebook_scene import ShownScene

Place = Run | str | Path


def compare(
    runs: Place | Sequence[Place],
    task: str | Sequence[str] = (),
    *,
    metric: str | None = None,
    profile: str = "strict",
    baseline: Place | None = None,
    by: str | None = None,
    common: bool = False,
    data: str | Path | None = None,
    seed: int = 0,
) -> Comparison:
    """Compare runs, or the rows of one run, item by item: differences, intervals, tests, smallest detectable
    difference.
    """
    settings: dict[str, Any] = {"tasks": listed(task), "metric": metric, "profile": profile, "common": common}
    first = None if baseline is None else str(baseline.path if isinstance(baseline, Run) else baseline)
    settings |= {"data": text_of(data), "seed": seed, "baseline": first, **comparison.by_option(by)}
    return Comparison(**vars(comparison.compare(_paths(runs), **settings)))


def grid(
    runs: Place | Sequence[Place],
    task: str | Sequence[str] = (),
    *,
    metric: str | None = None,
    profile: str = "strict",
    common: bool = False,
    data: str | Path | None = None,
    seed: int = 0,
) -> Grid:
    """Return styles by tasks for every model, with marks where a style is shown to differ from the model's first."""
    settings: dict[str, Any] = {"tasks": listed(task), "metric": metric, "profile": profile, "common": common}
    return Grid(**vars(report_grid.grid(_paths(runs), **settings, data=text_of(data), seed=seed)))


def rescore(
    run: Place, *, data: str | Path | None = None, executor: str | None = None, quiet: bool = False
) -> Rescored:
    """Score every recorded reply of a run again with today's readers and metrics; no model is called."""
    job = Rescoring(_path(run), text_of(data), executor)
    return Rescored(**vars(waited_job(job.acarry_out, watch_of(quiet=quiet))))


def explain(
    run: Place,
    item: str,
    *,
    task: str | None = None,
    subject: str | None = None,
    style: str | None = None,
    solver: str | None = None,
    repeat: int | None = None,
    shots: int | None = None,
    prompts: str | None = None,
    seed: int | None = None,
    data: str | Path | None = None,
) -> Explanation:
    """Explain one item of a run: prompt, reply, reading, scores and reasons."""
    narrowing: dict[str, Any] = {"task": task, "subject": subject, "style": style, "solver": solver}
    narrowing |= {"repeat": repeat, "shots": shots, "prompts": prompts, "seed": seed}
    return Run(_path(run), data).explain(item, **narrowing)


def audit(data: str | Path | None = None, *, task: str | Sequence[str] = (), run: Place | None = None) -> Audits:
    """Return how much of a benchmark can be answered without understanding, and the defects of its items."""
    return Audits(audits_of(text_of(data), listed(task), None if run is None else _path(run)))


def score(
    task: str,
    data: str | Path,
    replies: str | Path,
    *,
    style: str | None = None,
    by: str | Sequence[str] = (),
    seed: int = 0,
    source: str | None = None,
    epoch: int | None = None,
) -> Scores:
    """Score replies to a task that were collected elsewhere; ``UsageError`` where the task takes none.

    ``source`` is ``inspect`` or ``lm-eval`` if ``replies`` is a log of that harness; ``epoch`` chooses one of several
    repetitions in it.
    """
    place = pinned(str(data))
    found = suite.score(task, place, replies, style=style, by=listed(by), seed=seed, source=source, epoch=epoch)
    return Scores(**vars(found), data=place)


def merge(sources: Sequence[Place], output: str | Path, *, data: str | Path | None = None) -> shard_merge.Merged:
    """Merge shards of one run, of calls or of images into one folder; the result names what is missing."""
    if not sources:
        raise UsageError("nothing to merge", hint="name the folders of the shards")
    return shard_merge.merge(_paths(sources), Path(output), text_of(data))


def export(
    run: Run | str | Path, *, to: str, path: str | Path, data: str | Path | None = None, force: bool = False
) -> Exported:
    """Write a run for another tool and return the files: ``to`` is ``inspect``, ``parquet``, ``csv`` or ``jsonl``.

    ``path`` is a folder, or a file where the run gives one. ``force`` replaces files that lie there.
    """
    if not isinstance(to, str):
        raise UsageError(f"to: {to!r:.40} is no name of a format", hint="as in to='parquet'")
    if isinstance(run, Run) and data is None:
        return run.export(to, path, force=force)
    return export_run(_path(run), to, checked_path(path, "path"), data=text_of(data), force=force)


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
    if against is not None and isinstance(what, ActionGraph):
        return Drawing(draw_diff(against, what, diff(against, what, vocabulary).changes, title=title))
    found: Any = what
    if not isinstance(found, ActionGraph):
        kinds = "a graph, a narrative, or the path of a file"
        raise UsageError(f"{type(what).__name__} cannot be drawn", hint=f"give {kinds}")
    return Drawing(draw_graph(found, vocabulary, title=title))


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
    reader = next(suite.loaded(one.scenes) for one in suite.suites() if one.scenes)
    scene: ShownScene = reader(path, assets=assets, missing=missing)
    return scene


def _path(run: Place) -> Path:
    return run.path if isinstance(run, Run) else checked_path(run, "run")


def _paths(runs: Place | Sequence[Place]) -> list[Path]:
    return list(map(_path, runs)) if isinstance(runs, (list, tuple)) else [_path(runs)]  # type: ignore[arg-type]
