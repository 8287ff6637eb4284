"""Choices of a story, worded by patterns, or by a model that words all candidates of a step alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from tsgkit.graph.model import Narrative
from tsgkit.suites.tsg.commands.benchmark_sentences import model_writer, vocabularies
from tsgkit.suites.tsg.commands.benchmark_settings import NARRATIVES, Making, Settings, bundled_stories
from tsgkit.suites.tsg.makers.attestations import Attestations
from tsgkit.suites.tsg.makers.balance import Option
from tsgkit.suites.tsg.makers.choices import Choice, ChoiceChooser, Chosen, Word, choose_choices, reworded
from tsgkit.suites.tsg.makers.sentence_patterns import STYLES, word
from tsgkit.suites.tsg.makers.writer import VOICES, ModelWriter
from tsgkit.suites.tsg.makers.wrong_steps import StoryView

SURPLUS = 2
"""So many times as many choices as are wanted are worded by a model; those that keep shortcuts at chance are chosen."""


@dataclass
class Worded:
    """The choices of a story with a model's sentences, and the reasons why others have none."""

    story: Narrative
    options: list[Option[Choice]]
    dropped: Counter[str]


@dataclass
class PatternChoices:
    """The choices of stories in the words of patterns; only sums are kept from one story to the next."""

    settings: Settings
    avoids: Callable[[Narrative], frozenset[int]]
    """The steps of a story that must not be drawn again."""
    attestations: Attestations
    chooser: ChoiceChooser = field(init=False)

    def __post_init__(self) -> None:
        self.chooser = ChoiceChooser(self.settings.seed, self.attestations)

    async def worded(self, story: Narrative) -> Worded:
        """Return a story; its choices are worded while they are chosen."""
        return Worded(story, [], Counter())

    def chosen(self, worded: Worded) -> Chosen:
        """Return the choices of a story."""
        return next(choose_choices([worded.story], self.settings.choices, _patterns, STYLES, self.chooser, self.avoids))


@dataclass
class ModelChoices(PatternChoices):
    """The choices of stories in a model's words: drawn with patterns, worded alike, and then chosen."""

    writer: ModelWriter
    _drawer: ChoiceChooser = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._drawer = ChoiceChooser(self.settings.seed, self.attestations)

    async def worded(self, story: Narrative) -> Worded:
        """Return the choices of a story that a model has worded."""
        number = SURPLUS * self.settings.choices
        _, choices, dropped = next(choose_choices([story], number, _patterns, STYLES, self._drawer, self.avoids))
        view, voice = StoryView(story, self.attestations), self.settings.draw("choices", story).choice(VOICES)
        options: list[Option[Choice]] = []
        for choice in choices:
            reason, sentences = await self._sentences(choice, story, voice)
            if reason:
                dropped[f"step: {reason} ({choice.tag})"] += 1
            else:
                options.append(reworded(view, choice, sentences))
        return Worded(story, options, dropped)

    def chosen(self, worded: Worded) -> Chosen:
        """Return the choices of a story; called in the order of the stories, whoever was answered first."""
        options, chosen = worded.options, list[Choice]()
        while options and len(chosen) < self.settings.choices:
            chosen.append(self.chooser.choose(options))
            options = [one for one in options if one.value.index != chosen[-1].index]
        if (missing := self.settings.choices - len(chosen)) > 0:
            worded.dropped["story: too few choices with sound sentences"] += missing
        return worded.story, tuple(sorted(chosen, key=lambda one: one.index)), worded.dropped

    async def _sentences(self, choice: Choice, story: Narrative, voice: str) -> tuple[str, Sequence[str]]:
        """Return why a model cannot word a choice, or an empty text and its sentences, the right one first."""
        graphs = [candidate.graph for candidate in choice.candidates if candidate.graph is not None]
        if len(graphs) < len(choice.candidates):
            return "a candidate that denies is not worded by a model", ()
        order = list(range(len(graphs)))
        self.settings.draw(f"choice/{choice.index}", story).shuffle(order)  # no place gives the right one away
        asked = [graphs[place] for place in order]
        written = await self.writer.candidates(story.id, f"choice/{choice.index}", asked, voice)
        texts = {
            place: one.sentence.text for place, one in zip(order, written, strict=True) if one.sentence is not None
        }
        if len(texts) < len(graphs):
            return "not all candidates have a sound sentence", ()
        sentences = [texts[place] for place in range(len(graphs))]
        return ("two candidates read alike", ()) if len(set(sentences)) < len(sentences) else ("", sentences)


def _patterns(story: Narrative, index: int) -> Word:
    return word


def choice_maker(making: Making) -> PatternChoices:
    """Return the maker of choices for this work."""
    attestations = attestations_of(making)
    if making.calls is None:
        return PatternChoices(making.settings, making.avoids, attestations)
    writer = model_writer(making, *vocabularies(making, NARRATIVES))
    return ModelChoices(making.settings, making.avoids, attestations, writer)


def attestations_of(making: Making) -> Attestations:
    """Return what is usual in the stories, and in those of our own that are not among them."""
    attestations, seen = Attestations(), set[int]()
    for story in chain(making.folder.narratives(NARRATIVES), bundled_stories()):
        if (known := hash(story.graphs)) not in seen:
            seen.add(known)
            attestations.add(story.graphs)
    return attestations
