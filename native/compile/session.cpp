// SPDX-License-Identifier: Apache-2.0
#include "compile/session.hpp"

#include "compile/diagnostics.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace weft::compile {

using core::text;
using slang::CompilerOptionName;

namespace {

/// 38040: a parameter of an entry point without `uniform` is meant as one: dispatch() passes it so.
/// 30519: a loop may run fewer rounds than its [MaxIters]: nests get larger ones (loop_nests.hpp).
constexpr const char* kSilencedWarnings = "38040,30519";

slang::CompilerOptionEntry option(CompilerOptionName name, std::int32_t value) {
    slang::CompilerOptionEntry entry{name, {}};
    entry.value.kind = slang::CompilerOptionValueKind::Int;
    entry.value.intValue0 = value;
    return entry;
}

slang::CompilerOptionEntry option(CompilerOptionName name, const char* value) {
    slang::CompilerOptionEntry entry{name, {}};
    entry.value.kind = slang::CompilerOptionValueKind::String;
    entry.value.stringValue0 = value;
    return entry;
}

slang::TargetDesc describe_target(slang::IGlobalSession* global, Target target) {
    slang::TargetDesc result;
    if (target == Target::spirv) {
        result.format = SLANG_SPIRV;
        result.profile = global->findProfile("spirv_1_5");
    } else {
        result.format = SLANG_CUDA_SOURCE;
        result.lineDirectiveMode = SLANG_LINE_DIRECTIVE_MODE_NONE;
    }
    return result;
}

} // namespace

ModuleSource source_of(const LoadedModule& module) {
    return {module.desc, module.import_name, module.dependencies, module.hash};
}

std::string make_import_name(const ModuleDesc& desc, std::string_view source) {
    core::Hasher hasher;
    hasher.add(desc.name).add(desc.path).add(core::hash_text(source)).add(desc.target);
    for (const std::string& path : desc.include_paths) {
        hasher.add(path);
    }
    for (const auto& [name, value] : desc.defines) {
        hasher.add(name).add(value);
    }
    return std::string(kUserModule) + hasher.finish().to_string();
}

std::vector<core::Diagnostic> check_diagnostics(slang::IBlob* output, bool failed,
                                                std::string_view what) {
    std::vector<core::Diagnostic> diagnostics = parse_diagnostics(blob_text(output));
    if (failed) {
        throw make_compile_error(what, std::move(diagnostics));
    }
    return diagnostics;
}

Session::Session(Desc desc) : m_desc(std::move(desc)) {
    m_files =
        std::make_unique<SourceFiles>(SourceFiles::Desc{.shader_directory = m_desc.shader_directory,
                                                        .binaries = m_desc.binaries,
                                                        .snapshot = m_desc.snapshot,
                                                        .repairs = m_desc.repairs});
    create_session();
}

void Session::create_session() {
    const std::string shaders = core::utf8_path(m_desc.shader_directory);
    const std::string compat = core::utf8_path(m_desc.shader_directory / "compat");
    std::vector<const char*> paths;
    paths.reserve(m_desc.search_paths.size());
    for (const std::string& path : m_desc.search_paths) {
        paths.push_back(path.c_str());
    }
    paths.insert(paths.end(), {shaders.c_str(), compat.c_str()});
    std::vector<slang::PreprocessorMacroDesc> macros;
    for (const auto& [name, value] : m_desc.defines) {
        macros.push_back({name.c_str(), value.c_str()});
    }
    const slang::TargetDesc target = describe_target(m_desc.global, m_desc.target);
    // Level 2 is the first whose SPIR-V is free of validation errors and accepted by Mesa 22.
    const std::int32_t debug_level =
        m_desc.has_lines ? SLANG_DEBUG_INFO_LEVEL_MINIMAL : SLANG_DEBUG_INFO_LEVEL_NONE;
    std::array options{option(CompilerOptionName::EnableMachineReadableDiagnostics, 1),
                       option(CompilerOptionName::DisableWarnings, kSilencedWarnings),
                       option(CompilerOptionName::Optimization, SLANG_OPTIMIZATION_LEVEL_HIGH),
                       option(CompilerOptionName::SkipSPIRVValidation, 1),
                       option(CompilerOptionName::DebugInformation, debug_level)};
    slang::SessionDesc desc;
    desc.targets = &target;
    desc.targetCount = 1;
    desc.defaultMatrixLayoutMode = SLANG_MATRIX_LAYOUT_ROW_MAJOR;
    desc.searchPaths = paths.data();
    desc.searchPathCount = static_cast<SlangInt>(paths.size());
    desc.preprocessorMacros = macros.data();
    desc.preprocessorMacroCount = static_cast<SlangInt>(macros.size());
    desc.fileSystem = m_files.get();
    desc.compilerOptionEntries = options.data();
    desc.compilerOptionEntryCount = static_cast<std::uint32_t>(options.size());
    if (SLANG_FAILED(m_desc.global->createSession(desc, m_session.out()))) {
        throw core::InternalError("the Slang compiler refused to create a session");
    }
}

slang::IModule* Session::load(const std::string& name, const std::string& path,
                              const std::string& source, std::string_view what,
                              std::vector<core::Diagnostic>& warnings) {
    const SlangRef<slang::IBlob> blob = make_blob(source);
    SlangRef<slang::IBlob> output;
    slang::IModule* const module =
        m_session->loadModuleFromSource(name.c_str(), path.c_str(), blob.get(), output.out());
    if (module == nullptr && !m_files->problem().empty()) {
        throw core::ArgumentError(m_files->problem());
    }
    std::vector<core::Diagnostic> found = check_diagnostics(output.get(), module == nullptr, what);
    std::move(found.begin(), found.end(), std::back_inserter(warnings));
    return module;
}

slang::ProgramLayout* Session::layout_of(slang::IModule* module) {
    slang::ProgramLayout* const layout = module->getLayout(0);
    if (layout == nullptr) {
        throw core::InternalError(
            text("Slang has no layout for the module '", module->getName(), "'"));
    }
    return layout;
}

} // namespace weft::compile
