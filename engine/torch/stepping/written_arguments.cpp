#include "stepping/written_arguments.h"

#include "run/execution/operator_watch.h"
#include "run/state/value_access.h"

#include "ir/keywords.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace aotscope::torch {

namespace {

/// "aten.set_.source_Tensor" and its like.
bool isStorageOperator(std::string_view target) {
    constexpr std::array<std::string_view, 3> packets = {"aten.set_", "aten.resize_",
                                                         "inductor.resize_storage_bytes_"};
    return std::ranges::any_of(packets, [&](std::string_view packet) { return target.starts_with(packet); });
}

} // namespace

WrittenArguments::WrittenArguments(const ir::Graph& graph) : m_writes(graph.idBound()) {
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.op == ir::Opcode::CallFunction) {
            m_writes[id.index()] = writesOf(node);
        }
    }
}

WrittenArguments::Writes WrittenArguments::writesOf(const ir::Node& node) {
    Writes writes;
    writes.changesStorage = isStorageOperator(node.target);
    const auto op = findOperator(node.target);
    if (!op) {
        return writes;
    }
    const auto& parameters = op->schema().arguments();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!writesTo(*op, i)) {
            continue;
        }
        if (i < node.args.size()) {
            writes.arguments.push_back(&node.args[i]);
        }
        if (const ir::Argument* named = ir::tryKeyword(node.kwargs, parameters[i].name())) {
            writes.arguments.push_back(named);
        }
    }
    return writes;
}

std::vector<at::Tensor> WrittenArguments::of(ir::NodeId node, const Frame& frame) const {
    std::vector<at::Tensor> tensors;
    for (const ir::Argument* argument : m_writes[node.index()].arguments) {
        forEachTensor(argumentValue(*argument, frame),
                      [&](const at::Tensor& tensor) { tensors.push_back(tensor); });
    }
    return tensors;
}

} // namespace aotscope::torch
