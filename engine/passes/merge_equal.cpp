#include "passes/merge_equal.h"

#include "passes/joint_program.h"

#include "ir/graph_builder.h"
#include "ir/higher_order.h"
#include "ir/keywords.h"
#include "ir/map_nodes.h"
#include "ir/storages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <unordered_map>

namespace aotscope::passes {
namespace {

void mix(std::size_t& hash, std::size_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29U;
}

/// In Python -1 and -2 have the same hash, as ints and as floats.
template<typename Number>
Number hashedAlike(Number number) {
    return number == -1 ? -2 : number;
}

/// Python's equality of calls: numbers by value and type, and unless floats are compared by their bits -0.0
/// is equal to 0.0 and NaN to nothing. Its hashes matter too: fx_graph_cse remembers only the first call of
/// each hash, so later calls with that hash never merge with one another.
class CallEquality {
public:
    CallEquality(const std::vector<ir::NodeId>& replacement, bool floatsByBits)
        : m_replacement(replacement), m_floatsByBits(floatsByBits) {}

    [[nodiscard]] std::size_t hash(const ir::Node& node) const {
        std::size_t value = std::hash<std::string_view>{}(node.target);
        ir::forEachArgument(node, [&](const ir::Argument& argument) { hashArgument(argument, value); });
        return value;
    }

    [[nodiscard]] bool equal(const ir::Node& left, const ir::Node& right) const {
        return left.target == right.target && equalItems(left.args, right.args) &&
               std::ranges::equal(left.kwargs, right.kwargs, [this](const auto& a, const auto& b) {
                   return a.name == b.name && equalArguments(a.value, b.value);
               });
    }

private:
    [[nodiscard]] ir::NodeId standing(ir::NodeId id) const {
        return m_replacement[id.index()].valid() ? m_replacement[id.index()] : id;
    }

    void hashArgument(const ir::Argument& argument, std::size_t& hash) const {
        mix(hash, argument.value.index());
        if (const auto* node = argument.as<ir::NodeId>()) {
            mix(hash, standing(*node).index());
        } else if (const auto* integer = argument.as<std::int64_t>()) {
            mix(hash, static_cast<std::size_t>(hashedAlike(*integer)));
        } else if (const auto* flag = argument.as<bool>()) {
            mix(hash, *flag ? 1 : 2);
        } else if (const auto* number = argument.as<double>()) {
            mix(hash, m_floatsByBits ? static_cast<std::size_t>(std::bit_cast<std::uint64_t>(*number))
                                     : std::hash<double>{}(hashedAlike(*number)));
        } else if (const auto* text = argument.as<std::string>()) {
            mix(hash, std::hash<std::string>{}(*text));
        } else if (const auto* dtype = argument.as<ir::DType>()) {
            mix(hash, static_cast<std::size_t>(*dtype));
        } else if (const ir::Arguments* items = ir::itemsOf(argument)) {
            for (const ir::Argument& item : *items) {
                hashArgument(item, hash);
            }
        }
    }

    [[nodiscard]] bool equalItems(const ir::Arguments& left, const ir::Arguments& right) const {
        return std::ranges::equal(left, right,
                                  [this](const auto& a, const auto& b) { return equalArguments(a, b); });
    }

    [[nodiscard]] bool equalArguments(const ir::Argument& left, const ir::Argument& right) const {
        if (left.value.index() != right.value.index()) {
            return false;
        }
        if (const auto* node = left.as<ir::NodeId>()) {
            return standing(*node) == standing(*right.as<ir::NodeId>());
        }
        if (const auto* number = left.as<double>()) {
            return m_floatsByBits ? left == right : *number == *right.as<double>();
        }
        if (const ir::Arguments* items = ir::itemsOf(left)) {
            return equalItems(*items, *ir::itemsOf(right));
        }
        // Each symbolic integer in an argument is a separate Python object, and opaque values are unknown.
        if (left.as<ir::SymbolArgument>() != nullptr || left.as<ir::OpaqueArgument>() != nullptr) {
            return false;
        }
        return left == right;
    }

    const std::vector<ir::NodeId>& m_replacement;
    bool m_floatsByBits;
};

/// By node id index: whether an output of the backward depends on the node.
std::vector<bool> neededByBackward(const ir::Graph& joint, const PartitionOptions& options) {
    std::vector<bool> needed(joint.idBound(), false);
    const std::vector<ir::NodeId> returned = ir::returnedNodes(joint);
    for (std::size_t i = returned.empty() ? 0 : forwardOutputsOf(joint, options); i < returned.size(); ++i) {
        if (returned[i].valid()) {
            needed[returned[i].index()] = true;
        }
    }
    for (auto id = joint.order().rbegin(); id != joint.order().rend(); ++id) {
        if (needed[id->index()]) {
            for (const ir::NodeId input : joint.inputs(*id)) {
                needed[input.index()] = true;
            }
        }
    }
    return needed;
}

void markNodes(const ir::Argument* argument, std::vector<bool>& marked) {
    if (argument != nullptr) {
        forEachLeaf(*argument, [&marked](const ir::Argument& leaf) {
            if (const auto* id = leaf.as<ir::NodeId>()) {
                marked[id->index()] = true;
            }
        });
    }
}

/// By node id index: whether a functional wrapper of a mutation writes to the node's value.
std::vector<bool> mutatedBuffers(const ir::Graph& joint) {
    std::vector<bool> mutated(joint.idBound(), false);
    for (const ir::NodeId id : joint.order()) {
        const ir::Node& node = joint.node(id);
        if (ir::isHigherOrder(node.target, ir::HigherOrder::AutoFunctionalizedV2)) {
            markNodes(ir::tryKeyword(node.kwargs, "_all_bases"), mutated);
        }
        for (const ir::Argument* written : writtenOperands(node)) {
            markNodes(written, mutated);
        }
    }
    return mutated;
}

/// By node id index: whether the node shares memory with an output of the graph.
std::vector<bool> aliasesOutput(const ir::Graph& joint, const std::vector<ir::NodeId>& order) {
    const ir::Storages storages = ir::deriveStorages(joint);
    std::vector<bool> isOutput(storages.count, false);
    const ir::NodeId output = order.back();
    for (const ir::NodeId input : joint.inputs(output)) {
        if (storages.ofNode[input.index()] != ir::noStorage && ir::asTensor(joint.node(input).value)) {
            isOutput[storages.ofNode[input.index()]] = true;
        }
    }
    std::vector<bool> aliases(joint.idBound(), false);
    for (const ir::NodeId id : order) {
        const std::uint32_t storage = storages.ofNode[id.index()];
        aliases[id.index()] =
            storage != ir::noStorage && isOutput[storage] && ir::asTensor(joint.node(id).value) != nullptr;
    }
    return aliases;
}

bool isMutation(const ir::Node& node, std::uint32_t flags) {
    if ((flags & OpOverload) != 0) {
        return (flags & OpMutable) != 0;
    }
    return std::ranges::any_of(node.kwargs, [](const ir::KeywordArgument& keyword) {
        return keyword.name == "out" && keyword.value.as<ir::NoneArgument>() == nullptr;
    });
}

struct Seen {
    ir::NodeId node;
    std::uint32_t region = 0;
};

/// By node id index: whether the node may not stand for an equal one, nor that one for it, because of its
/// memory.
std::vector<bool> nodesKeptApart(const ir::Graph& joint, const std::vector<ir::NodeId>& alive,
                                 const PartitionOptions& options) {
    std::vector<bool> apart = aliasesOutput(joint, alive);
    if (options.rules.keepsMutatedBuffersApart) {
        const std::vector<bool> mutated = mutatedBuffers(joint);
        std::transform(apart.begin(), apart.end(), mutated.begin(), apart.begin(), std::logical_or<>());
    }
    return apart;
}

Cleaned merged(const ir::Graph& joint, const std::vector<ir::NodeId>& alive, const PartitionOptions& options,
               const NodeFlags& nodeFlags) {
    Cleaned cleaned;
    cleaned.replacement.assign(joint.idBound(), ir::NodeId());
    cleaned.order.reserve(alive.size());
    const std::vector<bool> isKeptApart = nodesKeptApart(joint, alive, options);
    const std::uint32_t kept =
        OpNotMergeable | (options.rules.mergesPureCallsAlone ? OpImpure | OpSeeded : 0U);
    const CallEquality equality(cleaned.replacement, options.rules.comparesFloatsByBits);
    const std::vector<bool> backward = options.rules.mergesWithinAHalf
                                           ? neededByBackward(joint, options)
                                           : std::vector<bool>(joint.idBound(), false);
    std::array<std::unordered_map<std::size_t, Seen>, 2> seen;
    std::uint32_t region = 0;
    for (const ir::NodeId id : alive) {
        const ir::Node& node = joint.node(id);
        region += isMutation(node, nodeFlags[id.index()]) ? 1U : 0U;
        if (node.op == ir::Opcode::CallFunction && (nodeFlags[id.index()] & kept) == 0 &&
            !isKeptApart[id.index()]) {
            auto& alike = seen.at(backward[id.index()] ? 1 : 0);
            const auto [entry, isNew] = alike.try_emplace(equality.hash(node), Seen{id, region});
            if (!isNew && equality.equal(node, joint.node(entry->second.node))) {
                if (entry->second.region == region) {
                    cleaned.replacement[id.index()] = entry->second.node;
                    continue;
                }
                entry->second = {id, region};
            }
        }
        cleaned.order.push_back(id);
    }
    return cleaned;
}

} // namespace

Cleaned withoutDeadCode(const ir::Graph& joint, const PartitionOptions& options, const NodeFlags& nodeFlags) {
    std::vector<bool> used(joint.idBound(), false);
    std::vector<ir::NodeId> alive;
    alive.reserve(joint.size());
    for (auto id = joint.order().rbegin(); id != joint.order().rend(); ++id) {
        const ir::Node& node = joint.node(*id);
        const std::uint32_t flags = nodeFlags[id->index()];
        const bool kept = node.op == ir::Opcode::Placeholder || node.op == ir::Opcode::Output ||
                          (flags & OpImpure) != 0 || (options.keepUnusedRandom && (flags & OpSeeded) != 0) ||
                          used[id->index()];
        if (!kept) {
            continue;
        }
        alive.push_back(*id);
        for (const ir::NodeId input : joint.inputs(*id)) {
            used[input.index()] = true;
        }
    }
    std::ranges::reverse(alive);
    return {std::move(alive), std::vector<ir::NodeId>(joint.idBound())};
}

Cleaned withoutEqualCalls(const ir::Graph& joint, Cleaned alive, const PartitionOptions& options,
                          const NodeFlags& nodeFlags) {
    const bool hasOutput = !alive.order.empty() && joint.node(alive.order.back()).op == ir::Opcode::Output;
    return options.mergeCommonSubexpressions && hasOutput ? merged(joint, alive.order, options, nodeFlags)
                                                          : std::move(alive);
}

ir::GraphPtr cleanedGraph(const ir::GraphPtr& joint, const Cleaned& cleaned) {
    if (cleaned.order.size() == joint->size()) {
        return joint;
    }
    ir::GraphBuilder graph(*joint);
    std::vector<bool> gone(joint->idBound(), true);
    for (const ir::NodeId id : cleaned.order) {
        gone[id.index()] = false;
        graph.mapArguments(id, [&cleaned](ir::NodeId used) {
            const ir::NodeId other = cleaned.replacement[used.index()];
            return other.valid() ? other : used;
        });
    }
    graph.erase(gone);
    return graph.finish();
}

} // namespace aotscope::passes
