#pragma once

#include <string_view>

namespace aotscope::ir::detail {

/// The text of resources/op_tags.txt: one tag and operator per line ("pointwise aten.abs";
/// resources/make_op_tags.py).
std::string_view operatorTags();

} // namespace aotscope::ir::detail
