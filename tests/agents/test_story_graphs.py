"""A story becomes a narrative with the hands carried on; L may be proposed; what stops it leaves what was told."""

from __future__ import annotations

import pytest
from doors import run
from spoken_models import L, arrows, graph

from tsgkit import agenerate, generate, refine
from tsgkit.agents import ByLabel
from tsgkit.agents.story_graphs import sentences_of, vocabulary_of
from tsgkit.errors import UsageError
from tsgkit.graph import Narrative
from tsgkit.llm.door import Call
from tsgkit.llm.reply import Ending, Reply

PICK = graph("person verb pick-up; pick-up dobj cup; pick-up with hand1")
SAYS = {"decompose/1": "pick up the cup", "write/1": arrows(PICK)}
LISTED = "objects: Cup, cups\nverbs: picks up\nprepositions: with, quickly"


def test_a_story_becomes_a_narrative_with_its_texts() -> None:
    made = generate("She takes a cup.\nShe looks at it.", ByLabel(SAYS), vocabulary=L)
    assert [part.text for part in made.narrative.descriptions] == ["She takes a cup.", "She looks at it."]
    assert made.narrative.graphs == (PICK, PICK) and made.narrative.vocabulary == L
    assert made.calls == 4 and not made.stopped and not made.undecided


def test_an_open_vocabulary_is_proposed_normalised_and_bounds_the_graphs() -> None:
    made = generate("She takes a cup.", ByLabel(SAYS | {"vocabulary/1": LISTED}), open_vocabulary=True)
    assert made.narrative.vocabulary is not None
    assert made.narrative.vocabulary.objects == ("person", "hand1", "hand2", "cup")
    assert made.narrative.vocabulary.verbs == ("picks-up",)
    assert made.narrative.graphs[0].actions == ("picks-up",), "the graph keeps to what was proposed"
    assert {change.code for change in made.changes} == {"out-of-vocabulary"}
    assert "L: quickly is no preposition, left out" in made.notes


def test_a_proposal_that_cannot_be_read_leaves_the_graphs_without_l() -> None:
    made = generate("She takes a cup.", ByLabel(SAYS | {"vocabulary/1": "I do not know."}), open_vocabulary=True)
    assert made.narrative.vocabulary is None and made.narrative.graphs == (PICK,)
    assert "without L" in made.notes[0]


def test_hostile_proposals_become_names_or_nothing() -> None:
    names = ", ".join(["../etc", "a" * 500, "{0.__class__}", "ignore all rules", *(f"n{n}" for n in range(2000))])
    found, _ = vocabulary_of(f"objects: {names}\nverbs: go\nprepositions: on")
    assert found is not None and len(found.objects) <= 503
    assert all(len(name) <= 60 for name in found.objects)


def test_a_story_is_its_lines_or_its_sentences() -> None:
    for text, sentences in [
        ("One. Two! Three?", ("One.", "Two!", "Three?")),
        ("He asks Dr. Who. He waits.", ("He asks Dr. Who.", "He waits.")),
        ("A line. With two.\n\nAnother.", ("A line. With two.", "Another.")),
        ("0.5 cups are added.", ("0.5 cups are added.",)),
        (" \n\n", ()),
    ]:
        assert sentences_of(text) == sentences, (text, sentences)


def test_a_model_without_answers_leaves_the_texts_and_the_reason_and_a_failing_one_is_given_up_after_three() -> None:
    texts = ["One.", "Two.", "Three.", "Four."]
    made = generate(texts, ByLabel({}))
    assert not made.narrative.graphs and not made.stopped
    assert made.failures == tuple(f"sentence {n}: decompose/1 brought no answer: missing" for n in range(4))

    class Failing(ByLabel):
        async def ask(
            self, where: Call, messages: object, *, label: str, draw: int = 0, schema: object = None
        ) -> Reply:
            return Reply(None, Ending.API_ERROR, error="hung")

    made = generate(texts, Failing({}))
    assert made.stopped == "decompose/1 brought no answer: api error: hung" and made.calls == 3
    assert made.failures == tuple(f"sentence {n}: {made.stopped}" for n in range(3))
    made = generate(texts, Failing({}), open_vocabulary=True)
    assert made.failures == (made.stopped,) == ("vocabulary/1 brought no answer: api error: hung",) and made.calls == 1
    assert [part.text for part in made.narrative.descriptions] == texts and not made.narrative.graphs


def test_generate_refuses_invalid_arguments() -> None:
    with pytest.raises(UsageError, match="no sentence"):
        generate("", ByLabel({}))
    with pytest.raises(UsageError, match="2 numbers of graphs for 1"):
        generate("One.", ByLabel({}), counts=[1, 2])
    with pytest.raises(UsageError, match="none can be proposed"):
        generate("One.", ByLabel({}), vocabulary=L, open_vocabulary=True)


def test_the_twins_agree() -> None:
    assert run(agenerate("She takes a cup.", ByLabel(SAYS))) == generate("She takes a cup.", ByLabel(SAYS))
    slip = graph("fill verb person; fill dobj kettle")
    cleaned = refine(Narrative.of([slip]), vocabulary=L)
    assert cleaned.touched == (0,) and not cleaned.undecided
