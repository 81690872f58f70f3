// SPDX-License-Identifier: Apache-2.0
// The second defence against gradients that Slang gets wrong: a thread that holds reverse mode against forward mode, at
// a few elements of the first backward call of each plan whose module gives reason to. gradient_check.hpp says how.
#pragma once

#include "device/fork_guard.hpp"
#include "dispatch/call_sample.hpp"
#include "dispatch/module.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace weft::dispatch {

/// Whether a module, or one that it imports, has a loop or an index in its text, and no derivative of its own making,
/// which may differ from forward mode by intent. Weft's own modules do not count. May say true for text in comments.
[[nodiscard]] bool needs_gradient_check(const compile::LoadedModule& module);

/// Thread-safe. Its thread starts with the first check, never touches the caller's language, and keeps the module that
/// it looks at alive. In a child after fork() it has no thread, knows of no failure and checks nothing: hold it by
/// device::share_until_fork().
class GradientChecker {
public:
    GradientChecker() = default;
    ~GradientChecker();
    GradientChecker(const GradientChecker&) = delete;
    GradientChecker& operator=(const GradientChecker&) = delete;

    /// Copies what the check of a backward call needs, which waits for the device, and queues it. The outcome is in
    /// outcome() of the plan. Throws nothing but core::Interrupted: a call that cannot be checked says so there.
    void begin(const std::shared_ptr<Module>& module, const std::string& function,
               const CallOptions& options, const std::shared_ptr<const LaunchPlan>& plan,
               const ArgumentList& arguments, const device::InterruptPoll& poll);

    /// Cheap: whether find_failure() may find one.
    bool has_failed() const noexcept { return m_has_failed.load(std::memory_order_relaxed); }
    /// What to say of a function whose gradients are wrong; empty if nothing is known against the code in force.
    /// @param is_derivative a backward call, which always hears of it; others once, if nobody heard of it before.
    [[nodiscard]] std::optional<std::string>
    find_failure(const Module& module, const std::string& function, bool is_derivative);
    /// A failure that nobody heard of.
    [[nodiscard]] std::optional<std::string> take_unheard();
    /// What became of the check of a plan, as a line of explain(); "" if there was none.
    [[nodiscard]] std::string outcome(const LaunchPlan& plan) const;
    /// Waits until every check that was queued is done.
    void wait(const device::InterruptPoll& poll);
    /// Ends the thread, the check under way too, within a few hundredths of a second unless the device is busy.
    /// Later checks are left out. Any threads may call it, at once.
    void stop() noexcept;

private:
    struct Job {
        std::shared_ptr<Module> module;
        std::string function;
        CallOptions options;
        std::weak_ptr<const LaunchPlan> plan;
        std::uint64_t generation = 0;
        std::vector<CallSample> samples{};
    };
    struct Failure {
        const Module* module = nullptr;
        std::weak_ptr<Module> alive;
        std::string function;
        std::uint64_t generation = 0;
        std::string message;
        bool is_heard = false;
    };

    /// What was checked of the code in force of one module.
    struct Checked {
        std::uint64_t generation = 0;
        std::set<std::string> kernels; ///< function and text
        std::map<std::string, int> of_function;
    };

    bool is_inherited() const noexcept { return m_fork_generation != device::fork_generation(); }
    [[nodiscard]] bool is_new(const std::shared_ptr<Module>& module, const std::string& function,
                              const LaunchPlan& plan);
    static std::size_t bytes_of(const Job& job);
    void enqueue(Job job);
    void run();
    void check(Job& job);
    void note(const std::weak_ptr<const LaunchPlan>& plan, std::string outcome);

    mutable std::mutex m_mutex; ///< guards what follows
    std::condition_variable m_wake;
    std::condition_variable m_idle;
    std::deque<Job> m_jobs;
    std::map<std::weak_ptr<const LaunchPlan>, std::string, std::owner_less<>> m_outcomes;
    std::map<std::weak_ptr<Module>, Checked, std::owner_less<>> m_checked;
    std::vector<Failure> m_failures;
    bool m_is_busy = false;
    std::mutex m_joining; ///< guards m_thread, may be held while waiting for it
    std::thread m_thread;
    const std::uint32_t m_fork_generation = device::fork_generation();
    std::atomic<bool> m_has_failed{false};
    std::atomic<bool> m_is_stopping{false};
};

/// Throws core::Interrupted in the thread of a checker that is to stop. For waits that may be under way there, such as
/// those for the compiler.
/// @return whether this is such a thread: nobody else's signals concern it.
bool poll_gradient_checker();

} // namespace weft::dispatch
