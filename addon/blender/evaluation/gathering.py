# SPDX-License-Identifier: GPL-3.0-or-later
"""The inputs of a site: read from the mesh itself, or from the evaluated geometry.

The mesh itself is read (*direct*) where nothing before the modifier changes what it takes;
elsewhere the group stores its inputs, and they are read behind all modifiers (*carried*).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from weft import ArgumentError

from ...core.evaluation.plan import ATTRIBUTE
from ..attributes import read_array
from ..slang_nodes.users import is_editable
from .arrays import FIELDS, MATRIX, count_of, read_attribute, require_domain
from .files import numbers_of_file, pixels_of
from .group import INDEX, POSITIONS, input_name
from .modifiers import SocketValue, named_outputs, socket_value
from .sites import keeps_geometry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import bpy
    from numpy.typing import NDArray

    from ...core.evaluation.plan import Input, Plan
    from ...core.evaluation.state import Memory
    from .arrays import Geometry
    from .modifiers import Holder
    from .sites import Site

MAX_NAMED = 12
_RANK_OF_MATRICES = 3
_OWN_ARRAYS = ("MESH", "CURVES", "POINTCLOUD")


class NotDirectError(Exception):
    """The mesh itself does not hold what a site takes."""


class NotStoredError(Exception):
    """The evaluated geometry does not hold what a site has stored, or not yet."""


@dataclass(frozen=True)
class Gathered:
    """What a function is called with at a site.

    Args:
        inputs: By the names of the plan's inputs.
        count: Of the elements.
        is_carried: They come from the evaluated geometry.
        positions: Of the elements, where the function gives new ones.
        attributes: Names of those that were read.
        states: Those of the inputs that hold what they became in the frame before.
        frame: Of the scene.
        is_between: It is between two frames, where states do not go on.
    """

    inputs: dict[str, Any]
    count: int
    is_carried: bool = False
    positions: NDArray[np.float32] | None = None
    attributes: frozenset[str] = frozenset()
    states: dict[str, Any] = field(default_factory=dict)
    frame: int = 0
    is_between: bool = False


@dataclass
class Reader:
    """Reads arrays, each once in a pass: objects may share a mesh.

    Args:
        scene: Whose frame it is.
    """

    scene: bpy.types.Scene
    known: dict[tuple[int, str, str], NDArray[Any]] = field(default_factory=dict)
    keeps: dict[int, bool] = field(default_factory=dict)
    stacks: dict[int, dict[str, frozenset[str]]] = field(default_factory=dict)

    def direct(self, site: Site, plan: Plan, holder: Holder) -> Gathered:
        """Read the inputs from the mesh itself.

        Args:
            site: Where.
            plan: Of the function.
            holder: The site's modifier, evaluated where it is animated.

        Raises:
            NotDirectError: It does not hold them.
            ArgumentError: A file or an image is missing.
        """
        geometry = _own_geometry(site, plan)
        given_before = self._given_before(site)
        require_domain([geometry], plan.domain)
        inputs: dict[str, Any] = {}
        names: set[str] = set()
        for entry in plan.inputs:
            name = entry.value.name
            source = entry.source
            if entry.has_socket:
                given = socket_value(holder, site.inputs[name])
                if given.attribute is not None:
                    source = ATTRIBUTE + given.attribute
                else:
                    inputs[name] = _of_socket(entry, given.value)
                    continue
            if entry.is_stored:
                attribute = source.removeprefix(ATTRIBUTE)
                if attribute in given_before or (source == "normal" and "position" in given_before):
                    raise NotDirectError
                names.add(attribute)
                inputs[name] = self._field(geometry, plan.domain, source)
                if (inputs[name].ndim == _RANK_OF_MATRICES) != (entry.value.attribute == MATRIX):
                    raise NotDirectError  # which Blender converts, or not
            else:
                inputs[name] = self._of_scene(site, source)
        count = count_of(geometry, plan.domain)
        if plan.moves and "position" in given_before:
            raise NotDirectError
        positions = self._field(geometry, "POINT", "position") if plan.moves else None
        return Gathered(inputs, count, positions=positions, attributes=frozenset(names))

    def _given_before(self, site: Site) -> frozenset[str]:
        """Return the attributes that modifiers before a site store.

        Raises:
            NotDirectError: They do more than that.
        """
        uid = site.thing.session_uid
        if uid not in self.stacks:
            self.stacks[uid] = dict(self._stack(site.thing))
        if site.modifier not in self.stacks[uid]:
            raise NotDirectError
        return self.stacks[uid][site.modifier]

    def _stack(self, thing: bpy.types.Object) -> Iterator[tuple[str, frozenset[str]]]:
        """Return the modifiers before which meshes are as they are, and what is stored there."""
        found: frozenset[str] = frozenset()
        for modifier in thing.modifiers:
            yield modifier.name, found
            if not (modifier.show_viewport or modifier.show_render):
                continue
            tree = modifier.node_group if modifier.type == "NODES" else None
            if modifier.type != "NODES" or not self._keeps(tree):
                return
            if tree is not None:
                found |= named_outputs(modifier)

    def _keeps(self, tree: bpy.types.NodeTree | None) -> bool:
        key = 0 if tree is None else tree.session_uid
        if key not in self.keeps:
            self.keeps[key] = keeps_geometry(tree)
        return self.keeps[key]

    def carried(
        self, site: Site, plan: Plan, holder: Holder, geometries: list[Geometry]
    ) -> Gathered:
        """Read the inputs from evaluated geometry, where the group has stored them.

        Args:
            site: Where.
            plan: Of the function.
            holder: The site's modifier, evaluated.
            geometries: The parts of the evaluated geometry.

        Raises:
            NotStoredError: They are not there.
            ArgumentError: A file or an image is missing.
        """
        data = site.data
        geometry = _stored_part(geometries, data, plan.domain)
        inputs: dict[str, Any] = {}
        for entry in plan.inputs:
            name = entry.value.name
            is_matrix = entry.value.attribute == MATRIX and entry.has_socket
            given = socket_value(holder, site.inputs[name]) if is_matrix else SocketValue()
            if given.attribute is not None:
                # Modifiers of Blender hand no attribute to such a socket.
                inputs[name] = _matrices(geometry, plan.domain, given.attribute)
            elif entry.is_stored:
                inputs[name] = read_attribute(geometry.attributes[input_name(data, name)])
            elif entry.has_socket:
                inputs[name] = _of_socket(entry, socket_value(holder, site.inputs[name]).value)
            else:
                inputs[name] = self._of_scene(site, entry.source)
        count = len(geometry.attributes[input_name(data, INDEX)].data)
        positions = None
        if plan.moves:
            stored = input_name(data, POSITIONS)
            positions = read_attribute(geometry.attributes[stored])
        return Gathered(inputs, count, True, positions)

    def _of_scene(self, site: Site, source: str) -> Any:  # noqa: ANN401
        if source == "object":
            return np.array(site.thing.matrix_world, np.float32)
        frame = self.scene.frame_current_final
        if source == "time":
            render = self.scene.render
            return float(frame) * render.fps_base / render.fps
        return float(frame)

    def _field(self, geometry: Geometry, domain: str, source: str) -> NDArray[Any]:
        key = (geometry.as_pointer(), domain, source)
        if key not in self.known:
            self.known[key] = _read_field(geometry, domain, source)
        return self.known[key]


def _own_geometry(site: Site, plan: Plan) -> Geometry:
    """Return an object's own mesh, curves or points, if they can be read and written.

    Raises:
        NotDirectError: They are not.
    """
    thing = site.thing
    data = thing.data
    if site.node or thing.type not in _OWN_ARRAYS or plan.domain == "INSTANCE":
        raise NotDirectError
    if not is_editable(data):
        raise NotDirectError
    if getattr(data, "shape_keys", None) is not None:
        raise NotDirectError
    return data


def _read_field(geometry: Geometry, domain: str, source: str) -> NDArray[Any]:
    if source == "position" and not count_of(geometry, "POINT"):
        return np.empty((0, 3), np.float32)  # an empty mesh has no attribute for it
    if source == "index":
        return np.arange(count_of(geometry, domain), dtype=np.int32)
    if source == "position" and domain == "POINT":
        return read_array(geometry.attributes["position"].data, "vector", 3)
    if source == "normal" and domain == "POINT" and hasattr(geometry, "vertex_normals"):
        return read_array(geometry.vertex_normals, "vector", 3)
    if source == "normal" and domain == "FACE":
        return read_array(geometry.polygon_normals, "vector", 3)
    if not source.startswith(ATTRIBUTE):
        raise NotDirectError
    name = source.removeprefix(ATTRIBUTE)
    attribute = geometry.attributes.get(name)
    if attribute is None:
        raise ArgumentError(missing_attribute(name, [one.name for one in geometry.attributes]))
    if attribute.data_type not in FIELDS or attribute.domain != domain:
        raise NotDirectError  # Blender converts what the group stores
    return read_attribute(attribute)


def _matrices(geometry: Geometry, domain: str, name: str) -> NDArray[Any]:
    """Return an attribute of matrices of an evaluated geometry.

    Raises:
        ArgumentError: There is none.
    """
    attribute = geometry.attributes.get(name)
    if attribute is None:
        raise ArgumentError(missing_attribute(name, [one.name for one in geometry.attributes]))
    if attribute.data_type != MATRIX or attribute.domain != domain:
        message = (
            f"the attribute '{name}' is {attribute.data_type} on the domain {attribute.domain}, "
            f"where {MATRIX} on {domain} is expected"
        )
        raise ArgumentError(message)
    return read_attribute(attribute)


def missing_attribute(name: str, names: list[str]) -> str:
    """Return a sentence about an attribute that is not there."""
    shown = sorted(one for one in names if not one.startswith("."))
    near = get_close_matches(name, shown, 1)
    listed = ", ".join(shown[:MAX_NAMED]) + (", ..." if len(shown) > MAX_NAMED else "")
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return f"there is no attribute '{name}'; there are: {listed or 'none'}{hint}"


def _of_socket(entry: Input, value: Any) -> Any:  # noqa: ANN401
    """Return what a socket holds: a value, or an array that it names."""
    if entry.source == "image":
        return pixels_of(entry, value)
    if entry.source == "file":
        return numbers_of_file(entry, str(value or ""))
    if value is None:
        return np.eye(4, dtype=np.float32) if entry.value.attribute == MATRIX else 0.0
    return value


def _stored_part(geometries: list[Geometry], data: str, domain: str) -> Geometry:
    """Return the part of an evaluated geometry that holds the stored inputs of a site.

    Raises:
        NotStoredError: None does, or elements were added, removed or reordered since.
        ArgumentError: It cannot have such elements.
    """
    name = input_name(data, INDEX)
    parts = [own for own in geometries if name in own.attributes]
    if not parts:
        require_domain(geometries, domain)
        message = (
            "its inputs do not reach the end of the modifiers: realize instances, and do not "
            "delete the geometry, behind it"
        )
        raise NotStoredError(message)
    # Mesh to Points leaves a mesh without vertices.
    parts = [own for own in parts if len(own.attributes[name].data)] or parts[:1]
    if len(parts) > 1:
        message = "it gets a mesh beside curves or points: separate them before it"
        raise NotStoredError(message)
    numbers = read_attribute(parts[0].attributes[name])
    if not np.array_equal(numbers, np.arange(len(numbers), dtype=numbers.dtype)):
        message = "modifiers behind it add, remove or reorder elements: move it behind them"
        raise NotStoredError(message)
    return parts[0]


def parts_of(thing: bpy.types.Object) -> tuple[object, list[Geometry]]:
    """Return an evaluated object's geometry, which has to be kept, and its parts.

    Args:
        thing: Evaluated.
    """
    found = thing.evaluated_geometry()
    parts = [found.mesh, found.curves, found.pointcloud, found.instances_pointcloud()]
    return found, [part for part in parts if part is not None]


def same_inputs(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether inputs are equal."""
    return one.keys() == other.keys() and all(_pairs_equal(one, other))


def _pairs_equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[bool]:
    # What is small is looked at first: it tells sooner.
    for name, value in sorted(one.items(), key=lambda entry: np.size(entry[1])):
        own = other[name]
        if isinstance(value, np.ndarray) or isinstance(own, np.ndarray):
            yield value is own or (
                np.shape(value) == np.shape(own) and _same_bytes(np.asarray(value), np.asarray(own))
            )
        else:
            yield bool(value == own)


def _same_bytes(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Return whether arrays hold the same, NaN being equal to itself."""
    if one.dtype != other.dtype:
        return False
    if one.flags.c_contiguous and other.flags.c_contiguous:
        whole = f"i{one.dtype.itemsize}"
        return bool(np.array_equal(one.view(whole), other.view(whole)))
    return bool(np.array_equal(one, other))


def with_states(gathered: Gathered, plan: Plan, memory: Memory, scene: bpy.types.Scene) -> Gathered:
    """Return inputs with the states that the scene's frame begins with."""
    is_between = scene.frame_subframe != 0 and bool(memory.before)
    # Blur renders what is just before a frame after the frame.
    frame = memory.frame if is_between else scene.frame_current
    names = [entry.value.name for entry in plan.inputs if entry.parameter in plan.states]
    given = {name: gathered.inputs[name] for name in names}
    states = memory.states(given, gathered.count, frame, scene.frame_start)
    return replace(
        gathered,
        inputs={**gathered.inputs, **states},
        states=states,
        frame=frame,
        is_between=is_between,
    )
