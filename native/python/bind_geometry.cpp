// SPDX-License-Identifier: Apache-2.0
#include "python/bind_geometry.hpp"

#include "python/bind_tensor.hpp"
#include "python/interpreter_lock.hpp"
#include "python/scene_from_python.hpp"
#include "render/geometry_tensors.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstring>

namespace weft::python {

namespace py = pybind11;
using render::KeptParts;
using render::SceneGeometry;
using scene::EmissiveMeshes;

namespace {

template <typename T>
py::array_t<T> to_array(std::span<const T> values, std::vector<py::ssize_t> row = {}) {
    py::ssize_t size = 1;
    for (const py::ssize_t extent : row) {
        size *= extent;
    }
    row.insert(row.begin(), static_cast<py::ssize_t>(values.size()) / size);
    py::array_t<T> array(row);
    std::ranges::copy(values, array.mutable_data());
    return array;
}

template <typename T>
py::array_t<T> to_array(const std::vector<T>& values, std::vector<py::ssize_t> row = {}) {
    return to_array(std::span<const T>(values), std::move(row));
}

std::shared_ptr<SceneGeometry> read(KeptParts& kept, const py::object& object) {
    scene::Scene scene = SceneReader(kept).scene(object);
    const Unlocked unlocked;
    return std::make_shared<SceneGeometry>(render::scene_geometry(kept, std::move(scene)));
}

py::array_t<float> transforms(const SceneGeometry& geometry) {
    const auto& own = geometry.table.transforms;
    py::array_t<float> array(
        {static_cast<py::ssize_t>(own.size()), py::ssize_t{3}, py::ssize_t{4}});
    std::memcpy(array.mutable_data(), own.data(), own.size() * sizeof(scene::Transform));
    return array;
}

py::dict tensors(const SceneGeometry& geometry, KeptParts& kept, bool has_tangents) {
    render::GeometryTensors made;
    {
        const Unlocked unlocked;
        made = render::build_geometry_tensors(kept, geometry.scene, geometry.table, has_tangents);
    }
    py::dict named;
    named["positions"] = tensor_to_python(made.positions);
    named["normals"] = tensor_to_python(made.normals);
    named["uvs"] = tensor_to_python(made.uvs);
    named["colors"] = tensor_to_python(made.colors);
    named["slots"] = tensor_to_python(made.slots);
    named["tangents"] = tensor_to_python(made.tangents);
    return named;
}

std::shared_ptr<EmissiveMeshes> emissive_meshes(const SceneGeometry& geometry, KeptParts& kept,
                                                std::uint32_t first_light) {
    const Unlocked unlocked;
    return std::const_pointer_cast<EmissiveMeshes>(
        render::emissive_meshes(kept, geometry.scene, geometry.table, first_light));
}

py::array_t<std::uint32_t> instances(const SceneGeometry& geometry, const EmissiveMeshes& lights) {
    const auto rows =
        scene::instance_rows(geometry.scene, geometry.table, lights.first_of_instance);
    py::array_t<std::uint32_t> array({static_cast<py::ssize_t>(rows.size()), py::ssize_t{4}});
    std::memcpy(array.mutable_data(), rows.data(), rows.size() * sizeof(scene::InstanceRow));
    return array;
}

/// A number of each object; one zero if there is none.
template <typename T>
py::array_t<T> of_objects(const SceneGeometry& geometry, T scene::Object::* member) {
    std::vector<T> values;
    for (const scene::Object& object : geometry.scene.objects) {
        values.push_back(object.*member);
    }
    if (values.empty()) {
        values.push_back(0);
    }
    return to_array(values);
}

bool has_hidden(const SceneGeometry& geometry) {
    return std::ranges::any_of(geometry.scene.objects,
                               [](const scene::Object& object) { return object.hidden_from != 0; });
}

bool has_terminators(const SceneGeometry& geometry) {
    return std::ranges::any_of(geometry.scene.objects, scene::lifts_light_rays);
}

py::array_t<std::uint32_t> lights_of_triangles(const SceneGeometry& geometry,
                                               const EmissiveMeshes& lights) {
    std::vector<std::uint32_t> found;
    {
        const Unlocked unlocked;
        found = scene::lights_of_triangles(geometry.table, lights);
    }
    return to_array(found);
}

void bind_scene_geometry(py::module_& module) {
    py::classh<SceneGeometry>(module, "SceneGeometry",
                              "The objects of a weft.scene.Scene, read once, and where their "
                              "triangles lie in tables.")
        .def(py::init(&read), py::arg("kept"), py::arg("scene"),
             "Args:\n    kept: Meshes that were read before, and boxes around objects.\n    "
             "scene: What.\n\n"
             "Raises:\n    ArgumentError: An array has not the shape that Mesh gave it, a triangle "
             "names a vertex that there is not, or a number is not finite.\n")
        .def_readonly("extent", &SceneGeometry::extent, "Radius of the scene, metres.")
        .def_property_readonly(
            "triangle_count", [](const SceneGeometry& g) { return g.table.triangle_count; },
            "Triangles of all meshes.")
        .def_property_readonly(
            "has_baked_transforms",
            [](const SceneGeometry& g) { return g.table.has_baked_transforms; },
            "Whether every mesh is placed once and not mirrored, and no object holds a medium: "
            "triangles lie in world space and know their materials.")
        .def_property_readonly("transforms", &transforms,
                               "Object to world, shape ``(objects, 3, 4)``.")
        .def_property_readonly(
            "mesh_of_instance",
            [](const SceneGeometry& g) { return to_array(g.table.mesh_of_instance); },
            "Number of each object's mesh, in the order of first use.")
        .def_property_readonly(
            "first_triangles",
            [](const SceneGeometry& g) { return to_array(g.table.first_triangle); },
            "Number of each mesh's first triangle.")
        .def_property_readonly(
            "slot_materials",
            [](const SceneGeometry& g) { return to_array(scene::materials_of_slots(g.scene)); },
            "Number of the material of each slot of each object; one zero if there is none.")
        .def_property_readonly(
            "hidden_from",
            [](const SceneGeometry& g) { return of_objects(g, &scene::Object::hidden_from); },
            "Bits of RayKind of each object; one zero if there is none.")
        .def_property_readonly(
            "terminators",
            [](const SceneGeometry& g) { return of_objects(g, &scene::Object::terminator_offset); },
            "Geometry offset of each object; one zero if there is none.")
        .def_property_readonly("has_hidden", &has_hidden, "Whether some ray passes an object.")
        .def_property_readonly("has_terminators", &has_terminators,
                               "Whether rays towards lights may begin off triangles.")
        .def_property_readonly(
            "has_media", [](const SceneGeometry& g) { return scene::has_media(g.scene); },
            "Whether objects hold media.")
        .def("tensors", &tensors, py::arg("kept"), py::kw_only(), py::arg("has_tangents"),
             "Returns tensors by the names of GeometryView of scene_view.slang.")
        .def("emissive_meshes", &emissive_meshes, py::arg("kept"), py::arg("first_light"),
             "Returns lights of triangles; one object as long as what gives off light is the same.")
        .def("instances", &instances, py::arg("emissive"),
             "Returns a record of each object, its words as InstanceWord has them.")
        .def("lights_of_triangles", &lights_of_triangles, py::arg("emissive"),
             "Returns the light of each triangle, where kernels look for it.");
}

void bind_emissive_meshes(py::module_& module) {
    using Part = scene::EmissivePart;
    py::classh<Part>(module, "EmissivePart", "Triangles with one slot of one object, each a light.")
        .def_readonly("instance", &Part::instance, "Number of the object.")
        .def_readonly("slot", &Part::slot, "Of the object.")
        .def_readonly("is_mirrored", &Part::is_mirrored,
                      "The transform makes the other side the front.")
        .def_readonly("first_light", &Part::first_light, "Number of the first one's light.")
        .def_property_readonly(
            "radiance",
            [](const Part& p) { return to_array(std::span<const double>(p.emission.radiance)); },
            "Linear RGB; 1 if it varies.")
        .def_property_readonly(
            "both_sides", [](const Part& p) { return p.emission.both_sides; },
            "Not only the front gives off light.")
        .def_property_readonly(
            "varies", [](const Part& p) { return p.emission.varies; },
            "The radiance is evaluated where light comes from.")
        .def_property_readonly(
            "primitives", [](const Part& p) { return to_array(p.primitives); },
            "Numbers among the mesh's triangles, ascending.")
        .def_property_readonly(
            "areas", [](const Part& p) { return to_array(p.areas); }, "Of each, m^2.")
        .def_property_readonly(
            "corners", [](const Part& p) { return to_array(p.corners, {3, 3}); },
            "Of each, in the world, metres, shape ``(n, 3, 3)``.");
    py::classh<EmissiveMeshes>(module, "EmissiveMeshes",
                               "Lights of triangles, and where instances find them.")
        .def_readonly("parts", &EmissiveMeshes::parts, "In the order of lights.")
        .def_property_readonly(
            "first_of_instance",
            [](const EmissiveMeshes& m) { return to_array(m.first_of_instance); },
            "Of each object: where its triangles begin; 0xFFFFFFFF: it gives off no light.");
}

} // namespace

void bind_geometry(py::module_& module) {
    bind_scene_geometry(module);
    bind_emissive_meshes(module);
}

} // namespace weft::python
