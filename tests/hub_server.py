"""A Hugging Face hub on this machine: datasets and models as git or LFS holds them, bad days, tables of rows."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from loopback import Handler, serving
from shipped import DATA, TASKS

from tsgkit.library.downloads import checksum_of_bytes


@dataclass
class HubDataset:
    """A dataset: what each revision is, what each commit holds, and who may see it."""

    revisions: dict[str, str] = field(default_factory=dict)
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    lfs: set[str] = field(default_factory=set)
    token: str = ""
    gated: bool = False
    stated: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)


@dataclass
class Hub:
    """A hub, its next bad answers, and the requests it received."""

    url: str
    datasets: dict[str, HubDataset] = field(default_factory=dict)
    plan: list[int] = field(default_factory=list)
    busy_at_first: int = 0
    """The status of the first answer to every question; 0 if it is the right answer."""
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    slow: float = 0.0
    stopped: threading.Event = field(default_factory=threading.Event)

    def commit(self, name: str, files: dict[str, bytes], *, lfs: bool = False, branch: str = "main") -> str:
        """Commit files to a branch of a dataset, and return the commit."""
        dataset = self.datasets.setdefault(name, HubDataset())
        text = json.dumps({path: checksum_of_bytes(data) for path, data in files.items()}) + str(len(dataset.commits))
        commit = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        dataset.commits[commit] = files
        dataset.revisions[branch] = dataset.revisions[commit] = commit
        if lfs:
            dataset.lfs |= set(files)
        return commit

    @property
    def paths(self) -> list[str]:
        """The method and path of each request."""
        return [f"{method} {path}" for method, path, _ in self.asked]


class _Handler(Handler):
    hub: Hub

    def do_GET(self) -> None:  # noqa: N802
        hub, path = self.hub, unquote(urlsplit(self.path).path)
        is_first = f"{self.command} {path}" not in hub.paths
        hub.asked.append((self.command, path, self.lowered))
        if hub.busy_at_first and is_first:
            return self._send(hub.busy_at_first, b"busy")
        if hub.plan and (status := hub.plan.pop(0)) != 200:
            return self._send(status, b"busy")
        if path.startswith("/cdn/"):
            return self._blob(path.removeprefix("/cdn/"))
        of_api = re.fullmatch(r"/api/datasets/([^/]+/[^/]+)(?:/(revision|tree)/(.+))?", path)
        of_file = re.fullmatch(r"(?:/datasets)?/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path)
        found = of_api or of_file
        dataset = hub.datasets.get(found[1]) if found else None
        if found is None or dataset is None:
            return self._send(401 if found else 404, b"", {"X-Error-Code": "RepoNotFound"})
        login = self.headers.get("Authorization", "")
        if dataset.token and not dataset.gated and login != f"Bearer {dataset.token}":
            return self._send(401, b"", {"X-Error-Code": "RepoNotFound"})
        if of_api:
            return self._api(dataset, of_api[2] or "revision", of_api[3] or "main")
        if dataset.gated and login != f"Bearer {dataset.token}":
            return self._send(403, b"", {"X-Error-Code": "GatedRepo"})
        assert of_file is not None
        return self._file(dataset, of_file[2], of_file[3])

    do_HEAD = do_GET  # noqa: N815

    def _api(self, dataset: HubDataset, kind: str, revision: str) -> None:
        commit = dataset.revisions.get(revision)
        if commit is None:
            return self._send(404, b"", {"X-Error-Code": "RevisionNotFound"})
        if kind == "revision":
            return self._json({"id": "lab/stories", "sha": commit, "private": False, "tags": [], "downloads": 0})
        return self._json([self._entry(dataset, path, data) for path, data in dataset.commits[commit].items()])

    def _entry(self, dataset: HubDataset, path: str, data: bytes) -> dict[str, Any]:
        size = dataset.sizes.get(path, len(data))
        oid = dataset.stated.get(path) or checksum_of_bytes(data, "git").removeprefix("git:")
        entry: dict[str, Any] = {"type": "file", "path": path, "size": size, "oid": oid}
        if path in dataset.lfs:
            sha = dataset.stated.get(path) or hashlib.sha256(data).hexdigest()
            entry |= {"oid": "0" * 40, "lfs": {"oid": sha, "size": size, "pointerSize": 130}}
        return entry

    def _file(self, dataset: HubDataset, revision: str, path: str) -> None:
        commit = dataset.revisions.get(revision, "")
        data = dataset.commits.get(commit, {}).get(path)
        if data is None:
            return self._send(404, b"", {"X-Error-Code": "EntryNotFound"})
        headers = {"X-Repo-Commit": commit}
        if path in dataset.lfs:
            sha = hashlib.sha256(data).hexdigest()
            other = self.hub.url.replace("127.0.0.1", "localhost")
            headers |= {"X-Linked-Etag": f'"{sha}"', "X-Linked-Size": str(len(data)), "Location": f"{other}/cdn/{sha}"}
            return self._send(302, b"", headers)
        return self._content(data, checksum_of_bytes(data, "git").removeprefix("git:"), headers)

    def _blob(self, sha: str) -> None:
        commits = (files for one in self.hub.datasets.values() for files in one.commits.values())
        every = {hashlib.sha256(data).hexdigest(): data for files in commits for data in files.values()}
        return self._content(every[sha], sha, {})

    def _content(self, data: bytes, tag: str, headers: dict[str, str]) -> None:
        if start := self.first_byte(f'"{tag}"'):
            headers |= {"Content-Range": f"bytes {start}-{len(data) - 1}/{len(data)}"}
        self._send(206 if start else 200, data[start:], headers | {"ETag": f'"{tag}"'})

    def _json(self, value: object) -> None:
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.begin(status, (headers or {}) | {"Content-Length": str(len(body))})
        if self.command == "HEAD":
            return
        for start in range(0, len(body), 1 << 16):
            self.wfile.write(body[start : start + (1 << 16)])
            if self.hub.slow and self.hub.stopped.wait(self.hub.slow):
                return


@contextmanager
def hub_server() -> Iterator[Hub]:
    """Yield a hub that stops when the block ends."""
    hub = Hub("")
    with serving(type("Handler", (_Handler,), {"hub": hub})) as hub.url:
        try:
            yield hub
        finally:
            hub.stopped.set()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with hub_server() as served:
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        yield served


def without_login(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have neither a login nor a proxy, and return the data home."""
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(folder / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(folder / "no-token"))
    return folder / "home"


SGQA, SGDS = (DATA / f"{task}.jsonl" for task in ("sgqa", "sgds"))
ROWS = {
    "tsg/sgqa": SGQA,
    "spatialgen/questions": TASKS / "spatialgen/data/questions.jsonl",
    "formalimg/layout": TASKS / "formalimg/data/knolling.jsonl",
    "sceneeval/annotate": TASKS / "sceneeval/data/annotations.csv",
}
HOME = "home"


@pytest.fixture(autouse=True)
def hub_settings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_login(folder, monkeypatch)


def header(run: str = "run") -> Any:  # noqa: ANN401  (JSON)
    return json.loads((Path(run) / "run.json").read_text())


def table_of(source: Path, name: str, **renamed: str) -> None:
    """Write rows of ours as a table with other names of columns; what is no text is JSON there."""
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    names = {field: renamed.get(field, field) for field in rows[0]}
    cells = [
        {names[field]: value if isinstance(value, str) else json.dumps(value) for field, value in row.items()}
        for row in rows
    ]
    if name.endswith(".parquet"):
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(cells), name)
    else:
        with Path(name).open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(cells[0]))
            writer.writeheader()
            writer.writerows(cells)
    rules = {
        field: names[field] if isinstance(rows[0][field], str) else {"column": names[field], "json": True}
        for field in rows[0]
    }
    Path("m.yaml").write_text(json.dumps({"fields": rules}))
