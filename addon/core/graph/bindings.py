# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parameter of a weft material is which socket of Blender's, and how people name them."""

from __future__ import annotations

from dataclasses import dataclass

from weft.scene import ParameterRef


@dataclass(frozen=True)
class Binding:
    """A number of Blender's that is a parameter of the material.

    Args:
        parameter: What it is called, from here to the kernel: ``Chrome.Principled BSDF.Roughness``.
            Sockets of equal names are told apart as in Python: ``Chrome.Math.inputs[1]``.
        material: Blender's name of the material.
        path: Names of nodes: the groups from the outside in, then the node.
        tree: Name of the group that has the node; "": it is in none. A group that is used twice
            has one number.
        socket: Identifier of the input, or of the output if `is_output`.
        socket_name: As people read it.
        value: As Blender has it now, without alpha.
        low: Smallest sensible value.
        high: Largest sensible value.
        is_output: The number stands at an output, as that of a Value node.
        is_active: The material has the parameter. If not, it would change nothing unless fitted:
            pass its name to ``compile_material(keep=...)``.
        is_main: It belongs to the closure that is the surface.
        index: Of the socket among the inputs, or outputs, of its node; -1: it is none of them.
        ways: Other paths to the node: of a group that is used more than once.
    """

    parameter: ParameterRef
    material: str
    path: tuple[str, ...]
    tree: str
    socket: str
    socket_name: str
    value: float | tuple[float, ...]
    low: float
    high: float
    is_output: bool = False
    is_active: bool = True
    is_main: bool = False
    index: int = -1
    ways: tuple[tuple[str, ...], ...] = ()

    @property
    def label(self) -> str:
        """What people read and write: the parameter."""
        return self.parameter

    @property
    def place(self) -> str:
        """The socket as Blender's Python names it; "" if that is not known."""
        return (
            "" if self.index < 0 else f"{'outputs' if self.is_output else 'inputs'}[{self.index}]"
        )

    @property
    def size(self) -> int:
        """Number of components."""
        return len(self.value) if isinstance(self.value, tuple) else 1


@dataclass(frozen=True)
class TextureBinding:
    """An image of Blender's that is a texture of the material.

    Args:
        texture: Name of the ``weft.scene.Texture``, unique in the material.
        material: Blender's name of the material.
        path: Names of nodes, as in `Binding`.
        tree: Name of the group that has the node; "": it is in none.
        image: Blender's name of the image.
        encoding: What the texture's numbers are, as in ``ImageData``.
        is_associated: Its colour is multiplied by alpha.
    """

    texture: str
    material: str
    path: tuple[str, ...]
    tree: str
    image: str
    encoding: str = "linear"
    is_associated: bool = False

    @property
    def label(self) -> str:
        """What people read and write: ``"Wood.Image Texture"``."""
        return ParameterRef.of(self.material, *self.path)


@dataclass(frozen=True)
class LinkedInput:
    """An input that a link drives, so that its own number has no effect.

    Args:
        material: Blender's name of the material.
        path: Names of nodes, as in `Binding`.
        tree: Name of the tree that has the node.
        socket: Identifier of the input.
        socket_name: As people read it.
        driver: Name of the node that drives it.
        textures: Images on the way to it.
        numbers: Numbers on the way to it.
        is_main: It belongs to the closure that is the surface.
    """

    material: str
    path: tuple[str, ...]
    tree: str
    socket: str
    socket_name: str
    driver: str
    textures: tuple[TextureBinding, ...]
    numbers: tuple[Binding, ...]
    is_main: bool = False

    @property
    def label(self) -> str:
        """What people read, as of a `Binding`."""
        return ParameterRef.of(self.material, *self.path, self.socket_name)


@dataclass(frozen=True)
class Address:
    """Exactly one socket or image node, however many have its name.

    Args:
        material: Blender's name of the material.
        path: Names of nodes: the groups from the outside in, then the node.
        socket: Identifier of the input or output; "": the node's image.
        is_output: The socket is an output.
        tree: Name of the group that has the node: another place of it is the same number. "": it
            is in no group.
        label: What people call it; "": the names above.
    """

    material: str
    path: tuple[str, ...]
    socket: str = ""
    is_output: bool = False
    tree: str = ""
    label: str = ""

    def __str__(self) -> str:
        """Return what people call it."""
        parts = (self.material, *self.path, *([self.socket] if self.socket else []))
        return self.label or ParameterRef.of(*parts)

    def is_of(self, entry: Binding | TextureBinding | LinkedInput) -> bool:
        """Return whether this is the address of something."""
        same_tree = bool(self.tree) and self.tree == entry.tree
        return (
            self.material == entry.material
            and (self.path == entry.path or (same_tree and self.path[-1] == entry.path[-1]))
            and self.socket == getattr(entry, "socket", "")
            and self.is_output == getattr(entry, "is_output", False)
        )
