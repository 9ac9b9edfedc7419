#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::load {

/// A parameter of a Dynamo graph's `forward`: its name and its annotation without quotes.
struct GraphInput {
    std::string name;
    std::string annotation;
};

/// The parameters of the first `def forward(self, …)` in a graph's text.
[[nodiscard]] std::vector<GraphInput> graphInputs(std::string_view graphText);

/// The placeholder name that Dynamo derives from a source: every run of characters other than letters and
/// digits becomes "_". Follows torch 2.11, torch/_dynamo/variables/builder.py: VariableBuilder.wrap_tensor.
[[nodiscard]] std::string placeholderOf(std::string_view source);

/// The symbol in an annotation "Sym(s77)"; empty for other annotations.
[[nodiscard]] std::string_view symbolOf(std::string_view annotation);

} // namespace aotscope::load
