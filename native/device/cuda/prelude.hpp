// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/prelude_text.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace weft::device::cuda {

/// Leaves out of a CUDA source of Slang what its prelude declares and nothing in it names. NVRTC's front end, which serves one
/// program after the other, takes a fifth of a second for the whole prelude, and a kernel needs a few of its functions.
/// A name stands for the same before and after: of the declarations with one name all stay, or none; only those
/// that take vectors which the source has not at all go alone. Thread-safe.
class PreludeCutter {
public:
    /// The shorter source; `source` itself if it does not begin with the prelude, or that is written in a way that is not
    /// understood. Lines have other numbers. @param defined: macros that the compiler is told, as "SLANG_CUDA_ENABLE_HALF"
    [[nodiscard]] std::string cut(std::string_view source, const Names& defined);

private:
    struct Prelude {
        std::string text;
        Names defined;
        Macros macros;
        std::vector<Item> items; ///< empty: not understood
    };
    std::shared_ptr<const Prelude> parsed(std::string_view text, const Names& defined);

    std::mutex m_mutex;
    std::vector<std::shared_ptr<const Prelude>> m_preludes; ///< one for each `defined`
};

} // namespace weft::device::cuda
