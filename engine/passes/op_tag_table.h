#pragma once

#include <string_view>

namespace aotscope::passes::detail {

/// resources/op_tags.txt: one operator tag a line ("pointwise aten.abs").
std::string_view operatorTags();

} // namespace aotscope::passes::detail
