# SPDX-License-Identifier: Apache-2.0
"""Pictures and starts at the edge of what fits take: a right result, or what is not told."""

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad, top_camera
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.render import PathSettings
from weft.scene import Closure, Environment, Material, PointLight, Problem, principled

SIZE = 16
COLOR = (0.6, 0.3, 0.2)


def scene_with(color=COLOR, roughness=0.4, metallic=0.3, hidden=0.5):
    """A square of paint, and a material that no camera sees."""
    paint = principled("paint", base_color=color, roughness=roughness, metallic=metallic)
    back = Material("back", Closure("diffuse", color=(hidden, hidden, hidden)))
    return weft.Scene(
        [placed(quad(2), paint), placed(quad(2), back, move=(0, 0, 9), name="behind")],
        [PointLight((0.5, 0.3, 1.0), power=40.0)],
        [top_camera(SIZE, scale=1.5)],
        Environment(np.full(3, 0.3)),
    )


@pytest.fixture(scope="module")
def photo(device):
    settings = PathSettings(samples=256, bounces=2, roulette_from=None, seed=4)
    return weft.Renderer(device, scene_with()).render(settings=settings)


def fitted(device, target, *parameters, **settings):
    settings = {"bounces": 2, "seed": 3, "max_iterations": 20} | settings
    return Fit(
        scene_with(), [target], list(parameters), FitSettings(**settings), device=device
    ).run()


@pytest.mark.full
def test_noise_below_black_is_light_like_any_other(device, photo):
    # A mask leaves the dark half, where a sensor's noise about black is as large as the light.
    dark = photo.copy()
    dark[:, : SIZE // 2] *= 1e-3
    dark += np.random.default_rng(2).normal(0, 0.02 * photo.mean(), dark.shape).astype(np.float32)
    assert (dark < 0).mean() > 0.1

    weights = np.ones((SIZE, SIZE), np.float32)
    weights[:, : SIZE // 2] = 0
    whole = Target(dark)
    result = fitted(device, Target(dark, mask=weights), Parameter("paint.base_color"))

    assert np.isfinite(whole.noise_weights()).all()
    assert (whole.noise_weights() > 0).all()
    assert result.values["paint.base_color"] == pytest.approx(COLOR, abs=0.05)


def test_a_picture_that_does_not_show_a_material_says_nothing_of_it(device, photo):
    result = fitted(device, Target(photo), Parameter("back.color"))

    assert "no picture shows 'behind'" in result.undetermined["back.color"]
    assert (result.errors["back.color"] > 0.25).all()


@pytest.mark.full
def test_clipped_pixels_do_not_count_and_the_rest_is_enough(device, photo):
    limit = float(np.quantile(photo.max(axis=2), 0.7))
    clipped = np.minimum(photo, limit)

    result = fitted(device, Target(clipped, saturation=limit), Parameter("paint.base_color"))

    assert result.values["paint.base_color"] == pytest.approx(COLOR, abs=0.02)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("start", [0.0, 1.0])
def test_a_start_on_a_bound_leaves_it(device, photo, start):
    result = fitted(device, Target(photo), Parameter("paint.metallic", start=start), samples=8)

    error = float(result.errors["paint.metallic"][0])
    assert result.values["paint.metallic"] == pytest.approx([0.3], abs=max(3 * error, 0.02))


@pytest.mark.parametrize("bounds", [(0.5, 0.9), (0.05, 0.2)])
def test_a_truth_beyond_the_bounds_ends_at_the_nearest(device, photo, bounds):
    result = fitted(device, Target(photo), Parameter("paint.metallic", bounds=bounds), samples=8)

    nearest = min(bounds, key=lambda end: abs(end - 0.3))
    assert result.values["paint.metallic"] == pytest.approx([nearest], abs=0.01)


def test_starts_that_rounding_moves_beyond_a_bound_are_taken(device, photo):
    start = float(np.exp(np.log(np.float64(0.05)))) * (1 - 1e-7)
    rough = Parameter("paint.roughness", bounds=(0.05, 1.0), start=start)

    fit = Fit(scene_with(), [Target(photo)], [rough], device=device)

    assert fit.stage.values()["paint.roughness"] == pytest.approx([0.05])


def test_what_an_export_replaced_is_part_of_the_result(device, photo, tmp_path):
    problem = Problem("Material 'paint' > node 'Tangent'", "it is radial", "the UV map's tangent")
    scene = scene_with()
    plain = scene.hash()
    scene.problems.append(problem)
    scene.save(tmp_path / "scene.weft")
    loaded = weft.Scene.load(tmp_path / "scene.weft")
    clipped = Target(np.where(photo > 0.9 * photo.max(), 1.0, np.minimum(photo, 0.99)))
    arguments = ([clipped], [Parameter("paint.metallic")], FitSettings(bounces=2, max_iterations=1))

    first = Fit(loaded, *arguments, device=device)
    first.step()
    first.save_checkpoint(tmp_path / "fit.npz")
    second = Fit(scene_with(), *arguments, device=device)
    second.resume(tmp_path / "fit.npz")
    result = second.result("iterations")

    assert scene.hash() == plain == loaded.hash()
    assert loaded.problems == [problem]
    assert set(result.problems) == set(first.problems)
    assert [entry.where for entry in first.problems] == [problem.where, "Target 'target'"]
    assert str(problem).endswith("(used instead: the UV map's tangent)")
    pytest.importorskip("OpenImageIO")  # writes the report
    report = result.save_report(tmp_path / "report", samples=1)
    assert problem.as_dict() in report["problems"]
