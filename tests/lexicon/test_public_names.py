"""Public names of the package ``lexicon``."""

from __future__ import annotations

from tsgkit import lexicon


def test_every_offered_name_exists_and_is_listed_once_in_order() -> None:
    assert all(hasattr(lexicon, name) for name in lexicon.__all__)
    constants = [name for name in lexicon.__all__ if name.isupper()]
    others = [name for name in lexicon.__all__ if not name.isupper()]
    classes = [name for name in others if name[0].isupper()]
    functions = [name for name in others if name[0].islower()]
    assert lexicon.__all__ == sorted(set(constants)) + sorted(set(classes)) + sorted(set(functions))
