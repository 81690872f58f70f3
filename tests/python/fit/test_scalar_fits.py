# SPDX-License-Identifier: Apache-2.0
"""Fits of a few numbers to renders of a known scene."""

import threading

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.render import PathSettings
from weft.scene import Camera, Environment, Material, principled

TRUTH = {"base_color": (0.8, 0.35, 0.1), "roughness": 0.35, "metallic": 0.6}
SIZE = 40


def sky():
    """A bright patch on a blue sky above a grey ground."""
    v, _ = np.mgrid[0:32, 0:64]
    image = np.where(v[..., None] < 16, [0.4, 0.6, 1.0], [0.3, 0.28, 0.25]).astype(np.float32)
    image[5:8, 38:43] += (30, 26, 20)
    return image


def scene_with(material: Material) -> weft.Scene:
    camera = Camera(SIZE, SIZE, transform=Camera.look_at((0, -4.5, 2), (0, 0, 0.8)), fov=0.6)
    ground = lambert((0.5, 0.5, 0.5), "ground")
    return weft.Scene(
        [placed(sphere(), material, move=(0, 0, 1)), placed(quad(6), ground)],
        cameras=[camera],
        environment=Environment(sky()),
    )


@pytest.fixture(scope="module")
def photo(device):
    scene = scene_with(principled("ball", **TRUTH))
    return weft.Renderer(device, scene).render(
        settings=PathSettings(samples=1024, bounces=3, seed=77)
    )


def unknown_ball():
    return principled("ball", base_color=(0.5, 0.5, 0.5), roughness=0.6, metallic=0.2)


PARAMETERS = [Parameter("ball.base_color"), Parameter("ball.roughness"), Parameter("ball.metallic")]


def fit_ball(device, photo, **settings):
    chosen = FitSettings(**{"bounces": 3, "samples": 8, "seed": 5} | settings)
    return Fit(scene_with(unknown_ball()), [Target(photo)], PARAMETERS, chosen, device=device)


def test_five_numbers_are_found_with_errors_that_cover_them(device, photo):
    result = fit_ball(device, photo, tolerance=0.008, max_iterations=30).run()

    assert result.reason == "converged"
    for name, wanted in TRUTH.items():
        found = result.values[f"ball.{name}"]
        error = result.errors[f"ball.{name}"]
        assert np.abs(found - wanted).max() < 0.03
        assert (np.abs(found - wanted) < 4 * error + 0.004).all()
    assert not result.undetermined


def test_equal_seeds_give_equal_fits(device, photo):
    fits = [fit_ball(device, photo, seed=seed) for seed in (1, 1, 2)]
    first, again, other = ([fit.step() for _ in range(3)][-1] for fit in fits)

    assert np.array_equal(first.values["ball.base_color"], again.values["ball.base_color"])
    assert not np.array_equal(first.values["ball.base_color"], other.values["ball.base_color"])


def test_a_cancelled_fit_is_a_result(device, photo):
    cancel = threading.Event()

    result = fit_ball(device, photo).run(lambda _: cancel.set(), cancel)

    assert result.reason == "cancelled"
    assert len(result.history) == 1
    assert set(result.values) == {"ball.base_color", "ball.roughness", "ball.metallic"}


def test_a_material_that_no_picture_shows_is_named(device, photo):
    scene = scene_with(principled("ball", **TRUTH))
    hidden = principled("hidden", base_color=(0.3, 0.3, 0.3), roughness=0.5)
    scene.objects.append(placed(sphere(0.1), hidden, move=(0, 0, -3)))

    fit = Fit(
        scene,
        [Target(photo)],
        [Parameter("ball.metallic"), Parameter("hidden.roughness")],
        FitSettings(bounces=2, max_iterations=8, samples=4),
        device=device,
    )
    result = fit.run()

    assert list(result.undetermined) == ["hidden.roughness"]
    assert result.undetermined["hidden.roughness"] == "no picture shows 'object'"
    assert result.values["hidden.roughness"][0] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ([Parameter("ball.rough")], ["ball.rough", "ball.roughness"]),
        ([Parameter("ball.roughness"), Parameter("ball.roughness")], ["given twice"]),
        ([Parameter("ball.metallic", transform="log")], ["lower bound above 0"]),
        ([Parameter("ball.metallic", tied=["ball.base_color"])], ["cannot be tied"]),
        ([Parameter("ball.base_color", start=0.5)], ["start must be 3"]),
        ([], ["at least one"]),
    ],
)
def test_wrong_parameters_are_refused(device, photo, parameters, words):
    with pytest.raises(weft.ArgumentError) as caught:
        Fit(scene_with(unknown_ball()), [Target(photo)], parameters, device=device)

    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"image": np.zeros((4, 4), np.float32)}, ["(height, width, 3 or 4)"]),
        ({"image": np.full((4, 4, 3), np.nan)}, ["not finite", "row 0"]),
        ({"mask": np.ones((3, 3))}, ["mask must have shape (4, 4)"]),
        ({"mask": np.zeros((4, 4))}, ["leaves no pixel"]),
    ],
)
def test_wrong_targets_are_refused(change, words):
    with pytest.raises(weft.ArgumentError) as caught:
        Target(**{"image": np.ones((4, 4, 3), np.float32)} | change)

    assert all(word in str(caught.value) for word in words)


def test_a_picture_of_another_size_is_refused(device):
    with pytest.raises(weft.ArgumentError, match="resize one"):
        Fit(scene_with(unknown_ball()), [Target(np.ones((4, 4, 3)))], PARAMETERS, device=device)


@pytest.mark.full
def test_a_blurred_picture_is_explained_with_its_filter(device):
    truth = scene_with(principled("ball", **TRUTH))
    blurred = weft.Renderer(device, truth).render(
        settings=PathSettings(
            samples=1024, bounces=3, seed=5, filter="blackman_harris", filter_width=4.0
        )
    )
    guess = scene_with(principled("ball", base_color=(0.5,) * 3, roughness=0.6, metallic=0.2))
    parameters = [Parameter(f"ball.{name}") for name in TRUTH]
    results = {}
    for name, width in (("blackman_harris", 4.0), ("box", 1.0)):
        target = Target(blurred, filter=name, filter_width=width)
        fit = Fit(guess, [target], parameters, FitSettings(bounces=3), device=device)
        results[name] = fit.run()

    found, misled = results["blackman_harris"], results["box"]
    errors = [abs(found.values[f"ball.{name}"] - TRUTH[name]).max() for name in TRUTH]
    assert max(errors) < 0.02
    # The silhouette remains unexplained; the noise of the picture does in both.
    assert misled.history[-1].loss > 3 * abs(found.history[-1].loss)


def test_a_picture_without_such_a_filter_is_refused():
    with pytest.raises(
        weft.ArgumentError, match="filter must be one of box, tent, blackman_harris"
    ):
        Target(np.ones((2, 2, 3)), filter="gauss")
