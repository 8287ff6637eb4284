"""The random baseline: what it may say, and that nothing but seed and item id moves it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tsg_tasks import guess

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.suites.tsg.items import AnySample, GenerationSample, QuestionSample, SelectionSample

POUR = ActionGraph.of(
    ("person", "verb", "pour"), ("pour", "dobj", "water"), ("pour", "from", "kettle"), ("pour", "with", "hand1")
)
L = Vocabulary(("person", "hand1", "hand2", "water", "kettle"), ("verb", "dobj", "with", "from"), ("pour", "lift"))


def selection(item_id: str, candidates: int = 5) -> SelectionSample:
    texts = tuple(f"Candidate {number}." for number in range(candidates))
    return SelectionSample(item_id=item_id, cluster="", context=(), graph=POUR, candidates=texts, position=0)


def question(item_id: str) -> QuestionSample:
    return QuestionSample(item_id=item_id, cluster="", graphs=(POUR, POUR), question="What?", answer="water")


def generation(item_id: str, vocabulary: Vocabulary = L, k: int = 2) -> GenerationSample:
    return GenerationSample(
        item_id=item_id, cluster="", context=(), sentence="", vocabulary=vocabulary, references=(POUR,) * k
    )


def test_letters_are_drawn_evenly_from_the_candidates_there_are() -> None:
    drawn = Counter(guess(selection(str(number), candidates=4)) for number in range(4000))
    assert set(drawn) == {"[A]", "[B]", "[C]", "[D]"}
    assert all(900 < count < 1100 for count in drawn.values())


def test_an_answer_is_any_thing_of_the_graphs_and_no_action_hand_or_person() -> None:
    assert {guess(question(str(number))) for number in range(50)} == {"[water]", "[kettle]"}
    assert guess(QuestionSample(item_id="0", cluster="", graphs=(), question="What?", answer="water")) == "[person]"


def test_a_draw_depends_on_the_seed_and_the_item_id_alone() -> None:
    makers: tuple[Callable[[str], AnySample], ...] = (selection, question, generation)
    for make in makers:
        samples = [make(str(number)) for number in range(30)]
        drawn = [guess(sample, 1) for sample in samples]
        assert len(set(drawn)) > 1
        assert drawn != [guess(sample, 2) for sample in samples]
        assert drawn[::-1] == [guess(sample, 1) for sample in reversed(samples)]


def test_an_l_without_with_names_no_hands_and_one_that_names_nothing_to_do_has_no_graph() -> None:
    texts = {guess(generation(str(number), Vocabulary(("cup",), ("on",), ("lift",)))) for number in range(20)}
    assert all("hand" not in text for text in texts)
    assert guess(generation("0", Vocabulary(relationships=("with",)))) == ""
