# SPDX-License-Identifier: GPL-3.0-or-later
"""A modifier that evaluates a function, added in one step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import bpy

from weft import ArgumentError

from ...core.evaluation.plan import DOMAINS
from ...core.slang_nodes.interface import GEOMETRY
from ...core.slang_nodes.matching import converted
from ...core.slang_nodes.preparing import ENGINE, Prepared, Request, prepare
from ...core.steps import last_value
from ..session import require_session
from ..slang_nodes.build import update_group
from ..slang_nodes.nodes import group_for, remove_unused, request_for, request_of, require_tag
from ..slang_nodes.users import is_editable
from .carrier import clean, new_data, remove_unused_carriers
from .manager import Evaluator
from .modifiers import hold, hold_attribute, name_output
from .sites import TYPES, problem_of, sites_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...core.slang_nodes.interface import SocketSpec
    from ...core.slang_nodes.sources import SourceKey
    from .sites import Site

_NUMBERS = frozenset(f"NodeSocket{kind}" for kind in ("Float", "Int", "Bool", "Vector", "Color"))


def evaluator() -> Evaluator:
    """Return what evaluates the open file's functions."""
    session = require_session()
    if session.evaluator is None:
        session.evaluator = Evaluator()
        session.evaluator.look()
    found: Evaluator = session.evaluator
    return found


def evaluation_request(key: SourceKey, function: str, domain: str) -> Request:
    """Return what a modifier asks for.

    Raises:
        ArgumentError: There is no such domain, or no such source.
    """
    if domain not in DOMAINS:
        message = f"add_evaluation: domain must be one of {', '.join(DOMAINS)}, got {domain!r}"
        raise ArgumentError(message)
    found = request_for(key, function, "GeometryNodeTree", form=ENGINE)
    return replace(found, domain=domain)


def require_takes(thing: bpy.types.Object | None) -> bpy.types.Object:
    """Return an object that can have the modifier.

    Raises:
        ArgumentError: It cannot.
    """
    if thing is None or thing.type not in TYPES:
        kind = "none" if thing is None else f"'{thing.name}' ({thing.type})"
        message = (
            f"add_evaluation: the object must be a mesh, a curve, a text, or points, got {kind}"
        )
        raise ArgumentError(message)
    if not is_editable(thing) or thing.override_library is not None:
        message = f"add_evaluation: '{thing.name}' is linked from another file: make it local first"
        raise ArgumentError(message)
    return thing


def add_evaluation(
    thing: bpy.types.Object, prepared: Prepared, values: Mapping[str, Any] | None = None
) -> bpy.types.Modifier:
    """Add the modifier of a prepared function, and evaluate it.

    Args:
        thing: The object.
        prepared: By `prepare`, of a request of `evaluation_request`.
        values: Of inputs by the names of the parameters: a number, three, or ``"attribute:NAME"``.

    Raises:
        ArgumentError: There is no such input, or the object cannot have the modifier.
    """
    require_takes(thing)
    plan = prepared.plan
    assert plan is not None
    values = dict(values or {})
    known = [entry.value.name for entry in plan.inputs if entry.has_socket]
    for name in values:
        if name not in known:
            message = f"add_evaluation: there is no input '{name}'; there are: {', '.join(known)}"
            raise ArgumentError(message)
    group = last_value(group_for(prepared))
    modifier = None
    try:
        modifier = thing.modifiers.new(group.name, "NODES")
        modifier.node_group = group
        site = next(own for own in sites_of(thing, {}) if own.modifier == modifier.name)
        _set_inputs(site, modifier, prepared, values)
        new_data(site)
        evaluator().programs.note_own(group)
    except BaseException:
        if modifier is not None:
            thing.modifiers.remove(modifier)
        remove_unused(group)
        raise
    thing.update_tag()
    return modifier


def _set_inputs(
    site: Site, modifier: bpy.types.Modifier, prepared: Prepared, values: Mapping[str, Any]
) -> None:
    for spec in prepared.interface.inputs:
        identifier = site.inputs[spec.name]
        value = values.get(spec.name)
        if isinstance(value, str) and value.startswith("attribute:"):
            hold_attribute(modifier, identifier, value.removeprefix("attribute:"))
        elif value is not None:
            _set_input(modifier, identifier, spec, value)
        elif spec.attribute:
            hold_attribute(modifier, identifier, spec.attribute)
    for spec in prepared.interface.outputs:
        if spec.name != GEOMETRY:
            name_output(modifier, site.outputs[spec.name], spec.attribute)


def _set_input(
    modifier: bpy.types.Modifier,
    identifier: str,
    spec: SocketSpec,
    value: Any,  # noqa: ANN401
) -> None:
    """Give a value to an input, converted as links of Blender convert.

    Raises:
        ArgumentError: It is none that the input takes.
    """
    plain = value.tolist() if hasattr(value, "tolist") else value
    plain = tuple(plain) if isinstance(plain, list) else plain
    is_number = spec.type in _NUMBERS and not spec.cases
    try:
        hold(modifier, identifier, converted(plain, spec.type) if is_number else plain)
    except (TypeError, ValueError, OverflowError) as error:
        wanted = "a number, three of them" if is_number else spec.type.removeprefix("NodeSocket")
        message = (
            f"add_evaluation: '{spec.name}' takes {wanted} or 'attribute:NAME', got {value!r} "
            f"({error})"
        )
        raise ArgumentError(message) from error


def change_domain(site: Site, domain: str) -> None:
    """Let a modifier evaluate its function on other elements; others with its group do not.

    Raises:
        CompileError: The source does not compile.
        ArgumentError: The function gives positions; the object is linked.
    """
    problem = problem_of(site)
    if problem:
        raise ArgumentError(problem)
    tag = require_tag(site.tree)
    prepared = prepare(replace(request_of(site.tree, tag), domain=domain))
    modifier, tree = site.original(), site.tree
    if tree.users > 1 or not is_editable(tree):
        tree = tree.copy()
        modifier.node_group = tree
    last_value(update_group(tree, prepared))
    site.thing.update_tag()


def remove_evaluation(site: Site) -> None:
    """Remove a modifier with all that it has made.

    Raises:
        ArgumentError: The object is linked.
    """
    problem = problem_of(site)
    if problem:
        raise ArgumentError(problem)
    shares = [
        own
        for own in evaluator().sites()
        if own != site and own.thing.data == site.thing.data and own.data == site.data
    ]
    if not shares:
        clean(site)
    tree = site.tree
    thing = site.thing
    thing.modifiers.remove(site.original())
    remove_unused(tree)
    remove_unused_carriers()
    thing.update_tag()
