// SPDX-License-Identifier: Apache-2.0
// Parts of a scene's tables that outlive an edit, and that light groups share. A part is found again by its key: what it
// was made from. A part that was made from the same is the same, so that tables made with parts from before equal tables
// made from nothing.
#pragma once

#include "core/api.hpp"
#include "render/part_key.hpp"
#include "tensor/tensor.hpp"

#include <any>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft::render {

/// A piece of a tensor of 4-byte numbers.
struct Chunk {
    PartKey key;           ///< what it is made from
    std::size_t count = 0; ///< numbers
    /// Writes them. Called at most once, before assemble() returns.
    std::function<void(std::span<std::byte>)> write;
};

/// A chunk of zeros.
[[nodiscard]] WEFT_API Chunk zeros_chunk(std::size_t count);

/// Parts by name and key: those of the tables before, and those that replace them. Thread-safe; where two threads want
/// one part, both may make it.
class WEFT_API KeptParts {
public:
    /// @param device where tensors go. @param before parts of the tables that are to be replaced, which stay as they are.
    explicit KeptParts(std::shared_ptr<device::Device> device, const KeptParts* before = nullptr);

    const std::shared_ptr<device::Device>& device() const noexcept { return m_device; }

    /// The part of a key, which is made if it is not there. All that share the key are of one type.
    template <typename T>
    T get(PartKey key, const std::function<T()>& make) {
        return std::any_cast<T>(find_or_make(std::move(key), [&] { return std::any(make()); }));
    }

    /// A flat tensor of numbers, which nobody writes to; of one zero if there are none.
    /// @param name of the part. @param key what it was made from; not set: the numbers themselves.
    /// @throws DeviceError if memory is short.
    template <typename T>
    tensor::TensorRef upload(std::string_view name, std::span<const T> numbers,
                             const std::optional<PartKey>& key = std::nullopt) {
        return upload_bytes(name, std::as_bytes(numbers), kind_of<T>(), key);
    }
    tensor::TensorRef upload_bytes(std::string_view name, std::span<const std::byte> numbers,
                                   reflect::ScalarKind kind,
                                   const std::optional<PartKey>& key = std::nullopt);

    /// A flat tensor of chunks one after the other, which nobody writes to; of one zero if they are empty. Chunks that the
    /// tensor of this name had before are copied on the device.
    /// @param kind of four bytes. @throws DeviceError if memory is short, and what writing a chunk throws.
    tensor::TensorRef assemble(const std::string& name, std::vector<Chunk> chunks,
                               reflect::ScalarKind kind = reflect::ScalarKind::float32);

    /// Lets go of the parts of the tables before.
    void end();

    /// A tensor and what it consists of.
    struct Assembled {
        tensor::TensorRef tensor;
        std::vector<PartKey> keys;
        std::unordered_map<PartKey, std::size_t> starts; ///< first number of each
    };

private:
    using Parts = std::unordered_map<PartKey, std::any>;
    using Tensors = std::unordered_map<std::string, std::shared_ptr<const Assembled>>;
    /// Nothing is made or let go of while the mutex is held: that may need the lock of a host language.
    struct Store {
        std::mutex mutex;
        Parts parts;
        Tensors tensors;
    };

    template <typename T>
    static constexpr reflect::ScalarKind kind_of() {
        static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::uint32_t>);
        return std::is_same_v<T, float> ? reflect::ScalarKind::float32
                                        : reflect::ScalarKind::uint32;
    }
    std::any find_or_make(PartKey key, const std::function<std::any()>& make);
    [[nodiscard]] std::shared_ptr<Store> before() const;

    std::shared_ptr<device::Device> m_device;
    std::shared_ptr<Store> m_own = std::make_shared<Store>();
    mutable std::mutex m_mutex; ///< of m_before
    std::shared_ptr<Store> m_before;
};

} // namespace weft::render
