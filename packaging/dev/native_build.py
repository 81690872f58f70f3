# SPDX-License-Identifier: Apache-2.0
"""Configure and build a CMake preset, and stage an importable package from it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from dev import environments, kernels
from dev.project import BUILD, PACKAGING, ROOT, Stamp, content_hash, run, timed

STAGE = BUILD / "dev" / "stage"


def setup() -> environments.Environment:
    """Provide everything that a build needs and return the primary environment."""
    environment = environments.primary()
    environments.provide(environment, "build", "cuda", "test")
    if not os.environ.get("WEFT_SLANG_DIR"):
        run(environment.python, PACKAGING / "slang_sdk.py", BUILD / "sdk")
    return environment


def tool_environment(environment: environments.Environment) -> dict[str, str]:
    """Return the variables for CMake: where Ninja is, and one name of the compiler.

    Python's build tools would call the same compiler by another name, and the compiler cache would
    then hold everything twice.
    """
    path = f"{environment.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "CXX": os.environ.get("CXX", "c++")}


def configure(preset: str, environment: environments.Environment) -> None:
    """Configure a preset unless that was done with the same interpreter, SDK and presets."""
    key = content_hash(
        [ROOT / "CMakePresets.json"],
        extra=f"{environment.base_python}{os.environ.get('WEFT_SLANG_DIR')}",
    )
    stamp = Stamp(f"configure-{preset}", key)
    if stamp.is_fresh() and (BUILD / preset / "build.ninja").is_file():
        return
    cmake = environment.tool("cmake")
    python = f"-DPython_EXECUTABLE={environment.python}"
    with timed(f"configuring {preset}"):
        run(cmake, "--preset", preset, python, env=tool_environment(environment))
    stamp.write()


def build(preset: str, environment: environments.Environment, *targets: str) -> None:
    """Configure a preset if need be, and build it, or no more of it than `targets` need."""
    configure(preset, environment)
    chosen = ("--target", *targets) if targets else ()
    with timed(f"building {preset}"):
        cmake = environment.tool("cmake")
        run(cmake, "--build", "--preset", preset, *chosen, env=tool_environment(environment))


def link(place: Path, target: Path) -> None:
    """Make `place` a symbolic link to `target` unless it is one already."""
    if place.is_symlink() and place.readlink() == target:
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(target)


def stage() -> Path:
    """Lay the dev build out as a package `weft` of links; return the folder to import it from.

    Edits to Python and Slang files show at once; native code after the next build.
    """
    package = STAGE / "weft"
    links = _links(package)
    for entry in package.glob("*"):
        if entry.is_symlink() and entry not in links:
            entry.unlink()
    shutil.rmtree(package / "__pycache__", ignore_errors=True)
    for entry, source in links.items():
        link(entry, source)
    return STAGE


def _links(package: Path) -> dict[Path, Path]:
    """Return what the links of the staged package lead to, by their places."""
    links = {package / name: ROOT / name for name in ("shaders", "node_templates")}
    if kernels.STAGED.is_dir():
        links[package / "kernels"] = kernels.STAGED
    for source in (ROOT / "native" / "python" / "weft").glob("*"):
        if source.name != "__pycache__":
            links[package / source.name] = source
    for source in (ROOT / "native" / "python" / "weft_blender").glob("*.py"):
        links[STAGE / "weft_blender" / source.name] = source
    for line in (BUILD / "dev" / "stage_manifest.txt").read_text().splitlines():
        place, target = line.split(" ", 1)
        links[package / place] = Path(target)
    return links


def build_and_stage(*targets: str) -> environments.Environment:
    """Do what ./dev build does, with no more of the native code than `targets` need."""
    environment = setup()
    build("dev", environment, *targets)
    stage()
    return environment
