"""Summary of merged folders, and runs given as shards."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tsgkit.cli.terminal import complain, count, inert

if TYPE_CHECKING:
    from tsgkit.runs.shard_merge import Merged

SHOWN = 10


def say_merged(merged: Merged) -> None:
    """Print what is missing, and what differs between the folders."""
    for problem in merged.problems[:SHOWN]:
        complain(problem)
    if merged.conflicts:
        several = count(merged.conflicts, "call was", "calls were")
        complain(f"{several} answered differently in several folders, as {inert(merged.example)}",
                 "the record with the smaller hash was taken")  # fmt: skip
    for one in merged.missing[:SHOWN]:
        complain(f"missing: {inert(one.title)}: {one.samples:,} of {count(one.total, 'sample')}")
    if len(merged.missing) > SHOWN:
        complain(f"and {len(merged.missing) - SHOWN} more rows")
    if merged.lacking:
        complain(f"shards that were not given: {', '.join(merged.lacking)}")
    for command in merged.commands[:SHOWN]:
        complain(f"to do what is missing: {inert(command[0] if len(command) == 1 else shlex.join(command))}")


@contextmanager
def shards_united(arguments: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Take the shards of one run among ``runs`` as one run, wherever the arguments name them.

    The result is the path at which the merged run would be beside its shards; the merged run exists while the block
    runs.
    """
    from tsgkit.runs.shard_merge import united
    from tsgkit.runs.shards import whole_of

    with united(arguments.runs, arguments.data) as (paths, merged):
        for one in merged:
            complain(f"{count(one.sources, 'shard is', 'shards are')} taken as one run: {one.path.name}")
            say_merged(one)
        known = {str(path): str(place) for path, place in paths.items()}
        if (baseline := getattr(arguments, "baseline", None)) is not None:
            arguments.baseline = known.get(str(baseline), baseline)
        once = {one.path for one in merged}
        chosen = [paths[path] for path in arguments.runs]
        arguments.runs = [path for number, path in enumerate(chosen) if path not in once or path not in chosen[:number]]
        yield {str(place): str(whole_of(path)) for path, place in paths.items() if place != path}
