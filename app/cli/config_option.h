#pragma once

#include "answer.h"
#include "command_line.h"

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

/// An option of PyTorch that differs from the release's default.
struct OptionAnswer {
    std::string name;
    /// As Python writes it.
    std::string value;
    /// "log", "chosen"
    std::string from;
    bool followed = false;
};
AOTSCOPE_MEMBERS(OptionAnswer, name, value, from, followed)

/// One for each line of aot::configurationLines.
[[nodiscard]] std::vector<OptionAnswer> configurationAnswer(const aot::FunctorchConfig& config,
                                                            aot::TorchVersion release, unsigned touched);

} // namespace aotscope::cli
