// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/spirv_uniforms.hpp"

#include "device/vulkan/spirv.hpp"
#include "device/vulkan/spirv_blocks.hpp"

#include <algorithm>
#include <unordered_map>

namespace weft::device::vulkan {
namespace {

constexpr std::uint32_t kUniform = 2;   // the storage class
constexpr std::uint32_t kWideBits = 32; // of numbers that the driver reads rightly
constexpr std::size_t kFirstIndex = 3;  // operand of OpAccessChain

/// A member of a uniform buffer.
struct Member {
    std::uint32_t structure = 0; ///< 0: unknown
    std::uint32_t number = 0;
};

/// Follows what comes from narrow vectors of uniform buffers through instructions and variables.
class NarrowUniforms {
public:
    explicit NarrowUniforms(const SpirvModule& module) : m_module(module) {
        for (const SpirvInstruction& one : module.declarations) {
            declare(one);
        }
    }

    std::optional<std::string> find_indexed() {
        const bool is_concerned =
            std::any_of(m_blocks.begin(), m_blocks.end(),
                        [&](const auto& block) { return holds_narrow(pointee(block.first)); });
        // Again and again, because a loop may read a variable at a place before the one where it writes it.
        for (std::size_t before = ~std::size_t{0}; is_concerned && before != m_origins.size();) {
            before = m_origins.size();
            for (const SpirvInstruction& one : m_module.code) {
                visit(one);
                if (m_found) {
                    return name_of(*m_found);
                }
            }
        }
        return std::nullopt;
    }

private:
    using Operands = std::vector<std::uint32_t>;

    void declare(const SpirvInstruction& one) {
        if (one.operation >= spirv::kTypeVoid && one.operation <= spirv::kTypeFunction) {
            m_types[one.operands[0]] = &one;
        } else if (one.operation == spirv::kConstant) {
            m_constants[one.operands[1]] = one.operands[2];
        } else if (one.operation == spirv::kConstantNull) {
            m_constants[one.operands[1]] = 0;
        } else if (one.operation == spirv::kVariable) {
            m_type_of[one.operands[1]] = one.operands[0];
            if (one.operands[2] == kUniform) {
                m_blocks[one.operands[1]] = {};
            }
        }
    }

    const SpirvInstruction* type(std::uint32_t id) const {
        const auto found = m_types.find(id);
        return found == m_types.end() ? nullptr : found->second;
    }

    std::uint32_t type_of(std::uint32_t value) const {
        const auto found = m_type_of.find(value);
        return found == m_type_of.end() ? 0 : found->second;
    }

    /// The type behind a pointer, 0 if `value` is none.
    std::uint32_t pointee(std::uint32_t value) const {
        const SpirvInstruction* known = type(type_of(value));
        return known != nullptr && known->operation == spirv::kTypePointer ? known->operands[2] : 0;
    }

    bool is_narrow_vector(std::uint32_t id) const {
        const SpirvInstruction* vector = type(id);
        const SpirvInstruction* number =
            vector != nullptr && vector->operation == spirv::kTypeVector ? type(vector->operands[1])
                                                                         : nullptr;
        return number != nullptr && number->operation != spirv::kTypeBool &&
               number->operands[1] < kWideBits;
    }

    bool holds_narrow(std::uint32_t id) const {
        const SpirvInstruction* known = type(id);
        switch (known == nullptr ? 0 : known->operation) {
        case spirv::kTypeVector: return is_narrow_vector(id);
        case spirv::kTypeMatrix:
        case spirv::kTypeArray:
        case spirv::kTypeRuntimeArray: return holds_narrow(known->operands[1]);
        case spirv::kTypeStruct:
            return std::any_of(known->operands.begin() + 1, known->operands.end(),
                               [&](std::uint32_t member) { return holds_narrow(member); });
        default: return false;
        }
    }

    std::uint32_t element(std::uint32_t holder, std::uint32_t index) const {
        const SpirvInstruction* known = type(holder);
        if (known == nullptr || known->operation != spirv::kTypeStruct) {
            return known == nullptr ? 0 : known->operands[1];
        }
        const auto number = m_constants.find(index);
        return number != m_constants.end() && number->second + 1 < known->operands.size()
                   ? known->operands[number->second + 1]
                   : 0;
    }

    /// The variable that a pointer points into; of others, and of pointers into a uniform buffer, the id itself.
    std::uint32_t root(std::uint32_t id) const {
        const auto found = m_roots.find(id);
        return found == m_roots.end() ? id : found->second;
    }

    void pass_on(std::uint32_t from, std::uint32_t to) {
        const auto found = m_origins.find(root(from));
        if (found != m_origins.end()) {
            m_origins.try_emplace(root(to), found->second);
        }
    }

    bool has_result(const Operands& operands) const {
        return operands.size() > 1 && type(operands[0]) != nullptr;
    }

    void visit(const SpirvInstruction& one) {
        const Operands& operands = one.operands;
        const bool is_result = has_result(operands);
        if (is_result) {
            m_type_of[operands[1]] = operands[0];
        }
        switch (one.operation) {
        case spirv::kAccessChain:
        case spirv::kInBoundsAccessChain: visit_chain(operands); return;
        case spirv::kStore:
        case spirv::kCopyMemory: pass_on(operands[1], operands[0]); return;
        case spirv::kFunctionParameter:
        case spirv::kFunctionCall: visit_call(operands); return;
        case spirv::kVectorExtractDynamic:
            check(operands[2], type_of(operands[2]), operands[3]);
            break;
        default: break;
        }
        if (is_result) {
            pass_operands(one);
        }
    }

    /// Of a function that Slang kept apart: it may bring and take anything.
    void visit_call(const Operands& operands) {
        for (std::size_t i = 1; i < operands.size(); ++i) {
            m_origins.try_emplace(root(operands[i]));
        }
    }

    void pass_operands(const SpirvInstruction& one) {
        for (std::size_t i = 2; i < one.operands.size(); ++i) {
            if (is_value(one, i)) {
                pass_on(one.operands[i], one.operands[1]);
            }
        }
    }

    void visit_chain(const Operands& operands) {
        const std::uint32_t result = operands[1];
        const std::uint32_t base = operands[2];
        if (operands.size() <= kFirstIndex) {
            return;
        }
        std::uint32_t holder = pointee(base);
        for (std::size_t i = kFirstIndex; i + 1 < operands.size(); ++i) {
            holder = element(holder, operands[i]);
        }
        if (const auto block = m_blocks.find(base); block != m_blocks.end()) {
            const auto first = m_constants.find(operands[kFirstIndex]);
            const Member member = block->second.structure != 0 || first == m_constants.end()
                                      ? block->second
                                      : Member{pointee(base), first->second};
            m_blocks[result] = member;
            if (is_narrow_vector(holder) || holds_narrow(pointee(result))) {
                m_origins.try_emplace(result, member);
            }
        } else {
            m_roots[result] = root(base);
        }
        check(root(result), holder, operands.back());
    }

    void check(std::uint32_t source, std::uint32_t holder, std::uint32_t index) {
        const auto origin = m_origins.find(source);
        if (origin != m_origins.end() && is_narrow_vector(holder) && !m_constants.contains(index)) {
            m_found = origin->second;
        }
    }

    std::string name_of(const Member& member) const {
        for (const SpirvInstruction& one : m_module.declarations) {
            if (one.operation == spirv::kMemberName && one.operands[0] == member.structure &&
                one.operands[1] == member.number) {
                return read_literal(std::span(one.operands).subspan(2));
            }
        }
        return {};
    }

    const SpirvModule& m_module;
    std::unordered_map<std::uint32_t, const SpirvInstruction*> m_types;
    std::unordered_map<std::uint32_t, std::uint32_t> m_constants;
    std::unordered_map<std::uint32_t, std::uint32_t> m_type_of; ///< by value
    std::unordered_map<std::uint32_t, Member> m_blocks;         ///< pointers into uniform buffers
    std::unordered_map<std::uint32_t, std::uint32_t> m_roots;   ///< of pointers into variables
    std::unordered_map<std::uint32_t, Member> m_origins; ///< of what comes from narrow vectors
    std::optional<Member> m_found;
};

} // namespace

std::optional<std::string> find_indexed_narrow_uniform(const SpirvModule& module) {
    return NarrowUniforms(module).find_indexed();
}

} // namespace weft::device::vulkan
