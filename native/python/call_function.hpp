// SPDX-License-Identifier: Apache-2.0
// One call of a Slang function: from Python's values to the launch and back.
#pragma once

#include "python/bind_function.hpp"
#include "python/call_options.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace weft::python {

/// Arguments and state of one call, reused.
struct CallFrame {
    CallFrame(const KnownTypes& types, const std::shared_ptr<Session>& session)
        : arguments(types, session) {}
    CallArguments arguments;
    dispatch::CallState state;
};

struct CallPool {
    std::shared_ptr<Session> session;
    KnownTypes types = KnownTypes::find();
    ReturnKinds return_kinds{};
    std::vector<std::unique_ptr<CallFrame>> free{};
    std::set<std::string> shown_warnings{};
};

/// Takes a frame from the pool for the length of a call; nested calls get frames of their own.
class FrameLease {
public:
    explicit FrameLease(CallPool& pool) : m_pool(pool) {
        if (pool.free.empty()) {
            m_frame = std::make_unique<CallFrame>(pool.types, pool.session);
        } else {
            m_frame = std::move(pool.free.back());
            pool.free.pop_back();
        }
    }
    ~FrameLease() {
        m_frame->arguments.clear();
        m_frame->state.release();
        m_pool.free.push_back(std::move(m_frame));
    }
    FrameLease(const FrameLease&) = delete;
    FrameLease& operator=(const FrameLease&) = delete;
    CallFrame& operator*() const noexcept { return *m_frame; }

private:
    CallPool& m_pool;
    std::unique_ptr<CallFrame> m_frame;
};

/// The `_result=` argument: memory to write into, or the kind of result to return.
struct ResultRequest {
    dispatch::ReturnKind kind = dispatch::ReturnKind::automatic;
    bool has_kind = false;
    std::optional<bool> is_deterministic; ///< what the call says; else its device does
};

/// A call as vectorcall has it.
struct PythonCall {
    PyObject* const* values = nullptr; ///< positional ones, then those with names
    std::size_t positional = 0;
    PyObject* names = nullptr; ///< tuple, or null
};

[[nodiscard]] ResultRequest read_arguments(const FunctionObject& self, CallArguments& arguments,
                                           const PythonCall& call);
[[nodiscard]] std::shared_ptr<const dispatch::LaunchPlan> plan_for(dispatch::Function& function,
                                                                   const CallArguments& arguments);
/// The function with the options that the call itself names, or that its arguments ask for.
[[nodiscard]] const std::shared_ptr<dispatch::Function>&
requested_function(const FunctionObject& self, const ResultRequest& request,
                   const CallArguments& arguments);

/// Makes the call.
/// @param object the Python object of `self`, if torch may be told of the call; else null.
/// @param commands records it instead of running it; null: the device's own queue.
[[nodiscard]] pybind11::object call(const FunctionObject& self, const PythonCall& call,
                                    PyObject* object, device::CommandList* commands);

/// f.explain(...), or the generated source.
[[nodiscard]] std::string explain(const FunctionObject& self, const PythonCall& call, bool source);

} // namespace weft::python
