# SPDX-License-Identifier: GPL-3.0-or-later
"""What modifiers hold in the inputs of a group, in both layouts that Blender has had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import bpy


@dataclass(frozen=True)
class Held:
    """What a modifier gives to an input.

    Args:
        value: One for all elements; ``None``: nothing of its own.
        attribute: The name of the attribute that it takes instead; ``None``: it takes the value.
    """

    value: Any = None
    attribute: str | None = None


def held(modifier: bpy.types.Modifier, identifier: str) -> Held:
    """Return what a modifier gives to an input."""
    inputs = getattr(getattr(modifier, "properties", None), "inputs", None)
    if inputs is not None:  # from Blender 5.2 on
        entry = getattr(inputs, identifier, None)
        if entry is None or entry.type == "FALLBACK":
            return Held()
        if entry.type == "ATTRIBUTE":
            return Held(attribute=entry.attribute_name)
        return Held(_plain(getattr(entry, "value", None)))
    if modifier.get(f"{identifier}_use_attribute"):
        return Held(attribute=str(modifier.get(f"{identifier}_attribute_name", "")))
    return Held(_plain(modifier.get(identifier)))


def hold(modifier: bpy.types.Modifier, identifier: str, value: Any) -> None:  # noqa: ANN401
    """Let a modifier give a value to an input."""
    inputs = getattr(getattr(modifier, "properties", None), "inputs", None)
    if inputs is not None:
        getattr(inputs, identifier).value = value
        return
    modifier[identifier] = value
    name = f"{identifier}_use_attribute"
    if modifier.get(name):
        modifier[name] = False


def hold_attribute(modifier: bpy.types.Modifier, identifier: str, name: str) -> None:
    """Let a modifier give an attribute to an input."""
    inputs = getattr(getattr(modifier, "properties", None), "inputs", None)
    if inputs is not None:
        entry = getattr(inputs, identifier)
        entry.type, entry.attribute_name = "ATTRIBUTE", name
        return
    modifier[f"{identifier}_use_attribute"] = True
    modifier[f"{identifier}_attribute_name"] = name


def name_output(modifier: bpy.types.Modifier, identifier: str, name: str) -> None:
    """Let a modifier store an output as an attribute; ``""``: it does not."""
    outputs = getattr(getattr(modifier, "properties", None), "outputs", None)
    if outputs is not None:
        getattr(outputs, identifier).attribute_name = name
    else:
        modifier[f"{identifier}_attribute_name"] = name


def relate(modifier: bpy.types.Modifier) -> None:
    """Let Blender see on which objects a modifier depends: an input that is set tells none."""
    modifier.node_group = modifier.node_group


def _plain(value: Any) -> Any:  # noqa: ANN401
    is_list = hasattr(value, "__len__") and not isinstance(value, str)
    return tuple(value) if is_list else value
