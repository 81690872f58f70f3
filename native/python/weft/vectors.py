# SPDX-License-Identifier: Apache-2.0
"""Values of Slang's vector types, as ``weft.float3(1, 2, 3)`` and calls give them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, NoReturn, SupportsFloat, SupportsIndex, cast

from weft._native import ArgumentError, ArgumentTypeError, Type, find_type

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

Number = int | float | bool
Operation = Callable[[Number, Number], Number]


def _truncated(a: Number, b: Number) -> Number:
    """Divide as Slang divides integers: towards zero."""
    quotient = abs(int(a)) // abs(int(b))
    return quotient if (a < 0) == (b < 0) else -quotient


class Vector(tuple[Number, ...]):
    """A value of a vector type: a tuple of numbers that computes component by component.

    Its fields are ``x``, ``y``, ``z`` and ``w``, also called ``r``, ``g``, ``b`` and ``a``. ``+``,
    ``-``, ``*`` and ``/`` take a vector of the same type, a sequence of as many numbers, or one
    number for all components. Integers are divided as in Slang, towards zero. ``==`` compares all
    components, also with a tuple. ``numpy.asarray(v)`` has the vector's own scalars.

    Components are rounded to the type: ``weft.float3(0.1).x`` is ``0.10000000149011612``.

    Example:
        >>> import weft
        >>> a = weft.float3(1, 2, 3)
        >>> a * 2 + a.x
        float3(3.0, 5.0, 7.0)

    Raises:
        ArgumentError: A component does not fit the type.
        ArgumentTypeError: A component is no number, or an operand has another type.
    """

    __slots__ = ()

    type: ClassVar[Type]
    """The Slang type."""

    # pylint: disable=missing-function-docstring
    @property
    def x(self) -> Number:
        """The first component, also ``r``."""
        return self[0]

    @property
    def y(self) -> Number:
        """The second component, also ``g``."""
        return self._field("y", 1)

    @property
    def z(self) -> Number:
        """The third component, also ``b``."""
        return self._field("z", 2)

    @property
    def w(self) -> Number:
        """The fourth component, also ``a``."""
        return self._field("w", 3)

    r, g, b, a = x, y, z, w

    def _field(self, name: str, index: int) -> Number:
        if index >= len(self):
            raise AttributeError(
                f"{self.type.name} has no component '{name}'; it has {'xyzw'[: len(self)]}"
            )
        return self[index]

    def _refuse(self, symbol: str, other: object) -> NoReturn:
        raise ArgumentTypeError(
            f"{self.type.name} {symbol}: expected a {self.type.name}, {len(self)} numbers or one "
            f"number, got {_description(other)}; convert it with weft.{self.type.name}(...)"
        )

    def _operand(self, other: object, symbol: str) -> Sequence[Number] | None:
        """The components of an operand; None: it is no operand of a vector."""
        if isinstance(other, Vector):
            return other if other.type == self.type else self._refuse(symbol, other)
        if isinstance(other, (int, float)):
            is_whole = isinstance(other, int) or _is_real(self.type)
            return [other] * len(self) if is_whole else self._refuse(symbol, other)
        if isinstance(other, (tuple, list)):
            return other if len(other) == len(self) else self._refuse(symbol, other)
        if hasattr(other, "__array__") or hasattr(other, "__len__"):
            return None
        if isinstance(other, (SupportsFloat, SupportsIndex)):
            return [float(other) if isinstance(other, SupportsFloat) else int(other)] * len(self)
        return None

    def _combined(
        self, other: object, operation: Operation, symbol: str, *, is_reflected: bool = False
    ) -> Vector:
        given = self._operand(other, symbol)
        if given is None:
            return cast("Vector", NotImplemented)
        pairs = zip(given, self, strict=True) if is_reflected else zip(self, given, strict=True)
        try:
            return type(self)(*[operation(a, b) for a, b in pairs])
        except TypeError:
            self._refuse(symbol, other)

    def _quotient(self, other: object, *, is_reflected: bool = False) -> Vector:
        divide = operator.truediv if _is_real(self.type) else _truncated
        try:
            return self._combined(other, divide, "/", is_reflected=is_reflected)
        except ZeroDivisionError:
            divide = _ieee_quotient
            if not _is_real(self.type):
                raise
            return self._combined(other, divide, "/", is_reflected=is_reflected)

    def __new__(cls, *components: object) -> Vector:
        """Make a value of as many numbers as the type has components, of one, or of a sequence."""
        return tuple.__new__(cls, _components(cls.type, components))

    def __getnewargs__(self) -> tuple[Number, ...]:
        """What makes it again."""
        return tuple(self)

    def __reduce__(self) -> tuple[Callable[..., Vector], tuple[object, ...]]:
        """Pickle it by the name of its type."""
        return _made_again, (self.type.name, *self)

    def __add__(self, other: object) -> Vector:
        """Add component by component."""
        return self._combined(other, operator.add, "+")

    def __radd__(self, other: object) -> Vector:
        """Add component by component."""
        return self._combined(other, operator.add, "+", is_reflected=True)

    def __sub__(self, other: object) -> Vector:
        """Subtract component by component."""
        return self._combined(other, operator.sub, "-")

    def __rsub__(self, other: object) -> Vector:
        """Subtract component by component."""
        return self._combined(other, operator.sub, "-", is_reflected=True)

    def __mul__(self, other: object) -> Vector:
        """Multiply component by component."""
        return self._combined(other, operator.mul, "*")

    def __rmul__(self, other: object) -> Vector:
        """Multiply component by component."""
        return self._combined(other, operator.mul, "*", is_reflected=True)

    def __truediv__(self, other: object) -> Vector:
        """Divide component by component."""
        return self._quotient(other)

    def __rtruediv__(self, other: object) -> Vector:
        """Divide component by component."""
        return self._quotient(other, is_reflected=True)

    def __neg__(self) -> Vector:
        """Negate each component."""
        return type(self)(*[-entry for entry in self])

    def __pos__(self) -> Vector:
        """The value itself."""
        return self

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> NDArray[np.generic]:
        """Return an array of the vector's scalars, shape ``(n,)``."""
        import numpy as np

        element = self.type.element
        assert element is not None
        values = np.array(tuple(self), element.numpy_name)
        return values if dtype is None else values.astype(dtype)

    def __repr__(self) -> str:
        """``float3(1.0, 2.0, 3.0)``."""
        return f"{self.type.name}({', '.join(repr(entry) for entry in self)})"


if TYPE_CHECKING:

    class VectorType(Type):
        """A type whose values are vectors, for type checkers."""

        def __call__(self, *components: object) -> Vector:
            """Make a value."""


def _ieee_quotient(a: Number, b: Number) -> Number:
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _is_real(kind: Type) -> bool:
    element = kind.element
    return element is not None and (element.numpy_name or "").startswith("float")


def _description(value: object) -> str:
    if isinstance(value, Vector):
        return value.type.name
    if isinstance(value, (tuple, list)):
        return f"{len(value)} numbers" if value else "an empty sequence"
    return type(value).__name__


def _components(kind: Type, given: tuple[object, ...]) -> list[Number]:
    count = kind.shape[0]
    if len(given) == 1 and not isinstance(given[0], (int, float, str, bytes)):
        entries = given[0]
        given = tuple(entries) if hasattr(entries, "__len__") else (entries,)  # type: ignore[arg-type]
        if len(given) != count and hasattr(entries, "__len__"):
            raise ArgumentError(f"{kind.name}: takes 1 or {count} numbers, got {len(given)}")
    if len(given) not in (1, count):
        raise ArgumentError(f"{kind.name}: takes 1 or {count} numbers, got {len(given)}")
    element = kind.element
    assert element is not None
    numbers = [_converted(element, kind.name, entry) for entry in given]
    return numbers if len(numbers) == count else numbers * count


def _converted(element: Type, name: str, value: object) -> Number:
    numpy_name = element.numpy_name or ""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        if numpy_name == "bool":
            return bool(value)
        if numpy_name.startswith("float"):
            return _rounded(float(cast("SupportsFloat", value)), numpy_name, name)
        number = value if isinstance(value, int) else int(cast("SupportsIndex", value))
    except ArgumentError:
        raise
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(
            f"{name}: a component must be a number, got {type(value).__name__}"
        ) from error
    except OverflowError:
        raise ArgumentError(f"{name}: a component is {value}, which no integer holds") from None
    _require_within(numpy_name, name, number)
    return int(number)


def _require_within(numpy_name: str, name: str, number: int) -> None:
    """Refuse a number that an integer of numpy's name does not hold."""
    bits = int(numpy_name.lstrip("uint"))
    low, high = (0, 1 << bits) if numpy_name.startswith("u") else (-1 << bits - 1, 1 << bits - 1)
    if not low <= number < high:
        raise ArgumentError(
            f"{name}: a component holds {low} to {high - 1}, got one of "
            f"{number.bit_length()} bits; take a wider type"
        )


def _rounded(number: float, numpy_name: str, name: str) -> float:
    import struct

    letter = {"float16": "<e", "float32": "<f"}.get(numpy_name)
    if letter is None:
        return number
    try:
        return cast("float", struct.unpack(letter, struct.pack(letter, number))[0])
    except OverflowError:
        raise ArgumentError(
            f"{name}: {number} is beyond what its components hold; take a wider type"
        ) from None


_classes: dict[str, type[Vector]] = {}


def vector_class(kind: Type) -> type[Vector]:
    """Return the class of the values of a vector type."""
    found = _classes.get(kind.full_name)
    if found is None:
        members = {"type": kind, "__slots__": (), "__module__": "weft", "__doc__": Vector.__doc__}
        found = _classes.setdefault(
            kind.full_name, cast("type[Vector]", type(kind.name, (Vector,), members))
        )
    return found


def from_components(kind: Type, components: tuple[Number, ...]) -> Vector:
    """Return a value of numbers that are rounded to the type already."""
    return tuple.__new__(vector_class(kind), components)


def _made_again(name: str, *components: Number) -> Vector:
    return vector_class(find_type(name))(*components)
