# SPDX-License-Identifier: Apache-2.0
"""Numbers by which kernels and the host share memory: words of records, rows of paths, bits.

Printed from the reflection of shaders/weft/render by packaging/dev/layouts.py, which a test
compares. Do not edit; change the Slang. Their meaning stands there, beside each.
"""

from __future__ import annotations

from typing import Final


class LightKind:
    """Kinds of light, and bits of what a scene has of them."""

    environment: Final = 0
    point: Final = 1
    spot: Final = 2
    sun: Final = 3
    area: Final = 4
    triangle: Final = 5
    profiled: Final = 6


class LightWord:
    """Words of a light's record."""

    kind: Final = 0
    probability: Final = 1
    color: Final = 2
    position: Final = 5
    trail: Final = 19
    profile: Final = 20
    rules: Final = 21
    end: Final = 22


class PointWord:
    """Words of the record of a point light or a spot."""

    radius: Final = 8
    axis: Final = 9
    cosine: Final = 12
    edge: Final = 13
    faces_disc: Final = 14


class SunWord:
    """Words of the record of a sun."""

    gap: Final = 8


class AreaWord:
    """Words of the record of an area light."""

    area: Final = 8
    half_x: Final = 9
    half_y: Final = 12
    is_ellipse: Final = 15
    both_sides: Final = 16
    spread: Final = 17
    spread_factor: Final = 18


class TriangleWord:
    """Words of the record of an emissive triangle."""

    instance: Final = 8
    triangle: Final = 9
    both_sides: Final = 10
    varies: Final = 11


class LightRule:
    """Bits beside those of the kinds of ray that a light is hidden from."""

    shadowless: Final = 256


class ProfileWord:
    """Words of a light's profile."""

    width: Final = 0
    height: Final = 1
    distance_power: Final = 2
    smooth: Final = 3
    texels: Final = 4


class LightNodeWord:
    """Words of a node of the light tree."""

    low: Final = 0
    cosine: Final = 3
    high: Final = 4
    emission: Final = 7
    axis: Final = 8
    power: Final = 11
    child: Final = 12
    sine: Final = 13
    end: Final = 16


class RayKind:
    """Bits of the kinds of ray."""

    camera: Final = 1
    shadow: Final = 2
    diffuse: Final = 4
    glossy: Final = 8
    transmission: Final = 16
    reflection: Final = 32
    singular: Final = 64
    volume: Final = 128


class InstanceWord:
    """Words of an instance's record."""

    first_triangle: Final = 0
    first_slot: Final = 1
    first_light: Final = 2
    object: Final = 3
    end: Final = 4


class MaterialWord:
    """Words of a material's record."""

    program: Final = 0
    first_parameter: Final = 1
    end: Final = 2


class PathRow:
    """Rows of the state of a path."""

    throughput: Final = 0
    radiance: Final = 3
    pending: Final = 6
    pdf: Final = 9
    record: Final = 10
    kind: Final = 11
    least: Final = 12
    most: Final = 13
    counts: Final = 14
    shadow: Final = 15
    emitter: Final = 18
    cone: Final = 22
    normal: Final = 24
    pixel: Final = 27
    begin: Final = 29
    light_kind: Final = 30
    media: Final = 32
    light_media: Final = 36
    walk_alpha: Final = 40
    walk_sigma: Final = 43
    walk_turn: Final = 46
    walk_steps: Final = 47
    walk_instance: Final = 52
    walk_record: Final = 53
    walk_normal: Final = 54
    walk_guide: Final = 57
    light_ways: Final = 58
    end: Final = 62


class RayRow:
    """Rows of a batch of rays."""

    origin: Final = 0
    near: Final = 3
    direction: Final = 4
    far: Final = 7
    end: Final = 8


class HitRow:
    """Rows of a batch of hits."""

    t: Final = 0
    u: Final = 1
    v: Final = 2
    primitive: Final = 3
    instance: Final = 4
    end: Final = 5


class RecordRow:
    """Rows of records."""

    path: Final = 0
    next: Final = 1
    hit: Final = 2
    viewer: Final = 6
    light: Final = 9
    light_factor: Final = 12
    emission_weight: Final = 15
    bounce: Final = 16
    bounce_factor: Final = 19
    after: Final = 20
    throughput: Final = 23
    value: Final = 26
    footprint: Final = 29
    gain: Final = 30
    material: Final = 33
    pixel: Final = 34
    kind: Final = 35
    dulled: Final = 39
    walk: Final = 40
    derivative: Final = 42
    light_ways: Final = 42
    light_value: Final = 46
    derivative_behind: Final = 49


class HeadRow:
    """Rows of what begins a path."""

    after: Final = 0
    throughput: Final = 3
    next: Final = 6
    end: Final = 7


class LayerRow:
    """Rows of a pixel's layers."""

    albedo: Final = 0
    normal: Final = 3
    depth: Final = 6
    uv: Final = 7
    object: Final = 9
    material: Final = 10
    end: Final = 11


class MediaLimit:
    """How many media there may be."""

    depth: Final = 4
    unknown: Final = 4


class MediumWord:
    """Words of the coefficients of a medium."""

    absorption: Final = 0
    scattering: Final = 3
    emission: Final = 6
    anisotropy: Final = 9
    end: Final = 10


class FittedMedium:
    """Bits of a material whose medium is fitted."""

    slot: Final = 7
    scatters: Final = 8


class TextureWord:
    """Words of a texture's record."""

    first: Final = 0
    width: Final = 1
    height: Final = 2
    channels: Final = 3
    wrap: Final = 4
    filter: Final = 5
    levels: Final = 6
    above: Final = 7
    end: Final = 8


class TextureWrap:
    """How a texture goes on beyond its image."""

    repeat: Final = 0
    extend: Final = 1
    clip: Final = 2
    mirror: Final = 3


class TextureFilter:
    """How a texture is looked up."""

    linear: Final = 0
    closest: Final = 1
    mipmap: Final = 2


class CameraKind:
    """Kinds of camera."""

    perspective: Final = 0
    orthographic: Final = 1
    equirectangular: Final = 2


class FilterKind:
    """Kinds of pixel filter."""

    box: Final = 0
    tent: Final = 1
    blackman_harris: Final = 2


class Stop:
    """What facets do not do once a path has been diffuse."""

    reflection: Final = 1
    refraction: Final = 2


class Background:
    """What cameras see behind all surfaces."""

    environment: Final = 0
    black: Final = 1
    mask: Final = 2
