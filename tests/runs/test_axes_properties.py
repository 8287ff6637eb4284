"""Plans of single values, whatever these are: they are written as before there were several."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.runs.plan import Plan


@given(
    st.one_of(st.none(), st.integers(1, 50)),
    st.integers(),
    st.one_of(st.none(), st.text(min_size=1)),
)
def test_a_plan_of_single_values_is_written_as_before_there_were_several(
    shots: int | None, seed: int, prompts: str | None
) -> None:
    given_alone = Plan.model_validate({"shots": shots, "seed": seed, "prompts": prompts})
    written = given_alone.model_dump(mode="json")
    assert (written["shots"], written["seed"], written["prompts"]) == (shots, seed, prompts)
    assert Plan.model_validate(written) == given_alone
    listed = Plan.model_validate({"shots": [shots], "seed": [seed], "prompts": [prompts]})
    assert listed.model_dump(mode="json") == written
