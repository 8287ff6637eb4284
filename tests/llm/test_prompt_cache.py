"""Marks for prompt caches: the same text in the same order, and nothing else changes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from doors import WHERE, Notebook, Told, door_to, run, service, settings_for
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from model_server import model_server

from tsgkit.cli import main
from tsgkit.interface.evaluation import how_of
from tsgkit.library.cards import load_card
from tsgkit.llm.door import as_dicts
from tsgkit.llm.images import MARK, ImageFile, content_of, with_bytes
from tsgkit.llm.litellm_calls import LiteLlm
from tsgkit.llm.prompt_cache import STABLE, PromptMarks, stable_of, takes_marks
from tsgkit.llm.reply import Reply, Usage
from tsgkit.suites.styles import style_of
from tsgkit.suites.suite import task_of


@pytest.mark.parametrize(
    ("model", "wants"),
    [
        ("anthropic/claude-sonnet-4-5", True),
        ("claude-sonnet-4-5", True),
        ("bedrock/anthropic.claude-3-haiku-20240307-v1:0", True),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("openrouter/anthropic/claude-sonnet-4.5", True),
        ("vertex_ai/claude-sonnet-4-5", True),
        ("bedrock/amazon.nova-pro-v1:0", False),
        ("openrouter/openai/gpt-5", False),
        ("openai/gpt-5", False),
        ("openai/my-anthropic-proxy", False),
        ("gemini/gemini-2.5-pro", False),
        ("python:mine:ask", False),
    ],
)
def test_only_services_that_want_marks_get_them(model: str, wants: bool) -> None:
    assert takes_marks(model) is wants


def marked(marks: PromptMarks, *messages: BaseMessage) -> list[str]:
    """Return the texts that end in a mark."""
    sent = marks.added(as_dicts(messages), stable_of(messages))
    return [part["text"] for one in sent if isinstance(one["content"], list) for part in one["content"] if MARK in part]


def test_a_start_that_earlier_prompts_had_is_marked_after_its_last_paragraph() -> None:
    marks = PromptMarks()
    assert marked(marks, HumanMessage("Rules.\n\nA story.\n\nWho?")) == []
    assert marked(marks, HumanMessage("Rules.\n\nA story.\n\nWhere?")) == ["Rules.\n\nA story.\n\n"]
    assert marked(marks, HumanMessage("Rules.\n\nAnother.\n\nWhere?")) == ["Rules.\n\n"]
    assert marked(marks, HumanMessage("Ends in a blank line.\n\n")) == []
    assert marked(marks, HumanMessage("Other rules.\n\nA story.\n\nWho?")) == []


def test_a_start_counts_only_after_the_same_messages() -> None:
    marks = PromptMarks()
    assert marked(marks, SystemMessage("One."), HumanMessage("Rules.\n\nWho?")) == ["One."]
    assert marked(marks, SystemMessage("Two."), HumanMessage("Rules.\n\nWhere?")) == ["Two."]
    assert marked(marks, SystemMessage("One."), HumanMessage("Rules.\n\nWhere?")) == ["One.", "Rules.\n\n"]
    assert marked(marks, HumanMessage("x"), AIMessage("y"), HumanMessage("z")) == []


def image_in(folder: Path) -> ImageFile:
    path = folder / "a.png"
    path.write_bytes(b"pixels")
    return ImageFile(path, hashlib.sha256(b"pixels").hexdigest(), "image/png", 8, 8, 6)


def test_images_before_a_question_are_marked_and_keep_the_mark_when_sent(tmp_path: Path) -> None:
    image = image_in(tmp_path)
    messages = [HumanMessage(content_of("Object 1:", image, image, "Where is the cup?"))]
    [sent] = run(with_bytes(PromptMarks().added(as_dicts(messages), [0])))
    assert [MARK in part for part in sent["content"]] == [False, False, True, False]
    assert sent["content"][2]["type"] == "image_url"


def test_images_after_the_question_are_not_marked(tmp_path: Path) -> None:
    messages = [HumanMessage(content_of("Where is the cup?", image_in(tmp_path)))]
    prompt = as_dicts(messages)
    assert PromptMarks().added(prompt, [0]) == prompt


def anthropic_body() -> bytes:
    used = {"input_tokens": 3, "cache_read_input_tokens": 9, "cache_creation_input_tokens": 0, "output_tokens": 1}
    body = {"id": "x", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn", "usage": used}
    return json.dumps(body | {"content": [{"type": "text", "text": "[A]"}]}).encode()


def test_marks_arrive_at_the_service() -> None:
    messages = [SystemMessage("Judge."), HumanMessage("Rules.\n\nWho?", additional_kwargs={STABLE: 8})]

    async def work(base: str) -> Reply:
        provider = LiteLlm(settings_for(base, model="anthropic/claude-sonnet-4-5"))
        provider.prepare()
        reply = await provider.send(PromptMarks().added(as_dicts(messages), stable_of(messages)), None, 10)
        await provider.close()
        return reply

    with service(200, anthropic_body()) as told:
        assert run(work(told.base)).usage.cached == 9
    sent = told.asked[-1][1]
    mark = {"cache_control": {"type": "ephemeral"}}
    assert sent["system"] == [{"type": "text", "text": "Judge.", **mark}]
    [message] = sent["messages"]
    assert message["content"] == [{"type": "text", "text": "Rules.\n\n", **mark}, {"type": "text", "text": "Who?"}]


def evaluated(base: str, folder: Path, model: str, *more: str) -> tuple[str, list[str]]:
    """Return the identity of a run and its recorded prompts."""
    words = ["eval", "--quiet", "--no-cache", "--task", "tsg/sgqa", "--limit", "2", "--model", model]
    words += ["--model-arg", f"api_base={base}", "--model-arg", "api_key=x", "--out", str(folder), *more]
    assert main(words) == 0
    header = json.loads((folder / "run.json").read_text())
    return header["identity"], sorted((folder / "prompts.jsonl").read_text().splitlines())


def test_a_run_with_marks_is_the_same_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with service(200, anthropic_body()) as told:
        model = "anthropic/claude-sonnet-4-5"
        plain = evaluated(told.base, tmp_path / "a", model)
        assert not any("cache_control" in json.dumps(body) for _, body in told.asked)
        unmarked = len(told.asked)
        marked_run = evaluated(told.base, tmp_path / "b", model, "--prompt-cache")
        assert all("cache_control" in json.dumps(body) for _, body in told.asked[unmarked:])
    assert plain == marked_run


def test_other_services_get_the_same_request_with_and_without_the_option(tmp_path: Path) -> None:
    with model_server() as running:
        evaluated(running.base, tmp_path / "a", "openai/m")
        evaluated(running.base, tmp_path / "b", "openai/m", "--prompt-cache")
        stats = running.stats()
    assert (stats["seen"], stats["distinct"]) == (4, 2)
    assert how_of({"prompt_cache": True}).limits.prompt_cache
    assert not how_of({}).limits.prompt_cache


def test_every_prompt_of_a_task_begins_with_its_stable_start() -> None:
    for name in ("tsg/sgqa", "tsg/sa-sgg", "formalimg/layout", "sceneeval/annotate"):
        task: Any = task_of(load_card(name))
        dataset = task.dataset(None)
        for style in ("zero-shot", "few-shot"):
            prompter = task.prompter(style_of(style), dataset, seed=0, prompts=None)
            messages = [prompter.messages(dataset.sample(number))[0] for number in range(5)]
            starts = {str(one.content)[: one.additional_kwargs[STABLE]] for one in messages}
            [start] = starts
            assert len(start) > 500
            assert start.endswith("\n\n")


def test_marks_change_neither_call_nor_recorded_prompt() -> None:
    asked = [HumanMessage("Rules.\n\nWho?", additional_kwargs={STABLE: 8})]

    def noted(marks: PromptMarks | None) -> tuple[Notebook, Told]:
        notebook, told = Notebook(), Told((Reply("[cup]", usage=Usage(10, 5)),))
        run(door_to(told, recorder=notebook, marks=marks).ask(WHERE, asked, label="answer"))
        return notebook, told

    (plain, sent), (with_marks, sent_marked) = noted(None), noted(PromptMarks())
    assert list(plain.calls) == list(with_marks.calls)
    assert plain.prompts == with_marks.prompts == [[{"role": "user", "content": "Rules.\n\nWho?"}]]
    assert sent.sent == ["Rules.\n\nWho?"]
    assert [part["text"] for part in sent_marked.sent[0]] == ["Rules.\n\n", "Who?"]  # type: ignore[index]
