# SPDX-License-Identifier: Apache-2.0
"""What native parts of fits refuse: arrays that do not fit together."""

from __future__ import annotations

import numpy as np
import pytest

from support.view_cases import add_view, recorder_of, views_of
from weft import ArgumentError, _native
from weft.fit import FitSettings
from weft.render import PathSettings
from weft.scene import Camera

H, W = 6, 8
IMAGE = np.ones((H, W, 3), np.float32)
MASK = np.ones((H, W), np.float32)
COUNTS = np.ones((H, W), bool)
BEYOND = np.array([H * W], np.uint32)


def factors():
    """Unknowns of one picture."""
    out = _native.Unknowns()
    out.add_factor("day.exposure", 3, (1.0, (0.5, 2.0)), 0, None)
    return out


def picture():
    return _native.Observation(IMAGE, MASK)


def residuals(**other):
    arrays = {"counts": COUNTS, "a": IMAGE, "b": IMAGE, "weights": IMAGE, "trust": MASK} | other
    return _native.PictureResiduals(picture(), **arrays)


def unknowns():
    out = _native.Unknowns()
    out.add_factor("day.exposure", 3, (1.0, (0.5, 2.0)), 1, None)
    out.add_factor("lamp.factor", 1, (1.0, (0.5, 2.0)), None, 0)
    return out


CASES = {
    "flat image": (lambda: _native.Observation(MASK, MASK), "image must have shape"),
    "mask": (lambda: _native.Observation(IMAGE, MASK[1:]), r"mask must have shape \(6, 8\)"),
    "rounding": (lambda: _native.Observation(IMAGE, MASK, MASK), "rounding must have shape"),
    "hidden": (lambda: picture().noise_weights(MASK), "display_noise must have shape"),
    "counts": (lambda: residuals(counts=COUNTS[:2]), "counts must have shape"),
    "half": (lambda: residuals(b=MASK), r"b must have shape \(6, 8, 3\)"),
    "trust": (lambda: residuals(trust=IMAGE), "trust must have shape"),
    "shared": (lambda: _native.shared_residual(IMAGE, MASK, COUNTS), "b must have shape"),
    "flat counts": (lambda: _native.shared_residual(IMAGE, IMAGE, COUNTS[0]), "counts must have"),
    "place": (lambda: unknowns().values(np.zeros(3)), "x must have 4 numbers"),
    "few views": (lambda: unknowns().gains(np.zeros(4), 1), "is of view 1, and there are 1"),
    "factor": (
        lambda: unknowns().add_factor("x", 2, (1.0, (0.5, 2.0)), 0, None),
        "1 or 3 numbers",
    ),
    "expected": (lambda: unknowns().expect(2, np.zeros(1), 1.0), "block 2 of 2"),
}


@pytest.mark.parametrize("case", CASES)
def test_arrays_that_do_not_fit_are_refused(case):
    call, message = CASES[case]

    with pytest.raises(ArgumentError, match=message):
        call()


def scalars_of(views, recorder, own):
    return _native.ScalarModel(views, own, recorder.tables.native, 1, 1, 0, None)


def test_models_without_views_are_refused(device):
    recorder, _ = recorder_of(device)

    with pytest.raises(ArgumentError, match="ScalarModel: there are no views; add one first"):
        scalars_of(_native.Views(), recorder, unknowns())
    with pytest.raises(ArgumentError, match="TextureModel: there are no views; add one first"):
        _native.TextureModel(_native.Views(), recorder.tables.native, [], 1, 0, None)


def test_stages_of_other_models_are_refused(device):
    recorder, _ = recorder_of(device)
    models = []
    for _ in range(2):
        views = _native.Views()
        add_view(views, recorder, IMAGE)
        models.append(scalars_of(views, recorder, factors()))
    whole = _native.FitStage(models[0], None, FitSettings())

    with pytest.raises(ArgumentError, match="nothing to find; give a model of numbers"):
        _native.FitStage(None, None, FitSettings())
    with pytest.raises(ArgumentError, match="shown must have one flag a pixel"):
        _native.FitStage(models[0], None, FitSettings(), [COUNTS.ravel()])
    with pytest.raises(ArgumentError, match="pixels of its picture for each view"):
        whole.differences([BEYOND], 1, 0)
    with pytest.raises(ArgumentError, match="the saved state has no array"):
        whole.restore({})
    assert not whole.is_done


REFUSED = {
    "views of numbers": lambda r, v, u: _native.ScalarModel(
        None, u, r.tables.native, 1, 1, 0, None
    ),
    "unknowns": lambda r, v, u: _native.ScalarModel(v, None, r.tables.native, 1, 1, 0, None),
    "tables of numbers": lambda r, v, u: _native.ScalarModel(v, u, None, 1, 1, 0, None),
    "views of textures": lambda r, v, u: _native.TextureModel(
        None, r.tables.native, [], 1, 0, None
    ),
    "tables of textures": lambda r, v, u: _native.TextureModel(v, None, [], 1, 0, None),
    "recorder": lambda r, v, u: v.add(
        picture(),
        Camera(W, H),
        PathSettings(),
        np.ones((H * W, 3), np.float32),
        [(None, None)],
        np.zeros(0, np.uint32),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_none_is_refused(device, case):
    recorder, _ = recorder_of(device)

    with pytest.raises(ArgumentError):
        REFUSED[case](recorder, views_of(device, [(H, W)]), unknowns())
