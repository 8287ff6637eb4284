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
import json
from typing import TYPE_CHECKING

from tsgkit.cli import agents
from tsgkit.cli.options import add_vocabulary, read_vocabulary
from tsgkit.cli.terminal import complain, count, say
from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.notation.narratives import vocabulary_value
from tsgkit.library.files import STDIN, read_text, refuse_to_overwrite, refuse_to_overwrite_sources, write_text

if TYPE_CHECKING:
    from tsgkit.agents.story_graphs import StoryGraphs
    from tsgkit.library.documents.formats import Format
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
    agents.add_effort(parser, EFFORT)
    parser.add_argument("--to", metavar="FORMAT", help="the format to write; by default the ending of OUT chooses it")
    agents.add_model_options(parser, shards=False)


def run(arguments: argparse.Namespace) -> int:
    """Process one story, as one unit of work, since each sentence builds on those before it."""
    from tsgkit.agents.effort import Effort
    from tsgkit.agents.story_graphs import agenerate, sentences_of
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
    try:
        counts = None if arguments.counts is None else tuple(int(part) for part in arguments.counts.split(","))
    except ValueError:
        problem = f"--counts {arguments.counts}: not numbers with commas between them"
        raise UsageError(problem, hint="as in --counts 1,2,1") from None
    vocabulary = read_vocabulary(arguments.vocabulary)
    effort = Effort(arguments.effort)
    job = {
        "work": "generate",
        "story": agents.digest(sentences),
        "vocabulary": agents.digest(None if vocabulary is None else vocabulary_value(vocabulary)),
        "open": arguments.open,
        "counts": counts,
        "effort": effort.level,
    }
    if arguments.open and not calls_beside(arguments.out).exists():
        refuse_to_overwrite(f"{arguments.out}.vocabulary.json", force=arguments.force)
    with agents.kept_when_interrupted(arguments.out), agents.asking(arguments, arguments.out, job) as calls:

        async def work(engine: Engine) -> StoryGraphs:
            async def written(story: tuple[str, ...]) -> StoryGraphs:
                return await agenerate(
                    story,
                    calls.asker,
                    vocabulary=vocabulary,
                    open_vocabulary=arguments.open,
                    counts=counts,
                    effort=effort,
                    sentence_done=lambda _: engine.changed(),
                )

            [generated] = (await engine.made({"story": sentences}, written, workers=1, steps=len)).values()
            return generated

        return _write(agents.carried_out(calls, work, arguments, "story"), format, calls, arguments)


def _write(generated: StoryGraphs, format: Format, calls: AgentCalls, arguments: argparse.Namespace) -> int:
    """Write the graphs, then print a summary."""
    from tsgkit.library.documents.reader import Document
    from tsgkit.library.documents.rows import Entry
    from tsgkit.library.documents.writer import write_document

    out, narrative, notes = arguments.out, generated.narrative, list(generated.notes)
    graphs = narrative.graphs
    if graphs:
        written = write_document(Document(arguments.story, "story", (Entry("0", narrative),)), format)
        write_text(f"{out}.changes.jsonl", agents.changes_text("0", generated.changes))
        if arguments.open and narrative.vocabulary is not None:
            value = vocabulary_value(narrative.vocabulary)
            write_text(f"{out}.vocabulary.json", json.dumps(value, indent=2, ensure_ascii=False) + "\n")
        calls.put(written.text)
        notes += [f"left out: {left}" for left in written.left_out]
    number = len(narrative.descriptions)
    without = sum(not description.graphs for description in narrative.descriptions)
    summary = {
        "sentences": number,
        "sentences_without_graphs": without,
        "graphs": len(graphs),
        "changes": len(generated.changes),
        "undecided": len(generated.undecided),
        "stopped": generated.stopped,
        "failures": list(generated.failures),
        "notes": notes,
    }

    def show() -> None:
        say(f"{count(len(graphs), 'graph')} for {number - without} of {count(number, 'sentence')}")
        changed = count(len(generated.changes), "triplet")
        say(f"changed by refining: {changed}; left to look at: {len(generated.undecided)}")
        if not graphs:
            complain("no graphs were generated; output not written")

    files, wrong = ([out], []) if graphs else ([], ["no graphs"])
    return agents.finish(summary, show, calls, arguments, generated.calls, written=files, wrong=wrong)
