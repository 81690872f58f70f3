# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture that is shown early and gets better."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from weft.render import PathSettings, Renderer
    from weft.scene import Camera

SECONDS_OF_A_BATCH = 0.1
"""Between two looks at whether the picture is still wanted."""

ALPHA = "alpha"

MIN_PATHS, MAX_PATHS = 4096, 1 << 20
MAX_SAMPLES = 64  # between two pictures


@dataclass(frozen=True)
class Picture:
    """What is known so far.

    Args:
        color: Radiance, linear Rec.709, shape ``(height, width, 3)``, the top row first.
        samples: Paths a pixel that went in.
        share: How much of the work is done, (0, 1].
        layers: AOVs by name, only with the last picture; but for ``alpha``.
    """

    color: NDArray[np.float32]
    samples: int
    share: float
    layers: dict[str, NDArray[np.float32]] = field(default_factory=dict)


def with_alpha(color: NDArray[np.float32], picture: Picture) -> NDArray[np.float32]:
    """Return a colour with the alpha of its picture, one if it has none."""
    alpha = picture.layers.get(ALPHA)
    if alpha is None:
        alpha = np.ones_like(color[..., :1])
    return np.concatenate([color, alpha], axis=2)


class CancelledError(Exception):
    """The picture is not wanted any more."""


def parts(samples: int) -> Iterator[tuple[int, int]]:
    """Yield first sample and number of samples of each part: 1, 1, 2, 4, ... up to the last."""
    first = 0
    while first < samples:
        count = min(max(first, 1), MAX_SAMPLES, samples - first)
        yield first, count
        first += count


class ProgressiveRender:
    """Renders one picture in parts.

    Args:
        renderer: Of the scene; its `batch` is changed so that cancelling is quick.
        camera: Which view.
        settings: With the number of samples of the finished picture.
        layers: Names of the AOVs that the last part brings; ``alpha`` comes with every picture.
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
        # Small until something was timed.
        self.renderer.batch = MIN_PATHS
        means: dict[str, NDArray[np.float32]] = {}
        for first, count in parts(self.settings.samples):
            self._check(is_cancelled)
            found = self._render(first, count, is_cancelled, progress)
            done = first + count
            for name in {"color", ALPHA} & set(found):
                part = found.pop(name)
                known = means.get(name, part)
                means[name] = known + (part - known) * (count / done)
            layers = found | {name: means[name] for name in means if name == ALPHA}
            picture = Picture(means["color"], done, done / self.settings.samples, layers)
            show(picture)
        return picture

    def _render(
        self,
        first: int,
        count: int,
        is_cancelled: Callable[[], bool],
        progress: Callable[[float], None] | None,
    ) -> dict[str, NDArray[np.float32]]:
        """Return one part; from how long a batch took follows how large the next one is."""
        samples = self.settings.samples
        is_last = first + count == samples
        paths = self.camera.width * self.camera.height * count
        before = [time.perf_counter(), 0.0]

        def look(share: float) -> None:
            self._check(is_cancelled)
            now, (then, shown) = time.perf_counter(), before
            # The first batch says nothing, kernels are compiled in it.
            if share > shown and (first > 0 or shown > 0):
                self._fit_batch((share - shown) * paths, now - then)
            before[:] = now, share
            if progress is not None:
                progress((first + share * count) / samples)

        found = self.renderer.render(
            self.camera,
            replace(self.settings, samples=count, first_sample=first),
            aovs=[name for name in self.layers if is_last or name == ALPHA],
            progress=look,
        )
        return found

    def _fit_batch(self, paths: float, seconds: float) -> None:
        """Choose how many paths are traced at once from how long some took."""
        wanted = int(paths / max(seconds, 1e-6) * SECONDS_OF_A_BATCH)
        # A quick batch may have been an empty one.
        most = min(4 * self.renderer.batch, MAX_PATHS)
        self.renderer.batch = max(MIN_PATHS, min(wanted, most))

    @staticmethod
    def _check(is_cancelled: Callable[[], bool]) -> None:
        if is_cancelled():
            raise CancelledError
