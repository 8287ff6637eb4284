"""Pairs of an image and a true text, made from a run's images and its judge's answers.

jobs = jobs_of(Path("runs/mine"), Choice())
made = asyncio.run(rewrite(jobs, ask_for, tries=3))
write_set(Path("pairs"), made)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.files import write_bytes, write_text
from tsgkit.llm.failures import NotFinished
from tsgkit.llm.images import ImageFile, content_of
from tsgkit.llm.reply import Ask, Ending
from tsgkit.runs.plan import Cell
from tsgkit.runs.results import records_of
from tsgkit.runs.saved_run import SavedRun, open_saved_run
from tsgkit.suites.gather_all import UnitMapper, all_at_once
from tsgkit.suites.images import ImageFolder
from tsgkit.suites.spatialgen.judge_requests import CONTROLS, parse_protocol
from tsgkit.suites.spatialgen.maker import template
from tsgkit.suites.spatialgen.rewriter import Fact, facts_of, read_rewrite, rewrite_problems, shown
from tsgkit.suites.spatialgen.rows import Row, SpatialSample
from tsgkit.suites.spatialgen.scores import verdicts_of
from tsgkit.suites.spatialgen.terms import GROUPS
from tsgkit.suites.spatialgen.votes import plurality
from tsgkit.user_folders import cache_home

VOTES = ("decided", "plurality")
"""Rules for what was seen: the letter that four of five rounds gave, or (as published) the most frequent one."""
DESIGN = "Design"
ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}


class Job(NamedTuple):
    """An image, its row, and the facts seen in it."""

    name: str
    """The subject and item, which name its file in the set."""
    row: Row
    image: ImageFile
    facts: tuple[Fact, ...]


class Pair(NamedTuple):
    """An image and a text that is true of it. ``changed`` names the kinds of facts that were not seen."""

    job: Job
    text: str
    changed: tuple[str, ...]


@dataclass
class Rewriting:
    """The results of rewriting."""

    pairs: list[Pair] = field(default_factory=list)
    dropped: dict[str, tuple[str, ...]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    calls: int = 0
    stopped: str = ""


class Choice(NamedTuple):
    """The choice of judged images, and the rule for deciding what was seen."""

    subject: str | None = None
    protocol: str | None = None
    least: float = 0.0
    """The least share of right questions."""
    votes: str = VOTES[0]
    design: bool = False
    """True to include scenes of the group Design, which SpatialT2I leaves out."""


def jobs_of(run: Path, choice: Choice) -> list[Job]:
    """Return the chosen judged images of a run."""
    subject, protocol = choice.subject, choice.protocol
    reopened = open_saved_run(run)
    try:
        folders = {folder.name: folder.path for folder in reopened.prepared.plan.folders}
        cells = [
            cell
            for cell in reopened.states
            if cell.subject in folders and cell.task.startswith("spatialgen/") and cell.repeat == 0
            if parse_protocol(cell.solver).control not in CONTROLS
        ]
        if not cells:
            hint = "judge some: tsgkit eval --images NAME=DIR"
            raise UsageError(f"{run}: the run judged no images of prompts", hint=hint)
        for given, known in ((subject, {cell.subject for cell in cells}), (protocol, {cell.solver for cell in cells})):
            if given is not None and given not in known:
                raise UsageError(f"{run}: there is no {given} in it", hint=meant(given, sorted(known)))
        way = protocol or cells[0].solver
        chosen = [cell for cell in cells if cell.solver == way and subject in (None, cell.subject)]
        return [job for cell in chosen for job in _jobs(reopened, cell, folders[cell.subject], choice)]
    finally:
        reopened.samples.close()


def _jobs(reopened: SavedRun, cell: Cell, path: Path, choice: Choice) -> Iterator[Job]:
    state = reopened.states[cell]
    folder = ImageFolder(cell.subject, path, cache_home() / "images")
    for number, record in zip(state.row.numbers, records_of(state, reopened.samples), strict=True):
        sample = state.row.dataset.sample(number)
        if record["outcome"] != "answered" or not isinstance(sample, SpatialSample):
            continue
        if not choice.design and sample.row.scene in GROUPS[DESIGN]:
            continue
        right = record["evidence"]["right"]
        image = folder.look(sample.item_id)
        if sum(right) < choice.least * len(right) or not isinstance(image, ImageFile):
            continue
        if choice.votes == VOTES[0]:
            letters = list(record["answer"])
        else:
            letters = [plurality(verdict.rounds) for verdict in verdicts_of(sample, record)]
        yield Job(f"{cell.subject}-{sample.item_id}", sample.row, image, tuple(facts_of(sample.row, letters)))


async def rewrite(
    jobs: Sequence[Job], ask_for: Callable[[str], Ask], tries: int, each: UnitMapper = all_at_once
) -> Rewriting:
    """Return a text for each image. If asking is stopped, keep what is finished."""
    made = Rewriting()
    found = await each({job.name: job for job in jobs}, lambda job: _pair(job, ask_for, tries, made))
    made.pairs = [pair for pair in found.values() if pair is not None]
    return made


async def _pair(job: Job, ask_for: Callable[[str], Ask], tries: int, made: Rewriting) -> Pair | None:
    """Return an image with its text; None where it is dropped, or asking is stopped."""
    from langchain_core.messages import HumanMessage

    changed = tuple(fact.kind for fact in job.facts if not fact.is_seen)
    if not changed:
        return Pair(job, job.row.prompt, ())
    problems: Sequence[str] = ("no vote tells what is in it",)
    for number in range(tries if any(fact.is_decided for fact in job.facts) else 0):
        if made.stopped:
            return None
        request = template("rewrite").render(prompt=job.row.prompt, facts=shown(job.facts)).rstrip("\n")
        messages = [HumanMessage(content=content_of(request, job.image))]
        try:
            reply = await ask_for(job.name)(messages, label=f"rewrite/{number}", draw=number)
        except NotFinished as error:
            made.stopped = made.stopped or error.message
            return None
        made.calls += 1
        if reply.ending is not Ending.COMPLETE:
            made.failures.append(f"{job.name}: gave no answer: {reply.error or reply.ending}")
        text = read_rewrite(reply.text or "")
        problems = rewrite_problems(text, job.row, job.facts)
        if not problems:
            return Pair(job, text, changed)
        if bool(made.stopped):  # by another image meanwhile
            return None
    made.dropped[job.name] = tuple(problems)
    return None


def write_set(folder: Path, made: Rewriting) -> None:
    """Write the images, ``metadata.jsonl`` for training tools, both texts, and the dropped images."""
    folder.mkdir(parents=True, exist_ok=True)
    metadata, rewrites = [], []
    for pair in made.pairs:
        name = f"{pair.job.name}{ENDINGS.get(pair.job.image.media_type, '.png')}"
        write_bytes(folder / name, pair.job.image.path.read_bytes())
        metadata.append({"file_name": name, "text": pair.text})
        rewrites.append(
            {
                "id": pair.job.row.id,
                "scene": pair.job.row.scene,
                "image": name,
                "original_prompt": pair.job.row.prompt,
                "rewrite_prompt": pair.text,
                "changed": pair.changed,
            }
        )
    dropped = [{"name": name, "problems": problems} for name, problems in made.dropped.items()]
    for name, values in (("metadata", metadata), ("rewrites", rewrites), ("dropped", dropped)):
        lines = (json.dumps(value, ensure_ascii=False) + "\n" for value in values)
        write_text(folder / f"{name}.jsonl", "".join(lines))
