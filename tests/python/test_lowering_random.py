# SPDX-License-Identifier: Apache-2.0
"""Graphs of random functions beside Slang on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import weft
from support import slang_generator as generator

if TYPE_CHECKING:
    from collections.abc import Iterator

POINTS = 256
BATCH = 20

MISCOMPILED = {(15, "f44")}
"""Seeds and functions for which llvmpipe adds a loop's k before the statement in front of the loop.

OSL agrees with the graph, and with the source read by hand.
"""

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def driver(device: weft.Device) -> Iterator[weft.Device]:
    """A device without the validation layer, which reports some of Slang's SPIR-V."""
    made = weft.create_device(type=device.info.type, debug=False, check_indices=False)
    yield made
    made.close()


def on_the_device(
    device: weft.Device, functions: list[generator.Program], values: dict[str, Array]
) -> dict[str, Array]:
    """Return what the device gives for each function."""
    source = generator.batch(functions)
    module = weft.Module.load_from_source(device, "random", source)
    results = module.batch(**values, _result="numpy")
    return {function.name: results[function.name] for function in functions}


def accepted(
    device: weft.Device, functions: list[generator.Program], values: dict[str, Array]
) -> dict[str, Array]:
    """Return what the device gives for each function whose SPIR-V the driver takes."""
    try:
        return on_the_device(device, functions, values)
    except weft.DeviceError:
        if len(functions) == 1:
            return {}
    results: dict[str, Array] = {}
    for function in functions:
        results |= accepted(device, [function], values)
    return results


def batches(seed: int, count: int) -> Iterator[list[generator.Program]]:
    """Yield functions, some at a time.

    Slang 2026.12 writes cases that go on in the next one as SPIR-V that the validation layer
    reports, and Mesa refuses a fifth of: those are compared in tests/blender alone.
    """
    functions = [entry for entry in generator.programs(seed, count) if not entry.falls]
    for start in range(0, len(functions), BATCH):
        yield functions[start : start + BATCH]


def wrong(function: generator.Program, values: dict[str, Array], expected: Array) -> str:
    """Return where the graph differs from what is expected, or an empty text."""
    lowered = weft.lower(None, function.name, text=function.source, to="dag")
    (found,) = lowered.evaluate(values).values()
    exact = expected.astype(np.float64)
    allowed = 1e-5 * np.maximum(1, np.abs(exact)) if found.dtype == np.float32 else 0
    difference = np.abs(found.astype(np.float64) - exact)
    if not np.all(difference <= allowed) and found.dtype == np.float32:
        for near in generator.moved(values):
            (there,) = lowered.evaluate(near).values()
            allowed = np.maximum(allowed, np.abs(there.astype(np.float64) - found))
    places = np.argwhere(~(difference <= allowed))
    if not len(places):
        return ""
    first = tuple(places[0])
    at = {name: array[first[0]].tolist() for name, array in values.items()}
    return f"{found[first]} for {expected[first]} at {at}\n{function.source}"


def check(device: weft.Device, seed: int, count: int) -> None:
    values = generator.inputs(seed, POINTS)
    compared = repeated = refused = 0
    for functions in batches(seed, count):
        results = accepted(device, functions, values)
        compared += len(results)
        refused += len(functions) - len(results)
        for function in functions:
            if function.name not in results or (seed, function.name) in MISCOMPILED:
                continue
            problem = wrong(function, values, results[function.name])
            if problem and len(functions) > 1:
                # llvmpipe erred in a kernel of 20 functions, and not in one of this alone.
                alone = on_the_device(device, [function], values)
                problem = wrong(function, values, alone[function.name])
                repeated += 1
            assert not problem, f"seed {seed}: {problem}"
    assert compared >= 0.5 * count
    assert repeated <= 0.02 * count
    assert refused <= 0.04 * count


def test_graphs_of_random_functions_agree_with_the_device(device: weft.Device) -> None:
    check(device, 0, 20)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 51))
def test_graphs_of_many_random_functions(driver: weft.Device, seed: int) -> None:
    check(driver, seed, 100)


def test_a_wrong_result_is_found() -> None:
    values = generator.inputs(0, POINTS)
    function = next(found for found in generator.programs(0, 20) if found.kind == "int")
    lowered = weft.lower(None, function.name, text=function.source, to="dag")
    (right,) = lowered.evaluate(values).values()

    assert wrong(function, values, right) == ""
    assert function.name in wrong(function, values, right + (np.arange(POINTS) == 7))
