# SPDX-License-Identifier: GPL-3.0-or-later
"""Where functions are evaluated: modifiers whose group has the form Engine, and nodes in trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy

from ...core.slang_nodes.interface import CARRIED, CARRIER, DATA
from ...core.slang_nodes.preparing import ENGINE
from ..slang_nodes.tags import HASH, Tag, read_tag
from ..slang_nodes.users import is_editable, modifiers
from .modifiers import socket_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ...core.evaluation.plan import Plan
    from .modifiers import Holder

TYPES = frozenset({"MESH", "CURVE", "CURVES", "POINTCLOUD", "FONT"})
"""Of objects that can have groups of geometry nodes as modifiers."""


@dataclass(frozen=True)
class Site:
    """One modifier, or one group node in the tree of a modifier.

    Args:
        thing: Its object.
        modifier: Its name.
        tree: The group.
        hash: Of the group's function.
        inputs: Identifiers of the sockets, by name.
        outputs: The same.
        node: The name of the group node, ``""``: the modifier's own group.
    """

    thing: bpy.types.Object
    modifier: str
    tree: bpy.types.NodeTree
    hash: str
    inputs: dict[str, str]
    outputs: dict[str, str]
    node: str = ""

    @property
    def place(self) -> tuple[int, str, str]:
        """Object, modifier and node: what no two sites have in common."""
        return (self.thing.session_uid, self.modifier, self.node)

    @property
    def label(self) -> str:
        """What messages call it."""
        inside = f"'{self.node}' in " if self.node else ""
        return f"{inside}'{self.modifier}' of '{self.thing.name}'"

    def stacked(self) -> bpy.types.Modifier:
        """Return the modifier."""
        return self.thing.modifiers[self.modifier]

    def original(self) -> bpy.types.Modifier | bpy.types.Node:
        """Return what holds the inputs: the modifier, or the node."""
        modifier = self.stacked()
        return modifier.node_group.nodes[self.node] if self.node else modifier

    @property
    def level(self) -> int:
        """Its modifier's number in the stack."""
        return int(self.thing.modifiers.find(self.modifier))

    @property
    def is_there(self) -> bool:
        """Whether its modifier and its node still are."""
        modifier = self.thing.modifiers.get(self.modifier)
        tree = None if modifier is None else getattr(modifier, "node_group", None)
        if tree is None or not self.node:
            return bool(tree == self.tree)
        node = tree.nodes.get(self.node)
        return node is not None and getattr(node, "node_tree", None) == self.tree

    @property
    def data(self) -> str:
        """The prefix of the attributes that are its own, ``""`` before it has one."""
        return str(socket_value(self.original(), self.inputs[DATA]).value or "")

    @property
    def carrier(self) -> bpy.types.Object | None:
        """The object that brings its results, if it has one."""
        found = socket_value(self.original(), self.inputs[CARRIER]).value
        return found if isinstance(found, bpy.types.Object) else None

    @property
    def is_carried(self) -> bool:
        """Whether the results are taken from the carrier."""
        return bool(socket_value(self.original(), self.inputs[CARRIED]).value)


def evaluated_tag(tree: bpy.types.NodeTree | None) -> Tag | None:
    """Return what a group is made from that the engine evaluates; ``None``: it is no such."""
    if tree is None or HASH not in tree:
        return None
    tag = read_tag(tree)
    return tag if tag is not None and tag.used == ENGINE else None


def keeps_geometry(tree: bpy.types.NodeTree | None) -> bool:
    """Return whether a group changes nothing that an evaluation behind it reads of a mesh."""
    if tree is None:
        return True
    moves = any(node.bl_idname == "GeometryNodeSetPosition" for node in tree.nodes)
    return not moves and evaluated_tag(tree) is not None


def sites_of(thing: bpy.types.Object, known: dict[str, Tag | None]) -> Iterator[Site]:
    """Return the sites of an object.

    Args:
        thing: Of the file, not evaluated.
        known: What groups are made from, by name; filled as they are looked at.
    """
    if thing.type not in TYPES:
        return
    for modifier in thing.modifiers:
        tree = modifier.node_group if modifier.type == "NODES" else None
        if tree is None:
            continue
        site = _site(thing, modifier, tree, known)
        if site is not None:
            yield site
            continue
        for node in tree.nodes:
            inner = getattr(node, "node_tree", None)
            site = None if inner is None else _site(thing, modifier, inner, known, node.name)
            if site is not None:
                yield site


def _site(
    thing: bpy.types.Object,
    modifier: bpy.types.Modifier,
    tree: bpy.types.NodeTree,
    known: dict[str, Tag | None],
    node: str = "",
) -> Site | None:
    if tree.name_full not in known:
        known[tree.name_full] = evaluated_tag(tree)
    tag = known[tree.name_full]
    if tag is None:
        return None
    return Site(
        thing,
        modifier.name,
        tree,
        tag.hash,
        {entry.name: entry.identifier for entry in tag.inputs},
        {entry.name: entry.identifier for entry in tag.outputs},
        node,
    )


def all_sites(things: Iterable[bpy.types.Object]) -> list[Site]:
    """Return the sites of objects."""
    known: dict[str, Tag | None] = {}
    return [site for thing in things for site in sites_of(thing, known)]


def by_mesh(sites: Iterable[Site]) -> dict[int, list[Site]]:
    """Return sites by the mesh of their objects."""
    found: dict[int, list[Site]] = {}
    for site in sites:
        if site.thing.data is not None:
            found.setdefault(site.thing.data.session_uid, []).append(site)
    return found


def shares_carrier(site: Site, sites: Iterable[Site]) -> bool:
    """Return whether a copy of an object, or of a modifier, has the carrier of the other one."""
    carrier = site.carrier
    return (
        carrier is not None
        and carrier.users > 1
        and any(own.carrier == carrier and own != site for own in sites)
    )


def dependents(
    sites: Iterable[Site],
    written: Sequence[Site],
    reads: Callable[[Site], frozenset[str]],
) -> list[Site]:
    """Return the sites whose inputs may depend on results that were just written.

    Carried ones take what modifiers before them give, and what the groups and modifiers of their
    object see of other objects; others take attributes of their mesh by name.

    Args:
        sites: All of the file.
        written: Whose results were written.
        reads: Returns the attributes that a site has read of its mesh.
    """
    places: dict[int, list[tuple[int, tuple]]] = {}
    for site in written:
        places.setdefault(site.thing.session_uid, []).append((site.level, site.place))
    datas = {site.data for site in written}
    found = []
    for site in sites:
        if site.is_carried:
            own, place = places.get(site.thing.session_uid, []), site.place
            level = site.level if own else 0
            if any(before <= level and other != place for before, other in own) or (
                len(written) > len(own) and looks_elsewhere(site)
            ):
                found.append(site)
        elif any(name.rpartition("_")[0] in datas for name in reads(site)):
            found.append(site)
    return found


def looks_elsewhere(site: Site) -> bool:
    """Return whether an object's modifiers may see other objects."""
    return any(
        getattr(modifier, "object", None) is not None
        or (modifier.type == "NODES" and not is_own_group(modifier.node_group))
        for modifier in site.thing.modifiers
    )


def is_own_group(tree: bpy.types.NodeTree | None) -> bool:
    """Return whether a group is an evaluated function's, which looks at no other object."""
    return tree is None or evaluated_tag(tree) is not None


def problem_of(site: Site) -> str:
    """Return why a site's results could not be kept, "" if they can."""
    thing = site.thing
    if not is_editable(thing):
        return f"{site.label}: the object is linked: make it local to evaluate it"
    if thing.override_library is not None:
        return f"{site.label}: the object overrides a linked one: make it local to evaluate it"
    if site.node:
        outer = site.stacked().node_group
        if not is_editable(outer):
            return f"{site.label}: the tree '{outer.name}' is linked: make it local to evaluate it"
        if outer.users > 1 and len(modifiers(outer)) > 1:
            return (
                f"{site.label}: several modifiers have the tree '{outer.name}': make it the "
                "object's own (the number beside its name), results differ from object to object"
            )
    return ""


def is_steady(site: Site, plan: Plan, scene: bpy.types.Scene) -> bool:
    """Return whether nothing but the frame changes a site's inputs from frame to frame."""
    thing = site.thing
    return (
        (bool(plan.states) or plan.uses("frame") or plan.uses("time"))
        and not plan.uses("object")
        and not site.is_carried
        and thing.animation_data is None
        and getattr(thing.data, "animation_data", None) is None
        and scene.objects.get(thing.name) == thing
    )


def holder_of(site: Site, depsgraph: bpy.types.Depsgraph | None) -> Holder:
    """Return what holds a site's inputs, with values as they are animated where they are."""
    if depsgraph is None or site.node:
        return site.original()
    thing = site.thing.evaluated_get(depsgraph)
    return thing.modifiers.get(site.modifier) or site.original()
