// SPDX-License-Identifier: Apache-2.0
#include "python/render_from_python.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_tensor.hpp"
#include "python/interpreter_lock.hpp"

#include <pybind11/numpy.h>

#include <algorithm>
#include <bit>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;
using dispatch::Node;
using dispatch::NodeKind;

namespace {

/// The number of a name. @throws ArgumentError that begins with `what`
template <std::size_t count>
std::size_t number_of(py::handle object, const std::array<std::string_view, count>& names,
                      std::string_view what) {
    const std::string given =
        PyUnicode_Check(object.ptr()) != 0 ? object.cast<std::string>() : std::string();
    const auto found = std::ranges::find(names, given);
    if (found == names.end()) {
        const std::vector<std::string> known(names.begin(), names.end());
        throw ArgumentError(text(what, " must be one of ", core::join(known, ", "), ", got ",
                                 py::repr(object).cast<std::string>()));
    }
    return static_cast<std::size_t>(found - names.begin());
}

std::int64_t integer(py::handle object, const char* attribute,
                     std::string_view owner = "PathSettings") {
    const py::object value = object.attr(attribute);
    const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!index) {
        PyErr_Clear();
        throw ArgumentError(text(owner, ": ", attribute, " must be a whole number, got ",
                                 py::repr(value).cast<std::string>()),
                            ArgumentError::Kind::type);
    }
    const long long number = PyLong_AsLongLong(index.ptr());
    if (number == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw ArgumentError(text(owner, ": ", attribute, " must fit 64 bits, got ",
                                 py::repr(value).cast<std::string>()));
    }
    return number;
}

template <typename T>
std::optional<T> optional(py::handle object, const char* attribute) {
    const py::object value = object.attr(attribute);
    return value.is_none() ? std::nullopt : std::optional<T>(value.cast<T>());
}

/// Everything that nodes of a dict point to.
void collect(py::handle object, py::list& kept) {
    if (PyDict_Check(object.ptr()) == 0) {
        kept.append(object);
        return;
    }
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(object)) {
        kept.append(key);
        collect(value, kept);
    }
}

/// Rows of numbers, row-major.
py::object list_to_python(std::span<const std::uint64_t> words, std::span<const std::int64_t> shape,
                          bool is_real) {
    py::list made;
    const std::size_t stride =
        words.size() / static_cast<std::size_t>(std::max<std::int64_t>(shape.front(), 1));
    for (std::int64_t k = 0; k < shape.front(); k++) {
        const auto part = words.subspan(static_cast<std::size_t>(k) * stride, stride);
        if (shape.size() > 1) {
            made.append(list_to_python(part, shape.subspan(1), is_real));
        } else if (is_real) {
            made.append(std::bit_cast<double>(part.front()));
        } else {
            made.append(static_cast<std::int64_t>(part.front()));
        }
    }
    return shape.size() > 1 ? py::object(made) : py::object(py::tuple(made));
}

py::dict structure_to_python(const render::KernelArgument& argument, std::size_t at);

py::object node_to_python(const render::KernelArgument& argument, std::size_t at) {
    const Node& node = argument.nodes()[at];
    switch (node.kind) {
    case NodeKind::structure: return structure_to_python(argument, at);
    case NodeKind::integer: return py::int_(node.integer);
    case NodeKind::real: return py::float_(node.real);
    case NodeKind::tensor: return tensor_to_python(argument.owner_of(node));
    case NodeKind::list: {
        std::vector<std::int64_t> shape;
        for (std::uint32_t k = 0; k < node.rank; k++) {
            shape.push_back(static_cast<std::int64_t>(argument.words()[node.shape_begin + k]));
        }
        return list_to_python(argument.words().subspan(node.data_begin, node.data_count), shape,
                              node.scalar == reflect::ScalarKind::float64);
    }
    default: return py::none();
    }
}

/// The fields of a structure among the nodes of an argument.
py::dict structure_to_python(const render::KernelArgument& argument, std::size_t at) {
    py::dict made;
    const auto nodes = argument.nodes();
    const std::size_t end = at + nodes[at].subtree;
    for (std::size_t field = at + 1; field < end; field += nodes[field].subtree) {
        made[py::str(nodes[field].name.data(), nodes[field].name.size())] =
            node_to_python(argument, field);
    }
    return made;
}

} // namespace

scene::SceneTraits traits_from_python(py::handle object) {
    scene::SceneTraits traits;
    traits.light_kinds = object.attr("light_kinds").cast<std::uint32_t>();
    for (const scene::SceneTrait& trait : scene::kSceneTraits) {
        traits.*trait.value = py::bool_(object.attr(std::string(trait.name).c_str()));
    }
    return traits;
}

py::dict traits_to_python(const scene::SceneTraits& traits) {
    py::dict named;
    named["light_kinds"] = traits.light_kinds;
    for (const scene::SceneTrait& trait : scene::kSceneTraits) {
        named[py::str(std::string(trait.name))] = traits.*trait.value;
    }
    return named;
}

scene::Camera camera_from_python(py::handle object) {
    scene::Camera camera;
    camera.name = object.attr("name").cast<std::string>();
    camera.kind = static_cast<scene::CameraKind>(number_of(
        object.attr("kind"), scene::kCameraKinds, text("Camera '", camera.name, "': kind")));
    camera.sensor_fit =
        static_cast<scene::SensorFit>(number_of(object.attr("sensor_fit"), scene::kSensorFits,
                                                text("Camera '", camera.name, "': sensor_fit")));
    const std::string owner = text("Camera '", camera.name, "'");
    camera.width = integer(object, "width", owner);
    camera.height = integer(object, "height", owner);
    camera.fov = object.attr("fov").cast<double>();
    camera.scale = object.attr("scale").cast<double>();
    const py::sequence shift = object.attr("shift");
    camera.shift = {shift[0].cast<double>(), shift[1].cast<double>()};
    using Matrix = py::array_t<double, py::array::c_style | py::array::forcecast>;
    const auto transform = Matrix::ensure(object.attr("transform"));
    if (!transform || transform.size() != std::ssize(camera.transform)) {
        PyErr_Clear();
        throw ArgumentError(text("Camera '", camera.name, "': transform must be a (3, 4) matrix"));
    }
    std::copy_n(transform.data(), camera.transform.size(), camera.transform.begin());
    camera.near = object.attr("near").cast<double>();
    camera.far = object.attr("far").cast<double>();
    camera.aperture = object.attr("aperture").cast<double>();
    camera.focus = object.attr("focus").cast<double>();
    return camera;
}

scene::LightPaths light_paths_from_python(py::handle object) {
    scene::LightPaths paths;
    if (object.is_none()) {
        return paths;
    }
    paths.diffuse_bounces = optional<std::uint32_t>(object, "diffuse_bounces");
    paths.glossy_bounces = optional<std::uint32_t>(object, "glossy_bounces");
    paths.transmission_bounces = optional<std::uint32_t>(object, "transmission_bounces");
    paths.volume_bounces = optional<std::uint32_t>(object, "volume_bounces");
    paths.clamp_direct = object.attr("clamp_direct").cast<double>();
    paths.clamp_indirect = object.attr("clamp_indirect").cast<double>();
    paths.filter_glossy = object.attr("filter_glossy").cast<double>();
    paths.reflective_caustics = py::bool_(object.attr("reflective_caustics"));
    paths.refractive_caustics = py::bool_(object.attr("refractive_caustics"));
    return paths;
}

render::PathSettings settings_from_python(py::handle object) {
    render::PathSettings settings;
    settings.samples = integer(object, "samples");
    settings.bounces = integer(object, "bounces");
    settings.seed = integer(object, "seed");
    settings.first_sample = integer(object, "first_sample");
    settings.filter = static_cast<render::PixelFilter>(
        number_of(object.attr("filter"), render::kPixelFilters, "PathSettings: filter"));
    settings.filter_width = object.attr("filter_width").cast<double>();
    settings.roulette_from = optional<std::int64_t>(object, "roulette_from");
    settings.period = optional<std::int64_t>(object, "period");
    settings.transparent_bounces = integer(object, "transparent_bounces");
    settings.shows_environment = py::bool_(object.attr("shows_environment"));
    settings.exposure = object.attr("exposure").cast<double>();
    return settings;
}

render::KernelArgument argument_from_python(CallPool& pool, py::handle object,
                                            std::string_view name) {
    const FrameLease lease(pool);
    CallArguments& arguments = (*lease).arguments;
    arguments.add(dispatch::Role::positional, object.ptr(), {});
    py::list kept;
    collect(object, kept);
    return render::KernelArgument::last_of(arguments.list(), keep_alive(kept.ptr()), name);
}

py::dict argument_to_python(const render::KernelArgument& argument) {
    return structure_to_python(argument, 0);
}

} // namespace weft::python
