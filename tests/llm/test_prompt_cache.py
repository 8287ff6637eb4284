"""Marks for prompt caches: the same text in the same order, and nothing else changes."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

from doors import CarriedService, carried, carrying, run
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from tsgkit.cli import main
from tsgkit.library.cards import load_card
from tsgkit.llm.door import as_dicts
from tsgkit.llm.images import MARK, ImageFile, content_of, with_bytes
from tsgkit.llm.prompt_cache import STABLE, PromptMarks, stable_of, takes_marks
from tsgkit.suites.styles import style_of
from tsgkit.suites.suite import task_of


def test_only_services_that_want_marks_get_them() -> None:
    for model, wants in (
        ("anthropic/m", True),
        ("claude-sonnet-4-5", True),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("bedrock_converse/my-claude", True),
        ("openrouter/Anthropic/c", True),
        ("vertex_ai/claude-sonnet-4-5", True),
        ("bedrock/amazon.nova-pro-v1:0", False),
        ("openrouter/openai/gpt-5", False),
        ("openai/my-anthropic-proxy", False),
        ("python:mine:ask", False),
    ):
        assert takes_marks(model) is wants, model


def marked(marks: PromptMarks, *messages: BaseMessage) -> list[str]:
    """Return the texts that end in a mark."""
    sent = marks.added(as_dicts(messages), stable_of(messages))
    return [part["text"] for one in sent if isinstance(one["content"], list) for part in one["content"] if MARK in part]


def test_start_that_earlier_prompts_had_is_marked_after_its_last_paragraph() -> None:
    marks = PromptMarks()
    assert marked(marks, HumanMessage("Rules.\n\nA story.\n\nWho?")) == []
    assert marked(marks, HumanMessage("Rules.\n\nA story.\n\nWhere?")) == ["Rules.\n\nA story.\n\n"]
    assert marked(marks, HumanMessage("Rules.\n\nAnother.\n\nWhere?")) == ["Rules.\n\n"]
    assert marked(marks, HumanMessage("Ends in a blank line.\n\n")) == []
    assert marked(marks, HumanMessage("Other rules.\n\nA story.\n\nWho?")) == []


def test_start_counts_only_after_the_same_messages() -> None:
    marks = PromptMarks()
    assert marked(marks, SystemMessage("One."), HumanMessage("Rules.\n\nWho?")) == ["One."]
    assert marked(marks, SystemMessage("Two."), HumanMessage("Rules.\n\nWhere?")) == ["Two."]
    assert marked(marks, SystemMessage("One."), HumanMessage("Rules.\n\nWhere?")) == ["One.", "Rules.\n\n"]
    assert marked(marks, HumanMessage("x"), AIMessage("y"), HumanMessage("z")) == []
    assert marked(marks, HumanMessage("Rules.\n\nWho?", additional_kwargs={STABLE: 6})) == ["Rules."]


def test_images_before_a_question_are_marked_and_keep_the_mark_when_sent(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"pixels")
    image = ImageFile(tmp_path / "a.png", hashlib.sha256(b"pixels").hexdigest(), "image/png", 8, 8, 6)
    before = as_dicts([HumanMessage(content_of("Object 1:", image, image, "Where is the cup?"))])
    [sent] = run(with_bytes(PromptMarks().added(before, [0])))
    assert [MARK in part for part in sent["content"]] == [False, False, True, False]
    assert sent["content"][2]["type"] == "image_url"
    after = as_dicts([HumanMessage(content_of("Where is the cup?", image))])
    assert PromptMarks().added(after, [0]) == after


def evaluated(told: CarriedService, folder: Path, model: str, *more: str) -> tuple[str, list[str]]:
    """Return the identity of a run and its recorded prompts."""
    words = ["eval", "--quiet", "--no-cache", "--task", "tsg/sgqa", "--limit", "2", "--model", model]
    words += ["--model-arg", "api_base=http://127.0.0.1:9/v1", "--model-arg", "api_key=x", "--out", str(folder)]
    with carrying(told):
        assert main([*words, *more]) == 0
    header = json.loads((folder / "run.json").read_text())
    return header["identity"], sorted((folder / "prompts.jsonl").read_text().splitlines())


def test_run_with_marks_is_the_same_run(tmp_path: Path) -> None:
    body: dict[str, Any] = {"id": "x", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
    body |= {"usage": {"input_tokens": 3, "output_tokens": 1}, "content": [{"type": "text", "text": "[A]"}]}
    for model, answer, marked_requests in (("anthropic/claude-sonnet-4-5", body, 2), ("openai/m", None, 0)):
        plain, with_marks, folder = carried(200, answer), carried(200, answer), tmp_path / model
        first = evaluated(plain, folder / "a", model)
        assert first == evaluated(with_marks, folder / "b", model, "--prompt-cache"), model
        assert sum(MARK in json.dumps(body) for _, _, body in with_marks.asked) == marked_requests
        assert (sorted(map(str, plain.asked)) == sorted(map(str, with_marks.asked))) is (marked_requests == 0)


def test_every_prompt_of_a_task_begins_with_its_stable_start() -> None:
    for name in ("tsg/sgqa", "tsg/sa-sgg", "formalimg/layout", "sceneeval/annotate"):
        task: Any = task_of(load_card(name))
        dataset = task.dataset(None)
        for style in ("zero-shot", "few-shot"):
            prompter = task.prompter(style_of(style), dataset, seed=0, prompts=None)
            messages = [prompter.messages(dataset.sample(number))[0] for number in range(5)]
            [start] = {str(one.content)[: one.additional_kwargs[STABLE]] for one in messages}
            assert len(start) > 500, (name, style)
            assert start.endswith("\n\n"), (name, style)


TEXTS = st.lists(st.sampled_from(["a", "rules", "\n\n", "\n", "\n\n\n", "", "é"]), max_size=8).map("".join)


def text_in(content: str | list[dict[str, str]]) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@given(texts=st.lists(st.tuples(TEXTS, st.integers(0, 12)), min_size=1, max_size=6), role=st.booleans())
@settings(max_examples=30)
def test_marks_leave_every_text_as_it_is(texts: list[tuple[str, int]], role: bool) -> None:
    marks = PromptMarks()
    for text, stable in texts:
        human = HumanMessage(text, additional_kwargs={STABLE: min(stable, len(text))})
        messages: list[BaseMessage] = [SystemMessage("Judge."), human] if role else [human]
        prompt = as_dicts(messages)
        before = copy.deepcopy(prompt)
        sent = marks.added(prompt, stable_of(messages))
        assert prompt == before
        texts_sent = [(one["role"], text_in(one["content"])) for one in sent]
        assert texts_sent == [(one["role"], one["content"]) for one in prompt]
        parts = [part for one in sent if isinstance(one["content"], list) for part in one["content"]]
        assert all(part["text"] for part in parts)
        assert sum(MARK in part for part in parts) <= 3
