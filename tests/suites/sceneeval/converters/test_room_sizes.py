"""Tables of the real sizes of rooms."""

from __future__ import annotations

import pytest

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.converters.room_sizes import room_sizes_of


def test_record_finds_its_room_by_its_whole_or_its_short_id() -> None:
    rows_0: list[str] = [
        "id,shorter_side\n0a1b_Bedroom-803,3.2\n",
        "id, length, width\nBedroom-803,4.0,3.2\n\n",
        '{"Bedroom-803": 3.2}',
        '{"0a1b_Bedroom-803": [4, 3.2]}',
        '{"Bedroom-803": {"corners": [[1, 1], [5, 1], [5, 4.2], [1, 4.2]]}}',
    ]
    rows_1: list[str] = ["0a1b_Bedroom-803", "Bedroom-803"]
    for text in rows_0:
        for record in rows_1:
            found = room_sizes_of(text, "sizes").of(record)
            assert found is not None, (text, record)
            assert found.shorter == pytest.approx(3.2), (text, record)


def test_short_id_of_several_rooms_finds_none() -> None:
    sizes = room_sizes_of('{"a_Bedroom-1": 3, "b_Bedroom-1": 4}', "sizes")
    assert sizes.of("Bedroom-1") is None
    assert [size.shorter for name in ("a", "b") if (size := sizes.of(f"{name}_Bedroom-1"))] == [3, 4]


def test_table_that_is_wrong_is_named_with_its_place() -> None:
    rows: list[tuple[str, str]] = [
        ("", "line 1: expected id,shorter_side or id,length,width"),
        ("room,size\n", "line 1: expected id,shorter_side or id,length,width, found 'room,size'"),
        ("id,shorter_side\n", "no sizes of rooms in it"),
        ("id,shorter_side\na,wide\n", "line 2: 'wide' is no size of a room; expected a number of metres"),
        ("id,length,width\na,3\n", "line 2: '3' is no size of a room"),
        ("id,shorter_side\na,3\na,4\n", "line 3: the id is there twice"),
        ("id,shorter_side\na,-1\n", "line 2: -1.0 is no size"),
        ("id,shorter_side\na,nan\n", "line 2: nan is no size"),
        ("[1]", "expected a JSON object"),
        ('{"a": true}', "'a': True is no size"),
        ('{"a": [1, 2, 3]}', "is no size"),
        ('{"a": {"corners": [[0, 0], [1, 1], [2, 2]]}}', "is no size"),
        ('{"a": {"corners": [[0, 0], [1, "x"], [2, 0]]}}', "is no size"),
        ("{", "line 1: broken JSON"),
    ]
    for text, said in rows:
        with pytest.raises(FileProblem) as refused:
            room_sizes_of(text, "sizes.csv")
        assert str(refused.value).startswith("sizes.csv: "), text
        assert said in str(refused.value), text
