# SPDX-License-Identifier: Apache-2.0
"""Exposure and white balance of pictures: what a camera did between the scene and its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft._native import ArgumentError
from weft.fit.checks import is_number, require_bounds
from weft.scene.parameter_ref import ParameterRef

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fit.target import Target


@dataclass(frozen=True)
class Exposure:
    """The unknown brightness of a picture: target = factor * render.

    It is found beside the other parameters. ``result.values["<target>.exposure"]`` is the factor;
    the exposure in stops is its binary logarithm.

    Args:
        target: Name of the target; ``None``: each target has a factor of its own.
        white_balance: One factor a channel instead of one for all.
        bounds: Smallest and largest factor.
        start: Where the fit begins.
    """

    target: str | None = None
    white_balance: bool = False
    bounds: tuple[float, float] = (1 / 16, 16.0)
    start: float = 1.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        low, high = require_bounds("Exposure", self.bounds, 0.0)
        if not is_number(self.start) or not low <= self.start <= high:
            raise ArgumentError(
                f"Exposure: start must lie within the bounds ({low:g}, {high:g}), "
                f"got {self.start!r}"
            )

    @property
    def size(self) -> int:
        """Number of factors of one target: 3 with a white balance, else 1."""
        return 3 if self.white_balance else 1


@dataclass(frozen=True)
class ViewGain:
    """The factors of one target."""

    name: ParameterRef
    view: int
    exposure: Exposure


def view_gains(exposures: Sequence[Exposure], targets: Sequence[Target]) -> list[ViewGain]:
    """Return the factors that are to be found.

    Raises:
        ArgumentError: There is no such target, its name is not unique, or it is named twice.
    """
    names = [target.name for target in targets]
    gains: list[ViewGain] = []
    for exposure in exposures:
        for view in _views_of(exposure, names):
            if any(gain.view == view for gain in gains):
                raise ArgumentError(
                    f"Exposure: target {names[view]!r} has two of them; leave one out"
                )
            unique = names[view] if names.count(names[view]) == 1 else f"{names[view]}{view}"
            name = ParameterRef.of(unique, "exposure", kind="exposure")
            gains.append(ViewGain(name, view, exposure))
    return gains


def _views_of(exposure: Exposure, names: Sequence[str]) -> Sequence[int]:
    """Return the numbers of the targets that an exposure is for."""
    if exposure.target is None:
        return range(len(names))
    if names.count(exposure.target) != 1:
        found = "no target" if exposure.target not in names else "more than one target"
        raise ArgumentError(
            f"Exposure: {found} is called {exposure.target!r}; the targets are "
            f"{', '.join(map(repr, names))}: give each a name of its own"
        )
    return [names.index(exposure.target)]
