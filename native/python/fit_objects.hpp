// SPDX-License-Identifier: Apache-2.0
// What stands behind the Python classes of fits: views, and the models that draw them.
#pragma once

#include "fit/scalar_model.hpp"
#include "fit/texture_model.hpp"
#include "fit/validation.hpp"
#include "python/bind_error.hpp"
#include "python/fit_arrays.hpp"
#include "python/render_objects.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace weft::python {

/// The views of a fit, and the films that draw them.
struct FitViews {
    std::vector<std::shared_ptr<fit::Observation>> pictures; ///< of the views
    std::vector<fit::View> views;
    std::vector<FilmTracerObject> films; ///< one of each family, in the order of their turns
    bool is_complete = false;            ///< something refers to the views: none may be added
};

/// Lets a call use all films of a fit without the interpreter lock; see Turn.
class FitTurn {
public:
    explicit FitTurn(const FitViews& views);

private:
    Unlocked m_unlocked; // first: who has a turn may want the interpreter
    std::vector<std::unique_lock<std::recursive_mutex>> m_locked;
};

struct ScalarModelObject {
    ScalarModelObject(std::shared_ptr<FitViews> of, const fit::Unknowns& vector,
                      const std::shared_ptr<render::SceneTables>& tables, fit::ScalarModelDesc desc)
        : views(std::move(of)), unknowns(vector),
          model(tables, views->views, unknowns, std::move(desc)) {}

    std::shared_ptr<FitViews> views;
    fit::Unknowns unknowns; ///< as they were: others may grow
    fit::ScalarModel model;
};

struct TextureModelObject {
    TextureModelObject(std::shared_ptr<FitViews> of,
                       const std::shared_ptr<render::SceneTables>& tables,
                       const std::vector<fit::TextureParameter>& parameters,
                       fit::TextureReplayDesc desc)
        : views(std::move(of)), model(views->films.front().native->modules()->context(), tables,
                                      views->views, parameters, std::move(desc)) {}

    std::shared_ptr<FitViews> views;
    fit::TextureModel model;
};

/// @throws as throw_unmade_object() for an object of Python without its C++ value, which pybind11 passes as null.
template <typename T>
const std::shared_ptr<T>& made(const std::shared_ptr<T>& given) {
    if (!given) {
        throw_unmade_object();
    }
    return given;
}

/// Views that something is about to refer to. @throws ArgumentError naming `what` if there are none.
[[nodiscard]] std::shared_ptr<FitViews> completed(std::shared_ptr<FitViews> views,
                                                  const char* what);
/// counts, a, b, weights and trust of weft.fit.validation.Validation, one tuple a view.
[[nodiscard]] pybind11::list to_list(const std::vector<fit::Validation>& validations);

/// fit::draw_differences(), shape (pixels, 3), one array a view.
/// @throws ArgumentError unless there are pixels of the picture of each view.
[[nodiscard]] pybind11::list draw_differences(FitViews& views, const fit::Look& look,
                                              const std::vector<FitWords>& pixels,
                                              std::int64_t samples, std::uint64_t draw);

} // namespace weft::python
