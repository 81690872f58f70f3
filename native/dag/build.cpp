// SPDX-License-Identifier: Apache-2.0
#include "dag/build.hpp"

#include "dag/flow.hpp"

namespace weft::dag {

namespace {

constexpr std::uint32_t kComponentsOfNamed = 4;

} // namespace

Function build(const SpirvModule& module, const BuildOptions& options) {
    Function function;
    function.first_named = options.reals;
    function.files = module.files;
    try {
        Flow(module, function, options).run();
    } catch (const core::ArgumentError& error) {
        refuse_at(error, function.graph.position(), function.files);
    }
    if (!function.named.empty()) {
        const auto named = static_cast<std::uint32_t>(function.named.size());
        function.reals = function.first_named + kComponentsOfNamed * named;
    }
    return function;
}

} // namespace weft::dag
