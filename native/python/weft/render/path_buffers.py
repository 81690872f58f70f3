# SPDX-License-Identifier: Apache-2.0
"""Memory for the paths under way, and cameras as the stages take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Tensor
from weft.layouts import HitRow, PathRow

if TYPE_CHECKING:
    from weft._native import Device, Tracer
    from weft.scene import Camera
    from weft.scene.kernel_text import SceneTraits

STATE_ROWS, LONG_STATE_ROWS = PathRow.kind, PathRow.begin
GROUP = 256  # threads


def path_rows(traits: SceneTraits) -> int:
    """Return how many rows of path_rows.slang the paths of a scene have.

    That is the first row that only scenes with more than this one need.
    """
    if traits.fits_media:
        return PathRow.end
    if traits.has_walks:
        return PathRow.light_ways
    if traits.has_media:
        return PathRow.walk_alpha
    if traits.has_kinds:
        return PathRow.media
    if traits.has_long_paths:
        return LONG_STATE_ROWS
    return PathRow.counts if traits.has_limits else STATE_ROWS


def rows_of_hits(words: int) -> int:
    """Return how many hits have room for so many words."""
    return -(-words // HitRow.end)


RAY_ROWS, HIT_ROWS = 8, 5
"""As native/render/tracer.hpp has them."""


def whole_groups(count: int) -> int:
    """Return room for at least so many paths or records: whole groups of threads."""
    return (count + GROUP - 1) // GROUP * GROUP


def record_room(wanted: int) -> int:
    """Return the records that memory for at least so many gets: a quarter more, for later ones."""
    return whole_groups(wanted * 5 // 4)


def path_buffer_bytes(capacity: int, traits: SceneTraits) -> int:
    """Return what PathBuffers of so many paths take, those of walks (walks.py) included."""
    rows = path_rows(traits)
    rows += 2 * RAY_ROWS + (3 if rows >= LONG_STATE_ROWS else 2) * HIT_ROWS
    queues = 2
    if traits.has_walks:
        rows += RAY_ROWS + HIT_ROWS
        queues += 4
    return 4 * (rows * capacity + queues * HIT_ROWS * ((capacity + 4) // 5))


class PathBuffers:
    """Memory for a batch of paths, see shaders/weft/render/path.slang."""

    def __init__(
        self, device: Device, tracer: Tracer, capacity: int, rows: int = STATE_ROWS
    ) -> None:
        """Allocate `capacity` paths, with more rows where the scene needs them."""
        self.capacity = capacity
        self.kept: dict[str, Any] = {}  # what only some scenes need
        self.rays = tracer.create_rays(capacity)
        self.hits = tracer.create_hits(capacity)
        self.light_rays = tracer.create_rays(capacity)
        self.light_visible = tracer.create_hits(capacity)
        self.state = Tensor.zeros(device, (rows, capacity))
        is_long = rows >= LONG_STATE_ROWS
        self.light_hits = tracer.create_hits(capacity) if is_long else self.light_visible
        self.keys = tracer.create_hits(rows_of_hits(capacity))
        self.transparent_bounces = 0  # of the paths under way
        self.queue = tracer.create_hits(rows_of_hits(capacity))
        self.view = {
            "state": self.state,
            "rays": self.rays,
            "hits": self.hits,
            "lightRays": self.light_rays,
            "lightVisible": self.light_visible,
            "lightHits": self.light_hits,
            "startMedia": self.queue,
            "pixels": self.queue,
            "keys": self.keys,
            "queue": self.queue,
            "firstOfQueue": 0,
            "key": 0,
            "capacity": capacity,
        }


def camera_view(camera: Camera, filter_width: float) -> dict[str, Any]:
    """Return a camera as shaders/weft/render/camera.slang takes it."""
    low, high = camera.film()
    assert camera.transform is not None
    return {
        "width": camera.width,
        "height": camera.height,
        "low": tuple(map(float, low)),
        "high": tuple(map(float, high)),
        "near": camera.near,
        "far": min(camera.far, 1e30),
        "aperture": camera.aperture if camera.kind == "perspective" else 0.0,
        "focus": camera.focus,
        "filterWidth": filter_width,
        "rows": camera.transform.astype(np.float32).tolist(),
    }
