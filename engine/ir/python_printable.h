#pragma once

#include <cstdint>

namespace aotscope::ir {

/// Python's str.isprintable for one code point (Unicode 15.0, as in Python 3.12). repr escapes code points
/// that are not printable.
[[nodiscard]] bool isPrintable(std::uint32_t code);

} // namespace aotscope::ir
