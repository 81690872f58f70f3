# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the scene: every object and every instance of one, as plain records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.name_hash import hash_name
from ..core.problems import Problem
from .ignored import OBJECT, SHAPE, ignored
from .properties import describe, requested
from .visibility import RenderVisibility, hidden_in_viewport, light_hidden_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    import bpy
    from mathutils import Matrix
    from numpy.typing import NDArray

SHAPES = ("MESH", "CURVE", "SURFACE", "FONT", "META")
"""Types of object that Blender evaluates to meshes."""

NOT_SUPPORTED = {
    "CURVES": "hair curves are not supported",
    "POINTCLOUD": "point clouds are not supported",
    "VOLUME": "volumes are not supported",
    "LIGHT_PROBE": "",
    "GREASEPENCIL": "",
}
"""Objects that renders may show and that are left out; "": Cycles leaves them out, too."""

DEFORMING = frozenset(
    "ARMATURE CAST CLOTH CORRECTIVE_SMOOTH CURVE DISPLACE HOOK LAPLACIANDEFORM LAPLACIANSMOOTH "
    "LATTICE MESH_DEFORM SHRINKWRAP SIMPLE_DEFORM SMOOTH SOFT_BODY SURFACE_DEFORM WARP WAVE".split()
)
"""Types of modifier that move vertices and that generated coordinates do not follow."""


@dataclass
class ObjectInstance:
    """A mesh or a light in the world.

    Args:
        name: Of the object.
        data: Evaluated mesh or light.
        matrix: To world, shape ``(4, 4)``.
        materials: Of the slots.
        undeformed: Positions before deforming modifiers, if the evaluated mesh does not know them.
        info: What the Object Info node says, by its outputs, three numbers each; the columns of the
            matrices "To World" and "To Object", 0 to 3; and what Attribute nodes read of the object
            and of what makes it, see properties.py.
        is_visible_to_cameras: Cameras may see it.
        hidden_from: Kinds of ray that do not see it, as ``weft.scene.Object`` and lights take them.
        terminator: Its geometry offset of shadow terminators.
    """

    name: str
    data: bpy.types.ID
    matrix: NDArray[np.float64]
    materials: list[bpy.types.Material | None] = field(default_factory=list)
    undeformed: NDArray[np.float32] | None = None
    info: dict[str, tuple[float, ...]] = field(default_factory=dict)
    is_visible_to_cameras: bool = True
    hidden_from: tuple[str, ...] = ()
    terminator: float = 0.0


@dataclass
class Inventory:
    """All that stands in a scene, and what of it is left out."""

    meshes: list[ObjectInstance] = field(default_factory=list)
    lights: list[ObjectInstance] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def take_inventory(depsgraph: bpy.types.Depsgraph) -> Inventory:
    """Return what a render of the evaluated scene shows."""
    found = Inventory()
    visibility = RenderVisibility(depsgraph)
    named: set[str] = set()
    properties = requested()
    for instance in depsgraph.object_instances:
        entry = instance.object
        if not instance.show_self or not visibility.shows(instance):
            continue
        if entry.name not in named:
            found.problems += _problems_of(entry, visibility)
            named.add(entry.name)
        made = ObjectInstance(entry.name, entry.data, np.array(instance.matrix_world))
        made.is_visible_to_cameras = entry.visible_camera
        if entry.type == "LIGHT":
            made.hidden_from = light_hidden_from(entry)
            found.lights.append(made)
        elif entry.type == "MESH":
            made.materials = _materials_of(entry, depsgraph.view_layer_eval)
            made.undeformed = undeformed_of(entry, is_render=visibility.is_render)
            made.info = describe_instance(instance) | describe(properties, instance, depsgraph)
            made.terminator = entry.shadow_terminator_geometry_offset
            made.hidden_from = visibility.hidden_from(entry, instance)
            found.meshes.append(made)
    found.problems += hidden_in_viewport(depsgraph)
    return found


def describe_instance(instance: Any) -> dict[str, tuple[float, ...]]:  # noqa: ANN401
    """Return what the Object Info node says of an instance, or of what looks like one."""
    entry = instance.object
    number = instance.random_id if instance.is_instance else hash_name(entry.name)
    material = entry.active_material
    return {
        "Location": tuple(instance.matrix_world.translation),
        "Color": tuple(entry.color[:3]),
        "Alpha": (entry.color[3],) * 3,
        "Object Index": (float(entry.pass_index),) * 3,
        "Material Index": (float(material.pass_index if material else 0),) * 3,
        "Instancer Generated": _instancer_generated(instance),
        "Instancer UV": (*instance.uv, 0.0) if instance.is_instance else (0.0,) * 3,
        "Random": ((number & 0xFFFFFFFF) / 0xFFFFFFFF,) * 3,
        **_columns("To World", instance.matrix_world),
        **_columns("To Object", instance.matrix_world.inverted_safe()),
    }


def _instancer_generated(instance: bpy.types.DepsgraphObjectInstance) -> tuple[float, ...]:
    """Return the place on what makes the instance, as Cycles moves it; 0 for no instance."""
    if not instance.is_instance:
        return (0.0,) * 3
    return tuple(0.5 * number - 0.5 for number in instance.orco)


def _columns(name: str, matrix: Matrix) -> dict[str, tuple[float, ...]]:
    return {f"{name} {k}": tuple(column[:3]) for k, column in enumerate(matrix.col)}


def _materials_of(
    entry: bpy.types.Object, layer: bpy.types.ViewLayer
) -> list[bpy.types.Material | None]:
    """Return the materials of an object's slots; one ``None`` if it has no slots."""
    count = max(len(entry.material_slots), 1)
    if layer.material_override:
        return [layer.material_override] * count
    return [slot.material for slot in entry.material_slots] or [None]


def undeformed_of(entry: bpy.types.Object, *, is_render: bool) -> NDArray[np.float32] | None:
    """Return a mesh's positions before its modifiers, where those only deform it.

    The evaluated scene of a viewport does not keep them; that of a render does.
    """
    original = entry.original.data
    if is_render or not _deforming(entry.modifiers) or not hasattr(original, "vertices"):
        return None
    if len(original.vertices) != len(entry.data.vertices):
        return None
    positions = np.empty(3 * len(original.vertices), np.float32)
    original.attributes["position"].data.foreach_get("vector", positions)
    return positions.reshape(-1, 3)


def _deforming(modifiers: Sequence[bpy.types.Modifier]) -> bool:
    return any(entry.show_viewport and entry.type in DEFORMING for entry in modifiers)


def _problems_of(entry: bpy.types.Object, visibility: RenderVisibility) -> list[Problem]:
    """Return what of an object is left out, and what differs from its render."""
    where = f"Object '{entry.name}'"
    if NOT_SUPPORTED.get(entry.type):
        return [Problem(where, NOT_SUPPORTED[entry.type], "nothing")]
    if entry.type not in (*SHAPES, "LIGHT"):
        return []
    found = visibility.problems_of(entry)
    if any(
        s.settings.type == "HAIR" and s.settings.render_type == "PATH"
        for s in entry.particle_systems
    ):
        found.append(Problem(where, "particle hair is not supported", "no hair"))
    cycles = getattr(entry, "cycles", None)
    if getattr(cycles, "use_adaptive_subdivision", False):
        found.append(Problem(where, "adaptive subdivision is not supported", "the viewport's mesh"))
    found += ignored(entry, OBJECT, where)
    if entry.type != "LIGHT":
        found += ignored(entry, SHAPE, where)
    if not visibility.is_render:
        found += _differing_modifiers(entry, where)
    return found


def _differing_modifiers(entry: bpy.types.Object, where: str) -> list[Problem]:
    """Return the modifiers that do something else in renders than in the viewport."""
    found = []
    for modifier in entry.modifiers:
        pairs = (("show_viewport", "show_render"), ("levels", "render_levels"))
        differs = any(
            hasattr(modifier, second) and getattr(modifier, first) != getattr(modifier, second)
            for first, second in pairs
        )
        if differs and (modifier.show_viewport or modifier.show_render):
            found.append(
                Problem(
                    f"{where} > modifier '{modifier.name}'",
                    "it does something else in renders; give both the same settings",
                    "the viewport's mesh",
                )
            )
    return found
