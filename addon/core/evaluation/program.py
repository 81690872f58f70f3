# SPDX-License-Identifier: GPL-3.0-or-later
"""A function on a device, called with one array an input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import weft

from .converting import as_attribute, as_taken, first_bad
from .plan import POSITION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..slang_nodes.sources import Source
    from .plan import Output, Plan


@dataclass(frozen=True)
class Results:
    """What an evaluation gave.

    Args:
        values: By the names of the outputs, as attributes hold them.
        notes: Sentences about values that are not finite.
        states: What states became, in their own type.
    """

    values: dict[str, NDArray[Any]]
    notes: tuple[str, ...] = ()
    states: dict[str, NDArray[Any]] = field(default_factory=dict)


@dataclass
class Program:
    """A compiled function.

    Args:
        plan: Of it.
        function: Of a module on a device.
        evaluations: How often it ran.
    """

    plan: Plan
    function: Any
    evaluations: int = field(default=0)

    def evaluate(
        self,
        inputs: Mapping[str, Any],
        count: int,
        positions: NDArray[np.float32] | None = None,
    ) -> Results:
        """Evaluate the function for all elements.

        Args:
            inputs: By the names of the plan's inputs: one value (a number, a tuple, a matrix) or an
                array of one for each element; whole arrays as they are.
            count: Of the elements.
            positions: What elements keep whose new position is not finite.

        Raises:
            ArgumentError: An input does not fit.
            CompileError: The kernel cannot be compiled.
            DeviceError: The device failed.
        """
        outputs = self.plan.outputs
        if not count:
            empty = {one.value.name: _nothing(one) for one in outputs}
            return Results(empty, states=empty)
        arguments, given = self._arguments(inputs, count)
        answer = self.function(**arguments, _result="numpy")
        self.evaluations += 1
        raw = self._answers(answer, given)
        values, notes, states = {}, [], {}
        for output in outputs:
            own = _at(raw[output.parameter], output.value.path)
            rows = as_attribute(own, output.value, count)
            bad, first = first_bad(rows)
            if bad:
                notes.append(self._sentence(output, bad, first, count, positions is not None))
            if bad and output.is_position and positions is not None:
                is_good = np.isfinite(rows).all(axis=1, keepdims=True)
                rows = np.where(is_good, rows, positions)
            values[output.value.name] = rows
            if output.parameter in self.plan.states:
                states[output.value.name] = rows if output.is_position else own
        return Results(values, tuple(notes), states)

    def _sentence(
        self, output: Output, bad: int, first: int, count: int, has_positions: bool
    ) -> str:
        name = self.plan.function.partition("<")[0]
        rest = "; they keep their old position" if output.is_position and has_positions else ""
        what = POSITION if output.is_position else output.value.name
        return (
            f"'{name}' gave NaN or infinity for '{what}' at {bad} of {count} elements, the first "
            f"is {first}{rest}"
        )

    def _arguments(
        self, inputs: Mapping[str, Any], count: int
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what the function is called with, and those of it that it changes."""
        changed = {output.parameter for output in self.plan.outputs}
        arguments: dict[str, Any] = {}
        given: dict[str, Any] = {}
        for entry in self.plan.inputs:
            value = inputs[entry.value.name]
            if not entry.is_array or entry.is_stored:
                value = as_taken(value, entry.value)
            if entry.parameter in changed:
                # It changes in place: the caller's array, or one that all elements share, may not.
                value = np.array(np.broadcast_to(value, (count, *entry.value.shape)))
            elif not entry.is_array and value.shape == entry.value.shape:
                value = value.item() if not value.shape else value
            _put(arguments, (entry.parameter, *entry.value.path), value)
        for name in changed & arguments.keys():
            given[name] = arguments[name]
        return arguments, given

    def _answers(self, answer: Any, given: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401
        """Return what was returned and what ``out`` parameters are, by name."""
        names = list(dict.fromkeys(output.parameter for output in self.plan.outputs))
        returned = [name for name in names if name not in given]
        parts = answer if len(returned) > 1 else (answer,)
        found = dict(given)
        if returned:
            found.update(zip(returned, parts, strict=True))
        return found


def _nothing(output: Output) -> NDArray[Any]:
    return as_attribute(np.empty((0, *output.value.shape), output.value.scalar), output.value, 0)


def _at(value: Any, path: tuple[str, ...]) -> NDArray[Any]:  # noqa: ANN401
    """Return what a structure holds at a path."""
    for name in path:
        value = value[name]
    return np.asarray(value)


def _put(arguments: dict[str, Any], path: tuple[str, ...], value: object) -> None:
    """Set what a structure holds at a path."""
    for name in path[:-1]:
        arguments = arguments.setdefault(name, {})
    arguments[path[-1]] = value


def compile_program(device: weft.Device, source: Source, plan: Plan) -> Program:
    """Load a function's module.

    Raises:
        CompileError: It does not compile.
        ArgumentError: The function is gone.
    """
    options: dict[str, object] = {"include_paths": [str(folder) for folder in source.folders]}
    if source.path is not None:
        module = weft.Module.load_from_file(device, source.path, options, hot_reload=False)
    else:
        module = weft.Module.load_from_source(device, source.title, source.text or "", options)
    return Program(plan, module[plan.function])
