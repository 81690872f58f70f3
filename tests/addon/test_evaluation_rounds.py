# SPDX-License-Identifier: Apache-2.0
"""Rounds of evaluations that take what others gave: rows end by themselves, circles are ended."""

from __future__ import annotations

import pytest
from addon.core.evaluation.state import Reports, Rounds


def rounds_until_last(written, most=1000):
    """How many rounds are made of places that are written, for each number of a round."""
    rounds = Rounds()
    while len(rounds.written) < most:
        places = written(len(rounds.written))
        if rounds.is_last or not places:
            break
        rounds.written.append(set(places))
    return len(rounds.written)


def test_a_row_is_never_ended():
    assert rounds_until_last(lambda number: range(number, 300)) == 300
    assert rounds_until_last(lambda number: [number] if number < 300 else []) == 300


@pytest.mark.parametrize(("length", "ended"), [(1, 4), (2, 4), (5, 10), (20, 40)])
def test_a_circle_is_ended(length, ended):
    assert rounds_until_last(lambda number: [number % length]) == ended


def test_a_circle_beside_many_others_is_ended():
    def written(number):
        return ["one", "other", *(range(200) if number == 0 else ())]

    assert rounds_until_last(written) == 4


def test_sentences_about_places_that_are_gone_are_dropped():
    reports = Reports()
    reports.say("here", "this")
    reports.say("gone", "that")

    reports.keep({"here"})

    assert reports.sentences == {"here": "this"}
