# SPDX-License-Identifier: Apache-2.0
"""The public names of a module, with signatures and docstrings, read from its source."""

from __future__ import annotations

import ast
import functools
import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dev.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PYTHON = ROOT / "native" / "python"
Node = ast.ClassDef | ast.FunctionDef
MAX_LINE = 96


@dataclass(frozen=True)
class Entry:
    """A public name.

    Args:
        name: Without its module.
        signature: How it is called, or "".
        text: Its docstring, or "".
        members: Public methods and properties of a class that have a docstring.
    """

    name: str
    signature: str
    text: str
    members: tuple[Entry, ...] = field(default=())


def entries_of(module: str) -> list[Entry]:
    """Return the names of a module's ``__all__`` that are written down in the package, sorted."""
    found = [_entry(name, module) for name in sorted(listed_names(module), key=str.lower)]
    return [entry for entry in found if entry is not None]


@functools.cache
def _tree(module: str) -> ast.Module | None:
    path = PYTHON.joinpath(*module.split("."))
    for file in (path / "__init__.py", path.with_suffix(".py"), path.with_suffix(".pyi")):
        if file.is_file():
            return _parsed(file)
    return None


def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def listed_names(module: str) -> list[str]:
    """Return the names in a module's ``__all__``, in its order."""
    tree = _tree(module)
    names: list[str] = []
    for node in tree.body if tree else ():
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == "__all__":
            value = getattr(node, "value", None)
            if isinstance(value, ast.List):
                names += [str(ast.literal_eval(item)) for item in value.elts]
            elif isinstance(value, ast.Attribute):  # __all__ += types.__all__
                names += listed_names(f"{module}.{ast.unparse(value.value)}")
    return list(dict.fromkeys(names))


def _find(name: str, module: str) -> tuple[ast.stmt, list[ast.stmt]] | None:
    """Return where a name of a module is defined, imports followed, and what lies behind it."""
    tree = _tree(module)
    if tree is None:
        return None
    return _find_imported(tree, name, module) or _find_defined(tree.body, name)


def _find_imported(
    tree: ast.Module, name: str, module: str
) -> tuple[ast.stmt, list[ast.stmt]] | None:
    for source, aliases in _imports(tree):
        for alias in aliases:
            if {alias.asname or alias.name} & {name, "*"} and source != module:
                found = _find(name if alias.name == "*" else alias.name, source)
                if found is not None:
                    return found
    return None


def _imports(tree: ast.Module) -> Iterator[tuple[str, list[ast.alias]]]:
    """Yield modules of the package that a module imports from, and what."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("weft"):
            yield node.module, node.names


def _find_defined(body: list[ast.stmt], name: str) -> tuple[ast.stmt, list[ast.stmt]] | None:
    for number, node in enumerate(body):
        if isinstance(node, Node) and node.name == name:
            same = [n for n in body if isinstance(n, Node) and n.name == name]
            return node, list(same)
        targets = [*getattr(node, "targets", []), getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return node, body[number + 1 : number + 2]
    return None


def _entry(name: str, module: str) -> Entry | None:
    found = _find(name, module)
    if found is None:
        return None
    node, others = found
    if isinstance(node, ast.ClassDef):
        return _class_entry(node)
    if isinstance(node, ast.FunctionDef):
        return _function_entry([n for n in others if isinstance(n, ast.FunctionDef)])
    if others and isinstance(others[0], ast.Expr) and isinstance(others[0].value, ast.Constant):
        text = others[0].value.value
        return Entry(name, "", inspect.cleandoc(text)) if isinstance(text, str) else None
    return None


def _function_entry(nodes: Sequence[ast.FunctionDef]) -> Entry:
    """Return the entry of a function, all its overloads."""
    text = next((doc for node in nodes if (doc := ast.get_docstring(node))), "")
    signatures = [_signature(node) for node in nodes]
    return Entry(nodes[0].name, "\n".join(dict.fromkeys(signatures)), text)


def _signature(node: ast.FunctionDef, name: str = "") -> str:
    arguments = ast.parse(ast.unparse(node.args).join(("def f(", "): ...")), mode="exec").body[0]
    assert isinstance(arguments, ast.FunctionDef)
    own = arguments.args
    if own.args and own.args[0].arg in ("self", "cls"):
        own.args.pop(0)
    elif own.posonlyargs and own.posonlyargs[0].arg in ("self", "cls"):
        own.posonlyargs.pop(0)
    result = "" if node.returns is None or name else f" -> {ast.unparse(node.returns)}"
    line = f"{name or node.name}({ast.unparse(own)}){result}"
    if len(line) <= MAX_LINE:
        return line
    return f"{name or node.name}(\n{_arguments(own)}){result}"


def _arguments(arguments: ast.arguments) -> str:
    """Return arguments, a line each."""
    lines = []
    before: list[ast.expr | None] = [None] * (
        len(arguments.posonlyargs + arguments.args) - len(arguments.defaults)
    )
    places = arguments.posonlyargs + arguments.args
    for number, (entry, default) in enumerate(
        zip(places, [*before, *arguments.defaults], strict=True)
    ):
        lines.append(_argument(entry, default))
        if number + 1 == len(arguments.posonlyargs):
            lines.append("/")
    if arguments.vararg:
        lines.append(f"*{_argument(arguments.vararg, None)}")
    elif arguments.kwonlyargs:
        lines.append("*")
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    lines += [_argument(entry, default) for entry, default in pairs]
    if arguments.kwarg:
        lines.append(f"**{_argument(arguments.kwarg, None)}")
    return "".join(f"    {line},\n" for line in lines)


def _argument(entry: ast.arg, default: ast.expr | None) -> str:
    kind = "" if entry.annotation is None else f": {ast.unparse(entry.annotation)}"
    value = "" if default is None else f" = {ast.unparse(default)}"
    return f"{entry.arg}{kind}{value}"


def _class_entry(node: ast.ClassDef) -> Entry:
    methods: dict[str, list[ast.FunctionDef]] = {}
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            methods.setdefault(item.name, []).append(item)
    members = []
    for same in methods.values():
        entry = _function_entry(same)
        if entry.text:
            is_property = "property" in {ast.unparse(d) for n in same for d in n.decorator_list}
            members.append(Entry(entry.name, "", entry.text) if is_property else entry)
    text = ast.get_docstring(node) or ""
    return Entry(node.name, _class_signature(node), text, tuple(members))


def _class_signature(node: ast.ClassDef) -> str:
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            return _signature(item, node.name)
    if not any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list):
        return ""
    fields = [ast.unparse(item) for item in node.body if _is_argument(item)]
    line = f"{node.name}({', '.join(fields)})"
    if len(line) <= MAX_LINE:
        return line
    return f"{node.name}(\n" + "".join(f"    {entry},\n" for entry in fields) + ")"


def _is_argument(item: ast.stmt) -> bool:
    """Return whether a line of a dataclass is a field that its constructor takes."""
    return (
        isinstance(item, ast.AnnAssign)
        and not ast.unparse(item.target).startswith("_")
        and "init=False" not in ast.unparse(item)
    )
