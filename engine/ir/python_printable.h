#pragma once

#include <cstdint>

namespace aotscope::ir {

/// Python 3.12's str.isprintable for a code point (Unicode 15.0). repr escapes unprintable ones.
[[nodiscard]] bool isPrintable(std::uint32_t code);

} // namespace aotscope::ir
