"""Agents as solvers: what they leave of a sample and never make worse; and reviews of what they propose."""

from __future__ import annotations

import io
import itertools
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from doors import run
from spoken_models import L, Said, Spoken, arrows, graph
from tsg_tasks import draft_of, item, of_item, repairs_of, tsg_task

from tsgkit.agents import prompts
from tsgkit.agents.review import decided
from tsgkit.agents.solvers import AGENTS, passage_of, sentence_of, written
from tsgkit.cli import main
from tsgkit.cli.review import part_lines
from tsgkit.errors import UsageError
from tsgkit.graph import ActionGraph
from tsgkit.graph.hands import UNKNOWN
from tsgkit.graph.notation import arrow
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.graph.repairs import Change, mend_graph
from tsgkit.library.cards import load_card
from tsgkit.llm.failures import BudgetReached
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.pooling import Outcome
from tsgkit.serve.graph_review import Proposed
from tsgkit.suites.judgement import AnswerScores, Judged
from tsgkit.suites.solvers.factories import check_solver, factory_of, known_factories
from tsgkit.suites.solvers.prompt_files import Prompt
from tsgkit.suites.task import WriterInput, with_parts
from tsgkit.suites.transcript import LabelledReply as Told
from tsgkit.suites.transcript import Transcript
from tsgkit.suites.tsg.items import GenerationSample, RefineSample

TASK = tsg_task(load_card("tsg/ma-sgg"))
WORK = AGENTS.scorer("agent", TASK, "")
PICK = graph("person verb pick-up; pick-up dobj cup; pick-up with hand1")
FILL = graph("person verb fill; fill dobj kettle; fill with hand2")
ONE = item([FILL], "tea/0", "She fills the kettle.", vocabulary=L)
TWO = item([PICK, FILL], "tea/1", "She takes the cup and fills the kettle.", vocabulary=L)
WRITTEN: dict[str, Said] = {"write/1": arrows(PICK), "write/2": arrows(FILL)}
STEPS = WRITTEN | {"decompose": "take the cup\nfill the kettle", "look": "none"}
FAILED = Reply(None, Ending.API_ERROR, error="hung")


def solved(sample: GenerationSample | RefineSample, ask: Spoken, name: str = "agent") -> tuple[Transcript, Judged]:
    solver = AGENTS.solver(name, of_item(sample), None)
    transcript = run(solver.solve(sample, ask))
    return transcript, solver.judge(sample, transcript)


def f1(judged: Judged) -> float:
    value = judged.scores["strict"]["f1"].value
    assert value is not None
    return value


def test_a_sentence_is_taken_apart_written_checked_and_looked_at() -> None:
    ask = Spoken(STEPS)
    transcript, judged = solved(TWO, ask)
    assert ask.labels == ["decompose/1", "write/1", "write/2", "look/1"]
    assert f1(judged) == 1 and "official" not in judged.scores
    assert [one.label for one in transcript.said] == [*ask.labels, "local"]
    assert transcript.said[-1].reply.text == arrows(PICK, FILL)
    for end in range(1, len(transcript.said)):
        lacking = WORK.unfinished(Transcript(transcript.said[:end]))
        assert lacking == f"{end} calls are recorded, and agent had not come to its end"
    assert WORK.unfinished(transcript) == "" == WORK.unfinished(Transcript((Told("decompose/1", FAILED),)))
    transcript, judged = solved(TWO, ask := Spoken(STEPS), "agent:low")
    assert "look/1" not in ask.labels and f1(judged) == 1
    assert AGENTS.scorer("agent:low", TASK, "").judge(TWO, transcript).scores == judged.scores
    slip = graph("person verb fill; fill dobj kettel; fill with hand2")
    transcript, judged = solved(ONE, Spoken({"write": arrows(slip, FILL), "look/1": "graph 7: reversed: a -> b -> c"}))
    said = {one.label: one.reply.text for one in transcript.said}
    assert (said["changes"] or "").endswith("[out-of-vocabulary] (exact): kettel is not in L")
    assert judged.notes == ("write/1 brought 2 graphs", "a point about graph 7, which is not there")


def test_a_repair_is_told_what_its_prompt_tells_and_is_made_without_a_model_where_rules_suffice() -> None:
    made = {one.item_id: one for one in repairs_of(TWO, "refine-hinted")}
    first, second = made["tea/1/0/missing"], made["tea/1/1/several"]
    assert isinstance(first, RefineSample) and isinstance(second, RefineSample)
    told, later = passage_of(draft_of(first)), passage_of(draft_of(second))
    assert told.hints == ("missing",) and told.before == ()
    assert len(later.hints) == 2 and later.hands() == UNKNOWN
    assert passage_of(draft_of(replace(first, hinted=False))).hints == ()
    after_text = replace(TWO, context=("She comes in.",))
    assert sentence_of(draft_of(after_text)).passage(()).hands() == UNKNOWN
    [spoilt] = [one for one in repairs_of(ONE) if one.item_id == "tea/0/0/reversed"]
    assert isinstance(spoilt, RefineSample)
    turned = replace(spoilt, spoilt=graph("fill verb person; fill dobj kettle; fill with hand2"))
    ask = Spoken({})
    transcript, judged = solved(turned, ask, "agent:low")
    assert ask.asked == [] and f1(judged) == 1 and [one.label for one in transcript.said] == ["local", "changes"]
    [(right, wrong)] = [(one.reference, one.candidate) for one in spoilt.changes]
    ask = Spoken({"look/1": f"graph 1: mismatched: {wrong} => {right} (90)"})
    assert f1(solved(spoilt, ask)[1]) == 1


def test_a_call_that_fails_leaves_the_best_so_far_or_its_own_end_and_a_stopped_run_stops_the_sample() -> None:
    for label, said, outcome in (
        ("write/1", FAILED, Outcome.API_ERROR),
        ("decompose", Reply("a\nb", Ending.TRUNCATED), Outcome.TRUNCATED),
        ("decompose", Reply(None, Ending.REFUSED, refusal="no"), Outcome.REFUSED),
        ("decompose", Reply("", Ending.EMPTY), Outcome.EMPTY),
    ):
        transcript, judged = solved(TWO, Spoken({**STEPS, label: said}))
        assert judged.outcome == outcome and "local" not in [one.label for one in transcript.said], (label, outcome)
    says = STEPS | {"look/1": "graph 1: mismatched: pick-up -> dobj -> cup"}
    for label, graphs in (("write/2", 1), ("look/1", 2), ("look/2", 2)):
        _, judged = solved(TWO, Spoken(says | {label: FAILED}))
        assert judged.outcome == Outcome.ANSWERED and len(judged.answer) == graphs, label
        assert judged.notes[-1].startswith(f"ended: {label.partition('/')[0]}/"), label
        assert judged.notes[-1].endswith("brought no answer: api error: hung"), label
        with pytest.raises(BudgetReached):
            solved(TWO, Spoken(says | {label: BudgetReached("used up")}))


def test_what_is_asked_keeps_to_its_bounds_and_names_that_the_published_form_cannot_carry_come_back() -> None:
    turns = STEPS | {"look": "graph 1: mismatched: pick-up -> dobj -> cup", "decompose": "x"}
    repairs = list(repairs_of(TWO))
    says = (STEPS, turns, turns | {"write": "person -> verb -> dig"})
    for sample, name, said in itertools.product((ONE, TWO, repairs[0]), AGENTS.names, says):
        assert isinstance(sample, GenerationSample | RefineSample)
        least, most = AGENTS.solver(name, of_item(sample), None).expected(sample).calls
        solved(sample, ask := Spoken(said), name)
        assert least <= len(ask.asked) <= most, (sample.item_id, name, said)
    for name in ("a -> b", "- x", "two\nlines", '"quoted"', "Graph 2:"):
        graphs = (ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", name)), FILL)
        found = read_graphs(written(graphs), 2)
        assert isinstance(found, GraphAnswer) and len(found.graphs) == 2 and found.graphs[1] == FILL, name


@dataclass(frozen=True)
class Caption:
    item_id: str
    sentence: str
    cluster: str = ""
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)


CAPTIONS = with_parts(  # a task in which a caption becomes a graph with any names
    TASK,
    prompt=Prompt(task="theirs/captions", fields=lambda item: {}, length=lambda item: (10, 100)),
    read=lambda text, item: read_graphs(text, 1),
    score=lambda item, answer, given: AnswerScores({}, answer=[str(graph) for graph in answer.graphs]),
    draft=lambda item: WriterInput(sentence=item.sentence, begins=True),
)


def test_an_agent_does_any_task_that_can_be_drafted_and_no_other() -> None:
    with pytest.raises(UsageError, match="solver agent cannot do tsg/sgqa") as raised:
        check_solver("agent", tsg_task(load_card("tsg/sgqa")))
    assert "--task tsg/refine-hinted" in (raised.value.hint or "")
    for name, meant in (("agnet", "agent?"), ("agent:fast", "agent?")):
        with pytest.raises(UsageError, match=f"there is no solver {name}") as raised:
            factory_of(name)
        assert raised.value.hint == meant, name
    check_solver("agent", CAPTIONS)
    solver, ask = AGENTS.solver("agent", CAPTIONS, None), Spoken({"write/1": arrows(FILL), "look": "none"})
    item = Caption("0", "Somebody fills a kettle.")
    judged = solver.judge(item, run(solver.solve(item, ask)))
    assert ask.labels == ["write/1", "look/1"] and judged.answer == [str(FILL)]
    assert "Somebody fills a kettle." in ask.asked[0][1]
    assert solver.expected(item).calls[0] <= len(ask.asked) <= solver.expected(item).calls[1]


def test_a_family_of_another_package_joins_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    mine, low, medium, high = (AGENTS.solver(name, TASK, None) for name in AGENTS.names)
    before = mine.fingerprint
    assert before == medium.fingerprint and len({one.fingerprint for one in (low, medium, high)}) == 3
    monkeypatch.setattr("tsgkit.agents.solvers.fingerprint", lambda: prompts.fingerprint() + "!")
    assert mine.fingerprint != before, "prompts and effort are part of it"
    point = EntryPoint("mine", "tsgkit.agents.solvers:AGENTS", "tsgkit.solvers")
    monkeypatch.setattr("tsgkit.suites.solvers.factories.entry_points", lambda **_: [point])
    assert set(known_factories()) >= {"single", "vote", "agent", "mine"}
    with pytest.raises(UsageError, match="there is no solver mine:own"):
        factory_of("mine:own")  # it is asked whether it has this one, and has not


SLIP = graph("fill verb person; fill direct_object kettle; fill with hand1")
MENDED, CHANGES = mend_graph(SLIP)


def test_only_what_is_accepted_is_done_and_a_change_of_what_was_rejected_is_left_out() -> None:
    for decisions, result, made in [
        (["accept", "accept"], MENDED, 2),
        (["reject", "reject"], SLIP, 0),
        (["accept", "reject"], graph("person verb fill; fill direct_object kettle; fill with hand1"), 1),
        (["edit", "accept"], graph("person verb pour; fill dobj kettle; fill with hand1"), 2),
    ]:
        values = [{"choice": one, "edited": ["person", "verb", "pour"]} for one in decisions]
        found, changes = decided(SLIP, CHANGES, values)
        assert found == result and len(changes) == made, (decisions, result, made)
    [first, middle, end] = (graph(text).triplets[0] for text in ("a b c", "d e f", "g h i"))
    start = ActionGraph([first])
    steps = [Change(0, first, middle, "x", "y"), Change(0, middle, end, "x", "y")]
    rejected, accepted = ({"choice": one} for one in ("reject", "accept"))
    assert decided(start, steps, [rejected, accepted]) == (start, ())
    said = "\n".join(part_lines(Proposed(steps[1], "tea", start, "", steps, 1).parts([rejected])))
    assert "nothing would change" in said
    twice = graph("a b c; d e f; a b c")
    change = Change(0, twice.triplets[0], None, "duplicate", "it stands twice")
    lines = [line.strip() for line in part_lines(Proposed(change, "0", twice, "", [change], 0).parts([]))]
    assert [line[:1] for line in lines if " -> " in line].count("-") == 1, "only the repeat is marked"


SHOWN = """2 of 2: item 0, graph 1 (exact)
  She fills it.
  before:
      fill -> verb -> person
    - fill -> direct_object -> kettle
      fill -> with -> hand1
  after:
      fill -> verb -> person
    + fill -> dobj -> kettle
      fill -> with -> hand1
  findings afterwards:
    verb-source: verb starts at fill, not at person
    person-target: verb ends at person
    dobj-source: dobj starts at fill, which is not the graph's action (none)
    no-action: no triplet leads from person by verb to an action
  because: the edge is labelled direct_object [edge-misspelt]
  a accept, r reject, ? how to edit, q stop and go on later:
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
    assert typed("out.txt", "?\nno triplet\nfill -> dobj -> cup\na\n") == 0
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
