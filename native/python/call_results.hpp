// SPDX-License-Identifier: Apache-2.0
// What a call gives back to Python besides exceptions.
#pragma once

#include "dispatch/function.hpp"
#include "dispatch/options.hpp"
#include "python/call_arguments.hpp"
#include "python/result_memory.hpp"

#include <pybind11/pybind11.h>
#include <set>
#include <string>

namespace weft::python {

/// The return value: nothing, one value, or a tuple; outputs that replace a ValueRef go there.
/// @param memory where the launch could put results, or null.
[[nodiscard]] pybind11::object collect_results(const dispatch::LaunchPlan& plan,
                                               const dispatch::CallState& state,
                                               const CallArguments& arguments,
                                               dispatch::ReturnKind kind,
                                               const ResultMemory* memory);

/// Tells objects with update_this() what the call made of them.
void update_instances(const CallArguments& arguments);

/// Waits for the call and looks at all that it wrote. @throws weft.NonFiniteError naming the first value that is NaN or
/// infinity.
void require_finite(const dispatch::LaunchPlan& plan, const dispatch::CallState& state,
                    const CallArguments& arguments, const dispatch::Function& function);

/// Shows those warnings of the plan that are not in `shown`, and adds them to it.
void show_warnings(const dispatch::LaunchPlan& plan, std::set<std::string>& shown);

} // namespace weft::python
