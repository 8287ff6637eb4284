"""A review waits at every proposal, survives being left, and only what is accepted is done."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from spoken_models import graph

from tsgkit.agents.review import Review, before_and_after, decided, proposal
from tsgkit.cli import main
from tsgkit.cli.proposals import Proposed
from tsgkit.cli.review import shown_lines
from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph import ActionGraph
from tsgkit.graph.notation import arrow
from tsgkit.graph.repairs import Change, mend_graph

SLIP = graph("fill verb person; fill direct_object kettle; fill with hand1")
MENDED, CHANGES = mend_graph(SLIP)
PROPOSALS = [proposal(change, "0") for change in CHANGES]


def test_a_review_that_was_left_goes_on_and_refuses_what_is_no_decision(tmp_path: Path) -> None:
    for number in range(len(PROPOSALS)):
        with Review(tmp_path / "r", PROPOSALS) as review:
            assert review.pending == PROPOSALS[number]
            review.decide("accept")
    with Review(tmp_path / "r", PROPOSALS) as review:
        assert review.pending is None and [one["decision"] for one in review.decisions] == ["accept", "accept"]
    with Review(tmp_path / "r", []) as nothing:
        assert nothing.pending is None
    with Review(tmp_path / "r", PROPOSALS[:1]) as review:
        assert review.pending == PROPOSALS[0]
        for decision, after in (("maybe", None), ("edit", None), ("edit", ["a"])):
            with pytest.raises(UsageError):
                review.decide(decision, after)
        review.decide("edit", ["a", "b", "c"])
        with pytest.raises(UsageError, match="nothing left"):
            review.decide("accept")
    (tmp_path / "text").write_text("no database at all, but a text that is long enough to be told from one" * 20)
    with pytest.raises(FileProblem, match="no review can be kept here"):
        Review(tmp_path / "text", PROPOSALS)


def test_only_what_is_accepted_is_done_and_a_change_of_what_was_rejected_is_left_out() -> None:
    for decisions, result, made in [
        (["accept", "accept"], MENDED, 2),
        (["reject", "reject"], SLIP, 0),
        (["accept", "reject"], graph("person verb fill; fill direct_object kettle; fill with hand1"), 1),
        (["edit", "accept"], graph("person verb pour; fill dobj kettle; fill with hand1"), 2),
    ]:
        values = [{"decision": one, "after": ["person", "verb", "pour"]} for one in decisions]
        found, changes = decided(SLIP, MENDED, CHANGES, values)
        assert found == result and len(changes) == made, (decisions, result, made)
    [first, middle, end] = (graph(text).triplets[0] for text in ("a b c", "d e f", "g h i"))
    start = ActionGraph([first])
    steps = [Change(0, first, middle, "x", "y"), Change(0, middle, end, "x", "y")]
    rejected, accepted = ({"decision": one, "after": None} for one in ("reject", "accept"))
    assert decided(start, graph("g h i"), steps, [rejected, accepted]) == (start, ())
    assert before_and_after(start, steps, [rejected]) == (start, start)
    said = "\n".join(shown_lines(Proposed(steps[1], "tea", start, "", steps, 1), [rejected], "2 of 2"))
    assert "nothing would change" in said and "sentence: (none is known)" in said
    twice = graph("a b c; d e f; a b c")
    change = Change(0, twice.triplets[0], None, "duplicate", "it stands twice")
    lines = [line.strip() for line in shown_lines(Proposed(change, "0", twice, "", [change], 0), [], "1 of 1")]
    assert [line[:1] for line in lines if " -> " in line].count("-") == 1, "only the repeat is marked"


SHOWN = """2 of 2: item 0, graph 1 (exact)
  sentence: She fills it.
  before:
      fill -> verb -> person
    - fill -> direct_object -> kettle
      fill -> with -> hand1
  after:
      fill -> verb -> person
    + fill -> dobj -> kettle
      fill -> with -> hand1
  because: the edge is labelled direct_object [edge-misspelt]
  a accept, r reject, e edit, q stop and go on later:
"""


def test_a_person_sees_each_proposal_decides_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.txt").write_text(arrow.write([SLIP]))
    Path("story.txt").write_text("She fills it.\n")

    def typed(out: str, text: str, *more: str) -> int:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return main(["refine", "g.txt", "-o", out, "--review", *more])

    assert typed("shown.txt", "r\na\n", "--narrative", "story.txt") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("1 of 2: item 0, graph 1 (exact)\n") and SHOWN in shown
    assert Path("shown.txt").read_text() == "fill -> verb -> person\nfill -> dobj -> kettle\nfill -> with -> hand1\n"
    assert typed("out.txt", "what\na\nq\n") == 130
    assert not Path("out.txt").exists() and "the same command goes on" in capsys.readouterr().err
    assert typed("out.txt", "e\nno triplet\ne\nfill -> dobj -> cup\n") == 0
    assert Path("out.txt").read_text() == "person -> verb -> fill\nfill -> dobj -> cup\nfill -> with -> hand1\n"
    assert '"by": "reviewer"' in Path("out.txt.changes.jsonl").read_text()
    assert "because: the edge is labelled direct_object" in capsys.readouterr().out
    assert typed("out.txt", "") == 0, "all is decided, and what was written is written again"
    Path("g.txt").write_text(arrow.write([graph("pour verb person; pour dobj cup")]))
    capsys.readouterr()
    assert typed("out.txt", "a\n" * 5) == 2
    said = capsys.readouterr()
    assert "already here would be lost" in said.err and "1 of" not in said.out
    assert typed("out.txt", "a\n" * 5, "--force") == 0 and "pour" in Path("out.txt").read_text()
