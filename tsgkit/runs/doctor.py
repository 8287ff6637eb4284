"""Examination of a model and its server with a dozen small requests, and the options that follow from it.

>>> from tsgkit.llm.event_loop import run_in_background
>>> from tsgkit.llm.user_code import registered_name
>>> def mine(messages):
...     return "ready"
>>> found = run_in_background(lambda: examined(registered_name(mine)))
>>> found.checks[0].name, found.checks[0].verdict
('plain text', 'works')

Each check asks through the door and is decided by the replies alone, so that a transcript gives the same results.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from tsgkit.defaults import EXAMINATION_TIMEOUT, Client
from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.cards import load_card
from tsgkit.library.files import read_text
from tsgkit.llm.asker import client_given, door_of, settings_for
from tsgkit.llm.door import Call, Door, as_dicts
from tsgkit.llm.failures import CallFailed, NotFinished
from tsgkit.llm.prices import Price, price_given, price_of
from tsgkit.llm.reply import Ending, Reply, Usage, reply_from, reply_value
from tsgkit.llm.retries import advice_on
from tsgkit.llm.settings import RetryLimits, is_local
from tsgkit.llm.user_models import is_own
from tsgkit.runs.reply_limits import OPTION, reply_limit
from tsgkit.suites.suite import default_tasks
from tsgkit.version import __version__

Verdict = Literal["works", "does not", "unknown"]
WORKS: Verdict = "works"
DOES_NOT: Verdict = "does not"
UNKNOWN: Verdict = "unknown"
AT_ONCE = 8
PATIENCE = 20.0
"""Seconds that requests at once are waited for."""
LONG = 34_000
"""Characters of the long prompt: as many as our longest with ten worked examples."""
SAVES = "tsgkit doctor MODEL --save FILE writes one"
ROOM = re.compile(r"--model-arg ctx=\d+")
"""The option that gives a file of weights a longer context."""
MARKS = 20
"""The most tokens of a reply that are no part of its text, where it holds no thoughts."""
RED_PNG = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAb0lEQVR4nO3PAQkAAAyEwO9feoshgnAB"
    "dLep8QUNyPEFDcjxBQ3I8QUNyPEFDcjxBQ3I8QUNyPEFDcjxBQ3I8QUNyPEFDcjxBQ3I8QUNyPEFDcjxBQ3I8QUNyPEFDcjx"
    "BQ3I8QUNyPEFDcjxBQ3IPanc8OLDQitxAAAAAElFTkSuQmCC"
)
"""A red square of 64 pixels."""
THINKS = ("<think>", "<thinking>", "<|channel|>")


@dataclass(frozen=True)
class ServerCheck:
    """The result of one check, and the options to set."""

    name: str
    verdict: Verdict
    said: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class ServerExamination:
    """The results of all checks."""

    model: str
    endpoint: str
    checks: tuple[ServerCheck, ...]
    requests: int = 0
    tokens: int | None = None
    cost: float | None = None
    cause: str = ""
    """The reason why the model never answered; empty if it did."""
    advice: str = ""
    """The one thing to change so that it is."""
    reply_limit: str = ""
    """The default limit of its replies; empty where the server is not the user's own."""
    transcript: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    @property
    def options(self) -> tuple[str, ...]:
        """All options to set."""
        return tuple(dict.fromkeys(option for check in self.checks for option in check.options))

    @property
    def value(self) -> dict[str, Any]:
        """The JSON value, without the transcript."""
        names = ("model", "endpoint", "requests", "tokens", "cost", "cause", "advice", "reply_limit")
        facts = {name: getattr(self, name) for name in names}
        return facts | {"options": list(self.options), "checks": list(map(asdict, self.checks))}


class Patient:
    """The examined model, or the transcript of an earlier examination."""

    def __init__(
        self,
        model: str,
        arguments: Sequence[str],
        timeout: float,
        price: Price | None,
        kept: Iterable[Mapping[str, Any]],
        client: Client | None = None,
    ) -> None:
        self.model, self.arguments, self.client = model, list(arguments), client
        self.price = price or price_of(model, settings_for(model, self.arguments).tier)
        self.patience = RetryLimits(timeout, attempts=2, throttled_attempts=3, throttled_seconds=20, max_outage=0)
        self.kept = {(line["check"], line["draw"]): line for line in kept}
        self.lines: list[dict[str, Any]] = []
        self.doors: dict[tuple[str, ...], Door] = {}

    def door(self, *more: str) -> Door:
        """Return a door with additional arguments; the user's override them."""
        if more not in self.doors:
            names = {text.partition("=")[0] for text in self.arguments}
            arguments = [*self.arguments, *(text for text in more if text.partition("=")[0] not in names)]
            how: dict[str, Any] = {"price": self.price, "patience": self.patience, "client": self.client}
            self.doors[more] = door_of(self.model, arguments, concurrency=AT_ONCE, **how)
        return self.doors[more]

    async def ask(
        self,
        check: str,
        content: Any,  # noqa: ANN401  (a text, or parts)
        *,
        system: str = "",
        draw: int = 0,
        schema: dict[str, Any] | None = None,
        more: tuple[str, ...] = (),
    ) -> Reply:
        """Return the reply to one prompt; one that could not be made says why."""
        from langchain_core.messages import HumanMessage, SystemMessage

        messages = [*([SystemMessage(system)] if system else []), HumanMessage(content)]
        if self.kept:
            line = self.kept.get((check, draw), {})
            reply = reply_from(line["reply"]) if line else Reply(None, Ending.MISSING)
            limits, seconds = line.get("limits", {}), float(line.get("seconds", 0))
        else:
            door, began = self.door(*more), time.monotonic()
            where = Call(self.model, "", "doctor", "", "", check, 0, "", "", draw)
            try:
                reply = await door.ask(where, messages, label=check, draw=draw, schema=schema)
            except NotFinished as error:
                reply = Reply(None, Ending.API_ERROR, error=error.message, attempts=error.attempts)
            limits, seconds = dict(getattr(door.provider, "limits", {})), round(time.monotonic() - began, 3)
        call = {"check": check, "draw": draw, "sent": _without_image(as_dicts(messages)), "schema": schema}
        call |= {"arguments": list(more), "limits": limits, "reply": reply_value(reply), "seconds": seconds}
        self.lines.append(call)
        return reply

    def seconds(self, check: str) -> list[float]:
        """Return how long the requests of a check took."""
        return [line["seconds"] for line in self.lines if line["check"] == check]

    @property
    def limits(self) -> dict[str, str]:
        """Rate limits from the headers."""
        return {name: limit for line in self.lines for name, limit in line["limits"].items()}

    async def close(self) -> None:
        """Close all connections."""
        for door in self.doors.values():
            await door.provider.close()


async def examined(
    model: str,
    arguments: Sequence[str] = (),
    *,
    timeout: float = EXAMINATION_TIMEOUT,
    price: str | None = None,
    client: str | None = None,
    transcript: Sequence[Mapping[str, Any]] = (),
    report: Callable[[ServerCheck], None] = lambda _: None,
) -> ServerExamination:
    """Examine a model or the transcript of an examination. ``report`` is called with each check at once."""
    head: Mapping[str, Any] = transcript[0] if transcript else {}
    own_price = None if price is None else price_given(price)
    patient = Patient(model, arguments, timeout, own_price, transcript[1:], client_given(client))
    checks: list[ServerCheck] = []
    try:
        door = patient.door()
        if not patient.kept:
            door.provider.prepare()
        async for check in _checks(patient):
            checks.append(check)
            report(check)
    finally:
        await patient.close()
    if not head:
        failure = door.giving_up.last
        cause = advice = ""
        if checks[0].verdict == DOES_NOT:
            where = f" (404 at {door.endpoint})" if failure is not None and failure.status == 404 else ""
            cause, advice = f"{checks[0].said}{where}", "" if failure is None else advice_on(failure)
        head = {"doctor": __version__, "model": model, "endpoint": door.endpoint, "cause": cause, "advice": advice}
        head |= {"reply_limit": _reply_limit(patient)}
    redact = door.secrets.redact
    lines = [json.loads(redact(json.dumps(line, ensure_ascii=False))) for line in (head, *patient.lines)]
    replies = [reply_from(line["reply"]) for line in patient.lines]
    known = [reply.usage for reply in replies if reply.ending is not Ending.API_ERROR]
    total = sum(known, start=Usage(0, 0, 0, 0, 0.0))
    return ServerExamination(
        model=model,
        checks=tuple(replace(check, said=redact(check.said)) for check in checks),
        requests=sum(len(reply.attempts) for reply in replies),
        tokens=total.total,
        cost=total.cost,
        **{name: str(lines[0].get(name, "")) for name in ("endpoint", "cause", "advice", "reply_limit")},
        transcript=tuple(lines),
    )


def _reply_limit(patient: Patient) -> str:
    """Return the default limit of replies for each of the usual tasks; empty where the server is not the user's own."""
    settings = settings_for(patient.model, patient.arguments)
    limits = {name: reply_limit(settings, [load_card(name)]) for name in default_tasks()}
    tokens = [f"{limit.tokens:,} ({name})" for name, limit in limits.items() if limit and limit.tokens]
    if tokens:
        return f"its replies end by default after so many tokens at most: {', '.join(tokens)}; {OPTION} changes it"
    return next((str(limit) for limit in limits.values() if limit), "")


def transcript_in(path: str | Path) -> tuple[dict[str, Any], ...]:
    """Return the lines of a transcript, its head first; ``FileProblem`` where a file is none."""
    lines = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        try:
            lines.append(json.loads(line))
        except ValueError:
            raise FileProblem(f"{path}: line {number}: broken JSON", hint=SAVES) from None
    if not lines or not all(isinstance(line, dict) for line in lines) or "doctor" not in lines[0]:
        raise FileProblem(f"{path}: no transcript of tsgkit doctor", hint=SAVES)
    lacking = {"check", "draw", "reply", "seconds"}
    if bad := next((number for number, line in enumerate(lines[1:], 2) if not lacking <= line.keys()), 0):
        raise FileProblem(f"{path}: line {bad}: no call of tsgkit doctor")
    if not all(isinstance(lines[0].get(name), str) for name in ("model", "endpoint", "cause", "advice")):
        raise FileProblem(f"{path}: line 1: it names no model and endpoint", hint=SAVES)
    return tuple(lines)


PLAIN = "plain text"


async def _checks(patient: Patient) -> AsyncIterator[ServerCheck]:
    first = await _plain_text(patient)
    yield first
    if first.verdict == DOES_NOT:
        return
    for examine in (_system, _schema, _reasoning, _image, _long, _stop, _parallel):
        yield await examine(patient)
    yield _limits(patient)
    yield _price(patient)


async def _plain_text(patient: Patient) -> ServerCheck:
    reply = await patient.ask(PLAIN, "Reply with the single word: ready")
    if reply.ending is Ending.TRUNCATED:
        why = "the reply was cut off before its end" if reply.text else "all tokens went into thinking, none was left"
        return ServerCheck(PLAIN, UNKNOWN, why, ("--model-arg max_tokens=4096",))
    if trouble := _trouble(PLAIN, reply):
        return trouble
    other_name = reply.model if reply.model and reply.model not in patient.door().name else ""
    why = f"{_short(reply.text)} in {patient.seconds(PLAIN)[-1]:.2f} s" + (
        f", answering as {other_name}" if other_name else ""
    )
    return ServerCheck(PLAIN, WORKS if "ready" in (reply.text or "").lower() else UNKNOWN, why)


async def _system(patient: Patient) -> ServerCheck:
    name = "system message"
    system = "Whatever you are asked, reply with the single word: pear"
    reply = await patient.ask(name, "Which is the largest planet?", system=system)
    if trouble := _trouble(name, reply, "; our prompts send none, prompts of your own should not"):
        return trouble
    if "pear" in (reply.text or "").lower():
        return ServerCheck(name, WORKS, _short(reply.text))
    return ServerCheck(name, DOES_NOT, f"it was not heeded: {_short(reply.text)}; our prompts send none")


RIVERS = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}
"""A list that ends, as those of the style ``structured``."""
CAPITAL = {
    "type": "object",
    "properties": {"capital": {"type": "string"}, "rivers": RIVERS},
    "required": ["capital", "rivers"],
    "additionalProperties": False,
}
INSTEAD = "--style structured is not for it, the others are; judges ask without one"


async def _schema(patient: Patient) -> ServerCheck:
    name = "JSON schema"
    schema = {"type": "json_schema", "json_schema": {"name": "capital", "strict": True, "schema": CAPITAL}}
    question = "Which is the capital of France, and on which rivers does it lie?"
    reply = await patient.ask(name, question, schema=schema)
    if trouble := _trouble(name, reply, f"; {INSTEAD}"):
        return trouble
    try:
        value = json.loads(reply.text or "")
    except ValueError:
        return ServerCheck(name, DOES_NOT, f"it was ignored: {_short(reply.text)}; {INSTEAD}")
    rivers = value.get("rivers") if isinstance(value, dict) and set(value) == {"capital", "rivers"} else None
    if isinstance(rivers, list) and 1 <= len(rivers) <= 3 and isinstance(value["capital"], str):
        return ServerCheck(name, WORKS, _short(reply.text))
    return ServerCheck(name, DOES_NOT, f"JSON came back, and not of the schema: {_short(reply.text)}; {INSTEAD}")


async def _reasoning(patient: Patient) -> ServerCheck:
    name = "reasoning"
    question = "A tray holds 3 rows of 4 cups; 5 are taken away. How many are left? Reply with the number alone."
    reply = await patient.ask(name, question)
    text, written, room = reply.text or "", reply.usage.completion or 0, ("--model-arg max_tokens=8192",)
    if reply.ending is Ending.TRUNCATED and not text:
        return ServerCheck(name, DOES_NOT, "it thinks, and used up its tokens by that: give it more", room)
    if trouble := _trouble(name, reply):
        return trouble
    unseen = written - len(text)  # a token has a character at least
    if any(mark in text for mark in THINKS):
        why = "it thinks inside of its reply; what it thinks is left out when a reply is read"
        return ServerCheck(name, WORKS, why, room)
    if tokens := reply.usage.reasoning or (unseen if unseen > MARKS else 0):
        why = f"it thinks in a field of its own: {tokens:,} of {written or tokens:,} tokens"
        return ServerCheck(name, WORKS, why, room)
    return ServerCheck(name, WORKS if "7" in text else UNKNOWN, f"the reply shows no reasoning: {_short(text)}")


async def _image(patient: Patient) -> ServerCheck:
    name = "image"
    if is_own(patient.model):
        return ServerCheck(name, UNKNOWN, "not tried: a function of your own is given what it is made for")
    text = {"type": "text", "text": "Which colour fills this picture? Reply with one word."}
    reply = await patient.ask(name, [text, {"type": "image_url", "image_url": {"url": RED_PNG}}])
    if trouble := _trouble(name, reply, "; as a judge of images (--judge) take another model"):
        return trouble
    if "red" in (reply.text or "").lower():
        return ServerCheck(name, WORKS, _short(reply.text))
    return ServerCheck(name, DOES_NOT, f"a red image was not seen: {_short(reply.text)}; as --judge take another model")


async def _long(patient: Patient) -> ServerCheck:
    name = "long prompt"
    line = "The person takes the cup from the shelf and puts it on the table beside the kettle.\n"
    filler = line * (LONG // len(line))
    text = f"The password is heron.\n{filler}Which is the password? Reply with the word alone."
    reply = await patient.ask(name, text)
    size = f"{reply.usage.prompt:,} tokens" if reply.usage.prompt else f"{len(text):,} characters"
    if reply.ending is Ending.API_ERROR and CallFailed(reply.error or "", reply.status).too_long:
        why = f"{size} are too many for its context: {reply.error}; few-shot styles need it longer, zero-shot may do"
        return ServerCheck(name, DOES_NOT, why, tuple(ROOM.findall(why)) or ("--shots 1",))
    if trouble := _trouble(name, reply):
        return trouble
    if "heron" in (reply.text or "").lower():
        return ServerCheck(name, WORKS, f"{size} are read from the first line to the last")
    why = f"the first line of {size} was not read ({_short(reply.text)}): its context may be cut without a word"
    return ServerCheck(name, DOES_NOT, why, ("--shots 1",))


async def _stop(patient: Patient) -> ServerCheck:
    name = "stop reasons"
    if is_own(patient.model):
        return ServerCheck(name, UNKNOWN, "not tried: a function of your own has no limit of tokens")
    wish = "Write the numbers from one to eighty in words, separated by commas."
    reply = await patient.ask(name, wish, more=("max_tokens=16",))
    if reply.ending is Ending.TRUNCATED:
        return ServerCheck(name, WORKS, f"a reply that is cut off says so (finish reason {reply.finish_reason})")
    if trouble := _trouble(name, reply):
        return trouble
    if "eighty" in (reply.text or "").lower():
        return ServerCheck(name, DOES_NOT, "max_tokens=16 was ignored: replies cannot be limited")
    why = f"a cut reply ends as whole (finish reason {reply.finish_reason}): truncated replies count as unreadable"
    return ServerCheck(name, DOES_NOT, why)


async def _parallel(patient: Patient) -> ServerCheck:
    name = "parallel"
    if is_own(patient.model):
        return ServerCheck(name, UNKNOWN, "not tried: a function of your own says itself whether it is async")
    if is_local(patient.model):
        return ServerCheck(name, UNKNOWN, "not tried: as many as --model-arg slots=N says, which share the processors")
    calls = (patient.ask(name, f"Reply with the number {11 * n + 11} alone.", draw=n) for n in range(AT_ONCE))
    tasks = [asyncio.ensure_future(call) for call in calls]
    done, waiting = await asyncio.wait(tasks, timeout=PATIENCE)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    replies = [task.result() for task in tasks if task in done]
    took = max(patient.seconds(name), default=0.0)
    turned_away = sum(any(attempt.status == 429 for attempt in reply.attempts) for reply in replies) + len(waiting)
    good = sum(reply.ending not in (Ending.API_ERROR, Ending.MISSING) for reply in replies)
    if turned_away:
        why = f"{turned_away} of {AT_ONCE} at once were turned away (429), {good} were answered within {PATIENCE:g} s"
        return ServerCheck(name, WORKS if good == AT_ONCE else DOES_NOT, why, (f"--concurrency {AT_ONCE // 4}",))
    if good < AT_ONCE:
        error = next((reply.error for reply in replies if reply.error), "no answer")
        return ServerCheck(
            name, DOES_NOT, f"{AT_ONCE - good} of {AT_ONCE} at once failed: {error}", ("--concurrency 1",)
        )
    alone = patient.seconds(PLAIN)[-1]
    slow = took > max(AT_ONCE / 2 * alone, 1.0)
    one_by_one = "; they are answered one after the other" if slow else ""
    why = f"{AT_ONCE} at once took {took:.2f} s, one {alone:.2f} s{one_by_one}"
    return ServerCheck(name, WORKS, why, ("--concurrency 4",) if slow else ())


def _limits(patient: Patient) -> ServerCheck:
    name, limits = "limits", patient.limits
    if not limits:
        return ServerCheck(name, UNKNOWN, "no header tells of any; turned away (429) we wait and ask fewer at once")
    options = []
    for what, option in (("requests", "--rpm"), ("tokens", "--tpm")):
        value = next((text for key, text in limits.items() if key.lower().endswith(f"limit-{what}")), "")
        options += [f"{option} {value}"] if value.isdecimal() else []
    shown = ", ".join(f"{key} {value}" for key, value in sorted(limits.items())[:6])
    return ServerCheck(name, WORKS, shown, tuple(options))


def _price(patient: Patient) -> ServerCheck:
    name, price = "price", patient.price
    if is_own(patient.model):
        return ServerCheck(name, WORKS, "nothing is paid for a function of your own")
    if price is None:
        return ServerCheck(name, UNKNOWN, "not known: costs and --max-cost need it", ("--price IN,OUT",))
    why = f"${1e6 * price.prompt:g} in, ${1e6 * price.completion:g} out per million tokens, by {price.source}"
    return ServerCheck(name, WORKS, f"{why}{f'; {price.note}' if price.note else ''}")


def _trouble(name: str, reply: Reply, advice: str = "") -> ServerCheck | None:
    """Return the check result for an unusable reply; None for a usable one."""
    if reply.ending is Ending.COMPLETE:
        return None
    if reply.ending is Ending.MISSING:
        return ServerCheck(name, UNKNOWN, f"the transcript has no such call{advice}")
    if reply.ending is Ending.API_ERROR:
        return ServerCheck(name, DOES_NOT, f"{reply.error or 'no answer'}{advice}")
    reason = f" (finish reason {reply.finish_reason})" if reply.finish_reason else ""
    return ServerCheck(name, UNKNOWN, f"the reply is {reply.ending}{reason}{advice}")


def _short(text: str | None) -> str:
    """Return the beginning of a reply in quotes."""
    line = " ".join((text or "").split())
    return f'"{line[:57]}..."' if len(line) > 60 else f'"{line}"'


def _without_image(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages with a word for a long text or an image."""
    shown = []
    for message in messages:
        content = message["content"]
        if isinstance(content, list):
            content = [part if part.get("type") == "text" else {"type": "a red PNG"} for part in content]
        elif len(content) > 1_000:
            content = f"{content[:100]} ... ({len(content):,} characters) ... {content[-100:]}"
        shown.append({**message, "content": content})
    return shown


def transcript_text(report: ServerExamination) -> str:
    """Return a transcript as JSON Lines; ``UsageError`` where nothing was asked."""
    if len(report.transcript) < 2:
        raise UsageError("nothing was asked, so there is nothing to save")
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in report.transcript)
