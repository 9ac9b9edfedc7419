#pragma once

#include <string>

namespace aotscope::base {

/// As std::snprintf writes it; std::format is not in every supported compiler.
[[nodiscard, gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...); // NOLINT: as printf

} // namespace aotscope::base
