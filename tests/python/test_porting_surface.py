# SPDX-License-Identifier: Apache-2.0
"""Each name of SlangPy 0.43 for calls is there, or an error says what is instead."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

import weft
from weft import _slangpy_names, image
from weft.types import diffPair

SOURCE = """
struct Outer
{
    float x;
    struct Inner { int a; };
    float twice() { return 2 * x; }
    float shape() { return 7; }
};
struct Smooth : IDifferentiable { float a; float2 b; };
struct Pair<T> { T a; };
float add(float a, float b) { return a + b; }
int session() { return 3; }
"""

# The public names of the classes of SlangPy 0.43.1.
SURFACE = {
    "Tensor": "broadcast_to clear copy_from_numpy copy_from_torch cursor detach device dtype "
    "element_count empty empty_like from_numpy from_torch grad grad_in grad_out is_contiguous "
    "load_from_image memory_type numpy offset point_to shape storage strides to_numpy to_torch "
    "uniforms usage view with_grads zeros zeros_like",
    "Module": "device device_module find_function find_function_in_struct find_struct layout "
    "load_from_file load_from_module load_from_source name on_hot_reload require_function "
    "require_struct options link logger",
    "Function": "append_to as_func as_struct bind bwds calc_build_info call call_group_shape "
    "constants cuda_stream debug_build_call_data dispatch gather_runtime_options "
    "generate_bwds_call_data generate_call_data map module name parent prelude ray_tracing "
    "read_signature return_type root set slangpy_signature thread_group_size torch "
    "type_conformances write",
    "Struct": "as_func as_struct buffer_layout derivative device device_module differentiable "
    "element_type fields full_name is_generic layout module name num_dims on_hot_reload program "
    "session struct torch try_get_child type_reflection uniform_layout vector_type_name",
    "Storage": "copy_from_numpy desc descriptor_handle_ro descriptor_handle_rw device "
    "device_address memory_usage native_handle shared_handle size struct_size to_numpy to_torch",
    "Device": "capabilities close compose_modules create_acceleration_structure create_buffer "
    "create_command_encoder create_compute_kernel create_compute_pipeline create_fence "
    "create_input_layout create_query_pool create_ray_tracing_pipeline create_render_pipeline "
    "create_root_shader_object create_sampler create_shader_object create_shader_table "
    "create_slang_session create_surface create_texture cuda_context_scope desc "
    "enumerate_adapters features "
    "flush_print flush_print_to_string get_compilation_reports get_format_support "
    "get_timestamp_calibration has_capability has_feature hot_reload_check info "
    "is_submit_finished link_program load_module load_module_from_source load_program "
    "native_handles reload_all_programs report_heaps report_live_objects set_cuda_context_current "
    "set_hot_reload_delay shader_cache_stats slang_session submit_command_buffer "
    "submit_command_buffers supported_shader_model supports_cuda_interop sync_to_cuda "
    "sync_to_device wait wait_for_idle wait_for_submit",
    "DeviceInfo": "adapter_name api_name limits optix_version timestamp_frequency type",
    "DeviceLimits": "max_compute_dispatch_thread_groups max_compute_thread_group_size "
    "max_compute_threads_per_group max_entry_point_uniform_size max_framebuffer_dimensions "
    "max_shader_visible_samplers max_texture_dimension_1d max_texture_dimension_2d "
    "max_texture_dimension_3d max_texture_dimension_cube max_texture_layers "
    "max_vertex_input_element_offset max_vertex_input_elements max_vertex_stream_stride "
    "max_vertex_streams max_viewport_dimensions max_viewports max_wave_size min_wave_size",
    "DiffPair": "get set primal grad needs_grad",
    "Logger": "add_console_output add_debug_console_output add_file_output add_output debug "
    "debug_once error error_once fatal fatal_once get info info_once level log name "
    "remove_all_outputs remove_output use_same_outputs warn warn_once",
}
TOP_LEVEL = (
    "App Bitmap Buffer BufferDesc BufferUsage CallIdArg CommandEncoder ComputeKernel Device "
    "DeviceDesc DeviceType DiffPair Fence Format Function InstanceList InstanceTensor Logger "
    "LogLevel MemoryType Module NativeHandle RandFloatArg Sampler SamplerDesc ShaderProgram "
    "SHADER_PATH SlangCompileError SlangCompilerOptions SlangModule SlangSession Struct Tensor "
    "Texture TextureUsage ThreadIdArg Timer TypeConformance ValueRef WangHashArg Window bool1 "
    "call_id create_device create_torch_device diffPair float1 float16_t float16_t3 floatDiffPair "
    "floatRef grid int1 intRef load_module log_info math pack quatf rand_float reflection "
    "set_dump_generated_shaders thread_id types uint1 wang_hash"
)


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "porting_surface", SOURCE)


@pytest.fixture(scope="module")
def objects(device, module):
    tensor = weft.Tensor.zeros(device, (2,))
    return {
        "Tensor": tensor,
        "Module": module,
        "Function": module.add,
        "Struct": module.Smooth,
        "Storage": tensor.storage,
        "Device": device,
        "DeviceInfo": device.info,
        "DeviceLimits": device.info.limits,
        "CommandEncoder": device.create_command_encoder(),
        "DiffPair": diffPair(1.0),
        "Logger": weft.Logger(),
    }


def refusal_of(value, name):
    """Return the error that a name raises, ``"there"`` if it is there."""
    try:
        getattr(value, name)
    except weft.ArgumentAttributeError as error:
        return str(error)
    return "there"


@pytest.mark.parametrize("owner", SURFACE)
def test_every_name_is_there_or_says_what_is(objects, module, owner):
    for name in SURFACE[owner].split():
        if (owner, name) == ("Module", "session"):
            continue
        refusal = refusal_of(objects[owner], name)
        text = f"{owner}.{name}: Weft has not this name of SlangPy's; "
        assert refusal.startswith((text, "there"))


def test_every_name_at_the_top_is_there_or_says_what_is():
    for name in TOP_LEVEL.split():
        refusal = refusal_of(weft, name)
        assert refusal.startswith((f"weft.{name}: Weft has not this name of SlangPy's; ", "there"))


@pytest.mark.parametrize("owner", _slangpy_names._TABLES)
def test_every_refused_name_is_refused(objects, device, owner):
    other = weft.Module.load_from_source(device, "porting_empty", "int nothing() { return 0; }")
    value = weft if owner == "weft" else {**objects, "Module": other}[owner]
    for name, advice in _slangpy_names._TABLES[owner].items():
        with pytest.raises(weft.ArgumentAttributeError) as caught:
            getattr(value, name)
        assert str(caught.value).endswith(advice)
        assert not hasattr(value, name)


def test_adapters_are_enumerated_by_the_class():
    adapters = weft.Device.enumerate_adapters(type=weft.DeviceType.vulkan)

    every = [(info.type, info.name) for info in weft.enumerate_devices()]
    assert [(info.type, info.name) for info in adapters] == [
        entry for entry in every if entry[0] == weft.DeviceType.vulkan
    ]
    assert len(weft.Device.enumerate_adapters()) == len(every)
    assert len(weft.Device.enumerate_adapters("automatic")) == len(every)
    assert weft.Device.enumerate_adapters(weft.DeviceType.metal) == []
    assert all(isinstance(info, weft.AdapterInfo) for info in weft.Device.enumerate_adapters())


def test_adapters_of_no_type_are_refused():
    with pytest.raises(
        weft.ArgumentError, match=r"^Device.enumerate_adapters: type must be .*'vk'"
    ):
        weft.Device.enumerate_adapters("vk")
    with pytest.raises(weft.ArgumentTypeError, match=r"^Device.enumerate_adapters: .* got int"):
        weft.Device.enumerate_adapters(2)


def test_static_names_that_weft_has_not_are_refused_by_the_class(device):
    for owner in (weft.Device, device):
        with pytest.raises(
            weft.ArgumentAttributeError,
            match=r"^Device.report_live_objects: Weft has not .* take memory_info\(\)",
        ):
            owner.report_live_objects()
    assert not hasattr(weft.Device, "report_live_objects")


def test_names_of_the_source_come_first(module):
    assert module.session() == 3
    assert module.Outer.shape.bind({"x": 1.0})() == 7
    with pytest.raises(weft.ArgumentAttributeError, match="has no function or type 'sesion'"):
        module.sesion  # noqa: B018
    for value in (module.add, module.device, weft):
        with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
            value.nonsense  # noqa: B018


def test_structures_tell_what_they_are(module, device):
    smooth = module.Smooth

    assert (smooth.differentiable, module.Outer.differentiable) == (True, False)
    assert smooth.derivative is not None
    assert module.Outer.derivative is None
    assert (module.Pair.is_generic, module.Pair[float].is_generic, smooth.is_generic) == (
        True,
        False,
        False,
    )
    assert (smooth.shape, smooth.num_dims, smooth.element_type) == ((), 0, None)
    assert smooth.device is device
    assert smooth.device_module is smooth.module
    assert smooth.layout.find_type_by_name("Smooth").full_name == "Smooth"
    assert module.device_module is module


def test_children_of_structures(module):
    assert module.Outer.try_get_child("twice").bind({"x": 2.0})() == 4
    assert module.Outer.try_get_child("Inner").full_name == "Outer.Inner"
    assert module.Outer.Inner.full_name == module.Outer["Inner"].full_name == "Outer.Inner"
    assert module.Outer.try_get_child("absent") is None
    assert module.Outer.try_get_child("__init") is None
    assert module.find_function_in_struct("Outer", "absent") is None
    assert module.find_function_in_struct("Absent", "twice") is None
    assert module.find_function_in_struct("Outer", "twice").bind({"x": 2.0})() == 4


def test_a_structure_is_no_function_and_a_function_no_structure(module):
    with pytest.raises(weft.ArgumentError, match=r"Struct.as_func: 'Outer' is a structure; take"):
        module.Outer.as_func()
    with pytest.raises(weft.ArgumentError, match=r"Function.as_struct: 'add' is a function; take"):
        module.add.as_struct()


def test_pairs_are_read_and_written_by_half(device):
    tensor = weft.Tensor.from_numpy(device, np.float32([1, 2]))
    for pair in (diffPair(1.0, 2.0), diffPair(np.float32([1, 2]), np.float32([3, 4]))):
        pair.set(weft.PrimType.primal, 5.0)
        pair.set(weft.PrimType.derivative, 6.0)

        assert np.all(np.array(pair.get(weft.PrimType.primal)) == 5)
        assert np.all(np.array(pair.get(weft.PrimType.derivative)) == 6)
    assert diffPair(tensor).get(weft.PrimType.derivative).numpy().tolist() == [0, 0]
    with pytest.raises(weft.ArgumentError, match=r"type must be a weft.PrimType, got 'primal'"):
        pair.get("primal")


def test_memory_of_tensors_is_on_the_device(device):
    tensor = weft.Tensor.zeros(device, (2,), usage=weft.BufferUsage.none)

    usage = weft.BufferUsage.shader_resource | weft.BufferUsage.unordered_access
    assert tensor.usage == usage
    assert tensor.memory_type == weft.MemoryType.device_local


def test_devices_take_the_arguments_that_change_nothing():
    with weft.create_device(
        enable_debug_layers=False,
        enable_cuda_interop=True,
        enable_hot_reload=True,
        enable_print=False,
        enable_compilation_reports=False,
        adapter_luid=None,
        existing_device_handles=None,
        bindless_options=None,
        include_paths=[weft.SHADER_PATH],
    ) as device:
        assert Path(weft.SHADER_PATH).is_dir()
        assert device.info.api_name in ("Vulkan", "CUDA")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"enable_print": True}, "enable_print must be False or left out, got True; kernels"),
        ({"enable_hot_reload": False}, "enable_hot_reload must be True or left out, got False"),
        ({"adapter_luid": [1]}, r"adapter_luid must be None or left out, got \[1\]; pass adapter="),
        ({"compiler_options": {}}, r"compiler_options must be None.*include_paths= and defines="),
        ({"existing_device_handles": []}, r"existing_device_handles .*create_torch_device"),
        ({"enable_nonsense": 1}, r"create_device: it has no argument 'enable_nonsense'"),
    ],
)
def test_devices_refuse_the_others(arguments, message):
    with pytest.raises(weft.ArgumentError, match=message):
        weft.create_device(**arguments)


def test_devices_are_not_constructed():
    with pytest.raises(weft.ArgumentError, match=r"Device: devices are made by weft.create_device"):
        weft.Device(enable_debug_layers=True, compiler_options={"include_paths": []})


def test_types_and_errors_have_their_names():
    assert weft.SlangCompileError is weft.CompileError
    assert weft.float16_t == weft.float16
    assert weft.float16_t3 == weft.half3
    assert [getattr(weft, name).shape for name in ("bool1", "int1", "uint1", "float1")] == [
        (1,)
    ] * 4


def test_messages_are_logged_once(caplog):
    log = weft.Logger.get()

    with caplog.at_level(logging.DEBUG, "weft"):
        for _ in range(3):
            log.warn_once("said")
            log.debug_once("too low")
        log.warn("said")

    assert [(r.levelname, r.message) for r in caplog.records] == [("WARNING", "said")] * 2


@pytest.fixture
def picture(tmp_path):
    values = np.random.default_rng(0).integers(0, 256, (5, 4, 3)).astype(np.float32) / 255
    path = tmp_path / "picture.png"
    image.write(path, values, encoding="linear")
    return path, values


def test_images_become_tensors(device, picture):
    path, values = picture

    tensor = weft.Tensor.load_from_image(device, path)
    changed = weft.Tensor.load_from_image(device, path, flip_y=True, scale=2.0, offset=-1.0)
    linear = weft.Tensor.load_from_image(device, str(path), linearize=True)
    grey = weft.Tensor.load_from_image(device, path, grayscale=True)

    assert (tensor.shape, tensor.dtype) == ((5, 4), weft.float3)
    assert np.allclose(tensor.numpy(), values, atol=1e-6)
    assert np.allclose(changed.numpy(), 2 * values[::-1] - 1, atol=1e-6)
    curve = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    assert np.allclose(linear.numpy(), curve, atol=1e-6)
    assert (grey.shape, grey.dtype) == ((5, 4), weft.float32)
    assert np.allclose(grey.numpy(), values @ [0.2126, 0.7152, 0.0722], atol=1e-6)
    with pytest.raises(FileNotFoundError):
        weft.Tensor.load_from_image(device, path.with_name("absent.png"))


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_linear_files_keep_their_values_and_channels(device, tmp_path, channels):
    values = np.random.default_rng(1).random((2, 3, channels), np.float32) * 4
    image.write(tmp_path / "linear.exr", values, encoding="linear", scalar="float32")

    tensor = weft.Tensor.load_from_image(device, tmp_path / "linear.exr", linearize=True)

    assert tensor.shape == (2, 3)
    assert np.array_equal(tensor.numpy().reshape(2, 3, channels), values)


def test_torch_is_asked_for_by_its_tensors_only(device):
    with pytest.raises(weft.ArgumentError, match=r"must be a torch.Tensor, got array.*from_numpy"):
        weft.Tensor.from_torch(device, np.zeros(3), weft.float3)
