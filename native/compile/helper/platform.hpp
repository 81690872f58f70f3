// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace weft::compile {

/// Fills `bytes` from standard input; false at its end.
[[nodiscard]] bool read_input(std::span<std::byte> bytes);
/// Writes all of `bytes` to standard output; false if nobody reads any more.
[[nodiscard]] bool write_output(std::span<const std::byte> bytes);
/// Lets allocations fail beyond `bytes` of address space (where the system can), and keeps crashes
/// from leaving core files behind.
void limit_memory(std::uint64_t bytes);
/// From now on a crash writes `answer` to standard output if `applies` says so; the process ends either way. For code that
/// does not look whether it got the memory that it asked for. Call it once, before run_with_stack().
/// @param applies called in the thread that crashed
void answer_crashes(std::vector<std::byte> answer, bool (*applies)() noexcept);
/// Ends the process within a second of its host's end, also while a request is being served: when the host's
/// side of standard input closes, and when the parent is another one than at the start. Call it first.
/// Windows: nothing to do, the host's job object sees to that (subprocess_windows.cpp).
void end_with_host();
/// Runs `work` in a thread with that much stack and returns what it returns.
[[nodiscard]] int run_with_stack(std::size_t bytes, const std::function<int()>& work);
/// Ends the process without running destructors.
[[noreturn]] void exit_at_once(int status);

} // namespace weft::compile
