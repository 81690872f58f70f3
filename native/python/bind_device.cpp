// SPDX-License-Identifier: Apache-2.0
#include "python/bind_device.hpp"
#include "python/bind_porting.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "dispatch/in_place.hpp"
#include "python/bind_device_memory.hpp"
#include "python/bind_error.hpp"
#include "python/compile_only_session.hpp"
#include "python/host_tensor.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/path_argument.hpp"
#include "python/torch_bridge.hpp"
#include "python/torch_memory.hpp"

#include <pybind11/native_enum.h>
#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;
using core::text;
using device::DeviceType;

namespace {

void choose_device(const py::object& type, std::optional<std::int32_t> adapter,
                   device::DeviceDesc& desc) {
    desc.adapter = adapter;
    if (!py::isinstance<device::DeviceInfo>(type)) {
        desc.type = parse_device_type(type, "create_device");
        return;
    }
    const auto& info = type.cast<const device::DeviceInfo&>();
    if (adapter && *adapter != info.adapter) {
        throw core::ArgumentError(text("create_device: adapter ", *adapter,
                                       " is not that of the device given, ", info.adapter,
                                       "; leave adapter out"));
    }
    desc.type = info.type;
    desc.adapter = info.adapter;
}

/// Those of a type, in the order of Device::enumerate().
std::vector<device::DeviceInfo> list_devices(const py::object& type) {
    const DeviceType wanted = parse_device_type(type, "devices");
    const Unlocked unlocked;
    std::vector<device::DeviceInfo> devices = device::Device::enumerate();
    std::erase_if(devices, [wanted](const device::DeviceInfo& info) {
        return wanted != DeviceType::automatic && info.type != wanted;
    });
    return devices;
}

// NOLINTBEGIN(readability-function-size): one parameter for each of create_device().
std::shared_ptr<Session>
create(const py::object& type, std::optional<std::int32_t> adapter, bool debug,
       const py::iterable& include_paths, const py::dict& defines,
       std::optional<double> compile_time_limit, std::optional<std::uint64_t> compile_memory_limit,
       std::optional<bool> check_nan, std::optional<bool> deterministic,
       std::optional<bool> check_gradients, std::optional<bool> check_indices,
       const py::object& cache_directory, std::optional<std::uint64_t> cache_size_limit,
       std::optional<std::uint64_t> memory_limit, const py::kwargs& slangpy) {
    SessionDesc desc;
    choose_device(type, adapter, desc.device);
    desc.device.debug = debug;
    apply_slangpy_options(slangpy, desc);
    if (py::isinstance<py::str>(include_paths)) { // whose letters would be folders
        throw core::ArgumentError(
            "create_device: include_paths must be a list of folders, got str; "
            "pass for example ['shaders']",
            core::ArgumentError::Kind::type);
    }
    for (const py::handle path : include_paths) {
        desc.include_paths.push_back(path_argument(path, "create_device", "include_paths"));
    }
    desc.defines = definitions_argument(defines);
    desc.compile_time_limit = compile_time_limit;
    desc.compile_memory_limit = compile_memory_limit;
    desc.check_nan = check_nan;
    desc.deterministic = deterministic;
    desc.check_gradients = check_gradients;
    desc.check_indices = check_indices;
    if (!cache_directory.is_none()) {
        desc.cache_directory = path_argument(cache_directory, "create_device", "cache_directory");
    }
    desc.cache_size_limit = cache_size_limit;
    desc.memory_limit = memory_limit;
    return create_session(std::move(desc));
}
// NOLINTEND(readability-function-size)

void bind_limits(py::module_& module) {
    py::class_<device::DeviceLimits>(module, "DeviceLimits",
                                     "Sizes in bytes unless said otherwise.")
        .def_readonly("max_group_count", &device::DeviceLimits::max_group_count,
                      "Thread groups a dispatch, (x, y, z).")
        .def_readonly("max_compute_dispatch_thread_groups", &device::DeviceLimits::max_group_count,
                      "Same as max_group_count.")
        .def_readonly("max_compute_thread_group_size", &device::DeviceLimits::max_group_size,
                      "Threads of a group along each axis, (x, y, z).")
        .def_readonly("max_threads_per_group", &device::DeviceLimits::max_threads_per_group)
        .def_readonly("max_compute_threads_per_group", &device::DeviceLimits::max_threads_per_group,
                      "Same as max_threads_per_group.")
        .def_readonly("min_wave_size", &device::DeviceLimits::subgroup_size,
                      "Same as subgroup_size.")
        .def_readonly("max_wave_size", &device::DeviceLimits::subgroup_size,
                      "Same as subgroup_size.")
        .def_readonly("max_entry_point_uniform_size", &device::DeviceLimits::max_inline_arguments,
                      "Same as max_inline_arguments.")
        .def_readonly("subgroup_size", &device::DeviceLimits::subgroup_size, "Threads.")
        .def_readonly("max_shared_memory", &device::DeviceLimits::max_shared_memory,
                      "Of one thread group.")
        .def_readonly("max_inline_arguments", &device::DeviceLimits::max_inline_arguments)
        .def_readonly("max_buffer_size", &device::DeviceLimits::max_buffer_size)
        .def_readonly("max_storage_binding", &device::DeviceLimits::max_storage_binding);
}

void bind_features(py::module_& module) {
    py::class_<device::DeviceFeatures>(module, "DeviceFeatures", "What kernels may use.")
        .def_readonly("is_software", &device::DeviceFeatures::is_software)
        .def_readonly("float16", &device::DeviceFeatures::float16)
        .def_readonly("float64", &device::DeviceFeatures::float64)
        .def_readonly("int8", &device::DeviceFeatures::int8)
        .def_readonly("int16", &device::DeviceFeatures::int16)
        .def_readonly("int64", &device::DeviceFeatures::int64)
        .def_readonly("int64_atomics", &device::DeviceFeatures::int64_atomics)
        .def_readonly("float32_atomic_add", &device::DeviceFeatures::float32_atomic_add)
        .def_readonly("float16_atomic_add", &device::DeviceFeatures::float16_atomic_add)
        .def_readonly("float64_atomic_add", &device::DeviceFeatures::float64_atomic_add)
        .def_readonly("subgroup_arithmetic", &device::DeviceFeatures::subgroup_arithmetic)
        .def_readonly("ray_query", &device::DeviceFeatures::ray_query,
                      "Whether the tracer 'ray_query' runs on it.");
}

void bind_information(py::module_& module) {
    bind_limits(module);
    bind_features(module);
    py::class_<device::DeviceInfo>(module, "DeviceInfo",
                                   "A device as devices() and Device.info show it.")
        .def_readonly("type", &device::DeviceInfo::type)
        .def_readonly("name", &device::DeviceInfo::name)
        .def_readonly("adapter_name", &device::DeviceInfo::name)
        .def_property_readonly(
            "api_name",
            [](const device::DeviceInfo& self) {
                return self.type == DeviceType::cuda ? "CUDA" : "Vulkan";
            },
            "The name of the device's programming interface, 'Vulkan' or 'CUDA'.")
        .def_readonly("driver", &device::DeviceInfo::driver)
        .def_readonly("adapter", &device::DeviceInfo::adapter,
                      "Index for create_device(adapter=...).")
        .def_readonly("memory", &device::DeviceInfo::memory_bytes, "Bytes.")
        .def_readonly("architecture", &device::DeviceInfo::architecture)
        .def_readonly("limits", &device::DeviceInfo::limits)
        .def_readonly("features", &device::DeviceInfo::features)
        .def("__repr__", [](const device::DeviceInfo& self) {
            return text("<weft.DeviceInfo ", device::to_string(self.type), ":", self.adapter, " '",
                        self.name, "', ", self.driver, ">");
        });
    bind_memory_info(module);
}

void raise_unheard(const Session& session) {
    if (session.gradient_checker->has_failed()) {
        if (const auto message = session.gradient_checker->take_unheard()) {
            throw_wrong_gradient(*message);
        }
    }
}

void wait_for_work(const Session& session) {
    {
        const Unlocked unlocked;
        session.device->wait(interrupt_poll());
    }
    raise_unheard(session);
}

void wait_for_checks(const Session& session) {
    {
        const Unlocked unlocked;
        session.gradient_checker->wait(interrupt_poll());
    }
    raise_unheard(session);
}

void close_device(const Session& session) {
    const Unlocked unlocked;
    session.gradient_checker->stop();
    session.device->close();
}

void bind_facts(DeviceClass& bound) {
    bound.def_property_readonly("info", [](const Session& self) { return self.device->info(); })
        .def_property_readonly("type", [](const Session& self) { return self.device->info().type; })
        .def_property_readonly("is_closed",
                               [](const Session& self) { return self.device->is_closed(); })
        .def_property_readonly(
            "validation_messages",
            [](const Session& self) { return self.device->validation_messages(); },
            "What the validation layer said (debug=True).")
        .def_readwrite("check_nan", &Session::check_nan,
                       "True: every call waits, and raises NonFiniteError if it wrote NaN or "
                       "infinity.")
        .def_readwrite("deterministic", &Session::deterministic,
                       "What deterministic= is for backward calls that do not say it.")
        .def_readwrite("check_gradients", &Session::check_gradients,
                       "True: the first backward call of each kind also begins, in the background, "
                       "a comparison with\nforward mode at a few of its elements. Wrong gradients "
                       "are a GradientError at the next call.")
        .def_property_readonly("include_paths",
                               [](const Session& self) { return self.include_paths; })
        .def_property_readonly(
            "native_context", [](const Session& self) { return self.device->native_context(); },
            "CUcontext as an integer; 0 on other backends.")
        .def_property_readonly(
            "native_stream", [](const Session& self) { return self.device->native_stream(); },
            "CUstream as an integer; 0 on other backends.")
        .def_property_readonly(
            "compiler_statistics",
            [](const Session& self) {
                const auto counts = self.compiler->statistics();
                py::dict out;
                out["module_hits"] = counts.module_hits;
                out["module_misses"] = counts.module_misses;
                out["kernel_hits"] = counts.kernel_hits;
                out["kernel_misses"] = counts.kernel_misses;
                out["helper_starts"] = counts.helper_starts;
                return out;
            },
            "Hits and misses of the disk cache, and how often the compiler process was started.")
        .def("__repr__", [](const Session& self) {
            const auto& info = self.device->info();
            return text("<weft.Device ", device::to_string(info.type), ":", info.adapter, " '",
                        info.name, "'", self.device->is_closed() ? ", closed" : "", ">");
        });
}

void bind_streams(DeviceClass& bound) {
    bound
        .def(
            "_wait_for_stream",
            [](const Session& self, std::uint64_t stream) { self.device->wait_for_stream(stream); },
            py::arg("stream"), "Work queued later runs after what this CUstream has now.")
        .def(
            "_make_stream_wait",
            [](const Session& self, std::uint64_t stream) {
                self.device->make_stream_wait(stream);
            },
            py::arg("stream"), "What this CUstream gets later runs after the work queued now.")
        .def_property_readonly(
            "_torch_gpu",
            [](const Session& self) {
                const device::DeviceInfo& info = self.device->info();
                const bool lends =
                    info.type == device::DeviceType::cuda && TorchBridge::get().has_table();
                return lends ? info.adapter : -1;
            },
            "The index of the GPU whose tensors _lend() takes; -1: it takes none.")
        .def_property_readonly(
            "_least_lent_bytes",
            [](const Session& self) {
                const bool lends = self.device->info().features.host_memory;
                return lends ? static_cast<std::int64_t>(dispatch::least_bytes_in_place()) : -1;
            },
            "Bytes of the smallest tensors of the CPU that _lend() takes; -1: it takes none.")
        .def(
            "_lend",
            [](const Session& self, const py::object& tensor) {
                tensor::TensorRef lent = lend_torch_tensor(*self.device, tensor);
                return lent ? lent : lend_host_tensor(*self.device, tensor);
            },
            py::arg("tensor"),
            "A tensor of torch in its own memory: on this GPU, following torch's current stream as "
            "the tensor does; on the CPU of a software device, until the next wait(). None: that "
            "takes a copy.");
}

void bind_work(DeviceClass& bound) {
    bound
        .def("wait", &wait_for_work,
             "Blocks until all submitted work is done.\n\nRaises:\n    KeyboardInterrupt: Ctrl-C; "
             "the work goes on.\n    GradientError: A check of gradients "
             "found wrong ones.\n")
        .def("wait_for_idle", &wait_for_work, "Same as wait().")
        .def("wait_for_gradient_checks", &wait_for_checks,
             "Blocks until the comparisons that check_gradients began are done.\n\nRaises:\n    "
             "GradientError: One found wrong gradients, and nobody was told before.\n")
        .def(
            "flush",
            [](const Session& self) {
                const Unlocked unlocked;
                self.device->flush();
            },
            "Submits recorded work without waiting for it.")
        .def("close", &close_device,
             "Waits, then frees everything; any later use is a DeviceError. May be called twice.")
        .def(
            "clear_cache",
            [](const Session& self) {
                const Unlocked unlocked;
                self.compiler->clear_cache();
            },
            "Removes compiled code from the user's cache folder.")
        .def("__enter__", [](std::shared_ptr<Session> self) { return self; })
        .def("__exit__", [](const Session& self, const py::object&, const py::object&,
                            const py::object&) { close_device(self); });
}

void bind_compile_only(py::module_& module) {
    module.def(
        "_create_compile_only",
        [](const std::string& kind, const py::object& cache_directory) {
            return create_compile_only_session(
                kind, path_argument(cache_directory, "_create_compile_only", "cache_directory"));
        },
        py::arg("kind"), py::arg("cache_directory"),
        "A device that compiles kernels for software, vulkan or cuda and runs nothing, for Weft's "
        "own "
        "build.");
}

void bind_open_devices(py::module_& module) {
    module.def(
        "_open_devices",
        [] {
            std::vector<device::DeviceInfo> open;
            for (const auto& device : open_devices()) {
                open.push_back(device->info());
            }
            return open;
        },
        "The devices of this process that are open.");
}

void bind_session(py::module_& module) {
    DeviceClass bound(
        module, "Device",
        "A GPU, or software Vulkan, with its memory and compiled code; made by create_device().\n\n"
        "A context manager: leaving the block closes the device.\n\n"
        "Any thread may use it; work runs in the order in which threads submit it.\n");
    bind_facts(bound);
    bind_device_memory(bound);
    bind_streams(bound);
    bind_work(bound);
    bind_open_devices(module);
    bind_compile_only(module);
}

void bind_type(py::module_& module) {
    py::native_enum<DeviceType>(module, "DeviceType", "enum.Enum",
                                "Kinds of device; Weft has vulkan and cuda.")
        .value("automatic", DeviceType::automatic)
        .value("vulkan", DeviceType::vulkan)
        .value("cuda", DeviceType::cuda)
        .value("d3d12", DeviceType::d3d12)
        .value("metal", DeviceType::metal)
        .value("cpu", DeviceType::cpu)
        .finalize();
}

void bind_creation(py::module_& module) {
    for (const char* name : {"create_device", "init_device"}) {
        module.def(
            name, &create, py::arg("type") = py::none(), py::arg("adapter") = py::none(),
            py::arg("debug") = false, py::arg("include_paths") = py::list(),
            py::arg("defines") = py::dict(), py::arg("compile_time_limit") = py::none(),
            py::arg("compile_memory_limit") = py::none(), py::arg("check_nan") = py::none(),
            py::arg("deterministic") = py::none(), py::arg("check_gradients") = py::none(),
            py::arg("check_indices") = py::none(), py::arg("cache_directory") = py::none(),
            py::arg("cache_size_limit") = py::none(), py::arg("memory_limit") = py::none(),
            "Creates a device.\n\n"
            "Args:\n    type: DeviceType or its name, or an entry of devices(); automatic prefers "
            "a "
            "real GPU, then\n        software Vulkan.\n"
            "        WEFT_DEVICE ('cuda', 'vulkan:1') decides where automatic is asked for.\n"
            "    adapter: Index among the devices of that type, as devices() shows it; None takes "
            "the best.\n"
            "    debug: Turns the Vulkan validation layer on, and check_indices.\n"
            "    include_paths: Folders searched for modules and imports.\n"
            "    defines: Preprocessor definitions of every module, {'STEPS': 20}.\n"
            "    compile_time_limit: Seconds of processor time that compiling one module or kernel "
            "may\n        take; None is 120. WEFT_COMPILE_TIME_LIMIT decides where None is given.\n"
            "    compile_memory_limit: Bytes of address space of the compiler's process, at least "
            "1 "
            "GiB;\n        None is 4 GiB. WEFT_COMPILE_MEMORY_LIMIT decides where None is "
            "given.\n"
            "    check_nan: Starts with Device.check_nan on; WEFT_CHECK_NAN=1 decides where None "
            "is "
            "given.\n"
            "    deterministic: Starts with Device.deterministic on; WEFT_DETERMINISTIC=1 decides "
            "where None is given.\n"
            "    check_gradients: Device.check_gradients; WEFT_CHECK_GRADIENTS decides where None "
            "is "
            "given, else\n        it is on.\n"
            "    check_indices: Every call waits, and an index outside a tensor is an "
            "ArgumentIndexError that\n        names function, parameter, index and shape; None is "
            "debug.\n"
            "    cache_directory: Folder for compiled code, '' for none; None is WEFT_CACHE_DIR, "
            "else\n        the user's cache folder.\n"
            "    cache_size_limit: Bytes of compiled code that are kept there, at least 16 MiB; "
            "None is\n        1 GiB. What was used longest ago goes.\n"
            "    memory_limit: Bytes of device memory that arrays may take, at least 64 MiB; more "
            "is a\n        DeviceError that is a MemoryError. WEFT_MEMORY_LIMIT decides where None "
            "is given; else\n        there is no limit but the device's own.\n\n"
            "Raises:\n    DeviceError: No such device; says what is missing and how to get it.\n"
            "    ArgumentError: Weft has no devices of that type, or no adapter of that index.\n");
    }
}

void bind_listing(py::module_& module) {
    module.def(
        "enumerate_devices",
        [] {
            const Unlocked unlocked;
            return device::Device::enumerate();
        },
        "Same as devices().");
    module.def(
        "devices", &list_devices, py::arg("type") = py::none(),
        "Devices of this machine, for create_device(); opens none. Empty if there is none.\n\n"
        "The order stays as long as drivers and their settings do: GPUs before software, CUDA "
        "before Vulkan,\nthen as the driver counts them. One GPU may be there twice, by CUDA and "
        "by "
        "Vulkan.\n\n"
        "Args:\n    type: DeviceType or its name; None and automatic: all.\n\n"
        "Raises:\n    ArgumentError: There is no such type.\n");
}

} // namespace

DeviceType parse_device_type(const py::object& value, const char* function) {
    if (value.is_none()) {
        return DeviceType::automatic;
    }
    if (py::isinstance<py::str>(value)) {
        const auto name = value.cast<std::string>();
        for (const DeviceType type : {DeviceType::automatic, DeviceType::vulkan, DeviceType::cuda,
                                      DeviceType::d3d12, DeviceType::metal, DeviceType::cpu}) {
            if (name == device::to_string(type)) {
                return type;
            }
        }
        throw core::ArgumentError(
            text(function, ": type must be 'automatic', 'vulkan' or 'cuda', got '", name, "'"));
    }
    try {
        return value.cast<DeviceType>();
    } catch (const py::cast_error&) {
        throw core::ArgumentError(text(function, ": type must be a weft.DeviceType, got ",
                                       Py_TYPE(value.ptr())->tp_name,
                                       "; pass for example weft.DeviceType.vulkan"),
                                  core::ArgumentError::Kind::type);
    }
}

void bind_device(py::module_& module) {
    bind_type(module);
    bind_information(module);
    bind_session(module);
    bind_creation(module);
    bind_listing(module);
}

} // namespace weft::python
