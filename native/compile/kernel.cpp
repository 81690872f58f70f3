// SPDX-License-Identifier: Apache-2.0
#include "compile/lookup.hpp"

#include "compile/cuda_globals.hpp"
#include "compile/diagnostics.hpp"
#include "compile/spirv_globals.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include <vector>

namespace weft::compile {

using core::text;

namespace {

/// Which parameters of a program its code reads.
struct UsedGlobals {
    SpirvGlobals spirv;
    CudaGlobals cuda;

    bool is_used() const { return spirv.is_used || cuda.is_used; }
    /// @param member: the parameter's number among those that lie in the block.
    bool reads(std::uint32_t offset, std::size_t member) const {
        return spirv.is_used ? spirv.reads_all || spirv.offsets.contains(offset)
                             : cuda.reads_all || cuda.members.contains(member);
    }
};

UsedGlobals used_globals(Target target, const std::vector<std::byte>& code) {
    if (target != Target::cuda) {
        return {.spirv = read_spirv_globals(code), .cuda = {}};
    }
    const std::string_view source(reinterpret_cast<const char*>(code.data()), code.size());
    return {.spirv = {}, .cuda = read_cuda_globals(source)};
}

/// Flattens structures: "lamp" -> "lamp.color", "lamp.power".
class GlobalsReader {
public:
    GlobalsReader(const SlangFunctions& slang, TypeReader& types, std::vector<GlobalField>& out)
        : m_slang(slang), m_types(types), m_out(out) {}

    void add(SlangReflectionVariableLayout* layout, const std::string& prefix, std::uint32_t base) {
        const char* const name = m_slang.variable_name(m_slang.layout_variable(layout));
        SlangReflectionTypeLayout* const type_layout = m_slang.layout_type(layout);
        const std::size_t size =
            m_slang.type_layout_size(type_layout, SLANG_PARAMETER_CATEGORY_UNIFORM);
        if (name == nullptr || size == 0) {
            return;
        }
        const reflect::TypeRef type =
            m_types.read(m_slang.variable_type(m_slang.layout_variable(layout)));
        const std::uint32_t offset = base + offset_of(layout);
        if (type->kind == reflect::TypeKind::structure) {
            for (unsigned i = 0; i < type->fields.size(); ++i) {
                add(m_slang.type_layout_field(type_layout, i), prefix + name + ".", offset);
            }
            return;
        }
        const bool is_padded =
            (type->kind == reflect::TypeKind::array || type->kind == reflect::TypeKind::matrix) &&
            size != type->layout.size;
        if (is_padded) {
            throw core::ArgumentError(
                text("set: the uniform '", prefix, name, "' has type ", type->full_name,
                     ", which is padded in uniform memory on this device; use vectors of "
                     "four, or pass it as a parameter"));
        }
        m_out.push_back({prefix + name, type, offset});
    }

    bool lies_in_block(SlangReflectionVariableLayout* layout) const {
        return m_slang.type_layout_size(m_slang.layout_type(layout),
                                        SLANG_PARAMETER_CATEGORY_UNIFORM) > 0;
    }

    std::uint32_t offset_of(SlangReflectionVariableLayout* layout) const {
        return static_cast<std::uint32_t>(
            m_slang.layout_offset(layout, SLANG_PARAMETER_CATEGORY_UNIFORM));
    }

private:
    const SlangFunctions& m_slang;
    TypeReader& m_types;
    std::vector<GlobalField>& m_out;
};

void read_globals(Session& session, slang::IComponentType* program, KernelCode& out) {
    const SlangFunctions& slang = session.functions();
    auto* const layout = reinterpret_cast<SlangReflection*>(program->getLayout(0));
    if (layout == nullptr || slang.program_global_size(layout) == 0) {
        return;
    }
    const UsedGlobals used = used_globals(session.target(), out.code);
    if (!used.is_used()) {
        return;
    }
    out.global_bytes = static_cast<std::uint32_t>(slang.program_global_size(layout));
    out.global_set = used.spirv.set;
    out.global_binding = used.spirv.binding;
    DeclIndex index(session);
    TypeReader types(session, reinterpret_cast<slang::ProgramLayout*>(layout), index);
    GlobalsReader reader(slang, types, out.globals);
    std::size_t member = 0;
    for (unsigned i = 0; i < slang.program_parameter_count(layout); ++i) {
        SlangReflectionVariableLayout* const parameter = slang.program_parameter(layout, i);
        if (!reader.lies_in_block(parameter)) {
            continue;
        }
        if (used.reads(reader.offset_of(parameter), member)) {
            reader.add(parameter, "", 0);
        }
        ++member;
    }
}

} // namespace

KernelCode compile_entry_point(Session& session, const std::string& source,
                               const std::string& entry_point,
                               std::span<slang::IModule* const> linked) {
    const std::string what = text("compile_kernel: '", entry_point, "' does not compile");
    const std::string name = std::string(kGeneratedFile) + core::hash_text(source).to_string();
    std::vector<core::Diagnostic> ignored; // warnings about generated code help nobody
    slang::IModule* const module = session.load(name, name, source, what, ignored);

    SlangRef<slang::IEntryPoint> entry;
    SlangRef<slang::IBlob> output;
    SlangResult result = module->findAndCheckEntryPoint(entry_point.c_str(), SLANG_STAGE_COMPUTE,
                                                        entry.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result) || !entry, what);

    std::vector<slang::IComponentType*> parts{module, entry.get()};
    parts.insert(parts.end(), linked.begin(), linked.end());
    SlangRef<slang::IComponentType> composite;
    result = session.get()->createCompositeComponentType(
        parts.data(), static_cast<SlangInt>(parts.size()), composite.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result), what);

    SlangRef<slang::IComponentType> program;
    result = composite->link(program.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result), what);

    SlangRef<slang::IBlob> code;
    result = program->getEntryPointCode(0, 0, code.out(), output.out());
    (void)check_diagnostics(output.get(), SLANG_FAILED(result) || !code, what);

    KernelCode kernel;
    const auto* const bytes = static_cast<const std::byte*>(code->getBufferPointer());
    kernel.code.assign(bytes, bytes + code->getBufferSize());
    kernel.hash = core::hash_bytes(kernel.code);
    read_globals(session, program.get(), kernel);
    return kernel;
}

} // namespace weft::compile
