#pragma once

#include "json_text.h"
#include "profile_run.h"

#include <cstddef>
#include <string>

namespace aotscope::cli {

/// The nodes in the order they ran, at most `top` of them (the longest; 0: all).
[[nodiscard]] std::string profileTable(const ProfileAnswer& answer, std::size_t top);
/// What the trace holds: rows, categories, counters, and what could not be read.
[[nodiscard]] std::string traceSummary(const ProfileAnswer& answer);
/// In schema aotscope.profile/1.
[[nodiscard]] Json profileJson(const ProfileAnswer& answer);

} // namespace aotscope::cli
