# SPDX-License-Identifier: Apache-2.0
"""Materials and pairs of directions at which the BSDFs are held against Cycles.

Drawn from seeded random numbers, so that the files in ``tests/golden`` hold results only. Nothing
here needs Weft or Blender: ``tests/golden/cycles_bsdf.py`` runs it inside Blender's Python.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

DEFAULTS = {
    "baseColor": (0.8, 0.8, 0.8),
    "metallic": 0.0,
    "roughness": 0.5,
    "ior": 1.5,
    "alpha": 1.0,
    "diffuseRoughness": 0.0,
    "specularLevel": 0.5,
    "specularTint": (1.0, 1.0, 1.0),
    "anisotropic": 0.0,
    "anisotropicRotation": 0.0,
    "transmissionWeight": 0.0,
    "coatWeight": 0.0,
    "coatRoughness": 0.03,
    "coatIor": 1.5,
    "coatTint": (1.0, 1.0, 1.0),
    "coatNormal": (0.0, 0.0, 1.0),
    "sheenWeight": 0.0,
    "sheenRoughness": 0.5,
    "sheenTint": (1.0, 1.0, 1.0),
    "thinFilmThickness": 0.0,
    "thinFilmIor": 1.33,
    "color": (0.8, 0.8, 0.8),
    "edgeTint": (1.0, 1.0, 1.0),
    "anisotropy": 0.0,
    "rotation": 0.0,
}
"""Of the nodes; for their number of components."""

SUNS = (0.3, 1.0, 1.7, 2.6)
"""Angles between the camera's direction and the sun's, radians; a render has one."""

PER_SUN = 64

BASE = {
    "baseColor": (0.0, 1.0),
    "metallic": (0.0, 1.0),
    "roughness": (0.1, 1.0),
    "ior": (1.0, 2.5),
    "specularLevel": (0.0, 1.0),
    "specularTint": (0.0, 1.0),
}
ANISOTROPIC = {"anisotropic": (0.0, 1.0), "anisotropicRotation": (0.0, 1.0)}
COAT = {
    "coatWeight": (0.0, 1.0),
    "coatRoughness": (0.1, 1.0),
    "coatIor": (1.0, 2.5),
    "coatTint": (0.1, 1.0),
}
SHEEN = {"sheenWeight": (0.0, 1.0), "sheenRoughness": (0.05, 1.0), "sheenTint": (0.0, 1.0)}
FILM = {"thinFilmThickness": (0.0, 1500.0), "thinFilmIor": (1.0, 2.0)}
GLASS = {"transmissionWeight": (0.2, 1.0)}


@dataclass(frozen=True)
class CaseSet:
    """One lobe's cases: the inputs that vary, each with its range, and what the faces are like.

    ``below``: the sun may stand on the other side of the surface. ``inside``: half the faces show
    their back. ``multiscatter``: the node's distribution, unless ``distribution`` names another.
    ``node``: Blender's node.
    """

    varied: dict[str, tuple[float, float]]
    below: bool = False
    inside: bool = False
    coat_normals: bool = False
    multiscatter: bool = True
    node: str = "Principled"
    distribution: str = ""


GLOSSY = {
    "color": (0.0, 1.0),
    "roughness": (0.1, 1.0),
    "anisotropy": (-0.9, 0.9),
    "rotation": (0.0, 1.0),
}
METALLIC = {
    "color": (0.0, 1.0),
    "edgeTint": (0.0, 1.0),
    "roughness": (0.1, 1.0),
    "anisotropy": (0.0, 1.0),
    "rotation": (0.0, 1.0),
}
CLEAR = {"color": (0.0, 1.0), "roughness": (0.1, 1.0), "ior": (0.6, 2.2)}

SETS = {
    "base": CaseSet(BASE),
    "single": CaseSet(BASE, multiscatter=False),
    "diffuse": CaseSet({"baseColor": (0.0, 1.0), "diffuseRoughness": (0.0, 1.0)}),
    "anisotropic": CaseSet(BASE | ANISOTROPIC),
    "coat": CaseSet(BASE | COAT),
    "coat_normal": CaseSet(BASE | COAT, coat_normals=True),
    "sheen": CaseSet(BASE | SHEEN),
    "film": CaseSet(BASE | FILM),
    "glass": CaseSet(BASE | GLASS | {"ior": (0.6, 2.2)}, below=True, inside=True),
    "node_diffuse": CaseSet({"color": (0.0, 1.0), "roughness": (0.0, 1.0)}, node="Diffuse"),
    "node_glossy": CaseSet(
        {
            "color": (0.0, 1.0),
            "roughness": (0.1, 1.0),
            "anisotropy": (-0.9, 0.9),
            "rotation": (0.0, 1.0),
        },
        node="Glossy",
    ),
    "node_metallic": CaseSet(
        {
            "color": (0.0, 1.0),
            "edgeTint": (0.0, 1.0),
            "roughness": (0.1, 1.0),
            "anisotropy": (0.0, 1.0),
            "rotation": (0.0, 1.0),
        },
        node="Metallic",
    ),
    "node_glass": CaseSet(
        {"color": (0.0, 1.0), "roughness": (0.1, 1.0), "ior": (0.6, 2.2)},
        below=True,
        inside=True,
        node="Glass",
    ),
    "node_refraction": CaseSet(
        {"color": (0.0, 1.0), "roughness": (0.1, 1.0), "ior": (0.6, 2.2)},
        below=True,
        inside=True,
        node="Refraction",
    ),
    "node_sheen": CaseSet({"color": (0.0, 1.0), "roughness": (0.05, 1.0)}, node="Sheen"),
    "node_translucent": CaseSet({"color": (0.0, 1.0)}, below=True, node="Translucent"),
    "all": CaseSet(
        BASE | ANISOTROPIC | COAT | SHEEN | FILM | GLASS | {"diffuseRoughness": (0.0, 1.0)},
        below=True,
        inside=True,
    ),
    "node_glossy_ggx": CaseSet(
        {
            "color": (0.0, 1.0),
            "roughness": (0.1, 1.0),
            "anisotropy": (-0.9, 0.9),
            "rotation": (0.0, 1.0),
        },
        multiscatter=False,
        node="Glossy",
    ),
    "node_metallic_ggx": CaseSet(
        {
            "color": (0.0, 1.0),
            "edgeTint": (0.0, 1.0),
            "roughness": (0.1, 1.0),
            "anisotropy": (0.0, 1.0),
            "rotation": (0.0, 1.0),
        },
        multiscatter=False,
        node="Metallic",
    ),
    "node_glass_ggx": CaseSet(
        {"color": (0.0, 1.0), "roughness": (0.1, 1.0), "ior": (0.6, 2.2)},
        below=True,
        inside=True,
        multiscatter=False,
        node="Glass",
    ),
    "all_ggx": CaseSet(
        BASE | ANISOTROPIC | COAT | SHEEN | GLASS | {"diffuseRoughness": (0.0, 1.0)},
        below=True,
        inside=True,
        multiscatter=False,
    ),
    "node_velvet": CaseSet({"color": (0.0, 1.0), "roughness": (0.05, 1.0)}, node="Velvet"),
    "node_glossy_beckmann": CaseSet(GLOSSY, node="Glossy", distribution="BECKMANN"),
    "node_glossy_shirley": CaseSet(GLOSSY, node="Glossy", distribution="ASHIKHMIN_SHIRLEY"),
    "node_metallic_beckmann": CaseSet(METALLIC, node="Metallic", distribution="BECKMANN"),
    "node_glass_beckmann": CaseSet(
        CLEAR, below=True, inside=True, node="Glass", distribution="BECKMANN"
    ),
    "node_refraction_beckmann": CaseSet(
        CLEAR, below=True, inside=True, node="Refraction", distribution="BECKMANN"
    ),
}


_FIRST = (
    "all",
    "anisotropic",
    "base",
    "coat",
    "coat_normal",
    "diffuse",
    "film",
    "glass",
    "sheen",
    "single",
)
SEEDS = [*_FIRST, *(name for name in SETS if name not in _FIRST)]
"""A new set goes to the end of SETS, so that those measured before stay."""


@dataclass(frozen=True)
class Cases:
    """Materials, one a row, and their directions.

    ``frames`` has the local axes x, y, z as rows, in the world whose camera looks along -z;
    ``suns`` the world's unit vectors towards the sun.
    """

    inputs: dict[str, np.ndarray]
    frames: np.ndarray
    suns: np.ndarray
    backfacing: np.ndarray

    @property
    def wi(self) -> np.ndarray:
        """Local directions to the camera."""
        return self.frames[:, :, 2]

    @property
    def wo(self) -> np.ndarray:
        """Local directions to the sun."""
        return np.einsum("nij,nj->ni", self.frames, self.suns)


def draw(name: str) -> Cases:
    """Draw the cases of a set: PER_SUN for each of SUNS, in this order."""
    case_set = SETS[name]
    random = np.random.default_rng(SEEDS.index(name) + 100)
    count = PER_SUN * len(SUNS)
    inputs = {}
    for field, (low, high) in case_set.varied.items():
        shape = (count, *np.shape(DEFAULTS[field]))
        inputs[field] = random.uniform(low, high, shape).astype(np.float32)
    suns = np.repeat([(np.sin(a), 0.0, np.cos(a)) for a in SUNS], PER_SUN, axis=0)
    frames = np.stack([_frame(random, sun, case_set.below) for sun in suns])
    if case_set.coat_normals:
        tilt = random.normal(0.0, 0.25, (count, 2))
        normal = np.concatenate([tilt, np.ones((count, 1))], axis=1)
        inputs["coatNormal"] = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    backfacing = random.random(count) < (0.5 if case_set.inside else 0.0)
    return Cases(inputs, frames, suns, backfacing)


FURNACE_VIEW = (0.8, 0.0, 0.6)


def furnace_inputs() -> dict[str, np.ndarray]:
    """Return the materials of the white furnace: roughness x metallic x coat x sheen, one a row."""
    axes = ((0.05, 0.1, 0.3, 0.6, 0.9), (0.0, 0.5, 1.0), (0.0, 1.0), (0.0, 1.0))
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 4).astype(np.float32)
    names = ("roughness", "metallic", "coatWeight", "sheenWeight")
    return dict(zip(names, np.ascontiguousarray(grid.T), strict=True))


def _frame(random: np.random.Generator, sun: np.ndarray, below: bool) -> np.ndarray:
    """Return random local axes that the camera sees from above, and the sun unless ``below``."""
    while True:
        normal = random.normal(size=3)
        normal /= np.linalg.norm(normal)
        if normal[2] > 0.05 and (below or normal @ sun > 0.02):
            break
    tangent = np.cross(random.normal(size=3), normal)
    tangent /= np.linalg.norm(tangent)
    return np.stack([tangent, np.cross(normal, tangent), normal])
