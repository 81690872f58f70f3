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
/// Integers compute as in Slang, unsigned ones included, and reals within a few ulp. As in Blender's nodes, x / 0 and square
/// roots of negative numbers are 0, where Slang gives infinity or NaN.
///
/// @param module what `call`'s source was compiled to
/// @throws core::ArgumentError, beginning with "lower: ", for what OSL cannot compute: textures, atomics, wave operations,
///         derivatives, discard, numbers of 8, 16 or 64 bits other than half; dag::SpirvError
[[nodiscard]] std::string make_osl(const Call& call, const dag::SpirvModule& module,
                                   const OslOptions& options);

} // namespace weft::lower
