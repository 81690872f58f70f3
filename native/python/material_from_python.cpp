// SPDX-License-Identifier: Apache-2.0
#include "python/material_from_python.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/array_views.hpp"
#include "python/interpreter_lock.hpp"
#include "scene/material_checks.hpp"
#include "scene/nesting.hpp"

#include <pybind11/gil_safe_call_once.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;

namespace {

/// The classes of weft.scene.
struct Classes {
    py::object attribute;
    py::object uv_set;
    py::object uv_tangent;
    py::object color_attribute;
    py::object constant;
    py::object slang_call;
    py::object normal_map;
    py::object bump;
    py::object texture;
    py::object closure;
    py::object mix;
    py::object add;
    py::object sequence;
};

const Classes& classes() {
    PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<Classes> stored;
    return stored
        .call_once_and_store_result([] {
            const auto values = py::module_::import("weft.scene.values");
            const auto materials = py::module_::import("weft.scene.materials");
            return Classes{
                .attribute = values.attr("Attribute"),
                .uv_set = values.attr("UVSet"),
                .uv_tangent = values.attr("UVTangent"),
                .color_attribute = values.attr("ColorAttribute"),
                .constant = values.attr("Constant"),
                .slang_call = values.attr("SlangCall"),
                .normal_map = values.attr("NormalMap"),
                .bump = values.attr("Bump"),
                .texture = values.attr("Texture"),
                .closure = materials.attr("Closure"),
                .mix = materials.attr("Mix"),
                .add = materials.attr("Add"),
                .sequence = py::module_::import("collections.abc").attr("Sequence"),
            };
        })
        .get_stored();
}

bool is(py::handle object, const py::object& type) {
    return Py_TYPE(object.ptr()) == reinterpret_cast<PyTypeObject*>(type.ptr()) ||
           py::isinstance(object, type);
}

bool is_sequence(py::handle object) {
    return PyTuple_Check(object.ptr()) != 0 || PyList_Check(object.ptr()) != 0 ||
           (PyFloat_Check(object.ptr()) == 0 && PyLong_Check(object.ptr()) == 0 &&
            PyUnicode_Check(object.ptr()) == 0 && py::isinstance(object, classes().sequence));
}

double number(py::handle object) {
    const double value = PyFloat_AsDouble(object.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw ArgumentError(
            core::text("Material: a value must be numbers, a texture, an attribute or a function, "
                       "got ",
                       py::repr(object).cast<std::string>()),
            ArgumentError::Kind::type);
    }
    return value;
}

scene::Value numbers(py::handle object) {
    if (!is_sequence(object)) {
        return number(object);
    }
    scene::Numbers values;
    for (const py::handle entry : object) {
        values.push_back(number(entry));
    }
    return values;
}

scene::Attribute attribute(py::handle object) {
    const auto name = object.attr("name").cast<std::string>();
    for (std::size_t k = 0; k < scene::kAttributes; k++) {
        const auto entry = static_cast<scene::Attribute>(k);
        if (scene::attribute_info(entry).name == name) {
            return entry;
        }
    }
    throw core::InternalError(core::text("Material: the attribute '", name, "' is not known"));
}

std::uint32_t index_of(py::handle object) {
    return object.attr("index").cast<std::uint32_t>();
}

/// A value without what it is made of: enough to tell its size.
scene::Value shallow(py::handle object) {
    const Classes& known = classes();
    if (is(object, known.attribute)) {
        return attribute(object);
    }
    if (is(object, known.slang_call)) {
        auto call = std::make_shared<scene::SlangCall>();
        call->size = object.attr("size").cast<std::size_t>();
        return call;
    }
    if (is(object, known.texture)) {
        auto texture = std::make_shared<scene::Texture>();
        texture->channels = object.attr("channels").cast<std::uint32_t>();
        return texture;
    }
    if (is(object, known.uv_set)) {
        return scene::UvSet();
    }
    if (is(object, known.color_attribute)) {
        return scene::ColorAttribute();
    }
    if (is(object, known.uv_tangent)) {
        return scene::UvTangent();
    }
    if (is(object, known.normal_map) || is(object, known.bump)) {
        return std::make_shared<const scene::Bump>();
    }
    if (is(object, known.constant)) {
        return shallow(object.attr("value"));
    }
    return is_sequence(object) ? scene::Value(scene::Numbers(py::len(object))) : scene::Value(0.0);
}

/// The call that a value is, or is looked up by; none: there is no such.
py::object call_below(py::object value) {
    while (is(value, classes().texture)) {
        value = value.attr("uv");
    }
    return is(value, classes().slang_call) ? value : py::object();
}

} // namespace

std::size_t size_of_value(py::handle object) {
    return scene::size_of(shallow(object));
}

py::object python_texture(const scene::Texture& texture) {
    return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(texture.owner.get()));
}

scene::NamedValues MaterialReader::named(py::handle mapping) {
    scene::NamedValues values;
    for (const py::handle item : mapping.attr("items")()) {
        const auto pair = py::reinterpret_borrow<py::tuple>(item);
        values.emplace_back(pair[0].cast<std::string>(), value(pair[1]));
    }
    return values;
}

namespace {

/// Pixels are read where they are, and copied only where they are of another type or lie otherwise. What is no image has
/// none.
void read_pixels(py::handle object, scene::Texture& texture) {
    const py::object given = object.attr("pixels");
    const Floats pixels = Floats::ensure(given);
    PyErr_Clear();
    if (!pixels || pixels.ndim() != 3) {
        return;
    }
    texture.height = static_cast<std::uint32_t>(pixels.shape(0));
    texture.width = static_cast<std::uint32_t>(pixels.shape(1));
    texture.channels = static_cast<std::uint32_t>(pixels.shape(2));
    texture.pixels = {pixels.data(), static_cast<std::size_t>(pixels.size())};
    // The array that was given stands for the pixels; the one that was read keeps them.
    using Arrays = std::pair<std::shared_ptr<void>, std::shared_ptr<void>>;
    const auto kept = std::make_shared<Arrays>(keep_alive(given.ptr()), keep_alive(pixels.ptr()));
    texture.image = std::shared_ptr<const void>(kept, kept->first.get());
}

template <std::size_t Count>
std::size_t number_of(const std::array<std::string_view, Count>& names, const py::object& name) {
    const auto found = std::ranges::find(names, name.cast<std::string>());
    return found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin());
}

} // namespace

std::shared_ptr<scene::Texture> MaterialReader::texture(py::handle object) {
    if (const auto found = m_textures.find(object.ptr()); found != m_textures.end()) {
        return found->second;
    }
    auto made = std::make_shared<scene::Texture>();
    made->channels = object.attr("channels").cast<std::uint32_t>();
    made->wrap =
        static_cast<scene::TextureWrap>(number_of(scene::kTextureWraps, object.attr("wrap")));
    made->filter =
        static_cast<scene::TextureFilter>(number_of(scene::kTextureFilters, object.attr("filter")));
    read_pixels(object, *made);
    made->name = py::str(object.attr("name")).cast<std::string>();
    made->owner = keep_alive(object.ptr());
    const py::object uv = object.attr("uv");
    if (!uv.is_none()) {
        made->uv = value(uv);
    }
    m_textures.emplace(object.ptr(), made);
    return made;
}

std::shared_ptr<scene::SlangCall> MaterialReader::new_call(py::handle object) {
    auto made = std::make_shared<scene::SlangCall>();
    made->function = object.attr("function").cast<std::string>();
    made->source = object.attr("source").cast<std::string>();
    made->module = object.attr("module").cast<std::string>();
    made->origin = object.attr("origin").cast<std::string>();
    made->size = object.attr("size").cast<std::size_t>();
    made->is_differentiable = py::bool_(object.attr("is_differentiable"));
    made->arguments = named(object.attr("arguments"));
    m_kept.push_back(py::reinterpret_borrow<py::object>(object));
    m_calls.emplace(object.ptr(), made);
    return made;
}

/// From the far end of a chain, so that long ones do not nest.
std::shared_ptr<scene::SlangCall> MaterialReader::call(py::handle object) {
    std::unordered_set<PyObject*> seen;
    std::vector<std::pair<py::object, bool>> stack{
        {py::reinterpret_borrow<py::object>(object), false}};
    while (!stack.empty()) {
        const auto [entry, is_done] = std::move(stack.back());
        stack.pop_back();
        if (m_calls.contains(entry.ptr())) {
            continue;
        }
        if (is_done) {
            static_cast<void>(new_call(entry));
        } else if (seen.insert(entry.ptr()).second) {
            stack.emplace_back(entry, true);
            for (const py::handle argument : entry.attr("arguments").attr("values")()) {
                py::object below = call_below(py::reinterpret_borrow<py::object>(argument));
                if (below) {
                    stack.emplace_back(std::move(below), false);
                }
            }
        }
    }
    return m_calls.at(object.ptr());
}

namespace {

std::shared_ptr<const scene::Constant> constant(py::handle object) {
    return std::make_shared<const scene::Constant>(
        scene::Constant{.name = object.attr("name").cast<std::string>(),
                        .value = numbers(object.attr("value")),
                        .low = number(object.attr("low")),
                        .high = number(object.attr("high"))});
}

} // namespace

scene::Value MaterialReader::value(py::handle object) {
    const scene::Nesting nesting(m_depth, "surfaces or values");
    const Classes& known = classes();
    if (PyFloat_Check(object.ptr()) != 0 || PyTuple_Check(object.ptr()) != 0) {
        return numbers(object);
    }
    if (is(object, known.constant)) {
        return constant(object);
    }
    if (is(object, known.slang_call)) {
        return call(object);
    }
    if (is(object, known.texture)) {
        return texture(object);
    }
    if (is(object, known.attribute)) {
        return attribute(object);
    }
    if (is(object, known.uv_set)) {
        return scene::UvSet{index_of(object)};
    }
    if (is(object, known.uv_tangent)) {
        return scene::UvTangent{index_of(object)};
    }
    if (is(object, known.color_attribute)) {
        return scene::ColorAttribute{index_of(object)};
    }
    if (is(object, known.normal_map)) {
        const auto space = object.attr("space").cast<std::string>();
        return std::make_shared<const scene::NormalMap>(
            scene::NormalMap{.color = value(object.attr("color")),
                             .strength = value(object.attr("strength")),
                             .space = scene::normal_space(space, scene::quoted_text(space)),
                             .uv_set = object.attr("uv_set").cast<std::uint32_t>()});
    }
    if (is(object, known.bump)) {
        const py::object normal = object.attr("normal");
        const py::object step = object.attr("step");
        return std::make_shared<const scene::Bump>(
            scene::Bump{.height = value(object.attr("height")),
                        .strength = value(object.attr("strength")),
                        .distance = value(object.attr("distance")),
                        .normal = normal.is_none() ? std::nullopt : std::optional(value(normal)),
                        .step = step.is_none() ? std::nullopt : std::optional(number(step)),
                        .filter_width = number(object.attr("filter_width")),
                        .is_surface = py::bool_(object.attr("is_surface"))});
    }
    return numbers(object);
}

scene::SurfaceRef MaterialReader::surface(py::handle object) {
    const scene::Nesting nesting(m_depth, "surfaces or values");
    if (const auto found = m_surfaces.find(object.ptr()); found != m_surfaces.end()) {
        return found->second;
    }
    scene::Surface made;
    if (is(object, classes().closure)) {
        scene::Closure closure{.kind = object.attr("kind").cast<std::string>()};
        closure.inputs = named(object.attr("inputs"));
        for (const py::handle item : object.attr("options").attr("items")()) {
            const auto pair = py::reinterpret_borrow<py::tuple>(item);
            closure.options.emplace_back(pair[0].cast<std::string>(), pair[1].cast<std::string>());
        }
        static_cast<void>(scene::require_closure(closure.kind, scene::quoted_text(closure.kind)));
        made.node = std::move(closure);
    } else if (is(object, classes().mix)) {
        made.node = scene::Mix{.first = surface(object.attr("first")),
                               .second = surface(object.attr("second")),
                               .factor = value(object.attr("factor"))};
    } else if (is(object, classes().add)) {
        made.node = scene::Add{.first = surface(object.attr("first")),
                               .second = surface(object.attr("second"))};
    } else {
        throw ArgumentError(core::text("Material: a surface must be a Closure, a Mix or an Add, "
                                       "got ",
                                       py::repr(object).cast<std::string>()),
                            ArgumentError::Kind::type);
    }
    m_kept.push_back(py::reinterpret_borrow<py::object>(object));
    return m_surfaces.emplace(object.ptr(), std::make_shared<const scene::Surface>(std::move(made)))
        .first->second;
}

scene::MaterialRef MaterialReader::material(py::handle object) {
    const py::object volume = object.attr("volume");
    return std::make_shared<const scene::Material>(
        scene::Material{.name = object.attr("name").cast<std::string>(),
                        .surface = surface(object.attr("surface")),
                        .transparent_shadows = py::bool_(object.attr("transparent_shadows")),
                        .volume = volume.is_none() ? nullptr : surface(volume)});
}

} // namespace weft::python
