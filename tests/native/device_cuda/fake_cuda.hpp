// SPDX-License-Identifier: Apache-2.0
// A CUDA driver for tests on machines without a GPU: a shared library with the symbols of the real one. "Device"
// memory is host memory, kernels are functions of the test, and queued work runs only when a query or a
// synchronisation lets it, so that memory reused too early gives wrong results here too.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace weft::test {

/// What a kernel of the test gets when it runs.
struct FakeLaunch {
    std::array<unsigned, 3> grid{};
    std::array<unsigned, 3> block{};
    std::vector<std::byte> parameters; ///< as many bytes as the image declares
    const std::map<std::string, std::vector<std::byte>>* globals =
        nullptr; ///< of the module, as they are now

    template <typename T>
    T read(std::size_t offset = 0) const {
        T value;
        std::memcpy(&value, parameters.data() + offset, sizeof value);
        return value;
    }
};

/// The state of the fake.
struct FakeCuda {
    std::recursive_mutex mutex;

    // Set by a test.
    std::map<std::string, std::function<void(const FakeLaunch&)>> kernels; ///< by entry point
    std::map<std::string, CUresult> failures; ///< function name -> what it returns from now on
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;
    int device_count = 2;
    int driver_version = 13000;
    int busy_queries = 0;        ///< that many cuStreamQuery and cuEventQuery say "not ready"
    bool runs_by_itself = false; ///< work runs when it is queued, not when it is waited for
    int max_threads = 1024;      ///< what a function's registers allow
    int registers = 255;         ///< of a thread
    int shared_bytes = 0;        ///< group-shared memory of a function's own
    int failing_call = 0; ///< the number of the one call, of any function, that fails; 0: none

    // Read by a test.
    std::map<std::string, int> calls; ///< by function name
    int call_count = 0;               ///< of all functions but those that give something back
    std::map<void*, std::uint64_t> device_blocks; ///< address -> size
    std::map<void*, std::uint64_t> host_blocks;
    std::map<void*, std::uint64_t> pinned; ///< memory of the process, by its first byte
    std::uint64_t device_bytes = 0;
    std::uint64_t peak_device_bytes = 0;
    int live_modules = 0;
    unsigned given_shared_bytes = 0; ///< of the last launch, beside the function's own
    int live_events = 0;
    int live_graphs = 0;
    std::array<int, 2> retained{};
    int context_depth = 0; ///< pushes minus pops, all threads together

    // The default stream.
    std::vector<std::function<void()>> queue;
    std::uint64_t executed = 0;

    /// A stream of somebody else, which nothing orders with the default one but events.
    struct Stream {
        std::vector<std::function<void()>> queue;
        std::uint64_t executed = 0;
        bool is_captured = false;

        void run_to(std::uint64_t end) {
            while (executed < end) {
                queue.at(executed++)();
            }
        }
    };
    std::map<std::uint64_t, Stream> streams; ///< by handle
};

/// Exported by the fake library as `weft_fake_cuda`: a fresh state, with no context current to this thread.
using ResetFakeCuda = FakeCuda*();

} // namespace weft::test
