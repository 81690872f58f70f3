# SPDX-License-Identifier: Apache-2.0
"""What a program of the sweep is: its work, its check, and what it is measured against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bench.sweep.arrays import tolerance

if TYPE_CHECKING:
    from collections.abc import Callable

    import weft


class WrongResultError(Exception):
    """A program's result is not what numpy says."""


@dataclass(frozen=True)
class Work:
    """What a call has to do at least.

    Attributes:
        bytes: Read and written, each once.
        operations: Of floating point, a multiply-add is two.
        sines: Sines, cosines, exponentials.
    """

    bytes: float = 0.0
    operations: float = 0.0
    sines: float = 0.0


@dataclass
class Ready:
    """A program on a device, with its arrays.

    Attributes:
        run: Enqueues one call.
        check: Raises WrongResultError if the result of the last call is wrong.
        beside: The same in torch on the same GPU; ``None``: there is none.
    """

    run: Callable[[], object]
    check: Callable[[], None]
    beside: Callable[[], object] | None = None


class Program(Protocol):
    """One case of the sweep."""

    family: str

    @property
    def name(self) -> str:
        """Types, shape and layouts in words."""

    @property
    def work(self) -> Work:
        """What the device has to do at least."""

    def prepare(self, device: weft.Device, torch: Any) -> Ready:
        """Make the arrays and load the program.

        Args:
            device: Where.
            torch: The module if the same GPU has it; else ``None``.
        """


def require_close(found: np.ndarray, expected: np.ndarray, scalar: str, terms: float = 1) -> None:
    """Raise WrongResultError unless two arrays agree to the rounding of a type.

    Args:
        found: By Weft.
        expected: By numpy, in double precision if the type is one of floating point.
        scalar: The type.
        terms: Numbers that are added up in one element of the result.
    """
    if found.shape != expected.shape:
        raise WrongResultError(f"shape {found.shape}, not {expected.shape}")
    wanted = expected.astype(np.float64)
    bound = tolerance(scalar) * max(1.0, np.sqrt(terms)) * np.maximum(np.abs(wanted), 1e-2)
    apart = np.abs(found.astype(np.float64) - wanted)
    if not (apart <= bound).all():  # NaN is wrong, too
        worst = int(np.argmax(np.nan_to_num(apart - bound, nan=np.inf)))
        place = np.unravel_index(worst, apart.shape)
        raise WrongResultError(f"{found[place]} at {tuple(map(int, place))}, not {expected[place]}")
