# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node group remembers of the function that it was made from.

It is one ID-property of the tree, JSON: interfaces of Blender 5.2 hold no properties, and trees
keep theirs when they are copied, appended or linked. Without the extension it is left alone.
Another one points to the text block of the source: Blender brings that along where the tree is
appended, and it may be renamed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

import bpy

from ...core.slang_nodes.matching import Existing
from ...core.slang_nodes.sources import FORMAT, SourceKey, parse_key
from ..lowered_groups import PART_MARK

PROPERTY = "weft_slang"
HASH = "weft_slang_hash"
TEXT = "weft_slang_text"


@dataclass(frozen=True)
class Tag:
    """What a tree is made from.

    Args:
        source: Its code.
        function: Of the source.
        build: Parameters that are part of the tree, as Slang spells them.
        properties: What the panel shows of them: mappings with ``name``, ``label``, ``kind``,
            ``choices`` and ``tooltip``.
        images: That it holds: mappings with ``name``, ``label`` and ``tooltip``.
        signature: Of the function, with its types.
        variants: Overloads and specializations that it could be instead.
        form: Asked for: ``AUTOMATIC``, ``NODES``, ``OSL``, ``BAKED`` or ``ENGINE``.
        used: Of them that it has: ``NODES``, ``OSL``, ``BAKED`` or ``ENGINE``.
        hash: Of all that decides what it computes.
        inputs: Its sockets: identifier, name of the parameter, type, cases.
        outputs: The same.
        files: Of which the source is made.
        content: Hash of the texts of the source and its files, which tells whether anything has to
            be compiled.
        error: Why the source cannot be used as it is now; "": the tree is up to date.
        notes: Warnings.
        nodes: How many nodes it has, those of its parts counted.
        cost: An estimate of what evaluating them takes, in `cost_unit`; 0: unknown.
        cost_unit: ``ns a shade``, ...
        category: Of the function.
        body: Hash of the nodes as they were built: other ones were edited by a person.
        width: That its nodes were given; 0: none.
        domain: On which elements the engine evaluates it.
        version: Of this record.
    """

    source: SourceKey
    function: str
    build: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    properties: tuple[Mapping[str, Any], ...] = ()
    images: tuple[Mapping[str, str], ...] = ()
    signature: str = ""
    variants: tuple[str, ...] = ()
    form: str = "AUTOMATIC"
    used: str = "NODES"
    hash: str = ""
    inputs: tuple[Existing, ...] = ()
    outputs: tuple[Existing, ...] = ()
    files: tuple[str, ...] = ()
    content: str = ""
    error: str = ""
    notes: tuple[str, ...] = ()
    nodes: int = 0
    cost: float = 0.0
    cost_unit: str = ""
    category: str = ""
    body: str = ""
    width: int = 0
    domain: str = "POINT"
    version: int = FORMAT


def read_tag(tree: bpy.types.NodeTree | None) -> Tag | None:
    """Return what a tree is made from; ``None``: it is no Slang node, or of a newer extension."""
    text = None if tree is None else tree.get(PROPERTY)
    if not isinstance(text, str):
        return None
    try:
        record = json.loads(text)
        if record["version"] > FORMAT:
            return None
        record["source"] = _source(tree, parse_key(record["source"]))
        for name in ("inputs", "outputs"):
            record[name] = tuple(_existing(*entry) for entry in record[name])
        for name in ("properties", "images", "files", "notes", "variants"):
            record[name] = tuple(record.get(name, ()))
        known = {name: value for name, value in record.items() if name in Tag.__annotations__}
        return Tag(**known)
    except (ValueError, KeyError, TypeError):
        return None


def _source(tree: bpy.types.NodeTree, key: SourceKey) -> SourceKey:
    """Return a source, whose text may have another name by now."""
    text = tree.get(TEXT)
    is_there = key.kind == "text" and isinstance(text, bpy.types.Text)
    return SourceKey("text", text.name) if is_there else key


def _existing(
    identifier: str, name: str, kind: str, cases: Iterable[tuple[str, int]] = ()
) -> Existing:
    return Existing(identifier, name, kind, tuple((case, value) for case, value in cases))


def write_tag(tree: bpy.types.NodeTree, tag: Tag) -> None:
    """Write it."""
    record = asdict(replace(tag, build={}, inputs=(), outputs=(), properties=(), images=()))
    record["source"] = str(tag.source)
    record["build"] = dict(tag.build)
    record["properties"] = [dict(entry) for entry in tag.properties]
    record["images"] = [dict(entry) for entry in tag.images]
    for name, sockets in (("inputs", tag.inputs), ("outputs", tag.outputs)):
        record[name] = [
            (entry.identifier, entry.name, entry.type, *([entry.cases] if entry.cases else []))
            for entry in sockets
        ]
    tree[PROPERTY] = json.dumps(record, ensure_ascii=False)
    tree[HASH] = tag.hash  # looked at in all trees for each node that is added
    text = bpy.data.texts.get(tag.source.name) if tag.source.kind == "text" else None
    if text is not None:
        tree[TEXT] = text
    elif tag.source.kind != "text" and TEXT in tree:
        del tree[TEXT]


def tagged_trees() -> Iterator[tuple[bpy.types.NodeTree, Tag]]:
    """Return all Slang nodes' trees of the open file."""
    for tree in bpy.data.node_groups:
        tag = read_tag(tree)
        if tag is not None:
            yield tree, tag


def body_hash(tree: bpy.types.NodeTree) -> str:
    """Return a hash of a group's nodes, links and numbers, without places and selection."""
    return hashlib.sha256("\n".join(_lines(tree)).encode()).hexdigest()[:16]


def _lines(tree: bpy.types.NodeTree) -> list[str]:
    lines = []
    for node in tree.nodes:
        numbers = [
            _text_of(socket.default_value)
            for socket in node.inputs
            if hasattr(socket, "default_value") and not socket.is_linked
        ]
        lines.append(f"{node.bl_idname} {getattr(node, 'operation', '')} {' '.join(numbers)}")
        inner = getattr(node, "node_tree", None)
        if inner is not None:
            lines += _lines(inner) if PART_MARK in inner else [inner.name]
    lines += sorted(
        f"{link.from_node.name}.{link.from_socket.identifier} "
        f"{link.to_node.name}.{link.to_socket.identifier}"
        for link in tree.links
    )
    return lines


def _text_of(value: Any) -> str:  # noqa: ANN401
    return str(tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value)
