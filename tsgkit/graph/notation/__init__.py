"""Notations of graphs: one module each, with ``parse`` and ``write``.

``arrow``, ``json_triplets``, ``node_link``, ``graphml`` and ``narratives`` are exact both ways: ``parse(write(g)) ==
g`` for everything ``write`` does not refuse. ``pictures`` (DOT, Mermaid) is written only, ``easg`` read only. For what
models write, see :mod:`tsgkit.graph.reading`.
"""

from tsgkit.graph.notation import arrow, easg, graphml, json_triplets, narratives, node_link, pictures

__all__ = ["arrow", "easg", "graphml", "json_triplets", "narratives", "node_link", "pictures"]
