#pragma once

#include "ir/graph.h"

#include <string>
#include <string_view>

namespace aotscope::views {

/// A small graph as a program that fits into a narrow view: one call per line, without the types' strides,
/// and with shapes as comments.
///
///     def pack(arg0_1):  # f32[8, 32]
///         amax = aten.amax.default(abs_1, [-1], True)  # f32[8, 1]
///         return (amax, div)
[[nodiscard]] std::string hookGraphText(const ir::Graph& graph, std::string_view name);

} // namespace aotscope::views
