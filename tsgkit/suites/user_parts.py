"""Users' solvers, metrics and styles, registered by decorators in a program or a ``--code`` file.

A repeated registration under one name replaces the earlier one. The source code of solvers and styles is part of a
run's identity, that of metrics is not.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.reply import Ask
from tsgkit.llm.reply import Reply as ModelReply
from tsgkit.llm.user_code import call_own, check_function, own_failure, own_text, text_of_code
from tsgkit.suites.judgement import Judged
from tsgkit.suites.metrics import PER_ITEM, Metric
from tsgkit.suites.solvers.factories import refuse_factory, register_factory
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.protocols import Answerable
from tsgkit.suites.solvers.scorers import Work
from tsgkit.suites.solvers.solver import Expected, Solver, asking
from tsgkit.suites.styles import Style, give_style
from tsgkit.suites.suite import give_metric
from tsgkit.suites.transcript import LOCAL, LabelledReply, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


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
        register_factory(name, OwnSolverFactory(name, function))
        return function

    return decorate


@dataclass(frozen=True)
class OwnSolverFactory:
    """The factory of one user's solver, for every task that models answer."""

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
    """A user's solver with the prompts of a task."""

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
        """The reason why such answers have no official figures."""
        return self.scorer.unpublished

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its prompts, and the text of its code."""
        code = hashlib.sha256(text_of_code(self.function).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return f"{self.prompter.fingerprint}/{self.name}/{code}"

    async def solve(self, item: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401
        """Run the function with an ``ask``, and record all calls."""
        from langchain_core.messages import HumanMessage

        asked, said, raised = asking(ask, self.name), list[LabelledReply](), list[BaseException]()

        async def question(text: str, label: str) -> str:
            if any(one.label == label for one in said):
                raise UsageError(f"solver {self.name} asks twice under the label {label}", hint="give each its own")
            messages: list[BaseMessage] = [HumanMessage(content=text)]
            try:
                reply = await asked(messages, label=label)
            except BaseException as error:
                raised.append(error)
                raise
            said.append(LabelledReply(label, reply))
            if reply.text is None:
                raise _Silent(reply)
            return reply.text

        prompt = self.prompter.text(item)
        try:
            made = self.function(prompt, question)
            answer = await made if inspect.isawaitable(made) else made
        except _Silent:
            return Transcript(tuple(said))
        except Exception as error:
            if error in raised or isinstance(error, UsageError):  # what asking raised is no fault of the function
                raise
            raise own_failure(f"solver {self.name}", error) from error
        text = own_text(f"solver {self.name}", answer)
        return Transcript((*said, LabelledReply(LOCAL, ModelReply(text=text, source=LOCAL))))

    def judge(self, item: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401
        """Score its result."""
        return self.scorer.judge(item, transcript)

    def unfinished(self, transcript: Transcript) -> str:
        """Return the reason why it did not finish."""
        return self.scorer.unfinished(transcript)

    def expected(self, item: Any) -> Expected:  # noqa: ANN401
        """Return at least one call; the maximum is unknown."""
        sent = len(self.prompter.text(item))
        return Expected((1, 1), (sent, sent), self.task.length(item), self.prompter.style.reasoning)


class _Silent(Exception):
    """A missing text: the item ends with the outcome of that call."""

    def __init__(self, reply: ModelReply) -> None:
        super().__init__(str(reply.ending))


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
        told = meaning or (function.__doc__ or called).strip()
        described = Metric(told, PER_ITEM, more_is_better=better == "more", is_share=share)
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
