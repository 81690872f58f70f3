// SPDX-License-Identifier: Apache-2.0
// A user's Slang module on one device: its functions, its compiled kernels, and hot reload.
// Start here, then function.hpp (one call).
#pragma once

#include "compile/compiler.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "dispatch/options.hpp"
#include "dispatch/plan.hpp"

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace weft::dispatch {

class Function;
class Watcher;

/// What modules need besides their source; shared by all modules of a device.
struct Context {
    std::shared_ptr<device::Device> device;
    std::shared_ptr<compile::Compiler> compiler;
    std::shared_ptr<Watcher> watcher{};                ///< null: no hot reload
    std::shared_ptr<core::Logger> logger{};            ///< null: silent
    core::InterruptPoll poll{};                        ///< of waits for compiles and drivers
    std::shared_ptr<class IndexFaults> index_faults{}; ///< null: indices are not checked
};

struct ModuleOptions {
    std::vector<std::shared_ptr<class Module>> links; ///< modules whose exports this one may use
    bool hot_reload = true;
};

/// Thread-safe. Keeps its context alive.
class Module : public std::enable_shared_from_this<Module> {
public:
    /// @throws CompileError, ArgumentError: see compile::Compiler::load_module, require_free_names.
    [[nodiscard]] static std::shared_ptr<Module> create(Context context, compile::ModuleDesc desc,
                                                        ModuleOptions options);
    ~Module();

    const Context& context() const noexcept { return m_context; }
    /// The code in force. Another object after a reload.
    [[nodiscard]] compile::LoadedModuleRef loaded() const;
    /// Grows by one with each successful reload.
    std::uint64_t generation() const noexcept {
        return m_generation.load(std::memory_order_acquire);
    }

    /// All overloads called `name` ("f", "Pixel.scale", "gen<float, 4>"); empty if there are none.
    [[nodiscard]] std::vector<reflect::Function> find_overloads(const std::string& name) const;
    /// Null if the module has no such type.
    [[nodiscard]] reflect::TypeRef find_type(const std::string& name) const;
    /// The function object for a name and options; the same object for the same name and options.
    /// @throws ArgumentError{attribute} with near misses if there is no such function.
    [[nodiscard]] std::shared_ptr<Function> function(const std::string& name,
                                                     const CallOptions& options = {});
    /// That object if function() made it before, else null. Never blocks.
    [[nodiscard]] std::shared_ptr<Function> known_function(const std::string& name,
                                                           const CallOptions& options) const;
    /// @throws ArgumentError{attribute} with near misses if neither the module nor what it imports or links
    ///         can have a module-scope uniform of this name.
    void require_uniform(const std::string& name) const;
    /// The declaration 'extern static const ... name'. @throws ArgumentError{attribute} with near misses.
    [[nodiscard]] reflect::LinkConstant require_constant(const std::string& name) const;
    /// Names of all functions and structures, for suggestions and dir().
    [[nodiscard]] std::vector<std::string> names() const;

    /// Whether backward calls of functions of the code in force, or of what it links, are to be checked; see
    /// needs_gradient_check(). False once set_gradient_check(false) was called.
    [[nodiscard]] bool wants_gradient_check() const;
    void set_gradient_check(bool is_on) noexcept {
        m_checks_gradients.store(is_on, std::memory_order_relaxed);
    }
    bool has_gradient_check() const noexcept {
        return m_checks_gradients.load(std::memory_order_relaxed);
    }

    /// Compiles the source again now. @throws CompileError; the last good code stays in force.
    void reload();
    /// Called by the call path: reloads if the watcher has seen a change. Never throws for bad source:
    /// the diagnostics say what is wrong, and the last good code stays callable.
    void reload_if_stale() {
        if (is_stale()) {
            reload_quietly();
        }
    }
    bool is_stale() const noexcept { return m_is_stale.load(std::memory_order_relaxed); }
    /// Errors and warnings of the last compile, also of a failed reload.
    [[nodiscard]] std::vector<core::Diagnostic> diagnostics() const;

    /// Called by the watcher's thread.
    void mark_stale() noexcept { m_is_stale.store(true, std::memory_order_relaxed); }
    std::filesystem::file_time_type load_time() const;

    /// Compiles a generated kernel, or finds it.
    /// @throws CompileError, InternalError: see throw_kernel_error(). ArgumentError: see require_features().
    [[nodiscard]] CompiledKernelRef provide_kernel(const std::string& source,
                                                   const codegen::Kernel& kernel);

private:
    Module(Context context, compile::ModuleDesc desc, ModuleOptions options);
    void load();
    void reload_quietly();
    [[nodiscard]] CompiledKernelRef compile_kernel(const compile::LoadedModuleRef& module,
                                                   const std::string& source,
                                                   const codegen::Kernel& kernel) const;
    [[nodiscard]] std::shared_ptr<device::Kernel>
    create_kernel(compile::KernelCode code, const codegen::Kernel& kernel, bool fast_math) const;
    [[nodiscard]] compile::KernelCode compile_code(const compile::LoadedModuleRef& module,
                                                   const std::string& source,
                                                   const codegen::Kernel& kernel) const;

    Context m_context;
    compile::ModuleDesc m_desc;
    ModuleOptions m_options;
    std::atomic<std::uint64_t> m_generation{0};
    std::atomic<bool> m_is_stale{false};
    std::atomic<bool> m_checks_gradients{true};
    std::filesystem::file_time_type m_load_time; ///< just before the source in force was read
    mutable std::mutex m_mutex;                  ///< guards what follows
    compile::LoadedModuleRef m_loaded;
    std::vector<core::Diagnostic> m_diagnostics;
    std::map<std::string, std::shared_ptr<Function>> m_functions; ///< by function_key()
    std::unordered_map<core::Hash128, CompiledKernelRef> m_kernels;
    std::unordered_set<core::Hash128> m_compiling; ///< kernels that some thread is compiling
    std::condition_variable m_compiled;
};

} // namespace weft::dispatch
