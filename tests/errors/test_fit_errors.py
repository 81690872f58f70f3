# SPDX-License-Identifier: Apache-2.0
"""What fits refuse of their arguments, before anything is drawn."""

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad, top_camera
from weft.fit import (
    DisplayTransform,
    Exposure,
    Fit,
    FitSettings,
    LightParameter,
    Parameter,
    Target,
    TextureParameter,
)
from weft.scene import Environment, Texture, principled

SHAPE = (8, 8, 3)
GREY = np.full(SHAPE, 0.3, np.float32)
NAN, INF = float("nan"), float("inf")


def with_pixel(value, channel=0):
    image = GREY.copy()
    image[2, 3, channel] = value
    return image


def refused(words):
    """What an ArgumentError says that is no crash in disguise."""
    return pytest.raises(weft.ArgumentError, match=words)


IMAGES = {
    "a text": ("photo.exr", "image must be an array of numbers, got str"),
    "no numbers": (np.full(SHAPE, "a"), "image must be an array of numbers, got ndarray"),
    "ragged rows": ([[1.0, 2.0], [1.0]], "image must be an array of numbers"),
    "one channel": (np.ones((8, 8)), r"must be \(height, width, 3 or 4\), got shape \(8, 8\)"),
    "no pixels": (np.ones((0, 8, 3)), r"must be \(height, width, 3 or 4\)"),
    "bytes": (np.full(SHAPE, 80, np.uint8), "must be in floating point, got uint8"),
    "integers": (np.ones(SHAPE, int), "must be in floating point, got int64"),
    "not a number": (with_pixel(NAN), "1 pixels are not finite, the first in row 2, column 3"),
    "infinite": (with_pixel(INF), "1 pixels are not finite"),
    "negative infinity": (with_pixel(-INF), "1 pixels are not finite"),
    "too large for 32 bits": (np.full(SHAPE, 1e39), "64 pixels are not finite"),
    "objects": (np.full(SHAPE, None), "image must be an array of numbers"),
    "black": (np.zeros(SHAPE), "every pixel that counts is black"),
    "negative": (-GREY, "100% of the pixels that count are negative"),
    "half negative": (with_pixel(-9.0), "2% of the pixels that count are negative"),
}


@pytest.mark.parametrize("name", IMAGES)
def test_a_picture_that_is_no_light_is_refused(name):
    image, words = IMAGES[name]

    with refused(f"Target 'photo': .*{words}"):
        Target(image, name="photo")


ARGUMENTS = {
    "mask of another shape": ({"mask": np.ones((8, 9))}, r"mask must have shape \(8, 8\)"),
    "mask of bytes": ({"mask": np.full((8, 8), 255, np.uint8)}, r"weights in \[0, 1\], got 255"),
    "mask below 0": ({"mask": np.full((8, 8), -0.5)}, r"weights in \[0, 1\], got -0.5"),
    "mask of nothing": ({"mask": np.full((8, 8), NAN)}, r"weights in \[0, 1\], got nan"),
    "mask of words": ({"mask": "mask.png"}, "mask must be"),
    "mask of zeros": ({"mask": np.zeros((8, 8))}, "the mask leaves no pixel; widen it"),
    "saturation at 0": ({"saturation": 0.0}, "saturation must be a finite number above 0"),
    "saturation of nothing": ({"saturation": NAN}, "saturation must be a finite number above 0"),
    "all clipped": ({"saturation": 0.25}, "every pixel that counts is clipped, 0.25 or more"),
    "filter": ({"filter": "sinc"}, "filter must be one of"),
    "no filter": ({"filter": ["box"]}, "filter must be one of"),
    "infinite filter": ({"filter_width": INF}, "filter must be one of .* width above 0"),
    "camera": ({"camera": 1.5}, "camera must be the name or number"),
    "no camera": ({"camera": None}, "camera must be the name or number"),
    "one object": ({"objects": "ball"}, "objects must be a list of names, got 'ball'"),
    "objects": ({"objects": [1]}, "objects must be a list of names"),
    "display": ({"display": "AgX"}, "display must be a DisplayTransform or None"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_wrong_arguments_of_targets_are_refused(name):
    arguments, words = ARGUMENTS[name]

    with refused(f"Target 'photo': .*{words}"):
        Target(GREY, **({"name": "photo"} | arguments))


def test_a_target_without_a_name_is_refused():
    with refused("Target: the name must be a text, got 7"):
        Target(GREY, name=7)


def test_a_picture_whose_alpha_covers_nothing_is_refused():
    with refused("Target 'photo': the alpha channel covers no pixel; give a mask"):
        Target(np.concatenate([GREY, np.zeros((8, 8, 1))], axis=2), name="photo")


def straight():
    grid = np.linspace(0, 1, 3)
    return DisplayTransform(np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), -1))


@pytest.mark.parametrize(
    ("values", "mask", "words"),
    [
        (np.ones(SHAPE), None, "every pixel that counts is black or white"),
        (np.zeros(SHAPE), None, "every pixel that counts is black or white"),
        (np.full(SHAPE, NAN), None, "every pixel that counts is black or white"),
        (GREY, np.zeros((8, 8)), "the mask leaves no pixel"),
        (GREY, np.full((8, 8), 2.0), r"weights in \[0, 1\], got 2"),
        (np.full(SHAPE, 80, np.uint8), None, "values must be in floating point"),
    ],
)
def test_display_pictures_that_tell_nothing_are_refused(values, mask, words):
    with refused(f"Target 'photo': .*{words}"):
        Target.from_display(values, straight(), mask=mask, name="photo")


PARAMETERS = {
    "no name": ({"name": ""}, "Parameter: the name must be a text, got ''"),
    "a number": ({"name": 3}, "Parameter: the name must be a text, got 3"),
    "reversed": ({"bounds": (0.9, 0.1)}, r"two finite numbers with low < high, got \(0.9, 0.1\)"),
    "equal": ({"bounds": (0.5, 0.5)}, "low < high"),
    "not numbers": ({"bounds": (NAN, 1.0)}, "low < high"),
    "infinite": ({"bounds": (0.0, INF)}, "low < high"),
    "three": ({"bounds": (0.0, 0.5, 1.0)}, "low < high"),
    "one": ({"bounds": 0.5}, "low < high"),
    "words": ({"bounds": "01"}, "low < high"),
    "transform": ({"transform": "square"}, "transform must be 'linear' or 'log', got 'square'"),
    "tie": ({"tied": "m.metallic"}, "tied must be a list of names, got 'm.metallic'"),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_wrong_parameters_are_refused(name):
    arguments, words = PARAMETERS[name]

    with refused(words):
        Parameter(**({"name": "m.roughness"} | arguments))


OTHERS = {
    "texture": (lambda: TextureParameter(3), "TextureParameter: the name must be a text"),
    "texture bounds": (
        lambda: TextureParameter("m.roughness", bounds=(1.0, 0.0)),
        "TextureParameter 'm.roughness': bounds must be",
    ),
    "smoothness": (
        lambda: TextureParameter("m.roughness", smoothness=-1.0),
        "smoothness must be a finite number of at least 0, got -1.0",
    ),
    "exposure": (lambda: Exposure(bounds=(0.0, 2.0)), "Exposure: bounds must be .* 0 < low < high"),
    "exposures": (lambda: Exposure(bounds=(0.5, INF)), "Exposure: bounds must be"),
    "exposure start": (lambda: Exposure(start=99.0), "Exposure: start must lie within the bounds"),
    "light": (lambda: LightParameter("key", bounds=(2.0, 1.0)), "LightParameter 'key': bounds"),
    "light start": (lambda: LightParameter("key", start=NAN), "start must lie within the bounds"),
    "light name": (lambda: LightParameter(None), "LightParameter: the name must be a text"),
    "samples": (lambda: FitSettings(samples=0), "samples must be a whole number, at least 1"),
    "half a sample": (lambda: FitSettings(samples=2.5), "samples must be a whole number"),
    "bounces": (lambda: FitSettings(bounces=True), "bounces must be a whole number"),
    "seed": (lambda: FitSettings(seed=-1), "seed must be a whole number, at least 0, got -1"),
    "tolerance": (lambda: FitSettings(tolerance=NAN), "tolerance must be a finite number above 0"),
    "time": (
        lambda: FitSettings(time_limit=-1),
        "time_limit must be a finite number of at least 0",
    ),
    "information": (lambda: FitSettings(information=1.5), "information must be above 0"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_wrong_arguments_are_refused(name):
    make, words = OTHERS[name]

    with refused(words):
        make()


@pytest.fixture(scope="module")
def scene():
    image = Texture(np.full((4, 4, 3), 0.5, np.float32))
    glass = principled("glass", transmission_weight=0.5, alpha=1.0, base_color=image)
    paint = principled("paint", base_color=image, roughness=0.5, metallic=0.2)
    clear = principled("clear", transmission_weight=0.5, roughness=0.0, ior=1.4)
    return weft.Scene(
        [
            placed(quad(2), clear, name="window"),
            placed(quad(2), glass),
            placed(quad(4), paint, name="floor"),
        ],
        cameras=[top_camera(8, scale=2.0)],
        environment=Environment(np.ones(3)),
    )


ROUGH = Parameter("paint.roughness")

FITS = {
    "targets": (GREY, [ROUGH], "targets must be a list of Target, got"),
    "one target": (Target(GREY), [ROUGH], "targets must be a list of Target, got .* in brackets"),
    "an array": ([GREY], [ROUGH], "targets must be a list of Target, got"),
    "none": ([], [ROUGH], "at least one target and one parameter are needed"),
    "names": ([Target(GREY)], ["paint.roughness"], "parameters must be a list of Parameter or"),
    "one parameter": ([Target(GREY)], ROUGH, "parameters must be a list of Parameter or"),
    "size": ([Target(np.ones((4, 4, 3)))], [ROUGH], "the image is 4 x 4, .* sees 8 x 8; resize"),
    "twice": ([Target(GREY)], [ROUGH, ROUGH], "'paint.roughness' is given twice"),
    "twice by a tie": (
        [Target(GREY)],
        [Parameter("paint.metallic", tied=["paint.roughness"]), ROUGH],
        "'paint.roughness' is given twice",
    ),
    "an image twice": (
        [Target(GREY)],
        [TextureParameter("paint.base_color"), TextureParameter("glass.base_color")],
        "the texture of 'glass.base_color' is given twice",
    ),
    "start below": (
        [Target(GREY)],
        [Parameter("paint.roughness", bounds=(0.2, 0.6), start=0.1)],
        r"start must lie within the bounds \(0.2, 0.6\), got 0.1",
    ),
    "start beyond the input": (
        [Target(GREY)],
        [Parameter("paint.metallic", start=1.5)],
        r"start must lie within the bounds \(0, 1\), got 1.5",
    ),
    "start of words": (
        [Target(GREY)],
        [Parameter("paint.metallic", start="half")],
        "start must be 1 finite numbers, got 'half'",
    ),
    "prior": (
        [Target(GREY)],
        [Parameter("paint.metallic", prior=0.5)],
        r"prior must be \(mean, standard deviation\)",
    ),
    "smooth glass": (
        [Target(GREY)],
        [Parameter("clear.ior")],
        "'clear.ior' bends the light of a surface without roughness, .* 'clear.roughness' 0.02",
    ),
    "alpha": (
        [Target(GREY)],
        [Parameter("glass.alpha")],
        "'glass.alpha' makes surfaces transparent, and shadows have no derivative",
    ),
}


@pytest.mark.parametrize("name", FITS)
def test_wrong_arguments_of_fits_are_refused(device, scene, name):
    targets, parameters, words = FITS[name]

    with refused(words):
        Fit(scene, targets, parameters, device=device)


def test_a_fit_of_no_scene_is_refused(device):
    with refused("Fit: scene must be a weft.Scene, got 'scene.weft'"):
        Fit("scene.weft", [Target(GREY)], [ROUGH], device=device)
