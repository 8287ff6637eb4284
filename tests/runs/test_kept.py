"""A run shows its results anywhere: without its data or the code of its tasks, and packed as one file."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import stat
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
from run_files import contents, everything, lines, project_with_card, write_lines
from shipped import DATA, TASKS

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import FileProblem, Lacking, UsageError
from tsgkit.report.comparison import compare
from tsgkit.report.explanation import explain
from tsgkit.report.report_rows import gather
from tsgkit.runs import archives
from tsgkit.runs.archives import pack, unpack
from tsgkit.runs.evaluation import RunOptions, evaluate
from tsgkit.runs.kept import keeps_rows
from tsgkit.runs.plan import Plan, load_plan
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.runs.shard_merge import merge
from tsgkit.runs.shards import Shard


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Twelve rows that will not lie there any more when the run is read."""
    file = tmp_path / "data" / "rows.jsonl"
    file.parent.mkdir()
    text = (DATA / "sgds.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(text[:12]), encoding="utf-8")
    return file


def asked(out: Path, *, keep_data: bool = True, shard: Shard | None = None, **settings: Any) -> Path:  # noqa: ANN401
    plan = Plan.model_validate({"tasks": ("tsg/sgds",), "models": ("baseline/rules",)} | settings)
    return evaluate(plan, RunOptions(out=out, keep_data=keep_data, shard=shard)).path


def say_nothing_right(file: Path) -> None:
    """Write a script that answers every question alike."""
    found = lines(DATA / "sgqa.jsonl")
    ids = [f"{row['item_id']}/q{number}" for row in found for number in range(len(row["qa_pairs"]))]
    write_lines(file, [{"item_id": name, "reply": "[A]"} for name in ids])


def figures(run: Path) -> list[tuple[str, Any]]:
    return [(row.task, row.board) for row in gather([run], metrics="all").rows]


def manifest(run: Path) -> Any:  # noqa: ANN401
    return json.loads((run / "asked/asked.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("choice", [{}, {"limit": 5}, {"first": 3}])
def test_a_run_is_read_where_its_data_are_not(choice: dict[str, Any], rows: Path, tmp_path: Path) -> None:
    run = asked(tmp_path / "run", data=str(rows), **choice)
    before, item = figures(run), lines(run / "samples.jsonl")[0]["item_id"]
    assert manifest(run)["tasks"]["tsg/sgds"]["card"]["source"] == "tasks/tsg/sgds.yaml", "the same on every machine"
    kept = (run / "asked/rows/tsg/sgds.jsonl").read_bytes()
    assert len(kept.splitlines()) == next(iter(choice.values()), 12)
    if "limit" not in choice:
        assert rows.read_bytes().startswith(kept), "only rows that were asked are kept, as they were"
    ids = {"ids": [one["item_id"] for one in lines(run / "samples.jsonl")]} if choice else {}
    assert manifest(run)["tasks"]["tsg/sgds"]["rows"] == {
        "file": "rows/tsg/sgds.jsonl", "sha256": hashlib.sha256(kept).hexdigest(), **ids,
    }  # fmt: skip
    shown = explain(run, item).rows[0]
    rows.unlink()
    run = run.rename(run.with_name("elsewhere"))
    assert figures(run) == before
    again = explain(run, item).rows[0]
    assert (again.item, again.judged, again.changed) == (shown.item, shown.judged, "")
    rescored = Rescoring(run).carry_out()
    assert rescored.before == rescored.after and figures(run) == before
    [row] = gather([run]).rows
    header = json.loads((run / "run.json").read_text())
    assert (row.data, row.data_sha256) == (str(rows), header["asked"]["data"]["tsg/sgds"])


def test_rows_that_are_known_by_their_number_are_kept_with_all_others(rows: Path, tmp_path: Path) -> None:
    write_lines(rows, [{name: part for name, part in one.items() if name != "item_id"} for one in lines(rows)])
    run = asked(tmp_path / "run", data=str(rows), limit=4)
    before = figures(run)
    assert (run / "asked/rows/tsg/sgds.jsonl").read_bytes() == rows.read_bytes()
    rows.unlink()
    assert figures(run.rename(run.with_name("elsewhere"))) == before


@pytest.mark.parametrize(
    ("task", "subject"),
    [
        ("tsg/sgqa", "baseline/rules"), ("tsg/refine", "baseline/rules"), ("tsg/nodes-ma", "baseline/rules"),
        ("formalimg/layout", "baseline/solver"), ("spatialgen/questions", "baseline/constant:A"),
        ("sceneeval/plausibility", ""),
    ],
)  # fmt: skip
def test_rows_of_every_suite_are_read_again_from_what_is_kept(task: str, subject: str, tmp_path: Path) -> None:
    shutil.copy(TASKS / "sceneeval/data/annotations.csv", "mine.csv")
    shutil.copytree(TASKS / "sceneeval/data/rooms/good", "rooms")
    chosen: dict[str, Any] = {"models": (), "scenes": ("mine=rooms",), "data": "mine.csv"}
    if subject:
        chosen = {"models": (subject,)}
    run = asked(tmp_path / "run", tasks=(task,), limit=3, **chosen)
    before = figures(run)
    Path("mine.csv").unlink()
    reopened = open_saved_run(run)
    [row] = reopened.prepared.rows
    reopened.samples.close()
    assert row.dataset.sha256 == json.loads((run / "run.json").read_text())["asked"]["data"][task]
    ids = [row.dataset.sample(number).item_id for number in row.numbers]
    assert ids == [one["item_id"] for one in lines(run / "samples.jsonl")] and len(ids) == 3
    assert [one.changed for item_id in ids for one in explain(run, item_id).rows] == [""] * 3
    rescored = Rescoring(run).carry_out()
    assert rescored.before == rescored.after and figures(run) == before


def test_cards_prompts_examples_and_plan_lie_in_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project_with_card("tsg/sgqa", "title:", "# mine\ntitle:", tmp_path)
    mine = tmp_path / "prompts/tsg/sgqa/statement.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("Answer in one word.\n", encoding="utf-8")
    say_nothing_right(tmp_path / "said.jsonl")
    plan: dict[str, Any] = {"tasks": ["tsg/sgqa"], "models": ["script:said.jsonl"], "styles": ["few-shot"], "limit": 2}
    home = asked(tmp_path / "run", **plan) / "asked"
    assert "# mine" in (home / "tasks/tsg/sgqa.yaml").read_text(encoding="utf-8")
    assert (home / "prompts/tsg/sgqa/statement.txt").read_text(encoding="utf-8") == "Answer in one word.\n"
    assert (home / "prompts/tsg/shared/examples.txt").is_file()
    assert (home / "tasks/tsg/data/few-shot/sgqa.jsonl").is_file()
    plain = asked(tmp_path / "plain", tasks=("tsg/sgqa",), limit=2) / "asked"
    assert not (plain / "prompts").exists() and not (plain / "tasks/tsg/data").exists(), "nobody was asked"
    (tmp_path / "own/tsg/sgqa").mkdir(parents=True)
    (tmp_path / "own/tsg/sgqa/statement.txt").write_text("Two words.\n", encoding="utf-8")
    sets = asked(tmp_path / "sets", **plan, prompts=["own", None]) / "asked/prompt-sets"
    found = {file.parts[-4]: file.read_text(encoding="utf-8") for file in sets.rglob("sgqa/statement.txt")}
    assert found == {"1-own": "Two words.\n", "2-default": "Answer in one word.\n"}
    monkeypatch.chdir(home)
    assert load_plan("run") == plan


def test_a_card_of_ones_own_is_needed_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project_with_card("tsg/sgqa", "title:", "title:", tmp_path / "mine")
    (tmp_path / "mine/tasks/tool").mkdir()
    (tmp_path / "mine/tasks/tsg/sgqa.yaml").rename(tmp_path / "mine/tasks/tool/tool.yaml")
    monkeypatch.chdir(tmp_path / "mine")
    run = asked(tmp_path / "run", tasks=("tool/tool",), limit=4)
    before = figures(run)
    monkeypatch.chdir(tmp_path)
    assert figures(run) == before
    assert len(compare([run, run], metric="exact_match").pairs) == 1
    for more in (["--by", "k", "--fail-under", "tool/tool.exact_match=0"], ["--against", "published"]):
        assert main(["report", str(run), *more]) == 0
    assert main(["samples", str(run)]) == 0


def test_rows_are_not_kept_where_they_are_not_to_be(rows: Path, tmp_path: Path) -> None:
    run = asked(tmp_path / "run", data=str(rows), keep_data=False)
    assert not keeps_rows(run)
    described = manifest(run)["tasks"]["tsg/sgds"]
    assert (described["rows"], described["numbers"], described["package"], described["code"]) == (
        None, list(range(12)), "tsgkit", [],
    )  # fmt: skip
    assert rows.read_bytes()[200:240] not in everything(run / "asked")
    before = figures(run)
    asked(run, data=str(rows))
    assert not (run / "asked/rows").exists(), "a run that began without its rows stays without"
    rows.rename(away := rows.with_name("away.jsonl"))
    with pytest.warns(Lacking, match="its rows were not kept: --data D"):
        assert figures(run) == before
    with pytest.warns(Lacking):
        assert explain(run, lines(run / "samples.jsonl")[0]["item_id"]).rows[0].judged.scores["strict"]
    with pytest.raises(UsageError, match="cannot be scored again here: its rows were not kept"):
        Rescoring(run).carry_out()
    assert open_saved_run(run, str(away)).prepared.lacking == {}


def capitals() -> tk.Task:
    cities = {"France": "Paris", "Spain": "Madrid", "Chile": "Santiago"}
    rows = [{"item_id": name, "answer": city, "sea": "yes"} for name, city in cities.items()]
    return tk.Task("my/capitals", rows, "What is the capital of {item_id}?", by="sea")


def forget_what_was_given() -> None:
    """Be a process that was given no task, metric or solver."""
    from tsgkit.library import cards
    from tsgkit.suites import suite
    from tsgkit.suites.solvers import factories

    for given in (cards._GIVEN, suite._GIVEN, suite._METRICS, factories._GIVEN):
        given.clear()
    factories.factory_of.cache_clear()


@pytest.mark.usefixtures("nothing_else_given")
def test_a_task_of_a_program_is_shown_without_the_program_and_not_merged(tmp_path: Path) -> None:
    run, *shards = (
        tk.evaluate(capitals(), model=lambda _: "Answer: [Paris]", out=tmp_path / "run", shard=shard, quiet=True).path
        for shard in (None, "1/2", "2/2")
    )
    before, shown = figures(run), explain(run, "Spain").rows[0]
    forget_what_was_given()
    with pytest.raises(UsageError, match="my/capitals: cannot be merged here: its code is not here"):
        merge(shards, tmp_path / "merged")
    assert not list(tmp_path.glob("*merged*"))
    with pytest.warns(Lacking, match="my/capitals: shown as recorded: its code is not here"):
        assert figures(run) == before
    with pytest.warns(Lacking):
        again = explain(run, "Spain").rows[0]
    assert again.judged.scores["strict"]["correct"].value == shown.judged.scores["strict"]["correct"].value == 0.0
    assert [one.reply.text for one in again.calls] == ["Answer: [Paris]"]
    said = (again.row.task.view.question(again.item), again.row.task.view.reference(again.item))
    assert said == ("What is the capital of Spain?", "Madrid")
    for command, *more in (
        ["report", "--by", "sea"], ["samples"], ["explain", "--item", "Spain"], ["report", "-o", "page.html"],
    ):  # fmt: skip
        assert main([command, str(run), *more]) == 0
    with pytest.raises(UsageError, match="cannot be scored again here"):
        Rescoring(run).carry_out()
    assert [one["parts"]["strict"]["correct"] for one in lines(run / "samples.jsonl")] == [[1, 1], [0, 1], [0, 1]]


@pytest.mark.usefixtures("nothing_else_given")
def test_the_file_whose_code_is_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(
        'import tsgkit as tk\n\n@tk.metric("tsg/sgqa")\ndef letters(item, answer):\n    return len(answer or "")\n'
        '\n@tk.solver("twice")\nasync def twice(prompt, ask):\n    return await ask(prompt, "answer")\n'
    )
    say_nothing_right(tmp_path / "said.jsonl")
    words = ["eval", "--code", "mine.py", "--task", "sgqa", "--model", "script:said.jsonl", "--solver", "twice"]
    assert main([*words, "--limit", "3", "--out", "run", "--quiet"]) == 0
    forget_what_was_given()
    capsys.readouterr()
    assert main(["report", "run", "--metrics", "all"]) == 0
    said = capsys.readouterr()
    assert "letters" in said.out
    assert "tsg/sgqa: twice zero-shot: shown as recorded" in said.err
    assert "tsg/sgqa: letters: shown as recorded: its code is not loaded: --code mine.py" in said.err
    assert main(["explain", "run", "--item", lines(tmp_path / "run/samples.jsonl")[0]["item_id"]]) == 0


def test_kept_rows_that_were_changed_are_refused_and_missing_ones_kept_when_the_run_goes_on(
    rows: Path, tmp_path: Path
) -> None:
    run = asked(tmp_path / "run", data=str(rows))
    shutil.rmtree(run / "asked")
    with pytest.raises(FileProblem, match=r"asked\.json: no such file"):
        figures(run)
    assert asked(run, data=str(rows)) == run
    assert keeps_rows(run) and (run / "asked/rows/tsg/sgds.jsonl").read_bytes() == rows.read_bytes()
    kept = run / "asked/rows/tsg/sgds.jsonl"
    kept.write_text(kept.read_text(encoding="utf-8").replace("hand1", "hand2", 1), encoding="utf-8")
    with pytest.raises(FileProblem, match="not the rows that were kept"):
        figures(run)
    assert open_saved_run(run, str(rows)).prepared.rows, "the data themselves are taken where they are named"
    kept.unlink()
    with pytest.raises(FileProblem, match="cannot be read: No such file"):
        figures(run)


def test_a_broken_list_of_what_is_kept_is_an_error_in_one_line(rows: Path, tmp_path: Path) -> None:
    run = asked(tmp_path / "run", data=str(rows))
    file, good = run / "asked/asked.json", manifest(run)
    rows.unlink()
    described = good["tasks"]["tsg/sgds"]
    broken: list[tuple[object, str]] = [
        ([], "another format than 1"), ({}, "another format than 1"), ({"format": 2}, "another format than 1"),
        ({"format": 1}, "not what a run has there"), (good | {"unpublished": []}, "not what a run has there"),
        (good | {"tasks": {"tsg/sgds": []}}, "not what a run has there"),
        (good | {"tasks": {"../../../mine": described}}, "not what a run has there"),
        (good | {"tasks": {"tsg/sgds": {}}}, "no such file"), (good | {"tasks": {}}, "tasks: there is no tsg/sgds"),
    ]  # fmt: skip
    names = ("../../etc/passwd", "/etc/passwd", "rows/../../../etc/passwd.jsonl", "rows/x.sh", "x")
    entries = ([], {"file": 1}, *({**described["rows"], "file": name} for name in names))
    of_rows = [good | {"tasks": {"tsg/sgds": described | {"rows": entry}}} for entry in entries]
    broken += [(value, "no name of a file of rows") for value in of_rows]
    for text, message in (("", "not JSON"), *((json.dumps(value), message) for value, message in broken)):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match=message):
            figures(run)
    file.write_text(json.dumps(good), encoding="utf-8")
    for changed in (run / "run.json", file):
        text = changed.read_text(encoding="utf-8")
        changed.write_text(text.replace('"tsg/sgds"', '"../../../mine"'), encoding="utf-8")
    (tmp_path / "mine.yaml").write_text("secret: 1\n", encoding="utf-8")
    with pytest.raises(FileProblem, match="not what a run has there") as problem:
        figures(run)
    assert "secret" not in str(problem.value)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("packed") / "run"
    evaluate(Plan(tasks=("tsg/sgqa", "tsg/sgds"), models=("baseline/rules",), limit=4), RunOptions(out=out))
    return out


@pytest.fixture
def archive(run: Path, tmp_path: Path) -> Path:
    return pack(run, tmp_path / "run.zip").path


def boards(run: Path) -> list[Any]:
    return [row.board for row in gather([run]).rows]


def test_a_packed_run_is_the_same_run_again_without_what_is_no_part_of_it(run: Path, tmp_path: Path) -> None:
    packed = pack(run, tmp_path / "run.zip")
    size = packed.path.stat().st_size
    assert (packed.left_out, packed.files, packed.bytes) == ((), len(contents(run)), size)
    assert unpack(packed.path, tmp_path / "new") == json.loads((run / "run.json").read_text())
    assert contents(tmp_path / "new") == contents(run) and boards(tmp_path / "new") == boards(run)
    (run / "notes.txt").write_text("mine", encoding="utf-8")
    (run / ".hidden").touch()
    (run / "link.jsonl").symlink_to("/etc/passwd")
    try:
        again = pack(run, tmp_path / "again.zip")
    finally:
        for name in ("notes.txt", ".hidden", "link.jsonl"):
            (run / name).unlink()
    assert again.left_out == ("link.jsonl", "notes.txt")
    assert again.path.read_bytes() == packed.path.read_bytes(), "the same run makes the same archive"
    ids = [row["item_id"] for row in lines(DATA / "sgds.jsonl")]
    for place in (run, tmp_path / "new"):
        tk.export(place, to="csv", path=tmp_path / f"tables of {place.name}")
        with (tmp_path / f"tables of {place.name}/samples.csv").open(encoding="utf-8", newline="") as stream:
            rows = [row for row in csv.DictReader(stream) if row["task"] == "tsg/sgds"]
        places = [int(row["number"]) for row in rows]
        assert places == [ids.index(row["item_id"]) for row in rows] and len(rows) == 4, "whatever rows are kept"


def test_nothing_is_written_over(run: Path, archive: Path, tmp_path: Path) -> None:
    assert (pack(run, archive).path, stat.S_IMODE(archive.stat().st_mode)) == (archive, 0o644), "the same is no loss"
    archive.write_text("mine", encoding="utf-8")
    with pytest.raises(FileProblem, match="already here would be lost"):
        pack(run, archive)
    assert archive.read_text(encoding="utf-8") == "mine"
    pack(run, archive, force=True)
    for place in (tmp_path / "new", archive):
        (tmp_path / "new").mkdir(exist_ok=True)
        (tmp_path / "new" / "file").touch()
        with pytest.raises(UsageError, match="something lies there already"):
            unpack(archive, place)
    with pytest.raises(UsageError, match="lies in the run itself"):
        pack(run, run / "x.zip")


FILE = stat.S_IFREG | 0o644


@pytest.mark.parametrize(
    ("names", "mode", "message"),
    [
        *(
            ((name,), FILE, "no file of a run")
            for name in (
                "../outside.txt", "asked/rows/../../../outside.jsonl", "/outside.jsonl", "C:outside.jsonl",
                "asked\\rows\\..\\outside.jsonl", "setup.py", "asked/eval/plans/x.sh", "asked/rows/\x1b[2J.jsonl",
                "asked/rows", "asked/other/x.jsonl", ".git/hooks/post-checkout", "asked/rows/.x.jsonl", "asked/x.json",
            )
        ),
        (("asked/rows/run.jsonl",), stat.S_IFLNK | 0o777, "no file of a run"),
        (("asked/rows/run.jsonl",), stat.S_IFIFO | 0o644, "no file of a run"),
        (("asked/rows/a.jsonl", "asked/rows/A.jsonl"), FILE, "occurs twice"),
    ],
    ids=str,
)  # fmt: skip
def test_an_archive_with_anything_but_a_run_is_refused_whole(
    names: tuple[str, ...], mode: int, message: str, archive: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(archive, "a") as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zipfile notices what occurs twice too
        for name in names:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            opened.writestr(entry, b"/etc/passwd")
    with pytest.raises(FileProblem, match=message) as problem:
        unpack(archive, tmp_path / "inner" / "new")
    assert problem.value.message.isprintable()
    assert [path.name for path in tmp_path.iterdir()] == ["run.zip"], "nothing is left of it"


def test_an_archive_that_unpacks_to_too_much_is_refused(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = zipfile.ZipFile(archive).infolist()
    exactly = sum(entry.file_size for entry in entries)
    monkeypatch.setattr(archives, "MOST_FILES", len(entries))
    unpack(archive, tmp_path / "fits", most=exactly)
    with pytest.raises(FileProblem, match=r"would be 0\.0 GiB, more than 0\.0"):
        unpack(archive, tmp_path / "new", most=exactly - 1)
    monkeypatch.setattr(archives, "MOST_FILES", len(entries) - 1)
    with pytest.raises(FileProblem, match="files are in it; a run has at most"):
        unpack(archive, tmp_path / "new")
    monkeypatch.undo()
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("asked/rows/zeros.jsonl", b"\0" * 1_000_000)
    archive.write_bytes(archive.read_bytes().replace((1_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    with pytest.raises(FileProblem, match=r"is larger than the archive says|is damaged"):
        unpack(archive, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_archive_that_was_cut_off_damaged_or_claims_another_form_is_an_error_in_one_line(
    archive: Path, tmp_path: Path
) -> None:
    whole = archive.read_bytes()
    zeros = bytearray(whole)
    place = whole.index(b"samples.jsonl") + 40
    zeros[place : place + 30] = bytes(30)
    rows: list[tuple[bytes, str]] = [
        (bytes(zeros), r"samples\.jsonl: is damaged"), (b"", "no archive of a run"), (b"PKx", "its end is"),
        *((whole[:left], "no archive of a run") for left in (1, 100, 3000, -1, -30)),
    ]  # fmt: skip
    for offset, value in ((4, 99), (9, 0x40), (8, 14), (8, 12)):  # another version, other flags, as LZMA, as bzip2
        data = bytearray(whole)
        for signature, more in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
            data[data.index(signature) + offset + more] = value
        rows.append((bytes(data), "run.zip"))
    encrypted = bytearray(whole)
    encrypted[whole.index(b"PK\x01\x02") + 8] |= 1
    rows.append((bytes(encrypted), "is encrypted"))
    for data_of, message in rows:
        archive.write_bytes(data_of)
        with pytest.raises(FileProblem, match=message) as problem:
            unpack(archive, tmp_path / "new")
        assert "\n" not in problem.value.message and "cannot be written" not in problem.value.message, message
        assert [path.name for path in tmp_path.iterdir()] == ["run.zip"], message
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("calls.jsonl", "")
    none = ((archive, "holds no run: "), (tmp_path, "this is a folder"), (tmp_path / "x", "no such file"))
    for file, message in none:
        with pytest.raises(FileProblem, match=message):
            unpack(file, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_runs_are_packed_and_unpacked_by_command_also_where_one_is(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", "pack", str(run), "-o", "mine.zip"]) == 0
    assert main(["runs", "unpack", "mine.zip"]) == 0
    assert "its table: tsgkit report runs/mine" in capsys.readouterr().out
    assert main(["runs", "unpack", "mine.zip"]) == 2
    monkeypatch.chdir("runs/mine")
    assert main(["runs", "pack", "."]) == 0
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert main(["runs", "unpack", "../runs/mine.zip", "-o", "."]) == 0
    assert contents(tmp_path / "empty") == contents(run)


def test_without_data_neither_rows_nor_prompts_nor_examples_nor_references_are_in_an_archive(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine/tsg/sgqa/statement.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("PRIVATE WORDS", encoding="utf-8")
    shown = tk.evaluate(
        "sgqa", model=lambda _: "[cup]", style="few-shot", shots=2, limit=3, prompts=str(tmp_path / "mine"),
        out=tmp_path / "shown", cache=False, quiet=True,
    ).path  # fmt: skip
    assert b"PRIVATE WORDS" in everything(shown / "asked")
    new = tmp_path / "new"
    unpack(pack(shown, tmp_path / "shown.zip", data=False).path, new)
    assert sorted(contents(new)) == [
        "asked/asked.json", "asked/eval/plans/run.yaml", "asked/items/tsg/sgqa.jsonl", "asked/tasks/tsg/sgqa.yaml",
        "calls.jsonl", "prompts.jsonl", "run.json", "samples.jsonl",
    ]  # fmt: skip
    assert b"PRIVATE WORDS" not in everything(new)
    assert {one["evidence"] for one in lines(new / "samples.jsonl")} == {None}
    assert all(one["messages"] == [] for one in lines(new / "prompts.jsonl")) and lines(new / "prompts.jsonl")
    assert boards(new) == boards(shown)
    first = lines(new / "samples.jsonl")[0]["item_id"]
    for words in (["report"], ["samples"], ["explain", "--item", first]):
        assert main([words[0], str(new), *words[1:]]) == 0, capsys.readouterr().err
    unpack(pack(run, tmp_path / "run.zip", data=False).path, tmp_path / "two")
    assert boards(tmp_path / "two") == boards(run)
    row = json.loads((run / "asked/rows/tsg/sgds.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert json.dumps(row)[200:240].encode() not in everything(tmp_path / "two" / "asked")
    assert all(one["sha256"] for one in lines(tmp_path / "two/asked/items/tsg/sgds.jsonl"))
