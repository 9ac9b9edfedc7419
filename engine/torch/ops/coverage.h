#pragma once

#include "base/describe.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::torch::ops {

/// How a call of a Dynamo graph is carried out.
enum class CallKind : std::uint8_t {
    /// Through the overloads of the dispatcher, as the generated Python binding does.
    Binding,
    /// Through C++ code here that makes the same calls as PyTorch's Python code or its hand-written binding.
    Written,
    /// Unknown: a graph with such a call cannot run.
    Unknown,
    /// Unknown, and no operator has that name: conversions to NumPy, printing, hooks….
    NoOperator,
};
AOTSCOPE_WORDS(CallKind, "binding", "written", "unknown", "no operator")

/// A function or method of PyTorch's Python interface and how it is covered.
struct CallCoverage {
    /// "torch.nn.functional.dropout", "Tensor.split", "torch.linalg.norm".
    std::string name;
    CallKind kind = CallKind::Unknown;
};

/// One row for each name in PyTorch's own lists (wheel_lists.h) and for each name implemented here that is
/// not in them; sorted by name.
[[nodiscard]] std::vector<CallCoverage> callCoverage();

/// How one name is covered: a call_function target, or "Tensor.NAME" for a method or attribute.
[[nodiscard]] CallKind coverageOf(std::string_view name);

} // namespace aotscope::torch::ops
