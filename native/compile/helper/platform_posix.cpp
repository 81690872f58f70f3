// SPDX-License-Identifier: Apache-2.0
#include "compile/helper/platform.hpp"

#if !defined(_WIN32)

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace weft::compile {

namespace {

struct Task {
    const std::function<int()>* work;
    int result;
};

#if defined(POLLRDHUP)
constexpr short kHangUp = POLLRDHUP; // without it a hang-up waits until all that was sent is read
#else
constexpr short kHangUp = 0;
#endif
constexpr int kLookMilliseconds = 250;

/// The host; written before anything reads it.
pid_t g_host = -1; // NOLINT: a signal handler has no other way to know

void end_without_host() {
    if (::getppid() != g_host) {
        ::_exit(EXIT_FAILURE);
    }
}

/// PR_SET_PDEATHSIG follows the thread that started this process, not the host: look before believing it.
void note_parent_death(int) {
    end_without_host();
}

/// A fork of the host may keep the socket open, hence the second look.
void* watch_host(void*) {
    for (;;) {
        pollfd input{STDIN_FILENO, kHangUp, 0};
        const int count = ::poll(&input, 1, kLookMilliseconds);
        if (count > 0 && (input.revents & (kHangUp | POLLHUP | POLLERR)) != 0) {
            ::_exit(EXIT_SUCCESS); // nobody reads what a request under way would yield
        }
        end_without_host();
    }
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

void answer_crash(int signal) {
    const CrashAnswer& answer = crash_answer();
    if (answer.applies()) {
        (void)write_output(answer.bytes);
        ::_exit(EXIT_FAILURE);
    }
    std::signal(signal, SIG_DFL); // the host is told how this process has ended
    std::raise(signal);
}

/// Gives the thread a stack for handlers: the thread's own may be what has run out.
void add_handler_stack() {
    static std::array<std::byte, std::size_t{64} << 10> space;
    stack_t stack{};
    stack.ss_sp = space.data();
    stack.ss_size = space.size();
    ::sigaltstack(&stack, nullptr);
}

void* run_task(void* argument) {
    auto* const task = static_cast<Task*>(argument);
    add_handler_stack();
    task->result = (*task->work)();
    return nullptr;
}

} // namespace

bool read_input(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool write_output(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (count > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(count));
        } else if (count < 0 && errno != EINTR) {
            return false;
        }
    }
    return true;
}

void end_with_host() {
    g_host = ::getppid();
#if defined(__linux__)
    std::signal(SIGUSR1, note_parent_death);
    ::prctl(PR_SET_PDEATHSIG, SIGUSR1);
#endif
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    pthread_create(&thread, &attributes, watch_host, nullptr);
    pthread_attr_destroy(&attributes);
}

void limit_memory(std::uint64_t bytes) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__APPLE__) && !defined(WEFT_SANITIZED) // one refuses it, the other maps terabytes
    const rlimit memory{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
    ::setrlimit(RLIMIT_AS, &memory);
#else
    (void)bytes;
#endif
}

void answer_crashes(std::vector<std::byte> answer, bool (*applies)() noexcept) {
    crash_answer() = {std::move(answer), applies};
    struct sigaction action{};
    action.sa_handler = answer_crash;
    action.sa_flags = SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) {
        ::sigaction(signal, &action, nullptr);
    }
}

int run_with_stack(std::size_t bytes, const std::function<int()>& work) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    Task task{&work, EXIT_FAILURE};
    pthread_t thread;
    if (pthread_create(&thread, &attributes, run_task, &task) != 0) {
        return work(); // a small memory limit leaves no room for the large stack
    }
    pthread_join(thread, nullptr);
    return task.result;
}

void exit_at_once(int status) {
    ::_exit(status);
}

} // namespace weft::compile

#endif
