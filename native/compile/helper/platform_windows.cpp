// SPDX-License-Identifier: Apache-2.0
#include "compile/helper/platform.hpp"

#if defined(_WIN32)

#include <algorithm>
#include <cstdlib>
#include <utility>

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

namespace weft::compile {

namespace {

struct Task {
    const std::function<int()>* work;
    int result;
};

DWORD WINAPI run_task(void* argument) {
    auto* const task = static_cast<Task*>(argument);
    task->result = (*task->work)();
    return 0;
}

/// What a crash is answered with; written before anything can crash.
struct CrashAnswer {
    std::vector<std::byte> bytes;
    bool (*applies)() noexcept = nullptr;
};

CrashAnswer& crash_answer() {
    static CrashAnswer answer;
    return answer;
}

LONG WINAPI answer_crash(EXCEPTION_POINTERS*) {
    const CrashAnswer& answer = crash_answer();
    if (answer.applies()) {
        (void)write_output(answer.bytes);
    }
    return EXCEPTION_EXECUTE_HANDLER; // the process ends
}

DWORD chunk(std::size_t size) {
    return static_cast<DWORD>(std::min<std::size_t>(size, 1 << 20));
}

} // namespace

bool read_input(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        DWORD count = 0;
        if (!ReadFile(GetStdHandle(STD_INPUT_HANDLE), bytes.data(), chunk(bytes.size()), &count,
                      nullptr) ||
            count == 0) {
            return false;
        }
        bytes = bytes.subspan(count);
    }
    return true;
}

bool write_output(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        DWORD count = 0;
        if (!WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), bytes.data(), chunk(bytes.size()), &count,
                       nullptr)) {
            return false;
        }
        bytes = bytes.subspan(count);
    }
    return true;
}

void limit_memory(std::uint64_t bytes) {
    SetErrorMode(SEM_NOGPFAULTERRORBOX |
                 SEM_FAILCRITICALERRORS); // a crash must not wait for a dialog
    const HANDLE job = CreateJobObjectW(nullptr, nullptr);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
    limits.ProcessMemoryLimit = static_cast<SIZE_T>(bytes);
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    AssignProcessToJobObject(job, GetCurrentProcess());
}

void answer_crashes(std::vector<std::byte> answer, bool (*applies)() noexcept) {
    crash_answer() = {std::move(answer), applies};
    SetUnhandledExceptionFilter(answer_crash);
}

void end_with_host() {}

int run_with_stack(std::size_t bytes, const std::function<int()>& work) {
    Task task{&work, EXIT_FAILURE};
    const HANDLE thread =
        CreateThread(nullptr, bytes, run_task, &task, STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
    if (thread == nullptr) {
        return work();
    }
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    return task.result;
}

void exit_at_once(int status) {
    TerminateProcess(GetCurrentProcess(), static_cast<UINT>(status));
    std::abort();
}

} // namespace weft::compile

#endif
