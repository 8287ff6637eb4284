"""Files of weights in the format GGUF: what their header says, and their hash.

Only key-values and the list of tensors are read, never the weights themselves; values of arrays are skipped.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tsgkit.errors import FileProblem
from tsgkit.library.files import look_alike, write_text
from tsgkit.library.long_waits import progress_of
from tsgkit.user_folders import cache_home
from tsgkit.version import __version__

LOCAL = "gguf:"
"""The prefix of models that are files of weights."""
MAGIC = b"GGUF"
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""The kinds of values that are numbers, as ``struct`` writes them."""
TEXT, ARRAY = 8, 9
LONGEST_TEXT = 1 << 26
QUANTISATIONS = re.findall(
    r"\S+",
    "F32 F16 Q4_0 Q4_1 - - - Q8_0 Q5_0 Q5_1 Q2_K Q3_K_S Q3_K_M Q3_K_L Q4_K_S Q4_K_M Q5_K_S Q5_K_M Q6_K IQ2_XXS IQ2_XS "
    "Q2_K_S IQ3_XS IQ3_XXS IQ1_S IQ4_NL IQ3_S IQ3_M IQ2_S IQ2_M IQ4_XS IQ1_M BF16 - - - TQ1_0 TQ2_0 MXFP4",
)
"""Names of ``general.file_type``."""
KEPT = "weights.json"
"""The file of hashes and headers in the user's cache."""
BLOCK = 1 << 22
LARGE = 500_000_000
"""Size in bytes from which on the progress of hashing is shown; it takes a second or two for each gigabyte."""


def is_local(model: str) -> bool:
    """Return whether a model is a file of weights, run on this machine."""
    return model.startswith(LOCAL)


@dataclass(frozen=True)
class Weights:
    """A file of weights: its content, and what its header says of the model."""

    path: Path
    size: int
    sha256: str
    title: str
    """The name that the header gives the model, else that of the file."""
    quantisation: str
    context: int
    """The longest context that the model was trained for, in tokens; 0 where the header does not say."""
    token_bytes: int
    """The memory that a token of context takes, at two bytes a value."""
    has_template: bool
    """True if it has a chat template; a base model has none."""

    @property
    def model(self) -> str:
        """The name of the model in runs, which says what the file holds and not where it lies."""
        words = f"{self.title}-{self.quantisation}" if self.quantisation not in self.title else self.title
        return f"{LOCAL}{re.sub(r'[^A-Za-z0-9._+]+', '-', words).strip('-')}@{self.sha256[:8]}"

    @property
    def record(self) -> dict[str, Any]:
        """The fields that a run stores; all follow from the content."""
        names = ("title", "size", "sha256", "quantisation")
        return {name: getattr(self, name) for name in names}


def weights_in(path: Path) -> Weights:
    """Return what a file of weights holds; ``FileProblem`` where it is none, or is cut off.

    Hash and header are kept in the user's cache, and read again when the file's size or time changes.
    """
    try:
        state, place = path.stat(), path.resolve()
        is_file = path.is_file()
    except OSError:
        raise FileProblem(f"{path}: no such file", hint=look_alike(path)) from None
    if not is_file:
        raise FileProblem(f"{path}: not a file", hint="name a file of weights: gguf:FILE.gguf")
    kept, key = dict[str, Any](), [__version__, state.st_size, state.st_mtime_ns]
    with suppress(OSError, ValueError):
        value = json.loads((cache_home() / KEPT).read_bytes())
        kept = value if isinstance(value, dict) else {}
    found = kept.get(str(place))
    if not isinstance(found, dict) or found.pop("key", None) != key:
        try:
            with path.open("rb") as file:
                found = _header(file, path, state.st_size)
                found["sha256"] = _sha256(file, path.name, state.st_size)
        except OSError as error:
            raise FileProblem(f"{path}: cannot be read: {error.strerror}") from None
        with suppress(OSError, FileProblem):  # a cache that cannot be written is none
            cache_home().mkdir(parents=True, exist_ok=True)
            write_text(cache_home() / KEPT, json.dumps(kept | {str(place): found | {"key": key}}, indent=1))
    return Weights(path=path.absolute(), size=state.st_size, **found)


def _sha256(file: BinaryIO, name: str, size: int) -> str:
    progress, digest, so_far = progress_of(f"hashing {name}", size) if size >= LARGE else None, hashlib.sha256(), 0
    file.seek(0)
    while block := file.read(BLOCK):
        digest.update(block)
        so_far += len(block)
        if progress is not None:
            progress(so_far, size)
    return digest.hexdigest()


def _header(file: BinaryIO, path: Path, size: int) -> dict[str, Any]:
    """Return what the header says of the model."""
    if file.read(4) != MAGIC:
        raise FileProblem(f"{path}: no file of weights in the format GGUF", hint="its first four bytes are not GGUF")
    try:
        values, least = _values(file)
    except EOFError:
        values, least = {}, size + 1
    except (KeyError, ValueError, OverflowError, RecursionError):
        raise FileProblem(f"{path}: its header is not one of GGUF 2 or 3", hint="download or convert it anew") from None
    if size < least:
        raise FileProblem(
            f"{path}: the file is cut off: it has {size:,} bytes, and its header tells of more",
            hint="download it again",
        )
    if (parts := values.get("split.count", 1)) > 1:
        hint = "join them: llama-gguf-split --merge"
        raise FileProblem(f"{path}: one of {parts} parts of a file of weights", hint=hint)
    about = {name.partition(".")[2]: value for name, value in values.items()}
    heads = about.get("attention.head_count") or 1
    width = about.get("attention.key_length") or about.get("embedding_length", 0) // heads
    kind = values.get("general.file_type", -1)
    return {
        "title": str(values.get("general.name") or path.stem),
        "quantisation": QUANTISATIONS[kind] if 0 <= kind < len(QUANTISATIONS) else "-",
        "context": about.get("context_length", 0),
        "token_bytes": 4 * about.get("block_count", 0) * (about.get("attention.head_count_kv") or heads) * width,
        "has_template": bool(values.get("tokenizer.chat_template")),
    }


def _values(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """Return the key-values, and the least size of the file by its list of tensors."""
    version, tensors, count = _number(file, "I"), _number(file, "Q"), _number(file, "Q")
    if version not in (2, 3):
        raise ValueError(version)
    values = {}
    for _ in range(count):
        name = _text(file)
        values[name] = _value(file, _number(file, "I"))
    last = 0
    for _ in range(tensors):
        _text(file)
        file.seek(8 * _number(file, "I") + 4, 1)
        last = max(last, _number(file, "Q"))
    alignment = values.get("general.alignment", 32)
    return values, -(-file.tell() // alignment) * alignment + last + 1


def _value(file: BinaryIO, kind: int) -> Any:  # noqa: ANN401
    """Return a value; None for an array."""
    if kind == TEXT:
        return _text(file)
    if kind != ARRAY:
        return _number(file, NUMBERS[kind])
    inner, length = _number(file, "I"), _number(file, "Q")
    if inner in NUMBERS:
        file.seek(length * struct.calcsize(NUMBERS[inner]), 1)
        return None
    for _ in range(length):
        _value(file, inner)
    return None


def _number(file: BinaryIO, kind: str) -> Any:  # noqa: ANN401
    return struct.unpack(f"<{kind}", _taken(file, struct.calcsize(f"<{kind}")))[0]


def _text(file: BinaryIO) -> str:
    length = _number(file, "Q")
    if length > LONGEST_TEXT:
        raise ValueError(length)
    return _taken(file, length).decode("utf-8", "replace")


def _taken(file: BinaryIO, length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise EOFError
    return data
