#pragma once

#include <aotscope/aot.h>

#include <span>
#include <string>

/// "float32 [2,3] 1 2 3 4 5 6"
[[nodiscard]] std::string described(const aotscope::Value& value);

/// Which input an output is or lies in: "is_input=0", "views_input=1", "own".
[[nodiscard]] std::string relation(const aotscope::Tensor& output, std::span<const aotscope::Value> inputs);

/// The error's message as PyTorch has it, else our own, on one line.
[[nodiscard]] std::string described(const aotscope::Error& error);
