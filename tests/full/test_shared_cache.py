# SPDX-License-Identifier: Apache-2.0
"""Processes that meet in one cold cache all work, and leave a cache that serves the next one."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from conftest import KINDS

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]

PROCESSES = 2
ROUNDS = 5

PROGRAM = """
import json, sys
import numpy as np
import weft

device = weft.create_device(type=weft.DeviceType[sys.argv[1]])
print("ready", flush=True)
sys.stdin.readline()
x = np.arange(1000, dtype=np.float32)
for i in range(6):
    module = weft.Module.load_from_source(
        device, f"meeting{i}", f"float f(float x) {{ return x * {i} + 1; }}"
        "T twice<T : IArithmetic>(T x) { return x + x; }"
    )
    assert np.array_equal(module.f(x, _result="numpy"), x * i + 1)
    assert np.array_equal(module.twice(x, _result="numpy"), 2 * x)
    assert module.f(2.0) == 2 * i + 1
print(json.dumps(device.compiler_statistics), flush=True)
"""


def start(kind, cache):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, kind],
        env=os.environ | {"WEFT_CACHE_DIR": str(cache)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_together(kind, cache, count):
    """Start processes, let all go at the same moment, and return what each counted."""
    processes = [start(kind, cache) for _ in range(count)]
    for process in processes:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=300) for process in processes]
    for process, (_, errors) in zip(processes, outputs, strict=True):
        assert process.returncode == 0, errors
        assert errors == ""
    return [json.loads(output) for output, _ in outputs]


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_fill_one_cold_cache(kind, tmp_path):
    for turn in range(ROUNDS):
        cache = tmp_path / str(turn)

        together = run_together(kind, cache, PROCESSES)
        (after,) = run_together(kind, cache, 1)

        assert all(counts["module_hits"] + counts["module_misses"] >= 6 for counts in together)
        assert (after["module_misses"], after["kernel_misses"]) == (0, 0)
        assert after["helper_starts"] == 0
        leftovers = [path for path in cache.rglob("*") if "tmp" in path.suffix]
        assert leftovers == []
