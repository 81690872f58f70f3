# SPDX-License-Identifier: Apache-2.0
"""A Blender of its own for a test: no weft beside it, an empty user folder, the extension's zip."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

PRELUDE = """
import json, os, sys
sys.path[:0] = {paths!r}
import bpy
REPO, ZIP = "user_default", {archive!r}
MODULE = f"bl_ext.{{REPO}}.weft"


def install():
    bpy.ops.extensions.package_install_files(filepath=ZIP, repo=REPO, enable_on_install=True)


def repository_index():
    return [repo.module for repo in bpy.context.preferences.extensions.repos].index(REPO)


def say(**facts):
    print("FACTS " + json.dumps(facts, default=str), flush=True)

"""


class InstalledBlender:
    """Runs programs in Blender as a module, each in a process of its own.

    Args:
        folder: An empty folder.
        archive: The extension's zip.
    """

    def __init__(self, folder: Path, archive: Path) -> None:
        self.folder = folder
        self.archive = archive
        self.user = folder / "user"
        self.user.mkdir()
        modules = folder / "modules"
        modules.mkdir()
        for entry in Path(sysconfig.get_path("platlib")).iterdir():
            if not entry.name.startswith(("weft", "_weft")):
                (modules / entry.name).symlink_to(entry)
        self.modules = modules

    def run(self, program: str, **variables: str) -> dict[str, object]:
        """Run a program and return what it said; it fails if the program does."""
        paths = [str(self.modules), str(TESTS)]
        text = PRELUDE.format(paths=paths, archive=str(self.archive)) + textwrap.dedent(program)
        text += "\nsys.stdout.flush()\nos._exit(0)\n"
        environment = os.environ | {"BLENDER_USER_RESOURCES": str(self.user)} | variables
        environment.pop("PYTHONPATH", None)
        script = self.folder / "program.py"
        script.write_text(text)
        done = subprocess.run(
            [sys.executable, "-S", str(script)],
            env=environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=240,
        )
        output = done.stdout + done.stderr
        assert done.returncode == 0, output
        facts: dict[str, object] = {}
        for line in done.stdout.splitlines():
            if line.startswith("FACTS "):
                facts |= json.loads(line.removeprefix("FACTS "))
        return facts | {"output": output}
