# SPDX-License-Identifier: Apache-2.0
"""The stub of the native module names what the module has, and nothing else."""

import ast
import enum
import inspect
from pathlib import Path

import pytest

import weft
from weft import _native

STUB = ast.parse((Path(weft.__file__).parent / "_native.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def declared_names(body):
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield node.targets[0].id


def is_public(name):
    return not name.startswith("_")


def test_the_stub_names_everything_in_the_module():
    real = {
        name
        for name, value in vars(_native).items()
        if is_public(name) and not inspect.ismodule(value)
    }

    assert set(filter(is_public, declared_names(STUB.body))) == real


@pytest.mark.parametrize("name", sorted(filter(is_public, CLASSES)))
def test_the_stub_names_every_member_of_a_class(name):
    real = getattr(_native, name)
    declared = set(declared_names(CLASSES[name].body))

    if issubclass(real, enum.Enum):
        assert declared == set(real.__members__)
        return
    assert set(filter(is_public, declared)) == set(filter(is_public, vars(real)))
    assert [member for member in declared if not hasattr(real, member)] == []
