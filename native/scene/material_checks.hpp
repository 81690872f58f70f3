// SPDX-License-Identifier: Apache-2.0
// What values of materials have to be. The makers of material_values.hpp and materials.hpp call these; so do bindings,
// whose classes hold the same facts in their language's own objects.
#pragma once

#include "scene/closures.hpp"
#include "scene/material_values.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace weft::scene {

/// `text` as Python shows it: between single quotes, or double ones if it has single ones only.
[[nodiscard]] std::string quoted_text(std::string_view text);

// In all: `shown` is what came, as the message shows it. Each throws ArgumentError.

void require_constant(std::string_view name, std::span<const double> numbers,
                      std::string_view shown);
void require_slang_call(std::string_view function, std::string_view source, std::string_view module,
                        std::int64_t size);
void require_normal_map(std::size_t color, std::size_t strength);
[[nodiscard]] NormalSpace normal_space(std::string_view name, std::string_view shown);
void require_bump(std::size_t height, std::size_t strength, std::size_t distance,
                  std::optional<std::size_t> normal);
void require_bump_step(double step, std::string_view shown);
void require_bump_filter_width(double width, std::string_view shown);

[[nodiscard]] const ClosureSpec& require_closure(std::string_view kind, std::string_view shown);
void require_option(const ClosureSpec& spec, std::string_view name, std::string_view value,
                    std::string_view shown);
void require_input(const ClosureSpec& spec, std::string_view name);
/// A text came where an input takes numbers.
[[noreturn]] void refuse_text(const ClosureSpec& spec, std::string_view name,
                              std::string_view shown);
void require_input_size(const ClosureSpec& spec, std::string_view name, std::size_t size);
void require_material(std::string_view name, bool has_varying_volume);

} // namespace weft::scene
