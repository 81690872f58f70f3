# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked Slang nodes as people set them up, and what makes them follow changes."""

from __future__ import annotations

import bpy

from ...blender.slang_baked.record import read_record
from ...blender.slang_baked.state import find_bakery, has_baked_data, has_baked_groups
from ...blender.slang_baked.tree import is_baked
from ...core.slang_nodes.reports import readable
from ..text import draw_text
from ..waiting import redraw
from .adding import UNDO

TARGETS = (
    ("IMAGE", "Images", "Images over a UV map, packed into the file"),
    ("ATTRIBUTE", "Color Attribute", "An attribute at the corners of each mesh: needs no UV map"),
)
SIZES = tuple((str(1 << k), str(1 << k), f"{1 << k} texels along each side") for k in range(6, 14))


def change_lookups(self: bpy.types.PropertyGroup, _: bpy.types.Context) -> None:
    """Have the nodes of the group look up what is asked for now."""
    from ...blender.slang_baked.switching import switch

    switch(self.id_data)
    touch(self, _)


def touch(self: bpy.types.PropertyGroup, _: bpy.types.Context) -> None:
    """Have the group baked again."""
    from ...blender.slang_baked.baking import bakery

    if is_baked(self.id_data):
        bakery().touch()


class WEFT_PG_slang_bake(bpy.types.PropertyGroup):
    """How the function of a group is baked."""

    target: bpy.props.EnumProperty(
        name="Into", description="What holds the values", items=TARGETS, update=change_lookups
    )
    side: bpy.props.EnumProperty(
        name="Size", description="Of each image", items=SIZES, default="1024", update=touch
    )
    margin: bpy.props.IntProperty(
        name="Margin",
        description="Texels around the parts of the UV map that repeat their edges",
        default=16,
        min=0,
        max=256,
        subtype="PIXEL",
        update=touch,
    )
    uv_map: bpy.props.StringProperty(
        name="UV Map",
        description="By which images are laid out; empty: the one that renders use",
        update=change_lookups,
    )
    is_tiled: bpy.props.BoolProperty(
        name="UDIM Tiles",
        description="Each unit square of the UV map has an image of its own",
        update=touch,
    )
    follows: bpy.props.BoolProperty(
        name="Follow Changes",
        description="Bake again when the function, its inputs or its objects change",
        default=True,
        update=touch,
    )

    @property
    def size(self) -> int:
        """Texels along each side."""
        return int(self.side)


class WEFT_OT_bake_slang_node(bpy.types.Operator):
    """Bake the active Slang node in full; without one, all that are not up to date"""

    bl_idname = "weft.bake_slang_node"
    bl_label = "Bake"
    bl_options = UNDO

    group: bpy.props.StringProperty(
        name="Group", description="Name of the node group; empty: that of the active node"
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Bake, and wait."""
        from weft import Error

        from ...blender.slang_baked.baking import bakery
        from .operators import active_slang_node

        found = None if self.group else active_slang_node(context)
        if self.group and not is_baked(bpy.data.node_groups.get(self.group)):
            self.report({"ERROR"}, f"Bake: there is no baked group '{self.group}'")
            return {"CANCELLED"}
        if found is not None and not is_baked(found[0].node_tree):
            self.report({"ERROR"}, "Bake: the node does not run as Baked; choose that first")
            return {"CANCELLED"}
        groups = [
            bpy.data.node_groups[self.group]
            if self.group
            else found[0].node_tree
            if found is not None
            else None
        ]
        if groups == [None]:
            groups = [own for own in bpy.data.node_groups if is_baked(own) and own.users]
        try:
            for group in groups:
                record = bakery().bake_now(group)
                for note in record.notes:
                    self.report({"WARNING"}, f"{group.name}: {note}")
        except (Error, RuntimeError, OSError) as error:
            self.report({"ERROR"}, readable(str(error)))
            return {"CANCELLED"}
        finally:
            redraw(context)
        return {"FINISHED"}


def draw_bake(layout: bpy.types.UILayout, group: bpy.types.NodeTree) -> None:
    """Draw how a group is baked, and what came of it."""
    settings, record = group.weft_bake, read_record(group)
    box = layout.box()
    box.prop(settings, "target")
    if settings.target == "IMAGE":
        row = box.row(align=True)
        row.prop(settings, "side", text="")
        row.prop(settings, "margin")
        box.prop(settings, "uv_map", icon="GROUP_UVS")
        box.prop(settings, "is_tiled")
    box.prop(settings, "follows")
    box.operator("weft.bake_slang_node", icon="RENDER_STILL").group = group.name
    if record.error:
        draw_text(box, readable(record.error.removeprefix("bake: ")), icon="ERROR")
    elif record.state:
        box.label(text=f"Baked in {record.seconds:.2f} s")
    for note in record.notes:
        draw_text(box, note, icon="INFO")


@bpy.app.handlers.persistent
def note_changes(_: object, depsgraph: bpy.types.Depsgraph | None = None, *rest: object) -> None:
    """After Blender has evaluated a change: have what depends on it baked."""
    if depsgraph is None or not has_baked_groups():
        return
    from ...blender.slang_baked.following import note

    note(depsgraph)


@bpy.app.handlers.persistent
def note_frame(*_: object) -> None:
    """After another frame was chosen: what is animated may be another one."""
    if not bpy.app.is_job_running("RENDER") and has_baked_groups():
        from ...blender.slang_baked.baking import bakery

        bakery().store.forget()
        bakery().touch()


@bpy.app.handlers.persistent
def forget_bakes(*_: object) -> None:
    """After undo: other objects have taken the place of all; see whether something is old."""
    found = find_bakery()
    if found is not None:
        found.forget()
    if has_baked_groups():
        from ...blender.slang_baked.baking import bakery

        bakery().touch()


@bpy.app.handlers.persistent
def forget_file(*_: object) -> None:
    """Before another file is opened."""
    found = find_bakery()
    if found is not None:
        found.forget_file()


@bpy.app.handlers.persistent
def resume_bakes(*_: object) -> None:
    """After a file was opened: what was saved amid a bake is baked in full."""
    groups = [own for own in bpy.data.node_groups if is_baked(own) and own.users]
    if any(not read_record(group).state for group in groups):
        from ...blender.slang_baked.baking import bakery

        bakery().touch()


@bpy.app.handlers.persistent
def sweep_bakes(*_: object) -> None:
    """Before a file is saved: what nothing shows any more goes, the rest is packed."""
    if has_baked_data():
        from ...blender.slang_baked.images import pack_all
        from ...blender.slang_baked.places import baked_groups, sweep

        sweep()
        pack_all(baked_groups())


@bpy.app.handlers.persistent
def finish_bakes(*_: object) -> None:
    """Before a render: it waits for images in full."""
    found = find_bakery()
    # In windows renders have a thread of their own, in which as little as possible is done.
    is_settled = found is not None and found.is_idle and not bpy.app.background
    if has_baked_groups() and not is_settled:
        from ...blender.slang_baked.baking import bakery

        bakery().finish_all()
