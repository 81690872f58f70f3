# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fit will take: memory as its size says, time by the throughput of earlier fits.

Drawn with the panel, before there is a scene to ask: nothing is loaded for it. A fit that has
begun knows a bound, see weft.fit.Fit.memory(). Start reading at estimate_fit.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FLOAT = 4  # bytes
PATH_ROWS = 49  # numbers that a path under way keeps: rays, hits, state, queue
HEAD_ROWS = 7  # numbers that a recorded path keeps
RECORD_ROWS = 42  # numbers of a recorded surface, without its tangents
TEXEL_ARRAYS = 8  # of all texels, where some change: their steps, gradient, mean, two copies
MAP_ARRAYS = 8  # of those that change: preconditioners by blur, and what is blurred
FILM_ARRAYS = 32  # numbers a pixel: films, their adjoints, and what they are compared with
MEDIA_RECORD_ROWS = 49  # the same where numbers of media are unknown: a segment is a record, too
MIN_PATHS = 1 << 15  # in each half of a draw of numbers; as weft.fit has it
PATHS_PER_SCALAR = 1 << 11  # in each half
MAX_SAMPLES_FACTOR = 8  # times those of the settings, where pixels are few
TRIANGLE_NUMBERS = 46  # corners, normals, one UV map, colours, slots, and the tree that rays search
RECORD_HEADROOM = 1.25  # records are allocated with room to spare
SPREAD_OF_SCENE = 2.0  # times faster or slower than earlier fits of the scene
SPREAD_OF_DEVICE = 30.0  # of one other scene: how many paths escape is not known
MAX_SPREAD = 3.0  # up to which a time is told before the fit
MAX_SCENES = 200
THROUGHPUT_FILE = "throughput.json"


@dataclass(frozen=True)
class FitSize:
    """What a fit costs depends on.

    Args:
        pixels: Of each picture, as it is compared.
        samples: Paths a pixel in each of the two halves of a draw; more are drawn where pixels are
            few and numbers are unknown.
        bounces: Surfaces that a path may leave.
        numbers: Unknown numbers of materials; a colour has three.
        own_numbers: The most of them that one material has.
        parts: The light is drawn in so many parts: one, and one more for each unknown light.
        texels: Floats of fitted textures.
        other_texels: Floats of all other textures.
        triangles: Of the scene.
        iterations: At most.
        has_media: Some of the materials with unknown numbers have a volume.
    """

    pixels: tuple[int, ...]
    samples: int
    bounces: int
    numbers: int
    own_numbers: int
    parts: int = 1
    texels: int = 0
    other_texels: int = 0
    triangles: int = 0
    iterations: int = 40
    has_media: bool = False

    @property
    def most_samples(self) -> float:
        """Paths a pixel in each half of a draw, at most."""
        if self.numbers == 0 and self.parts == 1:
            return self.samples
        wanted = max(MIN_PATHS, PATHS_PER_SCALAR * self.numbers) / max(sum(self.pixels), 1)
        return min(max(wanted, self.samples), MAX_SAMPLES_FACTOR * self.samples)

    @property
    def work(self) -> float:
        """Surfaces of paths that a draw shades, once for itself and once for each derivative.

        A surface has the derivatives of its own material's numbers.
        """
        paths = 2 * self.most_samples * sum(self.pixels) * self.parts
        directions = max(self.own_numbers, 1) + (8 if self.texels else 0)
        return paths * (self.bounces + 1) * (1 + 0.25 * directions)


@dataclass(frozen=True)
class Estimate:
    """What a fit is expected to take.

    Args:
        memory: Of the device, bytes.
        seconds: Least and most, if all iterations are made; ``None``: no fit was timed yet.
        is_bound: The fit takes no more memory: Fit.memory() of such a fit said so.
    """

    memory: float
    seconds: tuple[float, float] | None
    is_bound: bool = False

    def describe(self) -> str:
        """Return it for people."""
        words = describe_memory(self.memory, is_bound=self.is_bound)
        if self.seconds is None or self.seconds[1] > MAX_SPREAD**2 * self.seconds[0]:
            return f"{words}; time is known once it runs"
        low, high = self.seconds
        about = describe_seconds(math.sqrt(low * high))
        return f"{words}; about {about} if all iterations are needed"


def estimate_fit(
    size: FitSize, throughput: Throughput | None, bound: int | None = None
) -> Estimate:
    """Return what a fit will take.

    Args:
        size: Of the fit.
        throughput: Of earlier ones; ``None``: not known.
        bound: Of its memory, bytes, from a fit of this size; ``None``: not known.
    """
    memory, is_bound = (estimate_memory(size), False) if bound is None else (bound, True)
    if throughput is None:
        return Estimate(memory, None, is_bound)
    seconds = size.iterations * size.work / throughput.work
    return Estimate(memory, (seconds / throughput.spread, seconds * throughput.spread), is_bound)


def estimate_memory(size: FitSize) -> float:
    """Return how many bytes of the device a fit will hold, about.

    That is in a closed room, where paths end at the last bounce only and each of their surfaces is
    recorded. Where paths escape, or meet what does not change, it is less.
    """
    paths = [2 * size.most_samples * pixels for pixels in size.pixels]
    # One buffer serves all pictures; each keeps its own records, once a part of the light.
    under_way = max(paths, default=0) * PATH_ROWS
    rows = MEDIA_RECORD_ROWS if size.has_media else RECORD_ROWS
    rows += 3 * max(size.numbers if size.has_media else size.own_numbers, 1)
    surfaces = sum(paths) * (size.bounces + 1) * RECORD_HEADROOM
    surfaces *= 2 if size.has_media else 1  # a segment before each
    recorded = size.parts * (surfaces * rows + sum(paths) * HEAD_ROWS)
    resolved = 3 * (1 + size.numbers) * max(size.pixels, default=0)
    texels = (size.texels + size.other_texels) * (1 + size.parts)
    if size.texels:
        texels += (size.texels + size.other_texels) * TEXEL_ARRAYS + size.texels * MAP_ARRAYS
        resolved += FILM_ARRAYS * sum(size.pixels)
    scene = texels + size.triangles * TRIANGLE_NUMBERS
    return FLOAT * (under_way + recorded + resolved + scene)


def describe_memory(count: float, *, is_bound: bool) -> str:
    """Return bytes of the device for people."""
    return f"{'At most' if is_bound else 'About'} {_bytes(count)} on the device"


def _bytes(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def describe_seconds(seconds: float) -> str:
    """Return a time for people."""
    if seconds < 10:
        return f"{max(math.ceil(seconds), 1)} s"
    if seconds < 100:
        return f"{5 * round(seconds / 5)} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.0f} h"


@dataclass(frozen=True)
class Throughput:
    """How fast fits are.

    Args:
        work: A second, see FitSize.work.
        spread: Times faster or slower the next fit may be.
    """

    work: float
    spread: float


class ThroughputHistory:
    """The throughput of devices and scenes, kept in a file beside the compiled kernels.

    Args:
        folder: Of the file; ``None``: nothing is kept.
    """

    def __init__(self, folder: Path | None) -> None:
        """Read what is known."""
        self._file = None if folder is None else folder / THROUGHPUT_FILE
        self._known: dict[str, float] = {}
        try:
            text = "{}" if self._file is None else self._file.read_text()
            entries = json.loads(text).items()
            self._known = {str(name): float(value) for name, value in entries if value > 0}
        except (OSError, ValueError, TypeError, AttributeError):
            self._known = {}  # absent or broken: the next fit writes it anew

    def find(self, device: str, scene: str) -> Throughput | None:
        """Return that of fits of a scene, or of others on the device; ``None``: of none."""
        if _key(device, scene) in self._known:
            return Throughput(self._known[_key(device, scene)], SPREAD_OF_SCENE)
        start = _key(device, "")
        logs = [
            math.log(throughput)
            for name, throughput in self._known.items()
            if name.startswith(start)
        ]
        if not logs:
            return None
        middle = sum(logs) / len(logs)
        widest = max(abs(entry - middle) for entry in logs)
        # A few scenes may be alike by chance: each of them narrows what is said of the next one.
        least = math.log(SPREAD_OF_DEVICE) / len(logs)
        spread = math.exp(max(widest + math.log(SPREAD_OF_SCENE), least))
        return Throughput(math.exp(middle), spread)

    def learn(self, device: str, scene: str, size: FitSize, draw_seconds: Sequence[float]) -> None:
        """Note how long the draws of a fit took; the first one compiles kernels and is left out.

        Args:
            device: What the preferences call it.
            scene: A name of its own.
            size: Of the fit.
            draw_seconds: One a draw, without those on small pictures.
        """
        counted = sorted(draw_seconds[1:])
        if not counted:
            return
        found = size.work / max(counted[len(counted) // 2], 1e-6)
        key = _key(device, scene)
        old = self._known.pop(key, found)  # what was used last stands at the end
        self._known[key] = math.sqrt(found * old)
        self._known = dict(list(self._known.items())[-MAX_SCENES:])
        self._write()

    def _write(self) -> None:
        if self._file is None:
            return
        from weft._replacing import replacing  # what has fitted has loaded the engine

        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self._file) as new:
                new.write_text(json.dumps(self._known, indent=1))
        except OSError:
            return  # a folder that cannot be written to costs the estimate only


def _key(device: str, scene: str) -> str:
    return f"{device} {scene}"


def iterations_of(max_iterations: int, texture_iterations: int, *, has_textures: bool) -> int:
    """Return how many iterations a fit makes, if scalars do not move with textures."""
    return max(max_iterations, texture_iterations) if has_textures else max_iterations
