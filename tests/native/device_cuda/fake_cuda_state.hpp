// SPDX-License-Identifier: Apache-2.0
// What the two halves of the fake driver share: the state, the one queue, and how every function begins.
#pragma once

#include "device_cuda/fake_cuda.hpp"

#include <memory>

#if defined(_WIN32)
#define WEFT_FAKE_EXPORT __declspec(dllexport)
#else
#define WEFT_FAKE_EXPORT __attribute__((visibility("default")))
#endif

struct CUctx_st {
    int device = 0;
};

struct CUevent_st {
    std::uint64_t position = 0;                     ///< work queued before it
    weft::test::FakeCuda::Stream* stream = nullptr; ///< null: the default one
};

namespace weft::test::fake {

FakeCuda& state();
/// A fresh state, with no context current to this thread.
FakeCuda& start_over();

/// Counts the call; what the test wants it to return.
CUresult enter(const char* function);
/// The same for a function that needs a live context.
CUresult enter_context(const char* function);

/// Work queued so far.
std::uint64_t position();
void run_to(std::uint64_t end);
void push(std::function<void()> work);
/// The state of a stream of somebody else; null for the default one.
FakeCuda::Stream* find_stream(CUstream stream);
CUresult require_stream(CUstream stream);
/// Device memory is host memory.
void* to_host(CUdeviceptr address);

using Lock = std::lock_guard<std::recursive_mutex>;

} // namespace weft::test::fake

/// Begins a function of the driver: `check` is enter or enter_context.
#define WEFT_FAKE_ENTER(check)                                                                     \
    const weft::test::fake::Lock lock(weft::test::fake::state().mutex);                            \
    if (const CUresult entered = weft::test::fake::check(__func__); entered != CUDA_SUCCESS) {     \
        return entered;                                                                            \
    }                                                                                              \
    static_assert(true)
