// SPDX-License-Identifier: Apache-2.0
#include "python/bind_porting.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_device.hpp"
#include "python/diff_pair.hpp"
#include "python/interpreter_lock.hpp"
#include "python/module_object.hpp"
#include "python/session.hpp"
#include "tensor/tensor.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;

namespace {

/// (what stands for a name that the source does not have,), or None.
/// @throws AttributeError saying what Weft has instead.
py::object find_slangpy_member(const char* owner, const py::object& value,
                               const std::string& name) {
    return py::module_::import("weft._slangpy_names").attr("find_member")(owner, value, name);
}

bool is_protocol(const std::string& name) {
    return name.starts_with("__") && name.ends_with("__") && name != "__init";
}

py::object struct_attribute(const py::object& self, const std::string& name) {
    if (is_protocol(name)) {
        throw py::attribute_error(name);
    }
    const auto& structure = self.cast<const StructObject&>();
    py::object found = find_struct_member(structure, name);
    if (!found.is_none()) {
        return found;
    }
    const py::object known =
        name == "__init" ? py::none() : find_slangpy_member("Struct", self, name);
    return known.is_none() ? struct_method(structure, name) : py::object(known[py::int_(0)]);
}

void bind_tensor_names(py::module_& module) {
    auto bound =
        py::reinterpret_borrow<py::class_<tensor::Tensor, std::shared_ptr<tensor::Tensor>>>(
            module.attr("Tensor"));
    const auto function = [](const char* name) {
        return py::module_::import("weft._porting_tensors").attr(name);
    };
    bound
        .def_static(
            "from_torch",
            [function](const py::object& device, const py::object& tensor, const py::object& dtype,
                       const py::object&,
                       const py::object&) { return function("from_torch")(device, tensor, dtype); },
            py::arg("device"), py::arg("tensor"), py::arg("dtype"), py::arg("usage") = py::none(),
            py::arg("program_layout") = py::none(),
            "A copy of a torch tensor, whose last dimension holds the scalars of one element.\n\n"
            "Args:\n    dtype: (N, 3) of float32 becomes (N) of float3, or of a structure of 12 "
            "bytes.\n    usage: No effect; for scripts of other systems, as is program_layout.\n\n"
            "Raises:\n    ArgumentError: The last dimension has another size in bytes.\n")
        .def_static(
            "load_from_image",
            [function](const py::object& device, const py::object& path, bool flip_y,
                       bool linearize, double scale, double offset, bool grayscale) {
                return function("load_from_image")(device, path, flip_y, linearize, scale, offset,
                                                   grayscale);
            },
            py::arg("device"), py::arg("path"), py::arg("flip_y") = false,
            py::arg("linearize") = false, py::arg("scale") = 1.0, py::arg("offset") = 0.0,
            py::arg("grayscale") = false,
            "An image file as float, float2, float3 or float4, shape (H, W): value * scale + "
            "offset.\n\n"
            "Args:\n    flip_y: The last row first.\n    linearize: PNG and JPEG hold sRGB "
            "numbers, "
            "which become linear.\n    grayscale: Luminance (Rec. 709 weights) in one channel.\n\n"
            "Raises:\n    FileNotFoundError: There is no such file.\n    ImageError: It is "
            "damaged, "
            "or no image.\n");
}

bool is_derivative(const py::object& type) {
    return py::module_::import("weft._porting").attr("PrimType")(type).attr("value").cast<int>() ==
           1;
}

void bind_pair_names(py::module_& module) {
    auto bound = py::reinterpret_borrow<py::class_<DiffPair>>(module.attr("DiffPair"));
    bound
        .def(
            "get",
            [](const py::object& self, const py::object& type) {
                static_cast<void>(self.cast<const DiffPair&>());
                return py::object(self.attr(is_derivative(type) ? "grad" : "primal"));
            },
            py::arg("type"), "primal of PrimType.primal, grad of PrimType.derivative.")
        .def(
            "set",
            [](const py::object& self, const py::object& type, const py::object& value) {
                static_cast<void>(self.cast<const DiffPair&>());
                self.attr(is_derivative(type) ? "grad" : "primal") = value;
            },
            py::arg("type"), py::arg("value"), "Sets primal or grad, as get() tells them apart.");
}

void bind_struct_names(py::module_& module) {
    auto bound = py::reinterpret_borrow<py::class_<StructObject>>(module.attr("Struct"));
    bound.def("__getattr__", &struct_attribute)
        .def("try_get_child", &find_struct_member, py::arg("name"),
             "The method or the structure within of that name, or None.")
        .def(
            "as_func",
            [](const StructObject& self) {
                throw ArgumentError(text("Struct.as_func: '", self.type->full_name,
                                         "' is a structure; take a method of it"));
            },
            "An ArgumentError: a structure is no function.");
    py::reinterpret_borrow<py::class_<FunctionObject>>(module.attr("Function"))
        .def(
            "as_struct",
            [](const py::object& self) {
                throw ArgumentError(text("Function.as_struct: '",
                                         self.attr("full_name").cast<std::string>(),
                                         "' is a function; take module.Name"));
            },
            "An ArgumentError: a function is no structure.");
}

std::vector<device::DeviceInfo> enumerate_adapters(const py::object& type) {
    const device::DeviceType wanted = parse_device_type(type, "Device.enumerate_adapters");
    const Unlocked unlocked;
    std::vector<device::DeviceInfo> adapters = device::Device::enumerate();
    std::erase_if(adapters, [wanted](const device::DeviceInfo& info) {
        return wanted != device::DeviceType::automatic && info.type != wanted;
    });
    return adapters;
}

void bind_device_names(py::module_& module) {
    auto device = py::reinterpret_borrow<py::class_<Session, std::shared_ptr<Session>>>(
        module.attr("Device"));
    device.def(py::init([](const py::args&, const py::kwargs&) -> std::shared_ptr<Session> {
        throw ArgumentError("Device: devices are made by weft.create_device(), which takes "
                            "include_paths= and defines= itself",
                            ArgumentError::Kind::type);
    }));
    device.def_static("enumerate_adapters", &enumerate_adapters, py::arg("type") = py::none(),
                      "Those of enumerate_devices() that have a type, by DeviceType or its name; "
                      "None and\nautomatic: all. Empty if there are none.\n\n"
                      "Raises:\n    ArgumentError: There is no such type.\n");
}

const std::vector<std::string>& own_options() {
    static const std::vector<std::string> names{
        "type",          "adapter",         "debug",         "include_paths",
        "defines",       "check_nan",       "deterministic", "check_gradients",
        "check_indices", "cache_directory", "memory_limit",  "cache_size_limit"};
    return names;
}

} // namespace

py::object module_attribute(const py::object& self, const std::string& name) {
    if (is_protocol(name)) {
        throw py::attribute_error(name);
    }
    py::object found = find_attribute(self, name);
    if (!found.is_none()) {
        return found;
    }
    const py::object known = find_slangpy_member("Module", self, name);
    return known.is_none() ? require_attribute(self, name) : py::object(known[py::int_(0)]);
}

void apply_slangpy_options(const py::kwargs& options, SessionDesc& desc) {
    for (const auto& [name, value] : options) {
        const py::object meaning =
            py::module_::import("weft._slangpy_names").attr("find_device_option")(name, value);
        if (meaning.is_none()) {
            const auto given = name.cast<std::string>();
            throw ArgumentError(text("create_device: it has no argument '", given, "'",
                                     core::suggestion(given, own_options()),
                                     "; help(weft.create_device) lists them"),
                                ArgumentError::Kind::type);
        }
        desc.device.debug = desc.device.debug || !meaning.cast<std::string>().empty();
    }
}

void bind_porting(py::module_& module) {
    bind_tensor_names(module);
    bind_pair_names(module);
    bind_struct_names(module);
    bind_device_names(module);
}

} // namespace weft::python
