# SPDX-License-Identifier: GPL-3.0-or-later
"""The button that fits a learned texture to an image."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import bpy

from ...blender.slang_nodes.contents import beginning_of
from ...blender.slang_nodes.users import all_trees, owner_of
from ...core.job import Job
from ...core.slang_nodes.learned_text import is_learned, learned_from
from ..text import draw_text
from ..waiting import WaitingOperator
from .adding import UNDO
from .operators import active_slang_node

if TYPE_CHECKING:
    import threading

    from ...blender.slang_nodes.tags import Tag
    from ...core.slang_nodes.learned import LearnedTexture

SIZES = (
    ("SMALL", "Small", "171 weights: soft shapes, cheap to render"),
    ("MEDIUM", "Medium", "399 weights: ornaments, wood, stone"),
    ("LARGE", "Large", "723 weights: more of a picture's detail"),
)
STEPS, MAX_STEPS = 2000, 1_000_000


class WEFT_PG_learned_texture(bpy.types.PropertyGroup):
    """What the button fits, and how."""

    image: bpy.props.PointerProperty(
        name="Image", description="What the texture learns", type=bpy.types.Image
    )
    size: bpy.props.EnumProperty(
        name="Size", description="Of the network", items=SIZES, default="MEDIUM"
    )
    tiles: bpy.props.BoolProperty(
        name="Repeat",
        description="Repeats without seams; off: mirrored at the edges of the picture",
        default=True,
    )
    steps: bpy.props.IntProperty(
        name="Steps", description="More are better and slower", default=STEPS, min=1, max=MAX_STEPS
    )


class WEFT_OT_fit_learned_texture(WaitingOperator, bpy.types.Operator):
    """Teach this texture an image; links and values of the node stay. Esc leaves it as it is"""

    bl_idname = "weft.fit_learned_texture"
    bl_label = "Fit to Image"
    bl_options = UNDO

    image: bpy.props.StringProperty(name="Image", description="One of the file")
    size: bpy.props.EnumProperty(name="Size", items=SIZES, default="MEDIUM")
    tiles: bpy.props.BoolProperty(name="Repeat", default=True)
    steps: bpy.props.IntProperty(name="Steps", default=STEPS, min=1, max=MAX_STEPS)
    seed: bpy.props.IntProperty(name="Seed", description="Of the first weights", min=0)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether the active node is a learned texture, and say why not."""
        found = active_slang_node(context)
        if found is None or not is_learned_node(found[1]):
            cls.poll_message_set("Select a Learned Texture node: Add > Slang > Learned")
            return False
        return True

    def begin(self, context: bpy.types.Context) -> None:
        """Remember the node, and start."""
        found = active_slang_node(context)
        assert found is not None
        owner = owner_of(found[0].id_data)
        self._place = (type(owner).__name__, owner.name_full, found[0].name)
        self._began = time.perf_counter()
        self._progress = (0.0, 0.0)
        super().begin(context)

    def start(self, context: bpy.types.Context) -> Job[Any]:
        """Read the image here and learn in a thread."""
        name, options = self.image, {"size": self.size, "tiles": self.tiles}
        steps, seed = self.steps, self.seed
        pixels, failure = read_picture(name)

        def learn(cancelled: threading.Event) -> LearnedTexture | None:
            if failure is not None:
                raise failure
            from ...core.slang_nodes.learned import check_picture, train

            check_picture(pixels, name)
            return train(
                pixels,
                **options,
                steps=steps,
                seed=seed,
                name=name,
                cancelled=cancelled,
                progress=self._note,
            )

        return Job(learn, "weft-learn-texture")

    def _note(self, share: float, loss: float) -> None:
        self._progress = (share, loss)

    def watch(self, context: bpy.types.Context) -> None:
        """Say how far it is."""
        share, loss = self._progress
        context.workspace.status_text_set(
            f"Learning '{self.image}': {share:.0%}, loss {loss:.2g}. Esc: leave it"
        )

    def conclude(self, context: bpy.types.Context) -> set[str]:
        """Use the result, and say no more."""
        if not bpy.app.background:
            context.workspace.status_text_set(None)
        return super().conclude(context)

    def _find_node(self) -> bpy.types.Node | None:
        """Return the node, whatever was undone or opened meanwhile."""
        kind, name, node = self._place
        for owner, tree in all_trees():
            if type(owner).__name__ == kind and owner.name_full == name:
                return tree.nodes.get(node)
        return None

    def finish(self, context: bpy.types.Context, result: LearnedTexture | None) -> None:
        """Make the node of what was learned."""
        if result is None:
            return
        from weft import ArgumentError

        from ...blender.slang_nodes.learning import use_learned
        from ...blender.slang_nodes.tags import read_tag

        node = self._find_node()
        if node is None:
            raise ArgumentError(f"fit_learned_texture: node '{self._place[-1]}' is gone")
        use_learned(node, result, self.image)
        tag = read_tag(node.node_tree)
        assert tag is not None
        first, last = result.loss
        self.report(
            {"INFO"},
            f"Learned '{self.image}': {result.psnr:.1f} dB, loss {first:.2g} to {last:.2g}, "
            f"{tag.nodes} nodes, {time.perf_counter() - self._began:.1f} s",
        )
        if not bpy.app.background and context.window is not None:
            bpy.ops.ed.undo_push(message="Fit Learned Texture")


def read_picture(name: str) -> tuple[Any, Exception | None]:
    """Return the pixels of an image, or why there are none."""
    from weft import Error

    from ...blender.slang_nodes.learning import picture_of

    try:
        return picture_of(name), None
    except (Error, RuntimeError) as error:
        return None, error


def is_learned_node(tag: Tag) -> bool:
    """Return whether a node is a learned texture."""
    return is_learned(tag.source, beginning_of(tag.source))


def draw_learning(layout: bpy.types.UILayout, scene: bpy.types.Scene, tag: Tag) -> None:
    """Draw what a learned texture was learned from, and what fits it to another image."""
    if not is_learned_node(tag):
        return
    settings = scene.weft_learned
    box = layout.box()
    draw_text(box, f"Learned from {learned_from(beginning_of(tag.source))}")
    box.template_ID(settings, "image", open="image.open")
    box.prop(settings, "size")
    row = box.row(align=True)
    row.prop(settings, "tiles")
    row.prop(settings, "steps")
    button = box.operator("weft.fit_learned_texture", icon="IMAGE_DATA")
    button.image = "" if settings.image is None else settings.image.name
    button.size, button.tiles, button.steps = settings.size, settings.tiles, settings.steps
