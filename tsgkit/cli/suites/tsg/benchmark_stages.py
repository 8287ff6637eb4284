"""Stages of making a benchmark: each reads files of the stages before, and leaves its own in the folder."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from tsgkit.cli.suites.tsg.benchmark_sentences import DescribedStory, describer, model_writer, vocabularies
from tsgkit.cli.suites.tsg.benchmark_settings import (
    CHOICES,
    DESCRIBED,
    MULTI,
    NARRATIVES,
    PATTERNS,
    QUESTIONS,
    SENTENCES,
    SINGLE,
    STORIES,
    Making,
    dropped_file,
)
from tsgkit.errors import FileProblem
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Narrative, Vocabulary
from tsgkit.graph.notation import narratives
from tsgkit.library.documents.reader import read_document, read_file
from tsgkit.library.projects import find, text_of
from tsgkit.suites.tsg.makers.allowed_elements import LISTS, ElementPool, with_vocabulary
from tsgkit.suites.tsg.makers.choices import KeyDeal, WordedSet, choice_row, worded_sets
from tsgkit.suites.tsg.makers.generation_rows import generation_rows
from tsgkit.suites.tsg.makers.option_sets import StoryView
from tsgkit.suites.tsg.makers.possible_steps import PossibleSteps
from tsgkit.suites.tsg.makers.questions import Question, QuestionChooser, question_row
from tsgkit.suites.tsg.makers.sentences import Sentence
from tsgkit.suites.tsg.makers.stories import CANARY, import_stories
from tsgkit.suites.tsg.makers.writer import VOICES, ModelWriter


class Stage(NamedTuple):
    """A stage: its settings, the files that it needs and from which stage, and the files that it leaves."""

    name: str
    make: Callable[[Making], Awaitable[None]]
    settings: tuple[str, ...]
    needs: tuple[tuple[str, str], ...]
    files: tuple[str, ...]
    asks: bool = False
    """True if a model is asked, where one is named."""

    @property
    def leaves(self) -> tuple[str, ...]:
        """All files of the stage, with that of what it left out."""
        return (*self.files, dropped_file(self.name))


SURPLUS = 2
"""So many times as many choices as are wanted are worded by a model, since not all its sentences are sound."""
BUNDLED = "tsg/data/tsgkit-2/narratives.jsonl"
"""Our own stories."""
ALWAYS_THERE = frozenset((PERSON, *HANDS, VERB, DOBJ))


def accounts_of(making: Making) -> dict[tuple[str, int], Sentence]:
    """Return the accounts of all written sentences, by story and description."""
    known: dict[tuple[str, int], Sentence] = {}
    for value in making.folder.values(SENTENCES):
        said = {node: tuple(phrases) for node, phrases in value["said"].items()}
        sentence = Sentence(value["text"], said, tuple(value["implied"]), tuple(value["tags"]))
        known[value["story"], value["description"]] = sentence
    return known


async def read_stories(making: Making) -> None:
    """Write the sound stories of the sources."""
    documents = [read_file(path) for path in making.settings.sources]
    imported = import_stories(documents)
    if not imported.stories:
        reasons = "; ".join(dict.fromkeys(drop.reason for drop in imported.dropped[:3]))
        raise FileProblem(f"{', '.join(map(str, making.settings.sources))}: no story in it: {reasons}")
    for drop in imported.dropped:
        making.drop("import", drop.story, drop.place, drop.reason, was=drop.was)
    canary = {CANARY: making.settings.canary} if making.settings.canary else {}
    for story in imported.stories:
        facts = tuple((dict(story.facts) | canary).items())
        making.files.add_text(STORIES, narratives.write(replace(story, facts=facts)))
    making.files.figures.update(
        stories=len(imported.stories),
        graphs=sum(len(story.graphs) for story in imported.stories),
        changes=dict(imported.changes),
        formats={document.file: document.format for document in documents},
    )


async def describe(making: Making) -> None:
    """Write stories in which every group of graphs has a sentence, and the accounts of those that were written."""
    by, tags = Counter[str](), Counter[str]()

    def put(found: DescribedStory) -> None:
        making.files.add_text(DESCRIBED, narratives.write(found.story))
        for number, sentence in found.sentences.items():
            making.files.add(SENTENCES, {"story": found.story.id, "description": number, **asdict(sentence)})
        by.update(written=len(found.sentences), kept=found.kept)
        tags.update(tag for sentence in found.sentences.values() for tag in sentence.tags)
        for place, reason, was in found.dropped:
            making.drop("describe", found.story.id, place, reason, was=was)

    with describer(making) as (writer, one):
        await making.engine.streamed(making.stories(STORIES), one, put, workers=making.workers)
    making.files.figures.update(sentences=+by, tags=dict(tags), written_by=making.settings.model or PATTERNS)
    if writer is not None:
        making.files.figures.update(sent_back=dict(writer.found), without_answer=len(making.failures))


async def allow_elements(making: Making) -> None:
    """Write stories with L: the elements of each, and a share of others."""
    settings, pool = making.settings, ElementPool()
    for story in making.folder.narratives(DESCRIBED):
        pool.add(story)
    if pool.stories == 1:
        for entry in read_document(text_of(find("tasks", BUNDLED)), BUNDLED).entries:
            pool.add(entry.narrative)
    accounts = accounts_of(making)
    added: Counter[str] = Counter()

    async def one(story: Narrative) -> Narrative:
        sentences = (accounts.get((story.id, number)) for number in range(len(story.descriptions)))
        said = (phrases for sentence in sentences if sentence is not None for phrases in sentence.said.values())
        words = [word for phrases in said for word in phrases]
        return with_vocabulary(story, pool, settings.extra, settings.draw("elements", story), words)

    def put(story: Narrative) -> None:
        making.files.add_text(NARRATIVES, narratives.write(story))
        used, given = Vocabulary.of(story.graphs), story.vocabulary or Vocabulary()
        for name in LISTS:
            own = set(getattr(used, name))
            more = len([one for one in getattr(given, name) if one not in own and one not in ALWAYS_THERE])
            added[name] += more
            wanted = math.ceil(settings.extra * len(own - ALWAYS_THERE))
            if more < wanted:
                reason = f"too few {name} of other stories mean nothing in this one"
                making.drop("elements", story.id, "L", reason, times=wanted - more)

    await making.engine.streamed(making.stories(DESCRIBED), one, put)
    making.files.figures.update(added=dict(added))


async def ask_questions(making: Making) -> None:
    """Write rows of questions."""
    settings = making.settings
    chooser = QuestionChooser(settings.seed)
    kinds: dict[str, Counter[str]] = {"family": Counter(), "hops": Counter()}

    async def one(story: Narrative) -> tuple[Narrative, tuple[Question, ...], Counter[str]]:
        return story, *chooser.choose(story, settings.questions, making.avoids(story))

    def put(found: tuple[Narrative, tuple[Question, ...], Counter[str]]) -> None:
        story, questions, dropped = found
        row = question_row(story, questions)
        row["qa_pairs"] = [pair for pair in row["qa_pairs"] if not making.removes("questions", story.id, pair)]
        if row["qa_pairs"]:
            making.files.add(QUESTIONS, row)
        for pair in row["qa_pairs"]:
            kinds["family"][pair["family"]] += 1
            kinds["hops"][str(pair["hops"])] += 1
        for reason, times in sorted(dropped.items()):
            making.drop("questions", story.id, "", reason, times=times)

    await making.engine.streamed(making.stories(NARRATIVES), one, put)
    items = kinds["hops"].total()
    making.files.figures.update(
        items={QUESTIONS: items}, **{name: dict(sorted(one.items())) for name, one in kinds.items()}
    )


class StoryChoices(NamedTuple):
    """The sets of options of a story, and the reasons why there are no more."""

    story: Narrative
    sets: Sequence[WordedSet]
    dropped: Counter[str]


@dataclass
class ChoiceMaker:
    """The choices of stories, worded by patterns, or by a model that words all options of a step alike."""

    making: Making
    writer: ModelWriter | None
    possible: Callable[[Narrative], PossibleSteps]

    async def worded(self, story: Narrative) -> StoryChoices:
        """Return the sets of a story; a model is asked for more than are wanted, since not all of its are sound."""
        making, settings = self.making, self.making.settings
        number = settings.choices if self.writer is None else SURPLUS * settings.choices
        view = StoryView(story, self.possible(story))
        sets, dropped = worded_sets(view, number, settings.seed, making.avoids(story))
        if self.writer is None:
            return StoryChoices(story, sets, dropped)
        voice = settings.draw("choices", story).choice(VOICES)
        sound: list[WordedSet] = []
        for one in sets:
            claims = [option.claim for option in one.options]
            written = await self.writer.candidates(story.id, f"choice/{one.index}", claims, voice)
            sentences = [each.sentence.text for each in written if each.sentence is not None]
            if len({*sentences}) == len(claims):
                sound.append(replace(one, sentences=tuple(sentences)))
            else:
                dropped[f"step: not all options have a sound sentence of their own ({one.tag})"] += 1
        return StoryChoices(story, sound, dropped)


def possible_steps(making: Making) -> Callable[[Narrative], PossibleSteps]:
    """Return a function of the possible steps of a story: its own and those of the file; without these, those of all
    stories."""
    stories = [*making.folder.narratives(NARRATIVES)]
    path, added = making.settings.possible, dict[str, tuple[ActionGraph, ...]]()
    for entry in read_file(path).entries if path else ():
        added[entry.narrative.id] = (*added.get(entry.narrative.id, ()), *entry.narrative.graphs)
    if unknown := sorted(added.keys() - {story.id for story in stories}):
        hint = "a narrative of possible steps has the id of its story"
        raise FileProblem(f"{path}: no story has the id {unknown[0]}", hint=hint)
    attested = PossibleSteps.of(graph for story in stories for graph in story.graphs)
    return lambda story: PossibleSteps.of(story.graphs, added[story.id]) if story.id in added else attested


async def offer_choices(making: Making) -> None:
    """Write rows of choices."""
    kinds, numbers = Counter[str](), Counter[str]()
    settings, keys = making.settings, KeyDeal(making.settings.seed)
    possible = possible_steps(making)
    writer = None if making.calls is None else model_writer(making, *vocabularies(making, NARRATIVES))
    maker = ChoiceMaker(making, writer, possible)

    def put(worded: StoryChoices) -> None:  # called in the order of the stories, whoever was answered first
        story, sets, dropped = worded
        for choice in [keys.deal(story.id, one) for one in sets[: settings.choices]]:
            row = choice_row(story, choice)
            if making.removes("choices", story.id, row):
                continue
            making.files.add(CHOICES, row)
            numbers[choice.worded.tag] += 1
            kinds.update(kind for kind in choice.kinds if kind != "right")
        for reason, times in sorted(dropped.items()):
            making.drop("choices", story.id, "", reason, times=times)

    await making.engine.streamed(making.stories(NARRATIVES), maker.worded, put, workers=making.workers)
    making.files.figures.update(
        items={CHOICES: numbers.total()},
        tags=dict(numbers),
        wrong_candidates=dict(kinds),
        written_by=settings.model or PATTERNS,
        without_answer=len(making.failures),
    )


async def list_generation_rows(making: Making) -> None:
    """Write the rows of both generation tasks."""
    accounts, tags = accounts_of(making), dict[str, Counter[str]]()

    async def one(story: Narrative) -> list[dict[str, Any]]:
        numbers = range(len(story.descriptions))
        sentences = {number: found for number in numbers if (found := accounts.get((story.id, number))) is not None}
        gap = next((number for number, one in enumerate(story.descriptions) if one.text is None), math.inf)
        rows = []
        for row in generation_rows(story, sentences):
            number = int(row["item_id"].rpartition("/")[2])
            if number <= gap:
                rows.append(row)
            else:  # a reader of the context cannot know what comes after a step that no sentence tells
                making.drop("generation", story.id, f"description {number}", "a step before it has no sentence")
        return rows

    def put(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if making.removes("generation", row["scenario_id"], row):
                continue
            name = SINGLE if row["k"] == 1 else MULTI
            making.files.add(name, row)
            tags.setdefault(name, Counter()).update(row["tags"])

    await making.engine.streamed(making.stories(NARRATIVES), one, put)
    items = {name: making.files.lines[name] for name in (SINGLE, MULTI)}
    making.files.figures.update(items=items, tags={name: dict(sorted(one.items())) for name, one in tags.items()})


STAGES = (
    Stage("import", read_stories, ("sources", CANARY), (), (STORIES,)),
    Stage(
        "describe",
        describe,
        ("seed", "mix", "rewrite", "implicit", "repeated", "bare", "model", "rounds"),
        ((STORIES, "import"),),
        (DESCRIBED, SENTENCES),
        asks=True,
    ),
    Stage(
        "elements",
        allow_elements,
        ("seed", "extra"),
        ((DESCRIBED, "describe"), (SENTENCES, "describe")),
        (NARRATIVES,),
    ),
    Stage("questions", ask_questions, ("seed", "questions"), ((NARRATIVES, "elements"),), (QUESTIONS,)),
    Stage(
        "choices",
        offer_choices,
        ("seed", "choices", "possible", "model", "rounds"),
        ((NARRATIVES, "elements"),),
        (CHOICES,),
        asks=True,
    ),
    Stage(
        "generation",
        list_generation_rows,
        (),
        ((NARRATIVES, "elements"), (SENTENCES, "describe")),
        (SINGLE, MULTI),
    ),
)
