// SPDX-License-Identifier: Apache-2.0
// The kernels of shaders/weft/trace.slang over an acceleration structure in device memory.
#pragma once

#include "dispatch/function.hpp"
#include "dispatch/module.hpp"
#include "render/tracer.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace weft::render {

/// One thread at a time may call the methods of an object.
class TraceKernels {
public:
    /// A Slang type that implements IBvh of shaders/weft/render/bvh.slang.
    struct Structure {
        std::string_view module; ///< that has it: "weft/render/bvh"
        std::string_view type;   ///< "BvhView"
    };
    /// Appends the structure as one argument; what it names must outlive the launch.
    using AddStructure = std::function<void(dispatch::ArgumentList&)>;

    /// @throws DeviceError, CompileError.
    TraceKernels(const dispatch::Context& context, const Structure& structure);

    /// As Tracer::trace_closest() and trace_any() do. @param batch valid, see Tracer::require_batch().
    void trace_closest(const RayBatch& batch, const AddStructure& add);
    void trace_any(const RayBatch& batch, const AddStructure& add);

private:
    void launch(dispatch::Function& function, const RayBatch& batch, const AddStructure& add);

    std::shared_ptr<device::Device> m_device;
    std::shared_ptr<dispatch::Module> m_module;
    std::shared_ptr<dispatch::Function> m_closest;
    std::shared_ptr<dispatch::Function> m_any;
    dispatch::ArgumentList m_arguments;
    dispatch::CallState m_state;
};

/// Appends a node without children.
dispatch::Node& add_node(dispatch::ArgumentList& arguments, dispatch::NodeKind kind);

} // namespace weft::render
