# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of a lowered tree that repeat one another: rounds of loops, calls of a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Node = Mapping[str, Any]

SHORTEST, LONGEST = 12, 200
"""Nodes of a round: fewer are not worth a group, more are rarely equal."""

FEWEST, MOST = 3, 100
"""Rounds: trees with hundreds of groups are slow to make."""

PHASES = 25
"""Places that are tried for where a round begins."""


@dataclass(frozen=True)
class Repeat:
    """Rounds that differ in nothing but the sources of some inputs.

    Attributes:
        start: Number of the first node.
        period: Nodes of a round.
        count: Rounds.
        slots: Inputs that are fed from outside of their round, or by different numbers, as the
            place of the node in the round and the socket's identifier.
    """

    start: int
    period: int
    count: int
    slots: tuple[tuple[int, str], ...]

    @property
    def end(self) -> int:
        """Number of the node after the last."""
        return self.start + self.period * self.count

    def round(self, number: int) -> range:
        """Return the numbers of the nodes of a round."""
        start = self.start + number * self.period
        return range(start, start + self.period)


def find_repeats(nodes: Sequence[Node], numbers: range) -> list[Repeat]:
    """Return stretches of `numbers` that repeat, in order; the longest are looked for first.

    Args:
        nodes: ``Lowered.tree["nodes"]``.
        numbers: Of the nodes that are looked at.
    """
    kinds: dict[object, int] = {}
    signs = np.array([kinds.setdefault(_kind(node), len(kinds)) for node in nodes], np.int64)
    found: list[Repeat] = []
    pending = [numbers]
    while pending:
        part = pending.pop()
        repeat = _longest(nodes, signs, part)
        if repeat is not None:
            found.append(repeat)
            pending += [range(part.start, repeat.start), range(repeat.end, part.stop)]
    return sorted(found, key=lambda repeat: repeat.start)


def _kind(node: Node) -> object:
    if "types" in node:  # items of bundles have types of their own: such nodes stand outside
        return id(node)
    return node["type"], tuple(sorted(node["properties"].items())), tuple(node["inputs"])


def _longest(nodes: Sequence[Node], signs: NDArray[np.int64], part: range) -> Repeat | None:
    """Return what saves most nodes in a part, if anything repeats there."""
    own = signs[part.start : part.stop]
    candidates = []
    for period in range(SHORTEST, min(LONGEST, len(own) // FEWEST) + 1):
        for start, length in _runs(own[:-period] == own[period:]):
            count = (length + period) // period
            if count >= FEWEST:
                candidates.append((-(count - 1) * period, period, part.start + start, length))
    for _, period, start, length in sorted(candidates)[:PHASES]:
        for phase in range(min(period, PHASES)):
            count = min((length + period - phase) // period, MOST)
            repeat = _checked(nodes, start + phase, period, count)
            if repeat is not None:
                return repeat
    return None


def _runs(equal: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where stretches of truth begin, and how long they are."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], equal, [False]]).astype(np.int8)))
    return [(int(a), int(b - a)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _checked(nodes: Sequence[Node], start: int, period: int, count: int) -> Repeat | None:
    """Return a repeat of as many rounds as are linked alike within themselves."""
    for number in range(1, count):
        if not _is_alike(nodes, start, start + number * period, period):
            count = number
            break
    if count < FEWEST:
        return None
    slots = []
    for k in range(period):
        first = _inner(nodes[start + k], start)
        for socket in nodes[start + k]["inputs"]:
            sources = [nodes[start + n * period + k]["inputs"][socket] for n in range(count)]
            is_inner = first[socket] is not None
            if not is_inner and not _are_one_number(sources):
                slots.append((k, socket))
    return Repeat(start, period, count, tuple(slots))


def _are_one_number(sources: Sequence[object]) -> bool:
    first = sources[0]
    return not isinstance(first, dict) and all(
        type(source) is type(first) and source == first for source in sources
    )


def _is_alike(nodes: Sequence[Node], start: int, begin: int, period: int) -> bool:
    """Return whether two rounds are linked alike within themselves."""
    for k in range(period):
        others = nodes[begin + k]["inputs"]
        for socket, source in nodes[start + k]["inputs"].items():
            other = others[socket]
            place = source["node"] - start if isinstance(source, dict) else -1
            other_place = other["node"] - begin if isinstance(other, dict) else -1
            if max(place, -1) != max(other_place, -1):
                return False
            if place >= 0 and source["socket"] != other["socket"]:
                return False
    return True


def _inner(node: Node, begin: int) -> dict[str, tuple[int, str] | None]:
    """Return by socket which node of the round feeds it, or None."""
    return {
        socket: (source["node"] - begin, source["socket"])
        if isinstance(source, dict) and source["node"] >= begin
        else None
        for socket, source in node["inputs"].items()
    }
