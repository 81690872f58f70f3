// SPDX-License-Identifier: Apache-2.0
#include "core/subprocess.hpp"

#if !defined(_WIN32)

#include "core/error.hpp"
#include "core/fault.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "core/unique_handle.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace weft::core {

namespace {

using namespace std::chrono_literals;

#if defined(MSG_NOSIGNAL)
constexpr int kSendFlags = MSG_NOSIGNAL; // a dead child is a status here, not a SIGPIPE
#else
constexpr int kSendFlags = 0; // SO_NOSIGPIPE is set on the socket instead
#endif

void close_descriptor(int descriptor) noexcept {
    ::close(descriptor);
}
using Descriptor = UniqueHandle<int, close_descriptor, -1>;

struct SocketPair {
    Descriptor parent;
    Descriptor child;
};

/// One socket serves as the child's input and output. Both ends are closed on exec, so that another
/// child started meanwhile by another thread cannot keep them open.
SocketPair create_socket_pair() {
    int ends[2] = {-1, -1};
#if defined(SOCK_CLOEXEC)
    const int result = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
#else
    const int result = ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
#endif
    if (result != 0) {
        throw DeviceError(
            text("cannot create the pipes of a child process: ", std::strerror(errno)));
    }
#if !defined(SOCK_CLOEXEC)
    ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
#if defined(SO_NOSIGPIPE)
    const int on = 1;
    ::setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// posix_spawn with the socket as input and output. Returns 0 or an errno value.
int spawn(const Subprocess::Desc& desc, int socket, pid_t& child) {
    std::string program = desc.executable.string();
    std::vector<std::string> arguments = desc.arguments;
    std::vector<char*> argv{program.data()};
    for (std::string& argument : arguments) {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // The host may have blocked or ignored signals; the child starts with a clean slate, in its own
    // process group so that Ctrl-C in a terminal reaches only the host.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    const int result =
        ::posix_spawn(&child, program.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

std::string describe(int status) {
    if (WIFSIGNALED(status)) {
        return text("was killed by signal ", WTERMSIG(status), " (", ::strsignal(WTERMSIG(status)),
                    ")");
    }
    return text("exited with status ", WEXITSTATUS(status));
}

class PosixSubprocess final : public Subprocess {
public:
    PosixSubprocess(Descriptor socket, pid_t child, InterruptPoll poll) noexcept
        : m_socket(std::move(socket)), m_child(child), m_owner(process_id()),
          m_poll(std::move(poll)) {}

    ~PosixSubprocess() override {
        m_socket.reset();
        if (m_child > 0 && m_owner == process_id()) {
            ::kill(m_child, SIGKILL);
            (void)wait_exit(10s);
        }
    }

    PipeStatus write(std::span<const std::byte> bytes, Clock::time_point deadline) override {
        if (is_faulty(FaultKind::process)) {
            return PipeStatus::closed;
        }
        while (!bytes.empty()) {
            if (const PipeStatus status = wait_ready(POLLOUT, deadline); status != PipeStatus::ok) {
                return status;
            }
            const ssize_t count =
                ::send(m_socket.get(), bytes.data(), bytes.size(), kSendFlags | MSG_DONTWAIT);
            if (count > 0) {
                bytes = bytes.subspan(static_cast<std::size_t>(count));
            } else if (!is_retry(errno)) {
                return PipeStatus::closed;
            }
        }
        return PipeStatus::ok;
    }

    PipeStatus read(std::span<std::byte> bytes, Clock::time_point deadline) override {
        if (is_faulty(FaultKind::process)) {
            return PipeStatus::closed;
        }
        while (!bytes.empty()) {
            if (const PipeStatus status = wait_ready(POLLIN, deadline); status != PipeStatus::ok) {
                return status;
            }
            const ssize_t count = ::recv(m_socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
            if (count > 0) {
                bytes = bytes.subspan(static_cast<std::size_t>(count));
            } else if (count == 0 || !is_retry(errno)) {
                return PipeStatus::closed;
            }
        }
        return PipeStatus::ok;
    }

    PipeStatus wait_for_output(Clock::time_point deadline) override {
        return wait_ready(POLLIN, deadline);
    }

    std::optional<Clock::duration> processor_time() const noexcept override {
#if defined(__linux__)
        clockid_t clock{};
        timespec time{};
        if (m_child > 0 && ::clock_getcpuclockid(m_child, &clock) == 0 &&
            ::clock_gettime(clock, &time) == 0) {
            return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
        }
#endif
        return std::nullopt;
    }

    std::string finish() override {
        auto status = wait_exit(100ms);
        if (!status) {
            ::kill(m_child, SIGKILL);
            status = wait_exit(10s);
        }
        m_socket.reset();
        return status ? describe(*status) : "did not end";
    }

private:
    static bool is_retry(int error) noexcept {
        return error == EINTR || error == EAGAIN || error == EWOULDBLOCK;
    }

    PipeStatus wait_ready(short events, Clock::time_point deadline) const {
        for (;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
            if (left.count() <= 0) {
                return PipeStatus::timed_out;
            }
            const auto patience = m_poll ? kPollInterval : std::chrono::milliseconds(1 << 30);
            pollfd request{m_socket.get(), events, 0};
            const int count =
                ::poll(&request, 1, static_cast<int>(std::min(left, patience).count()));
            if (count > 0) {
                return PipeStatus::ok; // a hang-up shows in the send or receive that follows
            }
            if (count < 0 && errno != EINTR) {
                return PipeStatus::closed;
            }
            if (m_poll) {
                m_poll();
            }
        }
    }

    /// The wait status once the child has ended, nullopt if it still runs after `patience`.
    std::optional<int> wait_exit(std::chrono::milliseconds patience) noexcept {
        const auto deadline = Clock::now() + patience;
        while (m_child > 0) {
            int status = 0;
            const pid_t result = ::waitpid(m_child, &status, WNOHANG);
            if (result == m_child || (result < 0 && errno == ECHILD)) {
                m_child = -1;
                m_status = status;
            } else if (Clock::now() >= deadline) {
                return std::nullopt;
            } else {
                std::this_thread::sleep_for(1ms);
            }
        }
        return m_status;
    }

    Descriptor m_socket;
    pid_t m_child;
    std::uint64_t m_owner;
    InterruptPoll m_poll;
    int m_status = 0;
};

} // namespace

std::unique_ptr<Subprocess> Subprocess::start(const Desc& desc) {
    SocketPair sockets = create_socket_pair();
    pid_t child = -1;
    const int error =
        is_faulty(FaultKind::process) ? EAGAIN : spawn(desc, sockets.child.get(), child);
    if (error != 0) {
        throw DeviceError(
            text("cannot start '", desc.executable.string(), "': ", std::strerror(error)),
            DeviceError::Kind::unavailable, "posix_spawn", error);
    }
    return std::make_unique<PosixSubprocess>(std::move(sockets.parent), child, desc.poll);
}

} // namespace weft::core

#endif
