# SPDX-License-Identifier: Apache-2.0
"""./dev check: everything about the sources that a machine can judge without running them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import repair_wheel
from dev import environments, linting, native_build, stubs
from dev.project import ROOT, DevError, build_lock, run, tracked_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from dev.environments import Environment

PYTHON_FOLDERS = ("addon", "native/python", "packaging", "tests")


def python_folders() -> list[str]:
    """Return the folders that hold Python files, as the linters take them."""
    return [name for name in PYTHON_FOLDERS if any((ROOT / name).rglob("*.py"))]


def check_format(environment: Environment, *, fix: bool) -> bool:
    """clang-format and ruff format."""
    sources = tracked_files(".cpp", ".hpp")
    mode = ["-i"] if fix else ["--dry-run", "-Werror", "--ferror-limit=3"]
    native = run(environment.tool("clang-format"), *mode, *sources, check=False)
    mode = [] if fix else ["--check"]
    ruff = environment.tool("ruff")
    python = run(ruff, "format", "--quiet", *mode, *python_folders(), check=False)
    return native == 0 and python == 0


def check_ruff(environment: Environment, *, fix: bool) -> bool:
    """Ruff's rules as pyproject.toml selects them."""
    mode = ["--fix"] if fix else []
    ruff = environment.tool("ruff")
    return run(ruff, "check", "--quiet", *mode, *python_folders(), check=False) == 0


def check_types(environment: Environment) -> bool:
    """Run mypy --strict on the package, on addon/core once it is there, and on the tools."""
    folders = [
        "native/python/weft",
        "native/python/weft_blender",
        "packaging/dev",
        "packaging/dev_main.py",
    ]
    if any((ROOT / "addon" / "core").glob("*.py")):
        folders.append("addon/core")
    return run(environment.tool("mypy"), *folders, check=False) == 0


def check_structure(environment: Environment) -> bool:
    """Layer walls, source lists, headers, documents: tests/checks, which need no weft."""
    # A check that imports weft fails here, too, and not only where weft was never installed.
    tests = (
        "import sys, pytest; sys.modules['weft'] = None; "
        "sys.exit(pytest.main(['-q', '--noconftest', 'tests/checks']))"
    )
    return run(environment.python, "-c", tests, check=False) == 0


def check_portable() -> bool:
    """Ask of what was built what the wheel's repair asks, minutes before there is a wheel."""
    if repair_wheel.system_glibc() > repair_wheel.RELEASE_GLIBC:
        return True
    package = native_build.STAGE / "weft"
    too_new = [
        text
        for file in (*package.glob("_native.*.so"), package / "bin" / "weft-compiler")
        for text in repair_wheel.versions_too_new(file.name, file.read_bytes())
        if "GLIBC_" in text  # wheels link libstdc++ statically, see packaging/portable
    ]
    print("".join(f"{text}\n" for text in too_new), end="")
    return not too_new


def check_tidy(environment: Environment, *, everything: bool) -> bool:
    """Run clang-tidy."""
    complaints = linting.tidy(environment, everything=everything)
    print("".join(complaints), end="")
    return not complaints


def command_check(arguments: list[str]) -> int:
    """Run all checks, go on after a failure, and name the ones that failed."""
    unknown = set(arguments) - {"--all", "--fix", "--quick"}
    if unknown:
        raise DevError(f"./dev check knows --all, --fix, --quick, got {' '.join(sorted(unknown))}")
    fix = "--fix" in arguments
    with build_lock():
        environment = native_build.setup()
        environments.provide(environment, "check")
        steps: dict[str, Callable[[], bool]] = {
            "format": lambda: check_format(environment, fix=fix),
            "ruff": lambda: check_ruff(environment, fix=fix),
            "structure": lambda: check_structure(environment),
        }
        if "--quick" not in arguments:
            native_build.build_and_stage()
            steps["portable"] = check_portable
            steps["types"] = lambda: check_types(environment)
            steps["stubs"] = lambda: stubs.check(environment, fix=fix)
            steps["clang-tidy"] = lambda: check_tidy(environment, everything="--all" in arguments)
        return run_steps(steps)


def run_steps(steps: dict[str, Callable[[], bool]]) -> int:
    """Run the steps in order and return 1 if any failed."""
    failed = []
    for name, step in steps.items():
        start = time.monotonic()
        passed = step()
        print(f"  {'passed' if passed else 'FAILED'}  {name} ({time.monotonic() - start:.1f} s)")
        if not passed:
            failed.append(name)
    if failed:
        raise DevError(f"check failed: {', '.join(failed)}; ./dev check --fix repairs formatting")
    return 0
