"""A dataset of the hub becomes rows: at a commit, verified, resumed, and without a network the second time."""

from __future__ import annotations

import json
import shutil
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_server import Hub, without_login
from hub_server import hub as hub
from refusals import refusal

from tsgkit.errors import DownloadProblem, FileProblem, TsgkitError, UsageError
from tsgkit.library import hub_client, hub_store
from tsgkit.library.downloads import Patience, _with_secret
from tsgkit.library.hub_names import hub_name
from tsgkit.library.hub_store import known_datasets, snapshot
from tsgkit.library.long_waits import Watch, watched
from tsgkit.library.row_sources import pinned, row_place

HASTE = Patience(timeout=5, tries=2, pause=0.01)
ROW = b'{"item_id": "a", "question": "where?"}\n'
LARGE = ROW * 30_000
TOKEN = "hf_" + "s3cret" * 5


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (hub_client, hub_store):
        for function in ("commit_of", "files_at", "address_of", "snapshot"):
            if found := getattr(module, function, None):
                monkeypatch.setattr(found, "__defaults__", (HASTE,))
    monkeypatch.setattr(hub_store.Snapshot.fetch, "__defaults__", (HASTE,))
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    return without_login(tmp_path, monkeypatch)


@pytest.fixture
def forget(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what makes this process forget the revisions it has seen, as a new process would."""
    return lambda: monkeypatch.setattr(hub_store, "_seen", {})


def rows_of(data: str, task: str = "", stored: str | None = None) -> bytes:
    place = row_place(data, stored)
    assert place is not None
    return place.rows_of(task, stored).read_bytes()


def problem(data: str, stored: str | None = None) -> str:
    with pytest.raises(TsgkitError) as raised:
        rows_of(data, stored=stored)
    assert "\n" not in str(raised.value)
    return f"{raised.value} | {raised.value.hint}"


def test_rows_arrive_under_the_name_of_their_commit(hub: Hub) -> None:
    for lfs in (False, True):
        commit = hub.commit(f"lab/{lfs}", {"sgqa.jsonl": ROW, "README.md": b"hello"}, lfs=lfs)
        place = row_place(f"hf://lab/{lfs}", "sgqa")
        assert place is not None
        found = place.rows_of("tsg/sgqa", "sgqa")
        assert (str(found), found.read_bytes()) == (f"hf://lab/{lfs}@{commit}/sgqa.jsonl", ROW)
        (check,) = found.origin["files"].values()
        assert found.origin["source"] == f"hf://lab/{lfs}@{commit}"
        assert check.startswith("sha256:" if lfs else "git:")


def test_the_commit_of_main_is_told_once_and_pins_the_data(hub: Hub) -> None:
    commit = hub.commit("lab/stories", {"a.jsonl": ROW})
    heard: list[str] = []
    with watched(Watch(heard.append)):
        assert pinned("hf://lab/stories/a.jsonl#m.yaml") == f"hf://lab/stories@{commit}/a.jsonl#m.yaml"
        rows_of("hf://lab/stories")
    assert heard == [f"hf://lab/stories/a.jsonl: main is commit {commit}"]
    asked = {path.split("/lab/stories")[0] for path in hub.paths}
    assert asked == {"GET /api/datasets", "HEAD /datasets", "GET /datasets"}, "nothing but the dataset"


def test_a_pinned_commit_keeps_its_rows_when_main_moves(hub: Hub, forget: Callable[[], None]) -> None:
    old = hub.commit("lab/stories", {"a.jsonl": ROW})
    new = hub.commit("lab/stories", {"a.jsonl": ROW * 2})
    assert pinned("hf://lab/stories").endswith(new)
    assert rows_of(f"hf://lab/stories@{old}") == ROW
    hub.commit("lab/stories", {"a.jsonl": ROW * 3}, branch="refs/pr/1")
    assert rows_of("hf://lab/stories@refs/pr/1/a.jsonl") == ROW * 3
    hub.commit("lab/stories", {"a.jsonl": ROW * 4})
    forget()
    assert rows_of("hf://lab/stories") == ROW * 4


def test_the_second_use_needs_no_hub(hub: Hub, forget: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    commit = hub.commit("lab/stories", {"a.jsonl": ROW})
    rows_of("hf://lab/stories")
    asked = len(hub.asked)
    assert rows_of(f"hf://lab/stories@{commit}") == ROW
    assert len(hub.asked) == asked
    forget()
    heard: list[str] = []
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with watched(Watch(heard.append)):
        assert rows_of("hf://lab/stories") == ROW
    assert heard == [f"hf://lab/stories: the hub cannot be asked; main is taken to be {commit}, as it was last seen"]
    assert len(hub.asked) == asked
    assert known_datasets() == {"lab/stories": (commit,)}
    assert problem("hf://lab/others") == (
        "hf://lab/others: HF_HUB_OFFLINE is set, and this is not on this machine"
        " | with a network: tsgkit data get hf://lab/others"
    )
    assert len(hub.asked) == asked


def test_a_hub_that_is_not_there_has_a_password_or_is_no_hub_is_named(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.plan = [201]
    assert "the answer is not that of a hub" in problem("hf://lab/stories")
    hub.plan = [418]
    assert "the hub answers 418" in problem("hf://lab/stories")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    unreachable = "hf://lab/stories: the hub cannot be reached at http://127.0.0.1:9 | is there a network?"
    assert problem("hf://lab/stories") == unreachable
    assert issubclass(hub_client.HubUnreachable, DownloadProblem)
    monkeypatch.setenv("HF_ENDPOINT", "http://me:word@127.0.0.1:9")
    assert "HF_ENDPOINT" in refusal(UsageError, snapshot, hub_name("hf://lab/stories"))


def test_a_missing_a_private_and_a_gated_dataset_and_a_wrong_revision_are_told_apart(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.commit("lab/stories", {"a.jsonl": ROW})
    told = problem("hf://lab/nothing")
    assert "there is no such dataset, or it is private" in told and "set HF_TOKEN" in told
    assert "the dataset has no revision v9" in problem("hf://lab/stories@v9")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    told = problem("hf://lab/nothing")
    assert "does not accept your login" in told and TOKEN not in told
    monkeypatch.delenv("HF_TOKEN")
    hub.commit("lab/gated", {"a.jsonl": ROW})
    hub.datasets["lab/gated"].token, hub.datasets["lab/gated"].gated = TOKEN, True
    told = problem("hf://lab/gated")
    assert "this dataset is gated" in told and f"{hub.url}/datasets/lab/gated" in told
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert rows_of("hf://lab/gated") == ROW


def test_a_login_goes_to_the_hub_only_not_on_by_a_redirection_and_into_no_file(
    hub: Hub, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    for lfs in (False, True):
        hub.commit(f"lab/{lfs}", {"a.jsonl": ROW}, lfs=lfs)
        hub.datasets[f"lab/{lfs}"].token = TOKEN
        assert rows_of(f"hf://lab/{lfs}") == ROW
        elsewhere = [headers for _, path, headers in hub.asked if path.startswith("/cdn/")]
        assert len(elsewhere) == lfs
        assert not any("authorization" in headers for headers in elsewhere)
    assert not any(TOKEN.encode() in path.read_bytes() for path in machine.rglob("*") if path.is_file())
    for address, sends in (("/datasets/new", True), ("http://localhost:1/x", False), ("https://127.0.0.1/x", False)):
        asked = urllib.request.Request(urllib.parse.urljoin(f"{hub.url}/old", address))  # noqa: S310
        found = _with_secret(asked, f"{hub.url}/old", {"Authorization": "Bearer x"})
        assert found.has_header("Authorization") == sends, address


def test_a_busy_hub_is_asked_again_given_up_in_the_end_and_a_cut_body_resumed(hub: Hub) -> None:
    hub.commit("lab/stories", {"a.jsonl": ROW})
    hub.busy_at_first = 429
    assert rows_of("hf://lab/stories") == ROW
    assert len(set(hub.paths)) == 4 and min(Counter(hub.paths).values()) >= 2
    hub.busy_at_first, hub.cut_after = 0, [1_000_000]
    hub.commit("lab/large", {"a.jsonl": LARGE}, lfs=True)
    assert rows_of("hf://lab/large") == LARGE
    assert [headers.get("range") for _, path, headers in hub.asked if "/cdn/" in path] == [None, "bytes=1000000-"]
    hub.plan = [503] * 9
    assert "the hub answers 503 (tried 2 times)" in problem("hf://lab/others")


def test_a_file_that_is_not_the_listed_or_the_stored_one_is_refused(hub: Hub, machine: Path) -> None:
    hub.commit("lab/stories", {"a.jsonl": ROW}, lfs=True)
    hub.datasets["lab/stories"].stated["a.jsonl"] = "0" * 64
    assert "not the file that is expected" in problem("hf://lab/stories")
    assert list((machine / "huggingface/lab--stories/files").iterdir()) == []
    hub.commit("lab/others", {"a.jsonl": ROW})
    rows_of("hf://lab/others")
    (stored,) = (machine / "huggingface/lab--others/files").iterdir()
    stored.write_bytes(ROW * 2)
    assert "this is not the file that was downloaded" in problem("hf://lab/others")
    hub.commit("lab/odd", {"a.jsonl": ROW}, lfs=True)
    hub.datasets["lab/odd"].stated["a.jsonl"] = "../../x"
    assert "lists files in a way that is not understood" in problem("hf://lab/odd")


def test_what_does_not_fit_on_the_disk_is_refused_before_it_is_fetched(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.commit("lab/stories", {"a.jsonl": ROW})
    hub.datasets["lab/stories"].sizes["a.jsonl"] = 40 << 30
    assert "42.9 GB, and at most 4.3 GB are fetched" in problem("hf://lab/stories")
    hub.commit("lab/others", {"a.jsonl": ROW})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 10, 0))
    assert "0.0 GB are free" in problem("hf://lab/others")
    assert not any("/resolve/" in path for path in hub.paths)


HOSTILE = ["../../evil.jsonl", "/etc/evil.jsonl", "a/../../b.jsonl", "c:\\x.jsonl", "x\x1b[31m.jsonl", "a//b.jsonl"]


def test_hostile_names_of_files_are_never_paths(hub: Hub, machine: Path) -> None:
    hub.commit("lab/stories", {"good.jsonl": ROW} | dict.fromkeys(HOSTILE, b"evil"))
    assert rows_of("hf://lab/stories") == ROW
    found = snapshot(hub_name("hf://lab/stories"))
    assert ([file.path for file in found.files], found.refused) == (["good.jsonl"], len(HOSTILE))
    assert not list(machine.parent.rglob("*evil*"))
    commits = machine / "huggingface/lab--stories/commits"
    assert "evil" not in next(commits.iterdir()).read_text()


def test_a_file_named_after_the_task_is_taken_and_what_lies_there_listed_where_none_fits(hub: Hub) -> None:
    hub.commit("lab/two", {"train.jsonl": ROW, "test.jsonl": ROW})
    hub.commit("lab/none", {"README.md": b"x", "model.bin": b"x"})
    assert "several files could be meant: test.jsonl, train.jsonl" in problem("hf://lab/two", "sgqa")
    assert "name one: hf://lab/two@" in problem("hf://lab/two", "sgqa")
    none = "no file of rows in it (.jsonl, .parquet, .csv, .tsv) | it has README.md, model.bin"
    assert none in problem("hf://lab/none")
    assert "it has no file x.jsonl | it has test.jsonl, train.jsonl" in problem("hf://lab/two/x.jsonl")
    assert "not a file of rows" in problem("hf://lab/none/README.md")
    hub.commit("lab/stories", {"sgqa.jsonl": ROW, "sgds.jsonl": ROW * 2, "old/sgqa.jsonl": ROW * 3})
    assert rows_of("hf://lab/stories", stored="sgqa") == ROW
    assert rows_of("hf://lab/stories/old", stored="sgqa") == ROW * 3


def test_a_name_that_is_none_is_refused_without_a_question_and_a_secret_not_repeated(hub: Hub) -> None:
    names = ["hf://", "hf://lab", "hf://lab/x@", "hf://lab/x@a..b", "hf://lab/x/../y", "hf://../x", "hf://a--b/c"]
    secrets = [f"hf://me:{TOKEN}@huggingface.co/x", f"hf://lab/x@{TOKEN}", "hf://me:w0rd@lab/x"]
    for name in ["hf://lab/a b", *names, *secrets]:
        with pytest.raises(UsageError) as raised:
            hub_name(name)
        message = f"{raised.value}{raised.value.hint}"
        assert TOKEN not in message and "w0rd" not in message, name
    assert hub.asked == []


def test_a_broken_record_says_what_to_delete(hub: Hub, machine: Path) -> None:
    commit = hub.commit("lab/stories", {"a.jsonl": ROW})
    rows_of("hf://lab/stories")
    record = machine / "huggingface/lab--stories/commits" / f"{commit}.json"
    record.write_text("{")
    with pytest.raises(FileProblem, match="not JSON"):
        snapshot(hub_name(f"hf://lab/stories@{commit}"))
    record.write_text(json.dumps({"files": [{"path": "a", "size": 1, "check": "md5:0"}]}))
    with pytest.raises(FileProblem, match="not a list of files"):
        snapshot(hub_name(f"hf://lab/stories@{commit}"))
