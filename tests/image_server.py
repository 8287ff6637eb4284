"""A server on loopback that looks at images, and one that makes them; both fail as services fail.

It has the options of ``model_server``, such as ``{"delay": 0.1, "always": {"forbidden": "blocked", "plate": "429"}}``.

``POST /v1/chat/completions`` decodes the images it is sent and answers with what it saw, as JSON: for each its
SHA-256, size, declared media type and what its bytes hold; or with one of ``replies``. ``refuses_schemas`` is the
status that a request for structured output gets. ``POST /v1/images/generations`` makes a small PNG whose pixels follow
from the prompt, ``/v1/images/edits`` one that follows from the prompt and the image sent along. ``GET /stats`` tells
what was asked. Faults beside those of ``model_server``: ``blocked`` (a content filter says no), ``nopicture`` (text in
the place of the image) and ``jpeg`` (a JPEG given in ``jpeg``, base64).
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Coroutine
from email.parser import BytesParser
from functools import partial
from typing import Any

from drawn_images import png_of
from model_server import Connection, Script, serve, started

MAGIC = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp", b"GIF8": "image/gif"}
REFUSAL = "Your request was rejected as a result of our safety system."


def png(text: str, width: int = 8, height: int = 6) -> bytes:
    """Return a PNG whose colours follow from a text."""
    colour = hashlib.sha256(text.encode()).digest()[:3]
    return png_of(width, height, 8, 2, (b"\0" + colour * width) * height)


def seen(url: str) -> dict[str, Any]:
    """Return what a data URL holds."""
    head, _, payload = url.partition(",")
    data = base64.b64decode(payload, validate=True)
    holds = next((kind for magic, kind in MAGIC.items() if data.startswith(magic)), "unknown")
    declared = head.removeprefix("data:").removesuffix(";base64")
    return {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "declared": declared, "holds": holds}


class ImageScript(Script):
    """The server's answers, and the images it received."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        self.looked: list[dict[str, Any]] = []
        self.prompts: list[str] = []
        self.contents: list[list[str]] = []
        self.refuses_schemas = int(options.get("refuses_schemas", 0))
        self.schemas = 0
        self.jpeg: str = options.get("jpeg", "")
        self.image_usage = options.get("image_usage")


class ImageConnection(Connection):
    """One connection to it."""

    script: ImageScript

    def _serve(self, request: str, headers: dict[str, str], body: bytes) -> None:
        method, path, _ = request.split(" ", 2)
        if method == "GET":
            super()._serve(request, headers, body)
        elif path.endswith("/chat/completions"):
            self._look(headers, body)
        else:
            self._paint(path, headers, body)

    def stats(self) -> dict[str, Any]:
        names = ("looked", "prompts", "contents", "schemas")
        return super().stats() | {name: getattr(self.script, name) for name in names}

    def _look(self, headers: dict[str, str], body: bytes) -> None:
        value = json.loads(body)
        text, found = self.shown(value, " ")
        fault = self.count(text, body, value["model"])
        reply = next((said for word, said in self.script.replies.items() if word in text), json.dumps(found))
        key = headers.get("authorization", "").removeprefix("Bearer ") if self.script.echo_key else ""
        if fault != "hang":
            self._later(lambda: self._finish(fault, text, "", key, reply))

    def shown(self, value: dict[str, Any], between: str) -> tuple[str, list[dict[str, Any]]]:
        """Return the texts and the images of a request, and note them."""
        contents = [one["content"] for one in value["messages"]]
        parts = [part for content in contents if isinstance(content, list) for part in content]
        texts = [content for content in contents if isinstance(content, str)]
        found = [seen(part["image_url"]["url"]) for part in parts if part["type"] == "image_url"]
        text = between.join([*texts, *(part["text"] for part in parts if part["type"] == "text")])
        self.script.looked += [{"text": text, **one} for one in found]
        return text, found

    def count(self, prompt: str, body: bytes, model: str) -> str:
        """Return the fault a request meets, counted; of a request to look also the kinds of its parts, in order."""
        script, digest = self.script, hashlib.sha256(body).hexdigest()
        fault = script.fault(prompt, digest, model)
        if body.startswith(b"{") and "messages" in (value := json.loads(body)):
            content = value["messages"][-1]["content"]
            script.contents.append([part["type"] for part in content] if isinstance(content, list) else ["text"])
            script.schemas += "response_format" in value
            if script.refuses_schemas and "response_format" in value:
                fault = str(script.refuses_schemas)
        script.note(fault, digest)
        return fault

    def _later(self, answer: Any) -> None:  # noqa: ANN401
        self.busy = True

        def now() -> None:
            self.busy = False
            if not self.transport.is_closing():
                answer()

        self.script.later(now)

    def _paint(self, path: str, headers: dict[str, str], body: bytes) -> None:
        fields = _fields(headers, body)
        shown = fields.pop("image", b"")
        prompt = str(fields.get("prompt"))
        digest = hashlib.sha256(shown).hexdigest() if shown else ""
        self.script.last_body = {name: part for name, part in fields.items() if isinstance(part, (str, int, dict))}
        self.script.last_body |= {"path": path, "image": digest}
        self.script.prompts.append(prompt)
        identity = json.dumps([prompt, digest]).encode()
        fault = self.count(prompt, identity, str(fields.get("model")))
        key = headers.get("authorization", "").removeprefix("Bearer ") if self.script.echo_key else ""
        if fault != "hang":
            self._later(lambda: self._made(fault, png(prompt + digest), key))

    def _made(self, fault: str, image: bytes, key: str) -> None:
        if fault == "429":
            self._error(429, f"slow down {key}", {"Retry-After": str(self.script.retry_after)})
        elif fault == "blocked":
            error = {"message": f"{REFUSAL} {key}", "type": "image_generation_user_error", "code": "moderation_blocked"}
            self._send(400, json.dumps({"error": error}).encode())
        elif fault.isdigit():
            self._error(int(fault), f"this is error {fault} {key}", {})
        else:
            data = base64.b64encode(b"a red cup on a table" if fault == "nopicture" else image).decode()
            value = {"created": 1, "data": [{"b64_json": self.script.jpeg if fault == "jpeg" else data}]}
            usage = {"usage": self.script.image_usage} if self.script.image_usage else {}
            self._send(200, json.dumps(value | usage).encode())
        self._next()


def _fields(headers: dict[str, str], body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON body, or of a form with files."""
    kind = headers.get("content-type", "")
    if not kind.startswith("multipart/"):
        value: dict[str, Any] = json.loads(body)
        return value
    form = BytesParser().parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
    fields: dict[str, Any] = {}
    for part in form.get_payload():
        assert not isinstance(part, str)
        name = str(part.get_param("name", header="content-disposition"))
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        fields[name.removesuffix("[]")] = data if part.get_filename() else data.decode()
    return fields


image_server = partial(started, "image_server")


def server(options: dict[str, Any]) -> Coroutine[Any, Any, None]:
    return serve(ImageScript(options), int(options.get("port", 0)), ImageConnection)
