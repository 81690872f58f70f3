# SPDX-License-Identifier: Apache-2.0
"""The backward calls that are measured: arguments, and the gradients that one call must add."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.operations import pattern
from bench.protocol import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bench.timing import Subject

A, B, C = 2.0, 3.0, 1.0
TABLE_SIZE = 256
ROW = 8192
ADAM_RATE = 0.01
# SlangPy adds 2^22 floats to one number, one after the other, and is off by 0.4 %.
TOLERANCE = 1e-2

PLAIN = {
    "bwds_shared": "bwds",
    "bwds_row": "bwds",
    "bwds_column": "bwds",
    "bwds_deterministic": "bwds_shared",
    "gather_deterministic": "gather_random",
    "bwds_call": "forward_call",
    "bwds_submit": "forward_submit",
}
"""What an operation is set against: the same call without what makes it hard."""


@dataclass(frozen=True)
class Problem:
    """A call of a function of gradients.slang, forward or backward.

    Attributes:
        function: Its name.
        arguments: Numbers, and arrays for tensors.
        cotangent: Gradient of the result; gives the shape of the call.
        expected: What one backward call adds to the gradients, by position; these arguments are
            the ones with gradients.
        is_forward: Whether the function itself is called.
    """

    function: str
    arguments: tuple[Any, ...]
    cotangent: np.ndarray
    expected: Mapping[int, np.ndarray] = field(default_factory=dict)
    is_forward: bool = False


def is_gradient_operation(operation: str) -> bool:
    """Whether the operation is one of this file."""
    return operation.split("_")[0] in ("bwds", "gather", "forward", "adam")


def polynomial(shape: tuple[int, ...], a: np.ndarray | float, *, is_forward: bool) -> Problem:
    """Return the polynomial over x; `a` has a gradient if it is an array."""
    count = int(np.prod(shape))
    x, cotangent = pattern(count, 1009).reshape(shape), pattern(count, 997).reshape(shape)
    expected = {3: cotangent * (2 * np.float32(A) * x + np.float32(B))}
    if isinstance(a, np.ndarray):
        each = np.float64(cotangent) * x * x
        lost = tuple(
            i for i, extent in enumerate((1,) * (x.ndim - a.ndim) + a.shape) if extent == 1
        )
        expected[0] = each.sum(lost, keepdims=True).reshape(a.shape)
    return Problem("polynomial", (a, B, C, x), cotangent, expected, is_forward)


def look_up(entries: np.ndarray) -> Problem:
    """Return the look-up of entries of a small table."""
    cotangent = pattern(entries.size, 997)
    added = np.bincount(entries, cotangent.astype(np.float64), TABLE_SIZE)
    return Problem("look_up", (entries, pattern(TABLE_SIZE, 251)), cotangent, {1: added})


def problem(operation: str, count: int) -> Problem:
    """Return the call that an operation measures, over `count` threads."""
    is_forward = operation.startswith("forward")
    match operation:
        case "bwds":
            return polynomial((count,), A, is_forward=False)
        case "bwds_shared" | "bwds_deterministic":
            return polynomial((count,), np.full(1, A, np.float32), is_forward=False)
        case "bwds_row":
            row = np.full(ROW, A, np.float32)
            return polynomial((count // ROW, ROW), row, is_forward=False)
        case "bwds_column":
            column = np.full((ROW, 1), A, np.float32)
            return polynomial((ROW, count // ROW), column, is_forward=False)
        case "bwds_call" | "bwds_submit" | "forward_call" | "forward_submit":
            return polynomial((1,), np.full(1, A, np.float32), is_forward=is_forward)
        case "gather_random" | "gather_deterministic":
            random = np.random.default_rng(0)
            return look_up(random.integers(0, TABLE_SIZE, count, np.int32))
        case "gather_one":
            return look_up(np.full(count, TABLE_SIZE // 2, np.int32))
    raise ValueError(f"problem: there is no operation '{operation}'")


def moved_bytes(operation: str, count: int) -> int:
    """Return the bytes that the device must read and write; 0 where bandwidth is not the point."""
    match operation:
        case "adam":  # parameter and two moments read and written, gradient read
            return 28 * count
        case "bwds" | "bwds_shared":  # x and two gradients read, one gradient and a value written
            return 20 * count
        case "bwds_row" | "bwds_column":
            return 20 * count + 12 * ROW
        case "gather_random" | "gather_one":
            return 12 * count
    return 0


def require_gradients(operation: str, wanted: Problem, found: Mapping[int, np.ndarray]) -> None:
    """Raise ArithmeticError unless one call has added what it should."""
    for position, expected in wanted.expected.items():
        gradient = found[position].reshape(expected.shape)
        if not np.allclose(gradient, expected, rtol=TOLERANCE, atol=1e-4):
            raise ArithmeticError(
                f"{operation}: the gradient of argument {position} is wrong, "
                "so its time means nothing"
            )


@dataclass(frozen=True)
class Library:
    """What Weft and SlangPy spell differently."""

    tensor: Callable[[np.ndarray], Any]
    """Copies an array to the device."""
    module: Any
    """gradients.slang, loaded."""
    subject: Callable[[str, Callable[[], object]], Subject]
    """Makes a subject of an operation and a call."""
    is_deterministic: bool
    """Whether backward calls take deterministic=True."""


def prepare(library: Library, operation: str, count: int) -> Subject:
    """Make the tensors, run once, check the gradients, and return what is timed."""
    wanted = problem(operation, count)
    values = list(wanted.arguments)
    for position, value in enumerate(values):
        if isinstance(value, np.ndarray):
            values[position] = library.tensor(value)
    for position in wanted.expected:
        values[position] = values[position].with_grads(zero=True)
    result = library.tensor(np.zeros_like(wanted.cotangent)).with_grads()
    result.grad.copy_from_numpy(wanted.cotangent)
    function = getattr(library.module, wanted.function)
    call = function if wanted.is_forward else function.bwds
    options = {"_result": result}
    if operation.endswith("_deterministic"):
        if not library.is_deterministic:
            raise Unsupported
        options["deterministic"] = True
    subject = library.subject(operation, lambda: call(*values, **options))
    subject.run()
    if not wanted.is_forward:
        found = {position: values[position].grad.to_numpy() for position in wanted.expected}
        require_gradients(operation, wanted, found)
    return subject


def after_one_step_of_adam(parameter: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Return where Adam's first step ends: the corrected moments are gradient and its square."""
    return parameter - ADAM_RATE * gradient / (np.abs(gradient) + 1e-8)


def adam_arrays(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a parameter and its gradient; none of its elements is 0."""
    return pattern(count, 1009), pattern(count, 997) + np.float32(0.5)


def require_step(parameter: np.ndarray, count: int) -> None:
    """Raise ArithmeticError unless Adam has taken its first step."""
    expected = after_one_step_of_adam(*adam_arrays(count))
    if not np.allclose(parameter, expected, atol=1e-5):
        raise ArithmeticError("adam: the first step is wrong, so its time means nothing")
