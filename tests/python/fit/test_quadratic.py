# SPDX-License-Identifier: Apache-2.0
"""Steps within bounds on models of a loss that are known up to noise."""

import numpy as np
import pytest

from weft._native import box_step, eigenvalue_noise, exact_equations, safe_quadratic
from weft.fit.information import LinearizedResiduals, gather_information, normal_equations


def positive_definite(rng, count):
    factor = rng.standard_normal((count + 2, count))
    return factor.T @ factor


@pytest.mark.parametrize("count", [1, 2, 5, 40])
@pytest.mark.parametrize("seed", range(4))
def test_box_steps_fulfil_the_conditions_of_optimality(count, seed):
    rng = np.random.default_rng(seed)
    matrix, gradient = positive_definite(rng, count), 4 * rng.standard_normal(count)
    low, high = -rng.random(count), rng.random(count)
    low[: count // 4] = 0

    step = box_step(matrix, gradient, low, high)

    slope = gradient + matrix @ step
    size = 1e-6 * np.abs(gradient).max()
    assert (step >= low).all()
    assert (step <= high).all()
    inside = (step > low) & (step < high)
    assert (np.abs(slope[inside]) < size).all()
    assert (slope[step <= low] > -size).all()
    assert (slope[(step >= high) & (high > low)] < size).all()


def test_a_step_without_bounds_solves_the_equations():
    rng = np.random.default_rng(1)
    matrix, gradient = positive_definite(rng, 6), rng.standard_normal(6)
    open_range = np.full(6, 1e9)

    step = safe_quadratic(exact_equations(matrix, gradient, 0.0)).step(-open_range, open_range)

    assert np.allclose(matrix @ step, -gradient)


def noisy_halves(rng, noise, points=900, parameters=8, dead=0):
    """Halves of a linear model at its optimum; the last `dead` parameters have noise alone."""
    truth = rng.standard_normal((points, parameters))
    truth[:, parameters - dead :] = 0
    halves = []
    for _ in range(2):
        jacobian = truth + noise * rng.standard_normal(truth.shape)
        halves.append(LinearizedResiduals(0.1 * rng.standard_normal(points), jacobian))
    return halves


def test_the_noise_of_eigenvalues_is_foreseen():
    rng = np.random.default_rng(2)
    found, expected = [], []
    for _ in range(200):
        normal = normal_equations(*noisy_halves(rng, 2.0, parameters=12, dead=12))
        scale = np.sqrt(normal.spread)
        units = np.outer(scale, scale)
        values, vectors = np.linalg.eigh(normal.matrix / units)
        found.append(values)
        expected.append(
            eigenvalue_noise(normal.skew / units, normal.diagonal_noise / scale**2, values, vectors)
        )

    # All eigenvalues are zero but for noise.
    assert 0.7 < np.sqrt(np.mean(np.square(found))) / np.mean(expected) < 1.6
    assert np.mean(np.abs(found) < 2 * np.array(expected)) > 0.9


def test_own_noise_does_not_take_pixels_that_differ_for_noise():
    """Pixels that are drawn need not be neighbours: derivatives differ from one to the next."""
    rng = np.random.default_rng(7)
    truth = rng.exponential(1.0, (300, 3)) * np.array([1.0, 5.0, 0.2])
    normals = []
    for _ in range(400):
        jacobians = [truth + 0.05 * rng.standard_normal(truth.shape) for _ in range(2)]
        normals.append(
            normal_equations(*(LinearizedResiduals(np.zeros(300), each) for each in jacobians))
        )

    measured = np.std([np.diag(normal.matrix) for normal in normals], axis=0)
    foreseen = np.mean([normal.diagonal_noise for normal in normals], axis=0)

    assert foreseen == pytest.approx(measured, rel=0.15)


def test_steps_at_the_optimum_are_smaller_than_noise_would_make_them():
    rng = np.random.default_rng(3)
    wide = np.full(8, 1e9)
    cautious, plain = [], []
    for _ in range(100):
        normal = normal_equations(*noisy_halves(rng, 0.3))
        cautious.append(safe_quadratic(normal).step(-wide, wide))
        plain.append(np.linalg.solve(normal.matrix, -normal.gradient))

    assert np.std(cautious) < 0.6 * np.std(plain)


def test_parameters_with_noise_alone_hardly_move():
    rng = np.random.default_rng(6)
    wide = np.full(8, 1e9)
    cautious, plain = [], []
    for _ in range(100):
        normal = normal_equations(*noisy_halves(rng, 0.3, dead=3))
        quadratic = safe_quadratic(normal)
        cautious.append(quadratic.step(-wide, wide)[5:] * quadratic.scale[5:])
        plain.append(np.linalg.solve(normal.matrix, -normal.gradient)[5:] * quadratic.scale[5:])

    assert np.std(cautious) < 0.05 * np.std(plain)
    assert np.abs(cautious).max() < 3


def test_the_noise_of_the_gradient_is_that_of_its_draws():
    rng = np.random.default_rng(4)
    normals = [normal_equations(*noisy_halves(rng, 0.3)) for _ in range(500)]

    measured = np.cov(np.array([normal.gradient for normal in normals]).T)
    foreseen = np.mean([normal.gradient_noise for normal in normals], axis=0)

    assert np.diag(foreseen) == pytest.approx(np.diag(measured), rel=0.3)


def test_parameters_with_noise_alone_have_errors_as_large_as_their_range():
    rng = np.random.default_rng(5)
    a, b = noisy_halves(rng, 0.3, parameters=6, dead=2)
    told = gather_information(normal_equations(a, b), a, b, extent=np.full(6, 2.0))

    assert (told.errors[:4] < 0.1).all()
    assert (told.errors[4:] > 1).all()
    assert np.isfinite(told.errors).all()
    assert (told.drawn_share[4:] > 0.9).all()
