"""Audit of this suite's rows: items, checks that know graphs, and shortcuts for answers other than letters.

Rows that an evaluation would refuse (a key outside the candidates, an unreadable line) are findings here, not errors.

Two shortcuts are learned. Of questions: a question's form says what it asks for, so a name competes with those of its
kind only (actions, direct objects, tools, hands or the rest); a name of several kinds is of the rarest in its graphs.
Of generation: graphs of what is usual elsewhere, from L without a sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph
from tsgkit.lexicon.folding import word_set
from tsgkit.library.documents.lint import ALL_RULES, check_document
from tsgkit.library.documents.reader import Document
from tsgkit.library.documents.rows import Entry
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.audits.classifier import Candidates, Classifier, measured
from tsgkit.suites.audits.items import Answer, AuditedItem, Check, Slip, few_options, words
from tsgkit.suites.audits.shortcuts import Answerer
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.solvers.examples import WorkedExample
from tsgkit.suites.solvers.scorers import judge_reading, read_reply
from tsgkit.suites.tsg.baselines.mentions import elements_of
from tsgkit.suites.tsg.clusters import clusters_of
from tsgkit.suites.tsg.items import GenerationSample, QuestionSample, RefineSample, SentenceGraphs
from tsgkit.suites.tsg.rows import RowRules
from tsgkit.suites.tsg.sample_checks import SAMPLE_CHECKS, SampleCheck, fewest_denials, names_by_role

if TYPE_CHECKING:
    from tsgkit.suites.task import Task

HAND_REMARKS = word_set("hand2-first hand-busy hand-occupied hand-unstated hands-full not-held wrong-hand")
"""Remarks about hands, which occur in most annotated data by the hundred."""
MOST_KINDS = 12
RANDOM, PERTURBED = "random half (with variation_triplets)", "perturbed half (without variation_triplets)"
_FORMS = ("first", "last", "before", "after", "next", "previous", "which", "hand1", "hand2")
"""Words of questions that an answer may depend on."""


class AuditRules(NamedTuple):
    """How an audit sees the items of a task."""

    item: Callable[[Any], AuditedItem]
    """Returns an item as an audit sees it."""
    truth: Callable[[Any], SentenceGraphs] = lambda _: SentenceGraphs()
    """Returns the sentence of an item and its graphs; empty if there is none."""
    texts: Callable[[Any], tuple[str, ...]] | None = None
    """Returns the texts of an item that no prompt may show; None for its sentence."""

    def own_texts(self, item: Any) -> tuple[str, ...]:  # noqa: ANN401  (of its task)
        """Return the texts of an item that no prompt may show."""
        return tuple(filter(None, [self.truth(item).sentence])) if self.texts is None else self.texts(item)


def auditable(
    document: Document, task: Task, rules: AuditRules, shown: Sequence[WorkedExample], texts: Iterable[str]
) -> Auditable:
    """Return a document of rows as items; ``shown`` are the worked examples, ``texts`` the prompts that may give it
    away.
    """
    rows: RowRules = task.rows.own
    rows.check_kind(document)
    clusters, kinds = clusters_of(document), kinds_of_rows(document.entries)
    items: list[AuditedItem] = []
    by_id: dict[str, Any] = {}
    for number, entry in enumerate(document.entries):
        for sample in rows.items_from(entry, document.file, clusters.name(number)) if entry.row else ():
            items.append(replace(rules.item(sample), group=kinds[number]))
            by_id[sample.item_id] = sample
    if not items:
        raise UsageError(f"{document.file}: there are no items in it")

    def slips(check: SampleCheck, items: Sequence[AuditedItem]) -> Iterator[Slip]:
        for item in items:
            sample = by_id[item.item_id]
            subject = rules.truth(sample) if check.of is SentenceGraphs else sample
            if isinstance(subject, check.of):
                yield from (Slip(check.code, item.item_id, message) for message in check.problems(subject))

    def contaminated(items: Sequence[AuditedItem]) -> Iterator[Slip]:
        """Find items whose words or graph occur in a worked example, or verbatim in a prompt."""
        examples = {text: example.item.item_id for example in shown for text in rules.own_texts(example.item)}
        together = "\n".join(texts)
        for item in items:
            item_texts = rules.own_texts(by_id[item.item_id])
            clash = next((examples[text] for text in item_texts if text in examples), None)
            if clash is not None:
                yield Slip("contamination", item.item_id, f"the worked example {clash} shows it")
            elif any(text in together for text in item_texts if len(words(text)) > 4):
                yield Slip("contamination", item.item_id, "a prompt holds it word for word")

    checks = (
        *_schema_checks(document, items, of_several=rows.of_several),
        *(
            Check(check.code, check.looks_for, partial(slips, check), check.is_error, check.is_folded)
            for check in SAMPLE_CHECKS
        ),
        Check("contamination", "items that the worked examples or prompts show", contaminated),
    )

    def worth(item: AuditedItem, reply: str) -> float:
        """Return the strict F1 of a reply."""
        sample = by_id[item.item_id]
        judged = judge_reading(task, sample, read_reply(task, sample, CollectedReply(reply)))
        return judged.scores["strict"]["f1"].value or 0.0

    def handled(item: AuditedItem, name: str) -> tuple[str, ...]:
        """Return an answer that can be given without reading the question."""
        sample = by_id[item.item_id]
        is_question = isinstance(sample, QuestionSample)
        return tuple(handled_things(sample.graphs, sample.question)[name]) if is_question else ()

    answerers = (
        Answerer("the option with the fewest words that deny", "the options, not the graph", fewest_denials),
        *(
            Answerer(
                name,
                "the graphs" + (" and which names the question holds" if "question" in name else ", not the question"),
                partial(handled, name=name),
                needs=lambda item: bool(item.pool),
            )
            for name in handled_things((), "")
        ),
        learned_names(by_id),
        _guesser(task, by_id, worth),
        learned_graphs(by_id, worth),
    )
    return Auditable(items, checks, answerers, clusters_are=clusters.unit)


def kinds_of_rows(entries: Sequence[Entry]) -> list[str]:
    """Return the known half or kind of each row; empty texts where the rows name none.

    Choices: their only tag, else whether ``variation_triplets`` occur in them, as only in the random half of the
    published file. Generation rows: the number of graphs.
    """
    rows = [entry.row or {} for entry in entries]
    kinds = [""] * len(rows)
    if all("variations" in row for row in rows):
        tags = [row.get("tags") for row in rows]
        kinds = [str(names[0]) if isinstance(names, list) and len(names) == 1 else "" for names in tags]
        if not all(kinds):
            kinds = [PERTURBED if row.get("variation_triplets") is None else RANDOM for row in rows]
    elif all("mandatory_space" in row for row in rows):
        kinds = [f"k = {len(row['graphs'])}" for row in rows]
    return kinds if 1 < len(set(kinds)) <= MOST_KINDS else [""] * len(rows)


def _schema_checks(document: Document, items: Sequence[AuditedItem], *, of_several: bool) -> Iterator[Check]:
    """Yield a check for every rule that the file breaks, except what ``few-options`` reports."""
    short = {slip.item_id for slip in few_options(items)}
    slips: dict[str, list[Slip]] = {}
    for finding in check_document(document, of_several=of_several).findings:
        if finding.code != "few-candidates" or str(finding.place.item) not in short:
            item_id = "" if finding.place.item is None else str(finding.place.item)
            slips.setdefault(finding.code, []).append(Slip(finding.code, item_id, finding.message))
    for code, of_rule in slips.items():
        rule = ALL_RULES[code]
        looks_for, is_error = f"graphs and rows: {rule.meaning}", rule.severity == "error"
        known = lambda items, slips=of_rule: slips  # noqa: E731  (one for each rule)
        yield Check(code, looks_for, known, is_error, is_folded=code in HAND_REMARKS)


def handled_things(graphs: Sequence[ActionGraph], question: str) -> dict[str, list[str]]:
    """Return the answers of guessers that do not read a question, by what they name."""
    handled = [triplet.target for graph in graphs for triplet in graph.triplets if triplet.edge == DOBJ]
    unnamed = [name for name in handled if name not in words(question)]
    return {
        "the thing handled most often": _commonest(handled),
        "the thing handled first": handled[:1],
        "the thing handled last": handled[-1:],
        "the thing handled most often that the question does not name": _commonest(unnamed),
    }


def _commonest(names: list[str]) -> list[str]:
    counts = Counter(names)
    most = max(counts.values(), default=0)
    return [name for name, number in counts.items() if number == most]


def rivals(graphs: Sequence[ActionGraph], answer: str) -> dict[str, int]:
    """Return the names of the answer's kind, with how often each stands in the graphs.

    >>> graph = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"), ("open", "with", "hand1"))
    >>> rivals((graph, graph), "jar")
    {'jar': 2}
    """
    kinds = names_by_role(graphs)
    counts = Counter(triplet.target for graph in graphs for triplet in graph.triplets)
    rarest = sorted(kinds, key=lambda kind: (len(kinds[kind]), kind))
    kind_of = {name: next(kind for kind in rarest if name in kinds[kind]) for name in counts}
    return {name: counts[name] for name in sorted(counts) if kind_of[name] == kind_of.get(answer)}


def learned_names(by_id: Mapping[str, Any]) -> Answerer:
    """Return the learned shortcut for questions."""

    def reader(items: Sequence[AuditedItem]) -> Callable[[AuditedItem], Candidates]:
        answers = Counter((item.answer, item.cluster) for item in items)
        usual = Counter(item.answer for item in items)

        def read(item: AuditedItem) -> Candidates:
            counts, question_words = rivals(by_id[item.item_id].graphs, item.answer), words(item.question)
            names = tuple(counts)
            mentions = measured("mentions in the graphs", list(counts.values()))
            elsewhere = measured("answers elsewhere", [usual[name] - answers[name, item.cluster] for name in names])
            features = []
            for name, of_graphs, of_answers in zip(names, mentions, elsewhere, strict=True):
                features.append({f"the name '{name}'": 1.0} | of_graphs | of_answers)
                if name in question_words:
                    forms = [word for word in _FORMS if word in question_words]
                    features[-1] |= {f"a name in a question with '{word}'": 1.0 for word in forms}
                    features[-1]["a name in the question"] = 1.0
            return Candidates(names, features, names.index(item.answer) if item.answer in counts else None)

        return read

    classifier = Classifier(reader)
    return Answerer(
        "what a classifier learns of names",
        "the question, the names of the kind that it asks for, how often they occur, and answers to other items",
        learn=classifier.learn,
        carriers=classifier.carriers,
        chance=lambda item: 1 / (len(rivals(by_id[item.item_id].graphs, item.answer)) or 1),
        needs=lambda item: bool(item.pool),
    )


def _guesser(task: Task, by_id: Mapping[str, Any], worth: Callable[[AuditedItem, str], float]) -> Answerer:
    """Return the credit of a random answer in the right form."""

    def gets(item: AuditedItem) -> float:
        assert task.baselines.program is not None  # noqa: S101  (all tasks of this suite have baselines)
        program = task.baselines.program(task, "random", 0, None)
        return worth(item, str(program.answer(by_id[item.item_id])))

    mends = any(isinstance(sample, RefineSample) for sample in by_id.values())
    return Answerer(
        "the given graph, one triplet turned or dropped" if mends else "elements of L drawn by lot, in the right form",
        "the graph to mend, not the sentence" if mends else "what is allowed, not the sentence",
        gets=gets,
        needs=lambda _: task.rows.own.of == "sgg",
    )


def learned_graphs(by_id: Mapping[str, Any], worth: Callable[[AuditedItem, str], float]) -> Answerer:
    """Return the learned shortcut for generation, with the worth of a reply's text for an item."""

    def elements(sample: GenerationSample) -> list[tuple[str, int, str]]:
        """Return the actions and things of L with their places in it."""
        usable = elements_of(sample.vocabulary)
        lists = ((VERB, usable.actions), (DOBJ, usable.things))
        return [(kind, index, name) for kind, names in lists for index, name in enumerate(names)]

    def learn(items: Sequence[AuditedItem]) -> Answer:
        used, offered = Counter[tuple[str, int | str]](), Counter[tuple[str, int | str]]()
        grips = Counter[tuple[str, ...]]()
        for sample in (by_id[item.item_id] for item in items):
            targets = {(edge, target) for graph in sample.references for _, edge, target in graph.triplets}
            for kind, index, name in elements(sample):
                offered.update(((kind, name), (kind, index)))
                used.update(((kind, name), (kind, index)) if (kind, name) in targets else ())
            grips.update(tuple(t.target for t in graph.triplets if t.target in HANDS) for graph in sample.references)
        [(hands, _)] = grips.most_common(1) or [((), 0)]

        def usualness(kind: str, mark: int | str) -> float:
            return (used[kind, mark] + 1) / (offered[kind, mark] + 10)

        def answer(item: AuditedItem) -> tuple[str, ...]:
            sample = by_id[item.item_id]
            names: dict[str, list[str]] = {VERB: [], DOBJ: []}
            ranks = {
                (kind, at, name): -usualness(kind, at) * usualness(kind, name) for kind, at, name in elements(sample)
            }
            for kind, _, name in sorted(ranks, key=ranks.__getitem__):
                names[kind].append(name)
            graphs = []
            for index, action in enumerate(names[VERB][: sample.k]):
                edges = [(DOBJ, thing) for thing in names[DOBJ][index : index + 1]]
                edges += elements_of(sample.vocabulary).grips(hands)
                graphs.append(ActionGraph([(PERSON, VERB, action), *((action, label, name) for label, name in edges)]))
            return ("\n\n".join(map(str, graphs)),)

        return answer

    return Answerer(
        "graphs of what is usual elsewhere",
        "L, and the graphs of other items, not the sentence",
        learn=learn,
        worth=lambda item, answers: worth(item, str(answers[0])),
        chance=lambda item: 0.0,
        needs=lambda item: isinstance(by_id[item.item_id], GenerationSample),
    )
