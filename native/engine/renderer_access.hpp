// SPDX-License-Identifier: Apache-2.0
// What other parts of the engine use of a Renderer. Not installed.
#pragma once

#include "core/interrupt_poll.hpp"
#include "engine/renderer.hpp"
#include "render/renderer.hpp"

namespace weft::engine {

/// Valid as long as the renderer.
[[nodiscard]] render::Renderer& renderer_of(Renderer& renderer) noexcept;
/// EngineDesc::poll of its engine.
[[nodiscard]] const core::InterruptPoll& poll_of(const Renderer& renderer) noexcept;

} // namespace weft::engine
