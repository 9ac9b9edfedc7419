#pragma once

#include "aot/tensor_data.h"
#include "ir/graph.h"

#include <map>
#include <optional>
#include <string>

namespace aotscope::torch {

/// The number that a graph reads from a tensor with `item()`, as it was when the graph was traced; nothing:
/// it reads none, or one that only a call tells. Dynamo passes a Python float as such a tensor, and PyTorch
/// may have put the number that it saw into the graph, with a guard on it. `symbols`: values of sizes;
/// `floats`: of symbols that stand for floats.
[[nodiscard]] std::optional<aot::TensorData> numberRead(const ir::Graph& graph, ir::NodeId placeholder,
                                                        const ir::SymbolBindings& symbols,
                                                        const std::map<std::string, double>& floats = {});

} // namespace aotscope::torch
