# SPDX-License-Identifier: Apache-2.0
"""Saved states of optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def owner_of_state(state: Mapping[str, Any]) -> str:
    """Return the optimizer that a state is of; the release before spelled its key otherwise."""
    return str(state["optimizer"] if "optimizer" in state else state.get("optimiser"))
