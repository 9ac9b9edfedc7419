#pragma once

#include "dispatch/operators.h"
#include "run/state/run_context.h"

#include <span>
#include <string_view>

namespace aotscope::torch {

/// Computes an operator that exists only in Python, or has no CPU kernel, by other operators. `compute`
/// receives the arguments in schema order; missing ones are None.
struct Replacement {
    std::string_view target;
    /// Parameter names in schema order, separated by blanks, to place keyword arguments.
    std::string_view parameters;
    c10::IValue (*compute)(const std::vector<c10::IValue>& args, RunContext& context);
};

/// The replacements by family, each in the family's file of torch/operators.
///
/// `prims.*`, `inductor.*` and others that PyTorch registers from Python. Follows torch 2.11,
/// torch/_prims/__init__.py, torch/_prims/rng_prims.py and torch/_inductor/inductor_prims.py.
[[nodiscard]] std::span<const Replacement> primitiveReplacements();
/// `_c10d_functional.*` without a process group: computed as if every rank held the same data. Follows torch
/// 2.11, torch/distributed/_functional_collectives.py.
[[nodiscard]] std::span<const Replacement> collectiveReplacements();
/// The GPU-only variants of scaled dot product attention (flash, memory-efficient, cuDNN), computed by the
/// CPU's flash attention kernel.
[[nodiscard]] std::span<const Replacement> attentionReplacements();
/// Backwards of normalizations whose saved statistics were traced in a narrower dtype than the CPU's kernels
/// expect.
[[nodiscard]] std::span<const Replacement> normalizationReplacements();
/// `quantized_decomposed.*`, which torch.ao registers from Python: quantization and dequantization, computed
/// by ATen operators. Follows torch 2.11, torch/ao/quantization/fx/_decomposed.py.
[[nodiscard]] std::span<const Replacement> quantizedReplacements();

/// The replacement for an FX target; null when there is none and the dispatcher's operator is called.
[[nodiscard]] const Replacement* findReplacement(std::string_view target);

/// The ATen operator with the meaning of a primitive that has no replacement ("prims.sin"); nullopt when
/// there is none.
[[nodiscard]] std::optional<c10::OperatorHandle> sameNamedOperator(std::string_view target);

/// Throws RunFailure (run.arguments) when the arguments do not fit.
[[nodiscard]] c10::IValue callReplacement(const Replacement& replacement, std::string_view target,
                                          std::vector<c10::IValue> args, const NamedValues& kwargs,
                                          RunContext& context);

} // namespace aotscope::torch
