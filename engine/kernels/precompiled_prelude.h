#pragma once

#include "base/progress.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::kernels {

/// The header to include in place of a prelude's text, compiled beforehand, so that the next kernels take
/// half the time. It is compiled when a process uses a prelude for the third time, as someone who edits a
/// kernel does. Nothing: not that often yet, or the compiler cannot precompile.
///
/// `command`: the compiler with the flags that make an object, which must be the same in all uses.
[[nodiscard]] std::optional<std::filesystem::path> precompiledPrelude(const std::vector<std::string>& command,
                                                                      const std::string& prelude,
                                                                      const base::Progress& progress);

} // namespace aotscope::kernels
