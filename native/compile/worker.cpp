// SPDX-License-Identifier: Apache-2.0
#include "compile/worker.hpp"

#include "core/file.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <optional>
#include <thread>

namespace weft::compile {

using core::PipeStatus;
using core::text;

namespace {

std::vector<std::byte> frame(const Request& request) {
    const std::vector<std::byte> body = core::to_archive(request);
    core::ArchiveWriter writer;
    writer(static_cast<std::uint64_t>(body.size()));
    writer.put_bytes(body);
    return writer.take();
}

using Clock = core::Subprocess::Clock;

/// The time that a process may work on a request. Other programs do not shorten it: processor time counts
/// where the system tells it, up to kPatience times as much of the clock for a process that hangs.
class Budget {
public:
    Budget(core::Subprocess& process, Clock::duration limit)
        : m_process(process), m_limit(limit), m_start(Clock::now()),
          m_worked_before(process.processor_time()) {}

    Clock::time_point first_deadline() const { return m_start + m_limit; }

    /// Waits for the first byte of the reply.
    PipeStatus wait() const {
        Clock::time_point deadline = first_deadline();
        for (;;) {
            const PipeStatus status = m_process.wait_for_output(deadline);
            const Clock::duration left = time_left();
            if (status != PipeStatus::timed_out || left <= Clock::duration::zero()) {
                return status;
            }
            deadline = Clock::now() + left;
        }
    }

private:
    static constexpr int kPatience = 5;

    Clock::duration time_left() const {
        const auto worked = m_process.processor_time();
        if (!worked || !m_worked_before) {
            return Clock::duration::zero();
        }
        const Clock::duration patience = m_start + kPatience * m_limit - Clock::now();
        return std::min(m_limit - (*worked - *m_worked_before), patience);
    }

    core::Subprocess& m_process;
    Clock::duration m_limit;
    Clock::time_point m_start;
    std::optional<Clock::duration> m_worked_before;
};

class ProcessWorker final : public Worker {
public:
    explicit ProcessWorker(const CompilerDesc& desc)
        : m_time_limit(desc.time_limit), m_memory_limit(desc.memory_limit),
          m_start{.executable = desc.helper_executable,
                  .arguments = {core::utf8_path(desc.slang_directory),
                                core::utf8_path(desc.shader_directory),
                                core::utf8_path(desc.cache_directory),
                                std::to_string(desc.memory_limit)},
                  .poll = desc.poll} {}

    void warm_up() override {
        const std::scoped_lock lock(m_mutex);
        ensure_started();
    }

    std::vector<std::byte> request(const Request& request, const std::string& subject) override {
        const std::scoped_lock lock(m_mutex);
        drop_ended();
        ensure_started();
        const bool is_fresh = m_requests == 0;
        std::optional<Reply> reply = ask(request, subject);
        if (!is_fresh && (!reply || is_internal_failure(*reply))) {
            // What earlier requests have left in the process counted, too: a fresh one decides. Slang
            // calls memory that malloc() did not find an internal error.
            m_process.reset();
            ensure_started();
            reply = ask(request, subject);
        }
        if (!reply) {
            throw_out_of_memory(subject);
        }
        rethrow(*reply);
        return std::move(reply->payload);
    }

    std::uint64_t helper_starts() const noexcept override { return m_starts; }

private:
    /// Returns the reply of the process; nothing, and the process has ended, where it was out of memory, or
    /// was ended from outside and had other requests before.
    std::optional<Reply> ask(const Request& request, const std::string& subject) {
        ++m_requests;
        std::vector<std::byte> bytes;
        const PipeStatus status = exchange(request, bytes);
        if (status != PipeStatus::ok) {
            const std::string end = m_process->finish();
            m_process.reset(); // the next request starts a new one
            // How the dynamic loader ends a process when it finds no memory for symbols or threads.
            const bool had_no_memory = end == "exited with status 127";
            // From outside, by a system short of memory for instance: before it read the request, or for what earlier ones
            // have left in it.
            const bool was_ended = m_requests > 1 && end.starts_with("was killed by signal 9 ");
            if (status != PipeStatus::timed_out && (had_no_memory || was_ended)) {
                return std::nullopt;
            }
            throw_ended(status, end, subject);
        }
        auto reply = core::from_archive<Reply>(bytes);
        if (reply.status == ReplyStatus::out_of_memory) {
            m_process.reset(); // what a failed allocation left behind is not trusted
            return std::nullopt;
        }
        return reply;
    }

    /// Sends the request and waits for its reply. Whatever is thrown meanwhile leaves no process that is still busy
    /// with it, nor half a message in the pipe.
    PipeStatus exchange(const Request& request, std::vector<std::byte>& reply) {
        try {
            const Budget budget(*m_process, m_time_limit);
            PipeStatus status = m_process->write(frame(request), budget.first_deadline());
            if (status == PipeStatus::ok) {
                status = budget.wait();
            }
            return status == PipeStatus::ok ? read_message(reply, Clock::now() + m_time_limit)
                                            : status;
        } catch (...) {
            m_process.reset();
            throw;
        }
    }

    /// A process that somebody has ended between two requests, such as a system short of memory, is replaced: nothing
    /// is wrong with the next source. One that waits for a request writes nothing.
    void drop_ended() {
        using namespace std::chrono_literals;
        if (m_process && m_process->wait_for_output(Clock::now() + 1ms) != PipeStatus::timed_out) {
            m_process.reset();
        }
    }

    void ensure_started() {
        if (m_process) {
            return;
        }
        try {
            m_process = core::Subprocess::start(m_start);
        } catch (const core::DeviceError& error) {
            throw core::DeviceError(text("the Slang compiler's process does not start: ",
                                         error.what(), "; reinstall Weft"),
                                    error.kind(), error.native_call(), error.native_code());
        }
        ++m_starts;
        m_requests = 0;
    }

    PipeStatus read_message(std::vector<std::byte>& bytes, Clock::time_point deadline) {
        std::array<std::byte, kFrameBytes> header{};
        const PipeStatus status = m_process->read(header, deadline);
        if (status != PipeStatus::ok) {
            return status;
        }
        const auto size = core::from_archive<std::uint64_t>(header);
        if (size > kMaxMessageBytes) {
            return PipeStatus::closed;
        }
        bytes.resize(static_cast<std::size_t>(size));
        return m_process->read(bytes, deadline);
    }

    [[noreturn]] void throw_out_of_memory(const std::string& subject) const {
        throw core::CompileError(
            text("compiling '", subject, "' ran out of memory: the limit is ", m_memory_limit >> 20,
                 " MB; simplify the source or raise create_device(compile_memory_limit=...)"),
            {});
    }

    [[noreturn]] void throw_ended(PipeStatus status, const std::string& end,
                                  const std::string& subject) const {
        if (status == PipeStatus::timed_out) {
            throw core::CompileError(text("compiling '", subject,
                                          "' took longer than the limit of ",
                                          static_cast<double>(m_time_limit.count()) / 1000.0,
                                          " s and was stopped; simplify the source or raise "
                                          "create_device(compile_time_limit=...)"),
                                     {});
        }
        throw core::CompileError(
            text("compiling '", subject, "' crashed the Slang compiler (its process ", end,
                 "); look for deeply nested or very long expressions and recursion in the "
                 "source, or raise create_device(compile_memory_limit=...) from ",
                 m_memory_limit >> 20, " MB if it is large"),
            {});
    }

    std::mutex m_mutex;
    std::chrono::milliseconds m_time_limit;
    std::uint64_t m_memory_limit;
    core::Subprocess::Desc m_start;
    std::unique_ptr<core::Subprocess> m_process;
    std::uint64_t m_requests = 0; // that the process has got
    std::atomic<std::uint64_t> m_starts{0};
};

/// Half of the cores: Slang waits for memory, and drivers compile meanwhile. Two cores are worth two processes: a kernel of
/// a scene takes a second or more, starting with Weft's modules as IR a third of one.
unsigned usual_processes(unsigned cores) {
    return cores == 2 ? 2 : std::clamp(cores / 2, 1U, Worker::kMaxProcesses);
}

/// Processes side by side; the first one stays.
class WorkerPool final : public Worker {
public:
    explicit WorkerPool(const CompilerDesc& desc)
        : m_desc(desc),
          m_limit(desc.most_processes != 0 ? desc.most_processes
                                           : usual_processes(std::thread::hardware_concurrency())) {
        add_process();
    }

    void warm_up() override { m_processes.front()->warm_up(); }

    std::vector<std::byte> request(const Request& request, const std::string& subject) override {
        const Lease lease(*this);
        return lease.process().request(request, subject);
    }

    std::uint64_t helper_starts() const noexcept override {
        const std::scoped_lock lock(m_mutex);
        std::uint64_t starts = m_ended_starts;
        for (const auto& process : m_processes) {
            starts += process->helper_starts();
        }
        return starts;
    }

private:
    /// One process for one request.
    class Lease {
    public:
        explicit Lease(WorkerPool& pool) : m_pool(pool), m_index(pool.take()) {}
        ~Lease() { m_pool.give_back(m_index); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

        Worker& process() const { return m_pool.process(m_index); }

    private:
        WorkerPool& m_pool;
        std::size_t m_index;
    };

    void add_process() {
        m_processes.push_back(std::make_unique<ProcessWorker>(m_desc));
        m_is_busy.push_back(false);
    }

    std::size_t take() {
        std::unique_lock lock(m_mutex);
        const auto is_idle = [this] {
            return std::ranges::find(m_is_busy, false) != m_is_busy.end();
        };
        if (!is_idle() && m_processes.size() < m_limit) {
            add_process();
        }
        while (!m_idle.wait_for(lock, core::kPollInterval, is_idle)) {
            if (m_desc.poll) {
                lock.unlock();
                m_desc.poll();
                lock.lock();
            }
        }
        const auto found = std::ranges::find(m_is_busy, false);
        *found = true;
        return static_cast<std::size_t>(found - m_is_busy.begin());
    }

    void give_back(std::size_t index) {
        std::vector<std::unique_ptr<Worker>> ended; // waits for them: outside the lock
        {
            const std::scoped_lock lock(m_mutex);
            m_is_busy[index] = false;
            if (std::ranges::find(m_is_busy, true) == m_is_busy.end()) {
                while (m_processes.size() > 1) {
                    m_ended_starts += m_processes.back()->helper_starts();
                    ended.push_back(std::move(m_processes.back()));
                    m_processes.pop_back();
                    m_is_busy.pop_back();
                }
            }
        }
        m_idle.notify_one();
    }

    Worker& process(std::size_t index) const {
        const std::scoped_lock lock(m_mutex);
        return *m_processes[index];
    }

    CompilerDesc m_desc;
    std::size_t m_limit;
    mutable std::mutex m_mutex; ///< guards what follows
    std::condition_variable m_idle;
    std::vector<std::unique_ptr<Worker>> m_processes;
    std::vector<bool> m_is_busy;
    std::uint64_t m_ended_starts = 0;
};

class InProcessWorker final : public Worker {
public:
    explicit InProcessWorker(const CompilerDesc& desc)
        : m_desc{.slang_directory = desc.slang_directory,
                 .shader_directory = desc.shader_directory,
                 .cache_directory = desc.cache_directory} {}

    void warm_up() override {
        const std::scoped_lock lock(m_mutex);
        service();
    }

    std::vector<std::byte> request(const Request& request, const std::string&) override {
        const std::scoped_lock lock(m_mutex);
        Reply reply = serve(service(), request);
        rethrow(reply);
        return std::move(reply.payload);
    }

    std::uint64_t helper_starts() const noexcept override { return 0; }

private:
    CompileService& service() { return m_service ? *m_service : m_service.emplace(m_desc); }

    std::mutex m_mutex;
    ServiceDesc m_desc;
    std::optional<CompileService> m_service;
};

} // namespace

std::unique_ptr<Worker> Worker::create_process(const CompilerDesc& desc) {
    return std::make_unique<WorkerPool>(desc);
}

std::unique_ptr<Worker> Worker::create_in_process(const CompilerDesc& desc) {
    return std::make_unique<InProcessWorker>(desc);
}

} // namespace weft::compile
