# SPDX-License-Identifier: Apache-2.0
"""First picture and first fit step of fresh processes that find no caches, and what they wait for.

cold_start.py [--device vulkan|cuda|all] [--scenes plain,five] [--cases picture,fit] [--rounds 3]
              [--no-shipped] [--beside FOLDER] [--marks]

Each case is a process of its own with empty cache folders, then one more that finds what the first
has left. Prints the best wall time and processor time, those of compilers and drivers included,
and how many kernels were found or had to be compiled. Pictures are compared by numpy: with
those of the second process and of the other ways. ``--no-shipped`` also runs each case with
WEFT_SHIPPED_KERNELS=0, ``--beside`` with the package ``weft`` of another folder; the ways take
turns.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SIZE, SAMPLES = 128, 8


def material_of(scene: str, index: int = 0) -> Any:
    """Return the material of a scene's ball."""
    import numpy as np

    from weft.scene import Closure, Material, NormalMap, Texture, principled

    rng = np.random.default_rng(index)

    def map_of(channels: int) -> Any:
        pixels = rng.uniform(0.2, 0.8, (64, 64, channels)).astype(np.float32)
        return Texture(pixels)

    if scene == "textures":
        return principled(
            "ball",
            base_color=map_of(3),
            roughness=map_of(1),
            metallic=0.1,
            normal=NormalMap(map_of(3)),
        )
    if scene == "glass":
        return principled("ball", transmission_weight=1.0, roughness=0.05, ior=1.45)
    if scene == "medium":
        fog = Closure("medium", scattering=(2.0, 1.0, 0.5))
        return Material("ball", Closure("transparent"), volume=fog)
    return principled("ball", base_color=(0.8, 0.3, 0.1), roughness=0.4, metallic=0.2)


def scene_of(name: str) -> Any:
    """Return a scene: a ball (five of them) on a floor under a sky and a light."""
    import numpy as np

    import weft
    from weft.scene import (
        AreaLight,
        Camera,
        Closure,
        Environment,
        Material,
        Mesh,
        Object,
        principled,
    )

    steps = np.linspace(0.0, 1.0, 33)
    u, v = (grid.ravel() for grid in np.meshgrid(steps, steps))
    phi, theta = 2 * np.pi * u, np.pi * v
    around = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], 1)
    first = (np.arange(32)[:, None] * 33 + np.arange(32)).ravel()
    faces = np.concatenate(
        [np.stack([first, first + 1, first + 34], 1), np.stack([first, first + 34, first + 33], 1)]
    )

    def ball(at: float, material: Any, name: str) -> Any:
        normals = around.astype(np.float32)
        points = (around * 0.5 + [at, 0.0, 0.5]).astype(np.float32)
        mesh = Mesh(
            points,
            faces.astype(np.uint32),
            normals,
            {"UVMap": np.stack([u, v], 1).astype(np.float32)},
            name=name,
        )
        return Object(mesh, [material], name=name)

    corners = np.array([[-4, -4, 0], [4, -4, 0], [4, 4, 0], [-4, 4, 0]], np.float32)
    square = Mesh(
        corners,
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        uvs={"UVMap": (corners[:, :2] / 8 + 0.5).astype(np.float32)},
        name="floor",
    )
    objects = [Object(square, [principled("floor", roughness=0.7)], name="floor")]
    if name == "five":
        kinds = [
            principled("one", roughness=0.3),
            material_of("textures"),
            material_of("glass"),
            Material("four", Closure("diffuse", color=(0.2, 0.5, 0.2))),
            principled("five", coat_weight=0.5, roughness=0.6),
        ]
        objects += [ball(k - 2.0, kind, f"ball{k}") for k, kind in enumerate(kinds)]
    else:
        objects.append(ball(0.0, material_of(name), "ball"))
    pose = Camera.look_at((0, -4, 1.5), (0, 0, 0.5))
    return weft.Scene(
        objects,
        cameras=[Camera(SIZE, SIZE, fov=0.7, transform=pose)],
        environment=Environment(np.full((4, 8, 3), 0.3, np.float32)),
        lights=[AreaLight(power=60.0, transform=Camera.look_at((2, -2, 4), (0, 0, 0)))],
    )


def processor_seconds() -> float:
    """Return the processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def child(case: str, scene_name: str, device_name: str, out: str) -> None:
    """Run one case and print one line of JSON."""
    began, spent = time.perf_counter(), processor_seconds()
    marks: dict[str, float] = {}

    def mark(name: str) -> None:
        marks[name] = time.perf_counter() - began - sum(marks.values())

    import numpy as np

    import weft
    from weft.render import PathSettings

    mark("import")
    device = weft.create_device(type=device_name)
    mark("device")
    scene = scene_of(scene_name)
    mark("scene")
    settings = PathSettings(samples=SAMPLES, bounces=4)
    if case == "picture":
        renderer = weft.Renderer(device, scene)
        mark("renderer")
        result = renderer.render(settings=settings)
        mark("render")
    else:
        from weft.fit import Fit, FitSettings, Parameter, Target

        photo = np.full((SIZE, SIZE, 3), 0.4, np.float32)
        names = ["ball.base_color", "ball.roughness"]
        fit = Fit(
            scene,
            [Target(photo)],
            [Parameter(n) for n in names],
            FitSettings(bounces=4, max_iterations=4),
            device=device,
        )
        mark("fit")
        fit.step()
        mark("step")
        result = np.zeros(1, np.float32)
    counts = dict(device.compiler_statistics)
    name = device.info.name
    device.close()
    wall = time.perf_counter() - began
    np.save(out, result)
    print(
        json.dumps(
            {
                "wall": wall,
                "cpu": processor_seconds() - spent,
                "marks": marks,
                "counts": counts,
                "device": name,
            }
        )
    )


def run(case: str, scene: str, device: str, caches: Path, out: Path, extra: dict[str, str]) -> Any:
    """Run a case in a fresh process; caches of Weft, of Mesa and of CUDA lie in `caches`."""
    folders = {
        "WEFT_CACHE_DIR": "weft",
        "MESA_SHADER_CACHE_DIR": "mesa",
        "XDG_CACHE_HOME": "xdg",
        "CUDA_CACHE_PATH": "cuda",
    }
    environment = os.environ | {name: str(caches / folder) for name, folder in folders.items()}
    before, began = os.times(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, "--child", case, scene, device, str(out)],
        env=environment | extra,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{case} {scene} {device}: {done.stderr.strip()[-2000:]}")
    after = os.times()
    found = json.loads(done.stdout.splitlines()[-1])
    found["wall"] = time.perf_counter() - began
    found["cpu"] = (
        after.children_user - before.children_user + after.children_system - before.children_system
    )
    return found


def compare(case: str, scene: str, pictures: list[Any]) -> None:
    """Check that all processes have rendered the same picture."""
    import numpy as np

    if case != "picture":
        return
    if not 0.01 < pictures[0].mean() < 10:
        raise SystemExit(f"{scene}: the picture's mean is {pictures[0].mean()}")
    for other in pictures[1:]:
        np.testing.assert_allclose(other, pictures[0], rtol=1e-3, atol=1e-3)


def measure(
    case: str, scene: str, device: str, ways: dict[str, dict[str, str]], rounds: int
) -> dict[tuple[str, str], Any]:
    """Return the best of some rounds, by way and by what the caches hold."""
    import numpy as np

    best: dict[tuple[str, str], Any] = {}
    pictures = []
    for _ in range(rounds):
        for way, extra in ways.items():
            with tempfile.TemporaryDirectory() as name:
                for state in ("empty", "kept"):
                    out = Path(name) / f"{state}.npy"
                    found = run(case, scene, device, Path(name), out, extra)
                    pictures.append(np.load(out))
                    known = best.setdefault((way, state), found)
                    if found["cpu"] < known["cpu"]:
                        best[way, state] = found
    compare(case, scene, pictures)
    return best


def print_rows(name: str, best: dict[tuple[str, str], Any], *, with_marks: bool) -> None:
    """Print the rows of one case."""
    for (way, state), found in best.items():
        counts = found["counts"]
        cells = (
            name,
            way,
            state,
            f"{found['wall']:.2f}",
            f"{found['cpu']:.2f}",
            counts["kernel_hits"],
            counts["kernel_misses"],
            counts["helper_starts"],
        )
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
        if with_marks:
            print("   ", {key: round(value, 3) for key, value in found["marks"].items()})


def main() -> None:
    """Run the cases and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="vulkan", choices=("vulkan", "cuda", "all"))
    parser.add_argument("--scenes", default="plain,textures,glass,medium,five")
    parser.add_argument("--cases", default="picture,fit")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--no-shipped", action="store_true")
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--marks", action="store_true", help="also print the stages")
    options = parser.parse_args()
    ways: dict[str, dict[str, str]] = {"this": {}}
    if options.no_shipped:
        ways["nothing shipped"] = {"WEFT_SHIPPED_KERNELS": "0"}
    if options.beside:
        ways["beside"] = {"PYTHONPATH": str(options.beside)}
    print("| device, scene, case | way | caches | wall, s | CPU, s | found | compiled | starts |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for device in ("vulkan", "cuda") if options.device == "all" else (options.device,):
        for scene in options.scenes.split(","):
            for case in options.cases.split(","):
                if case == "fit" and scene != "plain":
                    continue
                best = measure(case, scene, device, ways, options.rounds)
                print_rows(f"{device}, {scene}, {case}", best, with_marks=options.marks)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        child(*sys.argv[2:6])
    else:
        main()
