// SPDX-License-Identifier: Apache-2.0
#include "scene/materials.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/material_checks.hpp"

#include <algorithm>
#include <unordered_set>

namespace weft::scene {

namespace {

/// Something on the way through a material.
using Part = std::variant<const Surface*, const Value*>;

struct PartsOf {
    std::vector<Part>& parts; ///< gets what a part is made of, in order

    void operator()(const Surface* surface) const {
        if (const auto* const leaf = std::get_if<Closure>(&surface->node)) {
            add_all(leaf->inputs);
        } else if (const auto* const mixed = std::get_if<Mix>(&surface->node)) {
            parts.insert(parts.end(), {&mixed->factor, mixed->first.get(), mixed->second.get()});
        } else {
            const auto& sum = std::get<Add>(surface->node);
            parts.insert(parts.end(), {sum.first.get(), sum.second.get()});
        }
    }
    void operator()(const Value* value) const { std::visit(*this, *value); }
    void operator()(const std::shared_ptr<Texture>& texture) const {
        if (texture->uv) {
            parts.emplace_back(&*texture->uv);
        }
    }
    void operator()(const std::shared_ptr<SlangCall>& call) const { add_all(call->arguments); }
    void operator()(const std::shared_ptr<const NormalMap>& map) const {
        parts.insert(parts.end(), {&map->color, &map->strength});
    }
    void operator()(const std::shared_ptr<const Bump>& bump) const {
        if (bump->normal) {
            parts.emplace_back(&*bump->normal);
        }
        parts.insert(parts.end(), {&bump->height, &bump->strength, &bump->distance});
    }
    template <typename Leaf>
    void operator()(const Leaf& /*leaf*/) const {}

    void add_all(const NamedValues& values) const {
        for (const auto& [name, value] : values) {
            parts.emplace_back(&value);
        }
    }
};

/// What several inputs may share, by its address; nullptr: nothing.
const void* shared_address(const Part& part) {
    const auto* const value = std::get_if<const Value*>(&part);
    if (value == nullptr) {
        return std::get<const Surface*>(part);
    }
    if (const auto* const call = std::get_if<std::shared_ptr<SlangCall>>(*value)) {
        return call->get();
    }
    if (const auto* const texture = std::get_if<std::shared_ptr<Texture>>(*value)) {
        return texture->get();
    }
    return nullptr;
}

/// Visits all of surfaces in a fixed order, without recursion; what is shared once.
class Walk {
public:
    template <typename Visit>
    void over(const Surface& surface, const Visit& visit) {
        std::vector<Part> stack{&surface};
        std::vector<Part> parts;
        while (!stack.empty()) {
            const Part part = stack.back();
            stack.pop_back();
            const void* const address = shared_address(part);
            if (address != nullptr && !m_seen.insert(address).second) {
                continue;
            }
            if (const auto* const value = std::get_if<const Value*>(&part)) {
                visit(**value);
            }
            parts.clear();
            std::visit(PartsOf{parts}, part);
            stack.insert(stack.end(), parts.rbegin(), parts.rend());
        }
    }

private:
    std::unordered_set<const void*> m_seen;
};

struct IsOfSurface {
    bool operator()(const std::shared_ptr<Texture>& /*unused*/) const { return true; }
    bool operator()(const std::shared_ptr<const NormalMap>& /*unused*/) const { return true; }
    bool operator()(const std::shared_ptr<const Bump>& /*unused*/) const { return true; }
    bool operator()(Attribute /*unused*/) const { return true; }
    bool operator()(const UvSet& /*unused*/) const { return true; }
    bool operator()(const UvTangent& /*unused*/) const { return true; }
    bool operator()(const ColorAttribute& /*unused*/) const { return true; }
    template <typename Other>
    bool operator()(const Other& /*unused*/) const {
        return false;
    }
};

void require_surfaces(std::string_view owner, const SurfaceRef& first, const SurfaceRef& second) {
    if (!first || !second) {
        throw core::ArgumentError(core::text(owner, ": two surfaces are needed, got a null "
                                                    "pointer; closure(\"none\") does nothing"));
    }
}

void require_nesting(const Surface& surface, std::string_view name, std::size_t depth = 1) {
    if (depth > kMaxNesting) {
        throw core::ArgumentError(core::text("Material '", name, "': surfaces lie more than ",
                                             kMaxNesting, " deep in each other; mix fewer"));
    }
    if (const auto* const mixed = std::get_if<Mix>(&surface.node)) {
        require_nesting(*mixed->first, name, depth + 1);
        require_nesting(*mixed->second, name, depth + 1);
    } else if (const auto* const sum = std::get_if<Add>(&surface.node)) {
        require_nesting(*sum->first, name, depth + 1);
        require_nesting(*sum->second, name, depth + 1);
    }
}

} // namespace

const Value* Closure::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(inputs, name, &NamedValues::value_type::first);
    return found == inputs.end() ? nullptr : &found->second;
}

std::string_view Closure::option(std::string_view name) const noexcept {
    for (const auto& [key, value] : options) {
        if (key == name) {
            return value;
        }
    }
    return "";
}

SurfaceRef closure(std::string kind, NamedValues inputs,
                   std::vector<std::pair<std::string, std::string>> options) {
    const ClosureSpec& spec = require_closure(kind, quoted_text(kind));
    for (const auto& [name, value] : options) {
        if (spec.find_option(name) == nullptr) {
            require_input(spec, name); // no input either: the message lists what there is
            refuse_text(spec, name, quoted_text(value));
        }
        require_option(spec, name, value, quoted_text(value));
    }
    for (const auto& [name, value] : inputs) {
        require_input_size(spec, name, size_of(value));
    }
    return std::make_shared<const Surface>(
        Surface{Closure{std::move(kind), std::move(inputs), std::move(options)}});
}

SurfaceRef mix(SurfaceRef first, SurfaceRef second, Value factor) {
    require_surfaces("Mix", first, second);
    return std::make_shared<const Surface>(
        Surface{Mix{std::move(first), std::move(second), std::move(factor)}});
}

SurfaceRef add(SurfaceRef first, SurfaceRef second) {
    require_surfaces("Add", first, second);
    return std::make_shared<const Surface>(Surface{Add{std::move(first), std::move(second)}});
}

MaterialRef material(std::string name, SurfaceRef surface, SurfaceRef volume,
                     bool transparent_shadows) {
    require_surfaces("Material", surface, surface);
    require_nesting(*surface, name);
    if (volume) {
        require_nesting(*volume, name);
    }
    require_material(name, volume && varies(*volume));
    return std::make_shared<const Material>(
        Material{std::move(name), std::move(surface), transparent_shadows, std::move(volume)});
}

bool is_transparent(const Surface& surface) {
    bool found = false;
    for_each_closure(surface, [&](const Closure& closure) {
        const Value* const alpha = closure.find("alpha");
        const auto* const number = alpha == nullptr ? nullptr : std::get_if<double>(&plain(*alpha));
        const bool is_whole = alpha == nullptr || (number != nullptr && *number >= 1);
        found |= closure.kind == "transparent" || (closure.kind == "principled" && !is_whole);
    });
    return found;
}

bool is_emissive(const Closure& closure) {
    const ClosureSpec& spec = *find_closure(closure.kind);
    return !spec.emission.empty() && (spec.structure.empty() || closure.has("emission_strength"));
}

bool has_subsurface(const Closure& closure) {
    return closure.kind == "subsurface" || closure.has("subsurface_weight");
}

std::size_t count_subsurface(const Surface& surface) {
    std::size_t count = 0;
    for_each_closure(surface, [&](const Closure& closure) {
        count += static_cast<std::size_t>(has_subsurface(closure));
    });
    return count;
}

bool is_boundary(const Material& material) {
    const auto* const closure = std::get_if<Closure>(&material.surface->node);
    if (!material.volume || closure == nullptr || closure->kind != "transparent") {
        return false;
    }
    const Value* const color = closure->find("color");
    if (color == nullptr) {
        return true;
    }
    if (const auto* const number = std::get_if<double>(&plain(*color))) {
        return *number == 1;
    }
    const auto* const numbers = std::get_if<Numbers>(&plain(*color));
    return numbers != nullptr &&
           std::ranges::all_of(*numbers, [](double number) { return number == 1; });
}

bool varies(const Surface& volume) {
    bool found = false;
    Walk().over(volume,
                [&](const Value& value) { found = found || std::visit(IsOfSurface{}, value); });
    return found;
}

std::vector<std::shared_ptr<const Texture>> textures_of(std::span<const MaterialRef> materials) {
    std::vector<std::shared_ptr<const Texture>> textures;
    Walk walk;
    const auto note = [&](const Value& value) {
        if (const auto* const texture = std::get_if<std::shared_ptr<Texture>>(&value)) {
            textures.push_back(*texture);
        }
    };
    for (const MaterialRef& material : materials) {
        walk.over(*material->surface, note);
        if (material->volume) {
            walk.over(*material->volume, note);
        }
    }
    return textures;
}

} // namespace weft::scene
