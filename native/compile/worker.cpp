// SPDX-License-Identifier: Apache-2.0
#include "compile/worker.hpp"

#include "core/file.hpp"
#include "core/text.hpp"

#include <array>
#include <atomic>
#include <optional>

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

class ProcessWorker final : public Worker {
public:
    explicit ProcessWorker(const CompilerDesc& desc)
        : m_time_limit(desc.time_limit), m_memory_limit(desc.memory_limit),
          m_start{.executable = desc.helper_executable,
                  .arguments = {
                      core::utf8_path(desc.slang_directory), core::utf8_path(desc.shader_directory),
                      core::utf8_path(desc.cache_directory), std::to_string(desc.memory_limit)}} {}

    void warm_up() override {
        const std::scoped_lock lock(m_mutex);
        ensure_started();
    }

    std::vector<std::byte> request(const Request& request, const std::string& subject) override {
        const std::scoped_lock lock(m_mutex);
        ensure_started();
        const auto deadline = core::Subprocess::Clock::now() + m_time_limit;
        std::vector<std::byte> bytes;
        PipeStatus status = m_process->write(frame(request), deadline);
        if (status == PipeStatus::ok) {
            status = read_message(bytes, deadline);
        }
        if (status != PipeStatus::ok) {
            throw_ended(status, subject);
        }
        auto reply = core::from_archive<Reply>(bytes);
        if (reply.status == ReplyStatus::out_of_memory) {
            m_process.reset(); // what a failed allocation left behind is not trusted
            throw core::CompileError(text("compiling '", subject, "' needs more than the limit of ",
                                          m_memory_limit >> 20,
                                          " MB of memory; simplify the source or raise "
                                          "create_device(compile_memory_limit=...)"),
                                     {});
        }
        rethrow(reply);
        return std::move(reply.payload);
    }

    std::uint64_t helper_starts() const noexcept override { return m_starts; }

private:
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
    }

    PipeStatus read_message(std::vector<std::byte>& bytes,
                            core::Subprocess::Clock::time_point deadline) {
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

    [[noreturn]] void throw_ended(PipeStatus status, const std::string& subject) {
        const std::string end = m_process->finish();
        m_process.reset(); // the next request starts a new one
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
    std::atomic<std::uint64_t> m_starts{0};
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
    return std::make_unique<ProcessWorker>(desc);
}

std::unique_ptr<Worker> Worker::create_in_process(const CompilerDesc& desc) {
    return std::make_unique<InProcessWorker>(desc);
}

} // namespace weft::compile
