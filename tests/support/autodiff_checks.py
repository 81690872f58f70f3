# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the functions of autodiff_cases.py by Weft, to hold against another library's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import weft
from support.autodiff_cases import CASES, SOURCE, definitions
from weft import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.autodiff_cases import Case

COUNT = 257
SCALARS = {"float": np.float32, "double": np.float64}


@pytest.fixture(scope="module")
def modules(device: weft.Device) -> dict[str, weft.Module]:
    """The functions, for float and for double."""
    text = SOURCE.read_text()
    return {
        scalar: weft.Module.load_from_source(
            device, f"autodiff_{scalar}", definitions(scalar) + text
        )
        for scalar in SCALARS
    }


def each_case(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test for each case and precision."""
    by_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
    by_scalar = pytest.mark.parametrize("scalar", SCALARS)
    return pytest.mark.slow(by_scalar(by_case(test)))


def mapped(function: Callable[..., Any], *trees: Any) -> Any:
    """Apply a function to the leaves of equal trees of lists and dicts."""
    first = trees[0]
    if isinstance(first, dict):
        return {name: mapped(function, *(tree[name] for tree in trees)) for name in first}
    if isinstance(first, list | tuple):
        return [mapped(function, *entries) for entries in zip(*trees, strict=True)]
    return function(*trees)


class Derivatives:
    """Both derivatives of one case, by Weft.

    Attributes:
        arguments: Float64 arrays, one a leaf of the arguments.
        cotangent: Random gradient of the result.
        directions: Random tangents of the arguments.
        tolerance: How far two derivatives may differ, relative to an argument's largest.
    """

    def __init__(self, modules: dict[str, weft.Module], case: Case, scalar: str) -> None:
        """Draw the arguments; skip the test if the device lacks the case in that precision."""
        self._module, self._case, self._dtype = modules[scalar], case, SCALARS[scalar]
        is_cuda = self._module.device.info.type is weft.DeviceType.cuda
        if not (scalar == "float" or case.double_anywhere or is_cuda):
            pytest.skip("SPIR-V has these functions in single precision only")
        self.tolerance = case.tolerance if scalar == "float" else case.double_tolerance
        self._result_type = scalar + "x".join(map(str, case.result))
        random = np.random.default_rng(1)

        def like(array: np.ndarray) -> np.ndarray:
            return random.uniform(-1, 1, array.shape).astype(np.float32).astype(np.float64)

        self.arguments = case.draw(COUNT)
        self.cotangent = like(np.empty((COUNT, *case.result)))
        self.directions = mapped(like, self.arguments)

    def _tensor(self, array: np.ndarray) -> Tensor:
        return Tensor.from_numpy(self._module.device, array.astype(self._dtype))

    def _result(self) -> Tensor:
        dtype = self._module[self._result_type]
        return Tensor.zeros(self._module.device, (COUNT,), dtype).with_grads()

    def backward(self) -> tuple[np.ndarray, Any]:
        """Return the values and the gradients."""
        tensors = mapped(lambda array: self._tensor(array).with_grads(), self.arguments)
        result = self._result()
        result.grad.copy_from_numpy(self.cotangent.astype(self._dtype))

        getattr(self._module, self._case.name).bwds(*tensors, _result=result)

        return result.to_numpy(), mapped(lambda tensor: tensor.grad.to_numpy(), tensors)

    def forward(self) -> np.ndarray:
        """Return the tangents of the values."""
        tensors = mapped(
            lambda array, way: self._tensor(array).with_grads(grad_in=self._tensor(way)),
            self.arguments,
            self.directions,
        )
        result = self._result()

        getattr(self._module, self._case.name).fwds(*tensors, _result=result)

        return result.grad.to_numpy()


def require_close(found: Any, expected: Any, tolerance: float) -> None:
    """Assert that all leaves agree, relative to the largest element of each."""

    def compare(ours: np.ndarray, theirs: Any) -> None:
        theirs = np.asarray(theirs, np.float64).reshape(ours.shape)
        assert np.all(np.isfinite(theirs))
        scale = max(np.abs(theirs).max(), 1.0)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale)

    mapped(compare, found, expected)
