# SPDX-License-Identifier: Apache-2.0
"""Pictures that were saved through a display transform: the table, its inverse, and fits."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from weft import image
from weft.fit import DisplayTransform, Exposure, Fit, FitSettings, Parameter, Target
from weft.render import PathSettings
from weft.scene import Camera, Environment, principled

MIX = np.array([[0.86, 0.10, 0.04], [0.12, 0.78, 0.10], [0.08, 0.08, 0.84]])


def filmic(light):
    """A curve with a shoulder, after channels were mixed: bright colours fade to white."""
    mixed = np.maximum(light, 0) @ MIX.T
    return (mixed / (mixed + 0.6)) ** (1 / 2.2)


def table_of(curve, entries=49):
    axis = DisplayTransform.axis(entries)
    return DisplayTransform(curve(np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1)))


@pytest.fixture(scope="module")
def display():
    return table_of(filmic)


def colors(count, seed=0):
    rng = np.random.default_rng(seed)
    return 2 ** rng.uniform(-7, 3, (count, 1)) * rng.uniform(0.05, 1, (count, 3))


def test_table_gives_the_curve_to_within_a_step_of_8_bits(display):
    light = colors(5000)

    assert np.abs(display.apply(light) - filmic(light)).max() < 1 / 255


def test_greys_are_as_exact_as_the_axis(display):
    grey = np.repeat(2 ** np.linspace(-7, 3, 200)[:, None], 3, axis=1)

    assert np.abs(display.apply(grey) - filmic(grey)).max() < 0.3 / 255


def test_derivative_is_that_of_the_table(display):
    light = colors(400)
    step = 1e-5

    slopes = display.derivative(light)

    for channel in range(3):
        move = np.zeros(3)
        move[channel] = step
        # apply() rounds to floats, which differences do not stand.
        pair = [display._transform.apply(light + sign * move) for sign in (-1, 1)]
        measured = ((pair[1] - pair[0]) / (2 * step)).reshape(-1, 3)
        # A difference across a face of two tetrahedra is the mean of their slopes.
        near = np.abs(measured - slopes[..., channel]) < 1e-3 * np.abs(slopes).max()
        assert near.all(axis=1).mean() > 0.99


def test_inverse_finds_the_light(display):
    light = colors(5000)

    found, is_shown = display.invert(display.apply(light))

    assert is_shown.all()
    assert (np.abs(found - light) / light.max(axis=1, keepdims=True)).max() < 0.01


def test_colours_that_the_display_never_shows_are_named(display):
    _, is_shown = display.invert(np.array([[0.99, 0.01, 0.01], [0.5, 0.5, 0.5]]))

    assert is_shown.tolist() == [False, True]


def test_ends_of_the_display_do_not_count(display):
    values = np.array([[[0.5, 0.5, 0.5], [0.5, 0.5, 0.001]]], np.float32)

    target = Target.from_display(values, display)

    assert target.mask.tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"table": np.zeros((3, 3, 3))}, r"table must have shape \(n, n, n, 3\), got \(3, 3, 3\)"),
        ({"table": np.full((2, 2, 2, 3), np.nan)}, "all finite"),
        ({"table": np.zeros((2, 2, 2, 3)), "toe": 80.0}, "0 < toe < high must hold"),
    ],
)
def test_wrong_tables_are_refused(arguments, message):
    with pytest.raises(weft.ArgumentError, match=message):
        DisplayTransform(**arguments)


def test_masks_and_pictures_of_wrong_shape_are_refused(display):
    with pytest.raises(weft.ArgumentError, match=r"values must be \(height, width, 3 or 4\)"):
        Target.from_display(np.zeros((4, 4)), display)
    with pytest.raises(weft.ArgumentError, match=r"mask must have shape \(4, 4\), got \(2, 2\)"):
        Target.from_display(np.full((4, 4, 3), 0.5), display, mask=np.ones((2, 2)))


def test_files_hold_display_values(tmp_path, display):
    values = display.apply(colors(64).reshape(8, 8, 3) + 0.02)
    path = tmp_path / "picture.png"
    image.write(path, values, encoding="linear")

    target = Target.from_file(path, display=display)

    counts = target.mask > 0
    assert counts.mean() > 0.5
    assert np.abs(display.apply(target.image) - values)[counts].max() < 1.5 / 255
    with pytest.raises(weft.ArgumentError, match="are part of a display transform"):
        Target.from_file(path, display=display, exposure=1.0)


TRUTH = {"base_color": (0.8, 0.35, 0.1), "roughness": 0.35, "metallic": 0.6}


def sky():
    """A bright patch on a blue sky above a grey ground."""
    v, _ = np.mgrid[0:32, 0:64]
    picture = np.where(v[..., None] < 16, [0.4, 0.6, 1.0], [0.3, 0.28, 0.25]).astype(np.float32)
    picture[5:8, 38:43] += (30, 26, 20)
    return picture


def scene_with(**inputs):
    camera = Camera(40, 40, transform=Camera.look_at((0, -4.5, 2), (0, 0, 0.8)), fov=0.6)
    ball, ground = principled("ball", **inputs), lambert((0.5, 0.5, 0.5), "ground")
    return weft.Scene(
        [placed(sphere(), ball, move=(0, 0, 1)), placed(quad(6), ground)],
        cameras=[camera],
        environment=Environment(sky()),
    )


@pytest.fixture(scope="module")
def light(device):
    settings = PathSettings(samples=1024, bounces=3, seed=77)
    return weft.Renderer(device, scene_with(**TRUTH)).render(settings=settings)


def largest_error(values):
    pairs = ((values[f"ball.{name}"], truth) for name, truth in TRUTH.items())
    return max(float(np.abs(np.subtract(found, truth)).max()) for found, truth in pairs)


def fit(device, target, *extra, samples=4):
    parameters = [Parameter(f"ball.{name}") for name in TRUTH]
    start = scene_with(base_color=(0.5, 0.5, 0.5), roughness=0.6, metallic=0.2)
    settings = FitSettings(bounces=3, samples=samples, seed=5, tolerance=0.005, max_iterations=40)
    return Fit(start, [target], [*parameters, *extra], settings, device=device).run()


@pytest.mark.full
def test_few_samples_do_not_bias_a_fit_through_a_display(device, light, display):
    picture = np.rint(filmic(light) * 255) / 255

    result = fit(device, Target.from_display(picture.astype(np.float32), display))

    assert largest_error(result.values) < 0.02


@pytest.mark.full
@pytest.mark.slow
def test_noise_before_the_display_and_an_unknown_exposure_leave_small_errors(
    device, light, display
):
    rng = np.random.default_rng(3)
    noisy = light * 1.5 + rng.normal(0, 0.02, light.shape) * np.sqrt(light)
    picture = np.rint(filmic(noisy) * 255) / 255

    result = fit(
        device, Target.from_display(picture.astype(np.float32), display), Exposure(), samples=8
    )

    assert largest_error(result.values) < 0.04
    assert result.values["target.exposure"] == pytest.approx(1.5, rel=0.03)
