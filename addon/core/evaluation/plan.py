# SPDX-License-Identifier: GPL-3.0-or-later
"""What a function takes and gives where the engine evaluates it on geometry.

A parameter is one or more inputs: a structure has one for each number or vector in it. An input
comes from a socket, which may carry a field, from the scene (frame, time, the object's matrix), or
is a whole array: an attribute of all elements, a file of numbers, an image.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import weft
from weft.lowering import Socket

from ..slang_nodes.given import asked_input
from ..slang_nodes.interface import RESULT, has, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weft import FunctionInfo
    from weft._native import Parameter, Type

DOMAINS = ("POINT", "EDGE", "FACE", "CORNER", "CURVE", "INSTANCE")
POSITION = "position"
ATTRIBUTE = "attribute:"

FIELDS = ("position", "normal", "index", "id")
"""What geometry has by itself."""
SCENE = ("frame", "time", "object")
"""What is the same for all elements."""
_BY_NAME = {
    ("position", "float3"): "position",
    ("normal", "float3"): "normal",
    ("index", "int"): "index",
    ("index", "uint"): "index",
    ("frame", "int"): "frame",
    ("frame", "float"): "frame",
    ("time", "float"): "time",
}
_VECTORS = (2, 3, 4)
_MATRIX = (4, 4)
_RANK_OF_IMAGES = 2


@dataclass(frozen=True)
class Value:
    """A number, vector or matrix in a parameter or a result.

    Args:
        name: With the path to it: ``cell.size``, ``Result``, ``Result.height``.
        path: The names of the fields below the parameter, or the result.
        scalar: numpy's name of its numbers: ``float32``, ``int32``, ``bool``, ...
        shape: ``()``, ``(3,)``, ``(4, 4)``.
        is_color: It is one.
        cases: Of an enumeration, names and values.
    """

    name: str
    path: tuple[str, ...]
    scalar: str
    shape: tuple[int, ...] = ()
    is_color: bool = False
    cases: tuple[tuple[str, int], ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it consists of integers."""
        return "int" in self.scalar

    @property
    def socket(self) -> str:
        """Blender's type of a socket for it."""
        if self.shape == _MATRIX:
            return "NodeSocketMatrix"
        if self.shape:
            is_color = self.is_color or self.shape == (4,)
            return "NodeSocketColor" if is_color else "NodeSocketVector"
        if self.scalar == "bool":
            return "NodeSocketBool"
        return "NodeSocketInt" if self.is_whole else "NodeSocketFloat"

    @property
    def attribute(self) -> str:
        """Blender's type of an attribute for it."""
        return {
            "NodeSocketMatrix": "FLOAT4X4",
            "NodeSocketColor": "FLOAT_COLOR",
            "NodeSocketVector": "FLOAT_VECTOR",
            "NodeSocketBool": "BOOLEAN",
            "NodeSocketInt": "INT",
            "NodeSocketFloat": "FLOAT",
        }[self.socket]


@dataclass(frozen=True)
class Input:
    """Where the values of a parameter come from.

    Args:
        parameter: Its name.
        value: Which number of it; of a whole array, one of its elements.
        source: ``socket``; ``ATTRIBUTE`` and a name: a socket that carries it at first; one of
            ``FIELDS`` or ``SCENE``, without a socket; of whole arrays ``file`` and ``image``.
        is_array: All elements go to each call.
        rank: Of a whole array: its dimensions.
    """

    parameter: str
    value: Value
    source: str = "socket"
    is_array: bool = False
    rank: int = 1

    @property
    def has_socket(self) -> bool:
        """Whether the node has a socket for it."""
        if self.is_array:
            return self.source in ("file", "image")
        return self.source not in (*FIELDS, *SCENE)  # modifiers know no implicit fields

    @property
    def is_stored(self) -> bool:
        """Whether a group stores it: it may have another value at each element."""
        return self.source not in (*SCENE, "file", "image")

    @property
    def attribute(self) -> str:
        """The attribute that is read unless something else is linked; ``""``: none."""
        is_named = self.source.startswith(ATTRIBUTE)
        return self.source.removeprefix(ATTRIBUTE) if is_named else ""


@dataclass(frozen=True)
class Output:
    """Where values go.

    Args:
        parameter: The name of an ``out`` or ``inout`` parameter; ``Result``.
        value: Which number of it.
        is_position: It moves the elements instead of being an output.
    """

    parameter: str
    value: Value
    is_position: bool = False


@dataclass(frozen=True)
class Plan:
    """A function as it is evaluated.

    Args:
        function: As Slang spells it: ``f``, ``f<float, 3>``.
        inputs: In the order of the parameters.
        outputs: What it returns first.
        domain: One of ``DOMAINS``.
        states: Parameters that hold what they became in the frame before.
    """

    function: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    domain: str = "POINT"
    states: frozenset[str] = field(default_factory=frozenset)

    @property
    def moves(self) -> bool:
        """Whether it gives positions."""
        return any(output.is_position for output in self.outputs)

    def uses(self, source: str) -> bool:
        """Return whether an input comes from this source."""
        return any(entry.source == source for entry in self.inputs)


def plan_for(function: FunctionInfo, spelled: str, domain: str = "POINT") -> Plan:
    """Return how a function is evaluated.

    Args:
        function: Its declaration.
        spelled: As Slang spells it.
        domain: One of ``DOMAINS``.

    Raises:
        ArgumentError: A parameter is of a type that no input can be.
    """
    if domain not in DOMAINS:
        message = f"'{function.name}': the domain is one of {', '.join(DOMAINS)}, got {domain!r}"
        raise weft.ArgumentError(message)
    _require_names(function)
    inputs: list[Input] = []
    outputs = list(_outputs(function, RESULT, function.return_type, has(function, "Color")))
    for parameter in function.parameters:
        direction = parameter.direction.name
        if direction != "out":
            inputs += _inputs(function, parameter)
        if direction != "in_":
            is_color = has(parameter, "Color")
            outputs += _outputs(function, parameter.name, parameter.type, is_color)
    if not outputs:
        message = f"'{function.name}' gives nothing: let it return a value or have out parameters"
        raise weft.ArgumentError(message)
    if any(output.is_position for output in outputs) and domain != "POINT":
        message = (
            f"'{function.name}' gives positions, which points have: choose the domain Point, or "
            "give the parameter another name than 'position'"
        )
        raise weft.ArgumentError(message)
    states = frozenset(_states(function))
    return Plan(spelled, tuple(inputs), tuple(outputs), domain, states)


def _require_names(function: FunctionInfo) -> None:
    """Refuse names that mean something else where a function is called."""
    for parameter in function.parameters:
        is_second = parameter.name == RESULT and function.return_type.name != "void"
        if (is_second and parameter.direction.name != "in_") or parameter.name == "_result":
            message = (
                f"'{function.name}': '{parameter.name}' is what its return value is called: give "
                "the parameter another name"
            )
            raise weft.ArgumentError(message)


def _states(function: FunctionInfo) -> Iterator[str]:
    """Return the parameters that hold what they became in the frame before."""
    for parameter in function.parameters:
        if not has(parameter, "State"):
            continue
        if parameter.direction.name != "inout":
            message = (
                f"'{function.name}': '{parameter.name}' is a [State]: write inout before its type"
            )
            raise weft.ArgumentError(message)
        yield parameter.name


def _inputs(function: FunctionInfo, parameter: Parameter) -> Iterator[Input]:
    source = source_of(parameter)
    kind = parameter.type.kind.name
    is_network = any(mark.name == "FromTensor" for mark in parameter.type.attributes)
    if is_network or kind in ("tensor", "resource", "other", "pointer"):
        yield _array(function, parameter, source)
        return
    is_color = has(parameter, "Color")
    for value in _values(function, parameter.name, parameter.name, parameter.type, (), is_color):
        if not value.path and not _fits(value, source):
            message = (
                f"'{function.name}': '{parameter.name}' is {parameter.type.name} and cannot be "
                f"'{source}', which is {_TYPES_OF[source]}"
            )
            raise weft.ArgumentError(message)
        yield Input(parameter.name, value, "socket" if value.path else source)


_TYPES_OF = {
    "position": "float3",
    "normal": "float3",
    "index": "int",
    "id": "int",
    "frame": "a number",
    "time": "a number",
    "object": "float4x4",
}


def _fits(value: Value, source: str) -> bool:
    """Return whether a parameter is of the type that a source has."""
    wanted = _TYPES_OF.get(source, "")
    if wanted == "float3":
        return value.shape == (3,)
    if wanted == "float4x4":
        return value.shape == _MATRIX
    return not wanted or (not value.shape and (wanted != "int" or value.is_whole))


def source_of(parameter: Parameter) -> str:
    """Return what a parameter says it comes from, itself or by its name."""
    said = text_of(parameter, "Source")
    if said.lower().startswith(ATTRIBUTE):
        return ATTRIBUTE + said[len(ATTRIBUTE) :].strip()
    if said.lower() in (*FIELDS, *SCENE, "image"):
        return said.lower()
    return _BY_NAME.get((parameter.name, parameter.type.name), "socket")


def _array(function: FunctionInfo, parameter: Parameter, source: str) -> Input:
    """Return the input that a tensor or buffer is.

    Raises:
        ArgumentError: The engine cannot give it, or it cannot have its source.
    """
    if parameter.type.full_name.startswith(("Texture", "Sampler", "RWTexture")):
        message = (
            f"'{function.name}': '{parameter.name}' is {parameter.type.full_name}, which the "
            "engine has not: write Tensor<float4, 2> and look it up by sample(uv)"
        )
        raise weft.ArgumentError(message)
    value = _value_of_element(parameter)
    rank = _rank_of(parameter.type)
    if source in FIELDS or source.startswith(ATTRIBUTE):
        if value.scalar == "bool":
            message = (
                f"'{function.name}': '{parameter.name}' is an array of bool, which devices lay out "
                f"each in their own way: write {parameter.type.full_name.replace('bool', 'int')}"
            )
            raise weft.ArgumentError(message)
        return Input(parameter.name, value, source, is_array=True)
    is_image = source == "image" or (rank == _RANK_OF_IMAGES and value.shape in ((3,), (4,)))
    if source != "socket" and not is_image:
        message = (
            f"'{function.name}': '{parameter.name}' is an array and cannot be '{source}': it may "
            "be Position, Normal, Index, ID or attribute:NAME, else it is read from a file"
        )
        raise weft.ArgumentError(message)
    kind = "image" if is_image else "file"
    return Input(parameter.name, value, kind, is_array=True, rank=rank)


def _value_of_element(parameter: Parameter) -> Value:
    """Return what an array holds of each element; numbers where the type does not say."""
    element = parameter.type.element
    if element is None:
        return Value(parameter.name, (), "float32", ())
    return Value(parameter.name, (), _scalar_of(element) or "float32", tuple(element.shape))


def _rank_of(kind: Type) -> int:
    """Return how many dimensions a tensor has: ``ITensor<float, 2>`` has two."""
    inner = kind.full_name.rstrip("> ").rpartition(",")[2].strip()
    return int(inner) if inner.isdigit() else 1


def _outputs(
    function: FunctionInfo, parameter: str, kind: Type, is_color: bool
) -> Iterator[Output]:
    if kind.name == "void":
        return
    for value in _values(function, parameter, parameter, kind, (), is_color):
        name = value.path[-1] if value.path else parameter
        yield Output(parameter, value, name == POSITION and value.shape == (3,))


def _values(
    function: FunctionInfo,
    parameter: str,
    name: str,
    kind: Type,
    path: tuple[str, ...],
    is_color: bool,
) -> Iterator[Value]:
    """Return the numbers, vectors and matrices of a type.

    Raises:
        ArgumentError: It consists of something else.
    """
    if kind.kind.name == "structure" and kind.fields:
        for entry in kind.fields:
            own = any(mark.name == "Color" for mark in entry.attributes)
            inner = f"{name}.{entry.name}"
            yield from _values(function, parameter, inner, entry.type, (*path, entry.name), own)
        return
    scalar = _scalar_of(kind)
    shape = tuple(kind.shape)
    if not _can_be_attribute(scalar, shape):
        message = (
            f"'{function.name}': '{name}' is {kind.full_name}, which no attribute holds: numbers, "
            "vectors of them, float4x4, structures of these, and arrays as Tensor<T, D> can be used"
        )
        raise weft.ArgumentError(message)
    yield Value(name, path, scalar, shape, is_color, tuple(kind.enumerators.items()))


def _can_be_attribute(scalar: str, shape: tuple[int, ...]) -> bool:
    is_known = shape in ((), _MATRIX) or (len(shape) == 1 and shape[0] in _VECTORS)
    return bool(scalar) and is_known and not (scalar == "bool" and shape)


def _scalar_of(kind: Type) -> str:
    """Return numpy's name of the numbers of a type; ``""``: it has none."""
    if kind.enumerators:
        return "int32"
    if kind.numpy_name:
        return str(kind.numpy_name)
    inner = kind.element
    return "" if inner is None else _scalar_of(inner)


def require_no_inputs(name: str, texts: Iterable[str]) -> None:
    """Refuse functions that ask a tree for its inputs: the engine would give them zeros.

    Args:
        name: Of the function.
        texts: Of the source and of what it imports.

    Raises:
        ArgumentError: One does.
    """
    asked = asked_input(texts)
    if asked:
        message = (
            f"'{name}': its source calls {asked}() of weft.inputs, which only trees have: "
            'take it as a parameter, such as float3 position or [Source("attribute:NAME")]'
        )
        raise weft.ArgumentError(message)


def sockets_of(plan: Plan, function: FunctionInfo) -> tuple[list[Socket], list[Socket]]:
    """Return the sockets of a plan's inputs and outputs, without those of the geometry."""
    parameters = {entry.name: entry for entry in function.parameters}
    inputs = [
        _socket(entry, parameters[entry.parameter]) for entry in plan.inputs if entry.has_socket
    ]
    outputs = [
        Socket(entry.value.name, entry.value.socket)
        for entry in plan.outputs
        if not entry.is_position
    ]
    return inputs, outputs


def _socket(entry: Input, parameter: Parameter) -> Socket:
    if entry.is_array:
        kind = "NodeSocketImage" if entry.source == "image" else "NodeSocketString"
        return Socket(entry.value.name, kind)
    low, high = _range(parameter)
    default = parameter.default
    is_plain = not entry.value.path and not entry.value.shape and default is not None
    return Socket(
        entry.value.name,
        entry.value.socket,
        default=float(default) if is_plain and default is not None else None,
        minimum=low,
        maximum=high,
        cases=dict(entry.value.cases),
    )


def _range(parameter: Parameter) -> tuple[float | None, float | None]:
    for entry in parameter.attributes:
        if entry.name == "Range":
            low, high = entry.arguments
            return float(low), float(high)
    return None, None
