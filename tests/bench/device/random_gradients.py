# SPDX-License-Identifier: Apache-2.0
"""Thousands of random functions, reverse (or forward) mode against differences, on one device.

    python tests/bench/device/random_gradients.py --programs 3000 --device cuda --jobs 12

Prints each function that is wrong, and one line of totals; the exit status is 1 if there was one.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import multiprocessing
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

PER_MODULE = 8


def check(
    kind: str, first: int, count: int, forward: bool
) -> tuple[int, list[str], list[str], list[int]]:
    """Return how many functions were compared, the wrong ones, those that do not compile.

    And the seeds of a module that lost the device, which are to be tried alone.
    """
    import weft
    from support import gradient_programs

    device = weft.create_device(type=weft.DeviceType[kind])
    programs = [
        gradient_programs.draw(random.Random(seed), f"f{seed}")
        for seed in range(first, first + count)
    ]
    compared, wrong, failed = 0, [], []
    pending = [programs]
    while pending:
        group = pending.pop()
        try:
            wrong += gradient_programs.find_wrong(device, group, forward=forward)
            compared += len(group)
        except weft.DeviceError as error:  # what lies outside memory ends the process's device
            waiting = [program.name for others in pending for program in others]
            lost = waiting + [program.name for program in group]
            if len(group) == 1:
                wrong.append(f"{group[0].name}: {error}\n{group[0].text}")
                lost = waiting
            return compared, wrong, failed, [int(name[1:]) for name in lost]
        except weft.CompileError as error:
            if len(group) == 1:
                failed.append(f"{group[0].name}: {error}\n{group[0].text}")
            else:
                pending += [group[: len(group) // 2], group[len(group) // 2 :]]
    device.close()
    return compared, wrong, failed, []


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=3000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first function")
    parser.add_argument("--device", default="vulkan", choices=("vulkan", "cuda"))
    parser.add_argument("--forward", action="store_true", help="forward instead of reverse mode")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--seconds", type=float, default=1e9, help="start no further module after this time"
    )
    options = parser.parse_args()
    start = time.monotonic()
    seeds = range(options.first, options.first + options.programs, PER_MODULE)
    compared, wrong, failed = 0, [], []
    fresh = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(
        options.jobs, mp_context=fresh, max_tasks_per_child=1
    ) as pool:

        def submit(first: int, count: int) -> concurrent.futures.Future:
            return pool.submit(check, options.device, first, count, options.forward)

        tasks = {submit(first, min(PER_MODULE, seeds.stop - first)) for first in seeds}
        while tasks:
            done, tasks = concurrent.futures.wait(
                tasks, return_when=concurrent.futures.FIRST_COMPLETED
            )
            for task in done:
                if task.cancelled():
                    continue
                count, bad, broken, lost = task.result()
                compared, wrong, failed = compared + count, wrong + bad, failed + broken
                for line in bad + broken:
                    print(line, flush=True)
                tasks |= {submit(seed, 1) for seed in lost}
            if time.monotonic() - start > options.seconds:
                for task in tasks:
                    task.cancel()
    mode = "forward" if options.forward else "reverse"
    print(
        f"{options.device}, {mode}: {compared} functions compared, {len(wrong)} wrong, "
        f"{len(failed)} do not compile, {time.monotonic() - start:.0f} s"
    )
    return int(bool(wrong or failed))


if __name__ == "__main__":
    sys.exit(main())
