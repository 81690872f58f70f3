# SPDX-License-Identifier: Apache-2.0
"""Films of recorded paths for other texels, their loss, and its derivatives by all texels.

What is kept stays on the device: the host sees the loss, its noise, and how much was no number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError, NonFiniteError, Tensor, box_blur, grid
from weft.fit.image_kernels import parts_of, sum_of_parts
from weft.fit.map_group import group_maps
from weft.fit.seeds import mix_seeds
from weft.fit.texel_state import TexelState
from weft.fit.texture_parameters import LightTexture, Region, find_texture
from weft.fit.texture_schedule import has_settled
from weft.fit.tied_maps import TiedMaps
from weft.fit.view_films import ViewFilms
from weft.fit.views import CHANNELS, draw_views
from weft.render.path_settings import PathSettings
from weft.scene.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from weft.fit.map_errors import Uncertainty
    from weft.fit.texture_parameters import TextureParameter
    from weft.fit.views import View
    from weft.render.renderer import Renderer
    from weft.render.upload import SceneTables

MOST_LOST = 0.5  # of the texels that the pictures show
RAISE = 0.05  # of a map, that tells how films answer to it

Adjoints = list[list[Tensor]]
"""Of each view and each part of its light: derivatives by the films of both sample sets."""


class TextureReplay:
    """Replays recorded paths for the textures of a fit.

    The gradient of r_A . r_B, whose expectation is the squared error without its noise: samples of
    one half carry the residual of the other.

    Args:
        renderer: Of the scene.
        views: Of the targets.
        parameters: Textures.
        bounces: Surfaces that a path may leave.
        seed: Equal seeds give equal fits.
    """

    def __init__(
        self,
        renderer: Renderer,
        views: Sequence[View],
        parameters: Sequence[TextureParameter],
        *,
        bounces: int,
        seed: int,
    ) -> None:
        """Find the textures."""
        self.renderer = renderer
        self.views = views
        self.bounces, self.seed = bounces, seed
        self._drawn = 1
        self.state = TexelState(renderer.tables.texels)
        self.regions: list[Region] = []
        for parameter in parameters:
            number, texture = find_texture(renderer, parameter.name)
            first = int(renderer.tables.texture_records[number, 0])
            if any(region.first == first for region in self.regions):
                raise ArgumentError(
                    f"Fit: the texture of {parameter.name!r} is given twice; leave one out"
                )
            self.regions.append(Region(parameter, first, texture.pixels.shape))
        lights = 1 + max(number for view in views for number in view.lights)
        self.factors = np.ones((lights + 1, 3), np.float32)  # of lights; the last is 1
        self.iterations = 0
        self.loss = float("inf")
        self._films: list[Tensor] = []
        self._views = [ViewFilms(view, renderer.device) for view in views]
        self._counts: list[Tensor] = []  # of collected numbers that are not finite, and not 0
        self.lost = 0  # texels whose derivatives were no numbers
        self.noise = 0.0  # variance of the mean residual of a draw, by that draw
        self.losses: list[float] = []
        # Maps of one material are tied to each other.
        groups = group_maps(self.regions)
        self.tied = [TiedMaps(group, group.gather(to_host(self.texels))) for group in groups]
        self._uncertain: dict[int, tuple[tuple[int, ...], Uncertainty]] = {}

    @property
    def texels(self) -> Tensor:
        """Of all textures of the scene, flat: where the steps are."""
        return self.state.texels

    @property
    def untied(self) -> list[Region]:
        """Maps that move each on its own."""
        tied = {number for entry in self.tied for number in entry.group.numbers}
        return [region for number, region in enumerate(self.regions) if number not in tied]

    def draw(self, samples: int) -> None:
        """Draw new samples of all views, so many a pixel in each half."""
        self.upload()
        self._drawn = samples
        draw_views(
            self.views,
            samples=samples,
            bounces=self.bounces,
            seed=self.seed,
            draw=self.iterations,
        )
        self.iterations += 1

    def upload(self) -> None:
        """Give the scene on the device the textures as they are."""
        self.give(self.texels)

    def give(self, texels: Tensor) -> None:
        """Give the scene on the device texels, those of all its textures."""
        for own in {id(tables.texels): tables.texels for tables in self._tables()}.values():
            own[:] = texels

    def _tables(self) -> list[SceneTables]:
        recorders = [entry for view in self.views for entry in view.recorders]
        return [self.renderer.tables, *(entry.tables for entry in recorders)]

    def select_pixels(self) -> None:
        """Keep the pixels that show the materials, or their close neighbours."""
        if any(isinstance(region.parameter, LightTexture) for region in self.regions):
            for view in self.views:
                view.show_all()
            return
        for number, view in enumerate(self.views):
            view.show_all()
            settings = PathSettings(samples=2, bounces=0, seed=mix_seeds(self.seed, 0, number))
            view.recorders[0].draw(view.camera, settings, view.pixels)
            full = np.zeros(len(view.image), np.float32)
            full[view.pixels] = view.recorders[0].direct_fraction()
            around = box_blur(full.reshape(view.camera.height, view.camera.width, 1), 2).ravel()
            kept = view.pixels[around[view.pixels] > 0]
            view.pixels = kept if len(kept) else view.pixels

    def _replay(self, texels: Tensor) -> list[Tensor]:
        """Return the films of each view."""
        values = {id(tables.values): tables.values for tables in self._tables()}
        return [view.replay(values, texels, self._drawn) for view in self._views]

    def collect(self, texels: Tensor, adjoints: Adjoints) -> Tensor:
        """Return J' times one number a pixel, channel and sample set of each view, for all texels.

        A replay for the same texels comes first; require_numbers() comes before it is trusted.
        """
        device = self.renderer.device
        collected = Tensor.zeros(device, self.texels.shape)
        unused = Tensor.zeros(device, self.renderer.tables.values.shape)
        for view, own in zip(self.views, adjoints, strict=True):
            for recorder, gradients in zip(view.recorders, own, strict=True):
                recorder.gradients(recorder.tables.values, gradients, unused, texels, collected)
        threads = parts_of(collected.size)
        counts = Tensor.empty(device, (threads, 2))
        kernel = self.state.kernels.texels.dropNonFinite
        kernel(grid((threads,)), collected, collected.size, threads, counts)
        self._counts.append(sum_of_parts(counts))
        return collected

    def adjoints_of(self, rows: Sequence[Sequence[NDArray[np.floating]]]) -> Adjoints:
        """Return adjoints that the host has: both sample sets of each view, one row a pixel."""
        device, out = self.renderer.device, []
        for view, halves in zip(self.views, rows, strict=True):
            both = np.stack(halves)
            flat = [(both * factor).astype(np.float32).ravel() for factor in self.factors_of(view)]
            out.append([Tensor.from_numpy(device, part) for part in flat])
        return out

    def factors_of(self, view: View) -> NDArray[np.float32]:
        """Return the factors of the colours of each part of a view's light."""
        return self.factors[view.lights]

    def require_numbers(self) -> None:
        """Note how much of what was collected was no number, and is 0 now; waits for the device.

        Raises:
            NonFiniteError: It is more than half of what is not 0.
        """
        counts, self._counts = self._counts, []
        for bad, filled in (map(float, to_host(entry)) for entry in counts):
            if bad > MOST_LOST * filled:
                raise NonFiniteError(
                    f"Fit: derivatives of {int(bad)} of {int(filled)} texels that the pictures "
                    "show are no finite numbers; look for inputs of materials or lights that are "
                    "infinite or no numbers"
                )
            if bad:
                self.lost = max(self.lost, int(bad) // CHANNELS + 1)

    def problems(self) -> list[Problem]:
        """Return what did not count of the pictures and textures."""
        out = [problem for view in self.views for problem in view.problems()]
        if self.lost:
            names = ", ".join(region.parameter.name for region in self.regions)
            out.append(
                Problem(
                    f"Texture {names}",
                    f"derivatives of about {self.lost} texels are no finite numbers in some draws; "
                    "look for inputs of materials or lights that are no numbers",
                    "the other draws, or texels around",
                )
            )
        return out

    def residuals(self) -> list[list[NDArray[np.float32]]]:
        """Return the weighted residuals of both sample sets of each view, of the last draw."""
        self._look()
        return [view.residuals(film) for view, film in zip(self._views, self._films, strict=True)]

    def differences(self) -> list[NDArray[np.float32]]:
        """Return how far the sample sets of the last draw are apart; see NoiseMeter.add_squares."""
        self._look()
        pairs = zip(self._views, self._films, strict=True)
        return [view.differences(film) for view, film in pairs]

    def _look(self) -> None:
        """Replay the last draw, and set `loss` and `noise`."""
        self._films = self._replay(self.texels)
        pairs = zip(self._views, self._films, strict=True)
        sums = [view.sums(film) for view, film in pairs]
        found = np.array([to_host(entry) for entry in sums], np.float64)
        for view, (_, _, lost) in zip(self._views, found, strict=True):
            if lost:
                view.leave_out_lost()
        count = max(CHANNELS * sum(view.count for view in self._views), 1)
        self._seen = (float(found[:, 0].sum()) / count, float(found[:, 1].sum()) / count)

    def gradient(self) -> Tensor:
        """Return the derivative of the loss with respect to all texels, and set `loss`."""
        self._look()
        self.note_loss(*self._seen)
        adjoints = [
            view.adjoints(film, self.factors_of(view.view))
            for view, film in zip(self._views, self._films, strict=True)
        ]
        return self.collect(self.texels, adjoints)

    def note_loss(self, loss: float, noise: float) -> None:
        """Keep the loss of a draw, and the variance of mean residuals by the draw."""
        self.loss, self.noise = loss, noise
        self.losses.append(loss)

    @property
    def loss_level(self) -> float:
        """Mean loss of the last quarter of the draws: variance of residuals without their noise."""
        return float(np.mean(self.losses[-max(len(self.losses) // 4, 1) :])) if self.losses else 0.0

    @property
    def is_settled(self) -> bool:
        """The loss has ceased to fall."""
        return has_settled(self.losses, self.noise)

    def raised_films(self) -> list[list[Tensor]]:
        """Return the films of the last draw with one map after the other raised by RAISE."""
        return [self._replay(self.raised(region)) for region in self.regions]

    def raised(self, region: Region) -> Tensor:
        """Return the texels of all textures with one map raised by RAISE."""
        return self.state.raised(region, RAISE)

    def curvature(self, raised: Sequence[Sequence[Tensor]]) -> Iterable[Adjoints]:
        """Return what add_curvature() takes: for each map, what films change by as it is raised.

        Args:
            raised: raised_films() of the draw; gradient() for the same draw comes after them.
        """
        for above in raised:
            films = zip(self._views, self._films, above, strict=True)
            yield [
                view.change_adjoints(before, after, RAISE, self.factors_of(view.view))
                for view, before, after in films
            ]


def to_host(values: Tensor) -> NDArray[np.float32]:
    """Return floats of the device."""
    return np.asarray(values.to_numpy(), np.float32)
