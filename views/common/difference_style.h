#pragma once

#include "common/theme.h"
#include "ir/compare/graph_diff.h"

#include <QColor>
#include <QString>

/// How differences between graphs look in all panels.
namespace aotscope::views {

/// "+", "−", "~", "↕", "→"
[[nodiscard]] QString differenceGlyph(ir::NodeDifference::Kind kind);
/// "added"
[[nodiscard]] QString differenceWord(ir::NodeDifference::Kind kind);
[[nodiscard]] QColor differenceColor(ir::NodeDifference::Kind kind, const Theme& theme);

} // namespace aotscope::views
