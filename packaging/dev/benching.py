# SPDX-License-Identifier: Apache-2.0
"""./dev bench: tests/bench in an environment with the systems to measure beside."""

from __future__ import annotations

import os
from pathlib import Path

from dev import blender, environments, native_build, torch_tests, wheels
from dev.project import BUILD, ROOT, DevError, Stamp, build_lock, content_hash, run

LAYER_SOURCE = ROOT / "tests" / "bench" / "slangpy_layer"
LAYER = BUILD / "slangpy_layer"


def build_layer() -> dict[str, str]:
    """Build the Vulkan layer that SlangPy needs on Mesa 22; return where the benchmarks find it."""
    sources = sorted(LAYER_SOURCE.glob("*.c"))
    manifests = sorted(LAYER_SOURCE.glob("*.json"))
    if not sources or not manifests:
        raise DevError(f"{LAYER_SOURCE.relative_to(ROOT)} holds no Vulkan layer")
    stamp = Stamp("slangpy_layer", content_hash([LAYER_SOURCE]))
    if not stamp.is_fresh() or not LAYER.is_dir():
        LAYER.mkdir(parents=True, exist_ok=True)
        for source in sources:
            library = LAYER / f"lib{source.stem}.so"
            run("cc", "-shared", "-fPIC", "-O2", "-o", library, source)
        for manifest in manifests:
            (LAYER / manifest.name).write_text(manifest.read_text())
        stamp.write()
    return {"WEFT_BENCH_LAYER": str(LAYER)}


def find_llvm() -> dict[str, str]:
    """Return where Mitsuba finds an LLVM that it works with; it takes too old a one by itself."""
    if "DRJIT_LIBLLVM_PATH" in os.environ:
        return {}
    found = sorted(Path("/usr/lib").glob("*/libLLVM.so.[0-9]*"), key=_version_of)
    return {"DRJIT_LIBLLVM_PATH": str(found[-1])} if found else {}


def _version_of(library: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in library.name.split(".so.")[1].split(".") if part.isdigit())


def bench_rendering(arguments: list[str]) -> int:
    """Measure renders and fits beside Mitsuba, with the staged package."""
    with build_lock():
        environment = native_build.build_and_stage()
        bench = environments.Environment("bench", environment.base_python)
        environments.provide(bench, "bench", "cuda")
    script = ROOT / "tests" / "bench" / "rendering" / "side_by_side.py"
    stage = {"PYTHONPATH": str(native_build.STAGE)} | find_llvm()
    return run(bench.python, script, *arguments, env=stage, check=False)


def bench_edits(arguments: list[str]) -> int:
    """Measure what edits of a large scene take until they show, with the staged package."""
    with build_lock():
        environment = native_build.build_and_stage()
    script = ROOT / "tests" / "bench" / "rendering" / "edits.py"
    stage = {"PYTHONPATH": str(native_build.STAGE)}
    return run(environment.python, script, *arguments, env=stage, check=False)


def bench_sweep(arguments: list[str]) -> int:
    """Measure random programs beside their bounds, and beside torch if it is there."""
    with build_lock():
        environment = native_build.build_and_stage()
        environment = torch_tests.provide() or environment
    script = ROOT / "tests" / "bench" / "run.py"
    stage = {"PYTHONPATH": str(native_build.STAGE)}
    return run(environment.python, script, "sweep", *arguments, env=stage, check=False)


def bench_in_blender(name: str, script: Path, arguments: list[str]) -> int:
    """Run a script in the oldest Blender's Python, with the staged package."""
    with build_lock():
        native_build.build_and_stage()
        inside = blender.provide(blender.BLENDERS[0])
    if inside is None:
        raise DevError(f"bench {name} needs Blender as a Python module")
    variables = {"PYTHONPATH": str(native_build.STAGE), "WEFT_BENCH_BLENDER": str(inside.python)}
    return run(inside.python, script, *arguments, env=variables, check=False)


def bench_real(arguments: list[str]) -> int:
    """Compare public assets with Cycles and fit a phone capture."""
    return bench_in_blender("real", ROOT / "tests" / "bench" / "real" / "run.py", arguments)


def bench_nodes(arguments: list[str]) -> int:
    """Measure Slang nodes: what a user waits for, and what they cost Blender."""
    return bench_in_blender("nodes", ROOT / "tests" / "bench" / "slang_nodes" / "run.py", arguments)


def bench_evaluate(arguments: list[str]) -> int:
    """Measure functions that the engine evaluates on geometry, beside Blender's nodes."""
    script = ROOT / "tests" / "bench" / "slang_nodes" / "evaluation.py"
    return bench_in_blender("evaluate", script, arguments)


def bench_lower(arguments: list[str]) -> int:
    """Measure lowering to nodes and OSL, and shading with both."""
    return bench_in_blender("lower", ROOT / "tests" / "bench" / "lowering" / "run.py", arguments)


def bench_torch(arguments: list[str]) -> int:
    """Measure calls with tensors of torch, with the staged package beside torch."""
    with build_lock():
        native_build.build_and_stage()
        environment = torch_tests.provide()
    if environment is None:
        raise DevError("bench torch needs torch")
    script = ROOT / "tests" / "bench" / "run.py"
    stage = {"PYTHONPATH": str(native_build.STAGE)}
    return run(environment.python, script, "torch", *arguments, env=stage, check=False)


def command_bench(arguments: list[str]) -> int:
    """Build, install the wheel beside the other systems, and run the benchmarks."""
    if arguments[:1] == ["rendering"]:
        return bench_rendering(arguments[1:])
    if arguments[:1] == ["sweep"]:
        return bench_sweep(arguments[1:])
    if arguments[:1] == ["edits"]:
        return bench_edits(arguments[1:])
    if arguments[:1] == ["torch"]:
        return bench_torch(arguments[1:])
    if arguments[:1] == ["lower"]:
        return bench_lower(arguments[1:])
    if arguments[:1] == ["evaluate"]:
        return bench_evaluate(arguments[1:])
    if arguments[:1] == ["nodes"]:
        return bench_nodes(arguments[1:])
    if arguments[:1] == ["real"]:
        return bench_real(arguments[1:])
    with build_lock():
        environment = native_build.setup()
        bench = environments.Environment("bench", environment.base_python)
        environments.provide(bench, "bench", "cuda")
        wheels.install_wheel(bench, wheels.build_wheel(environment))
        variables = build_layer()
    script = ROOT / "tests" / "bench" / "run.py"
    return run(bench.python, script, *arguments, env=variables, check=False)
