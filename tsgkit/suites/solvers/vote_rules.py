"""Rules by which a task puts answers to a vote: the answer that is given most often, or the parts that most have.

>>> plurality(["cup", "lid", "cup"]), plurality(["lid", "cup"])
('cup', 'lid')
>>> majority([["cup", "lid"], ["Cup"], ["lid", "CUP", "jar"]], key=str.lower)
['cup', 'lid']

A tie goes to the answer that was drawn first.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

Value = TypeVar("Value")


def plurality(answers: Sequence[Value], same: Callable[[Value, Value], bool] = operator.eq) -> Value:
    """Return the answer that is given most often, of equals the first; ``same`` is an equivalence of answers.

    ``same`` decides which answers are equal, since a formula may have many forms; the first form of the winner is
    returned.
    """
    groups: list[list[Value]] = []
    for answer in answers:
        group = next((one for one in groups if same(one[0], answer)), None)
        if group is None:
            groups.append([answer])
        else:
            group.append(answer)
    return max(groups, key=len)[0]


def majority(draws: Sequence[Iterable[Value]], key: Callable[[Value], Hashable]) -> list[Value]:
    """Return the parts that more than half of the draws have, as first written and in that order.

    Parts with the same key are equal; a draw with a part twice has one vote for it.
    """
    first: dict[Hashable, Value] = {}
    votes = Counter[Hashable]()
    for draw in draws:
        keyed = [(key(part), part) for part in draw]
        votes.update({known for known, _ in keyed})
        for known, part in keyed:
            first.setdefault(known, part)
    return [part for known, part in first.items() if votes[known] * 2 > len(draws)]
