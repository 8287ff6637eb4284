"""Files of weights: their headers are read, what could not answer is refused, and a run knows them by their content."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hub_server import Hub, without_login
from hub_server import hub as hub
from refusals import refusal

from tsgkit.agents.asker import door_of
from tsgkit.errors import FileProblem, UsageError
from tsgkit.llm import gguf, local_models
from tsgkit.llm.gguf import weights_in
from tsgkit.llm.local_models import LEAST_CONTEXT, LocalModel, context_of, registered
from tsgkit.llm.providers import model_settings, provider_for
from tsgkit.llm.settings import Settings, parse
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import prepare

HEADER: dict[str, Any] = {
    "general.architecture": "tea", "general.name": "Tea 7", "general.file_type": 15, "tea.context_length": 8192,
    "tea.block_count": 2, "tea.embedding_length": 64, "tea.attention.head_count": 4, "tea.attention.head_count_kv": 2,
    "tokenizer.ggml.tokens": ["a", "b"], "tokenizer.ggml.scores": [0.5], "tokenizer.chat_template": "{{ messages }}",
}  # fmt: skip


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def value_of(value: Any) -> bytes:  # noqa: ANN401
    if isinstance(value, list):
        kind = 8 if isinstance(value[0], str) else 6
        items = b"".join(text(one) if kind == 8 else struct.pack("<f", one) for one in value)
        return struct.pack("<IIQ", 9, kind, len(value)) + items
    return struct.pack("<I", 8) + text(value) if isinstance(value, str) else struct.pack("<II", 4, value)


def written(path: Path, changes: Mapping[str, Any] = HEADER, data: bytes = b"weights") -> Path:
    """Write a file of weights with one tensor; a change of None leaves a key of the header out."""
    values = {name: value for name, value in (HEADER | dict(changes)).items() if value is not None}
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(values))
    head += b"".join(text(name) + value_of(value) for name, value in values.items())
    head += text("blk") + struct.pack("<IQIQ", 1, 4, 0, 0)
    path.write_bytes(head + bytes(-len(head) % 32) + data)
    return path


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def settings(file: Path | str, *texts: str) -> Settings:
    model = f"gguf:{file}"
    return model_settings(model, parse(texts, [model]), {"temperature": 0})


def test_header_names_the_model_its_quantisation_context_and_memory_and_is_read_once(tmp_path: Path) -> None:
    file = written(tmp_path / "a.gguf")
    found = weights_in(file)
    assert (found.title, found.quantisation, found.context, found.has_template) == ("Tea 7", "Q4_K_M", 8192, True)
    assert (found.token_bytes, found.size) == (2 * 2 * 2 * 2 * 16, file.stat().st_size)
    assert found.model == f"gguf:Tea-7-Q4_K_M@{found.sha256[:8]}"
    kept = tmp_path / "cache" / gguf.KEPT
    kept.write_text(kept.read_text().replace("Tea 7", "Kept"))
    assert weights_in(file).title == "Kept"
    kept.write_text("broken")
    assert weights_in(file) == found
    others = {"general.name": None, "general.file_type": 4, "tokenizer.chat_template": None}
    found = weights_in(written(file, others | {"tea.attention.head_count": [4.0, 8.0]}, b"others"))
    assert (found.title, found.quantisation, found.has_template, found.context) == ("a", "-", False, 8192)


def test_files_that_cannot_answer_are_refused_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = written(tmp_path / "a.gguf")
    size, data = whole.stat().st_size, whole.read_bytes()
    for content, problem in (
        (b"PK\x03\x04", "no file of weights in the format GGUF"), (data[:200], "cut off: it has 200 bytes"),
        (data[: size - 7], "cut off"), (data.replace(b"GGUF\x03", b"GGUF\x07"), "its header is not one of GGUF 2 or 3"),
        (data.replace(struct.pack("<II", 4, 15), struct.pack("<II", 99, 15)), "its header is not one"),
        (written(whole, {"split.count": 3}).read_bytes(), "one of 3 parts"),
    ):  # fmt: skip
        whole.write_bytes(content)
        assert problem in refusal(FileProblem, weights_in, whole)
    assert "no such file" in refusal(FileProblem, weights_in, tmp_path / "b.gguf")
    assert "not a file" in refusal(FileProblem, weights_in, tmp_path)
    base = settings(written(whole, {"tokenizer.chat_template": None}))
    monkeypatch.setattr(local_models, "find_spec", lambda _: None)
    assert "xllamacpp, which is not installed" in refusal(UsageError, LocalModel(base).prepare)
    monkeypatch.setattr(local_models, "find_spec", lambda name: name)
    assert "no chat template" in refusal(UsageError, LocalModel(base).prepare)
    (tmp_path / "chat.txt").write_text("{{ messages }}")
    with_template = settings(whole, "template=chat.txt", "threads=1")
    LocalModel(with_template).prepare()
    assert with_template.parameters["template"] != "chat.txt" and "threads" not in with_template.parameters
    assert "LiteLLM cannot ask it" in refusal(UsageError, provider_for, base, None, "litellm")


def test_options_of_the_server_are_checked_and_not_sent_and_limit_the_requests(tmp_path: Path) -> None:
    file = written(tmp_path / "a.gguf")
    given = settings(file, "ctx=4096", f"gguf:{file}:slots=3", "max_tokens=48", "slots=1")
    assert (given.server, given.endpoint) == ({"ctx": 4096, "slots": 3}, "llama.cpp")
    assert given.parameters.keys() == {"temperature", "max_tokens", "weights"}
    assert door_of(f"gguf:{file}", ["slots=3"], concurrency=8).flow.ceiling == 3
    model = provider_for(given, None)
    assert isinstance(model, LocalModel)
    for texts, problem in (
        (("ctx=100",), "from 256 is needed"), (("slots=two",), "not a number"), (("slots=0",), "from 1 is needed"),
        (("api_base=http://127.0.0.1:1/v1",), "api_base has no use"), (("template=none.txt",), "none.txt"),
    ):  # fmt: skip
        assert problem in refusal(UsageError, settings, file, *texts)
    assert "no parameter is called so" in refusal(UsageError, parse, ["ctx=4096"], ["openai/m"])
    mixed = parse(["ctx=4096", "seed=1"], ["openai/m", f"gguf:{file}"])
    assert model_settings("openai/m", mixed, {}).parameters == {"seed": 1}


def test_context_is_what_memory_allows_or_what_is_asked_for(tmp_path: Path) -> None:
    found = weights_in(written(tmp_path / "a.gguf"))
    rest = found.size + local_models.WORKING_BYTES
    for given, slots, tokens, context in (
        (None, 1, 8192, 8192), (None, 1, 8191, 4096), (None, 2, 8192, 4096), (300, 1, 300, 300),
        (300, 1, 299, 0), (None, 1, LEAST_CONTEXT - 1, 0),
    ):  # fmt: skip
        server = {"slots": slots} | ({} if given is None else {"ctx": given})
        free = rest + tokens * found.token_bytes
        if context:
            assert context_of(found, server, free) == context
        else:
            assert "of memory" in refusal(UsageError, context_of, found, server, free)
            assert context_of(found, server | {"gpu_layers": 99}, free) and context_of(found, server, None)
    assert "trained for 8,192" in refusal(UsageError, context_of, found, {"slots": 1, "ctx": 8193}, None)


def test_run_knows_a_file_by_its_content_and_not_by_its_place(tmp_path: Path) -> None:
    file = written(tmp_path / "a.gguf")

    def run(path: Path, *arguments: str) -> tuple[str, Any, dict[str, Any]]:
        asked = prepare(Plan(tasks=("tsg/sgqa",), models=(f"gguf:{path}",), model_args=arguments, limit=1))
        (name,) = asked.plan.models
        return asked.identity, asked.asked["models"][name], asked.settings[name].server

    identity, asked, _ = run(file)
    (tmp_path / "deep").mkdir()
    moved = file.rename(tmp_path / "deep" / "b.gguf")
    assert run(moved)[:2] == run(moved, f"gguf:{moved}:ctx=512")[:2] == (identity, asked)
    assert run(moved, f"gguf:{moved}:ctx=512")[2]["ctx"] == 512
    assert json.dumps(asked).count(weights_in(moved).sha256) == 1 and asked["parameters"]["max_tokens"] > 0
    assert run(written(moved, data=b"changed"))[0] != identity


def test_file_of_the_hub_is_fetched_once_unless_one_lies_here(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_login(tmp_path, monkeypatch)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    hub.commit("lab/tea", {"q4.gguf": written(tmp_path / "a.gguf").read_bytes()})
    name = registered("gguf:lab/tea/q4.gguf")
    asked = len(hub.asked)
    assert registered("gguf:lab/tea/q4.gguf") == name == registered("gguf:a.gguf") and len(hub.asked) == asked > 0
    told = refusal(FileProblem, registered, "gguf:lab/none/q4.gguf")
    assert "no such file here" in told and "there is no such model" in told
    (tmp_path / "lab" / "tea").mkdir(parents=True)
    assert registered(f"gguf:{written(tmp_path / 'lab/tea/q4.gguf', data=b'mine')}") != name
    assert registered("gguf:lab/tea/q4.gguf") != name
