// SPDX-License-Identifier: Apache-2.0
#include "dispatch/module_names.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>
#include <string>

namespace weft::dispatch {

using core::text;

namespace {

constexpr std::string_view kOwnPrefix = "weft_";
/// The one name that kernels declare at module scope, where an import makes it ambiguous.
constexpr std::string_view kArguments = "weft_Arguments";

bool is_word_character(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool has_word(std::string_view source, std::string_view word) {
    for (std::size_t at = source.find(word); at != std::string_view::npos && !word.empty();
         at = source.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool starts = at == 0 || !is_word_character(source[at - 1]);
        if (starts && (end == source.size() || !is_word_character(source[end]))) {
            return true;
        }
    }
    return false;
}

void require_free(const std::string& name, std::string_view kind, std::string_view where) {
    if (name.starts_with(kOwnPrefix)) {
        throw core::ArgumentError(text("load_module: '", where, "' declares the ", kind, " '", name,
                                       "', but names that begin with 'weft_' belong to the code "
                                       "that Weft generates; rename it"));
    }
}

void require_no_scalar(const std::string& name, std::string_view where) {
    const std::vector<std::string> scalars = tensor::scalar_names();
    if (std::find(scalars.begin(), scalars.end(), name) != scalars.end()) {
        throw core::ArgumentError(text("load_module: '", where, "' declares the structure '", name,
                                       "', which hides Slang's own type; rename it"));
    }
}

} // namespace

bool is_named_in_imports(const compile::LoadedModule& module, std::string_view name) {
    return std::any_of(module.dependencies.begin(), module.dependencies.end(),
                       [&](const compile::Dependency& file) {
                           return file.path != module.desc.path && has_word(file.text, name);
                       });
}

bool is_named_in(const compile::LoadedModule& module, std::string_view name) {
    return has_word(module.desc.text, name) ||
           std::any_of(module.dependencies.begin(), module.dependencies.end(),
                       [&](const compile::Dependency& file) { return has_word(file.text, name); });
}

void require_free_names(const compile::LoadedModule& module) {
    for (const reflect::Function& function : module.reflection.functions) {
        require_free(function.full_name, "function", module.desc.name);
    }
    for (const reflect::Structure& structure : module.reflection.structs) {
        require_free(structure.type->full_name, "structure", module.desc.name);
        require_no_scalar(structure.type->full_name, module.desc.name);
    }
    for (const compile::Dependency& file : module.dependencies) {
        if (has_word(file.text, kArguments)) {
            require_free(std::string(kArguments), "name", file.path);
        }
    }
}

} // namespace weft::dispatch
