# SPDX-License-Identifier: Apache-2.0
"""The stub of the native module names what the module has, and nothing else."""

import ast
import enum
import inspect
from pathlib import Path

import pytest

import weft
from dev import stub_docstrings
from weft import _native

STUB_FILE = Path(weft.__file__).parent / "_native.pyi"
STUB = ast.parse(STUB_FILE.read_text(encoding="utf-8"))
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
    # What stands for a name of SlangPy refuses it, and is no member.
    members = {member for member in vars(real) if hasattr(real, member)}
    assert set(filter(is_public, declared)) == set(filter(is_public, members))
    # Classes whose attributes a slot of C finds show no __getattr__.
    has_slot = real.__getattribute__ is not object.__getattribute__
    missing = [member for member in declared if not hasattr(real, member)]
    assert missing == (["__getattr__"] if has_slot and missing else [])


# What they are is decided by Slang sources, or by the value that was put in.
ANY_BY_NATURE = {
    "DiffPair.get",
    "DiffPair.grad",
    "DiffPair.primal",
    "Function.__call__",
    "Function.call",
    "Module.__getattr__",
    "Module.__getitem__",
    "Namespace.__getattr__",
    "Namespace.__getitem__",
    "Struct.__call__",
    "Struct.__getattr__",
    "Struct.__getitem__",
    "Tensor.item",
    "ValueRef.value",
}


def is_any(node):
    return node is not None and ast.unparse(node) in ("typing.Any", "Any")


def annotations(node):
    """What a definition returns and takes, or what a variable is."""
    if isinstance(node, ast.AnnAssign):
        return [node.annotation]
    given = node.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [node.returns, *(entry.annotation for entry in named if entry)]


def public_definitions(body, prefix=""):
    for node in body:
        if isinstance(node, ast.ClassDef) and is_public(node.name):
            yield from public_definitions(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield f"{prefix}{node.name}", node
        elif isinstance(node, ast.AnnAssign):
            yield f"{prefix}{node.target.id}", node


def test_any_stands_only_where_nobody_can_know():
    found = {
        name
        for name, node in public_definitions(STUB.body)
        if any(is_any(entry) for entry in annotations(node))
    }

    assert found == ANY_BY_NATURE


def test_every_public_definition_has_types():
    untyped = [
        name
        for name, node in public_definitions(STUB.body)
        if isinstance(node, ast.FunctionDef) and node.returns is None
    ]

    assert untyped == []


def test_the_texts_of_the_stub_are_those_of_the_bindings(capsys):
    status = stub_docstrings.main(STUB_FILE, fix=False)

    assert capsys.readouterr().out == ""
    assert status == 0


def test_a_text_that_differs_is_found_and_repaired(tmp_path, capsys):
    stub = tmp_path / "stub.pyi"
    text = STUB_FILE.read_text(encoding="utf-8")
    stub.write_text(text.replace("Waits, then frees everything", "Frees everything"), "utf-8")

    assert stub_docstrings.main(stub, fix=False) == 1
    assert "the text of Device.close is not the binding's" in capsys.readouterr().out
    assert stub_docstrings.main(stub, fix=True) == 0
    assert stub.read_text(encoding="utf-8") == text
