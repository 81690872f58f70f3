# SPDX-License-Identifier: Apache-2.0
"""Configure and build a CMake preset, and stage an importable package from it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from dev import environments
from dev.project import BUILD, PACKAGING, ROOT, Stamp, content_hash, run, timed

STAGE = BUILD / "dev" / "stage"


def setup() -> environments.Environment:
    """Provide everything that a build needs and return the primary environment."""
    environment = environments.primary()
    environments.provide(environment, "build", "cuda", "test")
    if not os.environ.get("WEFT_SLANG_DIR"):
        run([environment.python, PACKAGING / "slang_sdk.py", BUILD / "sdk"])
    return environment


def tool_environment(environment: environments.Environment) -> dict[str, str]:
    """Return the variables under which CMake finds the environment's Ninja."""
    return {"PATH": f"{environment.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}


def build(preset: str, environment: environments.Environment, *targets: str) -> None:
    """Configure a preset if need be, and build it (the named targets only, if any)."""
    variables = tool_environment(environment)
    cmake = environment.tool("cmake")
    key = content_hash(
        [ROOT / "CMakePresets.json"],
        extra=f"{environment.base_python}{os.environ.get('WEFT_SLANG_DIR')}",
    )
    stamp = Stamp(f"configure-{preset}", key)
    if not stamp.is_fresh() or not (BUILD / preset / "build.ninja").is_file():
        with timed(f"configuring {preset}"):
            run([cmake, "--preset", preset, f"-DPython_EXECUTABLE={environment.python}"], env=variables)
        stamp.write()
    selection = ["--target", *targets] if targets else []
    with timed(f"building {preset}"):
        run([cmake, "--build", "--preset", preset, *selection], env=variables)


def link(place: Path, target: Path) -> None:
    """Make `place` a symbolic link to `target` unless it is one already."""
    if place.is_symlink() and place.readlink() == target:
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(target)


def stage() -> Path:
    """Lay the dev build out as a package `weft` of links, and return the folder to import it from.

    Edits to Python and Slang files show at once; native code after the next build.
    """
    package = STAGE / "weft"
    links = {package / "shaders": ROOT / "shaders", package / "node_templates": ROOT / "node_templates"}
    for source in (ROOT / "native" / "python" / "weft").glob("*"):
        if source.name != "__pycache__":
            links[package / source.name] = source
    for line in (BUILD / "dev" / "stage_manifest.txt").read_text().splitlines():
        place, target = line.split(" ", 1)
        links[package / place] = Path(target)
    for stale in package.glob("*"):
        if stale.is_symlink() and stale not in links:
            stale.unlink()
    shutil.rmtree(package / "__pycache__", ignore_errors=True)
    for place, target in links.items():
        link(place, target)
    return STAGE


def build_and_stage() -> environments.Environment:
    """Do what ./dev build does."""
    environment = setup()
    build("dev", environment)
    stage()
    return environment
