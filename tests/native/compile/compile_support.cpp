// SPDX-License-Identifier: Apache-2.0
#include "compile_support.hpp"

#include "support/catch.hpp"
#include "support/paths.hpp"

#include <algorithm>

namespace weft::compile {

std::shared_ptr<Compiler> plain_compiler() {
    // One for the whole run: starting Slang takes longer than most tests.
    static const std::shared_ptr<Compiler> compiler =
        Compiler::create({.slang_directory = test::slang_directory(),
                          .helper_executable = {},
                          .shader_directory = test::shader_directory(),
                          .cache_directory = {}});
    return compiler;
}

CompilerDesc describe_cached_compiler(const std::filesystem::path& cache) {
    return {.slang_directory = test::slang_directory(),
            .helper_executable = test::helper_executable(),
            .shader_directory = test::shader_directory(),
            .cache_directory = cache};
}

LoadedModuleRef load_text(Compiler& compiler, std::string_view text, Target target) {
    ModuleDesc desc;
    desc.name = "sample";
    desc.text = text;
    desc.target = target;
    return compiler.load_module(desc);
}

LoadedModuleRef load_file(Compiler& compiler, const std::filesystem::path& path) {
    ModuleDesc desc;
    desc.name = path.stem().string();
    desc.path = path.string();
    return compiler.load_module(desc);
}

const reflect::Function& only_function(const reflect::Module& module, std::string_view name) {
    const auto has_name = [name](const reflect::Function& function) {
        return function.full_name == name;
    };
    REQUIRE(std::count_if(module.functions.begin(), module.functions.end(), has_name) == 1);
    return *std::find_if(module.functions.begin(), module.functions.end(), has_name);
}

const reflect::Structure& only_struct(const reflect::Module& module, std::string_view name) {
    const auto has_name = [name](const reflect::Structure& structure) {
        return structure.type->name == name;
    };
    REQUIRE(std::count_if(module.structs.begin(), module.structs.end(), has_name) == 1);
    return *std::find_if(module.structs.begin(), module.structs.end(), has_name);
}

} // namespace weft::compile
