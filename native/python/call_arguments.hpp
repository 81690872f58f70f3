// SPDX-License-Identifier: Apache-2.0
// Python values to dispatch::ArgumentList. Reused for every call: a call with tensors and numbers
// creates no Python object and allocates nothing.
#pragma once

#include "dispatch/function.hpp"
#include "dispatch/plan.hpp"
#include "python/generators.hpp"
#include "python/session.hpp"
#include "tensor/dlpack.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::python {

/// A str of Python, while it lives.
[[nodiscard]] std::string_view utf8(PyObject* text);

/// Native types that the parser recognises by pointer, looked up once a session.
struct KnownTypes {
    PyTypeObject* tensor = nullptr;
    PyTypeObject* grid = nullptr;
    PyTypeObject* call_id = nullptr;
    PyTypeObject* thread_id = nullptr;
    PyTypeObject* rand_float = nullptr;
    PyTypeObject* wang_hash = nullptr;
    PyTypeObject* value_ref = nullptr;
    PyTypeObject* diff_pair = nullptr;
    PyTypeObject* storage = nullptr;

    [[nodiscard]] static KnownTypes find();
};

struct TorchMemory;

/// The tensors of torch among the arguments of a call.
struct TorchArguments {
    std::vector<std::pair<std::uint32_t, PyObject*>>
        tensors; ///< with their nodes; the caller holds them
    std::vector<std::pair<std::uint32_t, PyObject*>>
        widened; ///< nodes of bfloat16 and the tensors of float32 that are passed instead
    std::vector<std::pair<const tensor::ArrayLayout*, PyObject*>>
        lent;                      ///< those used as they lie, with their layouts
    PyObject* on_host = nullptr;   ///< the first on the CPU that has dimensions
    PyObject* on_device = nullptr; ///< the first on a GPU
    bool has_number = false;       ///< one on the CPU has no dimensions
    std::uint64_t stream = 0;      ///< torch's current CUstream there; 0: the default one
    bool knows_stream = false;
    std::optional<bool>
        is_followed; ///< torch.func, forward mode or a trace follows; unknown without tensors
    bool may_track = false;    ///< torch may be told of the call
    bool is_tracked = false;   ///< it has to be told: nothing else here counts
    bool runs_at_once = false; ///< the call is not recorded for later
    dispatch::Role role = dispatch::Role::positional; ///< of the argument being read

    /// What is passed instead of the tensor of a node, or null.
    [[nodiscard]] PyObject* wide(std::uint32_t node) const noexcept {
        const auto found =
            std::ranges::find(widened, node, &std::pair<std::uint32_t, PyObject*>::first);
        return found == widened.end() ? nullptr : found->second;
    }
};

class CallArguments {
public:
    CallArguments(const KnownTypes& types, std::shared_ptr<Session> session)
        : m_types(types), m_session(std::move(session)) {}

    void clear() noexcept;
    /// The function, for messages; it must live until clear().
    void set_function(dispatch::Function& function) noexcept {
        m_callee = &function;
        m_function = function.name();
    }
    /// Appends one argument and its subtree. @throws ArgumentError{type} for a value of an unknown kind.
    void add(dispatch::Role role, PyObject* value, std::string_view name);
    const dispatch::ArgumentList& list() const noexcept { return m_list; }
    /// After the plan is known, before the launch. See dispatch::ArgumentList.
    void replace_names(std::span<const dispatch::NamedNumbers> named) {
        m_list.replace_names(named);
    }
    /// @throws ArgumentError if the plan writes memory of another library that is read-only.
    void require_writable(const dispatch::LaunchPlan& plan) const;
    [[nodiscard]] const TorchArguments& torch() const noexcept { return m_torch; }
    /// To be said before the first argument: torch may be told of the call.
    void allow_tracking() noexcept { m_torch.may_track = true; }
    /// Likewise: the call is not recorded for later, so that it may borrow memory of torch.
    void allow_lending() noexcept { m_torch.runs_at_once = true; }
    /// Tells torch which of its tensors the plan wrote. After the launch.
    void note_torch_writes(const dispatch::LaunchPlan& plan) const;
    /// Objects with get_this()/update_this() that were passed.
    std::span<const pybind11::object> instances() const noexcept { return m_instances; }
    /// The ValueRef behind a node, or null.
    [[nodiscard]] pybind11::handle value_ref(std::uint32_t node) const noexcept;

private:
    void add_value(PyObject* value, std::string_view name);
    bool add_number(PyObject* value, std::string_view name);
    bool add_native(PyObject* value, std::string_view name);
    void add_pair(PyObject* value, std::string_view name);
    bool add_generator(PyObject* value, std::string_view name);
    void add_grid(const Grid& grid, std::string_view name);
    void add_storage(PyObject* value, std::string_view name);
    void add_name(PyObject* value, std::string_view name);
    void add_sequence(PyObject* value, std::string_view name);
    void add_structures(PyObject* value, std::string_view name);
    void add_mapping(PyObject* value, std::string_view name);
    void add_foreign(pybind11::handle object, std::string_view name);
    void add_torch(PyObject* value, std::string_view name);
    void add_torch_list(PyObject* value, std::string_view name);
    void add_torch_memory(PyObject* value, std::string_view name, std::string write_refusal);
    /// False: the tensor goes the long way, whose errors say what is wrong.
    bool add_torch_in_place(PyObject* value, std::string_view name);
    void find_stream();
    /// False: the tensor lies on another GPU, or torch does not show it.
    bool add_lent(PyObject* value, std::string_view name);
    void require_own_gpu(const tensor::dlpack::Device& place, std::string_view name) const;
    void add_torch_device_memory(pybind11::handle tensor, const tensor::dlpack::Device& place,
                                 std::string_view name, std::string write_refusal);
    void add_torch_beside_vulkan(pybind11::handle tensor, const TorchMemory& memory,
                                 std::string_view name, std::string write_refusal);
    void require_one_place(PyObject* tensor, bool is_on_host, std::string_view name);
    void add_object(PyObject* value, std::string_view name);
    bool add_array(PyObject* value, std::string_view name);
    void add_structured(const pybind11::array& array, std::string_view name);
    bool add_numpy_scalar(PyObject* value, std::string_view name);
    bool add_record(PyObject* value, std::string_view name);
    dispatch::Node& push(dispatch::NodeKind kind, std::string_view name);
    dispatch::Node& push_generator(dispatch::NodeKind kind, std::int64_t dims,
                                   std::string_view name);
    void push_grid(std::span<const std::int64_t> shape, std::string_view name);
    /// `value`, which lives until clear(): code of the caller that runs meanwhile may drop it.
    PyObject* keep(PyObject* value);
    /// @throws ArgumentError if the value being read lies too deep.
    void require_depth(std::string_view name) const;
    void add_index(PyObject* value, std::string_view name);

    /// The parameters that the argument being read may be for: of each overload one at most.
    [[nodiscard]] std::vector<reflect::Parameter> candidates(std::string_view name) const;
    /// "; parameter 'p' is P: ..." for the argument being read, "" if the overloads do not tell.
    [[nodiscard]] std::string expectation(std::string_view name) const;
    /// "f: argument 'x'" or "f: argument 2".
    [[nodiscard]] std::string label(std::string_view name) const;

    KnownTypes m_types;
    std::string_view m_function;
    dispatch::Function* m_callee = nullptr;
    int m_depth = 0;                    ///< of the value being read
    std::shared_ptr<Session> m_session; ///< whose device takes foreign arrays
    dispatch::ArgumentList m_list;
    std::vector<std::unique_ptr<dispatch::HostArray>> m_arrays;
    std::vector<pybind11::object> m_kept;    ///< temporaries that nodes point into
    std::vector<tensor::TensorRef> m_shared; ///< likewise: memory of torch on a GPU
    std::vector<std::pair<std::uint32_t, std::string>>
        m_locked; ///< nodes of shared memory that is not to be written, and why
    std::vector<pybind11::object> m_instances;
    std::vector<std::pair<std::uint32_t, PyObject*>>
        m_value_refs; ///< by node; the caller holds them
    TorchArguments m_torch;
    tensor::DlpackLayouts m_layouts; ///< of all calls
};

/// The C++ object behind an instance of a class bound with a simple holder; no type check.
/// @throws ArgumentError{type} if no __init__ has made it.
template <typename T>
T& native_value(PyObject* object) {
    auto* instance = reinterpret_cast<pybind11::detail::instance*>(object);
    if (!instance->simple_layout || instance->simple_value_holder[0] == nullptr) [[unlikely]] {
        return pybind11::handle(object).cast<T&>();
    }
    return *static_cast<T*>(instance->simple_value_holder[0]);
}

} // namespace weft::python
