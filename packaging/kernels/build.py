# SPDX-License-Identifier: Apache-2.0
"""Compiles the kernels that come with Weft, on devices that compile only.

``build.py FOLDER`` writes them into FOLDER, laid out like a cache: reflection of modules and code
of kernels by the keys that any installation of the same package has; machine code and PTX for CUDA
by the text of the kernel. It needs neither a GPU nor a driver. Options choose some of them: --for
software,vulkan,cuda, --lights, --materials.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from scenes import (  # noqa: E402
    FITTED,
    LIGHTS_FITTED,
    MATERIALS,
    LightSet,
    light_sets,
    scene_of,
)

import weft  # noqa: E402
from weft.fit import (  # noqa: E402
    EnvironmentParameter,
    Fit,
    FitSettings,
    LightParameter,
    Parameter,
    Target,
    TextureParameter,
)
from weft.render import PathSettings  # noqa: E402
from weft.scene import Closure, Material, Texture  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft import Scene

    Fitted = Parameter | TextureParameter | LightParameter | EnvironmentParameter

STEPS = 4
KINDS = ("software", "vulkan", "cuda")
SHIPPED = ("slang/module", "slang/lookup", "slang/kernel", "slang/prelude", "device/image")
"""Folders of a cache that are the same for every installation."""


def compile_picture(device: weft.Device, scene: Scene) -> None:
    """Compile what a picture takes. Nothing runs: what it would read are zeros."""
    weft.Renderer(device, scene).render(settings=PathSettings(samples=1, bounces=1))


def compile_fit(device: weft.Device, scene: Scene, fitted: Sequence[Fitted]) -> None:
    """Compile what a fit takes. Its first step has all kernels; few are left to the next ones."""
    photo = np.full((16, 16, 3), 0.5, np.float32)
    settings = FitSettings(bounces=1, max_iterations=STEPS)
    fit = Fit(scene, [Target(photo)], fitted, settings, device=device)
    try:
        for _ in range(STEPS):
            fit.step()
    except weft.Error as error:  # of zeros; by then its kernels are compiled
        print(f"  (stopped: {str(error)[:100]})")


def inputs_fitted(scene: Scene, names: Sequence[str]) -> list[Fitted]:
    """Return inputs of the ball's material as what a fit may change: numbers, or textures."""
    inputs = scene.objects[0].materials[0].surface.inputs
    fitted: list[Fitted] = []
    for name in names:
        if isinstance(inputs.get(name), Texture):
            fitted.append(TextureParameter(f"ball.{name}"))
        else:
            fitted.append(Parameter(f"ball.{name}"))
    return fitted


def compile_shape(device: weft.Device, shape: str, lit: LightSet) -> None:
    """Compile what pictures and fits of a shape of material under a set of lights take."""
    scene = scene_of(MATERIALS[shape](), lit)
    compile_picture(device, scene)
    if shape in FITTED:
        compile_fit(device, scene, inputs_fitted(scene, FITTED[shape]))
    if shape in LIGHTS_FITTED:
        compile_fit(device, scene, [EnvironmentParameter(16, 8)])
        if lit.lights:
            compile_fit(device, scene, [LightParameter(lit.lights[0].name)])
    # Most materials of a scene are no part of a fit, but its paths meet them.
    fitted = Material("fitted", Closure("diffuse", color=(0.5, 0.5, 0.5)))
    both = scene_of(fitted, lit, beside=MATERIALS[shape]())
    compile_fit(device, both, [Parameter("fitted.color")])


def compile_kind(kind: str, folder: Path, lights: set[str], materials: set[str]) -> None:
    """Compile the kernels for one kind of device into a folder."""
    os.environ["WEFT_SHIPPED_KERNELS"] = "0"  # what is there already would not be written
    with tempfile.TemporaryDirectory() as name:
        device = weft._native._create_compile_only(kind, name)
        for light, lit in light_sets().items():
            for shape in MATERIALS:
                if (lights and light not in lights) or (materials and shape not in materials):
                    continue
                began = time.monotonic()
                compile_shape(device, shape, lit)
                print(f"{kind}: {light}: {shape}: {time.monotonic() - began:.0f} s", flush=True)
        device.close()
        for found in SHIPPED:
            entries = Path(name) / found
            if entries.is_dir():
                shutil.copytree(entries, folder / entries.name, dirs_exist_ok=True)


def main() -> int:
    """Compile what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--for", dest="kinds", default=",".join(KINDS))
    parser.add_argument("--lights", default="", help="names of scenes.py, separated by ;")
    parser.add_argument("--materials", default="")
    options = parser.parse_args()
    lights, materials = (
        {word for word in text.split(";") if word} for text in (options.lights, options.materials)
    )
    options.folder.mkdir(parents=True, exist_ok=True)
    for kind in options.kinds.split(","):
        compile_kind(kind, options.folder, lights, materials)
    files = [file for file in options.folder.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    print(f"{len(files)} files, {size / 2**20:.1f} MiB in {options.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
