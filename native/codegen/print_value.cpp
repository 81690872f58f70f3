// SPDX-License-Identifier: Apache-2.0
#include "codegen/print_value.hpp"

#include "codegen/leaves.hpp"
#include "codegen/names.hpp"
#include "codegen/print_cache.hpp"
#include "codegen/print_group.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "reflect/differential.hpp"

namespace weft::codegen {

using core::text;
using reflect::ScalarKind;

namespace {

std::int64_t component_count(const Memory& memory) {
    std::int64_t count = 1;
    for (const std::int64_t extent : memory.component_shape) {
        count *= extent;
    }
    return count;
}

std::string from_word(ScalarKind kind, const std::string& word) {
    switch (kind) {
    case ScalarKind::float32: return "asfloat(" + word + ")";
    case ScalarKind::int32: return "asint(" + word + ")";
    default: return word;
    }
}

std::string to_word(ScalarKind kind, const std::string& value) {
    return kind == ScalarKind::uint32 ? value : "asuint(" + value + ")";
}

/// `expression` of kind `from` as an expression of kind `to`.
std::string convert(ScalarKind to, ScalarKind from, const std::string& expression) {
    if (to == from) {
        return expression;
    }
    if (to == ScalarKind::bool_) {
        return "(" + expression + " != 0)";
    }
    return text(slang_name(to), "(", expression, ")");
}

/// Assigns a scalar to `name` + leaf path, through the enumeration if it is one.
std::string assignment(const std::string& name, const ScalarLeaf& leaf, const std::string& value) {
    const std::string cast =
        leaf.enumeration.empty() ? value : leaf.enumeration + "(" + value + ")";
    return name + leaf.path + " = " + cast + ";";
}

std::string scalar_of(const std::string& name, const ScalarLeaf& leaf) {
    const std::string value = name + leaf.path;
    return leaf.enumeration.empty() ? value : text(slang_name(leaf.kind), "(", value, ")");
}

/// Memory leaves of one component: their kinds in order.
std::vector<ScalarLeaf> memory_leaves(const Memory& memory) {
    auto leaves = scalar_leaves(*memory.leaf);
    if (!leaves) {
        throw core::InternalError("print: memory of type '" + memory.leaf->full_name +
                                  "' has no scalars");
    }
    return *leaves;
}

/// Loaded before the call, or stored after it: somewhere else than in memory meanwhile.
bool is_in_registers(const Memory& memory) {
    return memory.is_wide || memory.is_ahead || memory.stage >= 0 || memory.tile >= 0;
}

bool is_structure_pointer(const Memory& memory) {
    return !memory.is_words && memory.leaf->kind == reflect::TypeKind::structure;
}

std::vector<ScalarLeaf> value_leaves(const Operand& operand) {
    auto leaves = scalar_leaves(*operand.type);
    if (!leaves) {
        throw core::InternalError("print: type '" + operand.type->full_name + "' has no scalars");
    }
    return *leaves;
}

} // namespace

std::string part_path(const Operand& composite, std::size_t index) {
    return composite.type->kind == reflect::TypeKind::array
               ? text("[", index, "]")
               : text(".", composite.field_names[index]);
}

void SourceWriter::line(const std::string& text) {
    m_text.append(static_cast<std::size_t>(m_depth) * 4, ' ').append(text).append("\n");
}

void SourceWriter::open(const std::string& text) {
    line(text + " {");
    ++m_depth;
}

void SourceWriter::close() {
    --m_depth;
    line("}");
}

ScalarKind pointer_kind(ScalarKind kind) {
    return kind == ScalarKind::bool_ ? ScalarKind::uint8 : kind;
}

std::int64_t words_per_value(const Memory& memory) {
    return component_count(memory) * *word_count(*memory.leaf);
}

std::string ValuePrinter::argument(const std::string& field) const {
    return (m_kernel.arguments_by_address ? "weft_arguments->" : "weft_arguments.") + field;
}

std::string ValuePrinter::index_type() const {
    return m_kernel.is_index64 ? "uint64_t" : "uint";
}

std::string ValuePrinter::signed_index_type() const {
    return m_kernel.is_index64 ? "int64_t" : "int";
}

/// Offset of the value in leaves.
std::string ValuePrinter::offset_expression(const Operand& operand) const {
    const Memory& memory = operand.memory;
    const std::string type = signed_index_type();
    if (memory.is_uniform) {
        return type + "(0)";
    }
    if (memory.is_linear) {
        const std::int64_t components = component_count(memory);
        return components == 1 ? type + "(weft_index)" : text(type, "(weft_index) * ", components);
    }
    std::string sum;
    for (std::size_t i = 0; i < memory.call_strides.size(); ++i) {
        if (memory.call_strides[i] == 0) {
            continue;
        }
        sum += sum.empty() ? "" : " + ";
        sum += text(type, "(weft_c", i, ")");
        if (memory.call_strides[i] != 1) {
            sum += " * " + argument(call_stride_field(operand, i));
        }
    }
    return sum;
}

void ValuePrinter::declare_offset(const Operand& operand) {
    m_out.line(text("const ", signed_index_type(), " ", operand.name,
                    "_at = ", offset_expression(operand), ";"));
}

/// Index of number `within` (of `unit`) inside component `component`.
std::string ValuePrinter::component_expression(const Operand& operand, std::int64_t component,
                                               std::int64_t unit, std::int64_t within) const {
    const Memory& memory = operand.memory;
    const std::string at = operand.name + "_at";
    const std::string scaled = unit == 1 ? at : text(at, " * ", unit);
    if (memory.is_packed) {
        const std::int64_t constant = component * unit + within;
        return constant == 0 ? scaled : text(scaled, " + ", constant);
    }
    std::string inner = at;
    std::int64_t rest = component;
    for (std::size_t i = memory.component_shape.size(); i-- > 0;) {
        const std::int64_t coordinate = rest % memory.component_shape[i];
        rest /= memory.component_shape[i];
        if (coordinate != 0) {
            inner += text(" + ", coordinate, " * ", argument(component_stride_field(operand, i)));
        }
    }
    return unit == 1 ? inner : text("(", inner, ") * ", unit, " + ", within);
}

std::string ValuePrinter::memory_expression(const Operand& operand) const {
    return operand.memory.binding >= 0 ? operand.name + "_storage"
                                       : argument(address_field(operand));
}

std::string ValuePrinter::scalar_address(const Operand& operand, std::int64_t index) const {
    const auto leaves = memory_leaves(operand.memory);
    const auto unit = static_cast<std::int64_t>(leaves.size());
    if (is_structure_pointer(operand.memory)) {
        return text("uint64_t(", memory_expression(operand), " + (",
                    component_expression(operand, index / unit, 1, 0), ")) + ",
                    leaves[static_cast<std::size_t>(index % unit)].offset);
    }
    return text(memory_expression(operand), " + (",
                component_expression(operand, index / unit, unit, index % unit), ")");
}

std::string ValuePrinter::scalar_expression(const Operand& operand, std::int64_t index,
                                            std::int64_t count, std::int64_t unit) const {
    const Memory& memory = operand.memory;
    if (memory.stage >= 0) {
        return text(stage_name(memory.stage), "[weft_place * ", count, " + ", index, "]");
    }
    if (memory.tile >= 0) {
        return text(tile_name(memory.tile), "[weft_place]");
    }
    if (memory.is_wide || memory.is_ahead) {
        const bool is_alone = m_kernel.width == 1 && !memory.is_ahead;
        const std::string lane = is_alone ? "" : text("weft_lane * ", count, " + ");
        return text(registers_name(operand), "[", lane, index, "]");
    }
    return text(memory_expression(operand), "[",
                component_expression(operand, index / unit, unit, index % unit), "]");
}

void ValuePrinter::load(const Operand& operand) {
    switch (operand.kind) {
    case OperandKind::composite: load_composite(operand); break;
    case OperandKind::uniform: load_uniform(operand); break;
    case OperandKind::element: load_element(operand); break;
    case OperandKind::tensor: load_tensor(operand); break;
    case OperandKind::pointer:
        m_out.line(text("let ", operand.name, " = (", operand.type->full_name, ")",
                        memory_expression(operand), ";"));
        break;
    case OperandKind::updated:
        load(operand.fields[0]);
        m_out.line(
            text(operand.type->full_name, " ", operand.name, " = ", operand.fields[0].name, ";"));
        load(operand.fields[1]);
        break;
    case OperandKind::literal:
        m_out.line(text(operand.type->full_name, " ", operand.name, " = ", operand.literal, ";"));
        break;
    case OperandKind::grid:
    case OperandKind::call_id: load_coordinates(operand); break;
    case OperandKind::thread_id: {
        const std::int32_t columns =
            operand.type->kind == reflect::TypeKind::scalar ? 1 : operand.type->columns;
        const std::string components[] = {"x", "xy", "xyz"};
        m_out.line(text(operand.type->full_name, " ", operand.name, " = ", operand.type->full_name,
                        "(weft_thread.", components[columns - 1], ");"));
        break;
    }
    case OperandKind::rand_float:
    case OperandKind::wang_hash: load_random(operand); break;
    case OperandKind::system_value:
        m_out.line(text(operand.type->full_name, " ", operand.name, " = ", operand.type->full_name,
                        "(", operand.semantic, ");"));
        break;
    }
}

void ValuePrinter::load_composite(const Operand& operand) {
    if (reflect::pair_value_type(*operand.type)) {
        load(operand.fields[0]);
        load(operand.fields[1]);
        m_out.line(text(operand.type->full_name, " ", operand.name, " = ", operand.type->full_name,
                        "(", operand.fields[0].name, ", ", operand.fields[1].name, ");"));
        return;
    }
    m_out.line(text(operand.type->full_name, " ", operand.name, ";"));
    for (std::size_t i = 0; i < operand.fields.size(); ++i) {
        load(operand.fields[i]);
        m_out.line(text(operand.name + part_path(operand, i), " = ", operand.fields[i].name, ";"));
    }
    if (!operand.tensor_shape.empty()) {
        load_layout(operand);
    }
}

void ValuePrinter::load_layout(const Operand& operand) {
    constexpr std::size_t kDimensions = 5; // shaders/compat/slangtorch/tensor_view.slang
    for (std::size_t i = 0; i < kDimensions; ++i) {
        const bool is_given = i < operand.tensor_shape.size();
        m_out.line(text(operand.name, ".sizes[", i,
                        "] = ", is_given ? argument(extent_field(operand, i)) : "1", ";"));
        m_out.line(text(operand.name, ".strides[", i,
                        "] = ", is_given ? argument(tensor_stride_field(operand, i)) : "0", ";"));
    }
    m_out.line(text(operand.name, ".rank = ", operand.tensor_shape.size(), ";"));
}

void ValuePrinter::load_uniform(const Operand& operand) {
    m_out.line(text(operand.type->full_name, " ", operand.name, ";"));
    const auto leaves = value_leaves(operand);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const std::string value = convert(leaves[i].kind, stored_kind(leaves[i].kind),
                                          argument(scalar_field(operand, i)));
        m_out.line(assignment(operand.name, leaves[i], value));
    }
}

void ValuePrinter::load_element(const Operand& operand) {
    const Memory& memory = operand.memory;
    if (!operand.reads) {
        m_out.line(text(operand.type->full_name, " ", operand.name, " = {};"));
        return;
    }
    if (!is_in_registers(memory)) {
        declare_offset(operand);
    }
    m_out.line(text(operand.type->full_name, " ", operand.name, ";"));
    if (is_structure_pointer(memory)) {
        load_structures(operand, false);
        return;
    }
    const auto values = value_leaves(operand);
    const auto leaves = memory_leaves(memory);
    const auto unit = static_cast<std::int64_t>(leaves.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        const ScalarKind kind = leaves[i % leaves.size()].kind;
        const std::string at =
            scalar_expression(operand, index, static_cast<std::int64_t>(values.size()), unit);
        const std::string raw = memory.is_words ? from_word(kind, at) : at;
        m_out.line(
            assignment(operand.name, values[i], convert(values[i].kind, pointer_kind(kind), raw)));
    }
}

void ValuePrinter::load_structures(const Operand& operand, bool is_store) {
    const Memory& memory = operand.memory;
    for (std::int64_t component = 0; component < component_count(memory); ++component) {
        std::string path;
        std::int64_t rest = component;
        for (std::size_t i = memory.component_shape.size(); i-- > 0;) {
            path.insert(0, text("[", rest % memory.component_shape[i], "]"));
            rest /= memory.component_shape[i];
        }
        const std::string at = text(memory_expression(operand), "[",
                                    component_expression(operand, component, 1, 0), "]");
        const std::string value = operand.name + path;
        m_out.line(is_store ? text(at, " = ", value, ";") : text(value, " = ", at, ";"));
    }
}

void ValuePrinter::load_tensor(const Operand& operand) {
    std::string extents;
    std::string strides;
    const std::size_t rank = operand.tensor_shape.size();
    for (std::size_t i = 0; i < rank; ++i) {
        const char* separator = i == 0 ? "" : ", ";
        extents += separator + text("uint(", argument(extent_field(operand, i)), ")");
        strides += separator + argument(tensor_stride_field(operand, i));
    }
    std::string address = memory_expression(operand);
    if (!operand.memory.is_uniform) {
        address += " + (" + offset_expression(operand) + ")";
    }
    const std::string& name = operand.name;
    const std::string element = operand.type->element->full_name;
    m_out.line(text("uint ", name, "_shape[", rank, "] = {", extents, "};"));
    m_out.line(text("int64_t ", name, "_strides[", rank, "] = {", strides, "};"));
    const std::string tail = text(", ", name, "_shape, ", name, "_strides)");
    std::string parts = text("(", element, "*)(", address, ")", tail);
    const Memory* const summed =
        operand.gradient_out.empty() ? nullptr : &operand.gradient_out.front().memory;
    if (summed != nullptr && (summed->table >= 0 || summed->cache >= 0)) {
        const Operand& gradient = operand.gradient_out.front();
        const std::string sums =
            summed->table >= 0 ? table_name(summed->table) : cache_name(summed->cache);
        const std::string type = text("GroupDiffTensor<", element, ", ", rank, ", ", sums, ">");
        declare_gradient_strides(gradient);
        m_out.line(text(type, " ", name, " = ", type, "(", operand.primal_type, "(", parts, ", ",
                        gradient.name, "_strides);"));
        return;
    }
    if (!operand.gradient_parts.empty()) {
        parts = text(operand.primal_type, "(", parts);
        for (const std::string& part : operand.gradient_parts) {
            const char* const of = part == "AtomicTensor" ? ".Differential, " : ", ";
            parts +=
                text(", ", part, "<", element, of, rank, ">(", gradient_part(operand, part, tail));
        }
        parts += ")";
    }
    m_out.line(text(operand.tensor_type, " ", name, " = ", operand.tensor_type, "(", parts, ";"));
}

void ValuePrinter::declare_gradient_strides(const Operand& gradient) {
    std::string strides;
    for (std::size_t i = 0; i < gradient.tensor_strides.size(); ++i) {
        strides += (i == 0 ? "" : ", ") + argument(tensor_stride_field(gradient, i));
    }
    m_out.line(text("int64_t ", gradient.name, "_strides[", gradient.tensor_strides.size(), "] = {",
                    strides, "};"));
}

/// Arguments of the constructor of one gradient part. An absent gradient is a null part: it reads zero and drops
/// what is added.
std::string ValuePrinter::gradient_part(const Operand& operand, const std::string& part,
                                        const std::string& absent_tail) {
    const std::string differential = operand.type->element->full_name + ".Differential*)";
    const bool is_given = part == "GradientTensor";
    const auto& gradients = is_given ? operand.gradient_in : operand.gradient_out;
    if (gradients.empty()) {
        return text("(", differential, "nullptr", absent_tail);
    }
    const Operand& gradient = gradients.front();
    declare_gradient_strides(gradient);
    std::string address = memory_expression(gradient);
    if (!gradient.memory.is_uniform) {
        address += " + (" + offset_expression(gradient) + ")";
    }
    return text("(", differential, "(", address, "), ", operand.name, "_shape, ", gradient.name,
                "_strides)");
}

void ValuePrinter::load_coordinates(const Operand& operand) {
    const std::size_t count = operand.dimensions.size();
    const bool is_vector = operand.type->kind == reflect::TypeKind::vector;
    m_out.line(text(operand.type->full_name, " ", operand.name, ";"));
    const auto leaves = value_leaves(operand);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        // Vectors count x, y, z from the innermost dimension, arrays index the dimensions in order.
        const std::size_t which = is_vector ? count - 1 - i : i;
        const bool is_wide = reflect::size_bytes(leaves[i].kind) == sizeof(std::int64_t);
        std::string value =
            text(is_wide ? "int64_t(weft_c" : "int(weft_c", operand.dimensions[which], ")");
        if (operand.kind == OperandKind::grid) {
            value += " * " + argument(scalar_field(operand, which)) + " + " +
                     argument(scalar_field(operand, count + which));
        }
        m_out.line(
            assignment(operand.name, leaves[i], text(slang_name(leaves[i].kind), "(", value, ")")));
    }
}

void ValuePrinter::load_random(const Operand& operand) {
    m_out.line(text(operand.type->full_name, " ", operand.name, ";"));
    const auto leaves = value_leaves(operand);
    const bool is_float = operand.kind == OperandKind::rand_float;
    const std::size_t settings = is_float ? 2 : 0; // before seed and warmup
    const std::string bits = operand.name + "_bits";
    m_out.line(text("uint ", bits, " = weft_random_start(uint(weft_index), ", leaves.size(), "u, ",
                    argument(scalar_field(operand, settings + 1)), ", ",
                    argument(scalar_field(operand, settings)), ");"));
    for (const auto& leaf : leaves) {
        m_out.line(text(bits, " = weft_wang_hash(", bits, ");"));
        const std::string value =
            is_float ? text("weft_rand_float(", bits, ", ", argument(scalar_field(operand, 0)),
                            ", ", argument(scalar_field(operand, 1)), ")")
                     : bits;
        m_out.line(assignment(operand.name, leaf, text(slang_name(leaf.kind), "(", value, ")")));
    }
}

void ValuePrinter::store(const Operand& operand) {
    if (!operand.writes) {
        return;
    }
    if (operand.kind == OperandKind::composite) {
        for (std::size_t i = 0; i < operand.fields.size(); ++i) {
            m_out.line(
                text(operand.fields[i].name, " = ", operand.name + part_path(operand, i), ";"));
            store(operand.fields[i]);
        }
    } else if (operand.kind == OperandKind::updated) {
        m_out.line(text(operand.fields[1].name, " = ", operand.name, ";"));
        store(operand.fields[1]);
    } else if (operand.kind == OperandKind::element) {
        open_effect();
        store_element(operand);
        close_effect();
    }
}

void ValuePrinter::store_element(const Operand& operand) {
    const Memory& memory = operand.memory;
    if (!is_in_registers(memory) && !operand.reads) {
        declare_offset(operand);
    }
    if (is_structure_pointer(memory)) {
        load_structures(operand, true);
        return;
    }
    const auto values = value_leaves(operand);
    const auto leaves = memory_leaves(memory);
    const auto unit = static_cast<std::int64_t>(leaves.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        const ScalarKind kind = leaves[i % leaves.size()].kind;
        const std::string value =
            convert(pointer_kind(kind), values[i].kind, scalar_of(operand.name, values[i]));
        const std::string at =
            scalar_expression(operand, index, static_cast<std::int64_t>(values.size()), unit);
        m_out.line(text(at, " = ", memory.is_words ? to_word(kind, value) : value, ";"));
    }
}

} // namespace weft::codegen
