// SPDX-License-Identifier: Apache-2.0
// Media whose numbers are fitted, for a Recorder (shaders/weft/render/record_media.slang).
#pragma once

#include "render/directions.hpp"
#include "render/film_tracer.hpp"
#include "render/scene_tables.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft::render {

/// Launches what records and replays segments of paths in media. One thread at a time.
class MediaRecorder {
public:
    /// @param film of the scene; paths are traced by a copy of it, whose kernels know media.
    /// @param tables of the scene. @param materials whose media are fitted, see fitted_media().
    /// @throws CompileError, DeviceError.
    MediaRecorder(const FilmTracer& film, std::shared_ptr<SceneTables> tables,
                  std::span<const std::uint32_t> materials, DirectionsRef directions);

    /// What traces the paths.
    [[nodiscard]] const std::shared_ptr<FilmTracer>& film() const noexcept { return m_film; }
    /// Most directions that a segment answers.
    [[nodiscard]] std::uint32_t most() const noexcept;
    /// Puts the tables of fitted media in a view of the scene.
    void add_to(KernelArgument& view) const;

    /// Computes the coefficients of all media from a view of the scene's parameters.
    void evaluate(const KernelArgument& view) const;
    /// Computes what the directions, which are the view's tangents, do to the coefficients.
    void differentiate(const KernelArgument& view);
    /// Sorts `count` paths, those with a segment in media first. @return how many these are
    [[nodiscard]] std::int64_t find_segments(const KernelArgument& view, PathBuffers& buffers,
                                             std::int64_t count);
    /// Leaves records of the first `count` sorted paths.
    void record(const KernelArgument& view, PathBuffers& buffers, const KernelArgument& records,
                const KernelArgument& step, std::int64_t count);
    /// Takes the sorted paths on that media scatter.
    void scatter(const KernelArgument& view, PathBuffers& buffers, const GroupOffsets& ends,
                 const KernelArgument& records, const KernelArgument& step);
    /// Evaluates `count` segments. @param with_tangents with derivatives along the directions.
    void replay(const KernelArgument& view, const KernelArgument& records, std::int64_t count,
                bool with_tangents);
    /// Calls of all its kernels, to be compiled.
    [[nodiscard]] std::vector<StageCall> calls(const KernelArgument& view, PathBuffers& buffers,
                                               const KernelArgument& records,
                                               const KernelArgument& step) const;

private:
    [[nodiscard]] std::size_t program_of(std::uint32_t material) const;
    [[nodiscard]] StageModule& shared() const noexcept {
        return *m_film->scene().modules->shared();
    }

    std::shared_ptr<FilmTracer> m_film;
    std::shared_ptr<SceneTables> m_tables;
    std::vector<std::uint32_t> m_materials;
    DirectionsRef m_directions;
    KernelLauncher m_launcher;
    tensor::TensorRef m_coefficients;
    tensor::TensorRef m_fitted;      ///< FittedMedium of each material
    tensor::TensorRef m_unknown;     ///< m_materials
    tensor::TensorRef m_derivatives; ///< MediumWord of each entry of the directions
};

} // namespace weft::render
