"""Models on this machine: files of weights (``gguf:FILE``), each served by llama.cpp in a process of its own.

The server is started by the first request, shared by all who ask the same file with the same options, and ended when
the last of them closes. A model is known by the content of its file, wherever that lies: by its hash, and the header in
the format GGUF, of which only key-values and the list of tensors are read; values of arrays are skipped.
"""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import json
import os
import re
import secrets
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO
from urllib.request import ProxyHandler, Request, build_opener

from tsgkit.errors import DownloadProblem, ExtraMissing, FileProblem, UsageError
from tsgkit.library.downloads import note, progress_of
from tsgkit.library.files import look_alike, read_text, write_text
from tsgkit.library.hub import NAME, model_file
from tsgkit.llm import gguf_server
from tsgkit.llm.direct_calls import DirectCalls
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import Messages
from tsgkit.llm.reply import Reply, Schema
from tsgkit.llm.service_calls import object_in
from tsgkit.llm.settings import LOCAL, SERVER_OPTIONS, Argument, Settings, settings_of
from tsgkit.user_folders import cache_home
from tsgkit.version import __version__

ENGINE = "llama.cpp"
"""The endpoint of every model on this machine."""
SLOTS = 2
"""Requests at once. They share the processors, so that more are no faster; two keep the beginnings of two tasks."""
CONTEXT, LEAST_CONTEXT = 16_384, 4_096
"""Tokens of context a slot: our longest prompts, with ten worked examples, take 9,000; one without any takes 2,500."""
CACHE_MIB = 1024
"""The memory for the beginnings of prompts that no slot holds at the moment."""
WORKING_BYTES = 300_000_000
"""The memory for what is computed, beside weights and context."""
LEAST = {"ctx": 256, "slots": 1, "threads": 1, "gpu_layers": -1}
LOG_HEAD = re.compile(r"^[\d.]+ [A-Z] ")
END_SECONDS = 5.0
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

_WEIGHTS: dict[str, Weights] = {}


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


def weights_in(path: Path) -> Weights:
    """Return what a file of weights holds; ``FileProblem`` where it is none, or is cut off.

    Hash and header are kept in the user's cache, and read again when the file's size or time changes.
    """
    try:
        state, location, is_file = path.stat(), str(path.resolve()), path.is_file()
    except OSError:
        raise FileProblem(f"{path}: no such file", hint=look_alike(path)) from None
    if not is_file:
        raise FileProblem(f"{path}: not a file", hint="name a file of weights: gguf:FILE.gguf")
    kept, key = dict[str, Any](), [__version__, state.st_size, state.st_mtime_ns]
    with suppress(OSError):
        kept = object_in((cache_home() / KEPT).read_bytes())
    header = kept.get(location)
    if not isinstance(header, dict) or header.pop("key", None) != key:
        try:
            with path.open("rb") as file:
                header = _header(file, path, state.st_size)
                file.seek(0)
                progress = progress_of(f"hashing {path.name}", state.st_size) if state.st_size >= LARGE else None
                digest, so_far = hashlib.sha256(), 0
                while block := file.read(BLOCK):
                    digest.update(block)
                    so_far += len(block)
                    if progress is not None:
                        progress(so_far, state.st_size)
                header["sha256"] = digest.hexdigest()
        except OSError as error:
            raise FileProblem(f"{path}: cannot be read: {error.strerror}") from None
        with suppress(OSError, FileProblem):  # a cache that cannot be written is none
            cache_home().mkdir(parents=True, exist_ok=True)
            write_text(cache_home() / KEPT, json.dumps(kept | {location: header | {"key": key}}, indent=1))
    return Weights(path=path.absolute(), size=state.st_size, **header)


def _header(file: BinaryIO, path: Path, size: int) -> dict[str, Any]:
    """Return what the header says of the model."""

    def number(kind: str) -> Any:  # noqa: ANN401
        return struct.unpack(f"<{kind}", file.read(struct.calcsize(f"<{kind}")))[0]

    def text() -> str:
        length = number("Q")
        if length > LONGEST_TEXT:
            raise ValueError(length)
        data = file.read(length)
        if len(data) < length:
            raise EOFError
        return data.decode("utf-8", "replace")

    def value(kind: int) -> Any:  # noqa: ANN401
        """Return a value; None for an array."""
        if kind != ARRAY:
            return text() if kind == TEXT else number(NUMBERS[kind])
        inner, length = number("I"), number("Q")
        if inner in NUMBERS:
            file.seek(length * struct.calcsize(NUMBERS[inner]), 1)
            return None
        for _ in range(length):
            value(inner)
        return None

    if file.read(4) != MAGIC:
        raise FileProblem(f"{path}: no file of weights in the format GGUF", hint="its first four bytes are not GGUF")
    values, least = dict[str, Any](), 0
    try:
        version, tensors, count = number("I"), number("Q"), number("Q")
        if version not in (2, 3):
            raise ValueError(version)  # noqa: TRY301
        for _ in range(count):
            name = text()
            values[name] = value(number("I"))
        last = 0
        for _ in range(tensors):
            text()
            file.seek(8 * number("I") + 4, 1)
            last = max(last, number("Q"))
        alignment = values.get("general.alignment", 32)
        least = -(-file.tell() // alignment) * alignment + last + 1
    except (EOFError, struct.error):
        values, least = {}, size + 1
    except (KeyError, ValueError, OverflowError, RecursionError):
        raise FileProblem(f"{path}: its header is not one of GGUF 2 or 3", hint="download or convert it anew") from None
    if size < least:
        cut_off = f"the file is cut off: it has {size:,} bytes, and its header tells of more"
        raise FileProblem(f"{path}: {cut_off}", hint="download it again")
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


def registered(model: str) -> str:
    """Return the name under which a file of weights answers in runs.

    The file is found, or fetched from the hub, and read. ``FileProblem`` where it cannot be.
    """
    if model in _WEIGHTS:
        return model
    name = model.removeprefix(LOCAL)
    if not name:
        raise UsageError(f"{LOCAL} names no file", hint=f"{LOCAL}FILE.gguf, or {LOCAL}OWNER/REPO/FILE.gguf of the hub")
    path = Path(name).expanduser()
    repository = "/".join(name.split("/")[:2])
    file = name[len(repository) + 1 :]
    if not path.exists() and file.endswith(".gguf") and NAME.fullmatch(repository):
        try:
            path = model_file(repository, file)
        except DownloadProblem as error:
            problem = f"{name}: no such file here ({look_alike(path)}), and {error}"
            raise FileProblem(problem, hint=error.hint) from None
    weights = weights_in(path)
    _WEIGHTS[weights.model] = weights
    return weights.model


def local_settings(model: str, arguments: Sequence[Argument], defaults: Mapping[str, Any]) -> Settings:
    """Return the settings of a file of weights: its content and chat template are part of what is asked, the other
    options of its server are not."""
    name = registered(model)
    mine = [argument._replace(model=name if argument.model == model else argument.model) for argument in arguments]
    usual = settings_of(name, mine, defaults)
    if usual.connection:
        wrong = next(iter(usual.connection))
        raise UsageError(f"{model}: --model-arg {wrong} has no use: its server is started here", hint="leave it out")
    options = [argument for argument in mine if argument.name in SERVER_OPTIONS and argument.model in (None, name)]
    server = {option.name: option.value for option in sorted(options, key=lambda option: option.model is not None)}
    for option, least in LEAST.items():
        if option in server and (not isinstance(server[option], int) or server[option] < least):
            raise UsageError(f"--model-arg {option}={server[option]}: a whole number from {least:,} is needed")
    fields = ("title", "size", "sha256", "quantisation")  # all follow from the content
    content: dict[str, Any] = {"weights": {part: getattr(_WEIGHTS[name], part) for part in fields}}
    if "template" in server:
        server["template"] = read_text(str(server["template"]))
        content["template"] = hashlib.sha256(server["template"].encode()).hexdigest()
    connection, server = {"api_base": ENGINE}, {"slots": SLOTS} | server
    return replace(usual, given=usual.given | content, connection=connection, server=server)


def context_of(weights: Weights, server: dict[str, Any], free: int | None) -> int:
    """Return the tokens of context of a slot: the given ones, else our longest prompts or as much as memory allows.

    Raise ``UsageError`` where the model knows no context so long, or the memory is too small for it.
    """
    slots, longest = int(server["slots"]), weights.context or CONTEXT
    context = int(server.get("ctx", min(CONTEXT, longest)))
    if context > longest:
        raise UsageError(f"{weights.model}: ctx={context:,}: the model was trained for {longest:,} tokens of context")

    def needed() -> int:
        return weights.size + slots * context * weights.token_bytes + WORKING_BYTES

    while free is not None and "ctx" not in server and needed() > free and context > LEAST_CONTEXT:
        context = max(context // 2, LEAST_CONTEXT)
    if free is not None and needed() > free and not server.get("gpu_layers"):
        wrong = f"{weights.model} needs {_size(needed())} of memory, with {slots} times {context:,} tokens of context"
        hint = "end other programs, or a smaller file, or --model-arg slots=1, or a smaller --model-arg ctx=N"
        raise UsageError(f"{wrong}; {_size(free)} are free", hint=hint)
    return context


def free_memory() -> int | None:
    """Return the bytes of memory that programs can have; None where the system does not say."""
    with suppress(OSError):
        available = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text("ascii"))
        return 1024 * int(available[1]) if available else None
    return None


def _size(size: float) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


class GgufServer:
    """A server of a file of weights, and the number of those who use it."""

    def __init__(self, weights: Weights, server: dict[str, Any]) -> None:
        self.name, self.size, self.users = weights.model, _size(weights.size), 0
        self.began, self.address, self.key = time.monotonic(), "", secrets.token_hex(16)
        self.loaded = threading.Event()
        """Set when it serves, or is no more."""
        wanted = {"file": str(weights.path), "name": self.name, "key": self.key, "cache_mib": CACHE_MIB, **server}
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the server)
        self.process = subprocess.Popen(  # noqa: S603  (a file of ours)
            [sys.executable, "-P", gguf_server.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._output,
            start_new_session=True,  # Ctrl-C is ours: requests in flight are completed
        )
        assert self.process.stdin is not None  # noqa: S101  (a pipe)
        with suppress(BrokenPipeError):  # it ended at once, and its output says why
            self.process.stdin.write(json.dumps(wanted).encode() + b"\n")
            self.process.stdin.flush()
        note(f"loading {self.name} ({self.size}) ...")

        def load() -> None:
            """Wait until the server has loaded the model and says its address, or is no more."""
            assert self.process.stdout is not None  # noqa: S101  (a pipe)
            self.address = self.process.stdout.readline().decode().strip()
            if not self.address:
                self.process.wait()
            self.loaded.set()

        threading.Thread(target=load, daemon=True, name="tsgkit-loading").start()

    def ask(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer of the server to a question beside its chat completions."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        request = Request(f"{self.address}{path}", data, headers)  # noqa: S310  (the loopback address)
        with build_opener(ProxyHandler({})).open(request, timeout=60) as response:
            return dict(json.load(response))

    @cached_property
    def context(self) -> int:
        """The tokens of context of a slot."""
        return int(self.ask("/props")["default_generation_settings"]["n_ctx"])

    def tokens_of(self, messages: Messages) -> int:
        """Return the length of a prompt in the model's own tokens."""
        text = self.ask("/apply-template", {"messages": messages})["prompt"]
        return len(self.ask("/tokenize", {"content": text, "add_special": True})["tokens"])

    @property
    def last_output(self) -> str:
        """The exit code, and the last lines that it wrote."""
        self._output.seek(max(self._output.seek(0, os.SEEK_END) - 2_000, 0))
        lines = self._output.read().decode("utf-8", "replace").splitlines()[-6:]
        code = self.process.poll()
        return "; ".join([f"it ended with code {code}", *(LOG_HEAD.sub("", line) for line in lines)])

    def end(self) -> None:
        """End the process, which ends by itself when its input does."""
        assert self.process.stdin is not None  # noqa: S101  (a pipe)
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.loaded.wait()
        self.process.stdout.close()  # type: ignore[union-attr]  # a pipe
        self._output.close()


_SERVERS: dict[str, GgufServer] = {}
_GUARD = threading.Lock()


def _key(weights: Weights, server: dict[str, Any]) -> str:
    return json.dumps([weights.sha256, server], sort_keys=True)


def _joined(weights: Weights, options: dict[str, Any]) -> GgufServer:
    """Return the server of a file with these options for one more user, started if there is none."""
    key = _key(weights, options)
    with _GUARD:
        if key not in _SERVERS:
            _SERVERS[key] = GgufServer(weights, options | {"ctx": context_of(weights, options, free_memory())})
        _SERVERS[key].users += 1
        return _SERVERS[key]


def _left(server: GgufServer) -> None:
    """End a server with its last user."""
    with _GUARD:
        server.users -= 1
        if not server.users:
            del _SERVERS[next(key for key, running in _SERVERS.items() if running is server)]
            server.end()


atexit.register(lambda: list(map(GgufServer.end, _SERVERS.values())))


@dataclass
class LocalModel(DirectCalls):
    """A file of weights that answers on this machine."""

    proxied: bool = False
    longest: Messages = field(default_factory=list, repr=False)
    """The longest prompt of a run, for which the context must suffice."""
    _server: GgufServer | None = field(default=None, repr=False)
    _is_ready: bool = False
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    def __post_init__(self) -> None:
        self.weights = _WEIGHTS[self.settings.model]
        sent = {name: value for name, value in self.settings.given.items() if name not in ("weights", "template")}
        connection = {"api_base": "http://127.0.0.1:9/v1", "api_key": ""}  # until the server is started
        model = f"hosted_vllm/{self.weights.model}"
        self.settings = replace(self.settings, model=model, given=sent, connection=connection)

    def prepare(self) -> None:
        """Check all that can be checked without a server; ``UsageError`` where it could not answer."""
        if self.sent:
            return
        if find_spec("xllamacpp") is None:
            raise ExtraMissing("models on this machine are run", "xllamacpp", "local")
        if not self.weights.has_template and "template" not in self.settings.server:
            hint = "--model-arg template=FILE; a model that only continues texts follows no instructions"
            raise UsageError(f"{self.weights.path}: the model has no chat template", hint=hint)
        if _key(self.weights, self.settings.server) not in _SERVERS:
            context_of(self.weights, self.settings.server, free_memory())
        super().prepare()

    async def _started(self) -> GgufServer:
        """Return the server, once it has loaded the model and has room for the longest prompt."""
        async with self._starting:
            if self._server is None:
                self._server = _joined(self.weights, self.settings.server)
            server = self._server
            if not self._is_ready:
                while not server.loaded.is_set():
                    await asyncio.sleep(0.05)
                if not server.address:
                    raise UsageError(f"{server.name}: llama.cpp could not load it: {server.last_output}")
                if lack := await self._lack_of_context(server, self.longest, "its longest prompt"):
                    raise lack
                connection = {"api_base": f"{server.address}/v1", "api_key": server.key}
                self.settings = replace(self.settings, connection=connection)
                self.connect()
                self._is_ready = True
            return server

    async def _lack_of_context(self, server: GgufServer, messages: Messages, name: str) -> UsageError | None:
        """Return what is wrong where a prompt and its reply do not fit into a slot."""
        if not messages:
            return None
        try:
            tokens = await asyncio.to_thread(server.tokens_of, messages)
            context = await asyncio.to_thread(lambda: server.context)
        except (OSError, HTTPException):  # the request itself will say why
            return None
        parameters = self.settings.parameters
        reply = parameters.get("max_completion_tokens") or parameters.get("max_tokens") or 0
        needed = tokens + reply
        if needed <= context:
            return None
        room = 1 << (needed - 1).bit_length()
        longest = self.weights.context or room
        hint = f"--model-arg ctx={min(room, longest)}"
        if needed > longest:
            hint = f"the model was trained for {longest:,}: send fewer examples (--shots), or set a smaller max_tokens"
        what = f"{tokens:,} of {name} and {reply:,} of the reply"
        wrong = f"{server.name}: needs {needed:,} tokens of context ({what}), and has {context:,}"
        return UsageError(wrong, hint=hint)

    async def send(self, messages: Messages, schema: Schema, timeout: float) -> Reply:
        """Return one request; ``CallFailed`` where it brings no reply. The first waits until the model is loaded."""
        parts = [part for message in messages if isinstance(message["content"], list) for part in message["content"]]
        if any(part["type"] != "text" for part in parts):
            raise CallFailed("images cannot be shown to a file of weights", 400, unsent=True)
        if lack := await self._lack_of_context(await self._started(), messages, "the prompt"):
            raise CallFailed(f"{lack.message}: {lack.hint}", 413, unsent=True)
        return await super().send(messages, schema, timeout)

    async def _asked(self, messages: Messages, parameters: dict[str, Any], timeout: float) -> Reply:
        """Return the reply of the server; its failure is for good where the process is no more."""
        server = await self._started()
        try:
            return await super()._asked(messages, parameters, timeout)
        except CallFailed as failure:
            if failure.status is not None or failure.timed_out:
                raise
            with suppress(subprocess.TimeoutExpired):  # one whose connections broke may be about to end
                await asyncio.to_thread(server.process.wait, 1.0)
            if server.process.poll() is None:
                raise
        raise CallFailed(f"the server of {server.name} has ended: {server.last_output}", ended=True)

    def waits_for(self) -> str:
        """Return how much is written of the replies that arrive, or that the model is being loaded."""
        if self._server is not None and not self._server.loaded.is_set():
            seconds = time.monotonic() - self._server.began
            return f"loading {self._server.size} of weights, for {seconds:.0f} s"
        return super().waits_for()

    async def close(self) -> None:
        """Close the connections, and let the server end with its last user."""
        server, self._server, self._is_ready = self._server, None, False
        await super().close()
        if server is not None:
            _left(server)
