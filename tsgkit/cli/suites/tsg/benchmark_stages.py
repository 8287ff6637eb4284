"""Stages of making a benchmark: each reads files of the stages before, and leaves its own in the folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import Any, NamedTuple

from tsgkit.cli.suites.tsg.benchmark_choices import StoryChoices, choice_maker
from tsgkit.cli.suites.tsg.benchmark_sentences import DescribedStory, describer
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
    bundled_stories,
    dropped_file,
)
from tsgkit.errors import FileProblem
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, Narrative, Vocabulary
from tsgkit.graph.notation import narratives
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.tsg.makers.allowed_elements import LISTS, ElementPool, with_vocabulary
from tsgkit.suites.tsg.makers.choices import choice_row
from tsgkit.suites.tsg.makers.generation_rows import generation_rows
from tsgkit.suites.tsg.makers.questions import Question, QuestionChooser, question_row
from tsgkit.suites.tsg.makers.sentences import Sentence
from tsgkit.suites.tsg.makers.stories import CANARY, import_stories


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


ALWAYS_THERE = frozenset((PERSON, *HANDS, VERB, DOBJ))


@dataclass(frozen=True)
class Accounts:
    """The accounts of written sentences, by story and description."""

    known: dict[tuple[str, int], Sentence]

    def sentence(self, story: str, number: int) -> Sentence | None:
        """Return a written sentence; None for one of the source."""
        return self.known.get((story, number))

    def words(self, story: str, number: int) -> Iterator[str]:
        """Yield the words that a sentence has for its nodes."""
        if (sentence := self.sentence(story, number)) is not None:
            for phrases in sentence.said.values():
                yield from phrases


def accounts_of(making: Making) -> Accounts:
    """Return the accounts of all written sentences."""
    known: dict[tuple[str, int], Sentence] = {}
    for value in making.folder.values(SENTENCES):
        said = {node: tuple(phrases) for node, phrases in value["said"].items()}
        sentence = Sentence(value["text"], said, tuple(value["implied"]), tuple(value["tags"]))
        known[value["story"], value["description"]] = sentence
    return Accounts(known)


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
        for story in bundled_stories():
            pool.add(story)
    accounts = accounts_of(making)
    added: Counter[str] = Counter()

    async def one(story: Narrative) -> Narrative:
        words = [word for number in range(len(story.descriptions)) for word in accounts.words(story.id, number)]
        return with_vocabulary(story, pool, settings.extra, settings.draw("elements", story), words)

    def put(story: Narrative) -> None:
        making.files.add_text(NARRATIVES, narratives.write(story))
        used, given = Vocabulary.of(story.graphs), story.vocabulary or Vocabulary()
        for name in LISTS:
            own = set(getattr(used, name))
            more = len([one for one in getattr(given, name) if one not in own and one not in ALWAYS_THERE])
            added[name] += more
            wanted = ceil(settings.extra * len(own - ALWAYS_THERE))
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


async def offer_choices(making: Making) -> None:
    """Write rows of choices."""
    kinds: Counter[str] = Counter()
    numbers: Counter[str] = Counter()

    maker = choice_maker(making)

    def put(found: StoryChoices) -> None:
        story, dropped = found.story, found.dropped
        for choice in maker.chosen(found):
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
        written_by=making.settings.model or PATTERNS,
        without_answer=len(making.failures),
    )


async def list_generation_rows(making: Making) -> None:
    """Write the rows of both generation tasks."""
    accounts, tags = accounts_of(making), dict[str, Counter[str]]()

    async def one(story: Narrative) -> list[dict[str, Any]]:
        sentences = {number: accounts.sentence(story.id, number) for number in range(len(story.descriptions))}
        rows = generation_rows(story, {number: one for number, one in sentences.items() if one is not None})
        return list(_rows_before_gap(making, story, rows))

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


def _rows_before_gap(making: Making, story: Narrative, rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield rows up to the first step that no sentence tells: what a reader of the context cannot know after it."""
    gap = next((number for number, one in enumerate(story.descriptions) if one.text is None), None)
    for row in rows:
        number = int(row["item_id"].rpartition("/")[2])
        if gap is not None and number > gap:
            making.drop("generation", story.id, f"description {number}", "a step before it has no sentence")
        else:
            yield row


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
