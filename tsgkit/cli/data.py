"""List the datasets that are known, fetch one, or import a copy you have. They are kept on this machine, in
$TSGKIT_DATA_HOME, else $XDG_DATA_HOME/tsgkit/data, else ~/.local/share/tsgkit/data.

An interrupted download resumes when the same command is given again. Every file is checked against the published
checksum, and row by row. Existing rows of yours are replaced with --force only.

  tsgkit data list
  tsgkit data get tsg-bench
  tsgkit data get tsg-bench --from https://mirror.example
  tsgkit data get hf://OWNER/NAME@REVISION
  tsgkit data import tsg-bench checkout-of-its-repository
  tsgkit data import tsg-bench sgqa.jsonl my-selection.jsonl
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from tsgkit.cli.terminal import DownloadProgress, count, inert, say, say_json, size_of
from tsgkit.errors import GOOD, Interrupted, UsageError
from tsgkit.library.hub import is_hub

if TYPE_CHECKING:
    from tsgkit.graph.rules import Finding
    from tsgkit.library.datasets import StoredFile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verbs of ``tsgkit data`` and their options."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="which datasets are known, and which are on this machine")
    get = verbs.add_parser("get", help="fetch a dataset from where it is published")
    about = "a dataset, as tsgkit data list names it, or hf://OWNER/NAME[@REVISION]"
    get.add_argument("name", metavar="NAME", help=about)
    about = "fetch from this base address (default: $TSGKIT_SOURCE, if set)"
    get.add_argument("--from", dest="source", metavar="URL", help=about)
    get.add_argument("--quiet", action="store_true", help="no progress on standard error")
    take = verbs.add_parser("import", help="copy a dataset, or a file of one, from this machine")
    take.add_argument("name", metavar="NAME", help="a dataset, as tsgkit data list names it")
    take.add_argument("sources", nargs="+", metavar="DIR_OR_FILE", help="a folder that holds its files, or the files")
    for verb in (get, take):
        verb.add_argument("--force", action="store_true", help="replace other rows that lie in the place of these")
    for verb in (listing, get, take):
        verb.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    if arguments.verb == "list":
        return _list(arguments.json)
    if is_hub(arguments.name):
        return _hub(arguments)
    from tsgkit.suites.importers import importer_of, intake_value

    importer = importer_of(arguments.name)
    if arguments.verb == "import":
        intake = importer.import_dataset(arguments.name, *arguments.sources, force=arguments.force)
    else:
        progress = DownloadProgress()
        watch = None if arguments.quiet else progress
        try:
            intake = importer.get_dataset(arguments.name, arguments.source, watch, force=arguments.force)
        except KeyboardInterrupt:
            hint = "what has come is kept; the same command goes on from there"
            raise Interrupted("interrupted", hint=hint) from None
        finally:
            progress.end()
    if arguments.json:
        say_json(intake_value(intake))
        return GOOD
    dataset, known = intake.dataset, intake.dataset.known
    say(f"{dataset.name}: {inert(str(dataset.folder))}")
    for arrival in intake.arrivals:
        inspection = arrival.inspection
        say(f"  {_described(arrival.stored)}{' (there already)' if inspection is None else ''}")
        if before := arrival.replaced:
            say(f"    in place of {count(before.rows, 'row')} from {inert(before.origin)}")
        if inspection is None:
            continue
        if inspection.problem:
            say(f"    it cannot be used as it is: {inert(inspection.problem)}")
        first: dict[str, Finding] = {}
        for finding in inspection.findings:
            first.setdefault(finding.code, finding)
        for code, number in inspection.counts.items():
            place = f", first on line {line}" if (line := first[code].place.line) else ""
            say(f"    {first[code].severity} {code} ({number}{place}): {inspection.rules[code].meaning}")
    if dataset.missing:
        say(f"  missing: {', '.join(dataset.missing)}")
    if known:
        say(f"  {known.licence}")
    return GOOD


def _hub(arguments: argparse.Namespace) -> int:
    """Fetch the rows of a dataset of the hub, so that they can be used without a network."""
    from tsgkit.library.hub import hub_name, snapshot
    from tsgkit.library.row_sources import rows_below

    if arguments.verb == "import" or arguments.source:
        option = "import takes files of this machine" if arguments.verb == "import" else "--from is for published data"
        raise UsageError(f"{arguments.name}: {option}", hint="HF_ENDPOINT names another hub")
    dataset = snapshot(hub_name(arguments.name))
    wanted = set(rows_below([file.path for file in dataset.files], dataset.name.path, str(dataset.name)))
    files = [(file, dataset.fetch(file)) for file in dataset.files if file.path in wanted]
    if arguments.json:
        listed = [{**file.model_dump(), "file": str(path)} for file, path in files]
        say_json({"name": str(dataset.name), "files": listed})
        return GOOD
    say(inert(str(dataset.name)))
    for file, path in files:
        say(f"  {inert(file.path)}: {size_of(file.size)}, {file.check[:19]}: {inert(str(path))}")
    if dataset.refused:
        say(f"  {count(dataset.refused, 'file')} left out: their names are no plain paths")
    return GOOD


def _list(as_json: bool) -> int:
    from tsgkit.library.datasets import dataset_value, datasets, shipped
    from tsgkit.library.hub import known_datasets
    from tsgkit.user_folders import data_home

    hub, bundled = known_datasets(), shipped()
    if as_json:
        value = {"data_home": str(data_home()), "datasets": [dataset_value(dataset) for dataset in datasets()]}
        say_json(value | {"bundled": [asdict(file) for file in bundled], "hub": hub})
        return GOOD
    say(f"datasets on this machine are in {inert(str(data_home()))}")
    for dataset in datasets():
        state = "complete" if dataset.is_complete else "in part" if dataset.files else "not on this machine"
        say(f"\n{inert(dataset.name)}: {state}")
        if known := dataset.known:
            source = f"from {known.repository}, commit {known.commit[:12]}" if known.base else "from a copy of yours"
            say(f"  {known.about}\n  {source}\n  {known.licence}")
        for stored in dataset.files:
            say(f"  {_described(stored)}: {inert(str(dataset.folder / stored.name))}")
        if dataset.missing:
            get = "get {0}, or tsgkit data import" if known is None or known.base else "import {0} FILE"
            say(f"  missing: {', '.join(dataset.missing)} (tsgkit data {get.format(dataset.name)})")
    for name, commits in hub.items():
        say(f"\nhf://{inert(name)}: from the hub, at {count(len(commits), 'commit')}")
        say(f"  {', '.join(commits)}")
    say("\nbundled: small data of our own, used where no others are named")
    names = [f"{file.suite}/{file.task}" for file in bundled]
    for name, file in zip(names, bundled, strict=True):
        of = f"  --data {file.dataset}" if file.dataset else ""
        say(f"  {name:<{max(map(len, names))}} {count(file.rows, 'row')}{of}")
    return GOOD


def _described(file: StoredFile) -> str:
    rows = count(file.rows, "row")
    if file.expected_rows is not None and file.rows != file.expected_rows:
        rows = f"{file.rows:,} of {count(file.expected_rows, 'row')}"
    published = "the published file" if file.official else "not the published file (another checksum)"
    return f"{file.task:<8} {rows}, {f'sha256 {file.sha256[:12]}' if file.official is None else published}"
