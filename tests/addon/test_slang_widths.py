# SPDX-License-Identifier: Apache-2.0
"""How wide a node is for its words to be read, with a font whose letters are all 6 wide."""

from __future__ import annotations

import pytest
from addon.core.slang_nodes.interface import Interface, SocketSpec
from addon.core.slang_nodes.menus import MENU
from addon.core.slang_nodes.widths import DEFAULT, MOST, width_of

LABEL = "Height Variation"
LETTER = 6


def width(*inputs, outputs=(), title="F"):
    interface = Interface(title, "", "", inputs, tuple(outputs), ())
    return width_of(interface, lambda text: LETTER * len(text))


def socket(label, type="NodeSocketFloat", **more):
    return SocketSpec(label, label, type, **more)


def test_short_words_leave_blenders_width():
    assert width(socket("X"), socket("Y", "NodeSocketColor")) == DEFAULT


def test_a_label_and_its_value_stand_beside_each_other():
    assert width(socket(LABEL)) > LETTER * (len(LABEL) + len("10.000"))


def test_long_values_take_more():
    assert width(socket(LABEL, default=123456.0)) > width(socket(LABEL, default=1.0))


@pytest.mark.parametrize(
    "more", [{"hides_value": True}, {"source": "POSITION"}, {"type": "NodeSocketVector"}]
)
def test_a_label_alone_takes_less(more):
    assert width(socket(LABEL, **more)) < width(socket(LABEL))


@pytest.mark.parametrize("type", ["NodeSocketColor", MENU])
def test_labels_before_a_field_have_their_share(type):
    assert 0.4 * width(socket("A Longer Label", type)) > LETTER * len("A Longer Label")


def test_menus_show_their_longest_case():
    cases = (("a", 0), ("aCaseOfManyManyWords", 1))

    assert width(socket("X", MENU, cases=cases)) > LETTER * len("A Case Of Many Many Words") / 0.6


def test_titles_panels_and_outputs_count():
    name = "Words of a Very Long Name"

    for found in (
        width(title=name),
        width(outputs=[socket(name)]),
        width(socket("X", panel=name)),
    ):
        assert found > LETTER * len(name)


def test_a_node_is_no_wider_than_people_want_it():
    assert width(socket("A " * 200)) == MOST
