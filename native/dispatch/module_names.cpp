// SPDX-License-Identifier: Apache-2.0
#include "dispatch/module_names.hpp"

#include "compile/constant_blocks.hpp"
#include "compile/source_text.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace weft::dispatch {

using core::text;

namespace {

constexpr std::string_view kOwnPrefix = "weft_";
/// The one name that kernels declare at module scope, where an import makes it ambiguous.
constexpr std::string_view kArguments = "weft_Arguments";

using core::has_word;

/// What generated code calls by Slang's names; scalars and their vectors are looked up besides.
constexpr std::array kSlangNames{
    "abs",
    "all",
    "any",
    "asdouble",
    "asfloat",
    "asint",
    "asuint",
    "asuint16",
    "bwd_diff",
    "ceil",
    "diffPair",
    "DifferentialPair",
    "floor",
    "frexp",
    "fwd_diff",
    "isfinite",
    "isinf",
    "isnan",
    "ldexp",
    "matrix",
    "max",
    "min",
    "Ptr",
    "RWStructuredBuffer",
    "select",
    "Array",
    "Optional",
    "vector",
    "detach",
    "no_diff",
    "export",
    "groupshared",
    "GroupMemoryBarrierWithGroupSync",
    "InterlockedAdd",
    "InterlockedCompareExchange",
    "WaveActiveSum",
    "WaveGetLaneIndex",
    "WaveReadLaneAt",
    "WaveIsFirstLane",
    "WaveGetLaneCount",
    "WaveActiveMax",
    "StructuredBuffer",
};

/// True behind a type; what stands before `end` is no blank.
bool ends_type(std::string_view source, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && core::is_name_character(source[begin - 1])) {
        --begin;
    }
    const std::string_view word = source.substr(begin, end - begin);
    const char last = source[end - 1];
    return last == '>' || last == ']' ||
           (!word.empty() && word != "return" && word != "else" && word != "case");
}

/// True where `word` at `at` is what a declaration names: a word, '>' or ']' before it, and none of "(.)" behind
/// it unless it is a function.
bool is_declared_at(std::string_view source, std::size_t at, std::size_t size) {
    std::size_t before = at;
    while (before > 0 && (source[before - 1] == ' ' || source[before - 1] == '\t')) {
        --before;
    }
    if (before == at || before == 0) {
        return false;
    }
    const std::size_t next = source.find_first_not_of(" \t\r\n", at + size);
    return ends_type(source, before) && next != std::string_view::npos &&
           std::string_view("=;{:<[,(").find(source[next]) != std::string_view::npos;
}

bool declares(std::string_view source, std::string_view word) {
    for (std::size_t at = source.find(word); at != std::string_view::npos;
         at = source.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool is_word = (at == 0 || !core::is_name_character(source[at - 1])) &&
                             (end == source.size() || !core::is_name_character(source[end]));
        if (is_word && is_declared_at(source, at, word.size())) {
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

/// True if `code` makes `word` another name of a type, which a call of Slang's function would then convert to.
bool is_alias(std::string_view code, std::string_view word) {
    for (std::size_t at = code.find(word); at != std::string_view::npos;
         at = code.find(word, at + 1)) {
        const std::size_t begin = code.substr(0, at).find_last_of(";{}") + 1;
        const std::string_view statement = code.substr(begin, at + word.size() - begin);
        const std::size_t next = code.find_first_not_of(" \t\r\n", at + word.size());
        const char end = next == std::string_view::npos ? ' ' : code[next];
        const bool names = (end == ';' && has_word(statement, "typedef")) ||
                           (end == '=' && has_word(statement, "typealias"));
        if (names && has_word(statement, word) && !core::is_name_character(code[at - 1])) {
            return true;
        }
    }
    return false;
}

void require_no_alias(std::string_view source, std::string_view where) {
    const std::string code = compile::blank_comments(source);
    if (!has_word(code, "typedef") && !has_word(code, "typealias")) {
        return;
    }
    for (const std::string_view name : kSlangNames) {
        if (is_alias(code, name)) {
            throw core::ArgumentError(text("load_module: '", where, "' declares the type '", name,
                                           "', which hides what Slang calls so; rename it"));
        }
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

std::vector<std::string> hidden_names(const compile::LoadedModule& module,
                                      std::string_view source) {
    std::vector<std::string> names(kSlangNames.begin(), kSlangNames.end());
    const std::vector<std::string> scalars = tensor::scalar_names();
    names.insert(names.end(), scalars.begin(), scalars.end());
    std::erase_if(names, [&](const std::string& name) {
        const bool is_declared =
            declares(module.desc.text, name) ||
            std::ranges::any_of(module.dependencies, [&](const compile::Dependency& file) {
                return declares(file.text, name);
            });
        return !is_declared || !has_word(source, name);
    });
    return names;
}

bool is_constant_block(const compile::LoadedModule& module, std::string_view name) {
    const auto declares = [&](std::string_view source) {
        return std::ranges::any_of(
            compile::constant_blocks(source),
            [&](const compile::ConstantBlock& block) { return block.name == name; });
    };
    return declares(module.desc.text) ||
           std::ranges::any_of(module.dependencies, [&](const compile::Dependency& file) {
               return declares(file.text);
           });
}

void require_free_names(const compile::LoadedModule& module) {
    for (const reflect::GlobalParameter& global : module.reflection.globals) {
        require_free(global.name, "parameter", module.desc.name);
    }
    for (const reflect::Function& function : module.reflection.functions) {
        require_free(function.full_name, "function", module.desc.name);
    }
    for (const reflect::Structure& structure : module.reflection.structs) {
        require_free(structure.type->full_name, "structure", module.desc.name);
        require_no_scalar(structure.type->full_name, module.desc.name);
    }
    require_no_alias(module.desc.text, module.desc.name);
    for (const compile::Dependency& file : module.dependencies) {
        require_no_alias(file.text, file.path);
        if (has_word(file.text, kArguments)) {
            require_free(std::string(kArguments), "name", file.path);
        }
    }
}

} // namespace weft::dispatch
