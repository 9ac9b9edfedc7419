#pragma once

#include "kernels/compile_message.h"

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::kernels {

/// One error for each place where a kernel's source could make a compiler read a file or ask whether there is
/// one: `#include` and its relatives, `__has_include`. Also where it would change how lines are counted
/// (`#line`) or how the text is compiled (`_Pragma`, `#pragma GCC`). Comments and strings are searched like
/// code, so that no spelling of a directive can hide in something that only looks like one. The errors name
/// `file`.
[[nodiscard]] std::vector<CompileMessage> fileDirectives(std::string_view source,
                                                         const std::string& file = {});

} // namespace aotscope::kernels
