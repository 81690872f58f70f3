# SPDX-License-Identifier: Apache-2.0
"""Work on .blend files without a window: what ``weft fit-blend`` and ``weft nodes`` do."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft import ArgumentError
from weft._native import ArgumentNotFoundError
from weft._replacing import replacing
from weft_blender.forwarding import (
    find_package,
    installed_packages,
    require_api,
    require_bpy,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from threading import Event

FUNCTION = "fit_blend"


def fit_blend(
    scene: Path,
    out: Path,
    *,
    targets: Mapping[str, Path],
    parameters: Sequence[str],
    extension: Path | None = None,
    trust: bool = False,
    progress: Callable[[Any], object] | None = None,
    cancel: Event | None = None,
    **settings: Any,  # noqa: ANN401  (fields of weft.fit.FitSettings)
) -> Any:  # noqa: ANN401
    """Open a file, fit its materials, write the result to another file.

    The user's own Blender is left alone: where the extension is not enabled it is installed from
    its zip into an empty folder of this process.

    Args:
        scene: The .blend file; it is not changed unless `out` is the same.
        out: The file to write; it appears when it is whole.
        targets: Picture files by name of the camera.
        parameters: As ``weft_blender.fit`` takes them.
        extension: The extension's zip, for a Blender that does not have it.
        trust: Run scripts and Python drivers of the file, as Blender does for files it trusts.
        progress: Called after each draw, in the fit's thread.
        cancel: Ends the fit when it is set; what was found so far is the result.
        **settings: Fields of ``weft.fit.FitSettings``.

    Returns:
        What ``weft_blender.fit`` returns.

    Raises:
        ArgumentError: A file, camera or parameter is missing; there is no Blender or no extension.
        ImageError: A picture cannot be read.
        DeviceError: There is no device that works.
    """
    from weft_blender import fit

    check_files(scene, out, targets, extension)
    with tempfile.TemporaryDirectory(prefix="weft-blender-") as folder:
        bpy = enable_extension(extension, Path(folder))
        bpy.ops.wm.open_mainfile(filepath=str(scene.resolve()), load_ui=False, use_scripts=trust)
        # Pictures are named from here, not from the scene's folder.
        pictures = {camera: str(picture.resolve()) for camera, picture in targets.items()}
        report = fit(
            bpy.context,
            targets=pictures,
            parameters=list(parameters),
            progress=progress,
            cancel=cancel,
            **settings,
        )
        with replacing(out.resolve()) as temporary:
            bpy.ops.wm.save_as_mainfile(filepath=str(temporary), copy=True)
    return report


def check_files(
    scene: Path,
    out: Path,
    targets: Mapping[str, Path],
    extension: Path | None,
    function: str = FUNCTION,
) -> None:
    """Look for what is missing before Blender is loaded.

    Raises:
        ArgumentError: A file is missing, or the output is no .blend file.
    """
    wanted = [("scene", scene), *((f"picture of {name}", path) for name, path in targets.items())]
    if extension is not None:
        wanted.append(("extension", extension))
    for what, path in wanted:
        if not path.is_file():
            raise ArgumentNotFoundError(
                f"{function}: the {what} '{path}' is not there; correct the path"
            )
    if out.suffix != ".blend":
        raise ArgumentError(
            f"{function}: the output must end in .blend, got '{out.name}'; rename it"
        )
    if not out.resolve().parent.is_dir():
        raise ArgumentError(
            f"{function}: the folder '{out.parent}' is not there; make it, or choose another"
        )


def slang_nodes_of(
    scene: Path,
    *,
    refresh: bool = False,
    out: Path | None = None,
    extension: Path | None = None,
    trust: bool = False,
) -> tuple[int, list[Any]]:
    """Open a file and look at its Slang nodes, or bring them up to date.

    Args:
        scene: The .blend file; it is not changed unless `out` is the same.
        refresh: Compile the sources and change what is not as they say. What fails is in the
            entries' ``error``.
        out: The file to write after that.
        extension: As of `fit_blend`.
        trust: The same.

    Returns:
        How many groups were changed, and what ``weft_blender.slang_nodes`` gives.

    Raises:
        ArgumentError: A file is missing; there is no Blender or no extension.
    """
    from weft_blender import slang_nodes

    name = "nodes"
    check_files(scene, out or scene, {}, extension, name)
    with tempfile.TemporaryDirectory(prefix="weft-blender-") as folder:
        bpy = enable_extension(extension, Path(folder), name)
        bpy.ops.wm.open_mainfile(filepath=str(scene.resolve()), load_ui=False, use_scripts=trust)
        count, _ = require_api(name).refresh_all() if refresh else (0, ())
        found = slang_nodes()
        if out is not None:
            with replacing(out.resolve()) as temporary:
                bpy.ops.wm.save_as_mainfile(filepath=str(temporary), copy=True)
    return count, found


def enable_extension(archive: Path | None, folder: Path, function: str = FUNCTION) -> Any:  # noqa: ANN401
    """Return bpy with the extension enabled.

    Args:
        archive: The extension's zip.
        folder: An empty folder, for a Blender that this process starts.
        function: That messages name.

    Raises:
        ArgumentError: There is no extension, or it does not fit this Blender.
    """
    if archive is not None and "bpy" not in sys.modules:
        os.environ["BLENDER_USER_RESOURCES"] = str(folder)  # read when bpy is imported
    bpy = require_bpy(function)
    if find_package() is not None:
        return bpy
    try:
        if archive is not None:
            bpy.ops.extensions.package_install_files(
                filepath=str(archive.resolve()), repo="user_default", enable_on_install=True
            )
        else:
            for name in installed_packages()[:1]:
                bpy.ops.preferences.addon_enable(module=name)
    except RuntimeError as error:
        raise ArgumentError(f"{function}: the extension cannot be enabled: {error}") from None
    if find_package() is None:
        version = ".".join(map(str, bpy.app.version))
        raise ArgumentError(
            f"{function}: Blender {version} has no Weft extension that fits it; name the zip with "
            "--extension (./dev extension builds it)"
        )
    return bpy
