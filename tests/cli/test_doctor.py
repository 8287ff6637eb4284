"""The doctor against servers that each lack one thing, and one that lacks nothing."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from model_server import model_server
from prefork import Prefork

import tsgkit as tk

KEY = "sk-doctor-secret-1"
ABLE = {
    "single word: ready": "ready",
    "single word: pear": "pear",
    "capital of France": '{"capital": "Paris", "letters": 5}',
    "A tray holds": "7",
    "Which colour": "red",
    "password is heron": "heron",
}
CUT = {"from one to eighty": "length"}
HEADERS = {"x-ratelimit-limit-requests": "500", "x-ratelimit-limit-tokens": "30000"}
HARMONY = "<|channel|>3*4<|message|>7"
Case = tuple[str, dict[str, Any], str, str, list[str]]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def examined(tsgkit: CommandLine, more: str = "", code: int = 0, **server: Any) -> tuple[dict[str, Any], str]:  # noqa: ANN401
    """Return the checks by name, and what was said on standard error."""
    options = {"replies": ABLE, "always": CUT} | server
    with model_server(**options) as running:
        words = f"doctor openai/x --model-arg api_base={running.base} --timeout 10 --json {more}"
        ended = tsgkit(words, code=code)
    assert KEY not in ended.out + ended.err
    return {one["name"]: one for one in ended.json["checks"]} | {"all": ended.json}, ended.err


def test_able_server_works_in_everything(tsgkit: CommandLine) -> None:
    checks, err = examined(tsgkit, "--price 1,2", headers=HEADERS)
    value = checks.pop("all")
    assert {one["verdict"] for one in checks.values()} == {"works"} and err == ""
    assert list(checks) == [
        *("plain text", "system message", "JSON schema", "reasoning", "image", "long prompt", "stop reasons"),
        *("parallel", "limits", "price"),
    ]
    assert value["options"] == ["--rpm 500", "--tpm 30000"] and value["requests"] == 15
    assert value["cost"] == pytest.approx(15 * (100e-6 + 20e-6)) and value["tokens"] == 15 * 110


def replying(**replies: str) -> dict[str, Any]:
    """Return a server that is able but for these replies; an underscore stands for a space."""
    return {"replies": ABLE | {prompt.replace("_", " "): reply for prompt, reply in replies.items()}}


CASES: tuple[Case, ...] = (
    ("plain text", {"replies": {}}, "unknown", '"[', []),
    ("plain text", {"always": {"ready": "empty"}}, "unknown", "the reply is empty", []),
    ("system message", {"always": CUT | {"pear": "400"}}, "does not", "our prompts send none", []),
    ("system message", {"replies": ABLE | {"single word: pear": "Jupiter"}}, "does not", "it was not heeded", []),
    ("JSON schema", {"always": CUT | {"France": "400"}}, "does not", "--style structured is not for it", []),
    ("JSON schema", replying(capital_of_France="Paris"), "does not", "it was ignored: ", []),
    ("JSON schema", replying(capital_of_France='{"a": 1}'), "does not", "not of the schema", []),
    ("reasoning", replying(A_tray_holds=HARMONY), "works", "inside of its reply", []),
    ("image", {"always": CUT | {"Which colour": "400"}}, "does not", "take another model", []),
    ("image", replying(Which_colour="I see no image"), "does not", "was not seen", []),
    ("long prompt", {"always": CUT | {"heron": "toolong"}}, "does not", "too many for its context", ["--shots 1"]),
    (
        "long prompt",
        {"replies": ABLE | {"password is heron": "cup"}},
        "does not",
        "may be cut without a word",
        ["--shots 1"],
    ),
    ("stop reasons", {"always": {}}, "does not", "truncated replies count as unreadable", []),
    (
        *("parallel", {"rate": 5, "retry_after": "0.3"}, "works"),
        *("at once were turned away (429), 8 were answered within 20 s", ["--concurrency 2"]),
    ),
    ("limits", {}, "unknown", "no header tells of any", []),
    ("price", {}, "unknown", "costs and --max-cost need it", ["--price IN,OUT"]),
)


def test_doctor_names_missing_features_with_the_option_to_set(tsgkit: CommandLine) -> None:
    for check, server, verdict, message, options in CASES:
        one = examined(tsgkit, **server)[0][check]
        assert (one["verdict"], one["options"]) == (verdict, options), one
        assert message in one["said"], one


def test_thinking_that_leaves_no_token_says_which_parameter_to_raise(tsgkit: CommandLine) -> None:
    checks, _ = examined(tsgkit, always=CUT | {"A tray": "length"}, replies=ABLE | {"A tray holds": ""})
    assert checks["reasoning"]["verdict"] in ("does not", "unknown")
    usage = {"prompt_tokens": 9, "completion_tokens": 900, "total_tokens": 909}
    checks, _ = examined(tsgkit, usage={**usage, "completion_tokens_details": {"reasoning_tokens": 800}})
    assert checks["reasoning"]["said"] == "it thinks in a field of its own: 800 of 900 tokens"
    assert checks["reasoning"]["options"] == ["--model-arg max_tokens=8192"]


def test_server_that_never_answers_is_one_error_after_one_check(tsgkit: CommandLine) -> None:
    for fault, cause, change in (
        ("401", "AuthenticationError", "check the key: the provider's ..._API_KEY"),
        ("404", "NotFoundError: this is error 404 (404 at http://127", "check the model's name"),
        ("quota", "RateLimitError", "its account has no credit or quota left"),
        ("html", "no proper answer", "start the server, or mend its address"),
    ):
        checks, err = examined(tsgkit, code=1, status_of={"x": fault})
        assert list(checks) == ["plain text", "all"] and checks["all"]["cause"].startswith(cause), fault
        assert err.startswith(f"tsgkit: openai/x never answered: {cause}") and f"\n  {change}" in err, fault


def test_doctor_refuses_invalid_arguments(tsgkit: CommandLine) -> None:
    err = tsgkit("doctor qwen", code=2).err
    assert err.startswith("tsgkit: qwen: no provider is called so\n  a model is named PROVIDER/NAME")
    assert tsgkit("doctor openai/x --price cheap", code=2).err.startswith("tsgkit: 'cheap' is no price\n")
    Path("other.jsonl").write_text('{"item_id": 1}\n')
    Path("broken.jsonl").write_text("{\n")
    tsgkit.refuses(
        {
            "": "tsgkit: a model to ask, or --replay FILE\n",
            "openai/x --replay y": "tsgkit: a model to ask, or --replay FILE\n",
            "openai/x --timeout 0": "tsgkit: --timeout 0: it must be more than 0\n",
            "--replay nothing.jsonl": "tsgkit: nothing.jsonl: no such file\n",
            "--replay other.jsonl": "tsgkit: other.jsonl: no transcript of tsgkit doctor\n",
            "--replay broken.jsonl": "tsgkit: broken.jsonl: line 1: broken JSON\n",
        },
        "doctor",
    )


def test_transcripts_hold_no_key_and_are_judged_again_as_they_were(tsgkit: CommandLine) -> None:
    with model_server(replies=ABLE, always=CUT | {"Which colour": "400"}, headers=HEADERS, echo_key=True) as server:
        words = f"doctor openai/x --model-arg api_base={server.base} --timeout 10 --save"
        first = tsgkit(words, "doctor.jsonl").out
        assert server.stats()["seen"] == 15
    text = Path("doctor.jsonl").read_text()
    assert KEY not in text + first and "base64" not in text
    again = tsgkit("doctor --replay doctor.jsonl").out
    assert again.splitlines()[:10] == first.splitlines()[:10]
    tsgkit(words, ".", code=2)


def test_interrupted_examination_keeps_what_is_known(commands: Prefork, folder: Path) -> None:
    with model_server(replies=ABLE, always={"A tray": "hang"}) as server:
        words = ("doctor", "openai/x", "--model-arg", f"api_base={server.base}")
        process = commands.start(*words, cwd=folder, env={"OPENAI_API_KEY": KEY})
        until = time.monotonic() + 60
        while "JSON schema" not in process.out:
            assert time.monotonic() < until, process.err
            time.sleep(0.01)
        process.signal(signal.SIGINT)
        process.wait()
    assert process.code == 130 and "system message   works" in process.out and "Traceback" not in process.err


def test_functions_of_ones_own_are_examined_from_python() -> None:
    def mine(messages: list[dict[str, Any]]) -> str:
        return next((reply for word, reply in ABLE.items() if word in str(messages)), "<script>")

    checked = tk.doctor(mine)
    assert checked.options == () and checked.cause == "" and "<pre>" in checked._repr_html_()
    assert [one.name for one in checked.checks if one.verdict == "unknown"] == [
        *("image", "stop reasons", "parallel", "limits"),
    ]
    assert "no option needs to be set" in repr(checked)
