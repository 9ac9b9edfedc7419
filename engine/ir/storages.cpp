#include "ir/storages.h"

#include "ir/higher_order.h"
#include "ir/op_schema.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace aotscope::ir {
namespace {

/// For each value that an operator returns, the argument whose memory it shares, if any.
struct ReturnAliases {
    std::vector<std::optional<std::size_t>> argumentOf;
    /// Whether the operator returns a list of views of one argument ("Tensor(a)[]").
    bool listOfViews = false;
};

/// "a" of "Tensor(a!)", "Tensor(a -> *)", "Tensor(b|a)"; empty: none.
std::string aliasSet(const std::string& type) {
    const std::size_t open = type.find('(');
    if (type.rfind("Tensor", 0) != 0 || open != 6) {
        return {};
    }
    const std::size_t end = type.find_first_of("!)| ", open + 1);
    return end == std::string::npos ? std::string() : type.substr(open + 1, end - open - 1);
}

ReturnAliases aliasesOf(const std::string& target) {
    ReturnAliases aliases;
    // The schema hides from autograd that these are views.
    const Operator op(target);
    if (op.is(Trait::HiddenView | Trait::HiddenViews)) {
        aliases.argumentOf.emplace_back(0);
        aliases.listOfViews = op.is(Trait::HiddenViews);
        return aliases;
    }
    const auto schema = trySchema(target);
    if (!schema) {
        return aliases;
    }
    for (const std::string& type : schema->returns) {
        std::optional<std::size_t> source;
        const std::string set = aliasSet(type);
        for (std::size_t i = 0; i < schema->arguments.size() && !set.empty() && !source; ++i) {
            if (aliasSet(schema->arguments[i].type) == set) {
                source = i;
            }
        }
        // "(Tensor(a -> *) self) -> Tensor(a)[]": the elements of the list are views.
        aliases.listOfViews = aliases.listOfViews || (source && type.find("[]") != std::string::npos);
        aliases.argumentOf.push_back(source);
    }
    return aliases;
}

class Derivation {
public:
    Derivation(const Graph& graph, int depth) : m_graph(graph), m_depth(depth) {
        m_storages.ofNode.assign(graph.idBound(), noStorage);
    }

    Storages derive() {
        for (const NodeId id : m_graph.order()) {
            m_storages.ofNode[id.index()] = storageOf(id);
        }
        return std::move(m_storages);
    }

private:
    std::uint32_t storageOf(NodeId id) {
        const Node& node = m_graph.node(id);
        if (node.op == Opcode::Output) {
            return noStorage;
        }
        if (node.op == Opcode::CallFunction) {
            if (node.target == "_operator.getitem") {
                return elementStorage(node);
            }
            const ReturnAliases& aliases = known(node.target);
            if (aliases.argumentOf.size() == 1 && aliases.argumentOf[0]) {
                return argumentStorage(node, *aliases.argumentOf[0]);
            }
        }
        return asTensor(node.value) != nullptr ? m_storages.count++ : noStorage;
    }

    std::uint32_t elementStorage(const Node& node) {
        const NodeId* parent = node.tryArg<NodeId>(0);
        const auto* index = node.tryArg<std::int64_t>(1);
        if (parent != nullptr && m_graph.node(*parent).op == Opcode::CallFunction) {
            const Node& source = m_graph.node(*parent);
            if (isHigherOrder(source.target, HigherOrder::InvokeSubgraph)) {
                return resultOfSubgraph(node, source, index);
            }
            const ReturnAliases& aliases = known(source.target);
            if (aliases.listOfViews && m_storages.ofNode[parent->index()] != noStorage) {
                return m_storages.ofNode[parent->index()];
            }
            const bool inRange = index != nullptr && *index >= 0 &&
                                 static_cast<std::size_t>(*index) < aliases.argumentOf.size();
            if (inRange && aliases.argumentOf[static_cast<std::size_t>(*index)]) {
                return argumentStorage(source, *aliases.argumentOf[static_cast<std::size_t>(*index)]);
            }
        }
        return asTensor(node.value) != nullptr ? m_storages.count++ : noStorage;
    }

    /// If a subgraph returns a view of one of its inputs, the call's result has the operand's storage.
    std::uint32_t resultOfSubgraph(const Node& node, const Node& call, const std::int64_t* index) {
        const NodeId* body = call.tryArg<NodeId>(0);
        if (body != nullptr && index != nullptr && *index >= 0) {
            const std::vector<std::size_t>& inputs = subgraphAliases(m_graph.node(*body).target);
            const auto position = static_cast<std::size_t>(*index);
            if (position < inputs.size() && inputs[position] != noInput) {
                // The operands follow the body and its identifier.
                return argumentStorage(call, inputs[position] + 2, node);
            }
        }
        return asTensor(node.value) != nullptr ? m_storages.count++ : noStorage;
    }

    /// For each value that a subgraph returns, the input whose memory it shares, or noInput.
    const std::vector<std::size_t>& subgraphAliases(const std::string& name) {
        const auto [entry, isNew] = m_subgraphs.try_emplace(name);
        const GraphPtr body = isNew ? m_graph.trySubgraph(name) : nullptr;
        if (body && m_depth > 0) {
            const Storages storages = Derivation(*body, m_depth - 1).derive();
            const std::vector<NodeId> inputs = body->placeholders();
            for (const NodeId returned : returnedNodes(*body)) {
                const std::uint32_t storage =
                    returned.valid() ? storages.ofNode[returned.index()] : noStorage;
                const auto same = std::ranges::find_if(inputs, [&](NodeId input) {
                    return storage != noStorage && storages.ofNode[input.index()] == storage;
                });
                entry->second.push_back(
                    same == inputs.end() ? noInput : static_cast<std::size_t>(same - inputs.begin()));
            }
        }
        return entry->second;
    }

    std::uint32_t argumentStorage(const Node& call, std::size_t position) {
        return argumentStorage(call, position, call);
    }

    /// The storage of an operand; if it has none, a new one if `result` is a tensor.
    std::uint32_t argumentStorage(const Node& node, std::size_t position, const Node& result) {
        const NodeId* source = node.tryArg<NodeId>(position);
        if (source != nullptr && m_storages.ofNode[source->index()] != noStorage) {
            return m_storages.ofNode[source->index()];
        }
        return asTensor(result.value) != nullptr ? m_storages.count++ : noStorage;
    }

    const ReturnAliases& known(const std::string& target) {
        const auto found = m_aliases.find(target);
        return found != m_aliases.end() ? found->second
                                        : m_aliases.emplace(target, aliasesOf(target)).first->second;
    }

    static constexpr std::size_t noInput = static_cast<std::size_t>(-1);

    const Graph& m_graph;
    int m_depth;
    Storages m_storages;
    std::unordered_map<std::string, std::vector<std::size_t>> m_subgraphs;
    std::unordered_map<std::string_view, ReturnAliases> m_aliases;
};

} // namespace

Storages deriveStorages(const Graph& graph) {
    constexpr int deepestSubgraph = 8;
    return Derivation(graph, deepestSubgraph).derive();
}

} // namespace aotscope::ir
