# SPDX-License-Identifier: GPL-3.0-or-later
"""What an entry of the table sees of its node and of the material."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft.scene import Attribute, Constant
from weft.scene.materials import Surface
from weft.scene.values import Value

from .spec import Call, clamp_unit
from .values import SIZES, SURFACES, Carried, call, convert, is_number

if TYPE_CHECKING:
    from .compile import Compiler, Scope
    from .model import ImageData, Node, Socket


class Unsupported(Exception):
    """Ends the compilation of an output: whatever it drives acts as if unlinked."""


@dataclass(frozen=True, eq=False)
class NodeContext:
    """A node at its place in the graph, while one of its outputs is compiled."""

    compiler: Compiler
    scope: Scope
    node: Node

    @property
    def properties(self) -> Mapping[str, Any]:
        """Of the node, by Blender's names."""
        return self.node.properties

    def socket(self, identifier: str) -> Socket:
        """Return an input."""
        found = self.node.find_input(identifier)
        if found is None:
            raise Unsupported(f"its input '{identifier}' is missing in this version of Blender")
        return found

    def has(self, identifier: str) -> bool:
        """Return whether this version of the node has an input."""
        return self.node.find_input(identifier) is not None

    def is_linked(self, identifier: str) -> bool:
        """Return whether something drives an input."""
        return self.has(identifier) and not is_number(self.carried(identifier).content)

    def input(self, identifier: str, kind: str | None = None) -> Value:
        """Return what an input carries, as parameter of the material if nothing drives it.

        Args:
            identifier: Of the socket.
            kind: What to convert it to; ``None``: the socket's own kind.
        """
        carried = self.carried(identifier)
        self.compiler.activate(carried.content)
        converted = convert(carried, kind or carried.kind)
        if converted is None or converted.content is None:
            raise Unsupported(f"its input '{identifier}' carries no number")
        assert not isinstance(converted.content, SURFACES)
        return converted.content

    def is_driven(self, identifier: str) -> bool:
        """Return whether a link brings something to an input, be it a number."""
        if not self.has(identifier) or self.socket(identifier).link is None:
            return False
        return not self.compiler.is_own(self.carried(identifier).content, self.scope, self.node)

    def is_used(self, output: str) -> bool:
        """Return whether links leave an output."""
        wanted = (self.node.name, output)
        nodes = self.scope.graph.nodes.values()
        return any(socket.link == wanted for node in nodes for socket in node.inputs)

    def once(self, key: str, make: Callable[[], Value]) -> Value:
        """Return a value that the outputs of the node share."""
        return self.compiler.part((self.scope, self.node.name, key), make)

    def shared(self, key: str, make: Callable[[], Value]) -> Value:
        """Return a value that the nodes of the material share."""
        return self.compiler.part((key,), make)

    def own_number(self, socket: Socket) -> Value:
        """Return a number of the node that is no input, as parameter of the material."""
        constant = self.compiler.constant(self.scope, self.node, socket)
        self.compiler.activate(constant)
        return constant

    def surface(self, identifier: str) -> Surface | None:
        """Return the surface that an input carries, ``None`` for a shader that does nothing."""
        content = self.carried(identifier).content
        assert content is None or isinstance(content, SURFACES)
        return content

    def direction(self, identifier: str) -> Value | None:
        """Return a normal or tangent that drives an input; ``None`` if nothing does."""
        return self.input(identifier) if self.is_linked(identifier) else None

    @property
    def normal(self) -> Value:
        """The normal that nodes see: that of the mesh, or of the displacement as a bump."""
        return self.compiler.normal

    @property
    def relief(self) -> Value | None:
        """The normal of the displacement as a bump; ``None``: there is none."""
        normal = self.compiler.normal
        return None if isinstance(normal, Attribute) else normal

    def number(self, identifier: str) -> float | tuple[float, ...] | None:
        """Return the number of an input that nothing drives; ``None`` if something does."""
        content = self.carried(identifier).content
        if isinstance(content, Constant):
            numbers = content.numbers
            return numbers if SIZES[self.socket(identifier).kind] == 3 else numbers[0]
        return content if isinstance(content, (float, tuple)) else None

    def is_kept(self, identifier: str) -> bool:
        """Return whether a fit wants the parameter of an input, whatever its value."""
        content = self.carried(identifier).content
        return isinstance(content, Constant) and self.compiler.keeps(content)

    def call(self, wanted: Call) -> Value:
        """Return the call of a function with inputs of the node."""
        arguments = {f"x{k}": self.input(name) for k, name in enumerate(wanted.inputs)}
        result = call(wanted.function, wanted.size, wanted.is_differentiable, **arguments)
        return clamp_unit(result, wanted.size) if wanted.clamps else result

    def number_of_output(self, identifier: str) -> Value:
        """Return the number that an output holds, as parameter of the material."""
        found = self.node.find_output(identifier)
        assert found is not None
        constant = self.compiler.constant(self.scope, self.node, found, is_output=True)
        self.compiler.activate(constant)
        return constant

    def image(self, name: str) -> ImageData | None:
        """Return an image by Blender's name."""
        return self.compiler.images.get(name)

    def attribute(self, kind: str, name: str = "") -> int:
        """Return the number of a colour attribute or UV set that the mesh must bring.

        Args:
            kind: ``uv`` for a UV set (``weft.scene.UVSet``); ``color``, ``generated``, ``object``
                and others for a colour attribute (``weft.scene.ColorAttribute``).
            name: Of the UV map or attribute; "" is the one that Blender has active for rendering.
        """
        return self.compiler.attribute(kind, name)

    def bind_texture(self, image: str) -> str:
        """Return the name for a texture of this node, and note which image it is."""
        return self.compiler.bind_texture(self.scope, self.node, image)

    def texture_name(self) -> str:
        """Return the name for a texture of this node that is not that of its image alone."""
        return self.compiler.texture_name(self.scope, self.node)

    def problem(self, message: str, used_instead: str = "") -> None:
        """Note what is not shown as in Cycles."""
        self.compiler.problem(self.scope, self.node, message, used_instead)

    def unsupported(self, what: str) -> Value:
        """Give up: something about the node is not supported."""
        raise Unsupported(f"{what} is not supported")

    def carried(self, identifier: str) -> Carried:
        """Return what an input carries, with its kind; it is no parameter yet."""
        return self.compiler.input(self.scope, self.node, self.socket(identifier))


__all__ = ["NodeContext", "Unsupported"]
