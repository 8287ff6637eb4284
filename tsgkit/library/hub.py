"""Datasets and models of the Hugging Face hub, asked for with ``huggingface_hub``, and the datasets on this machine.

``HF_ENDPOINT`` names another hub. A login (``HF_TOKEN``, or that of ``hf auth login``) is used where there is one; it
is sent to the hub only, and never written or shown. The library's own statistics are switched off.

Datasets lie in the data home, in ``huggingface/OWNER--NAME``: the commits of revisions, the lists of files with their
checksums, and the files, each under its checksum, never under the name that the hub gives it. The library's own cache
verifies no checksum, and an interrupted download begins anew in it. What a commit holds never changes, so it is asked
for once; ``main`` is asked for every time, and without a network its last known commit is taken, with a note. Models
lie in the library's cache (``HF_HOME``).

A dataset is named ``hf://OWNER/NAME[@REV][/PATH]``:

>>> name = hub_name("hf://lab/stories@v1.0/data/test.parquet")
>>> name.repository, name.revision, name.path
('lab/stories', 'v1.0', 'data/test.parquet')
>>> str(name.at("0" * 40)) == f"hf://lab/stories@{'0' * 40}/data/test.parquet"
True
>>> hub_name("hf://datasets/lab/stories").repository
'lab/stories'
>>> hub_name("hf://lab/stories/../../etc/passwd")
Traceback (most recent call last):
tsgkit.errors.UsageError: hf://lab/stories/../../etc/passwd: a path inside the dataset has no empty part, no . and no ..

A revision is a branch, a tag or a commit. Of revisions with a slash only those that the hub itself makes are read:
``refs/convert/NAME`` and ``refs/pr/NUMBER``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tsgkit.errors import DownloadProblem, FileProblem, UsageError
from tsgkit.library.datasets import Check, make_folder
from tsgkit.library.downloads import (
    PASSING,
    PATIENT,
    BeingFetched,
    Patience,
    checksum,
    download,
    note,
    progress_of,
    refuse_login,
)
from tsgkit.library.files import read_text, write_text
from tsgkit.user_folders import data_home

if TYPE_CHECKING:
    from huggingface_hub import HfApi

HUB = "hf://"
START = re.compile(r"hf:/{1,2}", re.IGNORECASE)
"""A path made of a name has one slash."""
MAIN = "main"
FORM = "hf://OWNER/NAME, hf://OWNER/NAME@REVISION, or either with /PATH"
PART = r"(?!.*(?:\.\.|--))[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?"
NAME = re.compile(rf"(?P<owner>{PART})/(?P<name>{PART})")
PARTS = re.compile(r"([^/]*/[^/@]*)(?:@(refs/(?:convert|pr)/[^/]+|[^/]*))?(?:/(.*))?", re.DOTALL)
REVISION = re.compile(r"(?:refs/(?:convert|pr)/)?[A-Za-z0-9_][A-Za-z0-9._+-]{0,199}")
COMMIT = re.compile(r"[0-9a-f]{40}")
TOKEN = re.compile(r"hf_[A-Za-z0-9]{16,}")
OTHER_KINDS = ("models", "spaces", "buckets")


@dataclass(frozen=True)
class HubName:
    """A dataset or model on the hub, at a revision (None: the present ``main``), and what lies in it (empty: all)."""

    repository: str
    revision: str | None = None
    path: str = ""
    kind: str = "dataset"

    def __str__(self) -> str:
        revision = f"@{self.revision}" if self.revision else ""
        return f"{HUB}{self.repository}{revision}{'/' if self.path else ''}{self.path}"

    @property
    def is_pinned(self) -> bool:
        """True if it names a commit, so that it means the same files for ever."""
        return bool(self.revision and COMMIT.fullmatch(self.revision))

    def at(self, revision: str) -> HubName:
        """Return the same place at a revision."""
        return replace(self, revision=revision)


def is_hub(text: str) -> bool:
    """Return whether a text names a dataset on the hub."""
    return START.match(text) is not None


def hub_name(text: str) -> HubName:
    """Return the parts of a name; ``UsageError`` says which part is wrong."""
    if TOKEN.search(text):
        raise UsageError("hf://...: a token stands in this name", hint="leave it out, and set HF_TOKEN instead")
    rest = START.sub("", text, count=1).removeprefix("datasets/")
    if rest.split("/", 1)[0] in OTHER_KINDS and rest.count("/") > 1:
        raise UsageError(f"{text}: only datasets hold rows", hint=FORM)
    if "@" in rest.split("/", 1)[0]:
        raise UsageError("hf://...: an @ before the name, as of a user or a password", hint=FORM)
    match = PARTS.fullmatch(rest)
    owner_and_name = NAME.fullmatch(match[1]) if match else None
    if match is None or owner_and_name is None or any(part.endswith(".git") for part in owner_and_name.groups()):
        raise UsageError(f"{text}: not the name of a dataset on the hub", hint=FORM)
    repository, revision, path = match[1], match[2], (match[3] or "").rstrip("/")
    if revision is not None and (not REVISION.fullmatch(revision) or ".." in revision):
        raise UsageError(f"{text}: @{revision} is no branch, tag or commit", hint=FORM)
    if path and not is_inner_path(path):
        raise UsageError(f"{text}: a path inside the dataset has no empty part, no . and no ..")
    return HubName(repository, revision, path)


def is_inner_path(path: str) -> bool:
    """Return whether a path stays inside the repository, and is one that can be shown and typed."""
    parts = path.split("/")
    return path.isprintable() and "\\" not in path and not {"", ".", ".."} & set(parts) and ":" not in parts[0]


T = TypeVar("T")
DEFAULT_ENDPOINT = "https://huggingface.co"
MOST_FILES = 50_000
"""A dataset of more files is listed in part; its files are named one by one."""
LOG_IN = "log in with `hf auth login` (or `huggingface-cli login`), or set HF_TOKEN"


class HubUnreachable(DownloadProblem):
    """A hub that does not answer: there is no network, or the network must not be used."""


def endpoint() -> str:
    """Return the address of the hub."""
    address = os.environ.get("HF_ENDPOINT", "").rstrip("/") or DEFAULT_ENDPOINT
    refuse_login(address, "HF_ENDPOINT")
    return address


def address_of(name: HubName, patience: Patience = PATIENT) -> str:
    """Return the address of a file, which this user may fetch."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    hub = endpoint()
    url = hf_hub_url(name.repository, name.path, repo_type=name.kind, revision=name.revision, endpoint=hub)
    _ask(name, lambda api: get_hf_file_metadata(url, timeout=patience.timeout, endpoint=hub), patience)
    return url


def model_file(repository: str, path: str) -> Path:
    """Return a file of a model on this machine: of the library's own cache, fetched into it if it is not there."""
    from huggingface_hub import try_to_load_from_cache

    kept = try_to_load_from_cache(repository, path)
    if isinstance(kept, str):
        return Path(kept)
    name = HubName(repository, None, path, "model")
    address_of(name)  # fails at once where the hub does not answer; a download asks again for half a minute
    return _ask(name, lambda api: Path(str(api.hf_hub_download(repository, path))), PATIENT)


def _ask(name: HubName, question: Callable[[HfApi], T], patience: Patience) -> T:
    """Return the answer to a question; errors are of one line, which holds no header and no address of a file."""
    offline = os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE") or ""
    if offline.upper() in {"1", "ON", "YES", "TRUE"}:
        problem = "HF_HUB_OFFLINE is set, and this is not on this machine"
        hint = f"with a network: tsgkit data get {name}" if name.kind == "dataset" else "unset it to fetch the file"
        raise HubUnreachable(f"{name}: {problem}", hint=hint)
    try:
        from huggingface_hub import HfApi, constants, get_token
        from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, OfflineModeIsEnabled, RevisionNotFoundError
    except ImportError:
        problem = f"{name.kind}s of the hub are read with huggingface_hub, which is not installed"
        raise UsageError(problem, hint="pip install huggingface_hub") from None
    constants.HF_HUB_DISABLE_TELEMETRY = True  # else it sends a list of programs that describes its user
    http = import_module(HfHubHTTPError.__bases__[0].__module__.partition(".")[0])  # httpx, or httpx2 in newer versions
    api = HfApi(endpoint=endpoint(), library_name="tsgkit")
    tried = 0
    while True:
        try:
            return question(api)
        except OfflineModeIsEnabled:
            raise HubUnreachable(f"{name}: the hub must not be asked: HF_HUB_OFFLINE is set") from None
        except GatedRepoError:
            page = f"{endpoint()}/{'datasets/' * (name.kind == 'dataset')}{name.repository}"
            problem = f"{name}: this {name.kind} is gated, and you have no access to it"
            raise DownloadProblem(problem, hint=f"ask for it at {page}; then {LOG_IN}") from None
        except RevisionNotFoundError:
            problem = f"{name}: the {name.kind} has no revision {name.revision or MAIN}"
            raise DownloadProblem(problem, hint="name a branch, a tag or a commit") from None
        except HfHubHTTPError as error:
            status = error.response.status_code
            if status not in PASSING:
                problem, hint = f"the hub answers {status}", _hint_at_endpoint()
                if status in (401, 404) and not get_token():
                    problem = f"there is no such {name.kind}, or it is private"
                    hint = f"check the name; if it is private, {LOG_IN}"
                elif status == 401:
                    problem, hint = "the hub does not accept your login", LOG_IN
                elif status == 403:
                    problem, hint = f"your login may not read this {name.kind} (403)", LOG_IN
                elif status == 404:
                    problem, hint = f"there is no such {name.kind}, or your login may not see it", "check the name"
                raise DownloadProblem(f"{name}: {problem}", hint=hint) from None
            trouble = "the hub asks for fewer requests (429)" if status == 429 else f"the hub answers {status}"
        except (http.TimeoutException, http.RemoteProtocolError, http.ReadError):
            trouble = "the hub has gone silent"
        except http.TransportError:
            problem = f"{name}: the hub cannot be reached at {endpoint()}"
            raise HubUnreachable(problem, hint="is there a network?") from None
        except (
            ImportError,
            OSError,
        ) as error:  # a proxy of a kind that is not supported, certificates that are missing
            problem = f"{name}: the hub cannot be reached at {endpoint()}: {str(error).partition('. ')[0]}"
            raise HubUnreachable(problem, hint="see the proxies and certificates that the environment names") from None
        except (http.HTTPError, http.InvalidURL, ValueError, KeyError, TypeError, AttributeError):
            raise DownloadProblem(f"{name}: the answer is not that of a hub", hint=_hint_at_endpoint()) from None
        tried += 1
        if tried == patience.tries:
            raise HubUnreachable(f"{name}: {trouble} (tried {tried} times)", hint="try again later")
        time.sleep(patience.pause * 2 ** (tried - 1))


def _hint_at_endpoint() -> str:
    return f"HF_ENDPOINT is {endpoint()}" if os.environ.get("HF_ENDPOINT") else "a login page of the network?"


PLACE = "huggingface"
MOST_HUB_FILE_BYTES = 4 << 30
"""A larger file is no file of rows that can be asked."""
FRESH = 300.0
"""Seconds for which a revision is not asked for again, so that one command sees one commit."""


_seen: dict[tuple[Path, str, str], tuple[float, str]] = {}
_ASKS: ContextVar[bool] = ContextVar("asks", default=True)


@contextmanager
def without_hub() -> Iterator[None]:
    """Use only what is on this machine while the block lasts, and ask the hub for nothing."""
    before = _ASKS.set(False)
    try:
        yield
    finally:
        _ASKS.reset(before)


def _check_asks(name: HubName) -> None:
    if not _ASKS.get():
        raise HubUnreachable(f"{name}: is not on this machine", hint=f"to have it fetched, name it: --data {name}")


class StoredHubFile(BaseModel):
    """A file of a commit."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    path: str
    size: Annotated[int, Field(ge=0)]
    check: Check


class Snapshot(BaseModel):
    """A commit of a dataset: its name with the commit, its files, and how many files have names that are refused."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: Annotated[HubName, Field(exclude=True)]
    files: tuple[StoredHubFile, ...]
    refused: int = 0

    def fetch(self, file: StoredHubFile, patience: Patience = PATIENT) -> Path:
        """Return the file on this machine, downloaded if it is not there, with the listed checksum."""
        kind, _, digest = file.check.partition(":")
        target = _folder(self.name.repository) / "files" / f"{kind}-{digest}{PurePosixPath(file.path).suffix.lower()}"
        if target.is_file():
            if checksum_of_file(target, kind) != file.check:
                problem = f"{target}: this is not the file that was downloaded: it was changed"
                raise FileProblem(problem, hint="delete it")
            return target
        hub_file = HubName(self.name.repository, self.name.revision, file.path)
        _check_asks(hub_file)
        make_folder(target.parent)
        size, most, free = file.size, MOST_HUB_FILE_BYTES, shutil.disk_usage(target.parent).free
        if size > most:
            problem = f"{hub_file}: {_gigabytes(size)}, and at most {_gigabytes(most)} are fetched"
            raise DownloadProblem(problem, hint="name a smaller file, such as one split: hf://OWNER/NAME/PATH")
        if size > free:
            problem = f"{hub_file}: {_gigabytes(size)}, and {_gigabytes(free)} are free in {target.parent}"
            raise FileProblem(problem, hint="make room, or name another folder for data: TSGKIT_DATA_HOME")
        from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # documented, not re-exported

        url, progress = address_of(hub_file, patience), progress_of(file.path, size)
        headers = build_hf_headers().items()
        login = {name: text for name, text in headers if name.lower() == "authorization"}
        waits = False
        while not target.is_file():
            try:
                download(url, target, file.check, progress, patience, secret=login)
            except BeingFetched:  # as the shards of a run do that begin together
                if not waits:
                    note(f"{hub_file}: another process is fetching it; waiting")
                waits = True
                time.sleep(patience.pause)
        return target


def snapshot(name: HubName, patience: Patience = PATIENT) -> Snapshot:
    """Return the commit that a name means now; from this machine where the hub need not, or cannot, be asked."""
    pinned = name if name.is_pinned else name.at(_commit(name, patience))
    path = _folder(name.repository) / "commits" / f"{pinned.revision}.json"
    if not path.is_file():
        _check_asks(pinned)
        whole = HubName(name.repository, pinned.revision)

        def listed(api: HfApi) -> list[dict[str, object]]:
            from huggingface_hub.hf_api import RepoFile

            files = list[dict[str, object]]()
            tree = api.list_repo_tree(whole.repository, recursive=True, revision=whole.revision, repo_type="dataset")
            for entry in islice((entry for entry in tree if isinstance(entry, RepoFile)), MOST_FILES):
                check = f"sha256:{entry.lfs.sha256}" if entry.lfs else f"git:{entry.blob_id}"
                size = int(entry.lfs.size if entry.lfs else entry.size)
                files.append({"path": str(entry.path), "size": size, "check": check})
            return files

        files = _ask(whole, listed, patience)
        plain = [file for file in files if is_inner_path(str(file["path"]))]
        try:
            dataset = Snapshot.model_validate({"name": pinned, "files": plain, "refused": len(files) - len(plain)})
        except ValidationError:
            raise DownloadProblem(f"{pinned}: the hub lists files in a way that is not understood") from None
        make_folder(path.parent)
        write_text(path, dataset.model_dump_json(indent=1) + "\n")
    value = _value_in(path)
    try:
        return Snapshot.model_validate({**value, "name": pinned} if isinstance(value, dict) else value)
    except ValidationError:
        raise FileProblem(f"{path}: not a list of files", hint="delete it; it is asked for again") from None


def known_datasets() -> dict[str, tuple[str, ...]]:
    """Return the datasets of the hub that are on this machine, each with its commits."""
    home = data_home() / PLACE
    folders = sorted(home.iterdir()) if home.is_dir() else []
    commits_of_name = {
        folder.name.replace("--", "/"): sorted((folder / "commits").glob("*.json")) for folder in folders
    }
    return {name: tuple(path.stem for path in paths) for name, paths in commits_of_name.items() if paths}


def checksum_of_file(path: Path, kind: str = "sha256") -> str:
    """Return the checksum of a file, read piece by piece."""
    try:
        with path.open("rb") as stream:
            return checksum(stream, kind)
    except OSError as error:
        raise FileProblem(f"{path}: cannot be read: {error.strerror}") from None


def _commit(name: HubName, patience: Patience) -> str:
    """Return the present commit of a revision, and note it once."""
    revision = name.revision or MAIN
    folder = _folder(name.repository)
    key = (folder, name.repository, revision)
    if key in _seen and time.monotonic() - _seen[key][0] < FRESH:
        return _seen[key][1]
    path = folder / "revisions.json"
    value = _value_in(path) if path.is_file() else {}
    pairs = value.items() if isinstance(value, dict) else ()
    kept = {name: commit for name, commit in pairs if isinstance(commit, str) and COMMIT.fullmatch(commit)}
    try:
        _check_asks(name)
        commit = _ask(
            name,
            lambda api: str(api.dataset_info(name.repository, revision=revision, timeout=patience.timeout).sha),
            patience,
        )
        if not COMMIT.fullmatch(commit):
            raise DownloadProblem(f"{name}: the hub names no commit: {commit[:60]!r}", hint=_hint_at_endpoint())
    except HubUnreachable:
        if revision not in kept:
            raise
        commit = kept[revision]
        note(f"{name}: the hub cannot be asked; {revision} is taken to be {commit}, as it was last seen")
    else:
        if kept.get(revision) != commit:
            make_folder(folder)
            write_text(path, json.dumps(kept | {revision: commit}, indent=1, sort_keys=True) + "\n")
        note(f"{name}: {revision} is commit {commit}")
    _seen[key] = time.monotonic(), commit
    return commit


def _value_in(path: Path) -> object:
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError):
        raise FileProblem(f"{path}: not JSON", hint="delete it; it is asked for again") from None


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def _folder(repository: str) -> Path:
    return data_home() / PLACE / repository.replace("/", "--")
