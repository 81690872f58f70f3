// SPDX-License-Identifier: Apache-2.0
// SPIR-V as Slang writes it for one entry point: types, constants, and blocks with their structured control flow. Numbers
// are those of the SPIR-V specification, version 1.6.
#pragma once

#include "core/error.hpp"
#include "dag/refusal.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::dag {

using Id = std::uint32_t;

/// SPIR-V that is cut short or contradicts itself: no source can cause it.
class SpirvError : public core::Error {
public:
    using Error::Error;
};

/// Instructions of this set print: unlike other non-semantic ones they are kept.
inline constexpr std::string_view kPrints = "NonSemantic.DebugPrintf";

enum class TypeKind : std::uint8_t {
    none, ///< what values cannot have: void, functions, ...
    boolean,
    integer,
    real,
    vector,
    matrix,
    array,
    structure,
    pointer,
    image,
    sampler,
    runtime_array
};

struct SpirvType {
    TypeKind kind = TypeKind::none;
    std::uint32_t width = 0; ///< bits of integers and reals
    bool is_signed = false;
    Id element = 0;          ///< component, column, element, or what a pointer points to
    std::uint32_t count = 0; ///< components, columns or elements
    std::vector<Id> members; ///< of structures
};

struct SpirvConstant {
    Id type = 0;
    std::uint32_t bits = 0; ///< of scalars; booleans: 0 or 1
    std::vector<Id> parts;  ///< of composites
    bool is_null = false;   ///< all zero, or undefined
};

struct Instruction {
    std::uint16_t opcode = 0;
    Id type = 0;                         ///< 0: it has none
    Id result = 0;                       ///< 0: it has none
    std::vector<std::uint32_t> operands; ///< after type and result
    SourcePosition position{};
};

struct Block {
    Id label = 0;
    std::vector<Instruction> phis;
    std::vector<Instruction> body;
    Instruction terminator;
    Id merge = 0;           ///< where the construct that begins here ends; 0: none begins
    Id continue_target = 0; ///< of a loop; 0: it is none
};

/// Labels that a block may go on at: those of both sides of a branch; of a switch the default, then the cases.
/// @throws SpirvError if one is missing.
[[nodiscard]] std::vector<Id> targets_of(const Block& block);

struct SpirvVariable {
    Id type = 0; ///< a pointer's
    std::uint32_t storage = 0;
};

struct SpirvModule {
    std::unordered_map<Id, SpirvType> types;
    std::unordered_map<Id, SpirvConstant> constants;
    std::unordered_map<Id, std::string> names;
    std::unordered_map<Id, std::vector<std::string>> member_names; ///< of structures
    std::unordered_map<Id, SpirvVariable> variables;               ///< at module scope
    std::unordered_map<Id, std::string> imports; ///< sets of extended instructions
    std::vector<Block> blocks; ///< of the entry point with all that it calls, its first one first
    std::unordered_map<Id, std::size_t> block_index; ///< by label
    std::vector<std::string> files;                  ///< that places name; the first is unknown

    /// @throws SpirvError if there is no such type.
    [[nodiscard]] const SpirvType& type(Id id) const;
    /// @throws SpirvError if there is no such block.
    [[nodiscard]] const Block& block(Id label) const;
    /// Scalars that a value of the type is made of, in order of declaration, matrices column by column.
    /// @throws SpirvError if it is no value's type, core::ArgumentError if they are more than 4096.
    [[nodiscard]] std::size_t leaf_count(Id id) const;
    /// Type of the part number `index`, and the leaves before it.
    /// @throws SpirvError if there is no such part.
    struct Part {
        Id type = 0;
        std::size_t offset = 0;
    };
    [[nodiscard]] Part part(Id id, std::uint32_t index) const;
};

/// Reads a module with one entry point; see inline.hpp for the functions that it calls.
/// @throws SpirvError; core::ArgumentError if one calls itself.
[[nodiscard]] SpirvModule read_spirv(std::span<const std::byte> code);

} // namespace weft::dag
