#pragma once

#include "program.h"

#include <filesystem>
#include <string>
#include <vector>

namespace aotscope::cli {

/// `open --config`: PyTorch's options during each compile, each with its value, whether it is the default of
/// the release, whether it is followed here, and what it can change.
[[nodiscard]] int showConfig(Program& program, const std::vector<std::filesystem::path>& files,
                             const std::string& id, bool json);

} // namespace aotscope::cli
