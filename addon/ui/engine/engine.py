# SPDX-License-Identifier: GPL-3.0-or-later
"""The render engine that Blender knows."""

import bpy

from ...core.progressive import CancelledError
from .final import FinalRender, KeptRender
from .passes import wanted_passes
from .viewport import Viewport


class WEFT_RE_engine(bpy.types.RenderEngine):
    """Path tracing by the engine that fits."""

    bl_idname = "WEFT"
    bl_label = "Weft"
    bl_use_eevee_viewport = True
    bl_use_postprocess = True
    bl_use_preview = True
    bl_use_shading_nodes_custom = False

    def __init__(self, *args: object, **kwargs: object) -> None:
        """Made by Blender, once a final render and once a viewport."""
        super().__init__(*args, **kwargs)
        self.viewport = None
        # Blender keeps the object between frames only where Persistent Data is on.
        self.kept = None

    def __del__(self) -> None:
        """End the viewport's thread, and give the memory of the final render back."""
        try:
            owned = [getattr(self, name, None) for name in ("viewport", "kept")]
        except ReferenceError:  # Blender has taken its own half away before
            return
        for entry in owned:
            if entry is not None:
                entry.close()
        parent = getattr(super(), "__del__", None)
        if parent is not None:
            parent()

    def update_render_passes(self, scene=None, renderlayer=None) -> None:  # noqa: ANN001
        """Say which layers there will be, for the compositor."""
        self.register_pass(scene, renderlayer, "Combined", 4, "RGBA", "COLOR")
        for entry in wanted_passes(scene, renderlayer):
            channels = entry.channels
            self.register_pass(scene, renderlayer, entry.name, len(channels), channels, entry.kind)

    def render(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Render a frame; what fails is reported, since Blender drops exceptions."""
        try:
            if self.kept is None:
                self.kept = KeptRender()
            FinalRender(self, depsgraph, self.kept).run()
        except CancelledError:
            pass
        except Exception as error:
            self.report({"ERROR"}, f"Weft: {error}")

    def view_update(self, context: bpy.types.Context, depsgraph: bpy.types.Depsgraph) -> None:
        """Take over what changed in the scene."""
        if self.viewport is None:
            self.viewport = Viewport()
        self.viewport.update(depsgraph)

    def view_draw(self, context: bpy.types.Context, depsgraph: bpy.types.Depsgraph) -> None:
        """Draw the newest picture, and ask for another one if the view changed."""
        if self.viewport is None:
            self.viewport = Viewport()
            self.viewport.update(depsgraph)
        self.viewport.draw(self, context, depsgraph.scene)
