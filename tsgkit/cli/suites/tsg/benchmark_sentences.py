"""Sentences for the groups of graphs of a story: by patterns, or by a model that is asked again with what is wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from tsgkit.cli.suites.tsg.benchmark_settings import STORIES, Making, Settings
from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.runs.executors import executor_named, usual_executor
from tsgkit.suites.tsg.makers.description_sizes import grouped, parse_mix, repeated
from tsgkit.suites.tsg.makers.manners import Manner
from tsgkit.suites.tsg.makers.sentence_checks import Surroundings, check_sentence
from tsgkit.suites.tsg.makers.sentence_patterns import STYLES, can_be_implicit, can_be_written, write
from tsgkit.suites.tsg.makers.sentences import Sentence
from tsgkit.suites.tsg.makers.writer import VOICES, ModelWriter, SentenceRequest

HANDS = ("named", "counted", "unsaid")
HANDS_SHARES = (1, 6, 3)
MANY_STORIES = 40
"""For fewer stories no process is started: that would take longer than the work."""


@dataclass
class DescribedStory:
    """A story with sentences, the accounts of those that were written, and what could not be described."""

    story: Narrative
    sentences: dict[int, Sentence] = field(default_factory=dict)
    dropped: list[tuple[str, str, Any]] = field(default_factory=list)
    """Places, reasons, and graphs."""

    @property
    def kept(self) -> int:
        """The number of sentences of the source that stayed."""
        texts = sum(one.text is not None for one in self.story.descriptions)
        return texts - len(self.sentences)


@dataclass(frozen=True)
class Group:
    """Graphs that want a sentence, and how it should be worded."""

    number: int
    graphs: tuple[ActionGraph, ...]
    before: tuple[ActionGraph, ...]
    manner: str
    """``implicit``, ``bare`` or empty."""


def grouped_story(story: Narrative, settings: Settings) -> Narrative:
    """Return a story with its graphs in groups, some of them with a repeated action."""
    choice = settings.draw("group", story)
    made = grouped(story, parse_mix(settings.mix), choice, anew=settings.rewrite)
    return repeated(made, settings.repeated, choice)


def groups_of(story: Narrative, settings: Settings) -> list[Group]:
    """Return the groups of graphs without a sentence; a share is implicit where a grasp goes without saying, and a
    share is bare."""
    choice = settings.draw("manner", story)
    textless: list[Group] = []
    before: tuple[ActionGraph, ...] = ()
    for number, description in enumerate(story.descriptions):
        if description.text is None and description.graphs:
            textless.append(Group(number, description.graphs, before, ""))
        before += description.graphs
    manners: dict[int, str] = {}
    possible = {"implicit": [one for one in textless if can_be_implicit(one.graphs)], "bare": textless}
    for manner, groups in possible.items():
        left = [one for one in groups if one.number not in manners]
        share = getattr(settings, manner) * len(textless)
        wanted = int(share) + (choice.random() < share - int(share))  # the rest decides by lot if it is rounded up
        manners |= {one.number: manner for one in choice.sample(left, min(wanted, len(left)))}
    return [replace(one, manner=manners.get(one.number, "")) for one in textless]


def written_by_patterns(story: Narrative, settings: Settings, others: frozenset[str]) -> DescribedStory:
    """Return a story described by patterns of ours, in one style."""
    story = grouped_story(story, settings)
    choice = settings.draw("describe", story)
    style = choice.choice(STYLES)
    vocabulary = story.vocabulary or Vocabulary.of(story.graphs)
    sentences: dict[int, Sentence] = {}
    dropped: list[tuple[str, str, Any]] = []
    for group in groups_of(story, settings):
        reason = next(filter(None, map(can_be_written, group.graphs)), "")
        sentence = Sentence("")
        if not reason:
            [hands] = choice.choices(HANDS, HANDS_SHARES)
            manner = Manner(style, hands, is_bare=group.manner == "bare", is_implicit=group.manner == "implicit")  # type: ignore[arg-type]
            sentence = write(group.graphs, manner, choice, group.before)
            findings = check_sentence(sentence, group.graphs, Surroundings(vocabulary, others, group.before))
            reason = "; ".join(f"{one.code}: {one.message} ({sentence.text})" for one in findings)
        if reason:
            dropped.append((f"description {group.number}", reason, _values(group.graphs)))
        else:
            sentences[group.number] = sentence
    return DescribedStory(with_texts(story, sentences), sentences, dropped)


def _values(graphs: Sequence[ActionGraph]) -> list[list[list[str]]]:
    return [[list(triplet) for triplet in graph] for graph in graphs]


def with_texts(story: Narrative, sentences: dict[int, Sentence]) -> Narrative:
    """Return a story with the texts of sentences, by the number of their description."""
    descriptions = tuple(
        replace(one, text=sentences[number].text) if number in sentences else one
        for number, one in enumerate(story.descriptions)
    )
    return replace(story, descriptions=descriptions)


async def written_by_model(story: Narrative, settings: Settings, writer: ModelWriter) -> DescribedStory:
    """Return a story described by a model, in one voice, each sentence with those before as its context."""
    story = grouped_story(story, settings)
    voice = settings.draw("describe", story).choice(VOICES)
    groups = {group.number: group for group in groups_of(story, settings)}
    sentences: dict[int, Sentence] = {}
    dropped: list[tuple[str, str, Any]] = []
    texts: list[str] = []
    for number, description in enumerate(story.descriptions):
        if (group := groups.get(number)) is not None:
            request = SentenceRequest(group.graphs, tuple(texts), group.before, group.manner, voice)
            written = await writer.sentence(story.id, f"describe/{number}", request)
            if written.sentence is None:
                dropped.append((f"description {number}", written.reason, _values(group.graphs)))
            else:
                sentences[number] = written.sentence
        if text := sentences[number].text if number in sentences else description.text:
            texts.append(text)
    return DescribedStory(with_texts(story, sentences), sentences, dropped)


def vocabularies(making: Making, name: str) -> tuple[dict[str, Vocabulary], frozenset[str]]:
    """Return L, or the elements, of every story of a file, and the names of all stories."""
    known: dict[str, Vocabulary] = {}
    names: set[str] = set()
    for story in making.folder.narratives(name):
        used = Vocabulary.of(story.graphs)
        known[story.id] = story.vocabulary or used
        names.update(used.objects, used.verbs)
    return known, frozenset(names)


def _by_patterns(shared: tuple[Settings, frozenset[str]], story: Narrative) -> DescribedStory:
    settings, names = shared
    return written_by_patterns(story, settings, names)


@contextmanager
def describer(making: Making) -> Iterator[tuple[ModelWriter | None, Callable[[Narrative], Awaitable[DescribedStory]]]]:
    """Yield the writer that asks a model, or None, and what describes a story; patterns use all processors."""
    settings = making.settings
    known, names = vocabularies(making, STORIES)
    if making.calls is None:
        shared = (settings, names)
        with executor_named(making.executor or usual_executor(len(known), MANY_STORIES)) as executor:
            making.engine.executor = executor
            making.workers = executor.workers
            yield None, lambda story: executor.run(_by_patterns, shared, story)
        return
    writer = model_writer(making, known, names)

    async def by_model(story: Narrative) -> DescribedStory:
        return await written_by_model(story, settings, writer)

    yield writer, by_model


def model_writer(making: Making, known: dict[str, Vocabulary], names: frozenset[str]) -> ModelWriter:
    """Return the writer that asks the model of this work."""
    from tsgkit.llm.asker import ask_for

    calls = making.calls
    assert calls is not None  # noqa: S101  (asked by those that have a model)
    return ModelWriter(
        lambda name: ask_for(calls.asker, name, task="make"),
        known.__getitem__,
        names,
        making.settings.rounds,
        making.failures,
    )
