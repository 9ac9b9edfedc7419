#pragma once

#include "common/theme.h"

#include <QString>

#include <string>

namespace aotscope::views {

class CurrentPartition;

/// Why a node is saved, recomputed or neither, as rich text: the rule with its values, its weight in the cut,
/// and the alternative. Empty if the partition does not have the node or there is none. Links: "why:NODE" (a
/// node; keeps the section in view), "half:NODE" (its copy in the backward graph).
[[nodiscard]] QString whyHtml(const CurrentPartition& split, const std::string& node, const Theme& theme);

/// "3.1 Mflop"
[[nodiscard]] QString formatFlops(double flops);

} // namespace aotscope::views
