// SPDX-License-Identifier: Apache-2.0
#include "lower/images.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "dag/build.hpp"

#include <algorithm>

namespace weft::lower {

using core::text;

namespace {

/// Slang numbers names that it declares again: "weft_image_2_0".
bool is_called(const std::string& variable, const std::string& name) {
    return variable.starts_with(name) &&
           (variable.size() == name.size() || variable[name.size()] == '_');
}

std::string name_of(const dag::Texture& texture, const Call& call) {
    if (texture.name == dag::kNamedImage) {
        const auto found = call.literals.find(texture.key);
        if (found == call.literals.end() || found->second.empty()) {
            throw core::ArgumentError("lower: the name that sampleImage() is given is empty or put "
                                      "together; write one literal, as in sampleImage(\"Wood\", "
                                      "uv)");
        }
        return found->second;
    }
    const auto found =
        std::find_if(call.images.begin(), call.images.end(),
                     [&](const ImageSlot& slot) { return is_called(texture.name, slot.global); });
    if (found == call.images.end()) {
        throw core::ArgumentError(
            text("lower: the function looks the texture '", texture.name,
                 "' up, which is none of its parameters; take it as one, or call sampleImage()"));
    }
    return found->name;
}

auto find_slot(const std::vector<ImageSlot>& slots, const std::string& name) {
    return std::find_if(slots.begin(), slots.end(),
                        [&](const ImageSlot& slot) { return slot.name == name; });
}

} // namespace

std::vector<ImageSlot> image_slots(const Call& call, const dag::Function& function) {
    std::vector<ImageSlot> slots = call.images;
    for (const dag::Texture& texture : function.textures) {
        if (!texture.is_image) {
            continue;
        }
        std::string name = name_of(texture, call);
        if (find_slot(slots, name) == slots.end()) {
            slots.push_back({std::move(name), "", {}});
        }
    }
    return slots;
}

std::size_t slot_of(const dag::Texture& texture, const Call& call,
                    const std::vector<ImageSlot>& slots) {
    const auto found = find_slot(slots, name_of(texture, call));
    return static_cast<std::size_t>(found - slots.begin());
}

} // namespace weft::lower
