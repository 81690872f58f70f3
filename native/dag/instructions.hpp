// SPDX-License-Identifier: Apache-2.0
// What the instructions of a block do to the values that are known.
#pragma once

#include "dag/build.hpp"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::dag {

/// The scalars of a value, in order of declaration.
using Leaves = std::vector<NodeId>;

/// Variables of the function, by id: what differs from path to path.
using Memory = std::map<Id, Leaves>;

/// Where variables are kept and results go is up to classes derived from it; here they are leaves, chosen from path to path.
/// @throws SpirvError if the instruction has not so many.
[[nodiscard]] Id operand(const Instruction& i, std::size_t index);

class Instructions {
public:
    Instructions(const SpirvModule& module, Function& function);
    virtual ~Instructions() = default;
    Instructions(const Instructions&) = delete;
    Instructions& operator=(const Instructions&) = delete;

    /// @param predicate when the instruction runs
    void run(const Instruction& instruction, NodeId predicate);

    /// @throws SpirvError if nothing has set it.
    [[nodiscard]] Leaves value(Id id);
    [[nodiscard]] NodeId scalar(Id id);
    [[nodiscard]] bool has_value(Id id) const { return m_values.contains(id); }
    void set(Id id, Leaves leaves) { m_values[id] = std::move(leaves); }
    /// For values that run() has not made: phis.
    void set_type(Id id, Id type) { m_value_types[id] = type; }
    [[nodiscard]] Leaves select(NodeId condition, const Leaves& yes, const Leaves& no);

    [[nodiscard]] Memory& memory() noexcept { return m_memory; }
    [[nodiscard]] Graph& graph() noexcept { return m_function.graph; }

    /// Fills Function::real_results and integer_results. @throws core::ArgumentError if one is missing.
    void finish();

protected:
    struct Pointer {
        Id variable = 0;
        Id type = 0;                 ///< of what it points to
        std::vector<NodeId> indices; ///< an index each
        std::string buffer;          ///< name of the memory outside that it points into
    };

    /// A variable of the function begins to exist.
    virtual void declare(Id variable, Id type, Leaves initial);
    /// Reads the part of a variable of type `type` that is at `pointer`; `result` is the instruction's.
    [[nodiscard]] virtual Leaves read_variable(const Pointer& pointer, Id type, Id result);
    virtual void write_variable(const Pointer& pointer, Id type, const Leaves& leaves);
    /// Stores element `number` of the results of a type, real or integer.
    virtual void write_result(Scalar type, std::uint32_t number, NodeId value, NodeId predicate);

    [[nodiscard]] Leaves zeros(Id id);
    [[nodiscard]] NodeId make(Op op, std::initializer_list<NodeId> arguments);

private:
    [[nodiscard]] Leaves& leaves_of_variable(Id variable);

    struct Stored {
        NodeId predicate = 0;
        NodeId value = 0;
    };
    using Stores = std::map<std::uint32_t, std::vector<Stored>>;

    /// @throws SpirvError if the value has none.
    [[nodiscard]] Id type_of_value(Id id) const;
    [[nodiscard]] Leaves constant(const SpirvConstant& constant);
    [[nodiscard]] const SpirvType& type_of(const Instruction& i) const {
        return m_module.type(i.type);
    }

    bool run_memory(const Instruction& i, NodeId predicate);
    void point(const Instruction& i);
    void load(const Instruction& i);
    /// Memory outside: a buffer by its name, or the member of the block of uniforms that holds its address.
    void load_from_outside(const Instruction& i, const Pointer& pointer);
    void store(const Instruction& i, NodeId predicate);
    [[nodiscard]] Leaves read_buffer(const Pointer& pointer);
    void write_buffer(const Pointer& pointer, const Leaves& leaves, NodeId predicate);
    [[nodiscard]] std::uint32_t element_of(const Pointer& pointer);
    [[nodiscard]] Leaves read_part(const Leaves& whole, Id type, std::span<const NodeId> indices);
    [[nodiscard]] Leaves write_part(Leaves whole, Id type, std::span<const NodeId> indices,
                                    const Leaves& value);

    bool run_composite(const Instruction& i);
    void construct(const Instruction& i);
    void select_parts(const Instruction& i);
    void extract(const Instruction& i);
    void insert(const Instruction& i);
    void shuffle(const Instruction& i);
    void extract_dynamic(const Instruction& i);
    void insert_dynamic(const Instruction& i);

    bool run_texture(const Instruction& i);
    [[nodiscard]] Leaves coordinates_of(const Instruction& i);
    void read_named(const Instruction& i, std::string_view kind);
    /// The word whose halves are two numbers.
    [[nodiscard]] Word key_of(std::span<const NodeId> halves, std::string_view reader);
    /// Level 0 of an image.
    void read_image(const Instruction& i, const std::string& name);
    void set_lookup(const Instruction& i, const Texture& texture,
                    std::span<const NodeId> coordinates);

    bool run_numbers(const Instruction& i);
    bool run_matrix(const Instruction& i);
    bool run_arithmetic(const Instruction& i);
    bool run_comparison(const Instruction& i);
    bool run_conversion(const Instruction& i);
    void run_bitcast(const Instruction& i);
    void run_extended(const Instruction& i);
    void run_scale(const Instruction& i, float factor);
    void run_step(const Instruction& i);
    void run_clamp(const Instruction& i, std::uint32_t number);
    void run_smoothstep(const Instruction& i);
    void run_geometric(const Instruction& i, std::uint32_t number);

    void map(const Instruction& i, Op op, bool swapped = false);
    void set_rounded(const Instruction& i, Leaves leaves);
    [[nodiscard]] Leaves mapped(Op op, std::span<const Leaves> arguments);
    [[nodiscard]] NodeId dot(std::span<const NodeId> a, std::span<const NodeId> b);
    /// Of a square matrix, column by column.
    [[nodiscard]] Leaves cross(const Leaves& a, const Leaves& b);
    [[nodiscard]] NodeId determinant(const Leaves& matrix);
    void check_width(const SpirvType& type) const;

    const SpirvModule& m_module;
    Function& m_function;
    std::unordered_map<Id, Leaves> m_values;
    std::unordered_map<Id, Id> m_value_types;
    std::unordered_map<Id, Pointer> m_pointers;
    std::unordered_map<Id, Id> m_images; ///< the variable of what was loaded
    Memory m_memory;
    Stores m_real_stores;
    Stores m_integer_stores;
};

} // namespace weft::dag
