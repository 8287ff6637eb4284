"""Services fail in every way there is: every sample ends with the right outcome, and none is lost or asked twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from model_server import model_server
from prefork import Prefork
from run_files import lines, samples
from shipped import DATA
from tsg_tasks import rows_in

from tsgkit.scoring.outcomes import COUNTS
from tsgkit.suites.tsg.items import QuestionSample

BUNDLED = DATA / "sgqa.jsonl"


def words(base: str, client: str, *more: str, model: str = "openai/x", first: int = 10) -> tuple[str, ...]:
    return (
        *("eval", "--task", "sgqa", "--model", model, "--model-arg", f"api_base={base}", "--first", str(first)),
        *("--no-cache", "--quiet", "--out", "run", "--client", client, *more),
    )


def outcomes(run: Path) -> Counter[str]:
    return Counter(one["outcome"] for one in samples(run).values())


def test_among_all_faults_every_sample_ends_answered(commands: Prefork, tmp_path: Path) -> None:
    faults = {"429": 0.10, "500": 0.05, "hang": 0.03, "cut": 0.03, "nochoices": 0.03, "html": 0.02}
    with model_server(faults=faults, retry_after="0.1") as server:
        ended = commands.run(*words(server.base, "direct", "--timeout", "5", first=90), cwd=tmp_path)
        stats = server.stats()
    assert ended.code == 0, ended.out + ended.err
    assert outcomes(tmp_path / "run") == {"answered": 90}
    assert (stats["good"], stats["good_twice"], stats["distinct"]) == (90, 0, 90)
    assert set(stats["counts"]) == {"good", *faults}, "all of the faults were met"
    attempts = sum(len(call["reply"]["attempts"]) for call in lines(tmp_path / "run/calls.jsonl"))
    assert attempts == stats["seen"], "every request stands in the record"


def test_incomplete_replies_have_their_outcome(commands: Prefork, tmp_path: Path) -> None:
    for fault, outcome in {"length": "truncated", "filter": "refused", "refusal": "refused", "empty": "empty"}.items():
        with model_server(always={"": fault}) as server:
            ended = commands.run(*words(server.base, "direct", "--new", "--json", first=3), cwd=tmp_path)
        counts = ended.json["results"][0]["counts"]
        assert (ended.code, counts[outcome], counts["items"]) == (0, 3, 3), fault


def test_a_request_that_always_fails_is_one_failed_row_until_the_service_recovers(
    commands: Prefork, tmp_path: Path
) -> None:
    with model_server() as server:
        command, port = words(server.base, "direct", first=8), urlsplit(server.base).port
        assert commands.run(*words(server.base, "direct", "--dry-run", first=8), cwd=tmp_path).code == 0
        assert server.stats()["seen"] == 0
    data = rows_in(BUNDLED, "sgqa")
    failing = data.sample(3)
    assert isinstance(failing, QuestionSample)
    with model_server(always={failing.question: "400"}, port=port) as server:
        ended = commands.run(*command, cwd=tmp_path)
        assert ended.code == 1
        assert outcomes(tmp_path / "run") == {"answered": 7, "api_error": 1}
        assert "1 sample failed: BadRequestError" in ended.out
        assert "nothing is lost; go on with: tsgkit eval" in ended.err
        assert commands.run(*command, cwd=tmp_path).code == 1
        assert server.stats()["seen"] == 8 + 1, "only the failed one is asked again"
        assert outcomes(tmp_path / "run") == {"answered": 7, "api_error": 1}
    with model_server(port=port) as server:
        ended = commands.run(*command, cwd=tmp_path)
        assert (ended.code, ended.err, server.stats()["seen"]) == (0, "", 1)
    assert outcomes(tmp_path / "run") == {"answered": 8}
    order = [one["item_id"] for one in lines(tmp_path / "run/samples.jsonl")]
    assert order == list(data.item_ids[:8])


def test_a_limit_of_requests_a_second_loses_nothing(commands: Prefork, tmp_path: Path) -> None:
    with model_server(rate=100, retry_after="0.2") as server:
        ended = commands.run(*words(server.base, "direct", "--repeat", "4", first=75), cwd=tmp_path)
        stats = server.stats()
    assert ended.code == 0, ended.out + ended.err
    assert outcomes(tmp_path / "run") == {"answered": 300}
    assert stats["good"] == 300


def test_a_subject_that_is_denied_is_given_up_and_the_others_go_on(commands: Prefork, tmp_path: Path) -> None:
    with model_server(status_of={"denied": "401"}) as server:
        more = ("--model", "openai/denied", "--concurrency", "2", "--json")
        ended = commands.run(*words(server.base, "direct", *more, first=30), cwd=tmp_path)
        seen = server.stats()["counts"]
    results = {result["subject"]: result for result in ended.json["results"]}
    assert ended.code == 1
    assert results["openai/x"]["counts"]["answered"] == seen["good"] == 30
    denied = results["openai/denied"]["counts"]
    assert 3 <= denied["api_error"] == seen["401"] <= 4, "three in a row, and what was on its way"
    assert results["openai/denied"]["unasked"] == 30 - denied["api_error"]
    assert list(denied) == list(COUNTS)


def test_an_account_without_quota_is_given_up_after_three_refusals(commands: Prefork, tmp_path: Path) -> None:
    with model_server(status_of={"x": "quota"}) as server:
        ended = commands.run(*words(server.base, "direct", "--concurrency", "1", "--json", first=30), cwd=tmp_path)
        seen = server.stats()["counts"]
    (result,) = ended.json["results"]
    assert (ended.code, seen) == (1, {"quota": 3})
    assert (result["counts"]["api_error"], result["unasked"]) == (3, 27)


def test_an_outage_is_waited_for_and_costs_no_sample(commands: Prefork, tmp_path: Path) -> None:
    with model_server(away=[20, 1.5]) as server:
        ended = commands.run(*words(server.base, "direct", "--concurrency", "16", first=90), cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert outcomes(tmp_path / "run") == {"answered": 90}


def test_an_outage_that_lasts_too_long_leaves_the_rest_unasked(commands: Prefork, tmp_path: Path) -> None:
    with model_server(away=[20, 600]) as server:
        command = words(server.base, "direct", "--max-outage", "0.02", "--json", first=90)
        ended = commands.run(*command, cwd=tmp_path)
    (result,) = ended.json["results"]
    counts = result["counts"]
    assert ended.code == 1
    assert counts["api_error"] == 0
    assert result["unasked"] == 90 - counts["answered"] > 0


def test_a_cost_that_nobody_knows_stays_unknown_when_a_sample_fails(commands: Prefork, tmp_path: Path) -> None:
    with model_server(first=[200, 400]) as server:
        ended = commands.run(*words(server.base, "direct", "--json", first=8), cwd=tmp_path)
    (result,) = ended.json["results"]
    assert (result["counts"]["api_error"], result["usage"]["cost"]) == (1, None)


def test_text_parts_are_an_answer_and_a_number_is_never_asked_again(commands: Prefork, tmp_path: Path) -> None:
    with model_server(always={"": "parts"}) as server:
        assert commands.run(*words(server.base, "direct", "--new", first=5), cwd=tmp_path).code == 0
        assert server.stats()["seen"] == 5
    assert outcomes(tmp_path / "run") == {"answered": 5}
    with model_server(always={"": "number"}) as server:
        for _ in range(2):
            ended = commands.run(*words(server.base, "direct", "--out", "other", first=5), cwd=tmp_path)
            assert (ended.code, server.stats()["seen"]) == (1, 5)
    assert "its content is a number, expected a text" in ended.out
    assert "Traceback" not in ended.out + ended.err


def test_a_service_that_turns_away_uses_up_no_budget(commands: Prefork, tmp_path: Path) -> None:
    with model_server(rate=4, retry_after="0.2") as server:
        ended = commands.run(*words(server.base, "direct", "--max-requests", "12", first=12), cwd=tmp_path)
        assert server.stats()["good"] == 12
    assert ended.code == 0, ended.err


def test_a_vote_that_failed_leaves_the_sample_open_and_is_asked_again_alone(commands: Prefork, tmp_path: Path) -> None:
    with model_server(first=[200, 400, 200]) as server:
        command = words(server.base, "direct", "--solver", "vote:3", "--concurrency", "1", first=1)
        ended = commands.run(*command, cwd=tmp_path)
        assert (ended.code, outcomes(tmp_path / "run")) == (1, {"api_error": 1})
        assert server.stats()["seen"] == 3
        ended = commands.run(*command, cwd=tmp_path)
        assert (ended.code, outcomes(tmp_path / "run")) == (0, {"answered": 1})
        assert server.stats()["seen"] == 4


def test_a_run_goes_on_by_another_client_and_shares_its_cache(commands: Prefork, tmp_path: Path) -> None:
    with model_server() as server:
        begun = [word for word in words(server.base, "direct", first=6) if word != "--no-cache"]
        assert commands.run(*begun, "--max-requests", "3", cwd=tmp_path).code == 4
        litellm = ["litellm" if word == "direct" else word for word in begun]
        ended = commands.run(*litellm, cwd=tmp_path)
        assert (ended.code, ended.err, server.stats()["seen"]) == (0, "", 6)
        again = ["again" if word == "run" else word for word in begun]
        assert commands.run(*again, cwd=tmp_path).code == 0
        assert server.stats()["seen"] == 6
    calls = lines(tmp_path / "run/calls.jsonl")
    replies = [call["reply"] | {"seconds": 0, "attempts": 0} for call in calls]
    assert {tuple(reply) for reply in replies} == {tuple(replies[0])}


def test_a_client_that_cannot_ask_the_model_is_refused(commands: Prefork, tmp_path: Path) -> None:
    command = words("http://127.0.0.1:9/v1", "direct", model="anthropic/claude-sonnet-4-5")
    ended = commands.run(*command, cwd=tmp_path)
    assert ended.code == 2
    assert "the direct client cannot ask it" in ended.err
    assert not (tmp_path / "run").exists()
