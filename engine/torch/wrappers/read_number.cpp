#include "wrappers/read_number.h"

#include "dispatch/dtypes.h"
#include "run/inputs/tensor_data.h"

#include <ATen/ops/scalar_tensor.h>

namespace aotscope::torch {

std::optional<aot::TensorData> numberRead(const ir::Graph& graph, ir::NodeId placeholder,
                                          const ir::SymbolBindings& symbols,
                                          const std::map<std::string, double>& floats) {
    const ir::TensorMeta* meta = ir::asTensor(graph.node(placeholder).value);
    const auto dtype = meta == nullptr ? std::nullopt : scalarType(meta->dtype);
    if (!dtype || !meta->shape.empty()) {
        return std::nullopt;
    }
    for (const ir::NodeId user : graph.users(placeholder)) {
        const ir::Node& node = graph.node(user);
        const auto* read = std::get_if<ir::SymbolicMeta>(&node.value);
        if (read == nullptr || (node.target != "item" && node.target != "aten._local_scalar_dense.default")) {
            continue;
        }
        if (const auto hint = floats.find(std::string(read->expression.text())); hint != floats.end()) {
            return tensorData(at::scalar_tensor(hint->second, at::TensorOptions(*dtype)));
        }
        if (const auto number = read->expression.evaluate(symbols)) {
            const c10::Scalar scalar = std::visit([](auto each) { return c10::Scalar(each); }, *number);
            return tensorData(at::scalar_tensor(scalar, at::TensorOptions(*dtype)));
        }
    }
    return std::nullopt;
}

} // namespace aotscope::torch
