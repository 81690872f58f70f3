# SPDX-License-Identifier: Apache-2.0
"""Integrals of GGX microfacets over outgoing directions, the contents of the BSDF tables.

Every function integrates over the visible normals (Heitz, "Sampling the GGX distribution of
visible normals", JCGT 7(4), 2018): an estimator that is the ratio of two masking terms, between 0
and 1, times a Fresnel factor. A Fibonacci
lattice over half of the disk of normals (the other half is its mirror image) replaces random
numbers.

What each table holds, its resolution and its parametrisation are those of Cycles, whose
Principled BSDF reads them with linear interpolation (blender/cycles, src/app/cycles_precompute.cpp
has the definitions). ``compute_tables`` takes about a minute; the result is kept in
``shaders/weft/bsdf/tables.npy`` and read by :func:`weft.render.bsdf_tables`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = [
    "albedo",
    "compute_tables",
    "fresnel",
    "glass_albedo",
    "ior_of",
    "mean_albedo",
    "mean_glass_albedo",
    "schlick_weight",
    "schlick_weight_of_five",
]

GOLDEN = (1 + 5**0.5) / 2

SINGULAR = 2e-10
"""Product of the two alphas up to which a lobe is a mirror."""


def nodes(size: int, largest: float = 1.0) -> Array:
    """Return the coordinates of a table's entries: evenly spaced, kept off 0 and ``largest``."""
    return np.clip(np.arange(size) / (size - 1), 1e-4, largest)


def ior_of(z: Array) -> Array:
    """Return the index of refraction of a table's third coordinate, F0 = z^4."""
    root = np.sqrt(np.clip(z**4, 0.0, 0.99))
    # In single precision the first entry is exactly 1, an interface that is not there.
    return np.asarray(((1 + root) / (1 - root)).astype(np.float32), np.float64)


def fresnel(cosine: Array, ior: Array | float) -> Array:
    """Return the reflectance of a dielectric for unpolarised light; 1 at total reflection."""
    inside = np.square(ior) - (1 - cosine**2)
    total = inside <= 0
    t = np.sqrt(np.where(total, 1.0, inside))
    s_wave = (cosine - t) / (cosine + t)
    p_wave = (np.square(ior) * cosine - t) / (np.square(ior) * cosine + t)
    return np.where(total, 1.0, 0.5 * (s_wave**2 + p_wave**2))


class _Facets:
    """Visible normals of one view: their weights and cosines, and the masking of a direction."""

    def __init__(self, rough: float, mu: float, points: int) -> None:
        self.alpha2 = rough**4
        self.mu = mu
        self.singular = rough**4 <= SINGULAR
        u = (np.arange(points) + 0.5) / points
        phi = np.pi * (np.arange(points) / GOLDEN % 1.0 - 0.5)
        r = np.sin(np.pi / 2 * u)
        self.weight = np.pi / 2 * np.sin(np.pi * u) / points
        along, across = r * np.sin(phi), r * np.cos(phi)
        view = np.array([rough**2 * np.sqrt(1 - mu**2), mu])
        sine, cosine = view / np.hypot(*view)
        s = 0.5 * (1 + cosine)
        along = (1 - s) * np.sqrt(1 - across**2) + s * along
        up = np.sqrt(np.maximum(0, 1 - across**2 - along**2))
        normal = np.stack(
            [
                rough**2 * (-cosine * along + sine * up),
                rough**2 * across,
                np.maximum(0, sine * along + cosine * up),
            ]
        )
        self.normal = normal / np.linalg.norm(normal, axis=0)
        self.view = np.array([np.sqrt(1 - mu**2), 0.0, mu])
        self.cosine = self.view @ self.normal

    def masking(self, cosine: Array) -> Array:
        """Return G2 / G1 of an outgoing direction of this cosine, that of Smith, correlated."""
        if self.singular:
            return np.ones_like(cosine)
        own = self._lambda(np.asarray(self.mu))
        return np.asarray((1 + own) / (1 + own + self._lambda(cosine)))

    def reflected(self) -> Array:
        """Return the cosine of each reflected direction; not above 0 below the horizon."""
        if self.singular:
            return np.full_like(self.cosine, self.mu)
        return np.asarray(2 * self.cosine * self.normal[2] - self.mu)

    def _lambda(self, cosine: Array) -> Array:
        tangent2 = np.maximum(1 / np.maximum(cosine**2, 1e-30) - 1, 0)
        return np.asarray(0.5 * (np.sqrt(1 + self.alpha2 * tangent2) - 1))


def albedo(rough: float, mu: float, points: int = 40000) -> float:
    """Return how much of the light from one direction a white mirror of GGX facets reflects once.

    Args:
        rough: Square root of alpha, 0 to 1.
        mu: Cosine of the direction, above 0 to 1.
        points: Of the quadrature; an error of 1e-5 with the default.
    """
    facets = _Facets(rough, mu, points)
    out = facets.reflected()
    return float(np.sum(facets.weight * np.where(out > 0, facets.masking(out), 0)))


def schlick_weight(rough: float, mu: float, iors: Array, points: int = 40000) -> Array:
    """Return the mean position of the real Fresnel between F0 and 1, for each index in ``iors``."""
    facets = _Facets(rough, mu, points)
    cosine = np.full_like(facets.cosine, mu) if facets.singular else facets.cosine
    above = facets.weight * (facets.reflected() > 0)
    f0 = ((iors - 1) / (iors + 1)) ** 2
    return np.array(
        [
            np.sum(above * np.clip((fresnel(cosine, ior) - f) / (1 - f), 0, 1))
            for ior, f in zip(iors, f0, strict=True)
        ]
    )


def schlick_weight_of_five(rough: float, mu: float, points: int = 40000) -> float:
    """Return the mean of (1 - cosine)^5 over the facets that reflect upwards.

    Cycles reads its table between two of its exponents, 40/7 and 35/8; so does this.
    """
    facets = _Facets(rough, mu, points)
    cosine = np.full_like(facets.cosine, mu) if facets.singular else facets.cosine
    above = facets.weight * (facets.reflected() > 0)
    z = np.array([7 / 15, 8 / 15])
    return float(np.mean([np.sum(above * (1 - cosine) ** (5 * (1 - e) / e)) for e in z]))


def glass_albedo(rough: float, mu: float, iors: Array, points: int = 20000) -> Array:
    """Return how much a clear dielectric of GGX facets reflects and refracts, for each index."""
    facets = _Facets(rough, mu, points)
    if facets.singular:
        return np.ones(len(iors))
    cosine, normal = facets.cosine, facets.normal[2]
    up = facets.reflected()
    mirrored = np.where(up > 0, facets.masking(up), 0)
    results = []
    for ior in iors:
        reflectance = fresnel(cosine, ior)
        inner = np.sqrt(np.maximum(0, 1 - (1 - cosine**2) / ior**2))
        # A refracted direction that stays above the surface counts, as it does in Cycles' tables.
        down = (cosine / ior - inner) * normal - mu / ior
        passed = facets.masking(down)
        if abs(ior - 1) < 1e-4:
            passed = np.ones_like(passed)
        both = reflectance * mirrored + (1 - reflectance) * passed
        results.append(np.sum(facets.weight * both))
    return np.array(results)


def _cosines(count: int) -> tuple[Array, Array]:
    """Return nodes in (0, 1) and the weights of an integral of 2 mu f(mu)."""
    x, weight = np.polynomial.legendre.leggauss(count)
    mu = ((x + 1) / 2) ** 2
    return mu, 2 * mu * weight / 2 * (x + 1)


def mean_albedo(rough: float, points: int = 40000) -> float:
    """Return ``albedo`` averaged over directions, weighted by their cosine."""
    mu, weight = _cosines(48)
    return float(sum(w * albedo(rough, m, points) for m, w in zip(mu, weight, strict=True)))


def mean_glass_albedo(rough: float, iors: Array, points: int = 20000) -> Array:
    """Return ``glass_albedo`` averaged over directions, weighted by their cosine."""
    mu, weight = _cosines(32)
    rows = [w * glass_albedo(rough, m, iors, points) for m, w in zip(mu, weight, strict=True)]
    return np.asarray(np.sum(rows, axis=0))


def compute_tables() -> dict[str, NDArray[np.float32]]:
    """Return all tables of this module, each with the first coordinate (roughness) innermost."""
    fine, coarse = nodes(32), nodes(16)
    iors = ior_of(nodes(16, 0.99))
    tables: dict[str, Array] = {
        "albedo": _table(albedo, fine),
        "mean_albedo": np.array([mean_albedo(r) for r in fine]),
        "schlick": np.moveaxis(_table(schlick_weight, coarse, iors), -1, 0),
        "schlick_of_five": _table(schlick_weight_of_five, coarse),
    }
    for name, values in (("glass", iors), ("glass_inside", 1 / iors)):
        tables[name] = np.moveaxis(_table(glass_albedo, coarse, values), -1, 0)
        tables[name + "_mean"] = np.transpose([mean_glass_albedo(r, values) for r in coarse])
    return {name: np.clip(table, 0, 1).astype(np.float32) for name, table in tables.items()}


def _table(function: Callable[..., float | Array], entries: Array, *more: Array) -> Array:
    """Return a function of roughness and cosine at the entries of both coordinates."""
    return np.array([[function(r, m, *more) for r in entries] for m in entries])
