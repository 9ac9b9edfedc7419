#include "passes/merge_equal.h"

#include "ir/storages.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

namespace aotscope::passes {
namespace {

std::vector<ir::NodeId> aliveNodes(const ir::Graph& joint, const PartitionOptions& options,
                                   const NodeFlags& nodeFlags) {
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
    std::reverse(alive.begin(), alive.end());
    return alive;
}

void mix(std::size_t& hash, std::size_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29U;
}

/// In Python -1 and -2 have the same hash, as ints and as floats.
template<typename Number>
Number hashedAlike(Number number) {
    return number == -1 ? -2 : number;
}

/// Python's equality of calls: numbers by value and type, -0.0 equal to 0.0, NaN equal to nothing. Its hashes
/// matter too: fx_graph_cse remembers only the first call of each hash, so later calls with that hash never
/// merge with one another.
class CallEquality {
public:
    explicit CallEquality(const std::vector<ir::NodeId>& replacement) : m_replacement(replacement) {}

    [[nodiscard]] std::size_t hash(const ir::Node& node) const {
        std::size_t value = std::hash<std::string_view>{}(node.target);
        for (const ir::Argument& argument : node.args) {
            hashArgument(argument, value);
        }
        for (const ir::KeywordArgument& keyword : node.kwargs) {
            hashArgument(keyword.value, value);
        }
        return value;
    }

    [[nodiscard]] bool equal(const ir::Node& left, const ir::Node& right) const {
        return left.target == right.target &&
               std::equal(left.args.begin(), left.args.end(), right.args.begin(), right.args.end(),
                          [this](const auto& a, const auto& b) { return equalArguments(a, b); }) &&
               std::equal(left.kwargs.begin(), left.kwargs.end(), right.kwargs.begin(), right.kwargs.end(),
                          [this](const auto& a, const auto& b) {
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
            mix(hash, std::hash<double>{}(hashedAlike(*number)));
        } else if (const auto* text = argument.as<std::string>()) {
            mix(hash, std::hash<std::string>{}(*text));
        } else if (const auto* dtype = argument.as<ir::DType>()) {
            mix(hash, static_cast<std::size_t>(*dtype));
        } else if (const auto* list = argument.as<ir::ListArgument>()) {
            for (const ir::Argument& item : list->items) {
                hashArgument(item, hash);
            }
        } else if (const auto* tuple = argument.as<ir::TupleArgument>()) {
            for (const ir::Argument& item : tuple->items) {
                hashArgument(item, hash);
            }
        }
    }

    [[nodiscard]] bool equalItems(const ir::Arguments& left, const ir::Arguments& right) const {
        return std::equal(left.begin(), left.end(), right.begin(), right.end(),
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
            return *number == *right.as<double>();
        }
        if (const auto* list = left.as<ir::ListArgument>()) {
            return equalItems(list->items, right.as<ir::ListArgument>()->items);
        }
        if (const auto* tuple = left.as<ir::TupleArgument>()) {
            return equalItems(tuple->items, right.as<ir::TupleArgument>()->items);
        }
        // Each symbolic integer in an argument is a separate Python object, and opaque values are unknown.
        if (left.as<ir::SymbolArgument>() != nullptr || left.as<ir::OpaqueArgument>() != nullptr) {
            return false;
        }
        return left == right;
    }

    const std::vector<ir::NodeId>& m_replacement;
};

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
    return std::any_of(node.kwargs.begin(), node.kwargs.end(), [](const ir::KeywordArgument& keyword) {
        return keyword.name == "out" && keyword.value.as<ir::NoneArgument>() == nullptr;
    });
}

struct Seen {
    ir::NodeId node;
    std::uint32_t region = 0;
};

Cleaned merged(const ir::Graph& joint, const std::vector<ir::NodeId>& alive, const NodeFlags& nodeFlags) {
    Cleaned cleaned;
    cleaned.replacement.assign(joint.idBound(), ir::NodeId());
    cleaned.order.reserve(alive.size());
    const std::vector<bool> keptApart = aliasesOutput(joint, alive);
    const CallEquality equality(cleaned.replacement);
    std::unordered_map<std::size_t, Seen> seen;
    seen.reserve(alive.size());
    std::uint32_t region = 0;
    for (const ir::NodeId id : alive) {
        const ir::Node& node = joint.node(id);
        const std::uint32_t flags = nodeFlags[id.index()];
        region += isMutation(node, flags) ? 1U : 0U;
        const bool mergeable =
            node.op == ir::Opcode::CallFunction && (flags & OpNotMergeable) == 0 && !keptApart[id.index()];
        if (mergeable) {
            const auto [entry, isNew] = seen.try_emplace(equality.hash(node), Seen{id, region});
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

Cleaned cleanJointGraph(const ir::Graph& joint, const PartitionOptions& options, const NodeFlags& nodeFlags) {
    std::vector<ir::NodeId> alive = aliveNodes(joint, options, nodeFlags);
    const bool hasOutput = !alive.empty() && joint.node(alive.back()).op == ir::Opcode::Output;
    if (options.mergeCommonSubexpressions && hasOutput) {
        return merged(joint, alive, nodeFlags);
    }
    return {std::move(alive), std::vector<ir::NodeId>(joint.idBound())};
}

} // namespace aotscope::passes
