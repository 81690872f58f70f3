// SPDX-License-Identifier: Apache-2.0
// What weft.scene and weft.render know of materials comes from here: their classes hold the data, native/scene has the
// rules.
#include "python/bind_material.hpp"

#include "core/text.hpp"
#include "python/interpreter_lock.hpp"
#include "python/material_from_python.hpp"
#include "python/render_from_python.hpp"
#include "scene/closures.hpp"
#include "scene/kernel_text.hpp"
#include "scene/material_checks.hpp"
#include "scene/material_table.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;
using scene::MaterialParameter;
using scene::MaterialProgram;

namespace {

std::string shown(py::handle object) {
    return py::repr(object).cast<std::string>();
}

/// A text, or "" for what is none: no name that is looked for is empty.
std::string text_or_empty(py::handle object) {
    return PyUnicode_Check(object.ptr()) != 0 ? object.cast<std::string>() : std::string();
}

py::object number_or_tuple(const std::vector<double>& numbers) {
    return numbers.size() == 1 ? py::object(py::float_(numbers.front()))
                               : py::object(py::tuple(py::cast(numbers)));
}

std::string_view scale_name(scene::Scale scale) {
    return scale == scene::Scale::log ? "log" : "linear";
}

py::tuple names(const std::vector<std::string>& list) {
    return py::tuple(py::cast(list));
}

// Closures.

py::dict describe(const scene::ClosureInput& input) {
    py::dict fields;
    fields["default"] = number_or_tuple(input.standard);
    fields["low"] = input.low;
    fields["high"] = input.high;
    fields["is_separable"] = input.is_separable;
    fields["drives_transparency"] = input.drives_transparency;
    fields["is_walk"] = input.is_walk;
    fields["scale"] = scale_name(input.scale);
    fields["fit_low"] = input.fit_low;
    return fields;
}

py::dict describe(const std::vector<scene::ClosureOption>& options) {
    py::dict described;
    for (const scene::ClosureOption& option : options) {
        py::dict values;
        for (const auto& [value, flags] : option.values) {
            values[py::str(value)] = names(flags);
        }
        described[py::str(option.name)] = values;
    }
    return described;
}

py::dict describe(const scene::ClosureSpec& spec) {
    py::dict inputs;
    for (const auto& [name, input] : spec.inputs) {
        inputs[py::str(name)] = describe(input);
    }
    py::dict features;
    for (const auto& [flag, needed_by] : spec.features) {
        features[py::str(flag)] = names(needed_by);
    }
    py::list hiding;
    for (const scene::ClosureHiding& rule : spec.hiding) {
        py::dict when;
        for (const auto& [name, level] : rule.when) {
            when[py::str(name)] = level;
        }
        hiding.append(py::make_tuple(names(rule.hidden), when));
    }
    py::dict fields;
    fields["inputs"] = inputs;
    fields["bsdf"] = spec.bsdf;
    fields["construct"] = spec.construct;
    fields["emission"] = spec.emission;
    fields["structure"] = spec.structure;
    fields["always"] = names(spec.always);
    fields["features"] = features;
    fields["normals"] = names(spec.normals);
    fields["tangents"] = names(spec.tangents);
    fields["sides"] = spec.sides;
    fields["ensures_valid_reflection"] = spec.ensures_valid_reflection;
    fields["options"] = describe(spec.options);
    fields["hiding"] = hiding;
    return fields;
}

py::dict closure_table() {
    py::dict table;
    for (const scene::ClosureSpec& spec : scene::closure_table()) {
        table[py::str(spec.kind)] = describe(spec);
    }
    return table;
}

py::dict attribute_table() {
    py::dict table;
    for (std::size_t k = 0; k < scene::kAttributes; k++) {
        const auto& info = scene::attribute_info(static_cast<scene::Attribute>(k));
        table[py::str(std::string(info.name))] =
            py::make_tuple(info.expression, info.size, info.is_of_ray);
    }
    return table;
}

py::tuple split_inputs(const py::object& kind, const py::dict& given) {
    const scene::ClosureSpec& spec = scene::require_closure(text_or_empty(kind), shown(kind));
    py::dict inputs;
    py::dict options;
    for (const auto& [key, value] : given) {
        const auto name = key.cast<std::string>();
        if (spec.find_option(name) != nullptr) {
            scene::require_option(spec, name, text_or_empty(value), shown(value));
            options[key] = py::str(value);
        }
    }
    for (const auto& [key, value] : given) {
        if (options.contains(key)) {
            continue;
        }
        const auto name = key.cast<std::string>();
        scene::require_input(spec, name);
        if (PyUnicode_Check(value.ptr()) != 0) {
            scene::refuse_text(spec, name, shown(value));
        }
        scene::require_input_size(spec, name, size_of_value(value));
        inputs[key] = value;
    }
    return py::make_tuple(inputs, options);
}

// Checks of the classes of weft.scene.

void check_constant(const std::string& name, const std::vector<double>& numbers,
                    const py::object& value) {
    scene::require_constant(name, numbers, shown(value));
}

void check_normal_map(const py::object& map) {
    scene::require_normal_map(size_of_value(map.attr("color")),
                              size_of_value(map.attr("strength")));
    const py::object space = map.attr("space");
    static_cast<void>(scene::normal_space(text_or_empty(space), shown(space)));
}

void check_bump(const py::object& bump) {
    const py::object normal = bump.attr("normal");
    const py::object step = bump.attr("step");
    const py::object width = bump.attr("filter_width");
    scene::require_bump(size_of_value(bump.attr("height")), size_of_value(bump.attr("strength")),
                        size_of_value(bump.attr("distance")),
                        normal.is_none() ? std::nullopt : std::optional(size_of_value(normal)));
    if (!step.is_none()) {
        scene::require_bump_step(step.cast<double>(), py::str(step).cast<std::string>());
    }
    scene::require_bump_filter_width(width.cast<double>(), py::str(width).cast<std::string>());
}

bool varies(const py::object& volume) {
    return scene::varies(*MaterialReader().surface(volume));
}

void check_material(const std::string& name, const py::object& volume) {
    scene::require_material(name, !name.empty() && !volume.is_none() && varies(volume));
}

// Programs.

py::object texture_or_none(const MaterialParameter& parameter) {
    return parameter.texture ? python_texture(*parameter.texture) : py::none();
}

void bind_parameter(py::module_& module) {
    using Parameter = MaterialParameter;
    py::classh<Parameter>(module, "MaterialParameter", "A parameter of a material's program.")
        .def_readonly("name", &Parameter::name)
        .def_readonly("size", &Parameter::size)
        .def_property_readonly("values",
                               [](const Parameter& p) { return py::tuple(py::cast(p.values)); })
        .def_property_readonly("texture", &texture_or_none)
        .def_property_readonly("bounds",
                               [](const Parameter& p) { return py::tuple(py::cast(p.bounds)); })
        .def_readonly("is_separable", &Parameter::is_separable)
        .def_readonly("is_fixed", &Parameter::is_fixed)
        .def_readonly("drives_transparency", &Parameter::drives_transparency)
        .def_readonly("is_medium", &Parameter::is_medium)
        .def_readonly("is_walk", &Parameter::is_walk)
        .def_property_readonly("scale", [](const Parameter& p) { return scale_name(p.scale); })
        .def_readonly("fit_low", &Parameter::fit_low);
}

py::dict origins(const MaterialProgram& program) {
    py::dict found;
    for (const auto& [code, file] : program.origins) {
        found[py::str(code)] = file;
    }
    return found;
}

void bind_program(py::module_& module) {
    using Program = MaterialProgram;
    py::classh<Program>(module, "MaterialProgram",
                        "Slang text of a material's shape, and its parameters.")
        .def_readonly("text", &Program::text)
        .def_readonly("bsdf", &Program::bsdf)
        .def_readonly("slots", &Program::parameters)
        .def_readonly("sources", &Program::sources)
        .def_readonly("modules", &Program::modules)
        .def_readonly("functions", &Program::functions)
        .def_property_readonly("origins", &origins)
        .def_readonly("transparency", &Program::transparency)
        .def_readonly("medium", &Program::medium)
        .def_readonly("is_emissive", &Program::is_emissive)
        .def_readonly("scatters", &Program::scatters)
        .def_readonly("has_tangents", &Program::has_tangents)
        .def_readonly("has_bumps", &Program::has_bumps)
        .def_readonly("reads_ray", &Program::reads_ray)
        .def_readonly("is_boundary", &Program::is_boundary)
        .def_readonly("walks", &Program::subsurface_closures)
        .def_property_readonly("is_transparent",
                               [](const Program& p) { return !p.transparency.empty(); })
        .def_property_readonly("wanders",
                               [](const Program& p) { return p.subsurface_closures > 0; })
        .def_property_readonly("key", [](const Program& p) {
            return py::make_tuple(p.text, p.transparency, p.medium, p.is_boundary);
        });
}

MaterialProgram print_program(const py::object& material) {
    const scene::MaterialRef read = MaterialReader().material(material);
    const Unlocked unlocked;
    return scene::print_program(*read);
}

// Tables.

/// In the order of the fields of weft.render.parameter_range.ParameterRange, after the name.
py::tuple describe(const scene::ParameterRange& range) {
    const MaterialParameter& known = range.parameter;
    return py::make_tuple(range.name, range.first, known.size,
                          py::make_tuple(known.bounds[0], known.bounds[1]), known.is_separable,
                          known.is_fixed, known.drives_transparency, known.is_medium, known.is_walk,
                          scale_name(known.scale), known.fit_low);
}

scene::MaterialTable table_of(std::span<const scene::MaterialRef> materials) {
    const Unlocked unlocked;
    return scene::build_material_table(materials);
}

py::dict build_material_table(const py::sequence& materials) {
    MaterialReader reader;
    std::vector<scene::MaterialRef> read;
    read.reserve(materials.size());
    for (const py::handle material : materials) {
        read.push_back(reader.material(material));
    }
    return material_table_to_python(std::make_shared<scene::MaterialTable>(table_of(read)));
}

void bind_checks(py::module_& module) {
    module.def("closure_table", &closure_table,
               "Returns what weft.scene.CLOSURES is made of: by kind, the fields of ClosureSpec.");
    module.def("attribute_table", &attribute_table,
               "Returns Slang expression, size and whether it is of the ray, of each attribute.");
    module.def("size_of_value", &size_of_value, py::arg("value"),
               "Returns how many floats a value of a material has.");
    module.def("split_inputs", &split_inputs, py::arg("kind"), py::arg("given"),
               "Returns inputs and options of a closure, checked.\n\n"
               "Raises:\n    ArgumentError: See weft.scene.Closure.\n");
    module.def("check_constant", &check_constant, py::arg("name"), py::arg("numbers"),
               py::arg("value"), "Raises what weft.scene.Constant does.");
    module.def("check_slang_call", &scene::require_slang_call, py::arg("function"),
               py::arg("source"), py::arg("module"), py::arg("size"),
               "Raises what weft.scene.SlangCall does.");
    module.def("check_normal_map", &check_normal_map, py::arg("map"),
               "Raises what weft.scene.NormalMap does.");
    module.def("check_bump", &check_bump, py::arg("bump"), "Raises what weft.scene.Bump does.");
    module.def("check_material", &check_material, py::arg("name"), py::arg("volume"),
               "Raises what weft.scene.Material does.");
    module.def("varies", &varies, py::arg("volume"),
               "Returns whether a volume is not the same everywhere.");
    module.def("text_of_code", &scene::text_of_code, py::arg("function"), py::arg("source"),
               py::arg("module"), "Returns what runs where a call is evaluated, as text.");
}

} // namespace

py::dict material_table_to_python(std::shared_ptr<const scene::MaterialTable> shared) {
    const scene::MaterialTable& table = *shared;
    const auto rows = static_cast<py::ssize_t>(table.records.size());
    py::array_t<std::uint32_t> records({rows, py::ssize_t{2}});
    for (py::ssize_t k = 0; k < rows; k++) {
        const scene::MaterialRecord& record = table.records[static_cast<std::size_t>(k)];
        records.mutable_at(k, 0) = record.program;
        records.mutable_at(k, 1) = record.first;
    }
    py::list ranges;
    for (const scene::ParameterRange& range : table.ranges) {
        ranges.append(describe(range));
    }
    py::list textures;
    for (const auto& texture : table.textures) {
        textures.append(python_texture(*texture));
    }
    py::list uses;
    for (const scene::TextureUse& use : table.texture_uses) {
        uses.append(py::make_tuple(use.name, use.texture));
    }
    py::list programs;
    for (const auto& program : table.programs) {
        programs.append(py::cast(std::const_pointer_cast<MaterialProgram>(program)));
    }
    py::dict fields;
    fields["programs"] = programs;
    fields["records"] = records;
    fields["values"] =
        py::array_t<float>(static_cast<py::ssize_t>(table.values.size()), table.values.data());
    fields["ranges"] = ranges;
    fields["textures"] = textures;
    fields["texture_slots"] = uses;
    fields["fixed_textures"] = table.fixed_textures;
    fields["native"] = py::cast(std::const_pointer_cast<scene::MaterialTable>(shared));
    return fields;
}

void bind_material(py::module_& module) {
    bind_checks(module);
    bind_parameter(module);
    bind_program(module);
    py::classh<scene::MaterialTable>(
        module, "MaterialTable",
        "What weft.render.material_table.MaterialTable is made of, as the engine has it.");
    module.def("print_program", &print_program, py::arg("material"),
               "Returns the program of a weft.scene.Material.");
    module.def(
        "print_shared_module",
        [](const py::object& traits) {
            return scene::print_shared_module(traits_from_python(traits));
        },
        py::arg("traits"), "Returns the Slang module with the kernels that evaluate no material.");
    module.def(
        "print_program_module",
        [](const MaterialProgram& program, const py::object& traits) {
            return scene::print_program_module(program, traits_from_python(traits));
        },
        py::arg("program"), py::arg("traits"),
        "Returns the Slang module of a program with the kernels that run it.");
    module.def(
        "print_recording_module",
        [](const MaterialProgram& program, const py::object& traits) {
            return scene::print_recording_module(program, traits_from_python(traits));
        },
        py::arg("program"), py::arg("traits"),
        "Returns print_program_module() with the kernels that record and replay paths.");
    module.def("build_material_table", &build_material_table, py::arg("materials"),
               "Returns the fields of weft.render.material_table.MaterialTable; ranges and "
               "texture_slots as tuples.");
}

} // namespace weft::python
