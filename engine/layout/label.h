#pragma once

#include "ir/graph.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace aotscope::layout {

/// Code points of UTF-8 text; stops counting at `most`.
[[nodiscard]] std::size_t characterCount(std::string_view text, std::size_t most);
/// At most `most` code points; "…" marks that the text was cut.
[[nodiscard]] std::string cutText(std::string_view text, std::size_t most);

/// "addmm" for "aten.addmm.default", "add.Tensor" for "aten.add.Tensor".
[[nodiscard]] std::string shortTarget(const ir::Node& node);
/// "f32[8, 64]" without strides and device.
[[nodiscard]] std::string shortValue(const ir::ValueMeta& value);

/// Width in points of a box for the two lines.
[[nodiscard]] double boxWidth(std::string_view name, std::string_view op, std::string_view value);

} // namespace aotscope::layout
