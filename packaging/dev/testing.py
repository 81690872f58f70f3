# SPDX-License-Identifier: Apache-2.0
"""./dev test: native tests through ctest, Python tests through pytest, and one summary."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dev import blender, environments, extension, native_build, torch_tests, wheels
from dev.native_build import tool_environment
from dev.project import BUILD, ROOT, DevError, build_lock, left_out, say
from dev.skips import skip_lines, skips_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dev.environments import Environment

PYTEST_NO_TESTS = 5


@dataclass(frozen=True)
class Result:
    """What one run of a test program came to."""

    name: str
    passed: bool
    seconds: float
    summary: str
    skips: Mapping[str, int] = field(default_factory=dict)


def run_and_watch(
    *command: str | Path, env: Mapping[str, str], is_shown: bool = True
) -> tuple[int, list[str]]:
    """Run a command, show its output as it comes, and return its status and its lines."""
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=ROOT,
        env=os.environ | dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    lines: list[str] = []
    with process:
        for line in process.stdout:
            if is_shown:
                print(line, end="", flush=True)
            lines.append(line.rstrip())
    return process.returncode, lines


def last_match(lines: Sequence[str], pattern: str) -> str:
    """Return the last line that matches, without its rulers; "" if there is none."""
    for line in reversed(lines):
        if re.search(pattern, line):
            return line.strip(" =")
    return ""


def catch2_totals(log: Path) -> str:
    """Add up what the Catch2 programs of a ctest run reported."""
    cases = assertions = 0
    text = log.read_text(errors="replace") if log.is_file() else ""
    for found in re.finditer(r"All tests passed \((\d+) assertions? in (\d+) test cases?\)", text):
        assertions += int(found[1])
        cases += int(found[2])
    return f"; {cases} cases with {assertions} assertions passed" if cases else ""


def native_tests(preset: str, environment: Environment) -> Result:
    """Build a preset and run its native tests."""
    native_build.build(preset, environment)
    start = time.monotonic()
    say(f"running the native tests of preset {preset}")
    jobs = str(os.cpu_count() or 1)
    ctest = environment.tool("ctest")
    status, lines = run_and_watch(
        ctest, "--preset", preset, "-j", jobs, "--no-tests=error", env=tool_environment(environment)
    )
    totals = catch2_totals(BUILD / preset / "Testing" / "Temporary" / "LastTest.log")
    summary = last_match(lines, r"tests passed|No tests") + totals
    seconds = time.monotonic() - start
    return Result(f"native, {preset}", status == 0, seconds, summary, skips_of(lines))


def on_all_cores() -> list[str]:
    """Return the arguments that let pytest use several processes."""
    # Compilers and renders keep one core busy at a time; more than four starve what is timed.
    return ["-n", str(min(os.cpu_count() or 1, 4)), "--dist", "loadfile"]


SLOWEST = ["--durations=12", "--durations-min=4"]
"""Arguments that let whole runs name their slowest tests: the time of all runs has a limit."""


def python_tests(
    name: str,
    environment: Environment,
    arguments: Sequence[str],
    stage: Path | None = None,
    *,
    is_shown: bool = True,
) -> Result:
    """Run pytest in an environment, on the installed wheel or on a staged package.

    What is not shown as it comes is shown at the end.

    A selection by mark that leaves no test counts as passed; any other empty run as failed.
    """
    start = time.monotonic()
    say(f"running pytest: {name}")
    path = {"PYTHONPATH": str(stage)} if stage else {}
    status, lines = run_and_watch(
        environment.python, "-m", "pytest", *arguments, env=path, is_shown=is_shown
    )
    if not is_shown:
        print("\n".join(lines), flush=True)
    empty_selection = status == PYTEST_NO_TESTS and "-m" in arguments
    summary = last_match(lines, r"\d+ (passed|failed|skipped|deselected|error)|no tests ran")
    passed = status == 0 or empty_selection
    return Result(name, passed, time.monotonic() - start, summary, skips_of(lines))


# What these test is Slang, arithmetic and the pictures that they make: minutes that a second
# interpreter does not need. Fits of numbers and the command render on it, too.
SAME_ON_EVERY_PYTHON = (
    "tests/checks/*",
    "tests/docs/test_snippets.py",
    "tests/errors/test_lowering*",
    "tests/errors/test_gradient*",
    "tests/python/render/*",
    "tests/python/fit/*",
    "tests/python/test_*gradient*",
    "tests/python/test_*hazards*",
    "tests/python/test_faults.py",
    "tests/python/test_fitting_models.py",
    "tests/python/test_fused_steps.py",
    "tests/python/test_higher_order.py",
    "tests/python/test_large_tensors.py",
    "tests/python/test_lbfgs.py",
    "tests/python/test_levenberg_marquardt.py",
    "tests/python/test_long_loops.py",
    "tests/python/test_lowering*",
    "tests/python/test_mlp*",
    "tests/python/test_optimisers*",
    "tests/python/test_reductions.py",
    "tests/python/test_refused_sources.py",
    "tests/python/test_ssim.py",
    "tests/shaders/*",
    "tests/slangtorch/*",
    "tests/templates/*",
)
BUT = (
    "test_fit_command",
    "test_gradient_structures",
    "test_gradients",
    "test_kernels",
    "test_lowering",
    "test_lowering_calls",
    "test_lowering_errors",
    "test_reports",
    "test_scalar_fits",
    "test_target_files",
)
"""Files of what is left out that a second interpreter runs: the bindings of each part."""


def for_a_second_python() -> list[str]:
    """Return the arguments that leave out what one interpreter tests for both."""
    files = [path for name in SAME_ON_EVERY_PYTHON for path in sorted(ROOT.glob(name))]
    return [
        f"--ignore={path.relative_to(ROOT)}"
        for path in files
        if path.suffix == ".py" and path.stem not in BUT
    ]


def share_compiled_code() -> None:
    """Let all suites of this run, and no other run, take what one of them compiled."""
    shutil.rmtree(COMPILED, ignore_errors=True)
    os.environ["WEFT_TEST_CACHE"] = str(COMPILED)


COMPILED = BUILD / "compiled-in-tests"
SYNCHRONISATION = BUILD / "synchronisation"
LAYER_SETTINGS = """
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.validate_sync = true
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,info
khronos_validation.log_filename = {log}
"""


def watched_tests(environment: Environment, arguments: Sequence[str]) -> list[Result]:
    """Run what uses Vulkan while its validation layer watches synchronisation.

    Tests fail if their device has a message at its end. The layer's log holds the messages of the
    program that wrote it last; it must say that synchronisation was watched.
    """
    SYNCHRONISATION.mkdir(parents=True, exist_ok=True)
    log = SYNCHRONISATION / "layer.txt"
    log.unlink(missing_ok=True)
    (SYNCHRONISATION / "vk_layer_settings.txt").write_text(LAYER_SETTINGS.format(log=log))
    variables = {"VK_LAYER_SETTINGS_PATH": str(SYNCHRONISATION)}
    say("running what uses Vulkan under synchronisation validation")
    start = time.monotonic()
    ctest = environment.tool("ctest")
    native, tail = run_and_watch(
        ctest, "--preset", "dev", "-L", "vulkan", env=tool_environment(environment) | variables
    )
    native_summary = last_match(tail, r"tests passed|No tests")
    middle = time.monotonic()
    chosen = [*on_all_cores(), "-m", "not full", "tests/python", "tests/errors", "tests/shaders"]
    variables |= {"PYTHONPATH": str(native_build.STAGE)}
    python, tail = run_and_watch(
        environment.python, "-m", "pytest", *chosen, *arguments, env=variables
    )
    text = log.read_text(errors="replace") if log.is_file() else ""
    is_watched = "SYNCHRONIZATION_VALIDATION" in text and "HAZARD" not in text
    summary = last_match(tail, r"\d+ (passed|failed|skipped|deselected|error)|no tests ran")
    summary += "" if is_watched else "; the layer's log has a hazard, or no word of synchronisation"
    end = time.monotonic()
    return [
        Result("native, synchronisation", native == 0, middle - start, native_summary),
        Result("synchronisation", python == 0 and is_watched, end - middle, summary),
    ]


def report(results: Sequence[Result]) -> int:
    """Print the summary of all runs and return the exit status."""
    print("\nSummary")
    for result in results:
        verdict = "passed" if result.passed else "FAILED"
        print(f"  {verdict}  {result.name} ({result.seconds:.0f} s): {result.summary}")
    skips = {result.name: result.skips for result in results}
    print("\n" + "\n".join(skip_lines(skips, left_out)))
    return 0 if results and all(result.passed for result in results) else 1


def selected_tests(arguments: list[str]) -> int:
    """Build, then run what the user selected on the staged package: the inner loop."""
    environment = native_build.build_and_stage()
    in_blender, outside = blender.split_selection(arguments)
    results = []
    if in_blender is not None:
        results.append(selected_blender_tests(environment, in_blender))
    with_torch, outside = torch_tests.split_selection(outside) if outside else (None, outside)
    if with_torch is not None:
        results += torch_results([*on_all_cores(), *with_torch], native_build.STAGE)
    if outside is not None:
        arguments = [*on_all_cores(), *outside]
        results.append(python_tests("selected", environment, arguments, native_build.STAGE))
    return report(results)


def torch_results(arguments: Sequence[str], stage: Path | None) -> list[Result]:
    """Run tests beside torch, on a staged package or the wheel; nothing where torch is not."""
    environment = torch_tests.provide()
    if environment is None:
        return []
    if stage is None:
        wheels.install_wheel(environment, wheels.build_wheel(environments.primary()))
    return [python_tests("torch", environment, arguments, stage)]


def selected_blender_tests(environment: Environment, arguments: Sequence[str]) -> Result:
    """Run tests inside the oldest Blender, on the staged package."""
    oldest = blender.BLENDERS[0]
    inside = blender.provide(oldest)
    if inside is None or oldest.python != environment.name:
        raise DevError(
            f"selected tests of {blender.FOLDER} need ./dev to run under Python {oldest.python}, "
            f"and this is {environment.name}; set WEFT_PYTHON{oldest.python.replace('.', '')}"
        )
    return python_tests(f"selected, bpy {oldest.version}", inside, arguments, native_build.STAGE)


def blender_tests(arguments: Sequence[str], *, full: bool) -> list[Result]:
    """Run tests/blender on the wheels, in each Blender whose Python this machine has.

    Blender's module takes one core, so they run side by side; the first one's output comes as it
    is made. They begin at different ends, so that each finds compiled what the other has run.
    """
    for archive in extension.provide_extension():
        if "linux" in archive.name:
            os.environ["WEFT_EXTENSION"] = str(archive)
    present = []
    for entry in blender.BLENDERS:
        inside = blender.provide(entry)
        outside = environments.find(entry.python)
        if inside and outside:
            environments.provide(outside, "build")
            wheels.install_wheel(inside, wheels.build_wheel(outside))
            present.append((f"bpy {entry.version}, Python {entry.python}", inside, entry))
    chosen = [*SLOWEST, *arguments]
    both = not full and len(present) == len(blender.BLENDERS)
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 2)) as pool:
        runs = [
            pool.submit(
                python_tests,
                name,
                inside,
                [*chosen, *blender.files_of(entry, is_shared=both, is_reversed=number % 2 == 1)],
                is_shown=number == 0,
            )
            for number, (name, inside, entry) in enumerate(present)
        ]
        return [run.result() for run in runs]


def fast_tests(arguments: list[str]) -> int:
    """Run the native tests and the quick Python tests on the staged package."""
    environment = native_build.build_and_stage()
    results = [
        native_tests("dev", environment),
        python_tests(
            f"Python {environment.name}, fast",
            environment,
            [*on_all_cores(), "-m", "not slow and not full", *arguments],
            native_build.STAGE,
        ),
    ]
    quick = [*on_all_cores(), "-m", "not slow and not full", *arguments]
    results += torch_results([*quick, *torch_tests.present()], native_build.STAGE)
    return report(results)


def whole_tests(arguments: list[str], *, full: bool) -> int:
    """Run all that a change must pass; `full` adds sanitizers, soak and concurrency tests."""
    environment = native_build.build_and_stage()
    share_compiled_code()
    results = [native_tests("dev", environment)]
    wheels.install_wheel(environment, wheels.build_wheel(environment))
    marks = [] if full else ["-m", "not full"]
    chosen = [*on_all_cores(), *SLOWEST, *marks, *arguments]
    results.append(python_tests(f"Python {environment.name}", environment, chosen))
    results += torch_results([*chosen, *torch_tests.present()], None)
    second = wheels.second_environment()
    if second:
        wheels.install_wheel(second, wheels.build_wheel(second))
        quick = ["-m", "not slow and not full"]
        left_out = [] if full else for_a_second_python()
        chosen = [*on_all_cores(), *SLOWEST, *quick, *left_out, *arguments]
        results.append(python_tests(f"Python {second.name}", second, chosen))
    results += blender_tests([*marks, *arguments], full=full)
    if full:
        results += watched_tests(environment, arguments)
        results += [native_tests("asan", environment), native_tests("tsan", environment)]
    return report(results)


def command_test(arguments: list[str]) -> int:
    """Run the tests; see the usage text in cli.py."""
    fast = "--fast" in arguments
    full = "--full" in arguments
    rest = [argument for argument in arguments if argument not in ("--fast", "--full")]
    if fast and full:
        raise DevError("--fast and --full exclude each other; give one of them")
    with build_lock():
        if fast:
            return fast_tests(rest)
        if rest and not full:
            return selected_tests(rest)
        return whole_tests(rest, full=full)
