"""How much of a benchmark can be answered without understanding, and what is wrong with its items?

  tsgkit audit sgds.jsonl                            a file of rows; the task is told by the rows
  tsgkit audit tsg-bench --task tsg/sgqa             an installed dataset
  tsgkit audit --task tsg/sgds                       the data that come along
  tsgkit audit --run runs/mine                       all tasks of a run
  tsgkit audit sgds.jsonl --run runs/mine -o audit.html

Shortcuts answer without what it takes to know: always the same letter, the longest option, the option most like the
others. Whoever does not beat them has shown nothing. Known halves and kinds of the items (``variation_triplets`` in the
row or not, the only tag of a choice, the kind of a question, k) are audited apart as well. Checks look for slips in the
items. With --run, a run's score is shown without the items that a shortcut answers too, for each shortcut that beats
chance; without --task, for each task of the run. Nobody is asked anything; the exit code does not depend on what is
found.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.terminal import complain, inert, say
from tsgkit.errors import GOOD, FileProblem, UsageError

if TYPE_CHECKING:
    from tsgkit.report.audited import Audited


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument(
        "data", nargs="?", metavar="DATA", help="a file of rows, a folder of them, an installed dataset"
    )
    parser.add_argument("--task", action="append", default=[], metavar="T", help="a task or a suite; repeatable")
    parser.add_argument("--run", type=Path, metavar="RUN", help="show what is left of this run without the shortcuts")
    parser.add_argument("--seed", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="print one JSON object with every slip")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write a report: .md or .html")


def run(arguments: argparse.Namespace) -> int:
    """Audit the data of one task or several."""
    from tsgkit.report.audited import audit_of, audited_value, terminal

    _check_output(arguments.output)
    if arguments.seed is not None:
        complain("--seed has no effect: intervals are no longer drawn; the option will be removed")
    names = _tasks(arguments)
    audits = [audit_of(name, arguments.data, arguments.run) for name in names]
    if arguments.json:
        say(json.dumps({"audits": [audited_value(found) for found in audits]}, indent=2, ensure_ascii=False))
    elif arguments.output is None:
        say("\n".join(terminal(found) for found in audits).rstrip("\n"))
    if arguments.output is not None:
        _write(arguments.output, audits)
        if not arguments.json:
            say(f"audited: {inert(str(arguments.output))}")
    return GOOD


def _check_output(path: Path | None) -> None:
    if path is not None and path.suffix.lower() not in (".md", ".html", ".htm"):
        raise UsageError(f"{path}: a report is Markdown or HTML", hint="give it a name that ends in .md or .html")


def _tasks(arguments: argparse.Namespace) -> list[str]:
    if arguments.task:
        return _tasks_named(arguments.task)
    asked = _tasks_of_run(arguments.run) if arguments.run is not None else []
    if arguments.data is None:
        if not asked:
            raise UsageError("nothing to audit", hint=f"name a file of rows, or a task; {_auditable_tasks()}")
        return asked
    fitting = _tasks_of_data(arguments.data)
    if shared := [name for name in asked if name in fitting]:
        return shared
    if not fitting:
        hint = f"name the task with --task; {_auditable_tasks()}"
        raise UsageError(f"{arguments.data}: the rows do not tell their task", hint=hint)
    return fitting


def _tasks_named(names: Sequence[str]) -> list[str]:
    """Return the tasks that are named, and of a suite those that can be audited."""
    from tsgkit.suites.suite import tasks_named

    tasks: list[str] = []
    for name in names:
        audited = [task for task in tasks_named([name]) if _is_auditable(task)]
        if not audited:
            raise UsageError(f"{name}: it cannot be audited", hint=_auditable_tasks())
        tasks += audited
    return list(dict.fromkeys(tasks))


def _is_auditable(name: str) -> bool:
    from tsgkit.library.cards import load_card
    from tsgkit.suites.suite import task_of
    from tsgkit.suites.task import AuditableTask

    return isinstance(task_of(load_card(name)), AuditableTask)


def _auditable_tasks() -> str:
    from tsgkit.library.cards import card_names

    return f"these can be audited: {', '.join(filter(_is_auditable, card_names()))}"


def _tasks_of_run(path: Path) -> list[str]:
    """The tasks of a run that can be audited."""
    from tsgkit.runs.folder import read_header

    if audited := [name for name in read_header(path)["plan"]["tasks"] if _is_auditable(name)]:
        return audited
    raise UsageError(f"{path}: none of its tasks can be audited", hint=_auditable_tasks())


def _tasks_of_data(data: str) -> list[str]:
    """The tasks whose rows a file, a folder or an installed dataset holds."""
    from tsgkit.library.cards import card_names
    from tsgkit.library.catalogue import catalogue
    from tsgkit.library.datasets import installed
    from tsgkit.library.files import look_alike
    from tsgkit.suites.suite import tasks_of_rows

    path = Path(data)
    if path.exists():
        return list(tasks_of_rows(path))
    datasets = {one.name: one for one in installed()}
    if data in datasets and (found := datasets[data]).known is not None:
        names = [f"{found.known.suite}/{file.task}" for file in found.files]
        return [name for name in names if name in card_names()]
    if data in (known := catalogue()):
        hint = f"tsgkit data get {data}, or from a copy on this machine: tsgkit data import {data} DIR"
        raise UsageError(f"{known[data].name} is not on this machine", hint=hint)
    raise FileProblem(f"{path}: no such file or folder, and no installed dataset", hint=look_alike(path))


def _write(path: Path, audits: list[Audited]) -> None:
    from tsgkit.library.files import write_text
    from tsgkit.library.overwriting import refuse_to_replace_data
    from tsgkit.report.audited import as_markdown, as_page

    text = as_markdown(audits) if path.suffix.lower() == ".md" else as_page(audits)
    refuse_to_replace_data(path, text)
    write_text(path, text)
