"""Stages of making a benchmark: each reads files of the stages before, and leaves its own in the folder."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tsgkit.cli.terminal import count
from tsgkit.errors import FileProblem
from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.graph.notation import narratives
from tsgkit.library.documents.reader import read_document, read_file
from tsgkit.library.projects import find, text_of
from tsgkit.llm.asker import ask_for
from tsgkit.runs.agent_calls import AgentCalls
from tsgkit.runs.executors import executor_named, usual_executor
from tsgkit.runs.jobs import Engine
from tsgkit.suites.tsg.makers.choices import KeyDeal, StoryView, WordedSet, choice_row, possible_steps, worded_sets
from tsgkit.suites.tsg.makers.generation_rows import (
    FIXED,
    LISTS,
    ElementPool,
    generation_rows,
    grouped,
    parse_mix,
    repeated,
    with_vocabulary,
)
from tsgkit.suites.tsg.makers.questions import QuestionChooser, question_row
from tsgkit.suites.tsg.makers.sentence_checks import SentenceNeighbours, check_sentence
from tsgkit.suites.tsg.makers.sentence_patterns import STYLES, Manner, can_be_implicit, can_be_written, write
from tsgkit.suites.tsg.makers.sentences import GraphSentence
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


@dataclass(frozen=True)
class StageSettings:
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
class StageWork:
    """The work on one stage: the folder, the settings, and whoever is asked."""

    stage: Stage
    folder: StageFolder
    settings: StageSettings
    files: StageFiles
    engine: Engine
    calls: AgentCalls | None = None
    workers: int = 1
    executor: str | None = None
    """The executor of sentences by patterns; None for processes where they are worth it."""
    avoided: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """By story, what must not be drawn again: paths of questions, steps of choices."""
    removed: Mapping[str, str] = field(default_factory=dict)
    """The items that are left out of what was made, with reasons."""
    dropped: Counter[str] = field(default_factory=Counter)
    """The number of things that were left out for each reason."""
    failures: list[str] = field(default_factory=list)
    """The requests that gave no answer, in words."""

    async def each(
        self,
        name: str,
        put: Callable[[Any], None],
        make: Callable[[Narrative], Awaitable[Any]] | None = None,
    ) -> None:
        """Put each story of a file, or what is made of it, in the order of the stories, which progress counts."""
        with self.folder.file(name).open("rb") as file:
            self.engine.expected = sum(1 for line in file if line.strip())

        async def unchanged(story: Narrative) -> Narrative:
            return story

        await self.engine.streamed(self.folder.narratives(name), make or unchanged, put, workers=self.workers)

    def avoids(self, story: Narrative) -> frozenset[Any]:
        """Return what must not be drawn again for a story."""
        drawn = self.avoided.get(story.id, ())
        return frozenset(tuple(path) if isinstance(path, list) else path for path in drawn)

    def removes(self, story: str, item: Mapping[str, Any]) -> bool:
        """Return whether an item is left out, and note it with its reason."""
        if (reason := self.removed.get(item["item_id"])) is None:
            return False
        self.drop(story, item["item_id"], reason)
        return True

    def drop(self, story: str, place: str, reason: str, *, times: int = 1, was: object = None) -> None:
        """Note something that is left out, with its reason."""
        value = {"story": story, "place": place, "reason": reason, "times": times, "was": was}
        self.files.add(self.stage.drops, {name: part for name, part in value.items() if part not in (None, "")})
        code = reason.partition(": ")[0]
        self.dropped[code if code.replace("-", "").isalpha() else reason] += times

    def drop_all(self, story: str, reasons: Mapping[str, int]) -> None:
        """Note how often things of a story were left out for each reason."""
        for reason, times in sorted(reasons.items()):
            self.drop(story, "", reason, times=times)


class Stage(NamedTuple):
    """A stage: its settings, the files that it reads, and the files that it leaves."""

    name: str
    make: Callable[[StageWork], Coroutine[Any, Any, str]]
    """Writes the files, and returns what was made, in words."""
    settings: tuple[str, ...]
    needs: tuple[str, ...]
    files: tuple[str, ...]
    asks: bool = False
    """True if a model is asked, where one is named."""

    @property
    def drops(self) -> str:
        """The file of what the stage left out."""
        return f"{self.name}.dropped.jsonl"

    @property
    def leaves(self) -> tuple[str, ...]:
        """All files of the stage, with that of what it left out."""
        return (*self.files, self.drops)


async def read_stories(making: StageWork) -> str:
    """Write the sound stories of the sources."""
    documents = [read_file(path) for path in making.settings.sources]
    imported = import_stories(documents)
    if not imported.stories:
        reasons = "; ".join(dict.fromkeys(drop.reason for drop in imported.dropped[:3]))
        raise FileProblem(f"{', '.join(map(str, making.settings.sources))}: no story in it: {reasons}")
    for drop in imported.dropped:
        making.drop(drop.story, drop.place, drop.reason, was=drop.was)
    canary = {CANARY: making.settings.canary} if making.settings.canary else {}
    for story in imported.stories:
        facts = tuple((dict(story.facts) | canary).items())
        making.files.add_text(STORIES, narratives.write(replace(story, facts=facts)))
    stories, graphs = len(imported.stories), sum(len(story.graphs) for story in imported.stories)
    formats = {document.file: document.format for document in documents}
    making.files.figures.update(stories=stories, graphs=graphs, changes=dict(imported.changes), formats=formats)
    return f"{count(stories, 'story', 'stories')} with {count(graphs, 'graph')}"


class GraphGroup(NamedTuple):
    """Graphs that want a sentence, those before them, and how it is worded: ``implicit``, ``bare`` or plainly."""

    graphs: tuple[ActionGraph, ...]
    before: tuple[ActionGraph, ...]
    manner: str = ""


@dataclass
class DescribedStory:
    """A story with its graphs in groups; by number of the description, sentences for it and reasons for none."""

    story: Narrative
    sentences: dict[int, GraphSentence] = field(default_factory=dict)
    dropped: dict[int, str] = field(default_factory=dict)


def with_groups(story: Narrative, settings: StageSettings) -> tuple[DescribedStory, dict[int, GraphGroup]]:
    """Return a story with its graphs in groups, some of them with a repeated action, and the groups without a sentence.

    A share of these is implicit where a grasp goes without saying, and a share is bare.
    """
    choice = settings.draw("group", story)
    story = grouped(story, parse_mix(settings.mix), choice, anew=settings.rewrite)
    story = repeated(story, settings.repeated, choice)
    groups: dict[int, GraphGroup] = {}
    before: tuple[ActionGraph, ...] = ()
    for number, description in enumerate(story.descriptions):
        if description.text is None and description.graphs:
            groups[number] = GraphGroup(description.graphs, before)
        before += description.graphs
    choice = settings.draw("manner", story)
    for manner in ("implicit", "bare"):
        possible = [
            number
            for number, group in groups.items()
            if not group.manner and (manner == "bare" or can_be_implicit(group.graphs))
        ]
        share = getattr(settings, manner) * len(groups)
        wanted = int(share) + (choice.random() < share - int(share))  # the rest decides by lot if it is rounded up
        for number in choice.sample(possible, min(wanted, len(possible))):
            groups[number] = groups[number]._replace(manner=manner)
    return DescribedStory(story), groups


def described_by_patterns(shared: tuple[StageSettings, frozenset[str]], story: Narrative) -> DescribedStory:
    """Return a story described by patterns of ours, in one style; ``shared`` has the names of all stories."""
    settings, others = shared
    described, groups = with_groups(story, settings)
    choice = settings.draw("describe", story)
    style = choice.choice(STYLES)
    vocabulary = described.story.vocabulary or Vocabulary.of(described.story.graphs)
    for number, group in groups.items():
        if reason := next(filter(None, map(can_be_written, group.graphs)), ""):
            described.dropped[number] = reason
            continue
        [hands] = choice.choices(WORDED_HANDS, WORDED_HANDS_SHARES)
        manner = Manner(style, hands, is_bare=group.manner == "bare", is_implicit=group.manner == "implicit")  # type: ignore[arg-type]
        sentence = write(group.graphs, manner, choice)
        if findings := check_sentence(sentence, group.graphs, SentenceNeighbours(vocabulary, others, group.before)):
            messages = (f"{finding.code}: {finding.message} ({sentence.text})" for finding in findings)
            described.dropped[number] = "; ".join(messages)
        else:
            described.sentences[number] = sentence
    return described


async def described_by_model(settings: StageSettings, writer: ModelWriter, story: Narrative) -> DescribedStory:
    """Return a story described by a model, in one voice, each sentence with those before as its context."""
    described, groups = with_groups(story, settings)
    voice = settings.draw("describe", story).choice(VOICES)
    texts: list[str] = []
    for number, description in enumerate(described.story.descriptions):
        text = description.text
        if (group := groups.get(number)) is not None:
            request = SentenceRequest(group.graphs, tuple(texts), group.before, group.manner, voice)
            written = await writer.sentence(story.id, f"describe/{number}", request)
            if written.sentence is None:
                described.dropped[number] = written.reason
            else:
                described.sentences[number], text = written.sentence, written.sentence.text
        if text:
            texts.append(text)
    return described


def vocabularies(making: StageWork, name: str) -> tuple[dict[str, Vocabulary], frozenset[str]]:
    """Return L, or the elements, of every story of a file, and the names of all stories."""
    known: dict[str, Vocabulary] = {}
    names: set[str] = set()
    for story in making.folder.narratives(name):
        used = Vocabulary.of(story.graphs)
        known[story.id] = story.vocabulary or used
        names.update(used.objects, used.verbs)
    return known, frozenset(names)


def model_writer(making: StageWork, calls: AgentCalls, name: str) -> ModelWriter:
    """Return the writer that asks the model about the stories of a file."""
    known, names = vocabularies(making, name)
    ask = partial(ask_for, calls.asker, task="make")
    return ModelWriter(ask, known.__getitem__, names, making.settings.rounds, making.failures)


async def describe(making: StageWork) -> str:
    """Write stories in which every group of graphs has a sentence, and the accounts of those that were written.

    Patterns use all processors.
    """
    settings, by, tags = making.settings, Counter[str](), Counter[str]()

    def put(described: DescribedStory) -> None:
        story, sentences = described.story, described.sentences
        descriptions = list(story.descriptions)
        for number, sentence in sentences.items():
            descriptions[number] = replace(descriptions[number], text=sentence.text)
            making.files.add(SENTENCES, {"story": story.id, "description": number, **asdict(sentence)})
            tags.update(sentence.tags)
        making.files.add_text(DESCRIBED, narratives.write(replace(story, descriptions=tuple(descriptions))))
        texts = sum(description.text is not None for description in descriptions)
        by.update(written=len(sentences), kept=texts - len(sentences))
        for number, reason in described.dropped.items():
            graphs = [graph.triplets for graph in descriptions[number].graphs]
            making.drop(story.id, f"description {number}", reason, was=graphs)

    counts: dict[str, Any] = {}
    if making.calls is None:
        known, names = vocabularies(making, STORIES)
        with executor_named(making.executor or usual_executor(len(known), MANY_STORIES)) as executor:
            making.engine.executor, making.workers = executor, executor.workers
            await making.each(STORIES, put, partial(executor.run, described_by_patterns, (settings, names)))
    else:
        writer = model_writer(making, making.calls, STORIES)
        await making.each(STORIES, put, partial(described_by_model, settings, writer))
        counts = {"sent_back": dict(writer.found), "without_answer": len(making.failures)}
    by_whom = settings.model or PATTERNS
    making.files.figures.update(sentences=+by, tags=dict(tags), written_by=by_whom, **counts)
    kept = f", {by['kept']:,} of the source kept" if by["kept"] else ""
    return f"{count(by['written'], 'sentence')} by {by_whom}{kept}"


def accounts_of(making: StageWork) -> defaultdict[str, dict[int, GraphSentence]]:
    """Return the accounts of all written sentences, by story and the number of the description."""
    accounts = defaultdict[str, dict[int, GraphSentence]](dict)
    for value in making.folder.values(SENTENCES):
        words = {node: tuple(phrases) for node, phrases in value["said"].items()}
        sentence = GraphSentence(value["text"], words, tuple(value["implied"]), tuple(value["tags"]))
        accounts[value["story"]][value["description"]] = sentence
    return accounts


async def allow_elements(making: StageWork) -> str:
    """Write stories with L: the elements of each, and a share of others."""
    settings, pool, accounts = making.settings, ElementPool(), accounts_of(making)
    for story in making.folder.narratives(DESCRIBED):
        pool.add(story)
    if pool.stories == 1:
        for entry in read_document(text_of(find("tasks", BUNDLED)), BUNDLED).entries:
            pool.add(entry.narrative)
    added = Counter[str]()

    def put(story: Narrative) -> None:
        sentences = accounts[story.id].values()
        words = [word for sentence in sentences for phrases in sentence.said.values() for word in phrases]
        allowing = with_vocabulary(story, pool, settings.extra, settings.draw("elements", story), words)
        making.files.add_text(NARRATIVES, narratives.write(allowing))
        used, allowed = Vocabulary.of(story.graphs), allowing.vocabulary or Vocabulary()
        for name in LISTS:
            own = {*getattr(used, name)} - {*FIXED}
            more = len({*getattr(allowed, name)} - own - {*FIXED})
            added[name] += more
            wanted = math.ceil(settings.extra * len(own))
            if more < wanted:
                reason = f"too few {name} of other stories mean nothing in this one"
                making.drop(story.id, "L", reason, times=wanted - more)

    await making.each(DESCRIBED, put)
    making.files.figures.update(added=dict(added))
    return "added to L: " + ", ".join(f"{number:,} {name}" for name, number in added.items())


async def ask_questions(making: StageWork) -> str:
    """Write rows of questions."""
    settings, chooser = making.settings, QuestionChooser(making.settings.seed)
    family, hops = Counter[str](), Counter[str]()

    def put(story: Narrative) -> None:
        questions, dropped = chooser.choose(story, settings.questions, making.avoids(story))
        row = question_row(story, questions)
        row["qa_pairs"] = [pair for pair in row["qa_pairs"] if not making.removes(story.id, pair)]
        if row["qa_pairs"]:
            making.files.add(QUESTIONS, row)
        family.update(pair["family"] for pair in row["qa_pairs"])
        hops.update(str(pair["hops"]) for pair in row["qa_pairs"])
        making.drop_all(story.id, dropped)

    await making.each(NARRATIVES, put)
    counts = {"family": dict(sorted(family.items())), "hops": dict(sorted(hops.items()))}
    making.files.figures.update(items={QUESTIONS: hops.total()}, **counts)
    return f"{count(hops.total(), 'item')} in {QUESTIONS}"


async def offer_choices(making: StageWork) -> str:
    """Write rows of choices.

    The possible steps of a story are its own and those of the file; without these, those of all stories.
    """
    settings, keys = making.settings, KeyDeal(making.settings.seed)
    kinds, tags = Counter[str](), Counter[str]()
    added = defaultdict[str, list[ActionGraph]](list)
    for entry in read_file(settings.possible).entries if settings.possible else ():
        added[entry.narrative.id] += entry.narrative.graphs
    if added and (unknown := sorted(added.keys() - {story.id for story in making.folder.narratives(NARRATIVES)})):
        hint = "a narrative of possible steps has the id of its story"
        raise FileProblem(f"{settings.possible}: no story has the id {unknown[0]}", hint=hint)
    attested = possible_steps(graph for story in making.folder.narratives(NARRATIVES) for graph in story.graphs)
    writer = None if making.calls is None else model_writer(making, making.calls, NARRATIVES)

    async def draw(story: Narrative) -> tuple[Narrative, Sequence[WordedSet], Counter[str]]:
        # A model words all options of a step alike, and more sets than are wanted, since not all of its are sound.
        number = settings.choices if writer is None else SURPLUS * settings.choices
        possible = possible_steps(story.graphs, added[story.id]) if story.id in added else attested
        sets, dropped = worded_sets(StoryView(story, possible), number, settings.seed, making.avoids(story))
        if writer is None:
            return story, sets, dropped
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
        return story, sound, dropped

    def put(drawn: tuple[Narrative, Sequence[WordedSet], Counter[str]]) -> None:
        # called in the order of the stories, whoever was answered first
        story, sets, dropped = drawn
        for choice in [keys.deal(story.id, options) for options in sets[: settings.choices]]:
            row = choice_row(story, choice)
            if not making.removes(story.id, row):
                making.files.add(CHOICES, row)
                tags[choice.worded.tag] += 1
                kinds.update(kind for kind in choice.kinds if kind != "right")
        making.drop_all(story.id, dropped)

    await making.each(NARRATIVES, put, draw)
    making.files.figures.update(
        items={CHOICES: tags.total()},
        tags=dict(tags),
        wrong_candidates=dict(kinds),
        written_by=settings.model or PATTERNS,
        without_answer=len(making.failures),
    )
    return f"{count(tags.total(), 'item')} in {CHOICES}"


async def list_generation_rows(making: StageWork) -> str:
    """Write the rows of both generation tasks."""
    accounts, tags = accounts_of(making), dict[str, Counter[str]]()

    def put(story: Narrative) -> None:
        texts = [description.text for description in story.descriptions]
        gap = texts.index(None) if None in texts else math.inf
        rows = {int(row["item_id"].rpartition("/")[2]): row for row in generation_rows(story, accounts[story.id])}
        for number in rows:
            if number > gap:  # a reader of the context cannot know what comes after a step that no sentence tells
                making.drop(story.id, f"description {number}", "a step before it has no sentence")
        for number, row in rows.items():
            if number <= gap and not making.removes(story.id, row):
                name = SINGLE if row["k"] == 1 else MULTI
                making.files.add(name, row)
                tags.setdefault(name, Counter()).update(row["tags"])

    await making.each(NARRATIVES, put)
    items = {name: making.files.lines[name] for name in (SINGLE, MULTI)}
    by_file = {name: dict(sorted(counts.items())) for name, counts in tags.items()}
    making.files.figures.update(items=items, tags=by_file)
    return ", ".join(f"{count(number, 'item')} in {name}" for name, number in items.items())


WORDING = ("seed", "mix", "rewrite", "implicit", "repeated", "bare", "model", "rounds")
CHOOSING = ("seed", "choices", "possible", "model", "rounds")
STAGES = (
    Stage("import", read_stories, ("sources", CANARY), (), (STORIES,)),
    Stage("describe", describe, WORDING, (STORIES,), (DESCRIBED, SENTENCES), asks=True),
    Stage("elements", allow_elements, ("seed", "extra"), (DESCRIBED, SENTENCES), (NARRATIVES,)),
    Stage("questions", ask_questions, ("seed", "questions"), (NARRATIVES,), (QUESTIONS,)),
    Stage("choices", offer_choices, CHOOSING, (NARRATIVES,), (CHOICES,), asks=True),
    Stage("generation", list_generation_rows, (), (NARRATIVES, SENTENCES), (SINGLE, MULTI)),
)
STAGE_OF = {name: stage.name for stage in STAGES for name in stage.files}
"""The stages that leave the files."""
