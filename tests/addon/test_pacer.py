# SPDX-License-Identifier: Apache-2.0
"""Slow windows are drawn seldom."""

from __future__ import annotations

import pytest
from addon.core import pacer


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests set."""
    hands = [100.0]
    monkeypatch.setattr(pacer.time, "perf_counter", lambda: hands[0])
    return hands


@pytest.mark.parametrize(
    ("drawing", "rest"), [(0.001, pacer.MIN_INTERVAL), (0.5, 0.5 * pacer.REST_FACTOR)]
)
def test_the_rest_follows_how_long_drawing_took(clock, drawing, rest):
    found = pacer.Pacer()
    assert found.is_due()
    found.has_shown()
    clock[0] += drawing

    assert not found.is_due()
    clock[0] += 0.99 * rest
    assert not found.is_due()
    clock[0] += 0.02 * rest
    assert found.is_due()
    assert found.is_due()
