#pragma once

#include "common/theme.h"

#include <QString>

#include <string>

namespace aotscope::views {

class CurrentPartition;

/// Why a node of the selected partition is saved, computed again or neither: the rule that decided with its
/// values, what it weighs, and the other way. Empty: the partition has no such node, or there is no joint
/// graph. Links: "why:NODE" (a node, the section stays in sight), "half:NODE" (its copy in the backward
/// graph).
[[nodiscard]] QString whyHtml(const CurrentPartition& split, const std::string& node, const Theme& theme);

/// "saved", "computed again", "forward only", …
[[nodiscard]] QString fateWord(const CurrentPartition& split, const std::string& node);

/// "3.1 Mflop"
[[nodiscard]] QString formatFlops(double flops);

} // namespace aotscope::views
