// SPDX-License-Identifier: Apache-2.0
#include "dispatch/gradient_checker.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "dispatch/gradient_check.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iomanip>
#include <sstream>
#include <string_view>

namespace weft::dispatch {

using core::text;

namespace {

constexpr std::size_t kElements = 4;
constexpr std::chrono::milliseconds kPollPeriod{20};
// Of one function: its kernels may be as many as its generic arguments.
constexpr int kMaxChecks = 8;
// A plan of a call that repeats is kept by its function; those of others need not be remembered.
constexpr std::size_t kMaxOutcomes = 4096;
constexpr std::size_t kMaxWaitingBytes = std::size_t{256} << 20U;

/// Of the checker whose thread this is.
thread_local const std::atomic<bool>* t_is_stopping = nullptr;

/// A bracket behind a name, a call or another index; attributes stand behind other signs.
bool has_index(std::string_view text) {
    char before = 0;
    for (const char byte : text) {
        if (byte == '[' && (core::is_name_character(before) || before == ')' || before == ']')) {
            return true;
        }
        before = std::isspace(static_cast<unsigned char>(byte)) != 0 ? before : byte;
    }
    return false;
}

bool has_any_word(std::string_view text, std::span<const std::string_view> words) {
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return core::has_word(text, word); });
}

constexpr std::array<std::string_view, 3> kLoops{"for", "while", "do"};
constexpr std::array<std::string_view, 8> kOwnDerivatives{
    "BackwardDerivative",    "BackwardDerivativeOf",  "ForwardDerivative",
    "ForwardDerivativeOf",   "PrimalSubstitute",      "PrimalSubstituteOf",
    "TreatAsDifferentiable", "BackwardDifferentiable"};

std::string number(double value) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << std::setprecision(4) << value;
    return out.str();
}

std::string failure_text(const std::string& function, const CallSample& sample,
                         const GradientVerdict& verdict, core::Target target) {
    const char* const compiler =
        target == core::Target::cuda
            ? "; NVRTC's optimizer may be wrong, too: try WEFT_NVRTC_OPTIONS=--Ofast-compile=mid"
            : "";
    return text(function, ".bwds: its gradients are wrong: at element ",
                core::shape_text(sample.element), " of the call <v, J^T w> is ",
                number(verdict.reverse), " in reverse mode, and ", number(verdict.forward),
                " in forward mode, with which central differences agree; rewrite its nested loops "
                "and indexed reads as functions of their own, look at it with "
                "weft.check_gradients(), or call create_device(check_gradients=False) to go on",
                compiler);
}

} // namespace

bool needs_gradient_check(const compile::LoadedModule& module) {
    bool is_at_risk = false;
    bool has_own = false;
    const auto scan = [&](const std::string& source) {
        is_at_risk = is_at_risk || has_any_word(source, kLoops) || has_index(source);
        has_own = has_own || has_any_word(source, kOwnDerivatives);
    };
    scan(module.desc.text);
    for (const compile::Dependency& file : module.dependencies) {
        scan(file.text);
    }
    return is_at_risk && !has_own;
}

bool poll_gradient_checker() {
    if (t_is_stopping == nullptr) {
        return false;
    }
    if (t_is_stopping->load(std::memory_order_relaxed)) {
        throw core::Interrupted();
    }
    return true;
}

GradientChecker::~GradientChecker() {
    stop();
}

void GradientChecker::begin(const std::shared_ptr<Module>& module, const std::string& function,
                            const CallOptions& options,
                            const std::shared_ptr<const LaunchPlan>& plan,
                            const ArgumentList& arguments, const device::InterruptPoll& poll) {
    if (plan->is_empty || is_inherited() || m_is_stopping.load(std::memory_order_relaxed) ||
        !is_new(module, function, *plan)) {
        return;
    }
    Job job{.module = module,
            .function = function,
            .options = options,
            .plan = plan,
            .generation = module->generation()};
    try {
        job.samples = take_samples(*plan, arguments, kElements, poll);
        note(plan, "under way");
        enqueue(std::move(job));
    } catch (const core::Interrupted&) {
        throw;
    } catch (const std::exception& error) { // no memory, no thread
        note(plan, text("left out, ", error.what()));
    }
}

std::size_t GradientChecker::bytes_of(const Job& job) {
    std::size_t bytes = 0;
    for (const CallSample& sample : job.samples) {
        for (const KeptTensor& kept : sample.tensors) {
            bytes += kept.values.size();
        }
    }
    return bytes;
}

void GradientChecker::enqueue(Job job) {
    const std::lock_guard joining(m_joining);
    {
        const std::lock_guard lock(m_mutex);
        if (m_is_stopping) {
            return;
        }
        std::size_t waiting = bytes_of(job);
        for (const Job& other : m_jobs) {
            waiting += bytes_of(other);
        }
        if (waiting > kMaxWaitingBytes) {
            throw core::ArgumentError(text("more than ", kMaxWaitingBytes >> 20U,
                                           " MB of arguments wait for their checks"));
        }
        m_jobs.push_back(std::move(job));
    }
    if (!m_thread.joinable()) {
        m_thread = std::thread([this] { run(); });
    }
    m_wake.notify_one();
}

/// Calls of other shapes share kernels, and so their checks.
bool GradientChecker::is_new(const std::shared_ptr<Module>& module, const std::string& function,
                             const LaunchPlan& plan) {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_checked, [](const auto& entry) { return entry.first.expired(); });
    Checked& checked = m_checked[module];
    if (checked.generation != module->generation()) {
        checked = {};
        checked.generation = module->generation();
    }
    int& count = checked.of_function[function];
    const bool is_new = count < kMaxChecks &&
                        checked.kernels.insert(function + "\n" + plan.compiled->source).second;
    count += is_new ? 1 : 0;
    return is_new;
}

void GradientChecker::note(const std::weak_ptr<const LaunchPlan>& plan, std::string outcome) {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_outcomes, [&](const auto& entry) {
        return m_outcomes.size() >= kMaxOutcomes && entry.first.expired();
    });
    m_outcomes[plan] = std::move(outcome);
}

std::string GradientChecker::outcome(const LaunchPlan& plan) const {
    if (is_inherited()) {
        return "";
    }
    const std::lock_guard lock(m_mutex);
    for (const auto& [known, outcome] : m_outcomes) {
        if (known.lock().get() == &plan) {
            return text("  gradients against forward mode: ", outcome, "\n");
        }
    }
    return "";
}

void GradientChecker::run() {
    t_is_stopping = &m_is_stopping;
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_wake.wait(lock, [&] { return m_is_stopping || !m_jobs.empty(); });
        if (m_is_stopping) {
            return;
        }
        Job job = std::move(m_jobs.front());
        m_jobs.pop_front();
        m_is_busy = true;
        lock.unlock();
        check(job);
        job = {}; // a module may end here: outside the lock
        lock.lock();
        m_is_busy = false;
        m_idle.notify_all();
    }
}

void GradientChecker::check(Job& job) {
    using Kind = GradientVerdict::Kind;
    std::string worst;
    double largest = 0;
    bool is_decided = true;
    try {
        GradientComparison comparison(*job.module, job.function, job.options);
        for (CallSample& sample : job.samples) {
            const GradientVerdict verdict = comparison.run(sample, poll_gradient_checker);
            is_decided = is_decided && verdict.kind != Kind::undecided;
            if (verdict.kind == Kind::wrong && (worst.empty() || verdict.difference > largest)) {
                worst = failure_text(job.function, sample, verdict,
                                     job.module->context().device->target());
            }
            largest = std::max(largest, verdict.difference);
        }
    } catch (const core::Interrupted&) {
        return;
    } catch (const core::CompileError&) {
        return note(job.plan, "left out, forward mode of the function does not compile");
    } catch (const std::exception& error) {
        return note(job.plan, text("left out, ", error.what()));
    }
    if (job.module->generation() != job.generation) {
        return note(job.plan, "left out, the module was loaded anew meanwhile");
    }
    const std::string elements = text(job.samples.size(), " elements");
    if (worst.empty()) {
        return note(job.plan, text(is_decided ? "right at " : "undecided at some of ", elements,
                                   ", largest relative difference ", number(largest)));
    }
    note(job.plan, worst);
    const std::lock_guard lock(m_mutex);
    m_failures.push_back({.module = job.module.get(),
                          .alive = job.module,
                          .function = job.function,
                          .generation = job.generation,
                          .message = std::move(worst)});
    m_has_failed = true;
}

std::optional<std::string> GradientChecker::find_failure(const Module& module,
                                                         const std::string& function,
                                                         bool is_derivative) {
    if (is_inherited()) {
        return std::nullopt;
    }
    const std::lock_guard lock(m_mutex);
    for (Failure& failure : m_failures) {
        const bool is_same = failure.module == &module && failure.function == function &&
                             failure.alive.lock() != nullptr &&
                             failure.generation == module.generation();
        if (is_same && (is_derivative || !failure.is_heard)) {
            failure.is_heard = true;
            return failure.message;
        }
    }
    return std::nullopt;
}

std::optional<std::string> GradientChecker::take_unheard() {
    if (is_inherited()) {
        return std::nullopt;
    }
    const std::lock_guard lock(m_mutex);
    const auto found = std::ranges::find(m_failures, false, &Failure::is_heard);
    if (found == m_failures.end()) {
        return std::nullopt;
    }
    found->is_heard = true;
    return found->message;
}

void GradientChecker::wait(const device::InterruptPoll& poll) {
    if (is_inherited()) {
        return;
    }
    std::unique_lock lock(m_mutex);
    while (!m_idle.wait_for(lock, kPollPeriod,
                            [&] { return m_is_stopping || (m_jobs.empty() && !m_is_busy); })) {
        lock.unlock();
        if (poll) {
            poll();
        }
        lock.lock();
    }
}

void GradientChecker::stop() noexcept {
    if (is_inherited()) {
        return;
    }
    std::deque<Job> left; // modules may end with it: outside the lock
    {
        const std::lock_guard lock(m_mutex);
        m_is_stopping = true;
        left.swap(m_jobs);
    }
    m_wake.notify_all();
    m_idle.notify_all();
    const std::lock_guard joining(m_joining);
    if (m_thread.joinable()) {
        m_thread.join();
    }
}

} // namespace weft::dispatch
