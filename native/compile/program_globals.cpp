// SPDX-License-Identifier: Apache-2.0
#include "compile/program_globals.hpp"

#include "compile/cuda_globals.hpp"
#include "compile/lookup.hpp"
#include "compile/spirv_globals.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <vector>

namespace weft::compile {

using core::text;
using reflect::TypeKind;

namespace {

constexpr std::string_view kHandle = "DescriptorHandle<";

/// Which parameters of a program its code reads.
class UsedGlobals {
public:
    UsedGlobals(Target target, const std::vector<std::byte>& code)
        : m_is_cuda(target == Target::cuda) {
        if (m_is_cuda) {
            m_cuda = read_cuda_globals({reinterpret_cast<const char*>(code.data()), code.size()});
        } else {
            m_spirv = read_spirv_globals(code);
        }
    }

    const SpirvGlobals& spirv() const noexcept { return m_spirv; }
    bool is_used() const noexcept { return m_is_cuda ? m_cuda.is_used : m_spirv.is_used; }
    bool reads(std::uint32_t offset, std::uint32_t size, const MemberPath& path) const {
        return m_is_cuda ? m_cuda.reads(path) : m_spirv.reads(offset, size);
    }
    /// A parameter that has no bytes in the block, and whose name the code uses nevertheless.
    bool reads_on_cuda(const MemberPath& path) const {
        return m_is_cuda && m_cuda.is_used && !m_cuda.reads_all && m_cuda.reads(path);
    }
    /// Accesses below `path` that name none of `names` count as accesses to all of it.
    void settle(const MemberPath& path, const std::vector<std::string>& names) {
        m_cuda.settle(path, names);
    }

private:
    bool m_is_cuda;
    SpirvGlobals m_spirv;
    CudaGlobals m_cuda;
};

/// A parameter, field or element, with its range of the block.
struct GlobalPart {
    SlangReflectionTypeLayout* layout = nullptr;
    reflect::TypeRef type;
    std::string name;     ///< "lamps.0.color"
    std::string spelling; ///< of the type, by Slang
    MemberPath path;      ///< the same without indices
    std::uint32_t offset = 0;
};

/// Flattens structures and their arrays: "lamp" -> "lamp.color", "lamp.power".
class GlobalsReader {
public:
    GlobalsReader(Session& session, SlangReflection* program, KernelCode& out)
        : m_session(session), m_slang(session.functions()), m_program(program), m_index(session),
          m_types(session, reinterpret_cast<slang::ProgramLayout*>(program), m_index),
          m_used(session.target(), out.code), m_out(out) {}

    void read() {
        m_out.global_set = m_used.spirv().set;
        m_out.global_binding = m_used.spirv().binding;
        if (m_used.is_used()) {
            m_out.global_bytes = static_cast<std::uint32_t>(m_slang.program_global_size(m_program));
        }
        m_used.settle({}, parameter_names());
        for (unsigned i = 0; i < m_slang.program_parameter_count(m_program); ++i) {
            read_parameter(m_slang.program_parameter(m_program, i));
        }
        for (const SpirvResource& resource : m_used.spirv().resources) {
            add_resource(resource);
        }
    }

private:
    std::string name_of(SlangReflectionVariableLayout* parameter) const {
        const char* const name = m_slang.variable_name(m_slang.layout_variable(parameter));
        return name != nullptr ? name : "";
    }

    std::vector<std::string> parameter_names() const {
        const unsigned count = m_slang.program_parameter_count(m_program);
        std::vector<std::string> names;
        names.reserve(count);
        for (unsigned i = 0; i < count; ++i) {
            names.push_back(name_of(m_slang.program_parameter(m_program, i)));
        }
        return names;
    }

    void read_parameter(SlangReflectionVariableLayout* parameter) {
        GlobalPart part;
        part.layout = m_slang.layout_type(parameter);
        part.name = name_of(parameter);
        part.path = {part.name};
        part.offset = offset_of(parameter);
        if (m_used.is_used() && !part.name.empty() && lies_in_block(part.layout)) {
            set_type(part, parameter);
            add(part);
        } else if (!part.name.empty() && m_used.reads_on_cuda(part.path)) {
            m_out.unbound.push_back({part.name, type_of(part.name)});
        }
    }

    /// The heap of descriptors is read by way of handles, whichever the code takes.
    void add_handles() {
        for (unsigned i = 0; i < m_slang.program_parameter_count(m_program); ++i) {
            const std::string name = name_of(m_slang.program_parameter(m_program, i));
            UnboundResource handle{name, type_of(name)};
            if (!name.empty() && handle.type.find(kHandle) != std::string::npos) {
                m_out.unbound.push_back(std::move(handle));
            }
        }
    }

    void add_resource(const SpirvResource& resource) {
        const bool is_heap = resource.name.starts_with("__slang_");
        UnboundResource unbound{resource.name, type_of(resource.name)};
        if (is_heap && m_out.unbound.empty()) {
            add_handles();
        }
        if (unbound.type.find("StructuredBuffer<") != std::string::npos) {
            unbound.name.resize(
                std::min(unbound.name.find('.'), unbound.name.size())); // ".counter"
        }
        const bool is_listed =
            std::ranges::any_of(m_out.unbound, [&](const UnboundResource& other) {
                return is_heap || other.name == unbound.name;
            });
        if (!is_listed) {
            m_out.unbound.push_back(std::move(unbound));
        }
    }

    void set_type(GlobalPart& part, SlangReflectionVariableLayout* variable) {
        SlangReflectionType* const type = m_slang.variable_type(m_slang.layout_variable(variable));
        part.type = m_types.read(type);
        part.spelling = m_types.full_name(type);
    }

    void add(const GlobalPart& part) {
        const TypeKind kind = part.type->kind;
        const bool is_wide_array = kind == TypeKind::array &&
                                   !is_numeric(reflect::leaf(*part.type)) && part.type->count > 0;
        if (kind == TypeKind::structure) {
            add_fields(part);
        } else if (is_wide_array) {
            add_elements(part);
        } else if (m_used.reads(part.offset, size_of(part.layout), part.path)) {
            add_value(part);
        }
    }

    void add_fields(const GlobalPart& part) {
        std::vector<std::string> names;
        for (const reflect::Field& field : part.type->fields) {
            names.push_back(field.name);
        }
        m_used.settle(part.path, names);
        for (unsigned i = 0; i < part.type->fields.size(); ++i) {
            SlangReflectionVariableLayout* const field = m_slang.type_layout_field(part.layout, i);
            GlobalPart inner;
            inner.layout = m_slang.layout_type(field);
            set_type(inner, field);
            inner.type = part.type->fields[i].type;
            inner.name = part.name + "." + names[i];
            inner.path = part.path;
            inner.path.push_back(names[i]);
            inner.offset = part.offset + offset_of(field);
            if (lies_in_block(inner.layout)) {
                add(inner);
            }
        }
    }

    void add_elements(const GlobalPart& part) {
        const std::uint32_t stride = stride_of(part.layout);
        for (std::int64_t i = 0; i < part.type->count; ++i) {
            GlobalPart element = part;
            element.layout = m_slang.type_layout_element(part.layout);
            element.type = part.type->element;
            element.name += text(".", i);
            element.offset += static_cast<std::uint32_t>(i) * stride;
            add(element);
        }
    }

    void add_value(const GlobalPart& part) {
        const bool needs_descriptor = part.type->kind == TypeKind::resource ||
                                      part.type->kind == TypeKind::other ||
                                      part.spelling.find(kHandle) != std::string::npos;
        GlobalField field{.name = part.name,
                          .block = m_session.files().constant_block_of(part.path.front()),
                          .type = part.type,
                          .offsets = {}};
        if (needs_descriptor || !add_offsets(part.layout, part.offset, field.offsets)) {
            m_out.unbound.push_back({part.name, part.spelling});
            return;
        }
        m_out.globals.push_back(std::move(field));
    }

    /// Where each scalar of a value lies; false if it holds anything else.
    bool add_offsets(SlangReflectionTypeLayout* layout, std::uint32_t base,
                     std::vector<std::uint32_t>& out) const {
        SlangReflectionType* const type = m_slang.type_layout_type(layout);
        switch (m_slang.type_kind(type)) {
        case SLANG_TYPE_KIND_SCALAR:
        case SLANG_TYPE_KIND_POINTER:
        case SLANG_TYPE_KIND_ENUM: out.push_back(base); return true;
        case SLANG_TYPE_KIND_VECTOR: add_vector(base, type, stride_of(layout), out); return true;
        case SLANG_TYPE_KIND_MATRIX: add_rows(layout, base, out); return true;
        case SLANG_TYPE_KIND_ARRAY: return add_element_offsets(layout, base, out);
        case SLANG_TYPE_KIND_STRUCT: return add_field_offsets(layout, base, out);
        default: return false;
        }
    }

    void add_rows(SlangReflectionTypeLayout* matrix, std::uint32_t base,
                  std::vector<std::uint32_t>& out) const {
        const unsigned rows =
            std::max(m_slang.type_row_count(m_slang.type_layout_type(matrix)), 1U);
        SlangReflectionTypeLayout* const row = m_slang.type_layout_element(matrix);
        for (unsigned i = 0; i < rows; ++i) {
            add_vector(base + i * (size_of(matrix) / rows), m_slang.type_layout_type(row),
                       stride_of(row), out);
        }
    }

    bool add_element_offsets(SlangReflectionTypeLayout* array, std::uint32_t base,
                             std::vector<std::uint32_t>& out) const {
        SlangReflectionTypeLayout* const element = m_slang.type_layout_element(array);
        const std::size_t count =
            m_slang.type_element_count(m_slang.type_layout_type(array), m_program);
        bool is_plain = count > 0 && count <= size_of(array);
        for (std::size_t i = 0; is_plain && i < count; ++i) {
            is_plain =
                add_offsets(element, base + static_cast<std::uint32_t>(i) * stride_of(array), out);
        }
        return is_plain;
    }

    bool add_field_offsets(SlangReflectionTypeLayout* structure, std::uint32_t base,
                           std::vector<std::uint32_t>& out) const {
        const unsigned count = m_slang.type_field_count(m_slang.type_layout_type(structure));
        bool is_plain = true;
        for (unsigned i = 0; is_plain && i < count; ++i) {
            SlangReflectionVariableLayout* const field = m_slang.type_layout_field(structure, i);
            is_plain = add_offsets(m_slang.layout_type(field), base + offset_of(field), out);
        }
        return is_plain;
    }

    void add_vector(std::uint32_t base, SlangReflectionType* type, std::uint32_t stride,
                    std::vector<std::uint32_t>& out) const {
        const std::size_t count = m_slang.type_element_count(type, m_program);
        for (std::size_t i = 0; i < count; ++i) {
            out.push_back(base + static_cast<std::uint32_t>(i) * stride);
        }
    }

    static bool is_numeric(const reflect::Type& leaf) {
        return leaf.kind == TypeKind::scalar || leaf.kind == TypeKind::enumeration;
    }

    /// The type of the parameter that a name in the code belongs to, "" if there is none.
    std::string type_of(const std::string& name) {
        const std::string own = name.substr(0, name.find('.')); // "queue.counter"
        for (unsigned i = 0; i < m_slang.program_parameter_count(m_program); ++i) {
            SlangReflectionVariableLayout* const parameter =
                m_slang.program_parameter(m_program, i);
            if (own == name_of(parameter)) {
                return m_types.full_name(m_slang.variable_type(m_slang.layout_variable(parameter)));
            }
        }
        return "";
    }

    bool lies_in_block(SlangReflectionTypeLayout* layout) const { return size_of(layout) > 0; }
    std::uint32_t size_of(SlangReflectionTypeLayout* layout) const {
        return static_cast<std::uint32_t>(
            m_slang.type_layout_size(layout, SLANG_PARAMETER_CATEGORY_UNIFORM));
    }
    std::uint32_t stride_of(SlangReflectionTypeLayout* layout) const {
        return static_cast<std::uint32_t>(
            m_slang.type_layout_stride(layout, SLANG_PARAMETER_CATEGORY_UNIFORM));
    }
    std::uint32_t offset_of(SlangReflectionVariableLayout* layout) const {
        return static_cast<std::uint32_t>(
            m_slang.layout_offset(layout, SLANG_PARAMETER_CATEGORY_UNIFORM));
    }

    Session& m_session;
    const SlangFunctions& m_slang;
    SlangReflection* m_program;
    DeclIndex m_index;
    TypeReader m_types;
    UsedGlobals m_used;
    KernelCode& m_out;
};

} // namespace

void read_program_globals(Session& session, slang::IComponentType* program, KernelCode& out) {
    auto* const layout = reinterpret_cast<SlangReflection*>(program->getLayout(0));
    if (layout != nullptr) {
        GlobalsReader(session, layout, out).read();
    }
}

} // namespace weft::compile
