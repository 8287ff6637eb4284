"""The doctor at the command line and from Python: refusals, transcripts, and functions of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from model_server import model_server

import tsgkit as tk

KEY = "sk-doctor-secret-1"
ABLE = {
    "single word: ready": "ready",
    "single word: pear": "pear",
    "capital of France": '{"capital": "Paris", "rivers": ["Seine"]}',
    "A tray holds": "7",
    "Which colour": "red",
    "password is heron": "heron",
}
CUT = {"from one to eighty": "length"}
HEADERS = {"x-ratelimit-limit-requests": "500", "x-ratelimit-limit-tokens": "30000"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def examined(tsgkit: CommandLine, more: str = "", code: int = 0, **server: Any) -> tuple[dict[str, Any], str]:  # noqa: ANN401
    """Return the checks by name, and what was said on standard error."""
    with model_server(replies=ABLE, always=CUT, **server) as running:
        words = f"doctor openai/x --model-arg api_base={running.base} --timeout 60 --json {more}"
        ended = tsgkit(words, code=code)
    assert KEY not in ended.out + ended.err
    return {one["name"]: one for one in ended.json["checks"]} | {"all": ended.json}, ended.err


def test_server_that_never_answers_is_one_error_and_wrong_arguments_are_refused(tsgkit: CommandLine) -> None:
    for fault, cause, change in (
        ("401", "AuthenticationError", "check the key: the provider's ..._API_KEY"),
        ("html", "no proper answer", "check that the address is the one of a model"),
    ):
        checks, err = examined(tsgkit, code=1, status_of={"x": fault})
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


def test_transcripts_hold_no_key_and_are_judged_again_as_they_were(tsgkit: CommandLine) -> None:
    with model_server(replies=ABLE, always=CUT | {"Which colour": "400"}, headers=HEADERS, echo_key=True) as server:
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
