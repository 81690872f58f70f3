// SPDX-License-Identifier: Apache-2.0
// Copies of materials with other values at their inputs. For the sources of this layer.
#pragma once

#include "scene/materials.hpp"
#include "scene/scene.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft::scene {

/// Visits all values of materials by name, and copies those materials that one of them changes in; what does not change
/// stays the same object. One Slang call has one set of parameters, which go by the first input that it drives.
class MaterialChanger {
public:
    MaterialChanger() = default;
    MaterialChanger(const MaterialChanger&) = delete;
    MaterialChanger& operator=(const MaterialChanger&) = delete;
    virtual ~MaterialChanger() = default;

    /// The scene with the materials as they change. @throws ArgumentError as materials_of() and what replaced() throws.
    [[nodiscard]] Scene changed(const Scene& scene);

protected:
    /// What takes the place of a value; not set: it stays, but what drives it may change.
    /// @param name as those of parameters; constants by the input that they drive.
    [[nodiscard]] virtual std::optional<Value> replaced(const std::string& name,
                                                        const Value& value) = 0;
    /// A material begins. Its values are visited again as long as this returns true.
    virtual void begin_material() {}
    [[nodiscard]] virtual bool wants_another_visit() { return false; }

    /// Name of the material that is visited, as parameters have it.
    [[nodiscard]] const std::string& owner() const noexcept { return m_owner; }
    /// Not set: it stays as it is.
    [[nodiscard]] std::optional<Value> changed_value(const std::string& name, const Value& value);

private:
    [[nodiscard]] MaterialRef changed(const MaterialRef& given);
    [[nodiscard]] std::pair<SurfaceRef, SurfaceRef> changed_surfaces(const Material& given);
    [[nodiscard]] SurfaceRef changed(const std::string& prefix, const SurfaceRef& surface);
    [[nodiscard]] SurfaceRef changed_closure(const std::string& prefix, const SurfaceRef& surface,
                                             const Closure& leaf);
    [[nodiscard]] std::optional<Value> changed_call(const std::string& name,
                                                    const std::shared_ptr<SlangCall>& called);
    [[nodiscard]] std::optional<Value> changed_texture(const std::string& name,
                                                       const Texture& image);

    std::string m_owner;
    std::map<std::shared_ptr<SlangCall>, std::optional<Value>> m_calls;
};

/// The same texture with nothing shared but what its fields point to.
[[nodiscard]] std::shared_ptr<Texture> copy_of(const Texture& texture);

} // namespace weft::scene
