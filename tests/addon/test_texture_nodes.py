# SPDX-License-Identifier: Apache-2.0
"""Textures and coordinates of Blender's nodes: values of Cycles, derivatives by differences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft
from support.node_values import driver_arrays, print_value
from support.texture_cases import CASES

GOLDEN = np.load(Path(__file__).parents[1] / "golden" / "cycles_textures.npz")

OFTEN = {
    "noise 1D fbm Fac",
    "noise 2D ridged_multifractal Fac",
    "noise 3D hybrid_multifractal Fac",
    "noise 3D hetero_terrain Fac",
    "noise 4D multifractal Fac",
    "noise plain Color",
    "voronoi 3D f1 Distance",
    "voronoi 2D smooth_f1 Color",
    "voronoi 2D f1 before 5.0 Position",
    "voronoi 3D distance_to_edge Distance",
    "wave distorted Fac",
    "wave rings spherical Fac",
    "magic 5 Color",
    "brick Color",
}
"""Noise takes seconds to compile; cases that these resemble are for full runs."""

SLOW = ("noise", "voronoi", "wave", "magic", "brick")


def is_rare(title: str) -> bool:
    return title not in OFTEN and (title.startswith(SLOW) or " far " in title or " cw" in title)


def outputs():
    return [
        pytest.param(
            name,
            output,
            marks=[pytest.mark.full] if is_rare(f"{name} {output}") else [],
            id=f"{name} {output}",
        )
        for name, case in CASES.items()
        for output in case.outputs
    ]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("name", "output"), outputs())
def test_values_are_those_of_cycles(device, name, output):
    function = print_value(name, output)
    module = weft.Module.load_from_source(device, f"case {name}", function.text)

    found = module.evaluate(*driver_arrays(function), *function.numbers, _result="numpy")

    expected = GOLDEN[f"{name}.{output}"]
    error = np.abs(found - expected) / np.maximum(1, np.abs(expected))
    assert (error.max(axis=1) >= CASES[name].tolerance).mean() <= CASES[name].outliers, error.max()


DERIVED = {
    "noise 1D fbm": "Fac",
    "noise 2D multifractal": "Fac",
    "noise 2D hybrid_multifractal": "Fac",
    "noise 2D ridged_multifractal": "Fac",
    "noise 2D hetero_terrain": "Fac",
    "noise 3D fbm": "Fac",
    "noise 4D fbm": "Fac",
    "voronoi 3D f1": "Distance",
    "voronoi 2D smooth_f1": "Color",
    "voronoi 2D smooth fractal": "Position",
    "voronoi 3D f1 minkowski": "Distance",
    "voronoi 2D distance_to_edge": "Distance",
    "voronoi 2D n_sphere_radius": "Radius",
    "voronoi 4D f2": "W",
    "wave distorted": "Fac",
    "wave rings z": "Fac",
    "magic 5": "Color",
    "brick": "Fac",
    "checker": "Color",
    "mapping point": "Vector",
    "mapping texture": "Vector",
    "mapping normal": "Vector",
    "ramp linear": "Color",
    "ramp ease": "Alpha",
    "ramp cardinal": "Color",
    "ramp b_spline": "Color",
    "ramp hsv near": "Color",
    "ramp hsl near": "Color",
    "ramp constant": "Color",
}
DERIVED_OFTEN = {
    "noise 3D fbm",
    "noise 2D hybrid_multifractal",
    "mapping texture",
    "ramp ease",
    "voronoi 2D smooth_f1",
    "magic 5",
    "brick",
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n in DERIVED_OFTEN else [pytest.mark.full]) for n in DERIVED],
)
def test_derivatives_of_every_number_are_differences(device, name):
    function = print_value(name, DERIVED[name])
    module = weft.Module.load_from_source(device, f"derivatives of {name}", function.text)
    numbers = [np.full(24, number, np.float32) for number in function.numbers]
    names = [f"p{k}" for k in range(len(numbers))]

    result = weft.check_gradients(
        module.evaluate, *driver_arrays(function, slice(4, 28)), *numbers, wrt=names, samples=6
    )

    assert result.passed, result.differences
