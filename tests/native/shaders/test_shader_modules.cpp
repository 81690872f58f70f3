// SPDX-License-Identifier: Apache-2.0
#include "core/text.hpp"
#include "shader_runner.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace weft;
using namespace weft::test;

namespace fs = std::filesystem;

namespace {

struct ShaderModule {
    std::string import_path; ///< "weft/reduce"
    fs::path file;
};

/// The files below `root` that are modules of their own: those that implement one come with it.
std::vector<ShaderModule> modules_below(const fs::path& root) {
    std::vector<ShaderModule> modules;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".slang") {
            continue;
        }
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file),
                               std::istreambuf_iterator<char>()};
        if (text.find("\nimplementing ") == std::string::npos) {
            modules.push_back(
                {fs::relative(entry.path(), root).replace_extension().generic_string(),
                 entry.path()});
        }
    }
    return modules;
}

/// Every module that ships, with the folder that its import path starts from.
std::vector<std::pair<fs::path, ShaderModule>> shipped_modules() {
    std::vector<std::pair<fs::path, ShaderModule>> result;
    const fs::path shaders = shader_directory();
    for (const fs::path& root : {shaders, shaders.parent_path() / "node_templates"}) {
        for (const ShaderModule& module : modules_below(root)) {
            result.emplace_back(root, module);
        }
    }
    return result;
}

} // namespace

TEST_CASE("every shader module compiles without a warning for every target") {
    const auto modules = shipped_modules();
    REQUIRE(modules.size() >= 9);
    for (const compile::Target target : {compile::Target::spirv, compile::Target::cuda}) {
        for (const auto& [root, module] : modules) {
            CAPTURE(module.import_path, static_cast<int>(target));
            compile::ModuleDesc desc;
            desc.name = "imports_" + module.file.stem().string();
            desc.text = "import \"" + module.import_path + "\";\n";
            desc.include_paths = {root.string()};
            desc.target = target;

            const compile::LoadedModuleRef loaded = shader_compiler().load_module(desc);

            for (const core::Diagnostic& warning : loaded->warnings) {
                CHECK(core::text(warning.file, ":", warning.line, ": ", warning.message) ==
                      "no warning");
            }
            CHECK(loaded->warnings.empty());
        }
    }
}

TEST_CASE("entry points of the shader tests compile for every target") {
    const std::vector<std::pair<std::string, std::vector<std::string>>> twins{
        {"tensor_kernels.cs.slang", {"accessElements", "computeFarAddress", "drawNumbers"}},
        {"gradient_kernels.cs.slang", {"propagateGradients", "evaluate", "addTogether"}},
        {"reduce_kernels.cs.slang",
         {"sumByGroup", "sumByThread", "mergeSums", "dotByGroup", "sumOfSquaresByGroup",
          "minimumByGroup", "maximumByThread", "compareByGroup"}},
        {"mlp_kernels.cs.slang", {"moveAlongInput"}},
    };
    for (const compile::Target target : {compile::Target::spirv, compile::Target::cuda}) {
        for (const auto& [file, entry_points] : twins) {
            for (const std::string& entry_point : entry_points) {
                CAPTURE(file, entry_point, static_cast<int>(target));
                CHECK(!compile_twin(file, entry_point, target).code.empty());
            }
        }
    }
}

TEST_CASE("forward mode of a network points to its tables by one type") {
    const std::vector<std::byte> code =
        compile_twin("mlp_kernels.cs.slang", "moveAlongInput", compile::Target::cuda).code;
    const std::string_view text(reinterpret_cast<const char*>(code.data()), code.size());

    // Weights, and what a group could collect.
    CHECK(text.find("Table_0 *") != std::string_view::npos);
    CHECK(text.find("Table_2 *") == std::string_view::npos);
}

TEST_CASE("a source that names no gradient type does not load module weft_diff") {
    compile::ModuleDesc desc;
    desc.name = "plain";
    desc.text = "float first(ITensor<float, 1> t) { return t[0]; }\n";
    const compile::LoadedModuleRef plain = shader_compiler().load_module(desc);

    CHECK(shader_compiler().find_type(*plain, "Tensor<float,1>") != nullptr);
    CHECK(shader_compiler().find_type(*plain, "DiffTensor<float,1>") == nullptr);
}

TEST_CASE("a source that names a gradient type sees module weft_diff without an import") {
    compile::ModuleDesc desc;
    desc.name = "gradients";
    desc.text = "[Differentiable] float first(IDiffTensor<float, 1> t) { return t[0]; }\n";
    const compile::LoadedModuleRef module = shader_compiler().load_module(desc);

    CHECK(module->reflection.functions.size() == 1);
    CHECK(shader_compiler().find_type(*module, "DiffTensor<float,1>") != nullptr);
}

TEST_CASE("a wrong number of tensor indices is an error in the user's line") {
    compile::ModuleDesc desc;
    desc.name = "indices";
    desc.text = "float f(ITensor<float, 2> t)\n{\n    return t[1, 2, 3];\n}\n";
    try {
        (void)shader_compiler().load_module(desc);
        FAIL("t[1, 2, 3] on two dimensions compiled");
    } catch (const core::CompileError& error) {
        const auto& diagnostics = error.diagnostics();
        CHECK(std::any_of(diagnostics.begin(), diagnostics.end(),
                          [](const core::Diagnostic& diagnostic) {
                              return diagnostic.severity == "error" &&
                                     diagnostic.file == "indices" && diagnostic.line == 3;
                          }));
    }
}
