# SPDX-License-Identifier: Apache-2.0
"""What the tests of a node template know of it: a reference, values to draw, what is refused."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft import lowering

if TYPE_CHECKING:
    from weft.lowering import Variable

Array = np.ndarray[Any, Any]
Draw = tuple[float, float] | Callable[[np.random.Generator, int], Array]
"""Ends of a uniform distribution, or what draws so many values: (N,), of vectors (N, k)."""

FOLDER = Path(weft.__file__).parent / "node_templates"
WIDE = (-4.0, 4.0)
SEED = "seed"
"""The parameter of which white noise takes the bits: a whole number, which nothing moves."""
FORMS = ("shader", "geometry", "compositor", "osl")


@dataclass(frozen=True)
class Case:
    """How one template is tested, with one value of each build parameter.

    Others are cases of their own: ``CASES`` has ``"hexagons"`` and ``"hexagons:rounded"``.

    Attributes:
        reference: An independent implementation in double precision, from the paper: takes arrays
            by the names of the parameters, (N,) or (N, k) of float64 or int64, numbers for those
            of `build`; returns an array, or of a structure a dict ``{"Result.field": array}``.
        draws: Of parameters; others are drawn from their ``[SoftRange]``, ``[Range]``, or -4 to 4.
        wrt: Parameters by which it is differentiated; () for a function without derivatives.
        gradient_draws: Where they are drawn from instead, to keep away from kinks.
        step: Of central differences, where results have fewer digits; None: a thousandth of values.
        build: Values of parameters that become part of a tree; of an enumeration the case's name
            in Slang, ``"Shape.Round"``, whose value is in `cases`.
        cases: Numbers of the cases that `build` names.
        refused: Forms that it cannot have, of ``FORMS``, with a piece of the sentence that says so.
        tolerance: Of max(1, abs), between the device and the reference.
        edges: Share of the points that may differ more: those that rounding puts on the other side
            of an edge. 0 unless the function has edges.
    """

    reference: Callable[..., Array | dict[str, Array]]
    draws: Mapping[str, Draw] = field(default_factory=dict)
    wrt: tuple[str, ...] = ()
    gradient_draws: Mapping[str, Draw] = field(default_factory=dict)
    step: float | None = None
    build: Mapping[str, object] = field(default_factory=dict)
    cases: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = 1e-4
    edges: float = 0.0


def files() -> list[Path]:
    """Return the files of all templates."""
    return sorted(FOLDER.glob("*/*.slang"))


def category_of(file: Path) -> Mapping[str, Case]:
    """Return ``CASES`` of ``references/<category>.py``, none where there is no such file."""
    name = f"templates.references.{file.parent.name}"
    try:
        cases: Mapping[str, Case] = importlib.import_module(name).CASES
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return {}
    return cases


def variants() -> list[tuple[Path, str]]:
    """Return the files with the names of their cases: ``hexagons``, ``hexagons:rounded``."""
    return [
        (file, name)
        for file in files()
        for name in sorted({file.stem, *category_of(file)})
        if name.partition(":")[0] == file.stem
    ]


def case_of(file: Path, name: str = "") -> Case:
    """Return how a template is tested, by the name of the case: the file's without one."""
    cases = category_of(file)
    assert file.stem in cases, f"{file.name} has no entry in references/{file.parent.name}.py"
    return cases[name or file.stem]


@functools.cache
def node_functions(file: Path) -> tuple[weft.FunctionInfo, ...]:
    """Return the functions of a file that are nodes."""
    found = lowering.source_info(file).functions
    return tuple(f for f in found if any(a.name == "Node" for a in f.attributes))


@functools.cache
def function_of(device: weft.Device, file: Path) -> weft.Function:
    """Return the template's function on a device."""
    function = weft.Module.load_from_file(device, file).find_function(node_functions(file)[0].name)
    assert function is not None
    return function


@functools.cache
def lowered(file: Path, name: str = "", **options: Any) -> weft.Lowered:
    """Lower a template with the values of a case's build parameters."""
    build = dict(case_of(file, name).build)
    return weft.lower(file, node_functions(file)[0].name, build=build, **options)


def graph_of(file: Path, name: str = "") -> weft.Lowered:
    """Return the graph of a template, which computes on the host."""
    return lowered(file, name, to="dag", blender=(5, 2))


def range_of(parameter: weft.Parameter) -> tuple[float, float]:
    """Return the range from which values of a parameter are drawn."""
    for name in ("SoftRange", "Range"):
        for attribute in parameter.attributes:
            if attribute.name == name:
                low, high = attribute.arguments
                return float(low), float(high)
    return WIDE


def drawn(
    variables: tuple[Variable, ...],
    parameters: Mapping[str, weft.Parameter],
    draws: Mapping[str, Draw],
    count: int,
    seed: int,
) -> dict[str, Array]:
    """Draw values of what ``Lowered.evaluate`` takes: float32, int32 or bool."""
    random = np.random.default_rng(seed)
    values: dict[str, Array] = {}
    for variable in variables:
        root = variable.name.partition(".")[0].partition("[")[0]
        draw = draws.get(variable.name, draws.get(root))
        shape = (count,) if variable.components == 1 else (count, variable.components)
        if callable(draw):
            array = np.asarray(draw(random, count)).reshape(shape)
        else:
            low, high = draw or range_of(parameters[root])
            if variable.scalar in ("int", "uint"):
                array = random.integers(int(low), int(high) + 1, shape)
            elif variable.scalar == "bool":
                array = random.integers(0, 2, shape)
            elif root == SEED:
                array = random.integers(int(low), int(high) + 1, shape)
            else:
                array = random.uniform(low, high, shape)
        kinds = {"float": np.float32, "half": np.float32, "bool": bool}
        values[variable.name] = array.astype(kinds.get(variable.scalar, np.int32))
    return values


EDGES = np.array([0, -0.0, 1, -1, 0.5, -0.5, 2, 1e-3, -1e-3, 1e-6, 7, -13, 100, -100], np.float32)


def with_edges(values: Mapping[str, Array], seed: int) -> dict[str, Array]:
    """Append rows in which numbers are 0, 1, halves, tiny or large, one parameter at a time."""
    random = np.random.default_rng(seed)
    appended = {name: [array] for name, array in values.items()}
    for chosen, array in values.items():
        if array.dtype != np.float32:
            continue
        picks = random.integers(0, len(array), len(EDGES))
        for name, others in values.items():
            rows = others[picks].copy()
            if name == chosen:
                rows[...] = EDGES if rows.ndim == 1 else EDGES[:, None]
            appended[name].append(rows)
    return {name: np.concatenate(arrays) for name, arrays in appended.items()}


def results_of(
    function: weft.Function, case: Case, values: Mapping[str, Array]
) -> dict[str, Array]:
    """Call a template on the device; fields of a structure are ``Result.field``."""
    found = function(**arguments_of(case), **nested(values), _result="numpy")
    names = np.asarray(found).dtype.names
    if names:
        return {f"Result.{name}": np.asarray(found[name]) for name in names}
    return {"Result": np.asarray(found)}


def arguments_of(case: Case) -> dict[str, Any]:
    """Return the values of build parameters as numbers."""
    return {
        name: case.cases[value] if isinstance(value, str) else value
        for name, value in case.build.items()
    }


def nested(values: Mapping[str, Array]) -> dict[str, Any]:
    """Return arguments of a call: structures as dicts of their fields."""
    arguments: dict[str, Any] = {}
    for name, array in values.items():
        *path, last = name.split(".")
        inside = arguments
        for part in path:
            inside = inside.setdefault(part, {})
        inside[last] = array
    return arguments


def expected_of(case: Case, values: Mapping[str, Array]) -> dict[str, Array]:
    """Return what the reference gives."""
    doubles = {
        name: array.astype(np.float64) if array.dtype == np.float32 else array.astype(np.int64)
        for name, array in values.items()
    }
    found = case.reference(**arguments_of(case), **nested(doubles))
    return found if isinstance(found, dict) else {"Result": found}


def movement(graph: weft.Lowered, values: Mapping[str, Array], units: int = 4) -> dict[str, Array]:
    """Return how far results go when inputs move by a few units in the last place."""
    random = np.random.default_rng(17)
    at = graph.evaluate(values)
    most = {name: np.zeros(array.shape) for name, array in at.items()}
    signs = {name: random.choice([-np.inf, np.inf], array.shape) for name, array in values.items()}
    for towards in (signs, {name: -sign for name, sign in signs.items()}, -np.inf, np.inf):
        moved = dict(values)
        for name, array in values.items():
            can_move = array.dtype == np.float32 and name != SEED
            way = np.float32(towards[name] if isinstance(towards, dict) else towards)
            for _ in range(units if can_move else 0):
                moved[name] = np.nextafter(moved[name], way)
        for name, there in graph.evaluate(moved).items():
            with np.errstate(invalid="ignore"):  # infinity less infinity
                distance = np.abs(there.astype(np.float64) - at[name].astype(np.float64))
            distance = np.where(np.isnan(distance), 0, distance)
            most[name] = np.maximum(most[name], distance)
    return most
