// SPDX-License-Identifier: Apache-2.0
#include "compile/lookup.hpp"

#include "compile/diagnostics.hpp"
#include "core/text.hpp"

#include <array>

namespace weft::compile {

using core::text;

namespace {

constexpr std::string_view kCudaGlobals = "SLANG_globalParams";

/// True if the uniforms at module scope reach the code of the entry point.
bool uses_globals(Target target, slang::IComponentType* program, std::string_view code, std::uint32_t set,
                  std::uint32_t binding) {
    if (target == Target::cuda) {
        return code.find(kCudaGlobals) != std::string_view::npos;
    }
    SlangRef<slang::IMetadata> metadata;
    bool is_used = false;
    if (SLANG_FAILED(program->getEntryPointMetadata(0, 0, metadata.out())) ||
        SLANG_FAILED(metadata->isParameterLocationUsed(SLANG_PARAMETER_CATEGORY_DESCRIPTOR_TABLE_SLOT, set, binding,
                                                       is_used))) {
        return true;
    }
    return is_used;
}

void read_globals(Session& session, slang::IComponentType* program, KernelCode& out) {
    const SlangFunctions& slang = session.functions();
    auto* const layout = reinterpret_cast<SlangReflection*>(program->getLayout(0));
    if (layout == nullptr || slang.program_global_size(layout) == 0) {
        return;
    }
    SlangReflectionVariableLayout* const globals = slang.program_globals(layout);
    const auto set = static_cast<std::uint32_t>(
        slang.layout_space(globals, SLANG_PARAMETER_CATEGORY_DESCRIPTOR_TABLE_SLOT));
    const auto binding = static_cast<std::uint32_t>(slang.program_global_binding(layout));
    const std::string_view code(reinterpret_cast<const char*>(out.code.data()), out.code.size());
    if (!uses_globals(session.target(), program, code, set, binding)) {
        return;
    }
    out.global_bytes = static_cast<std::uint32_t>(slang.program_global_size(layout));
    out.global_set = set;
    out.global_binding = binding;
    DeclIndex index(session);
    TypeReader types(session, reinterpret_cast<slang::ProgramLayout*>(layout), index);
    for (unsigned i = 0; i < slang.program_parameter_count(layout); ++i) {
        SlangReflectionVariableLayout* const parameter = slang.program_parameter(layout, i);
        const bool is_plain =
            slang.type_layout_size(slang.layout_type(parameter), SLANG_PARAMETER_CATEGORY_UNIFORM) > 0;
        SlangReflectionVariable* const variable = slang.layout_variable(parameter);
        const char* const name = slang.variable_name(variable);
        if (is_plain && name != nullptr) {
            out.globals.push_back({name, types.read(slang.variable_type(variable)),
                                   static_cast<std::uint32_t>(
                                       slang.layout_offset(parameter, SLANG_PARAMETER_CATEGORY_UNIFORM))});
        }
    }
}

} // namespace

KernelCode compile_entry_point(Session& session, const std::string& source, const std::string& entry_point) {
    const std::string what = text("compile_kernel: '", entry_point, "' does not compile");
    const std::string name = "weft_kernel_" + core::hash_text(source).to_string();
    std::vector<core::Diagnostic> ignored; // warnings about generated code help nobody
    slang::IModule* const module = session.load(name, name, source, what, ignored);

    SlangRef<slang::IEntryPoint> entry;
    SlangRef<slang::IBlob> output;
    SlangResult result = module->findAndCheckEntryPoint(entry_point.c_str(), SLANG_STAGE_COMPUTE, entry.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result) || !entry, what);

    const std::array<slang::IComponentType*, 2> parts{module, entry.get()};
    SlangRef<slang::IComponentType> composite;
    result = session.get()->createCompositeComponentType(parts.data(), parts.size(), composite.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result), what);

    SlangRef<slang::IComponentType> program;
    result = composite->link(program.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result), what);

    SlangRef<slang::IBlob> code;
    result = program->getEntryPointCode(0, 0, code.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result) || !code, what);

    KernelCode kernel;
    const auto* const bytes = static_cast<const std::byte*>(code->getBufferPointer());
    kernel.code.assign(bytes, bytes + code->getBufferSize());
    kernel.hash = core::hash_bytes(kernel.code);
    read_globals(session, program.get(), kernel);
    return kernel;
}

} // namespace weft::compile
