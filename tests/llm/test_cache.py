"""The cache of replies: complete ones, private, never in the way; marks for caches of services change nothing else."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from doors import carried, carrying, run
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.llm.cache import FILE, MOST_PENDING, ReplyCache, cache_key, canonical, clear
from tsgkit.llm.door import as_dicts
from tsgkit.llm.images import MARK, ImageFile, content_of, with_bytes
from tsgkit.llm.prompt_cache import STABLE, PromptMarks, stable_of, takes_marks
from tsgkit.llm.reply import NOTHING, Attempt, Ending, Reply, Usage, reply_from, reply_value
from tsgkit.suites.styles import style_of
from tsgkit.suites.suite import task_of

GOOD = Reply("[kettle]", usage=Usage(10, 5, 1, 2, 0.01), seconds=2.0, attempts=(Attempt(2.0),), model="m")


def texts_in(cache: ReplyCache, *keys: str) -> list[str | None]:
    return [None if reply is None else reply.text for reply in map(cache.find, keys)]


def test_kept_reply_is_found_again_costs_nothing_and_the_first_of_a_key_stays(tmp_path: Path) -> None:
    ReplyCache(tmp_path).keep("k", GOOD)
    cache = ReplyCache(tmp_path)
    found = cache.find("k")
    assert found is not None and cache.find("l") is None
    assert (found.text, found.source, found.seconds, found.attempts) == ("[kettle]", "cache", 0.0, ())
    assert (found.usage, found.spent) == (GOOD.usage, NOTHING)
    for number in range(MOST_PENDING + 1):
        cache.keep(f"k{number}", Reply(str(number)))
        assert cache.find(f"k{number}") is not None, "found before it is written"
    assert ReplyCache(tmp_path).find(f"k{MOST_PENDING}") is not None
    cache.keep("last", GOOD)
    cache.keep("k0", Reply("another"))
    cache.close()
    assert ReplyCache(tmp_path).size()[0] == MOST_PENDING + 3
    assert texts_in(ReplyCache(tmp_path), "last", "k0") == ["[kettle]", "0"]


def test_writers_that_begin_together_wait_for_each_other_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    another = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    another.execute("BEGIN IMMEDIATE")
    clock, sleeps = [0.0, 10.1], list[float]()

    def tick(seconds: float) -> None:
        sleeps.append(seconds)
        clock.pop(0)

    def end_the_other(seconds: float) -> None:
        sleeps.append(seconds)
        another.execute("COMMIT")

    monkeypatch.setattr("tsgkit.llm.cache.time", SimpleNamespace(monotonic=lambda: clock[0], sleep=tick))
    with pytest.raises(UsageError, match="cannot be opened: database is locked"):
        ReplyCache(tmp_path)
    assert sleeps == [0.02], "it tries again for ten seconds"
    still = SimpleNamespace(monotonic=lambda: 0.0, time=lambda: 0.0, sleep=end_the_other)
    monkeypatch.setattr("tsgkit.llm.cache.time", still)
    first, second = ReplyCache(tmp_path), ReplyCache(tmp_path)
    assert sleeps == [0.02, 0.02]
    assert first.find("both") is second.find("both") is None, "both have a view of the file that is still empty"
    for number, cache in enumerate((first, second)):
        for key in ("both", f"own/{number}"):
            cache.keep(key, Reply(str(number)))
    for cache in (first, second):
        cache.close()
        assert cache.trouble == ""
    assert ReplyCache(tmp_path).size()[0] == 3
    assert texts_in(ReplyCache(tmp_path), "both", "own/0", "own/1") == ["0", "0", "1"]


def test_only_complete_replies_are_kept_in_a_private_file(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "new")
    incomplete = [Reply("a", ending) for ending in Ending if ending is not Ending.COMPLETE]
    for reply in (*incomplete, Reply(None), Reply(" \n")):
        cache.keep("k", reply)
        assert cache.find("k") is None, reply
    assert cache.size()[0] == 0
    cache.keep("k", GOOD)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "new").iterdir()}
    assert FILE in modes
    if os.name != "nt":
        assert {*modes.values(), (tmp_path / "new").stat().st_mode & 0o777} == {0o600, 0o700}


def test_broken_file_row_or_folder_is_told_with_the_way_out(tmp_path: Path) -> None:
    assert not clear(tmp_path)
    for damage in (b"this is no database at all, not even a small one", b"SQLite format 3\x00" + b"\xff" * 9000):
        (tmp_path / FILE).write_bytes(damage)
        with pytest.raises(UsageError, match="reply cache cannot be") as caught:
            ReplyCache(tmp_path).find("k")
        assert "tsgkit cache clear" in caught.value.hint
        assert str(tmp_path) in caught.value.message
    assert clear(tmp_path)
    cache = ReplyCache(tmp_path)
    rows = ("no json", "[]", "{}", '{"text": "a", "ending": "strange"}', '{"ending": "empty", "x": 1}')
    for row in rows:
        cache._base.execute("INSERT INTO replies VALUES (?, 0, ?)", (row, row))
    for row in rows:
        with pytest.raises(UsageError, match="cannot be read"):
            pytest.fail(f"{row}: {cache.find(row)}")
    cache._base.execute("DROP TABLE replies")
    for key in ("k", "l"):
        cache.keep(key, GOOD)
    assert "not kept any more" in cache.trouble
    cache.close()
    (tmp_path / "folder" / FILE).mkdir(parents=True)
    with pytest.raises(UsageError, match="cannot be opened"):
        ReplyCache(tmp_path / "folder")
    assert clear(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda part: st.lists(part, max_size=2) | st.dictionaries(st.text(max_size=2), part, max_size=2),
    max_leaves=4,
)
COUNT = st.none() | st.integers(0, 10**9)


@given(st.text(), st.dictionaries(st.text(max_size=3), JSON, max_size=3), st.text(), st.text(min_size=1), JSON)
@settings(max_examples=40)
def test_every_change_changes_the_key(endpoint: str, body: dict[str, Any], draw: str, more: str, value: object) -> None:
    key = cache_key(endpoint, body, draw)
    assert key == cache_key(endpoint, dict(reversed(body.items())), draw)
    assert key != cache_key(endpoint + more, body, draw)
    assert key != cache_key(endpoint, body, draw + more)
    for name in {*body, more}:
        is_same = name in body and canonical(body[name]) == canonical(value)
        assert (key == cache_key(endpoint, body | {name: value}, draw)) is is_same


@given(
    st.none() | st.text(),
    st.sampled_from(Ending),
    st.builds(Usage, COUNT, COUNT, COUNT, COUNT, st.none() | st.floats(0, 10), COUNT),
    st.lists(st.builds(Attempt, st.floats(0, 9), st.none() | st.text(), st.none() | st.integers(400, 599)), max_size=3),
)
@settings(max_examples=40)
def test_reply_that_is_written_down_comes_back_as_it_was(
    text: str | None, ending: Ending, usage: Usage, attempts: list[Attempt]
) -> None:
    reply = Reply(text, ending, usage=usage, attempts=tuple(attempts), error=text, status=429, seconds=1.5)
    assert reply_from(reply_value(reply)) == reply


# Marks for the prompt caches of services


def test_only_services_that_want_marks_get_them() -> None:
    wants = ["anthropic/m", "claude-sonnet-4-5", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0"]
    wants += ["bedrock_converse/my-claude", "openrouter/Anthropic/c", "vertex_ai/claude-sonnet-4-5"]
    others = ("bedrock/amazon.nova-pro-v1:0", "openrouter/openai/gpt-5", "openai/my-anthropic-proxy", "python:mine:ask")
    assert [model for model in (*wants, *others) if takes_marks(model)] == wants


def marked(marks: PromptMarks, *messages: BaseMessage) -> list[str]:
    """Return the texts that end in a mark."""
    sent = marks.added(as_dicts(messages), stable_of(messages))
    return [part["text"] for one in sent if isinstance(one["content"], list) for part in one["content"] if MARK in part]


def test_start_that_earlier_prompts_had_is_marked_after_its_last_paragraph() -> None:
    marks = PromptMarks()
    for text, starts in (
        ("Rules.\n\nA story.\n\nWho?", []),
        ("Rules.\n\nA story.\n\nWhere?", ["Rules.\n\nA story.\n\n"]),
        ("Rules.\n\nAnother.\n\nWhere?", ["Rules.\n\n"]),
        ("Ends in a blank line.\n\n", []),
        ("Other rules.\n\nA story.\n\nWho?", []),
    ):
        assert marked(marks, HumanMessage(text)) == starts, text
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


def test_run_with_marks_is_the_same_run(tmp_path: Path) -> None:
    body: dict[str, Any] = {"id": "x", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
    body |= {"usage": {"input_tokens": 3, "output_tokens": 1}, "content": [{"type": "text", "text": "[A]"}]}
    words = ["eval", "--quiet", "--no-cache", "--task", "tsg/sgqa", "--limit", "2"]
    words += ["--model-arg", "api_base=http://127.0.0.1:9/v1", "--model-arg", "api_key=x"]
    for model, answer, marked_requests in (("anthropic/claude-sonnet-4-5", body, 2), ("openai/m", None, 0)):
        found = []
        for option in ([], ["--prompt-cache"]):
            folder = tmp_path / f"{model}{len(option)}"
            with carrying(told := carried(200, answer)):
                assert main([*words, *option, "--model", model, "--out", str(folder)]) == 0
            prompts = sorted((folder / "prompts.jsonl").read_text().splitlines())
            marks = sum(MARK in json.dumps(one) for _, _, one in told.asked)
            found.append((json.loads((folder / "run.json").read_text())["identity"], prompts, marks))
        assert found[0][:2] == found[1][:2], model
        assert (found[0][2], found[1][2]) == (0, marked_requests), model


def test_every_prompt_of_a_task_begins_with_its_stable_start() -> None:
    for name in ("tsg/sgqa", "tsg/sa-sgg", "formalimg/layout", "sceneeval/annotate"):
        task: Any = task_of(load_card(name))
        dataset = task.dataset(None)
        for style in ("zero-shot", "few-shot"):
            prompter = task.prompter(style_of(style), dataset, seed=0, prompts=None)
            messages = [prompter.messages(dataset.sample(number))[0] for number in range(5)]
            [start] = {str(one.content)[: one.additional_kwargs[STABLE]] for one in messages}
            assert len(start) > 500 and start.endswith("\n\n"), (name, style)


TEXTS = st.lists(st.sampled_from(["a", "rules", "\n\n", "\n", "\n\n\n", "", "é"]), max_size=8).map("".join)


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
        parts = [part for one in sent if isinstance(one["content"], list) for part in one["content"]]
        assert all(part["text"] for part in parts) and sum(MARK in part for part in parts) <= 3
        contents = [one["content"] for one in sent]
        joined = [one if isinstance(one, str) else "".join(part["text"] for part in one) for one in contents]
        assert joined == [one["content"] for one in prompt]
