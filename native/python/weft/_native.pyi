# SPDX-License-Identifier: Apache-2.0
# Kept by hand; ./dev check compares it with the bindings.
"""
Native engine of Weft; use the package weft.
"""

from __future__ import annotations

import collections.abc
import enum
import os
import types
import typing

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from torch import Tensor as _TorchTensor  # type: ignore[import-not-found, unused-ignore]

from weft._porting import Layout, PrimType, Shape
from weft.cursor import Cursor
from weft.scene.texture import Texture
from weft.vectors import Vector

_Integer: typing.TypeAlias = typing.SupportsInt | typing.SupportsIndex
_Extents: typing.TypeAlias = typing.SupportsIndex | collections.abc.Iterable[typing.SupportsIndex]
_DType: typing.TypeAlias = (
    Type
    | Struct
    | type[float]
    | type[int]
    | type[bool]
    | np.dtype[typing.Any]
    | type[np.generic]
    | str
)
_Scalar: typing.TypeAlias = bool | int | float
_Values: typing.TypeAlias = ArrayLike | collections.abc.Mapping[str, object]
_Index: typing.TypeAlias = typing.SupportsIndex | slice | types.EllipsisType | None
_Folder: typing.TypeAlias = str | os.PathLike[str]
_Host: typing.TypeAlias = NDArray[typing.Any]
_Part = typing.TypeVar("_Part")
_Vector: typing.TypeAlias = NDArray[np.floating]
_Residuals: typing.TypeAlias = NDArray[np.floating]

__all__: list[str] = [
    "NO_LIGHT",
    "ArgumentAttributeError",
    "ArgumentError",
    "ArgumentIndexError",
    "ArgumentNotFoundError",
    "ArgumentTypeError",
    "Attribute",
    "CallId",
    "Candidate",
    "CommandEncoder",
    "CompileError",
    "Compiling",
    "Device",
    "DeviceError",
    "DeviceFeatures",
    "DeviceInfo",
    "DeviceLimits",
    "DeviceType",
    "Diagnostic",
    "DiffPair",
    "Direction",
    "EmissiveMeshes",
    "EmissivePart",
    "EnvironmentPlacement",
    "Error",
    "Field",
    "FilmTracer",
    "FitStage",
    "Function",
    "FunctionInfo",
    "GaussNewton",
    "GenericParameter",
    "GradientError",
    "GradientWarning",
    "Grid",
    "Identity",
    "ImageError",
    "InternalError",
    "KeptParts",
    "LightRows",
    "LightTable",
    "MaterialParameter",
    "MaterialProgram",
    "MaterialTable",
    "MemoryInfo",
    "Misfit",
    "Module",
    "NDBuffer",
    "Namespace",
    "NonFiniteError",
    "NormalEquations",
    "Observation",
    "OutOfMemoryError",
    "Parameter",
    "PathBuffers",
    "PictureResiduals",
    "PictureVerdict",
    "Prior",
    "Quadratic",
    "RandFloat",
    "SceneGeometry",
    "SceneModules",
    "SceneTables",
    "SourceLocation",
    "Struct",
    "StructInfo",
    "Tensor",
    "ThreadId",
    "TracedMeshes",
    "Tracer",
    "Type",
    "TypeKind",
    "UnknownBlock",
    "Unknowns",
    "ValueRef",
    "WangHash",
    "all",
    "all_close",
    "analytic_light_rows",
    "any",
    "aov_table",
    "attribute_table",
    "box_blur",
    "box_step",
    "build_alias_table",
    "build_light_table",
    "build_lit_tables",
    "build_material_table",
    "call_id",
    "camera_film",
    "camera_media",
    "check_bump",
    "check_camera",
    "check_constant",
    "check_light_profile",
    "check_material",
    "check_normal_map",
    "check_path_settings",
    "check_pixels",
    "check_radiance",
    "check_ray_kinds",
    "check_slang_call",
    "check_spread",
    "closure_table",
    "compile_together",
    "create_device",
    "damped_step",
    "default_batch",
    "devices",
    "digest",
    "dot",
    "eigenvalue_noise",
    "enumerate_devices",
    "environment_images",
    "evaluate_media",
    "exact_equations",
    "find_left",
    "find_type",
    "from_dlpack",
    "gather_information",
    "grid",
    "init_device",
    "is_inside",
    "is_uncounted",
    "iteration_samples",
    "kernel_traits",
    "light_probabilities",
    "max",
    "mean",
    "min",
    "mip_levels",
    "neighbor_products",
    "norm",
    "normal_equations",
    "other_start",
    "packed_mip_levels",
    "packed_mip_size",
    "path_buffer_bytes",
    "path_rows",
    "pinned_empty",
    "place_environment",
    "prepare_scene",
    "print_program",
    "print_program_module",
    "print_recording_module",
    "print_shared_module",
    "quoted_part",
    "rand_float",
    "ray_kind_names",
    "record_room",
    "rows_of_hits",
    "safe_quadratic",
    "shared_residual",
    "size_of_value",
    "solve_damped",
    "sort_by_key",
    "split_inputs",
    "split_name",
    "split_owner",
    "standard_errors",
    "step_settings",
    "sum",
    "text_of_code",
    "texture_names",
    "texture_records",
    "texture_tensors",
    "thread_id",
    "triangle_bounds",
    "triangle_rows",
    "varies",
    "wang_hash",
    "whole_groups",
]

class Diagnostic:
    """
    One message of the Slang compiler.
    """
    def __repr__(self) -> str: ...
    @property
    def code(self) -> int:
        """
        Slang's number of the message.
        """
    @property
    def column(self) -> int:
        """
        1-based; 0 if unknown.
        """
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int:
        """
        1-based; 0 if unknown.
        """
    @property
    def message(self) -> str: ...
    @property
    def severity(self) -> str:
        """
        'error', 'warning', 'note' or 'fatal'.
        """

class SourceLocation:
    """
    A place in a source file.
    """
    @property
    def column(self) -> int: ...
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int:
        """
        1-based; 0 if unknown.
        """

class Attribute:
    """
    [Name(arguments)] on a declaration.
    """
    def __repr__(self) -> str: ...
    @property
    def arguments(self) -> list[int | float | str]: ...
    @property
    def name(self) -> str: ...

class Field:
    """
    A member of a structure.
    """
    @property
    def attributes(self) -> list[Attribute]: ...
    @property
    def documentation(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def offset(self) -> int:
        """
        Bytes on the device.
        """
    @property
    def type(self) -> Type: ...

class GenericParameter:
    """
    T or `let N : int` of a generic.
    """
    @property
    def constraints(self) -> list[str]: ...
    @property
    def is_value(self) -> bool: ...
    @property
    def name(self) -> str: ...

class TypeKind(enum.Enum):
    """
    What a type is made of.
    """

    array = ...
    enumeration = ...
    generic_parameter = ...
    interface = ...
    matrix = ...
    other = ...
    pointer = ...
    resource = ...
    scalar = ...
    structure = ...
    tensor = ...
    vector = ...

class Type:
    """
    A Slang type; as a dtype it is the element type of a Tensor.
    """
    def __call__(
        self, *args: typing.SupportsFloat | typing.SupportsIndex | ArrayLike
    ) -> Vector | _Scalar:
        """
        A value: float3(1, 2, 3) or float3(0).
        """
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...
    @property
    def attributes(self) -> list[Attribute]: ...
    @property
    def documentation(self) -> str: ...
    @property
    def element(self) -> Type | None:
        """
        Element type of vectors, matrices, arrays, pointers and tensors.
        """
    @property
    def enumerators(self) -> dict[str, int]:
        """
        Names and numbers of an enumeration; else empty.
        """
    @property
    def fields(self) -> list[Field]:
        """
        Of a structure.
        """
    @property
    def full_name(self) -> str:
        """
        As Slang spells it.
        """
    @property
    def is_differentiable(self) -> bool: ...
    @property
    def kind(self) -> TypeKind: ...
    @property
    def location(self) -> SourceLocation: ...
    @property
    def name(self) -> str: ...
    @property
    def numpy_name(self) -> str | None:
        """
        numpy's name of a scalar type, else None.
        """
    @property
    def shape(self) -> tuple[int, ...]:
        """
        Dimensions that one value adds: (3,) for float3.
        """
    @property
    def size(self) -> int:
        """
        Bytes on the device.
        """

class Direction(enum.Enum):
    """
    Whether a parameter goes in, out or both.
    """

    in_ = ...
    inout = ...
    out = ...

class Parameter:
    """
    A parameter of a function.
    """
    def __repr__(self) -> str: ...
    @property
    def attributes(self) -> list[Attribute]: ...
    @property
    def default(self) -> bool | int | float | None:
        """
        A literal default, else None.
        """
    @property
    def default_text(self) -> str:
        """
        The default as the source spells it, '' if that is not known.
        """
    @property
    def direction(self) -> Direction: ...
    @property
    def documentation(self) -> str: ...
    @property
    def has_default(self) -> bool: ...
    @property
    def is_no_diff(self) -> bool: ...
    @property
    def location(self) -> SourceLocation: ...
    @property
    def name(self) -> str: ...
    @property
    def semantic(self) -> str: ...
    @property
    def type(self) -> Type: ...

class FunctionInfo:
    """
    One overload of a function.
    """
    def __repr__(self) -> str: ...
    @property
    def attributes(self) -> list[Attribute]: ...
    @property
    def documentation(self) -> str:
        """
        The comment above the declaration.
        """
    @property
    def full_name(self) -> str: ...
    @property
    def generics(self) -> list[GenericParameter]: ...
    @property
    def group_size(self) -> typing.Annotated[list[int], "FixedSize(3)"]: ...
    @property
    def is_differentiable(self) -> bool: ...
    @property
    def reverse_problem(self) -> str:
        """
        Why bwds is refused, '' if it is not.
        """
    @property
    def forward_problem(self) -> str:
        """
        Why fwds is refused, '' if it is not.
        """
    @property
    def is_entry_point(self) -> bool: ...
    @property
    def is_mutating(self) -> bool: ...
    @property
    def is_static(self) -> bool: ...
    @property
    def location(self) -> SourceLocation: ...
    @property
    def name(self) -> str: ...
    @property
    def owner(self) -> str:
        """
        The structure of a method, else ''.
        """
    @property
    def parameters(self) -> list[Parameter]: ...
    @property
    def return_type(self) -> Type: ...

class StructInfo:
    """
    A structure and its methods.
    """
    def __repr__(self) -> str: ...
    @property
    def generics(self) -> list[GenericParameter]: ...
    @property
    def methods(self) -> list[FunctionInfo]: ...
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> Type: ...

class DeviceType(enum.Enum):
    """
    Kinds of device; Weft has vulkan and cuda.
    """

    automatic = ...
    cpu = ...
    cuda = ...
    d3d12 = ...
    metal = ...
    vulkan = ...

class DeviceLimits:
    """
    Sizes in bytes unless said otherwise.
    """
    @property
    def max_buffer_size(self) -> int: ...
    @property
    def max_compute_dispatch_thread_groups(self) -> typing.Annotated[list[int], "FixedSize(3)"]:
        """
        Same as max_group_count.
        """
    @property
    def max_compute_thread_group_size(self) -> typing.Annotated[list[int], "FixedSize(3)"]:
        """
        Threads of a group along each axis, (x, y, z).
        """
    @property
    def max_compute_threads_per_group(self) -> int:
        """
        Same as max_threads_per_group.
        """
    @property
    def max_entry_point_uniform_size(self) -> int:
        """
        Same as max_inline_arguments.
        """
    @property
    def max_wave_size(self) -> int:
        """
        Same as subgroup_size.
        """
    @property
    def min_wave_size(self) -> int:
        """
        Same as subgroup_size.
        """
    @property
    def max_group_count(self) -> typing.Annotated[list[int], "FixedSize(3)"]:
        """
        Thread groups a dispatch, (x, y, z).
        """
    @property
    def max_inline_arguments(self) -> int: ...
    @property
    def max_shared_memory(self) -> int:
        """
        Of one thread group.
        """
    @property
    def max_storage_binding(self) -> int: ...
    @property
    def max_threads_per_group(self) -> int: ...
    @property
    def subgroup_size(self) -> int:
        """
        Threads.
        """

class DeviceFeatures:
    """
    What kernels may use.
    """
    @property
    def float16(self) -> bool: ...
    @property
    def float16_atomic_add(self) -> bool: ...
    @property
    def float32_atomic_add(self) -> bool: ...
    @property
    def float64(self) -> bool: ...
    @property
    def float64_atomic_add(self) -> bool: ...
    @property
    def int16(self) -> bool: ...
    @property
    def int64(self) -> bool: ...
    @property
    def int64_atomics(self) -> bool: ...
    @property
    def int8(self) -> bool: ...
    @property
    def is_software(self) -> bool: ...
    @property
    def ray_query(self) -> bool:
        """
        Whether the tracer 'ray_query' runs on it.
        """
    @property
    def subgroup_arithmetic(self) -> bool: ...

class DeviceInfo:
    """
    A device as devices() and Device.info show it.
    """
    def __repr__(self) -> str: ...
    @property
    def adapter(self) -> int:
        """
        Index for create_device(adapter=...).
        """
    @property
    def adapter_name(self) -> str: ...
    @property
    def api_name(self) -> str:
        """
        The name of the device's programming interface, 'Vulkan' or 'CUDA'.
        """
    @property
    def architecture(self) -> str: ...
    @property
    def driver(self) -> str: ...
    @property
    def features(self) -> DeviceFeatures: ...
    @property
    def limits(self) -> DeviceLimits: ...
    @property
    def memory(self) -> int:
        """
        Bytes.
        """
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> DeviceType: ...

class LoweredFunction:
    """
    A function as a graph of operations; see weft.lower.
    """
    @property
    def documentation(self) -> str: ...
    @property
    def images(self) -> list[str]: ...
    @property
    def inputs(self) -> list[tuple[str, str, str, bool, int]]: ...
    @property
    def loop_parameters(self) -> list[str]: ...
    @property
    def name(self) -> str: ...
    @property
    def operations(self) -> int: ...
    @property
    def results(self) -> list[tuple[str, str, str, bool, int]]: ...
    @property
    def source(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    def dag(self) -> str: ...
    def dot(self) -> str: ...
    def interpret(
        self,
        reals: list[bytes],
        integers: list[bytes],
        count: int,
        images: list[tuple[int, int, bytes]],
    ) -> tuple[list[bytes], list[bytes]]: ...
    def osl(self) -> str: ...
    def sockets(self) -> str: ...
    def tree(self, kind: str, major: int, minor: int) -> str: ...

class LoweringCompiler:
    """
    Compiles functions for weft.lower, without a device.
    """
    def __init__(self) -> None: ...
    def function_info(
        self, path: str, source: str, name: str, options: dict[str, object]
    ) -> FunctionInfo: ...
    def lower(
        self,
        path: str,
        source: str,
        name: str,
        build: dict[str, str],
        options: dict[str, object],
    ) -> LoweredFunction: ...
    def lower_function(
        self, function: Function, types: str, build: dict[str, str], has_old_cells: bool
    ) -> LoweredFunction: ...
    def source_info(
        self, path: str, source: str, options: dict[str, object]
    ) -> dict[str, typing.Any]: ...

class MemoryInfo:
    """
    Memory of a device, in bytes, at the time of Device.memory_info().

    used <= used + idle <= reserved: what is neither lies free between live buffers.
    """
    def __repr__(self) -> str: ...
    @property
    def allocations(self) -> int:
        """
        Calls of the driver's allocator so far.
        """
    @property
    def available(self) -> int:
        """
        As the driver reports it; 0 if unknown.
        """
    @property
    def idle(self) -> int:
        """
        Kept for later buffers, in blocks that hold none: what Device.trim() gives back.
        """
    @property
    def limit(self) -> int | None:
        """
        Device.memory_limit; None: there is none.
        """
    @property
    def live_buffers(self) -> int:
        """
        A count.
        """
    @property
    def peak_reserved(self) -> int:
        """
        Largest reserved so far.
        """
    @property
    def peak_used(self) -> int:
        """
        Largest used so far.
        """
    @property
    def reserved(self) -> int:
        """
        Taken from the driver.
        """
    @property
    def total(self) -> int:
        """
        That the device has, or the limit if that is less.
        """
    @property
    def used(self) -> int:
        """
        In live buffers.
        """

class Device:
    """
    A GPU, or software Vulkan, with its memory and compiled code; made by create_device().

    A context manager: leaving the block closes the device.

    Any thread may use it; work runs in the order in which threads submit it.
    """
    def __enter__(self) -> Device: ...
    def __exit__(
        self,
        arg0: type[BaseException] | None,
        arg1: BaseException | None,
        arg2: types.TracebackType | None,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def clear_cache(self) -> None:
        """
        Removes compiled code from the user's cache folder.
        """
    def close(self) -> None:
        """
        Waits, then frees everything; any later use is a DeviceError. May be called twice.
        """
    def create_command_encoder(self) -> CommandEncoder:
        """
        An empty command encoder for Function.append_to().
        """
    @staticmethod
    def enumerate_adapters(type: DeviceType | str | None = None) -> list[DeviceInfo]:
        """
        Those of enumerate_devices() that have a type, by DeviceType or its name; None and
        automatic: all. Empty if there are none.

        Raises:
            ArgumentError: There is no such type.
        """
    def flush(self) -> None:
        """
        Submits recorded work without waiting for it.
        """
    def load_module(
        self,
        path: _Folder,
        options: dict[str, object] = {},
        link: collections.abc.Sequence[Module] = [],
        *,
        hot_reload: bool = True,
    ) -> Module:
        """
        Same as Module.load_from_file(device, path).
        """
    def load_module_from_file(
        self,
        path: _Folder,
        options: dict[str, object] = {},
        link: collections.abc.Sequence[Module] = [],
        *,
        hot_reload: bool = True,
    ) -> Module:
        """
        Same as Module.load_from_file(device, path).
        """
    def load_module_from_source(
        self,
        module_name: str,
        source: str,
        options: dict[str, object] = {},
        link: collections.abc.Sequence[Module] = [],
    ) -> Module:
        """
        Same as Module.load_from_source.
        """
    def memory_info(self) -> MemoryInfo:
        """
        What this device's tensors hold, and what is kept for later ones, in bytes.
        """
    def submit_command_buffer(self, command_buffer: CommandEncoder) -> None:
        """
        Runs a recorded list of calls.
        """
    def trim(self) -> int:
        """
        Gives memory that no array lies in back to the system, and returns how many bytes.

        Waits for submitted work first. What is needed again is taken again, which takes longer than
        from the pool: call it at the end of something large, not between its steps.

        Raises:
            KeyboardInterrupt: Ctrl-C; nothing was given back.
            DeviceError: The device is closed or lost.
        """
    def wait(self) -> None:
        """
        Blocks until all submitted work is done.

        Raises:
            KeyboardInterrupt: Ctrl-C; the work goes on.
            GradientError: A check of gradients found wrong ones.
        """
    def wait_for_gradient_checks(self) -> None:
        """
        Blocks until the comparisons that check_gradients began are done.

        Raises:
            GradientError: One found wrong gradients, and nobody was told before.
        """
    def wait_for_idle(self) -> None:
        """
        Same as wait().
        """
    check_gradients: bool
    """
    True: the first backward call of each kind also begins, in the background, a comparison with
    forward mode at a few of its elements. Wrong gradients are a GradientError at the next call.
    """
    check_nan: bool
    """True: every call waits, and raises NonFiniteError if it wrote NaN or infinity."""
    deterministic: bool
    """What deterministic= is for backward calls that do not say it."""
    @property
    def compiler_statistics(self) -> dict[str, int]:
        """
        Hits and misses of the disk cache, and how often the compiler process was started.
        """
    @property
    def include_paths(self) -> list[str]: ...
    @property
    def info(self) -> DeviceInfo: ...
    @property
    def is_closed(self) -> bool: ...
    def _lend(self, tensor: object) -> Tensor | None:
        """
        A tensor of torch in its own memory: on this GPU, following torch's current stream as the tensor does; on the CPU of a software device, until the next wait(). None: that takes a copy.
        """
    def _make_stream_wait(self, stream: int) -> None:
        """
        What this CUstream gets later runs after the work queued now.
        """
    def _wait_for_stream(self, stream: int) -> None:
        """
        Work queued later runs after what this CUstream has now.
        """
    @property
    def _least_lent_bytes(self) -> int:
        """
        Bytes of the smallest tensors of the CPU that _lend() takes; -1: it takes none.
        """
    @property
    def _torch_gpu(self) -> int:
        """
        The index of the GPU whose tensors _lend() takes; -1: it takes none.
        """
    @property
    def memory_limit(self) -> int | None:
        """
        Bytes of device memory that arrays may take, at least 64 MiB; None: what there is. Idle memory
        beyond a new limit is given back at once. Arrays stay, whatever the limit: further ones are an
        OutOfMemoryError until enough of them are gone.
        """
    @memory_limit.setter
    def memory_limit(self, arg1: _Integer | None) -> None: ...
    @property
    def native_context(self) -> int:
        """
        CUcontext as an integer; 0 on other backends.
        """
    @property
    def native_stream(self) -> int:
        """
        CUstream as an integer; 0 on other backends.
        """
    @property
    def type(self) -> DeviceType: ...
    @property
    def validation_messages(self) -> list[str]:
        """
        What the validation layer said (debug=True).
        """

class Tensor:
    """
    An array on a device: dtype, shape, strides, memory. Views share the memory.

    Tensor(device, dtype=float32, shape=(4, 4)) starts with zeros.

    Any thread may read it and pass it to calls; where one writes, the others must wait for it.
    """
    @staticmethod
    def arange(
        device: Device,
        start: float,
        stop: float | None = None,
        step: float = 1,
        dtype: _DType | None = None,
    ) -> Tensor:
        """
        start, start + step, ... below stop; arange(device, 5) counts 0 to 4. int32 for integers, else float32.
        """
    @staticmethod
    def empty(
        device: Device,
        shape: _Extents,
        dtype: _DType | None = None,
        *,
        usage: object = None,
        memory_type: object = None,
        program_layout: object = None,
    ) -> Tensor:
        """
        Uninitialised memory.

        Args:
            shape: Elements a dimension, each 0 or greater; an integer or a sequence.
            dtype: A type of weft or of a module, a numpy dtype, or a name; float32 if left out.
            usage: No effect; for scripts of other systems, as are memory_type and program_layout.

        Raises:
            ArgumentError: The shape or the dtype is impossible.
            OutOfMemoryError: The device has no room.
        """
    @staticmethod
    def empty_like(other: Tensor) -> Tensor:
        """
        Uninitialised, with shape, dtype and device of `other`.
        """
    @staticmethod
    def from_dlpack(device: Device, array: object) -> Tensor:
        """
        An array of another library: CUDA memory of the same GPU is shared, host memory is copied.
        """
    @staticmethod
    def from_numpy(
        device: Device,
        array: _Values,
        dtype: _DType | None = None,
        *,
        target_slang_dtype: _DType | None = None,
        usage: object = None,
        memory_type: object = None,
        program_layout: object = None,
    ) -> Tensor: ...
    @staticmethod
    def from_torch(
        device: Device,
        tensor: _TorchTensor,
        dtype: _DType,
        usage: object = None,
        program_layout: object = None,
    ) -> Tensor:
        """
        A copy of a torch tensor, whose last dimension holds the scalars of one element.

        Args:
            dtype: (N, 3) of float32 becomes (N) of float3, or of a structure of 12 bytes.
            usage: No effect; for scripts of other systems, as is program_layout.

        Raises:
            ArgumentError: The last dimension has another size in bytes.
        """
    @staticmethod
    def load_from_image(
        device: Device,
        path: _Folder,
        flip_y: bool = False,
        linearize: bool = False,
        scale: float = 1.0,
        offset: float = 0.0,
        grayscale: bool = False,
    ) -> Tensor:
        """
        An image file as float, float2, float3 or float4, shape (H, W): value * scale + offset.

        Args:
            flip_y: The last row first.
            linearize: PNG and JPEG hold sRGB numbers, which become linear.
            grayscale: Luminance (Rec. 709 weights) in one channel.

        Raises:
            FileNotFoundError: There is no such file.
            ImageError: It is damaged, or no image.
        """
    @staticmethod
    def full(
        device: Device, shape: _Extents, value: _Values, dtype: _DType | None = None
    ) -> Tensor:
        """
        Every element `value`: a number, a sequence for vectors, a dict for structures.

        The dtype is that of the value if left out. Other arguments as of empty().
        """
    @staticmethod
    def numpy(
        device: Device,
        array: _Values,
        dtype: _DType | None = None,
        *,
        target_slang_dtype: _DType | None = None,
        usage: object = None,
        memory_type: object = None,
        program_layout: object = None,
    ) -> Tensor: ...
    @staticmethod
    def ones(device: Device, shape: _Extents, dtype: _DType | None = None) -> Tensor:
        """
        Every scalar 1. Arguments as of empty().
        """
    @staticmethod
    def ones_like(other: Tensor) -> Tensor:
        """
        Ones with shape, dtype and device of `other`.
        """
    @staticmethod
    def zeros(
        device: Device,
        shape: _Extents,
        dtype: _DType | None = None,
        *,
        usage: object = None,
        memory_type: object = None,
        program_layout: object = None,
    ) -> Tensor:
        """
        Every byte 0. Arguments as of empty().
        """
    @staticmethod
    def zeros_like(other: Tensor) -> Tensor:
        """
        Zeros with shape, dtype and device of `other`.
        """
    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> _Host: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """
        For other array libraries, e.g. torch.from_dlpack(tensor).

        CUDA memory is shared; the memory of other devices leaves as a copy on the host. Vectors, matrices and
        structures of one scalar become axes.
        """
    def __dlpack_device__(self) -> tuple[int, int]:
        """
        (2, adapter) on CUDA, else (1, 0): the host.
        """
    def __bool__(self) -> bool: ...
    def __float__(self) -> float: ...
    def __eq__(self, other: object) -> bool:
        """ """
    def __getitem__(self, key: _Index | tuple[_Index, ...]) -> Tensor: ...
    def __hash__(self) -> int: ...
    def __init__(
        self,
        device: Device,
        dtype: _DType | None = None,
        shape: _Extents = (),
        *,
        usage: object = None,
        memory_type: object = None,
    ) -> None: ...
    def __int__(self) -> int: ...
    def __iter__(self) -> collections.abc.Iterator[Tensor]: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __setitem__(self, key: _Index | tuple[_Index, ...], value: Tensor | _Values) -> None: ...
    def __str__(self) -> str: ...
    @property
    def grad(self) -> Tensor | None:
        """
        The gradient, if there is one or both are the same; None without.
        """
    grad_in: Tensor | None
    """
    Derivative of a loss by this tensor, read by backward calls; or None.
    """
    grad_out: Tensor | None
    """
    What backward calls add to; or None.
    """
    def detach(self) -> Tensor:
        """
        The same memory without gradients.
        """
    def point_to(self, target: Tensor) -> None:
        """
        Takes over the memory of another tensor: what was a view or an owner becomes a view of that memory.

        Args:
            target: Of the same device, shape and element size. Dtype and gradients of the tensor itself stay.

        Raises:
            ArgumentError: The two do not fit.
        """
    def with_grads(
        self, grad_in: Tensor | None = None, grad_out: Tensor | None = None, zero: bool = True
    ) -> Tensor:
        """
        The same memory with gradients attached; the tensor itself stays without.

        Args:
            grad_in: Derivative of a loss by this tensor, which a backward call reads if the function wrote the
                tensor. A tensor of the same shape and of the element type's differential.
            grad_out: What a backward call adds to if the function read the tensor.
                Without both, one zeroed tensor is allocated and serves as both. A gradient that is passed is never zeroed.
            zero: Accepted for scripts of other systems; allocated gradients are always zero.

        Returns:
            A tensor whose ``grad_in``, ``grad_out`` and ``grad`` are set.

        Raises:
            ArgumentError: The elements have no derivatives (integers, structures without IDifferentiable), or a
                gradient has another shape, type or device.
        """
    def astype(self, dtype: _DType) -> Tensor:
        """
        A copy with scalars of this type; floats lose their fraction in integers.
        """
    def broadcast_to(self, shape: _Extents) -> Tensor:
        """
        A read-only view that repeats elements.
        """
    def clear(self) -> None:
        """
        Every byte of every element becomes 0.
        """
    def contiguous(self) -> Tensor:
        """
        The tensor itself if its memory has no gaps, else a copy.
        """
    def copy_from_numpy(self, array: _Values) -> None:
        """
        Copies an array of the tensor's shape, or as many numbers in one dimension.

        The shape ends in the dimensions of an element: (N, 3) for float3[N]. Structures take a structured
        array or a dict of arrays, too. Floats round to the tensor's type.

        Raises:
            ArgumentError: Another shape, or an integer out of range.
            ArgumentTypeError: Floats for integers.
        """
    def copy_from_torch(self, tensor: _TorchTensor) -> None:
        """
        Copies a torch tensor of the same shape and dtype; gradients stay behind.
        """
    def cursor(self, start: typing.SupportsInt = 0, count: int | None = None) -> Cursor:
        """
        Elements to read and write one by one on the host; see weft.cursor.Cursor.
        """
    def fill(self, value: _Values) -> None:
        """
        Every element becomes `value`.
        """
    def flatten_dtype(self) -> Tensor:
        """
        The scalars of the elements as axes: float3[N] becomes float[N, 3].
        """
    def is_contiguous(self) -> bool:
        """
        True for row-major memory without gaps.
        """
    def item(self) -> typing.Any:  # numbers, nested as the dtype is
        """
        The one element as Python numbers.
        """
    def permute(self, *args: _Extents) -> Tensor:
        """
        The axes in this order; reversed if none is given.
        """
    def reshape(self, *args: _Extents) -> Tensor:
        """
        A view of another shape; one extent may be -1. Copies only if strides cannot express it.
        """
    def squeeze(self, axis: _Integer | None = None) -> Tensor:
        """
        Drops one axis of extent 1, or all.
        """
    def to_numpy(self, *, out: _Host | None = None) -> _Host:
        """
        A new array of shape + element dimensions; structures become a structured array.

        Waits for the work that writes the tensor.

        Args:
            out: An array like the new one, which is filled and returned instead: no fresh memory, and none of the
                host's copies if it is of weft.pinned_empty().

        Raises:
            ArgumentError: `out` has another shape or dtype, or gaps, or is read-only.
            KeyboardInterrupt: Ctrl-C; the work goes on.
        """
    def to_torch(self) -> _TorchTensor:
        """
        Same as torch().
        """
    def _to_torch(self, on_device: bool) -> _TorchTensor:
        """
        torch(), on the GPU or on the CPU; in memory of torch's own unless its current stream is the default one.
        """
    def torch(self) -> _TorchTensor:
        """
        A torch tensor: CUDA memory is shared, other devices are copied to the CPU.
        """
    def transpose(self, *args: _Extents) -> Tensor:
        """
        The axes in this order; reversed if none is given.
        """
    def unsqueeze(self, axis: _Integer) -> Tensor:
        """
        Inserts an axis of extent 1.
        """
    def view(
        self,
        shape: _Extents,
        strides: _Extents | None = None,
        offset: _Integer = 0,
    ) -> Tensor:
        """
        Shape, strides and offset in elements from element 0.
        """
    @property
    def T(self) -> Tensor:
        """
        The view with all axes reversed.
        """
    @property
    def address(self) -> int:
        """
        Device address of element 0 as an integer; 0 if empty.
        """
    @property
    def device(self) -> Device: ...
    @property
    def dtype(self) -> Type:
        """
        The element type.
        """
    @property
    def element_count(self) -> int:
        """
        Number of elements.
        """
    @property
    def nbytes(self) -> int:
        """
        Bytes of all elements on the device.
        """
    @property
    def ndim(self) -> int: ...
    @property
    def offset(self) -> int:
        """
        Elements from the start of the memory to element 0.
        """
    @property
    def shape(self) -> Shape:
        """
        Elements a dimension.
        """
    @property
    def size(self) -> int:
        """
        Number of elements.
        """
    @property
    def storage(self) -> Storage:
        """
        The memory that the tensor and its views share, as bytes.
        """
    @property
    def strides(self) -> Shape:
        """
        In elements.
        """

class Storage:
    """
    The memory of a tensor and of its views; made by Tensor.storage.

    Passed to a call, it is all of the memory as elements of the buffer or pointer parameter.
    """
    def __repr__(self) -> str: ...
    def copy_from_numpy(self, data: _Values) -> None:
        """
        Copies the bytes of an array, of whatever dtype and shape, to the first bytes.

        Raises:
            ArgumentError: The array is larger than the storage.
        """
    def to_numpy(self) -> _Host:
        """
        A new array of all bytes (uint8), as they lie on the device. Waits for the work that writes them.
        """
    @property
    def device(self) -> Device: ...
    @property
    def device_address(self) -> int:
        """
        Device address of the first byte as an integer; 0 if empty.
        """
    @property
    def size(self) -> int:
        """
        Bytes.
        """
    @property
    def struct_size(self) -> int:
        """
        Bytes of one element of the tensor.
        """

class _Cancellation:
    """
    With it entered, what the thread waits for ends in KeyboardInterrupt once cancel() was called.
    """
    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    def __enter__(self) -> _Cancellation: ...
    def __exit__(self, *arguments: object) -> None: ...

class _ClassOrInstance:
    def __get__(self, instance: object, owner: type | None = None) -> typing.Any: ...

class Grid:
    """
    Coordinates of a call; made by grid().
    """
    def __init__(
        self, shape: _Extents, offset: _Extents | None = None, stride: _Extents | None = None
    ) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def dims(self) -> int:
        """
        How many dimensions.
        """
    @property
    def offset(self) -> list[int]: ...
    @property
    def shape(self) -> list[int]: ...
    @property
    def stride(self) -> list[int]: ...

class CallId:
    """
    The call index; made by call_id().
    """
    def __init__(self, dims: _Integer = -1) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def dims(self) -> int:
        """
        Components of the parameter; -1: any.
        """

class ThreadId:
    """
    The thread index; made by thread_id().
    """
    def __init__(self, dims: _Integer = -1) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def dims(self) -> int:
        """
        Components of the parameter; -1: any.
        """

class RandFloat:
    """
    Uniform random numbers; made by rand_float().
    """
    def __init__(
        self,
        min: typing.SupportsFloat | typing.SupportsIndex,
        max: typing.SupportsFloat | typing.SupportsIndex,
        dim: _Integer = -1,
        seed: _Integer = 0,
        warmup: _Integer = 0,
        hash_seed: bool = True,
    ) -> None: ...
    @property
    def dims(self) -> int:
        """
        Components of the parameter; -1: any.
        """
    @property
    def hash_seed(self) -> bool:
        """
        Whether the seed is hashed first.
        """
    @property
    def max(self) -> float: ...
    @property
    def min(self) -> float: ...
    @property
    def seed(self) -> int: ...
    @property
    def warmup(self) -> int:
        """
        Times that the index is hashed before the seed.
        """

class WangHash:
    """
    Random bits; made by wang_hash().
    """
    def __init__(
        self, dims: _Integer = -1, seed: _Integer = 0, warmup: _Integer = 0, hash_seed: bool = True
    ) -> None: ...
    @property
    def dims(self) -> int:
        """
        Components of the parameter; -1: any.
        """
    @property
    def hash_seed(self) -> bool:
        """
        Whether the seed is hashed first.
        """
    @property
    def seed(self) -> int: ...
    @property
    def warmup(self) -> int:
        """
        Times that the index is hashed before the seed.
        """

class CommandEncoder:
    """
    A list of recorded calls; made by device.create_command_encoder().
    """
    def finish(self) -> CommandEncoder:
        """
        The recorded list, to be passed to device.submit_command_buffer(), as often as wanted.
        """
    def submit(self) -> None:
        """
        Runs the recorded calls.
        """

class ValueRef:
    """
    A host value that an out or inout parameter replaces.
    """

    value: typing.Any
    def __init__(self, value: object) -> None: ...
    def __repr__(self) -> str: ...

class DiffPair:
    """
    A value with its gradient, for numbers and arrays of the host as for tensors.

    ``f.bwds(weft.diffPair(2.0), x, _result=r)`` differentiates by a Python number. A parameter of type
    ``DifferentialPair<T>`` takes both halves; an ``inout`` one writes both back.

    Args:
        primal: A number, a list or array of floats, or a Tensor.
        needs_grad: False makes a constant of the value; calls leave ``grad`` as it is.
        p: Another name of ``primal``, which is 0.0 if left out.
        d: Another name of ``gradient``.
        gradient: What ``grad`` starts as, of the shape of ``primal`` or broadcast to it; None: zeros, or the
            gradient that the Tensor has. An array of the shape of ``primal`` is the gradient itself, not a copy.

    Raises:
        ArgumentError: Values without derivatives, or shapes that differ.
    """

    primal: typing.Any
    """The value, as it was given: a number, lists, an array, a Tensor."""
    grad: typing.Any
    """
    The gradient, in the form of the value: a number, lists, an array, a Tensor. Backward calls add to that of an
    input and read that of an output; forward calls read that of an input and write that of an output.
    """
    def __init__(
        self,
        primal: Tensor | ArrayLike | None = None,
        gradient: Tensor | ArrayLike | None = None,
        needs_grad: bool = True,
        *,
        p: Tensor | ArrayLike | None = None,
        d: Tensor | ArrayLike | None = None,
    ) -> None: ...
    @property
    def needs_grad(self) -> bool:
        """
        Whether calls see the gradient.
        """
    def clear(self) -> None:
        """
        Sets the gradient to zero.
        """
    def get(self, type: PrimType) -> typing.Any:
        """
        primal of PrimType.primal, grad of PrimType.derivative.
        """
    def set(self, type: PrimType, value: object) -> None:
        """
        Sets primal or grad, as get() tells them apart.
        """
    def __repr__(self) -> str: ...

class _Kernel:
    """
    What a call of a kernel of weft.slangtorch goes through.
    """
    def __init__(self) -> None: ...
    def __call__(self, *args: typing.Any, **kwargs: typing.Any) -> _BoundKernel: ...
    def _set_short_way(
        self,
        module: Module,
        readers: tuple[typing.Any, ...],
        launches: dict[typing.Any, typing.Any],
        pair_class: type,
        is_derivative: bool,
    ) -> None:
        """
        Let calls with tensors of the device's memory make a _BoundKernel.
        """

class _BoundKernel:
    """
    A kernel with its arguments. Nothing runs before it is launched.
    """
    def launchRaw(self, blockSize: typing.Any, gridSize: typing.Any) -> None:
        """
        Run it on blockSize * gridSize threads.
        """
    def launchTotal(self, blockSize: typing.Any, totalSize: typing.Any) -> None:
        """
        Run it on as many blocks as hold totalSize threads along each axis.
        """
    def autoLaunch(self, totalSize: typing.Any) -> None:
        """
        Run it on totalSize threads or more, in blocks that fit their shape.
        """

class Function:
    """
    A Slang function, called with numbers, lists, dicts, arrays, Tensors, grid() and the like.

    The shapes of the arguments, less the dimensions of one value of their parameters, join as in
    numpy; the function runs for each element of the joint shape.

    Args:
        _result: A Tensor or numpy array to fill, or the kind to return: 'numpy', 'tensor', 'torch'.

    Returns:
        A Python value for the shape (), else a Tensor; after it, out parameters left out.

    Raises:
        ArgumentError: Types, shapes or ranges do not fit; nothing has run.
        CompileError: The kernel does not compile.
    """
    def __call__(self, *args: object, **kwargs: object) -> typing.Any:
        """
        Call the function.
        """
    def __repr__(self) -> str: ...
    def as_struct(self) -> typing.NoReturn:
        """
        An ArgumentError: a function is no structure.
        """
    def as_func(self) -> Function:
        """
        The function itself, for scripts of other systems.
        """
    def append_to(self, command_encoder: CommandEncoder, *args: object, **kwargs: object) -> None:
        """
        Records the call instead of running it; all arrays must be tensors, results need _result.
        """
    def bind(self, this: object) -> Function:
        """
        A method with `this` given: a dict, a tensor of the structure, or an object with get_this().
        """
    def call(self, *args: object, **kwargs: object) -> typing.Any:
        """
        Same as calling the function.
        """
    def constants(
        self, constants: dict[str, _Scalar | collections.abc.Sequence[_Scalar]]
    ) -> Function:
        """
        A function compiled for these values of `extern static const`, in a dict.
        """
    def dispatch(self, /, thread_count: _Extents, *args: object, **kwargs: object) -> None:
        """
        Runs the function once a thread, without vectorising.

        Args:
            thread_count: Threads along x, or (x, y, z).
            vars: Module-scope uniforms by name.
            command_encoder: Records instead of running.
        """
    def explain(self, *args: object, **kwargs: object) -> str:
        """
        How a call with these arguments would run, as text.
        """
    def generated_source(self, *args: object, **kwargs: object) -> str:
        """
        The Slang kernel generated for these arguments.
        """
    def _torch_backward(
        self,
        places: collections.abc.Sequence[int],
        numbers: tuple[typing.Any, ...],
        values: tuple[_TorchTensor | None, ...],
        needs: tuple[bool, ...],
        cotangent: _TorchTensor,
        is_deterministic: bool,
    ) -> tuple[_TorchTensor | None, ...] | None:
        """
        Of bwds: the gradients of a plain call in memory of torch; None: it is none such.
        """
    def _torch_plan(
        self, *args: object, **kwargs: object
    ) -> tuple[bool, bool, int, list[str], list[tuple[_TorchTensor, str, bool, bool, bool, int]]]:
        """
        What weft.torch has to know of a call.
        """
    def _generation(self) -> int:
        """
        How often the code of the function's module was replaced.
        """
    def _is_as_declared(self) -> bool:
        """
        Whether a call takes and gives what the declaration says: no derivative, nothing mapped or bound.
        """
    def for_threads(self, thread_count: _Extents) -> Function:
        """
        What dispatch(thread_count, ...) runs, as a function of the other arguments: repeated launches cost less.
        """
    def map(self, *args: _DType | _Extents, **kwargs: _DType | _Extents) -> Function:
        """
        Says which call dimension each dimension of an argument is, or its element type.

        Args:
            One entry an argument, positional or by name: a tuple of dimensions, or a type.

        Returns:
            A function: f.map((0,), (1,))(a, b) makes an outer product.
        """
    def prelude(self, code: str) -> Function:
        """
        Slang text put in front of the generated kernel.
        """
    def return_type(
        self, return_type: str | type[Tensor] | type[np.ndarray[typing.Any, typing.Any]]
    ) -> Function:
        """
        A function that returns 'numpy' arrays or Tensors.
        """
    def set(self, *args: object, **kwargs: object) -> Function:
        """
        A function whose module-scope uniforms have these values, by name or in a dict.
        """
    def thread_group_size(self, size: _Extents) -> Function:
        """
        Group size for dispatch().
        """
    @property
    def bwds(self) -> Function:
        """
        The backward derivative: ``f.bwds(...)`` takes the arguments of ``f(...)``.

        Gradients of outputs are read from ``grad_in`` of the tensors passed for ``_result``, out and inout parameters; gradients
        of inputs are added to ``grad_out`` of the tensors passed for them. Arguments without gradients are constants. The
        primal result is written into ``_result``, which may also be the last of the positional arguments. ``deterministic=True`` gives equal bits from run to run on a device and costs
        a second evaluation; it needs 64-bit integer atomics. Left out, it is ``Device.deterministic``.

        Raises:
            ArgumentError: The function is not [Differentiable], an output has no gradient, or no argument has one to
                add to.
        """
    @property
    def device(self) -> Device:
        """
        The device of the function's module.
        """
    @property
    def fwds(self) -> Function:
        """
        The forward derivative: ``f.fwds(...)`` takes the arguments of ``f(...)``.

        Tangents of inputs are read from ``grad_in`` of the tensors passed for them, arguments without one are constants; tangents of
        outputs are written (not added) to ``grad_out`` of the tensors passed for ``_result``, out and inout parameters. The
        values themselves are written as by ``f(...)``.

        Raises:
            ArgumentError: The function is not [Differentiable], no input or no output has a gradient, or a parameter is
                a DiffTensor, WDiffTensor or RWDiffTensor, which have no place for tangents.
        """
    @property
    def full_name(self) -> str:
        """
        As the module finds it: 'Pixel.scale', 'twice<float>'.
        """
    @property
    def module(self) -> Module:
        """
        The module that has the function.
        """
    @property
    def name(self) -> str:
        """
        Without the structure or namespace around it, and without generic arguments.
        """
    @property
    def overloads(self) -> list[FunctionInfo]:
        """
        Reflection data of every overload.
        """
    @property
    def signature(self) -> FunctionInfo:
        """
        Reflection data of the first overload.
        """

class MaterialParameter:
    """
    A parameter of a material's program.
    """

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def values(self) -> tuple[float, ...]: ...
    @property
    def texture(self) -> Texture | None: ...
    @property
    def bounds(self) -> tuple[float, float]: ...
    @property
    def is_separable(self) -> bool: ...
    @property
    def is_fixed(self) -> bool: ...
    @property
    def drives_transparency(self) -> bool: ...
    @property
    def is_medium(self) -> bool: ...
    @property
    def is_walk(self) -> bool: ...
    @property
    def scale(self) -> str: ...
    @property
    def fit_low(self) -> float | None: ...

class MaterialProgram:
    """
    Slang text of a material's shape, and its parameters.
    """

    @property
    def text(self) -> str: ...
    @property
    def bsdf(self) -> str: ...
    @property
    def slots(self) -> list[MaterialParameter]: ...
    @property
    def sources(self) -> list[str]: ...
    @property
    def modules(self) -> list[str]: ...
    @property
    def functions(self) -> list[str]: ...
    @property
    def origins(self) -> dict[str, str]: ...
    @property
    def transparency(self) -> str: ...
    @property
    def medium(self) -> str: ...
    @property
    def is_emissive(self) -> bool: ...
    @property
    def scatters(self) -> bool: ...
    @property
    def has_tangents(self) -> bool: ...
    @property
    def has_bumps(self) -> bool: ...
    @property
    def reads_ray(self) -> bool: ...
    @property
    def is_boundary(self) -> bool: ...
    @property
    def walks(self) -> int: ...
    @property
    def is_transparent(self) -> bool: ...
    @property
    def wanders(self) -> bool: ...
    @property
    def key(self) -> tuple[str, str, str, bool]: ...

class Module:
    """
    A Slang module on a device. Its functions and types are attributes: module.f, module['f<float, 4>'], module.Pixel.

    Any thread may use it, and take the same functions from it.
    """

    check_gradients: bool
    """
    Whether Device.check_gradients concerns functions of this module; set it before their first call.
    """
    logger: object
    """
    None; what is assigned has no effect. For scripts of other systems.
    """
    def __init__(
        self,
        device_module: Module,
        options: dict[str, object] = {},
        link: collections.abc.Sequence[Module] = [],
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    @staticmethod
    def load_from_file(
        device: Device,
        path: _Folder,
        options: dict[str, object] = {},
        link: collections.abc.Sequence[Module] = [],
        *,
        hot_reload: bool = True,
    ) -> Module:
        """
        Loads a .slang file; relative paths are searched in the device's include_paths too.

        Args:
            options: {'include_paths': [...], 'defines': {...}}, added to the device's; 'fast_math': True lets CUDA's compiler take
                faster functions of less accuracy, and numbers below 1.2e-38 as 0.
            link: Modules that export what this one declares `extern`.
            hot_reload: Calls use an edit of the file or of its imports half a second later.

        Raises:
            FileNotFoundError: There is no such file.
            CompileError: Slang rejects it; `diagnostics` says where.
        """
    @staticmethod
    def load_from_module(
        device: Device,
        module: Module,
        options: dict[str, object] = {},
        link: collections.abc.Sequence[Module] = [],
    ) -> Module:
        """
        Loads the source of another module again, for another device or other options.
        """
    @staticmethod
    def load_from_source(
        device: Device,
        name: str,
        source: str,
        options: dict[str, object] = {},
        link: collections.abc.Sequence[Module] = [],
    ) -> Module:
        """
        Loads Slang text; `name` stands in messages. Options as of load_from_file().

        Raises:
            CompileError: Slang rejects it; `diagnostics` says where.
        """
    def __getattr__(self, arg0: str) -> typing.Any: ...
    def __getitem__(self, arg0: str) -> typing.Any: ...
    def __repr__(self) -> str: ...
    def find_function(self, name: str) -> Function | None:
        """
        The function, or None.
        """
    def find_function_in_struct(self, struct: Struct | str, name: str) -> Function | None:
        """
        A method of a structure, or None.
        """
    def find_struct(self, name: str) -> Struct | Type | None:
        """
        The structure, or None.
        """
    def reload(self) -> None:
        """
        Compiles the source again now.

        Raises:
            CompileError: The last good code stays in use.
        """
    def require_function(self, name: str) -> Function:
        """
        The function, or an error that suggests near misses.
        """
    def require_struct(self, name: str) -> Struct | Type:
        """
        The structure, or an error that suggests near misses.
        """
    @property
    def device(self) -> Device: ...
    @property
    def diagnostics(self) -> list[Diagnostic]:
        """
        Errors and warnings of the last compile, also of a failed hot reload.
        """
    @property
    def functions(self) -> list[FunctionInfo]:
        """
        Reflection data of every overload that the module declares, in source order.
        """
    @property
    def generation(self) -> int:
        """
        Grows by one with each reload. Asking for it takes an edit of the source over.
        """
    @property
    def layout(self) -> Layout:
        """
        Types and functions by name, for scripts of other systems.
        """
    @property
    def name(self) -> str: ...
    @property
    def structs(self) -> list[StructInfo]:
        """
        Reflection data of every structure that the module declares.
        """

class Struct:
    """
    A structure of a module; usable as a dtype, its methods are attributes.
    """
    def __call__(self, *args: object, **kwargs: object) -> typing.Any:
        """
        A value that a constructor of the structure makes.
        """
    def as_func(self) -> typing.NoReturn:
        """
        An ArgumentError: a structure is no function.
        """
    def try_get_child(self, name: str) -> Function | Struct | None:
        """
        The method or the structure within of that name, or None.
        """
    def as_struct(self) -> Struct:
        """
        The structure itself, for scripts of other systems.
        """
    def __getattr__(self, arg0: str) -> typing.Any: ...
    def __getitem__(self, key: object) -> typing.Any:
        """
        A method by name; of a generic structure also the structure itself with the arguments named:
        Pair[float], Pair[weft.float3, 4].
        """
    def __repr__(self) -> str: ...
    @property
    def module(self) -> Module: ...
    @property
    def fields(self) -> list[Field]: ...
    @property
    def full_name(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> Type: ...

class Namespace:
    """
    A namespace of a module; its functions, types and namespaces are attributes.
    """
    def __getattr__(self, arg0: str) -> typing.Any: ...
    def __getitem__(self, arg0: str) -> typing.Any: ...
    def __repr__(self) -> str: ...
    @property
    def name(self) -> str:
        """
        With the namespaces around it: 'outer.inner'.
        """

class Identity:
    """
    An object as part of a key; equal to that of the same object only, which it keeps alive.
    """

    def __init__(self, entry: object) -> None: ...
    @property
    def entry(self) -> object:
        """
        The object.
        """

    def __eq__(self, other: object) -> bool:
        """
        Whether the other stands for the same object.
        """

    def __hash__(self) -> int:
        """
        The same for the same object.
        """

class KeptParts:
    """
    Parts by name and key, those of the tables before, and those that replace them.

    A part is found again by its key: what it was made from. Large arrays count by identity, as the objects of a scene do, everything else by value.
    """

    def __init__(self, device: Device, before: KeptParts | None = None) -> None:
        """
        Args:
        device: Where tensors go.
        before: Of the tables that are to be replaced, which stay as they are.
        """

    def get(
        self, name: str, key: collections.abc.Hashable, make: collections.abc.Callable[[], _Part]
    ) -> _Part:
        """
        Returns the part of that name and key, which is made if it is not there.

        Args:
            name: Of the part.
            key: Tuples of Identity, bytes, text, numbers and None.
            make: Called without arguments.
        """

    def upload(
        self, name: str, array: _Host, key: collections.abc.Hashable | None = None
    ) -> Tensor:
        """
        Returns a flat tensor of an array's numbers, which nobody writes to.

        Args:
            name: Of the part.
            array: Of any shape; without numbers it stands for one zero.
            key: What it was made from; None: its numbers.
        """

    def digest_of(self, owner: object, array: _Host) -> bytes:
        """
        Returns digest() of an array, looked at once for an owner that nobody changes.
        """

    def assemble(
        self,
        name: str,
        chunks: collections.abc.Sequence[object],
        dtype: DTypeLike = "float32",
    ) -> Tensor:
        """
        Returns a flat tensor of chunks, one after the other, which nobody writes to.

        Chunks that the tensor of this name had before are copied on the device.
        """

    def end(self) -> None:
        """
        Lets go of the parts of the tables before.
        """

class SceneGeometry:
    """
    The objects of a weft.scene.Scene, read once, and where their triangles lie in tables.
    """

    def __init__(self, kept: KeptParts, scene: object) -> None:
        """
        Args:
            kept: Meshes that were read before, and boxes around objects.
            scene: What.

        Raises:
            ArgumentError: An array has not the shape that Mesh gave it, a triangle names a vertex that there is not, or a number is not finite.
        """

    @property
    def extent(self) -> float:
        """
        Radius of the scene, metres.
        """

    @property
    def triangle_count(self) -> int:
        """
        Triangles of all meshes.
        """

    @property
    def has_baked_transforms(self) -> bool:
        """
        Whether every mesh is placed once and not mirrored, and no object holds a medium: triangles lie in world space and know their materials.
        """

    @property
    def transforms(self) -> NDArray[np.float32]:
        """
        Object to world, shape ``(objects, 3, 4)``.
        """

    @property
    def mesh_of_instance(self) -> NDArray[np.uint32]:
        """
        Number of each object's mesh, in the order of first use.
        """

    @property
    def first_triangles(self) -> NDArray[np.uint32]:
        """
        Number of each mesh's first triangle.
        """

    @property
    def slot_materials(self) -> NDArray[np.uint32]:
        """
        Number of the material of each slot of each object; one zero if there is none.
        """

    @property
    def hidden_from(self) -> NDArray[np.uint32]:
        """
        Bits of RayKind of each object; one zero if there is none.
        """

    @property
    def terminators(self) -> NDArray[np.float32]:
        """
        Geometry offset of each object; one zero if there is none.
        """

    @property
    def has_hidden(self) -> bool:
        """
        Whether some ray passes an object.
        """

    @property
    def has_terminators(self) -> bool:
        """
        Whether rays towards lights may begin off triangles.
        """

    @property
    def has_media(self) -> bool:
        """
        Whether objects hold media.
        """

    def tensors(self, kept: KeptParts, *, has_tangents: bool) -> dict[str, Tensor]:
        """
        Returns tensors by the names of GeometryView of scene_view.slang.
        """

    def emissive_meshes(self, kept: KeptParts, first_light: int) -> EmissiveMeshes:
        """
        Returns lights of triangles; one object as long as what gives off light is the same.
        """

    def instances(self, emissive: EmissiveMeshes) -> NDArray[np.uint32]:
        """
        Returns a record of each object, its words as InstanceWord has them.
        """

    def lights_of_triangles(self, emissive: EmissiveMeshes) -> NDArray[np.uint32]:
        """
        Returns the light of each triangle, where kernels look for it.
        """

class EmissivePart:
    """
    Triangles with one slot of one object, each a light.
    """

    @property
    def instance(self) -> int:
        """
        Number of the object.
        """

    @property
    def slot(self) -> int:
        """
        Of the object.
        """

    @property
    def is_mirrored(self) -> bool:
        """
        The transform makes the other side the front.
        """

    @property
    def first_light(self) -> int:
        """
        Number of the first one's light.
        """

    @property
    def radiance(self) -> NDArray[np.float64]:
        """
        Linear RGB; 1 if it varies.
        """

    @property
    def both_sides(self) -> bool:
        """
        Not only the front gives off light.
        """

    @property
    def varies(self) -> bool:
        """
        The radiance is evaluated where light comes from.
        """

    @property
    def primitives(self) -> NDArray[np.uint32]:
        """
        Numbers among the mesh's triangles, ascending.
        """

    @property
    def areas(self) -> NDArray[np.float64]:
        """
        Of each, m^2.
        """

    @property
    def corners(self) -> NDArray[np.float64]:
        """
        Of each, in the world, metres, shape ``(n, 3, 3)``.
        """

class EmissiveMeshes:
    """
    Lights of triangles, and where instances find them.
    """

    @property
    def parts(self) -> list[EmissivePart]:
        """
        In the order of lights.
        """

    @property
    def first_of_instance(self) -> NDArray[np.uint32]:
        """
        Of each object: where its triangles begin; 0xFFFFFFFF: it gives off no light.
        """

def digest(array: _Host) -> bytes:
    """
    Returns bytes that stand for an array's shape, type and numbers.
    """

class Tracer:
    """
    Rays in batches against a fixed set of meshes.

    A batch has rows of `capacity` words. Rays: origin x y z, t_min, direction x y z, t_max (float). Hits:
    t, u, v (bits of floats), triangle of the mesh, instance (0xffffffff: nothing was hit). Distances are in
    lengths of the direction. A ray with t_max <= t_min hits nothing.
    """

    def __init__(
        self,
        device: Device,
        meshes: collections.abc.Sequence[tuple[_Host, _Host]],
        mesh_of_instance: _Host,
        transforms: _Host,
        kind: str = "automatic",
        trees: str = "automatic",
    ) -> None:
        """
        Builds the acceleration structure.

        Args:
            device: Where rays live.
            meshes: Pairs of positions, shape (vertices, 3), and triangles, shape (n, 3).
            mesh_of_instance: Mesh of each instance.
            transforms: Object to world, shape (instances, 3, 4).
            kind: 'bvh' (two children a node), 'wide_bvh' (eight, compressed), 'embree' (software
                devices), 'ray_query' (the Vulkan driver's, where DeviceInfo.features.ray_query); 'automatic'
                is what WEFT_TRACER names, else 'embree' or 'bvh'.
            trees: Where those of 'bvh' are made: 'host', 'device'; 'automatic' is what
                WEFT_TREE_BUILDER names, else the device for large meshes, unless it is a software device.

        Raises:
            ArgumentError: A vertex is not finite, an index is out of range, a transform is singular.
        """

    def create_hits(self, capacity: _Integer) -> Tensor:
        """
        Memory for the hits of a batch: 5 rows of uint, not filled.
        """

    def create_rays(self, capacity: _Integer) -> Tensor:
        """
        Memory for the rays of a batch: 8 rows of floats, not filled.
        """

    def trace_any(
        self,
        rays: Tensor,
        hits: Tensor,
        capacity: _Integer,
        count: _Integer,
    ) -> None:
        """
        Writes 1 for each ray that hits nothing between its ends, else 0, to one row of uint.

        Raises:
            ArgumentError: A tensor does not fit the batch.
        """

    def trace_closest(
        self,
        rays: Tensor,
        hits: Tensor,
        capacity: _Integer,
        count: _Integer,
    ) -> None:
        """
        Finds the first triangle along each of the first `count` rays.

        Raises:
            ArgumentError: A tensor does not fit the batch.
        """

    def update(
        self,
        meshes: collections.abc.Sequence[tuple[_Integer | None, _Host | None, _Host | None]],
        mesh_of_instance: _Host,
        transforms: _Host,
    ) -> None:
        """
        Takes other meshes and instances, making only the trees that have changed.

        Args:
            meshes: Tuples: (number, None, None) is a mesh that is there; (number, positions, triangles)
                one with the same triangles, whose vertices have moved; (None, positions, triangles) a
                new one. Others are dropped.
            mesh_of_instance: Mesh of each instance.
            transforms: Object to world, shape (instances, 3, 4).

        Raises:
            ArgumentError: As the constructor; or a mesh is not there, is kept twice, or has moved with
                other triangles. The tracer is as it was.
        """
    def update_instances(self, mesh_of_instance: _Host, transforms: _Host) -> None:
        """
        Places the same meshes anew.

        Raises:
            ArgumentError: A mesh is not there, or a transform is singular.
        """

    @property
    def build_bytes(self) -> int:
        """
        Most bytes of the device that making them has taken besides.
        """
    @property
    def kind(self) -> str:
        """
        'bvh', 'wide_bvh', 'embree' or 'ray_query'.
        """

    @property
    def memory_bytes(self) -> int:
        """
        Bytes of the device that acceleration structures take; those of 'embree' are the host's.
        """

def _arm_fault(kind: str, number: int) -> None:
    """
    For tests: lets the number-th call of a kind from now on fail; 0: none.
    """

def _counted_calls(kind: str) -> int:
    """
    For tests: calls of a kind since _arm_fault().
    """

def _create_compile_only(kind: str, cache_directory: _Folder) -> Device:
    """
    A device that compiles kernels for software, vulkan or cuda and runs nothing, for Weft's own build.
    """

def _open_devices() -> list[DeviceInfo]:
    """
    The devices of this process that are open.
    """

@typing.overload
def all(tensor: Tensor, axis: None = None, *, keepdims: bool = False) -> bool: ...
@typing.overload
def all(tensor: Tensor, axis: _Extents, *, keepdims: bool = False) -> Tensor:
    """
    Whether no element is zero; uint 0 or 1 in a Tensor. See sum().
    """

def all_close(
    a: Tensor,
    b: Tensor,
    rtol: typing.SupportsFloat | typing.SupportsIndex = 9.999999747378752e-06,
    atol: typing.SupportsFloat | typing.SupportsIndex = 9.99999993922529e-09,
) -> bool:
    """
    Whether |a - b| <= atol + rtol * |b| for every element; False where one is NaN.
    """

@typing.overload
def any(tensor: Tensor, axis: None = None, *, keepdims: bool = False) -> bool: ...
@typing.overload
def any(tensor: Tensor, axis: _Extents, *, keepdims: bool = False) -> Tensor:
    """
    Whether any element is not zero; uint 0 or 1 in a Tensor. See sum().
    """

def attribute_table() -> dict[str, tuple[str, int, bool]]:
    """
    Returns Slang expression, size and whether it is of the ray, of each attribute.
    """

def build_material_table(
    materials: collections.abc.Sequence[object],
) -> dict[str, typing.Any]:
    """
    Returns the fields of weft.render.material_table.MaterialTable; ranges and texture_slots as tuples.
    """

def check_bump(bump: object) -> None:
    """
    Raises what weft.scene.Bump does.
    """

def check_constant(name: str, numbers: collections.abc.Sequence[float], value: object) -> None:
    """
    Raises what weft.scene.Constant does.
    """

def check_material(name: str, volume: object) -> None:
    """
    Raises what weft.scene.Material does.
    """

def check_light_profile(profile: object) -> None:
    """
    Raises what weft.scene.LightProfile does.
    """

def check_ray_kinds(owner: str, kinds: collections.abc.Iterable[str], of: str = "object") -> None:
    """
    Raises ArgumentError for what is no kind of ray.

    Args:
        owner: Begins the message.
        kinds: A sequence of names.
        of: 'object', 'light' or 'environment', whose images are seen by kinds of their own.
    """

def check_spread(owner: str, spread: float) -> None:
    """
    Raises what weft.scene.AreaLight does for a spread.
    """

def check_normal_map(map: object) -> None:
    """
    Raises what weft.scene.NormalMap does.
    """

def check_slang_call(function: str, source: str, module: str, size: _Integer) -> None:
    """
    Raises what weft.scene.SlangCall does.
    """

def closure_table() -> dict[str, dict[str, typing.Any]]:
    """
    Returns what weft.scene.CLOSURES is made of: by kind, the fields of ClosureSpec.
    """

def print_program(material: object) -> MaterialProgram:
    """
    Returns the program of a weft.scene.Material.
    """

def print_program_module(program: MaterialProgram, traits: object) -> str:
    """
    Returns the Slang module of a program with the kernels that run it.
    """

def print_recording_module(program: MaterialProgram, traits: object) -> str:
    """
    Returns print_program_module() with the kernels that record and replay paths.
    """

def print_shared_module(traits: object) -> str:
    """
    Returns the Slang module with the kernels that evaluate no material.
    """

def quoted_part(part: str) -> str:
    """
    Returns a part of a parameter's name as it is written.
    """

def size_of_value(value: object) -> int:
    """
    Returns how many floats a value of a material has.
    """

def split_inputs(
    kind: str, given: collections.abc.Mapping[str, typing.Any]
) -> tuple[dict[str, typing.Any], dict[str, str]]:
    """
    Returns inputs and options of a closure, checked.

    Raises:
        ArgumentError: See weft.scene.Closure.
    """

def split_name(name: str) -> list[str]:
    """
    Returns the parts of a parameter's name, without quotes.

    Raises:
        ArgumentError: The name is empty, or a quote is not closed.
    """

def split_owner(name: str) -> tuple[str, str]:
    """
    Returns the first part of a parameter's name without quotes, and the rest as it is written.

    Raises:
        ArgumentError: A quote is not closed.
    """

def text_of_code(function: str, source: str, module: str) -> str:
    """
    Returns what runs where a call is evaluated, as text.
    """

def varies(volume: object) -> bool:
    """
    Returns whether a volume is not the same everywhere.
    """

class NormalEquations:
    """
    H d = -g of a least-squares problem from two independent sample sets, and their noise; see normal_equations() and exact_equations().
    """
    @property
    def matrix(self) -> NDArray[np.float64]:
        """
        H = (J_A' J_B + J_B' J_A) / 2, shape (p, p).
        """

    @property
    def gradient(self) -> NDArray[np.float64]:
        """
        g = (J_A' r_B + J_B' r_A) / 2, shape (p,).
        """

    @property
    def loss(self) -> float:
        """
        r_A' r_B: zero on average where the model explains the target.
        """

    @property
    def spread(self) -> NDArray[np.float64]:
        """
        Diagonal of (J_A' J_A + J_B' J_B) / 2, shape (p,): H_ii with the noise of J.
        """

    @property
    def skew(self) -> NDArray[np.float64]:
        """
        (J_A' J_B - J_B' J_A) / 2, shape (p, p): noise as that of H.
        """

    @property
    def gradient_noise(self) -> NDArray[np.float64]:
        """
        Covariance of g by the noise of the sample sets, shape (p, p).
        """

    @property
    def diagonal_noise(self) -> NDArray[np.float64]:
        """
        Standard deviation of each H_ii by the noise of the sample sets, shape (p,).
        """

class Prior:
    """
    Independent normal distributions of parameters.

    Args:
        expected: Means, shape (p,).
        precision: One over the variance of each; 0: nothing is known.
    """
    def __init__(self, expected: _Vector, precision: _Vector) -> None: ...
    @property
    def expected(self) -> NDArray[np.float64]:
        """
        Means, shape (p,).
        """

    @property
    def precision(self) -> NDArray[np.float64]:
        """
        One over the variance of each parameter, shape (p,).
        """

    def loss(self, x: _Vector, variance: typing.SupportsFloat) -> float:
        """
        Returns what it adds to a sum of squared residuals of the given variance.
        """

    def add_to(
        self, equations: NormalEquations, x: _Vector, variance: typing.SupportsFloat
    ) -> NormalEquations:
        """
        Returns normal equations at x that count the prior as further residuals.
        """

class Quadratic:
    """
    The model g'd + d'Hd/2 of a change of the loss; see safe_quadratic().
    """
    @property
    def matrix(self) -> NDArray[np.float64]:
        """
        H on the scale, positive definite, shape (p, p).
        """

    @property
    def gradient(self) -> NDArray[np.float64]:
        """
        g on the scale, shape (p,).
        """

    @property
    def ratios(self) -> NDArray[np.float64]:
        """
        Squared derivative over the variance of its noise, for each eigenvector of H.
        """

    @property
    def scale(self) -> NDArray[np.float64]:
        """
        Of each parameter: a step of 1 on the scale is 1 / scale.
        """

    def step(self, low: _Vector, high: _Vector) -> NDArray[np.float64]:
        """
        Returns the step within bounds around 0 that lowers the loss most.
        """

class Candidate:
    """
    Where iterations were averaged, and what they said.
    """
    @property
    def loss(self) -> float:
        """
        Of all residuals, by the averaged model.
        """

    @property
    def deviation(self) -> float:
        """
        Standard deviation of the loss by noise.
        """

    @property
    def losses(self) -> NDArray[np.float64]:
        """
        Of the residuals of each group.
        """

    @property
    def x(self) -> NDArray[np.float64]:
        """
        Parameters, shape (p,).
        """

    @property
    def errors(self) -> NDArray[np.float64]:
        """
        Standard errors, shape (p,).
        """

    @property
    def moved(self) -> NDArray[np.bool_]:
        """
        Which parameters began anew to get here.
        """

    @property
    def information(self) -> _Information:
        """
        matrix, covariance, lost, drawn_share and is_silent of weft.fit.information.Information.
        """

class DisplayTransform:
    """
    What a display shows of scene light; weft.fit.DisplayTransform says more. Pixels are three numbers each, in any shape; results are flat.

    Args:
        table: Display values, shape (n, n, n, 3).
        high: Light at the last entry.
        toe: Light where steps begin to grow.
    """
    def __init__(
        self, table: NDArray[np.floating], high: typing.SupportsFloat, toe: typing.SupportsFloat
    ) -> None: ...
    @staticmethod
    def light_at(
        entries: typing.SupportsInt, high: typing.SupportsFloat, toe: typing.SupportsFloat
    ) -> NDArray[np.float64]:
        """
        Returns the light at the entries of an axis, from 0 to `high`.
        """

    @property
    def clip(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """
        The smallest and the largest display value of each channel.
        """

    def apply(self, light: NDArray[np.floating]) -> NDArray[np.float64]:
        """
        Returns display values of linear light; below 0 counts as 0.
        """

    def derivative(self, light: NDArray[np.floating]) -> NDArray[np.float64]:
        """
        Returns how display values change with light, nine numbers a pixel: row i, column j is the derivative of display channel i with respect to light channel j.
        """

    def invert(self, values: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """
        Returns the light that shows display values, and which pixels some light shows.
        """

    def is_invertible(self, values: NDArray[np.floating]) -> NDArray[np.bool_]:
        """
        Returns which pixels tell the light that they show.
        """

class GaussNewton:
    """
    Gauss-Newton from noisy renders; weft.fit.gauss_newton.GaussNewton says more.

    Args:
        model: An object with draw, linearise and residuals.
        start: Parameters, shape (p,).
        settings: By name, as native/fit/gauss_newton.hpp lists them.
    """
    def __init__(self, model: object, start: _Vector, settings: dict[str, typing.Any]) -> None: ...
    def step(self) -> None:
        """
        Draws new samples and uses them up. If the model raises, nothing changes.
        """

    def forget(self) -> None:
        """
        Goes on from here, after weights have changed.
        """

    def save(self) -> dict[str, NDArray[np.generic]]:
        """
        Returns arrays by name: all that later steps depend on.
        """

    def restore(self, saved: dict[str, NDArray[typing.Any]]) -> None:
        """
        Goes back to where save() was called; arrays that do not fit raise ArgumentError.
        """

    def averaged_model(self) -> tuple[NDArray[np.float32], ...] | None:
        """
        Returns residuals and derivatives of both sample sets of the averaged model; None: nothing is averaged.
        """

    def candidates(self) -> list[Candidate]:
        """
        Returns where descents have ended, in their order.
        """

    def may_go_on(self, iterations: typing.SupportsInt) -> bool:
        """
        Returns whether one more start is allowed after so many, and could come to its end.
        """

    def gathered(self) -> NDArray[np.float64]:
        """
        Returns the parameters of each group where they explain its residuals best.
        """

    @property
    def start(self) -> NDArray[np.float64]:
        """
        Where the first descent began, within the bounds.
        """

    @property
    def x(self) -> NDArray[np.float64]:
        """
        Parameters, shape (p,).
        """

    @property
    def errors(self) -> NDArray[np.float64]:
        """
        Standard errors, shape (p,); infinite while there are none.
        """

    @property
    def loss(self) -> float:
        """
        r_A' r_B / n.
        """

    @property
    def iterations(self) -> int:
        """
        So far.
        """

    @property
    def is_averaging(self) -> bool:
        """
        Whether steps are over and the linear model is being averaged.
        """

    @property
    def is_done(self) -> bool:
        """
        Whether errors are as small as asked for, or as the target allows.
        """

    @property
    def information(self) -> _Information | None:
        """
        matrix, covariance, lost, drawn_share and is_silent of weft.fit.information.Information; None: nothing is averaged.
        """

    @property
    def residuals(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """
        Of both sample sets.
        """

    @property
    def averaged(self) -> int:
        """
        Iterations that the averaged model holds.
        """

    @property
    def best(self) -> Candidate | None:
        """
        The candidate that explains the residuals best; None before iterations were averaged.
        """

    @property
    def is_elsewhere(self) -> bool:
        """
        Whether another start is under way, of which less is known than of the best candidate.
        """

    @property
    def may_start_elsewhere(self) -> bool:
        """
        Whether another start may follow, or is under way.
        """

def normal_equations(
    residual_a: _Residuals,
    jacobian_a: _Residuals,
    residual_b: _Residuals,
    jacobian_b: _Residuals,
    cluster_size: typing.SupportsInt = ...,
) -> NormalEquations:
    """
    Returns the normal equations of two independent sample sets.

    Args:
        residual_a: Shape (n,).
        jacobian_a: Shape (n, p).
        residual_b: Shape (n,).
        jacobian_b: Shape (n, p).
        cluster_size: So many residuals in a row share their noise; divides n.

    Raises:
        ArgumentError: Shapes do not fit, or a number is not finite.
    """

def exact_equations(
    matrix: _Vector, gradient: _Vector, loss: typing.SupportsFloat
) -> NormalEquations:
    """
    Returns normal equations without noise; H has shape (p, p), g has shape (p,).
    """

def gather_information(
    equations: NormalEquations,
    residual_a: _Residuals,
    jacobian_a: _Residuals,
    residual_b: _Residuals,
    jacobian_b: _Residuals,
    known: _Vector | None = ...,
    cluster_size: typing.SupportsInt = ...,
    extent: _Vector | None = ...,
) -> _Information:
    """
    Returns matrix, covariance, lost, drawn_share and is_silent of weft.fit.information.Information; see weft.fit.information.gather_information().
    """

def standard_errors(covariance: _Vector, lost: _Vector) -> NDArray[np.float64]:
    """
    Returns one standard error a parameter, infinite in directions that are lost.
    """

def eigenvalue_noise(
    skew: _Vector, diagonal_noise: _Vector, values: _Vector, vectors: _Vector
) -> NDArray[np.float64]:
    """
    Returns the noise of the eigenvalues of H, all on a scale where H has a unit diagonal.

    Args:
        skew: Shape (p, p); see NormalEquations.
        diagonal_noise: Shape (p,).
        values: Eigenvalues, shape (p,).
        vectors: Eigenvectors, one a column.
    """

def safe_quadratic(equations: NormalEquations, caution: typing.SupportsFloat = ...) -> Quadratic:
    """
    Returns the quadratic model in the directions that noise leaves known: derivatives below `caution` variances of their noise are shortened.
    """

def box_step(
    matrix: _Vector, gradient: _Vector, low: _Vector, high: _Vector
) -> NDArray[np.float64]:
    """
    Returns the d within [low, high] with the smallest g'd + d'Hd/2 (Bertsekas 1982).
    """

def damped_step(equations: NormalEquations, damping: typing.SupportsFloat) -> NDArray[np.float64]:
    """
    Returns the step of Levenberg and Marquardt, with a damping in units of each H_ii.
    """

def solve_damped(
    matrix: _Vector, gradient: _Vector, damping: _Vector, cutoff: typing.SupportsFloat
) -> NDArray[np.float64]:
    """
    Returns the smallest d with (H + diag(damping)) d = -g on a scale where the diagonal is 1; eigenvalues there that are not above `cutoff` count as 0.
    """

def box_blur(image: NDArray[np.float32], radius: int = 2) -> NDArray[np.float32]:
    """
    Returns the mean over the square of side 2 `radius` + 1 around each pixel, as far as it lies in the image.

    Args:
        image: Shape (height, width, ...).
        radius: Pixels, 0 or more.
    """

def neighbor_products(
    residual_a: _Residuals, residual_b: _Residuals, cluster_size: typing.SupportsInt
) -> NDArray[np.float64]:
    """
    Returns products of neighbours' residuals in different sample sets, one for each cluster but the last.
    """

def find_left(
    products: _Vector,
    derivatives: _Residuals,
    groups: NDArray[np.int64],
    cluster_size: typing.SupportsInt,
) -> NDArray[np.bool_]:
    """
    Returns which parameters are of groups in whose residuals more than noise is left.

    Args:
        products: neighbor_products().
        derivatives: Shape (n, p).
        groups: Number of each parameter's group, shape (p,).
        cluster_size: Residuals of a pixel.
    """

def other_start(number: typing.SupportsInt, low: _Vector, high: _Vector) -> NDArray[np.float64]:
    """
    Returns another place to start from, far from those before (Kronecker's sequence).
    """

def build_alias_table(
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """
    Returns the table of the alias method (Walker 1977), built as Vose (1991) does: threshold in [0, 1] and other, both of shape (n,). Entry i, drawn uniformly, is kept with probability threshold[i] and replaced by other[i] otherwise.

    Args:
        weights: Not negative, shape (n,), n at least 1; all zero counts as all equal.

    Raises:
        ArgumentError: A weight is negative or not finite; the first such is named.
    """

class EnvironmentPlacement:
    """
    What kernels know of an environment beside its images.
    """

    @property
    def rotation(self) -> NDArray[np.float32]:
        """
        Image to world, shape (3, 3).
        """

    @property
    def strength(self) -> NDArray[np.float32]:
        """
        Factor of all images, linear RGB, shape (3,).
        """

    @property
    def layers(self) -> tuple[int, ...]:
        """
        Number of the image that each kind of ray sees, NO_LIGHT: none.
        """

    @property
    def is_sampled(self) -> bool:
        """
        Light rays are sent there.
        """

    def power(self, mean: float, extent: float) -> float | None:
        """
        Returns watts that cross a scene; None: light rays find no light there.

        Args:
            mean: Luminance of the image over all directions.
            extent: Radius of the scene, metres.
        """

def check_pixels(owner: str, pixels: NDArray[np.float32]) -> None:
    """
    Raises ArgumentError that names the first pixel that is not finite.
    """

def check_radiance(owner: str, image: NDArray[np.float32]) -> None:
    """
    Raises ArgumentError for radiance that is negative or not finite.
    """

def environment_images(
    images: collections.abc.Sequence[NDArray[np.float32]],
) -> tuple[NDArray[np.float32], NDArray[np.float32], float]:
    """
    Returns tables of images, of which light rays see the first: texels from the bottom row up, shape (k, height, width, 3); threshold, bits of the other pixel and density of each pixel, shape (n, 3); mean luminance over all directions.

    Args:
        images: Each float32, shape (height, width, 3).

    Raises:
        ArgumentError: Sizes differ, or the first has numbers that are negative or not finite.
    """

def is_inside(
    corners: NDArray[np.floating], place: NDArray[np.floating], is_mirrored: bool = False
) -> bool:
    """
    Returns whether a place is inside of triangles.

    Args:
        corners: World space, metres, shape (n, 3, 3).
        place: Metres.
        is_mirrored: The transform mirrors the mesh.
    """

def mip_levels(pixels: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """
    Returns an image at half the size each time, down to one texel, as means of what the texels cover; without the image itself.

    Args:
        pixels: Shape (height, width, channels).
    """

def packed_mip_levels(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """
    Returns mip_levels() one after the other, each from its bottom row up.
    """

def packed_mip_size(width: int, height: int, channels: int) -> int:
    """
    Returns how many numbers packed_mip_levels() has.
    """

def pinned_empty(device: Device, shape: _Extents, dtype: DTypeLike | None = None) -> _Host:
    """
    A numpy array, not initialised, in memory that the GPU copies from and to by itself.

    from_numpy() and copy_from_numpy() of such an array, and to_numpy(out=...) into it, run at the speed of the
    bus from 256 KiB on; parts of it count as well, if they have no gaps. They return when the GPU has
    done the copy, so the array may be changed at once. On software devices it is an ordinary array:
    they work in the host's memory anyway. So it is where a Vulkan driver cannot import memory; transfers are
    then staged.

    Pinned memory cannot be swapped out: make few of them and keep them. The array keeps the device alive. It
    stays valid when the device is closed, as ordinary memory. Threads share it as any array of numpy.
    Device.memory_info() does not count it: it is memory of the process.

    Args:
        device: Whose transfers it is for.
        shape: An integer or a tuple.
        dtype: Whatever numpy takes, without objects; None is float32.

    Raises:
        ArgumentError: The shape or the dtype is none.
        OutOfMemoryError: The system has not so much memory that can be pinned.
        DeviceError: The device is closed.
    """

def place_environment(environment: object) -> EnvironmentPlacement:
    """
    Returns the EnvironmentPlacement of a weft.scene.Environment.

    Raises:
        ArgumentError: Rotation or strength are no finite numbers.
    """

def texture_names() -> tuple[tuple[typing.Any, ...], tuple[typing.Any, ...]]:
    """
    Returns the names of wraps and of filters, in the order of their numbers.
    """

def texture_records(textures: collections.abc.Sequence[object]) -> NDArray[np.uint32]:
    """
    Returns records of textures, TextureWord, those of mip levels last: uint32, shape (n, 8), at least one.
    """

class LightRows:
    """
    Records of lights as kernels read them, and what they are drawn by.

    ``rows + more`` and ``rows += more`` put others behind them.
    """

    def __init__(self) -> None:
        """
        No lights.
        """

    def __len__(self) -> int: ...
    def __add__(self, more: LightRows) -> LightRows: ...
    def __iadd__(self, more: LightRows) -> LightRows: ...
    @property
    def words(self) -> NDArray[np.float32]:
        """
        Records, LightWord and its kin, float32, shape (n, 22); a copy.
        """

    @property
    def powers(self) -> NDArray[np.float64]:
        """
        Luminance, watts, shape (n,); a copy.
        """

    @property
    def areas(self) -> NDArray[np.float64]:
        """
        Of triangles, m^2, shape (n,); a copy.
        """

    @property
    def is_near(self) -> NDArray[np.bool_]:
        """
        Which are at finite distance, shape (n,); a copy.
        """

    def with_powers(self, lights: NDArray[np.integer], powers: NDArray[np.float64]) -> LightRows:
        """
        Returns the same with other powers.

        Args:
            lights: Numbers of those that change, shape (m,).
            powers: Watts, shape (m,).
        """

class LightTable:
    """
    All lights of a scene as kernels read them. Arrays may not be written to.
    """

    @property
    def records(self) -> NDArray[np.float32]:
        """
        float32, shape (n, 22), at least one row.
        """

    @property
    def alias(self) -> NDArray[np.float32]:
        """
        Thresholds and bits of other lights, float32, shape (n, 2).
        """

    @property
    def tree(self) -> NDArray[np.float32]:
        """
        Nodes of the light tree, float32, shape (m, 16), at least one.
        """

    @property
    def tree_selection_probability(self) -> float:
        """
        Probability that the light is drawn from the tree.
        """

    @property
    def environment_light(self) -> int:
        """
        Number of the environment, NO_LIGHT if light rays find none there.
        """

    @property
    def can_be_drawn(self) -> bool:
        """
        Whether a light has a probability above 0.
        """

NO_LIGHT: int

def build_light_table(
    rows: LightRows,
    environment_power: float | None = None,
    left_out: NDArray[np.bool_] | None = None,
    *,
    has_tree: bool = False,
) -> LightTable:
    """
    Returns the LightTable of lights, the environment last.

    Args:
        rows: Lights first, then triangles.
        environment_power: Watts; None: light rays find no light there.
        left_out: Which of the rows are never drawn, bool; None: all may be.
        has_tree: Build a tree of the lights at finite distance, too.

    Raises:
        ArgumentError: A power is not finite, or a probability negative.
    """

def analytic_light_rows(
    lights: collections.abc.Sequence[object], extent: float
) -> tuple[LightRows, NDArray[np.float32]]:
    """
    Returns the LightRows of lights of weft.scene, and the table of their profiles.

    Args:
        lights: Of a scene.
        extent: Radius of the scene, metres.

    Raises:
        ArgumentError: A light's numbers cannot be; it is named.
    """

def light_probabilities(
    kinds: NDArray[np.integer], powers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """
    Returns with what probability each light is drawn, shape (n,).

    Args:
        kinds: LightKind, shape (n,).
        powers: Not negative, shape (n,). That of a light at infinite distance grows with the extent of the scene, so both sorts keep a quarter at least.
    """

def ray_kind_names() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """
    Returns the kinds of ray that objects and lights may be hidden from, and those that see an environment each.
    """

def triangle_bounds(
    corners: NDArray[np.floating], both: bool, *, is_mirrored: bool = False
) -> NDArray[np.float32]:
    """
    Returns where triangles are and how they shine, float32, shape (n, 12): lowest and highest corner, axis of their normals, spread of those and of the light around them, radians, and 0.

    Args:
        corners: World space, metres, shape (n, 3, 3).
        both: Both sides shine.
        is_mirrored: The instance mirrors its mesh: the other side is the front.
    """

def triangle_rows(
    instance: int,
    triangles: NDArray[np.integer],
    areas: NDArray[np.float64],
    radiance: NDArray[np.float64],
    both: bool,
    *,
    varies: bool = False,
    bounds: NDArray[np.float32],
) -> LightRows:
    """
    Returns the LightRows of emissive triangles of one instance and material.

    Args:
        instance: Its number.
        triangles: Numbers among the triangles of all meshes, shape (n,).
        areas: World space, m^2, shape (n,).
        radiance: Linear RGB.
        both: Both sides shine.
        varies: The radiance is a factor of what is evaluated where light comes from.
        bounds: Of each, shape (n, 12), see triangle_bounds().
    """

@typing.overload
def call_id(dims: _Integer = -1) -> CallId:
    """
    The call's own coordinates, for an int, intN or int[N] parameter.

    Args:
        dims: Components that the parameter must have; -1: any. A tuple is the shape of a grid().
    """

@typing.overload
def call_id(dims: tuple[_Integer, ...] | list[_Integer]) -> Grid: ...
def create_device(
    type: DeviceType | DeviceInfo | str | None = None,
    adapter: _Integer | None = None,
    debug: bool = False,
    include_paths: collections.abc.Iterable[_Folder] = [],
    defines: dict[str, object] = {},
    compile_time_limit: typing.SupportsFloat | typing.SupportsIndex | None = None,
    compile_memory_limit: _Integer | None = None,
    check_nan: bool | None = None,
    deterministic: bool | None = None,
    check_gradients: bool | None = None,
    check_indices: bool | None = None,
    cache_directory: _Folder | None = None,
    cache_size_limit: _Integer | None = None,
    memory_limit: _Integer | None = None,
    *,
    enable_debug_layers: bool = False,
    enable_cuda_interop: bool = False,
    enable_hot_reload: typing.Literal[True] = True,
    enable_print: typing.Literal[False] = False,
    enable_compilation_reports: typing.Literal[False] = False,
    adapter_luid: None = None,
    existing_device_handles: None = None,
    bindless_options: None = None,
    compiler_options: None = None,
) -> Device:
    """
    Creates a device.

    Args:
        type: DeviceType or its name, or an entry of devices(); automatic prefers a real GPU, then
            software Vulkan.
            WEFT_DEVICE ('cuda', 'vulkan:1') decides where automatic is asked for.
        adapter: Index among the devices of that type, as devices() shows it; None takes the best.
        debug: Turns the Vulkan validation layer on, and check_indices.
        include_paths: Folders searched for modules and imports.
        defines: Preprocessor definitions of every module, {'STEPS': 20}.
        compile_time_limit: Seconds of processor time that compiling one module or kernel may
            take; None is 120. WEFT_COMPILE_TIME_LIMIT decides where None is given.
        compile_memory_limit: Bytes of address space of the compiler's process, at least 1 GiB;
            None is 4 GiB. WEFT_COMPILE_MEMORY_LIMIT decides where None is given.
        check_nan: Starts with Device.check_nan on; WEFT_CHECK_NAN=1 decides where None is given.
        deterministic: Starts with Device.deterministic on; WEFT_DETERMINISTIC=1 decides where None is given.
        check_gradients: Device.check_gradients; WEFT_CHECK_GRADIENTS decides where None is given, else
            it is on.
        check_indices: Every call waits, and an index outside a tensor is an ArgumentIndexError that
            names function, parameter, index and shape; None is debug.
        cache_directory: Folder for compiled code, '' for none; None is WEFT_CACHE_DIR, else
            the user's cache folder.
        cache_size_limit: Bytes of compiled code that are kept there, at least 16 MiB; None is
            1 GiB. What was used longest ago goes.
        memory_limit: Bytes of device memory that arrays may take, at least 64 MiB; more is a
            DeviceError that is a MemoryError. WEFT_MEMORY_LIMIT decides where None is given; else
            there is no limit but the device's own.

    Raises:
        DeviceError: No such device; says what is missing and how to get it.
        ArgumentError: Weft has no devices of that type, or no adapter of that index.
    """

@typing.overload
def dot(a: Tensor, b: Tensor, axis: None = None) -> float: ...
@typing.overload
def dot(a: Tensor, b: Tensor, axis: _Extents) -> Tensor:
    """
    Sum of products of two tensors of equal shape and dtype, over all elements or the given axes. See sum().
    """

def devices(type: DeviceType | str | None = None) -> list[DeviceInfo]:
    """
    Devices of this machine, for create_device(); opens none. Empty if there is none.

    The order stays as long as drivers and their settings do: GPUs before software, CUDA before Vulkan,
    then as the driver counts them. One GPU may be there twice, by CUDA and by Vulkan.

    Args:
        type: DeviceType or its name; None and automatic: all.

    Raises:
        ArgumentError: There is no such type.
    """

def enumerate_devices() -> list[DeviceInfo]:
    """
    Same as devices().
    """

def find_type(name: str) -> Type:
    """
    The type that a Slang or numpy spelling names: 'float3', 'uint8', 'half4x4', 'float[4]'.
    """

def from_dlpack(device: Device, array: object) -> Tensor:
    """
    Same as Tensor.from_dlpack().
    """

def grid(shape: _Extents, offset: _Extents | None = None, stride: _Extents | None = None) -> Grid:
    """
    Coordinates of each element of a call, for an int, intN or int[N] parameter.

    Args:
        shape: Extents, or the number of dimensions, or -1 entries for the call's own extent.
        offset: Added to each coordinate; one integer or one a dimension.
        stride: Multiplies each coordinate; one integer or one a dimension.

    A vector parameter counts x from the innermost dimension; an array parameter keeps the order.
    """

def init_device(
    type: DeviceType | DeviceInfo | str | None = None,
    adapter: _Integer | None = None,
    debug: bool = False,
    include_paths: collections.abc.Iterable[_Folder] = [],
    defines: dict[str, object] = {},
    compile_time_limit: typing.SupportsFloat | typing.SupportsIndex | None = None,
    compile_memory_limit: _Integer | None = None,
    check_nan: bool | None = None,
    deterministic: bool | None = None,
    check_gradients: bool | None = None,
    check_indices: bool | None = None,
    cache_directory: _Folder | None = None,
    cache_size_limit: _Integer | None = None,
    memory_limit: _Integer | None = None,
    *,
    enable_debug_layers: bool = False,
    enable_cuda_interop: bool = False,
    enable_hot_reload: typing.Literal[True] = True,
    enable_print: typing.Literal[False] = False,
    enable_compilation_reports: typing.Literal[False] = False,
    adapter_luid: None = None,
    existing_device_handles: None = None,
    bindless_options: None = None,
    compiler_options: None = None,
) -> Device:
    """
    Creates a device.

    Args:
        type: DeviceType or its name, or an entry of devices(); automatic prefers a real GPU, then
            software Vulkan.
            WEFT_DEVICE ('cuda', 'vulkan:1') decides where automatic is asked for.
        adapter: Index among the devices of that type, as devices() shows it; None takes the best.
        debug: Turns the Vulkan validation layer on, and check_indices.
        include_paths: Folders searched for modules and imports.
        defines: Preprocessor definitions of every module, {'STEPS': 20}.
        compile_time_limit: Seconds of processor time that compiling one module or kernel may
            take; None is 120. WEFT_COMPILE_TIME_LIMIT decides where None is given.
        compile_memory_limit: Bytes of address space of the compiler's process, at least 1 GiB;
            None is 4 GiB. WEFT_COMPILE_MEMORY_LIMIT decides where None is given.
        check_nan: Starts with Device.check_nan on; WEFT_CHECK_NAN=1 decides where None is given.
        deterministic: Starts with Device.deterministic on; WEFT_DETERMINISTIC=1 decides where None is given.
        check_gradients: Device.check_gradients; WEFT_CHECK_GRADIENTS decides where None is given, else
            it is on.
        check_indices: Every call waits, and an index outside a tensor is an ArgumentIndexError that
            names function, parameter, index and shape; None is debug.
        cache_directory: Folder for compiled code, '' for none; None is WEFT_CACHE_DIR, else
            the user's cache folder.
        cache_size_limit: Bytes of compiled code that are kept there, at least 16 MiB; None is
            1 GiB. What was used longest ago goes.
        memory_limit: Bytes of device memory that arrays may take, at least 64 MiB; more is a
            DeviceError that is a MemoryError. WEFT_MEMORY_LIMIT decides where None is given; else
            there is no limit but the device's own.

    Raises:
        DeviceError: No such device; says what is missing and how to get it.
        ArgumentError: Weft has no devices of that type, or no adapter of that index.
    """

@typing.overload
def max(tensor: Tensor, axis: None = None, *, keepdims: bool = False) -> float: ...
@typing.overload
def max(tensor: Tensor, axis: _Extents, *, keepdims: bool = False) -> Tensor:
    """
    Largest element, NaN if there is one. See sum().
    """

@typing.overload
def mean(tensor: Tensor, axis: None = None, *, keepdims: bool = False) -> float: ...
@typing.overload
def mean(tensor: Tensor, axis: _Extents, *, keepdims: bool = False) -> Tensor:
    """
    Arithmetic mean; float, or double for double. See sum().
    """

@typing.overload
def min(tensor: Tensor, axis: None = None, *, keepdims: bool = False) -> float: ...
@typing.overload
def min(tensor: Tensor, axis: _Extents, *, keepdims: bool = False) -> Tensor:
    """
    Smallest element, NaN if there is one. See sum().
    """

@typing.overload
def norm(tensor: Tensor, axis: None = None, *, keepdims: bool = False) -> float: ...
@typing.overload
def norm(tensor: Tensor, axis: _Extents, *, keepdims: bool = False) -> Tensor:
    """
    Euclidean norm: the square root of the sum of squares. See sum().
    """

def rand_float(
    min: typing.SupportsFloat | typing.SupportsIndex = 0.0,
    max: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    dim: _Integer = -1,
    seed: _Integer = 2640457667,
    warmup: _Integer = 0,
    hash_seed: bool = True,
) -> RandFloat:
    """
    Uniform random floats from min to max, for a float or floatN parameter; equal seeds repeat.

    Args:
        min: The least value.
        max: Above all values, unless rounding reaches it.
        dim: Components that the parameter must have, 1 to 4; -1: any.
        seed: A 32-bit integer.
        warmup: Times that an element's index is hashed before the seed; more hide its pattern.
        hash_seed: Hashes the seed first, so that neighbouring seeds differ.

    One of 2^23 numbers; the sequence is that of SlangPy. Source of the hash: T. Wang, Integer Hash Function, 2007.
    """

class Compiling:
    """
    How many kernels of those that are wanted together are compiled.
    """
    def __init__(self) -> None: ...
    @property
    def done(self) -> int:
        """
        So far.
        """
    @property
    def total(self) -> int:
        """
        Of them.
        """

def compile_together(
    calls: collections.abc.Iterable[tuple[Function, collections.abc.Sequence[typing.Any]]],
    interrupt: object = None,
    compiling: Compiling | None = None,
) -> None:
    """
    Compiles the kernels of calls that will come, on all cores.

    Args:
        calls: Functions and the tuples that they will be called with, of whose tensors kinds and
            dtypes matter.
        interrupt: Its check() ends the wait by raising, and is called every 50 ms.
        compiling: Told how far it is.

    Raises:
        CompileError: One of them does not compile.
    """

class SceneModules:
    """
    The kernels of a scene that evaluate no material, and those of each program in a module of its own.
    Made by prepare_scene().
    """
    @property
    def shared(self) -> Module:
        """
        The module of all materials.
        """
    @property
    def programs(self) -> list[Module]:
        """
        The module of each program.
        """
    def is_same(self, other: SceneModules) -> bool:
        """
        Whether another one has the same modules.
        """

class PathBuffers:
    """
    Memory for a batch of paths. Made by FilmTracer.buffers().
    """
    @property
    def capacity(self) -> int:
        """
        Paths.
        """
    @property
    def state(self) -> Tensor:
        """
        Rows of PathRow, shape (rows, capacity).
        """
    @property
    def rays(self) -> Tensor:
        """
        Rows of RayRow.
        """
    @property
    def hits(self) -> Tensor:
        """
        Rows of HitRow.
        """
    @property
    def keys(self) -> Tensor:
        """
        By which paths are sorted.
        """
    @property
    def queue(self) -> Tensor:
        """
        Paths in the order of their keys.
        """
    def view(self, first: _Integer = 0) -> dict[str, typing.Any]:
        """
        PathView of path.slang, for launches of the sorted paths from number `first` on.
        """

_View: typing.TypeAlias = dict[str, typing.Any]

class SceneTables:
    """
    A scene on a device.
    """
    def __init__(
        self,
        kept: KeptParts,
        scene: object,
        light_sampling: str = "auto",
        lit: SceneTables | None = None,
    ) -> None:
        """
        Args:
            kept: Parts of other tables, and those of these.
            scene: What.
            light_sampling: As a Renderer takes it.
            lit: Tables of the scene under other lights, with which memory is shared.

        Raises:
            ArgumentError: The scene cannot be; what is wrong is named.
        """
    @property
    def geometry(self) -> SceneGeometry:
        """
        The objects, and where their triangles lie.
        """
    @property
    def materials(self) -> dict[str, typing.Any]:
        """
        of its materials.
        """
    @property
    def view(self) -> _View:
        """
        SceneView of scene_view.slang; a copy, which shares the tensors.
        """
    def view_without_lights(self, materials: collections.abc.Sequence[_Integer]) -> _View:
        """
        Returns the view of a scene where bounces alone find the light of some materials.

        Args:
            materials: Their numbers.
        """
    def restore_values(self) -> None:
        """
        Writes the scene's own scalars and texels again, which a fit may have written over.
        """
    @property
    def values(self) -> Tensor:
        """
        The scalar parameters of all materials; one object with those of `lit` if the numbers are the same.
        """
    @property
    def texels(self) -> Tensor:
        """
        Of all textures.
        """
    @property
    def texture_records(self) -> NDArray[np.uint32]:
        """
        TextureWord of each texture, uint32, shape (n, 8), at least one.
        """
    @property
    def coefficients(self) -> Tensor:
        """
        Of media, see evaluate_media().
        """
    @property
    def traits(self) -> dict[str, typing.Any]:
        """
        The arguments of weft.scene.kernel_text.SceneTraits.
        """
    @property
    def has_light(self) -> bool:
        """
        Whether some light may reach a camera.
        """
    @property
    def has_light_tree(self) -> bool:
        """
        Whether lights at finite distance are drawn from a tree.
        """
    @property
    def light_count(self) -> int:
        """
        Lights, emissive triangles, and the environment if it is drawn.
        """
    @property
    def light_powers(self) -> NDArray[np.float64]:
        """
        Watts of each light but the environment, shape (n,).
        """

class TracedMeshes:
    """
    A tracer and what it traces for a scene. Made by prepare_scene().
    """
    @property
    def tracer(self) -> Tracer:
        """
        Of the instances.
        """
    @property
    def is_current(self) -> bool:
        """
        Whether nobody else has placed other instances or meshes since.
        """
    @property
    def change(self) -> tuple[int, int, int]:
        """
        What it took to make the tracer that of the scene: triangles that needed trees, meshes that have moved, meshes that are new.
        """

def aov_table() -> dict[str, tuple[int, int, bool]]:
    """
    Returns first row, channels and whether it is a mean over the pixel, of each AOV.
    """

def build_lit_tables(
    kept: KeptParts, scenes: collections.abc.Sequence[object], light_sampling: str
) -> list[SceneTables]:
    """
    Returns the SceneTables of a scene, and of it under other lights.

    Args:
        kept: Parts of the tables that they replace, and theirs.
        scenes: It, then the same objects under other lights.
        light_sampling: As a Renderer takes it.

    Raises:
        ArgumentError: A scene cannot be; what is wrong is named.
    """

def kernel_traits(
    device: Device, tables: collections.abc.Sequence[SceneTables]
) -> dict[str, typing.Any]:
    """
    Returns the arguments of SceneTraits of kernels that serve all these tables.
    """

def prepare_scene(
    film: FilmTracer,
    tables: collections.abc.Sequence[SceneTables],
    traits: object,
    before: TracedMeshes | None = None,
) -> tuple[SceneModules, TracedMeshes]:
    """
    Loads kernels, fills what they fill in tables, and makes acceleration structures. Returns SceneModules and TracedMeshes.

    Args:
        film: That will render the scene.
        tables: build_lit_tables() of the scene.
        traits: Of all kernels.
        before: The meshes of the scene before, or None.

    Raises:
        CompileError: A Slang function of a material does not compile.
        ArgumentError: A mesh cannot be traced; `before` is as it was.
    """

def evaluate_media(
    modules: SceneModules, tables: SceneTables, view: _View, coefficients: Tensor
) -> None:
    """
    Computes the coefficients of a scene's media from its parameters.

    Args:
        modules: Of the scene.
        tables: Of the scene.
        view: Of it, perhaps with other parameters.
        coefficients: Where they go.
    """

def camera_media(geometry: SceneGeometry, camera: object) -> tuple[NDArray[np.uint32], bool]:
    """
    Returns what a camera is in, as MediaStack of medium.slang has it, and whether a medium begins within the film of an orthographic camera.
    """

def texture_tensors(
    kept: KeptParts, textures: collections.abc.Sequence[object]
) -> tuple[Tensor, NDArray[np.uint32]]:
    """
    Returns the texels of textures, and their records: TextureWord, uint32, shape (n, 8), at least one.
    """

class FilmTracer:
    """
    Traces the paths of one scene in batches, and sums them up in films.

    Views are dicts of numbers and tensors, read at each call.
    """
    def __init__(self, device: Device) -> None: ...
    def copy(self) -> FilmTracer:
        """
        Another one with the same scene; it shares the memory that there is, and goes its own way from then on.
        """
    @property
    def batch(self) -> int:
        """
        Most paths that are under way at a time; may change while a picture is made.
        """
    @batch.setter
    def batch(self, arg1: _Integer) -> None: ...
    @property
    def capacity(self) -> int:
        """
        Paths for which there is memory now.
        """
    @property
    def compiling(self) -> Compiling:
        """
        How many kernels are compiled.
        """
    @property
    def load_count(self) -> int:
        """
        Modules of scenes that were loaded so far.
        """
    def set_scene(self, tracer: Tracer, modules: SceneModules) -> None:
        """
        Later calls are about this scene.
        """
    def buffers(self, paths: _Integer) -> PathBuffers:
        """
        Memory for at least so many paths.

        Raises:
            DeviceError: Memory is short.
        """
    def picture_bytes(self, camera: object, settings: object, has_layers: bool) -> int:
        """
        How many bytes a picture takes beside the scene, at most.

        Args:
            camera: The view.
            settings: How paths are traced.
            has_layers: It brings AOVs other than alpha.
        """
    def forget_paths(self) -> None:
        """
        Gives back the memory of paths; the next picture takes it again.
        """
    def picture(
        self,
        view: _View,
        light_paths: object,
        start_media: _Host,
        camera: object,
        settings: object,
        background: _Integer | None = None,
        progress: collections.abc.Callable[[float], None] | None = None,
        interrupt: object = None,
    ) -> NDArray[np.float32]:
        """
        A picture, shape (height, width, 3).

        Args:
            view: Of the scene.
            light_paths: Limits of its paths, or None.
            start_media: What the camera is in; empty: nothing.
            camera: The view.
            settings: How paths are traced.
            background: Replaces settings.shows_environment, see path.slang.
            progress: Called with the fraction that is done, after each batch.
            interrupt: As compile_together() takes it.
        """
    def coverage(
        self,
        view: _View,
        light_paths: object,
        start_media: _Host,
        camera: object,
        settings: object,
        progress: collections.abc.Callable[[float], None] | None = None,
        interrupt: object = None,
    ) -> NDArray[np.float32]:
        """
        What part of each pixel is covered, shape (height, width, 1). Arguments as of picture().
        """
    def centre_layers(
        self, view: _View, light_paths: object, start_media: _Host, camera: object, settings: object
    ) -> NDArray[np.float32]:
        """
        layers() of the points at the centres of pixels; the lens is taken to be a point.
        """
    def layers(
        self, view: _View, light_paths: object, start_media: _Host, camera: object, settings: object
    ) -> NDArray[np.float32]:
        """
        All rows of LayerRow, averaged over the samples, shape (height, width, rows).
        """
    def centre_hits(
        self, view: _View, light_paths: object, start_media: _Host, camera: object
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """
        Instance and triangle that the centre of each pixel shows; instance 0xffffffff: nothing.
        """
    def generate(
        self,
        light_paths: object,
        start_media: _Host,
        camera: object,
        settings: object,
        buffers: PathBuffers,
        step: _View,
        count: _Integer,
        pixels: Tensor | None = None,
    ) -> None:
        """
        Starts `count` paths of a camera.

        Args:
            light_paths: Limits of the scene's paths, or None.
            start_media: What the camera is in; empty: nothing.
            camera: The view.
            settings: How paths are traced.
            buffers: Where.
            step: Settings of the first step.
            count: Number of paths.
            pixels: Numbers of pixels, y * width + x; None: all, in order.
        """
    def segments(self, settings: object) -> int:
        """
        How many segments the longest path has, at most.
        """
    def trace_and_sort(
        self,
        view: _View,
        buffers: PathBuffers,
        count: _Integer,
        bounce: _Integer,
        step: _View | None = None,
    ) -> list[int]:
        """
        Traces one segment of `count` paths and sorts them by what they hit; with `step` they go through the
        media before that.
        """
    def shade_segment(
        self,
        view: _View,
        buffers: PathBuffers,
        count: _Integer,
        step: _View,
        ends: collections.abc.Sequence[_Integer],
    ) -> None:
        """
        Takes the sorted paths over the surfaces that they have hit.
        """

class Directions:
    """
    Directions in the space of parameters, by the materials they move.
    """
    def __init__(
        self, device: Device, records: NDArray[np.uint32], rows: NDArray[np.float32]
    ) -> None:
        """
        Args:
        device: Where the tables go.
        records: Of the materials, shape (n, 2).
        rows: One direction a row, shape (directions, parameters).
        """
    @property
    def count(self) -> int:
        """
        Directions.
        """
    @property
    def lengths(self) -> list[int]:
        """
        Directions of each material.
        """
    @property
    def most(self) -> int:
        """
        Those of the material with most.
        """
    @property
    def moved(self) -> NDArray[np.bool_]:
        """
        Which parameters any of them moves.
        """
    @property
    def seeds(self) -> Tensor:
        """
        What each entry moves of its material's parameters.
        """
    @property
    def view(self) -> _View:
        """
        DirectionView of record.slang.
        """

class RecordedLaunch:
    """
    Records of one program at one bounce: neighbours.
    """
    @property
    def program(self) -> int:
        """
        Its number; -1: segments in media.
        """
    @property
    def bounce(self) -> int: ...
    @property
    def first(self) -> int:
        """
        Record.
        """
    @property
    def count(self) -> int:
        """
        Of records.
        """

class Recorder:
    """
    Records the paths of a camera, and replays them for other parameters.
    """
    def __init__(
        self,
        film: FilmTracer,
        tables: SceneTables,
        materials: collections.abc.Sequence[_Integer],
        directions: Directions | None = None,
        lit: SceneTables | None = None,
        with_texels: bool = False,
    ) -> None:
        """
        Args:
            film: Of the scene.
            tables: Of the scene.
            materials: Numbers of the materials whose parameters change.
            directions: Of forward mode, or None.
            lit: The scene under the lights of the paths; None: its own.
            with_texels: gradients() will be called, whether or not there are directions.

        Raises:
            ArgumentError: A material cannot be fitted.
            CompileError: One does not compile.
        """
    def draw(
        self,
        camera: object,
        settings: object,
        pixels: NDArray[np.uint32],
        start_media: NDArray[np.uint32],
        interrupt: object | None = None,
    ) -> None:
        """
        Draws settings.samples paths a pixel, and forgets the ones before.

        Args:
            camera: The view.
            settings: How paths are traced.
            pixels: Numbers of pixels, y * width + x.
            start_media: What the camera is in; empty: nothing.
            interrupt: Its check() ends the draw by raising; called for each segment.

        Raises:
            ArgumentError: There is no such pixel.
        """
    def forget(self) -> None:
        """
        Gives back the memory of the last draw; the next one takes it again.
        """
    def forget_paths(self) -> None:
        """
        Lets go of the paths of the last draw; records stay until the next one.
        """
    def record_bytes(self, surfaces: _Integer) -> int:
        """
        Bytes of the records of so many surfaces, at most.
        """
    def replay(
        self, values: Tensor, texels: Tensor | None = None, with_tangents: bool = False
    ) -> None:
        """
        Evaluates all records for parameters.

        Args:
            values: All parameters of the scene.
            texels: Of all textures; None: those of the scene.
            with_tangents: Derivatives along the directions, too.

        Raises:
            ArgumentError: Nothing was drawn, or values are too few.
        """
    def gradients(
        self,
        values: Tensor,
        pixel_gradients: Tensor,
        gradients: Tensor,
        texels: Tensor | None = None,
        texel_gradients: Tensor | None = None,
    ) -> None:
        """
        Adds to the gradients of parameters and texels, after replay() for the same values.

        Args:
            values: All parameters of the scene.
            pixel_gradients: Of a loss by the mean of each pixel's samples, flat: three a pixel for each period.
            gradients: Of the parameters; added to.
            texels: Of all textures; None: those of the scene.
            texel_gradients: Added to; None: textures do not change.

        Raises:
            ArgumentError: Nothing was drawn, media are fitted, or a tensor is too small.
        """
    def resolve(
        self, first: _Integer, count: _Integer, film: Tensor, directions: _Integer = 0
    ) -> None:
        """
        Stores the mean of samples of each pixel, then its derivatives; does not wait.

        Args:
            first: Number of the first sample.
            count: Of samples.
            film: Contiguous; takes 3 * pixels * (1 + directions) floats.
            directions: 0, or all of them.

        Raises:
            ArgumentError: There are no such samples, or the film is too small.
        """
    def direct_fraction(self) -> NDArray[np.float32]:
        """
        The fraction of each pixel's samples whose first surface was recorded, shape (pixels,).
        """
    @property
    def film(self) -> FilmTracer:
        """
        What traces the paths.
        """
    @property
    def has_media(self) -> bool:
        """
        Whether numbers of media change.
        """
    @property
    def scene(self) -> _View:
        """
        SceneView of the paths, with the scene's own parameters.
        """
    @property
    def view(self) -> _View:
        """
        RecordView of record.slang; empty where there are no records.
        """
    @property
    def launches(self) -> list[RecordedLaunch]:
        """
        What has left records, in order.
        """
    @property
    def row_count(self) -> int:
        """
        Floats of a record.
        """
    @property
    def pixels(self) -> int:
        """
        Of the last draw.
        """
    @property
    def paths(self) -> int:
        """
        Of the last draw.
        """

def step_settings(
    settings: object,
    light_paths: object,
    pixels: tuple[_Integer, _Integer],
    samples: tuple[_Integer, _Integer],
) -> dict[str, typing.Any]:
    """
    Returns StepSettings of path.slang for (first, count) of pixels and of samples.
    """

def check_path_settings(settings: object) -> None:
    """
    Raises ArgumentError for a number out of its range.
    """

def check_camera(camera: object) -> None:
    """
    Raises ArgumentError for a number out of its range.
    """

def camera_film(camera: object) -> tuple[list[float], list[float]]:
    """
    Returns the lower left and upper right corners of a camera's film.
    """

def path_rows(traits: object) -> int:
    """
    Returns how many rows of path_rows.slang the paths of a scene have: up to the first that only scenes with
    more than it need.
    """

def default_batch(device: Device, traits: object) -> int:
    """
    Returns how many paths pictures have under way at a time unless told: 2^24 where they take at most an eighth
    of the device's free memory, fewer elsewhere, 2^20 at least and in software.
    """

def path_buffer_bytes(capacity: _Integer, traits: object) -> int:
    """
    Returns what memory for so many paths takes at most, that of walks included.
    """

def whole_groups(count: _Integer) -> int:
    """
    Returns room for at least so many paths or records: whole groups of threads.
    """

def record_room(wanted: _Integer) -> int:
    """
    Returns the records that memory for at least so many gets.
    """

def rows_of_hits(words: _Integer) -> int:
    """
    Returns how many hits have room for so many words.
    """

def is_uncounted(traits: object) -> bool:
    """
    Returns whether only the host can tell how many segments the longest path has.
    """

def sort_by_key(
    keys: Tensor,
    queue: Tensor,
    count: _Integer,
    key_count: _Integer,
) -> list[int]:
    """
    Writes the numbers 0 ... count - 1 to `queue` in the order of their keys.

    Both are contiguous tensors of uint with at least `count` elements. Returns key_count + 1 offsets: the
    numbers with key k lie at offset[k] to offset[k + 1]. Waits for the device.

    Raises:
        ArgumentError: A tensor has another form, or a key is not below key_count.
    """

@typing.overload
def sum(tensor: Tensor, axis: None = None, *, keepdims: bool = False) -> float: ...
@typing.overload
def sum(tensor: Tensor, axis: _Extents, *, keepdims: bool = False) -> Tensor:
    """
    Sum over all elements, or over the given axes.

    half and float are summed pairwise in float, integers in 64 bits. Bit-identical from run to run on one
    device. Vectors count as a last axis. Returns a Python number without `axis`, else a Tensor.

    Raises:
        ArgumentError: An axis is out of range, or the tensor holds structures.
    """

def thread_id(dims: _Integer = -1) -> ThreadId:
    """
    The index of the device thread, for an integer parameter of up to 3 components.

    Args:
        dims: Components that the parameter must have, 1 to 3; -1: any.
    """

def wang_hash(
    dim: _Integer = -1,
    seed: _Integer = 2640457667,
    warmup: _Integer = 0,
    hash_seed: bool = True,
) -> WangHash:
    """
    Random 32-bit integers from the call index, for an int, uint, intN or uintN parameter; equal seeds repeat.

    Arguments as of rand_float().
    """

NDBuffer = Tensor

class Error(Exception):
    """Base of all Weft errors."""

class ArgumentError(Error, ValueError):
    """An argument that cannot work."""

class CompileError(Error, RuntimeError):
    """Slang rejects a source; `diagnostics` lists why."""

    diagnostics: list[Diagnostic]

class DeviceError(Error, RuntimeError):
    """A device, its driver or its memory failed."""

    native_call: str
    native_code: int

class ImageError(Error, OSError):
    """An image file cannot be read or written."""

class InternalError(Error, RuntimeError):
    """A bug in Weft."""

class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of a wrong type."""

class OutOfMemoryError(DeviceError, MemoryError):
    """Device memory is short."""

class ArgumentNotFoundError(ArgumentError, FileNotFoundError):
    """A file that does not exist."""

class ArgumentIndexError(ArgumentError, IndexError):
    """An index outside its tensor."""

class ArgumentAttributeError(ArgumentError, AttributeError, KeyError):
    """A name that a module or structure does not have."""

class NonFiniteError(Error, FloatingPointError):
    """
    A call wrote NaN or infinity, and Device.check_nan is on; or most pixels or texels of a fit are no finite numbers.
    """

class GradientError(Error, ArithmeticError):
    """Reverse mode of a function gives wrong gradients, as Device.check_gradients found."""

class GradientWarning(RuntimeWarning):
    """A function asks for gradients that a tensor does not have."""

FEW_OUTLIERS: float
"""
Share of the pixels: more that are far off make a picture doubtful.
"""

LEFT_OUT_TRUST: float
"""
Trust of a pixel that a robust loss leaves out, and below.
"""

MAX_VALIDATION_SAMPLES: int
"""
Most paths a pixel in each half, where a verdict looks at what was found.
"""

MEDIAN_DEVIATION_FACTOR: float
"""
Standard deviations in a median absolute deviation of normal numbers.
"""

MISFIT_SIGMAS: float
"""
Standard deviations: more is no noise.
"""

RENDERER_DIFFERENCE: float
"""
Of the light: two renderers differ by as much.
"""

VALIDATION_PATHS_AT_ONCE: int
"""
Most paths of a view in one draw that looks at what was found, where pixels are many.
"""

class Observation:
    """
    A picture that a fit explains, as the engine has it.

    Args:
        image: Radiance, linear Rec.709, shape (height, width, 3).
        mask: Weights in [0, 1], shape (height, width).
        rounding: Standard deviation of what steps of a file have made of each number, the shape of `image`; None: nothing.
        grain: Pixels over which noise of the picture is shared.
        name: In messages.
        robust: Pixels that nothing explains lose their say.
    """
    def __init__(
        self,
        image: NDArray[np.floating],
        mask: NDArray[np.floating],
        rounding: NDArray[np.floating] | None = None,
        grain: typing.SupportsInt = 1,
        name: str = "target",
        robust: bool = False,
    ) -> None: ...
    def noise_weights(
        self, display_noise: NDArray[np.floating] | None = None
    ) -> NDArray[np.float32]:
        """
        Returns one weight a pixel and channel, for noise that grows with the radiance around, the shape of the image.

        Args:
            display_noise: Light that a display hardly tells apart, the shape of the image: what it hides counts less; None: nothing.
        """

class PictureResiduals:
    """
    A picture beside new draws of what a fit has found.

    Args:
        picture: Which.
        counts: Which pixels were drawn, shape (height, width).
        a: Residuals of one half times `weights`, shape (height, width, 3); 0 where nothing was drawn.
        b: Of the other half.
        weights: One a pixel and channel.
        trust: What a robust loss leaves of each pixel, in (0, 1], shape (height, width).
    """
    def __init__(
        self,
        picture: Observation,
        counts: NDArray[np.bool_],
        a: NDArray[np.floating],
        b: NDArray[np.floating],
        weights: NDArray[np.floating],
        trust: NDArray[np.floating],
    ) -> None: ...
    def measure(self) -> Misfit:
        """
        Returns what is left of the residuals.
        """

class Misfit:
    """
    What is left of the residuals of some pixels; all in units of the light around them.
    """
    @property
    def power(self) -> float:
        """
        Mean square of residuals without noise of draws: noise of the picture, and misfit.
        """
    @property
    def misfit(self) -> float:
        """
        Mean product of neighbours: what the scene does not explain, squared.
        """
    @property
    def noise(self) -> float:
        """
        Mean square of the picture's noise.
        """
    @property
    def certainty(self) -> float:
        """
        Standard deviations by which neighbours are alike.
        """
    @property
    def outliers(self) -> float:
        """
        Share of pixels that are far off alone, or that a robust loss leaves out.
        """
    @property
    def rounding(self) -> float:
        """
        Mean square of what the steps of the file make.
        """
    @property
    def brightness(self) -> float:
        """
        Picture over render.
        """
    @property
    def pixels(self) -> int:
        """
        That were drawn.
        """
    @property
    def grain(self) -> int:
        """
        Pixels over which noise of the picture is shared.
        """
    @property
    def exceeds_noise(self) -> bool:
        """
        Whether residuals are more than noise.
        """
    def judge(self) -> PictureVerdict:
        """
        Returns what that makes of the picture.
        """

class PictureVerdict:
    """
    Numbers of weft.fit.ViewVerdict, which says what they are.
    """
    @property
    def level(self) -> typing.Literal["explained", "doubtful", "wrong"]:
        """
        "explained", "doubtful" or "wrong".
        """
    @property
    def ratio(self) -> float:
        """
        Residuals over noise.
        """
    @property
    def misfit(self) -> float:
        """
        Of the picture's light.
        """
    @property
    def noise(self) -> float:
        """
        Of the picture's light.
        """

def shared_residual(
    a: NDArray[np.floating],
    b: NDArray[np.floating],
    counts: NDArray[np.bool_],
    grain: typing.SupportsInt = 1,
) -> tuple[float, float]:
    """
    Returns the mean product of neighbours and how many standard deviations from 0 it is, of the scale where it is most certain.

    Args:
        a: Residuals of one half, shape (height, width, 3).
        b: Of the other.
        counts: Which pixels count, shape (height, width).
        grain: Pixels over which noise of the picture is shared: 8 for JPEG.
    """

class MaterialTable:
    """
    What weft.render.material_table.MaterialTable is made of, as the engine has it.
    """

class UnknownBlock:
    """
    One parameter, exposure or light within Unknowns.
    """
    @property
    def first(self) -> int:
        """
        Its first unknown.
        """
    @property
    def size(self) -> int:
        """
        Number of its unknowns.
        """
    @property
    def is_log(self) -> bool:
        """
        The unknown is the logarithm of the value.
        """
    @property
    def is_factor(self) -> bool:
        """
        It scales a view or a light, and is no number of a material.
        """

class Unknowns:
    """
    The vector of unknowns of a fit, on the scale of their transforms; without any at first.
    """
    def __init__(self) -> None: ...
    def add_parameter(
        self,
        table: MaterialTable,
        name: str,
        tied: collections.abc.Sequence[str],
        range: tuple[tuple[float, float] | None, str | None, _Vector],
    ) -> None:
        """
        Appends the unknowns of a parameter.

        Args:
            table: Of the scene.
            name: Of the parameter.
            tied: Names of others that always have the same value.
            range: Bounds, or None: those of the input; "linear", "log" or None: the scale of the input; where the fit begins, empty: the value of the scene.

        Raises:
            ArgumentError: A name is unknown, or bounds, scale or start do not fit.
        """
    def add_factor(
        self,
        name: str,
        size: typing.SupportsInt,
        range: tuple[float, tuple[float, float]],
        view: typing.SupportsInt | None,
        light: typing.SupportsInt | None,
    ) -> None:
        """
        Appends the factor of a picture or of a light.

        Args:
            name: In results.
            size: 1, or 3: one a channel.
            range: Where the fit begins, and bounds above 0.
            view: Number of the picture; None: of none.
            light: Number of the light; None: of none.
        """
    def expect(
        self, block: typing.SupportsInt, mean: _Vector, deviation: typing.SupportsFloat
    ) -> None:
        """
        Adds to the prior what is expected of a parameter, when all unknowns are there.

        Args:
            block: Number of its block.
            mean: One number, or one a component.
            deviation: Standard deviation.
        """
    @property
    def blocks(self) -> list[UnknownBlock]:
        """
        One a parameter or factor, in their order.
        """
    @property
    def start(self) -> NDArray[np.float64]:
        """
        Shape (n,).
        """
    @property
    def low(self) -> NDArray[np.float64]:
        """
        Lower bounds.
        """
    @property
    def high(self) -> NDArray[np.float64]:
        """
        Upper bounds.
        """
    def values(self, x: _Vector) -> NDArray[np.float64]:
        """
        Returns the unknowns on the scale of the scene.
        """
    def derivatives(self, x: _Vector) -> NDArray[np.float64]:
        """
        Returns the derivatives of values().
        """
    def gains(self, x: _Vector, views: typing.SupportsInt) -> NDArray[np.float32]:
        """
        Returns the factors of the pictures, shape (views, 3).
        """
    def light_factors(self, x: _Vector) -> NDArray[np.float32]:
        """
        Returns the factors of lights, shape (lights + 1, 3); the last, 1, is for others.
        """
    def write(self, x: _Vector, scene_values: NDArray[np.float32]) -> None:
        """
        Sets the floats of the scene.
        """
    def directions(self, parameters: typing.SupportsInt) -> UnknownDirections:
        """
        Returns the directions that forward mode needs among so many parameters.
        """

MAX_SAMPLES_FACTOR: int
"""
Times the samples of the settings: most samples of an iteration.
"""

MIN_PATHS: int
"""
Paths in each sample set of an iteration, where pixels are few.
"""

PATHS_PER_SCALAR: int
"""
Paths in each sample set of an iteration, for each unknown.
"""

def iteration_samples(
    pixels: typing.SupportsInt,
    scalars: typing.SupportsInt,
    wanted: typing.SupportsInt,
    least: typing.SupportsInt,
) -> int:
    """
    Returns the paths a pixel in each sample set of an iteration: more where pixels are few.

    Args:
        pixels: Of all views that are drawn.
        scalars: Number of unknowns.
        wanted: Samples of the settings.
        least: Samples that are enough.
    """

class UnknownDirections:
    """
    Directions in the space of the scene's parameters.
    """
    @property
    def rows(self) -> NDArray[np.float32]:
        """
        Shape (directions, parameters).
        """

_Arrays: typing.TypeAlias = dict[str, NDArray[typing.Any]]
_Pair: typing.TypeAlias = tuple[NDArray[np.float32], NDArray[np.float32]]
_Information: typing.TypeAlias = tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.bool_],
]
_Validations: typing.TypeAlias = list[
    tuple[
        NDArray[np.bool_],
        NDArray[np.float32],
        NDArray[np.float32],
        NDArray[np.float32],
        NDArray[np.float32],
    ]
]

class View:
    """
    One of Views: a picture of a fit.
    """
    @property
    def pixels(self) -> NDArray[np.uint32]:
        """
        Numbers of the pixels that are drawn, y * width + x.
        """
    @pixels.setter
    def pixels(self, arg1: NDArray[np.uint32]) -> None: ...
    @property
    def weights(self) -> NDArray[np.float32]:
        """
        Of residuals, shape (pixels of the picture, 3); 0: it does not count.
        """
    @property
    def trust(self) -> NDArray[np.float32]:
        """
        What a robust loss leaves of each pixel of the picture, in (0, 1].
        """
    @property
    def lost_count(self) -> int:
        """
        Pixels that were no finite numbers at any time.
        """

class Views:
    """
    The pictures of a fit, with what records their paths; none at first.
    """
    def __init__(self) -> None: ...
    def add(
        self,
        picture: Observation,
        camera: object,
        settings: object,
        weights: NDArray[np.floating],
        parts: collections.abc.Sequence[tuple[Recorder, int | None]],
        start_media: NDArray[np.uint32],
    ) -> None:
        """
        Adds a picture.

        Args:
            picture: What is seen.
            camera: That sees it.
            settings: PathSettings with the filter of the picture.
            weights: Of its pixels with full trust, shape (pixels, 3).
            parts: Of its light: a recorder of each, and the number of the light whose factor it has, or None.
            start_media: What the camera is in; empty: nothing.
        """
    def __len__(self) -> int: ...
    def __getitem__(self, number: typing.SupportsInt) -> View: ...
    def save(self) -> dict[str, NDArray[np.generic]]:
        """
        Returns which pixels are drawn and what they count, by name.
        """
    def restore(self, saved: _Arrays) -> None:
        """
        Goes back to where save() was called; arrays that do not fit raise ArgumentError.
        """

class ScalarModel:
    """
    Renders of a scene as a function of a few numbers, by recorded paths, for a FitStage; see native/fit/scalar_model.hpp.

    Args:
        views: With recorders for the directions of `unknowns`.
        unknowns: What changes.
        tables: Of the scene.
        samples: Paths a pixel in each sample set of an iteration.
        bounces: Surfaces that a path may leave.
        seed: Equal seeds give equal fits.
        interrupt: Its check() ends a draw by raising.
    """
    def __init__(
        self,
        views: Views,
        unknowns: Unknowns,
        tables: SceneTables,
        samples: typing.SupportsInt,
        bounces: typing.SupportsInt,
        seed: typing.SupportsInt,
        interrupt: object,
    ) -> None: ...

ENVIRONMENT_LOOKUP: str
MAX_PRECONDITIONERS: int

class TextureModel:
    """
    Textures that are fitted by gradient steps, replayed from recorded paths, for a FitStage; see native/fit/texture_model.hpp.

    Args:
        views: With recorders that give gradients of texels.
        tables: Of the scene.
        textures: Name, bounds and smoothness of each, and whether it lights the scene.
        bounces: Surfaces that a path may leave.
        seed: Equal seeds give equal fits.
        interrupt: Its check() ends a draw by raising.
    """
    def __init__(
        self,
        views: Views,
        tables: SceneTables,
        textures: collections.abc.Sequence[tuple[str, tuple[float, float], float, bool]],
        bounces: typing.SupportsInt,
        seed: typing.SupportsInt,
        interrupt: object,
    ) -> None: ...
    def results(
        self,
    ) -> list[tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]]:
        """
        Returns pixels, known and errors of each texture, the top row first; see weft.fit.FittedTexture.
        """
    def undetermined(self) -> list[str]:
        """
        Returns why pictures do not determine a texture, one text a texture; "": they do.
        """
    def tied_uncertainty(
        self,
    ) -> list[
        tuple[
            list[int],
            NDArray[np.float64],
            NDArray[np.float64],
            NDArray[np.float64],
            list[NDArray[np.bool_]],
        ]
    ]:
        """
        Returns what is not known of maps of one material, a tuple a group: numbers of the maps, how they were found, errors and correlation, and which texels pictures show of each map, all on their common grid.
        """
    @property
    def lost_texels(self) -> int:
        """
        Texels whose derivatives were no finite numbers, at most of any draw.
        """

class FitStage:
    """
    A fit while it runs: its phases, and what they have found; see native/fit/stage.hpp. Other threads may read what it has found while a step is under way; they see how things were before it.

    Args:
        scalars: Model of the numbers; None: textures move alone.
        textures: Model of the textures, with the same views; None: numbers move alone.
        settings: A weft.fit.FitSettings.
        shown: Where there are both: which pixels show textures that change, or lie close to one that does, one flag a pixel of each view's picture.
    """
    def __init__(
        self,
        scalars: ScalarModel | None,
        textures: TextureModel | None,
        settings: object,
        shown: collections.abc.Sequence[NDArray[np.bool_]] = ...,
    ) -> None: ...
    @property
    def is_done(self) -> bool:
        """
        Whether all phases are done.
        """
    @property
    def has_converged(self) -> bool:
        """
        At the end: whether errors are as small as asked for, and textures are at rest.
        """
    @property
    def loss(self) -> float:
        """
        Mean product of the residuals of both sample sets, relative to the light around, squared; infinite before any step.
        """
    @property
    def noise_floor(self) -> float:
        """
        Standard deviation that the noise of renders gives the loss.
        """
    @property
    def progress(self) -> float:
        """
        Fraction of the expected work that is done, in [0, 1].
        """
    @property
    def seconds_left(self) -> float:
        """
        Expected seconds of the iterations left; infinite before two were timed.
        """
    @property
    def phase(self) -> str:
        """
        Which phase has made the last iteration: "scalars", "textures" or "polish", with a number from the second of a kind on; "" before any.
        """
    @property
    def is_settled(self) -> bool:
        """
        Whether the loss of textures has ceased to fall; there may be none.
        """
    @property
    def x(self) -> NDArray[np.float64]:
        """
        The numbers as they were found so far, shape (p,).
        """
    @property
    def errors(self) -> NDArray[np.float64]:
        """
        Standard errors of x; infinite while nothing is known.
        """
    @property
    def information(self) -> _Information | None:
        """
        matrix, covariance, lost, drawn_share and is_silent of weft.fit.information.Information; None: nothing is known.
        """
    def error_factors(self, ratio: typing.SupportsFloat) -> NDArray[np.float64]:
        """
        Returns by which errors grow where neighbours share residuals, shape (p,).

        Args:
            ratio: Of residuals to noise: what they grow by if nothing better is known (Birge 1932).
        """
    def step(self) -> None:
        """
        Samples new paths and takes one optimisation step of the phase under way. If it raises, the fit is as it was.
        """
    def write(self) -> None:
        """
        Leaves the scene on the device with what was found. Later steps are as if it had not.
        """
    def validate(
        self,
        samples: typing.SupportsInt,
        bounces: typing.SupportsInt | None = None,
        paths: typing.SupportsInt = ...,
    ) -> _Validations:
        """
        Draws all pixels that count, or those of tiles all over large pictures, at what was found; returns counts, a, b, weights and trust of weft.fit.validation.Validation, a tuple a view.

        Args:
            samples: Paths a pixel in each sample set, at least.
            bounces: Surfaces that a path may leave; None: as many as in iterations.
            paths: Of all views.
        """
    def differences(
        self,
        pixels: collections.abc.Sequence[NDArray[np.uint32]],
        samples: typing.SupportsInt,
        draw: typing.SupportsInt,
    ) -> list[NDArray[np.float32]]:
        """
        Renders some pixels of the pictures at what was found, whether or not they count; returns render minus picture, shape (pixels, 3), one array a view.

        Args:
            pixels: Of each view.
            samples: Paths a pixel in each sample set.
            draw: Number that the samples follow from.
        """
    def save(self) -> dict[str, NDArray[np.generic]]:
        """
        Returns arrays by name: all that later steps depend on.
        """
    def restore(self, saved: _Arrays) -> None:
        """
        Goes back to where save() was called, by a fit that was made of the same; arrays that do not fit raise ArgumentError and change nothing.
        """
