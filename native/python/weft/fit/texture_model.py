# SPDX-License-Identifier: Apache-2.0
"""Textures from pictures: replayed gradients, scaled by curvature, and averaged iterates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, NonFiniteError, Tensor
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.map_errors import name_untold
from weft.fit.seeds import mix_seeds
from weft.fit.target import box_blur
from weft.fit.texture_blocks import group_maps
from weft.fit.texture_images import blurred, fill_holes, is_known, variation_slopes
from weft.fit.texture_pace import has_settled
from weft.fit.texture_parameters import FittedTexture, LightTexture, Region, find_texture
from weft.fit.tied_maps import EDGE, TiedMaps
from weft.fit.views import CHANNELS, draw_views
from weft.render.path_settings import PathSettings
from weft.scene.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
LEAST_CURVATURE = 0.2  # of the mean of a map: where signs cancel, less would be a leap
SHARING = 4  # texels that a lookup mixes: each gets a share of what pixels tell of all


@dataclass(frozen=True)
class Stiffness:
    """What resists steps of a texture.

    Args:
        known: Which texels move: what the pictures hardly show is left to hole filling. Shape of
            the image.
        divisor: Of gradients: curvature, and that of the prior.
        prior: Weight of the prior.
    """

    known: NDArray[np.bool_]
    divisor: NDArray[np.float32]
    prior: float


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
        self.texels = renderer.tables.texels.to_numpy().astype(np.float32)
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
        self.curved = np.zeros_like(self.texels)
        self.shown = np.zeros_like(self.texels)  # mean magnitude: that of noise where signs cancel
        self._curvatures = 0
        self._stiffness: dict[tuple[int, int, int], Stiffness] = {}
        self._films: list[list[NDArray[np.float32]]] = []
        self.mean = self.texels.copy()
        self._averaged = 0
        self.velocity = np.zeros_like(self.texels)
        self.lost = 0  # texels whose derivatives were no numbers
        self.noise = 0.0  # variance of the mean residual of a draw, by that draw
        self.losses: list[float] = []
        # Maps of one material are tied to each other.
        groups = group_maps(self.regions)
        self.tied = [TiedMaps(group, group.gather(self.texels)) for group in groups]
        self._uncertain: dict[int, tuple[tuple[int, ...], Uncertainty]] = {}

    @property
    def untied(self) -> list[Region]:
        """Maps that move each on its own."""
        tied = {number for entry in self.tied for number in entry.group.numbers}
        return [region for number, region in enumerate(self.regions) if number not in tied]

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on, the views apart."""
        counts = np.array([self.draws, self._curvatures, self._averaged])
        tied = [prefixed(f"tied.{k}", entry.save()) for k, entry in enumerate(self.tied)]
        return {name: value for part in tied for name, value in part.items()} | {
            "texels": self.texels,
            "mean": self.mean,
            "curved": self.curved,
            "shown": self.shown,
            "velocity": self.velocity,
            "counts": counts,
            "loss": np.array([self.loss, self.noise, *self.losses]),
        }

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called."""
        self.texels, self.mean, self.curved = saved["texels"], saved["mean"], saved["curved"]
        self.velocity, self.shown = saved["velocity"], saved["shown"]
        self.draws, self._curvatures, self._averaged = map(int, saved["counts"])
        self.loss, self.noise, *self.losses = map(float, saved["loss"])
        for number, entry in enumerate(self.tied):
            entry.restore(part_of(saved, f"tied.{number}"))
        self._stiffness.clear()
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

    def _upload(self, texels: NDArray[np.float32]) -> None:
        for own in {id(tables.texels): tables.texels for tables in self._tables()}.values():
            own.copy_from_numpy(texels)

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

    def _replay(self, texels: Tensor) -> list[list[NDArray[np.float32]]]:
        """Return the renders of both halves of each view."""
        films = []
        values = {id(tables.values): tables.values for tables in self._tables()}
        for view in self.views:
            view.replay(values, texels=texels)
            films.append(
                [
                    view.develop(half * self._drawn, self._drawn, with_tangents=False)[0, 0]
                    for half in range(2)
                ]
            )
        return films

    def collect(
        self, texels: Tensor, adjoints: Sequence[Sequence[NDArray[np.float32]]]
    ) -> NDArray[np.float32]:
        """Return J' times one number a pixel, channel and half of each view, for all texels.

        A replay for the same texels comes first.
        """
        device = self.renderer.device
        collected = Tensor.zeros(device, self.texels.shape)
        unused = Tensor.zeros(device, self.renderer.tables.values.shape)
        for view, halves in zip(self.views, adjoints, strict=True):
            for factor, recorder in zip(self.factors[view.lights], view.recorders, strict=True):
                flat = (np.stack(halves) * factor).ravel().astype(np.float32)
                gradients = Tensor.from_numpy(device, flat)
                values = recorder.tables.values
                recorder.gradients(values, gradients, unused, texels, collected)
        return self._finite(np.asarray(collected.to_numpy(), np.float32))

    def _finite(self, gradient: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return a gradient with 0 in place of what is no finite number."""
        bad = ~np.isfinite(gradient)
        if not bad.any():
            return gradient
        if bad.sum() > MOST_LOST * np.count_nonzero(gradient):
            raise NonFiniteError(
                f"Fit: derivatives of {int(bad.sum())} of {np.count_nonzero(gradient)} texels that "
                "the pictures show are no finite numbers; look for inputs of materials or lights "
                "that are infinite or no numbers"
            )
        self.lost = max(self.lost, int(bad.sum()) // CHANNELS + 1)
        return np.where(bad, np.float32(0), gradient)

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
        """Return the weighted residuals of both halves of each view, of the last draw."""
        self._films = self._replay(Tensor.from_numpy(self.renderer.device, self.texels))
        return [
            [(half - view.image[view.pixels]) * view.weights[view.pixels] for half in film]
            for view, film in zip(self.views, self._films, strict=True)
        ]

    def gradient(self) -> NDArray[np.float32]:
        """Return the derivative of the loss with respect to all texels, and set `loss`."""
        adjoints, loss, noise, count = [], 0.0, 0.0, 0
        for view, (a, b) in zip(self.views, self.residuals(), strict=True):
            weights = view.weights[view.pixels]
            loss += float((a * b).sum())
            noise += float(((a - b) ** 2).sum()) / 4
            count += a.size
            adjoints.append([b * weights, a * weights])
        self.note_loss(loss / max(count, 1), noise / max(count, 1))
        return self.collect(Tensor.from_numpy(self.renderer.device, self.texels), adjoints)

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

    def raised_films(self) -> list[list[list[NDArray[np.float32]]]]:
        """Return the renders of the last draw with one map after the other raised by RAISE."""
        return [self._replay(raised) for raised in self.raised_maps()]

    def curvature(self, raised: Sequence[list[list[NDArray[np.float32]]]]) -> NDArray[np.float32]:
        """Return, for each texel, what all texels of its map together add to its curvature.

        Steps of gradient over this sum converge where J has one sign in a pixel (Gilbert 1972;
        SIRT). Each map is raised alone, for maps answer with different signs: their sum may
        be zero where each of them tells much.

        Args:
            raised: raised_films() of the draw; gradient() for the same draw comes after them.
        """
        adjoints: list[list[list[NDArray[np.float32]]]] = []
        for above in raised:
            adjoints.append([])
            for view, before, after in zip(self.views, self._films, above, strict=True):
                weights = view.weights[view.pixels] ** 2 / RAISE
                slope = [(b - a) * weights for a, b in zip(before, after, strict=True)]
                adjoints[-1].append([slope[1], slope[0]])
        texels = Tensor.from_numpy(self.renderer.device, self.texels)
        self.count_views(texels)
        return self.collect_own(texels, adjoints)

    def count_views(self, texels: Tensor) -> None:
        """Count the views that show the texels of tied maps, once; a replay comes first."""
        if not self.tied or self._curvatures:
            return
        for tied in self.tied:
            tied.views[:] = 0
        for shown in range(len(self.views)):
            ones = [
                [np.full((len(view.pixels), CHANNELS), float(number == shown), np.float32)] * 2
                for number, view in enumerate(self.views)
            ]
            answers = np.abs(self.collect(texels, ones))
            for tied in self.tied:
                tied.views += is_known(tied.group.gather_sums(answers).sum(axis=2))

    def raised_maps(self) -> Iterator[Tensor]:
        """Return the texels of all textures with one map after the other raised by RAISE."""
        for region in self.regions:
            raised = self.texels.copy()
            raised[region.part] += np.float32(RAISE)
            yield Tensor.from_numpy(self.renderer.device, raised)

    def collect_own(
        self, texels: Tensor, adjoints: Sequence[Sequence[Sequence[NDArray[np.float32]]]]
    ) -> NDArray[np.float32]:
        """Return collect() of each map's own adjoints, for its texels; 0 elsewhere."""
        out = np.zeros_like(self.texels)
        answers = [self.collect(texels, own) for own in adjoints]
        for region, answer in zip(self.regions, answers, strict=True):
            out[region.part] = answer[region.part]
        for tied in self.tied:
            tied.add_blocks(tied.group.blocks([answers[k] for k in tied.group.numbers]))
        return out

    def needs_curvature(self) -> bool:
        """Return whether curvature() is due on this draw."""
        if self.tied:
            return self._curvatures < 16 or self.draws % 3 == 0
        return self._curvatures < 4 or self.draws % 8 == 0

    def add_curvature(self, curvature: NDArray[np.float32]) -> None:
        """Average the curvature over draws."""
        self._curvatures += 1
        self.curved += (curvature - self.curved) / self._curvatures
        self.shown += (np.abs(curvature) - self.shown) / self._curvatures

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
        self.move(gradient, pace)
        self.move_tied(gradient, tied_pace)

    def move_tied(self, gradient: NDArray[np.float32], pace: TiedPace) -> None:
        """Step against a gradient with all maps of a material together."""
        for tied in self.tied:
            group = tied.group
            tied.expect(self.loss, self.noise * pace.noise)
            maps = group.gather(self.texels)
            variation = variation_slopes(maps.astype(np.float32), EDGE).astype(np.float64)
            moved = tied.move(maps, group.gather_sums(gradient), variation, pace)
            group.scatter(moved, self.texels)

    def stiffness(self, region: Region, blur: int) -> Stiffness:
        """Return what resists steps that are averaged over squares."""
        key = (region.first, blur, self._curvatures)
        if key not in self._stiffness:
            curved, shown = (
                blurred(entry[region.part].reshape(region.shape), blur)
                for entry in (self.curved, self.shown)
            )
            known = is_known(shown)
            mean = max(float(curved[known].mean()), 0.0) if known.any() else 0.0
            prior = region.parameter.smoothness * mean
            floor = LEAST_CURVATURE * mean
            divisor = (np.maximum(curved, floor) + 4 * prior + 1e-20).astype(np.float32)
            if any(version != self._curvatures for _, _, version in self._stiffness):
                self._stiffness.clear()
            self._stiffness[key] = Stiffness(known, divisor, prior)
        return self._stiffness[key]

    def move(self, gradient: NDArray[np.float32], pace: Pace) -> None:
        """Step against a gradient."""
        for region in self.untied:
            part = region.part
            image = self.texels[part].reshape(region.shape)
            stiffness = self.stiffness(region, pace.blur)
            if not stiffness.known.any():
                continue
            slope = blurred(gradient[part].reshape(region.shape), pace.blur)
            soft = 0.05
            slope = slope + stiffness.prior * soft * variation_slopes(image, soft)
            velocity = self.velocity[region.part].reshape(region.shape)
            velocity *= pace.momentum
            velocity -= pace.rate * stiffness.known * slope / stiffness.divisor
            before = image.copy()
            np.clip(image + velocity, *region.parameter.bounds, out=image)
            velocity[:] = image - before

    def write_result(self) -> None:
        """Give the scene on the device the textures that were found, without holes."""
        found = self.texels.copy()  # a fit that goes on does so from what has holes
        for region in self.regions:
            found[region.part] = self._filled(region).ravel()
        self._upload(found)

    def restart_average(self) -> None:
        """Forget the mean."""
        self._averaged = 0

    def average(self) -> None:
        """Add the texels as they are to their mean."""
        self._averaged += 1
        self.mean += (self.texels - self.mean) / self._averaged

    def result(self, region: Region) -> FittedTexture:
        """Return a fitted texture, its holes filled."""
        known = self._known(region)
        errors = np.where(known[..., None], self._errors(region), np.inf).astype(np.float32)
        filled = self._filled(region)
        return FittedTexture(
            filled[::-1].copy(), known[::-1].astype(np.float32), errors[::-1].copy()
        )

    def _filled(self, region: Region) -> NDArray[np.float32]:
        """Return a texture as it was found, its holes filled."""
        image = self._found()[region.part].reshape(region.shape)
        known = self._known(region)
        return fill_holes(image, known.astype(np.float32)) if known.any() else image

    @property
    def _left(self) -> float:
        """Variance of a residual about what the textures explain."""
        return max(self.loss_level, 0.0) + self.noise / max(self._averaged, 1)

    def _found(self) -> NDArray[np.float32]:
        """Return the texels of the scene as they were found: their mean, if there is one."""
        return self.mean if self._averaged else self.texels

    def uncertainty(self, tied: TiedMaps) -> Uncertainty:
        """Return what is not known of maps that are tied."""
        version = (self.draws, len(self.losses), self._averaged, self._curvatures)
        kept, found = self._uncertain.get(id(tied), (None, None))
        if found is None or kept != version:
            found = tied.uncertainty(tied.group.gather(self._found()), self._left, SHARING)
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
            maps = tied.group.gather(self._found())
            out |= name_untold(tied.group, self.uncertainty(tied), known, maps)
        return out

    def _known(self, region: Region) -> NDArray[np.bool_]:
        """Return which texels of a map pictures show, shape ``(height, width)``."""
        return is_known(self.shown[region.part].reshape(region.shape).sum(axis=2))

    def _errors(self, region: Region) -> NDArray[np.floating]:
        """Return standard errors of texels that are known."""
        for tied in self.tied:
            if region in tied.group.regions:
                number = tied.group.regions.index(region)
                part = tied.group.channels[number]
                return tied.group.shrunk(number, self.uncertainty(tied).errors[..., part])
        errors: NDArray[np.floating] = np.sqrt(
            2 * SHARING * self._left / self.stiffness(region, 0).divisor
        )
        return errors
