// SPDX-License-Identifier: Apache-2.0
// Group-shared lines of large gradients, see passes/cache.hpp. A line is taken by the first addition that finds its slot
// free and kept until the group has made its calls; what finds another line there goes to memory by itself.
#pragma once

#include "codegen/kernel.hpp"
#include "codegen/print_value.hpp"

#include <string>

namespace weft::codegen {

/// Name of the type that adds through a cache of Kernel::caches.
[[nodiscard]] std::string cache_name(std::int32_t cache);

/// At module scope: the memory of the caches and the types that add through them.
void print_caches(const Kernel& kernel, SourceWriter& out);

/// Before the calls of a group: no line is taken, and all sums are zero.
void print_cache_begin(const Kernel& kernel, const ValuePrinter& values, SourceWriter& out);

/// After them: what the lines have collected is added to the gradients.
void print_cache_end(const Kernel& kernel, SourceWriter& out);

} // namespace weft::codegen
