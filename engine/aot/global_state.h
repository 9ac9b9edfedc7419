#pragma once

#include "ir/dtype.h"

#include "base/describe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::aot {

/// `torch.autocast` around the call that was compiled.
struct AmbientAutocast {
    /// "cpu", "cuda", …
    std::string device;
    ir::DType dtype = ir::DType::BFloat16;
    friend bool operator==(const AmbientAutocast&, const AmbientAutocast&) = default;
};
AOTSCOPE_MEMBERS(AmbientAutocast, device, dtype)

/// Whether cuBLAS may sum in reduced precision, and split the sum: CuBLASReductionOption in ATen/Context.h,
/// by its numbers.
enum class ReducedSums : std::uint8_t { Allowed, NotAllowed, NeitherNorSplit };
AOTSCOPE_WORDS(ReducedSums, "allowed", "not_allowed", "neither_nor_split")

/// What a process has set for all of PyTorch while a function is compiled or called, as far as Dynamo guards
/// it (GLOBAL_STATE: ___check_global_state). The defaults are PyTorch's.
struct GlobalState {
    /// torch.set_default_dtype: the dtype of factories that get none, and of integers in a division.
    ir::DType defaultDtype = ir::DType::Float32;
    bool gradEnabled = true;
    /// torch.inference_mode. No record tells it directly: no input had an autograd key.
    bool inferenceMode = false;
    /// Only those that are on.
    std::vector<AmbientAutocast> autocasts = {};
    /// Whether autocast keeps the casts of weights. AOTAutograd traces without it in any case.
    bool autocastCache = true;
    /// torch.use_deterministic_algorithms(deterministic, warn_only=…).
    bool deterministic = false;
    bool deterministicWarnOnly = false;
    /// torch.utils.deterministic.fill_uninitialized_memory; no record has it.
    bool fillUninitializedMemory = true;
    /// torch.backends.cuda.matmul: allow_tf32, allow_fp16_reduced_precision_reduction, the same for bfloat16,
    /// fp32_precision (its number; since torch 2.15).
    bool allowTf32 = false;
    ReducedSums fp16Sums = ReducedSums::Allowed;
    ReducedSums bf16Sums = ReducedSums::Allowed;
    std::int64_t matmulPrecision = 0;
    /// torch.get_num_threads(); nothing: unknown.
    std::optional<std::int64_t> threads = {};
    /// Whether `__torch_function__` of subclasses, and of anything at all, is heeded.
    bool torchFunction = true;
    bool torchFunctionAllDisabled = false;
    friend bool operator==(const GlobalState&, const GlobalState&) = default;
};
AOTSCOPE_MEMBERS(GlobalState, defaultDtype, gradEnabled, inferenceMode, autocasts, autocastCache,
                 deterministic, deterministicWarnOnly, fillUninitializedMemory, allowTf32, fp16Sums, bf16Sums,
                 matmulPrecision, threads, torchFunction, torchFunctionAllDisabled)

/// One of its members, as a person reads it.
struct StateFact {
    /// As Python names it: "torch.get_default_dtype()".
    std::string name;
    std::string value;
    bool isDefault = true;
    /// Set: why a trace or a run here does not follow it.
    std::string notFollowed = {};
};
AOTSCOPE_MEMBERS(StateFact, name, value, isDefault, notFollowed)

/// All members, in a fixed order.
[[nodiscard]] std::vector<StateFact> stateFacts(const GlobalState& state);

/// "torch.get_default_dtype(): float64", with the reason where it is not followed.
[[nodiscard]] std::string stateLine(const StateFact& fact);

/// The members with another value than PyTorch's default, a line each: "torch.get_default_dtype() = float64",
/// with the reason where it is not followed. What a verdict's configuration says of it.
[[nodiscard]] std::vector<std::string> stateLines(const GlobalState& state);

} // namespace aotscope::aot
