# SPDX-License-Identifier: Apache-2.0
"""What the first-order optimizers share: gradients, settings of a step, launches, states.

A step launches the Slang function that `Optimizer.update` names, once for each large parameter and
once for each 16 small ones (fused.py). Numbers that change with the step are a row of a small
tensor a parameter, so that the launches can be recorded once and repeated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from weft._native import ArgumentError, ArgumentTypeError, CommandEncoder, Function, Module, Tensor
from weft.optim.fused import Entry, FusedSteps, batches, can_be_fused
from weft.optim.gradient_norm import SHADERS, GradientNorm, run
from weft.optim.gradients import check_gradients, find_gradients
from weft.optim.parameters import (
    Parameter,
    Tensors,
    read_number,
    read_parameters,
    spread,
)
from weft.optim.schedules import Schedule, constant_rate
from weft.optim.states import owner_of_state

Rate: TypeAlias = "float | Schedule"
Rates: TypeAlias = "Rate | list[Rate] | Mapping[str, Rate]"
Bound: TypeAlias = "float | npt.ArrayLike | Tensor | None"
Bounds: TypeAlias = (
    "tuple[Bound, Bound] | list[tuple[Bound, Bound]] | Mapping[str, tuple[Bound, Bound]] | None"
)
Array: TypeAlias = "npt.NDArray[Any]"
Limits: TypeAlias = "tuple[Array | float, Array | float]"
State: TypeAlias = "dict[str, Any]"


class Optimizer:
    """Base of the optimizers that move each element on its own, along its gradient.

    A subclass names a Slang function and what it needs; docs/adding_an_optimiser.md shows one.

    Attributes:
        source: The Slang file.
        update: The function, called for each element of each parameter.
        structure: The generic structure of its settings, one value a step and parameter.
        moments: Names of the tensors that it keeps for each parameter, in the order of its
            arguments. They start at zero.
    """

    source: ClassVar[Path] = SHADERS / "optimisers.slang"
    update: str
    structure: str
    moments: tuple[str, ...]

    def __init__(
        self,
        parameters: Tensors,
        learning_rate: Rates,
        *,
        bounds: Bounds = None,
        clip_value: float | None = None,
        clip_norm: float | None = None,
    ) -> None:
        self._name = type(self).__name__
        self._parameters = read_parameters(self._name, parameters)
        self._schedules = spread(
            self._name, "learning_rate", learning_rate, self._parameters, convert=self._read_rate
        )
        if clip_value is not None and clip_norm is not None:
            raise ArgumentError(
                f"{self._name}: clip_value and clip_norm are both given; pass one of them"
            )
        for what, value in (("clip_value", clip_value), ("clip_norm", clip_norm)):
            if value is not None:
                read_number(self._name, what, value, 0.0, "pass for example 1.0")
        limits: list[Limits] = spread(
            self._name,
            "bounds",
            (None, None) if bounds is None else bounds,
            self._parameters,
            convert=self._read_bounds,
            absent=(-math.inf, math.inf),
        )
        self._step_count = 0
        self._commands: CommandEncoder | None = None
        self._recorded: list[Tensor] = []
        self._last_key: object = None
        self._create_tensors(limits, clip_value, clip_norm)

    @property
    def step_count(self) -> int:
        """Steps taken so far, from 0."""
        return self._step_count

    def settings(self, step: int, rates: Array) -> Mapping[str, float | Array]:
        """Return the fields of the settings for a step, each a number or one a parameter.

        Args:
            step: The number of the step, 0 for the first.
            rates: Learning rate of each parameter, float64.
        """
        raise NotImplementedError

    def step(self, gradients: Tensors | None = None) -> None:
        """Move the parameters once.

        Args:
            gradients: One tensor a parameter, of its shape and of any float type, in the same form
                as the parameters (one, a list, a dict by name); None takes each parameter's
                ``grad``.

        Raises:
            ArgumentError: A gradient is missing or does not fit, or a schedule gave no rate;
                nothing has changed.
        """
        function = f"{self._name}.step"
        found = find_gradients(function, self._parameters, gradients)
        same = len(self._recorded) == len(found) and all(map(_is, found, self._recorded))
        views = [] if same else check_gradients(function, self._parameters, found)
        rows = self._settings_rows()
        for group, table in zip(self._groups.values(), rows, strict=True):
            group.upload(table)
        if same and self._commands is not None:
            self._commands.submit()
        else:
            self._launch_new(found, views)
        self._step_count += 1

    def zero_grad(self) -> None:
        """Set the gradients that the parameters hold to zero; those without one are left alone."""
        for parameter in self._parameters:
            gradient = getattr(parameter.tensor, "grad", None)
            if gradient is not None:
                gradient.clear()

    def state_dict(self) -> State:
        """Return all that changes with the steps, except for the parameters.

        Returns:
            A flat dict of numpy arrays and plain values, so that ``numpy.savez(path, **state)``
            stores it. Restoring it goes on bit for bit.
        """
        state: State = {"optimizer": self._name, "step": self._step_count}
        for parameter, moments in zip(self._parameters, self._moments, strict=True):
            for name, moment in zip(self.moments, moments, strict=True):
                state[f"{name}/{parameter.name}"] = moment.to_numpy()
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of state_dict(), also as ``numpy.load(path)`` returns it.

        Raises:
            ArgumentError: It is of another optimizer, or of other parameters; nothing has changed.
        """
        arrays = self._check_state(state)
        for key, moment in arrays.items():
            moment.copy_from_numpy(np.asarray(state[key]))
        self._step_count = int(state["step"])

    def _read_rate(self, what: str, rate: Any) -> Schedule:  # noqa: ANN401
        if callable(rate):
            return cast("Schedule", rate)
        number = read_number(self._name, what, rate, 0.0, "pass for example 0.01 or a schedule")
        return constant_rate(number)

    def _read_bounds(self, what: str, pair: Any) -> Limits:  # noqa: ANN401
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentTypeError(
                f"{self._name}: {what} must be a tuple (lower, upper), got {type(pair).__name__}; "
                "None leaves a side open"
            )
        lower = np.asarray(-math.inf if pair[0] is None else pair[0], dtype=np.float64)
        upper = np.asarray(math.inf if pair[1] is None else pair[1], dtype=np.float64)
        if not np.all(lower <= upper):
            raise ArgumentError(
                f"{self._name}: {what} has a lower bound that is not below its upper one; swap them"
            )
        return lower, upper

    def _create_tensors(
        self,
        bounds: Sequence[Limits],
        clip_value: float | None,
        clip_norm: float | None,
    ) -> None:
        device = self._parameters[0].tensor.device
        module = Module.load_from_file(device, self.source, hot_reload=False)
        self._function: Function = getattr(module, self.update)
        self._moments = [
            [Tensor.zeros(device, p.scalars.shape, p.number) for _ in self.moments]
            for p in self._parameters
        ]
        self._groups = {
            number: _Group(module, self.structure, number, self._parameters, clip_value)
            for number in sorted({parameter.number for parameter in self._parameters})
        }
        self._bounds = [
            [self._bound_tensor(parameter, bound) for bound in pair]
            for parameter, pair in zip(self._parameters, bounds, strict=True)
        ]
        self._numbers = [
            (float(lower), float(upper)) if np.ndim(lower) == np.ndim(upper) == 0 else None
            for lower, upper in bounds
        ]
        self._fused = FusedSteps(
            device, self.source, self.update, self.structure, len(self.moments)
        )
        self._norm = None if clip_norm is None else self._create_norm(clip_norm)

    def _create_norm(self, clip_norm: float) -> GradientNorm:
        scales = [group.limits["scale"] for group in self._groups.values()]
        return GradientNorm(self._parameters, clip_norm, scales)

    def _bound_tensor(self, parameter: Parameter, bound: Array | float) -> Tensor:
        array = np.asarray(bound, dtype=parameter.number.replace("float", "float32"))
        shape = parameter.scalars.shape
        try:
            fits = np.broadcast_shapes(array.shape, shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise ArgumentError(
                f"{self._name}: bounds of parameter '{parameter.name}' have shape {array.shape}, "
                f"which does not broadcast to its shape {shape}"
            )
        return Tensor.from_numpy(parameter.tensor.device, array)

    def _settings_rows(self) -> list[Array]:
        step = self._step_count
        rates = np.array([schedule(step) for schedule in self._schedules], dtype=np.float64)
        fits = np.isfinite(rates) & (rates >= 0)
        if not fits.all():
            index = int(np.argmin(fits))
            raise ArgumentError(
                f"{self._name}.step: learning_rate of parameter '{self._parameters[index].name}' "
                f"is {rates[index]:g} at step {step}; a schedule must return a finite number of 0 "
                "or greater"
            )
        fields = self.settings(step, rates)
        return [group.rows(fields, len(rates)) for group in self._groups.values()]

    def _launch_new(self, gradients: list[Tensor], views: Sequence[Tensor]) -> None:
        """Run now; record for later only what has come twice, as new tensors may come each time."""
        key = [(view.address, view.strides, view.dtype) for view in views]
        if key != self._last_key:
            self._last_key, self._commands, self._recorded = key, None, []
            self._launch(views, None)
            return
        commands = self._parameters[0].tensor.device.create_command_encoder()
        self._launch(views, commands)
        self._commands, self._recorded = commands, gradients
        commands.submit()

    def _launch(self, gradients: Sequence[Tensor], commands: CommandEncoder | None) -> None:
        if self._norm is not None:
            self._norm.launch(gradients, commands)
        small = []
        for index, parameter in enumerate(self._parameters):
            gradient, bounds = gradients[index], self._numbers[index]
            if bounds is not None and can_be_fused(parameter, gradient):
                small.append(Entry(index, parameter, gradient, self._moments[index], bounds))
            elif parameter.scalars.size:
                self._launch_alone(index, gradient, commands)
        for batch in batches(small):
            if len(batch) == 1:
                self._launch_alone(batch[0].index, batch[0].gradient, commands)
            else:
                group = self._groups[batch[0].parameter.number]
                self._fused.launch(batch, group.settings, group.limits, commands)

    def _launch_alone(self, index: int, gradient: Tensor, commands: CommandEncoder | None) -> None:
        parameter = self._parameters[index]
        group = self._groups[parameter.number]
        run(
            commands,
            self._function,
            parameter.scalars,
            gradient,
            *self._moments[index],
            group.settings[index],
            group.limits,
            *self._bounds[index],
        )

    def _check_state(self, state: Mapping[str, Any]) -> dict[str, Tensor]:
        function = f"{self._name}.load_state_dict"
        owner = owner_of_state(state)
        if owner != self._name:
            raise ArgumentError(
                f"{function}: the state is of {owner}; make that optimizer, or pass a state of "
                "this one"
            )
        wanted = {
            f"{name}/{parameter.name}": moment
            for parameter, moments in zip(self._parameters, self._moments, strict=True)
            for name, moment in zip(self.moments, moments, strict=True)
        }
        differing = set(wanted) ^ (set(state) - {"optimizer", "optimiser", "step"})
        if differing or "step" not in state:
            raise ArgumentError(
                f"{function}: the state and this optimizer differ in "
                f"{', '.join(sorted(differing)) or 'step'}; make it with the same parameters"
            )
        for key, moment in wanted.items():
            array = np.asarray(state[key])
            expected = np.dtype(moment.dtype.numpy_name)
            if array.shape != moment.shape or array.dtype != expected:
                raise ArgumentError(
                    f"{function}: '{key}' must have shape {moment.shape} and dtype {expected}, got "
                    f"{array.shape} and {array.dtype}; make it with the same parameters"
                )
        return wanted


def _is(a: object, b: object) -> bool:
    return a is b


class _Group:
    """Settings and limits of all parameters whose arithmetic is in one type."""

    def __init__(
        self,
        module: Module,
        structure: str,
        number: str,
        parameters: Sequence[Parameter],
        clip_value: float | None,
    ) -> None:
        device = module.device
        self.settings = Tensor.zeros(device, (len(parameters),), module[f"{structure}<{number}>"])
        value = math.inf if clip_value is None else clip_value
        self.limits = {
            "value": Tensor.full(device, (), value, number),
            "scale": Tensor.ones(device, (), number),
        }
        self._dtype = self.settings.to_numpy().dtype
        self._uploaded = b""

    def rows(self, fields: Mapping[str, float | Array], count: int) -> Array:
        """Return the settings as a structured array."""
        table = np.zeros(count, self._dtype)
        for name, value in fields.items():
            table[name] = value
        return table

    def upload(self, table: Array) -> None:
        """Send the settings to the device unless they are there."""
        data = table.tobytes()
        if data != self._uploaded:
            self.settings.copy_from_numpy(table)
            self._uploaded = data
