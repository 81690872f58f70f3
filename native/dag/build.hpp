// SPDX-License-Identifier: Apache-2.0
// From SPIR-V to a DAG: the structured control flow is executed with symbols. Both sides of a branch run, what they store
// and what their phis bring is chosen by the branch's condition, and loops are unrolled for as many rounds as their
// condition may hold.
//
// Start reading at build(); flow.hpp has the control flow, instructions.hpp the operations.
#pragma once

#include "dag/graph.hpp"
#include "dag/spirv.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace weft::dag {

/// Buffers of an entry point that is lowered, of which constant elements are read and written.
namespace buffers {
inline constexpr std::string_view kReals = "weft_reals";              ///< StructuredBuffer<float>
inline constexpr std::string_view kIntegers = "weft_integers";        ///< StructuredBuffer<int>
inline constexpr std::string_view kRealResults = "weft_real_results"; ///< RWStructuredBuffer<float>
inline constexpr std::string_view kIntegerResults =
    "weft_integer_results"; ///< RWStructuredBuffer<int>
} // namespace buffers

/// Textures whose names begin so are inputs, looked up at the halves of a name's hash.
inline constexpr std::string_view kNamedInput = "weft_input_";

/// Textures whose names begin so are images, looked up at (u, v): the finest level, whatever derivatives are.
inline constexpr std::string_view kImage = "weft_image_";
/// The one of these that is looked up with the halves of a name's hash as its first derivative.
inline constexpr std::string_view kNamedImage = "weft_image_named";

/// Most rounds of a loop.
struct LoopBound {
    std::uint32_t rounds = 0;
    std::uint32_t begin = 0; ///< the line of the loop's first word
    std::string problem{};   ///< why they are not known; else empty
};

/// By file, and by each line of the loops' heads.
using LoopBounds = std::map<std::pair<std::string, std::uint32_t>, LoopBound>;

struct BuildOptions {
    /// Rounds of a loop beyond which it counts as unbounded.
    std::uint32_t most_rounds = 256;
    /// What [MaxIters(n)] says, where the code has lines.
    LoopBounds bounds{};
    /// Reals that the function has besides named inputs, whose numbers follow. By default more than any has.
    std::uint32_t reals = 1U << 16;
};

/// The function that an entry point computes: element i of the results from elements of the inputs.
/// @throws core::ArgumentError in one sentence, beginning with "lower: ", if it is no such function; SpirvError.
[[nodiscard]] Function build(const SpirvModule& module, const BuildOptions& options = {});

} // namespace weft::dag
