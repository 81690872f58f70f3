// SPDX-License-Identifier: Apache-2.0
#include "python/scene_from_python.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/array_views.hpp"
#include "python/interpreter_lock.hpp"
#include "python/render_from_python.hpp"

#include <pybind11/numpy.h>

#include <string_view>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;

namespace {

std::string name_of(py::handle object) {
    return py::str(object.attr("name")).cast<std::string>();
}

std::string shape_text(py::handle value) {
    return py::hasattr(value, "shape") ? py::str(value.attr("shape")).cast<std::string>()
                                       : py::str(py::type::of(value)).cast<std::string>();
}

/// Numbers of a mesh, row-major; a copy only where they are of another type or lie otherwise.
template <typename T>
scene::MeshArray<T> numbers(py::handle value, const std::string& what,
                            std::initializer_list<py::ssize_t> row) {
    using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;
    Array array;
    if (!value.is_none()) {
        array = Array::ensure(value);
    }
    bool fits = !value.is_none() && static_cast<bool>(array) &&
                array.ndim() == static_cast<py::ssize_t>(row.size()) + 1;
    std::string wanted = "(n";
    py::ssize_t axis = 1;
    for (const py::ssize_t extent : row) {
        fits = fits && array.shape(axis++) == extent;
        wanted += text(", ", extent);
    }
    if (!fits) {
        throw ArgumentError(text(what, " must have shape ", wanted, row.size() == 0 ? ",)" : ")",
                                 ", got ", shape_text(value), "; make a new Mesh of it"));
    }
    if ((array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) == 0) {
        array = Array(array.attr("copy")());
    }
    return {std::span<const T>(array.data(), static_cast<std::size_t>(array.size())),
            keep_alive(array.ptr())};
}

std::vector<scene::AttributeSet> sets(py::handle mapping, const std::string& what,
                                      py::ssize_t size) {
    std::vector<scene::AttributeSet> read;
    for (const py::handle item : mapping.attr("items")()) {
        const auto pair = py::reinterpret_borrow<py::tuple>(item);
        const auto name = py::str(pair[0]).cast<std::string>();
        read.push_back({.name = name,
                        .values = numbers<float>(pair[1], text(what, " '", name, "'"), {3, size})});
    }
    return read;
}

scene::MeshRef read_mesh(py::handle object) {
    scene::Mesh read{.name = name_of(object)};
    const std::string where = text("Mesh '", read.name, "': ");
    read.positions = numbers<float>(object.attr("positions"), where + "positions", {3});
    read.triangles = numbers<std::uint32_t>(object.attr("triangles"), where + "triangles", {3});
    if (const py::object normals = object.attr("normals"); !normals.is_none()) {
        read.normals = numbers<float>(normals, where + "normals", {3, 3});
    }
    read.uvs = sets(object.attr("uvs"), where + "UV set", 2);
    read.colors = sets(object.attr("colors"), where + "colour", 3);
    if (const py::object slots = object.attr("slots"); !slots.is_none()) {
        read.slots = numbers<std::uint32_t>(slots, where + "slots", {});
    }
    return scene::mesh(std::move(read));
}

/// A mesh, and its arrays, which may have been replaced.
render::PartKey mesh_key(py::handle object) {
    render::PartKey key("mesh of Python");
    key.add_identity(keep_alive(object.ptr()));
    for (const char* const name : {"positions", "triangles", "normals", "slots"}) {
        key.add_identity(keep_alive(py::object(object.attr(name)).ptr()));
    }
    for (const char* const name : {"uvs", "colors"}) {
        const py::object mapping = object.attr(name);
        key.add(static_cast<std::uint64_t>(py::len(mapping)));
        for (const py::handle item : mapping.attr("items")()) {
            const auto pair = py::reinterpret_borrow<py::tuple>(item);
            key.add(std::string_view(py::str(pair[0]).cast<std::string>()));
            key.add_identity(keep_alive(py::object(pair[1]).ptr()));
        }
    }
    return key;
}

/// The images of an environment: what keeps them, and they themselves, that of light rays first.
struct EnvironmentArrays {
    std::vector<std::shared_ptr<void>> owners{};
    std::vector<std::span<const float>> images{};
    std::uint32_t width = 0;
    std::uint32_t height = 0;
};
using EnvironmentArraysRef = std::shared_ptr<const EnvironmentArrays>;

std::vector<py::object> images_of(py::handle environment) {
    std::vector<py::object> images{environment.attr("image")};
    for (const py::handle image : environment.attr("views").attr("values")()) {
        images.push_back(py::reinterpret_borrow<py::object>(image));
    }
    return images;
}

EnvironmentArraysRef read_images(const std::vector<py::object>& images) {
    auto read = std::make_shared<EnvironmentArrays>();
    for (const py::object& given : images) {
        const Floats image = Floats::ensure(given);
        PyErr_Clear();
        if (!image || image.ndim() != 3 || image.shape(2) != 3 || image.size() == 0) {
            throw ArgumentError("Environment: an image must be (height, width, 3) with at "
                                "least one pixel; make the Environment anew");
        }
        if (!read->images.empty()) {
            require_shape("Environment: an image", image,
                          {py::ssize_t{read->height}, py::ssize_t{read->width}, 3});
        }
        read->height = static_cast<std::uint32_t>(image.shape(0));
        read->width = static_cast<std::uint32_t>(image.shape(1));
        read->owners.push_back(keep_alive(image.ptr()));
        read->images.emplace_back(image.data(), static_cast<std::size_t>(image.size()));
    }
    return read;
}

scene::Affine transform_of(py::handle object, const std::string& name) {
    const py::object value = object.attr("transform");
    Doubles array;
    if (!value.is_none()) {
        array = Doubles::ensure(value);
    }
    if (value.is_none() || !array || array.ndim() != 2 || array.shape(1) != 4 ||
        (array.shape(0) != 3 && array.shape(0) != 4)) {
        throw ArgumentError(text("Object '", name,
                                 "': transform must be a finite (4, 4) or (3, 4) matrix, got ",
                                 shape_text(value)));
    }
    scene::Affine transform{};
    std::copy_n(array.data(), transform.size(), transform.begin());
    return transform;
}

} // namespace

scene::MeshRef SceneReader::mesh(py::handle object) {
    if (const auto found = m_meshes.find(object.ptr()); found != m_meshes.end()) {
        return found->second;
    }
    const auto read =
        m_kept.get<scene::MeshRef>(mesh_key(object), [&] { return read_mesh(object); });
    m_read.push_back(py::reinterpret_borrow<py::object>(object));
    m_meshes.emplace(object.ptr(), read);
    return read;
}

scene::MaterialRef SceneReader::material(py::handle object) {
    if (const auto found = m_materials.find(object.ptr()); found != m_materials.end()) {
        return found->second;
    }
    const scene::MaterialRef read = m_reader.material(object);
    m_read.push_back(py::reinterpret_borrow<py::object>(object));
    m_materials.emplace(object.ptr(), read);
    return read;
}

scene::Object SceneReader::object(py::handle object) {
    scene::Object read{.mesh = mesh(object.attr("mesh")), .name = name_of(object)};
    for (const py::handle entry : object.attr("materials")) {
        read.materials.push_back(material(entry));
    }
    read.transform = transform_of(object, read.name);
    read.hidden_from =
        read_ray_kinds("hidden_from", object.attr("hidden_from"), scene::kObjectRayKinds);
    read.terminator_offset =
        static_cast<float>(object.attr("shadow_terminator_geometry_offset").cast<double>());
    scene::require_valid(read);
    return read;
}

/// Images count as the same while the environment and its arrays are the same objects.
std::shared_ptr<const scene::Environment> SceneReader::environment(py::handle object) {
    const std::vector<py::object> images = images_of(object);
    render::PartKey key("images of Python");
    key.add_identity(keep_alive(object.ptr()));
    for (const py::object& image : images) {
        key.add_identity(keep_alive(image.ptr()));
    }
    const auto arrays = m_kept.get<EnvironmentArraysRef>(key, [&] { return read_images(images); });
    scene::Environment read = read_environment(object);
    read.image = arrays->images.front();
    read.width = arrays->width;
    read.height = arrays->height;
    for (std::size_t k = 0; k < read.views.size(); ++k) {
        read.views[k].image = arrays->images[k + 1];
    }
    read.owner = arrays;
    return std::make_shared<const scene::Environment>(std::move(read));
}

scene::Scene SceneReader::scene(py::handle object) {
    scene::Scene read;
    for (const py::handle light : object.attr("lights")) {
        read.lights.push_back(m_lights.light(light));
    }
    if (const py::object sky = object.attr("environment"); !sky.is_none()) {
        read.environment = environment(sky);
    }
    read.light_paths = light_paths_from_python(object.attr("light_paths"));
    for (const py::handle entry : object.attr("objects")) {
        read.objects.push_back(this->object(entry));
    }
    return read;
}

} // namespace weft::python
