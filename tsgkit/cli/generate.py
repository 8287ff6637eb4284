"""Turn a story into scene graphs: sentences into actions, each action into a graph, checked and repaired.

  tsgkit generate story.txt -o graphs.json --model openai/gpt-4o --vocabulary L.json
  tsgkit generate story.txt -o graphs.jsonl --model openai/gpt-4o --open

A story has a sentence a line, or is one text of several sentences. The ending of OUT selects the format: .jsonl keeps
the texts and L beside the graphs. With --open the model first proposes L for the whole story, which is written to
OUT.vocabulary.json. OUT.calls stores every call: the same command resumes interrupted work. An existing OUT is replaced
by the same work only, or with --force.
"""

from __future__ import annotations

import argparse
import functools
import json
from typing import TYPE_CHECKING, Any

from tsgkit.cli.agent_options import (
    add_effort,
    add_model_options,
    calls_of,
    carried_out,
    change_line,
    digest,
    exit_code,
    kept_when_interrupted,
    say_notes,
    say_stopped,
    say_usage,
    usage_value,
)
from tsgkit.cli.options import add_vocabulary, read_vocabulary
from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.notation.narratives import vocabulary_value
from tsgkit.library.files import STDIN, read_text, write_text
from tsgkit.library.overwrites import refuse_to_overwrite, refuse_to_overwrite_sources

if TYPE_CHECKING:
    from tsgkit.agents.story_graphs import Generated
    from tsgkit.runs.agent_calls import AgentCalls
    from tsgkit.runs.jobs import Engine

EFFORT = "low"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit generate``."""
    parser.add_argument("story", metavar="STORY", help="a text file; - is standard input")
    parser.add_argument("-o", "--out", required=True, metavar="OUT", help="the file to write")
    parser.add_argument("--model", required=True, metavar="M", help="the model that is asked, as LiteLLM names it")
    add_vocabulary(parser)
    parser.add_argument("--open", action="store_true", help="let the model propose L")
    parser.add_argument("--counts", metavar="N,N,...", help="how many graphs each sentence has, if that is known")
    add_effort(parser, EFFORT)
    parser.add_argument("--to", metavar="FORMAT", help="the format to write; by default the ending of OUT chooses it")
    add_model_options(parser, shards=False)


def run(arguments: argparse.Namespace) -> int:
    """Process one story."""
    from tsgkit.agents.effort import Effort
    from tsgkit.agents.story_graphs import sentences_of
    from tsgkit.library.documents import formats
    from tsgkit.runs.agent_calls import calls_beside

    if arguments.out == STDIN:
        raise UsageError("graphs go into a file, with their calls beside it", hint="name it with -o")
    if arguments.open and arguments.vocabulary:
        raise UsageError("--open proposes L, and --vocabulary gives it", hint="leave out one of the two")
    format = formats.by_name(arguments.to) if arguments.to else formats.by_ending(arguments.out)
    refuse_to_overwrite_sources(arguments.out, arguments.story, arguments.vocabulary)
    sentences = sentences_of(read_text(arguments.story))
    if not sentences:
        raise FileProblem(f"{arguments.story}: the story has no sentence")
    counts = _counts(arguments.counts)
    vocabulary = read_vocabulary(arguments.vocabulary)
    effort = Effort(arguments.effort)
    asked = {
        "work": "generate",
        "story": digest(sentences),
        "vocabulary": digest(None if vocabulary is None else vocabulary_value(vocabulary)),
        "open": arguments.open,
        "counts": counts,
        "effort": effort.level,
    }
    if arguments.open and not calls_beside(arguments.out).exists():
        refuse_to_overwrite(f"{arguments.out}.vocabulary.json", force=arguments.force)
    with kept_when_interrupted(arguments.out):
        calls = calls_of(arguments, arguments.out, asked)
        try:
            work = functools.partial(_tell, sentences, calls, vocabulary, counts, effort, arguments.open)
            return _finish(carried_out(calls, work, arguments, "story"), format, calls, arguments)
        finally:
            calls.close()


def _counts(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(
            f"--counts {text}: not numbers with commas between them", hint="as in --counts 1,2,1"
        ) from None


async def _tell(
    sentences: tuple[str, ...],
    calls: AgentCalls,
    vocabulary: Any,  # noqa: ANN401  (and the effort: their modules are loaded on use)
    counts: tuple[int, ...] | None,
    effort: Any,  # noqa: ANN401
    open_vocabulary: bool,
    engine: Engine,
) -> Generated:
    """Process the story as one unit, since each sentence builds on those before it."""
    from tsgkit.agents.story_graphs import agenerate

    async def told(story: tuple[str, ...]) -> Generated:
        return await agenerate(
            story,
            calls.asker,
            vocabulary=vocabulary,
            open_vocabulary=open_vocabulary,
            counts=counts,
            effort=effort,
            sentence_done=lambda _: engine.changed(),
        )

    [made] = (await engine.made({"story": sentences}, told, workers=1, steps=len)).values()
    return made


def _finish(made: Generated, format: Any, calls: AgentCalls, arguments: argparse.Namespace) -> int:  # noqa: ANN401
    """Write the graphs, then print a summary."""
    from tsgkit.library.documents.reader import Document
    from tsgkit.library.documents.rows import Entry
    from tsgkit.library.documents.writer import write_document

    graphs, notes = made.narrative.graphs, list(made.notes)
    if graphs:
        written = write_document(Document(arguments.story, "story", (Entry("0", made.narrative),)), format)
        write_text(f"{arguments.out}.changes.jsonl", "".join(change_line("0", change) for change in made.changes))
        if arguments.open and made.narrative.vocabulary is not None:
            value = vocabulary_value(made.narrative.vocabulary)
            write_text(f"{arguments.out}.vocabulary.json", json.dumps(value, indent=2, ensure_ascii=False) + "\n")
        calls.put(written.text)
        notes += [f"left out: {left}" for left in written.left_out]
    failures = list(made.failures)
    untold = sum(not description.graphs for description in made.narrative.descriptions)
    summary: dict[str, Any] = {
        "sentences": len(made.narrative.descriptions),
        "sentences_without_graphs": untold,
        "graphs": len(graphs),
        "changes": len(made.changes),
        "undecided": len(made.undecided),
        "stopped": made.stopped,
        "failures": failures,
        "notes": notes,
    } | usage_value(calls, made.calls)
    if arguments.json:
        say(json.dumps(summary, indent=2))
    else:
        _print(summary, arguments.out)
    say_stopped(made.stopped, failures)
    return exit_code(calls, made.stopped, failures or (["no graphs"] if not graphs else []))


def _print(summary: dict[str, Any], out: str) -> None:
    told = summary["sentences"] - summary["sentences_without_graphs"]
    say(f"{count(summary['graphs'], 'graph')} for {told} of {count(summary['sentences'], 'sentence')}")
    say(f"changed by refining: {count(summary['changes'], 'triplet')}; left to look at: {summary['undecided']}")
    say_usage(summary)
    say_notes(summary["notes"])
    if summary["graphs"]:
        say(f"written: {inert(out)}")
    else:
        complain("no graphs were generated; output not written")
