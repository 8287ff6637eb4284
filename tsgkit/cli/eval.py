"""Evaluate models, scripts or the built-in baselines on tasks, in a run folder that the same command resumes.

  tsgkit eval                                            four tsg tasks, our data, built-in rules: no key, no network
  tsgkit eval --model openai/gpt-4o                      a model on all tasks; the key comes from the environment
  tsgkit eval --model A --model B --style zero-shot,cot,few-shot
  tsgkit eval --task sa-sgg,ma-sgg --model A --solver single,vote:5,agent
  tsgkit eval --model A --style zero-shot,few-shot --shots 1 --shots 5 --seed 1 --seed 2
  tsgkit eval --task tsg/sgqa --model openai/x --model-arg api_base=http://127.0.0.1:8000/v1

The run is kept under runs/ (or --out). If it stops, for any reason, the same command resumes it, asks again what ended
in an error of the service, and prints the table when nothing is left. An exception in a suite's code affects its item
only: it counts as error (exit code 1), and the same command tries it again with the replies it has.

Each value of a repeated option adds rows if it changes what is asked: --shots in few-shot styles; --seed in few-shot
styles, baselines that draw at random, and judges that see options in a drawn order; --prompts wherever a model is
asked. The fifth command has five rows for each task: one zero-shot, four few-shot.

A model is named PROVIDER/NAME, as in LiteLLM. baseline/rules, baseline/random, script:FILE (replies by item_id) and
replay:RUN need no model. python:MODULE:NAME (python:./FILE.py:NAME) is a function of yours: messages in, text out.
gguf:FILE.gguf, or gguf:OWNER/REPO/FILE.gguf of the Hugging Face hub, is a model that is run on this machine.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import Any

from tsgkit.cli.options import add_client, add_mapping, add_max_outage, add_otel
from tsgkit.cli.parser import Listed
from tsgkit.cli.terminal import complain, count, inert, say, say_lines, screen
from tsgkit.errors import BATCHES_OPEN, GATE_MISSED, GOOD, INTERRUPTED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    asked = parser.add_argument_group("what is asked (part of the run's identity)")
    asked.add_argument(
        "--task", action=Listed, metavar="T", help="tasks (sgqa,sgds) or suites (tsg: its published tasks)"
    )
    asked.add_argument("--model", action="append", metavar="M", help="a subject; repeatable (default: the card's)")
    asked.add_argument("--images", action="append", metavar="NAME=DIR", help="a folder of images (ID.png) to judge")
    asked.add_argument("--scenes", action="append", metavar="NAME=DIR", help="a folder of rooms to judge")
    asked.add_argument("--assets", action="append", metavar="LAYOUT=DIR", help="where the meshes that rooms name lie")
    asked.add_argument("--missing", choices=("error", "box"), help="what a mesh is that is not there (default error)")
    asked.add_argument("--judge", metavar="M", help="who looks at what lies in folders: a model, or rules")
    asked.add_argument("--protocol", action="append", metavar="P", help="how: published or ours; repeatable")
    asked.add_argument(
        "--pairing", choices=("id", "position"), help="which image is an item's: id (default); position, as published"
    )
    asked.add_argument("--blind", action="store_true", help="also ask who looks without showing anything: a control")
    asked.add_argument("--shuffled", action="store_true", help="also show the image of another item: a control")
    asked.add_argument(
        "--style",
        action=Listed,
        metavar="S",
        help="zero-shot (default), cot, few-shot, cot-few-shot, structured; several: A,B",
    )
    asked.add_argument(
        "--solver",
        action=Listed,
        metavar="S",
        help="single (default), vote:N, agent, agent:low|medium|high; several: A,B",
    )
    asked.add_argument(
        "--shots", type=int, action="append", metavar="K", help="examples in few-shot styles (default 10); repeatable"
    )
    asked.add_argument(
        "--data",
        "--annotations",
        metavar="D",
        help="a file of rows, a folder of them, a dataset, or hf://OWNER/NAME[@REVISION][/PATH] (default: "
        "$TSGKIT_DATASET, else what the card names)",
    )
    add_mapping(asked)
    asked.add_argument(
        "--limit", type=int, metavar="N", help="only N items of each task, spread over its scenarios and kinds"
    )
    asked.add_argument("--first", type=int, metavar="N", help="only the first N items of each task")
    asked.add_argument("--ids", nargs="+", metavar="ID", help="only these items")
    asked.add_argument("--repeat", type=int, metavar="R", help="ask everything R times, each a draw of its own")
    asked.add_argument(
        "--seed", type=int, action="append", metavar="N", help="of what is drawn: examples, intervals; repeatable"
    )
    asked.add_argument(
        "--prompts",
        type=lambda name: None if name == "default" else name,
        action="append",
        metavar="DIR",
        help="another set of prompts; repeatable, 'default' names those that are used without this option",
    )
    asked.add_argument(
        "--model-arg",
        action="append",
        metavar="K=V",
        help="a parameter, for one model M:K=V; of gguf: also ctx, slots, threads, gpu_layers, template",
    )
    asked.add_argument("--plan", metavar="NAME", help="these settings from eval/plans/NAME.yaml or a file")
    how = parser.add_argument_group("how it is carried out")
    how.add_argument("--out", type=Path, metavar="DIR", help="the run folder (default runs/NAME-IDENTITY)")
    how.add_argument("--new", action="store_true", help="begin afresh: put an earlier run aside, read no cache")
    how.add_argument(
        "--concurrency",
        type=int,
        metavar="N",
        help="requests in flight a model (default 32; 1 for a plain function of yours)",
    )
    how.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds an attempt may take")
    how.add_argument(
        "--scene-time",
        type=float,
        default=120.0,
        metavar="S",
        help="seconds that measuring a room may take (default 120; 0: no limit)",
    )
    how.add_argument("--boxes", action="store_true", help="let a model judge rooms of bare boxes all the same")
    add_max_outage(how)
    add_client(how)
    how.add_argument("--rpm", type=float, metavar="N", help="at most so many requests a minute a model")
    how.add_argument("--tpm", type=float, metavar="N", help="at most so many tokens (estimated) a minute a model")
    how.add_argument("--max-cost", type=float, metavar="USD", help="stop scheduling before this is spent")
    how.add_argument("--max-requests", type=int, metavar="N", help="stop scheduling after so many requests")
    how.add_argument("--max-tokens", type=int, metavar="N", help="stop scheduling before so many tokens are used")
    how.add_argument("--price", action="append", default=[], metavar="IN,OUT", help="dollars a million tokens")
    how.add_argument("--batch", action="store_true", help="send requests in batches: at half price, within a day")
    how.add_argument(
        "--no-wait", action="store_true", help="leave when the batches are sent (exit 5); the same command collects"
    )
    how.add_argument("--shard", metavar="I/N", help="only this part of the items, in a folder of its own: 3/16")
    how.add_argument(
        "--executor",
        metavar="E",
        help="where work is done that asks no service: here, processes, or ray, which also holds python: models",
    )
    how.add_argument("--no-data", action="store_true", help="keep no rows in the run folder, only their hashes")
    how.add_argument("--no-cache", action="store_true", help="neither read nor keep replies across runs")
    how.add_argument("--prompt-cache", action="store_true", help="mark what services may cache of prompts (Anthropic)")
    add_otel(how)
    how.add_argument("--dry-run", action="store_true", help="say what would be asked, and send nothing")
    shown = parser.add_argument_group("what is shown")
    shown.add_argument("--fail-under", action="append", default=[], metavar="T.M=V", help="exit 3 below this (strict)")
    shown.add_argument("--json", action="store_true", help="print one JSON object")
    shown.add_argument("--samples", action="store_true", help="add every sample")
    shown.add_argument("--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> int:
    """Carry out one evaluation."""
    from tsgkit.llm.providers import needs_litellm
    from tsgkit.runs.evaluation import carry_out, prepare_run
    from tsgkit.runs.gates import gates_of, missed
    from tsgkit.runs.jobs import Watch
    from tsgkit.runs.run_setup import asked_of, asks_a_model

    prepared = prepare_run(plan_of(arguments), options_of(arguments))
    gates = gates_of(arguments.fail_under, prepared)
    if arguments.dry_run:
        return _dry_run(prepared, arguments)
    if arguments.quiet:
        watch = Watch()
    else:
        from tsgkit.report.progress import Progress

        watch = Progress().watch
    for warning in prepared.warnings:
        complain(f"warning: {warning}")
    asked = {name: prepared.settings[name] for name in asked_of(prepared.plan) if asks_a_model(name)}
    if not arguments.quiet and needs_litellm(asked, arguments.client):
        print("loading LiteLLM, a few seconds ...", file=sys.stderr, flush=True)
    finished = carry_out(prepared, options_of(arguments), watch, with_samples=arguments.samples)
    if arguments.json:
        say(json.dumps({"run": str(finished.path), "results": finished.values}, indent=2))
    else:
        from tsgkit.report.results_table import results_lines

        say_lines(results_lines(finished, prepared, samples=arguments.samples, screen=screen()))
    if finished.unsent_spans:
        complain(finished.unsent_spans)
    low = missed(gates, finished.results)
    for line in low:
        complain(line)
    code = finished.exit_code
    if low and code in (GOOD, 1):
        code = GATE_MISSED
    _say_how_to_go_on(finished, prepared, code)
    return code


def plan_of(arguments: argparse.Namespace) -> Any:  # noqa: ANN401  (the plan; its module loads pydantic)
    """Return the plan that the options make, over the settings of ``--plan``."""
    from tsgkit.interface import evaluation

    return evaluation.plan_of(vars(arguments))


def options_of(arguments: argparse.Namespace) -> Any:  # noqa: ANN401  (as above)
    """Return how the run is to be carried out."""
    from tsgkit.interface import evaluation

    told = {name: value for name, value in vars(arguments).items() if name in evaluation.OPTIONS}
    told |= {"cache": not arguments.no_cache, "keep_data": not arguments.no_data, "wait": not arguments.no_wait}
    return evaluation.how_of(told | {"command": ("tsgkit", *sys.argv[1:])})


def _say_how_to_go_on(finished: Any, prepared: Any, code: int) -> None:  # noqa: ANN401
    from tsgkit.report.results_table import never_answered
    from tsgkit.scoring.outcomes import TOO_LONG

    if finished.complete:
        return
    can_go_on = False
    """True if the same command may do more than this time."""
    asked = {row.cell.subject: row.asked for row in prepared.rows}
    for subject in dict.fromkeys(result.cell.subject for result in finished.results):
        mine = [result for result in finished.results if result.cell.subject == subject]
        is_left = any(result.unasked or result.failed for result in mine)
        if never_answered(mine):
            told = next((result for result in mine if result.given_up), mine[0])
            model = asked[subject]
            why = told.given_up.removeprefix(f"{model}: not asked any more: ") or "; ".join(told.errors)
            complain(f"{model} never answered: {why}", told.advice)
            is_left = not told.advice
        can_go_on |= is_left
    if not can_go_on:
        return
    if code == INTERRUPTED:
        complain(f"interrupted; {count(finished.unasked, 'sample')} not asked")
        for why in finished.trouble:
            complain(f"while waiting for {inert(why)}")
    if finished.budget:
        complain(f"stopped: {finished.budget}; {count(finished.unasked, 'sample')} not asked")
    counts = [result.board.counts for result in finished.results]
    if late := sum(one.get(TOO_LONG, 0) for one in counts):
        complain(f"{count(late, 'scene')} took longer to measure than --scene-time allows (0: no limit)")
    if raised := sum(one["error"] for one in counts) - late:
        complain(
            f"{count(raised, 'sample')} ended in an error of tsgkit's or a suite's code",
            "the same command tries it again, without asking again what was answered; report what names a line of code",
        )
    how = "raise the limit in" if finished.budget else "go on with"
    if finished.open_batches:
        complain(f"{count(finished.open_batches, 'batch', 'batches')} left with the service, which works on")
        how = "collect later with" if code == BATCHES_OPEN else how
    this_command = ["tsgkit", *(word for word in sys.argv[1:] if word != "--new")]
    complain(f"nothing is lost; {how}: {prepared.secrets.redact(shlex.join(this_command))}")


def _dry_run(prepared: Any, arguments: argparse.Namespace) -> int:  # noqa: ANN401
    from tsgkit.runs.estimate import estimates_of, usage_in
    from tsgkit.runs.folder import SAMPLES
    from tsgkit.runs.run_list import runs_in
    from tsgkit.runs.run_setup import asked_of, asks_a_model, limits_of_replies
    from tsgkit.runs.subjects import prices_of

    models = tuple(name for name in asked_of(prepared.plan) if asks_a_model(name))
    prices = prices_of(models, tuple(arguments.price), prepared.settings, batch=arguments.batch)
    begun = _begun(prepared, arguments)
    estimates = estimates_of(prepared, prices, begun and usage_in(begun / SAMPLES))
    tasks = dict.fromkeys(row.task for row in prepared.rows)
    limits = limits_of_replies(prepared.plan, tasks, prepared.settings)
    if arguments.json:
        value = {"identity": prepared.identity, "estimates": [_estimate_value(one) for one in estimates]}
        say(json.dumps(value | {"default_max_tokens": {model: limit.tokens for model, limit in limits.items()}}))
        return GOOD
    say(f"run {inert(prepared.name)}-{prepared.identity}: nothing is sent")
    for note in prepared.notes:
        say(f"note: {inert(note)}")
    for one in estimates:
        cost = "cost unknown" if one.cost is None else f"${one.cost.low:.4f} to ${one.cost.high:.4f}"
        tokens = f"{one.prompt.low:,.0f} to {one.prompt.high:,.0f} tokens in, "
        tokens += f"{one.completion.low:,.0f} to {one.completion.high:,.0f} out"
        asked = f"{_requests(one.requests)}, {tokens}, {cost}" if one.requests[1] else "asks no model"
        if 0 < one.unasked < one.samples:
            asked += f"; {one.unasked:,} without anything to be shown"
        if one.measured:
            asked += f"; from {one.measured:,} samples that are answered"
        elif one.worst > 1:
            asked += f"; up to {one.worst} times as much if no reply can be used"
        say(f"  {inert(one.cell.title)}: {count(one.samples, 'sample')}, {asked}")
    for model, price in prices.items():
        tier = "" if price is None or not price.tier else f", service tier {inert(price.tier)}"
        say(f"  {inert(model)}: " + ("its price is not known" if price is None else f"priced by {price.source}{tier}"))
        if price is not None and price.note:
            say(f"  note: {inert(price.note)}")
    for model, limit in limits.items():
        say(f"  {inert(f'{model}: {limit}')}")
    say(f"in all {_in_all(estimates)}")
    if begun and (answered := runs_in(begun).runs[0]["recorded"]):
        say(f"{count(answered, 'sample')} of these are answered already in its folder, and not asked again")
    say("replies kept in the cache are not counted: they cost nothing")
    return GOOD


def _requests(spread: tuple[int, int]) -> str:
    least, most = spread
    return count(most, "request") if least == most else f"{least:,} to {count(most, 'request')}"


def _in_all(estimates: Any) -> str:  # noqa: ANN401
    least, most = (sum(one.requests[end] for one in estimates) for end in (0, 1))
    requests = _requests((least, most))
    prompt, completion = ([getattr(one, name) for one in estimates] for name in ("prompt", "completion"))
    tokens = f"{sum(p.low for p in prompt):,.0f} to {sum(p.high for p in prompt):,.0f} tokens in, "
    tokens += f"{sum(c.low for c in completion):,.0f} to {sum(c.high for c in completion):,.0f} out"
    costs = [one.cost for one in estimates]
    if any(cost is None for cost in costs):
        return f"{requests}, {tokens}, cost unknown"
    return f"{requests}, {tokens}, ${sum(cost.low for cost in costs):.2f} to ${sum(cost.high for cost in costs):.2f}"


def _begun(prepared: Any, arguments: argparse.Namespace) -> Any:  # noqa: ANN401
    """Return the folder that holds this run already; None where it holds another run, or will be begun afresh."""
    from dataclasses import replace

    from tsgkit.runs.evaluation import folder_of
    from tsgkit.runs.folder import HEADER, read_header

    path, _ = folder_of(prepared, replace(options_of(arguments), new=False))
    if arguments.new or not (path / HEADER).is_file():
        return None
    return path if read_header(path)["identity"] == prepared.identity else None


def _estimate_value(one: Any) -> dict[str, object]:  # noqa: ANN401
    spread = {name: getattr(one, name) for name in ("prompt", "completion", "cost")}
    shown = {name: None if value is None else [value.low, value.high] for name, value in spread.items()}
    least, most = one.requests
    requests = {"requests": most, "requests_at_least": least, "worst": one.worst, "measured": one.measured}
    requests["unasked"] = one.unasked
    return {**one.cell.value, "samples": one.samples, **requests, **shown}
