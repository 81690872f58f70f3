// SPDX-License-Identifier: Apache-2.0
// Functions that Slang has left as they are ([noinline]), put where they are called.
#pragma once

#include "dag/spirv.hpp"

#include <unordered_map>
#include <vector>

namespace weft::dag {

struct SpirvFunction {
    std::vector<Id> parameters;
    std::vector<Block> blocks; ///< the first one first
};

using SpirvFunctions = std::unordered_map<Id, SpirvFunction>;

/// Sets SpirvModule::blocks: those of function `entry` with all that it calls in them, each time with ids of its own. A
/// function of several blocks becomes a construct, a switch of one case whose end its returns lead to.
/// @throws SpirvError; core::ArgumentError if a function calls itself, or the blocks are more than 20,000.
void inline_calls(SpirvModule& module, const SpirvFunctions& functions, Id entry);

} // namespace weft::dag
