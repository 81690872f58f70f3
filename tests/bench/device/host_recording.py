# SPDX-License-Identifier: Apache-2.0
"""Which recording kernel of SlangTorch's host functions ends the driver's compiler.

``python host_recording.py [vulkan] [cuda]`` makes small kernels that record as
shaders/compat/slangtorch/host.slang does and as it did before, each in a process of its own, and
prints a line each: ok, wrong (what was recorded), or the signal that ended it. A suspect is what
turns ok into a signal. The last lines are host functions of weft.slangtorch as it is. The exit
status counts the variations of today's form that fail.
"""

from __future__ import annotations

import concurrent.futures
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import weft
from weft import slangtorch

SECONDS = 25
WORDS = 64

SOURCE = """
#define INDEXED 0    // *(T*)(tape + word), before
#define ADDRESS 1    // *(T*)(address + 4 * word), as host.slang has it
#define BY_WORD 2    // no cast of a pointer
#define LOOP 0       // arrays indexed in loops, before
#define UNROLLED 1   // as host.slang has it
#define NO_ARRAY 2

static uint* tape = nullptr;
static uint tapeWords = 0;

void putWord(uint word)
{
    if (tape[0] < tapeWords)
        tape[tape[0]] = word;
    tape[0] += 1;
}

void putValue<T>(T value)
{
    const uint words = uint((sizeof(T) + 3) / 4);
#if EVEN
    tape[0] += tape[0] & 1;
#endif
    if (tape[0] + words <= tapeWords)
    {
#if CAST == INDEXED
        *(T*)(tape + tape[0]) = value;
#else
        *(T*)(uint64_t(tape) + 4 * uint64_t(tape[0])) = value;
#endif
    }
    tape[0] += words;
}

void putVector(float3 value)
{
#if CAST == BY_WORD
    for (int k = 0; k < 3; ++k)
        putWord(asuint(value[k]));
#else
    putValue(value);
#endif
}

struct Sizes
{
    uint sizes[5];
    uint strides[5];
}

Sizes make(uint rank, uint sizes[5])
{
    Sizes made = {};
    uint bytes = 4;
#if ARRAYS == LOOP
    for (int k = 4; k >= 0; --k)
    {
        made.sizes[k] = k < int(rank) ? sizes[k] : 1;
        made.strides[k] = k < int(rank) ? bytes : 0;
        bytes *= made.sizes[k];
    }
    for (uint k = 0; k < rank; ++k)
        putWord(sizes[k]);
#else
    [ForceUnroll]
    for (int k = 4; k >= 0; --k)
    {
        made.sizes[k] = k < int(rank) ? sizes[k] : 1;
        made.strides[k] = k < int(rank) ? bytes : 0;
        bytes *= made.sizes[k];
    }
    [ForceUnroll]
    for (uint k = 0; k < 5; ++k)
        if (k < rank)
            putWord(sizes[k]);
#endif
    return made;
}

Sizes allocate(uint rank, uint sizes[5])
{
    uint all[5] = sizes;
    all[rank] = 3;
    return make(rank + 1, all);
}

uint record(uint* memory, uint words, uint size, float3 color)
{
    tape = memory;
    tapeWords = words;
    tape[0] = 1;
    uint total = 0;
#if ARRAYS != NO_ARRAY
    const Sizes made = allocate(1, {SIZE, 0, 0, 0, 0});
    total = made.sizes[0] + 100 * made.strides[0];
#endif
#if VALUES
    putVector(color);
#endif
    return total;
}
"""

MEANINGS = {
    "CAST": ("INDEXED", "ADDRESS", "BY_WORD"),
    "ARRAYS": ("LOOP", "UNROLLED", "NO_ARRAY"),
}


@dataclass(frozen=True)
class Variation:
    """A kernel: which suspects it has.

    Args:
        name: That is printed.
        defines: Macros of SOURCE; none for a host function of weft.slangtorch.
        is_today: Whether it is a form that Weft has now and must be right.
    """

    name: str
    defines: dict[str, str]
    is_today: bool = False


def variations() -> list[Variation]:
    """Return all, the suspects together first, then fewer of them."""
    plain = {"EVEN": "1", "VALUES": "1", "SIZE": "4"}
    made = []
    for arrays in MEANINGS["ARRAYS"]:
        for cast in MEANINGS["CAST"]:
            defines = {**plain, "ARRAYS": arrays, "CAST": cast}
            made.append(
                Variation(f"{arrays} {cast}", defines, (arrays, cast) == ("UNROLLED", "ADDRESS"))
            )
    old = {**plain, "ARRAYS": "LOOP", "CAST": "INDEXED"}
    made += [
        Variation("LOOP INDEXED, sizes not constant", {**old, "SIZE": "size"}),
        Variation("LOOP INDEXED, any word", {**old, "EVEN": "0"}),
        Variation("LOOP, no values", {**old, "VALUES": "0"}),
        *(Variation(f"host function: {name}", {}, True) for name in HOST_FUNCTIONS),
    ]
    return made


HOST_SOURCE = """
struct Found { TorchTensor<float> tensors[2]; float area; int2 sizes; }

[CudaKernel]
void fill(TensorView<float3> t, float3 color, int2 steps, bool isOn)
{
    let i = cudaThreadIdx().x;
    t[i] = isOn ? color * float(steps.x + steps.y * int(i)) : float3(0);
}

[TorchEntryPoint]
TorchTensor<float3> allocated() { return TorchTensor<float3>.alloc(4); }

[TorchEntryPoint]
TorchTensor<float3> filled(float3 color)
{
    var colors = TorchTensor<float3>.alloc(4);
    colors.fillValue(color);
    return colors;
}

[TorchEntryPoint]
TorchTensor<float3> painted(float3 color)
{
    var colors = TorchTensor<float3>.alloc(4);
    __dispatch_kernel(fill, uint3(1, 1, 1), uint3(4, 1, 1))(colors, color, int2(1, 2), true);
    return colors;
}

[TorchEntryPoint]
Found structures(TorchTensor<float> input)
{
    Found found;
    found.tensors[0] = input;
    found.tensors[1] = TorchTensor<float>.alloc(2, 3);
    if (input.dims() == 2)
        found.tensors[1].fillZero();
    found.area = input.size(0) * input.stride(0);
    found.sizes = int2(int(input.dims()), 3);
    return found;
}
"""

HOST_FUNCTIONS = ("allocated", "filled", "painted", "structures")


def run_one(device: weft.Device, variation: Variation) -> bool:
    """Make and run a kernel; return whether it recorded what it should."""
    color = [1.0, 2.0, 3.0]
    if not variation.defines:
        return run_host_function(device, variation.name.rsplit(" ", 1)[1], color)
    module = weft.Module.load_from_source(
        device, "host_recording", "".join(
            f"#define {name} {value}\n" for name, value in variation.defines.items()
        ) + SOURCE,
    )  # fmt: skip
    tape = weft.Tensor.zeros(device, (WORDS,), dtype=weft.uint)
    total = module.record(tape, WORDS, 4, color)
    defines = variation.defines
    words = [] if defines["ARRAYS"] == "NO_ARRAY" else [4, 3]
    if defines["VALUES"] == "1":
        by_word = defines["CAST"] == "BY_WORD"
        if defines["EVEN"] == "1" and not by_word and len(words) % 2 == 0:
            words.append(0)
        words += np.array(color, np.float32).view(np.uint32).tolist()
    found = tape.to_numpy().tolist()
    wanted_total = 1204 if defines["ARRAYS"] != "NO_ARRAY" else 0
    return total == wanted_total and found[: len(words) + 1] == [len(words) + 1, *words]


def run_host_function(device: weft.Device, name: str, color: list[float]) -> bool:
    """Call a host function of HOST_SOURCE; return whether its result is right."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "host_recording.slang"
        path.write_text(HOST_SOURCE)
        module = slangtorch.loadModule(path, device=device)
        if name == "allocated":
            return bool(module.allocated().shape == (4, 3))
        if name == "structures":
            (tensors, area, sizes) = module.structures(np.ones((4, 4), np.float32))
            return bool(not tensors[1].any() and area == 64 and list(sizes) == [2, 3])
        found = getattr(module, name)(color)
        steps = (1, 3, 5, 7) if name == "painted" else (1, 1, 1, 1)
        return bool(np.array_equal(found, np.outer(steps, color)))


def child(kind: str, number: int) -> int:
    """Run one variation; return 0 if it is right."""
    device = weft.create_device(type=getattr(weft.DeviceType, kind))
    return 0 if run_one(device, variations()[number]) else 3


def outcome(kind: str, number: int) -> str:
    """Run a variation in a process of its own and say how it ended."""
    with tempfile.TemporaryDirectory() as cache:  # nothing that a cache has: pipelines are made
        try:
            done = subprocess.run(
                [sys.executable, __file__, "--one", kind, str(number)],
                capture_output=True, text=True, timeout=SECONDS, check=False,
                env={**os.environ, "WEFT_CACHE_DIR": cache},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"not done after {SECONDS} s"
    if done.returncode < 0:
        return signal.Signals(-done.returncode).name
    last = (done.stderr.strip().splitlines() or ["error"])[-1]
    return {0: "ok", 3: "wrong"}.get(done.returncode, last)


def main(kinds: list[str]) -> int:
    """Run all variations on devices of these kinds; return how many of today's fail."""
    start, failed = time.perf_counter(), 0
    jobs = max(1, min(16, os.cpu_count() or 1))
    for kind in kinds:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            all_of_them = variations()
            found = pool.map(outcome, [kind] * len(all_of_them), range(len(all_of_them)))
            for variation, ended in zip(all_of_them, found, strict=True):
                print(f"{kind:8} {variation.name:40} {ended}", flush=True)
                failed += variation.is_today and ended != "ok"
    print(f"{time.perf_counter() - start:.1f} s")
    return failed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        sys.exit(child(sys.argv[2], int(sys.argv[3])))
    sys.exit(main(sys.argv[1:] or ["vulkan"]))
