// SPDX-License-Identifier: Apache-2.0
// Whose Slang text may run: that of this user, and that of files which the user says to trust (docs/security.md).
#pragma once

#include "scene/material_values.hpp"

#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace weft::scene_files {

using SlangCallRef = std::shared_ptr<scene::SlangCall>;

/// The functions and texts that come with Weft.
class ShippedCode {
public:
    /// @param root holds shaders and node_templates; what is not there is not shipped.
    explicit ShippedCode(const std::filesystem::path& root);

    /// Whether a call runs one of Weft's nodes, or one of its texts.
    [[nodiscard]] bool has(const scene::SlangCall& call) const;

private:
    std::set<std::string> m_node_functions;
    std::set<std::string> m_texts;
};

/// The folder of the user's own functions: $WEFT_TRUST_DIR, else weft/trusted among the user's data. Empty: there is none.
[[nodiscard]] std::filesystem::path trust_folder();

/// Keeps what calls run as this user's own, but for what only a flag trusts. Where nothing can be written nothing is kept.
void remember(std::span<const scene::SlangCall* const> calls, const ShippedCode& shipped);

/// The calls that run what is neither Weft's nor this user's.
[[nodiscard]] std::vector<SlangCallRef> foreign_calls(std::span<const SlangCallRef> calls,
                                                      const ShippedCode& shipped);

/// @throws ArgumentError that names the first functions if there are any.
void require_trust(const std::filesystem::path& file, std::span<const SlangCallRef> foreign);

} // namespace weft::scene_files
