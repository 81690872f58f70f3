# SPDX-License-Identifier: Apache-2.0
"""Names of the release before: they work, and warn."""

import json
import threading
from dataclasses import replace

import numpy as np
import pytest

from weft import ArgumentError
from weft.fit import DisplayTransform, FitResult, FitSettings, Progress
from weft.render import interrupt

SETTINGS = [("max_draws", "max_iterations"), ("texture_draws", "texture_iterations")]
PROGRESS = [("draws", "iterations", 3), ("share", "fraction", 0.5)]


@pytest.mark.parametrize(("old", "new"), SETTINGS)
def test_old_names_of_settings_work_and_warn(old, new):
    with pytest.warns(DeprecationWarning, match=f"'{old}' is called '{new}'"):
        settings = FitSettings(**{old: 7})
    assert getattr(settings, new) == 7
    with pytest.warns(DeprecationWarning, match=new):
        assert getattr(settings, old) == 7
    with pytest.warns(DeprecationWarning, match=new):
        setattr(settings, old, 9)
    assert settings == FitSettings(**{new: 9})


@pytest.mark.parametrize(("old", "new"), SETTINGS)
def test_old_names_of_settings_can_be_replaced(old, new):
    with pytest.warns(DeprecationWarning, match=new):
        settings = replace(FitSettings(), **{old: 7})

    assert getattr(settings, new) == 7


def test_old_names_of_settings_are_checked():
    with (
        pytest.warns(DeprecationWarning, match="max_iterations"),
        pytest.raises(ArgumentError, match="max_iterations must be"),
    ):
        FitSettings(max_draws=0)


@pytest.mark.parametrize(("old", "new", "value"), PROGRESS)
def test_old_names_of_progress_work_and_warn(old, new, value):
    given = {"iterations": 1, "seconds": 2.0, "loss": 0.1, "values": {}, "errors": {}}
    given.pop(new, None)
    with pytest.warns(DeprecationWarning, match=f"'{old}' is called '{new}'"):
        progress = Progress(**given, **{old: value})

    with pytest.warns(DeprecationWarning, match=new):
        assert getattr(progress, old) == getattr(progress, new) == value


def test_the_old_word_for_the_end_of_a_fit_is_equal_and_warns():
    result = FitResult({}, {}, {}, "iterations")

    assert result.reason == "iterations"
    assert result.reason != "time"
    assert {"iterations": 1}[result.reason] == 1
    assert json.dumps(result.reason) == '"iterations"'
    with pytest.warns(DeprecationWarning, match="'draws' is called 'iterations'"):
        assert result.reason == "draws"
    with pytest.warns(DeprecationWarning, match="'draws' is called 'iterations'"):
        assert result.reason in ("converged", "draws")
    with pytest.warns(DeprecationWarning, match="'draws' is called 'iterations'"):
        assert FitResult({}, {}, {}, "draws") == result


def test_the_old_name_of_what_a_display_can_invert_works_and_warns():
    ramp = np.linspace(0, 1, 3)
    table = np.stack(np.meshgrid(ramp, ramp, ramp, indexing="ij"), -1)
    display, picture = DisplayTransform(table), np.array([[0.5, 0.5, 0.5], [0.5, 1.0, 0.5]])

    with pytest.warns(DeprecationWarning, match="is_invertible"):
        found = display.tells(picture)

    assert found.tolist() == display.is_invertible(picture).tolist() == [True, False]


def test_the_old_name_of_a_cancelled_iteration_is_the_same_class_and_warns():
    with pytest.warns(DeprecationWarning, match="'DrawInterrupted' is called 'Interrupted'"):
        former = interrupt.DrawInterrupted

    assert former is interrupt.Interrupted
    with pytest.raises(AttributeError, match="no attribute 'DrawCancelled'"):
        interrupt.DrawCancelled  # noqa: B018


def test_the_former_way_to_cancel_warns_and_cancels():
    event = threading.Event()
    event.set()
    token = interrupt.Interrupt()

    with pytest.warns(DeprecationWarning, match="cancelled_by"):
        former = token.by(event)

    with former, pytest.raises(interrupt.Interrupted):
        token.check()
    token.check()


def test_new_names_do_not_warn():
    settings = FitSettings(max_iterations=3, texture_iterations=4)

    assert replace(settings, samples=2).max_iterations == 3
