# SPDX-License-Identifier: Apache-2.0
"""What EEVEE cannot do with a tree of nodes that Cycles renders.

Measured on Mesa's llvmpipe, in Blender 4.5.15 and 5.2.3. The time to compile a material grows with
the square of the nodes: 1,400 take 1 s of a core, 2,800 5 s, 5,600 20 s, 7,900 33 s; 11,200 did not
end in 8 minutes in 5.2. All numbers of sockets without links, hidden ones included, lie in one
block on the GPU, which is drawn wrong without a word to the person when it is too large; in 5.2
3,000 Mix nodes were taken.
"""

from __future__ import annotations

from typing import Any

MAX_NODES = 5_000
MAX_BYTES = 65_536
FIRST_WITHOUT_BLOCK = (5, 2)
_BYTES_OF_A_LINK = 4
_BYTES = {
    "ShaderNodeMath": 12,
    "ShaderNodeClamp": 12,
    "ShaderNodeCombineXYZ": 12,
    "ShaderNodeMix": 84,
}


def eevee_warnings(tree: dict[str, Any]) -> tuple[str, ...]:
    """Return a sentence for each limit that a tree, as JSON has it, lies beyond."""
    if tree["tree"] != "ShaderNodeTree":
        return ()
    nodes = tree["nodes"]
    found = []
    if len(nodes) > MAX_NODES:
        found.append(
            f"EEVEE needs long to compile {len(nodes) - 1:,} nodes, 20 s and more above "
            f"{MAX_NODES:,}; give loops fewer rounds, or render with Cycles"
        )
    size = sum(_bytes_of(node) for node in nodes)
    if tuple(tree["blender"]) < FIRST_WITHOUT_BLOCK and size > MAX_BYTES:
        found.append(
            f"EEVEE draws the material wrong: the numbers of its nodes take about {size:,} bytes, "
            f"and GPUs hold {MAX_BYTES:,}; give loops fewer rounds, or render with Cycles"
        )
    return tuple(found)


def _bytes_of(node: dict[str, Any]) -> int:
    links = sum(isinstance(value, dict) for value in node["inputs"].values())
    return max(0, _BYTES.get(node["type"], 0) - _BYTES_OF_A_LINK * links)
