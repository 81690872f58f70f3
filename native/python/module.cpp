// SPDX-License-Identifier: Apache-2.0
#include "python/bind_device.hpp"
#include "python/bind_environment.hpp"
#include "python/bind_error.hpp"
#include "python/bind_faults.hpp"
#include "python/bind_fit.hpp"
#include "python/bind_function.hpp"
#include "python/bind_geometry.hpp"
#include "python/bind_gradient.hpp"
#include "python/bind_kept_parts.hpp"
#include "python/bind_kernel.hpp"
#include "python/bind_light.hpp"
#include "python/bind_lower.hpp"
#include "python/bind_material.hpp"
#include "python/bind_module.hpp"
#include "python/bind_porting.hpp"
#include "python/bind_reduce.hpp"
#include "python/bind_reflect.hpp"
#include "python/bind_render.hpp"
#include "python/bind_tensor.hpp"
#include "python/bind_tracer.hpp"
#include "python/call_errors.hpp"
#include "python/diff_pair.hpp"
#include "python/generators.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"

#include <pybind11/pybind11.h>

PYBIND11_MODULE(_native, module) {
    using namespace weft::python;
    note_main_thread();
    watch_end_of_interpreter();
    module.doc() = "Native engine of Weft; use the package weft.";
    bind_error(module);
    bind_faults(module);
    bind_reflect(module);
    bind_device(module);
    bind_tensor(module);
    bind_generators(module);
    bind_diff_pair(module);
    bind_command_encoder(module);
    bind_function(module);
    bind_gradient(module);
    bind_module(module);
    bind_kernel(module);
    bind_kept_parts(module);
    bind_geometry(module);
    bind_light(module);
    bind_environment(module);
    bind_texture_table(module);
    bind_lower(module);
    bind_material(module);
    bind_parameters(module);
    bind_porting(module);
    bind_reduce(module);
    bind_tracer(module);
    bind_render(module);
    bind_path_settings(module);
    bind_fit(module);
    explain_wrong_calls_of_module(module);
    refuse_unmade_objects(module);
}
