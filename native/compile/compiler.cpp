// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler.hpp"

#include "compile/stored_code.hpp"
#include "compile/worker.hpp"
#include "core/file.hpp"
#include "core/file_cache.hpp"
#include "core/kernel_images.hpp"
#include "core/process.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <type_traits>

namespace weft::compile {

using core::Hash128;
using core::text;

namespace {

constexpr std::string_view kModuleEntry = "module";
constexpr std::string_view kLookupEntry = "lookup";
constexpr std::string_view kKernelEntry = "kernel";

/// The value of a cache entry; nullopt if it is absent or was written by a program that differs.
template <typename T>
std::optional<T> try_load(core::FileCache& cache, std::string_view kind, const Hash128& key) {
    const auto bytes = cache.try_load(kind, key);
    if (!bytes) {
        return std::nullopt;
    }
    try {
        T value = core::from_archive<T>(*bytes);
        if constexpr (std::is_same_v<T, KernelCode>) {
            if (!from_stored(cache, value)) {
                return std::nullopt;
            }
        }
        return value;
    } catch (const core::ArchiveError&) {
        cache.remove(kind, key);
        return std::nullopt;
    }
}

/// The folder of the kernels that come compiled, beside that of the shaders; empty if there is none. WEFT_SHIPPED_KERNELS=0
/// leaves it out, for tests and measurements.
std::filesystem::path shipped_kernels(const std::filesystem::path& shader_directory) {
    const auto folder = shader_directory.parent_path() / "kernels";
    std::error_code error;
    const bool is_there = std::filesystem::is_directory(folder, error);
    const bool is_off = core::environment_variable("WEFT_SHIPPED_KERNELS") == "0";
    return is_there && !is_off ? folder : std::filesystem::path();
}

bool exists(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(core::path_from_utf8(path), error);
}

/// True if every file is as the entry remembers it; its texts are filled in.
bool is_up_to_date(LoadResult& entry, const ModuleDesc& desc, const std::string& own_text) {
    for (Dependency& file : entry.dependencies) {
        if (file.path == desc.path) {
            file.text = own_text;
        } else if (const auto bytes =
                       core::try_read_file(core::path_from_utf8(file.path), kMaxSourceBytes)) {
            file.text.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
        } else {
            return false;
        }
        if (core::hash_text(file.text) != file.content) {
            return false;
        }
    }
    return std::none_of(entry.absent_files.begin(), entry.absent_files.end(), exists);
}

/// What the cache keeps: texts are on the user's disk already.
LoadResult without_texts(LoadResult result) {
    for (Dependency& file : result.dependencies) {
        file.text.clear();
    }
    return result;
}

class CachingCompiler final : public Compiler {
public:
    explicit CachingCompiler(const CompilerDesc& desc)
        : m_desc(desc),
          m_cache({.directory = desc.cache_directory, .size_limit = desc.cache_size_limit}),
          m_shipped({.directory = shipped_kernels(desc.shader_directory), .is_read_only = true}),
          m_installation(hash_environment(desc.slang_directory, desc.shader_directory)) {}

    void warm_up() override {
        // A folder that has served this compiler before answers most requests: then wait for a miss.
        if (!m_cache.is_enabled() || !std::filesystem::exists(m_cache.entry_path(
                                         kServedEntry, binary_key(m_installation, "weft")))) {
            worker().warm_up();
        }
    }

    LoadedModuleRef load_module(const ModuleDesc& desc) override {
        const std::string own_text = desc.path.empty() ? desc.text : read_source(desc.path);
        if (desc.path.empty()) {
            check_source(own_text, desc.name);
        }
        const Hash128 key = core::Hasher()
                                .add(hash_module(environment(), desc, {}))
                                .add(core::hash_text(own_text))
                                .finish();
        auto cached = try_load_known<LoadResult>(kModuleEntry, key);
        if (cached && is_up_to_date(*cached, desc, own_text)) {
            ++m_module_hits;
            return finish(desc, std::move(*cached));
        }
        ++m_module_misses;
        Request request = make_request(RequestKind::load_module);
        request.desc = desc;
        auto result = ask<LoadResult>(request, desc.name.empty() ? desc.path : desc.name);
        m_cache.store(kModuleEntry, key, core::to_archive(without_texts(result)));
        return finish(desc, std::move(result));
    }

    std::vector<reflect::Function> find_functions(const LoadedModule& module,
                                                  const std::string& name) override {
        return look_up<std::vector<reflect::Function>>(RequestKind::find_functions, module, name);
    }

    reflect::TypeRef find_type(const LoadedModule& module, const std::string& name) override {
        return look_up<reflect::TypeRef>(RequestKind::find_type, module, name);
    }

    KernelCode compile_kernel(const KernelRequest& kernel) override {
        if (kernel.target != kernel.module->desc.target) {
            throw core::InternalError("compile_kernel: the module was loaded for another target");
        }
        core::Hasher hasher;
        hasher.add(kernel.module->hash)
            .add(kernel.source)
            .add(kernel.entry_point)
            .add(kernel.target)
            .add(kernel.has_lines);
        for (const LoadedModuleRef& linked : kernel.linked) {
            hasher.add(linked->hash);
        }
        const Hash128 key = hasher.finish();
        if (auto cached = try_load_known<KernelCode>(kKernelEntry, key)) {
            ++m_kernel_hits;
            return std::move(*cached);
        }
        ++m_kernel_misses;
        Request request = make_request(RequestKind::compile_kernel);
        request.compile = {.modules = {source_of(*kernel.module)},
                           .source = kernel.source,
                           .entry_point = kernel.entry_point,
                           .target = kernel.target,
                           .has_lines = kernel.has_lines};
        for (const LoadedModuleRef& linked : kernel.linked) {
            request.compile.modules.push_back(source_of(*linked));
        }
        auto code = ask<KernelCode>(request, kernel.module->desc.name);
        m_cache.store(kKernelEntry, key, core::to_archive(to_stored(m_cache, code)));
        return code;
    }

    const std::filesystem::path& shader_directory() const noexcept override {
        return m_desc.shader_directory;
    }

    CompilerStatistics statistics() const override {
        return {.module_hits = m_module_hits,
                .module_misses = m_module_misses,
                .kernel_hits = m_kernel_hits,
                .kernel_misses = m_kernel_misses,
                .helper_starts = m_worker ? m_worker->helper_starts() : 0};
    }

    void clear_cache() override { m_cache.clear(); }

private:
    static Request make_request(RequestKind kind) {
        Request request;
        request.protocol = kProtocol;
        request.kind = kind;
        return request;
    }

    /// What the keys of results depend on: the same for equal installations, if there is a cache to share.
    Hash128 environment() {
        std::call_once(m_hashed, [this] {
            m_environment =
                m_cache.is_enabled() || m_shipped.is_enabled()
                    ? hash_compiler(m_cache, m_desc.slang_directory, m_desc.shader_directory)
                    : m_installation;
        });
        return m_environment;
    }

    /// The value of an entry of the user's cache, else of what Weft ships.
    template <typename T>
    std::optional<T> try_load_known(std::string_view kind, const Hash128& key) {
        auto known = try_load<T>(m_cache, kind, key);
        if (!known && m_shipped.is_enabled()) {
            known = try_load<T>(m_shipped, kind, key);
            if constexpr (std::is_same_v<T, KernelCode>) {
                add_images(known);
            }
        }
        return known;
    }

    /// Puts what CUDA's compiler made of a shipped kernel before its source.
    void add_images(std::optional<KernelCode>& known) {
        if (!known) {
            return;
        }
        if (const auto images = m_shipped.try_load(core::kImageEntry, known->hash)) {
            known->code = core::join_images(known->code, *images);
        }
    }

    LoadedModuleRef finish(const ModuleDesc& desc, LoadResult result) {
        LoadedModule module;
        module.desc = desc;
        module.desc.repairs = result.repairs;
        module.reflection = std::move(result.reflection);
        module.import_name = std::move(result.import_name);
        module.hash = hash_module(environment(), module.desc, result.dependencies);
        module.dependencies = std::move(result.dependencies);
        module.warnings = std::move(result.warnings);
        return std::make_shared<const LoadedModule>(std::move(module));
    }

    template <typename T>
    T look_up(RequestKind kind, const LoadedModule& module, const std::string& name) {
        const Hash128 key = core::Hasher().add(module.hash).add(kind).add(name).finish();
        if (auto cached = try_load_known<T>(kLookupEntry, key)) {
            return std::move(*cached);
        }
        Request request = make_request(kind);
        request.compile.modules = {source_of(module)};
        request.name = name;
        T result = ask<T>(request, module.desc.name);
        m_cache.store(kLookupEntry, key, core::to_archive(result));
        return result;
    }

    template <typename T>
    T ask(const Request& request, const std::string& subject) {
        return core::from_archive<T>(worker().request(request, subject));
    }

    /// A child after fork() cannot use the parent's pipe, nor a lock that another thread of the parent
    /// may have held: it gets a worker of its own, and the inherited one is abandoned.
    Worker& worker() {
        const std::uint64_t process = core::process_id();
        if (m_owner.load() != process) {
            static_cast<void>(m_worker.release());
            m_worker = create_worker();
            m_owner.store(process);
        }
        return *m_worker;
    }
    std::unique_ptr<Worker> create_worker() const;

    CompilerDesc m_desc;
    core::FileCache m_cache;
    core::FileCache m_shipped;
    Hash128 m_installation; ///< of hash_environment()
    std::once_flag m_hashed;
    Hash128 m_environment; ///< see environment()
    std::atomic<std::uint64_t> m_owner{core::process_id()};
    std::unique_ptr<Worker> m_worker = create_worker();
    std::atomic<std::uint64_t> m_module_hits{0}, m_module_misses{0}, m_kernel_hits{0},
        m_kernel_misses{0};
};

std::unique_ptr<Worker> CachingCompiler::create_worker() const {
    const bool in_process = m_desc.helper_executable.empty() ||
                            core::environment_variable("WEFT_COMPILER_IN_PROCESS") == "1";
    return in_process ? Worker::create_in_process(m_desc) : Worker::create_process(m_desc);
}

} // namespace

std::shared_ptr<Compiler> Compiler::create(const CompilerDesc& desc) {
    return std::make_shared<CachingCompiler>(desc);
}

} // namespace weft::compile
