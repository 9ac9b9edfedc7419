#pragma once

#include "contract/rerun_request.h"

#include <string>

namespace aotscope::cli {

/// A rerun for people: times with a small distribution, what was moved and computed, how the values differ.
/// `baselineName` is what it was compared with; empty: only with the run.
[[nodiscard]] std::string rerunText(const session::RerunSnapshot& rerun, const std::string& title,
                                    const std::string& baselineName);

} // namespace aotscope::cli
