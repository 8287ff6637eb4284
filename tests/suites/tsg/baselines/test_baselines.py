"""All baselines: readable answers within L for any item, the same everywhere, and nothing of the reference used."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st
from shipped import DATA
from tsg_tasks import BASELINES, DERIVATIONS, KINDS, TASKS, guess, judge, read_reply, samples_of

from tsgkit.graph import ActionGraph, Triplet, Vocabulary, check_graph
from tsgkit.graph.folding import fold
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.library.documents.reader import read_file
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.baselines.elements import elements_of
from tsgkit.suites.tsg.baselines.generation import generate
from tsgkit.suites.tsg.baselines.graph_repair import mended
from tsgkit.suites.tsg.baselines.partial_graphs import action_of, actions, joined, nodes
from tsgkit.suites.tsg.baselines.question_parser import parse
from tsgkit.suites.tsg.baselines.questions import answer
from tsgkit.suites.tsg.baselines.selection import select
from tsgkit.suites.tsg.items import (
    ActionsSample,
    AnySample,
    EdgesSample,
    GenerationSample,
    NodesSample,
    QuestionSample,
    RefineSample,
    SelectionSample,
)

THINGS = ("cup", "lid", "tea-bag", "brush", "person", "hand1", "hand2", "left-hand", "Mug", "two words", "bolt:1", "")
VERBS = ("pick-up", "put-down", "brush", "hold", "pass", "turn-on", "open", "hand1", "person", "Wash", "go over")
LABELS = ("verb", "dobj", "with", "on", "from", "to", "out-of", "into", "verbs", "prep", "manner", "ON", "next to")
WORDS = (
    "the cup lid tea bag brush brushes it them with both hands her other hand and then picks up puts down holds opens "
    "passes turns on twice three times more again from out of into to next using is was goes , . ; before after"
)
NAMES = st.sampled_from(THINGS) | st.text("abc-: _Z[]>", max_size=6)
VOCABULARIES = st.builds(
    Vocabulary,
    st.lists(NAMES, max_size=8).map(tuple),
    st.lists(st.sampled_from(LABELS) | st.text("abo- ", max_size=4), max_size=8).map(tuple),
    st.lists(st.sampled_from(VERBS) | st.text("abc- _", max_size=6), max_size=6).map(tuple),
)
TEXTS = st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join) | st.text(max_size=30)
TRIPLETS = st.tuples(NAMES, st.sampled_from(LABELS), NAMES) | st.tuples(st.just("person"), st.just("verb"), NAMES)
GRAPHS = st.lists(st.lists(TRIPLETS, max_size=4).map(ActionGraph), max_size=5).map(tuple)

AS_EVER = {
    "sgqa": "5ed0ca37 d9b20cba",
    "sgds": "ec970b9f 33769e47",
    "sa-sgg": "f3058864 6fad7ee0",
    "ma-sgg": "ee0160b6 6e468214",
    "actions": "1621c011 25f2e780",
    "edges-ma": "f3fd83c9 8cb08418",
    "edges-sa": "16b382a5 682f9672",
    "nodes-ma": "6083794a 04161d83",
    "nodes-sa": "ec10b26f a8b36518",
    "refine": "f20a4cbc 7396cb0d",
    "refine-hinted": "f20a4cbc 7396cb0d",
}


def generation(
    vocabulary: Vocabulary, sentence: str, references: tuple[ActionGraph, ...], context: tuple[str, ...] = ()
) -> GenerationSample:
    return GenerationSample(
        item_id="0", cluster="", context=context, sentence=sentence, vocabulary=vocabulary, references=references
    )


def bundled(kind: str) -> tuple[AnySample, ...]:
    source = DERIVATIONS[kind].sources[0] if kind in DERIVATIONS else kind
    found: tuple[AnySample, ...] = samples_of(read_file(DATA / f"{source}.jsonl"), kind)
    return found[:: 1 if kind in TASKS else 5]


def blind(sample: AnySample) -> AnySample:
    """Return the sample with another answer than its own, and everything that is given as it was."""
    other = ActionGraph([Triplet("person", "verb", "vanish")])
    if isinstance(sample, GenerationSample):
        return replace(sample, references=(other,) * sample.k)
    if isinstance(sample, SelectionSample):
        return replace(sample, position=0)
    if isinstance(sample, QuestionSample):
        return replace(sample, answer="")
    hidden = replace(sample.source, references=(other,) * sample.source.k)
    if isinstance(sample, NodesSample):
        return replace(sample, source=hidden, nodes=("nothing",))
    if isinstance(sample, ActionsSample):
        return replace(sample, source=replace(hidden, references=(other,)), actions=("vanish",))
    if isinstance(sample, RefineSample):
        return replace(sample, source=hidden, changes=(), kinds=(), error="")
    return replace(sample, source=hidden)


def test_baselines_answer_the_bundled_items_as_ever_by_what_is_given_alone() -> None:
    """Digests of the answers: after a deliberate change the figures of baselines on record are to be made anew."""
    for kind in KINDS:
        samples, digests, means = bundled(kind), [], []
        for name in ("random", "rules"):
            said = [BASELINES[name](sample, 0) for sample in samples]
            digests.append(hashlib.sha256("\n\n\n".join(said).encode()).hexdigest()[:8])
            some = list(zip(samples, said, strict=True))[:12]
            assert [BASELINES[name](blind(sample), 0) for sample, _ in some] == said[:12], (name, kind)
            judged = [judge(sample, Reply(text)) for sample, text in some]
            assert {one.outcome for one in judged} == {Outcome.ANSWERED}, (name, kind)
            scores = [one.scores["strict"] for one in judged]
            means.append(sum(next(iter(one.values())).value or 0 for one in scores) / len(scores))
        assert (kind, " ".join(digests)) == (kind, AS_EVER[kind])
        assert means[1] > means[0], kind


def test_hostile_text_is_answered() -> None:
    vocabulary = Vocabulary(("cup", "lid"), ("with", "on"), ("take",))
    for text in ("take cup " * 20000, "take" + " on the cup" * 10000, "and cup on lid and " * 10000):
        assert BASELINES["rules"](generation(vocabulary, text, (ActionGraph(),)), 0)


@given(VOCABULARIES, TEXTS, st.lists(TEXTS, max_size=3).map(tuple), st.integers(1, 6), st.integers(0, 9))
@settings(max_examples=60)
def test_generated_graphs_are_as_many_as_asked_for_valid_and_of_l(
    vocabulary: Vocabulary, sentence: str, context: tuple[str, ...], k: int, seed: int
) -> None:
    for baseline in BASELINES.values():
        reply = baseline(generation(vocabulary, sentence, (ActionGraph(),) * k, context), seed)
        if not elements_of(vocabulary).actions:
            assert reply == ""
            continue
        answer = read_graphs(reply, k)
        assert isinstance(answer, GraphAnswer)
        assert len(answer.graphs) == k and not answer.reading.notes
        assert answer.graphs == tuple(official.graphs(reply))
        for graph in answer.graphs:
            assert [finding for finding in check_graph(graph, vocabulary) if finding.severity == "error"] == []


@given(GRAPHS, TEXTS, st.lists(TEXTS, min_size=1, max_size=5).map(tuple), st.integers(0, 9))
@settings(max_examples=60)
def test_answers_are_nodes_of_the_graphs_and_choices_letters_of_candidates(
    graphs: tuple[ActionGraph, ...], question: str, candidates: tuple[str, ...], seed: int
) -> None:
    asked = QuestionSample(item_id="0", cluster="", graphs=graphs, question=question, answer="")
    graph = graphs[0] if graphs else ActionGraph()
    choice = SelectionSample(item_id="0", cluster="", context=graphs, graph=graph, candidates=candidates, position=0)
    for baseline in BASELINES.values():
        assert read_reply(asked, Reply(baseline(asked, seed)))[1] in {fold(node) for node in (*asked.nodes, "person")}
        reply = baseline(choice, seed)
        assert read_reply(choice, Reply(reply))[1] == official.letter(reply)
        assert official.letter(reply) in tuple("ABCDE")[: len(candidates)]


POUR = ActionGraph.of(
    ("person", "verb", "pour"), ("pour", "dobj", "water"), ("pour", "from", "kettle"), ("pour", "with", "hand1")
)
FEW = Vocabulary(("person", "hand1", "hand2", "water", "kettle"), ("verb", "dobj", "with", "from"), ("pour", "lift"))


def to_choose(item_id: str, candidates: int = 5) -> SelectionSample:
    texts = tuple(f"Candidate {number}." for number in range(candidates))
    return SelectionSample(item_id=item_id, cluster="", context=(), graph=POUR, candidates=texts, position=0)


def to_answer(item_id: str) -> QuestionSample:
    return QuestionSample(item_id=item_id, cluster="", graphs=(POUR, POUR), question="What?", answer="water")


def to_write(item_id: str, vocabulary: Vocabulary = FEW, k: int = 2) -> GenerationSample:
    return GenerationSample(
        item_id=item_id, cluster="", context=(), sentence="", vocabulary=vocabulary, references=(POUR,) * k
    )


def test_letters_are_drawn_evenly_from_the_candidates_there_are() -> None:
    drawn = Counter(guess(to_choose(str(number), candidates=4)) for number in range(4000))
    assert set(drawn) == {"[A]", "[B]", "[C]", "[D]"}
    assert all(900 < count < 1100 for count in drawn.values())


def test_an_answer_is_any_thing_of_the_graphs_and_no_action_hand_or_person() -> None:
    assert {guess(to_answer(str(number))) for number in range(50)} == {"[water]", "[kettle]"}
    assert guess(QuestionSample(item_id="0", cluster="", graphs=(), question="What?", answer="water")) == "[person]"


def test_a_draw_depends_on_the_seed_and_the_item_id_alone() -> None:
    makers: tuple[Callable[[str], AnySample], ...] = (to_choose, to_answer, to_write)
    for make in makers:
        samples = [make(str(number)) for number in range(30)]
        drawn = [guess(sample, 1) for sample in samples]
        assert len(set(drawn)) > 1
        assert drawn != [guess(sample, 2) for sample in samples]
        assert drawn[::-1] == [guess(sample, 1) for sample in reversed(samples)]


def test_an_l_without_with_names_no_hands_and_one_that_names_nothing_to_do_has_no_graph() -> None:
    texts = {guess(to_write(str(number), Vocabulary(("cup",), ("on",), ("lift",)))) for number in range(20)}
    assert all("hand" not in text for text in texts)
    assert guess(to_write("0", Vocabulary(relationships=("with",)))) == ""


L = Vocabulary(
    ("person", "hand1", "hand2", "jar", "lid", "shelf", "paint-brush", "tin", "table", "cloth", "crate", "water"),
    ("verb", "dobj", "with", "from", "on", "into"),
    ("take", "open", "put-down", "wipe", "dip", "lift", "brush", "pass"),
)


def told(sentence: str, k: int = 1, context: tuple[str, ...] = (), vocabulary: Vocabulary = L) -> list[str]:
    references = (ActionGraph(),) * k
    sample = generation(vocabulary, sentence, references, context)
    return ["; ".join(f"{a} {b} {c}" for a, b, c in graph if a != "person") for graph in generate(sample)]


def test_a_sentence_becomes_its_graphs() -> None:
    for sentence, *graphs in (
        ("She takes the jar from the shelf.", "take dobj jar; take from shelf; take with hand1"),
        ("From the shelf the jar was taken.", "take dobj jar; take from shelf; take with hand1"),
        ("With both hands she lifts the crate.", "lift dobj crate; lift with hand1; lift with hand2"),
        ("Brush the lid with the brush.", "brush dobj lid; brush with paint-brush; brush with hand1"),
        ("Having come home she wipes the table with a cloth.", "wipe dobj table; wipe with cloth; wipe with hand1"),
        (
            "You take the jar from the shelf and wipe the lid with the cloth.",
            "take dobj jar; take from shelf; take with hand1",
            "wipe dobj lid; wipe with cloth; wipe with hand2",
        ),
        ("Take the jar and the lid.", "take dobj jar; take with hand1", "take dobj lid; take with hand2"),
        (
            "Take the cloth and dip it into the water.",
            "take dobj cloth; take with hand1",
            "dip dobj cloth; dip into water; dip with hand1",
        ),
        (
            "Wipe the table with the cloth.",
            "take dobj cloth; take with hand1",
            "wipe dobj table; wipe with cloth; wipe with hand1",
        ),
        ("Dip the cloth into the water three times.", *["dip dobj cloth; dip into water; dip with hand1"] * 3),
    ):
        assert told(sentence, len(graphs)) == graphs, sentence
    assert len(told("Take the jar and the lid.", 1)) == 1
    assert told("You wipe it.", context=("You take the jar.",)) == ["wipe dobj jar; wipe with hand1"]
    assert told("Open the lid.", context=("You take the jar.",)) == ["open dobj lid; open with hand2"]
    put_down = ("You take the jar.", "Put the jar down on the table.")
    assert told("Open the lid.", context=put_down) == ["open dobj lid; open with hand1"], "a full hand does no work"
    vocabulary = Vocabulary(L.objects, (*L.relationships, "to"), L.verbs)
    passed = told("Pass it to the other hand.", context=("Take the jar.",), vocabulary=vocabulary)
    assert passed == ["pass dobj jar; pass from hand1; pass to hand2"]
    assert len(told("Nobody knows.", 3)) == 3
    assert told("Open the lid.", vocabulary=Vocabulary()) == [], "an L that names nothing to do"


def act(action: str, thing: str, *edges: tuple[str, str]) -> ActionGraph:
    return ActionGraph.of(("person", "verb", action), (action, "dobj", thing), *((action, *edge) for edge in edges))


PAINTING = (
    act("take", "tin", ("from", "shelf"), ("with", "hand1")),
    act("open", "lid", ("with", "screwdriver"), ("with", "hand2")),
    act("pick-up", "brush", ("from", "bench"), ("with", "hand2")),
    act("dip", "brush", ("into", "tin"), ("with", "hand2")),
    act("paint", "door", ("with", "brush"), ("with", "hand2")),
    act("paint", "frame", ("with", "brush"), ("with", "hand2")),
    act("put-down", "brush", ("on", "rag"), ("with", "hand2")),
    act("carry", "ladder", ("to", "shed"), ("with", "hand1"), ("with", "hand2")),
)


def said(question: str, graphs: tuple[ActionGraph, ...] = PAINTING) -> str:
    return answer(QuestionSample(item_id="0", cluster="", graphs=graphs, question=question, answer=""))


def test_a_question_is_answered() -> None:
    for question, expected in (
        ("What was the first object taken?", "tin"),
        ("What was the last thing painted?", "frame"),
        ("Which tool was used to open the lid?", "screwdriver"),
        ("What was handled immediately before the lid was opened?", "tin"),
        ("What was painted right after the door?", "frame"),
        ("What was painted between opening the lid and painting the frame?", "door"),
        ("Which hand opened the lid?", "hand2"),
        ("When the lid was opened, what did hand1 hold?", "tin"),
        ("What was done to the brush right before the door was painted?", "dip"),
        ("Where was the brush put down?", "rag"),
        ("From where was the tin taken?", "shelf"),
        ("What was moved with both hands?", "ladder"),
        ("Which object was handled most often?", "brush"),
        ("After painting the frame, what was put down?", "brush"),
    ):
        assert said(question) == expected, question
    graphs = (act("scrub", "pan", ("with", "sponge")), act("rinse", "cup"), act("wipe", "sink", ("with", "sponge")))
    assert said("What was used both to scrub the pan and to wipe the sink?", graphs) == "sponge"
    assert said("What about the brush, the tin and the door?") not in ("brush", "tin", "door")
    assert said("What about the cup?", (act("wash", "cup"),)) == "cup", "the only name there is"
    assert said("Whither?", (act("wash", "cup"), act("wash", "pan"), act("dry", "pan"))) == "pan", "the commonest"


def test_odd_questions_and_graphs_are_answered_all_the_same() -> None:
    assert said("What was last?", ()) == "person"
    odd = (act("wash", "cup"), act("wash", ""), act("dry", "[pan]"), act("dry", "_"))
    assert said("What was last?", odd) == "cup", "names that brackets cannot hold are never answered"
    for question in ("", "?", "Before, after, between?", "and and and", "before what after"):
        assert said(question) in {part for graph in PAINTING for triplet in graph for part in triplet}, question


def test_a_clause_before_the_question_word_tells_where_to_start() -> None:
    asked = parse("With the lid on the bench, what gets dipped?")
    assert [(clause.relation, clause.words) for clause in asked.clauses] == [("after", ("lid", "bench"))]
    assert "dipped" in asked.words


TIGHTEN = act("tighten", "bolt", ("with", "wrench"), ("with", "hand1"))
LIFT = act("lift", "crate", ("with", "hand1"), ("with", "hand2"))


def chosen(graph: ActionGraph, *candidates: str, item_id: str = "0") -> str:
    sample = SelectionSample(item_id=item_id, cluster="", context=(), graph=graph, candidates=candidates, position=0)
    return candidates["ABCDE".index(select(sample))]


def test_the_sentence_that_tells_more_of_the_graph_is_chosen() -> None:
    one_hand = ActionGraph(triplet for triplet in LIFT if triplet.target != "hand2")
    for graph, best, *others in (
        (TIGHTEN, "Then the bolts were tightened with a wrench.", "A wrench was dropped.", "He tightened his belt."),
        (LIFT, "She picks the crate up.", "She kicks the crate."),
        (TIGHTEN, "The bolt is made firm.", "The bolt is loosened."),
        (TIGHTEN, "The wrench turns the bolt.", "The wrench never turns the bolt."),
        (LIFT, "She raises the crate with both hands.", "She raises the crate."),
        (one_hand, "She raises the crate.", "She raises the crate with both hands."),
    ):
        assert chosen(graph, *others, best) == best == chosen(graph, best, *others)


def test_the_order_of_equal_candidates_changes_nothing_and_no_place_is_preferred() -> None:
    texts = ("It rains.", "It snows.", "It thunders.", "It clears.")
    for item_id in ("0", "1", "2"):
        assert len({chosen(LIFT, *order, item_id=item_id) for order in permutations(texts)}) == 1
    assert len({chosen(LIFT, *texts, item_id=str(number)) for number in range(40)}) == 4


TAKE = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "lid"), ("take", "off", "pan"))
GIVEN = Vocabulary(
    ("person", "hand1", "hand2", "lid", "pan", "cloth", "brush"),
    ("verb", "dobj", "with", "off", "from"),
    ("take", "wipe", "put", "brush"),
)


def source(sentence: str) -> GenerationSample:
    return generation(GIVEN, sentence, (TAKE,))


def test_hands_are_named_only_where_a_with_is_given() -> None:
    told = source("Take the lid off the pan.")
    common = {"item_id": "0", "cluster": "", "source": told}
    without = NodesSample(**common, labels=(("verb", "dobj", "off"),), nodes=())  # type: ignore[arg-type]
    assert nodes(without) == ["person", "lid", "pan"]
    assert "hand1" in nodes(replace(without, labels=(("verb", "dobj", "off", "with"),)))


def test_given_nodes_are_joined_by_what_the_sentence_says_of_them_or_by_usual_edges() -> None:
    asked: tuple[str, ...] = ("person", "hand1", "lid", "pan", "take")
    sample = EdgesSample(item_id="0", cluster="", source=source("Take the lid off the pan."), nodes=(asked,))
    assert joined(sample) == [ActionGraph([*TAKE, ("take", "with", "hand1")])]
    asked = ("person", "cloth", "hand2", "wipe")
    (graph,) = joined(EdgesSample(item_id="0", cluster="", source=source("So it goes."), nodes=(asked,)))
    assert set(graph) == {("person", "verb", "wipe"), ("wipe", "dobj", "cloth"), ("wipe", "with", "hand2")}


def test_the_action_is_the_node_that_is_nothing_but_a_verb() -> None:
    assert action_of(("person", "brush", "wipe", "lid"), GIVEN) == "wipe"
    assert action_of(("person", "brush", "lid"), GIVEN) == "brush"
    assert action_of(("person",), GIVEN) == "person"


def test_actions_are_told_in_order_and_as_often_as_they_are_counted() -> None:
    for sentence, expected in (
        ("Take the lid and wipe the pan.", ["take", "wipe"]),
        ("Wipe the pan three times.", ["wipe", "wipe", "wipe"]),
        ("Take the cloth, then wipe the pan twice.", ["take", "wipe", "wipe"]),
    ):
        sample = ActionsSample(item_id="0", cluster="", source=source(sentence), nodes=(), labels=(), actions=())
        assert actions(sample) == expected


def test_a_triplet_that_breaks_the_schema_is_turned_round_and_a_missing_person_added() -> None:
    for place in (0, 1):  # a preposition may be read both ways, so no rule sees it
        triplets = list(TAKE)
        triplets[place] = triplets[place].reversed
        assert mended(ActionGraph(triplets), GIVEN) == TAKE
    assert mended(ActionGraph(TAKE.triplets[1:]), GIVEN) == TAKE
