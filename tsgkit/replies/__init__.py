"""Readers of model replies that do not depend on the task. They are pure and shared by all suites.

>>> from tsgkit.replies.choices import choice
>>> reply = "<think>It could be [A].</think>The pan is lifted first.\\n**Answer:** (C), since [A] comes later"
>>> found = choice(reply, {"A": "", "B": "", "C": ""})
>>> found.value, reply[found.start : found.end]
('C', 'C')
>>> choice("Answer: A\\nAnswer: C", {"A": "", "B": "", "C": ""})
Unreadable(reason='two answers: A, C')

One module for each habit of models: ``reasoning`` (think blocks, closed or not), ``fences``, ``sections`` (answer
labels), ``characters`` (full-width and styled letters, formatting marks), ``denial`` (what is named only to turn it
down), ``corrections``, ``tables`` (answers and verdicts in them), ``near_json`` (values that are almost JSON),
``choices`` (one of n options), ``numbered_answers`` (answers to several questions), ``words`` (one name), ``lists``
(names) and ``tuples`` (of names). A wrong reading is worse than none: if the best kind of evidence contradicts itself,
a reply is :class:`Unreadable`. No text makes a reader raise, and every reader takes linear time.
"""

from __future__ import annotations

from tsgkit.replies.spans import Part, Read, Unreadable

__all__ = ["READER", "Part", "Read", "Unreadable"]

READER = 3
"""Version of the readers, stored in every run."""
