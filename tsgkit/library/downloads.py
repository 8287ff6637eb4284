"""Download of one file, complete and verified, or not at all.

The received part is kept in ``TARGET.part``, so that an interrupted download resumes: ``huggingface_hub`` keeps no part
of one, which is why files of the hub come this way too. Only a file with the expected checksum becomes ``TARGET``; one
without is fetched anew after an interruption, since nothing shows that two parts belong together. Not covered: servers
that need a password, and parallel connections.

>>> download("file:///etc/hostname", Path("x"))
Traceback (most recent call last):
tsgkit.errors.DownloadProblem: file:///etc/hostname: only http and https addresses are fetched

A file is verified by its checksum: ``sha256:HEX``, or ``git:HEX``, git's id of the content. An address must not contain
a user and password, since it is displayed, recorded and logged.

>>> checksum(io.BytesIO(b"cup"), "git")
'git:7330a5a793513b73608e5d201ddbfbf067ff0655'
>>> refuse_login("http://127.0.0.1:8000/v1", "api_base")
>>> refuse_login("http://me:word@127.0.0.1:8000/v1", "api_base")
Traceback (most recent call last):
tsgkit.errors.UsageError: api_base: an address with a user or a password in it

Notes and progress of what takes long before a job begins (downloads, a cluster whose places are taken) reach a watch,
if one is set:

>>> heard = []
>>> with watched(Watch(heard.append)):
...     note("main is commit 4f1a")
>>> note("without a watch")
>>> heard
['main is commit 4f1a']
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from socket import gaierror
from typing import IO, Any, BinaryIO
from urllib.parse import urlsplit

from tsgkit.errors import DownloadProblem, FileProblem, UsageError

Progress = Callable[[int, int | None], None]
"""A callback with the bytes so far and the total, if the server states it."""

BLOCK = 1 << 16
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers that may be better the next time."""
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
UNREACHABLE = frozenset({errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN})
HTML = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
GO_ON = "what has come is kept; the same command goes on from there"
LARGE = 2_000_000
"""Size in bytes from which on the progress of a download is reported."""


@dataclass(frozen=True)
class Watch:
    """Callbacks for notes in one line, and for the progress of a download (a name, bytes so far, all bytes)."""

    note: Callable[[str], None]
    progress: Callable[[str, int, int | None], None] | None = None


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Report what happens within the block to a watch."""
    before = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(before)


def note(text: str) -> None:
    """Report a note."""
    if watch := _WATCH.get():
        watch.note(text)


def progress_of(name: str, size: int) -> Callable[[int, int | None], None] | None:
    """Return the callback for the download of a file of this size; None for a small one, or without a watch."""
    watch = _WATCH.get()
    progress = watch.progress if watch and size >= LARGE else None
    return None if progress is None else lambda so_far, total: progress(name, so_far, total or size)


class BeingFetched(DownloadProblem):
    """A file that another process is fetching to the same place."""


class PassingFailure(Exception):
    """An error that may go away on another try."""


@dataclass(frozen=True)
class Patience:
    """Timeout for a silent server, number of tries without progress, and the first pause between tries, which doubles
    each time.
    """

    timeout: float = 30.0
    tries: int = 4
    pause: float = 1.0


PATIENT = Patience()


def download(
    url: str,
    target: str | Path,
    check: str | None = None,
    progress: Progress | None = None,
    patience: Patience = PATIENT,
    *,
    secret: Mapping[str, str] | None = None,
) -> None:
    """Download a file to ``target``. Raise ``DownloadProblem`` if it cannot be fetched, ``FileProblem`` if it cannot be
    stored. ``secret`` are headers of a login: they are not sent along with a redirection to another server.
    """
    if not re.match(r"https?://[^/]", url, re.IGNORECASE):
        raise DownloadProblem(f"{url}: only http and https addresses are fetched")
    refuse_login(url, "the address of a file")
    target = Path(target)
    path = target.with_name(target.name + ".part")
    request = _FileRequest(url, bool(check), progress or (lambda so_far, total: None), patience, secret or {})
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        with path.open("r+b", buffering=0) as part:
            is_mine = False
            with suppress(FileNotFoundError):  # it may have become the finished file of another process meanwhile
                is_mine = lock(part) and os.path.samestat(os.fstat(part.fileno()), path.stat())
            if not is_mine:
                raise BeingFetched(f"{url}: another process is fetching this file", hint="wait for it to end")
            try:
                request.receive(part)
                kind = kind_of_check(check or "")
                if check and checksum(part, kind) != check and request.has_resumed:
                    part.truncate(0)  # the two ends may be of different files
                    request.receive(part)
                if check and (actual := checksum(part, kind)) != check:
                    part.truncate(0)
                    raise DownloadProblem(
                        f"{url}: not the file that is expected: its checksum is {actual}, expected {check}",
                        hint="nothing was kept; the file has changed at its source, or something on the way changes it",
                    )
                os.fsync(part.fileno())
                path.replace(target)
            finally:
                if not _size(part):
                    path.unlink(missing_ok=True)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise FileProblem(f"{target}: no room left on the disk", hint=f"make room; {GO_ON}") from None
        raise FileProblem(f"{target}: cannot be written: {error.strerror or error}") from None


def lock(file: IO[Any], *, waits: bool = False) -> bool:
    """Return whether this process alone has the file now, until it is closed; where nothing can be locked, it has."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


@dataclass
class _FileRequest:
    url: str
    resumes: bool
    """False where nothing would show whether two parts belong together."""
    progress: Progress
    patience: Patience
    secret: Mapping[str, str] = field(repr=False)
    has_resumed: bool = False

    def receive(self, part: BinaryIO) -> None:
        """Ask until all has come; tries are counted anew whenever more has come than ever before."""
        tried, most, self.has_resumed = 0, _size(part), False
        while True:
            try:
                return self._receive_once(part)
            except PassingFailure as error:
                tried += 1
                problem = str(error)
            if _size(part) > most:
                tried, most = 1, _size(part)
            if tried >= self.patience.tries:
                kept = GO_ON if self.resumes and _size(part) else "try again later"
                raise DownloadProblem(f"{self.url}: {problem} (tried {tried} times)", hint=kept)
            time.sleep(self.patience.pause * 2 ** (tried - 1))

    def _receive_once(self, part: BinaryIO) -> None:
        """Make one request for the missing bytes."""
        import httpx

        start = _size(part) if self.resumes else 0
        headers = {"User-Agent": "tsgkit", "Accept-Encoding": "identity", "Connection": "close"}
        headers |= self.secret
        headers |= {"Range": f"bytes={start}-"} if start else {}
        timeout, trust = self.patience.timeout, ssl.create_default_context()
        try:
            client = httpx.Client(follow_redirects=True, timeout=timeout, verify=trust)
        except (ImportError, ValueError, httpx.InvalidURL) as error:  # a proxy of a kind that is not supported
            problem = f"{self.url}: the server cannot be reached: {str(error).partition('. ')[0]}"
            raise DownloadProblem(problem, hint="see the proxies that the environment names") from None
        total: int | None = None
        with _network(self.url), client, client.stream("GET", self.url, headers=headers) as response:
            if response.status_code == 416:  # there is nothing beyond the part: its checksum says whether it is whole
                self.has_resumed = True
                return
            if response.is_error:
                answer = f"the server answers {response.status_code} {response.reason_phrase}"
                if response.status_code in PASSING:
                    raise PassingFailure(answer)
                is_missing = response.status_code in (404, 410)
                hint = "the address is wrong, or the file is no longer there" if is_missing else "a retry will not help"
                raise DownloadProblem(f"{self.url}: {answer}", hint=hint)
            if response.status_code == 206 and f"bytes {start}-" not in response.headers.get("Content-Range", ""):
                part.truncate(0)
                raise PassingFailure("the file changes while it is fetched")
            start = start if response.status_code == 206 else 0
            length = response.headers.get("Content-Length", "")
            total = start + int(length) if length.isdigit() else None
            so_far, blocks = start, response.iter_raw()
            try:
                block = next(blocks, b"")
                if not start:  # only now: a page in place of the data must not cost what is kept
                    if "text/html" in response.headers.get("Content-Type", "").lower() or HTML.match(block):
                        raise DownloadProblem(
                            f"{self.url}: the server sends an HTML page instead of data",
                            hint="a login page of the network, or a wrong address?",
                        )
                    part.truncate(0)
                self.has_resumed = start > 0
                part.seek(start)
                while block:
                    view = memoryview(block)
                    while view:
                        view = view[part.write(view) :]
                    so_far += len(block)
                    self.progress(so_far, total)
                    block = next(blocks, b"")
            except httpx.RemoteProtocolError:
                if total is None:
                    raise
                raise PassingFailure(f"the connection was cut after {so_far:,} of {total:,} bytes") from None


@contextmanager
def _network(url: str) -> Iterator[None]:
    """Yield what the network library raises, in our words."""
    import httpx

    try:
        yield
    except httpx.TimeoutException:
        raise PassingFailure("the server has gone silent") from None
    except httpx.UnsupportedProtocol as error:
        problem = f"{url}: leads to {error.request.url}, and only http and https addresses are fetched"
        raise DownloadProblem(problem) from None
    except httpx.TooManyRedirects:
        raise DownloadProblem(f"{url}: the server redirects too often (302)", hint="a retry will not help") from None
    except httpx.TransportError as error:
        offline = "is there a network? A copy on this machine can be imported: tsgkit data import"
        reason: BaseException = error
        while cause := reason.__cause__ or reason.__context__:
            reason = cause
        if isinstance(reason, gaierror):
            raise DownloadProblem(f"{url}: the server name cannot be resolved", hint=offline) from None
        if getattr(reason, "errno", 0) in UNREACHABLE:
            raise DownloadProblem(f"{url}: the server cannot be reached: {reason}", hint=offline) from None
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise DownloadProblem(f"{url}: the server's certificate is not trusted: {reason}") from None
        raise PassingFailure(f"the connection was cut: {str(reason) or type(reason).__name__}") from None
    except (httpx.InvalidURL, ValueError) as error:
        raise DownloadProblem(f"{url}: not an address: {error}") from None


def _size(part: BinaryIO) -> int:
    return os.fstat(part.fileno()).st_size


KINDS = {"sha256": 64, "git": 40}
"""The kinds of checksum, and how many hexadecimal digits each has."""


def checksum(stream: BinaryIO, kind: str = "sha256") -> str:
    """Return the checksum of a whole file that can be sought in."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    digest = hashlib.sha256()
    if kind == "git":  # its SHA-1 recognises a file, and guards no secret
        digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    while block := stream.read(BLOCK):
        digest.update(block)
    return f"{kind}:{digest.hexdigest()}"


def checksum_of_bytes(data: bytes, kind: str = "sha256") -> str:
    """Return the checksum of bytes in memory."""
    return checksum(io.BytesIO(data), kind)


def kind_of_check(check: str) -> str:
    """Return the kind of a checksum (``sha256:...``)."""
    return check.partition(":")[0]


def refuse_login(address: object, what: str, hint: str = "leave it out of the address") -> None:
    """Raise ``UsageError``, which does not show it, where an address has a user or a password in it."""
    try:
        parts = urlsplit(str(address))
    except ValueError:
        return  # whoever uses it says that it is none
    if "@" in parts.netloc:
        raise UsageError(f"{what}: an address with a user or a password in it", hint=hint)
