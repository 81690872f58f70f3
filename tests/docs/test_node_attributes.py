# SPDX-License-Identifier: Apache-2.0
"""The table of attributes in the guide is equal to weft/node.slang and to what reads it."""

from __future__ import annotations

import re

import pytest
from addon.core.slang_nodes.interface import SOURCES, SUBTYPES

import weft
from checks.source_tree import ROOT, text_of
from docs.test_tables import rows

GUIDE = ROOT / "docs" / "guide" / "slang_nodes.md"
DECLARED = re.compile(
    r"(?P<usages>(?:\[__AttributeUsage\(_AttributeTargets\.\w+\)\]\s*)+)"
    r"public struct (?P<name>\w+)Attribute\s*\{(?P<fields>[^}]*)\}"
)


def declared() -> dict[str, tuple[set[str], int]]:
    """Return the attributes of the module: where they may stand, how many arguments they take."""
    text = text_of(ROOT / "shaders" / "weft" / "node.slang")
    return {
        found["name"]: (
            set(re.findall(r"_AttributeTargets\.(\w+)", found["usages"])),
            found["fields"].count("public "),
        )
        for found in DECLARED.finditer(text)
    }


def table() -> dict[str, str]:
    """Return the examples of the guide's table, by the attribute."""
    first = " ".join(row[0] for row in rows(GUIDE, "What a declaration says"))
    examples = re.findall(r"\[(\w+)((?:\([^)]*\))?)\]", first)
    return {name: f"[{name}{arguments}]" for name, arguments in examples}


def test_the_table_has_every_attribute():
    assert set(table()) == set(declared())


@pytest.mark.parametrize("name", sorted(declared()))
def test_an_example_compiles_where_the_attribute_may_stand(name):
    example, (targets, count) = table()[name], declared()[name]
    arguments = re.sub(r'"[^"]*"', "text", example).partition("(")[2]
    assert len([part for part in arguments.split(",") if part]) == count

    for target in targets - {"Var"}:
        before = example if target == "Function" else ""
        inside = example if target == "Param" else ""
        text = f"import weft.node;\n{before} float f({inside} float x) {{ return x; }}\n"
        (function,) = weft.lowering.source_info(None, text=text).functions
        owner = function if target == "Function" else function.parameters[0]
        assert [entry.name for entry in owner.attributes] == [name]
    if "Var" in targets:
        text = f"import weft.node;\nstruct S {{ {example} float x; }}\n"
        (structure,) = weft.lowering.source_info(None, text=text).structures
        assert [entry.name for entry in structure.type.fields[0].attributes] == [name]


@pytest.mark.parametrize(
    "name", sorted(name for name, (own, _) in declared().items() if len(own) < 2)
)
def test_what_may_not_stand_there_is_one_error(name):
    targets = declared()[name][0]
    example = table()[name]
    before, inside = ("", example) if targets == {"Function"} else (example, "")
    text = f"import weft.node;\n{before} float f({inside} float x) {{ return x; }}\n"

    with pytest.raises(weft.CompileError, match=name):
        weft.lowering.source_info(None, text=text)


@pytest.mark.parametrize(
    ("attribute", "known"),
    [
        ("Subtype", {entry for units in SUBTYPES.values() for entry in units}),
        ("Source", {name.upper() for name in SOURCES}),
    ],
)
def test_the_names_that_an_attribute_takes_are_those_of_the_table(attribute, known):
    (row,) = [row for row in rows(GUIDE, "What a declaration says") if f"[{attribute}" in row[0]]
    words = re.findall(r"[A-Z][A-Za-z]+(?: [A-Z][a-z]+)?", row[1].partition("(")[2] or row[1])

    assert {word.upper().replace(" ", "_") for word in words} == known
