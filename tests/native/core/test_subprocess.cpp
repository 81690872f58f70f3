// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/subprocess.hpp"
#include "support/catch.hpp"

#if !defined(_WIN32)

#include <sys/wait.h>
#include <unistd.h>

using namespace weft::core;
using namespace std::chrono_literals;

namespace {

Subprocess::Clock::time_point soon(std::chrono::milliseconds patience = 10s) {
    return Subprocess::Clock::now() + patience;
}

std::unique_ptr<Subprocess> start_shell(const std::string& command) {
    return Subprocess::start({.executable = "/bin/sh", .arguments = {"-c", command}});
}

std::string echo(Subprocess& child, const std::string& text) {
    REQUIRE(child.write(std::as_bytes(std::span(text)), soon()) == PipeStatus::ok);
    std::string answer(text.size(), '\0');
    REQUIRE(child.read(std::as_writable_bytes(std::span(answer)), soon()) == PipeStatus::ok);
    return answer;
}

} // namespace

TEST_CASE("what is written to a child comes back") {
    const auto child = start_shell("cat");

    CHECK(echo(*child, "hello") == "hello");
    CHECK(echo(*child, std::string(50'000, 'x')) == std::string(50'000, 'x'));
}

TEST_CASE("a child that stays silent times out and is killed") {
    const auto child = start_shell("sleep 60");
    std::byte byte{};

    CHECK(child->read(std::span(&byte, 1), soon(50ms)) == PipeStatus::timed_out);
    CHECK(child->finish().find("killed by signal 9") != std::string::npos);
}

TEST_CASE("a wait for a silent child can be interrupted") {
    const auto child =
        Subprocess::start({.executable = "/bin/sh", .arguments = {"-c", "sleep 60"}, .poll = [] {
                               throw Interrupted();
                           }});
    std::byte byte{};
    const auto start = Subprocess::Clock::now();

    CHECK_THROWS_AS(child->read(std::span(&byte, 1), soon(60s)), Interrupted);
    CHECK_THROWS_AS(child->wait_for_output(soon(60s)), Interrupted);

    CHECK(Subprocess::Clock::now() - start < 10s);
}

#if defined(__linux__)
TEST_CASE("the processor time of a child is that of its work") {
    const auto idle = start_shell("sleep 60");
    const auto busy = start_shell("while :; do :; done");

    CHECK(busy->wait_for_output(soon(300ms)) == PipeStatus::timed_out);
    while (busy->processor_time().value() < 50ms) {
        REQUIRE(busy->wait_for_output(soon(10ms)) == PipeStatus::timed_out);
    }

    CHECK(idle->processor_time().value() < 50ms);
    (void)busy->finish();
    CHECK_FALSE(busy->processor_time().has_value());
}
#endif

TEST_CASE("the end of a child is described") {
    std::byte byte{};
    const auto exited = start_shell("exit 3");
    CHECK(exited->read(std::span(&byte, 1), soon()) == PipeStatus::closed);
    CHECK(exited->finish() == "exited with status 3");

    const auto crashed = start_shell("kill -SEGV $$");
    CHECK(crashed->read(std::span(&byte, 1), soon()) == PipeStatus::closed);
    CHECK(crashed->finish().find("was killed by signal 11") == 0);
}

TEST_CASE("writing to a child that has ended is a status, not a signal") {
    const auto child = start_shell("exit 0");
    std::byte byte{};
    REQUIRE(child->read(std::span(&byte, 1), soon()) == PipeStatus::closed);
    const std::vector<std::byte> block(1 << 20);

    CHECK(child->write(block, soon()) == PipeStatus::closed);
}

TEST_CASE("a child ends when its parent's object goes") {
    std::string pid(16, '\0');
    {
        const auto child = start_shell("printf '%-16s' $$; cat >/dev/null");
        REQUIRE(child->read(std::as_writable_bytes(std::span(pid)), soon()) == PipeStatus::ok);
    }

    CHECK(kill(static_cast<pid_t>(std::stol(pid)), 0) != 0);
}

TEST_CASE("a process that was forked meanwhile does not end the child") {
    const auto child = start_shell("cat");
    const pid_t fork_id = fork();
    if (fork_id == 0) {
        child->~Subprocess();
        _exit(0);
    }
    waitpid(fork_id, nullptr, 0);

    CHECK(echo(*child, "still here") == "still here");
}

TEST_CASE("an executable that is not there is named") {
    CHECK_THROWS_AS(Subprocess::start({.executable = "/nowhere/program", .arguments = {}}),
                    DeviceError);
    CHECK_THROWS_WITH(Subprocess::start({.executable = "/nowhere/program", .arguments = {}}),
                      ContainsSubstring("/nowhere/program"));
}

#endif
