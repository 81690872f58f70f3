// SPDX-License-Identifier: Apache-2.0
// Seeds for the draws of a fit.
#pragma once

#include <cstdint>

namespace weft::fit {

/// A seed of 32 bits for one view of one draw; that of weft/fit/seeds.py.
[[nodiscard]] constexpr std::uint32_t mix_seeds(std::uint64_t seed, std::uint64_t draw,
                                                std::uint64_t view) noexcept {
    return static_cast<std::uint32_t>(seed * 0x9E3779B1U + draw * 0x85EBCA77U + view * 0xC2B2AE3DU +
                                      1);
}

} // namespace weft::fit
