// SPDX-License-Identifier: Apache-2.0
#include "scene/light.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace weft::scene {

std::string described(const Light& light) {
    const auto kind = std::visit([](const auto& own) { return own.kName; }, light.kind);
    return core::text(kind, " '", light.name, "'");
}

void require_spread(std::string_view owner, double spread) {
    if (!(spread >= 0.001 && spread <= std::numbers::pi + 1e-6)) {
        throw core::ArgumentError(
            core::text(owner, ": spread must be from 0.001 to pi radians, got ", spread));
    }
}

} // namespace weft::scene
