#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::ir {

/// A graph's text within a larger one.
struct NamedGraphText {
    /// What stands before the graph: "aot_saved_tensors_hooks_pack addmm" of
    /// `aot_saved_tensors_hooks_pack addmm:class <lambda>(torch.nn.Module):`; empty: nothing.
    std::string name;
    /// Points into the argument of splitGraphSections; input of parseGraphText.
    std::string_view text;
    /// 0-based line of that text where the section starts.
    std::size_t line = 0;
};

/// Finds the graphs in a text that holds several (`name:class …`, `name:graph():`, one class after another)
/// among other lines. Nested classes stay with their graph. Does not read the graphs.
[[nodiscard]] std::vector<NamedGraphText> splitGraphSections(std::string_view text);

} // namespace aotscope::ir
