"""Checks of questions: whether the right answer has the role in the graphs that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tsgkit.graph.model import DOBJ, HANDS, VERB, WITH, ActionGraph
from tsgkit.lexicon import PREPOSITIONS, bases
from tsgkit.lexicon.preposition_senses import compatible
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.audits.items import Slip, words
from tsgkit.suites.tsg.baselines.question_parser import FIRST, HAPPENS, KINDS, LAST
from tsgkit.suites.tsg.items import AnySample, QuestionSample

HAND, PLACE = "hand", "place"
_BE = (("is",), ("are",), ("was",), ("were",))
_AUXILIARIES = word_set("have has had do does did can could will would should must")
_FOLLOWING = PREPOSITIONS | FIRST | LAST | _AUXILIARIES | word_set("is are was were the person then that which")
"""Words behind a noun that are no noun."""
_DOES = HAPPENS | word_set("do does did")
_FAR = 4
"""The distance from the question word within which its noun stands."""
_RECEIVES = ("in", "on", "to")
_PURPOSE = re.compile(r"\bused (?:to|as)\b", re.IGNORECASE)
_AN = {"action": "an", "object": "an"}


def names_by_role(graphs: Iterable[ActionGraph]) -> dict[str, set[str]]:
    """Return the names in graphs by the edges that end in them: ``verb``, ``dobj``, ``with``, hands, places."""
    roles: dict[str, set[str]] = {}
    for _, edge, name in (triplet for graph in graphs for triplet in graph.triplets):
        role = HAND if name in HANDS else edge if edge in (VERB, DOBJ, WITH) else PLACE
        roles.setdefault(role, set()).add(name)
    return roles


def asked_kind(question: str) -> str:
    """Return what a question plainly asks for: a tool, place, hand, action or object; empty in doubt.

    >>> [asked_kind(question) for question in ("Which cleaning tool was used?", "What was the last action performed?")]
    ['tool', 'action']
    >>> asked_kind("What was the other hand holding?"), asked_kind("Which tool box was opened?")
    ('', '')
    >>> asked_kind("In the step in which both hands were used, what did the person do?")
    ''
    """
    asked = words(re.split(r"[.;:]\s", question)[-1])
    starts = [place for place, word in enumerate(asked) if word in ("which", "what", "where")]
    while len(starts) > 1 and starts[0] > 1 and asked[starts[0] - 1] in PREPOSITIONS:  # "the step in which ..., what"
        starts.pop(0)
    start = starts[0] if starts else len(asked)
    question_word, rest = "".join(asked[start : start + 1]), asked[start + 1 :]
    if question_word == "where":
        return PLACE if start <= 1 else ""
    if not _AUXILIARIES.isdisjoint(rest[:1]) or ("thing" in rest and not _DOES.isdisjoint(rest)):
        return ""
    is_predicate = question_word == "what" and rest[:1] in _BE
    if is_predicate:  # "with what was the tool cleaned" and "what was the tool cleaned with" do not ask for a tool
        rest = () if start or asked[-1] in PREPOSITIONS else rest[1:]
    kind = ""
    for place, word in enumerate(rest):
        found = next((kind for kind, names in KINDS.items() if names & {word, word.removesuffix("s")}), "")
        if not found and (kind or word in PREPOSITIONS or place == _FAR):
            is_next_noun = not (word in _FOLLOWING or word.endswith("ly") or len(bases(word)) > 1)
            is_subject = is_predicate and (kind == HAND or word.endswith("ing"))
            return "" if is_next_noun or is_subject else kind
        kind = found
    return kind


def wrong_kinds(sample: AnySample) -> Iterator[Slip]:
    """Find right answers that are of another kind than the question asks for, by their part in the graphs.

    A tool is what something is done with. What is used as one, or never handled, and only ever receives other things is
    a place; and what only ever is a tool is no place. A name without a part in the graphs is passed over.
    """
    if not isinstance(sample, QuestionSample):
        return
    kind, answer, asked = asked_kind(sample.question), sample.answer, words(sample.question)
    by_role = names_by_role(sample.graphs)
    roles = {role for role, names in by_role.items() if answer in names}
    edges = {edge for graph in sample.graphs for _, edge, target in graph.triplets if target == answer}
    receives = any(compatible(edge, place) for edge in edges - {WITH} for place in _RECEIVES)
    is_used, asks_for_place = "used" in asked, asked[-1] in PREPOSITIONS or asked[0] in PREPOSITIONS - {"with"}
    message = ""
    if kind == "action":
        message = "" if VERB in roles else "no action"
    elif kind == HAND:
        message = "" if HAND in answer else "no hand"
    elif kind and roles == {VERB}:
        message = "only an action"
    elif (
        kind == "tool"
        and receives
        and WITH not in roles
        and not asks_for_place
        and not _PURPOSE.search(sample.question)
    ):
        message = "" if DOBJ in roles and not is_used else "only a place where something is put"
    elif kind == PLACE and roles <= {WITH, DOBJ} and WITH in roles and not is_used and "container" not in asked:
        message = "only a tool"
    if message and roles:
        yield Slip("answer-kind", sample.item_id, f"asks for {_AN.get(kind, 'a')} {kind}, and {answer} is {message}")
