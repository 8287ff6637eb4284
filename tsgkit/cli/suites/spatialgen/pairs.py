"""Rewrite prompts so that they are true of the images a run judged, as training data for image models.

For each judged image, a model receives the image, its prompt and what the judge saw, and rewrites the prompt. If the
judge saw everything in the prompt, it is kept and no model is asked. A fact was seen if four of five rounds gave it;
with --votes plurality, as published, if most rounds gave it. Scenes of the group Design are left out, as published,
unless --design is given. DIR will contain the images with metadata.jsonl (file_name, text), which training tools read,
and rewrites.jsonl with both texts and the changes. Rewrites that fail the checks are dropped and listed in
dropped.jsonl.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tsgkit.cli import agents
from tsgkit.cli.terminal import complain, count, say
from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.files import write_bytes, write_text
from tsgkit.suites.makers import Requests

if TYPE_CHECKING:
    from tsgkit.llm.images import ImageFile
    from tsgkit.llm.reply import Ask
    from tsgkit.runs.jobs import Engine
    from tsgkit.suites.spatialgen.maker import KeyCheck
    from tsgkit.suites.spatialgen.rows import SpatialRow

VOTES = ("decided", "plurality")
"""Rules for what was seen: the letter that four of five rounds gave, or (as published) the most frequent one."""
DESIGN = "Design"
ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}


class Job(NamedTuple):
    """An image, its row, and the facts seen in it."""

    name: str
    """The subject and item, which name its file in the set."""
    row: SpatialRow
    image: ImageFile
    facts: tuple[KeyCheck, ...]


@dataclass
class Rewriting:
    """The results of rewriting: the texts and what they change, or the reasons for dropping, by the name of the job."""

    pairs: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    dropped: dict[str, tuple[str, ...]] = field(default_factory=dict)
    asked: Requests = field(default_factory=Requests)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``tsgkit make spatialt2i``."""
    option = parser.add_argument
    option("--from", dest="source", required=True, type=Path, metavar="RUN", help="the run that judged the images")
    option("-o", "--out", required=True, metavar="DIR", help="the folder to write")
    option("--model", required=True, metavar="M", help="the model that sees the image and rewrites, or script:FILE")
    option("--subject", metavar="NAME", help="only the images of this subject")
    option("--protocol", metavar="P", help="use the answers in this protocol (default: the first of the run)")
    option("--votes", choices=VOTES, default=VOTES[0], help="the rule for what was seen")
    option("--design", action="store_true", help="include scenes of the group Design")
    about = "only images with at least this share of right questions"
    option("--least", type=float, default=0.0, metavar="SHARE", help=about)
    agents.add_model_options(parser, 2)


def run(arguments: argparse.Namespace) -> int:
    """Make the folder."""
    from tsgkit.llm.asker import ask_for
    from tsgkit.suites.spatialgen.maker import template

    if not 0 <= arguments.least <= 1 or arguments.rounds < 0:
        raise UsageError("--least must be from 0 to 1, and --rounds at least 0")
    jobs = {job.name: job for job in _jobs(arguments)}
    contents = [
        [name, job.image.sha256, job.row.prompt, [list(fact) for fact in job.facts]] for name, job in jobs.items()
    ]
    asked = {"work": "make spatialt2i", "jobs": agents.digest(contents), "rounds": arguments.rounds}
    asked["text"] = template("rewrite").text
    with agents.asking(arguments, arguments.out.rstrip("/"), asked, folder=True) as calls:

        async def work(engine: Engine) -> Rewriting:
            rewriting = Rewriting()

            async def rewrite(job: Job) -> None:
                await _rewrite(job, ask_for(calls.asker, job.name, task="make"), arguments.rounds + 1, rewriting)

            await engine.made(jobs, rewrite, workers=min(arguments.concurrency, len(jobs)))
            return rewriting

        rewriting = agents.carried_out(calls, work, arguments, "image")
        if calls.shard is not None:
            return agents.finish_shard(calls, rewriting.asked.stopped, rewriting.asked.failures, arguments)
        _write(Path(arguments.out), jobs.values(), rewriting)
        pairs, dropped = len(rewriting.pairs), rewriting.dropped
        rewritten = sum(bool(changed) for _, changed in rewriting.pairs.values())
        summary = {"pairs": pairs, "kept": pairs - rewritten, "rewritten": rewritten, "dropped": len(dropped)}

        def show() -> None:
            unchanged = f"{pairs - rewritten} unchanged, {rewritten} rewritten"
            say(f"{count(pairs, 'pair')} of an image and a text: {unchanged}")
            say(f"dropped: {count(len(dropped), 'image')}, with reasons in dropped.jsonl")
            for name, problems in list(dropped.items())[: agents.SHOWN]:
                complain(f"{name}: {'; '.join(problems)}")

        ended = {"stopped": rewriting.asked.stopped, "failures": rewriting.asked.failures}
        wrong = [] if pairs else ["no pairs"]
        return agents.finish(
            summary | ended, show, calls, arguments, rewriting.asked.calls, written=[arguments.out], wrong=wrong
        )


def _jobs(arguments: argparse.Namespace) -> Iterator[Job]:
    """Yield the chosen judged images of the run."""
    from tsgkit.llm.images import ImageFile
    from tsgkit.runs.saved_run import open_saved_run
    from tsgkit.suites.images import ImageFolder
    from tsgkit.suites.spatialgen.judge_requests import CONTROLS, parse_protocol
    from tsgkit.suites.spatialgen.maker import facts_of
    from tsgkit.suites.spatialgen.rows import GROUPS, SpatialRow
    from tsgkit.suites.spatialgen.scores import plurality, verdicts_of

    run, subject, protocol = arguments.source, arguments.subject, arguments.protocol
    with open_saved_run(run) as reopened:
        paths = {folder.name: folder.path for folder in reopened.prepared.plan.folders}
        cells = [
            cell
            for cell in reopened.states
            if cell.subject in paths and cell.task.startswith("spatialgen/") and cell.repeat == 0
            if parse_protocol(cell.solver).control not in CONTROLS
        ]
        if not cells:
            hint = "judge some: tsgkit eval --images NAME=DIR"
            raise UsageError(f"{run}: the run judged no images of prompts", hint=hint)
        for name, known in ((subject, {cell.subject for cell in cells}), (protocol, {cell.solver for cell in cells})):
            if name is not None and name not in known:
                raise UsageError(f"{run}: there is no {name} in it", hint=meant(name, sorted(known)))
        way = protocol or cells[0].solver
        for cell in (cell for cell in cells if cell.solver == way and subject in (None, cell.subject)):
            images = ImageFolder(cell.subject, paths[cell.subject])
            for sample, record in reopened.records(cell):
                if record["outcome"] != "answered" or not isinstance(sample, SpatialRow):
                    continue
                if not arguments.design and sample.scene in GROUPS[DESIGN]:
                    continue
                right, image = record["evidence"]["right"], images.look(sample.item_id)
                if sum(right) < arguments.least * len(right) or not isinstance(image, ImageFile):
                    continue
                letters = list(record["answer"])
                if arguments.votes != VOTES[0]:
                    letters = [plurality(verdict.rounds) for verdict in verdicts_of(record, sample)]
                yield Job(f"{cell.subject}-{sample.item_id}", sample, image, tuple(facts_of(sample, letters)))


async def _rewrite(job: Job, ask: Ask, tries: int, rewriting: Rewriting) -> None:
    """Put the text of an image among the pairs, or the reasons among the dropped; neither where asking is stopped."""
    from tsgkit.llm.images import content_of
    from tsgkit.suites.spatialgen.maker import facts_text, read_rewrite, rewrite_problems, template

    changed = tuple(fact.kind for fact in job.facts if not fact.is_seen)
    if not changed:
        rewriting.pairs[job.name] = job.row.prompt, ()
        return
    problems: Sequence[str] = ("no vote tells what is in it",)
    for number in range(tries if any(fact.is_decided for fact in job.facts) else 0):
        request = template("rewrite").render(prompt=job.row.prompt, facts=facts_text(job.facts)).rstrip("\n")
        content = content_of(request, job.image)
        reply = await rewriting.asked.reply(ask, content, f"rewrite/{number}", number, place=f"{job.name}:")
        if reply is None:
            return
        text = read_rewrite(reply.text or "")
        problems = rewrite_problems(text, job.row, job.facts)
        if not problems:
            rewriting.pairs[job.name] = text, changed
            return
        if bool(rewriting.asked.stopped):  # by another image meanwhile
            return
    rewriting.dropped[job.name] = tuple(problems)


def _write(folder: Path, jobs: Iterable[Job], rewriting: Rewriting) -> None:
    """Write the images, ``metadata.jsonl`` for training tools, both texts, and the dropped images."""
    folder.mkdir(parents=True, exist_ok=True)
    metadata, rewrites = [], []
    for job in jobs:
        if job.name in rewriting.pairs:
            text, changed = rewriting.pairs[job.name]
            name = f"{job.name}{ENDINGS.get(job.image.media_type, '.png')}"
            write_bytes(folder / name, job.image.path.read_bytes())
            metadata.append({"file_name": name, "text": text})
            texts = {"original_prompt": job.row.prompt, "rewrite_prompt": text, "changed": changed}
            rewrites.append({"id": job.row.id, "scene": job.row.scene, "image": name} | texts)
    dropped = [{"name": name, "problems": problems} for name, problems in rewriting.dropped.items()]
    for file, rows in (("metadata", metadata), ("rewrites", rewrites), ("dropped", dropped)):
        write_text(folder / f"{file}.jsonl", agents.json_lines(rows))
