// SPDX-License-Identifier: Apache-2.0
#include "python/torch_backward.hpp"

#include "python/call_function.hpp"
#include "python/torch_bridge.hpp"
#include "python/torch_memory.hpp"

namespace weft::python {

namespace py = pybind11;
using tensor::Tensor;
using tensor::TensorRef;

namespace {

/// The tensors of a backward call, with those that it adds to.
class Operands {
public:
    Operands(device::Device& device, const TorchBackward& backward)
        : m_device(device), m_backward(backward), m_made(backward.values.size()),
          m_gradients(backward.values.size()) {}

    /// Null if the tensor is none that can be lent.
    py::object value(std::size_t index) {
        py::object& made = m_made[index];
        if (made) {
            return made;
        }
        const py::handle tensor = m_backward.values[index];
        TensorRef lent = lend_torch_tensor(m_device, tensor);
        if (lent && m_backward.needs[index].ptr() == Py_True) {
            m_gradients[index] = TorchBridge::get().zeros_like(tensor.ptr());
            lent = Tensor::with_gradients(lent, nullptr,
                                          lend_torch_tensor(m_device, m_gradients[index]));
        }
        return lent ? made = py::cast(lent) : py::object();
    }

    /// Room for the result, which the derivative writes as well, with its gradient; null as above.
    py::object result() const {
        const TensorRef cotangent = lend_torch_tensor(m_device, m_backward.cotangent);
        if (!cotangent) {
            return {};
        }
        const py::object room = TorchBridge::get().empty_like(m_backward.cotangent.ptr());
        return py::cast(
            Tensor::with_gradients(lend_torch_tensor(m_device, room), cotangent, nullptr));
    }

    py::tuple gradients() const {
        py::tuple found(m_gradients.size());
        for (std::size_t i = 0; i < m_gradients.size(); ++i) {
            found[i] = m_gradients[i] ? m_gradients[i] : py::none();
        }
        return found;
    }

private:
    device::Device& m_device;
    const TorchBackward& m_backward;
    std::vector<py::object> m_made;
    std::vector<py::object> m_gradients;
};

} // namespace

std::optional<py::tuple> run_torch_backward(const TorchBackward& backward) {
    const auto& self = native_value<FunctionObject>(backward.function.ptr());
    Operands operands(*self.module->context().device, backward);
    std::vector<py::object> kept;
    for (std::size_t i = 0; i < backward.places.size(); ++i) {
        const std::int64_t place = backward.places[i];
        kept.push_back(place < 0 ? py::object(backward.numbers[i])
                                 : operands.value(static_cast<std::size_t>(place)));
    }
    kept.push_back(operands.result());
    std::vector<PyObject*> stack;
    for (const py::object& each : kept) {
        if (!each) {
            return std::nullopt;
        }
        stack.push_back(each.ptr());
    }
    stack.push_back(Py_True); // of the second name, if it is there
    py::tuple names = py::make_tuple("_result");
    if (backward.is_deterministic) {
        names = py::make_tuple("_result", "deterministic");
    }
    static_cast<void>(call(self, {stack.data(), backward.places.size(), names.ptr()},
                           backward.function.ptr(), nullptr));
    return operands.gradients();
}

} // namespace weft::python
