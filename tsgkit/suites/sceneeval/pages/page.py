"""A room as one HTML file: it can be turned, and its objects and findings can be clicked.

>>> from tsgkit.geometry import Object, Scene, box
>>> page = room_page(Scene("den", (Object("lamp_1", box(0.2, 0.2, 0.4), category="lamp"),)))
>>> "lamp_1" in page, "://" in page.replace(NAMESPACE, "")
(True, False)

The file is self-contained; its content security policy forbids loading anything. It permits only this module's script
and style, by their hashes. Names and texts of the scene are data that the script writes as text. Textures are reduced
to one colour for each face. Browsers without WebGL show the top view.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence

from tsgkit.browser.modules import allowed, inert_json, joined, text_of
from tsgkit.errors import UsageError
from tsgkit.geometry import MeasuredScene, Scene, view
from tsgkit.geometry.views import undrawable
from tsgkit.suites.sceneeval.pages.parts import listed, room_parts
from tsgkit.suites.sceneeval.pages.remarks import Section

NAMESPACE = "http://www.w3.org/2000/svg"
"""The one address in the script: a name for elements, which nothing is loaded from."""
PREVIEW = 480
"""Width and height, in pixels, of the image for browsers without WebGL."""


def room_page(scene: Scene, sections: Sequence[Section] = (), *, title: str = "", about: str = "") -> str:
    """Return the page of a scene with its findings. Raise UsageError if the scene has nothing to draw."""
    stage = MeasuredScene(scene)
    if problem := undrawable(stage):
        raise UsageError(str(problem), hint="tsgkit scene show lists its problems")
    style, script = text_of("panels/panels.css") + text_of("room.css"), joined("room.js")
    policy = f"default-src 'none'; script-src {allowed(script)}; style-src {allowed(style)}; img-src data:"
    name = html.escape(title or scene.name)
    image = base64.b64encode(view(stage, "top", size=PREVIEW).png()).decode()
    return _PAGE.format(
        policy=policy,
        title=name,
        style=style,
        script=script,
        image=image,
        about=html.escape(about),
        data=inert_json({"parts": room_parts(stage).parts, "sections": list(map(listed, sections))}),
    )


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<header>
<h1>{title}</h1>
<p id="about">{about}</p>
</header>
<img id="still" hidden alt="the room from above" src="data:image/png;base64,{image}">
<div id="room"></div>
</main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""
