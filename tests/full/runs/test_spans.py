"""Spans of a run, as a collector gets them: each call once, under its sample, and without texts unless asked for."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from collector import Sent, collector
from command_line import CommandLine, Ended
from model_server import Running, model_server
from run_files import lines

from tsgkit.llm.spans import CREDENTIALS

KEY = "sk-0123456789abcdef"
TOKEN = "collector-token-42"  # noqa: S105


def words(base: str, *more: str, limit: int = 6, out: str = "run") -> tuple[str, ...]:
    return (
        *("eval", "--task", "sgqa", "--model", "openai/x", "--model-arg", f"api_base={base}"),
        *("--model-arg", f"api_key={KEY}", "--limit", str(limit), "--no-cache", "--quiet", "--out", out, *more),
    )


def sent_to(url: str) -> dict[str, str]:
    return {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_EXPORTER_OTLP_HEADERS": f"authorization=Bearer {TOKEN}"}


def traced(tsgkit: CommandLine, url: str, *told: str, code: int = 0, **more: str) -> Ended:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (sent_to(url) | more).items():
            patch.setenv(name, value)
        return tsgkit("", *told, "--otel", code=code)


def by_id(spans: list[Sent]) -> dict[bytes, Sent]:
    """Return spans by their id; each arrived once."""
    found = {span.id: span for span in spans}
    assert len(found) == len(spans), "a span arrived twice"
    return found


def test_run_sample_and_call_are_one_span_each_and_lie_in_each_other(
    server: Running, tsgkit: CommandLine, tmp_path: Path
) -> None:
    with collector() as served:
        plain = tsgkit("", *words(server.base, out="plain"))
        more: dict[str, Any] = {"OTEL_SERVICE_NAME": "lab", "OTEL_RESOURCE_ATTRIBUTES": "team=graphs,service.version=7"}
        ended = traced(tsgkit, served.url, *words(server.base), **more)
        silent = traced(tsgkit, served.url, *words(server.base, out="silent"), OTEL_SDK_DISABLED="true")
        assert (silent.err, len(served.named("tsgkit eval"))) == ("", 1)
    assert (ended.err, ended.out.replace("run", "plain")) == ("", plain.out.replace("run", "plain"))
    header = json.loads((tmp_path / "run/run.json").read_text())
    assert header["identity"] == json.loads((tmp_path / "plain/run.json").read_text())["identity"]
    assert served.resource.items() >= {"service.name": "lab", "team": "graphs", "service.version": "7"}.items()
    assert served.headers[0]["authorization"] == f"Bearer {TOKEN}"
    spans = by_id(served.spans)
    [run] = served.named("tsgkit eval")
    assert (run.parent, run["tsgkit.run.identity"], run["tsgkit.models"]) == (b"", header["identity"], ["openai/x"])
    assert run["tsgkit.tasks"] == ["tsg/sgqa"] and not run.is_error
    samples, calls = served.named("sample tsg/sgqa"), served.named("chat x")
    assert len(spans) == 13 and {span.trace for span in served.spans} == {run.trace}
    assert Counter(call.parent for call in calls) == Counter(sample.id for sample in samples)
    assert {sample.parent for sample in samples} == {run.id}
    recorded = {one["item_id"]: one for one in lines(tmp_path / "run/samples.jsonl")}
    for sample in samples:
        record = recorded.pop(sample["tsgkit.item.id"])
        assert sample["tsgkit.outcome"] == record["outcome"] == "answered"
        total, weight = record["parts"]["strict"]["exact_match"]
        assert sample["tsgkit.score.strict.exact_match"] == total / weight
        assert (sample["tsgkit.solver"], sample["tsgkit.style"], sample["tsgkit.repeat"]) == ("single", "zero-shot", 0)
    assert not recorded


def test_texts_are_sent_only_when_asked_for_and_keys_never(tsgkit: CommandLine) -> None:
    with model_server(echo_key=True, replies={"girth": "[sesame] "}, always={"pipette": "400"}) as server:
        for more in ((), ("--otel-content",)):
            told = (*words(server.base, *more, out=f"run{len(more)}"), "--ids", "saddle/q2", "pcr/q0")
            with collector() as served:
                traced(tsgkit, served.url, *(word for word in told if word not in ("--limit", "6")), code=1)
            assert KEY.encode() not in served.raw and TOKEN.encode() not in served.raw
            for text in (b"girth", b"pipette", b"sesame", b"this is error"):
                assert (text in served.raw) is bool(more), text
    calls = {call.is_error: call for call in served.named("chat x")}
    [prompt] = [one for one in json.loads(calls[False]["gen_ai.input.messages"]) if one["role"] == "user"]
    assert prompt["parts"][0]["type"] == "text" and "girth" in prompt["parts"][0]["content"]
    [reply] = json.loads(calls[False]["gen_ai.output.messages"])
    assert reply["role"] == "assistant" and reply["finish_reason"] == "stop"
    assert reply["parts"] == [{"type": "text", "content": "[sesame] [redacted]"}]
    assert calls[True].said == "BadRequestError: this is error 400 [redacted]"
    assert "gen_ai.output.messages" not in calls[True].attributes


def test_failed_attempts_are_events_and_failures_are_errors(tsgkit: CommandLine) -> None:
    with model_server(first=[200, 429, 503, 200], retry_after="0") as server, collector() as served:
        traced(tsgkit, served.url, *words(server.base, "--concurrency", "1", limit=2))
    _, call = sorted(served.named("chat x"), key=lambda call: len(call.events))
    events = [(name, event["error.type"]) for name, event in call.events]
    assert events == [("tsgkit.failed_attempt", "429"), ("tsgkit.failed_attempt", "503")]
    assert call["tsgkit.tries"] == 3 and not call.is_error
    with model_server(status_of={"x": "400"}) as server:
        with collector() as served:
            traced(tsgkit, served.url, *words(server.base, limit=1, out="bad"), code=1)
        [call], [sample], [run] = (served.named(head) for head in ("chat", "sample", "tsgkit"))
        assert (call["error.type"], sample["error.type"], run.is_error) == ("400", "api_error", False)
        assert call.is_error and sample.is_error and call.said == "400", "its message may repeat the prompt"


@pytest.mark.parametrize(
    ("status", "why"), [(0, "no connection"), (301, "status 301 Moved Permanently"), (200, "no answer")]
)
def test_a_collector_that_fails_costs_one_line(server: Running, tsgkit: CommandLine, status: int, why: str) -> None:
    with collector(status=status, hangs=status == 200) as served:
        where = served.url if status else "http://127.0.0.1:9"
        ended = traced(tsgkit, where.replace("//", "//me:hunter22secret@"), *words(server.base, "--json"))
    assert ended.json["run"] == "run", "what a collector says changes neither JSON nor codes"
    assert ended.err == f"tsgkit: spans could not be sent: 13 of 13, to {where}/v1/traces: {why}\n"


def test_parents_are_right_with_many_calls_in_flight(tsgkit: CommandLine) -> None:
    with model_server(delay=0.02, faults={"500": 0.2}) as faulty, collector() as served:
        more = ("--otel-content", "--solver", "vote:3", "--concurrency", "64")
        traced(tsgkit, served.url, *words(faulty.base, *more, limit=80))
    ids, calls = by_id(served.spans), served.named("chat")
    of_sample: dict[bytes, set[str]] = {}
    for call in calls:
        of_sample.setdefault(call.parent, set()).add(call["gen_ai.input.messages"])
    assert len(calls) == 240 and len(of_sample) == 80
    assert all(ids[sample].name == "sample tsg/sgqa" and len(prompts) == 1 for sample, prompts in of_sample.items())
    assert len({prompt for prompts in of_sample.values() for prompt in prompts}) == 80
    assert sum(call["tsgkit.tries"] - 1 for call in calls) == sum(len(call.events) for call in calls) > 0


REFUSED: tuple[tuple[str, dict[str, str], str], ...] = (
    ("--otel-content", {}, "add --otel"),
    ("--otel", {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "unset OTEL_EXPORTER_OTLP_PROTOCOL"),
    ("--otel", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://[::1"}, "is no address of a collector"),
    ("--otel", {"OTEL_BSP_MAX_QUEUE_SIZE": "5", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "6"}, "OTEL_BSP_"),
    ("--otel", {"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "abc"}, "unset OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"),
    ("--otel", {CREDENTIALS: "nope"}, CREDENTIALS),
)


def test_settings_by_which_nothing_would_arrive_are_refused(
    tsgkit: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = words("http://127.0.0.1:9/v1")
    for option, variables, message in REFUSED:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"authorization=Bearer {TOKEN}")
            for name, value in variables.items():
                patch.setenv(name, value)
            said = tsgkit("", *told, option, code=2).err
        assert message in said and TOKEN not in said and said.startswith("tsgkit"), variables
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)
        assert "tsgkit[otel]" in tsgkit("", *told, "--otel", code=2).err
    assert not (tmp_path / "run").exists()
