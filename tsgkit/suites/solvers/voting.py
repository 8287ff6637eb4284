"""Rules by which a task puts answers to a vote: the answer that is given most often.

>>> plurality(["cup", "lid", "cup"]), plurality(["lid", "cup"])
('cup', 'lid')

A tie goes to the answer that was drawn first.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TypeVar

Value = TypeVar("Value")


def plurality(answers: Sequence[Value], same: Callable[[Value, Value], bool] = operator.eq) -> Value:
    """Return the answer that is given most often, of equals the first; ``same`` is an equivalence of answers.

    A formula may be given in many forms, so that ``same`` decides which of them are one answer; the first form of the
    winner stands for it.
    """
    groups: list[list[Value]] = []
    for answer in answers:
        group = next((one for one in groups if same(one[0], answer)), None)
        if group is None:
            groups.append([answer])
        else:
            group.append(answer)
    return max(groups, key=len)[0]
