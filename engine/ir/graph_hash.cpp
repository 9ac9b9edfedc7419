#include "ir/graph_hash.h"

#include "ir/bodies.h"

#include <bit>
#include <functional>

namespace aotscope::ir::detail {
namespace {

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
    std::uint64_t x = seed ^ (value + 0x9E3779B97F4A7C15ULL + (seed << 6U) + (seed >> 2U));
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31U);
}

std::uint64_t hashText(std::string_view text) {
    return std::hash<std::string_view>{}(text);
}

/// Hashes an argument; `ofNode` gives the hash of a node in it.
template<typename OfNode>
class ArgumentHash {
public:
    explicit ArgumentHash(const OfNode& ofNode) : m_ofNode(ofNode) {}

    std::uint64_t operator()(const Argument& argument) const {
        const std::uint64_t kind = argument.value.index();
        return mix(kind, std::visit([this](const auto& value) { return this->hash(value); }, argument.value));
    }

    [[nodiscard]] std::uint64_t ofCall(const Node& node) const {
        std::uint64_t result = hash(node.args);
        for (const KeywordArgument& keyword : node.kwargs) {
            // A sum, because the order of keywords has no meaning.
            result += mix(hashText(keyword.name), (*this)(keyword.value));
        }
        return result;
    }

private:
    [[nodiscard]] std::uint64_t hash(const Arguments& items) const {
        std::uint64_t result = items.size();
        for (const Argument& item : items) {
            result = mix(result, (*this)(item));
        }
        return result;
    }
    static std::uint64_t hash(const NoneArgument& /*none*/) { return 1; }
    static std::uint64_t hash(const EllipsisArgument& /*ellipsis*/) { return 2; }
    static std::uint64_t hash(bool value) { return value ? 1 : 0; }
    static std::uint64_t hash(std::int64_t value) { return static_cast<std::uint64_t>(value); }
    static std::uint64_t hash(double value) { return std::bit_cast<std::uint64_t>(value); }
    static std::uint64_t hash(const std::complex<double>& value) {
        return mix(hash(value.real()), hash(value.imag()));
    }
    static std::uint64_t hash(const std::string& value) { return hashText(value); }
    std::uint64_t hash(NodeId value) const { return m_ofNode(value); }
    static std::uint64_t hash(DType value) { return static_cast<std::uint64_t>(value); }
    static std::uint64_t hash(const SymbolArgument& value) { return hashText(value.expression.text()); }
    static std::uint64_t hash(const DeviceArgument& value) { return hashText(value.device.text()); }
    static std::uint64_t hash(const LayoutArgument& value) { return hashText(value.name); }
    static std::uint64_t hash(const MemoryFormatArgument& value) { return hashText(value.name); }
    static std::uint64_t hash(const OperatorArgument& value) { return hashText(value.target); }
    std::uint64_t hash(const OpaqueArgument& value) const {
        // A text that mentions nodes contains their names, so it cannot be hashed.
        std::uint64_t result = value.nodes.empty() ? hashText(value.text) : value.nodes.size();
        for (const NodeId node : value.nodes) {
            result = mix(result, m_ofNode(node));
        }
        return result;
    }
    std::uint64_t hash(const ListArgument& value) const { return hash(value.items); }
    std::uint64_t hash(const TupleArgument& value) const { return hash(value.items); }
    std::uint64_t hash(const std::shared_ptr<const SliceArgument>& value) const {
        return mix(mix((*this)(value->start), (*this)(value->stop)), (*this)(value->step));
    }
    std::uint64_t hash(const std::shared_ptr<const DictArgument>& value) const {
        std::uint64_t result = value->items.size();
        for (const auto& [key, item] : value->items) {
            result = mix(result, mix((*this)(key), (*this)(item)));
        }
        return result;
    }

    const OfNode& m_ofNode;
};

/// Hashes a node's operator without names: the targets of placeholders, outputs and nested graphs are names.
std::uint64_t hashOperator(const Graph& graph, const Node& node) {
    const auto op = static_cast<std::uint64_t>(node.op);
    const bool named = node.op == Opcode::Placeholder || node.op == Opcode::Output || bodyOf(graph, node);
    return named ? mix(op, 7) : mix(op, hashText(node.target));
}

std::uint64_t hashShape(const ValueMeta& value) {
    std::uint64_t result = value.index();
    if (const TensorMeta* tensor = asTensor(value)) {
        result = mix(result, static_cast<std::uint64_t>(tensor->dtype));
        for (const SymInt& size : tensor->shape) {
            result = mix(result, size.isSymbolic() ? hashText(size.expression().text())
                                                   : static_cast<std::uint64_t>(size.integer()));
        }
    }
    return result;
}

} // namespace

NodeHashes dataflowHashes(const Graph& graph, const std::vector<std::uint64_t>& placeholderSeeds) {
    NodeHashes hashes(graph.idBound(), 0);
    const auto ofNode = [&](NodeId id) { return id.index() < hashes.size() ? hashes[id.index()] : 0; };
    const ArgumentHash arguments(ofNode);
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        hashes[id.index()] = node.op == Opcode::Placeholder
                                 ? mix(3, placeholderSeeds[id.index()])
                                 : mix(hashOperator(graph, node), arguments.ofCall(node));
    }
    return hashes;
}

NodeHashes localHashes(const Graph& graph, int levels) {
    const auto nothing = [](NodeId /*id*/) { return std::uint64_t(5); };
    const ArgumentHash constants(nothing);
    NodeHashes hashes(graph.idBound(), 0);
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        hashes[id.index()] =
            mix(mix(hashOperator(graph, node), constants.ofCall(node)), hashShape(node.value));
    }
    for (int level = 0; level < levels; ++level) {
        NodeHashes wider = hashes;
        for (const NodeId id : graph.order()) {
            for (const NodeId input : graph.inputs(id)) {
                wider[id.index()] = mix(wider[id.index()], hashes[input.index()]);
            }
        }
        hashes = std::move(wider);
    }
    return hashes;
}

NodeHashes likenessHashes(const Graph& graph, Likeness likeness) {
    NodeHashes hashes(graph.idBound(), 0);
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        std::uint64_t hash = hashOperator(graph, node);
        if (likeness == Likeness::Shape) {
            hash = mix(hash, hashShape(node.value));
        } else if (likeness == Likeness::Source && node.origin && node.origin->source) {
            hash = mix(hash, hashText(node.origin->source->code));
        }
        hashes[id.index()] = hash;
    }
    return hashes;
}

} // namespace aotscope::ir::detail
