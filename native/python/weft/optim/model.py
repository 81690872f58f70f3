# SPDX-License-Identifier: Apache-2.0
"""A Slang function as the residuals of a fit, with its Jacobian from forward mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from weft._native import ArgumentError, Function, Tensor, TypeKind
from weft.optim.levenberg_marquardt import Vector


class Model:
    """What a function predicts for some unknown numbers, less what was measured.

    Both methods take all unknowns as one vector ``(n,)``, in the order of ``unknowns``, vectors and
    arrays row by row, as LevenbergMarquardt passes them. The Jacobian is one call of
    ``function.fwds`` for all unknowns together: the call gets one more axis in front, along which
    each unknown moves on its own. It takes n times the memory of the predictions.

    Args:
        function: A [Differentiable] function that returns a value.
        unknowns: Names of the parameters to fit: numbers, vectors, matrices or arrays of half,
            float or double.
        known: The other arguments by name, as for a call; arrays and tensors give its shape.
        measured: Broadcasts to the predictions; 0 if the function returns residuals.

    Raises:
        ArgumentError: ``unknowns`` names no parameter, or one that cannot be differentiated.

    Example:
        >>> model = weft.optim.Model(module.decay, ["height", "rate"], {"t": t}, measured)
        >>> fit = weft.optim.LevenbergMarquardt(model.residuals, model.jacobian).fit([1.0, 0.5])
    """

    def __init__(
        self,
        function: Function,
        unknowns: Sequence[str],
        known: Mapping[str, object] | None = None,
        measured: npt.ArrayLike | Tensor = 0.0,
    ) -> None:
        types = {parameter.name: parameter.type for parameter in function.signature.parameters}
        for name in unknowns:
            if name not in types or _scalar_of(types[name]) not in _FLOATS:
                raise ArgumentError(
                    f"Model: unknowns names {name!r}, expected parameters of {function.name} of "
                    f"half, float or double; it has {', '.join(types)}"
                )
        self._function, self._known = function, dict(known or {})
        self._shapes = {name: tuple(types[name].shape) for name in unknowns}
        self._numbers = {name: _scalar_of(types[name]) for name in unknowns}
        self._count = sum(int(np.prod(shape)) for shape in self._shapes.values())
        self._measured = (
            measured.to_numpy() if isinstance(measured, Tensor) else np.asarray(measured)
        )
        self._result: Tensor | None = None

    def residuals(self, x: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return predictions less measurements.

        Args:
            x: Parameters, shape ``(n,)``.

        Returns:
            Of the shape and dtype of the predictions.
        """
        values = self._predict(x).to_numpy()
        residuals: npt.NDArray[Any] = values - self._measured.astype(values.dtype)
        return residuals

    def jacobian(self, x: npt.ArrayLike) -> Vector:
        """Return the derivatives of the residuals.

        Args:
            x: Parameters, shape ``(n,)``.

        Returns:
            Shape ``(m, n)``, residuals by parameters.
        """
        if self._result is None:
            value = self._predict(x)
            shape = (self._count, *value.shape)
            self._result = Tensor.empty(value.device, shape, value.dtype).with_grads()
        ones = (1,) * (len(self._result.shape) - 1)
        arguments = {}
        first = 0
        for name, part in self._parts(x).items():
            moves = np.zeros((self._count, part.size))
            moves[first : first + part.size] = np.eye(part.size)
            first += part.size
            shape = (self._count, *ones, *part.shape)
            direction = self._tensor(name, moves.reshape(shape))
            spread = self._tensor(name, np.broadcast_to(part.reshape(1, *ones, *part.shape), shape))
            arguments[name] = spread.with_grads(grad_in=direction)
        self._function.fwds(**self._known, **arguments, _result=self._result)
        tangents = self._result.grad_out
        assert tangents is not None  # with_grads() makes one
        columns = tangents.to_numpy().reshape(self._count, -1)
        return np.ascontiguousarray(columns.T, np.float64)

    def _predict(self, x: npt.ArrayLike) -> Tensor:
        arguments = {name: self._tensor(name, part) for name, part in self._parts(x).items()}
        value = self._function(**self._known, **arguments, _result="tensor")
        assert isinstance(value, Tensor)
        return value

    def _parts(self, x: npt.ArrayLike) -> dict[str, Vector]:
        """Return the unknowns by name, in their shapes."""
        vector = np.asarray(x, np.float64)
        if vector.shape != (self._count,):
            raise ArgumentError(
                f"Model: the unknowns {', '.join(self._shapes)} take a vector of shape "
                f"({self._count},), got {vector.shape}"
            )
        sizes = [int(np.prod(shape)) for shape in self._shapes.values()]
        pieces = np.split(vector, np.cumsum(sizes)[:-1])
        return {
            name: piece.reshape(shape)
            for (name, shape), piece in zip(self._shapes.items(), pieces, strict=True)
        }

    def _tensor(self, name: str, values: npt.NDArray[Any]) -> Tensor:
        return Tensor.from_numpy(self._function.device, values.astype(self._numbers[name]))


_FLOATS = ("float16", "float32", "float64")


def _scalar_of(dtype: Any) -> str:  # noqa: ANN401
    """Return numpy's name of the scalars in a type, "" if it is no vector, matrix or array."""
    while dtype.kind is not TypeKind.scalar:
        if dtype.element is None:
            return ""
        dtype = dtype.element
    return str(dtype.numpy_name)
