# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture that is shown early and gets better."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.render import PathSettings, Renderer
    from weft.scene import Camera

SECONDS_OF_A_BATCH = 0.1
"""Between two looks at whether the picture is still wanted."""

FEWEST_PATHS, MOST_PATHS = 4096, 1 << 20
MOST_SAMPLES = 64  # between two pictures


@dataclass(frozen=True)
class Picture:
    """What is known so far.

    Args:
        color: Radiance, linear Rec.709, shape ``(height, width, 3)``, the top row first.
        samples: Paths a pixel that went in.
        share: How much of the work is done, (0, 1].
        layers: AOVs by name, only with the last picture.
    """

    color: NDArray[np.float32]
    samples: int
    share: float
    layers: dict[str, NDArray[np.float32]] = field(default_factory=dict)


class CancelledError(Exception):
    """The picture is not wanted any more."""


def parts(samples: int) -> Iterator[tuple[int, int]]:
    """Yield first sample and number of samples of each part: 1, 1, 2, 4, ... up to the last."""
    first = 0
    while first < samples:
        count = min(max(first, 1), MOST_SAMPLES, samples - first)
        yield first, count
        first += count


class ProgressiveRender:
    """Renders one picture in parts.

    Args:
        renderer: Of the scene; its `batch` is changed so that cancelling is quick.
        camera: Which view.
        settings: With the number of samples of the finished picture.
        layers: Names of the AOVs that the last part brings.
    """

    def __init__(
        self,
        renderer: Renderer,
        camera: Camera,
        settings: PathSettings,
        layers: Sequence[str] = (),
    ) -> None:
        """Remember what to do."""
        self.renderer = renderer
        self.camera = camera
        self.settings = settings
        self.layers = layers

    def run(
        self,
        show: Callable[[Picture], None],
        is_cancelled: Callable[[], bool],
        progress: Callable[[float], None] | None = None,
    ) -> Picture:
        """Render all parts.

        Args:
            show: Called with the picture after each part.
            is_cancelled: Asked every tenth of a second or so.
            progress: Called with the share that is done.

        Raises:
            CancelledError: `is_cancelled` returned true.
        """
        pixels = self.camera.width * self.camera.height
        # Small until something was timed; the first part says nothing, kernels are compiled in it.
        self.renderer.batch = max(FEWEST_PATHS, min(pixels, 1 << 16))
        total = None
        for first, count in parts(self.settings.samples):
            self._check(is_cancelled)
            found = self._render(first, count, is_cancelled, progress)
            part = found.pop("color")
            done = first + count
            total = part if total is None else total + (part - total) * (count / done)
            picture = Picture(total, done, done / self.settings.samples, found)
            show(picture)
        return picture

    def _render(
        self,
        first: int,
        count: int,
        is_cancelled: Callable[[], bool],
        progress: Callable[[float], None] | None,
    ) -> dict[str, NDArray[np.float32]]:
        """Return one part; from how long it took follows how much is done between two looks."""
        samples = self.settings.samples
        is_last = first + count == samples
        begun = time.perf_counter()

        def look(share: float) -> None:
            self._check(is_cancelled)
            if progress is not None:
                progress((first + share * count) / samples)

        found = self.renderer.render(
            self.camera,
            replace(self.settings, samples=count, first_sample=first),
            aovs=self.layers if is_last else (),
            progress=look,
        )
        if first > 0:
            paths = self.camera.width * self.camera.height * count
            speed = paths / max(time.perf_counter() - begun, 1e-6)
            wanted = int(speed * SECONDS_OF_A_BATCH)
            self.renderer.batch = max(FEWEST_PATHS, min(wanted, MOST_PATHS))
        return found

    @staticmethod
    def _check(is_cancelled: Callable[[], bool]) -> None:
        if is_cancelled():
            raise CancelledError
