#include "ir/verifier_rules.h"

#include <algorithm>

namespace aotscope::ir::detail {
namespace {

constexpr std::string_view openReturns = "...";

/// How many keyword arguments are called `name`.
std::size_t timesGiven(const Node& node, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::count_if(
        node.kwargs, [name](const KeywordArgument& keyword) { return keyword.name == name; }));
}

bool isOpen(const OpSchema& schema) {
    return schema.variadic || std::ranges::find(schema.returns, openReturns) != schema.returns.end();
}

/// Number of values an operator returns as a tuple; 0: it returns one value, or a list of unknown length.
std::size_t tupleLength(const OpSchema& schema) {
    return isOpen(schema) || schema.returns.size() < 2 ? 0 : schema.returns.size();
}

std::string counted(std::size_t count, std::string_view what) {
    return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

void checkArguments(const Node& node, NodeId id, const OpSchema& schema, ProblemList& problems) {
    const auto positional = static_cast<std::size_t>(std::ranges::count_if(
        schema.arguments, [](const SchemaArgument& argument) { return !argument.keywordOnly; }));
    if (node.args.size() > positional) {
        problems.add("verify.arity", id,
                     "gives " + counted(node.args.size(), "positional argument") + "; " + schema.target +
                         " takes at most " + std::to_string(positional) + '.');
    }
    std::size_t index = 0;
    for (const SchemaArgument& argument : schema.arguments) {
        const bool byPosition = !argument.keywordOnly && index++ < node.args.size();
        const std::size_t given = timesGiven(node, argument.name) + (byPosition ? 1 : 0);
        if (given > 1) {
            problems.add("verify.arity", id, "gives the argument \"" + argument.name + "\" twice.");
        } else if (given == 0 && !argument.hasDefault) {
            problems.add("verify.arity", id,
                         "lacks the argument \"" + argument.name + "\" of " + schema.target + '.');
        }
    }
}

void checkKeywords(const Node& node, NodeId id, const OpSchema& schema, ProblemList& problems) {
    for (const KeywordArgument& keyword : node.kwargs) {
        const bool known = std::ranges::any_of(
            schema.arguments, [&](const SchemaArgument& argument) { return argument.name == keyword.name; });
        if (!known) {
            problems.add("verify.unknown_keyword", id,
                         "gives \"" + keyword.name + "\", which " + schema.target + " does not take.");
        }
    }
}

} // namespace

const OpSchema* SchemaCache::find(const Node& node) {
    if (node.op != Opcode::CallFunction) {
        return nullptr;
    }
    const auto [known, added] = m_known.try_emplace(node.target);
    if (added) {
        known->second = trySchema(node.target);
    }
    return known->second.get();
}

void checkCall(const Graph& graph, NodeId id, SchemaCache& schemas, ProblemList& problems) {
    const Node& node = graph.node(id);
    const OpSchema* schema = schemas.find(node);
    if (schema == nullptr) {
        return;
    }
    if (!schema->variadic) {
        checkArguments(node, id, *schema, problems);
        checkKeywords(node, id, *schema, problems);
    }
    const auto* tuple = std::get_if<std::shared_ptr<const TupleMeta>>(&node.value);
    const std::size_t length = tupleLength(*schema);
    if (tuple != nullptr && length > 0 && (*tuple)->elements.size() != length) {
        problems.add("verify.metadata", id,
                     "has a value of " + counted((*tuple)->elements.size(), "element") + "; " +
                         schema->target + " returns " + std::to_string(length) + '.');
    }
}

void checkGetItem(const Graph& graph, NodeId id, SchemaCache& schemas, ProblemList& problems) {
    const Node& node = graph.node(id);
    const bool isGetItem =
        node.op == Opcode::CallFunction && node.target == "_operator.getitem" && node.args.size() == 2;
    const NodeId* base = isGetItem ? node.args[0].as<NodeId>() : nullptr;
    const auto* index = isGetItem ? node.args[1].as<std::int64_t>() : nullptr;
    if (base == nullptr || index == nullptr) {
        return;
    }
    std::optional<std::size_t> length;
    if (const auto* tuple = std::get_if<std::shared_ptr<const TupleMeta>>(&graph.node(*base).value)) {
        length = (*tuple)->elements.size();
    } else if (const OpSchema* schema = schemas.find(graph.node(*base)); schema && tupleLength(*schema) > 0) {
        length = tupleLength(*schema);
    }
    const auto bound = static_cast<std::int64_t>(length.value_or(0));
    if (length && (*index >= bound || *index < -bound)) {
        problems.add("verify.getitem_range", id,
                     "takes element " + std::to_string(*index) + " of \"" + graph.node(*base).name +
                         "\", which has " + counted(*length, "element") + '.');
    }
}

} // namespace aotscope::ir::detail
