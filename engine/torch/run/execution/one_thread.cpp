#include "run/execution/one_thread.h"

#include <cstdint>

namespace aotscope::torch {

namespace {

/// A kernel reads or writes this much in about a tenth of a millisecond.
constexpr std::int64_t smallBytes = std::int64_t{1} << 20;

} // namespace

std::unique_ptr<OneThread> oneThreadIfSmall(const ir::Graph& graph) {
    std::int64_t bytes = 0;
    std::int64_t tensors = 0;
    for (const ir::NodeId id : graph.order()) {
        if (const ir::TensorMeta* tensor = ir::asTensor(graph.node(id).value)) {
            bytes += tensor->bytes(graph.symbolHints()).value_or(0);
            ++tensors;
        }
    }
    const bool isSmall = tensors == 0 || bytes / tensors < smallBytes;
    return isSmall && at::get_num_threads() > 1 ? std::make_unique<OneThread>() : nullptr;
}

} // namespace aotscope::torch
