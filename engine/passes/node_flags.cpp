#include "passes/op_facts.h"

#include "ir/keywords.h"
#include "ir/op_schema.h"

#include <algorithm>
#include <unordered_map>

namespace aotscope::passes {
namespace {

bool isZero(const ir::Argument& argument) {
    const auto* real = argument.as<double>();
    const auto* integer = argument.as<std::int64_t>();
    return (real != nullptr && *real == 0) || (integer != nullptr && *integer == 0);
}

/// Whether the call is one of attention whose `dropout_p` is known to be 0. Follows torch 2.15,
/// torch/_functorch/partitioners.py: is_nonzero_dropout_sdpa.
bool isAttentionWithoutDropout(const ir::Node& node) {
    const auto schema = ir::trySchema(node.target);
    if (!schema) {
        return false;
    }
    const auto parameter =
        std::ranges::find(schema->arguments, std::string_view("dropout_p"), &ir::SchemaArgument::name);
    if (parameter == schema->arguments.end()) {
        return false;
    }
    const auto position = static_cast<std::size_t>(parameter - schema->arguments.begin());
    if (position < node.args.size()) {
        return isZero(node.args[position]);
    }
    if (const ir::Argument* given = ir::tryKeyword(node.kwargs, "dropout_p")) {
        return isZero(*given);
    }
    return parameter->hasDefault && std::strtod(parameter->defaultText.c_str(), nullptr) == 0;
}

} // namespace

NodeFlags nodeFlags(const ir::Graph& graph, const PartitionRules& rules) {
    NodeFlags flags(graph.idBound(), 0);
    std::unordered_map<std::string_view, std::uint32_t> known;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.op != ir::Opcode::CallFunction) {
            continue;
        }
        const auto [entry, isNew] = known.try_emplace(node.target, 0U);
        if (isNew) {
            entry->second = opFlags(node.target, rules);
        }
        std::uint32_t& own = flags[id.index()];
        own = entry->second;
        if ((own & OpSeeded) != 0 &&
            !(rules.attentionDrawsOnlyForDropout && isAttentionWithoutDropout(node))) {
            own |= OpDraws;
        }
    }
    return flags;
}

} // namespace aotscope::passes
