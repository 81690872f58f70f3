# SPDX-License-Identifier: Apache-2.0
"""Jobs that weft-fit and Python's `weft fit` both run.

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
from weft.fit import FitResult
from weft.fit.job import load_job
from weft.render import PathSettings
from weft.scene import (
    Camera,
    Environment,
    Mesh,
    Object,
    PointLight,
    Scene,
    Texture,
    at_camera,
    principled,
)
from weft.scene.changes import inputs_of

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


MAPS = """
scene = "board.weft"

[settings]
bounces = 2
seed = 3
texture_iterations = 16

[[targets]]
image = "board.{ending}"
camera = "front"

[[targets]]
image = "board_left.{ending}"
camera = 1
robust = true

[[textures]]
name = '"Paint.001".base_color'
resolution = [12, 8]
start = [0.4, 0.5, 0.6]
wrap = "extend"

[[textures]]
name = '"Paint.001".roughness'
resolution = [6, 4]
start = 0.5

[[textures]]
name = "Floor.roughness"
bounds = [0.1, 0.9]
smoothness = 0.2
"""

TOGETHER = """
scene = "together.weft"

[settings]
bounces = 2
seed = 3
max_iterations = 10
texture_iterations = 12

[[targets]]
image = "together.{ending}"
camera = "front"

[[targets]]
image = "together_left.{ending}"
camera = 1
robust = true

[[parameters]]
name = "Floor.base_color"

[[parameters]]
name = '"Paint.001".roughness'
bounds = [0.1, 0.9]

[[exposures]]
target = "together_left"

[[lights]]
light = "key"

[[textures]]
name = '"Paint.001".base_color'
resolution = [6, 4]
start = [0.4, 0.5, 0.6]
wrap = "extend"
"""


OUTDOORS = """
scene = "outdoors.weft"

[settings]
bounces = 2
seed = 3
max_iterations = 10
texture_iterations = 12

[[targets]]
image = "outdoors.{ending}"
camera = "front"

[[targets]]
image = "outdoors_left.{ending}"
camera = 1
robust = true

[[targets]]
image = "outdoors_night.{ending}"
camera = 1
lights = ["key"]
world = false

[[parameters]]
name = '"Paint.001".roughness'
bounds = [0.1, 0.9]
start = 0.6

[[lights]]
light = "key"
start = 0.7

[environment]
width = 12
height = 6
smoothness = 0.2
"""


def square(size: float, height: float, name: str) -> Mesh:
    """Return two triangles that look up."""
    corners = [(-size, -size), (size, -size), (size, size), (-size, size)]
    positions = np.array([(x, y, height) for x, y in corners], np.float32)
    uvs = {"UVMap": np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)}
    return Mesh(positions, np.array([(0, 1, 2), (0, 2, 3)]), uvs=uvs, name=name)


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


def board(is_right: bool) -> Scene:
    """Return the plate and the floor with what textures make of them."""
    rows, columns = np.mgrid[0:8, 0:12]
    checks = np.stack([(rows // 2 + columns // 3) % 2, rows / 8, columns / 12], axis=2)
    paint = Texture((0.2 + 0.6 * checks).astype(np.float32), wrap="extend")
    rough = 0.3 + 0.4 * (rows[:8, :8] > 3) if is_right else np.full((8, 8), 0.5)
    floor = Texture(rough[..., None].astype(np.float32), wrap="extend")
    return Scene(
        [
            Object(
                square(2, 0, "floor"),
                [principled("Floor", base_color=(0.5, 0.4, 0.3), roughness=floor)],
                name="floor",
            ),
            Object(
                square(0.8, 0.4, "plate"),
                [
                    principled(
                        "Paint.001",
                        base_color=paint if is_right else (0.4, 0.5, 0.6),
                        roughness=0.6,
                    )
                ],
                name="plate",
            ),
        ],
        [PointLight((0.5, 1.5, 2.5), power=120.0, radius=0.3, name="key")],
        [camera("front", (0, -3, 2)), camera("left", (-3, -1, 2))],
        Environment(np.array([0.3, 0.35, 0.4])),
    )


def painted(is_right: bool) -> Scene:
    """Return the plate with what a texture makes of it, over a floor of one colour."""
    scene = board(is_right)
    floor = principled("Floor", base_color=(0.3, 0.4, 0.5) if is_right else 0.6, roughness=0.5)
    inputs = inputs_of(scene)
    paint = principled(
        "Paint.001",
        base_color=inputs['"Paint.001".base_color'],
        roughness=0.3 if is_right else 0.6,
    )
    objects = [
        replace(entry, materials=[own])
        for entry, own in zip(scene.objects, (floor, paint), strict=True)
    ]
    lights = [replace(scene.lights[0], power=150.0 if is_right else 100.0)]
    return replace(scene, objects=objects, lights=lights)


def write_textures(folder: Path, job: str, name: str, scenes: tuple[Scene, Scene]) -> None:
    """Write a scene whose textures are not known, pictures of the right one, and a job.

    Args:
        folder: For them.
        job: Text.
        name: Of the scene and of its pictures.
        scenes: To fit, and the right one.
    """
    scenes[0].save(folder / f"{name}.weft")
    right = scenes[1]
    settings = PathSettings(samples=256, bounces=2, seed=9)
    with weft.create_device() as device:
        renderer = weft.Renderer(device, right)
        front, left = (renderer.render(number, settings) for number in range(2))
    left = np.array(left)
    left[10:13, 12:18] = (0.9, 0.1, 0.1)  # a sticker, which the scene does not have
    for own, pixels in {name: front, f"{name}_left": left}.items():
        write_pfm(folder / f"{own}.pfm", np.asarray(pixels, np.float32))
        image.write(folder / f"{own}.exr", np.asarray(pixels, np.float32), encoding="linear")
    for ending in ("pfm", "exr"):
        (folder / f"{name}_{ending}.toml").write_text(job.format(ending=ending), encoding="utf-8")


def write_environment(folder: Path) -> None:
    """Write a scene whose environment is not known, pictures of it, and a job."""
    rows, columns = np.mgrid[0:6, 0:12]
    sky = np.stack([0.2 + rows / 6, 0.6 + 0.4 * np.sin(columns / 2), 0.3 + columns / 12], axis=2)
    indoors = replace(painted(True), environment=None)
    right = replace(indoors, environment=Environment(sky.astype(np.float32)))
    write_textures(folder, OUTDOORS, "outdoors", (indoors, right))
    with weft.create_device() as device:
        settings = PathSettings(samples=256, bounces=2, seed=9)
        night = weft.Renderer(device, indoors).render(1, settings)
    write_pfm(folder / "outdoors_night.pfm", np.asarray(night, np.float32))
    image.write(folder / "outdoors_night.exr", np.asarray(night, np.float32), encoding="linear")


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


def read_pfm(path: Path) -> np.ndarray:
    """Return the pixels of a portable float map, the top row first."""
    kind, size, _, pixels = path.read_bytes().split(b"\n", 3)
    width, height = map(int, size.split())
    channels = 3 if kind == b"PF" else 1
    return np.frombuffer(pixels, "<f4").reshape(height, width, channels)[::-1]


def compare_textures(folder: Path, job: str) -> None:
    """Fail unless both programs have found the same textures and numbers, and judge them alike."""
    report = json.loads((folder / job / "report.json").read_text(encoding="utf-8"))
    with weft.create_device() as device:
        fit = load_job(folder / f"{job}_exr.toml").create_fit(device)
        result = fit.run()
    assert (len(result.history), result.reason) == (report["iterations"], report["reason"])
    losses = [[entry.loss for entry in result.history], [e["loss"] for e in report["history"]]]
    assert np.allclose(*losses, rtol=2e-3, atol=1e-5)
    phases = [[entry.phase for entry in result.history], [e["phase"] for e in report["history"]]]
    assert phases[0] == phases[1]
    for name, value in result.values.items():
        found = np.array(report["parameters"][name]["value"])
        errors = np.array(report["parameters"][name]["error"])
        print(f"number {name}: apart by {np.abs(found - value).max()}, error {errors}")
        assert np.allclose(found, value, rtol=1e-3, atol=1e-4), name
        assert np.allclose(errors, result.errors[name], rtol=1e-2), name
    assert report["textures"].keys() == set(result.textures)
    stored = inputs_of(Scene.load(folder / job / "scene.weft"))
    for name, ours in result.textures.items():
        entry = report["textures"][name]
        theirs = read_pfm(folder / job / entry["map"])
        apart = float(np.abs(theirs - ours.pixels).max())
        print(f"texture {name}: apart by {apart}, known {entry['known_share']}")
        assert apart < 0.002, name
        assert np.array_equal(theirs, stored[name].pixels), name
        errors = read_pfm(folder / job / entry["errors"].replace(".exr", ".pfm"))
        assert np.array_equal(np.isinf(errors), np.isinf(ours.errors)), name
        assert np.allclose(errors, ours.errors, rtol=1e-2), name
        assert np.isclose(entry["known_share"], ours.known.mean()), name
        assert np.isclose(entry["told_share"], ours.told, rtol=1e-2), name
    compare_environment(folder / job, result, report["environment"])
    compare_verdicts(result.verdict.as_dict(), report["verdict"])


def compare_environment(folder: Path, result: FitResult, entry: dict | None) -> None:
    """Fail unless both programs have found the same environment."""
    if result.environment is None:
        assert entry is None
        return
    ours, theirs = result.environment.image, read_pfm(folder / entry["map"])
    apart = float(np.abs(theirs - ours).max())
    print(f"environment: apart by {apart}, {entry['undetermined']}")
    assert apart < 0.002
    assert entry["undetermined"] == result.undetermined.get("environment")
    stored = Scene.load(folder / "scene.weft")
    assert np.array_equal(stored.environment.image, theirs)
    assert [own.name for own in stored.objects] == ["floor", "plate"]


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
        write_textures(folder, MAPS, "board", (board(False), board(True)))
        write_textures(folder, TOGETHER, "together", (painted(False), painted(True)))
        write_environment(folder)
    else:
        compare(folder, "right", "explained")
        compare(folder, "wrong", "wrong")
        compare(folder, "photo", "doubtful")
        compare_textures(folder, "board")
        compare_textures(folder, "together")
        compare_textures(folder, "outdoors")


if __name__ == "__main__":
    main()
