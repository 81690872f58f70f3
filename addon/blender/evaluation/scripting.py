# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang Evaluate for scripts. What the function does is said in weft_blender."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...core.slang_nodes.preparing import prepare
from ..scripting_nodes import only_function
from ..slang_nodes.reading import key_of
from .adding import add_evaluation as add
from .adding import evaluation_request, evaluator, require_takes

if TYPE_CHECKING:
    from ..scripting_nodes import SourceLike


def add_evaluation(
    thing: bpy.types.Object,
    source: SourceLike,
    function: str | None = None,
    *,
    domain: str = "POINT",
    **inputs: Any,  # noqa: ANN401
) -> bpy.types.Modifier:
    """Add a modifier that evaluates a function; see ``weft_blender.add_evaluation``."""
    require_takes(thing)
    key = key_of(source)
    prepared = prepare(evaluation_request(key, function or only_function(source), domain))
    modifier = add(thing, prepared, inputs)
    found = evaluator()
    context = bpy.context
    depsgraph = context.evaluated_depsgraph_get()
    depsgraph.update()
    found.update(context.scene, depsgraph, found.sites(), waits=True)
    return modifier
