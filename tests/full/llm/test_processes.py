"""Processes that ask models: what they open, log and leave behind; what the recipes of the manual send."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from doors import carried, carrying, completion
from model_server import Running, model_server

import tsgkit
from tsgkit.cli import main
from tsgkit.llm.litellm_calls import OWN_CLIENT

ROOT = Path(tsgkit.__file__).parents[1]
KEY = "sk-live-0123456789"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server(replies={"x": "[A]"}, always={"<500>": "500", "<html>": "html"}) as running:
        yield running


def ran(code: str, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, "-c", code]
    environment = os.environ | variables
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)


@pytest.mark.parametrize("client", ["direct_calls.DirectCalls", "litellm_calls.LiteLlm"])
def test_no_log_shows_prompts_or_keys_even_when_debugging_is_asked_for(server: Running, client: str) -> None:
    module, _, name = client.partition(".")
    code = f"""
import asyncio, logging
logging.basicConfig(level=logging.DEBUG)
from tsgkit.llm.{module} import {name}
from tsgkit.llm.settings import parse, settings_of
async def work():
    texts = ["api_key={KEY}", "api_base={server.base}", "seed=1"]
    provider = {name}(settings_of("openai/m", parse(texts, ["openai/m"]), {{}}))
    provider.prepare()
    for text in ("a secret prompt", "a secret prompt <500>", "a secret prompt <html>"):
        try:
            await provider.send([{{"role": "user", "content": text}}], None, 10)
        except Exception as error:
            print(type(error).__name__)
    await provider.close()
asyncio.run(work())
"""
    result = ran(code, LITELLM_LOG="DEBUG", OPENAI_LOG="debug", DEBUG="1")
    assert result.stdout == "CallFailed\nCallFailed\n"
    assert "secret prompt" not in result.stderr and KEY not in result.stderr


def test_session_that_is_left_open_is_closed_in_silence_at_the_end(server: Running) -> None:
    code = f"""
from tsgkit.llm.asker import ask_for
from tsgkit.agents.shared_model import shared_model
from tsgkit.llm.event_loop import run_in_background
from langchain_core.messages import HumanMessage
import sys
model = shared_model("openai/m", {{"model_arg": {{"api_base": "{server.base}"}}}})
print(run_in_background(lambda: ask_for(model, "tea")([HumanMessage("x")], label="answer")).text)
print([name for name in ("litellm", "openai", "httpx") if name in sys.modules])
"""
    result = ran(code, "-W", "always")
    assert (result.stdout, result.stderr) == ("[A]\n[]\n", "")


PAGE = Path(tsgkit.__file__).parents[1] / "docs" / "models-and-servers.md"
CHAT = "v1/chat/completions"
AZURE = "openai/deployments/DEPLOYMENT/chat/completions?api-version=2024-10-21"
RECIPES = {
    "vLLM": (CHAT, "Qwen/Qwen3-8B", "", "none"),
    "llama.cpp": (CHAT, "local", "", "none"),
    "Ollama": (CHAT, "qwen3:8b", "", "none"),
    "LM Studio": (CHAT, "qwen3-8b", "", "none"),
    "Azure": (AZURE, "DEPLOYMENT", "AZURE_API_KEY", "sk-azure"),
    "OpenRouter": ("api/" + CHAT, "qwen/qwen3-8b", "OPENROUTER_API_KEY", "sk-router"),
    "A proxy of your own": (CHAT, "TEAM-MODEL", "OPENAI_API_KEY", "sk-proxy"),
}
"""The path, the model, and the key with its variable, by section of the page."""


def test_recipes_ask_the_addresses_that_their_services_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not PAGE.is_file():
        pytest.skip("the manual is not part of an installed package")
    for recipe, (path, model, variable, key) in RECIPES.items():
        section = PAGE.read_text(encoding="utf-8").split(f"\n## {recipe}\n")[1].split("\n## ")[0]
        command = shlex.split(re.findall(r"^tsgkit (eval .*)$", section, re.MULTILINE)[-1])
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        monkeypatch.setenv(OWN_CLIENT, "True")  # asking Azure turns it off in the whole process
        if variable:
            monkeypatch.setenv(variable, key)
        more = ["--task", "sgqa", "--first", "1", "--no-cache", "--quiet", "--out", str(tmp_path / recipe)]
        with carrying(told := carried(200, completion(content="[kettle]"))):
            assert main([*command, *more]) == 0, recipe
        [(url, headers, body)] = told.asked
        assert url.removeprefix("POST ").partition("//")[2].partition("/")[2] == path, recipe
        assert (body["model"], [message["role"] for message in body["messages"]]) == (model, ["user"]), recipe
        assert {"model", "messages", "temperature"} <= body.keys(), recipe
        found = (headers.get("authorization"), headers.get("api-key") if recipe == "Azure" else None)
        assert found == ((None, key) if recipe == "Azure" else (f"Bearer {key}", None)), recipe
        assert headers.get("x-team") == ("graphs" if recipe == "A proxy of your own" else None), recipe
