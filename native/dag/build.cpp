// SPDX-License-Identifier: Apache-2.0
#include "dag/build.hpp"

#include "dag/flow.hpp"

namespace weft::dag {

Function build(const SpirvModule& module, const BuildOptions& options) {
    Function function;
    Flow(module, function, options).run();
    return function;
}

} // namespace weft::dag
