"""Stages of making a benchmark: each reads files of the stages before, and leaves its own in the folder."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Narrative, Vocabulary
from tsgkit.graph.notation import narratives
from tsgkit.library.documents.reader import read_document, read_file
from tsgkit.library.projects import find, text_of
from tsgkit.llm.asker import ask_for
from tsgkit.runs.agent_calls import AgentCalls
from tsgkit.runs.executors import executor_named, usual_executor
from tsgkit.runs.jobs import Engine
from tsgkit.suites.tsg.makers import sentence_patterns
from tsgkit.suites.tsg.makers.allowed_elements import LISTS, ElementPool, with_vocabulary
from tsgkit.suites.tsg.makers.choices import KeyDeal, WordedSet, choice_row, worded_sets
from tsgkit.suites.tsg.makers.description_sizes import grouped, parse_mix, repeated
from tsgkit.suites.tsg.makers.generation_rows import generation_rows
from tsgkit.suites.tsg.makers.manners import Manner
from tsgkit.suites.tsg.makers.option_sets import StoryView
from tsgkit.suites.tsg.makers.possible_steps import PossibleSteps
from tsgkit.suites.tsg.makers.questions import Question, QuestionChooser, question_row
from tsgkit.suites.tsg.makers.sentence_checks import Surroundings, check_sentence
from tsgkit.suites.tsg.makers.sentences import Sentence
from tsgkit.suites.tsg.makers.stage_files import StageFiles, StageFolder
from tsgkit.suites.tsg.makers.stories import CANARY, import_stories
from tsgkit.suites.tsg.makers.writer import VOICES, ModelWriter, SentenceRequest

PATTERNS = "sentence patterns"
STORIES, DESCRIBED, SENTENCES, NARRATIVES = "stories.jsonl", "described.jsonl", "sentences.jsonl", "narratives.jsonl"
QUESTIONS, CHOICES, SINGLE, MULTI = "sgqa.jsonl", "sgds.jsonl", "sa-sgg.jsonl", "ma-sgg.jsonl"
TASKS = {QUESTIONS: "sgqa", CHOICES: "sgds", SINGLE: "sa-sgg", MULTI: "ma-sgg"}
"""The tasks of the files of rows."""
WORDED_HANDS = ("named", "counted", "unsaid")
WORDED_HANDS_SHARES = (1, 6, 3)
MANY_STORIES = 40
"""For fewer stories no process is started: that would take longer than the work."""
SURPLUS = 2
"""So many times as many choices as are wanted are worded by a model, since not all its sentences are sound."""
BUNDLED = "tsg/data/tsgkit-2/narratives.jsonl"
"""Our own stories."""
ALWAYS_THERE = frozenset((PERSON, *HANDS, VERB, DOBJ))


@dataclass(frozen=True)
class Settings:
    """The options of ``tsgkit make tsg`` that change what is made."""

    sources: tuple[Path, ...]
    seed: int
    mix: str
    rewrite: bool
    implicit: float
    repeated: float
    bare: float
    extra: float
    questions: int
    choices: int
    possible: Path | None
    model: str | None
    rounds: int
    canary: str

    def __post_init__(self) -> None:
        parse_mix(self.mix)

    def draw(self, stage: str, story: Narrative) -> Random:
        """Return the lots of a stage for a story: they depend on no other story."""
        return Random(f"{self.seed}/{stage}/{story.id}")


@dataclass
class Making:
    """The work on one stage: the folder, the settings, and whoever is asked."""

    folder: StageFolder
    settings: Settings
    files: StageFiles
    engine: Engine
    calls: AgentCalls | None = None
    workers: int = 1
    executor: str | None = None
    """Where sentences are written by patterns; None for processes where they are worth it."""
    avoided: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """By story, what must not be drawn again: paths of questions, steps of choices."""
    removed: Mapping[str, str] = field(default_factory=dict)
    """The items that are left out of what was made, with reasons."""
    dropped: dict[str, int] = field(default_factory=dict)
    """The number of things that were left out for each reason."""
    failures: list[str] = field(default_factory=list)
    """The requests that gave no answer, in words."""

    def stories(self, name: str) -> Iterator[Narrative]:
        """Yield the stories of a file; their number is what progress counts."""
        with self.folder.file(name).open("rb") as file:
            self.engine.expected = sum(1 for line in file if line.strip())
        return self.folder.narratives(name)

    def avoids(self, story: Narrative) -> frozenset[Any]:
        """Return what must not be drawn again for a story."""
        drawn = self.avoided.get(story.id, ())
        return frozenset(tuple(path) if isinstance(path, list) else path for path in drawn)

    def removes(self, stage: str, story: str, item: Mapping[str, Any]) -> bool:
        """Return whether an item is left out, and note it with its reason."""
        if (reason := self.removed.get(item["item_id"])) is None:
            return False
        self.drop(stage, story, item["item_id"], reason)
        return True

    def drop(self, stage: str, story: str, place: str, reason: str, *, times: int = 1, was: object = None) -> None:
        """Note something that is left out, with its reason."""
        value = {"story": story, "place": place, "reason": reason, "times": times, "was": was}
        self.files.add(dropped_file(stage), {name: one for name, one in value.items() if one not in (None, "")})
        short = reason.partition(": ")[0] if reason.partition(": ")[0].replace("-", "").isalpha() else reason
        self.dropped[short] = self.dropped.get(short, 0) + times


def dropped_file(stage: str) -> str:
    """Return the file of what a stage left out."""
    return f"{stage}.dropped.jsonl"


def checksum(path: Path) -> str:
    """Return the checksum of a source."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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


@dataclass
class DescribedStory:
    """A story with sentences, the accounts of those that were written, and what could not be described."""

    story: Narrative
    sentences: dict[int, Sentence] = field(default_factory=dict)
    dropped: list[tuple[str, str, tuple[ActionGraph, ...]]] = field(default_factory=list)
    """Places, reasons, and graphs."""


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
    possible = {
        "implicit": [one for one in textless if sentence_patterns.can_be_implicit(one.graphs)],
        "bare": textless,
    }
    for manner, groups in possible.items():
        left = [one for one in groups if one.number not in manners]
        share = getattr(settings, manner) * len(textless)
        wanted = int(share) + (choice.random() < share - int(share))  # the rest decides by lot if it is rounded up
        manners |= {one.number: manner for one in choice.sample(left, min(wanted, len(left)))}
    return [replace(one, manner=manners.get(one.number, "")) for one in textless]


def written_by_patterns(shared: tuple[Settings, frozenset[str]], story: Narrative) -> DescribedStory:
    """Return a story described by patterns of ours, in one style; ``shared`` has the names of all stories."""
    settings, others = shared
    story = grouped_story(story, settings)
    choice = settings.draw("describe", story)
    style = choice.choice(sentence_patterns.STYLES)
    vocabulary = story.vocabulary or Vocabulary.of(story.graphs)
    sentences: dict[int, Sentence] = {}
    dropped: list[tuple[str, str, tuple[ActionGraph, ...]]] = []
    for group in groups_of(story, settings):
        reason = next(filter(None, map(sentence_patterns.can_be_written, group.graphs)), "")
        sentence = Sentence("")
        if not reason:
            [hands] = choice.choices(WORDED_HANDS, WORDED_HANDS_SHARES)
            manner = Manner(style, hands, is_bare=group.manner == "bare", is_implicit=group.manner == "implicit")  # type: ignore[arg-type]
            sentence = sentence_patterns.write(group.graphs, manner, choice, group.before)
            findings = check_sentence(sentence, group.graphs, Surroundings(vocabulary, others, group.before))
            reason = "; ".join(f"{one.code}: {one.message} ({sentence.text})" for one in findings)
        if reason:
            dropped.append((f"description {group.number}", reason, group.graphs))
        else:
            sentences[group.number] = sentence
    return DescribedStory(with_texts(story, sentences), sentences, dropped)


def with_texts(story: Narrative, sentences: dict[int, Sentence]) -> Narrative:
    """Return a story with the texts of sentences, by the number of their description."""
    descriptions = tuple(
        replace(one, text=sentences[number].text) if number in sentences else one
        for number, one in enumerate(story.descriptions)
    )
    return replace(story, descriptions=descriptions)


async def written_by_model(settings: Settings, writer: ModelWriter, story: Narrative) -> DescribedStory:
    """Return a story described by a model, in one voice, each sentence with those before as its context."""
    story = grouped_story(story, settings)
    voice = settings.draw("describe", story).choice(VOICES)
    groups = {group.number: group for group in groups_of(story, settings)}
    sentences: dict[int, Sentence] = {}
    dropped: list[tuple[str, str, tuple[ActionGraph, ...]]] = []
    texts: list[str] = []
    for number, description in enumerate(story.descriptions):
        if (group := groups.get(number)) is not None:
            request = SentenceRequest(group.graphs, tuple(texts), group.before, group.manner, voice)
            written = await writer.sentence(story.id, f"describe/{number}", request)
            if written.sentence is None:
                dropped.append((f"description {number}", written.reason, group.graphs))
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


@contextmanager
def describer(making: Making) -> Iterator[tuple[ModelWriter | None, Callable[[Narrative], Awaitable[DescribedStory]]]]:
    """Yield the writer that asks a model, or None, and what describes a story; patterns use all processors."""
    settings = making.settings
    known, names = vocabularies(making, STORIES)
    if making.calls is None:
        with executor_named(making.executor or usual_executor(len(known), MANY_STORIES)) as executor:
            making.engine.executor, making.workers = executor, executor.workers
            yield None, partial(executor.run, written_by_patterns, (settings, names))
        return
    writer = model_writer(making, known, names)
    yield writer, partial(written_by_model, settings, writer)


def model_writer(making: Making, known: dict[str, Vocabulary], names: frozenset[str]) -> ModelWriter:
    """Return the writer that asks the model of this work."""
    calls = making.calls
    assert calls is not None  # noqa: S101  (asked by those that have a model)
    return ModelWriter(
        lambda name: ask_for(calls.asker, name, task="make"),
        known.__getitem__,
        names,
        making.settings.rounds,
        making.failures,
    )


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

    def put(described: DescribedStory) -> None:
        story, sentences = described.story, described.sentences
        making.files.add_text(DESCRIBED, narratives.write(story))
        for number, sentence in sentences.items():
            making.files.add(SENTENCES, {"story": story.id, "description": number, **asdict(sentence)})
        texts = sum(description.text is not None for description in story.descriptions)
        by.update(written=len(sentences), kept=texts - len(sentences))
        tags.update(tag for sentence in sentences.values() for tag in sentence.tags)
        for place, reason, graphs in described.dropped:
            written = [[list(triplet) for triplet in graph] for graph in graphs]
            making.drop("describe", story.id, place, reason, was=written)

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
    counts = {name: dict(sorted(times.items())) for name, times in kinds.items()}
    making.files.figures.update(items={QUESTIONS: kinds["hops"].total()}, **counts)


class StoryChoices(NamedTuple):
    """The sets of options of a story, and the reasons why there are no more."""

    story: Narrative
    sets: Sequence[WordedSet]
    dropped: Counter[str]


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

    async def words(story: Narrative) -> StoryChoices:
        # A model words all options of a step alike, and more sets than are wanted, since not all of its are sound.
        number = settings.choices if writer is None else SURPLUS * settings.choices
        view = StoryView(story, possible(story))
        sets, dropped = worded_sets(view, number, settings.seed, making.avoids(story))
        if writer is None:
            return StoryChoices(story, sets, dropped)
        voice = settings.draw("choices", story).choice(VOICES)
        sound: list[WordedSet] = []
        for options in sets:
            claims = [option.claim for option in options.options]
            written = await writer.candidates(story.id, f"choice/{options.index}", claims, voice)
            sentences = [each.sentence.text for each in written if each.sentence is not None]
            if len({*sentences}) == len(claims):
                sound.append(replace(options, sentences=tuple(sentences)))
            else:
                dropped[f"step: not all options have a sound sentence of their own ({options.tag})"] += 1
        return StoryChoices(story, sound, dropped)

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

    await making.engine.streamed(making.stories(NARRATIVES), words, put, workers=making.workers)
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


_STORIES, _DESCRIBED = (STORIES, "import"), (DESCRIBED, "describe")
_SENTENCES, _NARRATIVES = (SENTENCES, "describe"), (NARRATIVES, "elements")
_WORDING = ("seed", "mix", "rewrite", "implicit", "repeated", "bare", "model", "rounds")
STAGES = (
    Stage("import", read_stories, ("sources", CANARY), (), (STORIES,)),
    Stage("describe", describe, _WORDING, (_STORIES,), (DESCRIBED, SENTENCES), asks=True),
    Stage("elements", allow_elements, ("seed", "extra"), (_DESCRIBED, _SENTENCES), (NARRATIVES,)),
    Stage("questions", ask_questions, ("seed", "questions"), (_NARRATIVES,), (QUESTIONS,)),
    Stage(
        "choices",
        offer_choices,
        ("seed", "choices", "possible", "model", "rounds"),
        (_NARRATIVES,),
        (CHOICES,),
        asks=True,
    ),
    Stage("generation", list_generation_rows, (), (_NARRATIVES, _SENTENCES), (SINGLE, MULTI)),
)
