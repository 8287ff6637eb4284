"""Rows of generation tasks from stories with sentences and L, labelled by what is hard about them.

>>> from tsgkit.graph.model import ActionGraph, Description, Narrative
>>> wash = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
>>> story = Narrative((Description("He gives the cup a bath.", (wash,)),), Vocabulary.of([wash]), "tea")
>>> [row] = generation_rows(story, {})
>>> row["item_id"], row["k"], row["tags"]
('tea/0', 1, ['implicit'])

Labels: ``implicit`` (no word of the sentence names an action), ``repetition``, ``synonym`` (an element under another
name, listed in ``synonyms``), ``homonym``, ``two_hands``, ``transfer`` (a thing changes hands), ``bare``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tsgkit.graph.model import HANDS, WITH, ActionGraph, Narrative, Vocabulary
from tsgkit.graph.timeline import Step, Timeline
from tsgkit.lexicon import mentions
from tsgkit.library.documents.rows import sgg_rows
from tsgkit.suites.tsg.makers.sentences import Sentence
from tsgkit.suites.tsg.makers.stories import row_facts

BARE = "bare"
PRONOUNS = frozenset(("it", "its", "them", "they", "their", "that", "this", "these", "those", "one", "both"))


def generation_rows(story: Narrative, sentences: Mapping[int, Sentence]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a story's descriptions; ``sentences`` has the accounts of those that were written."""
    steps = Timeline(story).steps
    for row in sgg_rows(story):
        number = int(row["item_id"].rpartition("/")[2])
        mine = [step for step in steps if step.description == number]
        sentence = sentences.get(number, Sentence(row["target_sentence"]))
        synonyms = synonyms_of(sentence, story.vocabulary or Vocabulary())
        yield {
            **row,
            "scenario_id": story.id,
            **row_facts(story),
            "k": len(mine),
            "tags": tags_of(sentence, mine, has_synonyms=bool(synonyms)),
            **({"synonyms": synonyms} if synonyms else {}),
        }


def tags_of(sentence: Sentence, steps: Sequence[Step], *, has_synonyms: bool = False) -> list[str]:
    """Return the labels of a sentence about some steps, in one order."""
    graphs = [step.graph for step in steps]
    found = {
        "implicit": any(_is_unsaid(sentence, graph) for graph in graphs),
        "repetition": len({(step.action, step.objects) for step in steps}) < len(steps),
        "synonym": has_synonyms,
        "homonym": any(graph.actions[0] in {one.target for one in graph if one.edge != "verb"} for graph in graphs),
        "two_hands": any(set(HANDS) <= {one.target for one in graph if one.edge == WITH} for graph in graphs),
        "transfer": any(map(_changes_hands, steps)),
        BARE: BARE in sentence.tags,
    }
    return [tag for tag, is_so in found.items() if is_so]


def _is_unsaid(sentence: Sentence, graph: ActionGraph) -> bool:
    return mentions(sentence.text, graph.actions[0]) is None


def _changes_hands(step: Step) -> bool:
    before, after = step.hand_step.before, step.hand_step.after
    return any(
        thing in (before.of(one) or ()) and thing in (after.of(other) or ()) and thing not in (before.of(other) or ())
        for thing in step.objects
        for one, other in (HANDS, HANDS[::-1])
    )


def synonyms_of(sentence: Sentence, vocabulary: Vocabulary) -> dict[str, str]:
    """Return other words for elements, as the account of a sentence has them; those that name the element are none."""
    found: dict[str, str] = {}
    for node, phrases in sentence.said.items():
        if node in HANDS or node in vocabulary.verbs:
            continue
        for phrase in phrases:
            words = phrase.lower().removeprefix("the ").removeprefix("a ").removeprefix("an ").strip()
            if words and words not in PRONOUNS and mentions(phrase, node) is None:
                found[words] = node
    return found
