#pragma once

#include "program.h"

#include "hooks/hook_plan.h"

#include <optional>
#include <string>
#include <vector>

/// Hooks from the command line's options.
namespace aotscope::cli {

/// The plan of several `--hook NAME=FILTER` (a name, a file, logged, recompute or none) and a `--mode`;
/// nothing without any. Throws Failure for an unknown hook or a file that cannot be read.
[[nodiscard]] std::optional<hooks::HookPlan> planOf(Program& program, const std::vector<std::string>& hooks,
                                                    const std::string& mode);
/// The text of a hook of the library or of a file. Throws as planOf.
[[nodiscard]] std::string hookText(Program& program, const std::string& hook);

} // namespace aotscope::cli
