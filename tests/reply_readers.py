"""Every reader of what a model said, each of which takes any text at all."""

from __future__ import annotations

from collections.abc import Callable

from tsgkit.agents.decomposition import actions_of
from tsgkit.agents.look_replies import read_look
from tsgkit.agents.passages import Passage
from tsgkit.agents.story_graphs import sentences_of, vocabulary_of
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.reading import read
from tsgkit.graph.reading.answers import read_graphs
from tsgkit.llm.reply import Reply
from tsgkit.replies.choices import choice
from tsgkit.replies.numbered_answers import letters as numbered
from tsgkit.replies.sections import answer_section
from tsgkit.replies.tuples import tuples
from tsgkit.suites.formalimg import official as formalimg_official
from tsgkit.suites.formalimg.knolling import objects_in
from tsgkit.suites.formalimg.natural import judgement, judgement_in
from tsgkit.suites.formalimg.strict import layout_in
from tsgkit.suites.sceneeval.annotation_replies import read_annotation_reply
from tsgkit.suites.sceneeval.judges import answers
from tsgkit.suites.spatialgen.official import accepted
from tsgkit.suites.spatialgen.rows import Question
from tsgkit.suites.spatialgen.strict import letters
from tsgkit.suites.tsg import official as tsg_official
from tsgkit.suites.tsg.derived_tasks import names
from tsgkit.suites.tsg.qa import word
from tsgkit.suites.tsg.selection import letter

GRAPHS = (ActionGraph.of(("person", "verb", "wash")),)
OPTIONS = {"A": "left", "B": "right", "E": "None"}
QUESTIONS = [Question("Where?", {"A": "left", "B": "right", "E": "None"}, "A")]
REPLY_READERS: dict[str, Callable[[str], object]] = {
    "read": read,
    "tsg letter": lambda text: letter(text, ["a", "b", "c", "d", "e"]),
    "tsg word": word,
    "tsg graphs": lambda text: read_graphs(text, 2),
    "tsg names": names,
    "tsg official letter": tsg_official.letter,
    "tsg official word": tsg_official.word,
    "tsg official graphs": tsg_official.graphs,
    "layout_in": layout_in,
    "official layout": formalimg_official.layout,
    "objects_in": lambda text: objects_in(Reply(text), ("cup",)),
    "said_in": lambda text: judgement_in(Reply(text)),
    "official judgement": judgement,
    "numbered choices": lambda text: numbered(text, [OPTIONS] * 3),
    "choice": lambda text: choice(text, OPTIONS),
    "answer section": answer_section,
    "tuples": tuples,
    "letters to one": lambda text: letters(text, QUESTIONS),
    "letters to ten": lambda text: letters(text, QUESTIONS * 10),
    "accepted": accepted,
    "read_annotation_reply": read_annotation_reply,
    "read_category": lambda text: answers.read_category(text, ("bed", "cup")),
    "read_holds": lambda text: answers.read_holds(text, 2),
    "read_support": answers.read_support,
    "read_sides": lambda text: answers.read_sides(text, ("a", "b")),
    "read_object_relations": lambda text: answers.read_object_relations(text, 2),
    "read_room_relations": lambda text: answers.read_room_relations(text, 2, ("floor",)),
    "actions_of": actions_of,
    "read_look": lambda text: read_look(text, (), Passage(GRAPHS), GRAPHS),
    "sentences_of": sentences_of,
    "vocabulary_of": vocabulary_of,
}
