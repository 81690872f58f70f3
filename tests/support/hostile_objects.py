# SPDX-License-Identifier: Apache-2.0
"""Objects that misbehave wherever native code asks them something.

Run as a script: sweeps one group of entry points.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import weft
from weft import _native

LONGEST_TEXT = 20_000
"""Characters that the text of an error may have."""


class HostileError(Exception):
    """What hostile objects raise."""


def _raise(*_args: object, **_named: object) -> Any:
    raise HostileError("raised by a hostile object")


RAISING = (
    *("__index__", "__float__", "__int__", "__bool__", "__len__", "__getitem__", "__iter__"),
    *("__array__", "__array_interface__", "__array_struct__", "__dlpack__", "__dlpack_device__"),
    *("__getattr__", "__fspath__", "__str__", "__repr__", "__eq__", "__hash__", "__complex__"),
    *(
        "get_this",
        "update_this",
        "__dataclass_fields__",
        "_fields",
        "type",
        "name",
        "keys",
        "shape",
    ),
    *(
        "__contains__",
        "__next__",
        "__call__",
        "__buffer__",
        "dtype",
        "detach",
        "value",
        "__class__",
    ),
)

WRONG = {
    "__index__": (None, 2.5, "x"),
    "__float__": (None, 1, "x"),
    "__len__": (-1, "x", 1 << 70),
    "__iter__": (None, 3),
    "__array__": (None, "x", 3),
    "__dlpack__": (None, 3, object()),
    "__dlpack_device__": (None, 3, ("a", "b"), (1 << 40, 0)),
    "__dataclass_fields__": (None, 3, {1: 2}, {"x": 1}),
    "_fields": (None, 3, (1,), ("absent",)),
    "__array_interface__": (None, {}, {"shape": (-3,), "typestr": "<f4", "version": 3}),
    "get_this": (None, "x", object()),
    "type": (3, "x"),
    "name": (3, "x"),
    "__fspath__": (3, b"\xff", "\ud800"),
    "__str__": (3,),
    "__repr__": (3,),
}


def _with(name: str, value: object) -> object:
    """An object whose attribute, or method if it is a special one, is `value`."""
    is_called = (
        name in WRONG and name.startswith("__") and not name.endswith(("fields__", "face__"))
    )
    is_called = is_called or name == "get_this"
    return type(f"With{name}", (), {name: (lambda *_a, **_k: value) if is_called else value})()


class _Emptying:
    """Empties what holds it while it is read."""

    def __init__(self, holder: Any) -> None:
        self.holder = holder

    def __index__(self) -> int:
        self.holder.clear()
        return 1

    def __getattr__(self, name: str) -> Any:
        self.__dict__["holder"].clear()
        raise AttributeError(name)


class _Growing(_Emptying):
    def __index__(self) -> int:
        if isinstance(self.holder, dict):
            self.holder.update({f"k{i}": i for i in range(200)})
        else:
            self.holder.extend(range(100))
        return 1


def _mutating() -> Iterator[tuple[str, object]]:
    for kind in (_Emptying, _Growing):
        rows: list[object] = []
        rows.extend([kind(rows), 2.0, weft.grid(1), [1.0] * 40])
        yield f"list with {kind.__name__}", rows
        fields: dict[str, object] = {}
        fields.update({"x": kind(fields), "y": np.zeros(3), "z": 2.0})
        yield f"dict with {kind.__name__}", fields
        records: list[object] = [{"x": 1.0, "y": 2.0}]
        records.extend([{"x": kind(records)}, {"x": 3.0}])
        yield f"list of dicts with {kind.__name__}", records


def _odd_classes() -> Iterator[tuple[str, object]]:
    for name in ("numpy.ndarray", "numpy.generic", "numpy.floating", "numpy.integer", "numpy.bool"):
        yield f"class called {name}", type(name, (), {})()
    yield "float32 that raises", type("Half", (np.float32,), {"__float__": _raise})(1)
    yield "int32 that raises", type("Whole", (np.int32,), {"__index__": _raise})(1)
    yield "list whose iterator raises", type("L", (list,), {"__iter__": _raise})([1.0])
    yield "str that raises", type("S", (str,), {"__hash__": _raise, "__eq__": _raise})("numpy")
    yield "tuple with fields", collections.namedtuple("T", ["x", "y"])(object(), 1)
    point = dataclasses.make_dataclass("Point", ["x", "y"])(1.0, 2.0)
    del point.x
    yield "dataclass without its field", point
    both = type("Both", (weft.Tensor, weft.ValueRef), {"__init__": lambda self: None})
    yield "class of two native classes", both


def _itself(name: str) -> object:
    """An object one of whose methods or attributes is the object."""
    is_called = name.startswith("__") or name == "get_this"
    member = (lambda self, *_a, **_k: self) if is_called else property(lambda self: self)
    return type(f"Own{name}", (), {name: member})()


@functools.cache
def _long_chains() -> tuple[object, object]:
    chain = weft.ValueRef(1.0)
    rows: object = [1.0]
    for _ in range(50_000):
        chain = weft.ValueRef(chain)
        rows = [rows]
    return chain, rows


def _holding_themselves() -> Iterator[tuple[str, object]]:
    """Objects that end no recursion, and chains that are longer than a stack is deep."""
    endless: list[object] = []
    endless.append(endless)
    circle: dict[str, object] = {}
    circle["x"] = circle
    reference = weft.ValueRef(None)
    reference.value = reference
    around = weft.ValueRef({"x": [1.0]})
    around.value["x"].append((around, [around]))
    yield from {
        "endless list": endless,
        "circle": circle,
        "list in a circle": [circle, endless],
        "reference to itself": reference,
        "reference to what holds it": around,
        "chain of references": _long_chains()[0],
        "deep rows": _long_chains()[1],
    }.items()
    for name in ("__getattr__", "__iter__", "__getitem__", "__index__", "__float__", "__array__"):
        yield f"{name} is itself", _itself(name)
    for name in ("__dlpack__", "get_this", "__next__", "shape", "dtype", "type", "_fields", "keys"):
        yield f"{name} is itself", _itself(name)


def _odd_values() -> Iterator[tuple[str, object]]:
    yield from _holding_themselves()
    yield from {
        "surrogate": "\ud800",
        "long text": "x" * 100_000,
        "long bytes": b"x" * 100,
        "zero byte": "a\0b",
        "huge integer": 10**40,
        "negative": -(2**63) - 1,
        "most": 2**63,
        "nan": float("nan"),
        "infinity": float("inf"),
        "complex": 1j,
        "objects": np.array([object(), None]),
        "texts": np.array(["a", "b"]),
        "dates": np.array(["2020-01-01"], "datetime64[D]"),
        "swapped": np.arange(3, dtype=">f4"),
        "long doubles": np.zeros(2, np.longdouble),
        "empty dict": {},
        "dict of numbers": {1: 2},
        "dict of surrogates": {"\ud800": 1},
        "none": None,
        "ellipsis": ...,
        "slice": slice("a", object(), 0),
        "class": weft.Tensor,
        "function": _raise,
        "generator": itertools.count,
        "set": {1, 2},
    }.items()


def _bare() -> Iterator[tuple[str, object]]:
    for name, kind in vars(_native).items():
        if isinstance(kind, type) and not issubclass(kind, BaseException):
            try:
                yield f"bare {name}", kind.__new__(kind)
            except TypeError:
                continue


def hostile() -> Iterator[tuple[str, object]]:
    """Every object with its name; made anew at each call."""
    for name in RAISING:
        is_value = name in ("shape", "type", "name", "dtype", "value", "__class__", "_fields")
        member = property(_raise) if is_value or name.endswith(("fields__", "face__")) else _raise
        yield f"raising {name}", type(f"Raising{name}", (), {name: member})()
    for name, values in WRONG.items():
        for value in values:
            yield f"{name} = {value!r}"[:60], _with(name, value)
    yield from _mutating()
    yield from _odd_classes()
    yield from _odd_values()
    yield from _bare()


SOURCE = """
struct P { float x; float y; };
[Differentiable] float square(float x) { return x * x; }
float add(float a, float b) { return a + b; }
float sum2(P p) { return p.x + p.y; }
void fill(out float x) { x = 1; }
float total(float v[3]) { return v[0] + v[1] + v[2]; }
int whole(int x) { return x; }
uniform float scale;
float scaled(float x) { return scale * x; }
[shader("compute")] [numthreads(1, 1, 1)] void entry(uint3 id : SV_DispatchThreadID) {}
"""

SKIPPED = {"close", "clear_cache", "__exit__", "__class__", "__init_subclass__", "__subclasshook__"}


def _methods(label: str, value: object) -> Iterator[tuple[str, Callable[..., object]]]:
    for name in dir(type(value)):
        is_ours = not name.startswith("__") or name in (
            *("__getitem__", "__setitem__", "__array__", "__dlpack__", "__eq__", "__call__"),
            *("__getattr__", "__setattr__"),
        )
        if is_ours and name not in SKIPPED:
            try:
                member = getattr(value, name)
            except weft.Error:
                continue
            if callable(member):
                yield f"{label}.{name}", member


def _class_members(kind: type) -> Iterator[tuple[str, Callable[..., object]]]:
    """Members called on the class: the first argument is the hostile one."""
    yield kind.__name__, kind
    for name, member in vars(kind).items():
        if isinstance(member, property):
            yield f"{kind.__name__}.{name}", lambda value, member=member: member.__get__(value)
        elif callable(getattr(kind, name, None)) and name not in SKIPPED | {"__new__", "__init__"}:
            yield f"{kind.__name__}.{name} of the class", getattr(kind, name)


def groups(device: weft.Device, module: weft.Module) -> dict[str, Callable[[], Iterator[Any]]]:
    """Entry points by group."""
    tensor = weft.Tensor.zeros(device, (3,))

    def functions() -> Iterator[Any]:
        for name, value in vars(weft).items():
            if callable(value) and not isinstance(value, type) and not name.startswith("_"):
                yield name, value

    def classes() -> Iterator[Any]:
        for kind in vars(_native).values():
            if isinstance(kind, type) and not issubclass(kind, BaseException):
                yield from _class_members(kind)

    def calls() -> Iterator[Any]:
        for name in ("square", "add", "sum2", "fill", "total", "whole", "scaled"):
            function = getattr(module, name)
            yield name, function
            yield f"{name} with a result", lambda x, function=function: function(1.0, _result=x)
            yield f"{name} in a dict", lambda x, function=function: function({"x": x, "y": 1.0})
            yield f"{name} in a list", lambda x, function=function: function([1.0, x])
            yield f"{name} twice", lambda x, function=function: function(x, x)
        yield "bwds", module.square.bwds
        yield "set", lambda x: module.scaled.set({"scale": x})(1.0)
        yield "vars", lambda x: module.entry.dispatch(1, vars=x)

    def objects() -> Iterator[Any]:
        yield from _methods("Function", module.square)
        yield from _methods("Module", module)
        yield from _methods("Device", device)
        yield from _methods("Tensor", tensor)
        yield from _methods("Type", weft.float3)
        yield from _methods("Struct", module.P)
        yield from _methods("Encoder", device.create_command_encoder())

    return {"functions": functions, "classes": classes, "calls": calls, "objects": objects}


def is_right(error: BaseException) -> bool:
    """An error of the object itself, of Weft, or of Python's own checks of arguments."""
    if isinstance(error, weft.InternalError | SystemError):
        return False
    if isinstance(error, weft.Error) and len(str(error)) > LONGEST_TEXT:
        return False
    return type(error) is not RuntimeError


def _forms(device: weft.Device, tensor: weft.Tensor, value: object) -> Iterator[tuple[object, ...]]:
    yield (value,)
    yield (value, value)
    yield (device, value)
    yield (device, value, value)
    yield (tensor, value)
    yield (device, "name", value)


def sweep(group: str, part: int, parts: int) -> list[str]:
    """What went wrong, and the name of each case before it begins (for crashes)."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        device = weft.create_device(cache_directory=folder)
        module = weft.Module.load_from_source(device, "hostile", SOURCE)
        tensor = weft.Tensor.zeros(device, (3,))
        entries = list(groups(device, module)[group]())
        for name, entry in entries[part::parts]:
            for form in range(1 if group == "calls" else 6):
                for what, value in hostile():
                    print(f"at {name}, form {form}, {what}", flush=True)
                    arguments = list(_forms(device, tensor, value))[form]
                    try:
                        entry(*arguments)
                    except BaseException as error:
                        if not is_right(error):
                            text = str(error)[:200]
                            wrong.append(f"{name}, form {form}, {what}: {type(error)} {text}")
        device.close()
    return wrong


if __name__ == "__main__":
    failures = sweep(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    print("\n".join(f"wrong: {failure}" for failure in failures))
    sys.exit(1 if failures else 0)
