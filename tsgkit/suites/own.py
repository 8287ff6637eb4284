"""Tasks, solvers, metrics and styles of one's own, without a package: given in a program, or in a file of ``--code``.

>>> capitals = Task("my/capitals", [{"country": "France", "answer": "Paris"}], "What is the capital of {country}?")
>>> capitals.judged(0, "Answer: [Paris]").scores["strict"]["correct"].value
1.0

    @tk.solver("doubted")
    async def doubted(prompt, ask):                 # what it returns is read as the reply
        first = await ask(prompt, "first")
        return await ask(f"{prompt}\\n\\nYou said: {first}\\n\\nAre you sure? Answer again.", "second")

    @tk.metric("tsg/sgqa")
    def short(row, answer):                         # a number for each item; higher is better
        return len(answer or "") < 10

    @tk.style("polite")
    def polite(prompt):                             # the zero-shot prompt, otherwise
        return f"{prompt}\\n\\nThank you."

What is registered again under its name takes the place of the one before. All of it is part of what identifies a run,
but for metrics, by the text of its code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tsgkit.errors import UsageError
from tsgkit.lexicon import fold, meant
from tsgkit.library.cards import Card, CardMetric, give_card
from tsgkit.library.templates import Template
from tsgkit.llm.own_code import text_of_code
from tsgkit.llm.reply import Reply as ModelReply
from tsgkit.replies import Unreadable
from tsgkit.replies.sections import answer_section
from tsgkit.scoring.score import Score
from tsgkit.suites.asked_task import RowTask, number_of
from tsgkit.suites.judged import AnswerScores, Judged
from tsgkit.suites.metrics import PER_ITEM, Metric
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.answerable import Answerable, AsAsked
from tsgkit.suites.solvers.families import give_family, refuse_family
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.scorers import Work
from tsgkit.suites.solvers.solver import Expected, Solver, asking
from tsgkit.suites.styles import Style, give_style
from tsgkit.suites.suite import give_metric, give_task
from tsgkit.suites.task import Dataset, Items
from tsgkit.suites.transcript import LOCAL, Ask, Said, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Row = Mapping[str, Any]
Prompt = str | Callable[[Row], str]
STYLES = ("zero-shot", "cot")
THINK = 'Think step by step first. Then write the answer behind "Final answer:" on a line of its own.'
NOT_GIVEN = "(not given)"


@dataclass(frozen=True)
class OwnItem:
    """A row of a task of one's own."""

    item_id: str
    row: Row
    cluster: str
    groups: Mapping[str, tuple[str, ...]]


class Task(RowTask[OwnItem, Any]):
    """A task of one's own: rows, how each is asked, how a reply is read, and what an answer is worth.

    ``rows`` are mappings, or a file of JSON lines. ``prompt`` is a text with the rows' fields in braces, or a function
    of a row. ``read`` is a function of a reply's text and the row: it returns the answer, or raises ``ValueError`` with
    the reason why there is none; without it the answer stands in square brackets, or behind "Answer:", or alone.
    ``score`` is a function of the row and the answer: a number, or a number by metric; without it the answer is right
    where it is the row's ``answer``. Rows may have an ``item_id``, a ``cluster`` (rows that share one are not
    independent) and the fields named in ``by``, to group results.
    """

    def __init__(
        self,
        name: str,
        rows: Sequence[Row] | str | Path,
        prompt: Prompt,
        *,
        read: Callable[[str, Row], Any] | None = None,
        score: Callable[[Row, Any], float | Mapping[str, float]] | None = None,
        metrics: Mapping[str, str] | Sequence[str] = ("correct",),
        by: Sequence[str] = (),
        title: str = "",
        version: int = 1,
    ) -> None:
        if name.count("/") != 1:
            raise UsageError(f"{name}: not SUITE/TASK", hint="as in my/capitals")
        meanings = metrics if isinstance(metrics, Mapping) else dict.fromkeys(metrics, "share that is right")
        self._rows, self._prompt, self._read, self._score = rows, prompt, read, score
        self._metrics = {one: Metric(meaning, PER_ITEM) for one, meaning in meanings.items()}
        self.groups = tuple(by)
        declared = CardMetric(pooling="per-item", better="more", headline=True)
        code = "\0".join(text_of_code(one) for one in (prompt, read, score) if one is not None)
        card = Card(
            title=title or name,
            citation="a task of one's own",
            task=name,
            version=version,
            data=str(rows) if isinstance(rows, str) else "rows",
            prompts="none",
            metrics=dict.fromkeys(self._metrics, declared),
            name=name,
            source=name,
            sha256=hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest(),
        )
        super().__init__(card)
        give_card(card)
        give_task(self)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What it is judged by."""
        return self._metrics

    def __str__(self) -> str:
        return self.key

    def judged(self, number: int, reply: str) -> Judged:
        """Return the judgement on a reply to one of its items: for trying it out."""
        item = self.dataset(None).sample(number)
        return self.score(item, self.read(item, Reply(reply)), None)

    def dataset(self, data: str | None) -> Items:
        """Return its rows, or those of another file."""
        if data is not None or isinstance(self._rows, (str, Path)):
            return super().dataset(str(self._rows) if data is None else data)
        text = json.dumps(list(self._rows), sort_keys=True, default=str)
        items = [self.item_of(row, number) for number, row in enumerate(self._rows)]
        if not items:
            raise UsageError(f"{self.key}: there are no rows")
        return Items(self.key, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), items)

    def item_of(self, row: Row, number: int) -> OwnItem:
        """Return the item of a row."""
        item_id = str(row.get("item_id", row.get("id", number)))
        groups = {name: _members(row.get(name)) for name in self.groups}
        return OwnItem(item_id, row, str(row.get("cluster", item_id)), groups)

    def fields(self, item: OwnItem) -> Mapping[str, str]:
        """Return the question, for pages and examples."""
        return {"question": self.asked(item)}

    def asked(self, item: OwnItem) -> str:
        """Return the prompt of an item."""
        if callable(self._prompt):
            return str(self._prompt(item.row))
        values = {name: value if isinstance(value, str) else json.dumps(value) for name, value in item.row.items()}
        return Template.of(self._prompt, optional=[*values], source=f"prompt of {self.key}").render(**values)

    def shown_answer(self, item: OwnItem) -> str:
        """Return the row's answer."""
        found = item.row.get("answer", NOT_GIVEN)
        return found if isinstance(found, str) else json.dumps(found)

    def read_text(self, item: OwnItem, text: str) -> Any | Unreadable:  # noqa: ANN401
        """Read a reply as it was told to, or in brackets, behind a label, or alone."""
        section = answer_section(text)
        if isinstance(section, Unreadable):
            return section
        if self._read is None:
            said = section.part.text.strip()
            inside = said[said.rfind("[") + 1 : said.rfind("]")] if 0 <= said.rfind("[") < said.rfind("]") else said
            return inside.strip() or Unreadable("no answer")
        try:
            found = self._read(text, item.row)
        except ValueError as error:
            return Unreadable(str(error) or "no answer")
        return Unreadable("no answer") if found is None else found

    def answer_scores(self, item: OwnItem, answer: Any, asked: AsAsked | None) -> AnswerScores:  # noqa: ANN401
        """Score an answer; none is worth nothing."""
        if answer is None:
            return AnswerScores({name: Score(0.0, 1.0, "there is no answer") for name in self._metrics})
        found: Any = fold(str(answer)) == fold(self.shown_answer(item))
        if self._score is not None:
            found = self._score(item.row, answer)
        values = found if isinstance(found, Mapping) else dict.fromkeys(self._metrics, found)
        scores = {name: Score(number_of(values.get(name), name), 1.0) for name in self._metrics}
        return AnswerScores(scores, answer=json.loads(json.dumps(answer, default=str)))

    def schema(self, item: OwnItem) -> dict[str, Any]:
        """Return the schema of an answer; no style of its own asks for one."""
        return {"type": "string"}

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:
        """Refuse styles that need texts it does not have, and prompts of others."""
        if prompts is not None:
            raise UsageError(f"{self.key} has a prompt of its own, so --prompts has no use")
        super().check_way(style, solver, None)
        self._check_style(style)

    def _check_style(self, style: str) -> None:
        from tsgkit.suites.styles import style_of

        if style not in STYLES and style_of(style).rewrite is None:
            raise UsageError(f"{self.key} cannot be asked in style {style}", hint=f"choose from {', '.join(STYLES)}")

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Return where its prompt comes from."""
        return {"prompt": self.key}

    def prompter(self, style: Style, dataset: Dataset, *, seed: int, prompts: str | None) -> Prompter[OwnItem]:
        """Return its prompts."""
        self._check_style(style.name)
        return _OwnPrompter(self, style)


def _members(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else (str(value),)


class _OwnPrompter(Prompter[OwnItem]):
    """The prompts of a task of one's own."""

    def __init__(self, task: Task, style: Style) -> None:
        self.task, self.style, self.examples = task, style, ()

    def composed(self, item: OwnItem) -> str:
        """Return the prompt, and that it is to be thought about where the style says so."""
        return f"{self.task.asked(item)}\n\n{THINK}" if self.style.reasoning else self.task.asked(item)

    def schema(self, item: OwnItem) -> None:
        """No schema is asked for."""

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the task's code and the style."""
        said = [self.task.card.sha256, self.style.name, THINK if self.style.reasoning else "", self.style.code]
        return hashlib.sha256(json.dumps(said).encode("ascii")).hexdigest()


class SolverFunction(Protocol):
    """A solver of one's own: what it returns is read as the reply."""

    def __call__(self, prompt: str, ask: Callable[[str, str], Awaitable[str]], /) -> Awaitable[str]:
        """Return the answer to a prompt; ``await ask(text, label)`` asks the model, once under each label."""


def solver(name: str) -> Callable[[SolverFunction], SolverFunction]:
    """Register an async function of a prompt and ``ask`` as a solver: ``--solver NAME``."""
    if not name.isidentifier() and not name.replace("-", "").isidentifier():
        raise UsageError(f"{name}: no name for a solver", hint="letters, digits and hyphens")

    refuse_family(name)

    def decorate(function: SolverFunction) -> SolverFunction:
        give_family(name, OwnSolvers(name, function))
        return function

    return decorate


@dataclass(frozen=True)
class OwnSolvers:
    """The family of one solver of one's own; it can do every task that models answer."""

    name: str
    function: SolverFunction
    styled: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The one name."""
        return (self.name,)

    def check(self, name: str, task: Answerable[Any, Any] | None = None) -> None:
        """Refuse other names."""
        if name != self.name:
            raise UsageError(f"there is no solver {name}", hint=meant(name, self.names))

    def solver(self, name: str, task: Answerable[Any, Any], prompter: Prompter[Any] | None) -> Solver:
        """Return the solver with these prompts."""
        if prompter is None:
            raise UsageError(f"solver {name} asks with the prompts of a task, and none were given")
        return OwnSolver(self.name, self.function, task, prompter)

    def scorer(self, name: str, task: Answerable[Any, Any], style: str) -> Work[Any, Any]:
        """Return what scores its answer."""
        return Work(task, style, name)


@dataclass(frozen=True)
class OwnSolver:
    """A solver of one's own with the prompts of a task."""

    name: str
    function: SolverFunction
    task: Answerable[Any, Any]
    prompter: Prompter[Any]

    @property
    def style(self) -> str:
        """The style of its prompts."""
        return self.prompter.style.name

    @property
    def scorer(self) -> Work[Any, Any]:
        """Its last word counts."""
        return Work(self.task, self.style, self.name)

    @property
    def unpublished(self) -> str:
        """The reason why nobody published such answers."""
        return self.scorer.unpublished

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its prompts, and the text of its code."""
        code = hashlib.sha256(text_of_code(self.function).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return f"{self.prompter.fingerprint}/{self.name}/{code}"

    async def solve(self, item: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401
        """Let the function ask, and keep all that was said."""
        from langchain_core.messages import HumanMessage

        asked, said = asking(ask, self.name), list[Said]()

        async def question(text: str, label: str) -> str:
            if any(one.label == label for one in said):
                raise UsageError(f"solver {self.name} asks twice under the label {label}", hint="give each its own")
            messages: list[BaseMessage] = [HumanMessage(content=text)]
            said.append(Said(label, await asked(messages, label=label)))
            reply = said[-1].reply
            if reply.text is None:
                raise _Silent(reply)
            return reply.text

        try:
            answer = await self.function(self.prompter.text(item), question)
        except _Silent:
            return Transcript(tuple(said))
        return Transcript((*said, Said(LOCAL, ModelReply(text=str(answer), source=LOCAL))))

    def judge(self, item: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401
        """Score what it came to."""
        return self.scorer.judge(item, transcript)

    def unfinished(self, transcript: Transcript) -> str:
        """Return that it had not come to its end."""
        return self.scorer.unfinished(transcript)

    def expected(self, item: Any) -> Expected:  # noqa: ANN401
        """At least one call; nobody knows how many more."""
        sent = len(self.prompter.text(item))
        return Expected((1, 1), (sent, sent), self.task.length(item), self.prompter.style.reasoning)


class _Silent(Exception):
    """No text came back: the item ends with the outcome of that call."""

    def __init__(self, reply: ModelReply) -> None:
        super().__init__(str(reply.ending))


MetricFunction = Callable[[Any, Any], float]


def metric(
    task: str, name: str = "", *, meaning: str = "", better: str = "more", share: bool = False
) -> Callable[[Any], Any]:
    """Register a function of an item and its answer as one more metric of a task, in strict.

    The item is the task's own, or the row of a :class:`Task`; the answer is None where there is none. ``better`` says
    whether ``more`` or ``less`` is; a ``share`` is a number from 0 to 1, and shown in percent.
    """
    if better not in ("more", "less"):
        raise UsageError(f"better={better}: more or less")

    def decorate(function: MetricFunction) -> MetricFunction:
        called = name or function.__name__
        told = meaning or (function.__doc__ or called).strip()
        described = Metric(told, PER_ITEM, more_is_better=better == "more", is_share=share)
        give_metric(task, called, described, function)
        return function

    return decorate


def style(name: str) -> Callable[[Callable[[str], str]], Callable[[str], str]]:
    """Register a function of the zero-shot prompt as a style: ``--style NAME``."""

    def decorate(function: Callable[[str], str]) -> Callable[[str], str]:
        give_style(Style(name, rewrite=function, code=text_of_code(function)))
        return function

    return decorate
