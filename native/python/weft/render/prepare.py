# SPDX-License-Identifier: Apache-2.0
"""Kernels compiled side by side, before the first of them is needed."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft._native import _Cancellation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._native import Function
    from weft.render.interrupt import Interrupt

STEP = 0.05  # seconds between two looks whether the kernels are still wanted


@dataclass
class Compiling:
    """How many kernels of those that are wanted together are compiled.

    Args:
        done: So far.
        total: Of them.
    """

    done: int = 0
    total: int = 0


def compile_together(
    calls: Sequence[tuple[Function, Sequence[Any]]],
    interrupt: Interrupt | None = None,
    compiling: Compiling | None = None,
) -> None:
    """Compile the kernels of calls that will come, on all cores.

    Args:
        calls: Functions and what they will be called with; of tensors, kinds and dtypes matter.
        interrupt: Ends the wait; the compilation under way goes on in its own process.
        compiling: Told how far it is.

    Raises:
        CompileError: One of them does not compile.
        DrawInterrupted: The interrupt says so.
    """
    count = Compiling() if compiling is None else compiling
    count.done, count.total = 0, len(calls)
    waiting = list(reversed(calls))
    errors: list[BaseException] = []
    cancellation = _Cancellation()

    def compile_waiting() -> None:
        with cancellation:
            while not errors:
                try:
                    function, arguments = waiting.pop()
                except IndexError:
                    return
                try:
                    # Describing how a call runs compiles it, and lets other threads run meanwhile.
                    function.explain(*arguments)
                    count.done += 1
                except BaseException as error:
                    errors.append(error)

    # No ThreadPoolExecutor: Python would wait for its threads when the host is left.
    width = min(os.cpu_count() or 1, len(calls))
    threads = [threading.Thread(target=compile_waiting, daemon=True) for _ in range(width)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(STEP)
                if interrupt is not None:
                    interrupt.check()
    except BaseException:
        cancellation.cancel()  # signals reach only the main thread, events only this one
        raise
    finally:
        count.done = count.total
    if errors:
        raise errors[0]
