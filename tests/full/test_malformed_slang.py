# SPDX-License-Identifier: Apache-2.0
"""Real sources, damaged at random: each is a module or an error, never the end of the process."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import weft
from conftest import KINDS

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]

MUTANTS = 1000
SEED = 20260
PACKAGE = Path(weft.__file__).parent
TESTS = Path(__file__).resolve().parents[1]
TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
FRAGMENTS = (
    *("(", ")", "{", "}", "[", "]", "<", ">", ";", ",", "#", '"', "'", "\\", "/*", "//", "\0"),
    *("struct", "interface", "extension", "import", "__include", "module", "public", "in", "inout"),
    *("float", "float4x4", "int8_t", "void", "This", "where", "no_diff", "[Differentiable]", "let"),
    *(
        "0",
        "-1",
        "1e400",
        "0x",
        "18446744073709551616",
        "0.0h",
        "\u00e9",
        "\ufeff",
        "#include",
        "$",
    ),
    *("Tensor<float, 99>", "NDBuffer<void, 1>", "vector<float, 0>", "fwd_diff", "each T", "::"),
)


USER_SOURCE = """
import slangpy;

/// A particle.
struct Particle
{
    float3 position;
    float mass = 1;
    [Differentiable] float energy(float3 velocity) { return 0.5f * mass * dot(velocity, velocity); }
    [mutating] void move(float3 by) { position += by; }
};
enum Shape : int { sphere, box = 4 };
interface IShade { float shade(float x); };
struct Flat : IShade { float level; float shade(float x) { return level + x; } };
extern static const int kSteps = 4;
uniform float gain;

[Differentiable]
float lerped(float a, float b, no_diff float t = 0.5f) { return a + (b - a) * t; }
float2 split(float x, out int whole, inout float rest) { whole = int(x); rest += x; return x; }
T largest<T : IComparable, let N : int>(T values[N])
{
    T best = values[0];
    for (int i = 1; i < N; ++i)
        if (best < values[i])
            best = values[i];
    return best;
}
float total(ITensor<float, 1> values, IRWTensor<float, 1> sums)
{
    float sum = 0;
    [MaxIters(kSteps)] for (uint i = 0; i < values.shape[0]; ++i) sum += values[i] * gain;
    sums[0] = sum;
    return sum;
}
float shaded(IShade shade, float x) { return shade.shade(x); }
int kind(Shape shape) { switch (shape) { case Shape::box: return 1; default: return 0; } }
[shader("compute")] [numthreads(8, 1, 1)]
void bump(uint3 at : SV_DispatchThreadID, RWTensor<float, 1> x) { x[at.x] += 1; }
"""


def sources() -> list[str]:
    """Sources as users write them, often; Weft's own, sometimes."""
    own = [file.read_text() for file in sorted((PACKAGE / "shaders" / "weft").glob("*.slang"))]
    files = [
        *sorted((PACKAGE / "shaders" / "demo").glob("*.slang")),
        *sorted((PACKAGE / "node_templates").rglob("*.slang")),
        *sorted((TESTS / "shaders").glob("*.slang")),
        TESTS / "bench" / "functions.slang",
    ]
    users = [USER_SOURCE, *(file.read_text() for file in files)]
    assert len(own) > 10
    return own + users * (3 * len(own) // len(users)) + [USER_SOURCE] * len(own)


def mutate(rng: random.Random, texts: list[str]) -> str:
    """One to six edits of a source: cut, double, swap, replace, insert, splice, truncate."""
    tokens = TOKEN.findall(rng.choice(texts))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        match rng.randrange(8):
            case 0:
                del tokens[at : at + rng.randint(1, 8)]
            case 1:
                tokens[at:at] = tokens[other : other + rng.randint(1, 30)]
            case 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 3:
                tokens[at] = rng.choice(FRAGMENTS)
            case 4:
                tokens.insert(at, rng.choice(FRAGMENTS))
            case 5:
                donor = TOKEN.findall(rng.choice(texts))
                cut = rng.randrange(len(donor))
                tokens[at:at] = donor[cut : cut + rng.randint(1, 60)]
            case 6:
                tokens[at] = tokens[at] * rng.choice((2, 3, 500))
            case _:
                if rng.random() < 0.2:
                    tokens = tokens[: at + 1]
        if not tokens:
            tokens = [" "]
    return "".join(tokens)


def runs_over_elements(function) -> bool:
    """Whether no elements mean no threads."""
    kinds = {parameter.type.kind for parameter in function.parameters}
    return bool(kinds) and kinds <= {weft.TypeKind.scalar, weft.TypeKind.structure}


def compile_everything(module) -> Counter:
    """Call functions over no elements at all: their kernels are compiled but nothing runs.

    What a damaged kernel would do on a device is not the compiler's business; on software Vulkan it
    may well end the process.
    """
    outcomes = Counter()
    nothing = {"float": np.float32, "bool": np.uint8}
    for info in [info for info in module.functions if runs_over_elements(info)][:4]:
        arguments = [
            np.zeros(0, nothing.get(parameter.type.name, np.int32)) for parameter in info.parameters
        ]
        try:
            getattr(module, info.name)(*arguments)
            outcomes["compiled"] += 1
        except (weft.ArgumentError, weft.CompileError) as error:
            outcomes[f"call: {type(error).__name__}"] += 1
    return outcomes


def outcome_of(device, text: str) -> Counter:
    """Load a mutant; whatever is wrong with it is said with the module's name."""
    try:
        module = weft.Module.load_from_source(device, "mutant", text)
    except (weft.CompileError, weft.ArgumentError) as error:
        message = str(error)
        named = [type(error).__name__]
        if isinstance(error, weft.CompileError) and not error.diagnostics:
            named.append("without diagnostics")
    else:
        return Counter(["loaded"]) + compile_everything(module)
    assert "mutant" in message
    return Counter(named)


@pytest.mark.parametrize("kind", KINDS[:1])
def test_damaged_sources_cost_an_error_at_most(kind, record_property):
    rng = random.Random(SEED)
    texts = sources()
    outcomes = Counter()
    with weft.create_device(type=weft.DeviceType[kind]) as device:
        for index in range(MUTANTS):
            outcomes += outcome_of(device, mutate(rng, texts))
            if index % 100 == 99:
                harmless = weft.Module.load_from_source(
                    device, "harmless", f"float f(float x) {{ return x + {index}; }}"
                )
                assert harmless.f(1.0) == index + 1
        starts = device.compiler_statistics["helper_starts"]
    record_property("mutants", MUTANTS)
    record_property("starts of the compiler", starts)
    for name, count in outcomes.items():
        record_property(name, count)
    assert outcomes["loaded"] > 0
    assert outcomes["CompileError"] > 0
