// SPDX-License-Identifier: Apache-2.0
#include "python/bind_faults.hpp"

#include "core/error.hpp"
#include "core/fault.hpp"

#include <string>

namespace weft::python {

namespace {

core::FaultKind parse_kind(const std::string& name) {
    if (!core::faults_are_on()) {
        throw core::ArgumentError(
            "_arm_fault: expected WEFT_TEST_FAULTS=1 when the process began; this is for tests");
    }
    if (name == "driver") {
        return core::FaultKind::driver;
    }
    if (name == "file") {
        return core::FaultKind::file;
    }
    if (name == "process") {
        return core::FaultKind::process;
    }
    throw core::ArgumentError("_arm_fault: kind must be 'driver', 'file' or 'process', got '" +
                              name + "'");
}

} // namespace

void bind_faults(pybind11::module_& module) {
    module.def(
        "_arm_fault",
        [](const std::string& kind, std::uint64_t number) {
            core::arm_fault(parse_kind(kind), number);
        },
        "For tests: lets the number-th call of a kind from now on fail; 0: none.");
    module.def(
        "_counted_calls",
        [](const std::string& kind) { return core::counted_calls(parse_kind(kind)); },
        "For tests: calls of a kind since _arm_fault().");
}

} // namespace weft::python
