# SPDX-License-Identifier: Apache-2.0
"""Primitives of ``weft.noise`` for references: numbers of the engine's, at places in float32."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import weft

Array = np.ndarray[Any, Any]

TEXT = """
import weft.noise;
float white1(float p) { return whiteNoise(p); }
float white2(float2 p) { return whiteNoise(p); }
float white3(float3 p) { return whiteNoise(p); }
float3 whiteColor1(float p) { return whiteNoiseColor(p); }
float3 whiteColor2(float2 p) { return whiteNoiseColor(p); }
float3 whiteColor3(float3 p) { return whiteNoiseColor(p); }
float perlin1(float p, float4 s) { return perlinNoise(p, s.x, s.y, s.z, s.w); }
float perlin2(float2 p, float4 s) { return perlinNoise(p, s.x, s.y, s.z, s.w); }
float perlin3(float3 p, float4 s) { return perlinNoise(p, s.x, s.y, s.z, s.w); }
float perlin4(float4 p, float4 s) { return perlinNoise(p, s.x, s.y, s.z, s.w); }
float3 perlinColor1(float p, float4 s) { return perlinNoiseColor(p, s.x, s.y, s.z, s.w); }
float3 perlinColor2(float2 p, float4 s) { return perlinNoiseColor(p, s.x, s.y, s.z, s.w); }
float3 perlinColor3(float3 p, float4 s) { return perlinNoiseColor(p, s.x, s.y, s.z, s.w); }
float3 perlinColor4(float4 p, float4 s) { return perlinNoiseColor(p, s.x, s.y, s.z, s.w); }
struct Cell { float distance; float3 color; float3 position; float second; float edge; };
Cell cell2(float2 p, float randomness)
{
    VoronoiCell<2> a = voronoi(p, randomness);
    return { a.distance, a.color, float3(a.position, 0), voronoiSecond(p, randomness).distance,
             voronoiEdge(p, randomness) };
}
Cell cell3(float3 p, float randomness)
{
    VoronoiCell<3> a = voronoi(p, randomness);
    return { a.distance, a.color, a.position, voronoiSecond(p, randomness).distance,
             voronoiEdge(p, randomness) };
}
"""


@functools.cache
def _graph(name: str) -> weft.Lowered:
    return weft.lower(None, name, text=TEXT, to="dag", blender=(5, 2))


def _at(name: str, p: Array) -> tuple[str, Array, tuple[int, ...]]:
    """Return the function of so many dimensions, its places (N, k), and the shape of the rest."""
    p = np.asarray(p)
    dimensions = 1 if p.ndim <= 1 else p.shape[-1]
    rest = p.shape[:-1] if p.ndim > 1 else p.shape
    flat = p.reshape(-1) if dimensions == 1 else p.reshape(-1, dimensions)
    return f"{name}{dimensions}", flat.astype(np.float32), rest


def _values(name: str, p: Array, shape: tuple[Array | float, ...] = ()) -> Array:
    function, places, rest = _at(name, p)
    given = {"p": places}
    if shape:
        columns = [np.broadcast_to(np.asarray(k, np.float32), rest).reshape(-1) for k in shape]
        given["s"] = np.stack(columns, axis=-1)
    found = _graph(function).evaluate(given)["Result"]
    return found.reshape(*rest, *found.shape[1:]).astype(np.float64)


def white_noise(p: Array) -> Array:
    """Return hashes from 0 to 1 of numbers, (N,), or of vectors, (..., 2) or (..., 3)."""
    return _values("white", p)


def white_noise_color(p: Array) -> Array:
    """Return three hashes each, (..., 3)."""
    return _values("whiteColor", p)


def perlin_noise(p: Array, *shape: Array | float) -> Array:
    """Return gradient noise, from 0 to 1, of numbers (N,) or vectors (..., 2 to 4).

    Args:
        p: Places.
        shape: Detail, roughness, lacunarity, distortion: of all, or of each; one octave without.
    """
    return _values("perlin", p, (*shape, *(0.0, 0.5, 2.0, 0.0)[len(shape) :]))


def perlin_noise_color(p: Array, *shape: Array | float) -> Array:
    """Return three numbers of gradient noise each, (..., 3)."""
    return _values("perlinColor", p, (*shape, *(0.0, 0.5, 2.0, 0.0)[len(shape) :]))


def voronoi(p: Array, randomness: Array | float = 1) -> dict[str, Array]:
    """Return distance, color and position of the nearest cell, second distance and edge.

    Args:
        p: Places, (N, 2) or (N, 3).
        randomness: Of all, or (N,).
    """
    function, places, _ = _at("cell", p)
    amount = np.broadcast_to(np.asarray(randomness, np.float32), len(places))
    found = _graph(function).evaluate({"p": places, "randomness": amount})
    cell = {name.removeprefix("Result."): array.astype(np.float64) for name, array in found.items()}
    cell["position"] = cell["position"][:, : places.shape[1]]
    return cell
