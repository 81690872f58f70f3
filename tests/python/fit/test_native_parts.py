# SPDX-License-Identifier: Apache-2.0
"""What native parts of fits refuse: arrays that do not fit together."""

from __future__ import annotations

import numpy as np
import pytest

from support.view_cases import add_view, recorder_of, views_of
from weft import ArgumentError, _native
from weft.render import PathSettings
from weft.scene import Camera

H, W = 6, 8
IMAGE = np.ones((H, W, 3), np.float32)
MASK = np.ones((H, W), np.float32)
COUNTS = np.ones((H, W), bool)
PIXELS = np.arange(H * W, dtype=np.uint32)
BEYOND = np.array([H * W], np.uint32)
ROWS = np.zeros(3 * H * W, np.float32)
NONE = np.zeros(0, np.float32)


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
    "inflation": (
        lambda: _native.inflation(
            ((ROWS[3:], ROWS[3:]), (ROWS[3:], ROWS[3:])), [PIXELS], [W], np.eye(1)
        ),
        "48 pixels have 144 residuals, got 141",
    ),
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


# With the views of a fit; those of another picture have other pixels.
WITH_VIEWS = {
    "recorded rows": (lambda meter, _: meter.record(ROWS[1:], ROWS[1:]), "needed, 144, got 143"),
    "rows of a beginning": (lambda meter, _: meter.begin(ROWS, ROWS[1:]), "144, got 144 and 143"),
    "kept pixels": (lambda meter, _: meter.keep([BEYOND]), "numbers of pixels"),
    "kept views": (lambda meter, _: meter.keep([PIXELS, PIXELS]), "each of the 1 views"),
    "open": (lambda meter, _: meter.restore({}), "no flag 'is_open'"),
    "saved": (lambda meter, _: meter.restore({"is_open": COUNTS[0, :1]}), "no array 'noise.0'"),
    "other picture": (lambda meter, other: meter.restore(other.state()), "other views or pixels"),
}


@pytest.mark.parametrize("case", WITH_VIEWS)
def test_arrays_of_other_views_are_refused(device, case):
    call, message = WITH_VIEWS[case]
    meter, other = (_native.LossMeter(views_of(device, [size])) for size in ((H, W), (H, W - 1)))

    with pytest.raises(ArgumentError, match=message):
        call(meter, other)
    assert meter.is_open


def test_noise_of_other_residuals_is_refused(device):
    with pytest.raises(ArgumentError, match="needed, 144, got 144 and 141"):
        _native.NoiseMeter(views_of(device, [(H, W)])).add(ROWS, ROWS[3:])


def scalars_of(views, recorder, own):
    return _native.ScalarModel(views, own, recorder.tables.native, 1, 1, 0, None)


def test_models_without_views_are_refused(device):
    recorder, _ = recorder_of(device)

    with pytest.raises(ArgumentError, match="ScalarModel: there are no views; add one first"):
        scalars_of(_native.Views(), recorder, unknowns())
    with pytest.raises(ArgumentError, match="TextureModel: there are no views; add one first"):
        _native.TextureModel(_native.Views(), recorder.tables.native, [], 1, 0, None)


def test_numbers_that_are_too_few_are_refused(device):
    recorder, _ = recorder_of(device)
    views = _native.Views()
    for _ in range(2):
        add_view(views, recorder, IMAGE)
    model = scalars_of(views, recorder, unknowns())

    with pytest.raises(ArgumentError, match=r"x must have\D*4 numbers, one an unknown, got 3"):
        model.residuals(np.zeros(3))
    with pytest.raises(ArgumentError, match="hidden must have one flag a pixel"):
        model.select_pixels(np.zeros(4), 0.9, [COUNTS.ravel(), COUNTS.ravel()[1:]])
    with pytest.raises(ArgumentError):
        model.differences(np.zeros(4), [PIXELS], 1, 0)


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
    "views of a loss": lambda r, v, u: _native.LossMeter(None),
    "views of noise": lambda r, v, u: _native.NoiseMeter(None),
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
