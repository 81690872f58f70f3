# SPDX-License-Identifier: Apache-2.0
"""Weft: any Slang function, called over arrays, on Vulkan and on CUDA.

>>> import weft
>>> device = weft.create_device()
>>> module = weft.Module.load_from_source(
...     device, "example", "float add(float a, float b) { return a + b; }"
... )
>>> module.add(1.0, 2.0)
3.0

numpy, OpenImageIO and torch are imported by the functions that need them, not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._platform import require_supported_platform

require_supported_platform()

# ruff: noqa: E402  (an unsupported platform must be named before the native library fails to load)
from weft import _forks as _forks  # warns before forks
from weft import types
from weft._native import (
    ArgumentAttributeError,
    ArgumentError,
    ArgumentIndexError,
    ArgumentNotFoundError,
    ArgumentTypeError,
    Attribute,
    CallId,
    CommandEncoder,
    CompileError,
    Device,
    DeviceError,
    DeviceFeatures,
    DeviceInfo,
    DeviceLimits,
    DeviceType,
    Diagnostic,
    DiffPair,
    Direction,
    Error,
    Field,
    Function,
    FunctionInfo,
    GenericParameter,
    GradientError,
    GradientWarning,
    Grid,
    ImageError,
    InternalError,
    MemoryInfo,
    Module,
    Namespace,
    NonFiniteError,
    OutOfMemoryError,
    Parameter,
    RandFloat,
    SourceLocation,
    Storage,
    Struct,
    StructInfo,
    ThreadId,
    Type,
    TypeKind,
    ValueRef,
    WangHash,
    call_id,
    create_device,
    devices,
    enumerate_devices,
    find_type,
    from_dlpack,
    grid,
    init_device,
    pinned_empty,
    rand_float,
    thread_id,
    wang_hash,
)
from weft._porting import BufferUsage, Logger, LogLevel, MemoryType, PrimType, Shape
from weft._slangpy_names import find_member as _find_slangpy_member
from weft._slangpy_names import install as _install_slangpy_names
from weft.types import *  # noqa: F403

if TYPE_CHECKING:
    from weft import fit as fit
    from weft import gradients as gradients
    from weft import image as image
    from weft import losses as losses
    from weft import lowering as lowering
    from weft import mlp as mlp
    from weft import optim as optim
    from weft import render as render
    from weft import scene as scene
    from weft import slangtorch as slangtorch
    from weft import torch as torch
    from weft.fit import Fit, Target
    from weft.gradient_check import check_gradients
    from weft.gradients import jvp, value_and_grad, vjp
    from weft.lowering import Lowered, lower
    from weft.render import Renderer
    from weft.scene import Scene
    from weft.slangtorch import loadModule
    from weft.torch import create_torch_device
    from weft.vectors import Vector

from weft._native import all, all_close, any, dot, max, mean, min, norm, sum
from weft._scalar_names import bool as bool
from weft._scalar_names import double, half, uint
from weft._scalar_names import float as float
from weft._scalar_names import int as int

__all__ = [
    "ArgumentAttributeError",
    "ArgumentError",
    "ArgumentIndexError",
    "ArgumentNotFoundError",
    "ArgumentTypeError",
    "Attribute",
    "CallId",
    "CommandEncoder",
    "CompileError",
    "Device",
    "DeviceError",
    "DeviceFeatures",
    "DeviceInfo",
    "DeviceLimits",
    "DeviceType",
    "Diagnostic",
    "DiffPair",
    "Direction",
    "Error",
    "Field",
    "Fit",
    "Function",
    "FunctionInfo",
    "GenericParameter",
    "GradientError",
    "GradientWarning",
    "Grid",
    "ImageError",
    "InternalError",
    "Lowered",
    "MemoryInfo",
    "Module",
    "Namespace",
    "NonFiniteError",
    "OutOfMemoryError",
    "Parameter",
    "PrimType",
    "RandFloat",
    "Renderer",
    "Scene",
    "SourceLocation",
    "Storage",
    "Struct",
    "StructInfo",
    "Target",
    "ThreadId",
    "Type",
    "TypeKind",
    "ValueRef",
    "Vector",
    "WangHash",
    "call_id",
    "check_gradients",
    "create_device",
    "create_torch_device",
    "devices",
    "enumerate_devices",
    "find_type",
    "from_dlpack",
    "grid",
    "init_device",
    "jvp",
    "loadModule",
    "lower",
    "pinned_empty",
    "rand_float",
    "thread_id",
    "types",
    "value_and_grad",
    "vjp",
    "wang_hash",
]
__all__ += ["BufferUsage", "LogLevel", "Logger", "MemoryType", "Shape"]
__all__ += types.__all__
# Not bool, float and int: a star import keeps Python's own.
__all__ += ["double", "half", "uint"]
__all__ += ["all", "all_close", "any", "dot", "max", "mean", "min", "norm", "sum"]


_PARTS = (
    "fit",
    "gradients",
    "image",
    "losses",
    "lowering",
    "mlp",
    "optim",
    "render",
    "scene",
    "slangtorch",
    "torch",
)
_HOMES = {
    "check_gradients": "gradient_check",
    "jvp": "gradients",
    "value_and_grad": "gradients",
    "vjp": "gradients",
    "create_torch_device": "torch",
    "Scene": "scene",
    "Fit": "fit",
    "Target": "fit",
    "loadModule": "slangtorch",
    "Lowered": "lowering",
    "lower": "lowering",
    "Vector": "vectors",
    "Renderer": "render",
}


def _import_at_first_use(name: str) -> object:
    """Import the parts that need numpy at their first use."""
    from importlib import import_module

    if name in _PARTS:
        return import_module(f"weft.{name}")
    if name in _HOMES:
        return getattr(import_module(f"weft.{_HOMES[name]}"), name)
    if found := _find_slangpy_member("weft", None, name):
        return found[0]
    raise AttributeError(f"module 'weft' has no attribute '{name}'")


_install_slangpy_names()

if not TYPE_CHECKING:  # to a type checker, a name that is not above does not exist
    __getattr__ = _import_at_first_use
