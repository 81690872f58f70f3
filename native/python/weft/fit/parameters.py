# SPDX-License-Identifier: Apache-2.0
"""What a fit may change: named numbers of a scene's materials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from weft._native import ArgumentError
from weft.fit.checks import require_bounds, require_name, require_names
from weft.scene.parameter_ref import ParameterRef, find_name, names_near

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.render.parameter_range import ParameterRange
    from weft.render.upload import SceneTables

Transform = Literal["linear", "log"]


@dataclass(frozen=True)
class Parameter:
    """A number or colour that a fit may change.

    Args:
        name: ``"<material>.<input>"``, or ``"<material>.<input>.<parameter>"`` of a Slang function;
            a ``ParameterRef``, or text that reads as one.
        bounds: Smallest and largest value, finite; ``None``: the range of the input.
        transform: The scale on which steps are taken: ``log`` for what spans orders of magnitude.
            ``None``: that of the closure's input, ``log`` for roughness, else ``linear``.
        start: Where the fit begins, within the bounds; ``None``: the value of the scene, or the
            bound that is nearest to it.
        tied: Other parameters of the same size that always have the same value.
        prior: Mean and standard deviation of what the value is expected to be; a colour may have
            one mean a channel. ``None``: nothing is expected.

    Raises:
        ArgumentError: The name, the bounds, the transform or the ties are none.
    """

    name: str
    bounds: tuple[float, float] | None = None
    transform: Transform | None = None
    start: float | Sequence[float] | None = None
    tied: Sequence[str] = ()
    prior: tuple[float | Sequence[float], float] | None = None

    def __post_init__(self) -> None:
        """Check what needs no scene."""
        require_name("Parameter", self.name)
        object.__setattr__(self, "name", ParameterRef(self.name))
        owner = f"Parameter '{self.name}'"
        if self.bounds is not None:
            require_bounds(owner, self.bounds)
        require_names(owner, "tied", self.tied)
        if self.transform not in (None, "linear", "log"):
            raise ArgumentError(
                f"{owner}: transform must be 'linear' or 'log', got {self.transform!r}"
            )


def find_range(tables: SceneTables, name: str) -> ParameterRange:
    """Return where a parameter lies.

    Raises:
        ArgumentError: There is no such parameter; the message has the names of those that there
            are.
    """
    ranges = tables.materials.ranges
    found = find_name(name, ranges)
    if found is None:
        raise ArgumentError(
            f"Fit: the scene has no parameter {name!r}; there are {names_near(name, ranges)}. An "
            "input that is not given has its default and is no parameter: give it a value"
        )
    place = ranges[found]
    if place.is_fixed:
        raise ArgumentError(
            f"Fit: {name!r} drives a normal, and normals have no derivative; leave it out"
        )
    if place.drives_transparency:
        raise ArgumentError(
            f"Fit: {name!r} makes surfaces transparent, and shadows have no derivative; leave it "
            "out"
        )
    if place.is_walk:
        raise ArgumentError(
            f"Fit: {name!r} says where light goes below the surface, which has no derivative; "
            "leave it out"
        )
    return place
