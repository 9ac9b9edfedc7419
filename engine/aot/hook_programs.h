#pragma once

#include "ir/graph.h"

/// Saved-tensors hooks as programs that can be traced, and what is traced of them as PyTorch writes it. Hooks
/// pass on any Python value between them, while a traced program takes tensors and symbolic numbers.
namespace aotscope::aot {

/// The pack hook for a tensor with this metadata. Its trace returns what the hook returns
/// (RetraceRequest::returnsTree).
[[nodiscard]] ir::GraphPtr packProgram(const ir::Graph& hook, const ir::ValueMeta& tensor);
/// The unpack hook for what a traced pack hook returns: takes the tensors and symbolic numbers of it.
[[nodiscard]] ir::GraphPtr unpackProgram(ir::GraphPtr hook, const ir::Graph& packed);

/// A traced pack hook as PyTorch's graph. `complexCalls`: TraceRules::complexNumbersAreCalls.
[[nodiscard]] ir::GraphPtr packGraph(const ir::Graph& traced, bool complexCalls);
/// A traced unpack hook as PyTorch's graph: it takes every value that the pack hook returns, constants too.
[[nodiscard]] ir::GraphPtr unpackGraph(const ir::Graph& traced, const ir::Graph& packed, bool complexCalls);

} // namespace aotscope::aot
