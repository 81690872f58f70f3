# SPDX-License-Identifier: Apache-2.0
"""./dev demo: pictures of Slang functions, then a fit of a Blender scene to photos of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from dev import blender, environments, extension, native_build, templates
from dev.project import BUILD, PACKAGING, ROOT, DevError, Stamp, build_lock, run, say

if TYPE_CHECKING:
    from dev.environments import Environment

PROGRAMS = PACKAGING / "demo"
PHOTOGRAPH = "scikit-image==0.26.0"
"""The package whose photograph of a cup of coffee is the texture (CC0, Rachel Michetti)."""

RUNNER = """
import os, runpy, sys, traceback
sys.path[:0] = [{modules!r}, {programs!r}]
import bpy
name = "bl_ext.user_default.weft"
status = 0
try:
    if {archive!r}:
        bpy.ops.extensions.package_install_files(
            filepath={archive!r}, repo="user_default", enable_on_install=True)
    elif {enable!r}:
        bpy.ops.preferences.addon_enable(module=name)
    sys.argv = {arguments!r}
    runpy.run_path(sys.argv[0], run_name="__main__")
except BaseException:
    traceback.print_exc()
    status = 1
sys.stdout.flush()
os._exit(status)
"""


class Studio:
    """Runs the demo's programs in Blender as a module, with the extension from its zip.

    Args:
        environment: Has bpy.
        folder: Of the results.
    """

    def __init__(self, environment: Environment, folder: Path) -> None:
        self.environment = environment
        self.folder = folder
        self.scratch = BUILD / "demo"
        shutil.rmtree(self.scratch, ignore_errors=True)
        (self.scratch / "user").mkdir(parents=True)
        self.modules = self.scratch / "modules"
        self.modules.mkdir()
        # Everything but weft itself, which the extension brings.
        for entry in site_packages(environment).iterdir():
            if not entry.name.startswith(("weft", "_weft")):
                (self.modules / entry.name).symlink_to(entry)

    def run(self, program: str, *arguments: str, archive: str = "", enable: bool = False) -> None:
        """Run a program; DevError if it fails."""
        text = RUNNER.format(
            modules=str(self.modules),
            programs=str(PROGRAMS),
            archive=archive,
            enable=enable,
            arguments=[str(PROGRAMS / program), str(self.folder), *arguments],
        )
        script = self.scratch / "program.py"
        script.write_text(text)
        variables = {"BLENDER_USER_RESOURCES": str(self.scratch / "user"), "PYTHONPATH": ""}
        log = self.folder / "blender.log"
        status = quiet_run(self.environment.python, script, env=variables, log=log)
        if status != 0:
            tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
            raise DevError(f"{program} failed; {log} says why:\n{tail}")


def site_packages(environment: Environment) -> Path:
    """Return where an environment keeps its packages."""
    (found,) = (environment.folder / "lib").glob("python3.*/site-packages")
    return found


def quiet_run(python: Path, script: Path, *, env: dict[str, str], log: Path) -> int:
    """Run a script; Blender's chatter goes to a file, lines of the demo's own are shown."""
    with log.open("a") as file:
        process = subprocess.Popen(
            [str(python), "-S", str(script)],
            cwd=ROOT,
            env=os.environ | env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        assert process.stdout is not None
        with process:
            for line in process.stdout:
                file.write(line)
                if line.startswith(("demo:", "  draw")):
                    print(line, end="", flush=True)
    return process.returncode


def find_photograph(environment: Environment) -> Path:
    """Return the photograph that is the texture; its package is installed for it."""
    stamp = Stamp(f"photograph-{environment.name}", PHOTOGRAPH)
    path = site_packages(environment) / "skimage" / "data" / "coffee.png"
    if not (stamp.is_fresh() and path.is_file()):
        environments.pip(environment, "install", "--no-deps", PHOTOGRAPH)
        stamp.write()
    return path


def fit_demo(folder: Path, *, is_camera: bool) -> int:
    """Build a scene, take photos of it, fit it from grey, and compare.

    Args:
        folder: Of the results; emptied.
        is_camera: Photos are noisy, exposed as nobody knows, and have a tone curve.
    """
    oldest = blender.BLENDERS[0]
    environment = blender.provide(oldest)
    if environment is None:
        return 0
    outside = environments.Environment(oldest.python, environment.base_python)
    archive = extension.provide_extension_for(outside)
    say(f"{archive.name} is for this Python's Blenders only; ./dev extension makes one for all")
    photograph = find_photograph(environment)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    began = time.monotonic()
    studio = Studio(environment, folder)
    say("taking three photos of a scene with Cycles")
    studio.run("studio.py", str(photograph))
    say("fitting its materials from grey, with the extension in Blender")
    studio.run("fit.py", *(["camera"] if is_camera else []), archive=str(archive))
    say("comparing, and relighting with Cycles")
    studio.run("compare.py", enable=True)
    say(f"the fit's demo took {time.monotonic() - began:.0f} s; see {os.path.relpath(folder)}")
    return 0


def command_demo(arguments: list[str]) -> int:
    """Run both halves of the demo.

    Args:
        arguments: Go to the first half, which then is the only one; but ``--camera``: only the
            second, from photos that are noisy, exposed as nobody knows, and have a tone curve.
    """
    is_camera = "--camera" in arguments
    arguments = [word for word in arguments if word != "--camera"]
    with build_lock():
        environment = native_build.build_and_stage(*templates.STAGED)
        output = [] if "--out" in arguments else ["--out", str(ROOT / "out")]
        path = {"PYTHONPATH": str(native_build.STAGE)}
        words = ("-m", "weft.demo", *output, *arguments)
        status = 0 if is_camera else run(environment.python, *words, env=path, check=False)
        if status != 0 or arguments:
            return status
        name = "fit_camera" if is_camera else "fit"
        return fit_demo(ROOT / "out" / name, is_camera=is_camera)
