"""Tasks, solvers, metrics and styles of one's own, from a program or a ``--code`` file.

>>> capitals = Task("my/capitals", [{"country": "France", "answer": "Paris"}], "What is the capital of {country}?")
>>> capitals.judged(0, "Answer: [Paris]").scores["strict"]["correct"].value
1.0

A repeated registration under one name replaces the earlier one. The source code of tasks, solvers and styles is part of
a run's identity, that of metrics is not.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from tsgkit.errors import OwnCodeError, UsageError
from tsgkit.lexicon import fold, meant
from tsgkit.library.cards import Card, CardMetric, give_card
from tsgkit.library.templates import Template
from tsgkit.llm.reply import Ask
from tsgkit.llm.user_code import LOADING, call_own, check_function, own_failure, own_text, text_of_code
from tsgkit.replies import Unreadable
from tsgkit.replies.sections import answer_section
from tsgkit.scoring.pooling import Score
from tsgkit.suites.audits.rows import audit_rows
from tsgkit.suites.judgement import AnswerScores, Given, Judged
from tsgkit.suites.judges.ratings import JudgedBy, rating_faults, unrated
from tsgkit.suites.metrics import PER_ITEM, Metric
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.rows import Items, Row, Rows, json_rows
from tsgkit.suites.solvers.factories import SolverFactory, refuse_factory, register_factory
from tsgkit.suites.solvers.prompt_files import written_prompt
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.scorers import SolverWork, judge_reading, read_reply
from tsgkit.suites.solvers.solver import Expected, asking
from tsgkit.suites.styles import Style, give_style
from tsgkit.suites.suite import give_metric, give_task
from tsgkit.suites.task import Groups, View, checked_number
from tsgkit.suites.task import Task as AnyTask
from tsgkit.suites.transcript import RecordedAsk, Transcript, local

NAME = re.compile(r"[a-z0-9-]+/[a-z0-9-]+")
RowOf = Mapping[str, Any]


class Task(AnyTask):
    """A task of one's own: rows, a prompt, a reader and scores.

    ``rows`` are mappings, or a file of JSON Lines. ``prompt`` is a text with the rows' fields in braces, or a function
    of a row. ``read`` is a function of a reply's text and the row: it returns the answer, or raises ``ValueError`` with
    the reason why there is none. Without it the answer is read in square brackets, after "Answer:", or alone. ``score``
    is a function of the row and the answer that returns a number, or a number for each metric; without it the answer is
    right if it equals the row's ``answer``; ``judged_by(prompt, model)`` has a model rate it. ``metrics`` are shares
    from 0 to 1, shown in percent, except those in
    ``amounts``. Rows may have an ``item_id``, a ``cluster`` (rows of one cluster are not independent) and the fields in
    ``by``, to group results.
    """

    def __init__(
        self,
        name: str,
        rows: Iterable[RowOf] | str | Path,
        prompt: str | Callable[[Row], str],
        *,
        read: Callable[[str, Row], Any] | None = None,
        score: Callable[[Row, Any], float | Mapping[str, float]] | JudgedBy | None = None,
        metrics: Mapping[str, str] | str | Sequence[str] = ("correct",),
        amounts: str | Sequence[str] = (),
        by: str | Sequence[str] = (),
        title: str = "",
        version: int = 1,
    ) -> None:
        if not NAME.fullmatch(str(name)):
            raise UsageError(f"{name}: not SUITE/TASK in small letters, digits and hyphens", hint="as in my/capitals")
        for what, function, arguments in (
            ("prompt", None if isinstance(prompt, str) else prompt, ("row",)),
            ("read", read, ("text", "row")),
            ("score", None if isinstance(score, JudgedBy) else score, ("row", "answer")),
        ):
            if function is not None:
                check_function(f"{what} of {name}", function, *arguments)
        grader = score if isinstance(score, JudgedBy) else None
        if grader is not None and (metrics != ("correct",) or amounts):
            raise UsageError(f"{name}: a judge's rating is its only metric", hint="leave out metrics= and amounts=")
        declared = _metrics(name, metrics, _listed(amounts)) if grader is None else grader.metrics
        parts = (prompt, read, score if grader is None else grader.fingerprint)
        code = "\0".join(text_of_code(part) for part in parts if part is not None)
        sha256 = hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()
        card = Card(
            title=title or name,
            citation="a task of one's own",
            task=name,
            version=version,
            data=str(rows) if isinstance(rows, str) else "rows",
            prompts="none",
            metrics=dict.fromkeys(declared, CardMetric(pooling="per-item", better="more", headline=True)),
            name=name,
            source=name,
            sha256=sha256,
        )
        question = partial(_asked, name, prompt)
        super().__init__(
            card=card,
            rows=_rows(name, rows, tuple(_listed(by)), needs_answer=score is None),
            metrics=declared,
            view=View(question=question, reference=_right_answer, faults=rating_faults),
            groups=Groups(names=tuple(_listed(by))),
            prompt=written_prompt(name, question, answer=_right_answer, code=sha256),
            read=partial(_read, name, read, is_whole=grader is not None),
            score=unrated if isinstance(score, JudgedBy) else partial(_score, name, score, declared),
            grader=grader,
            audit=audit_rows,
            package="",
        )
        give_card(card)
        give_task(self, LOADING.get())

    def __repr__(self) -> str:
        return f"Task({self.key!r}, {self.rows.own})"

    def judged(self, number: int, reply: str) -> Judged:
        """Return the judgement on a reply to one of its items: for trying it out."""
        dataset = self.dataset(None)
        if not 0 <= number < len(dataset):
            numbers = f"they are numbered from 0 to {len(dataset) - 1}"
            raise UsageError(f"{self.key}: there is no item {number}: {numbers}")
        item = dataset.sample(number)
        return judge_reading(self, item, read_reply(self, item, CollectedReply(reply)))


def _listed(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else list(names)


def _metrics(name: str, metrics: Mapping[str, str] | str | Sequence[str], amounts: Sequence[str]) -> dict[str, Metric]:
    meanings = metrics if isinstance(metrics, Mapping) else dict.fromkeys(_listed(metrics), "share that is right")
    if odd := [label for label in amounts if label not in meanings]:
        raise UsageError(f"{name}: there is no metric {odd[0]}", hint=meant(odd[0], meanings))
    return {label: Metric(meaning, PER_ITEM, is_share=label not in amounts) for label, meaning in meanings.items()}


def _rows(name: str, rows: Iterable[RowOf] | str | Path, groups: tuple[str, ...], *, needs_answer: bool) -> Rows:
    """Return rows of a program as they are now, or those of a file."""

    def item(row: RowOf, number: int) -> Row:
        if needs_answer and "answer" not in row:
            hint = 'give every row an "answer", or the task a function score='
            raise UsageError(f"{name}: row {number} has no answer", hint=hint)
        return Row.of(row, number, groups)

    kind = name.partition("/")[2]
    if isinstance(rows, (str, Path)):
        return json_rows(kind, item, default=str(rows), own=str(rows))
    hint = 'a list of mappings, or the path of a file of JSON lines; of a data frame df.to_dict("records")'
    if not isinstance(rows, Iterable):
        raise UsageError(f"{name}: {rows!r:.60} is no list of rows", hint=hint)
    listed = tuple(rows)
    for number, row in enumerate(listed):
        if not isinstance(row, Mapping):
            raise UsageError(f"{name}: row {number}: {row!r:.60} is no mapping", hint=hint)
    return json_rows(kind, item, held=partial(_held, name, listed, groups, item), own=f"{len(listed)} rows")


def _held(name: str, rows: Sequence[RowOf], groups: Sequence[str], make: Callable[[RowOf, int], Row]) -> Items:
    if not rows:
        raise UsageError(f"{name}: there are no rows")
    for group in groups:
        if not any(group in row for row in rows):
            fields = dict.fromkeys(field for row in rows for field in row)
            raise UsageError(f"{name}: no row has the field {group}", hint=meant(group, fields))
    text = json.dumps(list(rows), sort_keys=True, default=str)
    try:
        lines = [json.dumps(dict(row)) for row in rows]
    except (TypeError, ValueError):  # they hold what JSON cannot
        lines = None
    items = [make(row, number) for number, row in enumerate(rows)]
    return Items(name, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), items, lines)


def _asked(name: str, prompt: str | Callable[[Row], str], row: Row) -> str:
    if callable(prompt):
        what = f"prompt of {name}"
        return own_text(what, call_own(what, prompt, row.row))
    values = {name: value if isinstance(value, str) else json.dumps(value) for name, value in row.items()}
    return Template.of(prompt, optional=[*values], source=f"prompt of {name}").render(**values)


def _right_answer(row: Row) -> str:
    answer = row.get("answer", "(not given)")
    return answer if isinstance(answer, str) else json.dumps(answer)


def _read(
    name: str,
    read: Callable[[str, Any], Any] | None,
    text: str,
    row: Row,
    *,
    is_whole: bool,
) -> Any | Unreadable:  # noqa: ANN401
    """Read a reply with the user's reader, or a name in brackets, after a label, or alone; ``is_whole``: all of it."""
    section = answer_section(text)
    if isinstance(section, Unreadable):
        return section
    if read is None:
        answer = section.part.text.strip()
        opened, closed = answer.rfind("["), answer.rfind("]")
        if 0 <= opened < closed and not is_whole:
            answer = answer[opened + 1 : closed].strip()
        return answer or Unreadable("no answer")
    try:
        answer = read(text, row.row)
    except ValueError as error:
        return Unreadable(str(error) or "no answer")
    except Exception as error:
        raise own_failure(f"read of {name}", error) from error
    return Unreadable("no answer") if answer is None else answer


def _score(
    name: str,
    score: Callable[[Any, Any], float | Mapping[str, float]] | None,
    metrics: Mapping[str, Metric],
    row: Row,
    answer: Any,  # noqa: ANN401  (whatever the reader returned)
    facts: Given,
) -> AnswerScores:
    """Score an answer; none is worth nothing."""
    if answer is None:
        return AnswerScores({label: Score(0.0, 1.0, "there is no answer") for label in metrics})
    if score is None:
        result: Any = fold(str(answer)) == fold(_right_answer(row))
    else:
        result = call_own(f"score of {name}", score, row.row, answer)
    values = result if isinstance(result, Mapping) else dict.fromkeys(metrics, result)
    if lacking := [label for label in metrics if label not in values]:
        returned = ", ".join(map(str, values)) or "nothing"
        raise OwnCodeError(f"score of {name} told {returned}, expected {', '.join(lacking)}")
    numbers = {
        label: checked_number(values[label], label, is_share=metric.is_share, otherwise="name it in amounts=")
        for label, metric in metrics.items()
    }
    answer = json.loads(json.dumps(answer, default=str))
    return AnswerScores({label: Score(number, 1.0) for label, number in numbers.items()}, answer=answer)


class SolverFunction(Protocol):
    """A user's solver; its return value is read as the reply."""

    def __call__(self, prompt: str, ask: Callable[[str, str], Awaitable[str]], /) -> Awaitable[str]:
        """Return the answer to a prompt; ``await ask(text, label)`` asks the model, once under each label."""


def solver(name: str) -> Callable[[SolverFunction], SolverFunction]:
    """Register an async function of a prompt and ``ask`` as a solver: ``--solver NAME``.

    @tk.solver("twice")
    async def twice(prompt, ask):
        return await ask(f"{prompt} You said: {await ask(prompt, 'first')}. Sure?", "second")
    """
    _check_name(name, "solver")
    refuse_factory(name)

    def decorate(function: SolverFunction) -> SolverFunction:
        check_function(f"solver {name}", function, "prompt", "ask", waits=True)

        def make(name: str, task: AnyTask, prompter: Prompter | None) -> OwnSolver:
            assert prompter is not None  # noqa: S101  (it is styled)
            return OwnSolver(task, prompter.style.name, name, function=function, prompter=prompter)

        register_factory(name, SolverFactory((name,), make, lambda name, task, style: SolverWork(task, style, name)))
        return function

    return decorate


@dataclass(frozen=True)
class OwnSolver(SolverWork):
    """A user's solver with the prompts of a task: its last word counts."""

    function: SolverFunction = field(kw_only=True)
    prompter: Prompter = field(kw_only=True)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its prompts, and the text of its code."""
        code = hashlib.sha256(text_of_code(self.function).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return f"{self.prompter.fingerprint}/{self.name}/{code}"

    async def solve(self, item: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401
        """Run the function with an ``ask``, and record all calls."""
        from langchain_core.messages import HumanMessage

        calls = RecordedAsk(asking(ask, self.name))

        async def question(text: str, label: str) -> str:
            if any(call.label == label for call in calls.said):
                raise UsageError(f"solver {self.name} asks twice under the label {label}", hint="give each its own")
            reply = await calls([HumanMessage(content=text)], label=label)
            if reply.text is None:
                raise _NoTextError
            return reply.text

        prompt = self.prompter.text(item)
        try:
            result = self.function(prompt, question)
            answer = await result if inspect.isawaitable(result) else result
        except _NoTextError:
            return Transcript(tuple(calls.said))
        except Exception as error:
            if error in calls.raised or isinstance(error, UsageError):  # what asking raised is no fault of the function
                raise
            raise own_failure(f"solver {self.name}", error) from error
        text = own_text(f"solver {self.name}", answer)
        return Transcript((*calls.said, *local(text).said))

    def expected(self, item: Any) -> Expected:  # noqa: ANN401
        """Return at least one call; the maximum is unknown."""
        return self.prompter.expected(item, 1)


class _NoTextError(Exception):
    """A reply without text: the item ends with the outcome of that call."""


MetricFunction = Callable[[Any, Any], float]


def metric(
    task: str, name: str = "", *, meaning: str = "", better: str = "more", share: bool = False
) -> Callable[[Any], Any]:
    """Register a function of an item and its answer as one more metric of a task, in strict.

    The item is the task's own, or the row of a :class:`Task`; the answer is None if there is none. ``better`` is
    ``more`` or ``less``; a ``share`` is a number from 0 to 1, shown in percent.

        @tk.metric("tsg/sgqa", better="less")
        def letters(item, answer):
            "Letters of the answer."
            return len(answer or "")
    """
    if callable(task):
        raise UsageError("@metric needs the name of a task", hint='as in @tk.metric("tsg/sgqa")')
    if better not in ("more", "less"):
        raise UsageError(f"better={better}: more or less")

    def decorate(function: MetricFunction) -> MetricFunction:
        called = name or str(getattr(function, "__name__", ""))
        _check_name(called, "metric")
        check_function(f"metric {called}", function, "item", "answer")
        words = meaning or (function.__doc__ or called).strip()
        described = Metric(words, PER_ITEM, more_is_better=better == "more", is_share=share)
        give_metric(task, called, described, function)
        return function

    return decorate


def style(name: str) -> Callable[[Callable[[str], str]], Callable[[str], str]]:
    """Register a function of the zero-shot prompt as a style: ``--style NAME``.

    @tk.style("polite")
    def polite(prompt):
        return f"{prompt} Thank you."
    """
    _check_name(name, "style")

    def decorate(function: Callable[[str], str]) -> Callable[[str], str]:
        what = f"style {name}"
        check_function(what, function, "prompt")

        def rewrite(prompt: str) -> str:
            return own_text(what, call_own(what, function, prompt))

        give_style(Style(name, rewrite=rewrite, code=text_of_code(function)))
        return function

    return decorate


def _check_name(name: object, kind: str) -> None:
    if not isinstance(name, str):
        raise UsageError(f"@{kind} needs a name", hint=f'as in @tk.{kind}("mine")')
    if not name.replace("-", "_").isidentifier():
        raise UsageError(
            f"{name}: no name for a {kind}", hint="letters, digits, hyphens and underscores; no digit first"
        )
