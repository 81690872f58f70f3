// SPDX-License-Identifier: Apache-2.0
#include "compile/text_edits.hpp"

#include <algorithm>

namespace weft::compile {

std::string apply_edits(std::string_view source, std::vector<TextEdit> edits) {
    std::stable_sort(edits.begin(), edits.end(),
                     [](const TextEdit& a, const TextEdit& b) { return a.at < b.at; });
    std::string result;
    std::size_t copied = 0;
    for (const TextEdit& edit : edits) {
        result += source.substr(copied, edit.at - copied);
        result += edit.inserted;
        copied = edit.at + edit.removed;
    }
    result += source.substr(copied);
    return result;
}

} // namespace weft::compile
