# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene keeps of its fit: pictures, parameters, settings. Stored in the .blend."""

from typing import TYPE_CHECKING

import bpy

from ...blender.fit_sockets import SocketRef, tree_at
from ...blender.node_names import input_title, node_title
from ...blender.session import require_session
from ...core.defaults import (
    ENVIRONMENT_HEIGHT,
    ENVIRONMENT_WIDTH,
    FIT_BOUNCES,
    FIT_MAX_ITERATIONS,
    FIT_SAMPLES,
    FIT_TEXTURE_ITERATIONS,
    FIT_TOLERANCE,
    TARGET_SIZE,
    TEXTURE_SIZE,
)
from .renamed import former_name

if TYPE_CHECKING:
    from ...core.graph.bindings import Address

KINDS = (
    ("NUMBER", "Number", "A number or color of a material", "NODE_MATERIAL", 0),
    ("TEXTURE", "Texture", "An image on a material", "TEXTURE", 1),
    ("LIGHT", "Light", "The strength of a light or of the world", "LIGHT", 2),
    ("ENVIRONMENT", "Environment", "All of the world's light, as an image", "WORLD", 3),
)
SOCKET_KINDS = ("NUMBER", "TEXTURE")
IMAGES = ("TEXTURE", "ENVIRONMENT")
SIZES = tuple(
    (f"{width}x{width // 2}", f"{width} x {width // 2}", words)
    for width, words in (
        (16, "A sky without edges: for rough surfaces"),
        (32, "Windows and clouds"),
        (64, "For glossy surfaces"),
        (128, "For mirrors that show the surroundings"),
    )
)


def is_camera(self: bpy.types.PropertyGroup, entry: bpy.types.Object) -> bool:
    """Return whether an object holds a camera."""
    return entry.type == "CAMERA"


def is_light(self: bpy.types.PropertyGroup, entry: bpy.types.Object) -> bool:
    """Return whether an object holds a light."""
    return entry.type == "LIGHT"


def note_size(self: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Keep how large the picture is: an image that is not loaded would be, to say so."""
    self.pixels = tuple(self.image.size) if self.image is not None else (0, 0)


class WEFT_PG_fit_target(bpy.types.PropertyGroup):
    """A picture of the scene."""

    use: bpy.props.BoolProperty(
        name="Use", description="Let the picture take part in the fit", default=True
    )
    camera: bpy.props.PointerProperty(
        name="Camera",
        description="The camera that took the picture",
        type=bpy.types.Object,
        poll=is_camera,
    )
    image: bpy.props.PointerProperty(
        name="Picture",
        description="Photo or render of the scene; its color space is that of the image",
        type=bpy.types.Image,
        update=note_size,
    )
    pixels: bpy.props.IntVectorProperty(
        name="Size", description="Of the picture when it was chosen, pixels; 0: not known", size=2
    )
    frame: bpy.props.IntProperty(
        name="Frame",
        description="Number of the picture in the image sequence: of its file, as in shot_0012.png",
        default=1,
        min=0,
    )
    mask: bpy.props.PointerProperty(
        name="Mask",
        description="Pixels that count are white, others black; of the picture's size",
        type=bpy.types.Image,
    )
    only: bpy.props.PointerProperty(
        name="Only Object",
        description="Only pixels that show this object count",
        type=bpy.types.Object,
    )
    exposure: bpy.props.FloatProperty(
        name="Exposure",
        description="Stops by which the picture is brighter than the scene's light",
        soft_min=-10.0,
        soft_max=10.0,
    )
    fits_exposure: bpy.props.BoolProperty(
        name="Unknown Exposure", description="Find the brightness of the picture beside the rest"
    )
    white_balance: bpy.props.BoolProperty(
        name="White Balance", description="Find one factor for each of red, green and blue"
    )
    source: bpy.props.EnumProperty(
        name="Source",
        items=(
            ("RENDER", "Render", "Filtered as the scene's render settings say"),
            ("PHOTO", "Photo", "Each pixel is the mean over its square"),
        ),
    )
    through_view: bpy.props.BoolProperty(
        name="View Transform",
        description="The picture was saved through the scene's view transform, as PNG and JPEG "
        "files of renders are; it is compared as the display shows it",
    )
    own_lights: bpy.props.BoolProperty(
        name="Own Lights",
        description="Only the lights and emissive objects of a collection lit this picture",
    )
    lights: bpy.props.PointerProperty(
        name="Collection",
        description="Lights and emissive objects that lit this picture; empty: none. Lights that "
        "renders hide may be among them",
        type=bpy.types.Collection,
    )
    flash: bpy.props.PointerProperty(
        name="Flash",
        description="A light that stood to this picture's camera as it stands to its parent "
        "camera, or to the scene's camera. It is dark in pictures that do not name it",
        type=bpy.types.Object,
        poll=is_light,
    )
    world_kind: bpy.props.EnumProperty(
        name="World",
        items=(
            ("SCENE", "Scene's", "The world of the scene lit this picture"),
            ("OWN", "Own", "Another world lit this picture"),
            ("NONE", "None", "No world lit this picture"),
        ),
    )
    world: bpy.props.PointerProperty(
        name="Own World", description="The world that lit this picture", type=bpy.types.World
    )
    found: bpy.props.StringProperty(
        name="Found", description="The factor that the last fit found", options={"SKIP_SAVE"}
    )
    verdict: bpy.props.StringProperty(
        name="Verdict", description="How well the scene explains this picture"
    )
    verdict_level: bpy.props.StringProperty(name="Level", description="Of the verdict")


class WEFT_PG_fit_parameter(bpy.types.PropertyGroup):
    """Something that the fit may change."""

    use: bpy.props.BoolProperty(name="Use", description="Let the fit change this", default=True)
    kind: bpy.props.EnumProperty(name="Kind", items=KINDS)
    # A pointer would count as a user of the material, which then could not be purged.
    owner: bpy.props.StringProperty(name="Material", description="Its full name")
    owner_uid: bpy.props.IntProperty(
        name="Number", description="Of the material in this session, which renaming keeps"
    )
    owner_session: bpy.props.StringProperty(
        name="Session", description="In which the number is that of the material"
    )
    path: bpy.props.StringProperty(
        name="Node", description="Names of the groups around the node, and its own, one a line"
    )
    socket: bpy.props.StringProperty(
        name="Socket", description="Identifier of the input; empty: the node's image"
    )
    is_output: bpy.props.BoolProperty(name="Output", description="The number stands at an output")
    socket_name: bpy.props.StringProperty(name="Input", description="What people call the input")
    light: bpy.props.PointerProperty(
        name="Light", type=bpy.types.Object, poll=is_light, description="Empty: the world"
    )
    color: bpy.props.BoolProperty(
        name="Color", description="Find the light's color as well as its strength"
    )
    limit: bpy.props.BoolProperty(
        name="Limit", description="Keep to a range of your own instead of the input's"
    )
    low: bpy.props.FloatProperty(name="Min", description="Smallest value")
    high: bpy.props.FloatProperty(name="Max", description="Largest value", default=1.0)
    width: bpy.props.IntProperty(
        name="Width", description="Of the texture, texels", default=TEXTURE_SIZE, min=1, max=16384
    )
    height: bpy.props.IntProperty(
        name="Height", description="Of the texture, texels", default=TEXTURE_SIZE, min=1, max=16384
    )
    environment_size: bpy.props.EnumProperty(
        name="Size",
        description="Of the unknown environment, texels: more need smoother surfaces to tell them",
        items=SIZES,
        default=f"{ENVIRONMENT_WIDTH}x{ENVIRONMENT_HEIGHT}",
    )
    found: bpy.props.StringProperty(
        name="Found", description="What the last fit found, with its standard error"
    )
    note: bpy.props.StringProperty(name="Note", description="Why the pictures do not determine it")

    @property
    def material(self) -> bpy.types.Material | None:
        """The material; ``None``: it was deleted."""
        if self.owner_session == require_session().file:
            found = (m for m in bpy.data.materials if m.session_uid == self.owner_uid)
        else:
            found = (m for m in bpy.data.materials if m.name_full == self.owner)
        return next(found, None)

    @material.setter
    def material(self, material: bpy.types.Material) -> None:
        self.owner, self.owner_uid = material.name_full, material.session_uid
        self.owner_session = require_session().file

    def nodes(self) -> list[str]:
        """Return the names of the groups around the node, and its own."""
        return self.path.split("\n")

    def address(self) -> str:
        """Return what scripts write; of a light, Blender's name of it."""
        if self.kind == "ENVIRONMENT":
            return "environment"
        if self.kind == "LIGHT":
            world = self.id_data.world
            return self.light.name if self.light else world.name if world else ""
        material = self.material.name_full if self.material else ""
        parts = [material, *self.nodes(), self.socket]
        return ".".join(part for part in parts if part)

    def binding_address(self) -> "Address":
        """Return the address of an input or image that no other has."""
        # The engine is loaded here, not when the extension is enabled.
        from ...core.graph.bindings import Address

        material, nodes = self.material, self.nodes()
        tree = tree_at(material, nodes[:-1]) if material and len(nodes) > 1 else None
        return Address(
            material.name_full if material else self.owner,
            tuple(nodes),
            self.socket,
            self.is_output,
            tree.name_full if tree else "",
            self.label(),
        )

    def title(self) -> str:
        """Return what Blender's interface calls the input or the image."""
        ref = socket_ref_of(self)
        node = ref.find_node() if ref else None
        if node is None:
            return self.socket_name or self.nodes()[-1]
        socket = ref.find_socket() if self.socket else None
        if socket is None:
            return f"Image {node_title(node)}"
        return input_title(socket)

    def label(self) -> str:
        """Return what messages call it."""
        if self.kind == "ENVIRONMENT":
            return "Unknown Environment"
        if self.kind == "LIGHT":
            what = "Strength and Color" if self.color else "Strength"
            return f"{what} ({self.address() or 'no light'})"
        material = self.material.name if self.material else "deleted material"
        return f"{self.title()} of {material}"


class WEFT_PG_fit(bpy.types.PropertyGroup):
    """The fit of a scene."""

    targets: bpy.props.CollectionProperty(type=WEFT_PG_fit_target)
    target: bpy.props.IntProperty(name="Picture", description="The selected picture")
    parameters: bpy.props.CollectionProperty(type=WEFT_PG_fit_parameter)
    parameter: bpy.props.IntProperty(name="Parameter", description="The selected parameter")
    samples: bpy.props.IntProperty(
        name="Samples",
        description="Paths a pixel of each of the two sample sets of an iteration",
        default=FIT_SAMPLES,
        min=1,
        max=256,
    )
    bounces: bpy.props.IntProperty(
        name="Bounces",
        description="Surfaces that a path may leave",
        default=FIT_BOUNCES,
        min=1,
        max=64,
    )
    seed: bpy.props.IntProperty(name="Seed", description="Equal seeds give equal fits", min=0)
    tolerance: bpy.props.FloatProperty(
        name="Tolerance",
        description="Wanted standard error of each number, in units of its range",
        default=FIT_TOLERANCE,
        min=1e-5,
        max=1.0,
        precision=4,
    )
    max_iterations: bpy.props.IntProperty(
        name="Max Iterations",
        description="Fits of scalar parameters end after so many iterations",
        default=FIT_MAX_ITERATIONS,
        min=1,
        max=10000,
    )
    texture_iterations: bpy.props.IntProperty(
        name="Texture Iterations",
        description="Fits of textures take so many iterations",
        default=FIT_TEXTURE_ITERATIONS,
        min=1,
    )
    max_draws: former_name("max_draws")
    texture_draws: former_name("texture_draws")
    time_limit: bpy.props.FloatProperty(
        name="Time Limit",
        description="The fit ends after so long; 0: no limit",
        unit="TIME_ABSOLUTE",
        min=0.0,
    )
    size: bpy.props.IntProperty(
        name="Picture Size",
        description="Pictures are compared at no more than so many pixels along the longer side",
        default=TARGET_SIZE,
        min=8,
        max=8192,
    )
    verdict: bpy.props.StringProperty(
        name="Verdict", description="Whether the scene explains the pictures"
    )
    verdict_level: bpy.props.StringProperty(name="Level", description="Of the verdict")
    shows_difference: bpy.props.BoolProperty(
        name="Difference", description="Show where picture and render differ instead of the render"
    )
    shows_all_problems: bpy.props.BoolProperty(
        name="All Problems", description="Show all that is missing or replaced"
    )


def socket_ref_of(parameter: WEFT_PG_fit_parameter) -> SocketRef | None:
    """Return the socket of a parameter; ``None``: it has none, or its material was deleted."""
    owner = parameter.material if parameter.kind in SOCKET_KINDS else None
    if owner is None:
        return None
    nodes = parameter.nodes()
    if len(nodes) > 1:
        owner = tree_at(owner, nodes[:-1])
    if owner is None:
        return None
    return SocketRef(
        owner.session_uid,
        len(nodes) > 1,
        nodes[-1],
        parameter.socket,
        parameter.is_output,
        parameter.socket_name or nodes[-1],
    )


@bpy.app.handlers.persistent
def note_materials(*_arguments: object) -> None:
    """Have all scenes keep their materials' names and numbers as they are now."""
    for scene in bpy.data.scenes:
        for entry in scene.weft_fit.parameters:
            material = entry.material
            if material is not None:
                entry.material = material
