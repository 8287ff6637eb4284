"""Turns a story into graphs, sentence by sentence, with the hands carried from one to the next.

>>> from tsgkit.llm.scripts import ByLabel
>>> import asyncio
>>> said = "person -> verb -> pick-up\\npick-up -> dobj -> cup\\npick-up -> with -> hand1"
>>> sentences_of("She takes a cup. She looks at Mr. Bean.")
('She takes a cup.', 'She looks at Mr. Bean.')
>>> made = asyncio.run(agenerate("She takes the cup.", ByLabel({"decompose/1": "pick up the cup", "write/1": said})))
>>> str(made.narrative.graphs[0].triplets[1]), made.calls
('pick-up -> dobj -> cup', 2)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from tsgkit.agents.decomposition import WRITTEN, DecomposedSentence, Sentence, decompose_sentence
from tsgkit.agents.effort import Effort
from tsgkit.agents.passages import MOST_BEFORE, MOST_CONTEXT
from tsgkit.agents.prompts import template
from tsgkit.errors import UsageError
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, Description, Narrative, Vocabulary
from tsgkit.graph.repairs import Change, is_fault
from tsgkit.graph.rules import Finding, check_narrative
from tsgkit.lexicon import fold, is_preposition, same_word
from tsgkit.llm.asker import Asker, NoText, TextAsk, ask_for, closing, door_of
from tsgkit.replies import Unreadable
from tsgkit.replies.sections import answer_section

MOST_FAILURES = 3
MOST_ELEMENTS = 500
LONGEST_ELEMENT = 60
ENDS = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]?[A-Z])")
SHORT_FORM = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|vs|etc|approx|No|e\.g|i\.e)\.$")
LIST = re.compile(
    r"^\W*(objects?|nouns?|nodes?|verbs?|actions?|prepositions?|edges?)\b\W*?[:=-]\s*(.*)$", re.IGNORECASE
)
LISTS = {"o": "objects", "n": "objects", "v": "verbs", "a": "verbs", "p": "prepositions", "e": "prepositions"}


@dataclass(frozen=True)
class StoryGraphs:
    """A story as a narrative, what refining changed on the way, what is left, and what it took.

    ``stopped`` is the reason for an early end; later sentences then have no graphs.
    """

    narrative: Narrative
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]
    calls: int
    stopped: str = ""
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def undecided(self) -> tuple[Finding, ...]:
        """The faults that are left."""
        return tuple(finding for finding in self.findings if is_fault(finding))


def sentences_of(text: str) -> tuple[str, ...]:
    """Return the sentences of a story: its lines where it has several, else what ends in a full stop."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) != 1:
        return tuple(lines)
    parts: list[str] = []
    for part in ENDS.split(lines[0]):
        if parts and SHORT_FORM.search(parts[-1]):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    return tuple(parts)


async def agenerate(
    story: str | Sequence[str],
    model: str | Asker,
    *,
    vocabulary: Vocabulary | None = None,
    open_vocabulary: bool = False,
    counts: Sequence[int] | None = None,
    effort: Effort = WRITTEN,
    model_args: Sequence[str] = (),
    sentence_done: Callable[[int], None] = lambda _: None,
) -> StoryGraphs:
    """Tell a story as graphs. With ``open_vocabulary`` the model first proposes L for the whole of it.

    ``counts`` are the numbers of graphs of the sentences, if known.
    """
    sentences = sentences_of(story) if isinstance(story, str) else tuple(story)
    if counts is not None and len(counts) != len(sentences):
        raise UsageError(f"{len(counts)} numbers of graphs for {len(sentences)} sentences")
    if open_vocabulary and vocabulary is not None:
        raise UsageError("a vocabulary is given, so none can be proposed", hint="leave out one of the two")
    work = StoryProgress(sentences, vocabulary, counts, effort, sentence_done)
    if not isinstance(model, str):
        return await work.told(model, open_vocabulary)
    door = door_of(model, model_args)
    return await closing(door, work.told(door, open_vocabulary))


@dataclass
class StoryProgress:
    """The work on a story, sentence by sentence, and its results so far."""

    sentences: tuple[str, ...]
    vocabulary: Vocabulary | None
    counts: Sequence[int] | None
    effort: Effort = WRITTEN
    sentence_done: Callable[[int], None] = lambda _: None
    descriptions: list[Description] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    calls: int = 0
    stopped: str = ""
    in_a_row: int = 0

    def __post_init__(self) -> None:
        if not self.sentences:
            raise UsageError("the story has no sentence")

    async def told(self, asker: Asker, open_vocabulary: bool) -> StoryGraphs:
        """Return all sentences one after the other, until something stops it."""
        if open_vocabulary:
            await self.propose(asker)
        for number in range(len(self.sentences)):
            if self.stopped:
                self.descriptions.append(Description(self.sentences[number]))
                continue
            sentence = self.sentence(number)
            self.add(number, await decompose_sentence(sentence, ask_for(asker, str(number)), self.effort))
            self.sentence_done(number)
        return self.generated()

    def generated(self) -> StoryGraphs:
        """Return what the story came to."""
        narrative = Narrative(tuple(self.descriptions), self.vocabulary)
        return StoryGraphs(
            narrative,
            tuple(self.changes),
            tuple(check_narrative(narrative)),
            self.calls,
            self.stopped,
            tuple(self.failures),
            tuple(self.notes),
        )

    async def propose(self, asker: Asker) -> None:
        """Ask for L."""
        voice = TextAsk(ask_for(asker, "vocabulary"))
        prompt = template("vocabulary").render(story="\n".join(self.sentences))
        try:
            text = await voice.text(prompt, "vocabulary/1")
        except NoText as silent:
            self.failures.append(silent.reason)
            self.stopped = silent.reason if silent.kind != "unusable" else ""
            return
        finally:
            self.calls += voice.calls
        self.vocabulary, notes = vocabulary_of(text)
        self.notes += notes

    def sentence(self, number: int) -> Sentence:
        """Return a sentence with its context; after one without graphs the content of the hands is unknown."""
        known = tuple(self.descriptions[-MOST_BEFORE:])
        return Sentence(
            self.sentences[number],
            self.sentences[:number][-MOST_CONTEXT:],
            known if len(known) == len(self.descriptions) else (Description(), *known),
            self.vocabulary,
            None if self.counts is None else self.counts[number],
        )

    def add(self, number: int, told: DecomposedSentence) -> None:
        """Take over what a sentence came to."""
        start = sum(len(description.graphs) for description in self.descriptions)
        self.descriptions.append(Description(self.sentences[number], told.graphs))
        self.changes += [replace(change, graph=change.graph + start) for change in told.changes]
        self.calls += told.calls
        self.notes += [f"sentence {number + 1}: {note}" for note in told.notes]
        self.in_a_row = self.in_a_row + 1 if told.silent == "failed" else 0
        if told.silent:
            self.failures.append(f"sentence {number + 1}: {told.why}")
        if told.silent == "stopped" or self.in_a_row >= MOST_FAILURES:
            self.stopped = told.why


def vocabulary_of(text: str) -> tuple[Vocabulary | None, list[str]]:
    """L from what a model proposes: names folded, forms of one word merged, edges that are none left out.

    >>> proposed = "objects: Cup, cups, Chopping board\\nverbs: picks up, pick-up\\nprepositions: on, quickly"
    >>> vocabulary, notes = vocabulary_of(proposed)
    >>> vocabulary.objects, vocabulary.verbs, vocabulary.relationships
    (('person', 'hand1', 'hand2', 'cup', 'chopping-board'), ('pick-up',), ('verb', 'dobj', 'with', 'on'))
    >>> print(*notes, sep="\\n")
    L: cups is merged into cup
    L: picks-up is merged into pick-up
    L: quickly is no preposition, left out
    """
    names: dict[str, list[str]] = {"objects": [], "verbs": [], "prepositions": []}
    section = answer_section(text)
    for line in () if isinstance(section, Unreadable) else section.part.text.splitlines():
        if match := LIST.match(line):
            names[LISTS[match[1][0].lower()]] += re.split(r"[,;]", match[2])
    notes: list[str] = []
    objects = _merged(names["objects"], notes)
    verbs = _merged(names["verbs"], notes)
    if not verbs:
        return None, ["L: no verb could be read in the proposal, so the graphs are written without L"]
    edges = []
    for name in _names(names["prepositions"]):
        if is_preposition(name):
            edges.append(name)
        elif name not in (VERB, DOBJ):
            notes.append(f"L: {name} is no preposition, left out")
    things = dict.fromkeys((PERSON, *HANDS, *objects))
    return Vocabulary(tuple(things), tuple(dict.fromkeys((VERB, DOBJ, WITH, *edges))), tuple(verbs)), notes


def _names(names: Iterable[str]) -> list[str]:
    folded = (fold(name.strip(" .*`\"'()[]")) for name in names)
    return list(dict.fromkeys(name for name in folded if name and len(name) <= LONGEST_ELEMENT))[:MOST_ELEMENTS]


def _merged(names: Iterable[str], notes: list[str]) -> list[str]:
    """Return names without those that are forms of another; the shortest form stays."""
    new_names = _names(names)
    kept: list[str] = []
    for name in sorted(new_names, key=len):
        known = next(
            (kept_name for kept_name in kept if (likeness := same_word(name, kept_name)) and not likeness.ambiguous),
            None,
        )
        if known is None:
            kept.append(name)
        else:
            notes.append(f"L: {name} is merged into {known}")
    return sorted(kept, key=new_names.index)
