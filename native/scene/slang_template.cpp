// SPDX-License-Identifier: Apache-2.0
#include "scene/slang_template.hpp"

namespace weft::scene {

std::string fill_template(std::string_view pattern, const TemplateValues& values) {
    std::string filled;
    while (true) {
        const std::size_t open = pattern.find('{');
        if (open == std::string_view::npos) {
            return filled.append(pattern);
        }
        const std::size_t close = pattern.find('}', open);
        const auto found = close == std::string_view::npos
                               ? values.end()
                               : values.find(pattern.substr(open + 1, close - open - 1));
        filled.append(pattern.substr(0, open));
        if (found == values.end()) {
            filled.push_back('{');
            pattern.remove_prefix(open + 1);
        } else {
            filled.append(found->second);
            pattern.remove_prefix(close + 1);
        }
    }
}

} // namespace weft::scene
