// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/materials.hpp"

#include <cstddef>
#include <string_view>

namespace weft::scene {

/// Counts how deep parts of a material lie in each other while it lives.
class Nesting {
public:
    /// @param depth counted in, and outlives it. @param what the parts are, for the message.
    /// @throws ArgumentError if kMaxNesting are counted already.
    Nesting(std::size_t& depth, std::string_view what) : m_depth(depth) {
        if (m_depth >= kMaxNesting) {
            throw core::ArgumentError(core::text("Material: ", what, " lie more than ", kMaxNesting,
                                                 " deep in each other; nest fewer"));
        }
        m_depth++;
    }
    ~Nesting() { m_depth--; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

private:
    std::size_t& m_depth;
};

} // namespace weft::scene
