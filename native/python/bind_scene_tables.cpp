// SPDX-License-Identifier: Apache-2.0
// Tables of scenes and what is made with them, for weft.render.upload and weft.render.renderer.
#include "core/error.hpp"
#include "python/array_views.hpp"
#include "python/bind_material.hpp"
#include "python/bind_tensor.hpp"
#include "python/interpreter_lock.hpp"
#include "python/material_from_python.hpp"
#include "python/render_objects.hpp"
#include "python/scene_from_python.hpp"
#include "render/lit_scene.hpp"
#include "render/memory.hpp"
#include "render/scene_kernels.hpp"
#include "scene/media.hpp"

#include <pybind11/stl.h>

#include <cstring>

namespace weft::python {

namespace py = pybind11;
using render::KeptParts;
using render::SceneGeometry;
using render::SceneTables;
using render::SceneTablesRef;
using render::TracedMeshes;

namespace {

render::SceneTablesDesc desc_of(const std::string& light_sampling) {
    return {.light_sampling = render::require_light_sampling(light_sampling, "Renderer"),
            .bsdf_tables = package_directory() / "shaders" / "weft" / "bsdf" / "tables.npy"};
}

std::shared_ptr<const SceneGeometry> read(KeptParts& kept, py::handle object) {
    scene::Scene scene = SceneReader(kept).scene(object);
    const Unlocked unlocked;
    return std::make_shared<const SceneGeometry>(render::scene_geometry(kept, std::move(scene)));
}

SceneTablesRef create(const std::shared_ptr<KeptParts>& kept, const py::object& scene,
                      const std::string& light_sampling, const SceneTables* lit) {
    const render::SceneTablesDesc desc = desc_of(light_sampling);
    const auto geometry = read(*kept, scene);
    const Unlocked unlocked;
    return std::make_shared<SceneTables>(kept, geometry, desc, lit);
}

std::vector<SceneTablesRef> build_lit_tables(const std::shared_ptr<KeptParts>& kept,
                                             const py::sequence& scenes,
                                             const std::string& light_sampling) {
    const render::SceneTablesDesc desc = desc_of(light_sampling);
    std::vector<render::SceneGeometryRef> read_scenes;
    for (const py::handle scene : scenes) {
        read_scenes.push_back(read(*kept, scene));
    }
    if (read_scenes.empty()) {
        throw core::ArgumentError("build_lit_tables: at least one scene is needed");
    }
    const Unlocked unlocked;
    return render::build_lit_tables(kept, read_scenes, desc);
}

py::dict kernel_traits(const std::shared_ptr<Session>& session,
                       const std::vector<SceneTablesRef>& tables) {
    return traits_to_python(render::kernel_traits(*session->device, tables));
}

/// Modules are loaded by the film: it has those of other scenes.
py::tuple prepare_scene(FilmTracerObject& film, const std::vector<SceneTablesRef>& tables,
                        const py::object& traits_object, const TracedMeshes* before) {
    const scene::SceneTraits traits = traits_from_python(traits_object);
    const render::TracerDesc desc{.libraries = package_directory() / "lib"};
    render::LitScene scene;
    {
        const Unlocked unlocked; // first: who has the turn may want the interpreter
        const std::lock_guard locked(*film.turn);
        scene = render::prepare_scene(film.native->modules(), tables, traits, desc, before);
    }
    return py::make_tuple(
        SceneModulesObject{.session = film.session, .pool = film.pool, .native = scene.modules},
        std::const_pointer_cast<TracedMeshes>(scene.traced));
}

void evaluate_media(const SceneModulesObject& modules, const SceneTables& tables,
                    const py::object& view_object, const tensor::TensorRef& coefficients) {
    const render::KernelArgument view =
        argument_from_python(*modules.pool, view_object, "evaluate_media: view");
    const Unlocked unlocked;
    render::evaluate_media(*modules.native, *tables.materials(), view, coefficients);
}

py::tuple camera_media(const SceneGeometry& geometry, const py::object& camera_object) {
    const scene::Camera camera = camera_from_python(camera_object);
    scene::CameraMedia media;
    {
        const Unlocked unlocked;
        media = scene::camera_media(geometry.scene, camera);
    }
    return py::make_tuple(py::array_t<std::uint32_t>(std::ssize(media.stack), media.stack.data()),
                          media.differs_at_corners);
}

py::array_t<std::uint32_t> records_of(const render::TextureTensors& textures) {
    const auto& records = textures.records;
    py::array_t<std::uint32_t> out({std::ssize(records), std::ssize(records.front())});
    std::memcpy(out.mutable_data(), records.data(), records.size() * sizeof(records.front()));
    return out;
}

py::tuple texture_tensors(KeptParts& kept, const py::sequence& textures) {
    MaterialReader reader;
    std::vector<std::shared_ptr<const scene::Texture>> read_textures;
    for (const py::handle texture : textures) {
        read_textures.push_back(reader.read_texture(texture));
    }
    render::TextureTensors made;
    {
        const Unlocked unlocked;
        made = render::build_texture_tensors(kept, read_textures);
    }
    return py::make_tuple(tensor_to_python(made.texels), records_of(made));
}

py::dict view_without_lights(const SceneTables& tables,
                             const std::vector<std::uint32_t>& materials) {
    render::KernelArgument view;
    {
        const Unlocked unlocked;
        view = tables.view_without_lights(materials);
    }
    return argument_to_python(view);
}

py::array_t<double> light_powers(const SceneTables& tables) {
    std::vector<double> powers;
    for (const scene::LightRow& row : tables.lights().rows) {
        powers.push_back(row.power);
    }
    return to_array(powers);
}

using TablesClass = py::classh<SceneTables>;

void bind_tables(TablesClass& binding) {
    binding
        .def(py::init(&create), py::arg("kept").none(false), py::arg("scene"),
             py::arg("light_sampling") = "auto", py::arg("lit") = nullptr,
             "Args:\n    kept: Parts of other tables, and those of these.\n    scene: What.\n"
             "    light_sampling: As a Renderer takes it.\n"
             "    lit: Tables of the scene under other lights, with which memory is shared.\n\n"
             "Raises:\n    ArgumentError: The scene cannot be; what is wrong is named.\n")
        .def_property_readonly(
            "geometry",
            [](const SceneTables& self) {
                return std::const_pointer_cast<SceneGeometry>(self.geometry());
            },
            "The objects, and where their triangles lie.")
        .def_property_readonly(
            "materials",
            [](const SceneTables& self) { return material_table_to_python(self.materials()); },
            "build_material_table() of its materials.")
        .def_property_readonly(
            "view", [](const SceneTables& self) { return argument_to_python(self.view()); },
            "SceneView of scene_view.slang; a copy, which shares the tensors.")
        .def("view_without_lights", &view_without_lights, py::arg("materials"),
             "Returns the view of a scene where bounces alone find the light of some materials.\n\n"
             "Args:\n    materials: Their numbers.\n")
        .def(
            "restore_values",
            [](SceneTables& self) {
                const Unlocked unlocked;
                self.restore_values();
            },
            "Writes the scene's own scalars and texels again, which a fit may have written over.");
}

void bind_numbers(TablesClass& binding) {
    binding
        .def_property_readonly(
            "values", [](const SceneTables& self) { return tensor_to_python(self.values()); },
            "The scalar parameters of all materials; one object with those of `lit` if the "
            "numbers are the same.")
        .def_property_readonly(
            "texels",
            [](const SceneTables& self) { return tensor_to_python(self.textures().texels); },
            "Of all textures.")
        .def_property_readonly(
            "texture_records", [](const SceneTables& self) { return records_of(self.textures()); },
            "TextureWord of each texture, uint32, shape (n, 8), at least one.")
        .def_property_readonly(
            "coefficients",
            [](const SceneTables& self) { return tensor_to_python(self.coefficients()); },
            "Of media, see evaluate_media().")
        .def_property_readonly(
            "traits", [](const SceneTables& self) { return traits_to_python(self.traits()); },
            "The arguments of weft.scene.kernel_text.SceneTraits.")
        .def_property_readonly(
            "has_light", [](const SceneTables& self) { return self.lights().is_lit; },
            "Whether some light may reach a camera.")
        .def_property_readonly(
            "has_light_tree", [](const SceneTables& self) { return self.lights().has_tree; },
            "Whether lights at finite distance are drawn from a tree.")
        .def_property_readonly(
            "light_count", [](const SceneTables& self) { return self.lights().count(); },
            "Lights, emissive triangles, and the environment if it is drawn.")
        .def_property_readonly("light_powers", &light_powers,
                               "Watts of each light but the environment, shape (n,).");
}

void bind_scenes(py::module_& module) {
    py::classh<TracedMeshes>(module, "TracedMeshes",
                             "A tracer and what it traces for a scene. Made by prepare_scene().")
        .def_property_readonly("tracer", &TracedMeshes::tracer, "Of the instances.")
        .def_property_readonly("is_current", &TracedMeshes::is_current,
                               "Whether nobody else has placed other instances or meshes since.")
        .def_property_readonly(
            "change",
            [](const TracedMeshes& self) {
                const render::TracerChange& change = self.change();
                return py::make_tuple(change.triangles, change.moved, change.added);
            },
            "What it took to make the tracer that of the scene: triangles that needed trees, "
            "meshes that have moved, meshes that are new.");
    module.def("build_lit_tables", &build_lit_tables, py::arg("kept").none(false),
               py::arg("scenes"), py::arg("light_sampling"),
               "Returns the SceneTables of a scene, and of it under other lights.\n\n"
               "Args:\n    kept: Parts of the tables that they replace, and theirs.\n"
               "    scenes: It, then the same objects under other lights.\n"
               "    light_sampling: As a Renderer takes it.\n\n"
               "Raises:\n    ArgumentError: A scene cannot be; what is wrong is named.\n");
    module.def("kernel_traits", &kernel_traits, py::arg("device").none(false), py::arg("tables"),
               "Returns the arguments of SceneTraits of kernels that serve all these tables.");
    module.def("prepare_scene", &prepare_scene, py::arg("film"), py::arg("tables"),
               py::arg("traits"), py::arg("before") = nullptr,
               "Loads kernels, fills what they fill in tables, and makes acceleration structures. "
               "Returns SceneModules and TracedMeshes.\n\n"
               "Args:\n    film: That will render the scene.\n"
               "    tables: build_lit_tables() of the scene.\n    traits: Of all kernels.\n"
               "    before: The meshes of the scene before, or None.\n\n"
               "Raises:\n    CompileError: A Slang function of a material does not compile.\n"
               "    ArgumentError: A mesh cannot be traced; `before` is as it was.\n");
    module.def("evaluate_media", &evaluate_media, py::arg("modules"), py::arg("tables"),
               py::arg("view"), py::arg("coefficients").none(false),
               "Computes the coefficients of a scene's media from its parameters.\n\n"
               "Args:\n    modules: Of the scene.\n    tables: Of the scene.\n"
               "    view: Of it, perhaps with other parameters.\n"
               "    coefficients: Where they go.\n");
    module.def("camera_media", &camera_media, py::arg("geometry"), py::arg("camera"),
               "Returns what a camera is in, as MediaStack of medium.slang has it, and whether a "
               "medium begins within the film of an orthographic camera.");
    module.def("texture_tensors", &texture_tensors, py::arg("kept"), py::arg("textures"),
               "Returns the texels of textures, and their records: TextureWord, uint32, shape "
               "(n, 8), at least one.");
}

} // namespace

void bind_scene_tables(py::module_& module) {
    TablesClass binding(module, "SceneTables", "A scene on a device.");
    bind_tables(binding);
    bind_numbers(binding);
    bind_scenes(module);
}

} // namespace weft::python
