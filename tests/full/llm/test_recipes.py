"""The recipes for servers in the manual: address, headers and body of what their commands send."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from doors import carried, carrying, completion

import tsgkit
from tsgkit.cli import main
from tsgkit.llm.litellm_calls import OWN_CLIENT

PAGE = Path(tsgkit.__file__).parents[1] / "docs" / "models-and-servers.md"
RECIPES: dict[str, dict[str, Any]] = {
    "vLLM": {"path": "v1/chat/completions", "model": "Qwen/Qwen3-8B", "key": "none"},
    "llama.cpp": {"path": "v1/chat/completions", "model": "local", "key": "none"},
    "Ollama": {"path": "v1/chat/completions", "model": "qwen3:8b", "key": "none"},
    "LM Studio": {"path": "v1/chat/completions", "model": "qwen3-8b", "key": "none"},
    "Azure": {"path": "openai/deployments/DEPLOYMENT/chat/completions?api-version=2024-10-21", "model": "DEPLOYMENT"},
    "OpenRouter": {"path": "api/v1/chat/completions", "model": "qwen/qwen3-8b", "key": "sk-router"},
    "A proxy of your own": {"path": "v1/chat/completions", "model": "TEAM-MODEL", "key": "sk-proxy"},
}
KEYS = {"Azure": "AZURE_API_KEY", "OpenRouter": "OPENROUTER_API_KEY", "A proxy of your own": "OPENAI_API_KEY"}


def command_of(recipe: str) -> list[str]:
    """Return the last ``tsgkit eval`` of a section of the page."""
    if not PAGE.is_file():
        pytest.skip("the manual is not part of an installed package")
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {recipe}\n")[1].split("\n## ")[0]
    return shlex.split(re.findall(r"^tsgkit (eval .*)$", section, re.MULTILINE)[-1])


def test_recipes_ask_the_addresses_that_their_services_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for recipe, wanted in RECIPES.items():
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        monkeypatch.setenv(OWN_CLIENT, "True")  # asking Azure turns it off in the whole process
        if recipe in KEYS:
            monkeypatch.setenv(KEYS[recipe], wanted.get("key", "sk-azure"))
        more = ["--task", "sgqa", "--first", "1", "--no-cache", "--quiet", "--out", str(tmp_path / recipe)]
        with carrying(told := carried(200, completion(content="[kettle]"))):
            assert main([*command_of(recipe), *more]) == 0, recipe
        [(url, headers, body)] = told.asked
        assert url.removeprefix("POST ").partition("//")[2].partition("/")[2] == wanted["path"], recipe
        assert body["model"] == wanted["model"], recipe
        assert [message["role"] for message in body["messages"]] == ["user"], recipe
        assert {"model", "messages", "temperature"} <= body.keys() and "stream" not in body, recipe
        if recipe == "Azure":
            assert headers["api-key"] == "sk-azure" and "authorization" not in headers
        else:
            assert headers["authorization"] == f"Bearer {wanted['key']}", recipe
        assert headers.get("x-team") == ("graphs" if recipe == "A proxy of your own" else None), recipe
