// SPDX-License-Identifier: Apache-2.0
#include "render/aovs.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <string>

namespace weft::render {

const AovSpec& require_aov(std::string_view name, std::string_view owner) {
    const auto found = std::ranges::find(kAovs, name, &AovSpec::name);
    if (found == kAovs.end()) {
        std::vector<std::string> known;
        for (const AovSpec& spec : kAovs) {
            known.emplace_back(spec.name);
        }
        throw core::ArgumentError(core::text(owner, ": there is no AOV '", name, "'; it is one of ",
                                             core::join(known, ", ")));
    }
    return *found;
}

} // namespace weft::render
