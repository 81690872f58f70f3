// SPDX-License-Identifier: Apache-2.0
#include "python/module_loader.hpp"

#include "core/byte_order_mark.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "python/path_argument.hpp"

#include <optional>

namespace weft::python {

namespace py = pybind11;
namespace fs = std::filesystem;
using core::ArgumentError;
using core::text;

namespace {

/// A definition replaces an earlier one of the same name.
void add_definitions(compile::Definitions& known, const py::dict& given) {
    for (auto& definition : definitions_argument(given)) {
        std::erase_if(known, [&](const auto& old) { return old.first == definition.first; });
        known.push_back(std::move(definition));
    }
}

py::dict definitions_dict(py::handle value) {
    if (!py::isinstance<py::dict>(value)) {
        throw ArgumentError(text("load_module: option 'defines' must be a dict, got ",
                                 Py_TYPE(value.ptr())->tp_name, "; pass for example {'COUNT': 4}"),
                            ArgumentError::Kind::type);
    }
    return py::reinterpret_borrow<py::dict>(value);
}

void add_include_paths(compile::ModuleDesc& desc, py::handle value) {
    if (!py::isinstance<py::list>(value) && !py::isinstance<py::tuple>(value)) {
        throw ArgumentError(
            text("load_module: option 'include_paths' must be a list of folders, got ",
                 Py_TYPE(value.ptr())->tp_name, "; pass for example ['shaders']"),
            ArgumentError::Kind::type);
    }
    for (const py::handle path : value) {
        desc.include_paths.push_back(path_argument(path, "load_module", "include_paths"));
    }
}

bool fast_math_option(py::handle value) {
    if (!py::isinstance<py::bool_>(value)) {
        throw ArgumentError(text("load_module: option 'fast_math' must be True or False, got ",
                                 Py_TYPE(value.ptr())->tp_name),
                            ArgumentError::Kind::type);
    }
    return value.cast<bool>();
}

void add_options(compile::ModuleDesc& desc, const py::dict& options) {
    for (const auto& [key, value] : options) {
        const auto name = py::str(key).cast<std::string>();
        if (name == "defines") {
            add_definitions(desc.defines, definitions_dict(value));
        } else if (name == "include_paths") {
            add_include_paths(desc, value);
        } else if (name == "fast_math") {
            desc.fast_math = fast_math_option(value);
        } else {
            throw ArgumentError(
                text("load_module: unknown option '", name,
                     "'; the options are 'defines', 'include_paths' and 'fast_math'"));
        }
    }
}

std::optional<fs::path> existing(const fs::path& path) {
    std::error_code ignored;
    fs::path with_ending = path;
    with_ending += ".slang";
    for (const fs::path& candidate : {path, with_ending}) {
        if (fs::is_regular_file(candidate, ignored)) {
            return fs::absolute(candidate, ignored).lexically_normal();
        }
    }
    return std::nullopt;
}

std::string absolute_folder(const std::string& folder) {
    std::error_code ignored;
    return core::utf8_path(fs::absolute(core::path_from_utf8(folder), ignored).lexically_normal());
}

fs::path find_file(const Session& session, const std::string& name) {
    const fs::path path = core::path_from_utf8(name);
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        throw ArgumentError(
            text("load_module: '", name, "' is a folder; pass the path of a .slang file"));
    }
    if (const auto found = existing(path)) {
        return *found;
    }
    std::string looked = "the working folder";
    for (const std::string& folder :
         path.is_absolute() ? std::vector<std::string>{} : session.include_paths) {
        if (const auto found = existing(core::path_from_utf8(folder) / path)) {
            return *found;
        }
        looked += ", '" + folder + "'";
    }
    throw ArgumentError(text("load_module: there is no file '", name, "'",
                             path.is_absolute() ? "" : text(" in ", looked),
                             "; check the path or add its folder to "
                             "create_device(include_paths=[...])"),
                        ArgumentError::Kind::not_found);
}

} // namespace

compile::ModuleDesc describe_file(const Session& session, py::handle path,
                                  const py::dict& options) {
    const fs::path file = find_file(session, path_argument(path, "load_module", "path"));
    compile::ModuleDesc desc;
    desc.name = core::utf8_path(file.stem());
    desc.path = core::utf8_path(file);
    return describe_again(session, std::move(desc), options);
}

compile::ModuleDesc describe_source(const Session& session, std::string name, std::string source,
                                    const py::dict& options) {
    compile::ModuleDesc desc;
    desc.name = std::move(name);
    desc.text = std::move(source);
    core::remove_byte_order_mark(desc.text);
    return describe_again(session, std::move(desc), options);
}

compile::ModuleDesc describe_again(const Session& session, compile::ModuleDesc desc,
                                   const py::dict& options) {
    if (desc.include_paths.empty()) {
        desc.include_paths = session.include_paths;
    }
    if (desc.defines.empty()) {
        desc.defines = session.defines;
    }
    desc.target = session.device->target();
    add_options(desc, options);
    for (std::string& folder : desc.include_paths) {
        folder = absolute_folder(folder); // the compiler's process has a working folder of its own
    }
    return desc;
}

} // namespace weft::python
