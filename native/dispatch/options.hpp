// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::dispatch {

/// What map() says of one argument: the call dimension of each of its own dimensions, or the Slang type
/// that one element has.
struct Mapping {
    std::vector<std::int32_t> dimensions;
    std::string type_name; ///< "" unless mapped by type
};

/// What a call without `_result` returns.
/// torch: the binding turns tensors into those of torch.
enum class ReturnKind : std::uint8_t { automatic, tensor, numpy, torch };

/// Settings that map(), constants(), return_type() and the like add to a function. Value type; two equal
/// option sets share their compiled kernels.
struct CallOptions {
    std::vector<Mapping> positional;
    std::vector<std::pair<std::string, Mapping>> named;
    std::vector<std::pair<std::string, std::string>> constants; ///< link-time: name, Slang literal
    std::string prelude;
    std::optional<std::array<std::uint32_t, 3>> group_size; ///< raw dispatch only
    ReturnKind return_kind = ReturnKind::automatic;
    codegen::Derivative derivative = codegen::Derivative::none; ///< bwds(), fwds()
    bool is_deterministic = false; ///< bwds(): equal bits from every run on a device
    bool is_raw_dispatch = false;  ///< dispatch(): the shape counts threads
    std::array<std::int64_t, 3> thread_count{1, 1, 1}; ///< raw dispatch only

    /// Equal for equal options.
    [[nodiscard]] std::string key() const;
};

} // namespace weft::dispatch
