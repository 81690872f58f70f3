# SPDX-License-Identifier: Apache-2.0
"""What native parts of fits refuse: arrays that do not fit together."""

from __future__ import annotations

import numpy as np
import pytest

from weft import ArgumentError, _native

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


def factors(views=2):
    own = unknowns()
    return own.directions(5).factors(own, own.start, views)


def film(**other):
    known = {
        "number": 1,
        "parts": np.ones((1, 1, H * W, 3), np.float32),
        "lights": [0],
        "pixels": PIXELS,
        "weights": IMAGE,
        "image": IMAGE,
    }
    return _native.ViewFilm(**(known | other))


def meter():
    return _native.LossMeter([IMAGE.reshape(-1, 3)])


def recorded(pixels=PIXELS, weights=IMAGE, rows=ROWS):
    return meter().record([pixels], [weights], rows, rows)


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
    "widths": (lambda: _native.plan_validation([PIXELS], [8, 8], 1, 1), "as many widths, got 2"),
    "view of a plan": (
        lambda: _native.plan_validation([PIXELS], [W], 1, 1).part(1, 0),
        "view must be below 1, got 1",
    ),
    "spread": (lambda: _native.spread(ROWS, PIXELS, (H, W), PIXELS, 1), "as many values"),
    "beyond": (lambda: _native.spread(NONE, BEYOND, (H, W), PIXELS, 1), "below 48"),
    "inflation": (
        lambda: _native.inflation(
            ((ROWS[3:], ROWS[3:]), (ROWS[3:], ROWS[3:])), [PIXELS], [W], np.eye(1)
        ),
        "48 pixels have 144 residuals, got 141",
    ),
    "place": (lambda: unknowns().values(np.zeros(3)), "x must have 4 numbers"),
    "few views": (lambda: unknowns().gains(np.zeros(4), 1), "is of view 1, and there are 1"),
    "few views of films": (lambda: factors(1), "is of view 1, and there are 1"),
    "other unknowns": (
        lambda: unknowns().directions(5).factors(_native.Unknowns(), NONE, 2),
        "they serve 4 unknowns, and there are 0",
    ),
    "factor": (
        lambda: unknowns().add_factor("x", 2, (1.0, (0.5, 2.0)), 0, None),
        "1 or 3 numbers",
    ),
    "expected": (lambda: unknowns().expect(2, np.zeros(1), 1.0), "block 2 of 2"),
    "parts": (lambda: film(lights=[0, None]), r"parts must have shape \(2, 1 \+ directions"),
    "pixels of a film": (lambda: film(pixels=BEYOND), "parts must have shape"),
    "weights of a film": (lambda: film(weights=MASK), "image and weights"),
    "view of a film": (lambda: factors().rows(film(number=2)), "a film of view 2"),
    "light of a film": (lambda: factors().residuals(film(lights=[3])), "none of these unknowns"),
    "leverages": (lambda: _native.leverages(ROWS, ROWS, ROWS, NONE), "both sample sets"),
    "recorded pixels": (lambda: recorded(BEYOND), "numbers of pixels"),
    "recorded weights": (lambda: recorded(weights=MASK), "three weights a pixel"),
    "recorded rows": (lambda: recorded(rows=ROWS[1:]), "three residuals a pixel"),
    "kept": (lambda: meter().keep([BEYOND]), "numbers of pixels"),
    "noise": (lambda: meter().set_noise([MASK[1:]]), "a number a pixel"),
    "counted": (lambda: meter().loss([MASK], [COUNTS[1:]]), "trust and a flag a pixel"),
    "saved": (lambda: meter().restore(False, {}), "there is no array 'noise.0'"),
    "noise of views": (
        lambda: _native.relative_noise([MASK.astype(float)], [MASK[1:].astype(float)]),
        "the same shapes",
    ),
    "variance": (lambda: _native.residual_variance(NONE, NONE), "the same n >= 1 residuals"),
}


@pytest.mark.parametrize("case", CASES)
def test_arrays_that_do_not_fit_are_refused(case):
    call, message = CASES[case]

    with pytest.raises(ArgumentError, match=message):
        call()


def test_residuals_and_derivatives_of_a_film_are_those_of_its_factors():
    own = unknowns()
    x = np.log([0.5, 1.0, 2.0, 1.5])

    residual, jacobian = factors_at(own, x).rows(film(parts=np.full((1, 1, H * W, 3), 2.0)))

    assert residual.reshape(-1, 3)[0] == pytest.approx([0.5, 2.0, 5.0])
    assert jacobian.reshape(H * W, 3, 4)[0, 2] == pytest.approx([0, 0, 6.0, 6.0])
    assert np.array_equal(
        factors_at(own, x).residuals(film(parts=np.full((1, 1, 48, 3), 2.0))), residual
    )


def factors_at(own, x):
    return own.directions(5).factors(own, x, 2)


def test_a_state_of_another_picture_is_refused():
    small = _native.LossMeter([IMAGE[1:].reshape(-1, 3)])

    with pytest.raises(ArgumentError, match="other views or pixels"):
        meter().restore(False, small.state())
