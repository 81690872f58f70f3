// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime.hpp"

namespace weft::engine {

void Runtime::warn(const std::vector<std::string>& warnings) const {
    if (!m_message) {
        return;
    }
    for (const std::string& warning : warnings) {
        {
            const std::lock_guard lock(m_mutex);
            if (!m_shown.insert(warning).second) {
                continue;
            }
        }
        m_message(warning);
    }
}

} // namespace weft::engine
