// SPDX-License-Identifier: Apache-2.0
// The arguments of one call, free of any language binding: a flat tree that is refilled for every call
// without allocating. The caller keeps everything that nodes point to alive during the call.
#pragma once

#include "reflect/type.hpp"
#include "tensor/tensor.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::dispatch {

enum class NodeKind : std::uint8_t {
    none, ///< given as None: an omitted out parameter
    boolean,
    integer,
    real,
    name, ///< text: an enumerator, see replace_names()
    tensor,
    list,       ///< nested sequence of numbers, or of names, rectangular
    host_array, ///< numpy array
    structure,  ///< dict, dataclass, named tuple: one child a field
    structures, ///< list of such: one child an element
    pair,       ///< a value and its gradient: two children, host arrays of one shape
    grid,
    call_id,
    thread_id,
    rand_float,
    wang_hash,
};

/// A host array that the binding can read and write with conversion.
class HostArray {
public:
    virtual ~HostArray() = default;
    reflect::ScalarKind scalar = reflect::ScalarKind::void_;
    std::vector<std::int64_t> shape;
    /// Generic functions are inferred for its floating type, which somebody chose; else for float.
    bool is_precise = false;
    /// Why results cannot be stored in it, and what to pass instead ("is a read-only array, ...; pass a copy"); "": they
    /// can.
    std::string write_refusal;

    /// Writes the elements in row-major order as `kind`. float64 to float32 rounds; a float to an
    /// integer and an integer out of range are ArgumentErrors that begin with `parameter` ("f: parameter 'x'").
    virtual void read_as(reflect::ScalarKind kind, std::span<std::byte> out,
                         std::string_view parameter) const = 0;
    /// Stores row-major elements of `kind` into the array. Precondition: no write_refusal.
    virtual void write_from(reflect::ScalarKind kind, std::span<const std::byte> bytes,
                            std::string_view parameter) = 0;

    /// The caller's memory from the first byte to the last, not to be written where write_refusal says no. Empty: there
    /// are no elements, or they are not to be used where they are.
    [[nodiscard]] virtual std::span<std::byte> memory() const noexcept { return {}; }
    /// memory() holds the bytes that read_as() would write for `scalar`: row-major, no gaps.
    [[nodiscard]] virtual bool is_packed() const noexcept { return false; }
    /// Keeps memory(); to be let go of on any thread.
    [[nodiscard]] virtual std::shared_ptr<void> keep_alive() const { return nullptr; }
};

struct Node {
    NodeKind kind = NodeKind::none;
    /// list: bool_, int64, uint64 or float64; integer: uint64 if `integer` holds the bits of one
    reflect::ScalarKind scalar = reflect::ScalarKind::void_;
    std::uint32_t subtree = 1; ///< nodes in this subtree, itself included
    std::uint32_t children = 0;
    std::uint32_t shape_begin = 0; ///< list, grid: into ArgumentList::words
    std::uint32_t rank = 0;
    std::uint32_t data_begin = 0; ///< list scalars, generator settings: into ArgumentList::words
    std::uint32_t data_count = 0;
    std::uint32_t names_begin = 0; ///< name, list of names: into ArgumentList::names
    std::uint32_t names_count =
        0; ///< different names; the scalars are indices of them. 0: of a list of numbers
    std::string_view name;      ///< field or keyword
    std::string_view type_name; ///< structure: "_type", else ""
    union {
        bool boolean;
        std::int64_t integer = 0;
        double real;
        tensor::Tensor* tensor;
        HostArray* host;
    };
};

/// The numbers that the names of a node stand for.
struct NamedNumbers {
    std::uint32_t node = 0;
    reflect::ScalarKind scalar =
        reflect::ScalarKind::int64;    ///< or uint64, whose bits the numbers are
    std::vector<std::int64_t> numbers; ///< in the order of the node's names
};

/// What a root of the argument list is.
enum class Role : std::uint8_t { positional, keyword, this_value, result, uniform };

struct Root {
    std::uint32_t node = 0;
    Role role = Role::positional;
};

/// Reuse one object for many calls: clear() keeps the memory.
class ArgumentList {
public:
    void clear() noexcept;

    std::vector<Node> nodes;          ///< preorder
    std::vector<std::uint64_t> words; ///< int64 shapes; scalars as the bits of int64 or double
    std::vector<Root> roots;
    std::vector<std::string_view> names; ///< of enumerators; of each node in alphabetical order

    std::span<const std::int64_t> shape(const Node& node) const noexcept;
    std::span<const std::uint64_t> data(const Node& node) const noexcept;
    std::span<const std::string_view> names_of(const Node& node) const noexcept;
    const Node& root_node(const Root& root) const noexcept { return nodes[root.node]; }

    /// Turns nodes with names into such with numbers, as the plan of the call knows them.
    void replace_names(std::span<const NamedNumbers> named);

    /// Appends everything that decides the plan of a call: kinds, names, tensor layouts, alignments,
    /// names of enumerators, but neither addresses nor numbers.
    /// @param with_gradients: the plan also depends on the tensors' gradients, and on which of them overlap.
    void append_key(std::vector<std::uint64_t>& key, bool with_gradients = false) const;
};

/// Whether a call that adds to the gradients of both nodes would add to one memory.
[[nodiscard]] bool have_shared_gradient(const Node& a, const Node& b) noexcept;

/// The largest power of two up to 256 that divides `address`.
[[nodiscard]] std::uint64_t address_alignment(std::uint64_t address) noexcept;

} // namespace weft::dispatch
