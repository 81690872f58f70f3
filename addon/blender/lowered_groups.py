# SPDX-License-Identifier: GPL-3.0-or-later
"""Node groups from the trees that ``weft.lower`` gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import bpy

from ..core.repeats import Repeat, find_repeats
from ..core.slang_nodes.bundles import BUNDLE
from ..core.slang_nodes.menus import MENU, case_labels, find_case
from ..core.steps import last_value
from .batches import COLUMN, ROW, place_nodes, set_numbers, set_property
from .image_nodes import IMAGE_MARK, PART_MARK, images_of
from .lowered_zones import add_bundle_items, add_items, by_identifier, new_zone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..core.steps import Steps

    Source = float | bool | str | Mapping[str, Any]
    Place = tuple[int, str]
    Images = Mapping[str, bpy.types.Image | None]

PART = 25
"""Nodes in a group of their own: Blender makes trees of this size fastest."""


_GROUP_NODES = {
    "ShaderNodeTree": "ShaderNodeGroup",
    "GeometryNodeTree": "GeometryNodeGroup",
    "CompositorNodeTree": "CompositorNodeGroup",
}
_SOCKETS = {
    "VALUE": "NodeSocketFloat",
    "INT": "NodeSocketInt",
    "BOOLEAN": "NodeSocketBool",
    "VECTOR": "NodeSocketVector",
    "RGBA": "NodeSocketColor",
    "IMAGE": "NodeSocketImage",
    "MENU": MENU,
    "MATRIX": "NodeSocketMatrix",
    "BUNDLE": BUNDLE,
}


def build_group(
    tree: Mapping[str, Any], name: str, images: Images | None = None
) -> bpy.types.NodeTree:
    """Make a node group.

    Args:
        tree: ``Lowered.tree``, for this version of Blender.
        name: Of the group; Blender appends a number if there is one of that name.
        images: That its nodes hold, by the names of ``tree["images"]``; others hold none. Geometry
            trees have sockets instead.

    Returns:
        The group. Its nodes lie in groups of their own, whose names begin with a dot, if they are
        more than ``PART``; what repeats, as rounds of loops do, is one group that is used often.

    Raises:
        RuntimeError: Blender refuses a node; nothing of the group is left then.
    """
    builder = _Builder(tree, name, images or {})
    try:
        return builder.build()
    except BaseException:
        builder.remove()
        raise


def fill_group(
    group: bpy.types.NodeTree,
    tree: Mapping[str, Any],
    inputs: Sequence[str],
    outputs: Sequence[str],
    images: Images | None = None,
) -> Steps[None]:
    """Put the nodes of a tree in the place of those that a group has.

    What was there goes last: until then, and if Blender refuses a node, the group computes what
    it did.

    Args:
        group: Its sockets are there already.
        tree: ``Lowered.tree``, for this version of Blender.
        inputs: Identifiers of the sockets that the tree's inputs are, in their order.
        outputs: The same.
        images: As of ``build_group``; by default those that the group's nodes hold.
    """
    old = list(group.nodes)
    builder = _Builder(tree, group.name, images_of(group) if images is None else images)
    try:
        yield from builder.fill(group, inputs, outputs)
    except BaseException:
        for node in [node for node in group.nodes if node not in old]:
            group.nodes.remove(node)
        builder.remove()
        raise
    replace_nodes(group, old)


def replace_nodes(group: bpy.types.NodeTree, old: Sequence[bpy.types.Node]) -> None:
    """Remove nodes of a group, and the groups of parts that nothing else uses."""
    parts = {
        node.node_tree
        for node in old
        if getattr(node, "node_tree", None) is not None and PART_MARK in node.node_tree
    }
    for node in old:
        group.nodes.remove(node)
    for part in parts:
        if part.users == 0:
            bpy.data.node_groups.remove(part)
    for node in group.nodes:
        if node.bl_idname == "NodeGroupOutput":
            node.is_active_output = True


class _Builder:
    def __init__(self, tree: Mapping[str, Any], name: str, images: Images) -> None:
        self.tree = tree
        self.name = name
        self.images = images
        self.made: list[bpy.types.NodeTree] = []
        self.outputs: dict[Place, bpy.types.NodeSocket] = {}  # in the outer tree
        self.used = _last_uses(tree)
        self.zones = {zone["input"]: zone for zone in tree["zones"]}
        self.ends: dict[int, bpy.types.Node] = {}  # of zones, by number

    def remove(self) -> None:
        for group in reversed(self.made):
            bpy.data.node_groups.remove(group)

    def new_tree(self, name: str) -> bpy.types.NodeTree:
        group = bpy.data.node_groups.new(name, self.tree["tree"])
        self.made.append(group)
        return group

    def build(self) -> bpy.types.NodeTree:
        group = self.new_tree(self.name)
        for socket in self.tree["inputs"]:
            _add_socket(group, socket, "INPUT")
        for socket in self.tree["outputs"]:
            _add_socket(group, socket, "OUTPUT")
        sockets = [item for item in group.interface.items_tree if item.item_type == "SOCKET"]
        inputs = [item for item in sockets if item.in_out == "INPUT"]
        last_value(
            self.fill(
                group,
                [item.identifier for item in inputs],
                [item.identifier for item in sockets if item.in_out == "OUTPUT"],
            )
        )
        for item, socket in zip(inputs, self.tree["inputs"], strict=True):
            if item.bl_socket_idname == MENU and "default" in socket:
                show_case(item, list(socket["cases"].items()), socket["default"])
        return group

    def fill(
        self, group: bpy.types.NodeTree, inputs: Sequence[str], outputs: Sequence[str]
    ) -> Steps[None]:
        entry = group.nodes.new("NodeGroupInput")
        given = {socket.identifier: socket for socket in entry.outputs}
        for number, identifier in enumerate(inputs):
            self.outputs[0, str(number)] = given[identifier]
        numbers = range(1, len(self.tree["nodes"]))
        pieces = [numbers] if len(numbers) <= PART else self.pieces()
        if len(numbers) <= PART:
            self.add_nodes(group, numbers, self.outputs)
        else:
            for piece in pieces:
                if isinstance(piece, Repeat):
                    self.add_repeat(group, piece)
                elif isinstance(piece, range):
                    self.add_part(group, piece)
                else:
                    self.add_zone_node(group, piece)
                yield
        end = group.nodes.new("NodeGroupOutput")
        columns = sum(piece.count if isinstance(piece, Repeat) else 1 for piece in pieces)
        end.location = (COLUMN * (1 + columns), 0)
        taken = {socket.identifier: socket for socket in end.inputs}
        for identifier, source in zip(outputs, self.tree["results"], strict=True):
            _feed(group, taken[identifier], source, self.outputs)

    def pieces(self) -> list[range | Repeat | int]:
        """Return what becomes groups of its own, and the numbers of zones' ends, in order."""
        pieces: list[range | Repeat | int] = []
        begin = 1
        for zone in self.tree["zones"]:
            first, last = zone["input"], zone["output"]
            pieces += [*self.repeated(range(begin, first)), first]
            pieces += [*_parts(range(first + 1, last)), last]
            begin = last + 1
        return [*pieces, *self.repeated(range(begin, len(self.tree["nodes"])))]

    def repeated(self, numbers: range) -> list[range | Repeat]:
        """Return what becomes groups of its own of nodes outside of zones."""
        repeats = find_repeats(self.tree["nodes"], numbers) if len(numbers) > PART else []
        pieces: list[range | Repeat] = []
        begin = numbers.start
        for repeat in repeats:
            pieces += [*_parts(range(begin, repeat.start)), repeat]
            begin = repeat.end
        return [*pieces, *_parts(range(begin, numbers.stop))]

    def new_node(self, group: bpy.types.NodeTree, number: int) -> bpy.types.Node:
        """Add a node; the last of a zone comes with the first."""
        entry = self.tree["nodes"][number]
        zone = self.zones.get(number)
        if zone is not None:
            node, self.ends[zone["output"]] = new_zone(group, zone["items"])
        else:
            node = self.ends.pop(number, None) or group.nodes.new(entry["type"])
        for name, value in entry["properties"].items():
            if name == "image":
                node[IMAGE_MARK] = value
                node.image = self.images.get(value)
            else:
                set_property(node, name, value)
        if "types" in entry:
            add_bundle_items(node, entry["items"], entry["types"])
        elif "items" in entry:
            name_items(node, entry["items"])
        add_items(node, entry["inputs"])
        return node

    def add_zone_node(self, group: bpy.types.NodeTree, number: int) -> None:
        """Add the first or the last node of a zone."""
        column = len(group.nodes) - len(self.ends)
        self.add_nodes(group, [number], self.outputs, column=column)

    def add_nodes(
        self,
        group: bpy.types.NodeTree,
        part: Sequence[int],
        known: dict[Place, bpy.types.NodeSocket],
        slots: frozenset[Place] = frozenset(),
        column: int = 1,
    ) -> dict[Place, bpy.types.NodeSocket]:
        """Add nodes and feed them, but for inputs in `slots`, which are returned."""
        opened = {}
        places: dict[str, tuple[float, float]] = {}
        for place, number in enumerate(part):
            entry = self.tree["nodes"][number]
            node = self.new_node(group, number)
            places[node.name] = (COLUMN * (column + place // 5), -ROW * (place % 5))
            inputs = by_identifier(node, node.inputs)
            is_open = {name for at, name in slots if at == place}.__contains__
            for identifier, source in set_numbers(node, entry["inputs"], is_open).items():
                if is_open(identifier):
                    opened[place, identifier] = inputs[identifier]
                else:
                    _feed(group, inputs[identifier], source, known)
            for name, socket in by_identifier(node, node.outputs).items():
                known[number, name] = socket
        place_nodes(group, places)
        return opened

    def add_part(self, group: bpy.types.NodeTree, part: Sequence[int]) -> None:
        """Put nodes into a group of their own."""
        inner = self.new_tree(f".{self.name} {part[0]}")
        inner[PART_MARK] = True
        entry = inner.nodes.new("NodeGroupInput")
        wanted = self.needed(part)
        known: dict[Place, bpy.types.NodeSocket] = {}
        for number, place in enumerate(wanted):
            kind = _SOCKETS[self.outputs[place].type]
            inner.interface.new_socket(f"v{number}", in_out="INPUT", socket_type=kind)
        for number, place in enumerate(wanted):
            known[place] = entry.outputs[number]
        self.add_nodes(inner, part, known)
        given = self.leaving(part)
        self.give(inner, [known[place] for place in given])
        self.place_part(group, inner, wanted, given)

    def add_repeat(self, group: bpy.types.NodeTree, repeat: Repeat) -> None:
        """Put a round into a group, and use that once a round."""
        inner = self.new_tree(f".{self.name} {repeat.start}")
        inner[PART_MARK] = True
        entry = inner.nodes.new("NodeGroupInput")
        known: dict[Place, bpy.types.NodeSocket] = {}
        opened = self.add_nodes(inner, repeat.round(0), known, frozenset(repeat.slots))
        fed: dict[object, list[Place]] = {}  # what has the same source in every round is one socket
        for slot, socket in opened.items():
            sources = [self.source(repeat.round(k), slot) for k in range(repeat.count)]
            fed.setdefault((socket.type, repr(sources)), []).append(slot)
        inputs = list(fed.values())
        for number, slots in enumerate(inputs):
            kind = _SOCKETS[opened[slots[0]].type]
            inner.interface.new_socket(f"v{number}", in_out="INPUT", socket_type=kind)
        for number, slots in enumerate(inputs):
            for slot in slots:
                inner.links.new(entry.outputs[number], opened[slot])
        rounds = [repeat.round(k) for k in range(repeat.count)]
        given = sorted({(at - part[0], name) for part in rounds for at, name in self.leaving(part)})
        self.give(inner, [known[repeat.start + at, name] for at, name in given])
        for part in rounds:
            node = self.new_group_node(group, inner)
            for number, slots in enumerate(inputs):
                _feed(group, node.inputs[number], self.source(part, slots[0]), self.outputs)
            for number, (at, name) in enumerate(given):
                self.outputs[part[0] + at, name] = node.outputs[number]

    def source(self, part: Sequence[int], slot: Place) -> Source:
        """Return what feeds an input of a node in a part."""
        source: Source = self.tree["nodes"][part[slot[0]]]["inputs"][slot[1]]
        return source

    def give(self, inner: bpy.types.NodeTree, sockets: Sequence[bpy.types.NodeSocket]) -> None:
        """Make sockets the outputs of a group."""
        for number, socket in enumerate(sockets):
            kind = _SOCKETS[socket.type]
            inner.interface.new_socket(f"v{number}", in_out="OUTPUT", socket_type=kind)
        end = inner.nodes.new("NodeGroupOutput")
        end.location = (COLUMN * (2 + len(inner.nodes) // 5), 0)
        for number, socket in enumerate(sockets):
            inner.links.new(socket, end.inputs[number])

    def new_group_node(
        self, group: bpy.types.NodeTree, inner: bpy.types.NodeTree
    ) -> bpy.types.Node:
        node = group.nodes.new(_GROUP_NODES[self.tree["tree"]])
        node.node_tree = inner
        node.location = (COLUMN * (len(group.nodes) - 1 - len(self.ends)), 0)
        return node

    def place_part(
        self,
        group: bpy.types.NodeTree,
        inner: bpy.types.NodeTree,
        wanted: list[Place],
        given: list[Place],
    ) -> None:
        node = self.new_group_node(group, inner)
        for number, place in enumerate(wanted):
            group.links.new(self.outputs[place], node.inputs[number])
        for number, place in enumerate(given):
            self.outputs[place] = node.outputs[number]

    def needed(self, part: Sequence[int]) -> list[Place]:
        """Return what nodes take from outside of their part, each once."""
        found = {
            place: None
            for number in part
            for place in _places(self.tree["nodes"][number]["inputs"].values())
            if place[0] not in part
        }
        return list(found)

    def leaving(self, part: Sequence[int]) -> list[Place]:
        """Return the outputs of nodes that are used outside of their part."""
        return [
            (number, socket)
            for number in part
            for socket, last in self.used.get(number, {}).items()
            if last > part[-1]
        ]


def name_items(node: bpy.types.Node, names: Sequence[str]) -> None:
    """Give a new Menu Switch its items, whose inputs are then called Item_0, Item_1, ..."""
    items = node.enum_items
    while len(items) > len(names):
        items.remove(items[-1])
    for place, label in enumerate(case_labels(names)):
        if place < len(items):
            items[place].name = label
        else:
            items.new(label)


def show_case(
    menu: bpy.types.NodeSocket | bpy.types.NodeTreeInterfaceSocket,
    cases: Sequence[tuple[str, int]],
    value: object,
) -> None:
    """Let a menu show a case; one that feeds nothing has no items, and shows none."""
    place = find_case(cases, value)
    try:
        menu.default_value = case_labels(name for name, _ in cases)[place or 0]
    except TypeError:
        return


def _last_uses(tree: Mapping[str, Any]) -> dict[int, dict[str, int]]:
    """Return the last node that takes each output, by node and socket; a result is the last."""
    used: dict[int, dict[str, int]] = {}
    for number, entry in enumerate(tree["nodes"]):
        for node, socket in _places(entry["inputs"].values()):
            used.setdefault(node, {})[socket] = number
    for node, socket in _places(tree["results"]):
        used.setdefault(node, {})[socket] = len(tree["nodes"])
    return used


def _parts(numbers: range) -> list[range]:
    starts = range(numbers.start, numbers.stop, PART)
    return [range(start, min(start + PART, numbers.stop)) for start in starts]


def _places(sources: Iterable[Source]) -> Iterator[Place]:
    for source in sources:
        if isinstance(source, dict):
            yield source["node"], source["socket"]


def _feed(
    group: bpy.types.NodeTree,
    socket: bpy.types.NodeSocket,
    source: Source,
    known: Mapping[Place, bpy.types.NodeSocket],
) -> None:
    if isinstance(source, dict):
        group.links.new(known[source["node"], source["socket"]], socket)
    else:
        # What is no number in JSON is a word: "inf", "nan".
        is_word = isinstance(source, str) and socket.type != "STRING"
        socket.default_value = float(source) if is_word else source


def _set_whole_default(item: bpy.types.NodeTreeInterfaceSocket, value: Any) -> None:  # noqa: ANN401
    """Give a boolean, or a vector, its value by default; menus get theirs later."""
    if isinstance(item.default_value, bool):
        item.default_value = bool(value)
    elif isinstance(value, list):
        item.default_value = (*value, *(0.0, 1.0)[len(value) - 2 :])[: len(item.default_value)]


def _add_socket(group: bpy.types.NodeTree, socket: Mapping[str, Any], direction: str) -> None:
    item = group.interface.new_socket(
        socket.get("label") or socket["name"], in_out=direction, socket_type=socket["type"]
    )
    item.description = socket.get("tooltip", "")
    is_scalar = hasattr(item, "min_value") and not hasattr(item.default_value, "__len__")
    if not is_scalar:
        if "default" in socket and hasattr(item, "default_value"):
            _set_whole_default(item, socket["default"])
        return
    _set_number(item, socket)


def _set_number(item: bpy.types.NodeTreeInterfaceSocket, socket: Mapping[str, Any]) -> None:
    """Give a socket of one number its range and its default."""
    kind = int if isinstance(item.default_value, int) else float
    for name, key in (("min_value", "minimum"), ("max_value", "maximum")):
        if key in socket and math.isfinite(socket[key]):
            setattr(item, name, kind(socket[key]))
    if "default" in socket:
        item.default_value = kind(socket["default"])
