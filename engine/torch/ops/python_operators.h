#pragma once

#include "ops/calls.h"

#include <optional>
#include <string_view>

/// Python's operators and the functions of `operator`, `math` and `builtins`, on tensors, on plain and
/// symbolic numbers, and on sequences.
namespace aotscope::torch::ops {

/// "add" of "_operator.add", "operator.add", "math.sqrt" → "math.sqrt"; nothing for other targets.
[[nodiscard]] std::optional<std::string_view> pythonOperatorName(std::string_view target);
[[nodiscard]] bool knowsPythonOperator(std::string_view name);
[[nodiscard]] Value callPythonOperator(Calls& calls, std::string_view name, Values args);

/// A special method of a tensor ("__rsub__", "__eq__") as torch/_tensor.py and the binding define it; nothing
/// when it is none.
[[nodiscard]] std::optional<Value> tensorOperatorMethod(Calls& calls, std::string_view name,
                                                        const Values& args);
[[nodiscard]] bool isTensorOperatorMethod(std::string_view name);

/// A method of a value that is no tensor: torch.Size.numel, tuple.index….
[[nodiscard]] Value methodOfOther(Calls& calls, std::string_view name, Values args, const Keywords& kwargs);

/// Arithmetic of Python's numbers, symbolic or not; nothing when the function takes no such arguments.
[[nodiscard]] std::optional<Value> numberFunction(std::string_view name, const Values& args);

/// The operator that an in-place one falls back to: "add" of "iadd".
[[nodiscard]] std::optional<std::string_view> plainOfInPlace(std::string_view name);

/// object[index] and object[index] = value.
[[nodiscard]] Value getItem(Calls& calls, const Value& object, const Value& index);
void setItem(Calls& calls, const Value& object, const Value& index, const Value& value);

} // namespace aotscope::torch::ops
