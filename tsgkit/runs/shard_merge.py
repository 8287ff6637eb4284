"""Merging of folders of one plan: shards of a run, of agent calls, or of images.

merged = merge([Path("runs/mine.shard-1-of-2"), Path("runs/mine.shard-2-of-2")], Path("runs/mine"))
merged.missing

Calls are united by key. Of several replies to one call an answer wins over an error, then the line with the smaller
hash, so that the result does not depend on the order of folders or merges. Samples are derived anew. The merged folder
is built beside the target until it is complete.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.library.files import write_text
from tsgkit.library.projects import portable
from tsgkit.llm.door import canonical
from tsgkit.llm.reply import Ending
from tsgkit.replies import READER
from tsgkit.runs.archives import new_run
from tsgkit.runs.batch_journal import unite as unite_batches
from tsgkit.runs.folder import (
    BATCHES,
    CALLS,
    HEADER,
    PROMPTS,
    RECORDS,
    SAMPLES,
    SHARD,
    calls_in,
    differences,
    locked,
    prompts_in,
    read_header,
    samples_in,
)
from tsgkit.runs.image_folder import WORK, copy_images
from tsgkit.runs.journal import Journal, Journals
from tsgkit.runs.kept import keeps_rows, unite
from tsgkit.runs.plan import AXES, WAY, Cell
from tsgkit.runs.results import NOWHERE, states_of
from tsgkit.runs.run_setup import RunSetup
from tsgkit.runs.saved_run import Place, prepared_again, records_from_calls
from tsgkit.runs.shards import WRITTEN, Shard, whole_of
from tsgkit.scoring.pooling import Outcome
from tsgkit.version import __version__

SHARDS = "shards"
"""The field of a header that says which shards are in it, where some are missing."""
OWN = ("--shard", "--out", "-o")
"""Options of a command that select a shard or its folder."""
IN_PYTHON = re.compile(r", (?:shard|out)='[^']*'(?=[,)])")
ANSWERED, FINAL_ERROR, PASSING_ERROR = range(3)
PARTS = (*WAY, *AXES, "sample", "judge", "label", "draw", "body")
"""Fields that identify a call, in the order of merged calls: first those of a row, then the sample."""
OF_SAMPLE = len(WAY) + len(AXES) + 1
TURN = "turn"
"""The field of a merged call that says its place among those of its sample, where its place in the file does not."""
TOLD = ("task", "solver", "style", *AXES, "sample", "label")
TABLES = """
pragma journal_mode = off;
pragma synchronous = off;
create table own (key text primary key, sample text, turn integer, rank integer, line text, said text, source integer,
    place integer);
create index own_sample on own (sample);
create table calls (key text primary key, sample text, turn integer, rank integer, line text, said text, source integer,
    place integer, conflict integer);
create table prompts (hash text primary key, source integer, place integer) without rowid;
create table places (sample text, place integer);
"""
TAKE = """
insert into own values (?, ?, coalesce(?, (select count(*) from own where sample = ?)), ?, ?, ?, ?, ?)
    on conflict do update set rank = excluded.rank, line = excluded.line,
    said = excluded.said, place = excluded.place where excluded.rank <= own.rank
"""
"""Of a call that was made again in one folder, the last answer counts."""
UNITE = """
insert into calls select *, 0 from own where true on conflict do update set turn = min(calls.turn, excluded.turn),
    conflict = max(calls.conflict, calls.rank = 0 and excluded.rank = 0 and calls.said <> excluded.said)
"""
REPLACE = """
replace into calls select own.key, own.sample, calls.turn, own.rank, own.line, own.said, own.source, own.place,
    calls.conflict from own join calls using (key) where (own.rank, own.line) < (calls.rank, calls.line)
"""


class Missing(NamedTuple):
    """A row with the numbers of its samples that no folder has, or that ended in an error."""

    title: str
    samples: int
    total: int


@dataclass(frozen=True)
class Merged:
    """The result of a merge, and what is missing."""

    path: Path
    sources: int
    calls: int = 0
    conflicts: int = 0
    """Calls that were answered differently in several folders."""
    example: str = ""
    """One of these."""
    missing: tuple[Missing, ...] = ()
    lacking: tuple[str, ...] = ()
    """The shards that were not given."""
    commands: tuple[tuple[str, ...], ...] = ()
    """Commands that would complete it."""
    problems: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """True if nothing is known to be missing."""
        return not (self.missing or self.lacking or self.problems)


def merge(sources: Sequence[Path], target: Path, data: str | None = None) -> Merged:
    """Merge folders of one kind and one plan; ``UsageError`` where they are others, nothing is left behind then.

    ``data`` overrides the place of the run's data.
    """
    folders = list({path.resolve(): path for path in sources}.values())
    if target.resolve() in {path.resolve() for path in folders}:
        raise UsageError(f"{target}: is one of the folders to be merged", hint="give another -o")
    with new_run(target, "merging") as made:
        for path in folders:
            if path.is_dir() and os.access(path, os.W_OK):
                locked(path, f"{path}, which is to be merged").close()
        return _merged(folders, made, target, data)


@contextmanager
def united(paths: Sequence[Path], data: str | None = None) -> Iterator[tuple[dict[Path, Path], list[Merged]]]:
    """Merge the shards of one run as long as the block lasts; the first result is where each run is to be read."""
    groups: dict[str, list[Path]] = {}
    for path in dict.fromkeys(paths):
        header: Mapping[str, Any] = {}
        with suppress(TsgkitError):  # told by whoever reads it
            header = read_header(path)
        groups.setdefault(str(header["identity"]) if SHARD in header else str(path), []).append(path)
    with tempfile.TemporaryDirectory() as place:
        runs = {path: path for path in paths}
        merged: list[Merged] = []
        for number, group in enumerate(groups.values()):
            if len(group) > 1:
                whole = whole_of(group[0])
                union = merge(group, Path(place) / str(number) / whole.name, data)
                if union.commands and not union.lacking:  # which complete it where its shards lie
                    merging = ("tsgkit", "runs", "merge", *map(str, group), "-o", str(whole))
                    going_on = _with_option(read_header(union.path)["command"], "out", str(whole))
                    union = replace(union, commands=(merging, going_on))
                merged.append(union)
                runs |= dict.fromkeys(group, union.path)
        yield runs, merged


def _merged(folders: Sequence[Path], made: Path, target: Path, data: str | None) -> Merged:
    headers = [read_header(path) for path in folders]
    for path, header in zip(folders, headers, strict=True):
        if header["identity"] != headers[0]["identity"]:
            what = "; ".join(differences(header, headers[0])) or "something that can change an answer differs"
            hint = "only parts of one plan can be merged: the same command, with another --shard"
            raise UsageError(f"{path}: another plan than that of {folders[0]}: {what}", hint=hint)
    header = _header_of(headers)
    lacking, missing, problems = _lacking(map(str, _listed(header))), tuple[Missing, ...](), tuple[str, ...]()
    with tempfile.TemporaryDirectory(dir=made) as place, closing(sqlite3.connect(Path(place) / "index")) as index:
        try:
            index.executescript(TABLES)
            for number, path in enumerate(folders):
                _take_lines(index, number, path)
            calls = _write_lines(folders, made, index)
            unite_batches([path / BATCHES for path in folders], made / BATCHES)
            conflicts, first = index.execute("select count(*), min(key) from calls where conflict").fetchone()
            if "plan" in header:
                keeping = next(filter(keeps_rows, folders), folders[0])
                prepared = prepared_again(header, keeping, data, to_be="merged")
                missing = _derive_samples(folders, prepared, header, made, index)
                unite(folders, made)
                lacking = lacking if missing else ()
            elif header.get("asked", {}).get("work") == WORK:
                problems = copy_images(folders, made)
        except sqlite3.Error as error:
            raise FileProblem(f"{target}: cannot be written: {error}") from None
    options = [("shard", shard) for shard in lacking] or [("out", str(target))] if missing else []
    commands = tuple(_with_option(header["command"], *option) for option in options)
    parts = [bytes.fromhex(part).decode("utf-8", "replace") for part in (first or "").split("/")]
    example = " ".join(part for name, part in zip(PARTS, parts, strict=False) if name in TOLD and part)
    merged = Merged(target, len(folders), calls, conflicts, example, missing, lacking, commands, problems)
    if merged.complete:
        header.pop(SHARDS, None)
    write_text(made / HEADER, json.dumps(header, indent=2) + "\n")
    return merged


def _header_of(headers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the header of the earliest folder, as that of the whole."""
    header = dict(min(headers, key=lambda header: (header["begun"], canonical(header))))
    shards = {str(name) for part in headers for name in [part.get(SHARD), *_listed(part)] if name is not None}
    if any(SHARD not in part and SHARDS not in part for part in headers):
        shards.clear()  # a part that was begun as the whole
    header.pop(SHARD, None)
    header["command"] = _without_place(header["command"])
    for name in ("models", "response_formats"):
        known = [part[name] for part in sorted(headers, key=canonical) if isinstance(part.get(name), dict)]
        header |= {name: {key: part[key] for part in known for key in part}} if known else {}
    header |= {SHARDS: sorted(shards)} if shards else {}
    header |= {"written": ""} if "written" in header else {}
    return header | ({"tsgkit": __version__, "reader": READER} if "plan" in header else {})


def _listed(header: Mapping[str, Any]) -> list[object]:
    """Return the shards that a merged folder says are in it."""
    shards = header.get(SHARDS)
    return shards if isinstance(shards, list) else []


def _without_place(command: Iterable[str]) -> list[str]:
    """Return a command without what says where a part of the work lies."""
    words = list(command)
    if len(words) == 1:  # a call in Python
        return [IN_PYTHON.sub("", words[0])]
    for number in reversed(range(len(words))):
        if words[number] in OWN:
            del words[number : number + 2]
        elif words[number].startswith(tuple(f"{name}=" for name in OWN)):
            del words[number]
    return words


def _take_lines(index: sqlite3.Connection, source: int, path: Path) -> None:
    """Note the calls and prompts of a folder; of a call that was made again there, the last answer."""
    for place, value in calls_in(path / CALLS):
        reply = value["reply"]
        is_error = reply["ending"] in (Ending.API_ERROR, Ending.MISSING)
        rank = ANSWERED if not is_error else FINAL_ERROR if reply.get("final") else PASSING_ERROR
        said = canonical([reply["ending"], reply.get("text"), reply.get("refusal"), reply.get("sha256")])
        turn = value.pop(TURN, None)
        sample, line = _key(value, OF_SAMPLE), _hash(Journal.encoded(value))
        index.execute(TAKE, (_key(value), sample, turn, sample, rank, line, _hash(said.encode()), source, place))
    for statement in (UNITE, REPLACE, "delete from own"):
        index.execute(statement)
    prompts = ((value["hash"], source, place) for place, value in prompts_in(path / PROMPTS))
    index.executemany("insert into prompts values (?, ?, ?) on conflict do nothing", prompts)


def _key(value: Mapping[str, Any], parts: int = len(PARTS)) -> str:
    """Return the key of a call or sample as a text that sorts like its parts."""
    call = {name: value.get(name, "") for name in PARTS[:parts]}
    numbers = {name: f"{int(call[name] or 0):09}" for name in ("repeat", "draw") if name in call}
    return "/".join(str(part).encode("utf-8", "surrogatepass").hex() for part in (call | numbers).values())


def _hash(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def _write_lines(folders: Sequence[Path], made: Path, index: sqlite3.Connection) -> int:
    """Write calls and prompts in order, index the calls of each sample, and return the number of calls.

    A call says its turn among those of its sample if its position does not.
    """
    number = 0
    for name, chosen in (
        (CALLS, "select sample, source, place, turn from calls order by sample, turn, key"),
        (PROMPTS, "select hash, source, place, null from prompts order by hash"),
    ):
        before, here = "", 0
        try:
            with closing(Journals([path / name for path in folders])) as sources, (made / name).open("wb") as file:
                for key, source, place, turn in index.execute(chosen):
                    line = sources.line(source, place)
                    here, before = here + 1 if key == before else 0, key
                    if turn is not None:
                        value = {field: part for field, part in json.loads(line).items() if field != TURN}
                        line = Journal.encoded(value | ({TURN: turn} if turn != here else {}))
                        index.execute("insert into places values (?, ?)", (key, file.tell()))
                        number += 1
                    file.write(line)
        except OSError as error:
            raise FileProblem(f"{made / name}: cannot be written: {error.strerror}") from None
    index.execute("create index of_sample on places (sample)")
    return number


class _Places:
    """The positions of each sample's calls in the merged file."""

    def __init__(self, index: sqlite3.Connection) -> None:
        self._index = index

    def get(self, sample: Place, default: Sequence[int], /) -> Sequence[int]:
        key = _key({**sample[0].value, "sample": sample[1]}, OF_SAMPLE)
        found = self._index.execute("select place from places where sample = ? order by place", (key,))
        return [place for (place,) in found] or default


def _derive_samples(
    folders: Sequence[Path], prepared: RunSetup, header: dict[str, Any], made: Path, index: sqlite3.Connection
) -> tuple[Missing, ...]:
    """Write the samples whose calls are present, and return what is missing."""
    header["samples"] = sum(len(row.numbers) for row in prepared.rows)
    header["data"] = {row.task.key: portable(row.dataset.file) for row in prepared.rows}
    errors: dict[Place, bytes] = {}  # records of samples that ended in an exception; of several, that of smaller hash
    for path in folders:
        with closing(Journal(path / SAMPLES, writes=False)) as journal:
            for place, value in samples_in(path / SAMPLES):
                if value["outcome"] == Outcome.ERROR:
                    key = Cell.of(value), value["item_id"]
                    errors[key] = min((journal.line(place), *filter(None, [errors.get(key)])), key=_hash)
    with closing(Journal(made / SAMPLES)) as samples:
        for line in records_from_calls(prepared.rows, made, errors, _Places(index)):
            samples.add_line(line)
        states = states_of(prepared.rows, samples)
    header[RECORDS] = sum(state.recorded for state in states.values())
    return tuple(
        Missing(state.row.cell.title, left, state.total)
        for state in states.values()
        if (left := state.places.count(NOWHERE) + state.failed)
    )


def _lacking(names: Iterable[str]) -> tuple[str, ...]:
    """Return the shards that are missing where all given are parts of one number."""
    shards = {Shard(*map(int, match.groups())) for name in names if (match := WRITTEN.fullmatch(name))}
    counts = {shard.of for shard in shards}
    numbers = range(1, max(counts) + 1) if len(counts) == 1 else ()
    return tuple(str(Shard(number, *counts)) for number in numbers if Shard(number, *counts) not in shards)


def _with_option(command: Sequence[str], name: str, value: str) -> tuple[str, ...]:
    """Return the command of a run, or the call in Python, with one more option."""
    if len(command) == 1 and command[0].endswith(")"):
        return (f"{command[0][:-1]}, {name}={value!r})",)
    return (*command, f"--{name}", value)
