// SPDX-License-Identifier: Apache-2.0
#include "lower/nodes.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "lower/emitter.hpp"
#include "lower/fusion.hpp"
#include "lower/images.hpp"
#include "lower/inputs.hpp"
#include "lower/noises.hpp"
#include "lower/sockets.hpp"
#include "lower/tree_sockets.hpp"
#include "lower/zones.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

namespace weft::lower {

using core::text;
using dag::Op;

namespace {

constexpr std::size_t kMaxLive =
    240; ///< floats; Cycles makes materials black above about 250, and says nothing
constexpr std::string_view kAxes = "XYZ";
constexpr std::size_t kMaxNodes = 20'000;

class Lowering {
public:
    Lowering(const Call& call, const dag::Function& function, const NodeOptions& options)
        : m_call(call), m_function(function), m_graph(function.graph) {
        m_tree.kind = options.kind;
        m_tree.version = options.version;
        if (options.kind == TreeKind::geometry) {
            m_emitter = std::make_unique<GeometryEmitter>(m_tree, m_graph);
        } else {
            m_emitter = std::make_unique<FloatEmitter>(m_tree, m_graph);
        }
    }

    std::vector<TreeSocket> sockets(const Value& value, bool is_input) const {
        const auto scalar = [&](const Leaf& leaf) {
            return is_input && m_emitter->is_menu(leaf) ? "NodeSocketMenu"
                                                        : m_emitter->socket_type(leaf);
        };
        const bool has_bundles =
            m_tree.kind != TreeKind::compositor && m_tree.version >= BlenderVersion{5, 2};
        return tree_sockets(value, {scalar, m_tree.kind == TreeKind::geometry, has_bundles});
    }

    Tree run() {
        m_tree.nodes.push_back({"NodeGroupInput", {}, {}});
        read_sockets();
        read_images();
        const std::vector<FusedOperation> fused = fuse(m_function, m_tree.kind);
        for (const dag::NodeId id : m_function.live()) {
            if (fused[id].kind == Fused::absorbed || m_graph[id].op == Op::join) {
                continue;
            }
            try {
                m_sources[id] =
                    fused[id].kind == Fused::none ? lower_node(id) : lower_fused(fused[id]);
            } catch (const core::ArgumentError& error) {
                dag::refuse_at(error, m_graph.origin(id), m_function.files);
            }
            if (m_tree.nodes.size() > kMaxNodes) {
                throw core::ArgumentError(text("lower: more than ", kMaxNodes,
                                               " nodes; give loops fewer rounds, or use OSL"));
            }
        }
        write_sockets();
        drop_unused();
        if (m_tree.kind == TreeKind::shader) {
            check_live();
        }
        if (m_tree.kind == TreeKind::geometry) {
            make_zones(m_tree);
        }
        return std::move(m_tree);
    }

private:
    static constexpr std::uint32_t kComponents = 4; ///< of a lookup

    struct LookupLinks {
        std::uint32_t node = 0;
        std::map<std::string, std::uint32_t> parts; ///< nodes that separate its vectors, by output
    };
    using LookupKey = std::pair<std::string, std::array<dag::NodeId, 3>>;

    void read_sockets() {
        for (const Value& value : m_call.inputs) {
            for (TreeSocket& socket : sockets(value, true)) {
                read_socket(socket, Link{0, std::to_string(m_tree.inputs.size())});
                m_tree.inputs.push_back(std::move(socket));
            }
        }
    }

    void read_socket(const TreeSocket& socket, const Source& whole) {
        if (!socket.items.empty()) {
            read_bundle(socket, whole);
            return;
        }
        if (socket.leaves.size() == 1) {
            put(socket.leaves[0], whole);
            return;
        }
        const bool is_matrix = socket.leaves.size() == kMatrixLeaves;
        TreeNode node{is_matrix ? "FunctionNodeSeparateMatrix" : "ShaderNodeSeparateXYZ", {}, {}};
        node.inputs.push_back({is_matrix ? "Matrix" : "Vector", whole});
        const std::uint32_t parts = m_emitter->add(std::move(node));
        for (std::size_t k = 0; k < socket.leaves.size(); k++) {
            Link part{parts, is_matrix ? matrix_socket(k) : std::string(1, kAxes[k])};
            put(socket.leaves[k], std::move(part));
        }
    }

    void read_bundle(const TreeSocket& socket, const Source& whole) {
        TreeNode node = bundle_node("NodeSeparateBundle", socket.items);
        node.inputs.push_back({"Bundle", with_defaults(socket, whole)});
        const std::uint32_t parts = m_emitter->add(std::move(node));
        for (std::size_t k = 0; k < socket.items.size(); k++) {
            read_socket(socket.items[k], Link{parts, item_socket(k)});
        }
    }

    /// A bundle in which items that are not in the one that is given have their values by default: Separate Bundle gives 0.
    Source with_defaults(const TreeSocket& socket, const Source& given) {
        // All items are there, so that what people read of them is the same as elsewhere.
        TreeNode node = bundle_node("NodeCombineBundle", socket.items);
        for (std::size_t k = 0; k < socket.items.size(); k++) {
            const TreeSocket& item = socket.items[k];
            if (item.items.empty() && has_default(item)) {
                node.inputs.push_back({item_socket(k), default_of(item)});
            }
        }
        if (node.inputs.empty()) {
            return given;
        }
        const Source defaults = Link{m_emitter->add(std::move(node)), "Bundle"};
        return m_emitter->node("NodeJoinBundle", {}, {{"Defaults", defaults}, {"Bundle", given}},
                               "Bundle");
    }

    Source default_of(const TreeSocket& item) {
        std::vector<Source> numbers;
        for (const Leaf& leaf : item.leaves) {
            numbers.emplace_back(leaf.default_value);
        }
        if (numbers.size() > 1) {
            return vector_of(numbers, 3);
        }
        const auto whole = static_cast<std::int64_t>(item.leaves[0].default_value);
        if (item.type == "NodeSocketInt") {
            return whole;
        }
        return item.type == "NodeSocketBool" ? Source(whole != 0) : numbers[0];
    }

    /// Geometry trees have sockets for images, others nodes that hold them.
    void read_images() {
        m_images = image_slots(m_call, m_function);
        if (m_tree.kind != TreeKind::geometry) {
            m_tree.images = m_images;
            return;
        }
        for (const ImageSlot& slot : m_images) {
            m_image_sockets.push_back(std::to_string(m_tree.inputs.size()));
            m_tree.inputs.push_back({slot.name, "NodeSocketImage", {}, slot.hints});
        }
    }

    void put(const Leaf& leaf, Source source) {
        (leaf.is_real ? m_reals : m_integers)[leaf.number] = {leaf, std::move(source)};
    }

    Source lower_node(dag::NodeId id) {
        const dag::Node& own = m_graph[id];
        switch (own.op) {
        case Op::constant: return m_emitter->constant(own);
        case Op::input: {
            const bool is_real = own.type == dag::Scalar::real;
            if (is_real && own.payload >= m_function.first_named) {
                return lower_named(own.payload - m_function.first_named);
            }
            const auto& [leaf, source] = (is_real ? m_reals : m_integers).at(own.payload);
            return m_emitter->from_socket(leaf, source);
        }
        case Op::lookup: return lower_lookup(own);
        default: break;
        }
        std::vector<Source> arguments;
        arguments.reserve(own.count);
        for (std::size_t i = 0; i < own.count; i++) {
            arguments.push_back(m_sources.at(own.arguments[i]));
        }
        return m_emitter->emit(id, arguments);
    }

    /// @param number of a component of a named input
    Source lower_named(std::uint32_t number) {
        const dag::NamedInput& input = m_function.named.at(number / kComponents);
        const auto [known, is_new] = m_named.try_emplace(number / kComponents);
        if (is_new) {
            InputNode made = input_node(input, m_call.literals, m_tree.kind, m_tree.version);
            known->second = {m_emitter->add(std::move(made.node)), std::move(made.output)};
            if (components_of(input) > 1) {
                known->second.node = m_emitter->add(
                    {"ShaderNodeSeparateXYZ", {}, {{"Vector", Source(known->second)}}});
            }
        }
        return components_of(input) == 1
                   ? known->second
                   : Link{known->second.node, std::string(1, kAxes[number % kComponents])};
    }

    Source lower_lookup(const dag::Node& own) {
        const dag::Texture& texture = m_function.textures.at(own.payload / kComponents);
        const std::optional<NoiseNode> noise = noise_node(texture.name);
        if (!noise) {
            return lower_image(own, slot_of(texture, m_call, m_images));
        }
        // Textures of which one has the distance and the other the place are one node.
        std::string key = noise->type;
        for (const auto& [name, value] : noise->properties) {
            key += '.' + value;
        }
        const auto [known, is_new] =
            m_lookups.try_emplace({std::move(key), own.arguments}, LookupLinks{});
        LookupLinks& links = known->second;
        if (is_new) {
            links.node = add_noise(*noise, m_graph.coordinates_of(own));
        }
        const NoiseNode::Out& out = noise->outputs.at(own.payload % kComponents);
        return part_of(links, std::string(out.socket), out.part);
    }

    /// @param part "X" of an output that is a vector; "" of one that is a number
    Source part_of(LookupLinks& links, const std::string& output, std::string_view part) {
        Link whole{links.node, output};
        if (part.empty()) {
            return whole;
        }
        const auto [parts, is_first] = links.parts.try_emplace(output, 0);
        if (is_first) {
            parts->second =
                m_emitter->add({"ShaderNodeSeparateXYZ", {}, {{"Vector", Source(whole)}}});
        }
        return Link{parts->second, std::string(part)};
    }

    Source lower_image(const dag::Node& own, std::size_t slot) {
        if (m_tree.kind == TreeKind::compositor) {
            throw core::ArgumentError("lower: a tree of the compositor has no Image Texture node; "
                                      "take the color of an Image node as a parameter");
        }
        const auto [known, is_new] =
            m_lookups.try_emplace({text("image.", slot), own.arguments}, LookupLinks{});
        if (is_new) {
            known->second.node = add_image(slot, m_graph.coordinates_of(own));
        }
        constexpr std::uint32_t kAlpha = 3;
        const std::uint32_t component = own.payload % kComponents;
        return component == kAlpha ? part_of(known->second, "Alpha", "")
                                   : part_of(known->second, "Color", kAxes.substr(component, 1));
    }

    std::uint32_t add_image(std::size_t slot, const std::vector<dag::NodeId>& coordinates) {
        TreeNode node{
            "ShaderNodeTexImage",
            {{"interpolation", "Linear"}, {"extension", "REPEAT"}},
            {{"Vector",
              vector_of({m_sources.at(coordinates.at(0)), m_sources.at(coordinates.at(1))}, 2)}}};
        if (m_tree.kind == TreeKind::geometry) {
            node.type = "GeometryNodeImageTexture";
            node.inputs.push_back({"Image", Link{0, m_image_sockets.at(slot)}});
        } else {
            node.properties.emplace_back("projection", "FLAT");
            node.properties.emplace_back("image", m_images.at(slot).name);
        }
        return m_emitter->add(std::move(node));
    }

    std::uint32_t add_noise(const NoiseNode& noise, const std::vector<dag::NodeId>& coordinates) {
        TreeNode node{noise.type, noise.properties, {}};
        if (noise.has_scale) {
            node.inputs.push_back({"Scale", 1.0});
        }
        for (const NoiseNode::In& input : noise.inputs) {
            std::vector<Source> sources;
            sources.reserve(input.count);
            for (std::size_t k = 0; k < input.count; k++) {
                sources.push_back(m_sources.at(coordinates.at(input.first + k)));
            }
            node.inputs.push_back({std::string(input.socket), input.count == 1
                                                                  ? std::move(sources[0])
                                                                  : vector_of(sources, 2)});
        }
        return m_emitter->add(std::move(node));
    }

    /// A vector whose components are these; the one that they were taken from, if they are `whole` or more.
    Source vector_of(const std::vector<Source>& sources, std::size_t whole) {
        const auto* first = std::get_if<Link>(&sources[0]);
        bool is_whole = sources.size() >= whole && first != nullptr &&
                        m_tree.nodes[first->node].type == "ShaderNodeSeparateXYZ";
        std::vector<Input> inputs;
        for (const Source& source : sources) {
            const std::string axis(1, kAxes[inputs.size()]);
            const auto* link = std::get_if<Link>(&source);
            is_whole =
                is_whole && link != nullptr && link->node == first->node && link->socket == axis;
            inputs.push_back({axis, source});
        }
        return is_whole ? m_tree.nodes[first->node].inputs[0].source
                        : m_emitter->node("ShaderNodeCombineXYZ", {}, std::move(inputs), "Vector");
    }

    Source lower_fused(const FusedOperation& operation) {
        std::array<Source, 4> arguments;
        for (std::size_t k = 0; k < arguments.size(); k++) {
            const auto found = m_sources.find(operation.arguments[k]);
            if (found != m_sources.end()) {
                arguments[k] =
                    operation.is_negated[k] ? -std::get<double>(found->second) : found->second;
            }
        }
        return m_emitter->emit_fused(operation.kind, arguments);
    }

    void write_sockets() {
        for (const Value& value : m_call.results) {
            for (TreeSocket& socket : sockets(value, false)) {
                m_tree.results.push_back(result_of(socket));
                m_tree.outputs.push_back(std::move(socket));
            }
        }
    }

    Source result_of(const TreeSocket& socket) {
        if (!socket.items.empty()) {
            TreeNode node = bundle_node("NodeCombineBundle", socket.items);
            for (std::size_t k = 0; k < socket.items.size(); k++) {
                node.inputs.push_back({item_socket(k), result_of(socket.items[k])});
            }
            return Link{m_emitter->add(std::move(node)), "Bundle"};
        }
        const auto source = [&](const Leaf& leaf) {
            return m_sources.at(
                (leaf.is_real ? m_function.real_results : m_function.integer_results)
                    .at(leaf.number));
        };
        if (socket.leaves.size() == 1) {
            return source(socket.leaves[0]);
        }
        std::vector<Source> sources;
        sources.reserve(socket.leaves.size());
        std::transform(socket.leaves.begin(), socket.leaves.end(), std::back_inserter(sources),
                       source);
        return sources.size() == kMatrixLeaves ? matrix_of(sources) : vector_of(sources, 3);
    }

    /// A matrix of these elements, row by row; the one that they were taken from, if they are all of it.
    Source matrix_of(const std::vector<Source>& sources) {
        const auto* first = std::get_if<Link>(&sources[0]);
        bool is_whole =
            first != nullptr && m_tree.nodes[first->node].type == "FunctionNodeSeparateMatrix";
        std::vector<Input> inputs;
        inputs.reserve(sources.size());
        for (const Source& source : sources) {
            std::string element = matrix_socket(inputs.size());
            is_whole = is_whole && source == Source(Link{first->node, element});
            inputs.push_back({std::move(element), source});
        }
        return is_whole
                   ? m_tree.nodes[first->node].inputs[0].source
                   : m_emitter->node("FunctionNodeCombineMatrix", {}, std::move(inputs), "Matrix");
    }

    /// Takes away what separates vectors that only textures take, as a whole.
    void drop_unused() {
        std::vector<std::uint32_t> numbers(m_tree.nodes.size(), 0);
        numbers[0] = 1;
        const auto mark = [&](const Source& source) {
            if (const auto* link = std::get_if<Link>(&source)) {
                numbers[link->node] = 1;
            }
        };
        std::for_each(m_tree.results.begin(), m_tree.results.end(), mark);
        for (std::size_t i = m_tree.nodes.size(); i-- > 0;) {
            for (const Input& input : m_tree.nodes[i].inputs) {
                if (numbers[i] != 0) {
                    mark(input.source);
                }
            }
        }
        std::vector<TreeNode> kept;
        for (std::size_t i = 0; i < numbers.size(); i++) {
            if (numbers[i] != 0) {
                numbers[i] = static_cast<std::uint32_t>(kept.size());
                kept.push_back(std::move(m_tree.nodes[i]));
            }
        }
        const auto renumber = [&](Source& source) {
            if (auto* link = std::get_if<Link>(&source)) {
                link->node = numbers[link->node];
            }
        };
        for (TreeNode& node : kept) {
            for (Input& input : node.inputs) {
                renumber(input.source);
            }
        }
        std::for_each(m_tree.results.begin(), m_tree.results.end(), renumber);
        m_tree.nodes = std::move(kept);
    }

    /// Values that are still needed after each node, in the order of the nodes.
    void check_live() const {
        std::unordered_map<std::uint32_t, std::size_t> last_use;
        for (std::size_t i = 0; i < m_tree.nodes.size(); i++) {
            for (const Input& input : m_tree.nodes[i].inputs) {
                if (const auto* link = std::get_if<Link>(&input.source)) {
                    last_use[link->node] = i;
                }
            }
        }
        std::vector<std::size_t> ends(m_tree.nodes.size() + 1, 0);
        std::size_t live = 0;
        std::size_t most = 0;
        for (std::size_t i = 0; i < m_tree.nodes.size(); i++) {
            live -= ends[i];
            const auto use = last_use.find(static_cast<std::uint32_t>(i));
            if (use != last_use.end()) {
                live++;
                ends[use->second]++;
            }
            most = std::max(most, live);
        }
        if (most > kMaxLive) {
            throw core::ArgumentError(text("lower: ", most,
                                           " values are needed at once, and Cycles holds ",
                                           kMaxLive, "; compute fewer at once, or use OSL"));
        }
    }

    const Call& m_call;
    const dag::Function& m_function;
    const dag::Graph& m_graph;
    Tree m_tree;
    std::unique_ptr<Emitter> m_emitter;
    std::unordered_map<std::uint32_t, std::pair<Leaf, Source>> m_reals;
    std::unordered_map<std::uint32_t, std::pair<Leaf, Source>> m_integers;
    std::unordered_map<dag::NodeId, Source> m_sources;
    std::unordered_map<std::uint32_t, Link> m_named; ///< inputs, or what separates them
    std::map<LookupKey, LookupLinks> m_lookups;      ///< by kind and place
    std::vector<ImageSlot> m_images;
    std::vector<std::string> m_image_sockets; ///< of the group's input, by slot
};

} // namespace

Tree make_tree(const Call& call, const dag::Function& function, const NodeOptions& options) {
    return Lowering(call, function, options).run();
}

Tree make_sockets(const Call& call) {
    Tree tree;
    const auto add = [](const std::vector<Value>& values, std::vector<TreeSocket>& sockets) {
        for (const Value& value : values) {
            for (TreeSocket& socket :
                 tree_sockets(value, {[](const Leaf&) { return "NodeSocketFloat"; }})) {
                sockets.push_back(std::move(socket));
            }
        }
    };
    add(call.inputs, tree.inputs);
    add(call.results, tree.outputs);
    return tree;
}

} // namespace weft::lower
