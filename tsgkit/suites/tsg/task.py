"""Common parts of this suite's tasks: rows of documents, prompts in parts or whole, groups, audits.

Each task is a class of its own in :mod:`~tsgkit.suites.tsg.qa`, ``selection``, ``generation``, ``derived_tasks`` and
``repairs``, which reads top to bottom: the prompt, the reader, the scores, the identity of an item. The items are in
``items``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any, TypeVar

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.library.cards import Card
from tsgkit.library.documents.reader import Document, read_document, read_file
from tsgkit.library.documents.rows import Entry, RowKind
from tsgkit.library.files import STDIN
from tsgkit.library.projects import text_of
from tsgkit.llm.reply import Reply as ModelReply
from tsgkit.replies import Unreadable
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.tally import Tally
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.audits.items import Item as AuditItem
from tsgkit.suites.judgement import Judged, TwoReadings
from tsgkit.suites.replies import read_as
from tsgkit.suites.scoreboard import Board, Rules, board_of
from tsgkit.suites.solvers.examples import Example, Identity, Pool, pool_file
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.protocols import AsAsked, Reading
from tsgkit.suites.solvers.solver import BASELINE, SINGLE, Solver
from tsgkit.suites.styles import Style
from tsgkit.suites.suite import CHECK, tasks_hint
from tsgkit.suites.task import Dataset as AnyDataset
from tsgkit.suites.task import Items, Task
from tsgkit.suites.text_task import TextTask
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.audit import auditable
from tsgkit.suites.tsg.clusters import clusters_of, own_name
from tsgkit.suites.tsg.dataset import Dataset
from tsgkit.suites.tsg.groups import COMPUTED, STORED, groups_of, in_order, no_group
from tsgkit.suites.tsg.items import Sample, SentenceGraphs
from tsgkit.suites.tsg.prompts import PromptSet, TaskTexts, prompt_set

Item = TypeVar("Item", bound=Sample)
Answer = TypeVar("Answer")
SUITE = "tsg/"
REASONING_STYLES = ("cot", "cot-few-shot")
SINGLE_COUNT = "single_graph_items"
SINGLE_NOTE = "one graph among items of several: scored as k = 1"
NO_READER = "this task has no published reader"
VIEW = "the published reader is shown what follows the last answer label"
ONE_GRAPH = ("sa-sgg", "nodes-sa", "edges-sa")
"""The tasks of one graph an item."""
MOST_NAMED = 3


class TsgTask(TextTask[Item, Answer]):
    """A task of this suite."""

    item_type: type[Sample]
    rows: RowKind
    """The kind of rows that its items are made of."""
    sources: tuple[str, ...] = ()
    """The generation tasks whose items its own are made of; empty if they are made of rows."""
    of_several = False
    """True if its items have several graphs."""
    rules: tuple[str, ...] = ()
    """The parts of its prompts between statement and reasoning."""
    asked_fields: tuple[str, ...] = ()
    """The fields that its input must show."""
    more_fields: tuple[str, ...] = ()
    """The fields that its input and answer contracts may show besides."""
    whole_fields: tuple[str, ...] = ()
    """The fields of its published prompt; none where there is no such prompt."""
    told_fields: tuple[str, ...] = ()
    """The fields that describe the question to people; two of them in brief displays."""
    own_groups: tuple[str, ...] = ()
    """The groups that no other task has."""
    without_weight = "no item carries weight"
    """The reason for a missing official value of a published metric."""

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        computed = tuple(COMPUTED) if self.rows == "sgg" else ()
        self.groups = (*STORED, *computed, *self.own_groups)

    # What a task says

    @abstractmethod
    def items_of(self, entry: Entry, cluster: str) -> Iterator[Item]:
        """Make the items of a row."""

    @abstractmethod
    def fields(self, item: Item) -> Mapping[str, str]:
        """Return the values of an item for the fields of our prompts."""

    @abstractmethod
    def schema(self, item: Item, most: int) -> dict[str, Any]:
        """Return the JSON schema of an answer, whose lists have at most so many entries."""

    @abstractmethod
    def identity(self, item: Item) -> Identity:
        """Return the identity of an item for comparison with examples: its content, and its scenario or cluster."""

    @abstractmethod
    def audit_item(self, item: Item) -> AuditItem:
        """Return an item as an audit sees it."""

    @abstractmethod
    def own_texts(self, item: Item) -> tuple[str, ...]:
        """Return the texts of an item that no prompt may show."""

    @abstractmethod
    def vote(self, item: Item, answers: Sequence[Answer]) -> Reading[Any]:
        """Return the voted answer of one or more draws."""

    def longest(self, item: Item) -> int:
        """Return the length of the longest list in the right answer; 0 where it has none."""
        return 0

    def problem(self, item: Item) -> str:
        """Return why an item cannot be asked; empty where it can."""
        return ""

    def published_values(self, item: Item) -> Mapping[str, str]:
        """Return the values of an item for the published prompt, written as the published code writes them."""
        raise UsageError(f"item {item.item_id} is of a task without a published prompt")

    def told_graphs(self, item: Item) -> SentenceGraphs:
        """Return the sentence of an item and its graphs; empty if there is none."""
        return SentenceGraphs()

    def rationale(self, item: Item, rationale: str) -> str:
        """Return the reasoning that leads to the answer of a worked example, from that of its row."""
        return rationale

    def official_reading(self, text: str) -> Any:  # noqa: ANN401  (a name, a letter, or graphs)
        """Return what the published reader finds in a text."""
        raise NotImplementedError

    def differences(self, item: Item, mine: Any, theirs: Any, view: str) -> Iterator[str]:  # noqa: ANN401
        """Return why the profiles read different answers."""
        yield from ()

    # Rows

    def items_from(self, entry: Entry, file: str = "the data", cluster: str = "") -> tuple[Item, ...]:
        """Return the items of a row; ``cluster`` is its cluster in the whole file, else its own name."""
        return tuple(self.items_of(entry, cluster or own_name(entry.row or {})))

    def items_in(self, document: Document) -> tuple[Item, ...]:
        """Return the items of a document of rows; ``UsageError`` where it is not this task's data."""
        self.check_kind(document)
        if broken := [finding for finding in document.findings if finding.code in ("broken-line", "other-format")]:
            line = f"line {broken[0].place.line}: " if broken[0].place.line else ""
            raise UsageError(f"{document.file}: {line}{broken[0].message}", hint=CHECK)
        clusters = clusters_of(document)
        items = tuple(
            item
            for number, entry in enumerate(document.entries)
            for item in self.items_from(entry, document.file, clusters.name(number))
        )
        _check_ids(items, document.file)
        self.check_answerable(items, document.file)
        self.check_several(items, document.file)
        return items

    def check_kind(self, document: Document) -> None:
        """Refuse a document of other rows."""
        if document.format != self.rows:
            kind = f"{document.format} is not data of {self.kind}, which are {self.rows} rows"
            raise UsageError(f"{document.file}: {kind}", hint=tasks_hint(document.file))

    def check_answerable(self, items: Iterable[Item], file: str) -> None:
        """Raise an error for items without a right answer, which could only be scored as wrong."""
        for item in items:
            if problem := self.problem(item):
                raise UsageError(f"{file}: item {item.item_id} {problem}", hint=CHECK)

    def check_several(self, items: Iterable[Item], file: str) -> None:
        """Refuse a file for a task of several graphs in which every item has one: it is another task's."""
        if self.of_several and all(item.is_single for item in items):
            raise UsageError(
                f"{file}: every item has one graph, so these are rows of sa-sgg, not {(*self.sources, self.kind)[0]}",
                hint=f"name the task that is made of them: {', '.join(SUITE + name for name in ONE_GRAPH)}",
            )

    @property
    def stored(self) -> str:
        """The name of its rows in folders and datasets: a derived task's are those of its first source."""
        return (*self.sources, self.kind)[0]

    def dataset(self, data: str | None) -> Dataset[Item]:
        """Return the items of a file, a folder, an installed dataset, or (None) those the card names."""
        return Dataset(self.source(data), self)

    def items_to_score(self, data: str) -> Items:
        """Return the items of any document of rows; a dataset is read line by line, which a JSON list is not."""
        source = data if data == STDIN else self.source(data)
        document = read_file(source) if isinstance(source, str | Path) else read_document(text_of(source), str(source))
        return Items(document.file, "", self.items_in(document))

    def clusters_are(self, dataset: AnyDataset) -> str:
        """Return the unit of the clusters: scenarios if all rows name theirs, else what the file allows."""
        return self._own(dataset).clusters_are

    def notes(self, dataset: AnyDataset) -> tuple[str, ...]:
        """Name the items of one graph in a task of several."""
        single = (
            [item.item_id for item in dataset if item.is_single]
            if isinstance(dataset, Items)
            else self._own(dataset).single
        )
        if not single:
            return ()
        items = "1 item" if len(single) == 1 else f"{len(single):,} items"
        more = f" and {len(single) - MOST_NAMED:,} more" if len(single) > MOST_NAMED else ""
        named = ", ".join(single[:MOST_NAMED])
        return (f"{items} of one graph among items of several, scored as k = 1: {named}{more}",)

    def _own(self, dataset: AnyDataset) -> Dataset[Item]:
        if not isinstance(dataset, Dataset):
            raise UsageError(f"{dataset.file}: not rows of this suite")
        return dataset

    # Prompts

    def prompts(self, folder: str | Path | None = None) -> PromptSet:
        """Return its texts from a given folder (None: the working project, then ours)."""
        return prompt_set(folder, self)

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Return where each part of its prompts comes from."""
        return {part: template.source for part, template in self.prompts(prompts).templates.items()}

    def prompter(self, style: Style, dataset: AnyDataset, *, seed: int, prompts: str | None) -> Prompter[Item]:
        """Return the prompts in a style, after checking that the examples do not overlap with the data."""
        own, texts = self._own(dataset), self.prompts(prompts)
        examples = self.pool().chosen(style.shots, seed, own) if style.shots else ()
        return self.prompter_of(style, texts, own.longest, examples)

    def prompter_of(
        self, style: Style, texts: PromptSet, longest: int, examples: Sequence[Example[Item]] = ()
    ) -> Prompter[Item]:
        """Return the prompts in a style, of these texts, for data whose longest list of an answer is so long."""
        return Prompter(TaskTexts(texts, self, longest), style, examples)

    def pool(self) -> Pool[Item]:
        """Return the worked examples that its card names."""
        found = pool_file(self.card)
        return self.pool_in(read_document(text_of(found), str(found)))

    def pool_in(self, document: Document) -> Pool[Item]:
        """Return the worked examples of a document: ordinary rows with a ``rationale``, or one for each question."""
        self.items_in(document)  # refuses a pool with anything wrong in it
        examples = tuple(example for entry in document.entries for example in self._examples(entry, document.file))
        return Pool(document.file, examples, self.identity, f"{self.kind}\n")

    def _examples(self, entry: Entry, file: str) -> Iterator[Example[Item]]:
        rationales = tuple(_rationales(entry, file))
        for item, rationale in zip(self.items_from(entry, file), cycle(rationales), strict=False):
            source = getattr(item, "source", None)
            made_of = "" if source is None else source.item_id
            yield Example(item, self.shown_answer(item), self.rationale(item, rationale), made_of)

    # Scores

    def unpublished(self, style: str, solver: str) -> str:
        """Return why replies asked for in this way have no official figures; empty where they have."""
        if not self.published_metrics:
            return NO_READER
        if style == "structured":
            return "replies in a JSON schema were not asked for in the published way"
        if solver not in (SINGLE, BASELINE):
            return f"the published way asks once; solver {solver} does not"
        return ""

    def official_text(self, asked: AsAsked | None) -> str | None:
        """Return the text that the published reader sees; None for none."""
        if asked is None or self.unpublished(asked.style, SINGLE):
            return None
        return official_view((asked.reply.text if asked.reply is not None else None) or "", asked.style)

    def score(self, item: Item, reading: Reading[Any], asked: AsAsked | None) -> Judged:
        """Score an answer; an item of one graph in a task of several is counted."""
        judged = super().score(item, reading, asked)
        if not self.of_several:
            return judged
        notes = (SINGLE_NOTE, *judged.notes) if item.is_single else judged.notes
        return replace(judged, notes=notes, counts={**judged.counts, SINGLE_COUNT: int(item.is_single)})

    def faults(self, answer: Any, evidence: Any) -> Iterator[str]:  # noqa: ANN401  (as a record has them)
        """Yield the differences of graphs, the place of each graph once (from 1), or the answer and the right one."""
        if isinstance(evidence, list):
            for number, graph in enumerate(evidence, 1):
                place = f"graph {number}: " if len(evidence) > 1 else ""
                for change in graph["changes"]:
                    yield place + change.replace(": ", " ", 1)
                    place = ""
        elif "expected" in evidence:
            yield f"{answer}, expected {evidence['expected']}"
        else:
            yield from (change.replace(": ", " ", 1) for change in evidence["changes"])

    def board_by(
        self, tally: Tally, seed: int, *, style: str, unpublished: str, only: Collection[str] | None = None
    ) -> Board:
        """Return the values of a tally of replies asked for in a style."""
        rules = Rules(
            metrics={name: metric for name, metric in self.metrics.items() if only is None or name in only},
            published=self.published_metrics,
            unpublished=unpublished if self.published_metrics else NO_READER,
            without_weight=self.without_weight,
            own_reasons={"official.view": f"style {style}: {VIEW}"} if style in REASONING_STYLES else {},
            seed=seed,
        )
        return board_of(tally, rules)

    def readings(self, sample: Item, reply: ModelReply, solver: Solver) -> TwoReadings:
        """Return what both profiles read in one reply, and why they differ."""
        return self.read_twice(sample, reply, solver.style, solver.name)

    def read_twice(
        self, sample: Item, reply: ModelReply, style: str = "zero-shot", solver: str = SINGLE
    ) -> TwoReadings:
        """Return both readings of a reply that was asked for in a style."""
        said = read_as(reply)
        outcome, found = self.read(sample, said)
        mine = self.told(found) if outcome is Outcome.ANSWERED else None
        unreadable = found.reason if isinstance(found, Unreadable) else ""
        notes = found.reading.notes if isinstance(found, GraphAnswer) else ()
        spans = () if mine is None else self.spans(sample, reply.text or "")
        if refused := self.unpublished(style, solver):
            return TwoReadings(outcome, mine, unreadable, notes, None, refused, (), spans)
        view = official_view((said.text if said is not None else None) or "", style)
        theirs = self.official_reading(view)
        why = tuple(self._why(sample, outcome, mine, theirs, view))
        return TwoReadings(outcome, mine, unreadable, notes, theirs, "", why, spans)

    def _why(self, sample: Item, outcome: Outcome, mine: Any, theirs: Any, view: str) -> Iterator[str]:  # noqa: ANN401
        if outcome in (Outcome.ANSWERED, Outcome.UNREADABLE):
            yield from self.differences(sample, mine, theirs, view)
        elif view.strip():
            yield f"the reply ended as {outcome}: strict gives it nothing, official reads what text there is"
        elif self.rows == "sgg":
            yield "no text: strict counts the item as wrong, official leaves it out"

    # Groups, words, audits

    def group_of(self, sample: Item, group: str) -> tuple[str, ...]:
        """Return the members of a group that an item belongs to."""
        return groups_of(sample, group)

    def in_order(self, members: Iterable[str], group: str) -> list[str]:
        """Return the members of a group as people expect them."""
        return in_order(members, group)

    def no_group(self, group: str, tasks: Sequence[Task]) -> UsageError:
        """Return why none of these tasks can be grouped so."""
        return no_group(group, [task.kind for task in tasks if isinstance(task, TsgTask)])

    def question(self, sample: Item, *, briefly: bool = False) -> str:
        """Return what was asked about, without its context; briefly, without L."""
        values, fields = self.fields(sample), self.told_fields[:2] if briefly else self.told_fields
        return "\n\n".join(f"{field}:\n{values[field]}" for field in fields)

    def reference(self, sample: Item) -> str:
        """Return what is right."""
        return self.shown_answer(sample)

    def auditable(self, data: str | None) -> Auditable:
        """Return its rows, including defective ones, with the texts of prompts and worked examples."""
        source = self.source(data)
        document = read_file(source) if isinstance(source, Path) else read_document(text_of(source), str(source))
        shown = () if self.card.examples is None else self.pool().examples
        return auditable(document, self, shown, [one.text for one in self.prompts().templates.values()])


def official_view(text: str, style: str) -> str:
    """Return the text that the published reader sees: all, or what follows the last label of reasoned replies."""
    return official.answer_section(text) if style in REASONING_STYLES else text


def row_groups(row: Mapping[str, Any], k: int) -> dict[str, tuple[str, ...]]:
    """Return what a row says that its items can be grouped by."""
    tags = row.get("tags")
    return {
        "k": (str(k),),
        "domain": (str(row.get("domain") or "(none)"),),
        "tag": tuple(dict.fromkeys(str(tag) for tag in tags)) if isinstance(tags, list) and tags else ("(none)",),
    }


def lists_of(graphs: Sequence[ActionGraph]) -> list[list[list[str]]]:
    """Return graphs as lists, as the published code holds them."""
    return [[list(triplet) for triplet in graph.triplets] for graph in graphs]


def shortened(text: str) -> str:
    """Return a text that may be long, in quotes."""
    return repr(text if len(text) <= 40 else text[:40] + "...")


def _check_ids(items: Iterable[Sample], file: str) -> None:
    seen: set[str] = set()
    for item in items:
        if item.item_id in seen:
            raise UsageError(f"{file}: the item id {item.item_id} occurs twice")
        seen.add(item.item_id)


def _rationales(entry: Entry, file: str) -> Iterator[str]:
    row = entry.row or {}
    for holder in row.get("qa_pairs", [row]):
        rationale = holder.get("rationale", "")
        if not isinstance(rationale, str):
            raise UsageError(f"{file}: item {entry.item}: rationale: expected a text")
        yield rationale.strip()
