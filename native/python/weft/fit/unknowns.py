# SPDX-License-Identifier: Apache-2.0
"""The vector of unknowns of a fit: which scalars it has, on which scale, and what is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weft import _native
from weft._native import ArgumentError, Prior
from weft.fit.checks import require_bounds
from weft.fit.parameters import find_range
from weft.scene.parameter_ref import ParameterRef

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.exposure import Exposure, ViewGain
    from weft.fit.lights import LightParameter
    from weft.fit.parameters import Parameter
    from weft.render.parameter_range import ParameterRange
    from weft.render.upload import SceneTables

ROUNDING = 1e-5  # of the larger bound: how far a start may be beyond it
WIDEST = 50.0  # a range beyond is open: it says nothing of where a value may lie


@dataclass
class Block:
    """One parameter within the vector of unknowns."""

    name: str
    slots: list[list[int]]  # of each component: the floats of the scene that it sets
    first: int
    size: int
    is_log: bool
    is_separable: bool
    view: int = -1  # whose gain it is
    light: int = -1  # whose factor it is

    @property
    def is_factor(self) -> bool:
        """It scales a view or a light, and is no number of a material."""
        return self.view >= 0 or self.light >= 0

    @property
    def part(self) -> slice:
        """Its unknowns."""
        return slice(self.first, self.first + self.size)

    def native(self) -> _native.UnknownBlock:
        """Return the same as the engine has it."""
        view, light = (None if number < 0 else number for number in (self.view, self.light))
        sizes = (self.first, self.size, self.is_log, self.is_separable)
        return _native.UnknownBlock(self.name, self.slots, *sizes, view, light)


@dataclass
class Unknowns:
    """The vector of unknowns of a fit, on the scale of their transforms.

    Args:
        blocks: One a parameter.
        start: Shape ``(n,)``.
        low: Lower bounds.
        high: Upper bounds.
        prior: What is known of them; ``None``: nothing.
    """

    blocks: list[Block]
    start: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    prior: Prior | None = None

    @cached_property
    def native(self) -> _native.Unknowns:
        """The same as the engine has them."""
        blocks = [block.native() for block in self.blocks]
        return _native.Unknowns(blocks, self.start, self.low, self.high)

    def values(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the unknowns on the scale of the scene."""
        return self.native.values(x)

    def derivatives(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivatives of values()."""
        return self.native.derivatives(x)


def _transformed(parameter: Parameter, place: ParameterRange, bounds: tuple[float, float]) -> bool:
    """Return whether steps are taken on the scale of logarithms."""
    wanted = parameter.transform
    if wanted is None:
        wanted = place.scale if bounds[0] > 0 else "linear"
    if wanted == "log" and bounds[0] <= 0:
        raise ArgumentError(
            f"Parameter '{parameter.name}': the scale of logarithms needs a lower bound above 0, "
            f"got {bounds[0]}"
        )
    return wanted == "log"


def _bounds(parameter: Parameter, place: ParameterRange) -> tuple[float, float]:
    low, high = parameter.bounds or place.bounds
    if parameter.bounds is None:
        low = low if place.fit_low is None else max(low, place.fit_low)
        # The derivative of a product by a factor of zero tells nothing of the other factors.
        low = max(low, 1e-3) if place.size == 3 else low
    return require_bounds(f"Parameter '{parameter.name}'", (float(low), float(high)))


def _factors(
    gains: Sequence[ViewGain], lights: Sequence[LightParameter], taken: Collection[str]
) -> list[tuple[ParameterRef, Exposure | LightParameter, int, int]]:
    """Return the factors of pictures and lights, each with the number of its view or light.

    Raises:
        ArgumentError: A parameter of a material has the name of one.
    """
    found: list[tuple[ParameterRef, Exposure | LightParameter, int, int]]
    found = [(gain.name, gain.exposure, gain.view, -1) for gain in gains]
    found += [(light.name, light, -1, number) for number, light in enumerate(lights)]
    for name, *_ in found:
        if name in taken:
            owner = "light" if name.kind == "light" else "picture"
            raise ArgumentError(
                f"Fit: {name!r} is the factor of a {owner} and an input of material "
                f"{name.owner!r}; give one of the two another name"
            )
    return found


def _names_once(tables: SceneTables, parameters: Sequence[Parameter]) -> set[str]:
    """Return the names of parameters and of those that are tied to them.

    Raises:
        ArgumentError: A name is unknown or given twice, or ties do not fit.
    """
    taken: set[str] = set()
    for parameter in parameters:
        wanted = find_range(tables, parameter.name).size
        for name in (parameter.name, *parameter.tied):
            if name in taken:
                raise ArgumentError(f"Fit: parameter {name!r} is given twice; leave one out")
            taken.add(name)
            own = find_range(tables, name).size
            if own != wanted:
                raise ArgumentError(
                    f"Fit: {name!r} cannot be tied to {parameter.name!r}: it has {own} numbers "
                    f"instead of {wanted}"
                )
    return taken


def build_unknowns(
    tables: SceneTables,
    parameters: Sequence[Parameter],
    gains: Sequence[ViewGain] = (),
    lights: Sequence[LightParameter] = (),
) -> Unknowns:
    """Return the vector of unknowns for parameters of a scene, gains of pictures and lights.

    Raises:
        ArgumentError: A name is unknown or given twice, or bounds, start or ties do not fit.
    """
    blocks: list[Block] = []
    start: list[float] = []
    low: list[float] = []
    high: list[float] = []
    taken = _names_once(tables, parameters)
    for parameter in parameters:
        place = find_range(tables, parameter.name)
        bounds = _bounds(parameter, place)
        is_log = _transformed(parameter, place, bounds)
        firsts = [find_range(tables, name).first for name in (parameter.name, *parameter.tied)]
        slots = [[first + component for first in firsts] for component in range(place.size)]
        given = _start(parameter, place, tables.materials.values, bounds)
        scale = np.log if is_log else np.asarray
        blocks.append(
            Block(
                parameter.name,
                slots,
                len(start),
                place.size,
                is_log,
                place.is_separable and not parameter.tied,
            )
        )
        start += scale(np.clip(given, *bounds)).tolist()
        low += [float(scale(bounds[0]))] * place.size
        high += [float(scale(bounds[1]))] * place.size
    for name, factor, view, part in _factors(gains, lights, taken):
        size, (lowest, highest) = factor.size, factor.bounds
        blocks.append(Block(name, [], len(start), size, True, False, view, part))
        start += [float(np.log(factor.start))] * size
        low += [float(np.log(lowest))] * size
        high += [float(np.log(highest))] * size
    unknowns = Unknowns(blocks, np.array(start), np.array(low), np.array(high))
    unknowns.prior = _prior(parameters, unknowns)
    return unknowns


def _prior(parameters: Sequence[Parameter], unknowns: Unknowns) -> Prior | None:
    """Return what is known of the unknowns, on the scale of their transforms."""
    if all(parameter.prior is None for parameter in parameters):
        return None
    prior = Prior.none(len(unknowns.start))
    for parameter, block in zip(parameters, unknowns.blocks, strict=False):
        if parameter.prior is None:
            continue
        mean, deviation = _expected(parameter.prior)
        if not _is_expected(mean, deviation, block):
            raise ArgumentError(
                f"Parameter '{parameter.name}': prior must be (mean, standard deviation), the mean "
                f"one number or {block.size}{' above 0' if block.is_log else ''}, the deviation "
                f"above 0, got {parameter.prior!r}"
            )
        prior.expected[block.part] = np.log(mean) if block.is_log else mean
        spread = deviation / mean if block.is_log else deviation
        prior.precision[block.part] = 1 / np.square(spread)
    return prior


def _is_expected(mean: NDArray[np.float64], deviation: float, block: Block) -> bool:
    fits = mean.shape in ((), (block.size,)) and bool(np.isfinite(mean).all())
    return fits and 0 < deviation < np.inf and not (block.is_log and (mean <= 0).any())


def _expected(prior: Any) -> tuple[NDArray[np.float64], float]:  # noqa: ANN401  (checked here)
    """Return mean and deviation of a prior; not a number where it is none."""
    try:
        return np.asarray(prior[0], np.float64), float(prior[1])
    except (TypeError, ValueError):
        return np.array(np.nan), float("nan")


def _start(
    parameter: Parameter,
    place: ParameterRange,
    values: NDArray[np.float32],
    bounds: tuple[float, float],
) -> NDArray[np.float64]:
    if parameter.start is None:
        return values[place.first : place.first + place.size].astype(np.float64)
    try:
        given = np.atleast_1d(np.asarray(parameter.start, np.float64))
    except (TypeError, ValueError):
        given = np.array([np.nan])
    if given.shape != (place.size,) or not np.isfinite(given).all():
        raise ArgumentError(
            f"Parameter '{parameter.name}': start must be {place.size} finite numbers, "
            f"got {parameter.start!r}"
        )
    rounding = ROUNDING * max(abs(bounds[0]), abs(bounds[1]))
    if (given < bounds[0] - rounding).any() or (given > bounds[1] + rounding).any():
        raise ArgumentError(
            f"Parameter '{parameter.name}': start must lie within the bounds ({bounds[0]:g}, "
            f"{bounds[1]:g}), got {parameter.start!r}; move it, or give other bounds"
        )
    return given


def result_values(unknowns: Unknowns, x: NDArray[np.float64]) -> Mapping[str, NDArray[np.float64]]:
    """Return the value of each parameter by name."""
    values = unknowns.values(x)
    return {block.name: values[block.part] for block in unknowns.blocks}
