// SPDX-License-Identifier: Apache-2.0
#include "scene/text_scan.hpp"

#include <array>

namespace weft::scene {

namespace {

// White space of Unicode beyond ASCII, in UTF-8.
constexpr std::array<std::string_view, 19> kWideSpaces{
    "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81",
    "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86",
    "\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
    "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};

bool is_space(char letter) noexcept {
    return letter == ' ' || (letter >= '\t' && letter <= '\r') ||
           (letter >= '\x1C' && letter <= '\x1F');
}

} // namespace

std::size_t space_at(std::string_view text, std::size_t at) noexcept {
    const std::string_view rest = text.substr(at);
    if (!rest.empty() && is_space(rest.front())) {
        return 1;
    }
    for (const std::string_view space : kWideSpaces) {
        if (rest.starts_with(space)) {
            return space.size();
        }
    }
    return 0;
}

std::size_t space_before(std::string_view text, std::size_t end) noexcept {
    const std::string_view head = text.substr(0, end);
    if (!head.empty() && is_space(head.back())) {
        return 1;
    }
    for (const std::string_view space : kWideSpaces) {
        if (head.ends_with(space)) {
            return space.size();
        }
    }
    return 0;
}

std::size_t skip_space(std::string_view text, std::size_t at) noexcept {
    for (std::size_t length = space_at(text, at); length > 0; length = space_at(text, at)) {
        at += length;
    }
    return at;
}

} // namespace weft::scene
