# SPDX-License-Identifier: GPL-3.0-or-later
"""From a node graph to a material of weft.scene.

The surface is followed from the output back: each output of each node is compiled once, by its
entry of the table, so that shared nodes stay shared. Inputs that nothing drives become constants,
the parameters that fits find. Start reading at ``Compiler.input``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from weft.scene import Attribute, Closure, Constant, Material, ParameterRef
from weft.scene.materials import Surface
from weft.scene.parameter_ref import join_name, quoted
from weft.scene.values import Value

from ..problems import Problem
from .bindings import Binding, LinkedInput, TextureBinding
from .bundles import BUNDLE_NODES, bundle_output
from .context import NodeContext, Unsupported
from .functions import Folding
from .linked import linked_inputs
from .menus import MENU_SWITCH, menu_item
from .model import Graph, Images, Node, Socket
from .nodes.volumes import compile_volume
from .outputs import choose_output, output_kinds
from .relief import compile_relief
from .sockets import bounds_of, index_of, instead_of, name_of, number_of, ways_to_groups
from .table import TABLE
from .values import SIZES, SURFACES, Carried, convert, nothing
from .view import View

MAX_GROUP_DEPTH = 16
"""Nodes in a row from which on a chain is compiled from its far end."""

SURFACE_NODES = ("ShaderNodeBsdf", "ShaderNodeEeveeSpecular")
"""Beginnings of the types of node that shade surfaces."""


@dataclass(frozen=True)
class AttributeRequest:
    """Something of the mesh that a material reads.

    Args:
        kind: ``uv`` for a UV map; ``color`` for an attribute by name, ``generated`` or ``object``
            for coordinates, which travel as colour attributes.
        name: Of the UV map or the attribute; "" is the active one.
        index: Of ``weft.scene.UVSet`` or ``weft.scene.ColorAttribute``.
    """

    kind: str
    name: str
    index: int


@dataclass(frozen=True, eq=False)
class CompiledMaterial:
    """A material, and what it has to do with Blender's.

    Args:
        material: For the scene.
        bindings: Numbers of Blender's that can be fitted.
        textures: Images of Blender's that are in it.
        attributes: What meshes must bring.
        problems: What is not shown as in Cycles.
        linked: Inputs that links drive.
        left_out: Parameters that would have no effect now; keeping one makes another program.
        falloffs: Of a light: powers of the distance and smooths of its Light Falloff nodes.
    """

    material: Material
    bindings: list[Binding]
    textures: list[TextureBinding]
    attributes: list[AttributeRequest]
    problems: list[Problem]
    linked: list[LinkedInput] = field(default_factory=list)
    falloffs: frozenset[tuple[float, float]] = frozenset()
    left_out: frozenset[ParameterRef] = frozenset()


class AttributeTable:
    """Numbers of UV sets and colour attributes; materials of one scene share one table."""

    def __init__(self) -> None:
        """Begin without attributes."""
        self.requests: list[AttributeRequest] = []

    def require(self, kind: str, name: str) -> AttributeRequest:
        """Return a request, with the number that is its own from now on."""
        for entry in self.requests:
            if (entry.kind, entry.name) == (kind, name):
                return entry
        is_uv = kind == "uv"
        index = sum((entry.kind == "uv") == is_uv for entry in self.requests)
        self.requests.append(AttributeRequest(kind, name, index))
        return self.requests[-1]


@dataclass(frozen=True, eq=False)
class Scope:
    """A tree at the place where it is used.

    Args:
        graph: The tree.
        place: What problems call it.
        path: Names of the group nodes around it.
        parent: Where the group node is.
        group: The node.
        function: Of a group that was made from a Slang function, and of groups in it.
    """

    graph: Graph
    place: str
    path: tuple[str, ...] = ()
    parent: Scope | None = None
    group: Node | None = None
    function: Folding | None = None

    @property
    def tree(self) -> str:
        """Name of the group that the tree is; "": that of the material itself."""
        return "" if self.parent is None else self.graph.name


@dataclass(eq=False)
class Compiler:
    """Compiles one material."""

    name: str
    images: Images
    attributes: AttributeTable
    keep: Collection[str] = ()
    view: View | None = None
    normal: Value = Attribute.NORMAL  # that nodes of the surface see
    ray: str | None = None  # kind of ray that alone sees it
    light_axes: Sequence[tuple[float, ...]] | None = None  # of the light whose nodes they are
    falloffs: set[tuple[float, float]] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    bindings: dict[str, Binding] = field(default_factory=dict)  # by name of the constant
    textures: list[TextureBinding] = field(default_factory=list)
    requests: list[AttributeRequest] = field(default_factory=list)
    ways: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)  # by names of groups
    left_out: set[ParameterRef] = field(default_factory=set)  # that would have no effect
    hidden: set[str] = field(default_factory=set)  # constants that people cannot set
    constants: dict[tuple[str, str, str], Constant] = field(default_factory=dict)
    known: dict[tuple[Scope, str, str], Carried | None] = field(default_factory=dict)
    arrived: dict[tuple[Scope, str, str], Carried] = field(default_factory=dict)
    converted: dict[tuple[int, str], tuple[Carried, Carried | None]] = field(default_factory=dict)
    scopes: dict[tuple[Scope, str], Scope] = field(default_factory=dict)
    owners: dict[int, tuple[str, str]] = field(default_factory=dict)  # by id of the surface
    busy: set[tuple[Scope, str, str]] = field(default_factory=set)
    parts: dict[tuple[object, ...], Value] = field(default_factory=dict)

    def input(self, scope: Scope, node: Node, socket: Socket) -> Carried:
        """Return what arrives at an input, in the socket's own kind."""
        key = (scope, node.name, socket.identifier)
        if key not in self.arrived:
            self.arrived[key] = self._new_input(scope, node, socket)
        return self.arrived[key]

    def _new_input(self, scope: Scope, node: Node, socket: Socket) -> Carried:
        arrived = self.convert_link(self._linked(scope, socket), socket.kind)
        if arrived is not None:
            return arrived
        if socket.kind not in SIZES:
            return Carried(socket.kind, None)
        return Carried(socket.kind, self.constant(scope, node, socket))

    def convert_link(self, carried: Carried | None, kind: str) -> Carried | None:
        """Return what a link makes of a value; the same for all its uses."""
        if carried is None or carried.kind == kind:
            return carried
        key = (id(carried), kind)
        if key not in self.converted:
            self.activate(carried.content)
            self.converted[key] = (carried, convert(carried, kind))
        return self.converted[key][1]

    def output(self, scope: Scope, node: Node, identifier: str) -> Carried | None:
        """Return what an output carries; ``None``: links from it count as absent."""
        key = (scope, node.name, identifier)
        if key in self.busy:
            self.problem(scope, node, "it is part of a loop of links", "no link")
            return None
        if key not in self.known:
            if len(self.busy) >= MAX_GROUP_DEPTH:
                self._compile_upstream(scope, node)
            self.busy.add(key)
            self.known[key] = self._new_output(scope, node, identifier)
            self.busy.remove(key)
        return self.known[key]

    def _compile_upstream(self, scope: Scope, node: Node) -> None:
        """Compile what drives a node from its far end, so that long chains do not nest calls."""
        order: list[tuple[str, str]] = []
        seen: set[tuple[str, str]] = set()
        stack = [(link, False) for link in _links_of(node)]
        while stack:
            link, is_done = stack.pop()
            key = (scope, *link)
            if is_done:
                order.append(link)
            elif link not in seen and key not in self.known and key not in self.busy:
                seen.add(link)
                stack.append((link, True))
                stack += [(entry, False) for entry in _links_of(scope.graph.nodes[link[0]])]
        for name, identifier in order:
            self.output(scope, scope.graph.nodes[name], identifier)

    def _new_output(self, scope: Scope, node: Node, identifier: str) -> Carried | None:
        socket = node.find_output(identifier)
        if socket is None:
            return None
        if node.is_muted or node.kind == "NodeReroute":
            return self._passed_on(scope, node, socket)
        if node.kind == "NodeGroupInput":
            return self._group_input(scope, socket)
        if node.kind == "ShaderNodeGroup":
            return self._group_output(scope, node, socket)
        if node.kind == MENU_SWITCH:
            return menu_item(self, scope, node, socket)
        if node.kind in BUNDLE_NODES:
            return bundle_output(self, scope, node, socket)
        return self._output_of_table(scope, node, socket)

    def _output_of_table(self, scope: Scope, node: Node, socket: Socket) -> Carried | None:
        spec = TABLE.get(node.kind)
        if spec is None:
            return self._unknown(scope, node, socket)
        try:
            content = spec.compile(NodeContext(self, scope, node), socket.identifier)
        except Unsupported as reason:
            self.problem(scope, node, str(reason), instead_of(socket))
            return None
        if isinstance(content, SURFACES):
            self.owners.setdefault(id(content), (scope.tree, node.name))
        return Carried(socket.kind, content)

    def _unknown(self, scope: Scope, node: Node, socket: Socket) -> Carried | None:
        """Return what stands in for a node that the table does not have."""
        if node.kind == "NodeUndefined":
            # Of an extension that is not there: Cycles leaves out its links, too.
            return None
        message = f"nodes of type {node.kind} are not supported"
        colors = [entry for entry in node.inputs if entry.kind == "RGBA" and entry.is_enabled]
        if socket.kind != "SHADER" or not colors or not node.kind.startswith(SURFACE_NODES):
            self.problem(scope, node, message, instead_of(socket))
            return None
        self.problem(scope, node, message, f"a Diffuse BSDF of its '{colors[0].name}'")
        color = self.input(scope, node, colors[0]).content
        self.activate(color)
        assert color is not None
        assert not isinstance(color, SURFACES)
        return Carried("SHADER", Closure("diffuse", color=color))

    def _passed_on(self, scope: Scope, node: Node, socket: Socket) -> Carried | None:
        """Return what a reroute or a muted node hands on."""
        first = node.inputs[0].identifier if node.kind == "NodeReroute" else None
        source = node.internal_links.get(socket.identifier, first)
        found = None if source is None else node.find_input(source)
        if found is None:
            return None
        if found.link is None:
            return nothing(socket.kind) if scope.graph.converts_on_the_way else None
        return self._pass_on(scope, self._linked(scope, found), socket)

    def _group_input(self, scope: Scope, socket: Socket) -> Carried | None:
        """Return what arrives at a group from outside."""
        if scope.parent is None or scope.group is None:
            return None
        outer = scope.group.find_input(socket.identifier)
        if outer is None:
            return None
        carried = self._pass_on(scope, self._arriving(scope.parent, scope.group, outer), socket)
        if scope.function is not None and scope.parent.function is None:
            scope.function.take(carried)
        return carried

    def _group_output(self, scope: Scope, node: Node, socket: Socket) -> Carried | None:
        """Return what a group hands out."""
        if node.tree is None:
            self.problem(scope, node, "its group is missing", instead_of(socket))
            return None
        key = (scope, node.name)
        if key not in self.scopes:
            place = f"{scope.place} > group '{node.name}'"
            function = scope.function or (Folding() if node.tree.is_function else None)
            path = (*scope.path, node.name)
            self.scopes[key] = Scope(node.tree, place, path, scope, node, function)
        inner = self.scopes[key]
        end = choose_output(node.tree, ("NodeGroupOutput",))
        found = None if end is None else end.find_input(socket.identifier)
        if end is None or found is None:
            return nothing(socket.kind)
        carried = self._arriving(inner, end, found)
        if inner.function is not None and scope.function is None:
            carried = inner.function.fold_carried(carried)
        return self._pass_on(scope, carried, socket)

    def _pass_on(self, scope: Scope, carried: Carried | None, socket: Socket) -> Carried | None:
        """Return what leaves a node that is not there for Cycles."""
        if scope.graph.converts_on_the_way:
            return self.convert_link(carried, socket.kind)
        return carried

    def _arriving(self, scope: Scope, node: Node, socket: Socket) -> Carried:
        """Return what arrives at a socket of a group, before the socket converts it."""
        if scope.graph.converts_on_the_way or socket.link is None:
            return self.input(scope, node, socket)
        return self._linked(scope, socket) or self.input(scope, node, socket)

    def _linked(self, scope: Scope, socket: Socket) -> Carried | None:
        """Return what the link of an input brings, in the kind of its source."""
        if socket.link is None:
            return None
        carried = self.output(scope, scope.graph.nodes[socket.link[0]], socket.link[1])
        if scope.graph.converts_on_the_way:
            return self.convert_link(carried, socket.kind)
        return carried

    def constant(
        self, scope: Scope, node: Node, socket: Socket, is_output: bool = False
    ) -> Constant | float | tuple[float, ...]:
        """Return the parameter for the number of a socket; in a function it is none."""
        if scope.function is not None:
            return number_of(socket)
        key = (scope.tree, node.name, f"{socket.identifier}{' out' if is_output else ''}")
        if key not in self.constants:
            ways = [(*way, node.name) for way in self.ways.get(scope.tree, [scope.path])]
            path = ways[0]  # of several ways to a group, names have always the same
            value = number_of(socket)
            low, high = bounds_of(node, socket)
            name = name_of(path, node, socket, is_output)
            if socket.hides_value:
                self.hidden.add(name)
            self.constants[key] = Constant(name, value, low, high)
            self.bindings[name] = Binding(
                ParameterRef(f"{quoted(self.name)}.{name}"),
                self.name,
                path,
                scope.tree,
                socket.identifier,
                socket.name or socket.identifier,
                value,
                low,
                high,
                is_output,
                is_active=False,
                index=index_of(node, socket, is_output),
                ways=tuple(ways[1:]),
            )
        return self.constants[key]

    def part(self, key: tuple[object, ...], make: Callable[[], Value]) -> Value:
        """Return a value that is made once."""
        if key not in self.parts:
            self.parts[key] = make()
        return self.parts[key]

    def is_own(self, content: Value | Surface | None, scope: Scope, node: Node) -> bool:
        """Return whether a number is that of one of a node's own inputs."""
        tree = scope.tree
        own = (c for key, c in self.constants.items() if key[:2] == (tree, node.name))
        return any(constant is content for constant in own)

    def activate(self, content: Value | Surface | None) -> None:
        """Note that a number is a parameter of the material."""
        if isinstance(content, Constant):
            self.bindings[content.name] = replace(self.bindings[content.name], is_active=True)

    def keeps(self, constant: Constant) -> bool:
        """Return whether a fit wants a parameter, whatever its value."""
        parameter = self.bindings[constant.name].parameter
        if parameter in self.keep:
            return True
        self.left_out.add(parameter)
        return False

    def attribute(self, kind: str, name: str) -> int:
        """Return the number of a UV set or colour attribute."""
        request = self.attributes.require(kind, name)
        if request not in self.requests:
            self.requests.append(request)
        return request.index

    def bind_texture(self, scope: Scope, node: Node, image: str) -> str:
        """Return the name of a node's texture, and note its image."""
        path = (*scope.path, node.name)
        name = self.texture_name(scope, node)
        data = self.images.get(image)
        binding = TextureBinding(
            name,
            self.name,
            path,
            scope.tree,
            image,
            "linear" if data is None else data.encoding,
            data is not None and data.is_associated,
        )
        if binding not in self.textures:
            self.textures.append(binding)
        return name

    def texture_name(self, scope: Scope, node: Node) -> str:
        """Return the name of a node's texture."""
        return join_name(*scope.path, node.name)

    def problem(self, scope: Scope, node: Node, message: str, used_instead: str) -> None:
        """Note what is not shown as in Cycles."""
        found = Problem(f"{scope.place} > node '{node.name}'", message, used_instead)
        if found not in self.problems:
            self.problems.append(found)


def compile_material(
    graph: Graph,
    images: Images,
    name: str,
    *,
    target: str = "material",
    keep: Collection[str] = (),
    attributes: AttributeTable | None = None,
    view: View | None = None,
    displacement: str = "BUMP",
    ray: str | None = None,
    light_axes: Sequence[tuple[float, ...]] | None = None,
) -> CompiledMaterial:
    """Compile the graph of a material, a world or a light.

    Args:
        graph: Blender's nodes.
        images: That the nodes use.
        name: Blender's, for people and for the names of parameters.
        target: ``material``, ``world`` or ``light``: which output node counts. A world's surface is
            an emission seen from inside.
        keep: Names of parameters that a fit wants though they have no effect now, as metallic at 0.
            They may make the material's program longer.
        attributes: Shared by the materials of a scene, so that all count UV sets and attributes
            alike.
        view: The camera that nodes see; ``None``: there is none, or more than one.
        displacement: Blender's ``displacement_method`` of the material.
        ray: Kind of ray that alone sees it, as ``true_outputs()`` of nodes/light_path.py takes it;
            ``None``: any.
        light_axes: Axes of a light, three unit vectors in world space.

    Raises:
        ArgumentError: There is no such target.
    """
    kinds = output_kinds(target)
    label = {"material": "Material", "world": "World", "light": "Light"}[target]
    compiler = Compiler(name, images, attributes or AttributeTable(), keep, view)
    compiler.ways = ways_to_groups(graph)
    compiler.ray, compiler.light_axes = ray, light_axes
    scope = Scope(graph, f"{label} '{name}'")
    surface, volume = _surface(compiler, scope, kinds, displacement, target)
    owner = compiler.owners.get(id(surface))
    bindings = [
        replace(entry, is_main=(entry.tree, entry.path[-1]) == owner)
        for name, entry in compiler.bindings.items()
        if entry.is_active or name not in compiler.hidden
    ]
    return CompiledMaterial(
        Material(name, surface, volume=volume),
        bindings,
        compiler.textures,
        compiler.requests,
        compiler.problems,
        linked_inputs(compiler, bindings, owner),
        frozenset(compiler.falloffs),
        frozenset(compiler.left_out),
    )


def _surface(
    compiler: Compiler, scope: Scope, kinds: tuple[str, ...], displacement: str, target: str
) -> tuple[Surface, Surface | None]:
    """Compile what arrives at the output node, on the surface and inside of it."""
    end = choose_output(scope.graph, kinds)
    if end is None:
        compiler.problems.append(Problem(scope.place, "it has no output node", "nothing: black"))
        return Closure("none"), None
    volume = compile_volume(compiler, scope, end, target)
    compile_relief(compiler, scope, end, displacement)
    wanted = end.find_input("Surface")
    if volume is not None and (wanted is None or wanted.link is None):
        return Closure("transparent", color=(1.0, 1.0, 1.0)), volume
    content = None if wanted is None else compiler.input(scope, end, wanted).content
    return content if isinstance(content, SURFACES) else Closure("none"), volume


def _links_of(node: Node) -> list[tuple[str, str]]:
    """Return what drives the inputs of a node that are in use."""
    return [entry.link for entry in node.inputs if entry.link is not None and entry.is_enabled]
