# SPDX-License-Identifier: Apache-2.0
"""The programs that ./dev bench starts, run once each on software or real Vulkan."""

from __future__ import annotations

import sys

import pytest

from bench import gradient_problems
from bench.measuring import cache_variables
from bench.systems import System, fresh

CALLS = [("call", 1), ("submit", 1), ("scalar", 1), ("bwds_call", 1), ("bwds_submit", 1)]
ARRAYS = [(name, 64 * 64) for name in ("add", "flops", "broadcast", "structure", "transposed")]
GRADIENTS = [
    (name, 1 << 15)
    for name in (
        "bwds",
        "bwds_shared",
        "bwds_row",
        "bwds_column",
        "gather_random",
        "gather_one",
        "bwds_deterministic",
        "gather_deterministic",
        "adam",
    )
]
KNOWN = {
    "hand": {"add", "flops", "bwds", "gather_random", "gather_one"},
    "plain": set(gradient_problems.PLAIN),
}


@pytest.fixture(scope="module", params=["weft", *KNOWN])
def worker(request):
    options = () if request.param == "weft" else (request.param,)
    system = System("weft", [sys.executable, "-m", "bench.weft_cases", "vulkan", *options])
    yield system, KNOWN.get(request.param)
    system.stop()


@pytest.mark.slow
@pytest.mark.parametrize(("operation", "count"), CALLS + ARRAYS + GRADIENTS)
def test_weft_gives_the_right_result_in_every_case(worker, operation: str, count: int) -> None:
    system, known = worker

    answer = system.ask(prepare=operation, count=count)

    if known is not None and operation not in known:
        assert answer == {"unsupported": True}
        return
    assert answer == {}
    assert system.ask(measure=0.0, batch=2)["seconds"] > 0.0


@pytest.mark.slow
def test_the_first_call_of_a_fresh_process_is_timed_with_and_without_caches(tmp_path) -> None:
    variables = cache_variables(tmp_path)
    program = ["-m", "bench.first_call", "weft", "vulkan"]

    cold, warm = (
        fresh(sys.executable, program, variables),
        fresh(sys.executable, program, variables),
    )

    assert any((tmp_path / "weft_cache_dir").iterdir())
    assert cold["seconds"] > 0.0
    assert warm["seconds"] > 0.0


def test_the_bare_driver_starts_without_weft() -> None:
    assert fresh(sys.executable, ["-m", "bench.bare_driver", "vulkan"])["seconds"] > 0.0


def test_the_import_of_weft_is_timed_apart_from_numpy_and_leaves_torch_alone() -> None:
    times = fresh(sys.executable, ["-m", "bench.import_time"])

    assert set(times) == {"numpy", "weft"}
    assert min(times.values()) > 0.0
