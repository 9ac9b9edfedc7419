#pragma once

#include "answer.h"
#include "command_line.h"

#include "aot/versions/rules_choice.h"

#include <optional>
#include <string>

namespace aotscope::cli {

/// Adds `--torch VERSION` with the known releases in its help, which begins with `help`. `torch` must outlive
/// the command.
void addTorchOption(Command command, std::optional<aot::TorchVersion>& torch,
                    const std::string& help = "Compile by the rules of this release instead of the one that "
                                              "made the file; see the command rules");

struct RulesUsed {
    /// The release whose rules applied.
    std::string torch;
    std::string madeBy;
    /// Nothing: as the file says.
    std::optional<std::string> chosen;
    std::string text;
};
AOTSCOPE_MEMBERS(RulesUsed, torch, madeBy, chosen, text)
[[nodiscard]] RulesUsed rulesUsed(const aot::RulesChoice& rules);

} // namespace aotscope::cli
