// SPDX-License-Identifier: Apache-2.0
#include "python/light_from_python.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/array_views.hpp"
#include "python/interpreter_lock.hpp"

#include <pybind11/numpy.h>

#include <algorithm>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;

namespace {

std::string shown(py::handle object) {
    return py::repr(object).cast<std::string>();
}

/// Numbers of whatever numpy takes; null: they are none.
Doubles numbers_of(const py::object& value) {
    Doubles numbers = Doubles::ensure(value);
    PyErr_Clear();
    return numbers;
}

/// Reads fields of one light.
class FieldReader {
public:
    FieldReader(py::handle object, std::string owner)
        : m_object(object), m_owner(std::move(owner)) {}

    template <typename AnalyticLight>
    AnalyticLight read() const {
        AnalyticLight light;
        std::apply([&](const auto&... field) { (read(field.name, light.*field.member), ...); },
                   AnalyticLight::fields());
        return light;
    }

private:
    py::object get(std::string_view name) const { return m_object.attr(std::string(name).c_str()); }

    [[noreturn]] void refuse(std::string_view name, std::string_view expected,
                             py::handle came) const {
        throw ArgumentError(
            core::text(m_owner, ": ", name, " must be ", expected, ", got ", shown(came)));
    }

    void read(std::string_view name, double& out) const {
        const py::object value = get(name);
        out = PyFloat_AsDouble(value.ptr());
        if (PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            refuse(name, "a number", value);
        }
    }
    void read(std::string_view name, bool& out) const {
        const int is_true = PyObject_IsTrue(get(name).ptr());
        if (is_true < 0) {
            PyErr_Clear();
            refuse(name, "True or False", get(name));
        }
        out = is_true != 0;
    }
    void read(std::string_view name, scene::AreaShape& out) const {
        const py::object value = get(name);
        const auto text = PyUnicode_Check(value.ptr()) != 0 ? value.cast<std::string>() : "";
        const auto found = std::ranges::find(scene::kAreaShapes, text);
        if (found == scene::kAreaShapes.end()) {
            refuse(name, "'rectangle' or 'ellipse'", value);
        }
        out = static_cast<scene::AreaShape>(found - scene::kAreaShapes.begin());
    }
    template <std::size_t Count>
    void read(std::string_view name, std::array<double, Count>& out) const {
        const py::object value = get(name);
        const Doubles numbers = numbers_of(value);
        if (!numbers || numbers.ndim() != 1 || numbers.size() != static_cast<py::ssize_t>(Count)) {
            refuse(name, core::text(Count == 3 ? "three" : "two", " numbers"), value);
        }
        std::copy_n(numbers.data(), Count, out.begin());
    }
    void read(std::string_view name, scene::LightTransform& out) const {
        const py::object value = get(name);
        const Doubles matrix = numbers_of(value);
        if (!matrix || matrix.ndim() != 2 || matrix.shape(1) != 4 ||
            (matrix.shape(0) != 3 && matrix.shape(0) != 4)) {
            refuse(name, "a matrix of shape (4, 4) or (3, 4)", value);
        }
        std::copy_n(matrix.data(), out.size(), out.begin());
    }

    py::handle m_object;
    std::string m_owner;
};

std::string described(py::handle object, std::string_view kind) {
    return core::text(kind, " '", py::str(object.attr("name")).cast<std::string>(), "'");
}

/// The alternative of `kind` whose class the object is of, with its fields; false: it is of none.
template <std::size_t Index = 0, typename... AnalyticLights>
bool read_kind(py::handle object, const py::module_& classes,
               std::variant<AnalyticLights...>& kind) {
    if constexpr (Index == sizeof...(AnalyticLights)) {
        return false;
    } else {
        using AnalyticLight = std::variant_alternative_t<Index, std::variant<AnalyticLights...>>;
        if (!py::isinstance(object, classes.attr(std::string(AnalyticLight::kName).c_str()))) {
            return read_kind<Index + 1>(object, classes, kind);
        }
        kind = FieldReader(object, described(object, AnalyticLight::kName))
                   .template read<AnalyticLight>();
        return true;
    }
}

} // namespace

scene::RayKinds read_ray_kinds(std::string_view owner, py::handle kinds,
                               std::span<const scene::RayKindName> known) {
    if (PyUnicode_Check(kinds.ptr()) != 0) {
        scene::refuse_ray_kind(owner, shown(kinds), known);
    }
    std::vector<std::string> names;
    for (const py::handle kind : kinds) {
        if (PyUnicode_Check(kind.ptr()) == 0) {
            scene::refuse_ray_kind(owner, shown(kind), known);
        }
        names.push_back(kind.cast<std::string>());
    }
    return scene::ray_kinds(owner, names, known);
}

scene::Environment read_environment(py::handle object) {
    scene::Environment out;
    out.name = py::str(object.attr("name")).cast<std::string>();
    const std::string owner = core::text("Environment '", out.name, "'");
    const py::object strength = object.attr("strength");
    const Doubles factors = numbers_of(strength);
    if (!factors || (factors.size() != 1 && factors.size() != 3) || factors.ndim() > 1) {
        throw ArgumentError(core::text(owner, ": strength must be one number or linear RGB, got ",
                                       shown(strength)));
    }
    for (std::size_t k = 0; k < 3; ++k) {
        out.strength[k] = factors.data()[factors.size() == 1 ? 0 : k];
    }
    const py::object rotation = object.attr("rotation");
    if (!rotation.is_none()) {
        const Doubles matrix = numbers_of(rotation);
        if (!matrix || matrix.ndim() != 2 || matrix.shape(0) != 3 || matrix.shape(1) != 3) {
            throw ArgumentError(core::text(
                owner, ": rotation must be a matrix of shape (3, 3), got ", shown(rotation)));
        }
        std::copy_n(matrix.data(), out.rotation.size(), out.rotation.begin());
    }
    out.hidden_from = read_ray_kinds(owner, object.attr("hidden_from"), scene::kObjectRayKinds);
    for (const py::handle kind : object.attr("views")) {
        const auto found = std::ranges::find(scene::kEnvironmentViews, kind.cast<std::string>(),
                                             &scene::RayKindName::name);
        if (found == scene::kEnvironmentViews.end()) {
            scene::refuse_ray_kind(owner, shown(kind), scene::kEnvironmentViews);
        }
        out.views.push_back(
            {.kind = static_cast<std::size_t>(found - scene::kEnvironmentViews.begin())});
    }
    return out;
}

scene::Light LightReader::light(py::handle object) {
    scene::Light light;
    if (!read_kind(object, py::module_::import("weft.scene.lights"), light.kind)) {
        throw ArgumentError(core::text("Scene: lights must be PointLight, SpotLight, SunLight or "
                                       "AreaLight of weft.scene, got ",
                                       shown(object),
                                       "; a mesh with an emissive material is an "
                                       "object"),
                            ArgumentError::Kind::type);
    }
    light.name = py::str(object.attr("name")).cast<std::string>();
    light.hidden_from =
        read_ray_kinds(scene::described(light), object.attr("hidden_from"), scene::kLightRayKinds);
    light.casts_shadow = py::bool_(object.attr("casts_shadow"));
    const py::object own = object.attr("profile");
    light.profile = own.is_none() ? nullptr : profile(own);
    return light;
}

std::shared_ptr<const scene::LightProfile> LightReader::profile(py::handle object) {
    if (const auto found = m_profiles.find(object.ptr()); found != m_profiles.end()) {
        return found->second;
    }
    const Floats image = Floats::ensure(object.attr("image"));
    PyErr_Clear();
    if (!image || image.ndim() != 3 || image.shape(2) != 3 || image.size() == 0) {
        throw ArgumentError(core::text("LightProfile: image must be (height, width, 3), got ",
                                       image ? "shape " + shown(image.attr("shape"))
                                             : shown(py::type::of(object.attr("image")))));
    }
    const py::object power = object.attr("distance_power");
    const py::object smooth = object.attr("smooth");
    scene::LightProfile profile{.image = {image.data(), static_cast<std::size_t>(image.size())},
                                .width = static_cast<std::uint32_t>(image.shape(1)),
                                .height = static_cast<std::uint32_t>(image.shape(0)),
                                .distance_power = py::float_(power),
                                .smooth = py::float_(smooth),
                                .owner = keep_alive(image.ptr())};
    scene::require_profile(profile, py::str(power).cast<std::string>(),
                           py::str(smooth).cast<std::string>());
    m_kept.push_back(py::reinterpret_borrow<py::object>(object));
    return m_profiles
        .emplace(object.ptr(), std::make_shared<const scene::LightProfile>(std::move(profile)))
        .first->second;
}

} // namespace weft::python
