# SPDX-License-Identifier: Apache-2.0
"""A job that weft-fit and Python's `weft fit` both run.

python compare.py write folder
python compare.py compare folder
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import weft
from weft import image
from weft.colors import srgb_from_linear
from weft.fit.job import load_job
from weft.render import PathSettings
from weft.scene import (
    Camera,
    Environment,
    Mesh,
    Object,
    PointLight,
    Scene,
    at_camera,
    principled,
)

FLASH = (
    '{kind = "point", space = "camera", position = [0.2, 0.1, 0.0], power = 40.0, radius = 0.1, '
    'name = "flash"}'
)
JOB = """
scene = "scene.weft"

[settings]
bounces = 2
seed = 3
starts = 2
max_iterations = 12

[[targets]]
image = "front.{ending}"
camera = "front"
exposure = 1.0
mask_from = "plate"

[[targets]]
image = "side.{ending}"
camera = 1
mask = "mask.{ending}"
saturation = 0.9
resize = true

[[targets]]
image = "flash.{ending}"
camera = 1
lights = [{flash}]
world = {{image = "sky.{ending}", strength = 0.5}}

[[targets]]
image = "dusk.{ending}"
lights = ["key"]
world = false

[[parameters]]
name = '"Paint.001".roughness'
bounds = [0.1, 0.9]
start = 0.6
tied = ["Floor.roughness"]

[[parameters]]
name = "Floor.base_color"
prior = [[0.4, 0.5, 0.6], 0.5]

[[exposures]]
target = "side"
white_balance = true

[[lights]]
light = "key"
"""


def square(size: float, height: float, name: str) -> Mesh:
    """Return two triangles that look up."""
    corners = [(-size, -size), (size, -size), (size, size), (-size, size)]
    positions = np.array([(x, y, height) for x, y in corners], np.float32)
    return Mesh(positions, np.array([(0, 1, 2), (0, 2, 3)]), name=name)


def camera(name: str, eye: tuple[float, float, float]) -> Camera:
    """Return a camera that looks at the plate."""
    return Camera(32, 24, fov=0.8, transform=Camera.look_at(eye, (0, 0, 0.2)), name=name)


def described(roughness: float, color: tuple[float, float, float], power: float) -> Scene:
    """Return a plate over a floor."""
    return Scene(
        [
            Object(
                square(2, 0, "floor"),
                [principled("Floor", base_color=color, roughness=roughness)],
                name="floor",
            ),
            Object(
                square(0.8, 0.4, "plate"),
                [principled("Paint.001", base_color=(0.7, 0.2, 0.1), roughness=roughness)],
                name="plate",
            ),
        ],
        [PointLight((0.5, 1.5, 2.5), power=power, radius=0.3, name="key")],
        [camera("front", (0, -3, 2)), camera("left", (-3, -1, 2))],
        Environment(np.array([0.1, 0.15, 0.2])),
    )


def write_pfm(path: Path, pixels: np.ndarray) -> None:
    """Write a portable float map."""
    height, width, channels = pixels.shape
    head = f"{'PF' if channels == 3 else 'Pf'}\n{width} {height}\n-1.0\n"
    path.write_bytes(head.encode() + pixels[::-1].astype("<f4").tobytes())


def write(folder: Path) -> None:
    """Write the scene to fit, pictures of the right one in two formats, and the jobs."""
    described(0.7, (0.5, 0.5, 0.5), 60.0).save(folder / "scene.weft")
    right = described(0.35, (0.2, 0.4, 0.6), 120.0)
    with weft.create_device() as device:
        renderer = weft.Renderer(device, right)
        settings = PathSettings(samples=256, bounces=2, seed=9)
        front = renderer.render("front", settings)
        large = renderer.render(replace(right.cameras[1], width=64, height=48), settings)
    front_camera, left = right.cameras
    flash = at_camera(PointLight((0.2, 0.1, 0.0), power=40.0, radius=0.1, name="flash"), left)
    sky = np.linspace(0.1, 1.2, 4 * 8 * 3, dtype=np.float32).reshape(4, 8, 3)
    lit = [
        (replace(right, lights=[flash], environment=Environment(sky, strength=0.5)), left),
        (replace(right, environment=None), front_camera),
    ]
    with weft.create_device() as device:
        flashed, dusk = (weft.Renderer(device, own).render(view, settings) for own, view in lit)
    mask = np.ones((48, 64, 1), np.float32)
    mask[:, :13] = 0
    pictures = {"front": front * 2, "side": large * np.array([1.5, 1.25, 1.0]), "mask": mask}
    photo = np.minimum(front, 0.4) * 2
    photo[10:13, 12:18] = (0.9, 0.1, 0.1)  # a sticker, which the scene does not have
    pictures |= {"photo": srgb_from_linear(photo)}
    pictures |= {"flash": flashed, "sky": sky, "dusk": dusk}
    for name, pixels in pictures.items():
        write_pfm(folder / f"{name}.pfm", np.asarray(pixels, np.float32))
        image.write(folder / f"{name}.exr", np.asarray(pixels, np.float32), encoding="linear")
    for ending in ("pfm", "exr"):
        right = JOB.format(ending=ending, flash=FLASH)
        for name, text in {
            "right": right,
            "wrong": right.replace("exposure = 1.0", "exposure = 0.7"),
            "photo": right.replace('image = "front', 'color_space = "srgb"\nimage = "photo'),
        }.items():
            (folder / f"{name}_{ending}.toml").write_text(text, encoding="utf-8")


def compare(folder: Path, job: str, level: str) -> None:
    """Fail unless both programs have found the same numbers, and judge them alike."""
    report = json.loads((folder / job / "report.json").read_text(encoding="utf-8"))
    with weft.create_device() as device:
        fit = load_job(folder / f"{job}_exr.toml").create_fit(device)
        result = fit.run()
    assert len(result.history) == report["iterations"]
    found = {name: np.array(entry["value"]) for name, entry in report["parameters"].items()}
    assert found.keys() == set(result.values)
    apart = max(float(np.abs(found[name] - value).max()) for name, value in result.values.items())
    print(f"job '{job}': apart by {apart}")
    for name, value in result.values.items():
        assert np.allclose(found[name], value, rtol=1e-4), name
        errors = np.array(report["parameters"][name]["error"])
        assert np.allclose(errors, result.errors[name], rtol=2e-3), name
    assert result.verdict.level == level
    compare_verdicts(result.verdict.as_dict(), report["verdict"])
    ours, theirs = result.apply(), Scene.load(folder / job / "scene.weft")
    mine = [entry.surface.inputs["roughness"] for entry in ours.materials()]
    other = [entry.surface.inputs["roughness"] for entry in theirs.materials()]
    assert np.allclose(mine, other, rtol=1e-4)
    assert np.isclose(ours.lights[0].power, theirs.lights[0].power, rtol=1e-4)


def compare_verdicts(ours: dict, theirs: dict) -> None:
    """Fail unless both programs judge alike."""
    print("verdict", ours["level"], ours["ratio"], theirs["ratio"])
    assert ours["level"] == theirs["level"]
    assert np.isclose(ours["ratio"], theirs["ratio"], rtol=1e-3)
    assert np.isclose(ours["inflation"], theirs["inflation"], rtol=2e-3)
    for mine, other in zip(ours["views"], theirs["views"], strict=True):
        assert (mine["name"], mine["level"]) == (other["name"], other["level"])
        for key in ("ratio", "misfit", "noise", "brightness", "outliers", "certainty"):
            assert np.isclose(mine[key], other[key], rtol=2e-3, atol=1e-6), key


def main() -> None:
    """Do what the arguments say."""
    folder = Path(sys.argv[2])
    if sys.argv[1] == "write":
        folder.mkdir(parents=True)
        write(folder)
    else:
        compare(folder, "right", "explained")
        compare(folder, "wrong", "wrong")
        compare(folder, "photo", "doubtful")


if __name__ == "__main__":
    main()
