// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dag_support.hpp"
#include "lower/nodes.hpp"

namespace weft::lower {

struct Lowered {
    Call call;
    dag::Function function;
};

[[nodiscard]] Lowered lowered(const compile::LoadedModuleRef& module,
                              const reflect::Function& function);
/// The last function of a source.
[[nodiscard]] Lowered lowered(const char* text);

/// Compares a tree with the interpreter of DAGs at random points: reals between -4 and 4, integers between -100 and 100.
void check_tree(const Lowered& made, const NodeOptions& options);

} // namespace weft::lower
