// SPDX-License-Identifier: Apache-2.0
// Backward calls whose sums do not depend on the order of additions. Floating-point additions round, so their order
// shows in the last bits; integer additions do not. The kernel therefore runs twice: it first finds, for every scalar
// of a shared gradient, the largest exponent and, of doubles, the number of what will be added (a maximum and a count do
// not depend on the order either), and then adds each contribution as a multiple of a unit that keeps the sum within 63
// bits. One more kernel rounds the sums and adds them to the gradient.
// Half and float keep 30 bits below the largest contribution, which leaves room for 2^32 of them; double keeps 62 less the
// bits of the count.
// After Demmel and Nguyen, "Parallel Reproducible Summation", IEEE Transactions on Computers 64(7), 2015, with a unit
// that is measured instead of a chain of bins.
#pragma once

#include "dispatch/plan.hpp"

namespace weft::dispatch {

/// Bytes of a record of shaders/weft/records.slang.
inline constexpr std::uint64_t kRecordBytes = 32;

inline constexpr const char* kDeterministicWords =
    "  deterministic: the function runs twice, shared gradients are summed in fixed point\n";

/// Redirects what the kernel adds to shared gradients into records. False if it shares none.
/// Precondition: the kernel is lowered.
[[nodiscard]] bool add_record_sources(codegen::Kernel& kernel, LaunchPlan& plan);

/// Compiles what runs before and after the kernel.
[[nodiscard]] RecordSteps compile_record_steps(const codegen::Kernel& kernel,
                                               const LaunchPlan& plan,
                                               const KernelProvider& provide);

} // namespace weft::dispatch
