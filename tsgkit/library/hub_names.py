"""Names of datasets on the Hugging Face hub: ``hf://OWNER/NAME[@REV][/PATH]``.

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

import re
from dataclasses import dataclass, replace

from tsgkit.errors import UsageError

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
    if not (found := NAME.fullmatch(repository)) or any(part.endswith(".git") for part in found.groups()):
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
