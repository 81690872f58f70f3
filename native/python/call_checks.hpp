// SPDX-License-Identifier: Apache-2.0
// What calls do for checks: of gradients (dispatch/gradient_checker.hpp) and of indices (dispatch/index_faults.hpp). Under
// the interpreter lock.
#pragma once

#include "python/bind_function.hpp"
#include "python/session.hpp"

#include <memory>

namespace weft::python {

/// Reports what a check of the function's gradients found, before anything runs.
/// @throws GradientError
void report_wrong_gradients(const FunctionObject& self, const Session& session);

/// Keeps a few elements of the call and begins the check of its gradients, if its plan wants one.
void begin_gradient_check(const FunctionObject& self, Session& session,
                          const dispatch::Function& function,
                          const std::shared_ptr<const dispatch::LaunchPlan>& plan,
                          const dispatch::ArgumentList& arguments);

/// Waits for a call whose plan looks at its indices.
/// @throws ArgumentError{index}
void require_no_index_faults(const dispatch::LaunchPlan& plan, const dispatch::CallState& state,
                             const dispatch::ArgumentList& arguments, device::Device& device);

} // namespace weft::python
