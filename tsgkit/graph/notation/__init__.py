"""Notations of graphs: one module each, with ``parse`` and ``write``.

``arrow``, ``json_triplets``, ``node_link``, ``graphml`` and ``narratives`` are lossless: ``parse(write(g)) == g`` for
everything that ``write`` accepts. ``diagrams`` (DOT, Mermaid) is written only, ``easg`` read only.
:mod:`tsgkit.graph.reading` reads model replies.
"""

from tsgkit.graph.notation import arrow, diagrams, easg, graphml, json_triplets, narratives, node_link

__all__ = ["arrow", "diagrams", "easg", "graphml", "json_triplets", "narratives", "node_link"]
