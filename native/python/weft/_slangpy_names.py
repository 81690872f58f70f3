# SPDX-License-Identifier: Apache-2.0
"""Names of SlangPy 0.43 that Weft has not: what to take instead, or the value that stands for them.

Every name raises one error that says the way in Weft. See docs/guide/porting.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft import _native
from weft._native import ArgumentAttributeError, ArgumentError, CompileError, find_type
from weft._porting import BufferUsage, MemoryType

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft._native import Struct

_TEXTURES = "Weft has no textures; pass a Tensor of float3 or float4, and sample(uv) it in Slang"
_PROGRAMS = (
    "Weft has no programs or pipelines of its own; run an entry point by module.f.dispatch()"
)
_BUFFERS = "memory of Weft is a Tensor; take Tensor.empty(device, shape, dtype), and its storage"
_WINDOWS = "Weft opens no windows; write the tensor by weft.image.write() or show its numpy()"
_SESSIONS = "Weft has no compiler sessions; device.load_module() and weft.Module load sources"
_RAYS = "Slang functions trace no rays in Weft; weft.render renders scenes"
_RECORDING = "an encoder of Weft records calls only: module.f.append_to(encoder, ...)"
_CALLBACKS = "Weft has no callbacks of devices; module.generation tells a reload"
_REFLECTION = "ask module.functions, module.structs, f.signature and Struct.type"
_FENCES = "Weft orders the work itself; device.wait() waits for all of it"
_LOGGING = "take Python's logging"
_MATHS = "take numpy"

Table = dict[str, str]


def _table(*groups: tuple[str, str]) -> Table:
    """Make a table of names from groups of names with one advice."""
    return {name: advice for names, advice in groups for name in names.split()}


_TENSOR = _table(("uniforms", "pass the tensor itself to a call, to set() or to dispatch()"))
_FUNCTION = _table(
    ("call_group_shape", "Weft chooses the order of the elements; leave it out"),
    ("cuda_stream", "calls with torch's tensors go to torch's current stream; leave it out"),
    ("type_conformances", "an argument names its type: {'_type': 'Name', ...}; leave it out"),
    ("write", "take set({'name': value}) or set(name=value)"),
    ("ray_tracing", _RAYS),
    ("torch", "pass tensors of torch to the function itself, or take weft.torch.op"),
    ("debug_build_call_data", "take explain(...) or generated_source(...)"),
    ("parent root calc_build_info slangpy_signature", "take module, name and signature"),
    ("generate_call_data generate_bwds_call_data read_signature", "take generated_source(...)"),
    ("gather_runtime_options", "take explain(...)"),
)
_DEVICE = _table(
    ("create_buffer", _BUFFERS),
    ("create_texture create_sampler get_format_support", _TEXTURES),
    ("create_surface create_render_pipeline create_input_layout", _WINDOWS),
    ("create_compute_kernel create_compute_pipeline load_program link_program", _PROGRAMS),
    ("create_root_shader_object create_shader_object reload_all_programs", _PROGRAMS),
    ("create_ray_tracing_pipeline create_shader_table", _RAYS),
    ("create_acceleration_structure create_acceleration_structure_instance_list", _RAYS),
    ("get_acceleration_structure_sizes", _RAYS),
    ("slang_session create_slang_session compose_modules", _SESSIONS),
    ("hot_reload_check set_hot_reload_delay", "edited files are used half a second later"),
    ("register_shader_hot_reload_callback unregister_shader_hot_reload_callback", _CALLBACKS),
    ("register_device_close_callback unregister_device_close_callback", _CALLBACKS),
    ("register_command_recording_submitted_callback", _CALLBACKS),
    ("unregister_command_recording_submitted_callback", _CALLBACKS),
    ("register_command_recording_discarded_callback", _CALLBACKS),
    ("unregister_command_recording_discarded_callback", _CALLBACKS),
    ("create_fence create_query_pool is_submit_finished wait_for_submit", _FENCES),
    ("get_timestamp_calibration", "take time.perf_counter() before and after device.wait()"),
    ("submit_command_buffers", "take submit_command_buffer() for each"),
    ("sync_to_cuda sync_to_device cuda_context_scope set_cuda_context_current", _FENCES),
    ("supports_cuda_interop", "tensors of torch are shared on a CUDA device, else copied"),
    ("native_handles", "take native_context and native_stream of a CUDA device"),
    ("flush_print flush_print_to_string", "kernels of Weft print nothing; return the values"),
    ("get_compilation_reports shader_cache_stats", "take compiler_statistics"),
    ("report_heaps", "take memory_info()"),
    ("capabilities features has_capability has_feature", "take info.features"),
    ("supported_shader_model", "take info.features and info.architecture"),
    ("desc", "take type, info and include_paths"),
    ("report_live_objects", "take memory_info(), which counts live buffers"),
    ("convert_coop_vec_matrices convert_coop_vec_matrix", "take weft.mlp"),
    ("create_coop_vec_matrix_desc get_coop_vec_matrix_size", "take weft.mlp"),
)
_INFO = _table(
    ("timestamp_frequency", "take time.perf_counter() before and after device.wait()"),
    ("optix_version", "Weft does not use OptiX"),
    ("luid vendor_id device_id", "take adapter, the index for create_device(adapter=)"),
)
_LIMITS = _table(
    ("max_texture_dimension_1d max_texture_dimension_2d max_texture_dimension_3d", _TEXTURES),
    ("max_texture_dimension_cube max_texture_layers max_shader_visible_samplers", _TEXTURES),
    ("max_framebuffer_dimensions max_viewport_dimensions max_viewports", _WINDOWS),
    ("max_vertex_input_element_offset max_vertex_input_elements", _WINDOWS),
    ("max_vertex_stream_stride max_vertex_streams", _WINDOWS),
)
_ENCODER = _table(
    ("begin_compute_pass begin_render_pass begin_ray_tracing_pass execute_callback", _RECORDING),
    ("copy_buffer clear_buffer upload_buffer_data set_buffer_state global_barrier", _RECORDING),
    ("push_debug_group pop_debug_group insert_debug_marker write_timestamp", _RECORDING),
    ("blit copy_texture upload_texture_data generate_mips clear_texture_float", _TEXTURES),
    ("build_acceleration_structure", _RAYS),
)
_STORAGE = _table(
    ("to_torch", "take torch() of the tensor"),
    ("desc memory_usage", "take size and struct_size"),
    ("native_handle shared_handle", "take device_address"),
    ("descriptor_handle_ro descriptor_handle_rw", "pass the storage to a buffer parameter"),
)
_MODULE = _table(
    ("session", _SESSIONS),
    ("on_hot_reload", "take reload()"),
    ("options link", "pass them to Module(module, options=, link=)"),
    ("call_data_cache dispatch_data_cache pipeline_cache", "take device.clear_cache()"),
)
_STRUCT = _table(
    ("session program", _SESSIONS),
    ("type_reflection struct", "take Struct.type"),
    ("buffer_layout uniform_layout", "take Struct.type.size, and the offset of its fields"),
    ("vector_type_name", "pass Tensors of the structure"),
    ("torch", "pass tensors of torch to the functions themselves"),
    ("on_hot_reload", "take module.reload()"),
)
_MODULE_NAMES = _table(
    ("InstanceList InstanceTensor", "bind a method: module.Name.method.bind(tensor or dict)(...)"),
    ("pack", "pass the value itself"),
    ("Bitmap TextureLoader", "take weft.image.read() and weft.image.write()"),
    ("Texture TextureType TextureUsage TextureDesc TextureView Sampler SamplerDesc", _TEXTURES),
    ("TextureFilteringMode TextureAddressingMode Format FormatInfo get_format_info", _TEXTURES),
    ("create_texture create_sampler", _TEXTURES),
    ("Buffer BufferDesc BufferRange BufferOffsetPair create_buffer", _BUFFERS),
    ("BufferCursor BufferElementCursor", "take Tensor.cursor()"),
    ("App AppWindow AppDesc Window Surface SurfaceConfig ui tev renderdoc", _WINDOWS),
    ("RenderPipeline RenderPassDesc RasterizerDesc Viewport InputLayout", _WINDOWS),
    ("ComputeKernel ComputePipeline ShaderProgram ShaderObject ShaderCursor Kernel", _PROGRAMS),
    ("create_compute_kernel create_compute_pipeline load_program link_program", _PROGRAMS),
    ("SlangSession SlangSessionDesc SlangLinkOptions create_slang_session", _SESSIONS),
    ("compose_modules SlangEntryPoint ShaderModel", _SESSIONS),
    ("SlangModule", "take weft.Module"),
    ("SlangCompilerOptions DeviceDesc", "pass include_paths= and defines= to create_device()"),
    ("load_module load_module_from_source create_command_encoder", "take the device's method"),
    ("current_device push_current_device pop_current_device", "pass the device along"),
    ("TypeConformance", "an argument names its type: {'_type': 'Name', ...}"),
    ("RayTracingPipeline ShaderTable AccelerationStructure HitGroupDesc", _RAYS),
    ("CommandBuffer ComputePassEncoder RenderPassEncoder RayTracingPassEncoder", _RECORDING),
    ("Fence FenceDesc QueryPool CommandQueueType create_fence create_query_pool", _FENCES),
    ("Timer", "take time.perf_counter() before and after device.wait()"),
    ("NativeHandle get_cuda_current_context_native_handles", "take weft.create_torch_device()"),
    ("TypeReflection FunctionReflection DeclReflection ProgramLayout reflection", _REFLECTION),
    ("TypeLayoutReflection VariableReflection ReflectionCursor bindings", _REFLECTION),
    ("Feature", "take device.info.features"),
    ("log log_debug log_info log_warn log_error log_fatal", _LOGGING),
    ("log_debug_once log_info_once log_warn_once log_error_once log_fatal_once", _LOGGING),
    ("LoggerOutput ConsoleLoggerOutput FileLoggerOutput", _LOGGING),
    ("math quatf", _MATHS),
    ("set_dump_generated_shaders set_dump_slang_intermediates", "take f.generated_source(...)"),
    ("set_print_generated_shaders", "take f.generated_source(...)"),
    ("set_allow_torch_fallback is_torch_bridge_available", "torch's tensors need no other package"),
    ("set_torch_bridge_python_fallback", "torch's tensors need no other package"),
    ("diff_pair", "take diffPair, or tensors of torch that require gradients"),
)

_TABLES: dict[str, Table] = {
    "Tensor": _TENSOR,
    "Function": _FUNCTION,
    "Device": _DEVICE,
    "DeviceInfo": _INFO,
    "DeviceLimits": _LIMITS,
    "CommandEncoder": _ENCODER,
    "Storage": _STORAGE,
    "Module": _MODULE,
    "Struct": _STRUCT,
    "weft": _MODULE_NAMES,
}


def _derivative(struct: Struct) -> object:
    """Return the structure of derivatives, or None if there is none."""
    return struct.module.find_struct(f"{struct.full_name}.Differential")


def _type(name: str) -> Callable[[Any], object]:
    return lambda _: find_type(name)


_TOP: dict[str, Callable[[Any], object]] = {
    "AdapterInfo": lambda _: _native.DeviceInfo,
    "SHADER_PATH": lambda _: str(Path(_native.__file__).parent / "shaders"),
    "SlangCompileError": lambda _: CompileError,
    **{name: _type(name) for name in ("bool1", "int1", "uint1", "float1")},
    "float16_t": _type("float16"),
    **{f"float16_t{count}": _type(f"half{count}") for count in (1, 2, 3, 4)},
}
_VALUES: dict[str, dict[str, Callable[[Any], object]]] = {
    "weft": _TOP,
    "Tensor": {
        "usage": lambda _: BufferUsage.shader_resource | BufferUsage.unordered_access,
        "memory_type": lambda _: MemoryType.device_local,
    },
    "Module": {"device_module": lambda module: module},
    "Struct": {
        "derivative": _derivative,
        "device": lambda struct: struct.module.device,
        "device_module": lambda struct: struct.module,
        "differentiable": lambda struct: struct.type.is_differentiable,
        "element_type": lambda struct: struct.type.element,
        "is_generic": lambda struct: any(
            info.generics and info.type.full_name == struct.full_name
            for info in struct.module.structs
        ),
        "layout": lambda struct: struct.module.layout,
        "num_dims": lambda struct: len(struct.type.shape),
        "shape": lambda struct: struct.type.shape,
    },
}


def explain(owner: str, name: str) -> str:
    """Return the sentence about a name that SlangPy has, or an empty one."""
    advice = _TABLES[owner].get(name)
    return f"{owner}.{name}: Weft has not this name of SlangPy's; {advice}" if advice else ""


def find_member(owner: str, value: object, name: str) -> tuple[object] | None:
    """Return ``(what stands for the name,)``, or None if SlangPy does not have it.

    Raises:
        ArgumentAttributeError: SlangPy has it and Weft has not; says what to take instead.
    """
    if name in _VALUES.get(owner, {}):
        return (_VALUES[owner][name](value),)
    if sentence := explain(owner, name):
        raise ArgumentAttributeError(sentence)
    return None


def _fallback_of(owner: str) -> Callable[[object, str], object]:
    def __getattr__(self: object, name: str) -> object:
        found = find_member(owner, self, name)
        if found is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return found[0]

    return __getattr__


class _Refused:
    """A name of SlangPy's that scripts take from the class: the class and its objects refuse it."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    def __get__(self, instance: object, owner: object = None) -> object:
        raise ArgumentAttributeError(self._sentence)


_OF_CLASSES = (("Device", "report_live_objects"),)
"""Static methods of SlangPy's that Weft has not: a class does not ask ``__getattr__``."""


def install() -> None:
    """Make the classes without other unknown attributes answer for SlangPy's names."""
    for owner, name in _OF_CLASSES:
        setattr(getattr(_native, owner), name, _Refused(explain(owner, name)))
    for owner in _TABLES:
        if owner not in ("Module", "Struct", "weft"):
            getattr(_native, owner).__getattr__ = _fallback_of(owner)


_WITHOUT_EFFECT = ("enable_cuda_interop",)
_ONLY_AS_IT_IS: dict[str, tuple[object, str]] = {
    "enable_hot_reload": (True, "pass hot_reload=False to Module.load_from_file()"),
    "enable_print": (False, "kernels of Weft print nothing; return the values"),
    "enable_compilation_reports": (False, "take device.compiler_statistics"),
    "adapter_luid": (None, "pass adapter=, the index that weft.enumerate_devices() shows"),
    "existing_device_handles": (None, "weft.create_torch_device() shares torch's context"),
    "bindless_options": (None, "tensors of Weft need no descriptors"),
    "compiler_options": (None, "pass include_paths= and defines="),
}


def find_device_option(name: str, value: object) -> str | None:
    """Return what an argument of SlangPy's ``create_device`` turns on, ``""`` for nothing.

    Returns:
        ``"debug"``, ``""``, or None if SlangPy has no such argument.

    Raises:
        ArgumentError: A value that Weft has no way to follow.
    """
    if name == "enable_debug_layers":
        return "debug" if value else ""
    if name in _ONLY_AS_IT_IS:
        allowed, advice = _ONLY_AS_IT_IS[name]
        if value is not allowed:
            raise ArgumentError(
                f"create_device: {name} must be {allowed} or left out, got {value!r}; {advice}"
            )
        return ""
    return "" if name in _WITHOUT_EFFECT else None
