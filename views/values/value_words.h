#pragma once

#include "runs/value_snapshot.h"

#include <QString>

/// What the Values panel says of a tensor.
namespace aotscope::views {

/// The statistics, one per line: name and number, separated by a tab.
[[nodiscard]] QString statisticsText(const session::TensorSummary& summary);
/// The histogram in one sentence, for screen readers.
[[nodiscard]] QString histogramText(const session::TensorSummary& summary);

} // namespace aotscope::views
