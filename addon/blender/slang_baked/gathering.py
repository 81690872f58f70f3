# SPDX-License-Identifier: GPL-3.0-or-later
"""From a baked group to what core/baking takes: its inputs as values, its objects as arrays."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from weft import ArgumentError

from ...core.baking.bake import Task, asks_world
from ...core.baking.inputs import compile_inputs
from ...core.baking.surfaces import Surface
from ...core.job import Job
from ..graphs import read_graph
from ..images import ImageStore
from ..instances import ObjectInstance, describe_instance, undeformed_of
from ..meshes import cut, read_mesh
from ..properties import describe, requested
from ..slang_nodes.tags import read_tag
from ..versions import node_tree_of
from .places import place_of, shows, users_of

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import TypeVar

    from ...core.graph.compile import AttributeRequest
    from ...core.slang_nodes.preparing import Prepared
    from ..meshes import MeshData
    from .places import Shown

    Value = TypeVar("Value")
    Waits = Generator[Job[Any] | None, None, Value]
    """Steps, some of which wait for a job."""


class SurfaceStore:
    """Surfaces of objects, kept until their geometry changes."""

    def __init__(self) -> None:
        """Begin without any."""
        self._known: dict[tuple[object, ...], Surface | None] = {}

    def forget(self, things: Sequence[int] | None = None) -> None:
        """Forget objects by their session numbers; ``None``: all."""
        if things is None:
            self._known.clear()
        else:
            gone = set(things)
            self._known = {key: own for key, own in self._known.items() if key[0] not in gone}

    def forget_gone(self) -> None:
        """Forget the objects that the file has no more."""
        here = {thing.session_uid for thing in bpy.data.objects}
        self._known = {key: own for key, own in self._known.items() if key[0] in here}

    def surfaces(
        self,
        material: bpy.types.Material,
        requests: Sequence[AttributeRequest],
        *,
        is_original: bool,
    ) -> Waits[list[Surface]]:
        """Read the objects that show a material.

        Args:
            material: Which.
            requests: What is read of their meshes.
            is_original: Meshes are read as they are before modifiers.
        """
        depsgraph = bpy.context.evaluated_depsgraph_get()
        found = []
        for thing in users_of(material, bpy.context.scene):
            asked = tuple((entry.kind, entry.name) for entry in requests)
            key = (thing.session_uid, material.session_uid, is_original, asked)
            if key not in self._known:
                self._known[key] = yield from _read(
                    thing, material, requests, depsgraph, is_original
                )
            surface = self._known[key]
            if surface is not None:
                found.append(surface)
        return found


def _read(
    thing: bpy.types.Object,
    material: bpy.types.Material,
    requests: Sequence[AttributeRequest],
    depsgraph: bpy.types.Depsgraph,
    is_original: bool,
) -> Waits[Surface | None]:
    """Return the triangles of an object that show a material; ``None``: there are none.

    The main thread copies arrays; what is made of them is made in a thread.
    """
    entry = thing if is_original else thing.evaluated_get(depsgraph)
    is_evaluated = entry.is_evaluated
    mesh = entry.data
    if not mesh.polygons:
        return None
    instance = SimpleNamespace(object=entry, is_instance=False, matrix_world=entry.matrix_world)
    made = ObjectInstance(entry.name, mesh, np.array(entry.matrix_world, np.float64))
    made.undeformed = undeformed_of(entry, is_render=False) if is_evaluated else None
    made.info = describe_instance(instance) | describe(requested(), instance, depsgraph)
    data = read_mesh(made, requests)
    uv_maps = tuple(layer.name for layer in mesh.uv_layers)
    # Of what modifiers left: they join meshes of other materials, and set materials.
    slots = [shows(slot, material) for slot in entry.material_slots]
    if not any(slots):
        return None
    # Only corners of polygons with more than four are asked of Blender.
    is_plain = bool((np.diff(data.offsets, append=len(data.corner_vertices)) <= 4).all())
    triangles = None if is_plain else cut(mesh, data)

    def make() -> Surface | None:
        corners, polygons = triangles or cut(mesh, data)
        of_face = np.zeros(len(polygons), np.int32) if data.slots is None else data.slots[polygons]
        kept = np.array(slots, bool)[np.minimum(of_face, len(slots) - 1)]
        if not kept.any():
            return None
        return _surface(made, uv_maps, data, requests, corners[kept], polygons[kept])

    job = Job(lambda _: make(), "weft-bake-mesh")
    yield job
    return job.result()


def _surface(
    made: ObjectInstance,
    uv_maps: tuple[str, ...],
    data: MeshData,
    requests: Sequence[AttributeRequest],
    corners: np.ndarray[Any, Any],
    polygons: np.ndarray[Any, Any],
) -> Surface:
    vertices = data.corner_vertices[corners]
    places = {"POINT": vertices, "CORNER": corners, "FACE": np.repeat(polygons, 3).reshape(-1, 3)}
    normals = data.normals
    if normals is not None:
        normals = normals[vertices if len(normals) == len(data.positions) else corners]
    rows = {}
    for request in requests:
        key = f"{request.kind} {request.name}"
        if request.kind == "uv":
            rows["uv", request.name] = data.uvs[key][corners]
        else:
            place, values = data.attributes[key]
            rows[request.kind, request.name] = values[places[place]]
    digest = data.digest() + polygons.tobytes()
    return Surface(
        made.name,
        data.positions[vertices],
        normals,
        made.matrix,
        rows,
        uv_maps,
        corners,
        hashlib.blake2b(digest, digest_size=16).digest(),
    )


@dataclass(frozen=True, eq=False)
class Gathered:
    """What a group is baked from.

    Args:
        group: Its name.
        shown: Where it is.
        task: For core/baking.
        state: Hash of all of it.
        corners: How many corners the mesh of each surface has.
    """

    group: str
    shown: Shown
    task: Task
    state: str
    corners: tuple[int, ...] = ()


def gather(
    group: bpy.types.NodeTree, prepared: Prepared, store: SurfaceStore, images: ImageStore
) -> Waits[Gathered]:
    """Gather what a group is baked from.

    Raises:
        ArgumentError: It cannot be baked, and why.
    """
    shown = place_of(group)
    settings = group.weft_bake
    tag = read_tag(group)
    wrapper = prepared.wrapper
    if tag is None or wrapper is None:
        message = f"bake: '{group.name}' is not made from a Slang function; add it again"
        raise ArgumentError(message)
    named = {entry.name: entry.identifier for entry in tag.inputs}
    wanted = {
        named[name]: wrapper.sources.get(name, "") for name in wrapper.arguments if name in named
    }
    tree = node_tree_of(shown.material)
    assert tree is not None
    graph = read_graph(tree)
    yield
    cases = {entry.identifier: entry.cases for entry in tag.inputs if entry.cases}
    inputs = compile_inputs(graph, shown.material.name, shown.path, wanted, images, cases)
    yield
    is_image = settings.target == "IMAGE"
    requests = list(inputs.requests)
    if is_image and ("uv", settings.uv_map) not in {(r.kind, r.name) for r in requests}:
        from ...core.graph.compile import AttributeRequest

        number = sum(own.kind == "uv" for own in requests)
        requests.append(AttributeRequest("uv", settings.uv_map, number))
    surfaces = yield from store.surfaces(shown.material, requests, is_original=not is_image)
    source = prepared.request.source
    text = source.text
    folders = source.folders
    if text is None:
        assert source.path is not None
        text = source.path.read_text(encoding="utf-8")
        folders = (source.path.parent, *folders)
    values = {name: inputs.values[named[name]] for name in wrapper.arguments if name in named}
    task = Task(
        group.name,
        text + wrapper.text,
        wrapper,
        values,
        requests,
        surfaces,
        folders,
        source.title,
        prepared.hash,
        settings.uv_map,
        settings.margin,
        settings.is_tiled,
    )
    counts = () if is_image else tuple(len(_mesh_of(own).loops) for own in surfaces)
    return Gathered(group.name, shown, task, state_of(group, task), counts)


def _mesh_of(surface: Surface) -> bpy.types.Mesh:
    return bpy.data.objects[surface.name].data


def state_of(group: bpy.types.NodeTree, task: Task) -> str:
    """Return a hash of all that decides what is baked."""
    from ...core.baking.digest import digest_of

    settings = group.weft_bake
    digest = hashlib.sha256(task.source.encode())
    digest.update(repr((task.state, settings.target, task.uv_map, task.margin)).encode())
    digest.update(repr((task.is_tiled, settings.size)).encode())
    is_placed = asks_world(task.values.values())
    for surface in task.surfaces:
        digest.update(surface.name.encode())
        digest.update(surface.identity or b"")  # type: ignore[arg-type]
        digest.update(surface.matrix.tobytes() if is_placed else b"")
    for name, value in task.values.items():
        digest.update(name.encode() + digest_of(value))
    return digest.hexdigest()[:32]
