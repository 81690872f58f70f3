# SPDX-License-Identifier: Apache-2.0
"""Messages of the engine in the spelling of Blender's interface."""

from addon.core.spelling import american


def test_messages_are_spelled_as_blender_spells():
    given = "Colours trade off: a grey card at the centre of 'my colour', 2 metres off"

    assert (
        american(given)
        == "Colors trade off: a gray card at the center of 'my colour', 2 meters off"
    )


def test_apostrophes_quote_nothing():
    assert american("the display's colour") == "the display's color"
