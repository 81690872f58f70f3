# SPDX-License-Identifier: Apache-2.0
"""What NVRTC makes of the functions of random_gradients.py, run on the host: no GPU is needed.

    python tests/bench/device/nvrtc_gradients.py LIBNVRTC --first 5000 --programs 100

LIBNVRTC is libnvrtc.so of the wheel nvidia-cuda-nvrtc (-cu12), any version; its libnvrtc-builtins
lies beside it. Slang's CUDA is compiled to PTX, that is turned into C++ (ptx_to_cpp.py), and
reverse mode is compared with differences. Ends with 1 if a function is wrong; those whose PTX has
an unknown instruction are counted apart.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import ctypes
import os
import random
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from support import gradient_host, gradient_programs, ptx_to_cpp

OPTIONS = ["--gpu-architecture=compute_90", "--std=c++17", "--device-as-default-execution-space",
           "--disable-warnings"]  # fmt: skip

MAIN = """
int main(int, char** arguments)
{
    static float points[16 * @FUNCTIONS@], results[@OUTPUTS@ * @FUNCTIONS@];
    FILE* file = fopen(arguments[1], "rb");
    if (!file || fread(points, 64, @FUNCTIONS@, file) != @FUNCTIONS@) return 3;
    const uint64_t pointers[2] = { (uint64_t)points, (uint64_t)results };
    memcpy(g_SLANG_globalParams, pointers, sizeof pointers);
    for (block_index = 0; block_index < @FUNCTIONS@; block_index++) kernel();
    for (float result : results) printf("%.9g\\n", result);
}
"""


def compile_to_ptx(library: str, source: str, options: list[str]) -> str:
    """Return PTX. Raises RuntimeError with NVRTC's log if it rejects the source."""
    for builtins in Path(library).parent.glob("libnvrtc-builtins.so*"):
        ctypes.CDLL(str(builtins), ctypes.RTLD_GLOBAL)
    nvrtc = ctypes.CDLL(library)
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None)
    words = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    status = nvrtc.nvrtcCompileProgram(program, len(options), words)
    what = "ProgramLog" if status else "PTX"
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, text)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if status:
        raise RuntimeError(f"NVRTC rejects the source:\n{text.value.decode()[:2000]}")
    return text.value.decode()


def compute(programs: list, folder: Path, options: argparse.Namespace) -> np.ndarray:
    """Return a row a function, as gradient_host.compute does."""
    (folder / "source.slang").write_text(gradient_host.source_of(programs))
    translator = str(gradient_host.TRANSLATOR)
    gradient_host.run([translator, str(folder / "source.slang"), str(folder / "code.cu"), "cuda"])
    source = (folder / "code.cu").read_text()
    if options.as_slang_writes:
        source = re.sub(r' asm volatile\("" :: "l"\(&?_S\d+\)\);', "", source)
    ptx = compile_to_ptx(options.library, source, [*OPTIONS, *options.option])
    main_text = MAIN.replace("@OUTPUTS@", str(gradient_host.OUTPUTS))
    text = ptx_to_cpp.translate(ptx) + main_text.replace("@FUNCTIONS@", str(len(programs)))
    (folder / "code.cpp").write_text(text)
    compiler = str(gradient_host.compiler())
    run = str(folder / "program")
    gradient_host.run([compiler, "-std=c++17", "-w", "-O0", str(folder / "code.cpp"), "-o", run])
    points = [gradient_programs.point_of(number) for number in range(len(programs))]
    np.array(points, np.float32).tofile(folder / "points")
    printed = gradient_host.run([run, str(folder / "points")])
    return np.array(printed.split(), float).reshape(len(programs), gradient_host.OUTPUTS)


def check(first: int, count: int, options: argparse.Namespace) -> tuple[list[str], int]:
    """Return what is wrong of some functions, and how many could not be tried."""
    seeds = range(first, first + count)
    programs = [gradient_programs.draw(random.Random(seed), f"f{seed}") for seed in seeds]
    with tempfile.TemporaryDirectory() as folder:
        try:
            rows = compute(programs, Path(folder), options)
        except ValueError as error:
            print(f"f{first} was not tried: {error}", flush=True)
            return [], count
        except RuntimeError as error:
            if count == 1:
                return [f"f{first}: {str(error).splitlines()[-1]}"], 0
            parts = [check(seed, 1, options) for seed in seeds]
            wrong = [line for lines, _ in parts for line in lines]
            alone = "" if wrong else f"f{first} to f{first + count - 1}, only together: {error}"
            return [*wrong, *([alone] if alone else [])], sum(left for _, left in parts)
    return gradient_host.compare(programs, rows), 0


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("library", metavar="LIBNVRTC")
    parser.add_argument("--first", type=int, default=5000, help="seed of the first function")
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--per-module", type=int, default=8, help="functions of one kernel")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--option", action="append", default=[], help="of NVRTC, repeatable")
    parser.add_argument(
        "--as-slang-writes", action="store_true", help="without the uses that keep copies apart"
    )
    options = parser.parse_args()
    end = options.first + options.programs
    starts = range(options.first, end, options.per_module)
    counts = [min(options.per_module, end - start) for start in starts]
    bad = untried = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for wrong, left in pool.map(check, starts, counts, [options] * len(counts)):
            for line in wrong:
                print(line.splitlines()[0], flush=True)
            bad, untried = bad + len(wrong), untried + left
    print(f"{options.programs - untried} functions compared, {bad} wrong, {untried} not tried")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
