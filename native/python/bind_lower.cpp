// SPDX-License-Identifier: Apache-2.0
// Functions as data without a device: the compiler's SPIR-V, the DAG that dag/ makes of it, and what lower/ makes of both.
#include "python/bind_lower.hpp"

#include "core/byte_order_mark.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "dag/interpret.hpp"
#include "dag/print.hpp"
#include "lower/images.hpp"
#include "lower/inputs.hpp"
#include "lower/nodes.hpp"
#include "lower/noises.hpp"
#include "lower/osl.hpp"
#include "lower/warnings.hpp"
#include "python/bind_function.hpp"
#include "python/interpreter_lock.hpp"
#include "python/lowered_function.hpp"
#include "python/path_argument.hpp"
#include "python/session.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;

namespace {

struct LoweringCompiler {
    std::shared_ptr<compile::Compiler> compiler = create_compiler();
};

/// @param name of a module of Weft's: "noise"
bool imports(const compile::LoadedModule& module, std::string_view name) {
    const auto names = [&](const std::string& words) {
        return words.find(text("weft.", name)) != std::string::npos ||
               words.find(text("weft/", name)) != std::string::npos;
    };
    return names(module.desc.text) ||
           std::any_of(module.dependencies.begin(), module.dependencies.end(),
                       [&](const compile::Dependency& file) { return names(file.text); });
}

/// @param name of a text, in messages
compile::ModuleDesc describe_module(const std::string& path, const std::string& source,
                                    const std::string& name) {
    compile::ModuleDesc desc;
    if (path.empty()) {
        desc.name = name;
        desc.text = source;
        core::remove_byte_order_mark(desc.text);
    } else {
        desc.name = core::utf8_path(core::path_from_utf8(path).stem());
        desc.path = path;
    }
    return desc;
}

std::string parameter_types(const reflect::Function& function) {
    std::string types;
    for (const reflect::Parameter& parameter : function.parameters) {
        types += (types.empty() ? "" : ", ") + tensor::display_name(*parameter.type);
    }
    return types;
}

std::string declarations(const std::vector<reflect::Function>& overloads) {
    std::string all;
    for (const reflect::Function& overload : overloads) {
        all += text(all.empty() ? "" : ", ", overload.name, '(', parameter_types(overload), ')');
    }
    return all;
}

/// The overload whose parameters have the types between the parentheses of "f(float2, int)"; with none, the only one.
reflect::Function chosen_overload(const std::vector<reflect::Function>& overloads,
                                  const std::string& spelled) {
    const std::size_t open = spelled.find('(');
    if (open == std::string::npos) {
        if (overloads.size() == 1) {
            return overloads.front();
        }
        throw ArgumentError(text("lower: '", spelled, "' has ", overloads.size(),
                                 " overloads; name the types of one: ", declarations(overloads)));
    }
    const auto without_spaces = [](std::string types) {
        std::erase(types, ' ');
        return types;
    };
    const std::string wanted = without_spaces(spelled.substr(open + 1, spelled.size() - open - 2));
    for (const reflect::Function& overload : overloads) {
        if (without_spaces(parameter_types(overload)) == wanted) {
            return overload;
        }
    }
    throw ArgumentError(
        text("lower: no overload is '", spelled, "'; there are: ", declarations(overloads)),
        ArgumentError::Kind::not_found);
}

reflect::Function find_function(compile::Compiler& compiler, const compile::LoadedModule& module,
                                const std::string& spelled) {
    const std::string name = spelled.substr(0, spelled.find('('));
    if (spelled.size() != name.size() && spelled.back() != ')') {
        throw ArgumentError(text("lower: '", spelled, "' lacks its ')'"));
    }
    std::vector<reflect::Function> overloads;
    // What the module itself declares comes before what it imports.
    std::copy_if(module.reflection.functions.begin(), module.reflection.functions.end(),
                 std::back_inserter(overloads), [&](const reflect::Function& function) {
                     return function.name == name && function.generics.empty();
                 });
    if (overloads.empty()) {
        overloads = compiler.find_functions(module, name);
    }
    if (!overloads.empty()) {
        return chosen_overload(overloads, spelled);
    }
    std::vector<std::string> names;
    names.reserve(module.reflection.functions.size());
    for (const reflect::Function& function : module.reflection.functions) {
        names.push_back(function.name);
    }
    throw ArgumentError(text("lower: the module '", module.reflection.name, "' has no function '",
                             name, "'", core::suggestion(name, names)),
                        ArgumentError::Kind::not_found);
}

struct LoweringOptions {
    lower::BuildValues build_values;
    bool has_old_cells = false; ///< of Voronoi patterns: those of Blender 4
};

/// The module itself has compiled: what fails now may be what only another stage of the pipeline has.
void refuse_stage(const core::CompileError& error) {
    const std::string_view what = error.what();
    for (const std::string_view code : {"error 36107", "error 31210"}) {
        if (what.find(code) != std::string_view::npos) {
            throw ArgumentError("lower: the function calls what neither a kernel nor a pixel "
                                "shader has; take that out of it");
        }
    }
}

std::uint32_t reals_of(const lower::Call& call) {
    std::uint32_t count = 0;
    for (const lower::Value& value : call.inputs) {
        for (const lower::Leaf& leaf : value.leaves) {
            count = leaf.is_real ? std::max(count, leaf.number + 1) : count;
        }
    }
    return count;
}

std::shared_ptr<LoweredFunction> lowered(const std::shared_ptr<compile::Compiler>& compiler,
                                         const compile::LoadedModuleRef& module,
                                         reflect::Function function,
                                         const LoweringOptions& options) {
    auto made = std::make_shared<LoweredFunction>();
    made->function = std::move(function);
    made->call = lower::describe_call(made->function, module->import_name, options.build_values);
    set_defaults(made->call, compiler, module);
    if (imports(*module, "inputs")) {
        made->has_inputs = true;
        made->call.source += lower::kHasInputs;
        lower::collect_literals(made->call.source, made->call.literals);
        lower::collect_literals(module->desc.text, made->call.literals);
        for (const compile::Dependency& file : module->dependencies) {
            lower::collect_literals(file.text, made->call.literals);
        }
    }
    const auto compiled = [compiler, module, reals = reals_of(made->call)](
                              const reflect::Function& own, const std::string& source) {
        return named(own, [&] {
            try {
                return std::make_unique<CompiledFunction>(compiler, module, source, reals);
            } catch (const core::CompileError& error) {
                refuse_stage(error);
                throw;
            }
        });
    };
    if (!imports(*module, "noise")) {
        made->plain = compiled(made->function, made->call.source);
        return made;
    }
    made->plain = compiled(
        made->function, text(made->call.source, options.has_old_cells ? lower::kHasOldCells : ""));
    made->compile_with_nodes = [compiled, own = made.get()] {
        return compiled(own->function, text(own->call.source, lower::kHasNodes));
    };
    return made;
}

lower::BuildValues build_values_of(const py::dict& given) {
    lower::BuildValues values;
    for (const auto& [name, value] : given) {
        values[name.cast<std::string>()] = value.cast<std::string>();
    }
    return values;
}

/// @param options include_paths, defines and name
compile::ModuleDesc described(const std::string& path, const std::string& source,
                              const py::dict& options) {
    compile::ModuleDesc desc = describe_module(path, source, options["name"].cast<std::string>());
    for (const py::handle folder : py::list(options["include_paths"])) {
        desc.include_paths.push_back(path_argument(folder, "lower", "include_paths"));
    }
    desc.defines = definitions_argument(py::dict(options["defines"]));
    return desc;
}

/// What a source declares, and the files that it is made of.
py::dict source_info(const LoweringCompiler& self, const std::string& path,
                     const std::string& source, const py::dict& options) {
    const compile::ModuleDesc desc = described(path, source, options);
    compile::LoadedModuleRef module;
    {
        const Unlocked unlocked;
        module = self.compiler->load_module(desc);
    }
    py::list functions, structures, files;
    for (const reflect::Function& function : module->reflection.functions) {
        if (function.is_public && !function.is_entry_point) {
            functions.append(function);
        }
    }
    for (const reflect::Structure& structure : module->reflection.structs) {
        structures.append(structure);
    }
    for (const compile::Dependency& file : module->dependencies) {
        files.append(file.path);
    }
    py::dict info;
    info["functions"] = functions;
    info["structures"] = structures;
    info["files"] = files;
    info["hash"] = module->hash.to_string();
    return info;
}

/// The declaration of what lower_named() would lower; of a generic function, with its arguments.
reflect::Function function_info(const LoweringCompiler& self, const std::string& path,
                                const std::string& source, const std::string& name,
                                const py::dict& options) {
    const compile::ModuleDesc desc = described(path, source, options);
    const Unlocked unlocked;
    return find_function(*self.compiler, *self.compiler->load_module(desc), name);
}

/// Names of the integer parameters on which it depends how often a loop runs.
py::list loop_parameters(LoweredFunction& self) {
    const std::set<std::uint32_t>& bounds = self.any_graph().loop_bounds;
    py::list names;
    for (const lower::Value& value : self.call.inputs) {
        if (std::any_of(value.leaves.begin(), value.leaves.end(), [&](const lower::Leaf& leaf) {
                return !leaf.is_real && bounds.contains(leaf.number);
            })) {
            names.append(value.name);
        }
    }
    return names;
}

/// @param options include_paths, defines and has_old_cells
std::shared_ptr<LoweredFunction> lower_named(const LoweringCompiler& self, const std::string& path,
                                             const std::string& source, const std::string& name,
                                             const py::dict& build, const py::dict& options) {
    const LoweringOptions lowering{build_values_of(build), options["has_old_cells"].cast<bool>()};
    const compile::ModuleDesc desc = described(path, source, options);
    const Unlocked unlocked;
    const compile::LoadedModuleRef module = self.compiler->load_module(desc);
    return lowered(self.compiler, module, find_function(*self.compiler, *module, name), lowering);
}

/// A function that a device calls: its module is loaded again for SPIR-V, whatever the device's own code is.
std::shared_ptr<LoweredFunction> lower_function(const LoweringCompiler& self,
                                                const FunctionObject& function,
                                                const std::string& types, const py::dict& build,
                                                bool has_old_cells) {
    const LoweringOptions lowering{build_values_of(build), has_old_cells};
    const Unlocked unlocked;
    compile::ModuleDesc desc = function.module->loaded()->desc;
    desc.target = compile::Target::spirv;
    const compile::LoadedModuleRef module = self.compiler->load_module(desc);
    const std::string name =
        function.function->name() + (types.empty() ? "" : text('(', types, ')'));
    return lowered(self.compiler, module, find_function(*self.compiler, *module, name), lowering);
}

lower::TreeKind tree_kind(const std::string& name) {
    if (name == "shader") {
        return lower::TreeKind::shader;
    }
    return name == "geometry" ? lower::TreeKind::geometry : lower::TreeKind::compositor;
}

std::string tree_json(LoweredFunction& self, const std::string& kind, int major, int minor) {
    const Unlocked unlocked;
    return named(self.function, [&] {
        return self.for_trees().with_lines([&] {
            return lower::print_json(
                lower::make_tree(self.call, self.graph(), {tree_kind(kind), {major, minor}}));
        });
    });
}

std::string osl_text(const LoweredFunction& self) {
    const Unlocked unlocked;
    return named(self.function, [&] {
        return self.plain->with_lines(
            [&] { return lower::make_osl(self.call, self.plain->spirv(), {self.function.name}); });
    });
}

/// (name, path, kind, is_real, number) of each scalar of inputs or results.
py::list leaves_of(const std::vector<lower::Value>& values) {
    py::list all;
    for (const lower::Value& value : values) {
        for (const lower::Leaf& leaf : value.leaves) {
            const std::string_view kind = reflect::slang_name(leaf.kind);
            all.append(py::make_tuple(value.name, leaf.path, py::str(kind.data(), kind.size()),
                                      leaf.is_real, leaf.number));
        }
    }
    return all;
}

/// Those of parameters, then those of weft.inputs; without a graph these are not known.
py::list inputs_of(LoweredFunction& self) {
    py::list all = leaves_of(self.call.inputs);
    if (!self.has_inputs) {
        return all;
    }
    const dag::Function& function = self.plain_graph();
    std::uint32_t number = function.first_named;
    for (const dag::NamedInput& input : function.named) {
        const std::string name = lower::name_of(input, self.call.literals);
        const std::size_t count = lower::components_of(input);
        for (std::uint32_t k = 0; k < count; k++) {
            const std::string path = count == 1 ? "" : text('.', "xyz"[k]);
            all.append(py::make_tuple(name, path, "float", true, number + k));
        }
        number += 4;
    }
    return all;
}

template <typename T>
std::vector<T> words_in(std::string_view view) {
    std::vector<T> words(view.size() / sizeof(T));
    const auto bytes = std::as_writable_bytes(std::span(words));
    std::transform(view.begin(), view.begin() + static_cast<std::ptrdiff_t>(bytes.size()),
                   bytes.begin(), [](char letter) { return static_cast<std::byte>(letter); });
    return words;
}

template <typename T>
std::vector<std::vector<T>> words_of(const py::list& arrays) {
    std::vector<std::vector<T>> all;
    all.reserve(arrays.size());
    for (const py::handle array : arrays) {
        all.push_back(words_in<T>(array.cast<std::string_view>()));
    }
    return all;
}

template <typename T>
py::list bytes_of(const std::vector<std::vector<T>>& arrays) {
    py::list all;
    for (const std::vector<T>& words : arrays) {
        all.append(
            py::bytes(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(T)));
    }
    return all;
}

/// Names of the images that the function may look up; without a graph, those of its parameters.
py::list images_of(LoweredFunction& self) {
    std::vector<lower::ImageSlot> slots = self.call.images;
    if (self.has_inputs) {
        slots = lower::image_slots(self.call, self.plain_graph());
    }
    py::list names;
    for (const lower::ImageSlot& slot : slots) {
        names.append(slot.name);
    }
    return names;
}

/// Those of the function's textures.
/// @param given (width, height, bytes of four floats a texel) of each slot
std::vector<dag::Image> texels_of(const LoweredFunction& self, const py::list& given) {
    const dag::Function& function = self.plain_graph();
    const std::vector<lower::ImageSlot> slots = lower::image_slots(self.call, function);
    std::vector<dag::Image> images(function.textures.size());
    for (std::size_t i = 0; i < images.size(); i++) {
        if (!function.textures[i].is_image) {
            continue;
        }
        const std::size_t slot = lower::slot_of(function.textures[i], self.call, slots);
        const auto [width, height, bytes] =
            given[slot].cast<std::tuple<std::uint32_t, std::uint32_t, std::string_view>>();
        images[i] = {width, height, words_in<float>(bytes)};
    }
    return images;
}

/// @param images see texels_of()
py::tuple interpret(LoweredFunction& self, const py::list& reals, const py::list& integers,
                    std::size_t count, const py::list& images) {
    dag::Values inputs{words_of<float>(reals), words_of<dag::Word>(integers),
                       texels_of(self, images)};
    dag::Values results;
    {
        const Unlocked unlocked;
        const dag::Function& function = self.plain_graph();
        // Components that no function of weft.inputs gives are not given either.
        inputs.reals.resize(std::max<std::size_t>(inputs.reals.size(), function.reals));
        for (std::vector<float>& column : inputs.reals) {
            column.resize(column.empty() ? count : column.size());
        }
        results = dag::interpret(function, inputs, count);
    }
    return py::make_tuple(bytes_of(results.reals), bytes_of(results.integers));
}

/// Operations, without constants and inputs.
std::size_t operation_count(LoweredFunction& self) {
    const dag::Function& dag = self.graph();
    const std::vector<dag::NodeId> live = dag.live();
    return static_cast<std::size_t>(std::count_if(live.begin(), live.end(), [&](dag::NodeId id) {
        const dag::Op op = dag.graph[id].op;
        return op != dag::Op::constant && op != dag::Op::input && op != dag::Op::join;
    }));
}

} // namespace

void bind_lower(py::module_& module) {
    py::class_<LoweredFunction, std::shared_ptr<LoweredFunction>>(
        module, "LoweredFunction", "A function as a graph of operations; see weft.lower.")
        .def_property_readonly("name",
                               [](const LoweredFunction& self) { return self.function.name; })
        .def_property_readonly(
            "documentation",
            [](const LoweredFunction& self) { return self.function.documentation; })
        .def_property_readonly("operations", &operation_count)
        .def_property_readonly("warnings",
                               [](LoweredFunction& self) {
                                   py::list all;
                                   for (const auto& text : lower::warnings_of(self.any_graph())) {
                                       all.append(text);
                                   }
                                   return all;
                               })
        .def_property_readonly("inputs", &inputs_of)
        .def_property_readonly(
            "results", [](const LoweredFunction& self) { return leaves_of(self.call.results); })
        .def_property_readonly("images", &images_of)
        .def_property_readonly("loop_parameters", &loop_parameters)
        .def_property_readonly("source",
                               [](const LoweredFunction& self) { return self.call.source; })
        .def("tree", &tree_json, py::arg("kind"), py::arg("major"), py::arg("minor"))
        .def("osl", &osl_text)
        .def("sockets",
             [](const LoweredFunction& self) {
                 return lower::print_json(lower::make_sockets(self.call));
             })
        .def("dag", [](LoweredFunction& self) { return dag::print_text(self.graph()); })
        .def("dot", [](LoweredFunction& self) { return dag::print_dot(self.graph()); })
        .def("interpret", &interpret, py::arg("reals"), py::arg("integers"), py::arg("count"),
             py::arg("images"));
    py::class_<LoweringCompiler>(module, "LoweringCompiler",
                                 "Compiles functions for weft.lower, without a device.")
        .def(py::init<>())
        .def("source_info", &source_info, py::arg("path"), py::arg("source"), py::arg("options"))
        .def("function_info", &function_info, py::arg("path"), py::arg("source"), py::arg("name"),
             py::arg("options"))
        .def("lower", &lower_named, py::arg("path"), py::arg("source"), py::arg("name"),
             py::arg("build"), py::arg("options"))
        .def("lower_function", &lower_function, py::arg("function"), py::arg("types"),
             py::arg("build"), py::arg("has_old_cells"));
}

} // namespace weft::python
