"""Grouping of triplet blocks into graphs: merging blocks, and splitting blocks with several actions.

A block without a person-verb triplet joins the block before it, unless no block has one and they are exactly as many as
were asked for, or a list says where each of them ends. If k graphs were asked for, k above 1, and fewer blocks
were found, a block with several person-verb triplets is split: each triplet follows the action that it connects to,
directly or through an object; if there are several, the nearest one written before it.
"""

from __future__ import annotations

from collections import defaultdict

from tsgkit.graph.model import HANDS, PERSON
from tsgkit.graph.reading.line import Block, FoundTriplet, Note, repaired

LONGEST_CHAIN = 4


def arrange(blocks: list[Block], k: int | None, *, are_listed: bool = False) -> tuple[list[Block], list[Note]]:
    """Return the graphs' blocks in order, and a note for every join and split; ``are_listed``: each ends where a list
    says.
    """
    notes: list[Note] = []
    if k is not None and k == len(blocks) and (are_listed or not any(map(_names_action, blocks))):
        return [list(block) for block in blocks], notes
    joined: list[Block] = []
    for block in blocks:
        if joined and not _names_action(block):
            notes.append(repaired(block[0].line, "a block without a person-verb triplet joined to the one before"))
            joined[-1].extend(block)
        else:
            joined.append(list(block))
    if len(joined) > 1 and not _names_action(joined[0]) and _is_about(joined[0], joined[1]):
        notes.append(repaired(joined[1][0].line, "a first block without a person-verb triplet joined to the next"))
        joined[:2] = [joined[0] + joined[1]]
    if k is not None and k > 1 and len(joined) < k:
        joined = [part for block in joined for part in _split(block, notes)]
    return joined, notes


def _names_action(block: Block) -> bool:
    return any(line.names_action for line in block)


def _is_about(block: Block, earlier: Block) -> bool:
    """Return whether a block speaks of the other block's action."""
    actions = {line.triplet.target for line in earlier if line.names_action}
    return any(line.triplet.source in actions or line.triplet.target in actions for line in block)


def _split(block: Block, notes: list[Note]) -> list[Block]:
    heads = [position for position, line in enumerate(block) if line.names_action]
    if len(heads) < 2:
        return [block]
    notes.append(repaired(block[0].line, f"a block with {len(heads)} person-verb triplets split into as many graphs"))
    homes = _homes(block, heads)
    parts: list[Block] = [[] for _ in heads]
    for position, line in enumerate(block):
        parts[homes[position]].append(line)
    return parts


def _homes(block: Block, heads: list[int]) -> list[int]:
    """For every triplet of a block, which of its actions (by number) it follows."""
    homes: dict[int, int] = {position: action for action, position in enumerate(heads)}
    by_action: dict[str, list[int]] = defaultdict(list)
    for action, position in enumerate(heads):
        by_action[block[position].triplet.target].append(action)
    starts = set(heads)
    before, action = [], -1
    for position in range(len(block)):
        action += position in starts
        before.append(max(action, 0))
    homeless = [position for position in range(len(block)) if position not in homes]
    for position in tuple(homeless):
        source, _, target = block[position].triplet
        if choices := by_action.get(source) or by_action.get(target):
            homes[position] = _nearest_before(choices, before[position])
    for _ in range(LONGEST_CHAIN):
        homeless = [position for position in homeless if position not in homes]
        if not homeless or not _follow_objects(block, homes, homeless, before):
            break
    return [homes.get(position, before[position]) for position in range(len(block))]


def _nearest_before(choices: list[int], before: int) -> int:
    """Return the last choice not after ``before``, else the first; choices come sorted."""
    from bisect import bisect_right

    position = bisect_right(choices, before)
    return choices[position - 1] if position else choices[0]


def _follow_objects(block: Block, homes: dict[int, int], homeless: list[int], before: list[int]) -> bool:
    """Assign triplets to the graph of a triplet with a common object; return whether any was assigned."""
    owners: dict[str, set[int]] = defaultdict(set)
    for position, action in homes.items():
        for name in _objects(block[position]):
            owners[name].add(action)
    sorted_owners = {name: sorted(actions) for name, actions in owners.items()}
    new_homes = {}
    for position in homeless:
        for name in _objects(block[position]):
            if choices := sorted_owners.get(name):
                new_homes[position] = _nearest_before(choices, before[position])
                break
    homes.update(new_homes)
    return bool(new_homes)


def _objects(line: FoundTriplet) -> tuple[str, ...]:
    if line.names_action:
        return ()
    ends = (line.triplet.source, line.triplet.target)
    return tuple(name for name in ends if name != PERSON and name not in HANDS)
