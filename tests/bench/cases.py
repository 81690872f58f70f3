# SPDX-License-Identifier: Apache-2.0
"""The cases and their targets: what run.py measures and docs/performance.md explains."""

from __future__ import annotations

from dataclasses import dataclass

from bench.targets import Measure, Target

TIME, SPEED, BEYOND, SECONDS = Measure.TIME, Measure.SPEED, Measure.BEYOND, Measure.SECONDS
# Weft on Vulkan beside Weft on CUDA, where one run measures both.
AS_CUDA = Target("vulkan", SPEED, 0.9, "weft on cuda")
BOUND = Target("cuda", SPEED, 0.8, "bound")
# "plain" is the call without what makes it hard: gradient_problems.PLAIN.
EVERYWHERE = ("cuda", "vulkan", "software")


@dataclass(frozen=True)
class Case:
    """A call that is repeated in a process that stays.

    Attributes:
        name: What --only takes.
        title: What the table shows.
        operation: Key of bench.operations.
        count: Elements of the result.
        batch: Calls between two waits on a GPU; software devices wait after each unless the case is
            about calls that are not waited for.
        targets: Promises; a device of a category without one skips the case unless it is asked for.
        beside: Categories on which the case is measured without a promise.
    """

    name: str
    title: str
    operation: str
    count: int
    batch: int
    targets: tuple[Target, ...] = ()
    beside: tuple[str, ...] = ()

    def is_for(self, category: str) -> bool:
        """Whether the case is measured on such a device by default."""
        return category in self.beside or any(
            target.category == category for target in self.targets
        )

    def batch_for(self, category: str) -> int:
        """Calls between two waits."""
        return 1 if category == "software" and self.count > 1 else self.batch


CASES = (
    Case("add_2^20", "add, 2^20 floats", "add", 1 << 20, 200,
         (Target("cuda", TIME, 1.2, "torch"), Target("software", TIME, 0.2, "slangpy"), AS_CUDA)),
    Case("add_2^26", "add, 2^26 floats", "add", 1 << 26, 20,
         (Target("cuda", SPEED, 0.95, "torch"), AS_CUDA)),
    Case("add_2^28", "add, 2^28 floats", "add", 1 << 28, 5,
         (Target("cuda", SPEED, 0.95, "torch"), AS_CUDA)),
    Case("flops_2^26", "200 flops, 2^26 floats", "flops", 1 << 26, 20,
         (Target("cuda", TIME, 1.05, "hand"), AS_CUDA), beside=("vulkan",)),
    Case("broadcast", "row + column, 8192 x 8192", "broadcast", 1 << 26, 20, (BOUND, AS_CUDA)),
    Case("structure", "struct of two float3, 2^24", "structure", 1 << 24, 20, (BOUND, AS_CUDA)),
    Case("transposed", "transposed + plain, 8192 x 8192", "transposed", 1 << 26, 20,
         (Target("cuda", SPEED, 1.0, "torch"), AS_CUDA)),
    Case("call", "one-element call, amortised", "call", 1, 1000,
         (Target("cuda", TIME, 1.1, "torch"), Target("vulkan", SECONDS, 6e-6)),
         beside=("software",)),
    Case("submit", "one-element call + submit", "submit", 1, 10,
         (Target("software", TIME, 1.0, "slangpy"),)),
    Case("scalar", "add(float, float) -> float", "scalar", 1, 20,
         (Target("cuda", TIME, 1 / 3, "slangpy"), Target("vulkan", TIME, 0.1, "slangpy")),
         beside=("software",)),
    Case("bwds_2^20", "polynomial.bwds, 2^20", "bwds", 1 << 20, 100,
         (Target("software", TIME, 0.2, "slangpy"),)),
    Case("bwds_shared_2^20", "the same + gradient of one number", "bwds_shared", 1 << 20, 100,
         (Target("software", TIME, 0.2, "slangpy"),)),
    Case("bwds_2^22", "polynomial.bwds, 2^22", "bwds", 1 << 22, 100,
         (Target("cuda", TIME, 1.2, "bound"), AS_CUDA)),
    Case("bwds_shared_2^22", "the same + gradient of one number", "bwds_shared", 1 << 22, 50,
         (Target("cuda", TIME, 1.3, "plain"), AS_CUDA)),
    Case("bwds_row", "the same + gradient of a row, 512 x 8192", "bwds_row", 1 << 22, 50,
         beside=EVERYWHERE),
    Case("bwds_column", "the same + gradient of a column, 8192 x 512", "bwds_column", 1 << 22, 50,
         beside=EVERYWHERE),
    Case("gather_random", "gradient of 256 entries, random, 2^22", "gather_random", 1 << 22, 50,
         (Target("cuda", TIME, 3.0, "bound"), AS_CUDA), beside=("software",)),
    Case("gather_one", "gradient of 256 entries, all the same, 2^22", "gather_one", 1 << 22, 50,
         (Target("cuda", TIME, 1.5, "bound"), AS_CUDA), beside=("software",)),
    Case("bwds_deterministic", "polynomial + one number, deterministic", "bwds_deterministic",
         1 << 22, 20, beside=EVERYWHERE),
    Case("gather_deterministic", "256 entries, random, deterministic", "gather_deterministic",
         1 << 22, 20, beside=EVERYWHERE),
    Case("bwds_call", "one-element bwds beside its forward call", "bwds_call", 1, 1000,
         (Target("cuda", TIME, 1.3, "plain"), Target("vulkan", TIME, 1.3, "plain"))),
    Case("bwds_submit", "the same + submit, host only", "bwds_submit", 1, 10,
         (Target("software", TIME, 1.3, "plain"),)),
    Case("adam_2^24", "Adam step, 2^24 parameters", "adam", 1 << 24, 20,
         (Target("cuda", SPEED, 0.9, "bound"), AS_CUDA)),
    Case("adam_2^22", "Adam step, 2^22 parameters", "adam", 1 << 22, 20, beside=("software",)),
)  # fmt: skip


@dataclass(frozen=True)
class StartCase:
    """Something that needs a fresh process for every sample."""

    name: str
    title: str
    targets: tuple[Target, ...]


def everywhere(measure: Measure, bound: float, reference: str) -> tuple[Target, ...]:
    """Return the same promise for every category."""
    return tuple(Target(name, measure, bound, reference) for name in ("cuda", "vulkan", "software"))


START_CASES = (
    StartCase("cold", "device + module + first call, no caches", everywhere(TIME, 0.5, "slangpy")),
    StartCase("warm", "the same with warm caches", everywhere(BEYOND, 0.15, "driver")),
    StartCase("import", "import of numpy and weft", everywhere(BEYOND, 0.04, "numpy")),
)
