# SPDX-License-Identifier: Apache-2.0
"""How a measured system talks to run.py: one JSON object a line, requests in and answers out.

The first line out says what the system runs on. Then each request is one of
    {"prepare": "add", "count": 1048576}    make the inputs, run once, check the result
    {"measure": 0.5, "batch": 100}          take samples for half a second
    {"release": true}                       free what prepare made
and each answer carries what was asked for or {"error": text}; {"unsupported": true} if the system
has no such operation.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from typing import TYPE_CHECKING, Any, Protocol

from bench.timing import measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.timing import Subject


class Unsupported(Exception):
    """The system has nothing that does this operation."""


class Cases(Protocol):
    """A system under test."""

    def describe(self) -> dict[str, Any]:
        """Return the device's name; Weft also its category and memory (bytes)."""

    def prepare(self, operation: str, count: int) -> Subject:
        """Make inputs and result, run once and check. Raises Unsupported, ArithmeticError."""


def private_output() -> Any:
    """Return a stream for answers; whatever libraries print goes to standard error from now on."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return stream


def attempt(action: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run an action; turn what it raises into an answer."""
    try:
        return action()
    except Unsupported:
        return {"unsupported": True}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


class Server:
    """Answers requests with one prepared subject at a time."""

    def __init__(self, cases: Cases) -> None:
        self._cases = cases
        self._subject: Subject | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out one request."""
        if "prepare" in request:
            self._subject = None
            self._subject = self._cases.prepare(request["prepare"], request["count"])
        elif "measure" in request:
            if self._subject is None:
                raise ValueError("measure: nothing was prepared; send 'prepare' first")
            seconds, samples = measure(self._subject, request["batch"], request["measure"])
            return {"seconds": seconds, "samples": samples}
        elif "release" in request:
            self._subject = None
            gc.collect()
        return {}


def serve(create: Callable[[], Cases]) -> None:
    """Answer requests on standard input until it ends, then leave without any clean-up."""
    output = private_output()

    def say(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=output, flush=True)

    servers: list[Server] = []

    def start() -> dict[str, Any]:
        cases = create()
        servers.append(Server(cases))
        return cases.describe()

    say(attempt(start))
    if servers:
        for line in sys.stdin:
            request = json.loads(line)
            say(attempt(lambda request=request: servers[0].answer(request)))
    os._exit(0)
