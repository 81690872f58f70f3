# SPDX-License-Identifier: Apache-2.0
"""A default that scripts, panels and the command line share has one owner."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from pathlib import Path

import addon.core.defaults
import addon.core.fitting
import pytest

import weft.fit
import weft.render
from weft import cli, defaults
from weft.fit import EnvironmentParameter, FitSettings, TextureParameter
from weft.render import PathSettings

ROOT = Path(__file__).parents[2]
SHARED = ("bounces", "transparent_bounces", "filter", "filter_width", "smoothness", "tolerance")
OWNERS = (PathSettings, FitSettings, TextureParameter, EnvironmentParameter)


def modules_of(package):
    for entry in pkgutil.iter_modules(package.__path__):
        yield importlib.import_module(f"{package.__name__}.{entry.name}")


def defaults_of(module):
    """Name and value of each default: of fields, and of parameters of functions and methods."""
    own = [value for value in vars(module).values() if inspect.getmodule(value) is module]
    classes = [value for value in own if inspect.isclass(value)]
    for owner in classes:
        if dataclasses.is_dataclass(owner):
            for field in dataclasses.fields(owner):
                if field.default is not dataclasses.MISSING:
                    yield field.name, field.default
    methods = [f for owner in classes for f in vars(owner).values()]
    for value in (*own, *methods):
        function = getattr(value, "__func__", value)
        if inspect.isfunction(function) and function.__name__ != "__init__":
            for parameter in inspect.signature(function).parameters.values():
                if parameter.default not in (inspect.Parameter.empty, None):
                    yield parameter.name, parameter.default


def test_what_is_called_alike_begins_alike():
    found = defaultdict(set)
    for package in (weft.fit, weft.render, addon.core.fitting):
        for module in modules_of(package):
            for name, value in defaults_of(module):
                if name in SHARED:
                    found[name].add(value)

    assert set(found) >= {"bounces", "filter", "filter_width", "smoothness"}
    assert {name: values for name, values in found.items() if len(values) > 1} == {}


def test_the_command_line_has_the_defaults_of_scripts():
    arguments = cli.build_parser().parse_args(["render", "a.weft", "-o", "a.exr"])

    assert cli.settings_of(arguments) == PathSettings()


def test_programs_in_cpp_have_the_defaults_of_scripts():
    text = (ROOT / "native" / "render" / "path_settings.hpp").read_text()
    body = text[text.index("struct PathSettings {") :].split("\n};")[0]
    found = re.findall(r"^    [\w:<>]+ (\w+)(?: = ([\w:.]+)|\{\});", body, re.MULTILINE)
    own = {name: value.split("::")[-1] or "None" for name, value in found}

    expected = dataclasses.asdict(PathSettings())
    assert own.keys() == expected.keys()
    for name, value in expected.items():
        spelled = str(value).lower() if isinstance(value, bool) else str(value)
        is_number = isinstance(value, float)
        assert (float(own[name]) == value) if is_number else (own[name] == spelled), name


def owned_names():
    fields = {field.name for owner in OWNERS for field in dataclasses.fields(owner)}
    return fields | {"viewport_samples", "size", "width", "height", "environment_size"}


@pytest.mark.parametrize("file", ["addon/ui/fit/properties.py", "addon/ui/engine/properties.py"])
def test_panels_ask_the_owner_for_a_default(file):
    asked, copied = [], []
    for entry in ast.walk(ast.parse((ROOT / file).read_text())):
        if not isinstance(entry, ast.AnnAssign) or not isinstance(entry.annotation, ast.Call):
            continue
        given = {word.arg: word.value for word in entry.annotation.keywords}
        if "default" not in given or entry.target.id not in owned_names():
            continue
        is_literal = isinstance(given["default"], ast.Constant)
        (copied if is_literal else asked).append(entry.target.id)

    assert "bounces" in asked
    assert copied == []


def test_numbers_of_panels_are_those_of_their_owners():
    environment = {
        "ENVIRONMENT_WIDTH": EnvironmentParameter.width,
        "ENVIRONMENT_HEIGHT": EnvironmentParameter.height,
    }
    for name, value in vars(addon.core.defaults).items():
        if name in environment:
            assert value == environment[name]
        elif name.startswith("FIT_"):
            assert value == getattr(FitSettings, name.removeprefix("FIT_").lower()), name
        elif name.isupper():
            assert value == getattr(defaults, name), name


def test_purposes_that_differ_have_names():
    assert defaults.SAMPLES < defaults.FINAL_SAMPLES < defaults.VIEWPORT_SAMPLES
