# SPDX-License-Identifier: Apache-2.0
"""Stretches of lowered trees that repeat one another."""

from __future__ import annotations

from addon.core.repeats import FEWEST, SHORTEST, find_repeats

OPERATIONS = ["ADD", "SINE", "MULTIPLY", "FLOOR", "COSINE", "DIVIDE", "SQRT", "ABSOLUTE"]


def node(operation, first, second=1.0):
    link = {"node": first, "socket": "Value"}
    return {
        "type": "ShaderNodeMath",
        "properties": {"operation": operation},
        "inputs": {"Value": link, "Value_001": second},
    }


def chain(count, period, before=3):
    """Return nodes in a chain whose operations repeat after some that do not."""
    nodes = [{"type": "NodeGroupInput", "properties": {}, "inputs": {}}]
    nodes += [node("TANGENT", k) for k in range(before)]
    for k in range(count * period):
        nodes.append(node(OPERATIONS[(k % period) * (k % period + 1) % 8], len(nodes) - 1))
    return nodes


def test_rounds_are_found_with_what_feeds_them():
    nodes = chain(5, 14)

    (repeat,) = find_repeats(nodes, range(1, len(nodes)))

    assert (repeat.period, repeat.count) == (14, 5)
    assert repeat.slots == ((0, "Value"),)
    assert repeat.end <= len(nodes)


def test_numbers_that_differ_from_round_to_round_are_slots():
    nodes = chain(4, 13)
    for k in range(4):
        nodes[4 + 13 * k + 5]["inputs"]["Value_001"] = 2.0 + k

    (repeat,) = find_repeats(nodes, range(1, len(nodes)))

    socket = (4 + 5 - repeat.start) % 13, "Value_001"
    assert socket in repeat.slots
    assert len(repeat.slots) == 2


def test_rounds_that_are_linked_otherwise_are_left_out():
    nodes = chain(4, 14)
    nodes[4 + 3 * 14 + 9] = node(nodes[4 + 3 * 14 + 9]["properties"]["operation"], 4 + 3 * 14 + 2)

    (repeat,) = find_repeats(nodes, range(1, len(nodes)))

    assert repeat.count == FEWEST
    assert repeat.end <= 4 + 3 * 14 + 9


def test_short_or_rare_rounds_are_none():
    short, rare = chain(2, SHORTEST - 1), chain(FEWEST - 1, 20)

    assert find_repeats(short, range(1, len(short))) == []
    assert find_repeats(rare, range(1, len(rare))) == []
