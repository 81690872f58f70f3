// SPDX-License-Identifier: Apache-2.0
#include "core/subprocess.hpp"

#if defined(_WIN32)

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/unique_handle.hpp"

#include <algorithm>
#include <optional>
#include <thread>

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

namespace weft::core {

namespace {

using namespace std::chrono_literals;

void close_handle(HANDLE handle) noexcept {
    CloseHandle(handle);
}
using Handle = UniqueHandle<HANDLE, close_handle>;

struct Pipe {
    Handle read;
    Handle write;
};

Pipe create_pipe() {
    SECURITY_ATTRIBUTES attributes{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
    HANDLE read = nullptr;
    HANDLE write = nullptr;
    if (!CreatePipe(&read, &write, &attributes, 1 << 16)) {
        throw DeviceError(
            text("cannot create the pipes of a child process: Windows error ", GetLastError()));
    }
    return {Handle(read), Handle(write)};
}

/// Quoted as the Microsoft C runtime splits command lines: backslashes double before a quote.
std::wstring quoted(const std::wstring& argument) {
    std::wstring result = L"\"";
    std::size_t backslashes = 0;
    for (const wchar_t c : argument) {
        if (c == L'"') {
            result.append(backslashes + 1, L'\\');
        }
        backslashes = c == L'\\' ? backslashes + 1 : 0;
        result += c;
    }
    return result.append(backslashes, L'\\') + L"\"";
}

class WindowsSubprocess final : public Subprocess {
public:
    WindowsSubprocess(Handle process, Handle job, Handle input, Handle output,
                      InterruptPoll poll) noexcept
        : m_process(std::move(process)), m_job(std::move(job)), m_input(std::move(input)),
          m_output(std::move(output)), m_poll(std::move(poll)) {}

    ~WindowsSubprocess() override {
        if (m_process) {
            TerminateProcess(m_process.get(), 1);
        }
    }

    // A request is written while the child waits for it, so a blocking write does not outlast a live child.
    PipeStatus write(std::span<const std::byte> bytes, Clock::time_point deadline) override {
        while (!bytes.empty()) {
            if (Clock::now() >= deadline) {
                return PipeStatus::timed_out;
            }
            const DWORD size = static_cast<DWORD>(std::min<std::size_t>(bytes.size(), 1 << 16));
            DWORD count = 0;
            if (!WriteFile(m_input.get(), bytes.data(), size, &count, nullptr)) {
                return PipeStatus::closed;
            }
            bytes = bytes.subspan(count);
        }
        return PipeStatus::ok;
    }

    PipeStatus read(std::span<std::byte> bytes, Clock::time_point deadline) override {
        while (!bytes.empty()) {
            if (const PipeStatus status = wait_for_output(deadline); status != PipeStatus::ok) {
                return status;
            }
            const DWORD available = available_bytes().value_or(0);
            const DWORD size = static_cast<DWORD>(std::min<std::size_t>(bytes.size(), available));
            DWORD count = 0;
            if (!ReadFile(m_output.get(), bytes.data(), size, &count, nullptr)) {
                return PipeStatus::closed;
            }
            bytes = bytes.subspan(count);
        }
        return PipeStatus::ok;
    }

    PipeStatus wait_for_output(Clock::time_point deadline) override {
        auto next_poll = Clock::now() + kPollInterval;
        for (;;) {
            const std::optional<DWORD> available = available_bytes();
            if (!available) {
                return PipeStatus::closed;
            }
            if (*available != 0) {
                return PipeStatus::ok;
            }
            if (Clock::now() >= deadline) {
                return PipeStatus::timed_out;
            }
            if (m_poll && Clock::now() >= next_poll) {
                m_poll();
                next_poll += kPollInterval;
            }
            std::this_thread::sleep_for(1ms);
        }
    }

    std::optional<Clock::duration> processor_time() const noexcept override {
        FILETIME created{};
        FILETIME ended{};
        FILETIME kernel{};
        FILETIME user{};
        if (!GetProcessTimes(m_process.get(), &created, &ended, &kernel, &user)) {
            return std::nullopt;
        }
        const auto ticks = [](const FILETIME& time) { // of 100 ns
            return (static_cast<long long>(time.dwHighDateTime) << 32) + time.dwLowDateTime;
        };
        return std::chrono::nanoseconds(100 * (ticks(kernel) + ticks(user)));
    }

    std::string finish() override {
        if (WaitForSingleObject(m_process.get(), 100) == WAIT_TIMEOUT) {
            TerminateProcess(m_process.get(), 1);
            WaitForSingleObject(m_process.get(), 10'000);
        }
        DWORD status = 0;
        GetExitCodeProcess(m_process.get(), &status);
        return text("exited with status ", status);
    }

private:
    /// nullopt: the child has closed its side.
    std::optional<DWORD> available_bytes() const noexcept {
        DWORD available = 0;
        if (!PeekNamedPipe(m_output.get(), nullptr, 0, nullptr, &available, nullptr)) {
            return std::nullopt;
        }
        return available;
    }

    Handle m_process;
    Handle
        m_job; ///< its last handle: the system closes it when this process ends, and so ends the child
    Handle m_input;
    Handle m_output;
    InterruptPoll m_poll;
};

/// A job whose processes end with its last handle; empty if the system refuses.
Handle create_job() noexcept {
    Handle job(CreateJobObjectW(nullptr, nullptr));
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (job && !SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits,
                                        sizeof limits)) {
        job.reset();
    }
    return job;
}

} // namespace

std::unique_ptr<Subprocess> Subprocess::start(const Desc& desc) {
    Pipe input = create_pipe();
    Pipe output = create_pipe();
    SetHandleInformation(input.write.get(), HANDLE_FLAG_INHERIT, 0);
    SetHandleInformation(output.read.get(), HANDLE_FLAG_INHERIT, 0);
    std::wstring command = quoted(desc.executable.wstring());
    for (const std::string& argument : desc.arguments) {
        const std::u8string utf8(argument.begin(), argument.end());
        command += L" " + quoted(std::filesystem::path(utf8).wstring());
    }
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    startup.dwFlags = STARTF_USESTDHANDLES;
    startup.hStdInput = input.read.get();
    startup.hStdOutput = output.write.get();
    PROCESS_INFORMATION process{};
    if (!CreateProcessW(desc.executable.c_str(), command.data(), nullptr, nullptr, TRUE,
                        CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP | CREATE_SUSPENDED, nullptr,
                        nullptr, &startup, &process)) {
        throw DeviceError(
            text("cannot start '", desc.executable.string(), "': Windows error ", GetLastError()),
            DeviceError::Kind::unavailable, "CreateProcessW", GetLastError());
    }
    Handle job = create_job();
    if (job) { // before its first instruction, so that none of its own children can be left out
        AssignProcessToJobObject(job.get(), process.hProcess);
    }
    ResumeThread(process.hThread);
    CloseHandle(process.hThread);
    return std::make_unique<WindowsSubprocess>(Handle(process.hProcess), std::move(job),
                                               std::move(input.write), std::move(output.read),
                                               desc.poll);
}

} // namespace weft::core

#endif
