# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest

from bench.cases import CASES, START_CASES
from bench.measuring import DeviceRun, Outcome, add_bound, add_other_device
from bench.report import as_data, misses, text_report

CASE = {case.name: case for case in (*CASES, *START_CASES)}


def device_run(category: str, *outcomes: Outcome) -> DeviceRun:
    return DeviceRun(category, category, {"weft": "a device"}, list(outcomes))


def test_the_table_shows_times_bandwidth_and_verdict() -> None:
    outcome = Outcome(
        CASE["add_2^26"], {"weft": [2e-4], "torch": [1.9e-4]}, bytes_moved=800_000_000
    )

    text = text_report(device_run("cuda", outcome))

    (row,) = (line for line in text.splitlines() if line.startswith("| add"))
    assert [cell.strip() for cell in row.split("|")[1:-1]] == [
        "add, 2^26 floats", "200 us", "190 us", "4000", "speed >= 0.95 of torch", "0.95", "pass",
    ]  # fmt: skip


def test_a_miss_is_listed_with_its_value() -> None:
    outcome = Outcome(CASE["cold"], {"weft": [2.0], "slangpy": [2.5]})

    assert misses(device_run("software", outcome)) == [
        "software, device + module + first call, no caches: time <= 0.5 of slangpy, got 0.80"
    ]


def test_a_case_that_fails_in_weft_is_a_miss_and_says_why() -> None:
    outcome = Outcome(CASE["scalar"], {"slangpy": [1e-5]}, {"weft": "DeviceError: lost"})
    run = device_run("cuda", outcome)

    assert len(misses(run)) == 1
    assert "weft, add(float, float) -> float: DeviceError: lost" in text_report(run)


def test_the_bound_is_the_best_bandwidth_of_any_system_in_add() -> None:
    add = Outcome(CASE["add_2^26"], {"weft": [2.0], "hand": [1.0]}, bytes_moved=100)
    broadcast = Outcome(CASE["broadcast"], {"weft": [0.5]}, bytes_moved=40)

    add_bound(device_run("cuda", add, broadcast))

    assert broadcast.rounds["bound"] == [pytest.approx(0.4)]


def test_a_backward_call_is_set_against_the_call_without_what_makes_it_hard() -> None:
    shared = Outcome(CASE["bwds_shared_2^22"], {"weft": [1.4e-5], "plain": [1e-5]})

    assert misses(device_run("cuda", shared)) == [
        "cuda, the same + gradient of one number: time <= 1.3 of plain, got 1.40"
    ]


def test_a_vulkan_gpu_is_set_against_cuda_of_the_same_run() -> None:
    cuda = device_run("cuda", Outcome(CASE["add_2^26"], {"weft": [1.0]}))
    vulkan = device_run("vulkan", Outcome(CASE["add_2^26"], {"weft": [1.25]}))

    add_other_device(vulkan, [cuda])

    assert misses(vulkan) == ["vulkan, add, 2^26 floats: speed >= 0.9 of weft on cuda, got 0.80"]


def test_software_vulkan_is_not_set_against_cuda() -> None:
    cuda = device_run("cuda", Outcome(CASE["add_2^20"], {"weft": [1.0]}))
    software = device_run("software", Outcome(CASE["add_2^20"], {"weft": [100.0]}))

    add_other_device(software, [cuda])

    assert "weft on cuda" not in software.outcomes[0].rounds


def test_the_data_survive_a_round_trip_through_json() -> None:
    outcome = Outcome(CASE["call"], {"weft": [4e-6], "torch": [4e-6]})

    data = json.loads(json.dumps(as_data(device_run("cuda", outcome))))

    assert data["cases"][0]["seconds"]["weft"] == [4e-6]
    assert data["cases"][0]["targets"][0]["verdict"] == "pass"


@pytest.mark.parametrize("category", ["cuda", "vulkan", "software"])
def test_every_category_of_device_has_targets(category: str) -> None:
    promised = [
        case.name for case in (*CASES, *START_CASES) for t in case.targets if t.category == category
    ]

    assert {"add_2^20", "cold", "warm", "import"} <= set(promised)
