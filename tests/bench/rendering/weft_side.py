# SPDX-License-Identifier: Apache-2.0
"""Weft's half of the comparison; side_by_side.py runs it.

weft_side.py CASE FOLDER SEEDS prints one JSON line. FOLDER keeps the photos.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from anchor import BOUNCES, START, TRUTH, anchor_scene, cases
from curves import FORWARD_SAMPLES, PHOTO_SAMPLES, Spent, Step, report, shortest

import weft
from weft.fit import Fit, FitSettings, Parameter, Target, TextureParameter
from weft.render import PathSettings
from weft.scene import Material, Texture, principled

GLOSS = {"roughness": 0.35, "metallic": 0.0}


def settings_for(samples: int, seed: int) -> PathSettings:
    """Return settings without chance in the length of paths."""
    return PathSettings(samples=samples, bounces=BOUNCES, roulette_from=None, seed=seed)


def textured(pixels: np.ndarray) -> Material:
    """Return the ball's material with a texture, whose first row is v = 0."""
    return principled("ball", base_color=Texture(np.ascontiguousarray(pixels[::-1])), **GLOSS)


def photo_of(device: weft.Device, folder: Path, name: str, material: Material) -> np.ndarray:
    """Return a picture of the truth; make it if it is not there."""
    path = folder / f"weft_{name}.npy"
    if not path.is_file():
        renderer = weft.Renderer(device, anchor_scene(material))
        np.save(path, renderer.render(settings=settings_for(PHOTO_SAMPLES, 1000)))
    return np.load(path)


def numbers_fit(device: weft.Device, photo: np.ndarray, seed: int, draws: int) -> Fit:
    """Return a fit of five numbers."""
    return Fit(
        anchor_scene(principled("ball", **START)),
        [Target(photo)],
        [Parameter(f"ball.{name}") for name in TRUTH],
        FitSettings(bounces=BOUNCES, seed=seed, max_iterations=draws, tolerance=1e-9),
        device=device,
    )


def largest_error(values: dict[str, np.ndarray]) -> float:
    """Return how far the worst number is from the truth."""
    return max(float(np.abs(values[f"ball.{k}"] - v).max()) for k, v in TRUTH.items())


def measure_forward(device: weft.Device, folder: Path, seeds: int) -> None:
    """Time a picture."""
    renderer = weft.Renderer(device, anchor_scene())
    renderer.render(settings=settings_for(1, 0))
    render = lambda seed: renderer.render(settings=settings_for(FORWARD_SAMPLES, seed))  # noqa: E731
    report(**shortest(render)._asdict())


def measure_first(device: weft.Device, folder: Path, seeds: int) -> None:
    """Time the making of a fit and its first step."""
    photo = np.load(folder / "weft_numbers.npy")
    cases.sky()  # what makes the scene's pictures is not the fit's
    began = Spent.now()
    numbers_fit(device, photo, 0, 1).step()
    report(**Spent.now().since(began)._asdict())


def measure_numbers(device: weft.Device, folder: Path, seeds: int) -> None:
    """Record the errors of fits of five numbers."""
    photo = photo_of(device, folder, "numbers", principled("ball", **TRUTH))
    numbers_fit(device, photo, 99, 3).run()  # compiles the kernels
    runs = []
    for seed in range(1, seeds + 1):
        steps: list[Step] = []
        fit, began = numbers_fit(device, photo, seed, 16), Spent.now()
        fit.run(
            lambda p, steps=steps, began=began: steps.append(
                (*Spent.now().since(began), largest_error(p.values))
            )
        )
        runs.append(steps)
    report(runs=runs)


def texture_fit(device: weft.Device, photo: np.ndarray, draws: int) -> Fit:
    """Return a fit of a texture from grey."""
    grey = textured(np.full_like(cases.pattern(), 0.5))
    settings = FitSettings(bounces=BOUNCES, seed=1, texture_iterations=draws)
    parameters = [TextureParameter("ball.base_color")]
    return Fit(anchor_scene(grey), [Target(photo)], parameters, settings, device=device)


def measure_texture(device: weft.Device, folder: Path, seeds: int) -> None:
    """Record the error of fits of a texture; how long a fit takes is decided before it starts."""
    truth, seen = cases.pattern(), cases.seen_texels()
    photo = photo_of(device, folder, "texture", textured(truth))
    texture_fit(device, photo, 2).run()  # compiles the kernels
    steps = []
    for draws in (15, 30, 60, 120):
        began = Spent.now()
        found = texture_fit(device, photo, draws).run().textures["ball.base_color"]
        spent = Spent.now().since(began)
        error = (found.pixels[::-1] - truth)[seen]
        steps.append((*spent, float(np.sqrt((error**2).mean()))))
    report(runs=[steps])


def main() -> None:
    """Measure a case."""
    case, folder, seeds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    measures = {
        "forward": measure_forward,
        "first": measure_first,
        "numbers": measure_numbers,
        "texture": measure_texture,
    }
    measures[case](weft.create_device(), folder, seeds)


if __name__ == "__main__":
    main()
