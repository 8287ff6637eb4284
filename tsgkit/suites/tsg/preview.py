"""What a model would be sent for one item, without sending it.

>>> preview("tsg/ma-sgg", item="bread/1").text.splitlines()[-3]
'Number of graphs: 2'
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card, load_card
from tsgkit.library.projects import find, text_of
from tsgkit.suites.previews import Preview, as_sent
from tsgkit.suites.tsg.cards import check_card
from tsgkit.suites.tsg.documents import Document, read_document, read_file
from tsgkit.suites.tsg.prompt_sets import prompt_set
from tsgkit.suites.tsg.prompting import Example, Prompter, check_disjoint, examples_of, pool_of, style_of
from tsgkit.suites.tsg.samples import AnySample, samples_of


def preview(
    task: str,
    *,
    style: str = "zero-shot",
    shots: int | None = None,
    seed: int = 0,
    item: str | None = None,
    data: str | Path | None = None,
    prompts: str | Path | None = None,
) -> Preview:
    """The prompt of an item (None: the first) of a task's own data, or of a file."""
    card = load_card(task)
    key = check_card(card)
    chosen = style_of(style, shots)
    templates = prompt_set(prompts, card)
    if templates.is_whole:
        Prompter(key, chosen, templates)
    samples = samples_of(_data(card, data), key)
    sample = _sample(samples, item)
    examples = chosen_examples(card, chosen.shots, seed, samples) if chosen.shots else ()
    return _preview(task, Prompter(key, chosen, templates, examples), sample)


def chosen_examples(card: Card, shots: int, seed: int, samples: Sequence[AnySample]) -> tuple[Example, ...]:
    """So many examples of a card's pool, after a check that the pool shares nothing with these samples."""
    if card.examples is None:
        raise UsageError(f"{card.source}: the card names no examples", hint="add a field examples, or ask zero-shot")
    found = find("tasks", card.examples)
    pool = read_document(text_of(found), str(found))
    task = check_card(card)
    check_disjoint(pool_of(pool, task), samples)
    return examples_of(pool, task, shots, seed)


def prompt_sources(card: Card, prompts: str | Path | None) -> dict[str, str]:
    """Where each part of a card's prompts comes from."""
    return {part: template.source for part, template in prompt_set(prompts, card).templates.items()}


def _data(card: Card, data: str | Path | None) -> Document:
    if data is not None:
        return read_file(data)
    try:
        found = find("tasks", card.data)
    except UsageError as error:
        raise UsageError(
            f"the data of {card.name} are not here: {card.data}", hint=f"--data FILE; {error.hint}"
        ) from None
    return read_document(text_of(found), str(found))


def _sample(samples: Sequence[AnySample], item: str | None) -> AnySample:
    if not samples:
        raise UsageError("there are no items in the data")
    if item is None:
        return samples[0]
    for sample in samples:
        if sample.item_id == item:
            return sample
    raise UsageError(f"the data have no item {item}", hint=_near_item(item, samples))


def _near_item(item: str, samples: Sequence[AnySample]) -> str:
    """A hint at the item that was meant."""
    from tsgkit.lexicon import nearest

    ids = [sample.item_id for sample in samples[:10_000]]
    found = nearest(item, ids, limit=1, least=0.75)
    return f"{found[0].name}?" if found else f"its items begin with {', '.join(ids[:3])}"


def _preview(task: str, prompter: Prompter, sample: AnySample) -> Preview:
    return Preview(
        task=task,
        style=prompter.style,
        item_id=sample.item_id,
        text=prompter.text(sample),
        messages=as_sent(prompter.messages(sample)),
        schema=prompter.schema(sample),
        fingerprint=prompter.fingerprint,
        examples=tuple(example.sample.item_id for example in prompter.examples),
    )
