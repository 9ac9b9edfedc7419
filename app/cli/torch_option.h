#pragma once

#include "command_line.h"
#include "json_text.h"

#include "aot/versions/rules_choice.h"

#include <optional>
#include <string>

namespace aotscope::cli {

/// Adds `--torch VERSION` with the known releases in its help, which begins with `help`. `torch` must outlive
/// the command.
void addTorchOption(Command command, std::optional<aot::TorchVersion>& torch,
                    const std::string& help = "Compile by the rules of this release instead of the one that "
                                              "made the file; see the command rules");

/// `torch` (the release whose rules applied), `made_by`, `chosen` (null: as the file says), `text`.
[[nodiscard]] Json rulesJson(const aot::RulesChoice& rules);

} // namespace aotscope::cli
