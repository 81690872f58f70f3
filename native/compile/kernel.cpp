// SPDX-License-Identifier: Apache-2.0
#include "compile/lookup.hpp"

#include "compile/cuda_copies.hpp"
#include "compile/diagnostics.hpp"
#include "compile/program_globals.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include <span>
#include <vector>

namespace weft::compile {

using core::text;

KernelCode compile_entry_point(Session& session, const std::string& source,
                               const std::string& entry_point,
                               std::span<slang::IModule* const> linked) {
    const std::string what = text("compile_kernel: '", entry_point, "' does not compile");
    const std::string name = std::string(kGeneratedFile) + core::hash_text(source).to_string();
    std::vector<core::Diagnostic> ignored; // warnings about generated code help nobody
    slang::IModule* const module = session.load(name, name, source, what, ignored);

    SlangRef<slang::IEntryPoint> entry;
    SlangRef<slang::IBlob> output;
    SlangResult result = module->findAndCheckEntryPoint(entry_point.c_str(), SLANG_STAGE_COMPUTE,
                                                        entry.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result) || !entry, what);

    std::vector<slang::IComponentType*> parts{module, entry.get()};
    parts.insert(parts.end(), linked.begin(), linked.end());
    SlangRef<slang::IComponentType> composite;
    result = session.get()->createCompositeComponentType(
        parts.data(), static_cast<SlangInt>(parts.size()), composite.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result), what);

    SlangRef<slang::IComponentType> program;
    result = composite->link(program.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result), what);

    SlangRef<slang::IBlob> code;
    result = program->getEntryPointCode(0, 0, code.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result) || !code, what);

    KernelCode kernel;
    if (session.target() == Target::cuda) {
        const std::string text = keep_copies_apart(blob_text(code.get()));
        const auto bytes = std::as_bytes(std::span(text));
        kernel.code.assign(bytes.begin(), bytes.end());
    } else {
        const auto* const bytes = static_cast<const std::byte*>(code->getBufferPointer());
        kernel.code.assign(bytes, bytes + code->getBufferSize());
    }
    kernel.hash = core::hash_bytes(kernel.code);
    read_program_globals(session, program.get(), kernel);
    return kernel;
}

} // namespace weft::compile
