// SPDX-License-Identifier: Apache-2.0
#include "core/text.hpp"
#include "python/value_ref.hpp"

namespace weft::python {

namespace py = pybind11;

namespace {

// Python bounds how deep texts of objects nest by the memory of its own frames: too late for the stack.
constexpr int kDeepest = 16;
thread_local int g_depth = 0;

class DepthGuard {
public:
    DepthGuard() { ++g_depth; }
    ~DepthGuard() { --g_depth; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;
};

/// The reference behind an object of the class itself; null for others, and for one that no __init__ has made.
ValueRef* try_value_ref(PyObject* object) noexcept {
    if (!py::type::handle_of(object).is(py::detail::get_type_handle(typeid(ValueRef), false))) {
        return nullptr;
    }
    auto* const instance = reinterpret_cast<py::detail::instance*>(object);
    return instance->simple_layout ? static_cast<ValueRef*>(instance->simple_value_holder[0])
                                   : nullptr;
}

std::string represent(const ValueRef& self) {
    if (g_depth >= kDeepest) {
        return "ValueRef(...)"; // it may hold itself
    }
    const DepthGuard guard;
    return core::text("ValueRef(", py::str(self.value).cast<std::string>(), ")");
}

} // namespace

ValueRef::~ValueRef() {
    py::object next = std::move(value);
    while (next && next.ref_count() == 1) {
        ValueRef* const inner = try_value_ref(next.ptr());
        if (inner == nullptr) {
            return;
        }
        next = std::move(inner->value); // and then ends `inner`, which holds nothing
    }
}

void bind_value_ref(py::module_& module) {
    py::class_<ValueRef>(module, "ValueRef",
                         "A host value that an out or inout parameter replaces.")
        .def(py::init<py::object>(), py::arg("value"))
        .def_readwrite("value", &ValueRef::value)
        .def("__repr__", &represent);
}

} // namespace weft::python
