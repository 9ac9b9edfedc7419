#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::torch::ops {

/// How a call of a Dynamo graph is carried out.
enum class CallKind : std::uint8_t {
    /// Straight through the dispatcher's overloads, as the binding generated for the name does.
    Binding,
    /// Through code here that makes the calls of PyTorch's Python code or of a binding written by hand.
    Written,
    /// Not known: a graph with such a call cannot be run.
    Unknown,
    /// Not known, and no operator of its name exists: conversions to NumPy, printing, hooks….
    NoOperator,
};

/// "binding", "written", "unknown", "no operator"
[[nodiscard]] std::string_view callKindName(CallKind kind);

/// A function or method of PyTorch's Python interface and how it is covered.
struct CallCoverage {
    /// "torch.nn.functional.dropout", "Tensor.split", "torch.linalg.norm".
    std::string name;
    CallKind kind = CallKind::Unknown;
};

/// One row per name of PyTorch's own lists, and per name written here that they lack; sorted by name.
[[nodiscard]] std::vector<CallCoverage> callCoverage();

/// How one name is covered: a call_function target, or "Tensor.NAME" for a method or attribute.
[[nodiscard]] CallKind coverageOf(std::string_view name);

} // namespace aotscope::torch::ops
