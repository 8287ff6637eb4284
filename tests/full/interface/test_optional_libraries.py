"""What optional libraries add to Python: spans, a program's own tracer provider, frames, figures, Inspect's tasks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from collector import collector
from PIL import Image
from reported import hostile_run
from shipped import DATA

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.interface.run import COLUMNS
from tsgkit.llm.reply import Ending, Reply, Usage
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.spans import Request, Traces, Tracing, call, unit

Messages = list[dict[str, Any]]
SIX: dict[str, Any] = {"limit": 6, "quiet": True, "cache": False, "otel": True}
HALF = "\ud800"
KITCHEN = tk.Vocabulary(("kettle",), ("verb", "dobj"), ("fill",))
VASE = tk.ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "vase"))
PROGRAM = """
import sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
import tsgkit as tk
exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("lab")
async def model(messages):
    with tracer.start_as_current_span("inside"):
        return "[cup]"
with tracer.start_as_current_span("experiment"):
    run = tk.evaluate("sgqa", model=model, limit=3, quiet=True, cache=False, otel=True, out=sys.argv[1])
assert run.complete
spans = {span.context.span_id: span for span in exporter.get_finished_spans()}
for span in spans.values():
    if span.name == "inside":
        names = [span.name]
        while span.parent is not None:
            span = spans[span.parent.span_id]
            names.append(span.name)
        print(*names, sep=" < ")
"""


def cup(messages: Messages) -> str:
    return "[cup]"


def grey(prompt: str, seed: int) -> Any:  # noqa: ANN401
    return Image.new("RGB", (8, 6), (seed, seed, seed))


def program(text: str, *arguments: str) -> str:
    command = [sys.executable, "-c", text, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_spans_go_to_the_tracer_provider_of_the_program_and_without_the_option_nothing_is_loaded(
    tmp_path: Path,
) -> None:
    chain = "inside < chat python:__main__:model < sample tsg/sgqa < tsgkit eval < experiment\n"
    assert program(PROGRAM, str(tmp_path / "traced")) == chain * 3
    code = (
        "import sys, tsgkit as tk; tk.evaluate('sgqa', model={'cup': lambda messages: '[cup]'}, limit=2, quiet=True, "
        "out=sys.argv[1]); print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    assert program(code, str(tmp_path / "run")) == "[]\n"


def test_images_cleaning_and_telling_are_traced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def model(messages: Messages) -> str:
        is_split = "Break" in messages[-1]["content"]
        return "fill the kettle" if is_split else "person -> verb -> fill; fill -> dobj -> kettle"

    with collector() as served:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", served.url)
        made = tk.images("spatialgen", {"grey": grey}, tmp_path / "grey", limit=2, seed=3, quiet=True, otel=True)
        told = tk.generate("She fills the kettle.", {"teller": model}, vocabulary=KITCHEN, otel=True)
        cleaned = tk.refine([VASE], {"cleaner": model}, vocabulary=KITCHEN, otel=True, otel_content=True)
    assert (made.complete, told.unsent_spans, cleaned.unsent_spans) == (True, "", "")
    images, painted = served.named("image"), served.named("generate_content")
    assert {one["tsgkit.item.id"] for one in images} == set(made.paths)
    assert {one.parent for one in painted} == {one.id for one in images} and len(painted) == 2
    assert {one["gen_ai.output.type"] for one in painted} == {"image"}
    jobs = {one["tsgkit.models"][0].rpartition(":")[2]: one.id for one in served.spans if "tsgkit " in one.name}
    calls = served.named("chat")
    assert [one.parent for one in calls].count(jobs["teller"]) == told.calls > 0
    assert [one.parent for one in calls].count(jobs["cleaner"]) == cleaned.calls > 0
    has_texts = {one.parent: "gen_ai.input.messages" in one.attributes for one in calls}
    assert has_texts == {jobs["teller"]: False, jobs["cleaner"]: True}


def test_results_come_back_although_no_span_arrives_and_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with collector(status=403) as served:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", served.url)
        run = tk.evaluate("sgqa", model=cup, out=tmp_path / "run", **SIX)
        made = tk.images("spatialgen", {"grey": grey}, tmp_path / "dark", limit=1, seed=0, quiet=True, otel=True)
        cleaned = tk.refine([VASE], cup, vocabulary=KITCHEN, otel=True)
    told = f"note: spans could not be sent: 13 of 13, to {served.url}/v1/traces: status 403 Forbidden"
    assert run.complete and repr(run).splitlines()[-1] == told
    assert made.complete and "spans could not be sent: 3 of 3" in repr(made).splitlines()[-1]
    assert "spans could not be sent" in repr(cleaned).splitlines()[-1]


def test_texts_that_cannot_be_encoded_and_keys_in_names_lose_no_span(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = Secrets(["key-in-a-name"])
    messages = [{"role": "user", "content": [{"type": "text", "text": f"{HALF} \x00 key-in-a-name"}]}]
    request = Request(f"openai/{HALF}", "https://here", messages, dict, label="answer")
    with collector() as served:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"{served.url}/")
        monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "who=key-in-a-name")
        tracing = Tracing(Traces(content=True), secrets, "job", dict)
        strange = {"item": f"{HALF}key-in-a-name"}
        with tracing, unit(f"unit {HALF}", lambda: strange), call(request) as answered:
            answered(Reply(f"a{HALF}b", Ending.TRUNCATED, usage=Usage(1, 2, cost=float("nan"))), "model")
    assert tracing.trouble == "" and b"key-in-a-name" not in served.raw
    assert served.resource["who"] == "[redacted]"
    [unit_span], [call_span] = served.named("unit"), served.named("chat ?")
    assert unit_span["item"] == "?[redacted]" and call_span["server.port"] == 443
    assert call_span["gen_ai.response.finish_reasons"] == ["length"] and '"a?b"' in call_span["gen_ai.output.messages"]


def test_spans_beyond_the_queue_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    with collector(status=503) as served:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", served.url)
        monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "10")
        with Tracing(Traces(), Secrets(), "job", dict) as tracing:
            for _ in range(1000):
                with unit("unit", dict):
                    pass
            served.status = 200
    assert 0 < len(served.spans) < 1001
    lost = 1001 - len(served.spans)
    assert tracing.trouble.startswith(f"spans could not be sent: {lost:,} of 1,001, to {served.url}/v1/traces: ")


def test_pandas_frame_has_a_row_a_sample_and_figures_are_drawn_for_papers(tmp_path: Path) -> None:
    pandas, run = import_module("pandas"), hostile_run(tmp_path / "run")
    frame = run.frame("pandas", texts=True)
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 16
    assert tuple(frame.columns[: len(COLUMNS)]) == COLUMNS
    assert {"strict.exact_match", "official.exact_match", "group.domain", "usage.cost"} <= {*frame.columns}
    assert list(frame.columns[-2:]) == ["prompt", "reply"]
    assert frame["usage.cost"].isna().all(), "nobody told what it cost"
    assert frame["usage.cost"].dtype == frame["official.exact_match"].dtype == "float64"
    assert len(run.samples.of(style="cot").frame("pandas")) == 8
    assert run.figure("exact_match", by="style").save(tmp_path / "f.pdf").read_bytes().startswith(b"%PDF")
    compared = tk.compare(run, "sgqa", baseline="zero-shot")
    for figure in (compared.figure(), compared.figure(items=True)):
        assert "<svg" in figure._repr_svg_()
        assert "<script" not in figure._repr_svg_() + figure.alt


ROWS = DATA / "sgds.jsonl"

BY = f"inspect_ai {version('inspect_ai')}"
KEYS = ("tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg", "formalimg/layout")
Both = dict[str, Any]


def environment() -> dict[str, str]:
    """Return one in which Inspect counts tokens with the words that LiteLLM brings, since it would download them."""
    spec = find_spec("litellm")
    assert spec is not None and spec.submodule_search_locations
    words = Path(spec.submodule_search_locations[0]) / "litellm_core_utils/tokenizers"
    paths = os.pathsep.join(filter(None, (str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "TIKTOKEN_CACHE_DIR": str(words), "PYTHONPATH": paths, "INSPECT_DISPLAY": "plain"}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """The results of Inspect and of tsgkit, from one process of its own."""
    folder = tmp_path_factory.mktemp("inspected")
    script = Path(__file__).with_name("inspected.py")
    told = subprocess.run(
        [sys.executable, str(script), str(folder)], env=environment(), capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr[-3000:]
    found: Both = json.loads(told.stdout.splitlines()[-1])
    return found


def test_inspect_finds_tasks_by_name_and_scores_of_its_own_and_of_its_logs_equal_ours(
    both: Both, capsys: pytest.CaptureFixture[str]
) -> None:
    assert both["inspect"]["named"] == "success"
    for key in KEYS:
        theirs, ours = both["inspect"][key], both["ours"][key]
        assert theirs["outcomes"] == ours["outcomes"], f"{key}, {BY}"
        assert len(set(ours["outcomes"].values())) > 2, "the replies end in several ways"
        assert theirs["samples"] == ours["samples"], f"{key}, {BY}"
        assert theirs["metrics"] == pytest.approx(ours["metrics"]), f"{key}, {BY}"
        [rows] = Path(ours["run"], "asked/rows").rglob("*.jsonl")
        words = ["score", "--task", key, "--data", str(rows), "--from", "inspect", theirs["log"]]
        assert main([*words, "--json", "--samples"]) == 0
        samples = json.loads(capsys.readouterr().out)["samples"]
        assert {one["item_id"]: one["outcome"] for one in samples if one["outcome"] != "missing"} == ours["outcomes"]


def test_what_is_no_style_or_log_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tsgkit.interface.inspect_tasks import TASKS  # takes seconds to import

    with pytest.raises(UsageError, match="there is no style cott"):
        TASKS["sgds"](style="cott")
    rows = str(ROWS)
    for name, data in (("a.eval", b"PK\x03\x04torn"), ("b.json", b"{}"), ("c.eval", b""), ("d.txt", b"no log")):
        (tmp_path / name).write_bytes(data)
        log = str(tmp_path / name)
        assert main(["score", "--task", "tsg/sgds", "--data", rows, "--from", "inspect", log]) == 2
        assert "not a log of Inspect" in capsys.readouterr().err


def test_ids_that_inspect_turns_into_numbers_name_items_and_tasks_about_images_are_not_offered(tmp_path: Path) -> None:
    from tsgkit.interface.inspect_tasks import TASKS, inspect_task, offered

    data = tmp_path / "sgds.jsonl"
    rows = enumerate(ROWS.read_text("utf-8").splitlines()[:3])
    data.write_text("".join(f"{json.dumps(json.loads(row) | {'item_id': str(number)})}\n" for number, row in rows))
    choices: list[tuple[Any, str]] = [(0, "0"), (2, "2"), ([2, "0"], "0,2"), ("1,2", "1,2"), (None, "0,1,2")]
    for ids, asked in choices:
        task = TASKS["sgds"](data=str(data), ids=ids)
        assert ",".join(str(sample.id) for sample in task.dataset) == asked, ids
    with pytest.raises(UsageError, match="names no item"):
        inspect_task("tsg/sgds", ids=[])
    names = offered()
    assert {"sgqa", "sgds", "sa-sgg", "ma-sgg", "layout"} <= set(names)
    assert not {"knolling", "natural", "fidelity", "plausibility"} & set(names)
    assert len(set(names.values())) == len(names)
