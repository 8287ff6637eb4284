"""Services fail in every way there is: every sample ends with the right outcome, and none is lost or asked twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from command_line import CommandLine, Ended
from model_server import Running, model_server
from run_files import lines, samples
from shipped import DATA
from tsg_tasks import rows_in

from tsgkit.scoring.outcomes import COUNTS

Ask = Callable[..., Ended]


@pytest.fixture
def ask(tsgkit: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Asks a server about the first items; the run lies in ``run``."""
    monkeypatch.chdir(tmp_path)

    def run(server: Running, *more: str, code: int = 0, first: int = 10) -> Ended:
        told = f"eval --task sgqa --model openai/x --model-arg api_base={server.base} --first {first}"
        return tsgkit(f"{told} --quiet --out run --client direct --no-cache", *more, code=code)

    return run


def outcomes(run: Path) -> Counter[str]:
    return Counter(one["outcome"] for one in samples(run).values())


def result_of(ended: Ended) -> Any:  # noqa: ANN401
    [result] = ended.json["results"]
    return result


def test_among_all_faults_every_sample_ends_answered(ask: Ask, tmp_path: Path) -> None:
    faults = {"429": 0.10, "500": 0.05, "hang": 0.03, "cut": 0.03, "nochoices": 0.03, "html": 0.02}
    with model_server(faults=faults, retry_after="0.1") as server:
        ask(server, "--timeout", "5", first=90)
        stats = server.stats()
    assert outcomes(tmp_path / "run") == {"answered": 90}
    assert (stats["good"], stats["good_twice"], stats["distinct"]) == (90, 0, 90)
    assert set(stats["counts"]) == {"good", *faults}, "all of the faults were met"
    attempts = sum(len(call["reply"]["attempts"]) for call in lines(tmp_path / "run/calls.jsonl"))
    assert attempts == stats["seen"], "every request stands in the record"


def test_incomplete_replies_have_their_outcome(ask: Ask) -> None:
    for fault, outcome in {
        "length": "truncated", "filter": "refused", "refusal": "refused", "empty": "empty", "parts": "answered",
    }.items():  # fmt: skip
        with model_server(always={"": fault}) as server:
            ended = ask(server, "--new", "--json", first=3)
            assert server.stats()["seen"] == 3
        counts = result_of(ended)["counts"]
        assert (counts[outcome], counts["items"]) == (3, 3), fault
    with model_server(always={"": "number"}) as server:
        for _ in range(2):
            ended = ask(server, "--out", "other", first=5, code=1)
            assert server.stats()["seen"] == 5, "it is never asked again"
    assert "its content is a number, expected a text" in ended.out


def test_a_request_that_always_fails_is_one_failed_row_until_the_service_recovers(ask: Ask, tmp_path: Path) -> None:
    data = rows_in(DATA / "sgqa.jsonl", "sgqa")
    question: Any = data.sample(3)
    with model_server(always={question.question: "400"}) as server:
        ask(server, "--dry-run", first=8)
        assert server.stats()["seen"] == 0
        ended = ask(server, first=8, code=1)
        assert "1 sample failed: BadRequestError" in ended.out
        assert "nothing is lost; go on with: tsgkit " in ended.err
        ask(server, first=8, code=1)
        assert server.stats()["seen"] == 8 + 1, "only the failed one is asked again"
        assert outcomes(tmp_path / "run") == {"answered": 7, "api_error": 1}
    with model_server(port=urlsplit(server.base).port) as server:
        assert ask(server, first=8).err == "" and server.stats()["seen"] == 1
    assert [(one["item_id"], one["outcome"]) for one in lines(tmp_path / "run/samples.jsonl")] == [
        (item_id, "answered") for item_id in data.item_ids[:8]
    ]


def test_a_limit_of_requests_a_second_loses_nothing_and_uses_up_no_budget(ask: Ask, tmp_path: Path) -> None:
    with model_server(rate=100, retry_after="0.2") as server:
        ask(server, "--repeat", "4", "--max-requests", "300", first=75)
        assert server.stats()["good"] == 300
    assert outcomes(tmp_path / "run") == {"answered": 300}


def test_a_subject_that_is_denied_is_given_up_and_the_others_go_on(ask: Ask) -> None:
    with model_server(status_of={"denied": "401", "poor": "quota"}) as server:
        ended = ask(server, "--model", "openai/denied", "--concurrency", "2", "--json", first=30, code=1)
        seen = server.stats()["counts"]
    results = {result["subject"]: result for result in ended.json["results"]}
    assert results["openai/x"]["counts"]["answered"] == seen["good"] == 30
    denied = results["openai/denied"]["counts"]
    assert 3 <= denied["api_error"] == seen["401"] <= 4, "three in a row, and what was on its way"
    assert results["openai/denied"]["unasked"] == 30 - denied["api_error"]
    assert list(denied) == list(COUNTS)
    with model_server(status_of={"x": "quota"}) as server:
        ended = ask(server, "--concurrency", "1", "--json", "--new", first=30, code=1)
        assert server.stats()["counts"] == {"quota": 3}
    assert (result_of(ended)["counts"]["api_error"], result_of(ended)["unasked"]) == (3, 27)


def test_an_outage_is_waited_for_and_costs_no_sample_unless_it_lasts_too_long(ask: Ask, tmp_path: Path) -> None:
    with model_server(away=[20, 1.5]) as server:
        assert ask(server, "--concurrency", "16", first=90).err == ""
    assert outcomes(tmp_path / "run") == {"answered": 90}
    with model_server(away=[20, 600]) as server:
        result = result_of(ask(server, "--max-outage", "0.02", "--json", "--new", first=90, code=1))
    assert result["counts"]["api_error"] == 0
    assert result["unasked"] == 90 - result["counts"]["answered"] > 0


def test_a_vote_that_failed_leaves_the_sample_open_and_is_asked_again_alone(ask: Ask, tmp_path: Path) -> None:
    with model_server(first=[200, 400, 200]) as server:
        for code, outcome, seen in ((1, "api_error", 3), (0, "answered", 4)):
            ended = ask(server, "--solver", "vote:3", "--concurrency", "1", "--json", first=1, code=code)
            assert (outcomes(tmp_path / "run"), server.stats()["seen"]) == ({outcome: 1}, seen)
            assert result_of(ended)["usage"]["cost"] is None, "a cost that nobody knows stays unknown"
