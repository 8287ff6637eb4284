"""Clean scene graphs: exact repairs without a model, then a model for the rest, with a reason for every change.

  tsgkit refine graphs.jsonl -o clean.jsonl                      exact repairs alone: no key, no network
  tsgkit refine graphs.jsonl -o clean.jsonl --model openai/gpt-4o
  tsgkit refine graphs.txt -o clean.txt --vocabulary L.json --narrative story.txt --model openai/gpt-4o

Reads every format that check reads and writes the same one. Exact repairs are made first, with a model and without:
where a rule finds an error that one change removes. --repair hands also adds missing hands where the narrative agrees
which; these are marked as less sure. --repair none makes no repairs. A model is then asked about each sentence: it
decides about numbered findings, and names what else is wrong. --effort bounds the calls: low asks once, and only about
sentences with findings; medium once, and again where that leaves a doubt; high two to four times, and changes what two
replies name. An edit of which the model is less than 50 % sure is not made; --review shows it.

OUT.changes.jsonl holds one line for each change with its reason. With a model, OUT.calls stores its calls, from which
the same command resumes. An existing OUT is replaced by the same work only, or with --force. With --review you see the
sentence and the graph before and after each change, and nothing is changed that you do not accept; decisions are stored
in OUT.review.jsonl, and the same command resumes. --review-in browser offers the same decisions on a page; a review can
be begun in one place and finished in the other. With --watch each step is printed on standard error: item and graphs,
the step, the remaining findings there, and the calls of the item so far. A script (--model script:FILE) holds replies
by item_id ITEM/PASSAGE, both numbered from 0.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, redirect_stdout, suppress
from dataclasses import asdict, replace
from functools import partial
from itertools import chain, tee
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli import agents
from tsgkit.cli.options import add_options, add_vocabulary, read_vocabulary
from tsgkit.cli.review import BROWSER, TERMINAL, add_review_place, resolve_review_place, review_of
from tsgkit.cli.terminal import complain, count, inert, say_lines
from tsgkit.errors import INTERRUPTED, CannotCarry, UsageError
from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.repairs import MODEL
from tsgkit.graph.rules import ERROR
from tsgkit.interface.options import RepairOptions
from tsgkit.library.files import (
    STDIN,
    read_text,
    refuse_to_overwrite,
    refuse_to_overwrite_sources,
    refuse_to_replace_data,
    replacement,
    require_folder,
    write_text,
)
from tsgkit.report.progress import Countdown, Progress

if TYPE_CHECKING:
    from tsgkit.agents.cleaner import CleanedNarrative, FinishedStep
    from tsgkit.agents.effort import Effort
    from tsgkit.graph.model import Narrative
    from tsgkit.graph.rules import Finding
    from tsgkit.library.documents.reader import Document, EntryStream
    from tsgkit.library.documents.rows import Entry
    from tsgkit.runs.agent_calls import AgentCalls
    from tsgkit.runs.jobs import Engine

EFFORT = "medium"
SHOWN = 5
MANY_GRAPHS = 5000
"""From so many graphs on it pays to start processes."""
CHUNK = 300
"""The number of graphs that a process is given at a time, or a few more."""
BROKEN = ("broken-line", "broken-file", "other-format", "unread-line", "unread-part")
"""Findings of a file that mean that something of it would be lost."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit refine``."""
    parser.add_argument("source", metavar="IN", help="a file in any format we read; - is standard input")
    parser.add_argument("-o", "--out", required=True, metavar="OUT", help="the file to write, in the same format")
    about = "a model that decides about findings; script:FILE (item_id ITEM/PASSAGE, both from 0) asks no model"
    parser.add_argument("--model", metavar="M", help=about)
    parser.add_argument("--narrative", metavar="FILE", help="the story, a sentence a line, for graphs without texts")
    add_vocabulary(parser)
    parser.add_argument("--hint", choices=[str(kind) for kind in Corruption], help="the type of error to look for")
    add_options(parser, RepairOptions)
    about = "also write an HTML page with every changed graph before and after"
    parser.add_argument("--report", metavar="PAGE", help=about)
    parser.add_argument("--review", action="store_true", help="decide about every change; stop and go on later")
    add_review_place(parser)
    parser.add_argument("--watch", action="store_true", help="tell of every step as it is done, on standard error")
    agents.add_effort(parser, EFFORT)
    about = "clean what could be read of a broken file, and exit with 1"
    parser.add_argument("--keep-going", action="store_true", help=about)
    agents.add_model_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Clean one file."""
    if arguments.out == STDIN:
        raise UsageError("cleaned graphs go into a file, with their changes beside it", hint="name it with -o")
    resolve_review_place(arguments)
    if arguments.review and arguments.source == STDIN and arguments.review_in == TERMINAL:
        hint = "save the graphs to a file and name that"
        raise UsageError("--review reads decisions from standard input, and IN is standard input too", hint=hint)
    if arguments.hint and not arguments.model:
        raise UsageError("--hint is for a model, and none is named", hint="add --model PROVIDER/NAME")
    if arguments.review and arguments.shard:
        raise UsageError("--review shows all that was changed, and --shard a part", hint="leave out one of the two")
    with agents.kept_when_interrupted(arguments.out):
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    from tsgkit.agents.cleaner import with_proposals
    from tsgkit.agents.effort import Effort
    from tsgkit.agents.story_graphs import sentences_of
    from tsgkit.library.documents import formats
    from tsgkit.library.documents.reader import UNKNOWN, Document, entry_stream
    from tsgkit.library.documents.rows import Entry

    out, effort = arguments.out, Effort(arguments.effort, arguments.repair)
    agents.limits_of(arguments)
    for target in filter(None, (out, arguments.report)):
        refuse_to_overwrite_sources(target, arguments.source, arguments.narrative, arguments.vocabulary)
    if arguments.report:
        require_folder(arguments.report)
        if arguments.report == out:
            raise UsageError(f"{out}: --out and --report name one file", hint="write the page to another file")
        refuse_to_replace_data(arguments.report, "<!doctype html>")
    stream = entry_stream(arguments.source)
    if stream.format == UNKNOWN:
        (unread,) = (_described(part) for part in stream.parts if not isinstance(part, Entry))
        raise CannotCarry(f"{stream.file}: {unread}; nothing was written", hint="mend it: tsgkit check shows the place")
    if stream.format in formats.FORMATS and not formats.by_name(stream.format).writes:
        hint = "make it another format first: tsgkit convert IN graphs.jsonl"
        raise CannotCarry(f"{stream.file}: {stream.format} is read, never written", hint=hint)
    sentences = () if arguments.narrative is None else sentences_of(read_text(arguments.narrative))
    broken: list[str] = []  # the lines and parts that cannot be read, and so would be lost

    def readable() -> Iterator[Entry]:
        vocabulary = read_vocabulary(arguments.vocabulary)
        for part in stream.parts:
            if isinstance(part, Entry):
                yield part.with_vocabulary(vocabulary)
            elif part.severity == ERROR and part.code in BROKEN:
                broken.append(_described(part))
                if not arguments.keep_going:
                    hint = "mend it so that nothing is lost (tsgkit check shows all), or clean the rest"
                    problem = f"{stream.file}: {broken[0]}; nothing was written"
                    raise CannotCarry(problem, hint=f"{hint} with --keep-going")

    written = partial(_finish, stream, sentences, broken, arguments)
    if not arguments.model and not arguments.review:
        return written(_repaired(readable(), stream.size, effort, arguments), None)
    document = Document(stream.file, stream.format, tuple(readable()))
    if arguments.review and not arguments.model and not Path(f"{out}.review.jsonl").exists():
        refuse_to_overwrite(out, force=arguments.force)  # before a person is asked
    narratives = [(entry.item, entry.narrative) for entry in document.entries]
    job = {
        "work": "refine",
        "items": agents.digest([[item, repr(text.descriptions), repr(text.vocabulary)] for item, text in narratives]),
        "told": agents.digest(sentences),
        "effort": asdict(effort),
        "hint": arguments.hint,
    }
    with agents.asking(arguments, out, job) if arguments.model else nullcontext() as calls:
        if calls is None:
            cleaned = [result for _, result in _repaired(document.entries, stream.size, effort, arguments)]
        else:
            cleaned = _cleaned(document, calls, sentences, effort, arguments)
            if calls.shard is not None:
                stopped = next(filter(None, (result.stopped for result in cleaned)), "")
                failures = [failure for result in cleaned for failure in result.failures]
                return agents.finish_shard(calls, stopped, failures, arguments)
        if arguments.review:
            is_ours, in_browser = calls is not None or arguments.force, arguments.review_in == BROWSER
            proposals = list(map(with_proposals, cleaned))
            with redirect_stdout(sys.stderr if arguments.json else sys.stdout):  # standard output is the summary's
                reviewed = review_of(document, proposals, out, sentences, force=is_ours, in_browser=in_browser)
            if reviewed is None:
                return INTERRUPTED
            cleaned = reviewed
        return written(zip(document.entries, cleaned, strict=True), calls)


def _described(finding: Finding) -> str:
    return f"line {finding.place.line}: {finding.message}" if finding.place.line else finding.message


def _repaired(
    entries: Iterable[Entry], size: int, effort: Effort, arguments: argparse.Namespace
) -> Iterator[tuple[Entry, CleanedNarrative]]:
    """Yield every item and its repaired graphs, in order, without a model; all processors share large files."""
    from tsgkit.agents.cleaner import repair_step, repaired
    from tsgkit.runs.executors.workers import Workers

    work = partial(repaired, effort=effort)
    first: list[list[Entry]] = []
    chunks, graphs = _chunks(entries), 0
    while graphs < MANY_GRAPHS and (chunk := next(chunks, None)) is not None:
        first.append(chunk)
        graphs += sum(len(entry.narrative.graphs) for entry in chunk)
    chunks, workers = chain(first, chunks), os.cpu_count() or 1
    if workers == 1 or arguments.watch or graphs < MANY_GRAPHS:
        for entry in chain.from_iterable(chunks):
            cleaned = work(entry.narrative)
            if arguments.watch and effort.repair != "none":
                _tell(entry.item, repair_step(cleaned.narrative))
            yield entry, cleaned
        return
    here, away = tee(chunks)
    calls = ((work, [entry.narrative for entry in chunk]) for chunk in away)
    done, show = 0, Countdown("items")
    with Workers(workers) as pool:  # an interrupt reaches this process alone
        for chunk, results in zip(here, pool.map(_each, calls), strict=False):
            yield from zip(chunk, results, strict=True)
            done += len(chunk)
            if not arguments.quiet:
                show(done, size)


def _chunks(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Yield the items in lists of so many graphs as a process is given at a time."""
    chunk: list[Entry] = []
    graphs = 0
    for entry in entries:
        chunk.append(entry)
        graphs += len(entry.narrative.graphs)
        if graphs >= CHUNK:
            yield chunk
            chunk, graphs = [], 0
    if chunk:
        yield chunk


def _each(work: Callable[[Narrative], CleanedNarrative], narratives: Sequence[Narrative]) -> list[CleanedNarrative]:
    return list(map(work, narratives))


def _tell(item: str, step: FinishedStep) -> None:
    """Print one step."""
    where = ", ".join(filter(None, [f"item {inert(item)}", step.place]))
    with suppress(OSError):
        counts = f"{count(step.left, 'finding')} left, {count(step.calls, 'call')}"
        print(f"{where}: {step.name}, {counts}", file=sys.stderr, flush=True)


def _cleaned(
    document: Document, calls: AgentCalls, sentences: Sequence[str], effort: Effort, arguments: argparse.Namespace
) -> list[CleanedNarrative]:
    """Return the cleaned items with a model: one passage after the other in a narrative, several narratives at a
    time."""
    from tsgkit.agents.cleaner import arefine
    from tsgkit.agents.passages import passages_of

    async def work(engine: Engine) -> list[CleanedNarrative]:
        stopped = ""

        async def refined(unit: tuple[str, Entry]) -> CleanedNarrative:
            nonlocal stopped
            number, entry = unit
            cleaned = await arefine(
                entry.narrative,
                None if stopped else calls.asker,
                told=sentences,
                hint=arguments.hint or "",
                effort=effort,
                item=number,
                passage_done=lambda _: engine.changed(),
                step_done=partial(_tell, entry.item) if arguments.watch else None,
            )
            stopped = stopped or cleaned.stopped
            return cleaned

        units = {str(number): (str(number), entry) for number, entry in enumerate(document.entries)}
        workers = min(arguments.concurrency, len(units))
        results = await engine.made(units, refined, workers=workers, steps=passages)
        return list(results.values())

    def passages(unit: tuple[str, Entry]) -> int:
        return sum(1 for _ in passages_of(unit[1].narrative, sentences))

    watch = None
    if arguments.watch:  # the steps show the progress; waits and interrupts are printed beside them
        watch = replace(Progress(in_lines=True).watch, changed=lambda: None)
    return agents.carried_out(calls, work, arguments, watch=watch)


def _finish(
    stream: EntryStream,
    sentences: Sequence[str],
    broken: Sequence[str],
    arguments: argparse.Namespace,
    pairs: Iterable[tuple[Entry, CleanedNarrative]],
    calls: AgentCalls | None,
) -> int:
    """Write the graphs and the changes item by item, then print a summary."""
    from tsgkit.library.documents import formats
    from tsgkit.library.documents.reader import Document
    from tsgkit.library.documents.rows import with_graphs
    from tsgkit.library.documents.writer import write_document
    from tsgkit.report.cleaned_graphs import CleaningSummary, page, summary_lines

    file, format = stream.file, formats.by_name(stream.format)
    summary = CleaningSummary(SHOWN)
    on_page: list[tuple[Entry, CleanedNarrative]] = []
    parts = ([pair] for pair in pairs) if format.is_lines else iter([list(pairs)])
    with replacement(arguments.out) as graphs_file, replacement(f"{arguments.out}.changes.jsonl") as changes_file:
        for part in parts:
            entries = []
            for entry, cleaned in part:
                summary.add(entry.item, cleaned)
                changes_file.write(agents.changes_text(entry.item, cleaned.changes).encode())
                entries.append(with_graphs(entry, cleaned.narrative.graphs))
                if arguments.report and (cleaned.touched or cleaned.proposed):
                    on_page.append((entry, cleaned))
            if entries:
                text = write_document(Document(file, format.name, tuple(entries)), format)
                graphs_file.write(text.text.encode())
                summary.notes += [f"left out: {graph}" for graph in text.left_out]
        if calls is None:
            refuse_to_overwrite(arguments.out, force=arguments.force, text=graphs_file)
    if calls is not None:
        calls.record_output()
    if arguments.report:
        write_text(arguments.report, page(f"{file}, cleaned", summary, on_page, sentences))
    summary.notes[:0] = [f"left out: {line}" for line in broken]
    value = {"file": file, "format": format.name, **summary.value, "report": arguments.report}
    written = [arguments.out, f"{arguments.out}.changes.jsonl", *filter(None, [arguments.report])]
    asked = summary.calls

    def show() -> None:
        say_lines(summary_lines(summary, arguments.out))
        if summary.refused:
            changes = summary.refused + len(summary.proposed) + summary.authors[MODEL]
            complain(
                f"of {count(changes, 'change')} that the model named {summary.refused} add a fault: not made",
                "the changes that no rule can judge may be as wrong: look at them with --review",
            )

    return agents.finish(value, show, calls, arguments, asked, shows_usage=asked > 0, written=written, wrong=broken)
