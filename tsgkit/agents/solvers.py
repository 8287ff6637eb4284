"""Agents as solvers of tasks: ``agent:low``, ``agent:medium`` (also ``agent``) and ``agent:high``, by their effort.

>>> import asyncio
>>> from tsgkit.llm.asker import ask_for
>>> from tsgkit.llm.scripts import ByLabel
>>> from tsgkit.library.cards import load_card
>>> from tsgkit.suites.suite import task_of
>>> task = task_of(load_card("tsg/sa-sgg"))
>>> sample = task.dataset("tsgkit-2").sample(1)
>>> sample.sentence
'The nurse picks up the forceps from the tray.'
>>> solver = AGENTS.solver("agent:low", task, None)
>>> model = ByLabel({"write/1": "person -> verb -> pick-up; pick-up -> dobj -> focreps; hand1 -> with -> pick-up"})
>>> transcript = asyncio.run(solver.solve(sample, ask_for(model, "0")))
>>> for said in transcript.said[1:]:
...     print(f"{said.label}:", said.reply.text, sep="\\n")
local:
person -> verb -> pick-up
pick-up -> dobj -> forceps
pick-up -> with -> hand1
changes:
graph 1: pick-up -> with -> hand1, was hand1 -> with -> pick-up [action-target] (exact): with ends at the action pick-up
graph 1: pick-up -> dobj -> forceps, was pick-up -> dobj -> focreps [out-of-vocabulary] (exact): focreps is not in L
>>> solver.judge(sample, transcript).scores["strict"]["recall"].value
0.75

A transcript contains the model's calls and then the agent's results: the graphs (``local``, in the published form), the
``changes`` with their reasons, and ``notes`` about problems. What stops a run (a budget, Ctrl-C) stops the sample; its
recorded calls are replayed when the run is resumed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tsgkit.agents.decomposition import (
    MOST_TRIES,
    DecomposedSentence,
    Sentence,
    decompose_prompt,
    decompose_sentence,
    write_prompt,
)
from tsgkit.agents.effort import LEVELS, Effort
from tsgkit.agents.passages import Passage
from tsgkit.agents.prompts import fingerprint, look_prompt
from tsgkit.agents.refinement import CLEAN, Refined, refine_passage
from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Description
from tsgkit.graph.notation.json_triplets import write as write_json
from tsgkit.graph.prompt_text import arrows
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.library.cards import card_names, load_card
from tsgkit.llm.asker import SchemaRefusals
from tsgkit.llm.failures import NotFinished
from tsgkit.llm.reply import Ask, Reply
from tsgkit.suites.solvers.factories import SolverFactory
from tsgkit.suites.solvers.scorers import NOTES, SolverWork, failed
from tsgkit.suites.solvers.solver import Expected, asking
from tsgkit.suites.suite import in_order, task_of
from tsgkit.suites.task import Task, WriterInput
from tsgkit.suites.transcript import LOCAL, LabelledReply, RecordedAsk, Transcript

CHANGES = "changes"
VARIANTS = {"agent": Effort(), **{f"agent:{level}": Effort(level) for level in LEVELS}}
FINDINGS = 600
"""Characters that findings add to a prompt, and their answers to a reply, for estimates."""
FEWEST = {"low": 0, "medium": 1, "high": 2}
"""The fewest looks at the graphs of a sentence."""


@dataclass(frozen=True)
class AgentSolver(SolverWork):
    """An agent as the solver of a sample."""

    effort: Effort = field(kw_only=True)
    refusals: SchemaRefusals = field(default_factory=SchemaRefusals, compare=False, repr=False)

    @property
    def fingerprint(self) -> str:
        """The hash of all prompts of the agents, and the effort."""
        return hashlib.sha256(f"{fingerprint()} {self.effort}".encode()).hexdigest()

    async def solve(self, sample: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401  (its suite's sample)
        """Write and refine graphs, or refine given ones. What stops the run is raised; after a failure the best graphs
        so far count.

        If the first call fails, the sample ends with its outcome.
        """
        heard = RecordedAsk(self.refusals.asking(asking(ask, self.name)))
        work = await self._work(self._draft(sample), heard)
        for why in heard.raised:
            if isinstance(why, NotFinished):
                raise why
        if heard.said and failed(heard.said[0].reply):
            return Transcript(tuple(heard.said))
        if not work.graphs and heard.said and failed(heard.said[-1].reply):
            return Transcript(tuple(heard.said))
        return Transcript((*heard.said, *_products(work)))

    def _draft(self, sample: Any) -> WriterInput:  # noqa: ANN401
        assert self.task.draft is not None  # noqa: S101  (the factory looked)
        return self.task.draft(sample)

    async def _work(self, draft: WriterInput, ask: Ask) -> DecomposedSentence | Refined:
        if draft.spoilt is not None:
            return await refine_passage(passage_of(draft), ask, self.effort)
        return await decompose_sentence(sentence_of(draft), ask, self.effort)

    def expected(self, sample: Any) -> Expected:  # noqa: ANN401
        """From a draft with nothing to find to as many looks as are allowed, with prompts about right graphs."""
        assert self.task.prompt is not None  # noqa: S101  (a task with drafts is asked in words)
        drafted, answer = self._draft(sample), self.task.prompt.length_of(sample)[1]
        passage, least, most = passage_of(drafted), FEWEST[self.effort.level], self.effort.looks
        look = len(look_prompt(passage, passage.graphs or drafted.right, ()))
        draft = _drafting(drafted, answer)
        return Expected(
            (draft.calls[0] + least, draft.calls[1] + most),
            (draft.sent[0] + least * look, draft.sent[1] + most * (look + FINDINGS)),
            (draft.said[0], draft.said[1] + most * FINDINGS),
        )


def sentence_of(draft: WriterInput) -> Sentence:
    """Return the sentence that an agent writes as graphs."""
    return Sentence(draft.sentence, draft.context, _before(draft), draft.vocabulary, draft.k)


def passage_of(draft: WriterInput) -> Passage:
    """Return the passage that an agent refines, without graphs where they are yet to be written."""
    graphs = () if draft.spoilt is None else (draft.spoilt,)
    return Passage(
        graphs, draft.sentence, draft.context, _before(draft), draft.vocabulary, draft.k, ", ".join(draft.hints)
    )


def _before(draft: WriterInput) -> tuple[Description, ...]:
    """Return a sentence without graphs where something came before: after it the hands are unknown."""
    return () if draft.begins else (Description(),)


def _drafting(draft: WriterInput, answer: int) -> Expected:
    """Return the expected calls until there is a draft of this length; none if a graph is given."""
    if draft.spoilt is not None:
        return Expected()
    sentence, length = sentence_of(draft), len(draft.sentence)
    writing = sum(
        len(write_prompt(sentence, draft.right[:number], number, draft.sentence)) for number in range(draft.k)
    )
    if draft.k == 1:
        return Expected((1, 1), (writing, writing), (answer, answer))
    asking = len(decompose_prompt(sentence))
    return Expected(
        (draft.k + 1, draft.k + MOST_TRIES),
        (writing + asking, writing + MOST_TRIES * asking),
        (answer + length, answer + MOST_TRIES * length),
    )


def _products(work: DecomposedSentence | Refined) -> list[LabelledReply]:
    """Return the agent's own results: the graphs and notes about them."""
    notes = [*work.notes, *([f"ended: {work.why}"] if work.why not in ("", CLEAN) else [])]
    texts = {
        LOCAL: written(work.graphs) or "no graph could be written",
        CHANGES: "\n".join(f"{change}: {change.reason}" for change in work.changes),
        NOTES: "\n".join(" ".join(note.split()) for note in notes),
    }
    return [LabelledReply(label, Reply(text, source=LOCAL)) for label, text in texts.items() if text]


def written(graphs: Sequence[ActionGraph]) -> str:
    """Graphs in the published form; as JSON where names are such that they would be read back otherwise."""
    graphs = tuple(graph for graph in graphs if graph.triplets)
    text = "\n\n".join(map(arrows, graphs))
    answer = read_graphs(text, len(graphs))
    is_same = isinstance(answer, GraphAnswer) and [graph.triplets for graph in answer.graphs] == [
        g.triplets for g in graphs
    ]
    return text if is_same or not graphs else write_json(graphs)


def _check_drafted(name: str, task: Task) -> None:
    """Refuse tasks without graphs to write or repair."""
    if task.draft is None:
        able = _able()
        tasks = " ".join(f"--task {one}" for one in able)
        raise UsageError(f"solver {name} cannot do {task.card.task}", hint=f"it does {len(able)} tasks: {tasks}")


AGENTS = SolverFactory(
    tuple(VARIANTS),
    lambda name, task, _: AgentSolver(task, "", name, effort=VARIANTS[name]),
    lambda name, task, style: SolverWork(task, style, name),
    styled=False,
    check_task=_check_drafted,
)


def _able() -> list[str]:
    """Return the tasks that agents can do."""
    able = []
    for name in in_order(card_names()):
        with suppress(UsageError):  # a card of the working project that is wrong is no part of this answer
            if task_of(load_card(name)).draft is not None:
                able.append(name)
    return able
