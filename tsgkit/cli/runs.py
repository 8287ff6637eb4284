"""List, show, merge and pack runs.

tsgkit runs list
tsgkit runs show runs/rules-tsg-0123456789abcdef
tsgkit runs merge runs/mine.shard-* -o runs/mine
tsgkit runs pack runs/mine -o mine.zip                one file that opens anywhere: tsgkit runs unpack mine.zip
tsgkit runs show runs/mine --script said.jsonl      what was said, to be edited and asked again with script:said.jsonl
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tsgkit.cli.options import add_options
from tsgkit.cli.parser import refuse_options
from tsgkit.cli.terminal import complain, count, inert, say, say_json, say_lines, screen
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD
from tsgkit.interface.options import RescoreOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verbs of this command."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="the runs in a folder")
    listing.add_argument("folder", nargs="?", type=Path, default=Path("runs"), metavar="DIR", help="default: runs")
    show = verbs.add_parser("show", help="what a run asked, how far it is, its table")
    show.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    add_options(show, RescoreOptions, until="data")
    about = "write all replies as a script, item by item, by label"
    show.add_argument("--script", type=Path, metavar="FILE", help=about)
    show.add_argument("--force", action="store_true", help="with --script: replace what lies in the place of FILE")
    show.add_argument("--subject", metavar="NAME", help="with --script: only what was said of this subject")
    merge = verbs.add_parser("merge", help="make shards of a run, of calls or of images one folder")
    merge.add_argument("runs", nargs="+", type=Path, metavar="DIR", help="folders of one plan")
    merge.add_argument("-o", "--out", required=True, type=Path, metavar="ALL", help="the folder to write")
    merge.add_argument("--data", metavar="D", help="where the data of a run lie now, if elsewhere")
    packing = verbs.add_parser("pack", help="write a run as one file, to be sent or kept")
    packing.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    packing.add_argument("-o", "--out", type=Path, metavar="FILE", help="the archive (default: RUN.zip)")
    packing.add_argument("--no-data", action="store_true", help="leave out rows, prompts and references: only hashes")
    packing.add_argument("--force", action="store_true", help="replace what lies in the place of FILE")
    unpacking = verbs.add_parser("unpack", help="make a packed run a folder again")
    unpacking.add_argument("archive", type=Path, metavar="FILE", help="the archive")
    unpacking.add_argument("-o", "--out", type=Path, metavar="DIR", help="the new folder (default: runs/ and its name)")
    for verb in (listing, show, merge, packing, unpacking):
        verb.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    verbs = {"list": _list, "show": _show, "merge": _merge, "pack": _pack, "unpack": _unpack}
    return verbs[arguments.verb](arguments)


def _list(arguments: argparse.Namespace) -> int:
    from tsgkit.runs.run_list import runs_in

    runs, problems = runs_in(arguments.folder)
    for problem in problems:
        complain(problem.message, problem.hint)
    code = FINISHED_WITH_ERRORS if problems else GOOD
    if arguments.json:
        say_json({"runs": runs})
        return code
    if not runs and not problems:
        folder = inert(str(arguments.folder))
        say(f"no runs in {folder}" if arguments.folder.is_dir() else f"there is no folder {folder}")
    rows = []
    for run in runs:  # folder, date, progress, subjects, tasks, styles
        progress = "complete" if run["recorded"] >= run["samples"] else f"{run['recorded']:,} of {run['samples']:,}"
        if silent := run["never_answered"]:
            progress += ", never answered" if silent == run["models"] else f", {', '.join(silent)} never answered"
        ways = [] if all(model.startswith("baseline/") for model in run["models"]) else list(run["styles"])
        ways += [f"{name} {run[name]}" for name in ("limit", "first", "shard") if run[name]]
        start = run["begun"][:16].replace("T", " ")
        cells = (run["run"], start, progress, ", ".join(run["models"]), ", ".join(run["tasks"]), ", ".join(ways))
        rows.append(tuple(map(inert, cells)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return code


def _merge(arguments: argparse.Namespace) -> int:
    from tsgkit.cli.report import say_merged
    from tsgkit.runs.shard_merge import merge

    merged = merge(arguments.runs, arguments.out, arguments.data)
    if arguments.json:
        value = asdict(merged) | {"path": str(merged.path), "complete": merged.complete}
        value["missing"] = [row._asdict() for row in merged.missing]
        value["commands"] = [shlex.join(command) for command in merged.commands]
        say_json(value)
    else:
        folders = count(merged.sources, "folder")
        say(f"{inert(str(merged.path))}: {count(merged.calls, 'record')} of {folders}")
    say_merged(merged)
    return GOOD if merged.complete else FINISHED_WITH_ERRORS


def _pack(arguments: argparse.Namespace) -> int:
    from tsgkit.runs.archives import ENDING, pack

    run: Path = arguments.run
    archive = arguments.out or (run if run.name else run.resolve()).with_name(f"{run.resolve().name}{ENDING}")
    packed = pack(run, archive, data=not arguments.no_data, force=arguments.force)
    if packed.left_out:
        complain(f"left out, as no part of a run: {inert(', '.join(packed.left_out))}")
    if arguments.json:
        say_json(asdict(packed) | {"path": str(packed.path)}, None)
        return GOOD
    size = f"{packed.bytes / 1e6:,.1f} MB" if packed.bytes >= 100_000 else f"{packed.bytes / 1e3:,.1f} kB"
    say(f"{inert(str(packed.path))}: {count(packed.files, 'file')}, {size}")
    if arguments.no_data:
        say("without rows, prompts and references; replies are in it, and may quote them")
    return GOOD


def _unpack(arguments: argparse.Namespace) -> int:
    from tsgkit.runs.archives import ENDING, unpack

    run = arguments.out or Path("runs") / arguments.archive.name.removesuffix(ENDING)
    header = unpack(arguments.archive, run)
    if arguments.json:
        say_json({"path": str(run), "name": header.get("name"), "samples": header.get("samples")}, None)
        return GOOD
    if "plan" not in header:
        say(f"{inert(str(run))}: the calls of {inert(str(header['asked'].get('work')))}")
        return GOOD
    say(f"{inert(str(run))}: {inert(str(header['name']))}, {count(header['samples'], 'sample')}")
    say(f"its table: tsgkit report {inert(shlex.quote(str(run)))}")
    return GOOD


def _show(arguments: argparse.Namespace) -> int:
    from tsgkit.library.files import refuse_to_overwrite, write_text
    from tsgkit.report.results_table import board_lines
    from tsgkit.runs.results import result_value
    from tsgkit.runs.saved_run import open_saved_run
    from tsgkit.runs.script_export import script_lines

    if (script := arguments.script) is not None:
        lines = list(script_lines(arguments.run, arguments.subject))
        text = "".join(f"{line}\n" for line in lines)
        refuse_to_overwrite(script, *arguments.run.iterdir(), force=arguments.force, text=text)
        write_text(script, text)
        file = inert(str(script))
        if arguments.json:
            say_json({"script": str(script), "items": len(lines)}, None)
        else:
            say(f"{file}: replies about {count(len(lines), 'item')}; ask it with script:{file}")
        return GOOD
    refuse_options(arguments, ("subject",), "{} has no use here", "add --script FILE")
    reopened = open_saved_run(arguments.run, arguments.data)
    if arguments.json:
        values = [result_value(row, reopened.states[row.cell], reopened.samples) for row in reopened.results]
        say_json({"run": str(arguments.run), "header": reopened.header, "results": values})
        return GOOD
    say_lines(map(inert, _header_lines(reopened.header)))
    say_lines(board_lines(reopened.results, reopened.prepared, screen()))
    return GOOD


def _header_lines(header: dict[str, Any]) -> Iterator[str]:
    plan = header["plan"]
    yield f"{header['name']}-{header['identity']}, begun {header['begun']}, tsgkit {header['tsgkit']}"
    yield f"  {' '.join(header['command'])}"
    for model, parameters in header["asked"]["models"].items():
        if "endpoint" in parameters:
            sent = header.get("models", {}).get(model, {}).get("sent")
            what = f"sent {sent}" if sent is not None else f"parameters {parameters['parameters']}"
            yield f"  {model} at {parameters['endpoint']}, {what}"
    for task, file in header["data"].items():
        yield f"  {task}: {file}, SHA-256 {header['asked']['data'][task][:16]}"
    seed = plan["seed"]
    seeds = f"seeds {', '.join(map(str, seed))}" if isinstance(seed, list) else f"seed {seed}"
    of = f" of shard {header['shard']}" if "shard" in header else ""
    yield f"  {count(header['samples'], 'sample')}{of}, {seeds}, repeat {plan['repeat']}"
