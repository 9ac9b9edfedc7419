#include "judge/half_graphs.h"

#include "ir/graph_builder.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace aotscope::judge {
namespace {

/// By the symbol that is replaced.
using SymbolNames = std::map<std::string, std::string, std::less<>>;

bool hasOtherName(const ir::SymInt& size, const SymbolNames& names) {
    return size.isSymbolic() && names.contains(size.expression().text());
}

/// A state is a vector, so its size is the symbol alone.
ir::GraphPtr withNames(const ir::GraphPtr& graph, const SymbolNames& names) {
    std::vector<ir::NodeId> named;
    for (const ir::NodeId id : graph ? graph->order() : std::span<const ir::NodeId>()) {
        const ir::TensorMeta* tensor = ir::asTensor(graph->node(id).value);
        if (tensor != nullptr && std::ranges::any_of(tensor->shape, [&](const ir::SymInt& size) {
                return hasOtherName(size, names);
            })) {
            named.push_back(id);
        }
    }
    if (named.empty()) {
        return graph;
    }
    ir::GraphBuilder renamed(*graph);
    ir::SymbolBindings& hints = renamed.editSymbolHints();
    for (const auto& [symbol, other] : names) {
        if (const auto hint = hints.find(symbol); hint != hints.end()) {
            hints[other] = hint->second;
        }
    }
    for (const ir::NodeId id : named) {
        ir::TensorMeta tensor = *ir::asTensor(graph->node(id).value);
        for (ir::SymInt& size : tensor.shape) {
            if (hasOtherName(size, names)) {
                size = ir::SymExpr(names.find(size.expression().text())->second);
            }
        }
        renamed.editMeta(id).value = std::move(tensor);
    }
    return renamed.finish();
}

} // namespace

HalfGraphs withStateSymbols(HalfGraphs halves, const passes::StateSymbols& from,
                            const passes::StateSymbols& to) {
    SymbolNames names;
    for (const auto& [bytes, symbol] : from) {
        const auto other = to.find(bytes);
        if (other != to.end() && other->second != symbol) {
            names.emplace(symbol, other->second);
        }
    }
    if (names.empty()) {
        return halves;
    }
    for (ir::GraphPtr* graph :
         {&halves.forward, &halves.backward, &halves.hookedForward, &halves.hookedBackward}) {
        *graph = withNames(*graph, names);
    }
    for (passes::InlinedHook& hook : halves.hooks) {
        hook.pack = withNames(hook.pack, names);
        hook.unpack = withNames(hook.unpack, names);
    }
    return halves;
}

} // namespace aotscope::judge
