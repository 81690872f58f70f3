# SPDX-License-Identifier: Apache-2.0
"""What torch.compile reads of a call: the operator of torch that stands for it.

Imported by the native module while it starts, so it imports nothing of Weft by itself. Calls that
run do not come here.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft._native import Function


def call(self: Function, *args: object, **kwargs: object) -> Any:  # noqa: ANN401
    """Call the function."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.compiler.is_compiling():
        from weft.torch.traced import call_traced

        return call_traced(self, args, kwargs)
    return self.call(*args, **kwargs)
