"""Properties of the lexicon for any words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.lexicon import bases, fold, forms, is_preposition, mentions, nearest, only_near, same_word, split_particle
from tsgkit.lexicon.inflection import family
from tsgkit.lexicon.irregular import IRREGULAR_FORMS

SPELT = st.text(st.sampled_from("abceghilnorstuy"), min_size=1, max_size=9)
KNOWN = st.sampled_from(sorted(IRREGULAR_FORMS))
WORDS = SPELT | KNOWN
NAMES = st.lists(WORDS, min_size=1, max_size=3).map("-".join)
ANYTHING = st.text() | st.text(st.sampled_from("aA-_ '\"`\n.,İΣß“‑up"), max_size=30)


@given(ANYTHING)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(ANYTHING)
def test_case_space_and_quotes_never_change_what_a_name_folds_to(text: str) -> None:
    assert fold(f' "{text}"') == fold(text)
    assert fold(text.replace("-", " _ ")) == fold(text)


@given(WORDS)
def test_every_form_leads_back_to_its_base(word: str) -> None:
    assert all(word in bases(form) for form in forms(word))


@given(WORDS)
def test_every_base_leads_to_the_form(word: str) -> None:
    assert all(word == base or word in forms(base) for base in bases(word))


@given(WORDS, WORDS)
def test_two_words_are_of_one_family_exactly_when_they_share_a_base(a: str, b: str) -> None:
    assert (b in family(a)) == bool(set(bases(a)) & set(bases(b)))


@given(ANYTHING | NAMES, ANYTHING | NAMES)
def test_being_the_same_word_is_symmetric(a: str, b: str) -> None:
    assert same_word(a, b) == same_word(b, a)


@given(ANYTHING)
def test_every_name_is_the_same_word_as_itself(text: str) -> None:
    assert same_word(text, text).by == "exact"


@given(NAMES, st.data())
def test_a_name_in_any_inflected_form_is_mentioned(name: str, data: st.DataObject) -> None:
    first, *rest = name.split("-")
    form = data.draw(st.sampled_from(sorted({first, *forms(first)})))
    text = f"Then you {form} {' '.join(rest)}, slowly."
    mention = mentions(text, name)
    assert mention is not None
    assert same_word(" ".join(text[start:end] for start, end in mention.spans), name)


@given(ANYTHING, ANYTHING | NAMES)
def test_the_spans_of_a_mention_are_the_words_of_the_name(text: str, name: str) -> None:
    mention = mentions(text, name)
    if mention:
        starts_and_ends = [place for span in mention.spans for place in span]
        assert starts_and_ends == sorted(starts_and_ends)
        assert starts_and_ends[-1] <= len(text)


@given(ANYTHING | NAMES)
def test_is_preposition_never_raises(label: str) -> None:
    is_preposition(label)
    parts = split_particle(label)
    assert parts is None or fold(label) == f"{parts.verb}-{parts.particle}"


@given(NAMES | ANYTHING, st.lists(NAMES | ANYTHING, max_size=8), st.floats(0, 1))
def test_suggestions_are_other_names_of_the_list_in_falling_order(name: str, names: list[str], least: float) -> None:
    found = nearest(name, names, limit=10, least=least)
    assert all(near.name in names and near.name != name for near in found)
    assert [near.score for near in found] == sorted((near.score for near in found), reverse=True)
    assert all(0 <= near.score <= 1 for near in found)
    assert len({near.name for near in found}) == len(found)


@given(NAMES, st.lists(NAMES, max_size=6))
def test_the_only_near_name_is_the_nearest(name: str, names: list[str]) -> None:
    near = only_near(name, names)
    assert near is None or near == nearest(name, names, limit=1)[0]
