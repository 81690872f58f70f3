# SPDX-License-Identifier: Apache-2.0
"""Sockets of an edited function are those of before wherever a name says so."""

from __future__ import annotations

import random

import pytest
from addon.core.slang_nodes.interface import SocketSpec
from addon.core.slang_nodes.matching import Existing, converted, match_sockets

TYPES = ("NodeSocketFloat", "NodeSocketInt", "NodeSocketVector", "NodeSocketColor")


def existing(*names, kind="NodeSocketFloat"):
    return [Existing(f"Socket_{number}", name, kind) for number, name in enumerate(names)]


def spec(name, kind="NodeSocketFloat", was_named=""):
    return SocketSpec(name, name, kind, was_named=was_named)


def identifiers(matching):
    return [None if match.old is None else match.old.identifier for match in matching.sockets]


def test_order_does_not_matter():
    found = match_sockets(existing("a", "b", "c"), [spec("c"), spec("a"), spec("b")])

    assert identifiers(found) == ["Socket_2", "Socket_0", "Socket_1"]
    assert found.removed == ()


def test_a_parameter_says_what_it_was_called():
    found = match_sockets(
        existing("scale", "size"), [spec("size"), spec("zoom", was_named="scale")]
    )

    assert identifiers(found) == ["Socket_1", "Socket_0"]


def test_fields_of_a_renamed_parameter_follow_it():
    found = match_sockets(
        existing("cell.place", "cell.id", "x"),
        [
            spec("tile.place", was_named="cell"),
            spec("tile.id", was_named="cell"),
            spec("x"),
        ],
    )

    assert identifiers(found) == ["Socket_0", "Socket_1", "Socket_2"]


def test_a_name_that_is_there_still_is_not_taken_for_a_renamed_one():
    found = match_sockets(existing("a"), [spec("a"), spec("b", was_named="a")])

    assert identifiers(found) == ["Socket_0", None]


def test_one_that_went_and_one_that_came_at_its_place_are_one():
    found = match_sockets(existing("a", "b"), [spec("a"), spec("c")])

    assert identifiers(found) == ["Socket_0", "Socket_1"]


def test_one_of_another_type_is_another_one():
    found = match_sockets(existing("a", "b"), [spec("a"), spec("c", "NodeSocketVector")])

    assert identifiers(found) == ["Socket_0", None]
    assert [entry.name for entry in found.removed] == ["b"]


def test_random_edits_keep_every_socket_whose_name_survives():
    draw = random.Random(5)
    for _ in range(2000):
        names = draw.sample("abcdefgh", draw.randint(0, 8))
        old = [Existing(f"Socket_{k}", name, draw.choice(TYPES)) for k, name in enumerate(names)]
        wanted = draw.sample("abcdefghijkl", draw.randint(0, 9))
        specs = []
        for name in wanted:
            free = [entry for entry in names if entry not in wanted]
            was_named = draw.choice(free) if free and draw.random() < 0.3 else ""
            specs.append(spec(name, draw.choice(TYPES), was_named))

        found = match_sockets(old, specs)

        known = {entry.name: entry for entry in old}
        assert [match.spec for match in found.sockets] == specs
        taken = [match.old for match in found.sockets if match.old is not None]
        assert len(set(taken)) == len(taken)
        assert sorted((*taken, *found.removed), key=old.index) == old
        claimed = set()
        for match in found.sockets:
            if match.spec.name in known:
                assert match.old == known[match.spec.name]
            elif match.spec.was_named and match.spec.was_named not in claimed:
                assert match.old == known[match.spec.was_named]
                claimed.add(match.spec.was_named)


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (0.75, "NodeSocketVector", (0.75, 0.75, 0.75)),
        (0.75, "NodeSocketColor", (0.75, 0.75, 0.75, 1.0)),
        (2.9, "NodeSocketInt", 2),
        (0.5, "NodeSocketBool", True),
        (True, "NodeSocketFloat", 1.0),
        ((1.0, 2.0, 6.0), "NodeSocketFloat", 3.0),
        ((1.0, 0.0, 0.0, 0.5), "NodeSocketFloat", 0.2126),
        ((1.0, 2.0, 3.0), "NodeSocketColor", (1.0, 2.0, 3.0, 1.0)),
        ((1.0, 2.0, 3.0, 0.5), "NodeSocketVector", (1.0, 2.0, 3.0)),
        ((1.0, 2.0), "NodeSocketVector", (1.0, 2.0, 0.0)),
        (3, "NodeSocketFloat", 3.0),
        ((0.0, -1.0, 0.0), "NodeSocketBool", True),
        ((0.0, 0.0, 0.0, 1.0), "NodeSocketBool", False),
        ((1.0, 2.0, 6.9), "NodeSocketInt", 3),
    ],
)
def test_values_are_converted_as_links_convert_them(value, kind, expected):
    found = converted(value, kind)

    assert found == pytest.approx(expected)
    assert type(found) is type(expected)
