"""The doctor against servers that each lack one thing, and one that lacks nothing."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from model_server import model_server
from prefork import Prefork

import tsgkit as tk
from tsgkit.cli import main

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


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


Capture = pytest.CaptureFixture[str]


def examined(capsys: Capture, *words: str, code: int = 0, **server: object) -> tuple[dict[str, Any], str]:
    """Return the checks by name, and what was said on standard error."""
    options = {"replies": ABLE, "always": CUT} | server
    with model_server(**options) as running:
        base = f"api_base={running.base}"
        assert main(["doctor", "openai/x", "--model-arg", base, "--timeout", "10", "--json", *words]) == code
    said = capsys.readouterr()
    value = json.loads(said.out)
    assert KEY not in said.out + said.err
    return {one["name"]: one for one in value["checks"]} | {"all": value}, said.err


def test_able_server_works_in_everything(capsys: pytest.CaptureFixture[str]) -> None:
    found, err = examined(capsys, "--price", "1,2", headers=HEADERS)
    value = found.pop("all")
    assert {one["verdict"] for one in found.values()} == {"works"} and err == ""
    assert list(found) == [
        *("plain text", "system message", "JSON schema", "reasoning", "image", "long prompt", "stop reasons"),
        *("parallel", "limits", "price"),
    ]
    assert value["options"] == ["--rpm 500", "--tpm 30000"] and value["requests"] == 15
    assert value["cost"] == pytest.approx(15 * (100e-6 + 20e-6)) and value["tokens"] == 15 * 110


@pytest.mark.parametrize(
    ("check", "server", "verdict", "said", "options"),
    [
        ("plain text", {"replies": {}}, "unknown", '"[', []),
        ("plain text", {"always": {"ready": "empty"}}, "unknown", "the reply is empty", []),
        ("system message", {"always": CUT | {"pear": "400"}}, "does not", "our prompts send none", []),
        ("system message", {"replies": ABLE | {"single word: pear": "Jupiter"}}, "does not", "it was not heeded", []),
        ("JSON schema", {"always": CUT | {"France": "400"}}, "does not", "--style structured is not for it", []),
        ("JSON schema", {"replies": ABLE | {"capital of France": "Paris"}}, "does not", "it was ignored: ", []),
        ("JSON schema", {"replies": ABLE | {"capital of France": '{"a": 1}'}}, "does not", "not of the schema", []),
        (
            "reasoning",
            {"replies": ABLE | {"A tray holds": "<|channel|>3*4<|message|>7"}},
            "works",
            "inside of its reply",
            [],
        ),
        ("image", {"always": CUT | {"Which colour": "400"}}, "does not", "take another model", []),
        ("image", {"replies": ABLE | {"Which colour": "I see no image"}}, "does not", "was not seen", []),
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
            "parallel",
            {"rate": 5, "retry_after": "0.3"},
            "works",
            "at once were turned away (429), 8 were answered within 20 s",
            ["--concurrency 2"],
        ),
        ("limits", {}, "unknown", "no header tells of any", []),
        ("price", {}, "unknown", "costs and --max-cost need it", ["--price IN,OUT"]),
    ],
)
def test_doctor_names_missing_features_with_the_option_to_set(
    check: str,
    server: dict[str, Any],
    verdict: str,
    said: str,
    options: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    found, _ = examined(capsys, **server)
    one = found[check]
    assert (one["verdict"], one["options"]) == (verdict, options), one
    assert said in one["said"]


def test_thinking_that_leaves_no_token_says_which_parameter_to_raise(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = examined(capsys, always=CUT | {"A tray": "length"}, replies=ABLE | {"A tray holds": ""})
    assert found["reasoning"]["verdict"] in ("does not", "unknown")
    usage = {"prompt_tokens": 9, "completion_tokens": 900, "total_tokens": 909}
    usage |= {"completion_tokens_details": {"reasoning_tokens": 800}}  # type: ignore[dict-item]
    found, _ = examined(capsys, usage=usage)
    assert found["reasoning"]["said"] == "it thinks in a field of its own: 800 of 900 tokens"
    assert found["reasoning"]["options"] == ["--model-arg max_tokens=8192"]


@pytest.mark.parametrize(
    ("server", "cause", "change"),
    [
        ({"status_of": {"x": "401"}}, "AuthenticationError", "check the key: the provider's ..._API_KEY"),
        ({"status_of": {"x": "404"}}, "NotFoundError: this is error 404 (404 at http://127", "check the model's name"),
        ({"status_of": {"x": "quota"}}, "RateLimitError", "its account has no credit or quota left"),
        ({"status_of": {"x": "html"}}, "no proper answer", "start the server, or mend its address"),
    ],
)
def test_server_that_never_answers_is_one_error_after_one_check(
    server: dict[str, Any], cause: str, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, err = examined(capsys, code=1, **server)
    assert list(found) == ["plain text", "all"] and found["all"]["cause"].startswith(cause)
    assert err.startswith(f"tsgkit: openai/x never answered: {cause}") and f"\n  {change}" in err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["qwen"], "tsgkit: qwen: no provider is called so\n  a model is named PROVIDER/NAME"),
        ([], "tsgkit: a model to ask, or --replay FILE\n"),
        (["openai/x", "--replay", "y"], "tsgkit: a model to ask, or --replay FILE\n"),
        (["openai/x", "--timeout", "0"], "tsgkit: --timeout 0: it must be more than 0\n"),
        (["openai/x", "--price", "cheap"], "tsgkit: 'cheap' is no price\n"),
        (["--replay", "nothing.jsonl"], "tsgkit: nothing.jsonl: no such file\n"),
        (["--replay", "other.jsonl"], "tsgkit: other.jsonl: no transcript of tsgkit doctor\n"),
        (["--replay", "broken.jsonl"], "tsgkit: broken.jsonl: line 1: broken JSON\n"),
    ],
)
def test_wrong_words_are_told(
    words: list[str], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.jsonl").write_text('{"item_id": 1}\n')
    (tmp_path / "broken.jsonl").write_text("{\n")
    assert main(["doctor", *words]) == 2
    assert capsys.readouterr().err.startswith(expected)


def test_transcript_holds_no_key_and_is_judged_again_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "doctor.jsonl"
    with model_server(replies=ABLE, always=CUT | {"Which colour": "400"}, headers=HEADERS, echo_key=True) as server:
        words = ["doctor", "openai/x", "--model-arg", f"api_base={server.base}", "--timeout", "10"]
        assert main([*words, "--save", str(file)]) == 0
        seen = server.stats()["seen"]
    first = capsys.readouterr().out
    assert KEY not in file.read_text() + first and "base64" not in file.read_text()
    assert main(["doctor", "--replay", str(file)]) == 0
    again = capsys.readouterr().out
    assert again.splitlines()[:10] == first.splitlines()[:10] and seen == 15
    assert main([*words, "--save", str(tmp_path)]) == 2


def test_interrupted_examination_keeps_what_is_known(commands: Prefork, tmp_path: Path) -> None:
    with model_server(replies=ABLE, always={"A tray": "hang"}) as server:
        base = f"api_base={server.base}"
        going = commands.start("doctor", "openai/x", "--model-arg", base, cwd=tmp_path, env={"OPENAI_API_KEY": KEY})
        until = time.monotonic() + 50
        while "JSON schema" not in going.out:
            assert time.monotonic() < until, going.err
            time.sleep(0.05)
        os.kill(going.pid, signal.SIGINT)
        ended = going.wait()
    assert ended.code == 130 and "system message   works" in ended.out and "Traceback" not in ended.err


def test_function_of_ones_own_is_examined_from_python() -> None:
    def mine(messages: list[dict[str, Any]]) -> str:
        return next((reply for word, reply in ABLE.items() if word in str(messages)), "<script>")

    found = tk.doctor(mine)
    assert found.options == () and found.cause == "" and "<pre>" in found._repr_html_()
    assert {one.name for one in found.checks if one.verdict == "unknown"} == {
        *("image", "stop reasons", "parallel", "limits"),
    }
    assert "no option needs to be set" in repr(found)
