# SPDX-License-Identifier: Apache-2.0
"""Measures Weft and, in the same run, what it is compared with. Start reading at cases.py.

Every system lives in its own process and may have its own Python (--slangpy-python,
--torch-python). Within a case the systems take turns, and ratios are taken turn by turn, so that a
machine whose speed drifts still gives a fair answer.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.cases import CASES, START_CASES
from bench.measuring import DeviceRun, Settings, run_device, say
from bench.report import finish
from bench.systems import SystemFailed


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    names = [case.name for case in (*CASES, *START_CASES)]
    parser = argparse.ArgumentParser(
        prog="./dev bench", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--device", choices=("vulkan", "cuda"), help="one device; default: all that start"
    )
    parser.add_argument("--only", action="append", default=[], choices=names, metavar="NAME",
                        help=f"a case, repeatable: {', '.join(names)}")  # fmt: skip
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write every sample there as well"
    )
    parser.add_argument(
        "--quick", action="store_true", help="one short round: shows that all works, no more"
    )
    parser.add_argument("--strict", action="store_true", help="status 1 if a target is missed")
    for system in ("slangpy", "torch"):
        parser.add_argument(f"--{system}-python", default=sys.executable, metavar="PYTHON",
                            help=f"interpreter that has {system}; default: this one")  # fmt: skip
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print one table a device, and return the exit status."""
    options = parse(arguments)
    settings = Settings(
        only=frozenset(options.only),
        is_quick=options.quick,
        weft_python=sys.executable,
        slangpy_python=options.slangpy_python,
        torch_python=options.torch_python,
    )
    runs: list[DeviceRun] = []
    for device in (options.device,) if options.device else ("cuda", "vulkan"):
        try:
            runs.append(run_device(device, settings, runs))
        except SystemFailed as error:
            say(f"{device} is not measured: {error}")
    return finish(runs, options.json, is_strict=options.strict)


if __name__ == "__main__":
    sys.exit(main())
