# SPDX-License-Identifier: Apache-2.0
"""Element types of tensors and of parameters: scalars, vectors and matrices, and the array classes.

Each is a :class:`weft.Type`. Vector types make values, see :class:`weft.Vector`:
``float3(1, 2, 3)``. Matrix names say rows x columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.vectors import VectorType

from weft._native import (
    CallId,
    Device,
    DiffPair,
    Grid,
    NDBuffer,
    RandFloat,
    Struct,
    Tensor,
    ThreadId,
    Type,
    WangHash,
    find_type,
)
from weft._porting import floatDiffPair, floatRef, intRef

diffPair = DiffPair
"""The name of :class:`weft.DiffPair` in other systems, as are those of the generators."""
CallIdArg = CallId
GridArg = Grid
RandFloatArg = RandFloat
ThreadIdArg = ThreadId
WangHashArg = WangHash


def NDDifferentiableBuffer(
    device: Device, dtype: Type | Struct | str, shape: int | Sequence[int]
) -> Tensor:
    """Make a zeroed tensor with a zeroed gradient.

    Args:
        device: Where the memory lies.
        dtype: Element type; it must have derivatives.
        shape: Elements a dimension.

    Returns:
        A Tensor as of ``with_grads()``. A parameter of type ``DifferentialPair<T>`` takes it, too.

    Raises:
        ArgumentError: The elements have no derivatives.
    """
    return Tensor(device, dtype, shape).with_grads()


def _vector(name: str) -> VectorType:
    return cast("VectorType", find_type(name))


bool_: Final[Type] = find_type("bool")
int8: Final[Type] = find_type("int8")
int16: Final[Type] = find_type("int16")
int32: Final[Type] = find_type("int32")
int64: Final[Type] = find_type("int64")
uint8: Final[Type] = find_type("uint8")
uint16: Final[Type] = find_type("uint16")
uint32: Final[Type] = find_type("uint32")
uint64: Final[Type] = find_type("uint64")
float16: Final[Type] = find_type("float16")
float32: Final[Type] = find_type("float32")
float64: Final[Type] = find_type("float64")

bool2: Final[VectorType] = _vector("bool2")
bool3: Final[VectorType] = _vector("bool3")
bool4: Final[VectorType] = _vector("bool4")
int2: Final[VectorType] = _vector("int2")
int3: Final[VectorType] = _vector("int3")
int4: Final[VectorType] = _vector("int4")
uint2: Final[VectorType] = _vector("uint2")
uint3: Final[VectorType] = _vector("uint3")
uint4: Final[VectorType] = _vector("uint4")
half2: Final[VectorType] = _vector("half2")
half3: Final[VectorType] = _vector("half3")
half4: Final[VectorType] = _vector("half4")
float2: Final[VectorType] = _vector("float2")
float3: Final[VectorType] = _vector("float3")
float4: Final[VectorType] = _vector("float4")
double2: Final[VectorType] = _vector("double2")
double3: Final[VectorType] = _vector("double3")
double4: Final[VectorType] = _vector("double4")

float2x2: Final[Type] = find_type("float2x2")
float2x3: Final[Type] = find_type("float2x3")
float2x4: Final[Type] = find_type("float2x4")
float3x2: Final[Type] = find_type("float3x2")
float3x3: Final[Type] = find_type("float3x3")
float3x4: Final[Type] = find_type("float3x4")
float4x2: Final[Type] = find_type("float4x2")
float4x3: Final[Type] = find_type("float4x3")
float4x4: Final[Type] = find_type("float4x4")

__all__ = [
    "CallIdArg",
    "GridArg",
    "NDBuffer",
    "NDDifferentiableBuffer",
    "RandFloatArg",
    "Tensor",
    "ThreadIdArg",
    "WangHashArg",
    "bool2",
    "bool3",
    "bool4",
    "bool_",
    "diffPair",
    "double2",
    "double3",
    "double4",
    "float2",
    "float2x2",
    "float2x3",
    "float2x4",
    "float3",
    "float3x2",
    "float3x3",
    "float3x4",
    "float4",
    "float4x2",
    "float4x3",
    "float4x4",
    "float16",
    "float32",
    "float64",
    "floatDiffPair",
    "floatRef",
    "half2",
    "half3",
    "half4",
    "int2",
    "int3",
    "int4",
    "int8",
    "int16",
    "int32",
    "int64",
    "intRef",
    "uint2",
    "uint3",
    "uint4",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
