// SPDX-License-Identifier: Apache-2.0
// A function as a shader in the Open Shading Language, which Cycles compiles. Start reading at osl_program.hpp.
#pragma once

#include "dag/spirv.hpp"
#include "lower/call.hpp"

#include <string>

namespace weft::lower {

struct OslOptions {
    std::string name; ///< of the shader; letters that OSL's names have not become underscores
};

/// The text of one shader, with the helper functions that it uses. Its parameters are the sockets that a tree of nodes would
/// have (sockets.hpp); integers and booleans are int. Loops need no bound.
///
/// Integers compute as in Slang, unsigned ones and bit casts included, and reals within a few ulp. As in Blender's nodes, x / 0,
/// square roots and logarithms of negative numbers and powers that are not real are 0, where Slang gives infinity or NaN; log(0)
/// is minus infinity. Cycles takes numbers below 2^-126 for 0.
///
/// @param module what `call`'s source was compiled to
/// @throws core::ArgumentError, beginning with "lower: ", for what OSL cannot compute: textures, atomics, wave operations,
///         derivatives, discard, numbers of 8, 16 or 64 bits other than half; dag::SpirvError
[[nodiscard]] std::string make_osl(const Call& call, const dag::SpirvModule& module,
                                   const OslOptions& options);

} // namespace weft::lower
