# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of the list of pictures: many at once, the camera of each, the photo behind it."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...core.camera_matching import match_cameras
from ..waiting import redraw
from .properties import WEFT_PG_fit_target

EDIT = {"REGISTER", "UNDO"}
VEIL = 0.5  # opacity of a photo over the view


class WEFT_OT_add_target(bpy.types.Operator):
    """Add pictures of the scene; cameras are found by the names of the files"""

    bl_idname = "weft.add_target"
    bl_label = "Add Pictures"
    bl_options = EDIT

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"SKIP_SAVE"})
    files: bpy.props.CollectionProperty(
        type=bpy.types.OperatorFileListElement, options={"SKIP_SAVE", "HIDDEN"}
    )
    filter_image: bpy.props.BoolProperty(default=True, options={"HIDDEN", "SKIP_SAVE"})
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN", "SKIP_SAVE"})
    camera: bpy.props.StringProperty(
        name="Camera",
        description="Name of the camera; empty: by the file's name, else the active one",
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for the files."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Load the pictures and put them into the list."""
        paths = self._paths()
        try:
            images = [bpy.data.images.load(path, check_existing=True) for path in paths]
        except RuntimeError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._add(context, paths, images)
        redraw(context)
        return {"FINISHED"}

    def _add(
        self, context: bpy.types.Context, paths: list[str], images: list[bpy.types.Image]
    ) -> None:
        """Put pictures into the list, each with the camera that its file is named after."""
        cameras = {entry.name: entry for entry in context.scene.objects if entry.type == "CAMERA"}
        names = match_cameras(paths, list(cameras))
        given = bpy.data.objects.get(self.camera) if self.camera else None
        if len(images) < 2:
            fallback = given or usual_camera(context)
            name = None if given or not names else names[0]
            add_target(context, images[0] if images else None, cameras.get(name or "", fallback))
        else:
            self._add_all(context, images, [cameras.get(name or "", given) for name in names])

    def _paths(self) -> list[str]:
        paths = [str(Path(self.directory) / entry.name) for entry in self.files if entry.name]
        return paths or ([self.filepath] if self.filepath else [])

    def _add_all(
        self,
        context: bpy.types.Context,
        images: list[bpy.types.Image],
        cameras: list[bpy.types.Object | None],
    ) -> None:
        """Put pictures into the list; tell of those that no camera was found for."""
        for image, camera in zip(images, cameras, strict=True):
            add_target(context, image, camera)
        without = [i.name for i, own in zip(images, cameras, strict=True) if own is None]
        if without:
            listed = ", ".join(without)
            self.report({"WARNING"}, f"fit: choose the cameras of {listed}: no name fits")


def usual_camera(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the selected camera, else that of the scene."""
    active = context.active_object
    return active if active is not None and active.type == "CAMERA" else context.scene.camera


def add_target(
    context: bpy.types.Context, image: bpy.types.Image | None, camera: bpy.types.Object | None
) -> None:
    """Put a picture into the list and select it."""
    fit = context.scene.weft_fit
    target = fit.targets.add()
    target.image, target.camera = image, camera
    fit.target = len(fit.targets) - 1


def selected(context: bpy.types.Context) -> WEFT_PG_fit_target | None:
    """Return the selected picture."""
    fit = context.scene.weft_fit
    return fit.targets[fit.target] if 0 <= fit.target < len(fit.targets) else None


class WEFT_OT_choose_camera(bpy.types.Operator):
    """Say which camera took the selected picture"""

    bl_idname = "weft.choose_camera"
    bl_label = "Choose Camera"
    bl_options = EDIT

    def cameras(self, context: bpy.types.Context) -> list[tuple[str, str, str]]:
        """Return the cameras of the scene as items."""
        entries = sorted(e.name for e in context.scene.objects if e.type == "CAMERA")
        items = [(name, name, "") for name in entries]
        # Blender reads the texts of items later, without keeping them.
        WEFT_OT_choose_camera.items = items
        return items

    camera: bpy.props.EnumProperty(name="Camera", items=cameras)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether a picture is selected."""
        return selected(context) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Set it."""
        selected(context).camera = bpy.data.objects[self.camera]
        redraw(context)
        return {"FINISHED"}


class WEFT_OT_show_photo(bpy.types.Operator):
    """Look through the picture's camera with the photo laid over the view, or take it away again"""

    bl_idname = "weft.show_photo"
    bl_label = "Overlay in Camera"
    bl_options = EDIT

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether the selected picture has an image and a camera."""
        target = selected(context)
        return target is not None and target.image is not None and target.camera is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Do it."""
        target = selected(context)
        if overlay_of(target) is not None:
            remove_overlay(target)
        else:
            add_overlay(target)
            look_through(context, target.camera)
        redraw(context)
        return {"FINISHED"}


def overlay_of(target: WEFT_PG_fit_target) -> bpy.types.CameraBackgroundImage | None:
    """Return the background of the camera that shows the picture; ``None``: there is none."""
    if target.camera is None or target.image is None:
        return None
    entries = target.camera.data.background_images
    return next((entry for entry in entries if entry.image == target.image), None)


def add_overlay(target: WEFT_PG_fit_target) -> None:
    """Lay the picture over the view of its camera."""
    data = target.camera.data
    entry = data.background_images.new()
    entry.image = target.image
    # The whole picture over the whole frame: that is how it is compared.
    entry.frame_method, entry.alpha, entry.display_depth = "STRETCH", VEIL, "FRONT"
    data.show_background_images = True


def remove_overlay(target: WEFT_PG_fit_target) -> None:
    """Take the picture away; other backgrounds of the camera stay."""
    backgrounds = target.camera.data.background_images
    for entry in [entry for entry in backgrounds if entry.image == target.image]:
        backgrounds.remove(entry)


def look_through(context: bpy.types.Context, camera: bpy.types.Object) -> None:
    """Make a camera that of the scene, and turn the 3D views to it."""
    context.scene.camera = camera
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.spaces.active.region_3d.view_perspective = "CAMERA"


def frame_warning(target: WEFT_PG_fit_target, render: bpy.types.RenderSettings) -> str:
    """Return a warning where picture and frame have different shapes; "" if they agree."""
    width, height = target.pixels
    frame = render.resolution_x * render.pixel_aspect_x
    tall = render.resolution_y * render.pixel_aspect_y
    if min(width, height, frame, tall) < 1 or abs(width * tall / (height * frame) - 1) < 0.01:
        return ""
    return (
        f"The picture is {width} x {height}, the frame {render.resolution_x} x "
        f"{render.resolution_y}: set the resolution to that of the picture to see it unstretched"
    )
