# SPDX-License-Identifier: Apache-2.0
"""Derivatives of materials by every one of their inputs, beside differences of the same paths."""

from __future__ import annotations

import numpy as np

import weft
from support.render_scenes import placed, quad, sphere
from weft.layouts import RecordRow
from weft.render import PathSettings
from weft.render.directions import Directions
from weft.render.record import Recorder
from weft.scene import CLOSURES, Add, Camera, Closure, Environment, Material, Mix, PointLight

NEXT, BOUNCE_FACTOR = RecordRow.next, RecordRow.bounce_factor
VALUE, GAIN, DERIVATIVE = RecordRow.value, RecordRow.gain, RecordRow.derivative
"""Rows of a record, see shaders/weft/render/record.slang."""

RANGES = {
    "ior": (1.15, 2.3),
    "coat_ior": (1.15, 2.3),
    "subsurface_ior": (1.2, 2.0),
    "thin_film_ior": (1.1, 2.2),
    "thin_film_thickness": (120.0, 900.0),
    "emission_strength": (0.5, 2.0),
    "strength": (0.5, 2.0),
    "anisotropy": (0.2, 0.7),
}
"""Where inputs are drawn from; others anywhere but near the ends of [0, 1]."""

INNER = (0.15, 0.85)

WORST = 0.03
"""Share of the records where a kink or a pole may lie within a step."""

PASSING = {"principled": ("alpha",), "transparent": ("color",)}
"""Inputs that make surfaces transparent, which recorders refuse."""

WALKING = {
    "principled": ("subsurface_ior", "subsurface_anisotropy"),
    "subsurface": ("roughness", "ior", "anisotropy"),
}
"""Inputs that say where light goes below a surface, which has no derivative: fits refuse."""

SWITCHES = ("both_sides",)
"""Inputs that are on or off, and have no derivative."""


def drawn(name, size, random):
    """Draw the value of an input."""
    low, high = RANGES.get(name, INNER)
    return random.uniform(low, high, size).tolist()


def whole(kind, random, names=None, **others):
    """Return a closure with a value for every input, so that nothing is switched off.

    Args:
        kind: Of the closure.
        random: A generator.
        names: Of the inputs; None: all.
        others: Inputs that are not drawn.
    """
    left_out = (*PASSING.get(kind, ()), *SWITCHES, *others)
    inputs = dict(others)
    for name, entry in CLOSURES[kind].inputs.items():
        if name not in left_out and (names is None or name in names):
            color = isinstance(entry.default, tuple)
            values = drawn(name, 3 if color else 1, random)
            inputs[name] = values if color else values[0]
    return Closure(kind, **inputs)


def mixture(kinds, random):
    """Return a surface with a closure of each kind, half of them mixed and half added."""
    surface = whole(kinds[0], random)
    for number, kind in enumerate(kinds[1:]):
        closure = whole(kind, random)
        surface = Mix(surface, closure, 0.4) if number % 2 else Add(surface, closure)
    return surface


class Sweep:
    """Paths that meet surfaces of one material, from many directions.

    Args:
        device: Where it runs.
        surface: Of the material.
        with_gradients: For gradients().
        light_paths: Of the scene.
    """

    def __init__(self, device, surface, *, with_gradients=False, light_paths=None):
        camera = Camera(16, 16, transform=Camera.look_at((0, -6, 3), (0, 0, 0.9)))
        material = Material("m", surface)
        scene = weft.Scene(
            [
                placed(sphere(), material, move=(-0.6, 0, 1)),
                placed(quad(8), material, name="floor"),
            ],
            [PointLight((2.0, -3.0, 4.0), power=400.0)],
            [camera],
            Environment(np.random.default_rng(7).uniform(0.2, 1.5, (8, 16, 3))),
            light_paths=light_paths,
        )
        self.renderer = weft.Renderer(device, scene)
        self.table = self.renderer.tables.materials
        self.components = [
            (name.partition(".")[2], component, entry.first + component)
            for name, entry in self.table.ranges.items()
            for component in range(entry.size)
            if not (entry.is_fixed or entry.is_walk or name.endswith(SWITCHES))
        ]
        rows = np.zeros((len(self.components), len(self.table.values)), np.float32)
        rows[np.arange(len(rows)), [place for _, _, place in self.components]] = 1
        directions = Directions(device, self.table, rows)
        self.recorder = Recorder(self.renderer, [0], directions, with_texels=with_gradients)

    def draw(self, seed):
        """Draw paths for values of the parameters that are drawn, too; 0: those of the scene."""
        self.values = self.table.values.copy()
        random = np.random.default_rng(seed)
        if seed:
            for name, _, place in self.components:
                self.values[place] = drawn(name.rpartition(".")[2], 1, random)[0]
        self.renderer.tables.values.copy_from_numpy(self.values)
        settings = PathSettings(samples=4, bounces=3, roulette_from=None, seed=seed)
        self.recorder.draw(self.renderer.scene.cameras[0], settings)
        self.records = sum(launch.count for launch in self.recorder.launches)

    def replay(self, place=None, step=0.0):
        """Return the radiance of each record, shape ``(records, 3)``, with one number moved."""
        values = self.values.copy()
        if place is not None:
            values[place] += np.float32(step)
        self.recorder.replay(weft.Tensor.from_numpy(self.renderer.device, values))
        return self._row(VALUE)

    def tangents(self):
        """Return derivatives in forward mode, shape ``(components, records, 3)``."""
        self.recorder.replay(self.renderer.tables.values, with_tangents=True)
        derivatives = np.stack([self._row(DERIVATIVE + 3 * k) for k in range(len(self.components))])
        gain, behind = self._row(GAIN), self._words()[NEXT].view(np.uint32)
        for launch in reversed(self.recorder.launches):
            own = np.arange(launch.first, launch.first + launch.count)
            own = own[behind[own] != 0xFFFFFFFF]
            derivatives[:, own] += gain[own] * derivatives[:, behind[own]]
        return derivatives

    def delta_records(self):
        """Return which records go on in the only direction that there is."""
        return self._words()[BOUNCE_FACTOR] < 0

    def gradients(self, weights):
        """Return derivatives in reverse mode of a weighted sum of the pixels, one a component."""
        device = self.renderer.device
        found = weft.Tensor.zeros(device, (len(self.values),))
        self.recorder.replay(self.renderer.tables.values)
        pixels = weft.Tensor.from_numpy(device, weights.astype(np.float32).ravel())
        self.recorder.gradients(self.renderer.tables.values, pixels, found)
        return found.to_numpy()[[place for _, _, place in self.components]]

    def _words(self):
        return np.ascontiguousarray(self.recorder.view["rows"].to_numpy()[:, : self.records])

    def _row(self, first):
        return self._words()[first : first + 3].T.astype(np.float64)


class Difference:
    """How one number changes the radiance of the records of a sweep.

    Tables are interpolated, maxima and clamps have kinks: where one lies within the step, one side
    is free of it, or half the step, which is also closer where a narrow lobe is rotated.

    Args:
        sweep: With paths.
        name: Of the number.
        place: Of it.
    """

    def __init__(self, sweep, name, place):
        relative = 5e-4 if "ior" in name or "thin_film" in name else 2e-3
        step = float(np.float32(relative * max(abs(sweep.values[place]), 0.3)))
        at = sweep.replay()
        far, near = ([sweep.replay(place, sign * h) for sign in (1, -1)] for h in (step, step / 2))
        self.middle = (far[0] - far[1]) / (2 * step)
        right = (4 * near[0] - far[0] - 3 * at) / step
        left = (3 * at + far[1] - 4 * near[1]) / step
        inner = (near[0] - near[1]) / step
        self.sides = (self.middle, left, right, inner)
        self.scale = float(np.abs(at).mean())

    def errors(self, tangents):
        """Return how far derivatives are from the closest difference, shape ``(records, 3)``."""
        return np.min([np.abs(tangents - side) for side in self.sides], axis=0)

    def off(self, tangents):
        """Return how far derivatives are off in all but the worst of the records.

        By total reflection, derivatives are steeper than any step.
        """
        errors = np.sort(self.errors(tangents).sum(axis=1))
        return float(errors[: int(len(errors) * (1 - WORST))].sum())

    def share_off(self, tangents):
        """Return the share of records that are off by a per cent."""
        allowed = 0.01 * np.abs(self.middle) + 1e-3 * self.scale
        return float((self.errors(tangents) > allowed).any(axis=1).mean())
