# SPDX-License-Identifier: Apache-2.0
"""Renders and fits the scene of main.cpp, and compares with what the program has written.

python compare.py picture.pfm photo.pfm found.txt
"""

from __future__ import annotations

import math
import sys
from itertools import product
from pathlib import Path

import numpy as np

import weft
from weft.fit import Exposure, FitSettings, LightParameter, Parameter
from weft.render import PathSettings
from weft.scene import Camera, Environment, Mesh, Object, PointLight, Scene, principled

Point = tuple[float, float, float]


def halfway(a: Point, b: Point) -> Point:
    """Return the middle of two points, on the sphere."""
    x, y, z = a[0] + b[0], a[1] + b[1], a[2] + b[2]
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


def sphere_triangles(levels: int) -> list[tuple[Point, Point, Point]]:
    """Return triangles of a sphere: each is divided into four, `levels` times."""
    triangles = []
    for x, y, z in product((1.0, -1.0), repeat=3):
        a, b, c = (x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)
        triangles.append((a, b, c) if x * y * z > 0 else (a, c, b))
    for _ in range(levels):
        finer = []
        for a, b, c in triangles:
            ab, bc, ca = halfway(a, b), halfway(b, c), halfway(c, a)
            finer += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = finer
    return triangles


CAMERA = Camera(64, 64, transform=np.array([[1, 0, 0, 0], [0, 0, -1, -4], [0, 1, 0, 0]]))


def described(color: tuple[float, float, float], roughness: float, light: float = 200.0) -> Scene:
    """Return the scene of main.cpp."""
    corners = np.array(sphere_triangles(3), np.float32)
    numbers = np.arange(3 * len(corners), dtype=np.uint32).reshape(-1, 3)
    mesh = Mesh(corners.reshape(-1, 3), numbers, normals=corners)
    paint = principled("Paint", base_color=color, roughness=roughness)
    return Scene(
        [Object(mesh, [paint])],
        [PointLight((2, -3, 3), power=light, radius=0.25, name="key")],
        [CAMERA],
        Environment(np.array([0.2, 0.3, 0.5])),
    )


def read_pfm(path: Path) -> np.ndarray:
    """Return the picture of a portable float map, the top row first."""
    kind, size, _, pixels = path.read_bytes().split(b"\n", 3)
    assert kind == b"PF"
    width, height = map(int, size.split())
    return np.frombuffer(pixels, "<f4").reshape(height, width, 3)[::-1]


def main() -> None:
    """Print how far the pictures are apart; fail if that is more than rounding."""
    picture, photo, found = map(Path, sys.argv[1:])
    program = read_pfm(picture)
    with weft.create_device() as device:
        image = weft.Renderer(device, described((0.8, 0.3, 0.1), 0.4)).render(
            settings=PathSettings(samples=16, bounces=4)
        )
        print("largest difference", float(np.abs(image - program).max()))
        assert np.allclose(image, program, rtol=1e-5, atol=1e-6)
        compare_fits(device, read_pfm(photo), found.read_text().splitlines())


def compare_fits(device: weft.Device, photo: np.ndarray, lines: list[str]) -> None:
    """Fail unless Python's fit of the same picture gives the same numbers."""
    fit = weft.Fit(
        described((0.5, 0.5, 0.5), 0.7, 100.0),
        [weft.Target(photo, CAMERA, name="photo")],
        [
            Parameter("Paint.base_color"),
            Parameter("Paint.roughness"),
            Exposure("photo"),
            LightParameter("key"),
        ],
        FitSettings(bounces=3),
        device=device,
    )
    result = fit.run()
    iterations, loss = lines[0].split()
    assert (len(result.history), result.reason) == (int(iterations), "converged")
    assert np.isclose(result.history[-1].loss, float(loss), rtol=1e-3)
    program = np.array([line.split()[1:] for line in lines[1:]], float)
    values = np.concatenate([np.ravel(entry) for entry in result.values.values()])
    errors = np.concatenate([np.ravel(entry) for entry in fit.history[-1].errors.values()])
    print("fits differ by", float(np.abs(values - program[:, 0]).max()))
    assert np.allclose(values, program[:, 0], rtol=1e-5)
    assert np.allclose(errors, program[:, 1], rtol=1e-3)


if __name__ == "__main__":
    main()
