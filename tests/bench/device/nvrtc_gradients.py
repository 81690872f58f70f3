# SPDX-License-Identifier: Apache-2.0
"""What NVRTC makes of the functions of random_gradients.py, run on the host: no GPU is needed.

    python tests/bench/device/nvrtc_gradients.py LIBNVRTC --first 5000 --programs 100

LIBNVRTC is libnvrtc.so of the wheel nvidia-cuda-nvrtc (-cu12), any version; its libnvrtc-builtins
lies beside it. Slang's CUDA is compiled to PTX, one function a module, that is turned into C++
(ptx_to_cpp.py), and reverse mode is compared with differences. Where NVRTC leaves calls, it is told
to inline them, which may hide a fault. Ends with 1 if a function is wrong; those whose PTX has an
unknown instruction are counted apart.
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
    static float points[16], results[@OUTPUTS@];
    FILE* file = fopen(arguments[1], "rb");
    if (!file || fread(points, 4, 16, file) != 16) return 3;
    const uint64_t pointers[2] = { (uint64_t)points, (uint64_t)results };
    memcpy(g_SLANG_globalParams, pointers, sizeof pointers);
    kernel();
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


def compute(seed: int, folder: Path, options: argparse.Namespace) -> tuple:
    """Return the function and its row, as gradient_host.compute does for several."""
    program = gradient_programs.draw(random.Random(seed), f"f{seed}")
    (folder / "source.slang").write_text(gradient_host.source_of([program]))
    translator = str(gradient_host.TRANSLATOR)
    gradient_host.run([translator, str(folder / "source.slang"), str(folder / "code.cu"), "cuda"])
    prelude, name, own = (folder / "code.cu").read_text().partition("struct GlobalParams_0")
    if options.as_slang_writes:
        own = re.sub(r' asm volatile\("" :: "l"\(&?\w+\)\);', "", own)
    words = [*OPTIONS, *options.option]
    ptx = compile_to_ptx(options.library, prelude + name + own, words)
    if re.search(r"^\.func", ptx, re.MULTILINE):
        own = re.sub(r"^__device__ (?=\w)", "__device__ __forceinline__ ", own, flags=re.MULTILINE)
        ptx = compile_to_ptx(options.library, prelude + name + own, words)
    text = ptx_to_cpp.translate(ptx) + MAIN.replace("@OUTPUTS@", str(gradient_host.OUTPUTS))
    (folder / "code.cpp").write_text(text)
    compiler = str(gradient_host.compiler())
    run = str(folder / "program")
    gradient_host.run([compiler, "-std=c++17", "-w", "-O0", str(folder / "code.cpp"), "-o", run])
    np.array(gradient_programs.point_of(0), np.float32).tofile(folder / "points")
    printed = gradient_host.run([run, str(folder / "points")])
    return program, np.array(printed.split(), float)


def check(seed: int, options: argparse.Namespace) -> tuple[list[str], int]:
    """Return what is wrong with a function, and 1 if it could not be tried."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            program, row = compute(seed, Path(folder), options)
        except ValueError as error:
            print(f"f{seed} was not tried: {error}", flush=True)
            return [], 1
        except RuntimeError as error:
            return [f"f{seed}: {error}"], 0
    return gradient_host.compare([program], row[None]), 0


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("library", metavar="LIBNVRTC")
    parser.add_argument("--first", type=int, default=5000, help="seed of the first function")
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--option", action="append", default=[], help="of NVRTC, repeatable")
    parser.add_argument(
        "--as-slang-writes", action="store_true", help="without the uses that keep copies apart"
    )
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.programs)
    bad = untried = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for wrong, left in pool.map(check, seeds, [options] * len(seeds)):
            for line in wrong:
                print(line.splitlines()[0], flush=True)
            bad, untried = bad + len(wrong), untried + left
    print(f"{len(seeds) - untried} functions compared, {bad} wrong, {untried} not tried")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
