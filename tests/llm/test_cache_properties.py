"""Any difference in what could change a reply is a difference of keys."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis")

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.llm.cache import cache_key, canonical
from tsgkit.llm.reply import Attempt, Ending, Reply, Usage, reply_from, reply_value

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=3), part, max_size=3),
    max_leaves=6,
)
BODY = st.dictionaries(st.text(max_size=5), JSON, max_size=4)
ASKED = st.tuples(st.text(), BODY, st.text())
COUNT = st.none() | st.integers(0, 10**9)


@given(ASKED, ASKED)
def test_two_keys_are_equal_only_where_everything_is(
    one: tuple[str, dict[str, object], str], other: tuple[str, dict[str, object], str]
) -> None:
    assert (cache_key(*one) == cache_key(*other)) == (canonical(one) == canonical(other))


@given(ASKED, st.text(min_size=1), st.text(max_size=5), JSON)
def test_every_change_changes_the_key(
    asked: tuple[str, dict[str, object], str], more: str, name: str, value: object
) -> None:
    endpoint, body, draw = asked
    key = cache_key(endpoint, body, draw)
    assert key == cache_key(endpoint, dict(reversed(body.items())), draw)
    assert key != cache_key(endpoint + more, body, draw)
    assert key != cache_key(endpoint, body, draw + more)
    if name not in body or canonical(body[name]) != canonical(value):
        assert key != cache_key(endpoint, body | {name: value}, draw)


@given(
    st.none() | st.text(),
    st.sampled_from(Ending),
    st.builds(Usage, COUNT, COUNT, COUNT, COUNT, st.none() | st.floats(0, 10)),
    st.lists(st.builds(Attempt, st.floats(0, 9), st.none() | st.text(), st.none() | st.integers(400, 599))),
    st.none() | st.text(),
)
def test_a_reply_that_is_written_down_comes_back_as_it_was(
    text: str | None, ending: Ending, usage: Usage, attempts: list[Attempt], error: str | None
) -> None:
    reply = Reply(text, ending, usage=usage, attempts=tuple(attempts), error=error, status=429, seconds=1.5)
    assert reply_from(reply_value(reply)) == reply
