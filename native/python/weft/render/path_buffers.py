# SPDX-License-Identifier: Apache-2.0
"""Memory for the paths under way, and cameras as the stages take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Tensor

if TYPE_CHECKING:
    from weft._native import Device, Tracer
    from weft.scene import Camera
    from weft.scene.kernel_text import SceneTraits

STATE_ROWS, LIMITED_STATE_ROWS, LONG_STATE_ROWS, KIND_STATE_ROWS = 11, 14, 29, 32
MEDIA_STATE_ROWS, WALK_STATE_ROWS, FITTED_MEDIA_STATE_ROWS = 40, 58, 62


def path_rows(traits: SceneTraits) -> int:
    """Return how many rows of PathRow of path.slang the paths of a scene have."""
    if traits.fits_media:
        return FITTED_MEDIA_STATE_ROWS
    if traits.has_walks:
        return WALK_STATE_ROWS
    if traits.has_media:
        return MEDIA_STATE_ROWS
    if traits.has_kinds:
        return KIND_STATE_ROWS
    if traits.has_long_paths:
        return LONG_STATE_ROWS
    return LIMITED_STATE_ROWS if traits.has_limits else STATE_ROWS


RAY_ROWS, HIT_ROWS = 8, 5
"""As native/render/tracer.hpp has them."""


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
        self.keys = tracer.create_hits((capacity + 4) // 5)
        self.transparent_bounces = 0  # of the paths under way
        self.queue = tracer.create_hits((capacity + 4) // 5)
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
