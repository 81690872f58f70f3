// SPDX-License-Identifier: Apache-2.0
#include "compile/helper/platform.hpp"

#if !defined(_WIN32)

#include <cerrno>
#include <cstdlib>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace weft::compile {

namespace {

struct Task {
    const std::function<int()>* work;
    int result;
};

void* run_task(void* argument) {
    auto* const task = static_cast<Task*>(argument);
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
