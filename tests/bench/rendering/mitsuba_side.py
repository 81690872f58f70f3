# SPDX-License-Identifier: Apache-2.0
"""Mitsuba's half of the comparison; side_by_side.py runs it.

mitsuba_side.py CASE FOLDER SEEDS prints one JSON line. FOLDER keeps the photos.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import drjit as dr
import mitsuba as mi
import numpy as np
from curves import FORWARD_SAMPLES, PHOTO_SAMPLES, Spent, Step, report, shortest

mi.set_variant("llvm_ad_rgb")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from support import anchor_cases as cases  # noqa: E402
from support import mitsuba_anchor as anchor  # noqa: E402

KEYS = [f"object.bsdf.{name}" for name in ("base_color.value", "roughness.value", "metallic.value")]
TEXTURE = "object.bsdf.base_color.data"
GLOSS = {"roughness": 0.35, "metallic": 0.0}
SAMPLES, TEXTURE_SAMPLES = 4, 16
"""Of an iteration: numbers converge soonest with few, a texture follows their noise."""


def scene_of(integrator: str = "prb", **inputs: Any) -> Any:
    """Return the scene with the ball of a material."""
    return anchor.scene(cases.ball(), anchor.principled(**inputs), integrator=integrator)


def photo_of(folder: Path, name: str, **inputs: Any) -> np.ndarray:
    """Return a picture of the truth; make it if it is not there."""
    path = folder / f"mitsuba_{name}.npy"
    if not path.is_file():
        scene = scene_of("path", **inputs)
        parts = PHOTO_SAMPLES // 64
        total = sum(np.array(mi.render(scene, spp=64, seed=1000 + i)) for i in range(parts))
        np.save(path, (total / parts).astype(np.float32))
    return np.load(path)


def numbers(values: Any) -> np.ndarray:
    """Return the five numbers of a mapping."""
    return np.concatenate([np.array(values[key]).ravel() for key in KEYS])


TRUTH = np.array([*cases.TRUTH["base_color"], cases.TRUTH["roughness"], cases.TRUTH["metallic"]])


class Adam:
    """Iterations by path replay and Adam."""

    def __init__(
        self,
        scene: Any,
        keys: list[str],
        photo: np.ndarray,
        seed: int,
        samples: int = SAMPLES,
    ) -> None:
        """Prepare."""
        self.scene, self.keys, self.seed = scene, keys, seed * 1000003
        self.samples = samples
        self.photo = mi.TensorXf(photo)
        self.parameters = mi.traverse(scene)
        self.optimiser = mi.ad.Adam(lr=0.02)
        for key in keys:
            self.optimiser[key] = self.parameters[key]
        self.parameters.update(self.optimiser)

    def step(self) -> None:
        """Take a step, and wait for it."""
        self.seed += 2
        image = mi.render(
            self.scene,
            params=self.parameters,
            spp=self.samples,
            seed=self.seed,
            seed_grad=self.seed + 1,
        )
        dr.backward(dr.mean(dr.square(image - self.photo), axis=None))
        self.optimiser.step()
        for key in self.keys:
            self.optimiser[key] = dr.clip(self.optimiser[key], 1e-3, 1.0)
        self.parameters.update(self.optimiser)
        dr.eval(self.optimiser)
        dr.sync_thread()


class GaussNewton:
    """Gauss-Newton steps through forward mode; after some, the linear model is averaged."""

    def __init__(self, scene: Any, photo: np.ndarray, seed: int, warm: int = 5) -> None:
        """Prepare."""
        self.scene, self.seed, self.warm = scene, seed * 1000003, warm
        self.photo = photo.astype(np.float64)
        self.parameters = mi.traverse(scene)
        self.x = numbers(self.parameters)
        self.count = 0
        self.mean: list[np.ndarray] = []

    def assign(self) -> None:
        """Bring the numbers into the scene."""
        color, roughness, metallic = KEYS
        self.parameters[color] = mi.Color3f(*[float(c) for c in self.x[:3]])
        self.parameters[roughness] = mi.Float(float(self.x[3]))
        self.parameters[metallic] = mi.Float(float(self.x[4]))
        self.parameters.update()

    def jacobian(self) -> np.ndarray:
        """Return the derivatives of all pixels by the numbers; channels of a colour do not mix."""
        columns = []
        for key in KEYS:
            self.assign()
            dr.enable_grad(self.parameters[key])
            self.parameters.update()
            dr.set_grad(self.parameters[key], 1.0)
            dr.enqueue(dr.ADMode.Forward, self.parameters[key])
            image = self.scene.integrator().render_forward(
                self.scene, self.parameters, sensor=0, seed=self.seed + 1, spp=SAMPLES
            )
            columns.append(np.array(image).astype(np.float64))
            dr.disable_grad(self.parameters[key])
        out = np.zeros((*columns[0].shape, 5))
        for c in range(3):
            out[..., c, c] = columns[0][..., c]
        out[..., 3], out[..., 4] = columns[1], columns[2]
        return out.reshape(-1, 5)

    def step(self) -> None:
        """Take a step."""
        self.seed += 2
        self.assign()
        image = np.array(mi.render(self.scene, spp=SAMPLES, seed=self.seed)).astype(np.float64)
        residual, jacobian = (image - self.photo).ravel(), self.jacobian()
        if self.count < self.warm:
            curvature = jacobian.T @ jacobian
            curvature += 1e-2 * np.diag(np.diag(curvature))
            change = np.linalg.solve(curvature, jacobian.T @ residual)
            self.x = np.clip(self.x - np.clip(change, -0.3, 0.3), 1e-2, 1.0)
        else:
            latest, share = [jacobian, residual, self.x], 1 / (self.count - self.warm + 1)
            old = self.mean or latest
            self.mean = [a + (b - a) * share for a, b in zip(old, latest, strict=True)]
            j, r, x = self.mean
            self.x = np.clip(x - np.linalg.solve(j.T @ j, j.T @ r), 1e-2, 1.0)
        self.count += 1


def record(method: Any, error: Any, count: int) -> list[Step]:
    """Return time and error after each of some steps; the errors take no time."""
    steps, seconds, cpu_seconds = [], 0.0, 0.0
    for _ in range(count):
        began = Spent.now()
        method.step()
        spent = Spent.now().since(began)
        seconds, cpu_seconds = seconds + spent.seconds, cpu_seconds + spent.cpu_seconds
        steps.append((seconds, cpu_seconds, error()))
    return steps


def measure_forward(folder: Path, seeds: int) -> None:
    """Time a picture."""
    scene = scene_of("path", **cases.TRUTH)

    def render(seed: int) -> None:
        dr.eval(mi.render(scene, spp=FORWARD_SAMPLES, seed=seed))
        dr.sync_thread()

    render(99)
    report(**shortest(render)._asdict())


def measure_first(folder: Path, seeds: int) -> None:
    """Time the loading of the scene and the first step."""
    photo = np.load(folder / "mitsuba_numbers.npy")
    cases.sky()  # what makes the scene's pictures is not the fit's
    began = Spent.now()
    Adam(scene_of(**cases.START), KEYS, photo, 0).step()
    report(**Spent.now().since(began)._asdict())


def measure_adam(folder: Path, seeds: int) -> None:
    """Record the errors of fits of five numbers by Adam."""
    photo = photo_of(folder, "numbers", **cases.TRUTH)
    Adam(scene_of(**cases.START), KEYS, photo, 99).step()
    runs = []
    for seed in range(1, seeds + 1):
        fit = Adam(scene_of(**cases.START), KEYS, photo, seed)
        error = lambda fit=fit: float(np.abs(numbers(fit.optimiser) - TRUTH).max())  # noqa: E731
        runs.append(record(fit, error, 130))
    report(runs=runs)


def measure_gauss_newton(folder: Path, seeds: int) -> None:
    """Record the errors of fits of five numbers by Gauss-Newton."""
    photo = photo_of(folder, "numbers", **cases.TRUTH)
    GaussNewton(scene_of(**cases.START), photo, 99).step()
    runs = []
    for seed in range(1, seeds + 1):
        fit = GaussNewton(scene_of(**cases.START), photo, seed)
        error = lambda fit=fit: float(np.abs(fit.x - TRUTH).max())  # noqa: E731
        runs.append(record(fit, error, 20))
    report(runs=runs)


def measure_texture(folder: Path, seeds: int) -> None:
    """Record the error of a fit of a texture by Adam, of the iterate and of its mean."""
    truth, seen = cases.pattern(), cases.seen_texels()
    photo = photo_of(folder, "texture", base_color=truth, **GLOSS)
    grey = np.full_like(truth, 0.5)
    fit = Adam(scene_of(base_color=grey, **GLOSS), [TEXTURE], photo, 1, TEXTURE_SAMPLES)
    fit.step()  # compiles the kernels
    fit = Adam(scene_of(base_color=grey, **GLOSS), [TEXTURE], photo, 1, TEXTURE_SAMPLES)
    mean, plain = np.zeros_like(truth), []

    def error() -> float:
        iterate = np.array(fit.optimiser[TEXTURE]).reshape(truth.shape)
        count = len(plain)
        plain.append(float(np.sqrt(((iterate - truth)[seen] ** 2).mean())))
        # Exponential, over about 20 iterations.
        mean[:] += (iterate - mean) * max(0.05, 1 / (count + 1))
        return float(np.sqrt(((mean - truth)[seen] ** 2).mean()))

    averaged = record(fit, error, 100)
    iterates = [(*step[:2], e) for step, e in zip(averaged, plain, strict=True)]
    report(runs=[averaged], iterates=[iterates])


def main() -> None:
    """Measure a case."""
    case, folder, seeds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    measures = {
        "forward": measure_forward,
        "first": measure_first,
        "numbers": measure_adam,
        "gauss-newton": measure_gauss_newton,
        "texture": measure_texture,
    }
    measures[case](folder, seeds)


if __name__ == "__main__":
    main()
