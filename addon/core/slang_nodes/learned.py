# SPDX-License-Identifier: GPL-3.0-or-later
"""Learned textures: a small network from a place to a colour, trained on a picture.

Sines and cosines of a few waves go through two layers of sines; what comes out is the root of the
colour. Waves are whole numbers of periods across the picture, so that the texture repeats without
seams. learned_text.py writes it as a function without loops, which every form of a node computes.
Start reading at `train`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft import ArgumentError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from numpy.typing import NDArray

MAX_SIDE = 128
"""Texels of the longer side of what is learned: so small a network has no finer detail."""

MIN_SIDE = 32
"""Of smaller pictures what lies between pixels is learned, too: there a network is free else."""

BATCH = 4096
LEARNING_RATE = 0.01
PILOTS = 4
"""Networks that start; the best one after a tenth of the steps goes on."""


@dataclass(frozen=True)
class NetworkSize:
    """How large a network is, in multiples of 4: the text computes with float4.

    Args:
        waves: Of which it sees sine and cosine.
        hidden: Values of each of the two layers.
    """

    waves: int
    hidden: int

    @property
    def inputs(self) -> int:
        """How many numbers the network sees of a place."""
        return 2 * self.waves

    @property
    def layers(self) -> list[int]:
        """Values of the hidden layers."""
        return [self.hidden, self.hidden]


SIZES = {"SMALL": NetworkSize(4, 8), "MEDIUM": NetworkSize(8, 12), "LARGE": NetworkSize(12, 16)}


@dataclass(frozen=True, eq=False)
class LearnedTexture:
    """What was learned of a picture.

    Args:
        size: Of the network.
        waves: Periods across the picture, right and up, shape ``(waves, 2)``; halves of periods
            where the texture is mirrored.
        weights: As ``weft.mlp.layers`` takes them apart, shape ``(count,)``.
        mean: Colour of the picture, linear, shape ``(3,)``.
        tiles: It repeats; if not it is mirrored at the picture's edges.
        loss: Mean squared error of the roots of colours, before the first and after the last step.
        psnr: Of the roots of colours, limited to [0, 1], beside the picture as it was learned: dB.
        extent: Width and height of that.
    """

    size: NetworkSize
    waves: NDArray[np.float32]
    weights: NDArray[np.float32]
    mean: NDArray[np.float64]
    tiles: bool
    loss: tuple[float, float]
    psnr: float
    extent: tuple[int, int]

    def evaluate(self, places: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Return linear colours, shape ``(N, 3)``, at places ``(N, 2)``: (0, 0) is bottom left."""
        folded = places if self.tiles else 1 - np.abs(1 - 2 * np.mod(places / 2, 1))
        return np.maximum(self._roots(folded), 0) ** 2

    def _roots(self, places: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        angle = 2 * np.pi * places.astype(np.float64) @ self.waves.T.astype(np.float64)
        values = np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
        layers = list(self.matrices())
        for matrix, bias in layers[:-1]:
            values = np.sin(values @ matrix + bias)
        matrix, bias = layers[-1]
        return np.asarray(values @ matrix + bias, np.float64)

    def matrices(self) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Return weights, shape ``(values in, values out)``, and biases of each layer."""
        found = weft.mlp.layers(self.weights, self.size.inputs, 3, self.size.layers, biases=True)
        return [(matrix, bias) for matrix, bias in found if bias is not None]


def check_picture(pixels: NDArray[np.float32], name: str) -> None:
    """Say why nothing can be learned of a picture.

    Args:
        pixels: Linear, shape ``(height, width, 3)``, the top row first.
        name: Of the picture, for messages.

    Raises:
        ArgumentError: It has less than 2 x 2 pixels, or some that are no finite numbers.
    """
    height, width = pixels.shape[:2]
    if min(height, width) < 2:
        raise ArgumentError(
            f"fit_learned_texture: image '{name}' has {width} x {height} pixels; give one of at "
            "least 2 x 2"
        )
    bad = np.asarray(~np.isfinite(pixels).all(axis=2))
    if bad.any():
        row, column = np.argwhere(bad[::-1])[0]
        raise ArgumentError(
            f"fit_learned_texture: image '{name}' has {bad.sum()} pixels that are NaN or infinite, "
            f"first ({column}, {row}) from the lower left; paint over them"
        )


def shrink(pixels: NDArray[np.float32], largest: int = MAX_SIDE) -> NDArray[np.float32]:
    """Return means over blocks, so that the longer side has at most so many pixels.

    What is left of a side beyond whole blocks is spread: blocks differ by one pixel.
    """
    scale = min(1.0, largest / max(pixels.shape[:2]))
    for axis in (0, 1):
        count = pixels.shape[axis]
        wanted = max(2, round(count * scale))
        edges = np.arange(wanted) * count // wanted
        sums = np.add.reduceat(pixels, edges, axis=axis, dtype=np.float64)
        sizes = np.diff(np.append(edges, count))
        pixels = sums / np.expand_dims(sizes, [k for k in range(3) if k != axis])
    return pixels.astype(np.float32)


def enlarge(
    pixels: NDArray[np.float32], *, tiles: bool, smallest: int = MIN_SIDE
) -> NDArray[np.float32]:
    """Return a picture whose sides have at least so many pixels, interpolated as materials do.

    Args:
        pixels: Shape ``(height, width, 3)``.
        tiles: What lies beyond an edge is the opposite one; if not, the edge itself.
        smallest: The number.
    """
    for axis in (0, 1):
        count = pixels.shape[axis]
        wanted = count * -(-smallest // count)
        place = (np.arange(wanted) + 0.5) * count / wanted - 0.5
        before = np.floor(place).astype(np.int64)
        share = np.expand_dims(place - before, [k for k in range(3) if k != axis])
        sides = [before, before + 1]
        sides = [side % count if tiles else np.clip(side, 0, count - 1) for side in sides]
        first, second = (np.take(pixels, side, axis) for side in sides)
        pixels = (first * (1 - share) + second * share).astype(np.float32)
    return pixels


def choose_waves(roots: NDArray[np.float32], count: int, *, tiles: bool) -> NDArray[np.float32]:
    """Return the waves that a network is to see: the lowest two, and the strongest of a picture.

    Args:
        roots: Of its colours, shape ``(height, width, 3)``.
        count: How many.
        tiles: See `LearnedTexture`.
    """
    if not tiles:
        # As it is seen in two mirrors, which repeats.
        roots = np.concatenate([roots, roots[:, ::-1]], axis=1)
        roots = np.concatenate([roots, roots[::-1]], axis=0)
    height, width = roots.shape[:2]
    spectrum = np.fft.fft2((roots - roots.mean((0, 1)))[::-1], axes=(0, 1))
    power = (np.abs(spectrum) ** 2).sum(axis=2)
    up, right = np.meshgrid(
        np.fft.fftfreq(height, 1 / height), np.fft.fftfreq(width, 1 / width), indexing="ij"
    )
    # Of a wave and its opposite one is enough; what has no power breaks ties by its length.
    is_half = (up > 0) | ((up == 0) & (right > 0))
    waves = np.stack([right[is_half], up[is_half]], axis=1)
    order = np.lexsort(
        [(waves**2).sum(axis=1), -np.round(power[is_half] / max(power.max(), 1e-30), 9)]
    )
    found = [(1.0, 0.0), (0.0, 1.0)]
    for wave in map(tuple, waves[order]):
        if len(found) == count:
            break
        if wave not in found:
            found.append(wave)
    filled = _filled(found, count)
    return filled.astype(np.float32) * np.float32(1.0 if tiles else 0.5)


def _filled(waves: list[tuple[float, float]], count: int) -> NDArray[np.float64]:
    """Return so many waves: pictures of few pixels have fewer, and get higher ones."""
    number = 1
    while len(waves) < count:
        number += 1
        for wave in ((number, 0), (0, number), (number, number), (-number, number)):
            if wave not in waves and len(waves) < count:
                waves.append((float(wave[0]), float(wave[1])))
    return np.array(waves)


def train(
    pixels: NDArray[np.float32],
    *,
    size: str = "MEDIUM",
    tiles: bool = True,
    steps: int = 2000,
    seed: int = 0,
    name: str = "",
    cancelled: threading.Event | None = None,
    progress: Callable[[float, float], object] | None = None,
) -> LearnedTexture | None:
    """Train a network on a picture.

    Args:
        pixels: Linear, shape ``(height, width, 3)``, float32, the top row first.
        size: Of the network, one of `SIZES`.
        tiles: The texture repeats, and what is left of edges that do not meet is blurred; if not,
            it is mirrored.
        steps: Of Adam, with a rate that falls to 0.
        seed: Equal seeds give equal textures.
        name: Of the picture, for messages.
        cancelled: Ends it.
        progress: Called with the share that is done, and the loss.

    Returns:
        ``None``: it was cancelled.

    Raises:
        ArgumentError: The picture or a number does not fit.
    """
    if size not in SIZES:
        raise ArgumentError(
            f"fit_learned_texture: size must be one of {', '.join(SIZES)}, got {size!r}"
        )
    if steps < 1:
        raise ArgumentError(f"fit_learned_texture: steps must be 1 or more, got {steps}")
    check_picture(pixels, name)
    small = shrink(np.maximum(pixels, 0))
    full = enlarge(small, tiles=tiles)
    training = _Training(full, SIZES[size], tiles=tiles, seed=seed)
    found = training.run(steps, cancelled, progress)
    return None if found is None else replace(found, extent=(small.shape[1], small.shape[0]))


class _Training:
    """A picture as numbers, and networks that learn it."""

    def __init__(
        self, pixels: NDArray[np.float32], size: NetworkSize, *, tiles: bool, seed: int
    ) -> None:
        self.pixels, self.size, self.tiles = pixels, size, tiles
        self.random = np.random.default_rng(seed)
        roots = np.sqrt(pixels)
        self.waves = choose_waves(roots, size.waves, tiles=tiles)
        self.roots = roots.reshape(-1, 3)
        angle = 2 * np.pi * places_of(pixels.shape) @ self.waves.T.astype(np.float64)
        self.features = np.concatenate([np.sin(angle), np.cos(angle)], axis=1, dtype=np.float32)
        self.batch = min(BATCH, len(self.roots))

    def run(
        self,
        steps: int,
        cancelled: threading.Event | None,
        progress: Callable[[float, float], object] | None,
    ) -> LearnedTexture | None:
        """Let some networks start, and the best one go on."""
        first = max(1, steps // 10)
        total = PILOTS * first + steps - first
        learners = [_Learner(self, steps) for _ in range(PILOTS)]
        before = learners[0].mean_loss()
        turns = [learner for learner in learners for _ in range(first)]
        for done in range(total):
            if cancelled is not None and cancelled.is_set():
                return None
            if done == len(turns):
                best = min(learners, key=_Learner.mean_loss)
                turns += [best] * (steps - first)
            turns[done].step()
            if progress is not None and done % 50 == 0:
                progress(done / total, turns[done].loss)
        best = min(learners, key=_Learner.mean_loss)
        return self.finished(best, before)

    def finished(self, learner: _Learner, before: float) -> LearnedTexture:
        """Return what a network has learned, with the digits that the text has."""
        height, width = self.pixels.shape[:2]
        mean = self.pixels.mean(axis=(0, 1), dtype=np.float64)
        found = LearnedTexture(
            self.size,
            self.waves,
            _rounded(learner.weights).astype(np.float32),
            _rounded(mean),
            self.tiles,
            (before, learner.mean_loss()),
            0.0,
            (width, height),
        )
        shown = np.sqrt(np.minimum(found.evaluate(places_of(self.pixels.shape)), 1))
        squared = float(((shown - np.minimum(self.roots, 1)) ** 2).mean())
        return replace(found, psnr=-10 * math.log10(max(squared, 1e-12)))


def _rounded(values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return numbers with the digits that the text has."""
    return np.array([float(f"{value:.5g}") for value in values])


class _Learner:
    """One network and its state of Adam (Kingma and Ba, ICLR 2015, algorithm 1).

    On the host: a step takes 3 ms of a core, and 70 ms as a kernel of a software device.
    """

    def __init__(self, training: _Training, steps: int) -> None:
        self.training, self.steps, self.done, self.loss = training, steps, 0, math.nan
        size = training.size
        count = weft.mlp.weight_count(size.inputs, 3, size.layers, biases=True)
        self.weights = np.zeros(count, np.float32)
        self.gradient = np.zeros(count, np.float32)
        self.layers = self._layers_of(self.weights)
        self.derivatives = self._layers_of(self.gradient)
        self.first = np.zeros(count, np.float32)
        self.second = np.zeros(count, np.float32)
        for matrix, _ in self.layers:
            limit = math.sqrt(6 / len(matrix))
            matrix[...] = training.random.uniform(-limit, limit, matrix.shape)
        # It begins near the mean of the picture.
        matrix, bias = self.layers[-1]
        matrix *= 0.1
        bias[...] = training.roots.mean(axis=0)

    def _layers_of(self, numbers: NDArray[np.float32]) -> list[tuple[Any, Any]]:
        size = self.training.size
        return list(weft.mlp.layers(numbers, size.inputs, 3, size.layers, biases=True))

    def step(self) -> None:
        """Move the weights by the gradient over some pixels."""
        training = self.training
        chosen = training.random.integers(0, len(training.roots), training.batch)
        self.loss = self.differentiate(training.features[chosen], training.roots[chosen])
        self.done += 1
        self.first += 0.1 * (self.gradient - self.first)
        self.second += 0.01 * (self.gradient**2 - self.second)
        rate = LEARNING_RATE * 0.5 * (1 + math.cos(math.pi * self.done / self.steps))
        rate *= math.sqrt(1 - 0.99**self.done) / (1 - 0.9**self.done)
        self.weights -= np.float32(rate) * self.first / (np.sqrt(self.second) + 1e-8)

    def differentiate(self, values: NDArray[np.float32], roots: NDArray[np.float32]) -> float:
        """Return the mean squared error of some pixels; its gradient goes to `gradient`."""
        inputs, sums = [], []
        for number, (matrix, bias) in enumerate(self.layers):
            inputs.append(values)
            sums.append(values @ matrix + bias)
            values = np.sin(sums[-1]) if number < len(self.layers) - 1 else sums[-1]
        difference = values - roots
        back = difference * np.float32(2 / difference.size)
        for number in reversed(range(len(self.layers))):
            if number < len(self.layers) - 1:
                back = (back @ self.layers[number + 1][0].T) * np.cos(sums[number])
            matrix, bias = self.derivatives[number]
            matrix[...] = inputs[number].T @ back
            bias[...] = back.sum(axis=0)
        return float((difference**2).mean())

    def mean_loss(self) -> float:
        """Return the mean squared error of all pixels."""
        values = self.training.features
        for number, (matrix, bias) in enumerate(self.layers):
            values = values @ matrix + bias
            values = np.sin(values) if number < len(self.layers) - 1 else values
        return float(((values - self.training.roots) ** 2).mean())


def places_of(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the middles of pixels, shape ``(N, 2)``, in order: the top row first, up is up."""
    height, width = shape[:2]
    right, down = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
    return np.stack([right.ravel(), 1 - down.ravel()], axis=1)
