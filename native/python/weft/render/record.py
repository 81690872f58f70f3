# SPDX-License-Identifier: Apache-2.0
"""Paths kept for a fit: drawn once, replayed without tracing (shaders/weft/render/record.slang)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, Tensor, grid
from weft.layouts import HeadRow
from weft.render.path_records import MEDIA, PathRecords

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Recorder(PathRecords):
    """Draws paths of one camera and replays them; see PathRecords for what it is made of."""

    def replay(
        self, values: Tensor, texels: Tensor | None = None, *, with_tangents: bool = False
    ) -> None:
        """Evaluate all records for parameters.

        Args:
            values: All parameters of the scene.
            texels: Of all textures; ``None``: those of the scene.
            with_tangents: Derivatives along the directions as well.
        """
        tangents = self.directions.seeds if with_tangents else None
        scene = self._scene(values, tangents=tangents, texels=texels)
        if self.media:
            self.media.evaluate(scene)
        if self.media and with_tangents:
            self.media.differentiate(scene)
        for launch in reversed(self.launches):
            self.view["first"] = launch.first
            if self.media and launch.program == MEDIA:
                self.media.replay(launch.count, scene, self.view, with_tangents=with_tangents)
                continue
            lanes, module = grid((launch.count,)), self.modules[launch.program]
            if with_tangents:
                module.programTangents(lanes, scene, self.view, self.directions.view)
            else:
                module.programReplay(lanes, scene, self.view)

    def gradients(
        self,
        values: Tensor,
        pixel_gradients: Tensor,
        gradients: Tensor,
        texels: Tensor | None = None,
        texel_gradients: Tensor | None = None,
    ) -> None:
        """Add to the gradients of parameters and texels. replay() for the same values comes first.

        Args:
            values: All parameters of the scene.
            pixel_gradients: Derivative of the loss with respect to the mean of each pixel's
                samples:
                flat, one block of 3 a pixel for each period of samples.
            gradients: Of the parameters; added to.
            texels: Of all textures; ``None``: those of the scene.
            texel_gradients: Of the texels; added to. ``None``: textures do not change.
        """
        scene = self._scene(
            values, gradients=gradients, texels=texels, texel_gradients=texel_gradients
        )
        weight = 1.0 / min(self.step["samples"], self.step["period"])
        self.shared.seed(
            grid((self.count,)),
            self.buffers.view(),
            self.view,
            self.step,
            pixel_gradients,
            self.pixels,
            weight,
        )
        for launch in self.launches:
            self.view["first"] = launch.first
            kernel = self.modules[launch.program].programGradients
            kernel(grid((launch.count,)), scene, self.view)

    def develop(self, first: int, count: int, *, with_tangents: bool) -> NDArray[np.float32]:
        """Return the mean of samples [first, first + count) of each pixel.

        Returns:
            Shape ``(1 + directions, pixels, 3)``: radiance, then its derivative along each
            direction; replay() with tangents comes first.
        """
        if not 0 <= first < first + count <= self.step["samples"]:
            raise ArgumentError(
                f"Recorder.develop: samples {first} to {first + count} were asked for, "
                f"the draw has {self.step['samples']}"
            )
        blocks = 1 + (self.directions.count if with_tangents else 0)
        film = Tensor.empty(self.renderer.device, (blocks * self.pixels * 3,))
        self.resolve(first, count, film, blocks - 1)
        return film.to_numpy().reshape(blocks, self.pixels, 3)

    def resolve(self, first: int, count: int, film: Tensor, directions: int = 0) -> None:
        """Store what develop() returns on the device, without waiting.

        Args:
            first: Number of the first sample.
            count: Of samples.
            film: Contiguous; takes ``3 * pixels * (1 + directions)`` floats.
            directions: 0, or all of them.
        """
        self.shared.developHalf(
            grid((self.pixels,)),
            self.scene,
            self.buffers.view(),
            self.view,
            self.step,
            first,
            count,
            directions,
            self.directions.view,
            self.pixels,
            film,
        )

    def direct_share(self) -> NDArray[np.float32]:
        """Return the share of each pixel's samples whose first surface was recorded."""
        heads = self.view["heads"][HeadRow.next, : self.count].to_numpy()
        # Without bounces, what lies before a surface was passed straight.
        whole = self.step["bounces"] == 0
        direct = sum(launch.count for launch in self.launches if whole or launch.bounce == 0)
        shown = heads.view(np.uint32) < direct
        share: NDArray[np.float32] = shown.reshape(self.pixels, -1).mean(axis=1, dtype=np.float32)
        return share

    def _scene(
        self,
        values: Tensor,
        tangents: Tensor | None = None,
        gradients: Tensor | None = None,
        texels: Tensor | None = None,
        texel_gradients: Tensor | None = None,
    ) -> dict[str, Any]:
        """Return the scene's tables with other parameters."""
        view = dict(self.scene)
        parameters = {
            "values": values,
            "tangents": values if tangents is None else tangents,
            "gradients": values if gradients is None else gradients,
            "firstTangent": 0,
        }
        view["materials"] = view["materials"] | {"parameters": parameters}
        if texels is not None:
            view["textures"] = view["textures"] | {"texels": texels}
        if texel_gradients is not None:
            view["textures"] = view["textures"] | {"gradients": texel_gradients, "hasGradients": 1}
        return view
