"""Choices of a story, worded by patterns, or by a model that words all options of a step alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tsgkit.cli.suites.tsg.benchmark_sentences import model_writer, vocabularies
from tsgkit.cli.suites.tsg.benchmark_settings import NARRATIVES, Making, Settings
from tsgkit.errors import FileProblem
from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.tsg.makers.choices import Choice, KeyDeal, WordedSet, worded_sets
from tsgkit.suites.tsg.makers.option_sets import StoryView
from tsgkit.suites.tsg.makers.possible_steps import PossibleSteps
from tsgkit.suites.tsg.makers.writer import VOICES, ModelWriter

SURPLUS = 2
"""So many times as many choices as are wanted are worded by a model, since not all its sentences are sound."""


@dataclass
class StoryChoices:
    """The sets of options of a story, and the reasons why there are no more."""

    story: Narrative
    sets: tuple[WordedSet, ...]
    dropped: Counter[str]


@dataclass
class PatternChoices:
    """The choices of stories in the words of patterns."""

    settings: Settings
    avoids: Callable[[Narrative], frozenset[int]]
    """The steps of a story that must not be drawn again."""
    possible: Callable[[Narrative], PossibleSteps]
    keys: KeyDeal = field(init=False)

    def __post_init__(self) -> None:
        self.keys = KeyDeal(self.settings.seed)

    async def worded(self, story: Narrative) -> StoryChoices:
        """Return the sets of a story."""
        return self.drawn(story, self.settings.choices)

    def drawn(self, story: Narrative, number: int) -> StoryChoices:
        """Return so many sets in the words of patterns."""
        view = StoryView(story, self.possible(story))
        return StoryChoices(story, *worded_sets(view, number, self.settings.seed, self.avoids(story)))

    def chosen(self, found: StoryChoices) -> list[Choice]:
        """Return the choices of a story; called in the order of the stories, whoever was answered first."""
        return [self.keys.deal(found.story.id, one) for one in found.sets[: self.settings.choices]]


@dataclass
class ModelChoices(PatternChoices):
    """The choices of stories in a model's words."""

    writer: ModelWriter

    async def worded(self, story: Narrative) -> StoryChoices:
        """Return the sets of a story that a model has worded soundly."""
        found = self.drawn(story, SURPLUS * self.settings.choices)
        voice = self.settings.draw("choices", story).choice(VOICES)
        sound: list[WordedSet] = []
        for one in found.sets:
            claims = [option.claim for option in one.options]
            written = await self.writer.candidates(story.id, f"choice/{one.index}", claims, voice)
            sentences = [each.sentence.text for each in written if each.sentence is not None]
            if len({*sentences}) == len(claims):
                sound.append(replace(one, sentences=tuple(sentences)))
            else:
                found.dropped[f"step: not all options have a sound sentence of their own ({one.tag})"] += 1
        return StoryChoices(story, tuple(sound), found.dropped)


def choice_maker(making: Making) -> PatternChoices:
    """Return the maker of choices for this work."""
    possible = possible_steps(making)
    if making.calls is None:
        return PatternChoices(making.settings, making.avoids, possible)
    writer = model_writer(making, *vocabularies(making, NARRATIVES))
    return ModelChoices(making.settings, making.avoids, possible, writer)


def possible_steps(making: Making) -> Callable[[Narrative], PossibleSteps]:
    """Return a function of the possible steps of a story: its own and those of the file; without these, those of all
    stories."""
    stories = [*making.folder.narratives(NARRATIVES)]
    path, added = making.settings.possible, dict[str, tuple[ActionGraph, ...]]()
    for entry in read_file(path).entries if path else ():
        added[entry.narrative.id] = (*added.get(entry.narrative.id, ()), *entry.narrative.graphs)
    if unknown := sorted(added.keys() - {story.id for story in stories}):
        raise FileProblem(
            f"{path}: no story has the id {unknown[0]}", hint="a narrative of possible steps has the id of its story"
        )
    attested = PossibleSteps.of(graph for story in stories for graph in story.graphs)
    return lambda story: PossibleSteps.of(story.graphs, added[story.id]) if story.id in added else attested
