#pragma once

#include "ir/graph.h"

#include "base/result.h"

#include <cstdint>
#include <vector>

/// Saved-tensors hooks as programs that can be traced: a traced graph takes and returns tensors and symbolic
/// numbers, while hooks pass on any Python values between them.
namespace aotscope::aot {

/// A pack hook that returns, flat, what can be traced of its result.
struct PackProgram {
    /// What a traced value stands for in the result.
    enum class Part : std::uint8_t { Value, DType, Device };

    ir::GraphPtr program;
    /// The result: the node with index k stands for traced value k, other leaves are constants.
    ir::Argument result;
    std::vector<Part> parts;
};

/// The pack hook for a tensor with this metadata. A dtype or device that it returns is traced as the tensor
/// that it belongs to.
[[nodiscard]] PackProgram packProgram(const ir::Graph& hook, const ir::ValueMeta& tensor);
/// The traced program, returning what the hook returns.
[[nodiscard]] ir::GraphPtr withPackedValues(const PackProgram& packing, const ir::Graph& traced);

/// The unpack hook for the result of a traced pack hook: takes the tensors and symbolic numbers among its
/// values. Errors: hooks.unsupported (it uses a container as a whole).
[[nodiscard]] base::Result<ir::GraphPtr> unpackProgram(const ir::Graph& hook, const ir::Graph& packed);

} // namespace aotscope::aot
