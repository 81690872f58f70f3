// SPDX-License-Identifier: Apache-2.0
// One Slang function, callable over arrays. A repeated call costs a hash, a copy of the argument block and
// the launch; everything else happens once and is kept as a LaunchPlan.
#pragma once

#include "dispatch/launch.hpp"
#include "dispatch/module.hpp"

#include <mutex>
#include <unordered_map>

namespace weft::dispatch {

/// Thread-safe; calls of several threads run one after the other up to the launch.
class Function {
public:
    Function(Module& module, std::string name, CallOptions options);

    const std::string& name() const noexcept { return m_name; }
    const CallOptions& options() const noexcept { return m_options; }
    /// All overloads in force. @throws ArgumentError if a reload removed the function.
    [[nodiscard]] std::vector<reflect::Function> overloads();
    /// Whether an overload has a parameter of this name.
    [[nodiscard]] bool has_parameter(std::string_view name);

    /// The plan of an earlier call with arguments of the same layout; null if there is none, if the module has
    /// to be reloaded, or while another thread makes one. Never blocks: call it with the host's own lock taken.
    [[nodiscard]] std::shared_ptr<const LaunchPlan> find_plan(const ArgumentList& arguments);
    /// That plan, or a new one: resolves, generates, compiles. Slow, and polls; touches nothing of the caller's
    /// language, whose lock must not be taken (core/interrupt.hpp). The same holds for overloads() and
    /// has_parameter().
    [[nodiscard]] std::shared_ptr<const LaunchPlan> make_plan(const ArgumentList& arguments);

private:
    using Key = std::vector<std::uint64_t>;
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept;
    };

    [[nodiscard]] std::unique_lock<std::mutex> lock();
    void refresh();
    void load_overloads();
    [[nodiscard]] std::shared_ptr<const LaunchPlan> look_up(const ArgumentList& arguments);

    Module* m_module; ///< owns this function
    std::string m_name;
    CallOptions m_options;
    std::mutex m_mutex;
    std::uint64_t m_generation = 0;
    std::vector<reflect::Function> m_overloads;
    bool m_reads_gradients = false; ///< plans depend on the gradients of tensors
    std::unordered_map<Key, std::shared_ptr<const LaunchPlan>, KeyHash> m_plans;
    Key m_key; ///< scratch
    Key m_last_key;
    std::shared_ptr<const LaunchPlan> m_last_plan;
};

} // namespace weft::dispatch
