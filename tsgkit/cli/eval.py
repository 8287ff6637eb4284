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
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tsgkit.cli.options import add_group, add_mapping, add_options
from tsgkit.cli.terminal import announce_litellm, complain, count, inert, job_watch, say, say_json, say_lines, screen
from tsgkit.errors import FINISHED_WITH_ERRORS, GATE_MISSED, GOOD
from tsgkit.interface import options

if TYPE_CHECKING:
    from tsgkit.llm.prices import Price
    from tsgkit.runs.estimate import RowEstimate
    from tsgkit.runs.evaluation import RunOptions
    from tsgkit.runs.reply_limits import ReplyLimit
    from tsgkit.runs.run_setup import RunSetup


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    asked = add_group(parser, options.AskOptions)
    add_options(asked, options.TaskOptions)
    add_options(asked, options.AskOptions)
    add_mapping(asked)
    how = add_group(parser, options.WorkOptions)
    for group in (options.WorkOptions, options.RequestOptions, options.TextOptions, options.TraceOptions):
        add_options(how, group)
    how.add_argument("--dry-run", action="store_true", help="say what would be asked, and send nothing")
    shown = add_group(parser, options.QuietOptions)
    shown.add_argument("--fail-under", action="append", default=[], metavar="T.M=V", help="exit 3 below this (strict)")
    shown.add_argument("--json", action="store_true", help="print one JSON object")
    shown.add_argument("--samples", action="store_true", help="add every sample")
    add_options(shown, options.QuietOptions)


def run(arguments: argparse.Namespace) -> int:
    """Carry out one evaluation."""
    from tsgkit.interface import evaluation
    from tsgkit.report.results_table import results_lines, unfinished_lines
    from tsgkit.runs.evaluation import carry_out, prepare_run
    from tsgkit.runs.gates import gates_of, missed
    from tsgkit.runs.run_setup import asked_of, asks_a_model

    plan = evaluation.plan_of(vars(arguments))
    how = evaluation.how_of({**vars(arguments), "command": ("tsgkit", *sys.argv[1:])})
    prepared = prepare_run(plan, how)
    models = {name: prepared.settings[name] for name in asked_of(prepared.plan) if asks_a_model(name)}
    gates = gates_of(arguments.fail_under, prepared)
    if arguments.dry_run:
        return _dry_run(prepared, how, tuple(models), as_json=arguments.json)
    watch = job_watch(quiet=arguments.quiet)
    for warning in prepared.warnings:
        complain(f"warning: {warning}")
    if not arguments.quiet:
        announce_litellm(models, arguments.client)
    finished = carry_out(prepared, how, watch, with_samples=arguments.samples)
    if arguments.json:
        say_json({"run": str(finished.path), "results": finished.values})
    else:
        say_lines(results_lines(finished, prepared, samples=arguments.samples, screen=screen()))
    below = missed(gates, finished.results)
    for line in filter(None, (finished.unsent_spans, *below)):
        complain(line)
    code = GATE_MISSED if below and finished.exit_code in (GOOD, FINISHED_WITH_ERRORS) else finished.exit_code
    again = [word for word in sys.argv[1:] if word != "--new"]
    for message, hint in unfinished_lines(finished, prepared, again):
        complain(message, hint)
    return code


def _dry_run(prepared: RunSetup, how: RunOptions, models: tuple[str, ...], *, as_json: bool) -> int:
    from tsgkit.runs.estimate import estimates_of, usage_in
    from tsgkit.runs.evaluation import folder_of
    from tsgkit.runs.folder import HEADER, SAMPLES, read_header
    from tsgkit.runs.run_list import runs_in
    from tsgkit.runs.run_setup import limits_of_replies
    from tsgkit.runs.subjects import prices_of

    prices = prices_of(models, how.limits.prices, prepared.settings, batch=how.limits.batch)
    path, _ = folder_of(prepared, replace(how, new=False))
    is_begun = not how.new and (path / HEADER).is_file() and read_header(path)["identity"] == prepared.identity
    estimates = estimates_of(prepared, prices, usage_in(path / SAMPLES) if is_begun else None)
    tasks = dict.fromkeys(row.task for row in prepared.rows)
    limits = limits_of_replies(prepared.plan, tasks, prepared.settings)
    if as_json:
        value = {"identity": prepared.identity, "estimates": list(map(_estimate_value, estimates))}
        say_json(value | {"default_max_tokens": {model: limit.tokens for model, limit in limits.items()}}, None)
        return GOOD
    say_lines(_estimate_lines(prepared, estimates, prices, limits))
    if is_begun and (answered := runs_in(path).runs[0]["recorded"]):
        say(f"{count(answered, 'sample')} of these are answered already in its folder, and not asked again")
    say("replies kept in the cache are not counted: they cost nothing")
    return GOOD


def _estimate_value(row: RowEstimate) -> dict[str, Any]:
    """Return the JSON value of the estimate of a row."""
    amounts = {name: getattr(row, name) for name in ("prompt", "completion", "cost")}
    spread = {name: None if value is None else [value.low, value.high] for name, value in amounts.items()}
    least, most = row.requests
    requests = {"requests": most, "requests_at_least": least, "worst": row.worst, "measured": row.measured}
    return {**row.cell.value, "samples": row.samples, **requests, "unasked": row.unasked, **spread}


def _estimate_lines(
    prepared: RunSetup,
    estimates: Sequence[RowEstimate],
    prices: Mapping[str, Price | None],
    limits: Mapping[str, ReplyLimit],
) -> Iterator[str]:
    """Yield what would be asked, row by row and in all, with the prices of models and the lengths of replies."""
    yield f"run {inert(prepared.name)}-{prepared.identity}: nothing is sent"
    for note in prepared.notes:
        yield f"note: {inert(note)}"
    for row in estimates:
        amount = "asks no model"
        if row.requests[1]:
            amount = _amounts([row], decimals=4)
        if 0 < row.unasked < row.samples:
            amount += f"; {row.unasked:,} without anything to be shown"
        if row.measured:
            amount += f"; from {row.measured:,} samples that are answered"
        elif row.worst > 1:
            amount += f"; up to {row.worst} times as much if no reply can be used"
        yield f"  {inert(row.cell.title)}: {count(row.samples, 'sample')}, {amount}"
    for model, price in prices.items():
        if price is None:
            yield f"  {inert(model)}: its price is not known"
            continue
        tier = f", service tier {inert(price.tier)}" if price.tier else ""
        yield f"  {inert(model)}: priced by {price.source}{tier}"
        if price.note:
            yield f"  note: {inert(price.note)}"
    for model, limit in limits.items():
        yield f"  {inert(f'{model}: {limit}')}"
    yield f"in all {_amounts(estimates, decimals=2)}"


def _amounts(estimates: Sequence[RowEstimate], *, decimals: int) -> str:
    """Return the requests, tokens and costs of rows in words."""
    least, most = (sum(row.requests[end] for row in estimates) for end in (0, 1))
    requests = count(most, "request") if least == most else f"{least:,} to {count(most, 'request')}"
    tokens_in, tokens_out = (
        f"{sum(spread.low for spread in spreads):,.0f} to {sum(spread.high for spread in spreads):,.0f}"
        for spreads in ([row.prompt for row in estimates], [row.completion for row in estimates])
    )
    cost = "cost unknown"
    if all(row.cost is not None for row in estimates):
        low, high = (sum(getattr(row.cost, end) for row in estimates) for end in ("low", "high"))
        cost = f"${low:.{decimals}f} to ${high:.{decimals}f}"
    return f"{requests}, {tokens_in} tokens in, {tokens_out} out, {cost}"
