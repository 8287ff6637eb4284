"""Benchmark: graphs read a second on one core, scaling, and the cost of hostile texts.

    python eval/bench/reading.py

Three tables. Speed: every reader beside the plainest program that could do the job, on the same text in the same run;
rounds are interleaved and the median counts. Growth: time per graph at 1,000, 10,000 and 100,000 graphs. Hostile: a
megabyte of one thing repeated may take a second, and is compared with a quarter of it (4 times is linear).

Times are processor times, so that other programs on the machine disturb them little. All texts are made up here.
"""

from __future__ import annotations

import gc
import json
import platform
import time
from collections.abc import Callable, Sequence
from itertools import product
from statistics import median
from typing import NamedTuple

from smoke import sized

from tsgkit.agents.decomposition import actions_of
from tsgkit.agents.story_graphs import sentences_of, vocabulary_of
from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.graph.notation import arrow, json_triplets, narratives
from tsgkit.graph.reading import read
from tsgkit.graph.rules import check_narrative
from tsgkit.library.documents.reader import read_document
from tsgkit.replies.choices import choice
from tsgkit.replies.lists import names
from tsgkit.replies.sections import answer_section
from tsgkit.suites.formalimg.official import judgement
from tsgkit.suites.formalimg.strict import layout_in
from tsgkit.suites.sceneeval.annotation_replies import read_annotation_reply
from tsgkit.suites.sceneeval.judges.answers import read_holds
from tsgkit.suites.spatialgen.rows import ImageQuestion
from tsgkit.suites.spatialgen.scores import letters
from tsgkit.suites.tsg.qa import word

AIM = 10_000
GRAPHS = sized(2_000, 40)
ROUNDS = sized(5, 1)
SIZES = sized((1_000, 10_000, 100_000), (10, 20))
MOST_GROWTH = 3
"""How many times as long a graph may take among 100,000 as among 1,000 for a reader to count as linear.

The caches and the collector of Python's rubbish take up to about 2.5; a quadratic reader would take a hundred.
"""
MOST_HOSTILE_GROWTH = 8
"""How many times as long four times the text may take; a quadratic reader would take sixteen."""
MOST_SECONDS = 1.0
"""How long a megabyte of one thing repeated may take."""
MEGABYTE = sized(1_000_000, 4_000)
QUESTIONS = [ImageQuestion("Where?", {"A": "left", "B": "right", "E": "None"}, "A")] * 10
HOSTILE_READERS: dict[str, Callable[[str], object]] = {
    "read": read,
    "word": word,
    "names": names,
    "choice": lambda text: choice(text, QUESTIONS[0].options),
    "letter of ten": lambda text: letters(text, QUESTIONS),
    "answer_section": answer_section,
    "sentences_of": sentences_of,
    "actions_of": actions_of,
    "read_holds": lambda text: read_holds(text, 2),
    "layout_in": layout_in,
    "official judgement": judgement,
    "letters": lambda text: letters(text, QUESTIONS),
    "read_annotation_reply": read_annotation_reply,
    "vocabulary_of": vocabulary_of,
}


class Hostile(NamedTuple):
    """One thing repeated, between a beginning and an end."""

    piece: str
    before: str = ""
    after: str = ""

    def text(self, size: int) -> str:
        """About so many characters of it."""
        return self.before + self.piece * (size // len(self.piece)) + self.after


HOSTILE = {
    "arrows": Hostile("->"),
    "names and arrows": Hostile(" -> a"),
    "dashes": Hostile("-"),
    "long dashes": Hostile("—"),
    "quotes": Hostile('"'),
    "a quote a line": Hostile('"\n'),
    "brackets": Hostile("["),
    "a bracket a line": Hostile("[\n"),
    "braces": Hostile("{"),
    "lists cut off": Hostile('["a", '),
    "objects cut off": Hostile('{"source": '),
    "stars": Hostile("**"),
    "table bars": Hostile("|a"),
    "triplets on one line": Hostile("a -> b -> c; "),
    "spaces": Hostile(" "),
    "spaces before a letter": Hostile(" ", after="x"),
    "thinking before a triplet": Hostile("x", "<think>", "</think> person -> verb -> lift"),
    "spaces in a list": Hostile(" ", '["a", "b", "c"', "x"),
    "spaces behind a number": Hostile(" ", "1: ", "x"),
    "spaces behind an answer": Hostile(" ", "the answer is", "?"),
    "digits": Hostile("1", "[", "x]"),
    "escaped quotes": Hostile('\\"', '["'),
    "fences": Hostile("```{"),
    "answers": Hostile("the answer is "),
    "labels": Hostile("Answer:\n"),
    "letters": Hostile("A, "),
    "boxes": Hostile("\\boxed{"),
    "reasoning that opens": Hostile("<think>"),
    "reasoning that closes": Hostile("</think>"),
    "full stops": Hostile(". "),
}

THINGS = ("cup", "lid", "spoon", "kettle", "tea-bag", "table", "paper-towel", "oil-can")
VERBS = ("wash", "pick-up", "put-down", "open", "pour", "stir", "turn-over")


class Case(NamedTuple):
    """A reader, the plain program beside it, and the text both get for some number of graphs."""

    name: str
    text: Callable[[Sequence[ActionGraph]], str]
    reader: Callable[[str], object]
    rival_name: str
    rival: Callable[[str], object]


def graphs(count: int) -> tuple[ActionGraph, ...]:
    """Return that many well-formed graphs of four or five triplets, few of them the same."""
    made = []
    for number in range(count):
        verb, thing = VERBS[number % 7], THINGS[number % 8]
        place = THINGS[number // 8 % 8]
        triplets = [("person", "verb", verb), (verb, "dobj", thing), (verb, "with", "hand1"), (verb, "from", place)]
        made.append(ActionGraph([*triplets, (thing, "on", place)] if number % 2 else triplets))
    return tuple(made)


def messy(chosen: Sequence[ActionGraph]) -> str:
    """Return the graphs as a model may write them: headings, bullets, bold, other arrows."""
    blocks = []
    for number, graph in enumerate(chosen, 1):
        lines = "\n".join(f"- **{source}** → {edge} → `{target}`" for source, edge, target in graph)
        blocks.append(f"**Graph {number}**\n{lines}\n")
    return "Sure! Here are the graphs:\n\n" + "\n".join(blocks)


def narrative(chosen: Sequence[ActionGraph]) -> Narrative:
    """Return the graphs as one scenario, two to a sentence."""
    pairs = (tuple(chosen[start : start + 2]) for start in range(0, len(chosen), 2))
    descriptions = tuple(Description("Then something is done.", pair) for pair in pairs)
    return Narrative(descriptions, Vocabulary.of(chosen[:100]))


def narrative_lines(chosen: Sequence[ActionGraph]) -> str:
    """Return the graphs as scenarios of twenty graphs, a line each."""
    parts = (narrative(chosen[start : start + 20]) for start in range(0, len(chosen), 20))
    return "".join(narratives.write(part) for part in parts)


def split_lines(text: str) -> list[list[list[str]]]:
    """Return what a plain script does with arrow text: three stripped parts a line, a blank line ends a graph."""
    found: list[list[list[str]]] = [[]]
    for line in text.split("\n"):
        if line.strip():
            found[-1].append([part.strip() for part in line.split("->")])
        else:
            found.append([])
    return found


def load_lines(text: str) -> list[object]:
    """Return what a plain script does with JSON Lines."""
    return [json.loads(line) for line in text.splitlines()]


def document(text: str) -> object:
    """Return a file of graphs, read as the command line reads it."""
    return read_document(text, "bench")


SPLIT = "split at ->"
CASES = (
    Case("read, arrow text", arrow.write, read, SPLIT, split_lines),
    Case("arrow.parse, arrow text", arrow.write, arrow.parse, SPLIT, split_lines),
    Case("read_document, arrow text", arrow.write, document, SPLIT, split_lines),
    Case("read, messy reply", messy, read, SPLIT + " (misreads it)", split_lines),
    Case("read, JSON triplets", json_triplets.write, read, "json.loads", json.loads),
    Case("json_triplets.parse", json_triplets.write, json_triplets.parse, "json.loads", json.loads),
    Case("read_document, narratives", narrative_lines, document, "json.loads a line", load_lines),
)
GROWING = tuple(case for case in CASES if case.name.startswith("read") and case.name != "read_document, arrow text")
CLEAN = ("read, arrow text", "read_document, arrow text")


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time a piece of work takes, rubbish of earlier ones cleared away."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def medians(works: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Return the median time of each piece of work, all of them done once in every round."""
    times = [[seconds(work) for work in works] for _ in range(rounds)]
    return [median(column) for column in zip(*times, strict=True)]


def speed() -> dict[str, float]:
    """Print the table of speeds; the graphs per second of each reader."""
    chosen = graphs(GRAPHS)
    works: list[Callable[[], object]] = []
    for case in CASES:
        text = case.text(chosen)
        works += [lambda case=case, text=text: case.reader(text), lambda case=case, text=text: case.rival(text)]  # type: ignore[misc]
    scenario = [narrative(chosen[start : start + 20]) for start in range(0, GRAPHS, 20)]
    *times, rules = medians([*works, lambda: [check_narrative(part) for part in scenario]], ROUNDS)
    print(f"Speed: {GRAPHS:,} graphs of 4 or 5 triplets, median of {ROUNDS} rounds\n")
    print(f"  {'reader':<28}{'graphs/s':>10}   {'rival':<27}{'graphs/s':>10}{'times as long':>15}")
    found = {}
    for place, case in enumerate(CASES):
        own, other = times[2 * place : 2 * place + 2]
        found[case.name] = GRAPHS / own
        line = f"  {case.name:<28}{GRAPHS / own:>10,.0f}   {case.rival_name:<27}{GRAPHS / other:>10,.0f}"
        print(f"{line}{own / other:>15.1f}")
    print(f"  {'check_narrative, with L':<28}{GRAPHS / rules:>10,.0f}   (none)\n")
    return found


def growth() -> None:
    """Print the time per graph of growing texts."""
    print("Growth: microseconds per graph\n")
    print(f"  {'reader':<28}" + "".join(f"{size:>10,}" for size in SIZES) + f"{'last / first':>15}")
    for case in GROWING:
        each = []
        for size in SIZES:
            text = case.text(graphs(size))
            rounds = max(1, SIZES[1] // size)
            each.append(median(seconds(lambda: case.reader(text)) for _ in range(rounds)) / size * 1e6)  # noqa: B023
        ratio = each[-1] / each[0]
        verdict = "linear" if ratio < MOST_GROWTH else "not linear"
        print(f"  {case.name:<28}" + "".join(f"{one:>10.0f}" for one in each) + f"{ratio:>15.2f}  {verdict}")
    print()


def hostile() -> None:
    """Print what hostile texts cost the readers: all that take a tenth of a second, or grow too much."""
    print("Hostile texts: seconds, where a megabyte takes a tenth of one\n")
    print(f"  {'reader':<24}{'text':<28}{'0.25 MB':>10}{'1 MB':>10}{'times as long':>15}{'of 1 s':>8}")
    for (reader, work), (name, text) in product(
        HOSTILE_READERS.items(), sized([*HOSTILE.items()], [*HOSTILE.items()][:1])
    ):
        texts = [text.text(size) for size in (MEGABYTE // 4, MEGABYTE)]
        small, large = (seconds(lambda one=one, work=work: work(one)) for one in texts)  # type: ignore[misc]
        ratio = large / max(small, 1e-4)
        verdict = "linear" if ratio < MOST_HOSTILE_GROWTH else "not linear"
        if large >= 0.1:
            line = f"  {reader:<24}{name:<28}{small:>10.2f}{large:>10.2f}{ratio:>15.1f}"
            print(f"{line}{large / MOST_SECONDS:>8.2f}  {verdict}")
    print()


def main() -> None:
    """Print the three tables, and whether the aim is met."""
    print(f"CPython {platform.python_version()}, {platform.machine()}, one core\n")
    found = speed()
    growth()
    hostile()
    print(f"aim: {AIM:,} clean graphs per second")
    for name in CLEAN:
        print(f"  {name:<28}{found[name]:>10,.0f}   {'met' if found[name] >= AIM else 'not met'}")


if __name__ == "__main__":
    main()
