#pragma once

#include "ops/calls.h"

#include <optional>
#include <string_view>

/// Python's operators and the functions of `operator`, `math` and `builtins`, on tensors, on plain and
/// symbolic numbers, and on sequences. All throw RunFailure.
namespace aotscope::torch::ops {

/// "add" for "_operator.add" and "operator.add", "math.sqrt" for "math.sqrt"; nullopt for other targets.
[[nodiscard]] std::optional<std::string_view> pythonOperatorName(std::string_view target);
[[nodiscard]] bool knowsPythonOperator(std::string_view name);
[[nodiscard]] Value callPythonOperator(Calls& calls, std::string_view name, Values args);

/// A special method of a tensor ("__rsub__", "__eq__"); nullopt for other names. Follows torch 2.11,
/// torch/_tensor.py: Tensor, and the methods of its C++ binding.
[[nodiscard]] std::optional<Value> tensorOperatorMethod(Calls& calls, std::string_view name,
                                                        const Values& args);
[[nodiscard]] bool isTensorOperatorMethod(std::string_view name);

/// A method of a value that is not a tensor: torch.Size.numel, tuple.index….
[[nodiscard]] Value methodOfOther(Calls& calls, std::string_view name, Values args, const Keywords& kwargs);

/// Arithmetic on Python numbers, symbolic or not; nullopt when the function does not take these arguments.
[[nodiscard]] std::optional<Value> numberFunction(std::string_view name, const Values& args);

/// The operator that an in-place operator falls back to: "add" for "iadd".
[[nodiscard]] std::optional<std::string_view> plainOfInPlace(std::string_view name);

/// object[index] and object[index] = value.
[[nodiscard]] Value getItem(Calls& calls, const Value& object, const Value& index);
/// dict.get(key); null if it has no such key. The dictionary owns it.
[[nodiscard]] Value* entryOf(const Dict& dict, const Value& key);
void setItem(Calls& calls, const Value& object, const Value& index, const Value& value);

} // namespace aotscope::torch::ops
