"""Download of one file, complete and verified, or not at all.

The received part is kept in ``TARGET.part``, and its version in ``TARGET.part.tag``, so that an interrupted download
resumes. Only a file with the expected checksum becomes ``TARGET``. Not covered: servers that need a password, and
parallel connections.

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
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO
from urllib.parse import urlsplit

from tsgkit.errors import DownloadProblem, FileProblem, UsageError

if TYPE_CHECKING:
    from http.client import HTTPMessage, HTTPResponse
    from urllib import request

Progress = Callable[[int, int | None], None]
"""A callback with the bytes so far and the total, if the server states it."""

BLOCK = 1 << 16
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers that may be better the next time."""
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
HTML = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
GO_ON = "what has come is kept; the same command goes on from there"


class BeingFetched(DownloadProblem):
    """A file that another process is fetching to the same place."""


class _Passing(Exception):
    """An error that may go away on another try."""


class _NoMore(Exception):
    """The server has nothing beyond the part on disk; ``total`` is its size, if stated."""

    def __init__(self, total: int | None) -> None:
        super().__init__(total)
        self.total = total


class _Mismatch(Exception):
    """The file on the server is not the one that the part on disk belongs to."""


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
    fetch = _Fetch(url, target, check, progress or (lambda so_far, total: None), patience, secret or {})
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _held(target.with_name(target.name + ".part"), url) as part:
            fetch.into(part)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise FileProblem(f"{target}: no room left on the disk", hint=f"make room; {GO_ON}") from None
        raise FileProblem(f"{target}: cannot be written: {error.strerror or error}") from None


@contextmanager
def _held(path: Path, url: str) -> Iterator[BinaryIO]:
    """Yield the part, opened for this process alone."""
    path.touch()
    with path.open("r+b", buffering=0) as part:
        if not _lock(part) or not _is_still(part, path):
            raise BeingFetched(f"{url}: another process is fetching this file", hint="wait for it to end")
        try:
            yield part
        finally:
            if not _size(part):
                path.unlink(missing_ok=True)


def _lock(file: IO[Any]) -> bool:
    """Return whether this process alone has the file now, until it is closed; where nothing can be locked, it has."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_still(part: BinaryIO, path: Path) -> bool:
    """Return whether the part has not become the finished file of another process between opening and locking it."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(part.fileno()), path.stat())
    return False


@dataclass
class _Fetch:
    url: str
    target: Path
    check: str | None
    progress: Progress
    patience: Patience
    secret: Mapping[str, str] = field(default_factory=dict, repr=False)
    resumed: bool = False

    @property
    def tag(self) -> Path:
        """The file that records which version the part on disk belongs to."""
        return self.target.with_name(self.target.name + ".part.tag")

    def into(self, part: BinaryIO) -> None:
        self._receive_all(part)
        if self.check and self._sum(part) != self.check and self.resumed:
            self._start_over(part)  # the two ends may be of different files
            self._receive_all(part)
        actual = self._sum(part) if self.check else None
        if actual != self.check:
            self._forget()
            raise DownloadProblem(
                f"{self.url}: not the file that is expected: its checksum is {actual}, expected {self.check}",
                hint="nothing was kept; the file has changed at its source, or something on the way changes it",
            )
        os.fsync(part.fileno())
        self._part.replace(self.target)
        self._forget()

    @property
    def _part(self) -> Path:
        return self.target.with_name(self.target.name + ".part")

    def _sum(self, part: BinaryIO) -> str:
        return checksum(part, kind_of_check(self.check or "sha256"))

    def _receive_all(self, part: BinaryIO) -> None:
        """Ask until all has come; tries are counted anew whenever more has come than ever before."""
        tried, most = 0, _size(part)
        while True:
            try:
                return self._receive(part)
            except _Mismatch:
                self._start_over(part)
                tried += 1
                problem = "the file changes while it is fetched"
            except _Passing as error:
                tried += 1
                problem = str(error)
            if _size(part) > most:
                tried, most = 1, _size(part)
            if tried >= self.patience.tries:
                kept = GO_ON if _size(part) else "try again later"
                raise DownloadProblem(f"{self.url}: {problem} (tried {tried} times)", hint=kept)
            time.sleep(self.patience.pause * 2 ** (tried - 1))

    def _receive(self, part: BinaryIO) -> None:
        """Make one request for the missing bytes."""
        have = _size(part)
        tag = self._read_tag() if have else None
        if have and tag is None and not self.check:  # nothing would tell whether the two ends belong together
            self._start_over(part)
            have = 0
        try:
            with _network(self.url):
                headers = {"User-Agent": "tsgkit", "Accept-Encoding": "identity"}
                if have:
                    headers["Range"] = f"bytes={have}-"
                if have and tag:
                    headers["If-Range"] = tag
                response = _open(self.url, headers, self.patience.timeout, self.secret)
        except _NoMore as answer:
            if answer.total != have:
                raise _Mismatch from None
            self.resumed = True
            return
        with response:
            is_rest = response.status == 206
            if is_rest:
                begins = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
                if begins is None or int(begins[1]) != have or (tag and response.headers.get("ETag", tag) != tag):
                    raise _Mismatch
            self._copy(response, part, have if is_rest else 0)

    def _copy(self, response: HTTPResponse, part: BinaryIO, start: int) -> None:
        length = response.headers.get("Content-Length")
        total = start + int(length) if length and length.isdigit() else None
        block = _read(response, self.url)
        if not start:  # only now: a page in place of the data must not cost what is kept
            if response.headers.get_content_type() == "text/html" or HTML.match(block):
                raise DownloadProblem(
                    f"{self.url}: the server sends an HTML page instead of data",
                    hint="a login page of the network, or a wrong address?",
                )
            self._start_over(part)
            tag = response.headers.get("ETag")
            if tag and re.fullmatch(r'"[\x21\x23-\x7e]*"', tag):
                self.tag.write_text(f"{self.url}\n{tag}", encoding="utf-8")
        self.resumed = start > 0
        part.seek(start)
        so_far = start
        while block:
            view = memoryview(block)
            while view:
                view = view[part.write(view) :]
            so_far += len(block)
            self.progress(so_far, total)
            block = _read(response, self.url)
        if total is not None and so_far < total:
            raise _Passing(f"the connection was cut after {so_far:,} of {total:,} bytes")

    def _start_over(self, part: BinaryIO) -> None:
        part.truncate(0)
        self.tag.unlink(missing_ok=True)
        self.resumed = False

    def _forget(self) -> None:
        self._part.unlink(missing_ok=True)
        self.tag.unlink(missing_ok=True)

    def _read_tag(self) -> str | None:
        with suppress(OSError, ValueError):
            url, tag = self.tag.read_text(encoding="utf-8").split("\n")
            return tag if url == self.url else None
        return None


def _open(url: str, headers: dict[str, str], timeout: float, secret: Mapping[str, str]) -> HTTPResponse:
    """Return the answer, after redirections; only http and https are spoken, whatever a redirection says."""
    from urllib import request
    from urllib.error import HTTPError

    class Redirections(request.HTTPRedirectHandler):
        def redirect_request(  # noqa: PLR0913, RUF100  (the library's signature)
            self, req: request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
        ) -> request.Request | None:
            if not newurl.lower().startswith(("http://", "https://")):
                raise DownloadProblem(f"{url}: leads to {newurl}, and only http and https addresses are fetched")
            redirected = super().redirect_request(req, fp, code, msg, headers, newurl)
            return None if redirected is None else _with_secret(redirected, url, secret)

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler, request.UnknownHandler, request.HTTPHandler, request.HTTPSHandler,
        request.HTTPDefaultErrorHandler, Redirections, request.HTTPErrorProcessor,
    ):  # fmt: skip
        opener.add_handler(handler())
    try:
        first = _with_secret(request.Request(url, headers=headers), url, secret)  # noqa: S310
        response: HTTPResponse = opener.open(first, timeout=timeout)
    except HTTPError as error:
        error.close()
        if error.code == 416:
            match = re.fullmatch(r"bytes \*/(\d+)", error.headers.get("Content-Range", ""))
            raise _NoMore(int(match[1]) if match else None) from None
        raise
    return response


def _with_secret(outgoing: request.Request, url: str, secret: Mapping[str, str]) -> request.Request:
    """Return a request with the headers of a login, if it goes to the server that the first one went to."""
    first, now = urlsplit(url), urlsplit(outgoing.full_url)
    if (first.scheme, first.netloc) == (now.scheme, now.netloc):
        for name, value in secret.items():
            outgoing.add_unredirected_header(name, value)
    return outgoing


@contextmanager
def _network(url: str) -> Iterator[None]:
    """Yield what the network library raises, in our words."""
    from http.client import HTTPException
    from socket import gaierror
    from ssl import SSLCertVerificationError
    from urllib.error import HTTPError, URLError

    try:
        yield
    except HTTPError as error:
        answer = f"the server answers {error.code} {error.reason}"
        if error.code in PASSING:
            raise _Passing(answer) from None
        is_missing = error.code in (404, 410)
        hint = "the address is wrong, or the file is no longer there" if is_missing else "a retry will not help"
        raise DownloadProblem(f"{url}: {answer}", hint=hint) from None
    except (URLError, OSError, HTTPException) as error:
        reason = error.reason if isinstance(error, URLError) else error
        offline = "is there a network? A copy on this machine can be imported: tsgkit data import"
        if isinstance(reason, gaierror):
            raise DownloadProblem(f"{url}: the server name cannot be resolved", hint=offline) from None
        if isinstance(reason, ConnectionRefusedError) or getattr(reason, "errno", 0) in UNREACHABLE:
            raise DownloadProblem(f"{url}: the server cannot be reached: {reason}", hint=offline) from None
        if isinstance(reason, SSLCertVerificationError):
            raise DownloadProblem(f"{url}: the server's certificate is not trusted: {reason}") from None
        if isinstance(reason, TimeoutError):
            raise _Passing("the server has gone silent") from None
        raise _Passing(f"the connection was cut: {str(reason) or type(reason).__name__}") from None
    except ValueError as error:  # an address that is none, as http.client.InvalidURL
        raise DownloadProblem(f"{url}: not an address: {error}") from None


UNREACHABLE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN})


def _read(response: HTTPResponse, url: str) -> bytes:
    with _network(url):
        return response.read1(BLOCK)


def _size(part: BinaryIO) -> int:
    return os.fstat(part.fileno()).st_size


KINDS = {"sha256": 64, "git": 40}
"""The kinds of checksum, and how many hexadecimal digits each has."""
AT_ONCE = 1 << 20


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
