// SPDX-License-Identifier: Apache-2.0
// The short way of weft.slangtorch's launches: a kernel that was launched before, with tensors of the device's memory.
// Everything else is Python's, weft/slangtorch/kernel.py, whose errors say what is wrong.
#pragma once

#include "python/module_object.hpp"

#include <cstdint>
#include <memory>
#include <pybind11/pybind11.h>
#include <vector>

namespace weft::python {

/// How an argument of a kernel, or a member of one, is read. The numbers are those of slangtorch.quick.Kind.
struct ArgumentReader {
    enum class Kind : std::uint8_t { plain, view, pair, structure };

    Kind kind = Kind::plain;
    pybind11::object name; ///< str
    pybind11::object
        nothing; ///< of a pair: the Tensor that stands for a gradient not given, or None
    std::vector<ArgumentReader> parts;
};

/// What calls of one kernel share, until its source changes.
struct ShortWay {
    std::vector<ArgumentReader> readers; ///< in the order of the parameters
    pybind11::tuple names;               ///< of the launcher's arguments: the block first
    pybind11::object module;             ///< a weft.Module
    std::uint64_t generation = 0;
    pybind11::dict launches;     ///< (blockSize, gridSize) to (launcher, block)
    pybind11::object pair_class; ///< DiffTensorView
    bool is_cuda = false;
    bool is_derivative = false; ///< gradients are read and written: each has to be given
};

/// Base of weft.slangtorch.Kernel, which has `_call`, `_bound` and `_warn`.
struct KernelObject {
    std::shared_ptr<const ShortWay> way; ///< null before the first launch
};

/// A kernel with arguments for the short way.
class BoundObject {
public:
    BoundObject(pybind11::object kernel, std::shared_ptr<const ShortWay> way)
        : m_kernel(std::move(kernel)), m_way(std::move(way)) {}
    /// Warns where a launch was forgotten.
    ~BoundObject();
    BoundObject(const BoundObject&) = delete;
    BoundObject& operator=(const BoundObject&) = delete;

    /// Reads the arguments. False: they are not for the short way.
    [[nodiscard]] bool read(PyObject* named);
    /// @throws what the long way raises for sizes and tensors that do not fit.
    void launch(PyObject* block_size, PyObject* grid_size);
    /// The same as an object of Python, which launches it then.
    [[nodiscard]] pybind11::object in_python();

private:
    [[nodiscard]] bool launch_known(PyObject* sizes) const;
    [[nodiscard]] pybind11::dict named() const;

    pybind11::object m_kernel;
    std::shared_ptr<const ShortWay> m_way;
    std::vector<pybind11::object> m_given;  ///< in the order of the parameters
    std::vector<pybind11::object> m_values; ///< of the launcher
    bool m_was_launched = false;            ///< or tried
};

} // namespace weft::python
