// SPDX-License-Identifier: Apache-2.0
// The binary interface of DLPack 1.0, by which array libraries hand memory to each other
// (https://dmlc.github.io/dlpack/latest/c_api.html). Sizes and order are fixed by that document.
#pragma once

#include <cstdint>

namespace weft::tensor::dlpack {

inline constexpr std::uint32_t kMajorVersion = 1;
inline constexpr const char* kPlainName = "dltensor"; ///< of the capsule
inline constexpr const char* kVersionedName = "dltensor_versioned";

enum class DeviceCode : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

enum class TypeCode : std::uint8_t {
    signed_integer = 0,
    unsigned_integer = 1,
    floating = 2,
    brain_floating = 4, ///< bfloat16
    boolean = 6
};

struct Device {
    DeviceCode code = DeviceCode::cpu;
    std::int32_t index = 0;
};

struct DataType {
    TypeCode code = TypeCode::floating;
    std::uint8_t bits = 32;
    std::uint16_t lanes = 1;
};

struct Array {
    void* data = nullptr;
    Device device;
    std::int32_t rank = 0;
    DataType dtype;
    std::int64_t* shape = nullptr;
    std::int64_t* strides = nullptr; ///< elements; null: row-major
    std::uint64_t byte_offset = 0;
};

/// In a capsule named "dltensor".
struct ManagedArray {
    Array array;
    void* owner = nullptr;
    void (*release)(ManagedArray*) = nullptr;
};

struct Version {
    std::uint32_t major = 1;
    std::uint32_t minor = 0;
};

inline constexpr std::uint64_t kFlagReadOnly = 1;
inline constexpr std::uint64_t kFlagCopied = 2;

/// In a capsule named "dltensor_versioned".
struct VersionedArray {
    Version version;
    void* owner = nullptr;
    void (*release)(VersionedArray*) = nullptr;
    std::uint64_t flags = 0;
    Array array;
};

inline constexpr const char* kExchangeName = "dlpack_exchange_api"; ///< of the capsule

/// What a class of arrays offers beside __dlpack__: C functions that take its Python objects. They return 0, or -1 with
/// Python's error set. Call them under the interpreter lock.
struct ExchangeTable {
    using SetError = void (*)(void* context, const char* kind, const char* message);

    Version version;
    ExchangeTable* previous = nullptr; ///< of an older version
    int (*allocate)(const Array* prototype, VersionedArray** out, void* context,
                    SetError) = nullptr;
    int (*own_from_object)(void* object, VersionedArray** out) = nullptr;
    int (*object_from_owned)(VersionedArray* array, void** out) = nullptr; ///< takes the array
    int (*view_of_object)(void* object, Array* out) = nullptr;             ///< may be null
    int (*current_stream)(std::int32_t code, std::int32_t index, void** out) = nullptr;
};

static_assert(sizeof(Device) == 8 && sizeof(DataType) == 4);
static_assert(sizeof(void*) != 8 || (sizeof(Array) == 48 && sizeof(ManagedArray) == 64));
static_assert(sizeof(void*) != 8 || sizeof(VersionedArray) == 80);

} // namespace weft::tensor::dlpack
