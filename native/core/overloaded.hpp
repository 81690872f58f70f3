// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weft::core {

/// One function object of several, for std::visit.
template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

} // namespace weft::core
