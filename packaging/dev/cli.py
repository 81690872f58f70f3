# SPDX-License-Identifier: Apache-2.0
"""The commands that ./dev knows."""

from __future__ import annotations

import os
import shutil
import sys

from dev import environments, native_build
from dev.benching import command_bench
from dev.checks import command_check
from dev.demo import command_demo
from dev.extension import command_extension
from dev.kernels import command_kernels
from dev.project import BUILD, DevError, build_lock
from dev.reference import command_reference
from dev.templates import command_templates
from dev.testing import command_test
from dev.wheels import command_wheel

USAGE = """usage: ./dev COMMAND [ARGUMENTS]

  demo                 build everything, write pictures of Slang functions to out/ and fit a
                       Blender scene to photos of it in out/fit/; --camera: only the fit, to
                       noisy photos with a tone curve and unknown exposures, in out/fit_camera/;
                       with other options, the pictures only
  test [--fast|--full] build and run all tests; --fast leaves the slow ones out, --full adds
                       sanitizers, soak and concurrency tests; further arguments go to pytest;
                       tests/blender runs inside Blender 4.5 and 5.2, whose modules are installed
  build                build native code, tests and an importable package in build/dev/stage
  python ARGUMENTS     run Python with the package that ./dev build made
  check [OPTION]       formatting, linters, types, layers; --all lints unchanged files too,
                       --fix repairs what can be repaired, --quick leaves types and clang-tidy out
  bench ARGUMENTS      measure against other systems (tests/bench/run.py)
  bench rendering      measure renders and fits beside Mitsuba (tests/bench/rendering)
  bench sweep          random programs beside the machine's bounds and torch (tests/bench/sweep)
  bench edits          what edits of a large scene take until they show (tests/bench/rendering)
  bench lower          lowering to nodes and OSL, and shading with both (tests/bench/lowering)
  bench nodes          Slang nodes in Blender (tests/bench/slang_nodes)
  bench evaluate       Slang Evaluate beside Blender's nodes (tests/bench/slang_nodes)
  bench real           public assets beside Cycles, and a phone capture (tests/bench/real)
  bench torch          calls with tensors of torch beside torch itself (tests/bench/torch_main.py)
  wheel [--kernels]    build the wheels into build/wheels; --kernels compiles those of common
                       scenes ahead, which takes a processor tens of minutes
  kernels [OPTIONS]    compile the kernels of common scenes for the package of ./dev build, which
                       wheels bring; options of packaging/kernels/build.py choose some
  extension [--kernels]
                       build the wheels and the Blender extension into build/extension
  templates            build the asset library of the node templates into build/templates, which the
                       extension brings; new CATEGORY/NAME writes a template to begin with
  reference            write docs/reference anew from docstrings and public headers
  setup                install what a build needs, without building
  clean                remove build/
"""


def command_python(arguments: list[str]) -> int:
    """Replace this process by the primary environment's Python, with the staged package."""
    environment = environments.primary()
    if not environment.python.is_file() or not native_build.STAGE.is_dir():
        raise DevError("there is no build yet; run ./dev build first")
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, (str(native_build.STAGE), os.environ.get("PYTHONPATH")))
    )
    os.execv(environment.python, [str(environment.python), *arguments])


def command_build(_arguments: list[str]) -> int:
    with build_lock():
        native_build.build_and_stage()
    return 0


def command_setup(_arguments: list[str]) -> int:
    with build_lock():
        native_build.setup()
    return 0


def command_clean(_arguments: list[str]) -> int:
    shutil.rmtree(BUILD, ignore_errors=True)
    return 0


def command_help(_arguments: list[str]) -> int:
    print(USAGE, end="")
    return 0


COMMANDS = {
    "bench": command_bench,
    "build": command_build,
    "check": command_check,
    "clean": command_clean,
    "demo": command_demo,
    "extension": command_extension,
    "kernels": command_kernels,
    "help": command_help,
    "python": command_python,
    "reference": command_reference,
    "setup": command_setup,
    "templates": command_templates,
    "test": command_test,
    "wheel": command_wheel,
}


def main(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    name, *rest = arguments or ["help"]
    if name in ("-h", "--help"):
        name = "help"
    command = COMMANDS.get(name)
    if command is None:
        print(f"dev: there is no command '{name}'\n\n{USAGE}", end="", file=sys.stderr)
        return 2
    try:
        return command(rest)
    except DevError as error:
        print(f"dev: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
