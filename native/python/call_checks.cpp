// SPDX-License-Identifier: Apache-2.0
#include "python/call_checks.hpp"

#include "python/bind_error.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"

namespace weft::python {

void report_wrong_gradients(const FunctionObject& self, const Session& session) {
    dispatch::GradientChecker& checker = *session.gradient_checker;
    if (!checker.has_failed() || !session.check_gradients || !self.module->has_gradient_check()) {
        return;
    }
    const bool is_derivative = self.function->options().derivative == codegen::Derivative::backward;
    if (const auto message =
            checker.find_failure(*self.module, self.function->name(), is_derivative)) {
        throw_wrong_gradient(*message);
    }
}

void begin_gradient_check(const FunctionObject& self, Session& session,
                          const dispatch::Function& function,
                          const std::shared_ptr<const dispatch::LaunchPlan>& plan,
                          const dispatch::ArgumentList& arguments) {
    if (!plan->wants_check.load(std::memory_order_relaxed) || !session.check_gradients ||
        !plan->wants_check.exchange(false)) {
        return;
    }
    end_checks_with_interpreter(session);
    const Unlocked unlocked;
    session.gradient_checker->begin(self.module, function.name(), function.options(), plan,
                                    arguments, interrupt_poll());
}

void require_no_index_faults(const dispatch::LaunchPlan& plan, const dispatch::CallState& state,
                             const dispatch::ArgumentList& arguments, device::Device& device) {
    {
        const Unlocked unlocked;
        device.wait(interrupt_poll());
    }
    plan.index_faults->require_none(plan, state, arguments);
}

} // namespace weft::python
