# SPDX-License-Identifier: GPL-3.0-or-later
"""The group around a function that the engine evaluates.

Its nodes read results: an attribute of the mesh, or, where Is Carried is on, one of the points of
the carrier object. In that case they store the inputs as attributes, too, which are read from the
evaluated geometry. Without the extension they give what was evaluated last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.evaluation.plan import POSITION
from ...core.slang_nodes.interface import CARRIED, CARRIER, DATA, GEOMETRY
from ..batches import COLUMN, ROW
from ..lowered_groups import replace_nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import bpy

    from ...core.evaluation.plan import Plan, Value
    from ...core.slang_nodes.interface import Interface

PREFIX = ".weft_"
"""Of attributes that are ours; Blender does not list names that begin with a dot."""
INDEX, POSITIONS = "<index>", "<position>"
"""Stored beside the inputs, whose names are those of parameters."""
_SWITCHES = {
    "FLOAT": "FLOAT",
    "INT": "INT",
    "BOOLEAN": "BOOLEAN",
    "FLOAT_VECTOR": "VECTOR",
    "FLOAT_COLOR": "RGBA",
    "FLOAT4X4": "MATRIX",
}


def result_name(data: str, output: str) -> str:
    """Return the attribute that holds a result.

    Args:
        data: What the modifier holds in Data.
        output: The name of the output.
    """
    return f"{data}_{output}"


def input_name(data: str, name: str) -> str:
    """Return the attribute that holds a stored input, or ``INDEX`` or ``POSITIONS``."""
    return f"{data}_in:{name}"


def fill_evaluated(
    tree: bpy.types.NodeTree,
    plan: Plan,
    interface: Interface,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> None:
    """Put the nodes that read results in the place of those that a group has.

    Args:
        tree: Its sockets are there already.
        plan: How the function is evaluated.
        interface: Of the node.
        inputs: Identifiers of the sockets of the interface.
        outputs: The same.
    """
    old = list(tree.nodes)
    try:
        _Filling(tree, plan, interface, inputs, outputs).fill()
    except BaseException:
        for node in [node for node in tree.nodes if node not in old]:
            tree.nodes.remove(node)
        raise
    replace_nodes(tree, old)


class _Filling:
    def __init__(
        self,
        tree: bpy.types.NodeTree,
        plan: Plan,
        interface: Interface,
        inputs: Sequence[str],
        outputs: Sequence[str],
    ) -> None:
        self.tree, self.plan = tree, plan
        self.entry = self.new("NodeGroupInput", 0, 0)
        self.end = self.new("NodeGroupOutput", 7, 0)
        given = {socket.identifier: socket for socket in self.entry.outputs}
        taken = {socket.identifier: socket for socket in self.end.inputs}
        specs = zip(interface.inputs, inputs, strict=True)
        self.given = {spec.name: given[name] for spec, name in specs}
        results = zip(interface.outputs, outputs, strict=True)
        self.taken = {spec.name: taken[name] for spec, name in results}
        self.row = 0

    def new(self, kind: str, column: int, row: int) -> bpy.types.Node:
        node = self.tree.nodes.new(kind)
        node.location = (column * COLUMN, -row * ROW)
        return node

    def link(self, source: bpy.types.NodeSocket, target: bpy.types.NodeSocket) -> None:
        self.tree.links.new(source, target)

    def fill(self) -> None:
        geometry = self.stored_inputs()
        self.carrier = self.new("GeometryNodeObjectInfo", 2, 1)
        self.link(self.given[CARRIER], self.carrier.inputs["Object"])
        self.number = self.new("GeometryNodeInputIndex", 2, 2)
        for output in self.plan.outputs:
            self.row += 1
            source = self.result(output.value)
            if not output.is_position:
                self.link(source, self.taken[output.value.name])
                continue
            mover = self.new("GeometryNodeSetPosition", 6, 0)
            self.link(geometry, mover.inputs["Geometry"])
            self.link(source, mover.inputs["Position"])
            geometry = mover.outputs["Geometry"]
        self.link(geometry, self.taken[GEOMETRY])

    def name(self, rest: str, column: int, row: int) -> bpy.types.NodeSocket:
        """Return the name of an attribute: what Data holds, and a rest."""
        text = self.new("FunctionNodeInputString", column, row)
        text.string = rest
        joined = self.new("GeometryNodeStringJoin", column, row)
        # The later link stands before the earlier one.
        self.link(text.outputs["String"], joined.inputs["Strings"])
        self.link(self.given[DATA], joined.inputs["Strings"])
        return joined.outputs["String"]

    def stored_inputs(self) -> bpy.types.NodeSocket:
        """Return the geometry, on which inputs are stored if results are carried."""
        geometry = self.given[GEOMETRY]
        index = self.new("GeometryNodeInputIndex", 1, 6)
        fields = [("INT", index.outputs["Index"], INDEX)]
        fields += [
            (entry.value.attribute, self.given[entry.value.name], entry.value.name)
            for entry in self.plan.inputs
            if entry.is_stored and entry.has_socket
        ]
        fields += [
            (entry.value.attribute, self.array_field(entry.source), entry.value.name)
            for entry in self.plan.inputs
            if entry.is_stored and not entry.has_socket
        ]
        if self.plan.moves:  # what elements keep whose new one is not finite
            fields.append(("FLOAT_VECTOR", self.array_field(POSITION), POSITIONS))
        for number, (kind, source, name) in enumerate(fields):
            node = self.new("GeometryNodeStoreNamedAttribute", 2 + number, 6)
            node.data_type, node.domain = kind, self.plan.domain
            self.link(geometry, node.inputs["Geometry"])
            self.link(self.name(input_name("", name), 2 + number, 7), node.inputs["Name"])
            self.link(source, _enabled(node.inputs, "Value"))
            geometry = node.outputs["Geometry"]
        switch = self.new("GeometryNodeSwitch", 5, 0)
        switch.input_type = "GEOMETRY"
        self.link(self.is_carried(), _enabled(switch.inputs, "Switch"))
        self.link(self.given[GEOMETRY], _enabled(switch.inputs, "False"))
        self.link(geometry, _enabled(switch.inputs, "True"))
        return _enabled(switch.outputs, "Output")

    def is_carried(self) -> bpy.types.NodeSocket:
        """Return whether inputs are stored, in a way that Blender cannot tell beforehand.

        It draws sockets grey that it knows to change nothing, and the handlers that take their
        values are not in the tree.
        """
        viewport = self.new("GeometryNodeIsViewport", 3, 9)
        joined = self.given[CARRIED]
        unknown = [viewport.outputs["Is Viewport"]]
        for entry in self.plan.inputs:
            if entry.has_socket and not entry.is_stored:
                unknown += self.sign_of(self.given[entry.value.name])
        for number, socket in enumerate(unknown):
            never = self.new("FunctionNodeBooleanMath", 4 + number, 9)
            never.operation = "NIMPLY"
            self.link(socket, never.inputs[0])
            self.link(socket, never.inputs[1])
            either = self.new("FunctionNodeBooleanMath", 4 + number, 10)
            either.operation = "OR"
            self.link(joined, either.inputs[0])
            self.link(never.outputs["Boolean"], either.inputs[1])
            joined = either.outputs["Boolean"]
        return joined

    def sign_of(self, socket: bpy.types.NodeSocket) -> list[bpy.types.NodeSocket]:
        """Return a number that a text or an image decides; nothing for other sockets."""
        kinds = {
            "STRING": ("FunctionNodeStringLength", "Length"),
            "IMAGE": ("GeometryNodeImageInfo", "Width"),
        }
        if socket.type not in kinds:
            return []
        kind, name = kinds[socket.type]
        node = self.new(kind, 3, 10)
        self.link(socket, node.inputs[0])
        return [node.outputs[name]]

    def array_field(self, source: str) -> bpy.types.NodeSocket:
        """Return the field that a whole array holds."""
        kinds = {
            "position": ("GeometryNodeInputPosition", "Position"),
            "normal": ("GeometryNodeInputNormal", "Normal"),
            "index": ("GeometryNodeInputIndex", "Index"),
            "id": ("GeometryNodeInputID", "ID"),
        }
        if source in kinds:
            kind, name = kinds[source]
            return self.new(kind, 1, 8).outputs[name]
        entry = next(own for own in self.plan.inputs if own.source == source)
        node = self.new("GeometryNodeInputNamedAttribute", 1, 8)
        node.data_type = entry.value.attribute
        node.inputs["Name"].default_value = entry.attribute
        return _enabled(node.outputs, "Attribute")

    def result(self, value: Value) -> bpy.types.NodeSocket:
        """Return the field that a result is."""
        row = self.row + 1
        kind = value.attribute
        node = self.new("GeometryNodeInputNamedAttribute", 3, row)
        node.data_type = kind
        self.link(self.name(result_name("", value.name), 1, row), node.inputs["Name"])
        own = _enabled(node.outputs, "Attribute")
        sample = self.new("GeometryNodeSampleIndex", 4, row)
        sample.data_type, sample.domain = kind, "POINT"
        self.link(self.carrier.outputs["Geometry"], sample.inputs["Geometry"])
        self.link(own, _enabled(sample.inputs, "Value"))
        self.link(self.number.outputs["Index"], sample.inputs["Index"])
        switch = self.new("GeometryNodeSwitch", 5, row)
        switch.input_type = _SWITCHES[kind]
        self.link(self.given[CARRIED], _enabled(switch.inputs, "Switch"))
        self.link(own, _enabled(switch.inputs, "False"))
        self.link(_enabled(sample.outputs, "Value"), _enabled(switch.inputs, "True"))
        return _enabled(switch.outputs, "Output")


def _enabled(sockets: bpy.types.bpy_prop_collection, name: str) -> bpy.types.NodeSocket:
    """Return the socket of a name for the type that a node has: others are there, but disabled."""
    return next(socket for socket in sockets if socket.name == name and socket.enabled)
