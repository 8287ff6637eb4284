"""Models of one's own: code known by its source, scripts, replays of runs, and files of weights by their content."""

from __future__ import annotations

import asyncio
import json
import struct
import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from doors import WHERE, Notebook, asked, run
from hub_server import Hub, without_login
from hub_server import hub as hub
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from refusals import refusal

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import read_text
from tsgkit.llm import local_models
from tsgkit.llm.asker import door_of, model_settings, provider_for
from tsgkit.llm.failures import CallFailed, Stopped
from tsgkit.llm.local_models import LEAST_CONTEXT, LocalModel, context_of, registered, weights_in
from tsgkit.llm.prices import Price
from tsgkit.llm.reply import NOTHING, Ending, Reply, Usage, reply_value
from tsgkit.llm.scripts import RecordedModel, Replay, Script, script_in
from tsgkit.llm.settings import Argument, Settings, parse
from tsgkit.llm.user_code import in_a_thread, load_object, registered_name, text_of_code
from tsgkit.llm.user_models import ELSEWHERE, UserModel, fingerprint, is_own, own_settings, usual_concurrency
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import prepare


def test_object_of_the_program_is_registered_and_its_text_differs_with_source_and_plain_values() -> None:
    model = FakeListChatModel(responses=[])
    assert registered_name(model, "mine") == "python:mine"
    assert load_object("python:mine") is model
    assert registered_name(model) == "python:langchain_core.language_models.fake_chat_models:FakeListChatModel"
    assert registered_name(Price) == "python:tsgkit.llm.prices:Price"

    def bound(value: object, other: object = 1) -> Any:  # noqa: ANN401
        def inner(default: object = other) -> object:
            return value, default

        return inner

    assert text_of_code(bound(1)) == text_of_code(bound(1))
    different = [bound(1), bound(2), bound(1, 2), bound((1, 2))]
    different += [partial(bound, 1), partial(bound, value=1), partial(max, 1)]
    assert len({text_of_code(one) for one in different}) == len(different)
    assert text_of_code(bound([1])) == text_of_code(bound([2])), "what may change says nothing"
    assert text_of_code(bound((1, [1]))) == text_of_code(bound((1, [2])))
    assert text_of_code("a text") == "a text"
    assert "def test_text_of_code" in text_of_code(bound)


def answered(function: Any, price: Price | None = None, timeout: float = 60, **how: Any) -> Reply:  # noqa: ANN401
    model = UserModel(registered_name(function), price)
    model.prepare()
    model.prepare()
    return run(model.send([{"role": "user", "content": "tea"}], how.get("schema"), timeout))


def test_function_answers_with_a_text_a_reply_or_a_message_and_its_usage_has_its_price() -> None:
    async def later(messages: list[dict[str, Any]]) -> str:
        return f"{messages[0]['content']}!"

    def said(text: str, **metadata: str) -> AIMessage:
        return AIMessage(text, response_metadata=metadata)

    for made, text, ending, reason in (
        ("[A]", "[A]", Ending.COMPLETE, None), ("", "", Ending.EMPTY, None), (None, None, Ending.EMPTY, None),
        (AIMessage("[B]"), "[B]", Ending.COMPLETE, None), (AIMessage(""), "", Ending.EMPTY, None),
        (AIMessage(["a", {"type": "text", "text": "b"}, {"type": "image"}]), "ab", Ending.COMPLETE, None),
        (said("a", finish_reason="MAX_TOKENS"), "a", Ending.TRUNCATED, "MAX_TOKENS"),
        (said("a", stop_reason="SAFETY"), "a", Ending.REFUSED, "SAFETY"),
    ):  # fmt: skip
        reply = answered(lambda messages, made=made: made)
        assert (reply.text, reply.ending, reply.finish_reason) == (text, ending, reason), made
    assert answered(later).text == "tea!"
    assert answered(lambda messages: later(messages)).text == "tea!", "what is returned is awaited"
    assert answered(lambda messages: Reply("x", model="own")) == Reply("x", model="own")
    assert answered(lambda messages, schema=None: str(schema), schema={"a": 1}).text == "{'a': 1}"
    assert answered(FakeListChatModel(responses=["[C]"])).text == "[C]"
    assert answered(lambda messages: said("a", model_name="m-1")).model == "m-1"
    used: dict[str, Any] = {"input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100}
    details = {"input_token_details": {"cache_read": 400, "cache_creation": 500}}
    price = Price(2e-6, 10e-6, cached=0.2e-6, written=2.5e-6)
    usage = answered(lambda messages: AIMessage("[A]", usage_metadata={**used, **details}), price).usage
    assert replace(usage, cost=None) == Usage(1000, 100, cached=400, written=500)
    assert usage.cost == pytest.approx(100 * 2e-6 + 400 * 0.2e-6 + 500 * 2.5e-6 + 100 * 10e-6)
    assert answered(lambda messages: AIMessage("[A]", usage_metadata=used)).usage == Usage(1000, 100)


def test_failure_of_a_function_is_that_of_the_service_it_names_or_of_the_code() -> None:
    def raising(error: Exception, status: object = None) -> CallFailed:
        def fails(messages: object) -> str:
            if status is not None:
                error.__dict__["status_code"] = status
            raise error

        with pytest.raises(CallFailed) as caught:
            answered(fails)
        return caught.value

    busy = raising(RuntimeError("slow down"), 429)
    assert (busy.status, busy.throttled) == (429, True)
    for error, status, lasting in (
        (ValueError("x"), None, True), (ValueError("odd"), True, True), (ConnectionError("gone"), None, False),
    ):  # fmt: skip
        found = raising(error, status)
        assert (found.status, found.lasting, found.can_be_retried) == (None, lasting, not lasting), error
    assert "call the a... twin there" in raising(RuntimeError("Event loop is closed")).message
    assert "twin" not in raising(KeyError("Event loop is closed")).message
    with pytest.raises(CallFailed, match="returned int: expected a text, a Reply") as caught:
        answered(lambda messages: 5)
    assert caught.value.lasting

    async def slow(messages: object) -> None:
        await asyncio.sleep(60)

    with pytest.raises(CallFailed, match=r"no answer within 0.01 s"):
        answered(slow, timeout=0.01)


def test_answer_of_a_function_that_nobody_waits_for_any_more_is_dropped_without_a_word() -> None:
    late = threading.Event()

    async def cancelled() -> None:
        waiting = asyncio.create_task(in_a_thread(late.wait))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(cancelled())
    [thread] = (thread for thread in threading.enumerate() if thread.name == "tsgkit-own-code")
    late.set()
    thread.join()  # an exception in it would fail this test


def test_settings_of_user_code_hold_its_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text('def ask(messages):\n    return "[A]"\n')
    name = f"python:{tmp_path}/mine.py:ask"
    chat = registered_name(FakeListChatModel(responses=["a"]))
    settings = own_settings(name, (Argument("openai/m", "seed", 1),))
    assert (settings.given, settings.endpoint) == ({"code": fingerprint(load_object(name))}, "this process")
    assert len(settings.given["code"]) == 16
    assert fingerprint(FakeListChatModel(responses=["a"])) != fingerprint(FakeListChatModel(responses=["b"]))
    for model in (None, name):
        with pytest.raises(UsageError, match="--model-arg seed has no use"):
            own_settings(name, (Argument(model, "seed", 1),))
    token = ELSEWHERE.set(lambda model: f"of {model}")
    try:
        assert own_settings(chat, ()).given == {"code": f"of {chat}"}
    finally:
        ELSEWHERE.reset(token)
    assert [usual_concurrency(model) for model in (name, chat, "openai/m")] == [1, 32, 32]
    assert (is_own(name), is_own("openai/m")) == (True, False)


HERE = WHERE._replace(label="answer")


def script(*lines: object) -> Script:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    return script_in(text, "s.jsonl")


def test_replies_of_a_script_come_by_label_or_one_a_call_are_recorded_once_and_cost_nothing() -> None:
    listed = Script({"tea/0": ["a", "b"]})
    assert [listed.find(HERE._replace(draw=draw)).text for draw in range(4)] == ["a", "b", "b", "b"]
    assert [listed.find(HERE._replace(label=f"critique/{n}")).text for n in range(3)] == ["a", "b", "b"]
    labelled = Script({"tea/0": {"write": "all", "write/2": "second"}})
    texts = {"write/1": "all", "write/2": "second", "write/3": "all", "critique/1": None}
    assert {label: labelled.find(HERE._replace(label=label)).text for label in texts} == texts
    assert labelled.find(HERE._replace(label="critique/1")).ending is Ending.MISSING
    assert labelled.find(HERE).error == "the script has no answer in the line of item_id tea/0"
    missing = Script({}).find(HERE)
    assert (missing.error, missing.ending) == ("the script has no line with item_id tea/0", Ending.MISSING)
    assert labelled.find(HERE._replace(label="write")).text == "all"
    assert (labelled.knows(HERE), Script({}).knows(HERE)) == (True, False)
    model = RecordedModel(Script({"tea/0": ["[kettle]"]}), notebook := Notebook())
    first, second = run(asked(model)), run(asked(model))
    assert first == second
    assert (first.text, first.spent, len(notebook.prompts)) == ("[kettle]", NOTHING, 1)
    model.stop()
    assert run(asked(model)) == first
    with pytest.raises(Stopped):
        run(asked(model, draw=1))


def test_script_is_read_with_its_outcomes(tmp_path: Path) -> None:
    text = "one\u2028two\x85three\u2029"
    found = script(
        {"item_id": "a", "reply": [text, None]},
        "",
        {"item_id": 5, "reply": None},
        {"item_id": "c", "reply": "cut", "outcome": "truncated"},
    )
    places = (("a", 0), ("a", 1), ("5", 0), ("c", 0))
    replies = [found.find(HERE._replace(sample=sample, draw=draw)) for sample, draw in places]
    assert [one.ending for one in replies] == [Ending.COMPLETE, Ending.EMPTY, Ending.EMPTY, Ending.TRUNCATED]
    assert replies[0].text == text
    (tmp_path / "s.jsonl").write_bytes(b'\xef\xbb\xbf{"item_id": "a", "reply": "x"}\r\n\r\n')
    assert script_in(read_text(tmp_path / "s.jsonl"), "s.jsonl").find(HERE._replace(sample="a")).text == "x"
    for line, problem in (
        *((line, "no reply of a script") for line in ("not json", "[1]", '{"item_id": "b"}', '{"reply": "b"}')),
        ("[" * 100_000, "no reply of a script"),
        *((f'{{"item_id": "b", "reply": {value}}}', "a reply is a text") for value in ("5", "[]", '{"a": 5}')),
        *((f'{{"item_id": {name}, "reply": "x"}}', "an item_id is a text or a number") for name in ("null", "true")),
        ('{"item_id": "b", "reply": "x", "outcome": "lost"}', "no such outcome: lost"),
        ('{"item_id": "b", "reply": "x", "outcome": ["lost"]}', "no such outcome"),
        ('{"item_id": "a", "reply": "x"}', "a second reply to item a"),
    ):
        with pytest.raises(UsageError) as caught:
            script({"item_id": "a", "reply": "x"}, line)
        assert f"s.jsonl: line 2: {problem}" in caught.value.message, line[:40]


def call(subject: str = "openai/m", text: str = "[kettle]", **parts: Any) -> dict[str, Any]:  # noqa: ANN401
    reply = parts.pop("reply", Reply(text, seconds=1.0))
    return {**WHERE._asdict(), "subject": subject, "label": "answer", **parts, "reply": reply_value(reply)}


def test_replay_answers_as_at_this_place_and_chooses_by_axes_that_have_several_values() -> None:
    failed = Reply(None, Ending.API_ERROR, error="no", status=500)
    replay = Replay.of([call(), call(draw=1, text="[tea]"), call(draw=2, reply=failed)], None)
    where = HERE._replace(subject="replay", body="of another prompt")
    assert [replay.find(where._replace(draw=draw)).text for draw in (0, 1, 3)] == ["[kettle]", "[tea]", None]
    assert replay.find(where).spent == NOTHING
    assert replay.find(where._replace(sample="tea/9")).ending is Ending.MISSING
    found = replay.find(where._replace(draw=2))
    assert (found.ending, found.error, found.status) == (Ending.API_ERROR, "no", 500)
    assert [replay.knows(where._replace(sample=sample)) for sample in ("tea/0", "tea/9")] == [True, False]

    def texts(replay: Replay) -> list[str | None]:
        return [replay.find(HERE._replace(shots=shots)).text for shots in (1, 4, 2)]

    calls = [call(shots=1), call(shots=4, text="[tea]")]
    replay = Replay.of(calls, None)
    assert texts(replay) == ["[kettle]", "[tea]", None]
    assert [replay.knows(HERE._replace(shots=shots)) for shots in (4, 2)] == [True, False]
    assert replay.ways == ("tsg/sgqa single zero-shot shots=1", "tsg/sgqa single zero-shot shots=4")
    assert texts(Replay.of([call()], None, {"shots": 4})) == [None, "[kettle]", None]
    both = Replay.of([call()], None, {"seed": 0}, {"seed": 7})
    assert both.find(HERE).text == "[kettle]", "another seed, but one row in either run"
    mine = Replay.of(calls, None, {}, {"shots": 4})
    assert mine.find(HERE).text == "[tea]", "the one value of this run decides"


def test_subject_of_a_replay_must_be_chosen_but_replies_of_a_judge_are_replayed_for_each() -> None:
    calls = [call("good", judge="eye"), call("flawed", judge="eye", text="[tea]")]
    replay, chosen = Replay.of(calls, None), Replay.of(calls, "flawed")
    places = [HERE._replace(subject=name) for name in ("good", "flawed", "mine")]
    assert [replay.find(where).text for where in places] == ["[kettle]", "[tea]", None]
    assert replay.find(places[2]).ending is Ending.MISSING
    assert [replay.knows(where) for where in places] == [True, True, False]
    assert chosen.find(places[2]).text == "[tea]"
    both = [call("a"), call("b")]
    assert list(Replay.of(both, "b").subjects) == ["b"]
    for recorded, subject, problem in (
        (both, None, "several subjects: a, b"), ([call("a", judge="eye"), call("b")], None, "several subjects: a, b"),
        (both, "c", "no call of c"), ([], None, "no call of anybody"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=problem):
            Replay.of(recorded, subject)


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
    kept = tmp_path / "cache" / local_models.KEPT
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
    door = door_of(f"gguf:{file}", ["slots=3"], concurrency=8)
    assert (door.flow.ceiling, door.parameters["max_tokens"]) == (3, 2000)
    assert door_of(f"gguf:{file}", ["max_completion_tokens=9"]).parameters.keys().isdisjoint({"max_tokens"})
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
    assert "gguf: names no file" in refusal(UsageError, registered, "gguf:")
