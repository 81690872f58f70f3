# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's nodes as light from everywhere.

One colour and one image are taken as they are; any other graph is drawn: a sphere shines with it,
and a camera at its centre takes a picture of all directions.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import weft
from weft.colors import linear_from_srgb
from weft.render import PathSettings
from weft.scene import Camera, Environment, Mesh, Object
from weft.scene.ray_kinds import SEEN_BY

from .graph.nodes.light_path import true_outputs
from .graph.outputs import choose_output, output_kinds
from .problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from .graph.compile import AttributeRequest, CompiledMaterial
    from .graph.model import Graph, ImageData, Images, Node, Socket

SKY_WIDTH = 1024
"""Columns of drawn skies, where no image of the graph has more."""

LARGEST_SKY_WIDTH = 4096
SAMPLES = 8


@dataclass(frozen=True)
class PlainSky:
    """A world that needs no drawing.

    Args:
        environment: Its light; ``None``: it is black.
        problems: What was repaired.
    """

    environment: Environment | None
    problems: tuple[Problem, ...] = ()


def find_plain_sky(graph: Graph, images: Images, where: str) -> PlainSky | None:
    """Return a world of one colour or one image with a rotation; ``None``: it is something else.

    Args:
        graph: Of the world.
        images: That its nodes use.
        where: What problems call the world.
    """
    end = choose_output(graph, output_kinds("world"))
    background = None if end is None else _source(graph, end.find_input("Surface"))
    if background is None:
        return PlainSky(None) if end is None or not _is_linked(end, "Surface") else None
    inputs = _inputs_of_background(background)
    if inputs is None:
        return None
    color, strength = inputs
    if color.link is None and isinstance(color.value, tuple):
        radiance = np.array(color.value[:3], np.float32) * strength
        return PlainSky(Environment(radiance) if radiance.max() > 0 else None)
    node = _source(graph, color)
    return None if node is None else _image_sky(graph, node, images, strength, where)


def _inputs_of_background(node: Node) -> tuple[Socket, float] | None:
    """Return the colour of a Background and its strength; ``None``: links drive that."""
    color, strength = node.find_input("Color"), node.find_input("Strength")
    if node.kind != "ShaderNodeBackground" or color is None or strength is None:
        return None
    if strength.link is not None or not isinstance(strength.value, float):
        return None
    return color, strength.value


def _image_sky(
    graph: Graph, node: Node, images: Images, strength: float, where: str
) -> PlainSky | None:
    """Return the world of a node that looks up an image; ``None``: it does something else."""
    if node.kind != "ShaderNodeTexEnvironment":
        return None
    image = images.get(str(node.properties.get("image")))
    rotation = _rotation(graph, node)
    if image is None or rotation is None or node.properties["projection"] != "EQUIRECTANGULAR":
        return None
    pixels, problems = _clean(light_of(image), where)
    environment = Environment(pixels, rotation, strength)
    return PlainSky(environment if strength > 0 else None, problems)


def _source(graph: Graph, socket: Socket | None) -> Node | None:
    """Return the node that drives an input, past reroutes; ``None``: there is none in use."""
    while socket is not None and socket.link is not None:
        node = graph.nodes[socket.link[0]]
        if node.kind != "NodeReroute":
            return None if node.is_muted else node
        socket = node.inputs[0]
    return None


def _is_linked(node: Node, identifier: str) -> bool:
    socket = node.find_input(identifier)
    return socket is not None and socket.link is not None


def _rotation(graph: Graph, node: Node) -> NDArray[np.float64] | None:
    """Return the rotation from world to image; ``None`` if more than that lies before the image."""
    if not _is_linked(node, "Vector"):
        return np.eye(3)
    source = _source(graph, node.find_input("Vector"))
    if source is None:
        return None
    if source.kind == "ShaderNodeTexCoord":
        return np.eye(3) if _is_direction(graph, node) else None
    if source.kind != "ShaderNodeMapping" or not _is_direction(graph, source):
        return None
    return _rotation_of_mapping(source)


def _rotation_of_mapping(source: Node) -> NDArray[np.float64] | None:
    """Return the rotation of a Mapping node; ``None`` if it does more than rotate."""
    inputs = {socket.identifier: socket for socket in source.inputs}
    if any(inputs[name].link is not None for name in ("Rotation", "Scale")):
        return None
    kind = source.properties["vector_type"]
    scale = np.array(inputs["Scale"].value, np.float64)
    if scale.min() <= 0 or np.ptp(scale) > 1e-6 * scale.max():
        return None
    if kind in ("POINT", "TEXTURE") and _moves(inputs.get("Location")):
        return None
    matrix = rotation_matrix(np.asarray(inputs["Rotation"].value, np.float64))
    return matrix.T if kind == "TEXTURE" else matrix


def _moves(place: Socket | None) -> bool:
    """Return whether a location may be another than the origin."""
    return place is None or place.link is not None or bool(np.any(np.asarray(place.value) != 0))


def _is_direction(graph: Graph, node: Node) -> bool:
    """Return whether the input "Vector" is the direction from the viewer."""
    link = next(socket.link for socket in node.inputs if socket.identifier == "Vector")
    if link is None or graph.nodes[link[0]].kind != "ShaderNodeTexCoord":
        return False
    return link[1] == "Generated" and not graph.nodes[link[0]].is_muted


def rotation_matrix(euler: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation about x, then y, then z, by three angles in radians."""
    matrix = np.eye(3)
    for axis, angle in enumerate(euler):
        step = np.eye(3)
        u, v = (axis + 1) % 3, (axis + 2) % 3
        step[u, u] = step[v, v] = math.cos(angle)
        step[u, v], step[v, u] = -math.sin(angle), math.sin(angle)
        matrix = step @ matrix
    return matrix


def light_of(image: ImageData) -> NDArray[np.float32]:
    """Return linear Rec.709 of an image, shape ``(height, width, 3)``."""
    pixels = image.pixels
    rgb = pixels[..., :3] if pixels.shape[2] >= 3 else np.repeat(pixels[..., :1], 3, axis=2)
    return linear_from_srgb(rgb) if image.encoding == "srgb" else rgb


def _clean(
    pixels: NDArray[np.float32], where: str
) -> tuple[NDArray[np.float32], tuple[Problem, ...]]:
    """Return radiance that is finite and not negative."""
    bad = ~np.isfinite(pixels) | (pixels < 0)
    if not bad.any():
        return pixels, ()
    message = f"{int(bad.any(axis=2).sum())} pixels of its image are negative or not finite"
    clean = np.where(np.isfinite(pixels), np.maximum(pixels, 0), 0).astype(np.float32)
    return clean, (Problem(where, message, "0"),)


def sphere(
    requests: Sequence[AttributeRequest],
    columns: int = 256,
    axes: NDArray[np.float64] | None = None,
) -> Mesh:
    """Return a unit sphere seen from inside, with what a world's nodes read.

    As in Cycles all coordinates of a world are the direction, and its normals face the viewer.

    Args:
        requests: Of the world's material.
        columns: Of faces.
        axes: Of a light, unit rows, in whose space the normals are told; ``None``: a world.
    """
    rows = columns // 2
    latitude = np.linspace(-math.pi / 2, math.pi / 2, rows + 1)[:, None]
    longitude = np.linspace(-math.pi, math.pi, columns + 1)[None, :]
    points = (
        np.stack(
            np.broadcast_arrays(
                np.cos(latitude) * np.cos(longitude),
                np.cos(latitude) * np.sin(longitude),
                np.sin(latitude) + 0 * longitude,
            ),
            axis=-1,
        )
        .reshape(-1, 3)
        .astype(np.float32)
    )
    first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).reshape(-1)
    up, right = first + columns + 1, first + 1
    triangles = np.concatenate(
        [np.stack([first, up, right], axis=1), np.stack([right, up, up + 1], axis=1)]
    )
    nothing = np.zeros((len(points), 2), np.float32)
    uvs = {request.name or "active": nothing for request in requests if request.kind == "uv"}
    colors = {
        f"{r.kind} {r.name}": points if r.kind != "color" else np.zeros_like(points)
        for r in requests
        if r.kind != "uv"
    }
    if axes is not None:
        inwards = (-points @ axes.T).astype(np.float32)
        colors |= {f"{r.kind} {r.name}": inwards for r in requests if r.kind == "normal"}
    return Mesh(points, triangles, -points, uvs, colors, name="sky")


def draw_sky(
    compiled: CompiledMaterial,
    device: weft.Device,
    width: int,
    axes: NDArray[np.float64] | None = None,
) -> Environment:
    """Return the light of a world's material.

    Args:
        compiled: With attributes that are numbered from 0.
        device: That draws.
        width: Of the image, pixels.
        axes: Of a light whose nodes they are, see ``sphere()``.
    """
    turned = Camera.look_at((0, 0, 0), (1, 0, 0))
    camera = Camera(width, width // 2, "equirectangular", transform=turned)
    shell = Object(sphere(compiled.attributes, axes=axes), [compiled.material], name="sky")
    renderer = weft.Renderer(device, weft.Scene([shell], [], [camera]))
    picture = renderer.render(settings=PathSettings(samples=SAMPLES, bounces=1))
    return Environment(np.maximum(np.nan_to_num(picture), 0))


def look_at_sky(
    compiled: CompiledMaterial, device: weft.Device, direction: Sequence[float]
) -> NDArray[np.float64]:
    """Return what one direction shows of a world's material, shape ``(3,)``."""
    up = (0, 0, 1) if abs(direction[2]) < 0.9 else (0, 1, 0)
    turned = Camera.look_at((0, 0, 0), direction, up=up)
    camera = Camera(1, 1, fov=1e-4, transform=turned)
    shell = Object(sphere(compiled.attributes), [compiled.material], name="sky")
    renderer = weft.Renderer(device, weft.Scene([shell], [], [camera]))
    picture = renderer.render(settings=PathSettings(samples=1, bounces=1))
    return np.asarray(np.nan_to_num(picture[0, 0]), np.float64)


def draw_views(graph: Graph, draw: Callable[[str], Environment]) -> Environment:
    """Return a world that may differ for kinds of ray.

    Args:
        graph: Of the world.
        draw: Returns what rays of a kind see, one of ``weft.scene.ray_kinds.SEEN_BY`` or ``light``.
    """
    environment = draw("light")
    used = ray_outputs(graph)
    images: dict[tuple[str, ...], NDArray[np.float32]] = {(): environment.image}
    for kind in SEEN_BY if used else ():
        key = tuple(name for name in true_outputs(kind) if name in used)
        if key not in images:
            images[key] = draw(kind).image
        if key:
            environment.views = {**environment.views, kind: images[key]}
    return environment


def ray_outputs(graph: Graph) -> set[str]:
    """Return the outputs of Light Path nodes that are in use, those in groups as well."""
    found: set[str] = set()
    for node in graph.nodes.values():
        links = [socket.link for socket in node.inputs if socket.link is not None]
        nodes = graph.nodes
        found |= {name for at, name in links if nodes[at].kind == "ShaderNodeLightPath"}
        if node.tree is not None:
            found |= ray_outputs(node.tree)
    return found


def sky_width(graph: Graph, images: Images) -> int:
    """Return how many columns a drawn sky needs: those of the largest image in it."""
    names = [str(node.properties.get("image")) for node in graph.nodes.values()]
    widths = [int(images[name].pixels.shape[1]) for name in names if name in images]
    return min(max([SKY_WIDTH, *widths]), LARGEST_SKY_WIDTH)


def key_of(graph: Graph, images: Images) -> bytes:
    """Return what differs where the light may differ."""
    digest = hashlib.blake2b(repr(graph).encode(), digest_size=16)
    for node in graph.nodes.values():
        name = str(node.properties.get("image"))
        if name in images:
            digest.update(str(id(images[name])).encode())
    return digest.digest()
