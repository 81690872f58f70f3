# SPDX-License-Identifier: Apache-2.0
"""No object of Python, however it behaves, ends the process or gets an error that says nothing."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import weft

SCRIPT = Path(__file__).parents[1] / "support" / "hostile_objects.py"

PARTS = {"functions": 1, "classes": 2, "calls": 2, "objects": 2}


class OwnError(Exception):
    """What the objects of these tests raise."""


def raising(name):
    """An object whose special method `name` raises."""

    def method(*_args):
        raise OwnError(name)

    return type("Raising", (), {name: method})()


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(
        device,
        "hostile",
        """
        struct P { float x; float y; };
        float add(float a, float b) { return a + b; }
        float whole(int a) { return a; }
        float sum2(P p) { return p.x + p.y; }
        float total(float v[3]) { return v[0] + v[1] + v[2]; }
        """,
    )


@pytest.mark.sweep(8)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "part"), [(group, part) for group, count in PARTS.items() for part in range(count)]
)
def test_hostile_objects_get_errors_at_every_entry_point(group, part):
    sweep(group, str(part), str(PARTS[group]))


def sweep(*arguments):
    """Fail unless a process of its own ends well with no wrong line."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        capture_output=True,
        text=True,
        timeout=540,
        check=False,
    )

    lines = done.stdout.splitlines()
    wrong = [line for line in lines if line.startswith("wrong:")]
    assert wrong == []
    assert done.returncode == 0, f"{lines[-1:]} ended the process: {done.stderr[-2000:]}"


@pytest.mark.parametrize("name", ["__index__", "__float__"])
@pytest.mark.parametrize("place", ["argument", "keyword", "dict", "list", "nested list", "_result"])
def test_what_a_number_raises_reaches_the_caller(module, name, place):
    value = raising(name)
    calls = {
        "argument": lambda: module.add(value, 1.0),
        "keyword": lambda: module.add(a=value, b=1.0),
        "dict": lambda: module.sum2({"x": value, "y": 1.0}),
        "list": lambda: module.total([1.0, value, 2.0]),
        "nested list": lambda: module.add([[1.0, value]], 1.0),
        "_result": lambda: module.add(1.0, 1.0, _result=value),
    }

    with pytest.raises(OwnError, match=name):
        calls[place]()
    assert module.add(1.0, 2.0) == 3.0


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.uint8])
@pytest.mark.parametrize("name", ["__index__", "__float__"])
def test_numpy_scalars_that_raise_reach_the_caller(module, kind, name):
    def method(_self):
        raise OwnError(name)

    value = type("Scalar", (kind,), {name: method})(1)
    try:
        assert module.add(value, 1.0) == 2.0  # not asked
    except OwnError:
        pass
    assert module.add(1.0, 2.0) == 3.0


def test_arrays_elsewhere_say_how_to_bring_them(module):
    class Lazy:
        def __array__(self, dtype=None, copy=None):
            return np.ones(3, np.float32)

        def __index__(self):
            raise OwnError("an array of three")

    with pytest.raises(weft.ArgumentTypeError, match=r"add: argument 'a'.*Lazy.*numpy\.asarray"):
        module.add(a=Lazy(), b=1.0)


def test_lists_and_dicts_that_change_while_they_are_read_are_refused(module):
    class Emptying:
        def __init__(self, holder):
            self.holder = holder

        def __index__(self):
            self.holder.clear()
            return 1

    rows: list[object] = []
    rows.extend([Emptying(rows), *([2.0] * 50)])
    fields: dict[str, object] = {}
    fields.update({"x": Emptying(fields), "y": 1.0})

    with pytest.raises(weft.ArgumentError, match=r"add: argument 1.*changed while it was read"):
        module.add(rows, 1.0)
    with pytest.raises(weft.ArgumentError, match=r"sum2: argument 1.*changed while it was read"):
        module.sum2(fields)


def test_a_reference_to_itself_is_refused(module):
    reference = weft.ValueRef(None)
    reference.value = reference

    with pytest.raises(weft.ArgumentError, match=r"may hold itself"):
        module.add(reference, 1.0)


def test_texts_of_references_are_bounded():
    reference = weft.ValueRef(None)
    reference.value = reference
    other = weft.ValueRef([reference])
    reference.value = {"a": (other, other)}
    chain = weft.ValueRef(1.0)
    for _ in range(300_000):
        chain = weft.ValueRef(chain)

    assert repr(weft.ValueRef(2.0)) == "ValueRef(2.0)"
    assert len(repr(reference)) < 1_000_000
    assert repr(chain).startswith("ValueRef(ValueRef(")
    assert "..." in repr(chain)
    with pytest.raises(weft.ArgumentTypeError):
        weft.call_id(reference)
    del chain  # one by one, and not by recursion


BOUND = [
    kind
    for kind in vars(weft._native).values()
    if isinstance(kind, type) and not issubclass(kind, BaseException)
]


@pytest.mark.parametrize("kind", BOUND, ids=lambda kind: kind.__name__)
def test_objects_made_without_init_are_refused_wherever_they_go(module, kind):
    try:
        bare = kind.__new__(kind)
    except TypeError:
        return  # enumerations: there is no such object
    for name in dir(kind):
        if isinstance(inspect.getattr_static(kind, name), property):
            with pytest.raises(weft.ArgumentTypeError, match="__init__ has not run"):
                getattr(bare, name)
    with pytest.raises((weft.ArgumentError, weft.ArgumentTypeError)):
        module.add(bare, 1.0)


def test_a_subclass_may_not_use_its_base_before_init(device):
    class Early(weft.Tensor):
        def __init__(self, device):
            with pytest.raises(weft.ArgumentTypeError, match="__init__ has not run"):
                _ = self.shape
            super().__init__(device, shape=(2,))

    assert Early(device).shape == (2,)


def test_a_subclass_of_two_native_classes_is_read_as_what_it_is(device, module):
    class Both(weft.Tensor, weft.ValueRef):
        def __init__(self):
            weft.Tensor.__init__(self, device, shape=(2,))
            weft.ValueRef.__init__(self, 1.0)

    assert module.add(Both(), 1.0, _result="numpy").tolist() == [1.0, 1.0]


def test_a_class_called_like_numpys_is_not_an_array(module):
    with pytest.raises(weft.ArgumentTypeError, match=r"numpy\.ndarray"):
        module.add(type("numpy.ndarray", (), {})(), 1.0)


def test_texts_of_errors_are_bounded_and_keep_both_ends(device, module):
    name = "ä" * 5_000_000

    with pytest.raises(weft.ArgumentError) as caught:
        getattr(module, name)

    text = str(caught.value)
    assert len(text) < 20_000
    assert text.startswith("module 'hostile' has no function or type")
    assert "bytes left out" in text
