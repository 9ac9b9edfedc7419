#pragma once

#include "command_line.h"
#include "json_text.h"

#include "aot/functorch_config.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// Adds the repeatable `--config NAME=VALUE`: options of PyTorch that override the file's. `settings` must
/// outlive the command.
void addConfigOption(Command command, std::vector<aot::ConfigSetting>& settings);

/// aot::configurationNote as an indented line; empty: nothing to tell.
[[nodiscard]] std::string configurationText(const std::optional<aot::FunctorchConfig>& config,
                                            aot::TorchVersion release, unsigned touched);

/// One object for each line of aot::configurationLines: `name`, `value`, `from` ("log", "chosen"),
/// `followed`.
[[nodiscard]] Json configurationJson(const aot::FunctorchConfig& config, aot::TorchVersion release,
                                     unsigned touched);

} // namespace aotscope::cli
