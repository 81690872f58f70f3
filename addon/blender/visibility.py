# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects a render shows: what the evaluated scene of the viewport does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.problems import Problem

if TYPE_CHECKING:
    import bpy


class RenderVisibility:
    """Objects that collections show in renders.

    Args:
        depsgraph: The evaluated scene.
    """

    def __init__(self, depsgraph: bpy.types.Depsgraph) -> None:
        self.is_render = depsgraph.mode == "RENDER"
        self._shown: set[bpy.types.Object] = set()
        self._held_out: set[bpy.types.Object] = set()
        self._indirect: set[bpy.types.Object] = set()
        self._instanced: dict[bpy.types.Collection, set[bpy.types.Object]] = {}
        self._add(depsgraph.view_layer.layer_collection)

    def _add(self, layer: bpy.types.LayerCollection) -> None:
        """Add the objects of a collection of the view layer, and those of its children."""
        if layer.collection.hide_render:
            return
        if not layer.exclude:
            objects = set(layer.collection.objects)
            self._shown |= objects
            self._held_out |= objects if layer.holdout else set()
            self._indirect |= objects if layer.indirect_only else set()
        for child in layer.children:
            self._add(child)

    def shows(self, instance: bpy.types.DepsgraphObjectInstance) -> bool:
        """Return whether a render shows an instance."""
        entry = instance.object
        if not instance.is_instance:
            return self._shows_itself(entry)
        parent = instance.parent.original
        if parent not in self._shown and not self._is_instanced(parent):
            return False
        collection = parent.instance_collection
        if parent.instance_type == "NONE":
            return True  # what particles and geometry nodes show may itself be hidden
        if entry.hide_render:
            return False
        if parent.instance_type != "COLLECTION" or collection is None:
            return True
        return instance.instance_object.original in self._objects_of(collection)

    def _is_instanced(self, entry: bpy.types.Object) -> bool:
        """Return whether an object is there as part of an instanced collection only."""
        return any(entry in objects for objects in self._instanced.values()) or not any(
            True for _ in entry.users_scene
        )

    def _objects_of(self, collection: bpy.types.Collection) -> set[bpy.types.Object]:
        """Return the objects that an instanced collection shows, at any depth of instancing."""
        if collection not in self._instanced:
            self._instanced[collection] = found = _rendered(collection)
            for entry in list(found):
                if entry.instance_type == "COLLECTION" and entry.instance_collection:
                    found |= self._objects_of(entry.instance_collection)
        return self._instanced[collection]

    def _shows_itself(self, entry: bpy.types.Object) -> bool:
        if entry.hide_render:
            return False
        # What a parent places on its vertices or faces is not shown by itself.
        is_placed = entry.parent and entry.parent.instance_type in ("VERTS", "FACES")
        is_shown = entry.original in self._shown and not is_placed
        return is_shown and (not entry.is_instancer or entry.show_instancer_for_render)

    def hidden_from(
        self, entry: bpy.types.Object, instance: bpy.types.DepsgraphObjectInstance | None = None
    ) -> tuple[str, ...]:
        """Return the kinds of ray that do not see an object.

        An instance is hidden from what its instancer is hidden from, too, as in Cycles.
        """
        owners = [entry]
        if instance is not None and instance.is_instance and instance.parent is not None:
            owners.append(instance.parent)
        hidden = {
            name for owner in owners for name in RAYS if not getattr(owner, f"visible_{name}")
        }
        if any(owner.original in self._indirect for owner in owners):
            hidden.add("camera")
        return tuple(name for name in RAYS if name in hidden)

    def problems_of(self, entry: bpy.types.Object) -> list[Problem]:
        """Return what of an object's visibility a picture does not show."""
        where = f"Object '{entry.name}'"
        found = []
        if entry.is_holdout or entry.original in self._held_out:
            found.append(Problem(where, "holdouts are not supported", "a visible object"))
        if entry.is_shadow_catcher and entry.type != "LIGHT":
            found.append(Problem(where, "shadow catchers are not supported", "a visible object"))
        linking = getattr(entry, "light_linking", None)
        if linking and (linking.receiver_collection or linking.blocker_collection):
            found.append(Problem(where, "light linking is not supported", "light on everything"))
        return found


RAYS = ("camera", "diffuse", "glossy", "transmission", "shadow")
LIGHT_RAYS = {
    "diffuse": "diffuse",
    "glossy": "glossy",
    "transmission": "transmission",
    "volume_scatter": "volume",
}
"""Kinds of ray that lights are hidden from, as ``weft.scene`` calls them."""


def light_hidden_from(entry: bpy.types.Object) -> tuple[str, ...]:
    """Return the kinds of ray that do not see a light, whatever places it."""
    return tuple(kind for name, kind in LIGHT_RAYS.items() if not getattr(entry, f"visible_{name}"))


def _rendered(collection: bpy.types.Collection) -> set[bpy.types.Object]:
    """Return the objects of a collection and of its children that renders show."""
    if collection.hide_render:
        return set()
    found = set(collection.objects)
    for child in collection.children:
        found |= _rendered(child)
    return found


def hidden_in_viewport(depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """Return objects that renders show and the evaluated scene lacks."""
    if depsgraph.mode == "RENDER":
        return []
    visible = {entry.original for entry in depsgraph.objects}
    shown = RenderVisibility(depsgraph)._shown
    return [
        Problem(
            f"Object '{entry.name}'",
            "it is hidden in the viewport but not in renders; show it",
            "nothing",
        )
        for entry in sorted(shown - visible, key=lambda entry: entry.name)
        if not entry.hide_render
        and entry.type in ("MESH", "LIGHT", "CURVE", "SURFACE", "FONT")
        and not (entry.is_instancer and not entry.show_instancer_for_render)
    ]
