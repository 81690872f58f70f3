# SPDX-License-Identifier: Apache-2.0
"""Names of SlangPy's that mean nothing to Weft, or that a few lines express.

See docs/guide/porting.md.
"""

from __future__ import annotations

import enum
import logging
import math
from functools import partial
from typing import TYPE_CHECKING

from weft._native import ArgumentAttributeError, ArgumentTypeError, DiffPair, ValueRef

if TYPE_CHECKING:
    from weft._native import Function, Module, Struct, Type


class LogLevel(enum.IntEnum):
    """Levels of SlangPy's logger."""

    none = 0
    debug = 1
    info = 2
    warn = 3
    error = 4
    fatal = 5


_PYTHON_LEVELS = {
    LogLevel.none: logging.NOTSET,
    LogLevel.debug: logging.DEBUG,
    LogLevel.info: logging.INFO,
    LogLevel.warn: logging.WARNING,
    LogLevel.error: logging.ERROR,
    LogLevel.fatal: logging.CRITICAL,
}


class Logger:
    """What SlangPy's scripts give to modules, which Weft does not write to.

    Messages of the script itself go to :mod:`logging`.

    Args:
        level: Messages below it are dropped.
        name: Of the Python logger, "weft" if empty.
        use_default_outputs: No effect: outputs are those of :mod:`logging`.
    """

    def __init__(
        self,
        level: LogLevel = LogLevel.info,
        name: str = "",
        use_default_outputs: bool = True,
    ) -> None:
        self.level = level
        self.name = name
        self.use_default_outputs = use_default_outputs
        self._told: set[tuple[LogLevel, str]] = set()

    @staticmethod
    def get() -> Logger:
        """Return a logger with default settings."""
        return Logger()

    def __getattr__(self, name: str) -> object:
        """Say what stands for the outputs of SlangPy's loggers."""
        if name.endswith("_once") and hasattr(LogLevel, name.removesuffix("_once")):
            return partial(self._log_once, LogLevel[name.removesuffix("_once")])
        if "output" in name and not name.startswith("_"):
            raise ArgumentAttributeError(
                f"Logger.{name}: Weft has not this name of SlangPy's; "
                "add a handler to logging.getLogger('weft')"
            )
        raise AttributeError(f"'Logger' object has no attribute {name!r}")

    def _log_once(self, level: LogLevel, message: str) -> None:
        if (level, message) not in self._told:
            self._told.add((level, message))
            self.log(level, message)

    def log(self, level: LogLevel, message: str) -> None:
        """Pass a message on, unless it lies below the level."""
        if level >= self.level:
            logging.getLogger(self.name or "weft").log(_PYTHON_LEVELS[LogLevel(level)], message)

    def debug(self, message: str) -> None:
        """Log at the level debug."""
        self.log(LogLevel.debug, message)

    def info(self, message: str) -> None:
        """Log at the level info."""
        self.log(LogLevel.info, message)

    def warn(self, message: str) -> None:
        """Log at the level warn."""
        self.log(LogLevel.warn, message)

    def error(self, message: str) -> None:
        """Log at the level error."""
        self.log(LogLevel.error, message)

    def fatal(self, message: str) -> None:
        """Log at the level fatal."""
        self.log(LogLevel.fatal, message)


class BufferUsage(enum.IntFlag):
    """What SlangPy's buffers are for. Without effect: Weft's serve every purpose."""

    none = 0
    vertex_buffer = 1
    index_buffer = 2
    constant_buffer = 4
    shader_resource = 8
    unordered_access = 16
    indirect_argument = 32
    copy_source = 64
    copy_destination = 128
    acceleration_structure = 256
    acceleration_structure_build_input = 512
    shader_table = 1024
    shared = 2048


class MemoryType(enum.Enum):
    """Where SlangPy's buffers lie. Without effect: Weft's lie on the device."""

    device_local = 0
    upload = 1
    read_back = 2


class PrimType(enum.Enum):
    """Which half of a :class:`weft.DiffPair` is meant."""

    primal = 0
    derivative = 1

    @classmethod
    def _missing_(cls, value: object) -> PrimType:
        raise ArgumentTypeError(
            f"DiffPair: type must be a weft.PrimType, got {value!r}; pass weft.PrimType.primal or "
            "weft.PrimType.derivative"
        )


class Layout:
    """The types and functions of a module by name, as SlangPy's ``module.layout`` gives them.

    Args:
        module: Whose they are.
    """

    def __init__(self, module: Module) -> None:
        self.module = module

    def find_type_by_name(self, name: str) -> Struct | Type | None:
        """Return the type of that name, ``"Pixel"``, ``"float3"``, ``"Pair<int>"``, or None."""
        return self.module.find_struct(name)

    def require_type_by_name(self, name: str) -> Struct | Type:
        """Return the type that Slang calls so.

        Raises:
            ArgumentError: There is none; the message suggests near misses.
        """
        return self.module.require_struct(name)

    def find_function_by_name(self, name: str) -> Function | None:
        """Return the function, or None."""
        return self.module.find_function(name)

    def require_function_by_name(self, name: str) -> Function:
        """Return the function.

        Raises:
            ArgumentError: There is none; the message suggests near misses.
        """
        return self.module.require_function(name)

    def find_function_by_name_in_type(self, type: Struct | Type, name: str) -> Function | None:
        """Return the method of a structure, or None."""
        return self.module.find_function(f"{type.full_name}.{name}")


class Shape(tuple[int, ...]):
    """Extents or strides: a tuple with the methods of SlangPy's shapes.

    Args:
        extents: Integers, or one sequence of them.

    Raises:
        ArgumentTypeError: Something else.
    """

    __slots__ = ()

    def __new__(cls, *extents: object) -> Shape:
        """Take ``Shape(2, 3)``, ``Shape((2, 3))``."""
        given = (
            extents[0] if len(extents) == 1 and not hasattr(extents[0], "__index__") else extents
        )
        try:
            return super().__new__(cls, (entry.__index__() for entry in given))  # type: ignore[attr-defined]
        except (AttributeError, TypeError):
            raise ArgumentTypeError(
                f"Shape: extents must be integers, got {given!r}; pass for example Shape(4, 3)"
            ) from None

    def __eq__(self, other: object) -> bool:
        """Compare with a tuple or a list."""
        return super().__eq__(tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        """Compare with a tuple or a list."""
        return not self == other

    __hash__ = tuple.__hash__

    def __add__(self, other: object) -> Shape:
        """Return the shape with more extents behind it."""
        if not isinstance(other, (tuple, list)):
            return NotImplemented
        return Shape((*self, *other))

    def as_tuple(self) -> tuple[int, ...]:
        """Return a plain tuple."""
        return tuple(self)

    def as_list(self) -> list[int]:
        """Return a list."""
        return list(self)

    @property
    def element_count(self) -> int:
        """The product of the extents."""
        return math.prod(self)

    @property
    def valid(self) -> bool:
        """True: a shape of Weft is there."""
        return True

    @property
    def concrete(self) -> bool:
        """Whether every extent is known: no -1."""
        return -1 not in self

    def calc_contiguous_strides(self) -> Shape:
        """Return the strides in elements of row-major memory of this shape without gaps."""
        strides = []
        step = 1
        for extent in reversed(self):
            strides.append(step)
            step *= extent
        return Shape(reversed(strides))


def floatDiffPair(p: float = 0.0, d: float = 1.0, needs_grad: bool = True) -> DiffPair:
    """Return a :class:`weft.DiffPair` of two numbers, whose gradient starts as 1."""
    return DiffPair(float(p), float(d), needs_grad)


def floatRef(init_value: float = 0.0) -> ValueRef:
    """Return a :class:`weft.ValueRef` that holds a float."""
    return ValueRef(float(init_value))


def intRef(init_value: int = 0) -> ValueRef:
    """Return a :class:`weft.ValueRef` that holds an integer."""
    return ValueRef(int(init_value))
