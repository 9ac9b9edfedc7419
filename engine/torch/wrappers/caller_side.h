#pragma once

#include "wrappers/caller_arguments.h"

#include "contract/call_options.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::torch {

using NamedTensors = std::map<std::string, at::Tensor>;

/// What tells later whether a call wrote to an argument.
struct ArgumentBefore {
    std::uint32_t version = 0;
    std::optional<std::uint64_t> contents;
};

/// One caller: its arguments, its results, and its steps after the call.
struct CallerSide {
    MadeArguments arguments;
    Values outputs;
    /// The arguments before the last call.
    std::vector<ArgumentBefore> before;
    std::vector<double> losses;

    /// Before a call.
    void prepare();
    /// The backward of the loss, or from random tangents; `times` over the same graph. `like`: outputs in
    /// whose dtypes the tangents are rounded; null: the side's own.
    void differentiate(const session::CallOptions& options, int times = 1, const Values* like = nullptr);
    /// A step of SGD.
    void step(double rate);
    /// What a caller sees, by name: "output 0", "x after the call", "gradient of x".
    [[nodiscard]] NamedTensors tensors(const std::vector<std::string>& names) const;
};

/// All that a caller sees after a call, by name: "output 0", "x after the call", "gradient of x" (undefined:
/// it has none).
[[nodiscard]] std::vector<std::pair<std::string, c10::IValue>>
seenValues(const CallerSide& side, const std::vector<std::string>& names);

/// How many backwards call number `call` has (CallOptions::backwardTwice: the last call).
[[nodiscard]] int backwardsOf(const session::CallOptions& options, std::size_t call);

/// The sum over the outputs that require grad of the mean of their squared magnitudes; undefined if there is
/// none.
[[nodiscard]] at::Tensor lossOf(const Values& outputs);

} // namespace aotscope::torch
