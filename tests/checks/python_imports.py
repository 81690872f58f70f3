# SPDX-License-Identifier: Apache-2.0
"""Which module of the package imports which, read from the sources: nothing is imported here."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, NamedTuple

from checks.source_tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PACKAGE = ROOT / "native" / "python" / "weft"


class Import(NamedTuple):
    """One module imports another.

    Args:
        source: Name of the module that imports, such as ``"weft.fit.fit"``.
        target: Of the one that it imports.
        only_types: All such imports stand below ``if TYPE_CHECKING:``.
    """

    source: str
    target: str
    only_types: bool


def modules() -> dict[str, Path]:
    """Return the files of the package by the names of their modules."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(("weft", *path.relative_to(PACKAGE).with_suffix("").parts))
        found[name.removesuffix(".__init__")] = path
    return found


@functools.cache
def imports_of_package() -> tuple[Import, ...]:
    """Return the imports among the package's modules, each pair once.

    Imports inside functions are left out: they are how a module reaches what is above it when it is
    called. Imports for type checkers count.
    """
    files = modules()
    found: dict[tuple[str, str], bool] = {}
    for source, path in files.items():
        for target, only_types in _imports_in(ast.parse(path.read_text(encoding="utf-8")), files):
            if target != source:
                pair = (source, target)
                found[pair] = found.get(pair, True) and only_types
    return tuple(Import(*pair, only_types) for pair, only_types in found.items())


def _imports_in(
    node: ast.AST, files: dict[str, Path], only_types: bool = False
) -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.Import):
            names = [alias.name for alias in child.names]
            yield from ((name, only_types) for name in names if name in files)
        elif isinstance(child, ast.ImportFrom) and child.level == 0 and child.module:
            full = [f"{child.module}.{alias.name}" for alias in child.names]
            targets = {name if name in files else child.module for name in full}
            known = {f"{child.module}._native"} if child.module == "weft" else set()
            if child.module == "weft" and set(full) <= known | set(files):
                targets -= {"weft"}
            yield from ((name, only_types) for name in sorted(targets) if name in files)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            for part in child.body:
                yield from _imports_in(ast.Module([part], []), files, True)
            for part in child.orelse:
                yield from _imports_in(ast.Module([part], []), files, only_types)
        else:
            yield from _imports_in(child, files, only_types)


def circles(imports: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return groups of modules that reach each other (Tarjan's components), sorted."""
    graph: dict[str, list[str]] = {}
    for source, target in imports:
        graph.setdefault(source, []).append(target)
        graph.setdefault(target, [])
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in graph[name]:
            if other not in number:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], number[other])
        if low[name] == number[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in sorted(graph):
        if name not in number:
            visit(name)
    return sorted(found)
