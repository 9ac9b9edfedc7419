#pragma once

#include "aot/wrapper_step.h"

#include "ir/symbolic/expression.h"

#include "base/result.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// Decides before the trace what to do about arguments that are the same tensor or share memory; the tracer
/// carries it out. Follows torch 2.11, torch/_functorch/_aot_autograd/runtime_wrappers.py:
/// AOTDedupeWrapper.pre_compile, AOTSyntheticBaseWrapper.pre_compile and merge_view_inputs.
namespace aotscope::aot {

/// The facts about an argument's memory.
struct TracedTensor {
    /// Arguments with the same number are the same tensor.
    std::size_t tensor = 0;
    /// Tensors with the same number lie in one storage.
    std::size_t storage = 0;
    /// Sizes, strides and storage offset are set.
    ir::TensorMeta meta;
    bool requiresGrad = false;
    /// Whether it has a `_base`. All views of one storage have the same base.
    bool isView = false;
    /// The dtype of its `_base`; nothing: it has none.
    std::optional<ir::DType> baseDtype = {};
};

/// One argument of the function that is traced.
struct TracedArgument {
    /// Its name in messages: its descriptor.
    std::string name;
    /// Nothing when the argument is not a tensor.
    std::optional<TracedTensor> tensor;
};

/// Removes duplicates if one of them is mutated; otherwise the trace treats each as a separate tensor.
/// Errors: trace.export (an exported graph has no wrapper that could do it).
[[nodiscard]] base::Result<WrapperStep> dedupeArguments(std::span<const TracedArgument> arguments,
                                                        const std::vector<ir::InputAliasInfo>& inputInfo,
                                                        bool isExport);

/// Replaces arguments by the bases they are views of, where several share memory, one of them is mutated, and
/// they really overlap. `bindings` are the logged values of symbols, used to compute the overlap.
///
/// Errors: trace.alias (PyTorch refuses it: views that autograd does not relate, or different dtypes),
/// trace.export.
[[nodiscard]] base::Result<WrapperStep> mergeViewInputs(std::span<const TracedArgument> arguments,
                                                        const std::vector<ir::InputAliasInfo>& inputInfo,
                                                        const ir::SymbolBindings& bindings, bool traceJoint,
                                                        bool isExport);

} // namespace aotscope::aot
