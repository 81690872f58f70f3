// SPDX-License-Identifier: Apache-2.0
// What stands behind the Python classes of native/render.
#pragma once

#include "python/interpreter_lock.hpp"
#include "python/module_object.hpp"
#include "python/render_from_python.hpp"
#include "render/film_tracer.hpp"
#include "render/recorder.hpp"

#include <memory>
#include <mutex>
#include <pybind11/pybind11.h>

namespace weft::python {

/// Modules of a scene, each as one object of Python.
struct SceneModulesObject {
    std::shared_ptr<Session> session;
    std::shared_ptr<CallPool> pool;
    std::shared_ptr<render::SceneModules> native;
    pybind11::dict wrapped{}; ///< Module objects, by their number; -1: shared

    [[nodiscard]] pybind11::object wrap(std::int64_t number, const render::StageModuleRef& module);
};

/// A film tracer, which one thread at a time may use: others wait, as they did for the interpreter lock.
struct FilmTracerObject {
    std::shared_ptr<Session> session;
    std::shared_ptr<CallPool> pool;
    std::shared_ptr<std::recursive_mutex> turn; ///< of all copies: they share memory
    std::shared_ptr<render::FilmTracer> native;

    explicit FilmTracerObject(const std::shared_ptr<Session>& of);
    /// One of the same device for another film, which shares memory with this one's.
    [[nodiscard]] FilmTracerObject with(std::shared_ptr<render::FilmTracer> other) const;
};

/// Lets a call of the stages run without the interpreter lock, one at a time. Read all that it needs of Python before.
class Turn {
public:
    explicit Turn(const FilmTracerObject& self);

private:
    Unlocked m_unlocked; // first: who has the turn may want the interpreter
    std::lock_guard<std::recursive_mutex> m_locked;
};

/// A recorder with the turn of its film's family.
struct RecorderObject {
    FilmTracerObject film;
    std::shared_ptr<render::Recorder> native;
};

void bind_scene_modules(pybind11::module_& module);
void bind_scene_tables(pybind11::module_& module);
void bind_recorder(pybind11::module_& module);
void bind_compiling(pybind11::module_& module);

/// The poll of waits: signals, then `interrupt.check()`; None: signals only.
[[nodiscard]] core::InterruptPoll poll_with(const pybind11::object& interrupt);

} // namespace weft::python
