# SPDX-License-Identifier: Apache-2.0
"""The vector of unknowns of a fit: which scalars it has, on which scale, and what is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft import _native
from weft._native import ArgumentError
from weft.fit.checks import require_bounds
from weft.fit.parameters import find_range
from weft.scene.parameter_ref import ParameterRef, find_name

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.exposure import Exposure, ViewGain
    from weft.fit.lights import LightParameter
    from weft.fit.parameters import Parameter
    from weft.render.upload import SceneTables

    _Factor = tuple[ParameterRef, Exposure | LightParameter, int | None, int | None]

WIDEST = 50.0  # a range beyond is open: it says nothing of where a value may lie


@dataclass(frozen=True)
class Block:
    """One parameter within the vector of unknowns.

    Args:
        name: Of the parameter, the picture's exposure or the light's factor.
        part: Its unknowns.
        is_log: They are logarithms of the values.
        is_factor: It scales a view or a light, and is no number of a material.
    """

    name: ParameterRef
    part: slice
    is_log: bool
    is_factor: bool

    @property
    def size(self) -> int:
        """Number of its unknowns."""
        return int(self.part.stop - self.part.start)


class Unknowns:
    """The vector of unknowns of a fit, on the scale of their transforms.

    Args:
        native: The same as the engine has them.
        names: Of its blocks.
    """

    def __init__(self, native: _native.Unknowns, names: Sequence[ParameterRef]) -> None:
        """Read what does not change."""
        self.native = native
        self.start, self.low, self.high = native.start, native.low, native.high
        self.blocks = [
            Block(name, slice(own.first, own.first + own.size), own.is_log, own.is_factor)
            for name, own in zip(names, native.blocks, strict=True)
        ]

    def values(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the unknowns on the scale of the scene."""
        return self.native.values(x)

    def derivatives(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivatives of values()."""
        return self.native.derivatives(x)


def _factors(
    gains: Sequence[ViewGain], lights: Sequence[LightParameter], taken: Collection[str]
) -> list[_Factor]:
    """Return the factors of pictures and lights, each with the number of its view or light.

    Raises:
        ArgumentError: A parameter of a material has the name of one.
    """
    found: list[_Factor] = [(gain.name, gain.exposure, gain.view, None) for gain in gains]
    found += [(light.name, light, None, number) for number, light in enumerate(lights)]
    for name, *_ in found:
        if name in taken:
            owner = "light" if name.kind == "light" else "picture"
            raise ArgumentError(
                f"Fit: {name!r} is the factor of a {owner} and an input of material "
                f"{name.owner!r}; give one of the two another name"
            )
    return found


def _known_name(tables: SceneTables, name: str) -> str:
    """Return a parameter's name as the scene writes it."""
    return find_name(name, tables.materials.ranges) or name


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
    taken = _names_once(tables, parameters)
    own = _native.Unknowns()
    names: list[ParameterRef] = []
    for parameter in parameters:
        name, *tied = (_known_name(tables, name) for name in (parameter.name, *parameter.tied))
        size = find_range(tables, parameter.name).size
        bounds = None if parameter.bounds is None else require_bounds("", parameter.bounds)
        start = _start(parameter, size)
        own.add_parameter(tables.materials.native, name, tied, (bounds, parameter.transform, start))
        names.append(ParameterRef(parameter.name))
    for name, factor, view, light in _factors(gains, lights, taken):
        low, high = factor.bounds
        range = (float(factor.start), (float(low), float(high)))
        own.add_factor(name, factor.size, range, view, light)
        names.append(name)
    unknowns = Unknowns(own, names)
    for number, parameter in enumerate(parameters):
        if parameter.prior is not None:
            own.expect(number, *_expected(parameter, unknowns.blocks[number]))
    return unknowns


def _expected(parameter: Parameter, block: Block) -> tuple[NDArray[np.float64], float]:
    """Return mean and deviation of a prior."""
    mean, deviation = _read_prior(parameter.prior)
    if not _is_expected(mean, deviation, block):
        raise ArgumentError(
            f"Parameter '{parameter.name}': prior must be (mean, standard deviation), the mean "
            f"one number or {block.size}{' above 0' if block.is_log else ''}, the deviation "
            f"above 0, got {parameter.prior!r}"
        )
    return np.atleast_1d(mean), deviation


def _is_expected(mean: NDArray[np.float64], deviation: float, block: Block) -> bool:
    fits = mean.shape in ((), (block.size,)) and bool(np.isfinite(mean).all())
    return fits and 0 < deviation < np.inf and not (block.is_log and (mean <= 0).any())


def _read_prior(prior: Any) -> tuple[NDArray[np.float64], float]:  # noqa: ANN401  (checked here)
    """Return mean and deviation of a prior; not a number where it is none."""
    try:
        return np.asarray(prior[0], np.float64), float(prior[1])
    except (TypeError, ValueError):
        return np.array(np.nan), float("nan")


def _start(parameter: Parameter, size: int) -> NDArray[np.float64]:
    """Return where a parameter begins; empty: at the value of the scene."""
    if parameter.start is None:
        return np.zeros(0)
    try:
        given = np.atleast_1d(np.asarray(parameter.start, np.float64))
    except (TypeError, ValueError):
        given = np.array([np.nan])
    if given.shape != (size,) or not np.isfinite(given).all():
        raise ArgumentError(
            f"Parameter '{parameter.name}': start must be {size} finite numbers, "
            f"got {parameter.start!r}"
        )
    return given


def result_values(unknowns: Unknowns, x: NDArray[np.float64]) -> Mapping[str, NDArray[np.float64]]:
    """Return the value of each parameter by name."""
    values = unknowns.values(x)
    return {block.name: values[block.part] for block in unknowns.blocks}
