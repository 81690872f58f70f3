// SPDX-License-Identifier: Apache-2.0
// Which module-scope parameters a kernel reads, told from the CUDA source that Slang made of it. Slang keeps all
// parameters of the linked modules in one structure, used or not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::compile {

/// Name of the block in CUDA source and in the module that NVRTC makes.
inline constexpr std::string_view kCudaGlobals = "SLANG_globalParams";

/// Names without what Slang appends to make them unique: "lamp", "color" for `lamp_0.color_1`.
using MemberPath = std::vector<std::string>;

struct CudaGlobals {
    bool is_used = false;
    bool reads_all = false; ///< some access does not name a member
    std::vector<MemberPath>
        accesses; ///< that are read, if not reads_all; each as far as it names fields

    /// True if the value at `path` is read, wholly or in part, alone or within another.
    [[nodiscard]] bool reads(const MemberPath& path) const;
    /// Cuts accesses at `path` whose next name is none of `names` (code may spell it otherwise): they read all of it.
    void settle(const MemberPath& path, const std::vector<std::string>& names);
};

/// The parameter block of a kernel that Slang compiled.
[[nodiscard]] CudaGlobals read_cuda_globals(std::string_view source);

} // namespace weft::compile
