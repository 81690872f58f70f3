// SPDX-License-Identifier: Apache-2.0
// What a fit is about, for its checkpoints.
#include "core/sha256.hpp"
#include "engine/fit_checkpoint.hpp"
#include "scene_files/scene_hash.hpp"

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <vector>

namespace weft::engine {

namespace {

/// Gathers fields, each with its length, and numbers by their bits.
class Fields {
public:
    template <typename... Values>
    void operator()(const Values&... values) {
        (put(values), ...);
    }
    [[nodiscard]] std::string hash() const { return core::sha256(m_bytes); }

private:
    void put(std::string_view value) {
        put(std::uint64_t{value.size()});
        m_bytes += value;
    }
    void put(const std::string& value) { put(std::string_view(value)); }
    void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
    template <typename T>
        requires std::integral<T> || std::is_enum_v<T>
    void put(T value) {
        auto word = static_cast<std::uint64_t>(value);
        for (int byte = 0; byte < 8; ++byte, word >>= 8U) {
            m_bytes += static_cast<char>(word & 0xFFU);
        }
    }
    template <typename T>
    void put(const std::optional<T>& value) {
        put(value.has_value());
        if (value) {
            put(*value);
        }
    }
    template <typename T>
    void put(const std::vector<T>& values) {
        put(std::uint64_t{values.size()});
        for (const T& value : values) {
            put(value);
        }
    }
    void put(const std::vector<float>& values) {
        const auto bytes = std::as_bytes(std::span(values));
        put(core::sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    }
    void put(const fit::Bounds& bounds) { (*this)(bounds[0], bounds[1]); }
    void put(const fit::ExpectedValue& value) { (*this)(value.mean, value.deviation); }
    void put(const fit::Parameter& own) {
        (*this)(own.name, own.bounds, own.scale, own.start, own.tied, own.prior);
    }
    void put(const fit::Exposure& own) {
        (*this)(own.observation, own.white_balance, own.bounds, own.start);
    }
    void put(const fit::LightParameter& own) {
        (*this)(own.light, own.color, own.bounds, own.start);
    }
    void put(const fit::TextureParameter& own) {
        (*this)(own.name, own.bounds, own.smoothness, own.is_light);
    }
    /// Its camera apart.
    void put(const fit::Observation& own) {
        (*this)(own.name, own.image, own.mask, own.filter, own.filter_width, own.robust,
                own.rounding, own.grain);
    }

    std::string m_bytes;
};

} // namespace

std::string signature_of(const render::Renderer& renderer,
                         std::span<const fit::Observation> observations, const fit::Sought& sought,
                         const fit::FitSettings& settings, std::size_t selected) {
    Fields fields;
    fields(scene_files::hash_of(
        {.scene = renderer.tables()->scene(), .cameras = fit::cameras_of(observations)}));
    std::set<std::size_t> others;
    for (const fit::Observation& observation : observations) {
        const std::size_t lights = observation.lights.value_or(selected);
        fields(observation, lights);
        if (lights != 0 && others.insert(lights).second) {
            fields(scene_files::hash_of({.scene = renderer.lit_tables(lights)->scene()}));
        }
    }
    fields(sought.parameters, sought.exposures, sought.lights, sought.textures);
    fields(settings.samples, settings.bounces, settings.seed);
    return fields.hash();
}

} // namespace weft::engine
