// SPDX-License-Identifier: Apache-2.0
// weft_slang_to_host SOURCE OUTPUT [cuda]: C++ (or CUDA) text of the entry point computeMain of a Slang source, which is read as Weft
// reads a user's module. A derivative is the same for every target, and a C++ compiler is ready long before a driver is.
#include "compile/cuda_copies.hpp"
#include "compile/slang_api.hpp"
#include "compile/source_files.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <array>
#include <exception>
#include <iostream>
#include <span>

using namespace weft;
using compile::blob_text;
using compile::SlangRef;

namespace {

void require(bool is_right, const SlangRef<slang::IBlob>& messages, std::string_view what) {
    if (!is_right) {
        throw core::ArgumentError(std::string(what) +
                                  " failed: " + std::string(blob_text(messages.get())));
    }
}

std::string translate(const std::string& path, bool is_cuda) {
    const compile::SlangLibrary library(WEFT_TEST_SLANG_DIR);
    SlangRef<slang::IGlobalSession> global;
    const SlangGlobalSessionDesc global_desc;
    library.functions().create_global_session(&global_desc, global.out());

    compile::SourceFiles files({.shader_directory = WEFT_TEST_SHADER_DIR, .snapshot = {}});
    const char* const shaders = WEFT_TEST_SHADER_DIR;
    slang::TargetDesc target;
    target.format = is_cuda ? SLANG_CUDA_SOURCE : SLANG_CPP_SOURCE;
    target.lineDirectiveMode = SLANG_LINE_DIRECTIVE_MODE_NONE;
    slang::SessionDesc desc;
    desc.targets = &target;
    desc.targetCount = 1;
    desc.searchPaths = &shaders;
    desc.searchPathCount = 1;
    desc.fileSystem = &files;
    SlangRef<slang::ISession> session;
    global->createSession(desc, session.out());

    const std::string text = compile::with_implicit_import(compile::read_source(path));
    const SlangRef<slang::IBlob> source = compile::make_blob(text);
    SlangRef<slang::IBlob> messages;
    slang::IModule* const module =
        session->loadModuleFromSource("module", path.c_str(), source.get(), messages.out());
    require(module != nullptr, messages, "load");
    SlangRef<slang::IEntryPoint> entry;
    module->findAndCheckEntryPoint("computeMain", SLANG_STAGE_COMPUTE, entry.out(), messages.out());
    require(static_cast<bool>(entry), messages, "computeMain");
    std::array<slang::IComponentType*, 2> parts{module, entry.get()};
    SlangRef<slang::IComponentType> composed;
    SlangRef<slang::IComponentType> linked;
    session->createCompositeComponentType(parts.data(), parts.size(), composed.out(),
                                          messages.out());
    require(static_cast<bool>(composed), messages, "compose");
    composed->link(linked.out(), messages.out());
    require(static_cast<bool>(linked), messages, "link");
    SlangRef<slang::IBlob> code;
    linked->getEntryPointCode(0, 0, code.out(), messages.out());
    require(static_cast<bool>(code), messages, "generate");
    const std::string_view result = blob_text(code.get());
    return is_cuda ? compile::keep_copies_apart(result) : std::string(result);
}

} // namespace

int main(int argc, char** argv) {
    const std::span arguments(argv, static_cast<std::size_t>(argc));
    const bool is_cuda = arguments.size() == 4 && std::string_view(arguments[3]) == "cuda";
    if (arguments.size() != 3 && !is_cuda) {
        std::cerr << "usage: weft_slang_to_host SOURCE OUTPUT [cuda]\n";
        return 2;
    }
    try {
        const std::string code = translate(arguments[1], is_cuda);
        if (!core::try_write_file(core::path_from_utf8(arguments[2]),
                                  std::as_bytes(std::span(code)))) {
            throw core::ArgumentError(std::string("cannot write ") + arguments[2]);
        }
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
