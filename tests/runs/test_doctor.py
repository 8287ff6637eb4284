"""The doctor: verdicts, words and options follow from a transcript alone; the command and Python ask a server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from model_server import model_server

import tsgkit as tk
from tsgkit.errors import FileProblem, UsageError
from tsgkit.runs.doctor import (
    ServerCheck,
    ServerExamination,
    _short,
    _without_image,
    examined,
    transcript_in,
    transcript_text,
)

HEAD = {"doctor": "1", "model": "openai/x", "endpoint": "http://a", "cause": "", "advice": ""}
TEXTS = {
    "plain text": "Ready.", "system message": "pear", "JSON schema": '{"capital": "Paris", "rivers": ["S"]}',
    "reasoning": "7", "image": "Red", "long prompt": "heron", "parallel": "11",
}  # fmt: skip
CUT = {"text": "one, two", "ending": "truncated", "finish_reason": "length"}


def line(check: str, reply: dict[str, Any], draw: int = 0, seconds: float = 0.5, **limits: str) -> dict[str, Any]:
    usage = {"usage": {"prompt": 100, "completion": 10, "cost": 0.25}}
    whole = {"ending": "complete", "text": None, "attempts": [{"seconds": 1.0}], **usage, **reply}
    return {"check": check, "draw": draw, "seconds": seconds, "limits": limits, "reply": whole}


def lines(**changed: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lines of an able model, with other replies to some checks."""
    replies = {name: {"text": text} for name, text in TEXTS.items()} | {"stop reasons": CUT}
    replies |= {name.replace("_", " "): reply for name, reply in changed.items()}
    times = {"parallel": 8}
    return [line(name, reply, draw) for name, reply in replies.items() for draw in range(times.get(name, 1))]


def found(transcript: list[dict[str, Any]], price: str | None = "1,2") -> ServerExamination:
    told = [HEAD, *transcript]
    return asyncio.run(examined("openai/x", ["api_base=http://a", "api_key=k"], price=price, transcript=told))


def check(name: str, transcript: list[dict[str, Any]], price: str | None = "1,2") -> ServerCheck:
    [one] = [one for one in found(transcript, price).checks if one.name == name]
    return one


def test_an_able_model_works_in_everything() -> None:
    heard = list[ServerCheck]()
    transcript = [HEAD, *lines()]
    transcript[1]["limits"] = {"x-ratelimit-limit-requests": "500", "X-RateLimit-Limit-Tokens": "9k"}
    how: dict[str, Any] = {"price": "1,2", "transcript": transcript, "report": heard.append}
    result = asyncio.run(examined("openai/x", ["api_base=http://a"], **how))
    assert [(one.name, one.verdict, one.said, one.options) for one in result.checks] == [
        ("plain text", "works", '"Ready." in 0.50 s', ()), ("system message", "works", '"pear"', ()),
        ("JSON schema", "works", '"{"capital": "Paris", "rivers": ["S"]}"', ()),
        ("reasoning", "works", 'the reply shows no reasoning: "7"', ()), ("image", "works", '"Red"', ()),
        ("long prompt", "works", "100 tokens are read from the first line to the last", ()),
        ("stop reasons", "works", "a reply that is cut off says so (finish reason length)", ()),
        ("parallel", "works", "8 at once took 0.50 s, one 0.50 s", ()),
        ("limits", "works", "X-RateLimit-Limit-Tokens 9k, x-ratelimit-limit-requests 500", ("--rpm 500",)),
        ("price", "works", "$1 in, $2 out per million tokens, by --price", ()),
    ]  # fmt: skip
    assert tuple(heard) == result.checks and result.options == ("--rpm 500",)
    assert (result.requests, result.tokens, result.cost, result.endpoint) == (15, 15 * 110, 15 * 0.25, "http://a")
    assert result.value["checks"][1]["said"] == '"pear"' and result.value["options"] == ["--rpm 500"]
    assert list(result.value) == [
        "model", "endpoint", "requests", "tokens", "cost", "cause", "advice", "reply_limit", "options", "checks",
    ]  # fmt: skip
    assert transcript_text(result).count("\n") == 16


def test_each_reply_leads_to_its_verdict_and_options() -> None:
    error, stop = {"ending": "api_error", "error": "400: no"}, {"finish_reason": "stop"}
    more, big, shots = ("--model-arg max_tokens=4096",), ("--model-arg max_tokens=8192",), ("--shots 1",)
    tokens, few = ({"usage": {"prompt": 1, "completion": 900, "reasoning": number}} for number in (600, 500))
    rows: list[tuple[str, dict[str, Any], str, str, tuple[str, ...]]] = [
        ("plain text", {"text": "Hello"}, "unknown", '"Hello" in 0.50 s', ()),
        ("plain text", {"text": "ready", "model": "other"}, "works", '"ready" in 0.50 s, answering as other', ()),
        ("plain text", {"text": "ready", "model": "x"}, "works", '"ready" in 0.50 s', ()),
        ("plain text", {"text": "rea", "ending": "truncated"}, "unknown", "the reply was cut off before its end", more),
        ("plain text", {"ending": "truncated"}, "unknown", "all tokens went into thinking, none was left", more),
        ("plain text", {"ending": "empty", **stop}, "unknown", "the reply is empty (finish reason stop)", ()),
        ("system message", {"text": "Jupiter"}, "does not", 'it was not heeded: "Jupiter"; our prompts send none', ()),
        ("system message", error, "does not", "400: no; our prompts send none, prompts of your own should not", ()),
        ("JSON schema", {"text": "Paris"}, "does not", 'it was ignored: "Paris"; ', ()),
        ("JSON schema", {"text": '{"capital": "P", "rivers": []}'}, "does not", "JSON came back, and not of", ()),
        ("JSON schema", {"text": '{"capital": "P"}'}, "does not", "JSON came back, and not of the schema: ", ()),
        ("JSON schema", {"ending": "refused"}, "unknown", "the reply is refused; --style structured is not for it", ()),
        ("reasoning", {"ending": "truncated"}, "does not", "it thinks, and used up its tokens by that", big),
        ("reasoning", {"ending": "truncated", "text": "7"}, "unknown", "the reply is truncated", ()),
        ("reasoning", {"text": "<think>3</think>7"}, "works", "it thinks inside of its reply", big),
        ("reasoning", {"text": "7", **tokens}, "works", "it thinks in a field of its own: 600 of 900 tokens", big),
        ("reasoning", {"text": "7", **few}, "works", "it thinks in a field of its own: 500 of 900 tokens", big),
        ("image", {"text": "blue"}, "does not", 'a red image was not seen: "blue"; as --judge take another model', ()),
        ("image", error, "does not", "400: no; as a judge of images (--judge) take another model", ()),
        ("long prompt", {"text": "cup"}, "does not", 'the first line of 100 tokens was not read ("cup"): ', shots),
        ("long prompt", {"text": "heron", "usage": {}}, "works", "34,", ()),
        ("long prompt", error, "does not", "400: no", ()),
        (
            "long prompt", {"ending": "api_error", "error": "maximum context length is 8192 tokens", "status": 400},
            "does not", "100 tokens are too many for its context: maximum context", shots,
        ),
        (
            "long prompt", {"ending": "api_error", "error": "9 tokens of context: --model-arg ctx=16", "status": 413},
            "does not", "100 tokens are too many for its context: 9 tokens", ("--model-arg ctx=16",),
        ),
        ("stop reasons", {"text": "one, eighty"}, "does not", "max_tokens=16 was ignored: replies cannot", ()),
        ("stop reasons", {"text": "one", **stop}, "does not", "a cut reply ends as whole (finish reason stop)", ()),
        ("stop reasons", error, "does not", "400: no", ()),
        ("parallel", error, "does not", "8 of 8 at once failed: 400: no", ("--concurrency 1",)),
        (
            "parallel", {"text": "1", "attempts": [{"seconds": 1, "error": "429", "status": 429}]}, "works",
            "8 of 8 at once were turned away (429), 8 were answered within 20 s", ("--concurrency 2",),
        ),
    ]  # fmt: skip
    for name, reply, verdict, said, options in rows:
        one = check(name, lines(**{name.replace(" ", "_"): reply}))
        assert (one.verdict, one.options) == (verdict, options), (name, reply, one)
        assert one.said.startswith(said), (name, reply, one)
    failed = found(lines(plain_text=error))
    assert [(one.verdict, one.said) for one in failed.checks] == [("does not", "400: no")], "one check is enough"
    told = {**HEAD, "cause": "400: no", "advice": "another key"}
    again = asyncio.run(examined("openai/x", ["api_base=http://b"], transcript=[told, *lines(plain_text=error)]))
    assert (again.cause, again.advice, again.endpoint) == ("400: no", "another key", "http://a"), "as it was then"


def test_times_prices_and_what_is_missing_and_texts_that_are_too_long() -> None:
    said = "8 at once took 2.50 s, one 0.50 s; they are answered one after the other"
    for seconds, options in ((2.5, ("--concurrency 4",)), (2.0, ())):
        told = [{**one, "seconds": seconds} if one["check"] == "parallel" else one for one in lines()]
        one = check("parallel", told)
        assert one.options == options and (one.said == said or not options)
    assert check("limits", lines()).verdict == "unknown"
    price = check("price", lines(), price=None)
    assert (price.verdict, price.options) == ("unknown", ("--price IN,OUT",))
    lacking = check("image", [one for one in lines() if one["check"] != "image"])
    assert lacking.said.startswith("the transcript has no such call; ")
    part = [one for one in lines() if one["check"] != "parallel" or one["draw"] < 5]
    assert check("parallel", part).said == "3 of 8 at once failed: no answer"
    assert _short("a  b\nc") == '"a b c"' and _short(None) == '""'
    assert _short("x" * 60) == f'"{"x" * 60}"' and _short("x" * 61) == f'"{"x" * 57}..."'
    kept: list[dict[str, Any]] = [{"role": "user", "content": text} for text in ("a" * 1000, "b" * 1001)]
    kept.append({"content": [{"type": "text", "text": "t"}, {"type": "image_url"}]})
    assert [one["content"] for one in _without_image(kept)] == [
        "a" * 1000, f"{'b' * 100} ... (1,001 characters) ... {'b' * 100}",
        [{"type": "text", "text": "t"}, {"type": "a red PNG"}],
    ]  # fmt: skip


def test_a_file_that_is_no_transcript_is_named(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    head = '{"doctor": "1", "model": "m", "endpoint": "e", "cause": "", "advice": ""}\n'
    call = '{"check": "c", "draw": 0, "reply": {}, "seconds": 1}\n'
    file.write_text(head + call)
    assert [one.get("check") for one in transcript_in(file)] == [None, "c"]
    for text, message in (
        ("", "no transcript of tsgkit doctor"), ("[1]\n", "no transcript of tsgkit doctor"),
        (call, "no transcript of tsgkit doctor"), (head + "{oops\n", "line 2: broken JSON"),
        (head + call + '{"check": "c"}\n', "line 3: no call of tsgkit doctor"),
        (head.replace('"model": "m", ', ""), "line 1: it names no model and endpoint"),
        (head.replace('"e"', "7"), "line 1: it names no model and endpoint"),
    ):  # fmt: skip
        file.write_text(text)
        with pytest.raises(FileProblem, match=message):
            transcript_in(file)
    with pytest.raises(UsageError, match="nothing was asked"):
        transcript_text(ServerExamination("m", "e", (), transcript=({},)))


KEY = "sk-doctor-secret-1"
ABLE = {
    "single word: ready": "ready",
    "single word: pear": "pear",
    "capital of France": '{"capital": "Paris", "rivers": ["Seine"]}',
    "A tray holds": "7",
    "Which colour": "red",
    "password is heron": "heron",
}
CUT_OFF = {"from one to eighty": "length"}
HEADERS = {"x-ratelimit-limit-requests": "500", "x-ratelimit-limit-tokens": "30000"}


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def checks_of(tsgkit: CommandLine, more: str = "", code: int = 0, **server: Any) -> tuple[dict[str, Any], str]:  # noqa: ANN401
    """Return the checks by name, and what was said on standard error."""
    with model_server(replies=ABLE, always=CUT_OFF, **server) as running:
        words = f"doctor openai/x --model-arg api_base={running.base} --timeout 60 --json {more}"
        ended = tsgkit(words, code=code)
    assert KEY not in ended.out + ended.err
    return {one["name"]: one for one in ended.json["checks"]} | {"all": ended.json}, ended.err


@pytest.mark.usefixtures("key")
def test_server_that_never_answers_is_one_error_and_wrong_arguments_are_refused(tsgkit: CommandLine) -> None:
    for fault, cause, change in (
        ("401", "AuthenticationError", "check the key: the provider's ..._API_KEY"),
        ("html", "no proper answer", "check that the address is the one of a model"),
    ):
        checks, err = checks_of(tsgkit, code=1, status_of={"x": fault})
        assert list(checks) == ["plain text", "all"] and checks["all"]["cause"].startswith(cause), fault
        assert err.startswith(f"tsgkit: openai/x never answered: {cause}") and f"\n  {change}" in err, fault
    tsgkit.refuses(
        {
            "": "tsgkit: a model to ask, or --replay FILE\n",
            "openai/x --replay y": "tsgkit: a model to ask, or --replay FILE\n",
            "nobody/x": "tsgkit: nobody/x: no provider is called so\n",
        },
        "doctor",
    )


@pytest.mark.usefixtures("key")
def test_transcripts_hold_no_key_and_are_judged_again_as_they_were(tsgkit: CommandLine) -> None:
    with model_server(replies=ABLE, always=CUT_OFF | {"Which colour": "400"}, headers=HEADERS, echo_key=True) as server:
        words = f"doctor openai/x --model-arg api_base={server.base} --timeout 60 --save"
        first = tsgkit(words, "doctor.jsonl").out
        assert server.stats()["seen"] == 15
    text = Path("doctor.jsonl").read_text()
    assert KEY not in text + first and "base64" not in text
    again = tsgkit("doctor --replay doctor.jsonl").out
    assert again.splitlines() == first.splitlines()[:-1] and "at most: 880 (tsg/sgqa), " in again
    tsgkit(words, ".", code=2)


def test_functions_of_ones_own_are_examined_from_python() -> None:
    def mine(messages: list[dict[str, Any]]) -> str:
        return next((reply for word, reply in ABLE.items() if word in str(messages)), "<script>")

    checked = tk.doctor(mine)
    assert checked.options == () and checked.cause == "" and "<pre>" in checked._repr_html_()
    assert [one.name for one in checked.checks if one.verdict == "unknown"] == [
        *("image", "stop reasons", "parallel", "limits")
    ]
    assert "no option needs to be set" in repr(checked)
