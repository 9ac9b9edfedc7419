#pragma once

#include <cstdint>

namespace aotscope::ir {

/// Python's str.isprintable for one code point (Unicode 15.0, as of Python 3.12): repr writes the others as
/// escapes.
[[nodiscard]] bool isPrintable(std::uint32_t code);

} // namespace aotscope::ir
