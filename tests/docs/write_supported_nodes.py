# SPDX-License-Identifier: Apache-2.0
"""Write ``docs/supported_nodes.md`` from the table of nodes.

Run it from the repository's root after a change of the table:

    ./dev python tests/docs/write_supported_nodes.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "supported_nodes.md"

HEAD = """# Blender's shader nodes

What becomes of a material's nodes. A node that is not in the first table is named among the
problems of the material, with its place in the graph and with what is used instead: an unknown
number leaves the socket that it drives at its own value, an unknown shader is a Diffuse BSDF of its
first colour. Functions equal Cycles 5.0.1 within 2e-5 of their size
(`tests/shaders/test_nodes_cycles.py`); [the rendering model](rendering_model.md) says how close
shaders are.

Groups of any depth, reroutes, menu switches, bundles, muted nodes and links count as in Cycles.
This page is written by `tests/docs/write_supported_nodes.py`;
[adding a node](adding_a_blender_node.md) says how the table grows.

## Supported

| menu | node | differs from Cycles |
| --- | --- | --- |
"""

OUTPUTS = "ShaderNodeOutput"


def page() -> str:
    """Return the text of the page."""
    from addon.core.graph.table import TABLE, TOPICS

    from support.node_graphs import descriptions

    rows = [
        f"| {menu} | {spec.label} | {spec.note} |"
        for menu, entries in TOPICS.items()
        for spec in sorted(entries.values(), key=lambda spec: spec.label)
    ]
    missing = sorted(
        entry["label"]
        for kind, entry in descriptions().items()
        if kind.startswith("ShaderNode") and kind not in TABLE and not kind.startswith(OUTPUTS)
    )
    return "\n".join(
        [HEAD + "\n".join(rows), "", "## Not supported", "", f"{', '.join(missing)}.", ""]
    )


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    PAGE.write_text(page(), encoding="utf-8")
