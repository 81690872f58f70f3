# SPDX-License-Identifier: Apache-2.0
"""Textures from pictures: replayed gradients, scaled by curvature, and averaged iterates.

Texels, films and all that steps keep of them stay on the device: what the host sees of a step is
its loss, its noise, and how much of it was no number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, NonFiniteError, Tensor, grid
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.image_kernels import copy_of, parts_of, sum_of_parts
from weft.fit.map_errors import name_untold
from weft.fit.seeds import mix_seeds
from weft.fit.target import box_blur
from weft.fit.texel_state import EDGE, TexelState
from weft.fit.texture_blocks import group_maps
from weft.fit.texture_images import is_known, variation_slopes
from weft.fit.texture_pace import has_settled
from weft.fit.texture_parameters import FittedTexture, LightTexture, Region, find_texture
from weft.fit.tied_maps import TiedMaps
from weft.fit.view_films import ViewFilms
from weft.fit.views import CHANNELS, draw_views
from weft.render.path_settings import PathSettings
from weft.scene.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.map_errors import Uncertainty
    from weft.fit.texture_pace import Pace
    from weft.fit.texture_parameters import TextureParameter
    from weft.fit.tied_maps import TiedPace
    from weft.fit.views import View
    from weft.render.renderer import Renderer
    from weft.render.upload import SceneTables

MOST_LOST = 0.5  # of the texels that the pictures show
RAISE = 0.05  # of a map, that tells how films answer to it
SHARING = 4  # texels that a lookup mixes: each gets a share of what pixels tell of all

Adjoints = list[list[Tensor]]
"""Of each view and each part of its light: derivatives by the films of both sample sets."""


class TextureModel:
    """Fits textures by gradient steps that are replayed from recorded paths.

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
        self.draws = 0
        self.loss = float("inf")
        self._films: list[Tensor] = []
        self._views = [ViewFilms(view, renderer.device) for view in views]
        self._counts: list[Tensor] = []  # of collected numbers that are not finite, and not 0
        self.lost = 0  # texels whose derivatives were no numbers
        self.noise = 0.0  # variance of the mean residual of a draw, by that draw
        self.losses: list[float] = []
        # Maps of one material are tied to each other.
        groups = group_maps(self.regions)
        self.tied = [TiedMaps(group, group.gather(_host(self.texels))) for group in groups]
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

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on, the views apart."""
        state = self.state
        counts = np.array([self.draws, state.curvatures, state.averaged])
        tied = [prefixed(f"tied.{k}", entry.save()) for k, entry in enumerate(self.tied)]
        return {name: value for part in tied for name, value in part.items()} | {
            **state.save(),
            "counts": counts,
            "loss": np.array([self.loss, self.noise, *self.losses]),
        }

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called."""
        state = self.state
        state.restore(saved)
        self.draws, state.curvatures, state.averaged = map(int, saved["counts"])
        self.loss, self.noise, *self.losses = map(float, saved["loss"])
        for number, entry in enumerate(self.tied):
            entry.restore(part_of(saved, f"tied.{number}"))
        self._uncertain.clear()

    def draw(self, samples: int) -> None:
        """Draw new samples of all views, so many a pixel in each half."""
        self.upload()
        self._drawn = samples
        draw_views(
            self.views,
            samples=samples,
            bounces=self.bounces,
            seed=self.seed,
            draw=self.draws,
        )
        self.draws += 1

    def upload(self) -> None:
        """Give the scene on the device the textures as they are."""
        self._upload(self.texels)

    def _upload(self, texels: Tensor) -> None:
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
            full[view.pixels] = view.recorders[0].direct_share()
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
        for bad, filled in (map(float, _host(entry)) for entry in counts):
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
        found = np.array([_host(entry) for entry in sums], np.float64)
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
                view.slopes(before, after, RAISE, self.factors_of(view.view))
                for view, before, after in films
            ]

    def count_views(self) -> None:
        """Count the views that show the texels of tied maps, once; a replay comes first."""
        if not self.tied or self.state.curvatures:
            return
        for tied in self.tied:
            tied.views[:] = 0
        for shown in range(len(self.views)):
            ones = [
                [np.full((len(view.pixels), CHANNELS), float(number == shown), np.float32)] * 2
                for number, view in enumerate(self.views)
            ]
            answers = np.abs(_host(self.collect(self.texels, self.adjoints_of(ones))))
            for tied in self.tied:
                tied.views += is_known(tied.group.gather_sums(answers).sum(axis=2))

    def needs_curvature(self) -> bool:
        """Return whether curvature() is due on this draw."""
        if self.tied:
            return self.state.curvatures < 16 or self.draws % 3 == 0
        return self.state.curvatures < 4 or self.draws % 8 == 0

    def add_curvature(self, adjoints: Iterable[Adjoints]) -> None:
        """Average, for each texel, what all texels of its map together add to its curvature.

        Steps of gradient over this sum converge where J has one sign in a pixel (Gilbert 1972;
        SIRT). Each map is raised alone, for maps answer with different signs: their sum may
        be zero where each of them tells much.

        Args:
            adjoints: Of each map, by what films change as it is raised; a replay of the texels as
                they are comes first.
        """
        self.count_views()
        self.state.curvatures += 1
        tied = {number for entry in self.tied for number in entry.group.numbers}
        answers: dict[int, NDArray[np.float32]] = {}
        for number, own in enumerate(adjoints):
            answer = self.collect(self.texels, own)
            self.state.add_curvature(self.regions[number], answer)
            if number in tied:
                answers[number] = _host(answer)
        for entry in self.tied:
            entry.add_blocks(entry.group.blocks([answers[k] for k in entry.group.numbers]))

    def step(self, pace: Pace, tied_pace: TiedPace) -> None:
        """Make one step on the last draw.

        Args:
            pace: How maps move that are not tied.
            tied_pace: How the others do.
        """
        # What is collected follows the replay before it: that of the texels comes last.
        raised = self.raised_films() if self.needs_curvature() else None
        gradient = self.gradient()
        if raised is not None:
            self.add_curvature(self.curvature(raised))
        self.require_numbers()
        self.move(gradient, pace)
        self.move_tied(gradient, tied_pace)

    def move_tied(self, gradient: Tensor, pace: TiedPace) -> None:
        """Step against a gradient with all maps of a material together."""
        if not self.tied:
            return
        slopes, texels = _host(gradient), _host(self.texels)
        for tied in self.tied:
            group = tied.group
            tied.expect(self.loss, self.noise * pace.noise)
            maps = group.gather(texels)
            variation = variation_slopes(maps.astype(np.float32), EDGE).astype(np.float64)
            moved = tied.move(maps, group.gather_sums(slopes), variation, pace)
            group.scatter(moved, texels)
        self.texels.copy_from_numpy(texels)

    def move(self, gradient: Tensor, pace: Pace) -> None:
        """Step against a gradient, which may be overwritten, with maps that are not tied."""
        for region in self.untied:
            self.state.move(region, gradient, pace)

    def write_result(self) -> None:
        """Give the scene on the device the textures that were found, without holes."""
        found = copy_of(self.state.found)  # a fit that goes on does so from what has holes
        for region in self.regions:
            found[region.part] = self.state.filled(region)
        self._upload(found)

    def return_to(self, texels: Tensor) -> None:
        """Go on from other texels of the scene, at rest; averages begin anew there."""
        self.state.return_to(texels)
        self.restart_average()

    def restart_average(self) -> None:
        """Forget the mean."""
        self.state.averaged = 0

    def average(self) -> None:
        """Add the texels as they are to their mean."""
        self.state.average()

    def result(self, region: Region) -> FittedTexture:
        """Return a fitted texture, its holes filled."""
        known = self._known(region)
        errors = np.where(known[..., None], self._errors(region), np.inf).astype(np.float32)
        filled = _host(self.state.filled(region)).reshape(region.shape)
        return FittedTexture(
            filled[::-1].copy(), known[::-1].astype(np.float32), errors[::-1].copy()
        )

    @property
    def _left(self) -> float:
        """Variance of a residual about what the textures explain."""
        return max(self.loss_level, 0.0) + self.noise / max(self.state.averaged, 1)

    def uncertainty(self, tied: TiedMaps) -> Uncertainty:
        """Return what is not known of maps that are tied."""
        state = self.state
        version = (self.draws, len(self.losses), state.averaged, state.curvatures)
        kept, found = self._uncertain.get(id(tied), (None, None))
        if found is None or kept != version:
            found = tied.uncertainty(
                tied.group.gather(_host(self.state.found)), self._left, SHARING
            )
            self._uncertain[id(tied)] = version, found
        return found

    def undetermined(self) -> dict[str, str]:
        """Return the maps that the pictures do not tell, and why, in words."""
        out: dict[str, str] = {}
        for region in self.regions:
            if not self._known(region).any():
                out[region.parameter.name] = "no pixel of the pictures shows it"
        for tied in self.tied:
            known = [
                tied.group.grown(self._known(region)[..., None].astype(np.float32))[..., 0] > 0.5
                for region in tied.group.regions
            ]
            maps = tied.group.gather(_host(self.state.found))
            out |= name_untold(tied.group, self.uncertainty(tied), known, maps)
        return out

    def _known(self, region: Region) -> NDArray[np.bool_]:
        """Return which texels of a map pictures show, shape ``(height, width)``."""
        return (_host(self.state.known(region)) > 0).reshape(region.shape[:2])

    def _errors(self, region: Region) -> NDArray[np.floating]:
        """Return standard errors of texels that are known."""
        for tied in self.tied:
            if region in tied.group.regions:
                number = tied.group.regions.index(region)
                part = tied.group.channels[number]
                return tied.group.shrunk(number, self.uncertainty(tied).errors[..., part])
        divisor = np.abs(_host(self.state.stiffness(region, 0).divisor)).reshape(region.shape)
        errors: NDArray[np.floating] = np.sqrt(2 * SHARING * self._left / divisor)
        return errors


def _host(values: Tensor) -> NDArray[np.float32]:
    """Return floats of the device."""
    return np.asarray(values.to_numpy(), np.float32)
