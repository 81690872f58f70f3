// SPDX-License-Identifier: Apache-2.0
// Slang as a service: sources in, reflection and machine code out. The work is done in a helper process
// (weft-compiler), so hostile source can cost an error but never the caller's process; results are
// cached on disk, so a warm start needs neither the helper nor the Slang library.
// Start reading at Compiler, then service.hpp (what the helper does).
#pragma once

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/interrupt.hpp"
#include "core/target.hpp"
#include "reflect/function.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::compile {

using core::Target;

/// How the name of a generated kernel source begins where diagnostics name it as their file.
inline constexpr std::string_view kGeneratedFile = "weft_kernel_";

using Definitions = std::vector<std::pair<std::string, std::string>>;

/// A user's module: a file, or text.
struct ModuleDesc {
    std::string name; ///< module name; for text also the name in diagnostics
    std::string path; ///< absolute path, "" for text
    std::string text; ///< the source if path is empty
    std::vector<std::string> include_paths;
    Definitions defines;
    Target target = Target::spirv; ///< decides the layout of the types in the reflection
    /// Whether Slang reads the text with what it gets wrong in reverse mode written otherwise. Of a LoadedModule: false
    /// if that text does not compile.
    bool repairs = true;
    /// CUDA: its compiler may take faster functions of less accuracy (KernelDesc::fast_math). Nothing elsewhere.
    bool fast_math = false;
};

/// A file that a module was made of, as it was when the module was loaded. Kernels are compiled from
/// this text, so a later edit (or a syntax error) on disk does not touch a module that works.
struct Dependency {
    std::string path;
    core::Hash128 content;
    std::string text;
};

/// A module that compiled. Immutable.
struct LoadedModule {
    ModuleDesc desc;
    reflect::Module reflection;
    std::string import_name; ///< `import "<import_name>"` in a kernel source reaches the module
    std::vector<Dependency>
        dependencies;   ///< files, the module's own first; Weft's modules left out
    core::Hash128 hash; ///< of everything that decides what its kernels compile to
    std::vector<core::Diagnostic> warnings;
};
using LoadedModuleRef = std::shared_ptr<const LoadedModule>;

struct KernelRequest {
    LoadedModuleRef module;
    std::vector<LoadedModuleRef> linked; ///< modules named by Module.load_from_*(link=[...])
    std::string source;                  ///< generated Slang; imports the modules by import_name
    std::string entry_point;
    Target target = Target::spirv; ///< must be module->desc.target
    bool has_lines = false;        ///< SPIR-V says which lines its instructions come from
};

/// One value in the block of module-scope uniforms.
struct GlobalField {
    std::string name;  ///< of a field or element, the path to it: "lamp.color", "lamps.0.color"
    std::string block; ///< the cbuffer that declares it, "" if none does
    reflect::TypeRef type;
    std::vector<std::uint32_t>
        offsets; ///< bytes into the block, of each scalar and pointer in order of declaration
};

/// What a kernel uses and nothing can bind: a texture, a sampler, ...
struct UnboundResource {
    std::string name; ///< of the declaration, as far as the code tells
    std::string type; ///< as Slang spells it, "" if unknown
};

/// Code for one entry point.
struct KernelCode {
    std::vector<std::byte> code;    ///< SPIR-V words, or CUDA C++ source text
    std::uint32_t global_bytes = 0; ///< uniforms at module scope, 0 if the kernel uses none
    std::uint32_t global_set = 0;
    std::uint32_t global_binding = 0;
    std::vector<GlobalField> globals;
    std::vector<UnboundResource> unbound; ///< not empty: no driver may see the kernel
    core::Hash128 hash;                   ///< of the code
};

struct CompilerDesc {
    std::filesystem::path slang_directory;   ///< holds the Slang libraries
    std::filesystem::path helper_executable; ///< weft-compiler; empty: compile in this process
    std::filesystem::path shader_directory;  ///< Weft's own Slang modules
    std::filesystem::path cache_directory;   ///< empty: no disk cache
    std::uint64_t cache_size_limit = std::uint64_t{1} << 30; ///< bytes
    /// Processor time of one request where the system tells it, otherwise time.
    std::chrono::milliseconds time_limit{120'000};
    std::uint64_t memory_limit = std::uint64_t{4} << 30; ///< bytes of the helper
    unsigned most_processes =
        0; ///< that serve requests side by side; 0: as the machine's cores suggest
    core::InterruptPoll poll{}; ///< of waits; an interrupted request ends its process
};

struct CompilerStatistics {
    std::uint64_t module_hits = 0, module_misses = 0;
    std::uint64_t kernel_hits = 0, kernel_misses = 0;
    std::uint64_t helper_starts = 0;
};

/// Thread-safe. Every method that may ask the helper throws core::Interrupted if CompilerDesc::poll does.
class Compiler {
public:
    [[nodiscard]] static std::shared_ptr<Compiler> create(const CompilerDesc& desc);
    virtual ~Compiler() = default;

    /// Starts the helper in the background so that a later miss need not wait for it. May be ignored.
    virtual void warm_up() = 0;

    /// @throws CompileError with Slang's diagnostics, or naming the module if the helper crashed or ran
    ///         out of time or memory; ArgumentError for an absent file, a directory, a source over 16 MB
    ///         or one that is not UTF-8 text.
    [[nodiscard]] virtual LoadedModuleRef load_module(const ModuleDesc& desc) = 0;
    /// Resolves "f<float,4>" or "Foo<int>.method"; all overloads that match, empty if there are none.
    [[nodiscard]] virtual std::vector<reflect::Function>
    find_functions(const LoadedModule& module, const std::string& name) = 0;
    /// Resolves a type by its Slang spelling, "float3", "Ptr<float>", "Foo<int>"; null if absent.
    [[nodiscard]] virtual reflect::TypeRef find_type(const LoadedModule& module,
                                                     const std::string& name) = 0;
    [[nodiscard]] virtual KernelCode compile_kernel(const KernelRequest& request) = 0;

    /// CompilerDesc::shader_directory.
    [[nodiscard]] virtual const std::filesystem::path& shader_directory() const noexcept = 0;
    [[nodiscard]] virtual CompilerStatistics statistics() const = 0;
    virtual void clear_cache() = 0;
};

} // namespace weft::compile
