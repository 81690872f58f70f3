# SPDX-License-Identifier: Apache-2.0
"""Targets with what a fit keeps for them: which pixels it draws, and how much these count.

The engine has the views (native/fit/view.hpp), draws them and weighs their pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from weft import _native
from weft._native import box_blur
from weft.render.directions import Directions
from weft.render.first_hits import find_first_hits
from weft.render.path_settings import PathSettings
from weft.render.record import Recorder
from weft.scene.parameter_ref import owner_of
from weft.scene.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from weft.fit.lighting import Lighting
    from weft.fit.target import Target
    from weft.render.renderer import Renderer
    from weft.scene import Camera

CHANNELS = 3
"""Of a pixel. Its residuals follow each other, and share their noise."""


class View:
    """A target with what the fit keeps for it.

    Args:
        native: The same as the engine has it.
        target: The picture.
        camera: That has seen it.
        recorders: Of its paths, one a part of the light.
    """

    def __init__(
        self, native: _native.View, target: Target, camera: Camera, recorders: Sequence[Recorder]
    ) -> None:
        """Keep what the engine does not know."""
        self.native, self.target, self.camera = native, target, camera
        self.recorders = list(recorders)

    @property
    def pixels(self) -> NDArray[np.uint32]:
        """Numbers of the pixels that are drawn, ``y * width + x``, ascending."""
        return self.native.pixels

    @property
    def weights(self) -> NDArray[np.float32]:
        """Of residuals, shape ``(pixels of the picture, 3)``; 0: the pixel does not count."""
        return self.native.weights

    @property
    def trust(self) -> NDArray[np.float32]:
        """What a robust loss leaves of each pixel of the picture; weights have its root."""
        return self.native.trust

    @property
    def size(self) -> int:
        """Pixels of the picture."""
        return self.camera.width * self.camera.height

    def problems(self) -> list[Problem]:
        """Return what did not count of the view."""
        count = self.native.lost_count
        if not count:
            return []
        return [
            Problem(
                f"Target '{self.target.name}'",
                f"the render or its derivatives are no finite numbers in {count} pixels, which do "
                "not count; look for inputs of materials or lights that are no numbers",
                "the other pixels",
            )
        ]


class Views(Sequence[View]):
    """The views of a fit.

    Args:
        native: The same as the engine has them.
        views: One a target.
    """

    def __init__(self, native: _native.Views, views: Sequence[View]) -> None:
        """Keep them."""
        self.native, self._views = native, list(views)

    def __len__(self) -> int:
        """Return their number."""
        return len(self._views)

    @overload
    def __getitem__(self, number: int) -> View: ...

    @overload
    def __getitem__(self, number: slice) -> list[View]: ...

    def __getitem__(self, number: int | slice) -> View | list[View]:
        """Return one of them, or some."""
        return self._views[number]

    def problems(self) -> list[Problem]:
        """Return what did not count of the pictures."""
        return [problem for view in self for problem in view.problems()]


def build_views(
    places: Sequence[Lighting],
    targets: Sequence[Target],
    shares: Sequence[int],
    materials: Sequence[int],
    rows: ArrayLike | None,
    *,
    with_texels: bool = False,
) -> Views:
    """Return one view a target, each on the device of its share.

    Args:
        places: Renderers of the scene, one a device, with the light of all targets.
        targets: Pictures.
        shares: Of each target, the number of its device.
        materials: Numbers of the materials that change.
        rows: Directions of forward mode, one a row; ``None`` for reverse mode only.
        with_texels: Textures change as well.

    Raises:
        ArgumentError: There is no such camera, or it has another size than the picture.
    """
    directions = [
        None
        if rows is None
        else Directions(entry.renderer.device, entry.renderer.tables.materials, rows)
        for entry in places
    ]
    native, views = _native.Views(), []
    for number, (target, share) in enumerate(zip(targets, shares, strict=True)):
        lighting, parts = places[share], places[share].parts[number]
        camera = lighting.renderer.scene.camera(target.camera)
        target.require_size(camera)
        recorders = [
            Recorder(
                lighting.renderer,
                materials,
                directions[share],
                part.tables,
                with_texels=with_texels,
            )
            for part in parts
        ]
        lights = [None if part.light < 0 else part.light for part in parts]
        native.add(
            target.picture(),
            camera,
            PathSettings(filter=target.filter, filter_width=target.filter_width),
            target.noise_weights().reshape(-1, CHANNELS),
            [(entry.native, light) for entry, light in zip(recorders, lights, strict=True)],
            np.asarray(recorders[0].renderer.start_media(camera), np.uint32),
        )
        views.append(View(native[number], target, camera, recorders))
    return Views(native, views)


def materials_of(renderer: Renderer, names: Sequence[str]) -> list[int]:
    """Return the numbers of the materials that parameters belong to."""
    used = {owner_of(name) for name in names}
    materials = renderer.scene.materials()
    return [number for number, material in enumerate(materials) if material.name in used]


def find_shown(
    renderer: Renderer, view: View, materials: Sequence[int], around: int = 2
) -> NDArray[np.bool_]:
    """Return which pixels show materials, or lie within `around` pixels of one that does."""
    shown = np.isin(find_first_hits(renderer, view.camera).materials, materials)
    near: NDArray[np.bool_] = box_blur(shown[..., None].astype(np.float32), around).ravel() > 0
    return near
