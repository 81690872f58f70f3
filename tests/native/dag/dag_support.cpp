// SPDX-License-Identifier: Apache-2.0
#include "dag_support.hpp"

#include "core/text.hpp"
#include "support/paths.hpp"

namespace weft::dag {

namespace {

compile::Compiler& compiler() {
    static const std::shared_ptr<compile::Compiler> made = [] {
        compile::CompilerDesc desc;
        desc.slang_directory = test::slang_directory();
        desc.shader_directory = test::shader_directory();
        return compile::Compiler::create(desc);
    }();
    return *made;
}

} // namespace

compile::LoadedModuleRef load_text(std::string_view text) {
    compile::ModuleDesc desc;
    desc.name = "sample";
    desc.text = std::string(text);
    return compiler().load_module(desc);
}

std::vector<std::byte> compile_source(const compile::LoadedModuleRef& module,
                                      const std::string& source, std::string_view entry_point) {
    compile::KernelRequest request;
    request.module = module;
    request.source = source;
    request.entry_point = std::string(entry_point);
    return compiler().compile_kernel(request).code;
}

std::vector<std::byte> compile_call(std::string_view text, std::string_view statements) {
    const compile::LoadedModuleRef module = load_text(text);
    const std::string source =
        core::text("import \"", module->import_name, "\";\n",
                   "StructuredBuffer<float> weft_reals;\nStructuredBuffer<int> weft_integers;\n"
                   "RWStructuredBuffer<float> weft_real_results;\n"
                   "RWStructuredBuffer<int> weft_integer_results;\n"
                   "[shader(\"fragment\")] void weft_lowered()\n{\n",
                   statements, "\n}\n");
    return compile_source(module, source, "weft_lowered");
}

Function function_of(std::string_view text, std::string_view statements,
                     const BuildOptions& options) {
    return build(read_spirv(compile_call(text, statements)), options);
}

std::vector<std::vector<float>> reals_of(const Function& function,
                                         const std::vector<std::vector<float>>& inputs) {
    const std::size_t count = inputs.empty() ? 1 : inputs.front().size();
    return interpret(function, {.reals = inputs, .integers = {}}, count).reals;
}

} // namespace weft::dag
