#pragma once

#include "aot/wrapper_step.h"

#include "ir/symbolic.h"

#include "base/result.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// What AOTAutograd does about arguments that are one tensor or share memory, before it traces: the part of
/// its wrappers that runs at compile time (AOTDedupeWrapper.pre_compile, AOTSyntheticBaseWrapper.pre_compile
/// and merge_view_inputs of torch 2.11's runtime_wrappers.py). It decides; who traces executes.
namespace aotscope::aot {

/// A tensor among the arguments, as far as its memory matters.
struct TracedTensor {
    /// Arguments with the same number are the same tensor.
    std::size_t tensor = 0;
    /// Tensors with the same number lie in one storage.
    std::size_t storage = 0;
    /// Sizes, strides and offset are known.
    ir::TensorMeta meta;
    bool requiresGrad = false;
    /// Whether it has a `_base`. Views of one storage have one base.
    bool isView = false;
};

/// One argument of the function that is traced.
struct TracedArgument {
    /// As messages call it: its descriptor.
    std::string name;
    /// Nothing: it is no tensor.
    std::optional<TracedTensor> tensor;
};

/// Whether duplicates are taken out: only where one of them is mutated, else each is a tensor of its own for
/// the trace. Errors: trace.export (an exported graph has no wrapper).
[[nodiscard]] base::Result<WrapperStep> dedupeArguments(std::span<const TracedArgument> arguments,
                                                        const std::vector<ir::InputAliasInfo>& inputInfo,
                                                        bool isExport);

/// Which arguments are replaced by the bases they are views of: those that share memory with one that is
/// mutated, and really overlap with another of them. `bindings` are the logged values of symbols, by which
/// overlap is judged.
///
/// Errors: trace.alias (PyTorch refuses it: views that autograd does not relate, or of other dtypes),
/// trace.export.
[[nodiscard]] base::Result<WrapperStep> mergeViewInputs(std::span<const TracedArgument> arguments,
                                                        const std::vector<ir::InputAliasInfo>& inputInfo,
                                                        const ir::SymbolBindings& bindings, bool traceJoint,
                                                        bool isExport);

} // namespace aotscope::aot
