// SPDX-License-Identifier: Apache-2.0
// `cbuffer Lamp { float3 color; float power; }` declares its members at module scope, in a buffer of constants that
// only a descriptor reaches. They are uniforms to Weft, so Slang reads `uniform float3 color; uniform float power;`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::compile {

struct ConstantBlock {
    std::string name; ///< "" if it has none
    std::vector<std::string> members;
};

/// The blocks (cbuffer, tbuffer) that a source declares.
[[nodiscard]] std::vector<ConstantBlock> constant_blocks(std::string_view text);
/// `text` with the members of these blocks as uniforms. Lines stay where they are.
[[nodiscard]] std::string open_constant_blocks(std::string_view text);

} // namespace weft::compile
