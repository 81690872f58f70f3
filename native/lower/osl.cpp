// SPDX-License-Identifier: Apache-2.0
#include "lower/osl.hpp"

#include "lower/osl_program.hpp"

namespace weft::lower {

std::string make_osl(const Call& call, const dag::SpirvModule& module, const OslOptions& options) {
    osl::Program program = osl::read_program(module);
    osl::settle(program);
    return osl::print_program(program, call, options.name);
}

} // namespace weft::lower
