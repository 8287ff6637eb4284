"""The recipes for servers in the manual: address, headers and body of what their commands send."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from doors import carried, carrying, completion

import tsgkit
from tsgkit.cli import main
from tsgkit.llm.litellm_calls import OWN_CLIENT

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
        assert {"model", "messages", "temperature"} <= body.keys() and "stream" not in body, recipe
        found = (headers.get("authorization"), headers.get("api-key") if recipe == "Azure" else None)
        assert found == ((None, key) if recipe == "Azure" else (f"Bearer {key}", None)), recipe
        assert headers.get("x-team") == ("graphs" if recipe == "A proxy of your own" else None), recipe
