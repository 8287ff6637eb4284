"""Questions to the Hugging Face hub, asked with ``huggingface_hub``: commits, lists of files, permission, models.

``HF_ENDPOINT`` names another hub. A login (``HF_TOKEN``, or that of ``hf auth login``) is used where there is one; it
is sent to the hub only, and never written or shown. The library's own statistics are switched off.

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

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tsgkit.errors import DownloadProblem, UsageError
from tsgkit.library.downloads import PASSING, PATIENT, Patience, refuse_login

if TYPE_CHECKING:
    from huggingface_hub import HfApi

HUB = "hf://"
START = re.compile(r"hf:/{1,2}", re.IGNORECASE)
"""A path made of a name has one slash."""
MAIN = "main"
FORM = "hf://OWNER/NAME, hf://OWNER/NAME@REVISION, or either with /PATH"
PART = r"(?!.*(?:\.\.|--))[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?"
NAME = re.compile(rf"(?P<owner>{PART})/(?P<name>{PART})")
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
    repository, revision, path = _parts(rest)
    if not (match := NAME.fullmatch(repository)) or any(part.endswith(".git") for part in match.groups()):
        raise UsageError(f"{text}: not the name of a dataset on the hub", hint=FORM)
    if revision is not None and (not REVISION.fullmatch(revision) or ".." in revision):
        raise UsageError(f"{text}: @{revision} is no branch, tag or commit", hint=FORM)
    if path and not is_inner_path(path):
        raise UsageError(f"{text}: a path inside the dataset has no empty part, no . and no ..")
    return HubName(repository, revision, path)


def _parts(rest: str) -> tuple[str, str | None, str]:
    owner, _, more = rest.partition("/")
    if special := re.match(r"([^/@]+)@(refs/(?:convert|pr)/[^/]+)(?:/|$)(.*)", more, re.DOTALL):
        return f"{owner}/{special[1]}", special[2], special[3].rstrip("/")
    name, _, path = more.partition("/")
    bare, mark, revision = name.partition("@")
    return f"{owner}/{bare}", revision if mark else None, path.rstrip("/")


def is_inner_path(path: str) -> bool:
    """Return whether a path stays inside the repository, and is one that can be shown and typed."""
    parts = path.split("/")
    return path.isprintable() and "\\" not in path and not {"", ".", ".."} & set(parts) and ":" not in parts[0]


T = TypeVar("T")
DEFAULT_ENDPOINT = "https://huggingface.co"
MOST_FILES = 50_000
"""A dataset of more files is listed in part; its files are named one by one."""
LOG_IN = "log in with `hf auth login` (or `huggingface-cli login`), or set HF_TOKEN"


class HubFile(NamedTuple):
    """A file of a dataset as the hub lists it: its path, its size, and its checksum (``sha256:`` or ``git:``)."""

    path: str
    size: int
    check: str


class HubUnreachable(DownloadProblem):
    """A hub that does not answer: there is no network, or the network must not be used."""


class _Passing(Exception):
    """An answer that may be better the next time."""


def endpoint() -> str:
    """Return the address of the hub."""
    address = os.environ.get("HF_ENDPOINT", "").rstrip("/") or DEFAULT_ENDPOINT
    refuse_login(address, "HF_ENDPOINT")
    return address


def is_offline() -> bool:
    """Return whether the environment says that the hub must not be asked."""
    value = os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE") or ""
    return value.upper() in {"1", "ON", "YES", "TRUE"}


def commit_of(name: HubName, patience: Patience = PATIENT) -> str:
    """Return the commit that a revision is now."""

    def asked(api: HfApi) -> str:
        return str(api.dataset_info(name.repository, revision=name.revision or MAIN, timeout=patience.timeout).sha)

    answer = _ask(name, asked, patience)
    if not COMMIT.fullmatch(answer):
        raise DownloadProblem(f"{name}: the hub names no commit: {answer[:60]!r}", hint=_hint_at_endpoint())
    return answer


def files_at(name: HubName, patience: Patience = PATIENT) -> tuple[HubFile, ...]:
    """Return the files of a commit with their checksums; names that are not plain paths are the caller's to refuse."""

    def asked(api: HfApi) -> tuple[HubFile, ...]:
        entries = api.list_repo_tree(name.repository, recursive=True, revision=name.revision, repo_type="dataset")
        return tuple(islice((found for found in map(_file, entries) if found), MOST_FILES))

    return _ask(name, asked, patience)


def address_of(name: HubName, patience: Patience = PATIENT) -> str:
    """Return the address of a file of a commit, which this user may fetch."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    hub = endpoint()
    url = hf_hub_url(name.repository, name.path, repo_type="dataset", revision=name.revision, endpoint=hub)
    _ask(name, lambda api: get_hf_file_metadata(url, timeout=patience.timeout, endpoint=hub), patience)
    return url


def model_file(repository: str, path: str) -> Path:
    """Return a file of a model on this machine: of the library's own cache, fetched into it if it is not there."""
    from huggingface_hub import try_to_load_from_cache

    kept = try_to_load_from_cache(repository, path)
    if isinstance(kept, str):
        return Path(kept)
    name = HubName(repository, None, path, "model")
    return _ask(name, lambda api: Path(str(api.hf_hub_download(repository, path))), PATIENT)


def login() -> dict[str, str]:
    """Return the header that identifies the user to the hub; empty without a login."""
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # documented, not re-exported

    _switch_off_statistics()
    headers: Mapping[str, str] = build_hf_headers()
    return {name.title(): value for name, value in headers.items() if name.lower() == "authorization"}


def _file(entry: Any) -> HubFile | None:  # noqa: ANN401  (an entry of the library: a file or a folder)
    if not hasattr(entry, "blob_id"):
        return None
    check = f"sha256:{entry.lfs.sha256}" if entry.lfs else f"git:{entry.blob_id}"
    return HubFile(str(entry.path), int(entry.lfs.size if entry.lfs else entry.size), check)


def _ask(name: HubName, question: Callable[[HfApi], T], patience: Patience) -> T:
    if is_offline():
        problem = "HF_HUB_OFFLINE is set, and this is not on this machine"
        hint = f"with a network: tsgkit data get {name}" if name.kind == "dataset" else "unset it to fetch the file"
        raise HubUnreachable(f"{name}: {problem}", hint=hint)
    try:
        from huggingface_hub import HfApi
    except ImportError:
        problem = f"{name.kind}s of the hub are read with huggingface_hub, which is not installed"
        raise UsageError(problem, hint="pip install huggingface_hub") from None
    _switch_off_statistics()
    api = HfApi(endpoint=endpoint(), library_name="tsgkit")
    for tried in range(1, patience.tries + 1):
        try:
            with _in_our_words(name):
                return question(api)
        except _Passing as error:
            if tried == patience.tries:
                raise HubUnreachable(f"{name}: {error} (tried {tried} times)", hint="try again later") from None
            time.sleep(patience.pause * 2 ** (tried - 1))
    raise AssertionError("patience has at least one try")


def _switch_off_statistics() -> None:
    """Keep the library from asking the hub for a list of programs by which it would describe its user."""
    from huggingface_hub import constants

    constants.HF_HUB_DISABLE_TELEMETRY = True


@contextmanager
def _in_our_words(name: HubName) -> Iterator[None]:
    """Raise what the library raises as errors of one line, which hold no header and no address of a file."""
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, OfflineModeIsEnabled, RevisionNotFoundError

    http = import_module(HfHubHTTPError.__bases__[0].__module__.partition(".")[0])  # httpx, or httpx2 in newer versions
    try:
        yield
    except OfflineModeIsEnabled:
        raise HubUnreachable(f"{name}: the hub must not be asked: HF_HUB_OFFLINE is set") from None
    except GatedRepoError:
        page = f"{endpoint()}/{'datasets/' * (name.kind == 'dataset')}{name.repository}"
        problem = f"{name}: this {name.kind} is gated, and you have no access to it"
        raise DownloadProblem(problem, hint=f"ask for it at {page}; then {LOG_IN}") from None
    except RevisionNotFoundError:
        raise DownloadProblem(
            f"{name}: the {name.kind} has no revision {name.revision or MAIN}", hint="name a branch, a tag or a commit"
        ) from None
    except HfHubHTTPError as error:
        raise _refused(name, error.response.status_code) from None
    except (http.TimeoutException, http.RemoteProtocolError, http.ReadError):
        raise _Passing("the hub has gone silent") from None
    except http.TransportError:
        raise HubUnreachable(f"{name}: the hub cannot be reached at {endpoint()}", hint="is there a network?") from None
    except (ImportError, OSError) as error:  # a proxy of a kind that is not supported, certificates that are missing
        problem = f"{name}: the hub cannot be reached at {endpoint()}: {str(error).partition('. ')[0]}"
        raise HubUnreachable(problem, hint="see the proxies and certificates that the environment names") from None
    except (http.HTTPError, http.InvalidURL, ValueError, KeyError, TypeError, AttributeError):
        raise DownloadProblem(f"{name}: the answer is not that of a hub", hint=_hint_at_endpoint()) from None


def _refused(name: HubName, status: int) -> Exception:
    from huggingface_hub import get_token

    if status in PASSING:
        return _Passing("the hub asks for fewer requests (429)" if status == 429 else f"the hub answers {status}")
    if status in (401, 404) and not get_token():
        problem = f"{name}: there is no such {name.kind}, or it is private"
        return DownloadProblem(problem, hint=f"check the name; if it is private, {LOG_IN}")
    if status == 401:
        return DownloadProblem(f"{name}: the hub does not accept your login", hint=LOG_IN)
    if status == 403:
        return DownloadProblem(f"{name}: your login may not read this {name.kind} (403)", hint=LOG_IN)
    if status == 404:
        problem = f"{name}: there is no such {name.kind}, or your login may not see it"
        return DownloadProblem(problem, hint="check the name")
    return DownloadProblem(f"{name}: the hub answers {status}", hint=_hint_at_endpoint())


def _hint_at_endpoint() -> str:
    return f"HF_ENDPOINT is {endpoint()}" if os.environ.get("HF_ENDPOINT") else "a login page of the network?"
