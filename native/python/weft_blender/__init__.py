# SPDX-License-Identifier: Apache-2.0
"""Scripting of the Weft extension, inside Blender or with the Python module bpy.

>>> import bpy, weft_blender  # doctest: +SKIP
>>> report = weft_blender.fit(
...     bpy.context, targets={"Camera": "photo.exr"}, parameters=["Chrome.Roughness"]
... )  # doctest: +SKIP

The functions are forwarded to the extension that is enabled, whatever the name of its repository.
bpy is imported by the functions that need it, not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft_blender.forwarding import require_api

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    import weft
    from weft.fit import FitSettings

    Source = str | os.PathLike[str]

__all__ = [
    "add_evaluation",
    "add_node",
    "copy_as_slang",
    "export_scene",
    "fit",
    "lower",
    "node_source",
    "refresh",
    "render",
    "set_source",
    "slang_nodes",
]


def fit(
    context: Any = None,  # noqa: ANN401  (bpy has no types)
    *,
    targets: Mapping[str, Any] | Sequence[Any],
    parameters: Sequence[Any],
    settings: FitSettings | None = None,
    progress: Callable[[Any], object] | None = None,
    **options: Any,  # noqa: ANN401  (fields of the settings, and what the extension takes)
) -> Any:  # noqa: ANN401
    """Fit materials of the open scene to pictures of it, and put what is found into the scene.

    Args:
        context: Blender's context; ``None``: the current one.
        targets: Pictures by name of the camera, ``{"Camera": "photo.exr"}``; or a sequence of
            mappings with ``camera``, ``source`` and more, such as ``mask`` and ``lights``.
        parameters: Names such as ``"Chrome.Roughness"``, ``"texture:Wood.Base Color@512"``,
            ``"light:Key"``, ``"exposure:Camera"``, ``"environment"``; or mappings with ``name`` and
            more.
        settings: How; ``None``: ``weft.fit.FitSettings()``.
        progress: Called after each draw with ``draws``, ``seconds``, ``losses``, ``seconds_left``;
            in the fit's thread, so it must not touch bpy.
        **options: Fields of the settings, ``samples=8``; ``apply=False`` leaves the scene as it is.

    Returns:
        An object with ``values``, ``errors`` (standard errors), ``undetermined`` (why),
        ``textures`` (linear, shape ``(height, width, channels)``), ``reason``, and
        ``save_report(folder)``.

    Raises:
        ArgumentError: The extension is not enabled; or a picture, camera or parameter is missing
            or does not fit.
        ImageError: A file cannot be read.
        DeviceError: There is no device that works.
    """
    return require_api("fit").fit(
        context,
        targets=targets,
        parameters=parameters,
        settings=settings,
        progress=progress,
        **options,
    )


def export_scene(
    context: Any = None,  # noqa: ANN401
    *,
    cameras: Sequence[Any] | None = None,
    resolution: tuple[int, int] | None = None,
) -> weft.Scene:
    """Return the open scene as the engine sees it. What it leaves out is logged as a warning.

    Args:
        context: Blender's context; ``None``: the current one.
        cameras: Objects that hold cameras; ``None``: the scene's camera.
        resolution: Width and height of pictures, pixels; ``None``: as the scene's settings say.

    Raises:
        ArgumentError: The extension is not enabled.
    """
    scene: weft.Scene = require_api("export_scene").export_scene(
        context, cameras=cameras, resolution=resolution
    )
    return scene


def render(
    context: Any = None,  # noqa: ANN401
    *,
    camera: Any = None,  # noqa: ANN401
    resolution: tuple[int, int] | None = None,
    samples: int | None = None,
    aovs: Iterable[str] = (),
    progress: Callable[[float], None] | None = None,
) -> dict[str, NDArray[np.float32]]:
    """Render the open scene.

    Args:
        context: Blender's context; ``None``: the current one.
        camera: An object that holds a camera; ``None``: the scene's.
        resolution: Width and height, pixels; ``None``: as the scene's settings say.
        samples: Paths a pixel; ``None``: as the engine's settings say, which also give the rest.
        aovs: Names of ``weft.render.AOVS``: ``"albedo"``, ``"normal"``, ``"depth"``, ...
        progress: Called with the share that is done, in (0, 1].

    Returns:
        The picture as ``"color"`` (radiance, linear Rec.709, the top row first), and each AOV,
        shape ``(height, width, channels)``.

    Raises:
        ArgumentError: The extension is not enabled, or the scene has no camera.
        DeviceError: There is no device that works.
    """
    layers: dict[str, NDArray[np.float32]] = require_api("render").render(
        context,
        camera=camera,
        resolution=resolution,
        samples=samples,
        aovs=aovs,
        progress=progress,
    )
    return layers


def add_evaluation(
    object: Any,  # noqa: ANN401
    source: Source | Any,  # noqa: ANN401
    function: str | None = None,
    *,
    domain: str = "POINT",
    **inputs: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Add a modifier that evaluates a Slang function on an object's geometry, and evaluate it.

    Args:
        object: A mesh, a curve, a text or points.
        source: As of :func:`add_node`.
        function: Its name; ``None``: the only one.
        domain: ``"POINT"``, ``"EDGE"``, ``"FACE"``, ``"CORNER"``, ``"CURVE"`` or ``"INSTANCE"``.
        **inputs: Values by the parameters' names; ``"attribute:NAME"``: the values of an attribute.
            Of arrays the path of a ``.npy`` file.

    Returns:
        The modifier.

    Raises:
        ArgumentError: There is no such source, function, input or domain; the engine cannot
            evaluate the function; the object is linked or has no geometry. Nothing is changed then.
        CompileError: The source does not compile.
    """
    return require_api("add_evaluation").add_evaluation(
        object, source, function, domain=domain, **inputs
    )


def add_node(
    tree: Any,  # noqa: ANN401
    source: Source | Any,  # noqa: ANN401
    function: str | None = None,
    *,
    location: Sequence[float] = (0.0, 0.0),
    build: Mapping[str, object] | None = None,
    form: str = "AUTOMATIC",
    **inputs: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Add the node of a Slang function to a node tree.

    The node is a plain group node: files show it without the extension, too. Nodes that are equal
    share their group.

    Args:
        tree: A tree of shader, geometry or compositor nodes, or a material, world or light.
        source: A text block or its name, the path of a ``.slang`` file, or ``"template:"`` and the
            name of a function that Weft brings (``"template:texture/fractal_noise"``).
        function: Its name; of an overload ``"f(float2, int)"``, of a generic ``"f<float, 3>"``;
            ``None``: the only one.
        location: Of the node.
        build: Values of parameters that are part of the tree: those marked ``[Build]``, and
            integers that bound loops; without them the function's defaults.
        form: ``"NODES"``: Blender's nodes. ``"OSL"``: a shader for Cycles. ``"AUTOMATIC"``: nodes;
            OSL where nodes cannot compute the function and the scene runs OSL anyway.
            ``"ENGINE"``, in geometry nodes: Weft's engine evaluates the function.
            ``"BAKED"``: images over UV maps, in materials; they are baked by
            ``bpy.ops.weft.bake_slang_node``, before a render, or while Blender is idle.
        **inputs: Values of inputs by the parameters' names, or sockets to be linked; of structures
            dicts by the fields' names, for which a bundle gets a Combine Bundle node; images of
            ``bpy.data.images`` by the names that the function gives them.

    Returns:
        The node.

    Raises:
        ArgumentError: There is no such tree, source, function or input; the function cannot be
            lowered; the tree is linked from another file. Nothing is changed then.
        CompileError: The source does not compile.
    """
    return require_api("add_node").add_node(
        tree, source, function, location=location, build=build, form=form, **inputs
    )


def copy_as_slang(
    tree: Any,  # noqa: ANN401
    nodes: Sequence[Any] | None = None,
    *,
    name: str = "copied",
) -> Any:  # noqa: ANN401
    """Write nodes of a shader tree as a Slang function: a node of it gives what they give.

    Args:
        tree: The tree, or a material, world or light. It is not changed.
        nodes: Of the tree; ``None``: those that are selected.
        name: Of the function, and of the text.

    Returns:
        A new text block. Links from other nodes are parameters, outputs that other nodes take are
        results; numbers stand in the code.

    Raises:
        ArgumentError: A node has no function in Slang (docs/supported_nodes.md), or gives no
            number: shaders, images, coordinates of the mesh.
    """
    return require_api("copy_as_slang").copy_as_slang(tree, nodes, name=name)


def node_source(node: Any) -> Any:  # noqa: ANN401
    """Return what a Slang node is made from.

    Returns:
        An object with ``source``, ``function``, ``build``, ``form``, ``error`` (why the source
        cannot be used as it is now, or ``""``) and ``notes``.

    Raises:
        ArgumentError: It is no Slang node.
    """
    return require_api("node_source").node_source(node)


def set_source(
    node: Any,  # noqa: ANN401
    source: Source | Any | None = None,  # noqa: ANN401
    function: str | None = None,
    *,
    build: Mapping[str, object] | None = None,
    form: str | None = None,
) -> None:
    """Make a Slang node of another function. Inputs and outputs of equal names keep their links.

    Other nodes that showed the same group stay as they are.

    Args:
        node: A Slang node.
        source: As of `add_node`; ``None``: the one that it has.
        function: The same.
        build: Values to be changed.
        form: As of `add_node`; ``None``: the one that it has.

    Raises:
        ArgumentError: As of `add_node`; the node stays as it is then.
        CompileError: The source does not compile.
    """
    require_api("set_source").set_source(node, source, function, build=build, form=form)


def refresh(source: Source | Any | None = None) -> int:  # noqa: ANN401
    """Bring Slang nodes up to date with their source, and wait.

    In Blender's windows that happens by itself when a text or a file changes.

    Args:
        source: As of `add_node`; ``None``: all.

    Returns:
        How many groups were changed.

    Raises:
        CompileError: A source does not compile: its nodes stay as they are, and are marked.
        ArgumentError: A function is gone or cannot be lowered; the same.
    """
    count: int = require_api("refresh").refresh(source)
    return count


def slang_nodes() -> list[Any]:
    """Return the Slang nodes of the open file.

    Returns:
        Objects with ``owner`` (the material, group, ... that holds the node), ``node`` (its name),
        ``group`` (the name of what it shows), ``source``, ``function``, ``build``, ``form``,
        ``error`` and ``notes``, by owner and node.
    """
    found: list[Any] = require_api("slang_nodes").slang_nodes()
    return found


def lower(source: Source | Any, function: str, **options: Any) -> weft.Lowered:  # noqa: ANN401
    """Lower a function of a source of the open file; see ``weft.lower``.

    Args:
        source: As of `add_node`.
        function: The same.
        **options: Of ``weft.lower``; ``blender`` is this one if it is left out.
    """
    lowered: weft.Lowered = require_api("lower").lower(source, function, **options)
    return lowered
